use super::Points;
use crate::bytes::Slice;
use crate::formats::points_around::PointsAround;

/// Walks the points of a blob to those around an IL offset. `document` is the one that the method's row names, 0 if none.
pub fn find(blob: Slice<'_>, document: u32, offset: u32) -> PointsAround {
    let mut found = PointsAround::default();
    let points = match Points::new(blob, document) {
        Ok(points) => points,
        Err(error) => {
            found.error = Some(error);
            return found;
        }
    };
    for point in points {
        let point = match point {
            Ok(point) => point,
            Err(error) => {
                found.error = Some(error);
                break;
            }
        };
        if found.see(offset, point).is_break() {
            break;
        }
    }
    found
}
