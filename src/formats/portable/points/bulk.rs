use std::ops::ControlFlow;

use super::walk::Walk;
use super::{Header, Record, fast_path};
use crate::bytes::{Result, Slice};
use crate::formats::sequence_point::SequencePoint;

/// Calls `each` with the points of a blob until it breaks: the same as [`Points`](super::Points) yields.
///
/// `ahead` has the bytes of the heap from the blob's first byte on. Records are decoded from words of 8 bytes, which may extend past the
/// end of the blob, so that its last records are decoded as fast as the others.
#[inline]
pub fn each_point(
    blob: Slice<'_>,
    ahead: &[u8],
    document: u32,
    each: &mut impl FnMut(Result<SequencePoint>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut cursor = blob.cursor();
    let header = match Header::decode(&mut cursor, document) {
        Ok(header) => header,
        Err(error) => return each(Err(error)),
    };
    let (mut walk, mut at, end) = (Walk::new(header), cursor.consumed() as usize, blob.data.len());
    while at < end {
        match fast_path::numbers(ahead.get(at..).unwrap_or_default(), walk.stage()) {
            Some((numbers, len)) if len as usize <= end - at => {
                let point = walk.point(&numbers, at as u32, len);
                at += len as usize;
                each(Ok(point))?;
            }
            _ => {
                let (after, next, record) = any_record(walk, blob, at as u64);
                (walk, at) = (after, next);
                match record {
                    Ok(Record::Point(point)) => each(Ok(point))?,
                    Ok(Record::Document(_)) => {}
                    Err(error) => return each(Err(error)),
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Decodes the record at `at` of any encoding; returns the state after it, and where the next record begins.
///
/// The state is passed by value, so that a loop can keep it in registers except for this call.
#[inline(never)]
fn any_record(mut walk: Walk, blob: Slice<'_>, at: u64) -> (Walk, usize, Result<Record>) {
    let mut cursor = blob.cursor();
    let record = cursor.skip(at).and_then(|()| walk.record(&mut cursor));
    (walk, cursor.consumed() as usize, record)
}
