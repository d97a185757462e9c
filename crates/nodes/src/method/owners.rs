//! Methods that own a byte: by their rows, their records, their points and their bodies.

use super::{body, instruction_spans};
use crate::heap::refs;
use crate::owner::{FindOwners, OwnerSearch, Turn};
use crate::pe::layout::{body_before, layout_index};
use crate::place::{MethodPart, Place, Side};
use crate::stream::{PartKind, PdbView, StreamPart};
use pdblens_formats::bytes::{Slice, Span};
use pdblens_formats::codeview::c13::{self, LinesHeader, SUBSECTION_HEADER};
use pdblens_formats::codeview::symbols::kind;
use pdblens_formats::managed::symbols::ManagedSymbol;
use pdblens_formats::metadata::{Heap, TableId, Token};
use pdblens_formats::pdb::StreamKind;

/// Column of `MethodDebugInformation` that leads to the points.
const POINTS: usize = 1;

/// In modules with more records than this no method is looked for that a stretch of lines belongs to.
const MAX_PARTS: usize = 1 << 14;

/// The number of methods above which bodies are found by an index, and not by a look at each.
const MAX_SCANNED: u32 = 200_000;

pub(super) const METHOD: &[FindOwners] = &[(Turn::Aliases, of_records)];

pub(super) const PARTS: &[FindOwners] = &[(Turn::Aliases, of_points), (Turn::MethodBodies, of_bodies)];

fn of_records(search: &mut OwnerSearch<'_>) {
    for owner in search.owners.clone() {
        let method = match owner.place {
            Place::Row(Side::Pdb, TableId::METHOD_DEBUG_INFORMATION, row) => method_of_row(search, row),
            Place::Row(Side::Image, TableId::METHOD_DEF, row) => Some(Token::new(TableId::METHOD_DEF, row)),
            Place::Record(stream, at) => method_of_record(search, stream, at, owner.span),
            _ => None,
        };
        if let Some(method) = method {
            search.add(Place::Method(method), owner.span);
        }
    }
}

fn method_of_row(search: &OwnerSearch<'_>, row: u32) -> Option<Token> {
    let row = search.session.portable_pdb().map_or(row, |pdb| pdb.method_of_row(row));
    Some(Token::new(TableId::METHOD_DEF, row)).filter(|method| !method.is_nil())
}

/// The records of a stream of symbols of a managed module.
fn managed_module<'s>(search: &OwnerSearch<'s>, stream: u32) -> Option<PdbView<'s>> {
    let view = PdbView::of(search.session).filter(|view| view.native.is_none())?;
    matches!(view.pdb.kind_of(stream), StreamKind::Module(_)).then_some(view)
}

fn method_of_record(search: &OwnerSearch<'_>, stream: u32, at: u32, span: Span) -> Option<Token> {
    let view = managed_module(search, stream)?;
    let part = view.part(stream, at)?;
    if !matches!(part.kind, PartKind::Symbol(kind::METHOD | kind::LOCAL_METHOD)) {
        return None;
    }
    let bytes = view.spaces.read(span).ok()?;
    procedure(&view, Slice::new(&bytes, span.space, span.start)).map(|(_, token)| token)
}

/// Points, by what they are stored in: a blob, a subsection of lines.
fn of_points(search: &mut OwnerSearch<'_>) {
    for owner in search.owners.clone() {
        let method = match owner.place {
            Place::HeapEntry(Side::Pdb, Heap::Blobs, entry) => method_of_blob(search, entry),
            Place::Record(stream, at) => method_of_lines(search, stream, at, owner.span),
            _ => None,
        };
        if let Some(method) = method {
            add_points(search, method);
        }
    }
}

/// Adds the point of a method that has the byte, and all of its points.
pub(crate) fn add_points(search: &mut OwnerSearch<'_>, method: Token) {
    let Some(file) = search.session.symbol_file() else { return };
    let Ok(known) = file.reader().method(method) else { return };
    let Some(blob) = known.points.filter(|blob| blob.covers(search.byte)) else { return };
    if let Some((number, span)) = file.content.point_with(method, blob, search.byte) {
        search.add(Place::MethodPart(method, MethodPart::Point(number)), span);
    }
    search.add(Place::MethodPart(method, MethodPart::Points), blob);
}

fn method_of_blob(search: &mut OwnerSearch<'_>, entry: u32) -> Option<Token> {
    if !search.has_index(refs::refs_index(Side::Pdb, Heap::Blobs)) {
        return None;
    }
    let users = refs::of_entry(search.session, Side::Pdb, Heap::Blobs, entry);
    let of_points =
        || users.iter().filter(|user| user.table() == TableId::METHOD_DEBUG_INFORMATION && user.column() == POINTS);
    let near = search.near.filter(|near| of_points().any(|user| method_of_row(search, user.row()) == Some(*near)));
    near.or_else(|| of_points().next().and_then(|user| method_of_row(search, user.row())))
}

/// The method that lines are of: the one of the module whose IL is where they say.
fn method_of_lines(search: &OwnerSearch<'_>, stream: u32, at: u32, span: Span) -> Option<Token> {
    let view = managed_module(search, stream)?;
    view.part(stream, at).filter(|part| part.kind == PartKind::Subsection(c13::LINES))?;
    let bytes = view.spaces.read(span).ok()?;
    let lines = Slice::new(&bytes, span.space, span.start);
    let header = LinesHeader::decode(&mut lines.rest(SUBSECTION_HEADER).cursor()).ok()?;
    let (parts, whole) = (view.parts(stream), view.span(stream)?);
    let methods = parts
        .iter()
        .take(MAX_PARTS)
        .filter(|part| matches!(part.kind, PartKind::Symbol(kind::METHOD | kind::LOCAL_METHOD)));
    let read = |part: &StreamPart| {
        let span = part.span(whole);
        let bytes = view.spaces.read(span).ok()?;
        procedure(&view, Slice::new(&bytes, span.space, span.start))
    };
    let found = methods.filter_map(read).find(|(at, _)| *at == (header.section, header.offset));
    found.map(|(_, token)| token)
}

/// Segment and offset of a procedure's code, and the token of its method in the image.
fn procedure(view: &PdbView<'_>, record: Slice<'_>) -> Option<((u16, u32), Token)> {
    match ManagedSymbol::decode(&mut record.cursor()) {
        Ok(ManagedSymbol::Procedure(found)) => {
            let token = Token(view.pdb.image_token(view.spaces, found.token));
            let known = token.table() == TableId::METHOD_DEF && !token.is_nil();
            known.then_some(((found.section, found.offset), token))
        }
        _ => None,
    }
}

/// The body that has the byte, and the instruction or the exception clause in it.
fn of_bodies(search: &mut OwnerSearch<'_>) {
    if !search.is_in_image() {
        return;
    }
    let (session, at) = (search.session, search.byte.start);
    if session.methods() > MAX_SCANNED && !search.has_index(layout_index()) {
        return;
    }
    let Some(sharing) = body_before(session, at) else { return };
    let near = search.near.filter(|near| sharing.contains(&near.row()));
    let Some(method) = near.or_else(|| sharing.first().map(|row| Token::new(TableId::METHOD_DEF, *row))) else {
        return;
    };
    let Ok(Some(body)) = body(session, method) else { return };
    if !body.span.covers(search.byte) {
        return;
    }
    if body.code.covers(search.byte) {
        for (offset, span) in instruction_spans(session, &body).skip_while(|(_, span)| span.end() <= at).take(1) {
            search.add(Place::MethodPart(method, MethodPart::Instruction(offset)), span);
        }
    }
    for (number, region) in body.regions.iter().enumerate() {
        search.add(Place::MethodPart(method, MethodPart::Region(number as u32)), region.span);
    }
    search.add(Place::MethodPart(method, MethodPart::Body), body.span);
}
