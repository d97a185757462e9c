//! Machine code as rows of bytes, split at lines and symbols.
//!
//! Nothing is disassembled here.

use crate::bytes::Slice;
use crate::nodes::function::FunctionSymbol;
use crate::nodes::method;
use crate::nodes::method::{MethodView, range_text};
use crate::nodes::rows::{Cell, Head, Row, Tone};
use crate::session::Session;
use crate::text::safe::{count, spaced_hex};

/// Bytes per row.
const BYTES: u32 = 8;
const MAX_ROWS: usize = 100_000;

pub(super) const COLUMNS: [Head; 4] = [Head::text(""), Head::text(""), Head::text(""), Head::text("")];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// A remark, in place of bytes.
    Remark(String),
    /// A symbol, by index.
    Symbol(usize),
    /// Code: index of its line, whether it is the first row of that, offset, and length.
    Code { point: Option<usize>, first: bool, start: u32, len: u32 },
}

/// The rows of a function.
pub(super) fn items(view: &MethodView, session: &Session) -> Vec<Item> {
    let size = view.size.unwrap_or(0);
    let held = view.code.map_or(0, |code| code.len as u32);
    let mut items = Vec::new();
    items.extend(empty_text(view, session, held < size).map(Item::Remark));
    let mut symbols = view.records.iter().enumerate().peekable();
    let mut rows = 0;
    // Code before the first line belongs to no line.
    let lines = std::iter::once(None).chain((0..view.points.len()).map(Some));
    for point in lines {
        let range = match point {
            Some(index) => view.point_range(index),
            None => 0..view.points.first().map_or(size, |point| point.offset),
        };
        let step = if range.end <= held { BYTES } else { range.end - range.start };
        let mut start = range.start;
        while start < range.end && rows < MAX_ROWS {
            let before = |(_, symbol): &(usize, &FunctionSymbol)| symbol.start <= start;
            items.extend(std::iter::from_fn(|| symbols.next_if(before)).map(|(index, _)| Item::Symbol(index)));
            let len = step.min(range.end - start);
            items.push(Item::Code { point, first: start == range.start, start, len });
            start += len;
            rows += 1;
        }
    }
    items.extend(symbols.map(|(index, _)| Item::Symbol(index)));
    if rows == MAX_ROWS {
        items.push(Item::Remark(format!("and more: {} in all", count(size, "byte"))));
    }
    items
}

/// The reason why code is missing, and what would show it.
fn empty_text(view: &MethodView, session: &Session, missing: bool) -> Option<String> {
    match (session.image(), view.code) {
        _ if !missing => None,
        (None, _) => Some("no image is open: the code is in the EXE or DLL".to_owned()),
        (Some(image), None) => Some(format!("{} has no bytes at that address", image.name)),
        (Some(image), Some(_)) => Some(format!("{} contains only a part of it", image.name)),
    }
}

pub(super) fn row(item: &Item, view: &MethodView, session: &Session) -> Row {
    match item {
        Item::Remark(text) => Row::plain(vec![Cell::toned(text.clone(), Tone::Warn)]),
        Item::Symbol(index) => {
            let Some(symbol) = view.records.get(*index) else { return Row::default() };
            let tone = if symbol.is_block() { Tone::Warn } else { Tone::Dim };
            let indent = "  ".repeat(usize::from(symbol.depth));
            let cell = Cell::toned(format!("    {indent}{}", symbol.text()), tone);
            Row { place: view.symbol_place(symbol), span: Some(symbol.span), ..Row::plain(vec![cell]) }
        }
        Item::Code { point, first, start, len } => {
            let begun = point.filter(|_| *first);
            let wide = view.points.len().max(1).ilog10() as usize + 1;
            let number = begun.map_or(String::new(), |index| format!("{:>wide$}", index + 1));
            let found = begun.and_then(|index| view.points.get(index));
            let tone = if matches!(found, Some(point) if point.is_hidden()) { Tone::Dim } else { Tone::Text };
            let span = view.code.map(|code| code.part((*start).into(), (*len).into()));
            let bytes = span.and_then(|span| method::image_bytes(session, span).ok());
            let code = match bytes {
                Some(slice) => Cell::new(spaced_hex(slice.data, BYTES as usize)),
                None => Cell::toned(count(*len, "byte"), Tone::Dim),
            };
            let cells = vec![
                Cell::new(number),
                Cell::toned(format!("{:#x}", view.of.address().wrapping_add(*start)), Tone::Dim),
                code,
                Cell::toned(found.map_or(String::new(), range_text), tone),
            ];
            Row { span: bytes.map(Slice::span), ..Row::at(view.of.code(*start), cells) }
        }
    }
}

/// Returns whether an item contains the code at an offset.
pub(super) fn has(item: &Item, offset: u32) -> bool {
    matches!(item, Item::Code { start, len, .. } if offset.wrapping_sub(*start) < *len)
}

/// Returns whether an item is the symbol whose record is at that offset.
pub(super) fn is_symbol(item: &Item, view: &MethodView, at: u32) -> bool {
    matches!(item, Item::Symbol(index) if view.records.get(*index).is_some_and(|symbol| symbol.at == at))
}
