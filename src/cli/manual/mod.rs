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

/// Examples by the name of the subcommand; those of the program without one have the empty name.
pub type Examples = Vec<(String, &'static [Example])>;
/// Keys of the screens, with their actions.
pub type Keys = Vec<(Vec<String>, &'static str)>;

/// Parts of the manual that clap does not know.
#[derive(Clone, Debug, Default)]
pub(super) struct Manual {
    pub(super) keys: Keys,
    pub(super) examples: Examples,
}

/// Adds the examples to each subcommand, and the sections to the program.
pub(super) fn with_help(command: clap::Command, examples: &Examples) -> clap::Command {
    let of_program = help_of(of(examples, ""));
    let mut text = of_program.clone();
    for (heading, rows) in SECTIONS {
        let _ = write!(text, "\n\n{heading}:");
        for (term, meaning) in *rows {
            let _ = write!(text, "\n  {term}\n          {meaning}");
        }
    }
    command.after_help(of_program).after_long_help(text).mut_subcommands(|subcommand| {
        let examples = of(examples, subcommand.get_name());
        if examples.is_empty() { subcommand } else { subcommand.after_help(help_of(examples)) }
    })
}

/// Examples of the subcommand of this name.
fn of(examples: &Examples, name: &str) -> &'static [Example] {
    examples.iter().find(|(of, _)| of == name).map_or(&[], |(_, examples)| examples)
}

fn help_of(examples: &[Example]) -> String {
    let mut text = String::from("Examples:");
    for Example { purpose, line } in examples {
        let _ = write!(text, "\n  {purpose}:\n      {line}");
    }
    text
}

/// Writes the man page of the program.
pub(super) fn program_page(command: &clap::Command, manual: &Manual, out: &mut impl io::Write) -> io::Result<()> {
    Man::new(command.clone()).render(out)?;
    let mut page = Roff::default();
    page.control("SH", ["KEYS OF THE SCREENS"]);
    for (keys, help) in &manual.keys {
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
    add_examples(&mut page, of(&manual.examples, ""));
    page.to_writer(out)
}

/// Writes the man page of a subcommand.
pub(super) fn subcommand_page(subcommand: &clap::Command, manual: &Manual, out: &mut impl io::Write) -> io::Result<()> {
    let name = subcommand.get_name();
    let named = subcommand.clone().display_name(format!("pdblens-{name}")).bin_name(format!("pdblens {name}"));
    Man::new(named).render(out)?;
    let mut page = Roff::default();
    add_examples(&mut page, of(&manual.examples, name));
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
