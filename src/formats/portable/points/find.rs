use super::bulk::{any_record, start};
use super::walk::Walk;
use super::{Record, fast_path};
use crate::bytes::Slice;
use crate::formats::points_around::PointsAround;
use crate::formats::sequence_point::SequencePoint;

/// Walks the points of a blob to those around an IL offset. `document` is the one that the method's row names, 0 if none.
pub fn find(blob: Slice<'_>, document: u32, offset: u32) -> PointsAround {
    match start(blob, document) {
        Ok((walk, at)) => find_from(walk, at, blob, offset),
        Err(error) => {
            let mut found = PointsAround::default();
            found.error = Some(error);
            found
        }
    }
}

/// A point that was passed: what [`Walk::applied`] forms it from.
#[derive(Clone, Copy)]
struct Passed {
    /// The state after it.
    walk: Walk,
    lines: u32,
    columns: i32,
    /// Offset of its record in the blob, and of the one after it.
    at: usize,
    next: usize,
}

/// Passes the points before `offset` without forming them: only those that cover it and the one after it are formed.
fn find_from(mut walk: Walk, mut next: usize, blob: Slice<'_>, offset: u32) -> PointsAround {
    let (mut found, mut visible, mut hidden, mut number) = (PointsAround::default(), None, None, 0);
    while next < blob.data.len() {
        let at = next;
        let (lines, columns) = match fast_path::numbers(blob.data, at, walk.stage()) {
            Some((numbers, after)) => {
                walk.apply(&numbers);
                next = after;
                (numbers.lines, numbers.columns)
            }
            None => {
                let (after, end, record) = any_record(walk, blob, at);
                (walk, next) = (after, end);
                match record {
                    Ok(Record::Point(point)) => extent(&point),
                    Ok(Record::Document(_)) => continue,
                    Err(error) => {
                        found.error = Some(error);
                        break;
                    }
                }
            }
        };
        let (passed, is_hidden) = (Passed { walk, lines, columns, at, next }, lines == 0 && columns == 0);
        if walk.offset() > offset {
            found.end.get_or_insert(walk.offset());
            if is_hidden {
                continue;
            }
            found.next = Some(passed.point());
            break;
        }
        number += 1;
        *(if is_hidden { &mut hidden } else { &mut visible }) = Some(passed);
    }
    found.number = number;
    let hidden = hidden.filter(|hidden: &Passed| visible.is_none_or(|visible: Passed| visible.at < hidden.at));
    found.visible = visible.map(Passed::point);
    found.covering = hidden.map(Passed::point).or(found.visible);
    found
}

/// Lines and columns of a point as encoded: 0 and 0 of a hidden one.
fn extent(point: &SequencePoint) -> (u32, i32) {
    let lines = point.end_line.wrapping_sub(point.start_line);
    (lines, point.end_column.wrapping_sub(point.start_column).cast_signed())
}

impl Passed {
    #[inline]
    fn point(self) -> SequencePoint {
        self.walk.applied((self.lines, self.columns), self.at as u32, (self.next - self.at) as u8)
    }
}
