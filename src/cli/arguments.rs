//! Order of the arguments: an option counts the same before and after the subcommand.

use std::ffi::OsString;

use clap::{ArgAction, Command};

/// Moves the options before a subcommand to its end, where their definitions are; those of its own subcommands too.
///
/// Nothing is moved where a file comes first, or where help is asked for.
pub(super) fn in_order(program: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    subcommand_first(program, &mut arguments, 1);
    if let Some(command) = arguments.get(1).and_then(|name| program.find_subcommand(name)) {
        subcommand_first(command, &mut arguments, 2);
    }
    with_words_apart(arguments)
}

/// Moves the name of a subcommand of `program` before the options from `first` on.
fn subcommand_first(program: &Command, arguments: &mut Vec<OsString>, first: usize) {
    let mut at = first;
    while let Some(argument) = arguments.get(at).and_then(|argument| argument.to_str()) {
        if matches!(argument, "-" | "--" | "-h" | "--help" | "-V" | "--version") {
            break;
        }
        if !argument.starts_with('-') {
            if at > first && program.find_subcommand(argument).is_some() {
                let name = arguments.remove(at);
                arguments.insert(first, name);
            }
            break;
        }
        at += if takes_next(program, argument) { 2 } else { 1 };
    }
}

/// Splits a negative value of several words after `encode` into its words, as they are without quotes: `"-5 64"` would look like an option.
fn with_words_apart(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_encode = arguments.get(1).is_some_and(|name| name == "encode");
    let is_negative = |text: &str| {
        let mut chars = text.chars();
        chars.next() == Some('-') && chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    let words = |argument: OsString| match argument.to_str() {
        Some(text) if is_encode && is_negative(text) => text.split_whitespace().map(OsString::from).collect(),
        _ => vec![argument],
    };
    arguments.into_iter().flat_map(words).collect()
}

/// Returns true if the value of the option is the next argument.
fn takes_next(program: &Command, option: &str) -> bool {
    let own = || program.get_subcommands();
    let commands = || std::iter::once(program).chain(own()).chain(own().flat_map(Command::get_subcommands));
    let all = || commands().flat_map(Command::get_arguments);
    let mut found = match option.strip_prefix("--") {
        Some(long) if long.contains('=') => return false,
        Some(long) => all().filter(|argument| argument.get_long() == Some(long)).collect::<Vec<_>>(),
        None => all().filter(|argument| argument.get_short() == option.chars().nth(1) && option.len() == 2).collect(),
    };
    found.retain(|argument| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append));
    !found.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_before_the_subcommand_go_behind_it() {
        let program = crate::cli::command();
        for (given, wanted) in [
            ("--symbols srv info A.dll", "info --symbols srv A.dll"),
            ("--symbols=info info A.dll", "info --symbols=info A.dll"),
            ("--symbols info info A.dll", "info --symbols info A.dll"),
            ("--json info", "info --json"),
            ("-o out --force dump A.dll", "dump -o out --force A.dll"),
            ("--color always where x", "where --color always x"),
            // The files come first, or there is no subcommand.
            ("A.dll info", "A.dll info"),
            ("--color always A.dll", "--color always A.dll"),
            ("--symbols info", "--symbols info"),
            ("-- info", "-- info"),
            ("--help info", "--help info"),
            ("info --json", "info --json"),
            ("store --to X add F", "store add --to X F"),
            ("--to X store add F", "store add --to X F"),
            ("store add F --to X", "store add F --to X"),
            ("store list --tsv add", "store list --tsv add"),
        ] {
            let split = |text: &str| std::iter::once("pdblens").chain(text.split(' ')).map(OsString::from).collect();
            let wanted: Vec<OsString> = split(wanted);
            assert_eq!(in_order(&program, split(given)), wanted, "{given}");
        }
    }

    #[test]
    fn a_negative_value_in_quotes_is_no_option() {
        let program = crate::cli::command();
        let in_quotes = ["pdblens", "encode", "sint", "-5 64"].map(OsString::from).to_vec();
        let apart = ["pdblens", "encode", "sint", "-5", "64"].map(OsString::from).to_vec();
        assert_eq!(in_order(&program, in_quotes), apart);
        let name = ["pdblens", "find", "A.dll", "-5 64"].map(OsString::from).to_vec();
        assert_eq!(in_order(&program, name.clone()), name);
    }
}
