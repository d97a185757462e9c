//! Signatures of the sample images against what System.Reflection.Metadata's decoder says of the same blobs.
//!
//! `golden/signatures/expected.txt`, made by the program beside it, has a line for each different blob: `t` for a TypeSpec's
//! and `s` for any other, the bytes, and the type that .NET's `SignatureDecoder` makes of them, spelled in the form that
//! `signature_text` documents, with `T` and the token for the name of a type.

use std::fmt::{self, Write};

use pdblens::bytes::{Cursor, Slice, SpaceId, Value};
use pdblens::formats::metadata::Token;
use pdblens::formats::signature::{decode, decode_type};
use pdblens::text::signature::{SignatureText, TypeNames};

struct Tokens;

impl TypeNames for Tokens {
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        write!(out, "T{:08x}", token.0)
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn signatures_match_system_reflection_metadata() {
    // A longer list of the same form, made by `Signatures.cs` of any images, can be checked too.
    let more = std::env::var("PDBLENS_SIGNATURES").map(|path| std::fs::read_to_string(path).unwrap());
    let known = more.as_deref().unwrap_or(include_str!("../golden/signatures/expected.txt"));
    let text = SignatureText::new(&Tokens);
    assert!(known.lines().count() > 700 || more.is_ok());
    for line in known.lines() {
        let [kind, hex, expected] = *line.split('\t').collect::<Vec<_>>() else { panic!("{line}") };
        let blob = bytes(hex);
        let slice = Slice::new(&blob, SpaceId(0), 0);
        let mut cursor = Cursor::recording(slice);
        let mut found = String::new();
        if kind == "t" {
            let ty = decode_type(&mut cursor).unwrap_or_else(|error| panic!("{error}: {line}"));
            text.ty(&mut found, &ty.value).unwrap();
            assert_eq!(decode_type(&mut Cursor::new(slice)), Ok(ty), "{line}");
        } else {
            let signature = decode(&mut cursor).unwrap_or_else(|error| panic!("{error}: {line}"));
            text.signature(&mut found, &signature).unwrap();
            assert_eq!(decode(&mut Cursor::new(slice)), Ok(signature), "{line}");
        }
        assert_eq!(found, expected, "{hex}");
        let mut at = 0;
        for leaf in cursor.fields().iter().filter(|field| field.value != Value::Group) {
            assert_eq!(leaf.span.start, at, "{} in {line}", leaf.name());
            at = leaf.span.end();
        }
        assert_eq!(at, blob.len() as u64, "{line}");
    }
}
