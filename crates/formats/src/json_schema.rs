//! JSON Schema of the values that every answer consists of.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::bytes::{Guid, Span};
use crate::metadata::Token;

impl JsonSchema for Token {
    fn schema_name() -> Cow<'static, str> {
        "token".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^0x[0-9a-f]{8}$",
            "description": "Metadata token: the table in the high byte, the row in the others.",
        })
    }
}

impl JsonSchema for Guid {
    fn schema_name() -> Cow<'static, str> {
        "guid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
            "description": "GUID, lower case.",
        })
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "span".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = <(u32, u64, u64)>::json_schema(generator);
        schema.insert("description".to_owned(), "A range of bytes: number of the space, offset in it, length.".into());
        schema
    }
}

/// A name and its value.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "named_text")]
#[allow(dead_code, missing_docs)]
pub struct NamedText {
    pub name: String,
    pub value: String,
}

/// Declares the schema of strings of one form, for `schemars(with = "…")`.
macro_rules! strings {
    ($($name:ident = $schema:literal, $pattern:literal, $description:literal;)*) => {$(
        #[doc = $description]
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "pattern": $pattern, "description": $description})
            }
        }
    )*};
}

strings! {
    TypeIndex = "type_index", "^0x[0-9a-f]+$", "Index of a type or an id; one below 0x1000 is built in.";
    Address = "address", "^0x[0-9a-f]+$", "RVA, as of a native function's first byte.";
    Bytes = "bytes", "^([0-9a-f]{2})*$", "Bytes, two lower-case digits each.";
}
