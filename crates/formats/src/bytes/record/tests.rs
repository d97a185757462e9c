use super::*;
use crate::bytes::{Show, Slice, SpaceId, Value};

crate::record! {
    /// A pair of numbers.
    struct Pair: "pair" {
        /// The number that
        /// comes first.
        first_number: u8 as Hex,
        /// The number that comes second.
        second_number: i16,
    }
}

crate::record! {
    /// A record with a part.
    struct Whole: "whole" {
        /// Name of the whole.
        name: PaddedText<4>,
        /// Pair of numbers that belongs to it.
        inner "numbers": Pair,
        /// Flags of the whole.
        flags: u16 as Flags(&[(1, "one")]),
        /// Bytes that are kept for later.
        reserved: [u8; 2],
    }
}

crate::fields! {
    in FIELDS;
    /// A first field.
    A: "α";
    /// A second field.
    B: "β" as Rva;
}

const BYTES: &[u8] = &[b'a', b'b', 0, 0, 0x80, 0xff, 0xff, 1, 0, 8, 9];

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(0), 0x10)
}

#[test]
fn a_record_has_its_values_and_their_spans() {
    let whole = Whole::decode(&mut slice(BYTES).cursor()).unwrap();
    assert_eq!((&*whole.name.to_text(), whole.flags, whole.reserved), ("ab", 1, [8, 9]));
    assert_eq!((whole.inner.first_number, whole.inner.second_number), (0x80, -1));
    assert_eq!((Pair::SIZE, Whole::SIZE, whole.span), (3, 11, slice(BYTES).span()));
    assert_eq!(whole.inner.span, whole.span_of(&Whole::inner));
    assert_eq!(whole.span_of(&Whole::flags), whole.span.part(7, 2));
    assert_eq!(whole.inner.span_of(&Pair::second_number), whole.span.part(5, 2));
    assert!(Whole::decode(&mut slice(&BYTES[..10]).cursor()).is_err());
}

#[test]
fn a_recording_has_its_names_and_sentences() {
    let mut cursor = Cursor::recording(slice(BYTES));
    Whole::decode(&mut cursor).unwrap();
    let fields = cursor.fields();
    let seen: Vec<_> = fields.iter().map(|f| (f.depth, f.name(), f.span.start - 0x10, f.span.len)).collect();
    let expected = [
        (0, "whole", 0, 11),
        (1, "name", 0, 2),
        (1, "padding", 2, 2),
        (1, "numbers", 4, 3),
        (2, "first number", 4, 1),
        (2, "second number", 5, 2),
        (1, "flags", 7, 2),
        (1, "reserved", 9, 2),
    ];
    assert_eq!(seen, expected);
    assert_eq!((fields[0].doc.about, fields[0].value), ("A record with a part.", Value::Group));
    assert_eq!((fields[4].doc.about, fields[4].doc.show), ("The number that comes first.", Show::Hex));
    assert!(fields.iter().all(|field| !field.doc.about.is_empty()));
}

#[test]
fn json_has_a_member_for_each_field() {
    let whole = Whole::decode(&mut slice(BYTES).cursor()).unwrap();
    let json = serde_json::to_string(&whole).unwrap();
    let inner = r#"{"first_number":128,"second_number":-1,"span":[0,20,3]}"#;
    let expected = format!(r#"{{"name":"ab","inner":{inner},"flags":1,"reserved":[8,9],"span":[0,16,11]}}"#);
    assert_eq!(json, expected);
}

#[test]
fn a_table_of_fields_can_be_walked() {
    assert_eq!(FIELDS, [&A, &B]);
    assert_eq!((A.show, B.show, A.name, B.about), (Show::Plain, Show::Rva, "α", "A second field."));
}
