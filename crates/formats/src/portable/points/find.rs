use super::Record;
use super::bulk::{any_record, offset_of, start};
use super::walk::Walk;
use crate::bytes::Slice;
use crate::points_around::PointsAround;
use crate::sequence_point::SequencePoint;

/// Walks the points of a blob to those around an IL offset. `document` is the one that the method's row names, 0 if none.
#[inline]
pub fn find(blob: Slice<'_>, document: u32, offset: u32) -> PointsAround {
    match start(blob, document) {
        Ok((walk, rest)) => find_from(walk, rest, blob, offset),
        Err(error) => {
            let mut found = PointsAround::default();
            found.error = Some(error);
            found
        }
    }
}

/// A point that was passed: what [`Walk::applied`] forms it from, besides the start of the last visible point.
#[derive(Clone, Copy)]
struct Passed {
    offset: u32,
    document: u32,
    lines: u32,
    columns: i32,
    /// Offset of its record in the blob, and its size.
    at: u32,
    len: u8,
}

/// Passes the points before `offset` without forming them: only those that cover it and the one after it are formed.
#[inline]
fn find_from<'b>(mut walk: Walk, mut rest: &'b [u8], blob: Slice<'b>, offset: u32) -> PointsAround {
    let (mut found, mut visible, mut hidden, mut number) = (PointsAround::default(), None, None, 0_u32);
    while !rest.is_empty() {
        // The last visible point begins where the state before this record says.
        let (before, at) = (walk, offset_of(rest, blob));
        let (lines, columns) = match walk.small(rest) {
            Some((numbers, after)) => {
                walk.apply(&numbers);
                rest = after;
                (numbers.lines, numbers.columns)
            }
            None => {
                let (after, next, record) = any_record(walk, blob, at);
                walk = after;
                rest = blob.data.get(next..).unwrap_or_default();
                match record {
                    Ok(Record::Point(point)) => extent(&point),
                    Ok(Record::Document(_)) => continue,
                    Err(error) => {
                        (walk, found.error) = (before, Some(error));
                        break;
                    }
                }
            }
        };
        let (is_hidden, len) = (lines == 0 && columns == 0, (offset_of(rest, blob) - at) as u8);
        if walk.offset > offset {
            found.end.get_or_insert(walk.offset);
            if is_hidden {
                continue;
            }
            found.next = Some(walk.applied((lines, columns), at as u32, len));
            walk = before;
            break;
        }
        number = number.saturating_add(1);
        let passed = Passed { offset: walk.offset, document: walk.document, lines, columns, at: at as u32, len };
        *(if is_hidden { &mut hidden } else { &mut visible }) = Some(passed);
    }
    found.number = number;
    let hidden = hidden.filter(|hidden: &Passed| visible.is_none_or(|visible: Passed| visible.at < hidden.at));
    let point = |passed: Passed| passed.point(walk);
    found.visible = visible.map(point);
    found.covering = hidden.map(point).or(found.visible);
    found
}

/// Lines and columns of a point as encoded: 0 and 0 of a hidden one.
fn extent(point: &SequencePoint) -> (u32, i32) {
    let lines = point.end_line.wrapping_sub(point.start_line);
    (lines, point.end_column.wrapping_sub(point.start_column).cast_signed())
}

impl Passed {
    /// The point, if it begins where `walk` is, or is hidden.
    #[inline]
    fn point(self, walk: Walk) -> SequencePoint {
        walk.back(self.offset, self.document).applied((self.lines, self.columns), self.at, self.len)
    }
}
