use std::ops::ControlFlow;

use super::walk::Walk;
use super::{Header, Record, fast_path};
use crate::bytes::{Result, Slice};
use crate::formats::sequence_point::SequencePoint;

/// Calls `each` with the points of a blob until it breaks: the same as [`Points`](super::Points) yields.
#[inline]
pub fn each_point(
    blob: Slice<'_>,
    document: u32,
    each: &mut impl FnMut(Result<SequencePoint>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (mut walk, mut at) = match start(blob, document) {
        Ok(start) => start,
        Err(error) => return each(Err(error)),
    };
    while at < blob.data.len() {
        if let Some((numbers, next)) = fast_path::numbers(blob.data, at, walk.stage()) {
            let point = walk.point(&numbers, at as u32, (next - at) as u8);
            at = next;
            each(Ok(point))?;
            continue;
        }
        let (after, next, record) = any_record(walk, blob, at);
        (walk, at) = (after, next);
        match record {
            Ok(Record::Point(point)) => each(Ok(point))?,
            Ok(Record::Document(_)) => {}
            Err(error) => return each(Err(error)),
        }
    }
    ControlFlow::Continue(())
}

/// The state after the header of a blob, and the offset of the first record.
#[inline]
pub(super) fn start(blob: Slice<'_>, document: u32) -> Result<(Walk, usize)> {
    match blob.data {
        // A local signature of one byte, and a document in the row.
        [local_signature @ ..0x80, ..] if document != 0 => {
            Ok((Walk::new(Header { local_signature: *local_signature as u32, document }), 1))
        }
        // The same of two bytes: a module has more than 127 signatures sooner than not.
        [high @ 0x80..0xc0, low, ..] if document != 0 => {
            let local_signature = (*high as u32 & 0x3f) << 8 | *low as u32;
            Ok((Walk::new(Header { local_signature, document }), 2))
        }
        _ => after_header(blob, document),
    }
}

#[inline(never)]
fn after_header(blob: Slice<'_>, document: u32) -> Result<(Walk, usize)> {
    let mut cursor = blob.cursor();
    let header = Header::decode(&mut cursor, document)?;
    Ok((Walk::new(header), cursor.consumed() as usize))
}

/// Decodes the record at `at` of any encoding; returns the state after it, and the offset of the next record.
///
/// The state is passed by value, so that a loop can keep it in registers except for this call.
#[inline(never)]
pub(super) fn any_record(mut walk: Walk, blob: Slice<'_>, at: usize) -> (Walk, usize, Result<Record>) {
    let mut cursor = blob.cursor();
    let record = cursor.skip(at as u64).and_then(|()| walk.record(&mut cursor));
    (walk, cursor.consumed() as usize, record)
}
