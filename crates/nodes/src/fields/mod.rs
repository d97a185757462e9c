//! The fields of one record, each with its span, its value, and the meaning of the value.

mod meaning;

pub(crate) use meaning::hashed_stamp;
pub use meaning::{BitMeaning, BitRun, Meaning};

use crate::place::Place;
use std::borrow::Cow;

use pdblens_formats::bytes::{
    Change, Cursor, DECODED, Encoding, Error, Field, FieldDoc, MAX_FIELDS, ReadAs, Reads, Recording, Result, Show,
    Slice, Span, Value, count_work, fields, stored,
};
use pdblens_session::text::safe::{cut, hex, spaced_hex, utf8, utf16};

/// The fields of one record. Those without children tile its bytes.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    pub title: String,
    pub span: Span,
    /// Its fields, in the order of the bytes.
    pub rows: Vec<FieldRow>,
    /// Error that ended the decoding.
    pub error: Option<Error>,
    /// Field whose read failed with the error; `None` where a value that was read is refused.
    pub failed: Option<&'static FieldDoc>,
}

/// One field.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "field"))]
pub struct FieldRow {
    /// Name in the specification.
    pub name: String,
    /// Its bytes.
    pub span: Span,
    /// Number of groups around it.
    pub depth: u8,
    /// True for a group of the deeper fields that follow.
    pub group: bool,
    /// Value as read.
    pub value: String,
    /// Meaning of the value here: a name, a resolved offset, the words of flags.
    pub meaning: String,
    /// Purpose of the field, in one sentence.
    pub about: &'static str,
    /// Place that it leads to.
    pub to: Option<Place>,
    /// Form of the stored value.
    #[serde(skip)]
    pub read: ReadAs,
    /// Value, if it is a number.
    #[serde(skip)]
    pub number: Option<i64>,
    /// Notation of the number.
    #[serde(skip)]
    pub show: Option<Show>,
    /// Changes of the decoder's state, in their order.
    #[serde(skip)]
    pub changes: Vec<Change>,
    /// Meanings of single bits and groups of bits, where each has one of its own.
    #[serde(skip)]
    pub bits: Vec<BitMeaning>,
    /// Number as stored and its decoded value, where they differ: before and after a sign is applied, 1 is subtracted, or a base is
    /// added.
    #[serde(flatten, serialize_with = "stored_and_decoded_json")]
    #[cfg_attr(feature = "schema", schemars(flatten, with = "Option<StoredSchema>"))]
    pub stored: Option<(String, String)>,
}

/// Schema of [`FieldRow::stored`].
#[cfg(feature = "schema")]
#[allow(dead_code)]
#[derive(schemars::JsonSchema)]
#[schemars(inline)]
struct StoredSchema {
    /// Number as stored.
    stored: String,
    /// Decoded value of the stored number.
    decoded: String,
}

#[allow(clippy::ref_option, reason = "serde passes a reference")]
fn stored_and_decoded_json<S: serde::Serializer>(
    stored: &Option<(String, String)>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(stored.iter().flat_map(|(stored, decoded)| [("stored", stored), ("decoded", decoded)]))
}

impl FieldRow {
    /// True for a value that is computed from others: no bytes of its own are read.
    pub fn is_derived(&self) -> bool {
        !self.group && self.read == ReadAs::Unread
    }

    pub fn decoded_value(&self) -> &str {
        self.stored.as_ref().map_or(&self.value, |(_, decoded)| decoded)
    }

    /// The decoded value; with the stored number before it where a name beside it is that of the stored one.
    pub fn told_value(&self) -> Cow<'_, str> {
        match self.show {
            Some(Show::OneOf(_)) => self.stored_and_decoded(),
            _ => self.decoded_value().into(),
        }
    }

    /// The value; where the stored number is another one, both: `8 → 4`.
    pub fn stored_and_decoded(&self) -> Cow<'_, str> {
        match &self.stored {
            Some((stored, decoded)) => format!("{stored} → {decoded}").into(),
            None => self.value.as_str().into(),
        }
    }
}

/// Bytes of meaning that the fields of one record have together.
const MOST_TEXT: usize = 16 << 20;
/// Bytes that could be decoded in the time that it takes to present a field.
const WORK_OF_FIELD: u64 = 32;
/// Bytes of meaning that one field has.
const LONGEST_MEANING: usize = 4096;

fields! {
    /// Bytes after the fields that are listed: the list is cut there.
    NOT_SHOWN: "not shown";
    /// Bytes that the decoder left: they have no meaning here, or it stopped at an error.
    NOT_DECODED: "not decoded";
}

/// Runs `decode` over `slice` and records it: the fields it read, and why it stopped where it failed.
///
/// Bytes that the decoder left are a last field of their own, so that leaves always tile the slice.
pub fn recorded<'a>(
    slice: Slice<'a>,
    decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
) -> (Reads, Option<Error>) {
    let mut cursor = Cursor::recording(slice);
    let error = decode(&mut cursor).err();
    let (read, left) = (cursor.consumed(), cursor.left());
    let mut reads = cursor.steps();
    let fields = &mut reads.fields;
    let told = match fields.iter().rfind(|field| field.value != Value::Group) {
        Some(last) if fields.len() == MAX_FIELDS => last.span.end().saturating_sub(slice.start),
        _ => read,
    };
    for (doc, from, len) in [(&NOT_SHOWN, told, read.saturating_sub(told)), (&NOT_DECODED, read, left)] {
        if len > 0 {
            fields.push(Field {
                doc,
                span: slice.span().part(from, len),
                value: Value::Bytes,
                read: ReadAs::Bytes,
                depth: 0,
            });
        }
    }
    (reads, error)
}

impl Fields {
    /// Explains the record that `decode` reads from `slice`; `meaning` adds what a field means here, where its description cannot know.
    pub fn explain<'a>(
        title: impl Into<String>,
        slice: Slice<'a>,
        decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
        meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
    ) -> Self {
        let (reads, error) = recorded(slice, decode);
        Self::present(title, slice, &reads, error, meaning)
    }

    pub fn present(
        title: impl Into<String>,
        slice: Slice<'_>,
        reads: &Reads,
        error: Option<Error>,
        mut meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
    ) -> Self {
        Self {
            title: title.into(),
            span: slice.span(),
            rows: rows(reads, slice, &mut meaning),
            failed: if error.is_some() { reads.failed } else { None },
            error,
        }
    }

    /// Adds the fields of another record, which may lie elsewhere; of several errors the first stays.
    pub(crate) fn append(&mut self, other: Self) {
        self.rows.extend(other.rows);
        if self.error.is_none() {
            (self.error, self.failed) = (other.error, other.failed);
        }
        if self.span.is_empty() {
            self.span = other.span;
        }
    }

    /// Keeps what lies within `span`, a record of those that are explained here.
    pub fn narrow(&mut self, span: Span) {
        self.rows.retain(|row| span.covers(row.span) && !row.span.is_empty());
        self.rows.shrink_to_fit();
        let outermost = self.rows.iter().map(|row| row.depth).min().unwrap_or(0);
        for row in &mut self.rows {
            row.depth = row.depth.saturating_sub(outermost);
        }
        self.span = span;
    }

    /// The innermost field that has the first byte of `part`.
    pub fn at(&self, part: Span) -> Option<usize> {
        let byte = Span { len: part.len.min(1), ..part };
        self.rows.iter().rposition(|row| !row.group && !row.span.is_empty() && row.span.covers(byte))
    }

    pub fn leaves(&self) -> impl Iterator<Item = &FieldRow> {
        self.rows.iter().filter(|row| !row.group)
    }
}

fn rows(
    Reads { fields, changes, .. }: &Reads,
    slice: Slice<'_>,
    meaning: &mut dyn FnMut(&str, &Field) -> Option<Meaning>,
) -> Vec<FieldRow> {
    let mut changes = changes.iter().peekable();
    let mut groups: Vec<&'static str> = Vec::new();
    let mut rows = Vec::with_capacity(fields.len());
    let mut room = MOST_TEXT;
    count_work(WORK_OF_FIELD * fields.len() as u64);
    for (index, field) in fields.iter().enumerate() {
        let (mut own, mut decoded) = (Vec::new(), None);
        while let Some((_, change)) = changes.next_if(|(field, _)| *field <= index) {
            if change.state.name == DECODED.name {
                decoded = Some(change.state.show.number(change.after));
            } else {
                own.push(*change);
            }
        }
        groups.truncate(field.depth as usize);
        let record = groups.last().copied().unwrap_or_default();
        let group = field.value == Value::Group;
        // Nothing of something that may be missing: a hash, a source.
        if !group && field.span.is_empty() {
            continue;
        }
        let doc = field.doc;
        let show = doc.show;
        let found = if room > 0 { meaning(record, field) } else { None };
        let mut found = found.unwrap_or_else(|| Meaning::text(in_words(show, field.value)));
        // Rows can share a name that each of them spells out.
        count_work(found.text.len().saturating_sub(LONGEST_MEANING) as u64);
        cut(&mut found.text, LONGEST_MEANING);
        room = room.saturating_sub(found.text.len());
        if group {
            groups.push(field.name());
        }
        let shown = value(show, field, slice);
        let decoded = found.decoded.or(decoded);
        rows.push(FieldRow {
            stored: stored_and_decoded(field, slice, &shown, decoded),
            name: field.name().to_owned(),
            span: field.span,
            depth: field.depth,
            group,
            value: shown,
            meaning: found.text,
            about: doc.about,
            to: found.to,
            read: field.read,
            number: field.value.number(),
            show: Some(show),
            changes: own,
            bits: found.bits,
        });
    }
    rows
}

/// Number as stored and decoded value, where they differ.
fn stored_and_decoded(
    field: &Field,
    slice: Slice<'_>,
    value: &str,
    decoded: Option<String>,
) -> Option<(String, String)> {
    if let Some(decoded) = decoded {
        return (value != decoded).then(|| (value.to_owned(), decoded));
    }
    if field.read != ReadAs::CompressedSigned {
        return None;
    }
    let raw = stored::stored(field.read, slice.at(field.span).ok()?.data)?;
    (field.value.number() != Some(raw.cast_signed())).then(|| (raw.to_string(), value.to_owned()))
}

fn value(show: Show, field: &Field, slice: Slice<'_>) -> String {
    let bytes = slice.at(field.span).map_or(&[][..], |slice| slice.data);
    match field.value {
        Value::Group => String::new(),
        Value::Unsigned(n) if n > i64::MAX as u64 => format!("{n:#x}"),
        Value::Unsigned(n) => show.number(n.cast_signed()),
        Value::Signed(n) if n < 0 => n.to_string(),
        Value::Signed(n) => show.number(n),
        Value::Single(bits) => f32::from_bits(bits).to_string(),
        Value::Double(bits) => f64::from_bits(bits).to_string(),
        Value::Guid(guid) => guid.to_string(),
        Value::Text(Encoding::Utf8) => utf8(bytes).trim_end_matches('\0').to_owned(),
        Value::Text(Encoding::Utf8Z) => utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned(),
        Value::Text(Encoding::Utf16) => utf16(bytes),
        Value::Text(Encoding::Utf16Z) => utf16(bytes.strip_suffix(&[0, 0]).unwrap_or(bytes)),
        Value::Bytes if bytes.len() <= 32 => hex(bytes),
        Value::Bytes => spaced_hex(bytes, 16),
    }
}

/// Words for a number by its description alone.
fn in_words(show: Show, value: Value) -> String {
    let Some(number) = value.number() else {
        return match (show, value) {
            (Show::Guid, Value::Guid(guid)) => pdblens_session::text::guids::name(guid).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
    };
    match show {
        Show::OneOf(names) => names.iter().find(|(n, _)| *n == number as u64).map_or("", |(_, name)| name).to_owned(),
        Show::Flags(bits) => {
            let set = bits.iter().filter(|(bit, _)| *bit != 0 && number as u64 & bit == *bit).map(|(_, name)| *name);
            set.collect::<Vec<_>>().join(" | ")
        }
        Show::Parts(parts) => {
            let set = parts.iter().filter(|(mask, value, _)| number as u64 & mask == *value).map(|(_, _, name)| *name);
            set.collect::<Vec<_>>().join(" | ")
        }
        Show::Time => pdblens_session::text::time::stamp(number as u64),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{FieldDoc, SpaceId};

    const A: FieldDoc = FieldDoc::new("a", "");
    const B: FieldDoc = FieldDoc::new("b", "");
    const G: FieldDoc = FieldDoc::new("g", "");

    #[test]
    fn what_a_decoder_leaves_or_cannot_read_is_still_a_field() {
        let slice = Slice::new(&[1, 2, 3, 4, 5], SpaceId(0), 0x40);
        let fields = Fields::explain(
            "r",
            slice,
            |c| c.group(&G, |c| c.u16(&A).and_then(|_| c.u32(&B))).map(|_| ()),
            |_, _| None,
        );
        let seen: Vec<_> = fields.rows.iter().map(|row| (row.name.as_str(), row.span.start, row.span.len)).collect();
        assert_eq!(seen, [("g", 0x40, 2), ("a", 0x40, 2), ("not decoded", 0x42, 3)]);
        assert!(fields.error.is_some());
        assert_eq!(fields.at(Span::new(SpaceId(0), 0x43, 1)), Some(2));
        assert_eq!(fields.at(Span::new(SpaceId(1), 0x43, 1)), None);
    }

    #[test]
    fn fields_without_end_are_told_up_to_a_number_and_still_tile() {
        let bytes = vec![7; MAX_FIELDS + 10];
        let slice = Slice::new(&bytes, SpaceId(0), 0x40);
        let bytes_in_groups = |c: &mut Cursor<'_, Recording>| {
            while c.left() > 3 {
                c.group(&G, |c| c.u8(&A))?;
            }
            Ok(())
        };
        let mut told = 0;
        let fields = Fields::explain("r", slice, bytes_in_groups, |_, _| {
            told += 1;
            Some(Meaning::text("x".repeat(5000)))
        });
        assert_eq!(told, MOST_TEXT.div_ceil(LONGEST_MEANING + '…'.len_utf8()));
        assert_eq!(fields.rows.len(), MAX_FIELDS + 2);
        let last: Vec<_> = fields.rows.iter().rev().take(2).map(|row| (row.name.as_str(), row.span.len)).collect();
        assert_eq!(last, [("not decoded", 3), ("not shown", (MAX_FIELDS / 2 + 7) as u64)]);
        let mut at = slice.start;
        for leaf in fields.leaves() {
            assert_eq!(leaf.span.start, at);
            at = leaf.span.end();
        }
        assert_eq!(at, slice.span().end());
    }
}
