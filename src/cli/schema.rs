//! The JSON Schema of what every command prints with `--json`: `docs/schema.json`, which a test makes from the structs that are
//! printed. Making it takes a crate that the program itself does not need.

/// The schema. Under `$defs` is the document of each command, by the command's name.
pub(super) const TEXT: &str = include_str!("../../docs/schema.json");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, SchemaGenerator};
    use serde_json::{Map, Value, json};

    use super::TEXT;
    use crate::cli::dump::document as dump;
    use crate::cli::{
        r#break, check, coverage, decode, diff, encode, explain, extracted, find, info, list, show, sources, srcsrv,
        steps, trace, r#where,
    };

    /// Compares the file with the structs; `SCHEMA_UPDATE=1` writes it again.
    #[test]
    fn the_schema_is_the_one_of_the_structs() {
        let made = format!("{:#}\n", schema());
        if std::env::var_os("SCHEMA_UPDATE").is_some() {
            std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json"), &made).unwrap();
        }
        assert!(made == TEXT, "docs/schema.json is stale: `SCHEMA_UPDATE=1 cargo test --lib schema` writes it again");
    }

    fn schema() -> Value {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let documents = [
            reference::<info::Document<'_>>(&mut generator),
            reference::<coverage::Document<'_>>(&mut generator),
            reference::<list::Document<'_>>(&mut generator),
            reference::<show::Document<'_>>(&mut generator),
            reference::<steps::Document<'_>>(&mut generator),
            reference::<steps::ChainsDocument<'_>>(&mut generator),
            reference::<r#where::Document<'_>>(&mut generator),
            reference::<r#break::Document>(&mut generator),
            reference::<r#break::WhyDocument<'_>>(&mut generator),
            reference::<trace::Document<'_>>(&mut generator),
            reference::<dump::Document<'_>>(&mut generator),
            reference::<sources::Document<'_>>(&mut generator),
            reference::<extracted::ExtractDocument>(&mut generator),
            reference::<check::Document<'_>>(&mut generator),
            reference::<find::Document>(&mut generator),
            reference::<diff::Document<'_>>(&mut generator),
            reference::<diff::BytesDocument<'_>>(&mut generator),
            reference::<srcsrv::Document>(&mut generator),
            reference::<decode::Document<'_>>(&mut generator),
            reference::<encode::Document<'_>>(&mut generator),
            reference::<explain::Document<'_>>(&mut generator),
        ];
        let definitions: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What pdblens prints with --json, schema 1",
            "description": "Each definition that is listed under anyOf is the document of the command of that name; `extract` is that of `sources --extract` too, `break_why` that of `break --why`, `diff_bytes` that of `diff --bytes`, `show_steps` that of `show --steps`, `coverage` that of `info --coverage`, `chains` that of `--steps` of `where`, `break`, `sources`, `srcsrv` and `find`.",
            "anyOf": documents,
            "$defs": definitions,
        })
    }

    fn reference<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
}
