use std::ops::ControlFlow;

use super::walk::Walk;
use super::{Header, Record};
use crate::bytes::{Result, Slice};
use crate::sequence_point::SequencePoint;

/// Calls `each` with the points of a blob until it breaks: the same as [`Points`](super::Points) yields. An error in place of the blob is
/// passed on.
#[inline]
pub fn each_point(
    blob: Result<Slice<'_>>,
    document: u32,
    each: &mut impl FnMut(Result<SequencePoint>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let none = (Walk::new(Header { local_signature: 0, document }), Slice::default(), &[][..]);
    let started = blob.and_then(|blob| start(blob, document).map(|(walk, rest)| (walk, blob, rest)));
    let (mut failed, (mut walk, blob, mut rest)) = match started {
        Ok(started) => (None, started),
        Err(error) => (Some(error), none),
    };
    // A single call of `each`, for points and errors alike, is what makes it a part of this loop.
    loop {
        let point = match walk.small(rest) {
            Some((numbers, after)) => {
                let (at, len) = (offset_of(rest, blob), (rest.len() - after.len()) as u8);
                rest = after;
                Ok(walk.point(&numbers, at as u32, len))
            }
            None if rest.is_empty() => match failed.take() {
                Some(error) => Err(error),
                None => return ControlFlow::Continue(()),
            },
            None => {
                let (after, next, record) = any_record(walk, blob, offset_of(rest, blob));
                walk = after;
                rest = if record.is_ok() { blob.data.get(next..).unwrap_or_default() } else { &[] };
                match record {
                    Ok(Record::Point(point)) => Ok(point),
                    Ok(Record::Document(_)) => continue,
                    Err(error) => Err(error),
                }
            }
        };
        each(point)?;
    }
}

/// Offset of the bytes that are left of a blob.
#[inline]
pub(super) const fn offset_of(rest: &[u8], blob: Slice<'_>) -> usize {
    blob.data.len().wrapping_sub(rest.len())
}

/// The state after the header of a blob, and the bytes from the first record on.
#[inline]
pub(super) fn start(blob: Slice<'_>, document: u32) -> Result<(Walk, &[u8])> {
    let (local_signature, rest) = match blob.data {
        // A local signature of one byte, and a document in the row.
        [local_signature @ ..0x80, rest @ ..] if document != 0 => (*local_signature as u32, rest),
        // The same of two bytes: a module has more than 127 signatures sooner than not.
        [high @ 0x80..0xc0, low, rest @ ..] if document != 0 => ((*high as u32 & 0x3f) << 8 | *low as u32, rest),
        _ => return after_header(blob, document),
    };
    Ok((Walk::new(Header { local_signature, document }), rest))
}

#[inline(never)]
fn after_header(blob: Slice<'_>, document: u32) -> Result<(Walk, &[u8])> {
    let mut cursor = blob.cursor();
    let header = Header::decode(&mut cursor, document)?;
    Ok((Walk::new(header), cursor.rest().data))
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
