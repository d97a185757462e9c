//! Whole rows as screens print them: the cell that says most leads to its place.

use super::{
    Answer, Form, Here, address, code, cut, frame, keyword, line, name_row, offset_here, row, source_range, span,
};
use crate::search::CUT;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_nodes::{self as nodes, Place, resolve};
use pdblens_session::session::Session;

/// Forms that a cell of a row may have, those that say most first. Numbers and words alone say too little.
const CELL_FORMS: &[Form] = &[
    span::span,
    row::token_cell,
    row::row,
    super::id::id,
    source_range::source_range,
    source_range::code_range,
    offset_here,
    line,
    keyword::keyword,
    frame::frame,
    address::address,
    address::data,
];

/// The cells of a row: between them are borders, tabs, or at least two spaces. Signs before a text are left out.
pub(super) fn cells(typed: &str) -> Vec<&str> {
    let is_border = |c: char| c == '\t' || ('\u{2500}'..='\u{257f}').contains(&c) || c == '\u{258c}';
    let parts = typed.split(is_border).flat_map(|part| part.split("  ")).flat_map(|part| part.split(" \u{b7} "));
    parts.map(without_sign).filter(|cell| !cell.is_empty()).collect()
}

/// A text without the sign before it: of a cursor, a tree, a remark.
fn without_sign(text: &str) -> &str {
    let text = text.trim();
    match text.split_once(' ') {
        Some((sign, rest)) if sign.chars().all(|c| !c.is_alphanumeric() && !"#\"'(<[{_.@\u{2026}".contains(c)) => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// The place of a row, by the cell that says most; `None` where none of them says anything.
pub(super) fn row(session: &Session, typed: &str, here: Here) -> Option<Answer> {
    let cells = cells(typed);
    if let Some(found) = name_row::first(session, &cells, here) {
        return Some(found);
    }
    if cells.is_empty() || cells == [typed] {
        return None;
    }
    let of_form = |form: &Form| cells.iter().find_map(|cell| form(session, cell, here).and_then(Result::ok));
    let strong = CELL_FORMS.iter().find_map(of_form);
    // The first cell of a dump is an offset, and that of a list a number and a name: `12 /names`.
    let dumped = || keyword::in_dump(session, cells.first()?, here).and_then(Result::ok);
    let named = || cells.iter().find_map(|cell| by_name(session, cell, here));
    strong.or_else(dumped).or_else(named).map(Ok)
}

/// Code, a type or a document by a cell that has the look of a name.
pub(super) fn by_name(session: &Session, cell: &str, here: Here) -> Option<(Place, String)> {
    if cell.contains(CUT) {
        return cut::cut(session, cell, here)?.ok();
    }
    let is_name = cell.starts_with(|c: char| c.is_alphabetic() || "_<.~".contains(c)) && cell.len() > 1;
    let found = is_name.then(|| code(session, cell).ok()).flatten();
    let other = || type_named(session, cell).or_else(|| document(session, cell));
    found.or_else(|| other().filter(|_| is_name).map(|place| (place, String::new())))
}

/// The type of a full name, as lists write it.
fn type_named(session: &Session, name: &str) -> Option<Place> {
    let (names, metadata) = (session.names()?, session.metadata()?);
    let mut types = (1..=metadata.rows(TableId::TYPE_DEF)).map(|row| Token::new(TableId::TYPE_DEF, row));
    types.find(|of| names.type_name(*of) == name).map(|of| Place::row(TableId::TYPE_DEF, of.row()))
}

/// The document of a name.
fn document(session: &Session, name: &str) -> Option<Place> {
    match resolve::documents_named(session, name)[..] {
        [row] if nodes::number(name).is_none() => Some(Place::Document(row)),
        _ => None,
    }
}
