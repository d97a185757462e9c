//! The manual, of which `--help`, the man pages and a page for coding agents are three faces.

mod sections;
mod skill;

use std::fmt::Write as _;
use std::io;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

pub use sections::SECTIONS;
pub use skill::skill;

use super::command::Example;
use super::commands::examples;
use super::generate::Keys;

/// Adds the examples to each subcommand, and the sections to the program.
pub(super) fn with_help(command: clap::Command) -> clap::Command {
    let mut text = help_of(examples_of(""));
    for (heading, rows) in SECTIONS {
        let _ = write!(text, "\n\n{heading}:");
        for (term, meaning) in *rows {
            let _ = write!(text, "\n  {term}\n          {meaning}");
        }
    }
    let command = command.after_help(help_of(examples_of(""))).after_long_help(text);
    command.mut_subcommands(|subcommand| {
        let examples = examples_of(subcommand.get_name());
        if examples.is_empty() { subcommand } else { subcommand.after_help(help_of(examples)) }
    })
}

fn help_of(examples: &[Example]) -> String {
    let mut text = String::from("Examples:");
    for Example { purpose, line } in examples {
        let _ = write!(text, "\n  {purpose}:\n      {line}");
    }
    text
}

/// Examples of the subcommand of this name, of the program by the empty name.
fn examples_of(name: &str) -> &'static [Example] {
    examples().into_iter().find(|(of, _)| of == name).map_or(&[], |(_, examples)| examples)
}

/// Writes the man page of the program.
pub(super) fn program_page(command: &clap::Command, keys: &Keys, out: &mut impl io::Write) -> io::Result<()> {
    Man::new(command.clone()).render(out)?;
    let mut page = Roff::default();
    page.control("SH", ["KEYS OF THE SCREENS"]);
    for (keys, help) in keys {
        page.control("TP", []);
        let keys: Vec<_> = keys.iter().map(|key| bold(key.as_str())).collect();
        let mut line = Vec::new();
        for key in keys {
            if !line.is_empty() {
                line.push(roman(", "));
            }
            line.push(key);
        }
        page.text(line);
        page.text([roman(*help)]);
    }
    for (heading, rows) in SECTIONS {
        page.control("SH", [heading.to_uppercase().as_str()]);
        for (term, meaning) in *rows {
            page.control("TP", []);
            page.text([bold(*term)]);
            page.text([roman(*meaning)]);
        }
    }
    add_examples(&mut page, examples_of(""));
    page.to_writer(out)
}

/// Writes the man page of a subcommand.
pub(super) fn subcommand_page(subcommand: &clap::Command, out: &mut impl io::Write) -> io::Result<()> {
    let name = subcommand.get_name();
    Man::new(subcommand.clone().display_name(format!("pdblens-{name}"))).render(out)?;
    let mut page = Roff::default();
    add_examples(&mut page, examples_of(name));
    page.to_writer(out)
}

fn add_examples(page: &mut Roff, examples: &[Example]) {
    if examples.is_empty() {
        return;
    }
    page.control("SH", ["EXAMPLES"]);
    for Example { purpose, line } in examples {
        page.control("TP", []);
        page.text([roman(format!("{purpose}:"))]);
        page.text([bold(*line)]);
    }
}
