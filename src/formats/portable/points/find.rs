use std::ops::ControlFlow;

use super::each_point;
use crate::bytes::Slice;
use crate::formats::points_around::PointsAround;

/// Walks the points of a blob to those around an IL offset. `document` is the one that the method's row names, 0 if none.
pub fn find(blob: Slice<'_>, document: u32, offset: u32) -> PointsAround {
    let mut found = PointsAround::default();
    let _ = each_point(blob, blob.data, document, &mut |point| match point {
        Ok(point) => found.see(offset, point),
        Err(error) => {
            found.error = Some(error);
            ControlFlow::Break(())
        }
    });
    found
}
