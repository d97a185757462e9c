//! The head rows of the list: points of a method or lines of a native function, beside the bytes that encode them.

use std::sync::{Arc, Mutex, PoisonError};

use super::listing::Listing;
use crate::panes::pane::Context;
use crate::ui::theme::{Role, is_reversed, opaque};
use pdblens_formats::bytes::Span;
use pdblens_nodes::function::{NEVER_STEP_INTO, line_kind};
use pdblens_nodes::method::{self, MethodView, range_text};
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_nodes::{self as nodes, FunctionPart, MethodPart, Place, SequencePoint, document};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::spaced_hex;
use ratatui::style::Style;

/// The span of an encoded point, and its first 32 bytes.
fn blob(session: &Session, view: &MethodView, index: usize) -> Option<(Span, Vec<u8>)> {
    let span = method::point_span(view, view.points.get(index)?)?;
    let bytes = session.spaces().read(Span { len: span.len.min(32), ..span }).ok()?;
    Some((span, bytes.into_owned()))
}

/// Width from which lines have their addresses and kinds.
const WITH_ADDRESSES: u16 = 76;

/// Number of columns of a native function in a pane of a width.
pub(super) const fn native_columns(width: u16) -> usize {
    if width < WITH_ADDRESSES { 4 } else { 6 }
}

/// The row of a point; of a native function with the address and the kind of its record, where the pane has room.
pub(super) fn row(session: &Session, view: &MethodView, listing: &Listing, (index, width): (usize, u16)) -> Row {
    let Some(point) = view.points.get(index) else { return Row::default() };
    let native = view.of.is_native();
    let tone = if point.is_hidden() { Tone::Dim } else { Tone::Text };
    let (span, bytes) = blob(session, view, index).unzip();
    let kind = if native { line_kind(bytes.as_deref().unwrap_or_default()) } else { "" };
    // Two line numbers mean "no line": a debugger treats them differently.
    let source = if kind == NEVER_STEP_INTO { "never step into".to_owned() } else { range_text(point) };
    // The document is named where it differs from the first one, where the record leaves room.
    let other = !point.is_hidden() && listing.document != Some(point.document);
    let document = if other { document::name(session, point.document).unwrap_or_default() } else { String::new() };
    let source = Cell::toned(source, tone);
    let offset = Cell::toned(view.of.label(point.offset.into()), tone);
    let bytes = Cell::toned(bytes.map_or(String::new(), |bytes| spaced_hex(&bytes, 12)), Tone::Dim)
        .beside(remark(point, native, &document));
    let cells = if native {
        let wide = view.points.len().max(1).ilog10() as usize + 1;
        let number = format!("{} {:>wide$}", " ".repeat(listing.native.arrows.width()), index + 1);
        let rva = view.of.address().wrapping_add(point.offset);
        let address = [Cell::toned(format!("{rva:#x}"), Tone::Dim), Cell::toned(kind, Tone::Dim)];
        let cells = [Cell::toned(number, Tone::Dim), offset, source, bytes].into_iter().chain(address);
        cells.take(native_columns(width)).collect()
    } else {
        // The signs of a fold and of a breakpoint, and the brackets, are drawn by the pane.
        let number = Cell::toned(format!(" {}  ", index + 1), Tone::Dim);
        vec![number, listing.lane(), offset, Cell::default(), source, bytes]
    };
    Row { span, ..Row::at(view.of.point(index as u32 + 1), cells) }
}

/// Detail beside the lines of a point: the name of a document, or what a debugger does at a hidden one.
fn remark<'d>(point: &SequencePoint, native: bool, document: &'d str) -> &'d str {
    if point.is_hidden() && !native { "the debugger steps over it" } else { file_name(document) }
}

/// The reason why no more points can be read, in the row after those that can.
pub(super) fn error_row(session: &Session, view: &MethodView) -> Row {
    let Some(error) = &view.points_error else { return Row::default() };
    let text = format!("no more points: {}", session.spaces().error_text(error));
    Row { place: Some(view.of.points()), span: Some(error.span), ..Row::plain(vec![Cell::toned(text, Tone::Bad)]) }
}

/// The point whose fields were asked for last, and where these are: all points of its method are decoded to know it, which no frame does.
#[derive(Debug, Default)]
struct LastPoint(Mutex<Option<(Place, Arc<[Span]>)>>);

fn leaves(session: &Session, point: Place) -> Option<Arc<[Span]>> {
    let mut last = session.cache().get::<LastPoint>().0.lock().unwrap_or_else(PoisonError::into_inner);
    if last.as_ref().is_none_or(|last| last.0 != point) {
        *last = Some((point, nodes::fields(session, point)?.leaves().map(|row| row.span).collect()));
    }
    last.as_ref().map(|last| Arc::clone(&last.1))
}

/// The bytes of the selected point that `text` has, in the colours of its fields.
pub(super) fn painted(
    index: usize,
    cx: &Context<'_>,
    (cell, text): (&Cell, &str),
    style: Style,
) -> Option<Vec<(String, Style)>> {
    if cx.selected.point != Some(index) {
        return None;
    }
    let view = cx.selected.method.as_deref()?;
    let (span, bytes) = blob(cx.session, view, index)?;
    // The context has the fields of the point only where that is selected.
    let fields: Vec<Span> = match cx.selected.selection.place {
        Place::MethodPart(_, MethodPart::Point(_)) | Place::FunctionPart(_, FunctionPart::Line(_)) => {
            cx.selected.field_colors().collect()
        }
        _ => leaves(cx.session, view.of.point(index as u32 + 1))?.to_vec(),
    };
    let colored = cx.look.theme.colors_on_cursor || !cx.look.focused;
    let part = |(at, byte): (usize, &u8)| {
        let field = fields.iter().position(|field| field.contains(span.start + at as u64));
        let hue = match field {
            Some(field) if colored => opaque(style.patch(cx.look.theme.field(field)).bold().not_dim()),
            _ => style,
        };
        [(format!("{byte:02x}"), hue), (" ".to_owned(), style)]
    };
    // A cut text ends with a sign, which takes the place of the bytes that are left out.
    let more = cx.look.glyphs.more;
    let shown = text.strip_suffix(more).unwrap_or(text);
    let mut parts: Vec<(String, Style)> = bytes.iter().enumerate().take((shown.len() + 1) / 3).flat_map(part).collect();
    if shown.len() < text.len() {
        parts.push((more.to_owned(), style));
    } else {
        parts.pop();
        let mute = if is_reversed(style) { style } else { style.patch(cx.look.theme.of(Role::Mute)) };
        parts.push((format!(" {}", cell.beside), mute));
    }
    Some(parts)
}
