use object::pe::DebugType;

use super::{KINDS, Payload};
use crate::bytes::{Cursor, Encoding, FieldDoc, Recorder, Recording, Result, Slice, fields};

fields! {
    /// Bytes of an undocumented format.
    DEBUG_DATA: "debug data";
    /// Zero bytes at the end of the payload that belong to no field.
    PAYLOAD_PADDING: "padding";
    /// Bytes of the payload that belong to no field, or to records that are not listed one by one.
    UNUSED: "rest";
    /// The path of the file when the image was built; debuggers look there first, and then beside the image.
    PATH: "path";
}

/// The decoder of the payload of one kind of debug entry.
pub(super) trait Decode {
    const RECORD: &'static FieldDoc;

    /// Reads what has a meaning; what is after it is read as padding or as a rest.
    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload>;
}

/// A kind of debug entry: its number, its name, and its decoder without and with notes.
pub(super) struct EntryKind {
    number: u32,
    pub name: &'static str,
    pub read: fn(&mut Cursor<'_>) -> Result<Payload>,
    pub note: fn(&mut Cursor<'_, Recording>) -> Result<Payload>,
}

pub(super) const fn kind<D: Decode>(number: DebugType, name: &'static str) -> EntryKind {
    EntryKind { number: number.0, name, read: whole::<D, ()>, note: whole::<D, Recording> }
}

/// The kind of that number, or that of unknown ones.
pub(super) fn of(number: u32) -> &'static EntryKind {
    const UNKNOWN: &EntryKind = &kind::<Raw>(DebugType(u32::MAX), "unknown");
    KINDS.iter().find(|kind| kind.number == number).unwrap_or(UNKNOWN)
}

pub(super) const fn names<const N: usize>(mut kinds: &[EntryKind]) -> [(u64, &'static str); N] {
    let mut names = [(0, ""); N];
    let mut rest: &mut [(u64, &str)] = &mut names;
    while let ([kind, behind @ ..], [name, rest_behind @ ..]) = (kinds, rest) {
        *name = (kind.number as u64, kind.name);
        (kinds, rest) = (behind, rest_behind);
    }
    names
}

fn whole<D: Decode, N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Payload> {
    cursor.group(D::RECORD, |c| {
        let payload = D::decode(c)?;
        let is_padding = c.remaining().iter().all(|byte| *byte == 0);
        c.left_over(if is_padding { &PAYLOAD_PADDING } else { &UNUSED })?;
        Ok(payload)
    })
}

pub(super) struct Raw;

impl Decode for Raw {
    const RECORD: &'static FieldDoc = &DEBUG_DATA;

    fn decode<N: Recorder>(_: &mut Cursor<'_, N>) -> Result<Payload> {
        Ok(Payload::Other)
    }
}

/// A path: up to the NUL that ends it, or to the end of the payload where none does.
pub(super) fn path<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<String> {
    let path = match c.remaining() {
        rest if rest.is_empty() || rest.contains(&0) => c.text_z(&PATH),
        _ => c.text(&PATH, c.left(), Encoding::Utf8),
    };
    path.map(Slice::lossy)
}

/// Reads a record of `size` bytes again and again, as often as there is one. Explaining stops after some thousand.
pub(super) fn repeat<N: Recorder>(
    c: &mut Cursor<'_, N>,
    size: u64,
    record: fn(&mut Cursor<'_, N>) -> Result<()>,
) -> Result<()> {
    const EXPLAINED: u64 = 10_000;
    let mut count = 0;
    while c.left() >= size && !(N::ENABLED && count == EXPLAINED) {
        record(c)?;
        count += 1;
    }
    Ok(())
}
