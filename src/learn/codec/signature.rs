//! Signatures.

use std::fmt::{self, Write};

use super::{Codec, no_advice};
use crate::formats::metadata::Token;
use crate::formats::signature;
use crate::text::signature::{SignatureText, TypeNames};

const PARAGRAPH: &str = "ECMA-335 II.23.2";

pub(super) const SIGNATURE: Codec = Codec {
    name: "signature",
    about: "a signature of a method, field, property or of local variables; types are tokens",
    paragraph: PARAGRAPH,
    example: ("07 02 08 0e", "int, string"),
    decode: |c| {
        let found = signature::decode(c)?;
        Ok(text(|out| SignatureText::new(&Tokens).signature(out, &found)))
    },
    encode: None,
    advice: no_advice,
};

pub(super) const TYPE: Codec = Codec {
    name: "type",
    about: "a type of a signature, as a TypeSpec has it",
    paragraph: "ECMA-335 II.23.2.12",
    example: ("1d 12 0d", "0x01000003[]"),
    decode: |c| {
        let found = signature::decode_type(c)?;
        Ok(text(|out| SignatureText::new(&Tokens).ty(out, &found.value)))
    },
    encode: None,
    advice: no_advice,
};

/// Tokens for names: pasted bytes have no metadata around them.
struct Tokens;

impl TypeNames for Tokens {
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{token}")
    }
}

fn text(write: impl FnOnce(&mut dyn Write) -> fmt::Result) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text);
    text
}
