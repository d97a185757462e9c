//! Bytes of a Windows PDB: of its pages, and of the streams that are made of them.

use super::Search;
use crate::bytes::{Slice, Span};
use crate::formats::codeview::c13::{self, LinesHeader, SUBSECTION_HEADER};
use crate::formats::codeview::symbols::kind;
use crate::formats::managed::symbols::ManagedSymbol;
use crate::formats::metadata::{TableId, Token};
use crate::formats::pdb::StreamKind;
use crate::nodes;
use crate::nodes::Place;
use crate::nodes::msf;
use crate::nodes::stream::{Part, PartKind, PdbView, records_index};

/// In modules with more records than this no method is looked for that a stretch of lines belongs to.
const MAX_PARTS: usize = 1 << 14;

impl Search<'_> {
    pub(crate) fn in_msf(&mut self) {
        let Some(view) = PdbView::of(self.session) else { return };
        let msf = &view.pdb.msf;
        if self.byte.space == msf.file {
            self.in_page(&view);
        }
        let space = self.byte.space;
        let whole = Span::new(space, 0, self.session.spaces().get(space).map_or(0, crate::bytes::Space::len));
        if let Some(stream) = msf.stream_of(space) {
            self.in_stream(&view, stream, whole);
        } else if space == msf.directory && space != msf.file {
            self.add(Place::Directory, whole);
        } else if space != msf.file {
            // A page list or a free page map: its page.
            self.byte = self.session.spaces().resolve(self.byte).first().map_or(self.byte, |piece| piece.span);
            self.in_page(&view);
        }
    }

    /// The page, and the byte of the stream that is there.
    fn in_page(&mut self, view: &PdbView<'_>) {
        let msf = &view.pdb.msf;
        let page_size = u64::from(msf.page_size());
        let Some(page) = self.byte.start.checked_div(page_size).and_then(|page| u32::try_from(page).ok()) else {
            return;
        };
        let len = self.session.spaces().get(msf.file).map_or(0, crate::bytes::Space::len);
        let start = u64::from(page) * page_size;
        if page == 0 {
            self.add(Place::Header, nodes::bytes(self.session, Place::Header).unwrap_or_default());
        }
        let known = self.has_index(msf::pages_index());
        let byte = known.then(|| msf.place_of(view.spaces, self.byte.start)).flatten();
        let of_stream = byte.filter(|byte| byte.space == msf.directory || msf.stream_of(byte.space).is_some());
        match of_stream {
            Some(byte) => self.byte = byte,
            None => self.add(Place::Page(page), Span::new(msf.file, start, page_size.min(len.saturating_sub(start)))),
        }
    }

    fn in_stream(&mut self, view: &PdbView<'_>, stream: u32, whole: Span) {
        if !self.has_index(records_index(stream)) {
            return self.add(Place::Stream(stream), whole);
        }
        let at = u32::try_from(self.byte.start).unwrap_or(u32::MAX);
        let Some(part) = view.part_with(stream, at) else { return self.add(Place::Stream(stream), whole) };
        let span = part.span(whole);
        self.add(Place::Record(stream, part.at), span);
        let StreamKind::Module(module) = view.pdb.kind_of(stream) else { return };
        if view.native.is_some() {
            return match part.kind {
                PartKind::Symbol(_) => self.in_symbols(module, stream, part, span),
                PartKind::Subsection(c13::LINES) => self.in_lines(module, part, span),
                _ => {}
            };
        }
        let Ok(bytes) = view.spaces.read(span) else { return };
        let slice = Slice::new(&bytes, span.space, span.start);
        match part.kind {
            PartKind::Symbol(kind::METHOD | kind::LOCAL_METHOD) => {
                if let Some((_, token)) = procedure(slice) {
                    self.add(Place::Method(token), span);
                }
            }
            PartKind::Subsection(c13::LINES) => {
                if let Some(method) = method_of_lines(view, stream, whole, slice) {
                    self.in_points_of(method);
                }
            }
            _ => {}
        }
    }
}

/// Segment and offset of a procedure's code, and the token of its method.
fn procedure(record: Slice<'_>) -> Option<((u16, u32), Token)> {
    match ManagedSymbol::decode(&mut record.cursor()) {
        Ok(ManagedSymbol::Procedure(found)) => {
            let token = Token(found.token.value);
            let known = token.table() == TableId::METHOD_DEF && !token.is_nil();
            known.then_some(((found.section, found.offset), token))
        }
        _ => None,
    }
}

/// The method that lines are of: the one of the module whose IL is where they say.
fn method_of_lines(view: &PdbView<'_>, stream: u32, whole: Span, lines: Slice<'_>) -> Option<Token> {
    let header = LinesHeader::decode(&mut lines.rest(SUBSECTION_HEADER).cursor()).ok()?;
    let parts = view.parts(stream);
    let methods = parts
        .iter()
        .take(MAX_PARTS)
        .filter(|part| matches!(part.kind, PartKind::Symbol(kind::METHOD | kind::LOCAL_METHOD)));
    let read = |part: &Part| {
        let span = part.span(whole);
        let bytes = view.spaces.read(span).ok()?;
        procedure(Slice::new(&bytes, span.space, span.start))
    };
    let found = methods.filter_map(read).find(|(at, _)| *at == (header.section, header.offset));
    found.map(|(_, token)| token)
}
