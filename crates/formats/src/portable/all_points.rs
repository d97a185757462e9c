//! The points of all methods, in one pass over the table and the heap.

use std::mem;
use std::ops::ControlFlow;

use super::PortablePdb;
use super::points::each_point;
use crate::bytes::{Error, ErrorKind, Result, Slice, count_work};
use crate::metadata::heaps::short_blob;
use crate::metadata::{TableId, Token};
use crate::sequence_point::SequencePoint;

/// Bytes of blobs between two looks at the limit of work: a look at every method is a sixth of the time.
const WORK_STEP: u64 = 4096;

impl PortablePdb {
    /// Calls `each` with the row of a method and one of its points, for all methods of this file in their order, until it
    /// breaks: with what [`PortablePdb::points`] returns for each of them. Allocates nothing.
    pub fn all_points(&self, mut each: impl FnMut(u32, Result<SequencePoint>) -> ControlFlow<()>) -> ControlFlow<()> {
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let heap = self.metadata.heaps.blobs.slice();
        let mut cells = table.column(0).cells().zip(table.column(1).cells());
        let (is_delta, last) = (self.is_delta(), self.last_method());
        let work = self.budget.work();
        // Bytes of blobs since the limit was asked.
        let (mut decoded, mut goes_on) = (0_u64, true);
        for row in 1..=last {
            // A delta has rows of some methods only.
            let (document, blob) = if !goes_on {
                (0, Err(self.left_out(row)))
            } else if is_delta {
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
            decoded += blob.as_ref().map_or(0, |blob| blob.len());
            // A single call, so that `each` is a part of the loop over the points.
            each_point(blob, document, &mut |point| each(row, point))?;
            if !goes_on {
                break;
            }
            if decoded >= WORK_STEP && row < last {
                count_work(mem::take(&mut decoded));
                let next = || Token::new(TableId::METHOD_DEF, row.saturating_add(1)).to_string();
                goes_on = work.goes_on("points of all methods", next);
            }
        }
        count_work(decoded);
        ControlFlow::Continue(())
    }

    /// Error that ends a list of points before those of a method.
    #[cold]
    fn left_out(&self, row: u32) -> Error {
        let (count, max) =
            (self.last_method().saturating_sub(row).saturating_add(1).into(), row.saturating_sub(1).into());
        Error::new(ErrorKind::LeftOut { what: "methods with points", count, max }, self.metadata.root.span)
    }

    /// The blob at `offset` of the heap, which is that of a method.
    #[inline]
    fn blob_of<'b>(&'b self, heap: Slice<'b>, row: u32, offset: u32) -> Result<Slice<'b>> {
        let blob = short_blob(heap, offset).map_or_else(|| self.metadata.heaps.blob(offset), Ok);
        blob.map_err(|error| self.metadata.blame_cell(error, TableId::METHOD_DEBUG_INFORMATION, row, 1))
    }
}
