//! Commands and rules among the choices, and the words of rows.

use super::Choice;
use crate::engine::action::ActionDef;
use crate::overlays::palette::{is_about, matching_actions};
use pdblens_learn::glossary::Term;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_nodes::{self as nodes, Place};
use pdblens_query::check::all_rules;
use pdblens_session::session::Session;

/// Characters from which commands are among the choices.
const MIN_COMMAND: usize = 3;

/// Rules of the check whose id begins with the input: the list of findings and other tools print them.
pub(super) fn rules(typed: &str) -> impl Iterator<Item = Choice> {
    let is_long_enough = typed.len() >= MIN_COMMAND;
    let found = all_rules().filter(move |(id, _)| is_long_enough && id.starts_with(typed));
    found.map(|(id, about)| Choice::Rule(id, about))
}

/// Commands whose name has the input in it, or whose description has the words of it; all that match it after a colon.
pub(super) fn commands(typed: &str) -> Vec<&'static ActionDef> {
    match typed.strip_prefix(':') {
        Some(rest) => matching_actions(rest.trim()),
        None if typed.len() < MIN_COMMAND => Vec::new(),
        None => matching_actions(typed).into_iter().filter(|def| is_about(def, typed)).collect(),
    }
}

/// The file that a choice is in, and what is said of it.
pub(super) fn in_other(session: &Session, said: &str) -> String {
    let remark = if said.is_empty() { String::new() } else { format!("; {said}") };
    format!("in {}: Enter opens it{remark}", file_of(session))
}

/// Name of the image, else of the symbols.
pub(super) fn file_of(session: &Session) -> &str {
    let symbols = || session.symbol_file().map_or("", |file| file.name.as_str());
    session.image().map_or_else(symbols, |image| image.name.as_str())
}

/// The noun of a place, as in the list of names.
pub(super) fn noun(place: Place) -> &'static str {
    let noun = place.label().noun;
    if noun.is_empty() { "go" } else { noun }
}

/// The location of the place that an input means: what is said of a part, else the line or the owner of the place.
pub(super) fn location(session: Option<&Session>, place: Place, said: &str) -> String {
    // The preview says the rest.
    let first = said.split(';').next().unwrap_or_default();
    match place {
        Place::MethodPart(..) | Place::FunctionPart(..) | Place::Bytes(_) | Place::Line(..) => first.to_owned(),
        _ if !first.is_empty() => first.to_owned(),
        _ => session.map_or_else(String::new, |session| nodes::context(session, place)),
    }
}

/// The row of a place that an input means: its path, and what is said beside it.
pub(super) fn direct_row(place: Place, path: String, said: String, sign: &str) -> Row {
    let kind = Cell::toned(format!("{} {sign}", noun(place)), Tone::Ok);
    Row::at(place, vec![Cell::toned(path, Tone::Strong), kind, Cell::toned(said, Tone::Dim)])
}

/// The row of a command: name, keys, and what it does.
pub(super) fn command_row(def: &ActionDef, keys: &str) -> Row {
    let kind = if keys.is_empty() { "command".to_owned() } else { format!("command {keys}") };
    Row::plain(vec![Cell::new(def.name), Cell::toned(kind, Tone::Dim), Cell::toned(def.help, Tone::Dim)])
}

/// Row of a term of the glossary.
pub(super) fn term_row(term: &Term) -> Row {
    Row::plain(vec![
        Cell::new(term.term.as_str()),
        Cell::toned("term", Tone::Dim),
        Cell::toned(term.meaning.as_str(), Tone::Dim),
    ])
}
