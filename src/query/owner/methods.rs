//! Bytes of what symbols say of a method: its points.

use super::Search;
use crate::formats::metadata::Token;
use crate::nodes::MethodPart;
use crate::nodes::Place;

impl Search<'_> {
    /// The point of a method that has the byte, and all of its points.
    pub(crate) fn in_points_of(&mut self, method: Token) {
        let Some(file) = self.session.symbol_file() else { return };
        let Ok(known) = file.reader().method(method) else { return };
        let Some(blob) = known.points.filter(|blob| blob.covers(self.byte)) else { return };
        if let Some((number, span)) = file.content.point_with(method, blob, self.byte) {
            self.add(Place::MethodPart(method, MethodPart::Point(number)), span);
        }
        self.add(Place::MethodPart(method, MethodPart::Points), blob);
    }
}
