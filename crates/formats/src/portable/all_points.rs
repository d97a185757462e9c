//! The points of all methods, in one pass over the table and the heap.

use std::ops::ControlFlow;

use super::PortablePdb;
use super::points::each_point;
use crate::bytes::{Error, ErrorKind, Result, Slice, count_work};
use crate::metadata::heaps::short_blob;
use crate::metadata::{TableId, Token};
use crate::sequence_point::SequencePoint;

impl PortablePdb {
    /// Calls `each` with the row of a method and one of its points, for all methods of this file in their order, until it
    /// breaks: with what [`PortablePdb::points`] returns for each of them. Allocates nothing.
    pub fn all_points(&self, mut each: impl FnMut(u32, Result<SequencePoint>) -> ControlFlow<()>) -> ControlFlow<()> {
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let heap = self.metadata.heaps.blobs.slice();
        let mut cells = table.column(0).cells().zip(table.column(1).cells());
        let (is_delta, last) = (self.is_delta(), self.last_method());
        let work = self.budget.work();
        for row in 1..=last {
            if !work.goes_on("points of all methods", || Token::new(TableId::METHOD_DEF, row).to_string()) {
                let (count, max) = (last.saturating_sub(row).saturating_add(1).into(), row.saturating_sub(1).into());
                let kind = ErrorKind::LeftOut { what: "methods with points", count, max };
                return each(row, Err(Error::new(kind, self.metadata.root.span)));
            }
            // A delta has rows of some methods only.
            let (document, blob) = if is_delta {
                match self.points_blob(row) {
                    Ok(None) => continue,
                    Ok(Some((document, blob))) => (document, Ok(blob)),
                    Err(error) => (0, Err(error)),
                }
            } else {
                match cells.next() {
                    None => break,
                    Some((_, 0)) => continue,
                    Some((document, offset)) => (document, self.blob_of(heap, row, offset)),
                }
            };
            each_point(blob, document, &mut |point| each(row, point))?;
        }
        ControlFlow::Continue(())
    }

    /// The blob at `offset` of the heap, which is that of a method.
    #[inline]
    fn blob_of<'b>(&'b self, heap: Slice<'b>, row: u32, offset: u32) -> Result<Slice<'b>> {
        let blob = short_blob(heap, offset).map_or_else(|| self.metadata.heaps.blob(offset), Ok);
        count_work(blob.as_ref().map_or(0, |blob| blob.len()));
        blob.map_err(|error| self.metadata.blame_cell(error, TableId::METHOD_DEBUG_INFORMATION, row, 1))
    }
}
