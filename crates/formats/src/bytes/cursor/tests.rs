use super::*;
use crate::bytes::SpaceId;

const A: FieldDoc = FieldDoc::new("a", "");
const B: FieldDoc = FieldDoc::new("b", "");
const C: FieldDoc = FieldDoc::new("c", "");
const G: FieldDoc = FieldDoc::new("g", "");
const N: FieldDoc = FieldDoc::new("n", "");

fn cursor(bytes: &[u8]) -> Cursor<'_> {
    Cursor::new(Slice::new(bytes, SpaceId(0), 0))
}

#[test]
fn a_recorder_that_ignores_everything_takes_no_room() {
    // The type decides, so that there is neither a branch nor a field at run time; a bench measures the time.
    const { assert!(!<() as Recorder>::ENABLED && <Recording as Recorder>::ENABLED) };
    assert_eq!(size_of::<Cursor<'_>>(), size_of::<Slice<'_>>() + size_of::<usize>());
    assert!(size_of::<Cursor<'_, Recording>>() > size_of::<Cursor<'_>>());
}

#[test]
fn compressed_integers_of_the_specification() {
    // ECMA-335 II.23.2, the worked examples.
    for (bytes, number) in [
        (&[0x03][..], 0x03),
        (&[0x7f], 0x7f),
        (&[0x80, 0x80], 0x80),
        (&[0xae, 0x57], 0x2e57),
        (&[0xbf, 0xff], 0x3fff),
        (&[0xc0, 0x00, 0x40, 0x00], 0x4000),
        (&[0xdf, 0xff, 0xff, 0xff], 0x1fff_ffff),
    ] {
        assert_eq!(cursor(bytes).compressed(&N), Ok(number), "{bytes:02x?}");
    }
    for (bytes, number) in [
        (&[0x06][..], 3),
        (&[0x7b], -3),
        (&[0x80, 0x80], 64),
        (&[0x01], -64),
        (&[0xc0, 0x00, 0x40, 0x00], 8192),
        (&[0x80, 0x01], -8192),
        (&[0xdf, 0xff, 0xff, 0xfe], 268_435_455),
        (&[0xc0, 0x00, 0x00, 0x01], -268_435_456),
    ] {
        assert_eq!(cursor(bytes).compressed_signed(&N), Ok(number), "{bytes:02x?}");
    }
}

#[test]
fn a_compressed_integer_that_is_cut_short_says_where() {
    let error = cursor(&[0xc0, 0x00]).compressed(&N).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnexpectedEnd { wanted: 4, left: 2 });
    assert_eq!((error.span.start, error.span.len), (0, 2));
    assert!(matches!(cursor(&[0xff]).compressed(&N).unwrap_err().kind, ErrorKind::Invalid(_)));
}

#[test]
fn groups_span_what_is_read_in_them_even_when_it_fails() {
    let mut cursor = Cursor::recording(Slice::new(&[1, 2, 3, 4, 5], SpaceId(0), 0x10));
    cursor.u8(&A).unwrap();
    let failed = cursor.group(&G, |c| {
        c.u16(&B)?;
        c.u32(&C)
    });
    assert!(failed.is_err());
    let fields = cursor.fields();
    let seen: Vec<_> = fields.iter().map(|f| (f.name(), f.span.start, f.span.len, f.depth)).collect();
    assert_eq!(seen, [("a", 0x10, 1, 0), ("g", 0x11, 2, 0), ("b", 0x11, 2, 1)]);
}

#[test]
fn three_bytes_are_a_number_of_their_own() {
    let mut c = cursor(&[0x1c, 0x02, 0x01, 0xff]);
    assert_eq!(c.u24(&N), Ok(0x01_021c));
    assert_eq!((c.rest().data, c.rest().start), (&[0xff][..], 3));
    assert!(c.u24(&N).is_err());
}

#[test]
fn groups_of_seven_bits_make_a_number() {
    for (bytes, number) in [
        (&[0x00][..], 0),
        (&[0x7f], 127),
        (&[0x80, 0x01], 128),
        (&[0xfb, 0xff, 0xff, 0xff, 0x0f], -5),
        (&[0xff, 0xff, 0xff, 0xff, 0x07], i32::MAX),
    ] {
        let mut c = cursor(bytes);
        assert_eq!((c.seven_bit(&N), c.is_done()), (Ok(number), true), "{bytes:02x?}");
    }
    let error = cursor(&[0xff, 0x80]).seven_bit(&N).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnexpectedEnd { wanted: 3, left: 2 });
    assert!(matches!(cursor(&[0xff; 6]).seven_bit(&N).unwrap_err().kind, ErrorKind::Invalid(_)));
}

#[test]
fn a_part_sees_nothing_beyond_its_end() {
    let mut cursor = Cursor::recording(Slice::new(&[1, 2, 3, 4, 5], SpaceId(0), 0x10));
    cursor.u8(&A).unwrap();
    let rest = cursor.within(2, |c| {
        c.u8(&B)?;
        assert_eq!((c.position(), c.left()), (0x12, 1));
        c.u16(&C)
    });
    assert_eq!(rest.unwrap_err().kind, ErrorKind::UnexpectedEnd { wanted: 2, left: 1 });
    assert_eq!((cursor.position(), cursor.left()), (0x12, 3));
    assert!(cursor.within(4, |c| c.u8(&A)).is_err());
    assert_eq!(cursor.within(3, |c| c.u16(&N)), Ok(0x0403));
    assert_eq!(cursor.fields().iter().map(Field::name).collect::<Vec<_>>(), ["a", "b", "n"]);
}

#[test]
fn strings_end_where_they_say() {
    let mut c = cursor(b"ab\0c");
    assert_eq!(c.text_z(&N).unwrap().data, b"ab");
    assert_eq!(c.consumed(), 3);
    assert!(c.text_z(&N).is_err());
    assert_eq!(cursor(b"a\0b\0\0\0z").text_16z(&N).unwrap().data, b"a\0b\0");
}
