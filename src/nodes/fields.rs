//! "Explain these bytes": the fields of one record, with where each stands, what it says, and what that means.

use super::Place;
use crate::bytes::{
    Change, Cursor, Encoding, Error, Field, MAX_FIELDS, ReadAs, Recording, Result, Show, Slice, Span, Value, fields,
};
use crate::text::safe::{cut, hex, spaced_hex, utf8, utf16};

/// The fields of one record. Those without children tile its bytes.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Title of the record.
    pub title: String,
    /// Its bytes.
    pub span: Span,
    /// Its fields, in the order of the bytes.
    pub rows: Vec<FieldRow>,
    /// Error that ended the decoding.
    pub error: Option<Error>,
}

/// One field.
#[derive(Clone, Debug, Default)]
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
    pub read: ReadAs,
    /// Value, if it is a number.
    pub number: Option<i64>,
    /// Notation of the number.
    pub show: Option<Show>,
    /// Changes of the decoder's state, in their order.
    pub changes: Vec<Change>,
    /// Meanings of single bits and groups of bits, where each has one of its own.
    pub bits: Vec<BitMeaning>,
}

/// Meaning of some bits of a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitMeaning {
    /// The bits.
    pub mask: u64,
    /// Their meaning, in words.
    pub text: String,
    /// Place that they lead to.
    pub to: Option<Place>,
}

/// Meaning of one field where it stands.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// In words.
    pub text: String,
    /// Place that it leads to.
    pub to: Option<Place>,
    /// Meanings of its bits.
    pub bits: Vec<BitMeaning>,
}

impl Meaning {
    /// Words that lead nowhere.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Words that lead to `place`.
    pub fn to(text: impl Into<String>, place: Place) -> Self {
        Self { text: text.into(), to: Some(place), bits: Vec::new() }
    }

    /// Adds what single bits mean.
    #[must_use]
    pub fn with_bits(self, bits: Vec<BitMeaning>) -> Self {
        Self { bits, ..self }
    }
}

impl BitMeaning {
    /// Value of the bits in `number`, moved to the lowest bit.
    pub const fn of(&self, number: u64) -> u64 {
        if self.mask == 0 { 0 } else { (number & self.mask) >> self.mask.trailing_zeros() }
    }

    /// Number of the bit, or of the first and the last one: `bit 3`, `bits 0–23`.
    pub fn label(&self) -> String {
        let (first, last) = (self.mask.trailing_zeros(), 63_u32.saturating_sub(self.mask.leading_zeros()));
        if first >= last { format!("bit {last}") } else { format!("bits {first}–{last}") }
    }
}

/// Bytes of meaning that the fields of one record have together.
const MOST_TEXT: usize = 16 << 20;

/// Bytes of meaning that one field has.
const LONGEST_MEANING: usize = 4096;

fields! {
    /// Bytes after the fields that are listed: the list is cut there.
    NOT_SHOWN: "not shown";
    /// Bytes that the decoder left: they have no meaning here, or it stopped at an error.
    NOT_DECODED: "not decoded";
}

/// Fields, and the changes of state that each caused, by the index of the field.
pub type Steps = (Vec<Field>, Vec<(usize, Change)>);

/// Runs `decode` over `slice` and records it: the fields it read, and why it stopped where it failed.
///
/// Bytes that the decoder left are a last field of their own, so that leaves always tile the slice.
pub fn recorded<'a>(
    slice: Slice<'a>,
    decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
) -> (Steps, Option<Error>) {
    let mut cursor = Cursor::recording(slice);
    let error = decode(&mut cursor).err();
    let (read, left) = (cursor.consumed(), cursor.left());
    let (mut fields, changes) = cursor.steps();
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
    ((fields, changes), error)
}

impl Fields {
    /// Explains the record that `decode` reads from `slice`; `meaning` adds what a field means here, where its description cannot know.
    pub fn explain<'a>(
        title: impl Into<String>,
        slice: Slice<'a>,
        decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
        meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
    ) -> Self {
        let (steps, error) = recorded(slice, decode);
        Self::present(title, slice, &steps, error, meaning)
    }

    /// Presents fields that were recorded already.
    pub fn present(
        title: impl Into<String>,
        slice: Slice<'_>,
        steps: &Steps,
        error: Option<Error>,
        meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
    ) -> Self {
        Self { title: title.into(), span: slice.span(), rows: rows(steps, slice, meaning), error }
    }

    /// Keeps what lies within `span`, a record of those that are explained here.
    pub fn narrow(&mut self, span: Span) {
        self.rows.retain(|row| span.covers(row.span) && !row.span.is_empty());
        let outermost = self.rows.iter().map(|row| row.depth).min().unwrap_or(0);
        for row in &mut self.rows {
            row.depth -= outermost;
        }
        self.span = span;
    }

    /// The innermost field that has the first byte of `part`.
    pub fn at(&self, part: Span) -> Option<usize> {
        let byte = Span { len: part.len.min(1), ..part };
        self.rows.iter().rposition(|row| !row.group && !row.span.is_empty() && row.span.covers(byte))
    }

    /// The leaves, in order.
    pub fn leaves(&self) -> impl Iterator<Item = &FieldRow> {
        self.rows.iter().filter(|row| !row.group)
    }
}

fn rows(
    (fields, changes): &Steps,
    slice: Slice<'_>,
    mut meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
) -> Vec<FieldRow> {
    let mut changes = changes.iter().peekable();
    let mut groups: Vec<&'static str> = Vec::new();
    let mut rows = Vec::with_capacity(fields.len());
    let mut room = MOST_TEXT;
    for (index, field) in fields.iter().enumerate() {
        let mut own = Vec::new();
        while let Some((_, change)) = changes.next_if(|(field, _)| *field <= index) {
            own.push(*change);
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
        cut(&mut found.text, LONGEST_MEANING);
        room = room.saturating_sub(found.text.len());
        if group {
            groups.push(field.name());
        }
        rows.push(FieldRow {
            name: field.name().to_owned(),
            span: field.span,
            depth: field.depth,
            group,
            value: value(show, field, slice),
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

/// Formats the value of a field.
fn value(show: Show, field: &Field, slice: Slice<'_>) -> String {
    let bytes = slice.at(field.span).map_or(&[][..], |slice| slice.data);
    let number = |n: i64| match show {
        Show::Plain | Show::Row(_) | Show::Time | Show::OneOf(_) | Show::Guid => n.to_string(),
        Show::Token => format!("0x{n:08x}"),
        Show::IlOffset => format!("IL_{n:04x}"),
        Show::Hex | Show::Flags(_) | Show::Parts(_) | Show::Rva | Show::Offset => format!("{n:#x}"),
    };
    match field.value {
        Value::Group => String::new(),
        Value::Unsigned(n) if n > i64::MAX as u64 => format!("{n:#x}"),
        Value::Unsigned(n) => number(n.cast_signed()),
        Value::Signed(n) if n < 0 => n.to_string(),
        Value::Signed(n) => number(n),
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
            (Show::Guid, Value::Guid(guid)) => crate::text::guids::name(guid).unwrap_or_default().to_owned(),
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
        Show::Time => crate::text::time::stamp(number as u64),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{FieldDoc, SpaceId};

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
