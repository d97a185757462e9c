//! Kinds of custom debug information, decoded by the decoders of their blobs.

use super::{Codec, no_advice};
use crate::bytes::{Cursor, Guid, Recording, Result};
use crate::formats::portable::custom::{
    self, async_stepping, compilation_options, compilation_references, dynamic_locals, hoisted_scopes, lambda_map,
    state_map, tuple_names,
};

const PARAGRAPH: &str = "Portable PDB › CustomDebugInformation Table";

macro_rules! kinds {
    ($($constant:ident = $name:literal, $about:literal, $module:ident, $hex:literal, $text:literal;)*) => {$(
        pub(super) const $constant: Codec = Codec {
            name: $name,
            about: $about,
            paragraph: PARAGRAPH,
            example: ($hex, $text),
            decode: |c| decode($module::GUID, c),
            encode: None,
            advice: no_advice,
        };
    )*};
}

kinds! {
    HOISTED_SCOPES = "hoisted-scopes", "scopes of hoisted variables: start and length, two u32 each", hoisted_scopes,
        "00 00 00 00 1b 00 00 00", "start=0 length=27";
    ASYNC_STEPPING = "async-stepping", "catch handler, then yield and resume offset and method of each await", async_stepping,
        "00 00 00 00 2a 00 00 00 45 00 00 00 03", "catch_handler=– awaits=[yield=42 resume=69 move_next=3]";
    LAMBDA_MAP = "lambda-map", "Edit and Continue: method ordinal, closures and lambdas", lambda_map,
        "01 00 00 0d 01", "method_ordinal=0 closures=[] lambdas=[syntax_offset=13 closure=static]";
    STATE_MAP = "state-map", "Edit and Continue: states of a state machine and their syntax offsets", state_map,
        "01 00 00 0d", "state=0 syntax_offset=13 ordinal=0";
    TUPLE_NAMES = "tuple-names", "element names of the tuples of a variable, NUL-terminated", tuple_names,
        "61 00 62 00", "a · b";
    DYNAMIC_LOCALS = "dynamic", "bits of a type: set where object means dynamic", dynamic_locals,
        "01", "yes";
    OPTIONS = "options", "compilation options: names and values, NUL-terminated", compilation_options,
        "6c 61 6e 67 75 61 67 65 00 43 23 00", "language=C#";
    REFERENCES = "references", "references that the compiler was given", compilation_references,
        "61 2e 64 6c 6c 00 00 01 01 00 00 00 00 20 00 00 10 b8 a7 6b ad 9d d1 11 80 b4 00 c0 4f d4 30 c8",
        "file=a.dll aliases= assembly=yes embed_interop_types=no time_stamp=1 size_of_image=8192 mvid=6ba7b810-9dad-11d1-80b4-00c04fd430c8";
}

fn decode(kind: Guid, c: &mut Cursor<'_, Recording>) -> Result<String> {
    let blob = c.rest();
    custom::explain(kind, c)?;
    Ok(custom::tree(kind, blob)?.line())
}
