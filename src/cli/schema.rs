//! The JSON Schema of what every command prints with `--json`: `docs/schema.json`, which a test makes from the printed structs.

/// The schema. Under `$defs` is the document of each command, by the command's name.
pub(super) const TEXT: &str = include_str!("../../docs/schema.json");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, SchemaGenerator};
    use serde_json::{Map, Value, json};

    use super::TEXT;
    use crate::bytes::Guid;
    use crate::cli::dump::document as dump;
    use crate::cli::export::columns;
    use crate::cli::{
        r#break, check, coverage, decode, diff, documents, encode, explain, extracted, find, info, json, learn, lines,
        list, live, methods, points, quality, show, sources, srcsrv, steps, store, trace, r#where,
    };
    use crate::nodes::Token;

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
        let generator = &mut generator;
        let of_pairs = [
            ("info", pairs::<info::InfoElement<'_>>(generator, "The files of each pair, and whether they match.")),
            ("coverage", pairs::<coverage::CoveredPair<'_>>(generator, "Bytes with a field, file by file.")),
            ("quality", pairs::<quality::QualityPair>(generator, "How much of the code has points and names.")),
            ("samples", pairs::<points::SampledPair>(generator, "Samples of a profile at the points of each pair.")),
            ("list", pairs::<list::ListedPair<'_>>(generator, "The list at a place of each pair.")),
            ("chains_of_pairs", pairs::<steps::ChainsPair<'_>>(generator, "Answers, look-up by look-up.")),
            (
                "diff_pairs",
                pairs::<diff::DiffPair<'_>>(generator, "Differences between the pairs of two packages or folders."),
            ),
            ("dump", pairs::<dump::DumpedPair<'_>>(generator, "Contents of images and their symbols.")),
            ("find", pairs::<find::FindPair>(generator, "Symbols of each file, and the searches for missing ones.")),
            ("sources", pairs::<sources::SourcesPair<'_>>(generator, "The text of each document, and its verdict.")),
        ];
        let rows = [
            ("points_row", row(generator, &columns::<points::PointRows>())),
            ("points_statements_row", row(generator, &columns::<points::StatementRows>())),
            ("native_points_row", native_row(generator)),
            ("lines_row", row(generator, &columns::<lines::LineRows>())),
            ("methods_row", row(generator, &columns::<methods::MethodRows>())),
            ("documents_row", row(generator, &columns::<documents::DocumentRows>())),
        ];
        let mut documents = vec![
            reference::<show::ShowDocument<'_>>(generator),
            reference::<steps::StepsDocument<'_>>(generator),
            reference::<steps::ChainsDocument<'_>>(generator),
            reference::<r#where::WhereDocument<'_>>(generator),
            reference::<r#break::BreakDocument>(generator),
            reference::<r#break::WhyDocument<'_>>(generator),
            reference::<trace::TraceDocument<'_>>(generator),
            reference::<live::LiveDocument>(generator),
            reference::<extracted::ExtractDocument<'_>>(generator),
            reference::<check::CheckDocument<'_>>(generator),
            reference::<check::RulesDocument>(generator),
            reference::<diff::DiffDocument<'_>>(generator),
            reference::<diff::BytesDocument<'_>>(generator),
            reference::<diff::QualityDocument<'_>>(generator),
            reference::<srcsrv::SrcsrvDocument<'_>>(generator),
            reference::<decode::DecodeDocument<'_>>(generator),
            reference::<encode::EncodeDocument<'_>>(generator),
            reference::<explain::ExplainDocument<'_>>(generator),
            reference::<learn::LessonsDocument<'_>>(generator),
            reference::<store::ListDocument<'_>>(generator),
        ];
        let mut definitions: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
        for document in &documents {
            let name = document["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap();
            let definition = definitions.get_mut(name).unwrap();
            // A command with several answers has a form for each.
            let forms = match definition.get("anyOf") {
                Some(_) => definition["anyOf"].as_array_mut().unwrap().as_mut_slice(),
                None => std::slice::from_mut(definition),
            };
            for form in forms {
                form["properties"]["schema"] = json::version();
                form["required"].as_array_mut().unwrap().insert(0, "schema".into());
            }
        }
        for (name, definition) in of_pairs.into_iter().chain(rows) {
            documents.push(json!({"$ref": format!("#/$defs/{name}")}));
            assert!(definitions.insert(name.to_owned(), definition).is_none(), "{name} is defined twice");
        }
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What pdblens prints with --json, schema 1",
            "description": "Each definition that is listed under anyOf is the document of the command of that name; `extract` is that of `sources --extract` too, `list` that of `sources --search` and `info --sizes`, `break_why` that of `break --why`, `diff_bytes` that of `diff --bytes`, `diff_pairs` that of `diff` of two packages or folders, `show_steps` that of `show --steps`, `coverage` that of `info --coverage`, `native_points_row` that of `points --native`, `chains` that of `--steps` of `where`, `break` and `srcsrv`, `chains_of_pairs` that of `sources --steps` and `find --steps`, `check_rules` that of `check --rules`, `lessons` that of `learn --list`, `store_list` that of `store list`. Definitions that end in `_row` are the lines of `--jsonl`.",
            "anyOf": documents,
            "$defs": definitions,
        })
    }

    fn pairs<T: JsonSchema>(generator: &mut SchemaGenerator, description: &str) -> Value {
        json::schema::<T>(generator, description)
    }

    /// Schema of a row of `points --native --jsonl`, in which the IL offset may be a word.
    fn native_row(generator: &mut SchemaGenerator) -> Value {
        let mut schema = row(generator, &columns::<points::BoundRows>());
        schema["properties"]["il"] = json!({"type": ["integer", "string"]});
        schema
    }

    /// Schema of a row of `--jsonl`, whose values are told by the names of their columns.
    fn row(generator: &mut SchemaGenerator, columns: &[&str]) -> Value {
        let properties: Map<String, Value> = columns
            .iter()
            .map(|column| {
                let value = match *column {
                    "token" => generator.subschema_for::<Token>(),
                    "mvid" | "pdb_id" | "language_id" | "hash_algorithm" => generator.subschema_for::<Option<Guid>>(),
                    "hidden" | "embedded" | "whole" | "fits" | "stack_empty" | "call" | "by_description" => {
                        generator.subschema_for::<bool>()
                    }
                    "module" => generator.subschema_for::<String>(),
                    "address" | "name" | "full_name" | "document" | "language" | "hash" | "url" | "statement" => {
                        generator.subschema_for::<Option<String>>()
                    }
                    _ => generator.subschema_for::<Option<u32>>(),
                };
                ((*column).to_owned(), value.to_value())
            })
            .collect();
        json!({"type": "object", "properties": properties, "required": columns})
    }

    fn reference<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
}
