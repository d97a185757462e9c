//! Bytes of a Mono symbol file: of its pieces, and of what nothing leads to.

use super::Search;
use crate::bytes::Span;
use crate::nodes::Place;
use crate::nodes::mdb;

impl Search<'_> {
    /// Returns whether the byte is in a Mono symbol file.
    pub(crate) fn in_mono(&mut self) -> bool {
        let file = self.session.symbol_file().filter(|file| file.content.mdb().is_some());
        if file.is_none_or(|file| file.space != self.byte.space) {
            return false;
        }
        if !self.has_index(mdb::layout::regions_index()) {
            self.in_header();
            return true;
        }
        let piece = u32::try_from(self.byte.start).ok().and_then(|at| mdb::mdb_region_with(self.session, at));
        if let Some(piece) = piece {
            let span = Span::new(self.byte.space, piece.at.into(), piece.len.into());
            self.add(piece.place(), span);
            match mdb::same_as(self.session, piece) {
                Some(Place::MethodPart(method, _)) => self.in_points_of(method),
                Some(place) => self.add(place, span),
                None => {}
            }
            return true;
        }
        let byte = self.byte;
        if let Some(gap) = mdb::file_regions(self.session).into_iter().find(|extent| extent.span.covers(byte)) {
            self.add(Place::Bytes(gap.span), gap.span);
        }
        true
    }
}
