//! Signatures, in the notation of ECMA-335's assembler with tokens in the place of names.

mod parse;
mod write;

use super::Codec;
use pdblens_formats::signature;

pub(super) const SIGNATURE: Codec = Codec {
    name: "signature",
    about: "a signature: method instance void (int32, string); field T; locals (T, T); property T (); methodspec <T>",
    paragraph: "ECMA-335 II.23.2",
    example: ("07 02 08 0e", "locals (int32, string)"),
    decode: |c| signature::decode(c).map(|found| write::signature(&found)),
    encode: parse::signature,
};

pub(super) const TYPE: Codec = Codec {
    name: "type",
    about: "a type as a TypeSpec has it: class 0x01000003<int32>[], valuetype 0x02000002&, !0, int32[0...4,]",
    paragraph: "ECMA-335 II.23.2.12",
    example: ("1d 12 0d", "class 0x01000003[]"),
    decode: |c| signature::decode_type(c).map(|found| write::ty(&found.value)),
    encode: parse::ty,
};
