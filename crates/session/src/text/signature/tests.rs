use super::*;
use pdblens_formats::bytes::{Cursor, Slice, SpaceId};
use pdblens_formats::signature::{decode, decode_type};

/// By row of TypeRef.
const NAMES: [&str; 8] = [
    "Clock",
    "System.Collections.Generic.List`1",
    "Map`2+Enumerator",
    "Outer`1+Inner`1",
    "Odd",
    "a`b`",
    "System.Nullable`1",
    "System.ValueTuple`2",
];

struct Names;

impl TypeNames for Names {
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        // In two pieces, as callers do.
        let (head, tail) = NAMES[token.row() as usize - 1].split_at(3);
        out.write_str(head)?;
        out.write_str(tail)
    }

    fn short_form(&self, token: Token) -> Option<ShortForm> {
        match token.row() {
            7 => Some(ShortForm::Nullable),
            8 => Some(ShortForm::Tuple),
            _ => None,
        }
    }

    fn type_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "T{number}")
    }
}

fn type_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    let ty = decode_type(&mut Cursor::new(Slice::new(bytes, SpaceId(0), 0))).unwrap().value;
    SignatureText::new(&Names).ty(&mut text, &ty).unwrap();
    text
}

fn signature(bytes: &[u8]) -> Signature {
    decode(&mut Cursor::new(Slice::new(bytes, SpaceId(0), 0))).unwrap()
}

fn signature_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    SignatureText::new(&Names).signature(&mut text, &signature(bytes)).unwrap();
    text
}

/// The coded index of a TypeRef.
const fn row(row: u8) -> u8 {
    row << 2 | 1
}

#[test]
fn types() {
    for (bytes, text) in [
        (&[0x0a][..], "long"),
        (&[0x1d, 0x0e], "string[]"),
        (&[0x14, 0x08, 2, 0, 2, 0, 0], "int[,]"),
        (&[0x1d, 0x14, 0x08, 2, 0, 0], "int[][,]"),
        (&[0x14, 0x1d, 0x08, 3, 0, 0], "int[,,][]"),
        (&[0x14, 0x08, 2, 1, 5, 2, 0, 0x7f], "int[0...4,-1...]"),
        (&[0x14, 0x08, 1, 0, 0], "int[*]"),
        (&[0x0f, 0x0f, 0x01], "void**"),
        (&[0x45, 0x10, 0x08], "pinned ref int"),
        (&[0x13, 1], "T1"),
        (&[0x1e, 1], "!!1"),
        (&[0x12, row(1)], "Clock"),
        (&[0x15, 0x12, row(2), 1, 0x08], "System.Collections.Generic.List<int>"),
        (&[0x12, row(2)], "System.Collections.Generic.List<>"),
        (&[0x15, 0x11, row(7), 1, 0x08], "int?"),
        (&[0x15, 0x11, row(8), 2, 0x08, 0x0e], "(int, string)"),
        (&[0x15, 0x11, row(8), 1, 0x08], "System.ValueTuple<int>"),
        (&[0x15, 0x11, row(3), 2, 0x08, 0x0e], "Map<int, string>.Enumerator"),
        (&[0x12, row(3)], "Map<,>.Enumerator"),
        (
            &[0x15, 0x12, row(4), 2, 0x08, 0x15, 0x12, row(2), 1, 0x13, 0],
            "Outer<int>.Inner<System.Collections.Generic.List<T0>>",
        ),
        (&[0x15, 0x12, row(5), 1, 0x08], "Odd<int>"),
        (&[0x15, 0x12, row(3), 1, 0x08], "Map<int>.Enumerator"),
        (&[0x12, row(6)], "a`b`"),
        (&[0x1f, row(1), 0x10, 0x08], "modreq(Clock) ref int"),
        (&[0x1d, 0x20, row(1), 0x08], "(modopt(Clock) int)[]"),
        (&[0x1b, 0x00, 1, 0x01, 0x08], "delegate*<int, void>"),
        (&[0x1b, 0x02, 0, 0x0a], "delegate* unmanaged[Stdcall]<long>"),
        (&[0x1d, 0x1b, 0x09, 1, 0x01, 0x0f, 0x01], "delegate* unmanaged<void*, void>[]"),
    ] {
        assert_eq!(type_text(bytes), text);
    }
}

#[test]
fn signatures() {
    for (bytes, text) in [
        (&[0x20, 2, 0x0a, 0x08, 0x0e][..], "long (int, string)"),
        (&[0x10, 2, 0, 0x1e, 1], "!!1 <!!0, !!1>()"),
        (&[0x05, 1, 0x01, 0x0e], "void (string, ...)"),
        (&[0x05, 0, 0x01], "void (...)"),
        (&[0x05, 2, 0x01, 0x0e, 0x41, 0x08], "void (string, ..., int)"),
        (&[0x05, 1, 0x01, 0x41, 0x08], "void (..., int)"),
        (&[0x06, 0x08], "int"),
        (&[0x28, 0, 0x08], "int"),
        (&[0x28, 1, 0x0e, 0x08], "string [int]"),
        (&[0x07, 2, 0x08, 0x0e], "int, string"),
        (&[0x0a, 2, 0x08, 0x0e], "<int, string>"),
    ] {
        assert_eq!(signature_text(bytes), text);
    }
}
