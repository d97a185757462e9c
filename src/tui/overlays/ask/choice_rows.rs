//! Texts and rows of the choices of the prompt.

use crate::nodes::Place;
use crate::nodes::rows::{Cell, Row, Tone};
use crate::session::Session;
use crate::tui::core::action::ActionDef;

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
    let noun = place.ask(|node| node.label()).noun;
    if noun.is_empty() { "go" } else { noun }
}

/// The row of a command: name, keys, and what it does.
pub(super) fn command_row(def: &ActionDef, keys: &str) -> Row {
    let kind = if keys.is_empty() { "command".to_owned() } else { format!("command {keys}") };
    Row::plain(vec![Cell::new(def.name), Cell::toned(kind, Tone::Dim), Cell::toned(def.help, Tone::Dim)])
}
