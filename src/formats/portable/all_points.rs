//! The points of all methods, in one pass over the table and the heap.

use std::ops::ControlFlow;

use super::PortablePdb;
use super::points::each_point;
use crate::bytes::Result;
use crate::formats::metadata::TableId;
use crate::formats::metadata::heaps::short_blob;
use crate::formats::sequence_point::SequencePoint;

impl PortablePdb {
    /// Calls `each` with the row of a method and one of its points, for all methods of this file in their order, until it
    /// breaks: with what [`PortablePdb::points`] returns for each of them. Allocates nothing.
    pub fn all_points(&self, mut each: impl FnMut(u32, Result<SequencePoint>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_delta() {
            return self.points_by_method(each);
        }
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let heap = self.metadata.heaps.blobs.slice();
        let cells = table.column(0).cells().zip(table.column(1).cells());
        for (row, (document, offset)) in (1..).zip(cells) {
            if offset == 0 {
                continue;
            }
            let blob = short_blob(heap, offset).map_or_else(|| self.metadata.heaps.blob(offset), Ok);
            match blob {
                Ok(blob) => each_point(blob, document, &mut |point| each(row, point))?,
                Err(error) => each(row, Err(self.metadata.blame_cell(error, table.id, row, 1)))?,
            }
        }
        ControlFlow::Continue(())
    }

    /// The same, one method after the other.
    fn points_by_method(&self, mut each: impl FnMut(u32, Result<SequencePoint>) -> ControlFlow<()>) -> ControlFlow<()> {
        for row in 1..=self.last_method() {
            match self.points(row) {
                Ok(points) => points.into_iter().flatten().try_for_each(|point| each(row, point))?,
                Err(error) => each(row, Err(error))?,
            }
        }
        ControlFlow::Continue(())
    }
}
