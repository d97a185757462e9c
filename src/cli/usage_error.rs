//! Errors of the arguments in the voice of all others: `error: … · tip: …`, one line.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::text::distance::distance;
use crate::text::safe::visible;

/// Sentence for refused arguments; `None` for help, which was asked for or takes its place.
pub(super) fn sentence(program: &Command, error: &clap::Error) -> Option<String> {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    let text = error.render().to_string();
    if error.kind() == ErrorKind::MissingRequiredArgument && usage(&text).as_deref() == Some("pdblens diff") {
        return Some("diff compares two builds: name the second · tip: `pdblens diff old/App.dll App.dll`".to_owned());
    }
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    // The error, what it lists, tips, the usage, and where help is: each after an empty line.
    let mut parts = text.split("\n\n");
    let (why, listed) = what(parts.next().unwrap_or_default());
    let tip = of_screens(program, error)
        .or_else(|| tip(parts).filter(|tip| !is_far_fetched(error, tip)))
        .or(listed)
        .unwrap_or_else(|| {
            format!("`{} --help` shows what it takes", usage(text).unwrap_or_else(|| program.get_name().to_owned()))
        });
    Some(format!("{} · tip: {}", visible(&why), visible(&tip)))
}

/// The error in one line, and the values that are possible.
fn what(paragraph: &str) -> (String, Option<String>) {
    let mut lines = paragraph.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut why = lines.next().unwrap_or_default().to_owned();
    let mut values = None;
    let mut separator = " ";
    for line in lines {
        match line.strip_prefix("[possible values: ").and_then(|line| line.strip_suffix(']')) {
            Some(list) => values = Some(format!("write one of {list}")),
            None => {
                why = why + separator + line;
                separator = ", ";
            }
        }
    }
    (why, values)
}

/// The first tip, unless it is to take an option for a value.
fn tip<'t>(parts: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut tips = parts.flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("tip: "));
    tips.find(|tip| !tip.contains("'-- ")).map(str::to_owned)
}

/// Returns whether a tip names a value that has too little in common with what was typed.
fn is_far_fetched(error: &clap::Error, tip: &str) -> bool {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidValue) else { return false };
    let Some(value) = tip.split_once("similar value exists: '").and_then(|(_, value)| value.strip_suffix('\'')) else {
        return false;
    };
    distance(typed, value) > value.len() / 3
}

/// Tip on an option of the screens that a subcommand does not have.
fn of_screens(program: &Command, error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let name = option.strip_prefix("--")?;
    let name = name.split('=').next()?;
    let known = program.get_arguments().any(|argument| argument.get_long() == Some(name));
    known.then(|| format!("it is an option of the screens, `pdblens --{name}` without a command"))
}

/// The command of the usage line: `pdblens store add`.
fn usage(text: &str) -> Option<String> {
    let words = text.split("Usage: ").nth(1)?.split_whitespace();
    let names = words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    Some(names.collect::<Vec<_>>().join(" ")).filter(|names| !names.is_empty())
}
