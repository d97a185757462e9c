//! Commands and rules among the choices, and the words of rows.

use super::Choice;
use super::direct::NamedCode;
use crate::engine::action::ActionDef;
use crate::overlays::palette::{is_about, matching_actions};
use crate::state::paths::session_name;
use crate::ui::glyphs::Glyphs;
use pdblens_learn::chain::Asked;
use pdblens_learn::glossary::Term;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_nodes::{self as nodes, Place};
use pdblens_query::address::Address;
use pdblens_query::ask::{Answer, Fit, parse_address, typed_offset};
use pdblens_query::breakpoint::Why;
use pdblens_query::check::all_rules;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

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
    match typed.strip_prefix([':', '>']) {
        Some(rest) => matching_actions(rest.trim()),
        None if typed.len() < MIN_COMMAND => Vec::new(),
        None => matching_actions(typed).into_iter().filter(|def| is_about(def, typed)).collect(),
    }
}

/// The file that a choice is in, and what is said of it.
pub(super) fn in_other(session: &Session, said: &str) -> String {
    let remark = if said.is_empty() { String::new() } else { format!("; {said}") };
    format!("in {}: Enter opens it{remark}", session_name(session))
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

/// The row of a name of another file, none of whose places is one of the shown files.
pub(super) fn other_row(mut row: Row, session: &Session) -> Row {
    row.place = None;
    let about = row.cells.pop().map_or(String::new(), |cell| format!("  {}", cell.text));
    row.cells.push(Cell::toned(format!("in {}{about}", session_name(session)), Tone::Warn));
    row
}

/// The row of a place that an input means: its path, and what is said beside it.
pub(super) fn direct_row(place: Place, path: String, said: String, sign: &str) -> Row {
    let kind = Cell::toned(format!("{} {sign}", noun(place)), Tone::Ok);
    Row::at(place, vec![Cell::toned(path, Tone::Strong), kind, Cell::toned(said, Tone::Dim)])
}

pub(super) fn command_row(def: &ActionDef, keys: &str) -> Row {
    let kind = if keys.is_empty() { "command".to_owned() } else { format!("command {keys}") };
    Row::plain(vec![Cell::new(def.name), Cell::toned(kind, Tone::Dim), Cell::toned(def.help, Tone::Dim)])
}

pub(super) fn term_row(term: &Term) -> Row {
    Row::plain(vec![
        Cell::new(term.term.as_str()),
        Cell::toned("term", Tone::Dim),
        Cell::toned(term.meaning.as_str(), Tone::Dim),
    ])
}

/// Sign of a breakpoint; a dot where there is none.
pub(super) fn breakpoint_sign(why: Option<&Why>, glyphs: &Glyphs) -> &'static str {
    why.map_or(glyphs.dot, |why| glyphs.breakpoint(why.verdict.sign()))
}

/// `8 methods, 2 reach IL_001f`
pub(super) fn reach_text(overloads: &[&NamedCode], typed: &str) -> String {
    let reach = overloads.iter().filter(|code| code.at.as_ref().is_some_and(|at| at.fit != Fit::PastEnd)).count();
    let of = overloads.first().and_then(|code| code.place.code_unit()).unwrap_or_default();
    let label = of.label(typed_offset(typed).unwrap_or_default().into());
    format!("{}, {reach} reach {label}", count(overloads.len() as u64, of.words().unit))
}

/// Name of a method with its type, and its parameters.
pub(super) fn split_name(session: &Session, of: CodeUnit) -> (String, String) {
    let (name, own) = match (of, session.names()) {
        (CodeUnit::Method(token), Some(names)) => (names.brief().method(token), names.method_name(token)),
        _ => (code_unit::name(session, of), String::new()),
    };
    let head = name.split('(').next().unwrap_or_default();
    let end = head.rfind(&own).filter(|_| !own.is_empty()).map_or(head.len(), |at| at + own.len());
    let (before, after) = name.split_at(end);
    (before.to_owned(), after.to_owned())
}

/// The row of an offset in one of several methods: verdict and parameters, lines, and what is there.
pub(super) fn overload_row(code: &NamedCode, name: &str, file: Option<&str>, glyphs: &Glyphs) -> Row {
    let at = code.at.clone().unwrap_or_default();
    let tone = |usual: Tone| if at.fit == Fit::PastEnd { Tone::Dim } else { usual };
    let name = format!("{} {name}", breakpoint_sign(at.why.as_ref(), glyphs));
    let about = file.map_or(at.about.clone(), |file| format!("{}  in {file}", at.about));
    let inside = if at.fit == Fit::Inside { Tone::Warn } else { Tone::Dim };
    let cells = vec![
        Cell::toned(name, tone(Tone::Strong)),
        Cell::toned(at.lines, tone(Tone::Text)),
        Cell::toned(about, inside),
    ];
    Row { place: if file.is_some() { None } else { Some(code.place) }, ..Row::plain(cells) }
}

/// The question whose steps lead to an answer: a line of a document, or an offset of code; `None` for other inputs.
pub(super) fn question(session: &Session, typed: &str, answer: &Answer) -> Option<Asked> {
    answer.as_ref().ok()?;
    match parse_address(session, typed).ok()? {
        Address::Line(query) => query.documents.first().map(|row| Asked::Line(*row, query.line)),
        // The answer may be in MoveNext: the steps begin with the method that was typed.
        Address::Code(query) if typed.contains('+') => Some(Asked::Code(query.of, query.offset)),
        Address::Code(_) | Address::Place(_) => None,
    }
}

pub(super) fn steps_row(asked: Asked, typed: &str, sign: &str) -> Row {
    Row::plain(vec![
        Cell::toned(typed, Tone::Strong),
        Cell::toned(format!("steps {sign}"), Tone::Ok),
        Cell::toned(about_steps(asked), Tone::Dim),
    ])
}

pub(super) const fn about_steps(asked: Asked) -> &'static str {
    match asked {
        Asked::Line(..) => "Step through the breakpoint: line, document, methods, point, code",
        _ => "Step through the answer: code, sequence points, point, document, line",
    }
}
