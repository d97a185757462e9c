//! Bytes of a Mono symbol file: of its pieces, and of what nothing leads to.

use super::Search;
use crate::bytes::Span;
use crate::nodes::Place;
use crate::nodes::lazy_index::Survey;

impl Search<'_> {
    /// Whether the byte is of a Mono symbol file.
    pub(crate) fn in_mono(&mut self) -> bool {
        let file = self.session.symbols.as_ref().filter(|file| file.reader.mdb().is_some());
        if file.is_none_or(|file| file.space != self.byte.space) {
            return false;
        }
        if !self.can_ask(Survey::Pieces) {
            self.in_header();
            return true;
        }
        let piece = u32::try_from(self.byte.start).ok().and_then(|at| self.session.piece_with(at));
        if let Some(piece) = piece {
            let span = Span::new(self.byte.space, piece.at.into(), piece.len.into());
            self.add(piece.place(), span);
            match self.session.same_as(piece) {
                Some(Place::MethodPart(method, _)) => self.in_points_of(method),
                Some(place) => self.add(place, span),
                None => {}
            }
            return true;
        }
        let byte = self.byte;
        if let Some(gap) = self.session.mono_extents().into_iter().find(|extent| extent.span.covers(byte)) {
            self.add(Place::Bytes(gap.span), gap.span);
        }
        true
    }
}
