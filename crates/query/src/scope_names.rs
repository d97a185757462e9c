//! Names of a method or a function (arguments, locals, constants, imports) with the code where each is in scope, one a row: what the Scopes
//! pane shows.

use std::ops::Range;

use crate::where_is::{self, LocalKind};
use pdblens_nodes::code_unit::{self, CodeUnit, FunctionSymbol, il_label};
use pdblens_nodes::function::inlined_sites;
use pdblens_nodes::method::{MethodView, scope_text};
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_nodes::table::blobs::import_text;
use pdblens_nodes::{Place, Side, TableId};
use pdblens_session::session::Session;
use pdblens_session::symbols::Scope;
use pdblens_session::text::parameters::name_and_types;

/// Remark on the ranges of a section, in the column where they are.
const ENDS: &str = "ends exclusive";
/// Flag of a static method (ECMA-335 II.23.1.10).
const STATIC: u32 = 0x10;
/// Import scopes around each other that are read.
const MAX_IMPORT_SCOPES: usize = 32;

/// A row, with the code where its name is in scope, and the number of the scope that it begins.
#[derive(Clone, Debug, Default)]
pub struct NameRow {
    /// Name, type, and location or value.
    pub row: Row,
    /// Offsets of the code; `None` for a row that has no scope.
    pub range: Option<Range<u64>>,
    /// Number of the scope that the row begins.
    pub scope: Option<usize>,
    /// A variable whose location depends on the code.
    pub moving: Option<Box<FunctionSymbol>>,
    /// True for a record that is no name: a block, the frame.
    pub is_unnamed: bool,
    /// True for code of its own: an inlined call, a block.
    pub is_block: bool,
    /// The code of an inlined call, which may be in several parts.
    pub parts: Vec<Range<u64>>,
}

impl NameRow {
    /// Returns whether the name is in scope at an offset, and where its value is, if that depends on the offset.
    pub fn at(&self, offset: u32) -> (bool, Option<String>) {
        match &self.moving {
            Some(variable) => {
                let kept = variable.kept_at(offset);
                (kept.is_some(), kept)
            }
            None if !self.parts.is_empty() => (self.parts.iter().any(|part| part.contains(&u64::from(offset))), None),
            None => (self.range.as_ref().is_none_or(|range| range.contains(&u64::from(offset))), None),
        }
    }
}

fn heading(text: &str, range: String) -> Row {
    Row::plain(vec![Cell::toned(text, Tone::Dim), Cell::default(), Cell::toned(range, Tone::Dim)])
}

/// Rows below a heading; nothing without rows.
fn below(row: Row, mut rows: Vec<NameRow>) -> Vec<NameRow> {
    if !rows.is_empty() {
        rows.insert(0, NameRow { row, ..NameRow::default() });
    }
    rows
}

fn name_row(name: &str, type_name: &str, place: String) -> Row {
    let cells = vec![Cell::new(name), Cell::toned(type_name, Tone::Dim), Cell::toned(place, Tone::Dim)];
    Row { depth: 1, ..Row::plain(cells) }
}

/// The full name, and the parameters with their types; of unnamed parameters only the types in the name.
fn signature(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let full = match (view.of, session.names()) {
        (CodeUnit::Method(token), Some(names)) => names.method(token),
        (of, _) => code_unit::name(session, of),
    };
    let (short, types) = name_and_types(&full);
    // An instance method has `this` before its parameters.
    let lead = view.arguments.len().checked_sub(types.len()).filter(|lead| *lead <= 1 && !types.is_empty());
    let name = if lead.is_some() { short } else { full.as_str() };
    let whole = Row::at(view.of.place(), vec![Cell::toned(name, Tone::Strong)]);
    let mut rows = vec![NameRow { row: whole, ..NameRow::default() }];
    for (index, name) in view.arguments.iter().enumerate() {
        let type_name = lead.and_then(|lead| types.get(index.checked_sub(lead)?)).copied().unwrap_or_default();
        let row = name_row(name, type_name, format!("argument {index}"));
        let row = Row { place: parameter(session, view, index), ..row };
        rows.push(NameRow { row, range: Some(0..u64::MAX), ..NameRow::default() });
    }
    rows
}

/// The row of a parameter, by the index of its argument; the method for `this`.
fn parameter(session: &Session, view: &MethodView, index: usize) -> Option<Place> {
    let metadata = session.metadata()?;
    let (method, table) = (view.of.token(), metadata.table(TableId::PARAM));
    let is_static = metadata.table(TableId::METHOD_DEF).cell(method.row(), 2).is_ok_and(|flags| flags & STATIC != 0);
    if index == 0 && !is_static {
        return Some(view.of.place());
    }
    let number = (index + usize::from(is_static)) as u32;
    let rows = metadata.list(TableId::METHOD_DEF, method.row(), 5, TableId::PARAM);
    let mut rows = rows.map(|row| metadata.through_pointer(TableId::PARAM, row));
    let row = rows.find(|row| table.cell(*row, 1).is_ok_and(|sequence| sequence == number))?;
    Some(Place::Row(Side::Image, TableId::PARAM, row))
}

fn scope_rows(session: &Session, view: &MethodView, scope: &Scope, number: usize) -> Vec<NameRow> {
    let range = u64::from(scope.start)..scope.end();
    let mut head = heading("scope", scope_text(scope));
    (head.place, head.span) = (scope.record.map(Place::from), Some(scope.span));
    let mut rows = vec![NameRow { row: head, range: Some(range.clone()), scope: Some(number), ..NameRow::default() }];
    let of_scope = |row: Row| NameRow { row, range: Some(range.clone()), ..NameRow::default() };
    // The arguments are in the signature above.
    rows.extend(scope.variables.iter().filter(|variable| !variable.is_argument).map(|variable| {
        let hidden = if variable.hidden { ", hidden" } else { "" };
        let kept = format!("{}{hidden}", variable.storage());
        let row = name_row(&variable.name, &view.type_of(session, variable), kept);
        of_scope(Row { place: variable.record.map(Place::from), span: Some(variable.span), ..row })
    }));
    rows.extend(scope.constants.iter().map(|constant| {
        let row = name_row(&constant.name, &constant.type_name, format!("= {}", constant.value));
        of_scope(Row { place: constant.record.map(Place::from), span: Some(constant.span), ..row })
    }));
    rows
}

/// Variables that are fields of the state machine.
fn hoisted_rows(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let found = where_is::hoisted(session, view.of.token()).into_iter().map(|(local, range)| {
        let text = match (&local.kind, range.is_empty()) {
            (LocalKind::Field(_), false) => {
                format!("field, {}..{}", il_label(range.start as i64), il_label(range.end as i64))
            }
            _ => "field".to_owned(),
        };
        let row = name_row(&local.name, &local.type_name, text);
        // Visual Basic writes no ranges: it lists these variables in its scopes.
        let range = Some(range).filter(|range| !range.is_empty());
        NameRow { row: Row { place: local.place, ..row }, range, ..NameRow::default() }
    });
    below(heading("state machine", ENDS.to_owned()), found.collect())
}

/// The imports around a method, innermost first.
fn import_rows(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let Some(symbols) = session.symbols() else { return Vec::new() };
    let first = view.scopes.iter().find_map(|scope| scope.imports).or_else(|| symbols.imports_of(view.of.token()));
    // Other formats have no rows of them.
    let table = session.portable_pdb().map(|_| |row| Place::Row(Side::Pdb, TableId::IMPORT_SCOPE, row));
    let mut rows = Vec::new();
    let mut next = first;
    for _ in 0..MAX_IMPORT_SCOPES {
        let Some((number, Ok(scope))) = next.map(|row| (row, symbols.import_scope(row))) else { break };
        rows.extend(scope.imports.iter().map(|import| {
            let name = Row::plain(vec![Cell::new(import_text(session, import))]);
            let row = Row { depth: 1, span: Some(scope.span), place: table.map(|of| of(number)), ..name };
            NameRow { row, ..NameRow::default() }
        }));
        next = scope.parent;
    }
    below(heading("imports", String::new()), rows)
}

fn native_rows(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let inlined = inlined_sites(session, view.of.address());
    // A variable that is repeated for old debuggers is not where that record says.
    let rows = view.records.iter().filter(|symbol| !symbol.is_repetition).map(|symbol| {
        let call = inlined.iter().find(|site| symbol.word == "inlined" && site.symbol == symbol.at);
        let starts = call.iter().flat_map(|site| &site.ranges).map(|range| range.offset).min();
        let ends = call.iter().flat_map(|site| &site.ranges).map(|range| range.offset.saturating_add(range.len)).max();
        let whole = (symbol.start, symbol.start.saturating_add(symbol.len));
        let (start, end) = starts.zip(ends).unwrap_or(whole);
        let range = u64::from(start)..u64::from(end);
        let text = format!("{}..{}", view.of.label(start.into()), view.of.label(end.into()));
        let row = if symbol.is_block() {
            let name = call.map_or(symbol.name.as_str(), |site| &site.name);
            heading(&format!("{} {name}", symbol.word), text)
        } else {
            let places: Vec<&str> = symbol.locations.iter().map(|location| location.text.as_str()).collect();
            let kept = if symbol.kept.is_empty() { places.join(", ") } else { symbol.kept.clone() };
            // The frame has no name.
            let has_name = !symbol.name.is_empty();
            let mut row = name_row(if has_name { &symbol.name } else { symbol.word }, &symbol.type_name, kept);
            row.cells[0].beside = if has_name { symbol.word.to_owned() } else { String::new() };
            row
        };
        let (place, depth) = (view.symbol_place(symbol), symbol.depth.saturating_add(1));
        let row = Row { place, span: Some(symbol.span), depth, ..row };
        // A variable of optimised code is only where one of its ranges is.
        let part = |offset: u32, len: u32| u64::from(offset)..u64::from(offset) + u64::from(len);
        let locations = symbol.locations.iter().map(|place| part(place.start, place.len));
        let first = locations.clone().map(|range| range.start).min();
        let last = locations.map(|range| range.end).max();
        let range = first.zip(last).map_or(range, |(first, last)| first..last);
        let parts = call.iter().flat_map(|site| &site.ranges).map(|range| part(range.offset, range.len)).collect();
        let moving = symbol.has_ranges().then(|| Box::new(symbol.clone()));
        let (range, is_unnamed) = (Some(range), !symbol.is_variable());
        NameRow { row, range, scope: None, moving, is_unnamed, is_block: symbol.is_block(), parts }
    });
    rows.collect()
}

pub fn names(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let mut rows = signature(session, view);
    if let CodeUnit::Function(_) = view.of {
        rows.extend(native_rows(session, view));
        return rows;
    }
    let scopes = view.scopes.iter().filter(|scope| !scope.variables.is_empty() || !scope.constants.is_empty());
    let of_scopes = scopes.enumerate().flat_map(|(number, scope)| scope_rows(session, view, scope, number));
    rows.extend(below(heading("scopes", ENDS.to_owned()), of_scopes.collect()));
    rows.extend(hoisted_rows(session, view));
    rows.extend(import_rows(session, view));
    rows
}
