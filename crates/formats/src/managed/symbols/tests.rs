use super::*;
use crate::bytes::{ErrorKind, SpaceId};
use crate::codeview::Decimal;
use crate::codeview::symbols::{Records, kind_name, signature};

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(7), 0)
}

fn symbol(bytes: &[u8]) -> ManagedSymbol<'_> {
    ManagedSymbol::decode(&mut slice(bytes).cursor()).unwrap()
}

#[test]
#[rustfmt::skip]
fn the_records_of_a_method() {
    let method = [
        0x2e, 0, 0x2a, 0x11,                          // 46 bytes of S_GMANPROC
        0, 0, 0, 0, 0x54, 1, 0, 0, 0, 0, 0, 0,        // parent, end at 0x154, next
        0x1a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,        // 26 bytes of IL, debug start, debug end
        3, 0, 0, 6, 0x86, 0, 0, 0, 1, 0, 0, 0, 0,     // token 0x06000003, at 1:0x86
        b'S', b'i', b'n', b'c', b'e', 0, 0,           // name, padding
    ];
    let ManagedSymbol::Procedure(procedure) = symbol(&method) else { panic!() };
    assert_eq!((procedure.token, procedure.span_of(&Procedure::token).start), (0x0600_0003, 0x1c));
    assert_eq!((procedure.offset, procedure.section, procedure.len, procedure.end), (0x86, 1, 26, 0x154));
    assert_eq!(procedure.name.data, b"Since");

    let block = [0x16, 0, 3, 0x11, 0x94, 0, 0, 0, 0x10, 1, 0, 0, 0x1a, 0, 0, 0, 0x86, 0, 0, 0, 1, 0, 0, 0];
    let ManagedSymbol::Block(block) = symbol(&block) else { panic!() };
    assert_eq!((block.parent, block.end, block.len, block.offset), (0x94, 0x110, 26, 0x86));

    let slot = [0x16, 0, 0x20, 0x11, 2, 0, 0, 0, 3, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 4, 0, b'n', b'o', b'w', 0];
    let ManagedSymbol::Slot(slot) = symbol(&slot) else { panic!() };
    assert_eq!((slot.index, slot.signature, slot.flags, slot.name.data), (2, 0x1100_0003, 4, &b"now"[..]));

    let namespace = [0x0a, 0, 0x24, 0x11, b'U', b'S', b'y', b's', b't', b'e', b'm', 0];
    assert!(matches!(symbol(&namespace), ManagedSymbol::Namespace(name) if name.data == b"USystem"));
    assert!(matches!(symbol(&[2, 0, 6, 0]), ManagedSymbol::End));

    let reference = [0x16, 0, 0x29, 0x11, 0, 0, 0, 0, 0x94, 0, 0, 0, 2, 0, b'0', b'6', b'0', b'0', b'0', b'0', b'0', b'3', 0, 0];
    let ManagedSymbol::Reference(reference) = symbol(&reference) else { panic!() };
    assert_eq!((reference.offset, reference.module, reference.name.data), (0x94, 2, &b"06000003"[..]));
}

#[test]
fn numeric_leaves() {
    let leaf =
        |bytes: &[u8]| format!("{:?}", Leaf::decode(&mut slice(bytes).cursor()).map_err(|error| error.kind.clone()));
    let ok = |leaf: Leaf<'_>| format!("{:?}", Ok::<_, ErrorKind>(leaf));
    assert_eq!(leaf(&[0x0a, 0x01]), ok(Leaf::Unsigned(266)));
    assert_eq!(leaf(&[0x00, 0x80, 0xfe]), ok(Leaf::Signed(-2)));
    assert_eq!(leaf(&[0x01, 0x80, 0xfe, 0xff]), ok(Leaf::Signed(-2)));
    assert_eq!(leaf(&[0x02, 0x80, 0xfe, 0xff]), ok(Leaf::Unsigned(0xfffe)));
    assert_eq!(leaf(&[0x03, 0x80, 0xfe, 0xff, 0xff, 0xff]), ok(Leaf::Signed(-2)));
    assert_eq!(leaf(&[0x04, 0x80, 0xfe, 0xff, 0xff, 0xff]), ok(Leaf::Unsigned(0xffff_fffe)));
    assert_eq!(leaf(&[0x05, 0x80, 0, 0, 0x80, 0x3f]), ok(Leaf::Single(1_f32.to_bits())));
    assert_eq!(leaf(&[0x06, 0x80, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]), ok(Leaf::Double(0.5_f64.to_bits())));
    assert_eq!(leaf(&[0x09, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), ok(Leaf::Signed(-1)));
    assert_eq!(leaf(&[0x0a, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), ok(Leaf::Unsigned(u64::MAX)));
    let text = [0x10, 0x80, 2, 0, b'h', b'i', b'!'];
    assert_eq!(leaf(&text), ok(Leaf::Text(slice(&text).part(4, 2).unwrap())));
    let decimal = [0x19, 0x80, 0x0e, 0, 2, 0x80, 1, 0, 0, 0, 0xd2, 4, 0, 0, 0, 0, 0, 0];
    let bits = (1 << 64) + 1234;
    assert_eq!(leaf(&decimal), ok(Leaf::Decimal(Decimal { scale: 2, negative: true, bits })));
    assert!(leaf(&[0x0b, 0x80, 1, 2, 3, 4, 5, 6]).starts_with("Ok(Other(32779"));
    assert!(leaf(&[0x20, 0x80, 0, 0]).starts_with("Err(Unknown"));
    assert!(leaf(&[0x10, 0x80, 9, 0, b'x']).starts_with("Err(UnexpectedEnd"));
}

#[test]
fn records_that_lie_are_the_last() {
    // A record of length 0, or 1, would come again and again.
    for len in [0, 1] {
        let bytes = [2, 0, 6, 0, len, 0, 6, 0, 2, 0, 6, 0];
        let kinds: Vec<_> = Records::new(slice(&bytes), 0).map(|record| record.is_ok()).collect();
        assert_eq!(kinds, [true, false]);
    }
    // One that reaches past the end, and one that is cut in its length.
    for bytes in [&[2, 0, 6, 0, 0xff, 0xff, 6, 0][..], &[2, 0, 6, 0, 2]] {
        let kinds: Vec<_> = Records::new(slice(bytes), 0).map(|record| record.is_ok()).collect();
        assert_eq!(kinds, [true, false]);
    }
    assert_eq!(Records::new(slice(&[]), 0).count(), 0);
    assert_eq!(Records::new(slice(&[2, 0, 6, 0]), u64::MAX).count(), 0);
}

#[test]
fn a_kind_without_a_reader_is_kept() {
    let bytes = [6, 0, 0x4c, 0x11, 1, 2, 3, 4];
    assert!(matches!(symbol(&bytes), ManagedSymbol::Other(data) if data.data == [1, 2, 3, 4]));
    assert_eq!(kind_name(0x114c), Some("S_BUILDINFO"));
}

#[test]
fn symbols_of_another_age() {
    assert!(signature(&mut slice(&[4, 0, 0, 0]).cursor()).is_ok());
    assert!(signature(&mut slice(&[2, 0, 0, 0]).cursor()).is_err());
    assert!(signature(&mut slice(&[4, 0]).cursor()).is_err());
}
