use super::bulk::{any_record, start};
use super::walk::Walk;
use super::{Record, fast_path};
use crate::bytes::{Result, Slice};
use crate::formats::points_around::PointsAround;
use crate::formats::sequence_point::SequencePoint;

/// Walks the points of a blob to those around an IL offset. `document` is the one that the method's row names, 0 if none.
pub fn find(blob: Slice<'_>, document: u32, offset: u32) -> PointsAround {
    match start(blob, document) {
        Ok((walk, at)) => find_from(Mark { walk, at }, blob, offset),
        Err(error) => {
            let mut found = PointsAround::default();
            found.error = Some(error);
            found
        }
    }
}

/// A record: its offset in the blob, and the state before it.
#[derive(Clone, Copy)]
struct Mark {
    walk: Walk,
    at: usize,
}

/// Passes the points before `offset` without forming them: only those that cover it and the one after it are formed.
fn find_from(mut next: Mark, blob: Slice<'_>, offset: u32) -> PointsAround {
    let (mut found, mut visible, mut hidden) = (PointsAround::default(), None, None);
    while next.at < blob.data.len() {
        let mark = next;
        let is_hidden = match fast_path::numbers(blob.data, mark.at, mark.walk.stage()) {
            Some((numbers, after)) => {
                next.walk.apply(&numbers);
                next.at = after;
                numbers.is_hidden()
            }
            None => match passed(&mut next, blob) {
                Ok(Record::Point(point)) => point.is_hidden(),
                Ok(Record::Document(_)) => continue,
                Err(error) => {
                    found.error = Some(error);
                    break;
                }
            },
        };
        if next.walk.offset() > offset {
            found.end.get_or_insert(next.walk.offset());
            if is_hidden {
                continue;
            }
            found.next = mark.point(blob);
            break;
        }
        found.number += 1;
        *(if is_hidden { &mut hidden } else { &mut visible }) = Some(mark);
    }
    let hidden = hidden.filter(|hidden: &Mark| visible.is_none_or(|visible: Mark| visible.at < hidden.at));
    found.visible = visible.and_then(|mark| mark.point(blob));
    found.covering = match hidden {
        Some(mark) => mark.point(blob),
        None => found.visible,
    };
    found
}

/// Decodes the record at `next`, which then is the one after it.
fn passed(next: &mut Mark, blob: Slice<'_>) -> Result<Record> {
    let (walk, at, record) = any_record(next.walk, blob, next.at);
    *next = Mark { walk, at };
    record
}

impl Mark {
    /// The point of this record.
    fn point(mut self, blob: Slice<'_>) -> Option<SequencePoint> {
        if let Some((numbers, next)) = fast_path::numbers(blob.data, self.at, self.walk.stage()) {
            return Some(self.walk.point(&numbers, self.at as u32, (next - self.at) as u8));
        }
        match passed(&mut self, blob) {
            Ok(Record::Point(point)) => Some(point),
            Ok(Record::Document(_)) | Err(_) => None,
        }
    }
}
