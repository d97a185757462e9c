//! Sequence points.

use super::{Codec, EncodeError, Encoded, items, number, put_signed, put_unsigned};
use crate::Steps;
use pdblens_formats::bytes::{Change, Cursor, Recording, Result, Slice, SpaceId};
use pdblens_formats::portable::points::{self, Record, Records};
use pdblens_formats::reason::Reason;
use pdblens_formats::sequence_point::{SequencePoint, Violation, signed};
use pdblens_session::text::safe::spaced_hex;

const PARAGRAPH: &str = "Portable PDB › Sequence Points Blob";

pub(super) const POINTS: Codec = Codec {
    name: "points",
    about: "sequence points of a method in one document: locals 2; IL_0000 19:5-19:6; IL_0001 hidden",
    paragraph: PARAGRAPH,
    example: ("02 00 00 01 13 05 01 00 00", "locals 2; IL_0000 19:5-19:6; IL_0001 hidden"),
    decode: |c| decode(c, 1),
    encode: |text| encode(text, HeaderParts::Locals),
};

pub(super) const POINTS_WITH_DOCUMENT: Codec = Codec {
    name: "points-documents",
    about: "sequence points of a method in several documents: document 3; IL_0000 1:1-1:9; document 4; IL_0005 2:1-2:4",
    paragraph: PARAGRAPH,
    example: ("00 03 00 00 08 01 01 00 04 05 00 03 02 00", "document 3; IL_0000 1:1-1:9; document 4; IL_0005 2:1-2:4"),
    decode: |c| decode(c, 0),
    encode: |text| encode(text, HeaderParts::LocalsAndDocument),
};

pub(super) const RECORDS: Codec = Codec {
    name: "records",
    about: "sequence points without the header of the blob: IL_0000 46:9-46:33; IL_0006 hidden",
    paragraph: PARAGRAPH,
    example: ("00 00 18 2e 09 06 00 00", "IL_0000 46:9-46:33; IL_0006 hidden"),
    decode: |c| {
        let (header, blob) = (points::Header { local_signature: 0, document: 1 }, c.rest());
        points::decode_records(c, header)?;
        Ok(text(Records::after(header, blob))?.join("; "))
    },
    encode: |text| encode(text, HeaderParts::None),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderParts {
    None,
    Locals,
    LocalsAndDocument,
}

/// Advice for bytes that are points once the first byte of the header is put before them.
pub(super) fn lacking_byte(bytes: &[u8]) -> Option<String> {
    let message =
        "as `records`, without the local signature of the header, the bytes decode: the blob may lack its first byte";
    whole(&[&[0], bytes].concat(), 1).then(|| message.to_owned())
}

/// Returns whether `blob` decodes to points that ascend and have places.
fn whole(blob: &[u8], document: u32) -> bool {
    let records = Records::new(Slice::new(blob, SpaceId(0), 0), document);
    records
        .is_ok_and(|mut records| records.all(|record| matches!(record, Ok(Record::Point(point)) if is_sound(&point))))
}

fn is_sound(point: &SequencePoint) -> bool {
    point.is_hidden() || (point.start_line, point.start_column) < (point.end_line, point.end_column)
}

fn decode(c: &mut Cursor<'_, Recording>, document: u32) -> Result<String> {
    let blob = c.rest();
    points::decode(c, document)?;
    let records = Records::new(blob, document)?;
    let header = records.header();
    let mut text = Vec::new();
    if header.local_signature > 0 {
        text.push(format!("locals {}", header.local_signature));
    }
    if document == 0 {
        text.push(format!("document {}", header.document));
    }
    text.extend(self::text(records)?);
    Ok(text.join("; "))
}

fn item(record: Record) -> String {
    match record {
        Record::Document(record) => format!("document {}", record.document),
        Record::Point(point) if point.is_hidden() => format!("IL_{:04x} hidden", point.offset),
        Record::Point(SequencePoint { offset, start_line, start_column, end_line, end_column, .. }) => {
            let [line, column, end_line, end_column] = [start_line, start_column, end_line, end_column].map(signed);
            format!("IL_{offset:04x} {line}:{column}-{end_line}:{end_column}")
        }
    }
}

fn text(records: Records<'_>) -> Result<Vec<String>> {
    records.map(|record| record.map(item)).collect()
}

const LINE_0: &str = "line 0 keeps the limits of the specification (0 to 0x1FFFFFFF), but lines are counted from 1, and no file has a line 0: \
                      is a byte missing before it, or the delta wrong?";

#[derive(Debug, Default)]
pub(super) struct Partial {
    pub complete: Vec<String>,
    /// Limits of the specification that they do not keep, in sentences that begin with the point.
    pub violations: Vec<Reason>,
    /// Remark on a number that keeps the limits, but that no compiler writes.
    pub remark: Option<String>,
}

/// Records up to an error, of the bytes of a kind; empty for kinds of anything else.
pub(super) fn partial(kind: &str, bytes: &[u8]) -> Partial {
    let blob = Slice::new(bytes, SpaceId(0), 0);
    let records = match kind {
        "points" => Records::new(blob, 1),
        "points-documents" => Records::new(blob, 0),
        "records" => Ok(Records::after(points::Header { local_signature: 0, document: 1 }, blob)),
        _ => return Partial::default(),
    };
    let mut found = Partial::default();
    for record in records.into_iter().flatten().map_while(Result::ok) {
        if let Record::Point(point) = record {
            let of = |violation: Violation| {
                Reason::new(violation.code(), format!("IL_{:04x}: {}", point.offset, violation.sentence()))
            };
            found.violations.extend(point.violations.iter().map(of));
            if !point.is_hidden() && point.start_line == 0 && found.remark.is_none() {
                found.remark = Some(format!("IL_{:04x}: {LINE_0}", point.offset));
            }
        }
        found.complete.push(item(record));
    }
    found
}

const LIMITS: [(&str, i64); 2] = [("start line", 0x1FFF_FFFF), ("start column", 0xFFFF)];

/// The first read after which line or column is none that a file has, and its usual cause: bytes from the middle of a blob.
pub(super) fn doubt(kind: &str, steps: &Steps) -> Option<String> {
    if !matches!(kind, "points" | "points-documents" | "records") {
        return None;
    }
    let is_wrong = |change: &Change| {
        let limit = LIMITS.iter().find(|(name, _)| *name == change.state.name);
        limit.is_some_and(|(_, most)| !(1..=*most).contains(&change.after))
    };
    let (step, change) =
        steps.reads().find_map(|step| Some((step, step.field.changes.iter().find(|change| is_wrong(change))?)))?;
    Some(format!(
        "after byte {:#x} ({}), read {}, {}, the {} is {}, which no file has. The bytes may begin in the middle of a blob: there each number \
         is a difference to a point before them, and read from the start it is taken for another one. `pdblens show FILE --at OFFSET` finds \
         the blob that a byte belongs to",
        step.field.span.start,
        spaced_hex(&step.bytes, 4),
        step.number,
        step.field.name,
        change.state.name,
        change.after,
    ))
}

/// Removes the document before the first document record: the row of the method names it, and the bytes do not.
pub(super) fn forget_document(steps: &mut Steps) {
    let mut changes = steps.list.iter_mut().flat_map(|step| &mut step.field.changes);
    if let Some(first) = changes.find(|change| change.state.name == "document") {
        first.before = None;
    }
}

/// State of the encoder: the bases of the next point.
#[derive(Default)]
struct EncoderState {
    points: u32,
    offset: u32,
    visible: Option<(i64, i64)>,
}

fn encode(text: &str, header: HeaderParts) -> Encoded {
    let mut items = items(text).peekable();
    let mut out = Vec::new();
    let locals = items.next_if(|item| item.starts_with("locals ")).map(|item| number(item[7..].trim())).transpose()?;
    if header != HeaderParts::None {
        put_unsigned(&mut out, locals.unwrap_or(0))?;
    }
    if header == HeaderParts::LocalsAndDocument {
        let missing = || EncodeError::new(text, "the first document is missing: `document 1; …`");
        let item = items.next().ok_or_else(missing)?;
        put_unsigned(&mut out, number(item.strip_prefix("document ").ok_or_else(missing)?.trim())?)?;
    }
    let mut state = EncoderState::default();
    for item in items {
        match item.strip_prefix("document ") {
            Some(_) if state.points == 0 => {
                return Err(EncodeError::new(item, "a document record can only follow a point"));
            }
            Some(row) => {
                out.push(0);
                put_unsigned(&mut out, number(row.trim())?)?;
            }
            None => put_point(&mut out, &mut state, item)?,
        }
    }
    Ok(out)
}

/// Appends the record of a point: `IL_0000 46:9-46:33` or `IL_0006 hidden`.
fn put_point(out: &mut Vec<u8>, state: &mut EncoderState, item: &str) -> Encoded<()> {
    let form = || EncodeError::new(item, "a point is expected, such as IL_0006 48:13-48:31 or IL_0006 hidden");
    let (offset, place) = item.split_once(char::is_whitespace).ok_or_else(form)?;
    let digits = offset.strip_prefix("IL_").ok_or_else(form)?;
    let offset = u32::from_str_radix(digits, 16).map_err(|_| form())?;
    let delta = offset.checked_sub(state.offset).filter(|delta| *delta > 0 || state.points == 0);
    let delta = delta.ok_or_else(|| EncodeError::new(item, "IL offsets must ascend"))?;
    put_unsigned(out, delta)?;
    state.points += 1;
    state.offset = offset;
    if place.trim() == "hidden" {
        out.extend([0, 0]);
        return Ok(());
    }
    let (start, end) = ends(place.trim()).ok_or_else(form)?;
    let pair = |text: &str| {
        let (line, column) = text.split_once(':').ok_or_else(form)?;
        Ok((i64::from(number::<i32>(line)?), i64::from(number::<i32>(column)?)))
    };
    let ((line, column), (end_line, end_column)) = (pair(start)?, pair(end)?);
    if (end_line, end_column) <= (line, column) {
        return Err(EncodeError::new(
            item,
            "the end must be after the start, because an empty point would read as hidden",
        ));
    }
    let unsigned = |number: i64| u32::try_from(number).map_err(|_| form());
    let signed = |number: i64| i32::try_from(number).map_err(|_| form());
    put_unsigned(out, unsigned(end_line.saturating_sub(line))?)?;
    if line == end_line {
        put_unsigned(out, unsigned(end_column.saturating_sub(column))?)?;
    } else {
        put_signed(out, signed(end_column.saturating_sub(column))?)?;
    }
    match state.visible.replace((line, column)) {
        None => {
            put_unsigned(out, unsigned(line)?)?;
            put_unsigned(out, unsigned(column)?)
        }
        Some((from_line, from_column)) => {
            put_signed(out, signed(line.saturating_sub(from_line))?)?;
            put_signed(out, signed(column.saturating_sub(from_column))?)
        }
    }
}

/// Start and end of `46:9-46:33`; a minus sign is part of a number.
fn ends(range: &str) -> Option<(&str, &str)> {
    let dash = |(at, c): &(usize, char)| {
        matches!(c, '-' | '–') && range.get(..*at).is_some_and(|start| start.ends_with(|c: char| c.is_ascii_digit()))
    };
    let (at, dash) = range.char_indices().find(dash)?;
    Some((range.get(..at)?, range.get(at + dash.len_utf8()..)?))
}
