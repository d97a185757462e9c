//! The manual, of which `--help`, the man pages and a page for coding agents are three faces.

mod sections;
mod skill;

use std::fmt::Write as _;
use std::io;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

pub use sections::SECTIONS;
use sections::{EXIT_STATUS, ManualSection};
pub use skill::skill;

use super::command::Example;

/// Examples by the name of the subcommand; those of the program without one have the empty name.
pub type Examples = Vec<(String, &'static [Example])>;
/// Keys of the screens, with their actions.
pub type Keys = Vec<(Vec<String>, String)>;

/// Parts of the manual that clap does not know.
#[derive(Clone, Debug, Default)]
pub(super) struct Manual {
    pub(super) keys: Keys,
    pub(super) examples: Examples,
}

/// Adds the examples to each subcommand, and the sections to the program.
pub(super) fn with_help(command: clap::Command, examples: &Examples) -> clap::Command {
    let of_program = help_of(of(examples, ""));
    let text = SECTIONS.iter().fold(of_program.clone(), with_section);
    command.after_help(of_program).after_long_help(text).mut_subcommands(|subcommand| {
        let name = subcommand.get_name().to_owned();
        let nested = |found: clap::Command| {
            let full = format!("{name} {}", found.get_name());
            with_examples(found, of(examples, &full))
        };
        with_examples(subcommand.mut_subcommands(nested), of(examples, &name))
    })
}

fn with_examples(command: clap::Command, examples: &[Example]) -> clap::Command {
    if examples.is_empty() {
        return command;
    }
    let text = help_of(examples);
    command.after_help(text.clone()).after_long_help(with_section(text, &EXIT_STATUS))
}

fn with_section(mut text: String, (heading, rows): &ManualSection) -> String {
    let _ = write!(text, "\n\n{heading}:");
    for (term, meaning) in *rows {
        let _ = write!(text, "\n  {term}\n          {meaning}");
    }
    text
}

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

/// The command with a synopsis that has the values of its options: `[--symbols <PATH>]`.
fn with_synopsis(mut command: clap::Command, name: &str) -> clap::Command {
    command.build();
    let mut usage = name.to_owned();
    let (places, options): (Vec<_>, Vec<_>) = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .partition(|argument| argument.is_positional());
    for option in options {
        let _ = if option.is_required_set() { write!(usage, " {option}") } else { write!(usage, " [{option}]") };
    }
    for place in places {
        let _ = write!(usage, " {place}");
    }
    if command.has_subcommands() {
        usage.push_str(if command.is_subcommand_required_set() { " <COMMAND>" } else { " [COMMAND]" });
    }
    command.override_usage(usage)
}

pub(super) fn program_page(command: &clap::Command, manual: &Manual, out: &mut impl io::Write) -> io::Result<()> {
    // `help` has no page.
    Man::new(with_synopsis(command.clone().disable_help_subcommand(true), "pdblens")).render(out)?;
    let mut page = Roff::default();
    page.control("SH", ["KEYS OF THE SCREENS"]);
    for (keys, help) in &manual.keys {
        page.control("TP", []);
        let mut line = Vec::new();
        for key in keys {
            if !line.is_empty() {
                line.push(roman(", "));
            }
            line.push(bold(key.as_str()));
        }
        page.text(line);
        page.text([roman(help.as_str())]);
    }
    for section in SECTIONS {
        add_section(&mut page, section);
    }
    add_examples(&mut page, of(&manual.examples, ""));
    page.to_writer(out)
}

fn add_section(page: &mut Roff, (heading, rows): &ManualSection) {
    page.control("SH", [heading.to_uppercase().as_str()]);
    for (term, meaning) in *rows {
        page.control("TP", []);
        page.text([bold(*term)]);
        page.text([roman(*meaning)]);
    }
}

/// Writes the man page of a subcommand, or of one of its own (`store add`).
pub(super) fn subcommand_page(
    name: &str,
    subcommand: &clap::Command,
    manual: &Manual,
    out: &mut impl io::Write,
) -> io::Result<()> {
    let display = format!("pdblens-{}", name.replace(' ', "-"));
    let name_of_program = format!("pdblens {name}");
    let named = subcommand.clone().display_name(display).bin_name(&name_of_program);
    Man::new(with_synopsis(named.disable_help_subcommand(true), &name_of_program)).render(out)?;
    let mut page = Roff::default();
    add_section(&mut page, &EXIT_STATUS);
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
