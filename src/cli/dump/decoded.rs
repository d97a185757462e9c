//! Decoded custom debug information: JSON whose form depends on the kind.

use crate::formats::tree::Tree;

/// Decoded value of a record.
#[derive(serde::Serialize)]
pub(super) struct Decoded(pub(super) Tree);

/// Schema of what is written; it is made by a test.
#[cfg(test)]
mod schema {
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde_json::{Value, json};

    use super::Decoded;

    impl JsonSchema for Decoded {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "decoded".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "Value of custom debug information. `kind_name` selects the form, which has the same title.",
                "anyOf": forms(),
            })
        }
    }

    /// Schema of each kind. A kind that is a plain text has none of its own: the last form is for all of them.
    fn forms() -> Vec<Value> {
        let (integer, text, flag) = (json!({"type": "integer"}), json!({"type": "string"}), json!({"type": "boolean"}));
        let nullable = |name: &str| json!({"type": [name, "null"]});
        let closure = json!({"type": ["integer", "string"], "description": "Index in `closures`, `this` or `static`."});
        let lambda = object(&[("syntax_offset", integer.clone()), ("closure", closure)]);
        let resume = object(&[("yield", integer.clone()), ("resume", integer.clone()), ("move_next", integer.clone())]);
        let slot = [("kind", integer.clone()), ("syntax_offset", integer.clone()), ("ordinal", integer.clone())];
        let slot = json!({"anyOf": [object(&slot), {"type": "null"}]});
        let state = [("state", integer.clone()), ("syntax_offset", integer.clone()), ("ordinal", integer.clone())];
        let reference = [
            ("file", text.clone()),
            ("aliases", text.clone()),
            ("assembly", flag.clone()),
            ("embed_interop_types", flag.clone()),
            ("time_stamp", integer.clone()),
            ("size_of_image", integer.clone()),
            ("mvid", text.clone()),
        ];
        let lambda_map =
            [("method_ordinal", integer.clone()), ("closures", list(integer.clone())), ("lambdas", list(lambda))];
        vec![
            titled(
                "StateMachineHoistedLocalScopes",
                list(object(&[("start", integer.clone()), ("length", integer.clone())])),
            ),
            titled("DynamicLocalVariables", list(flag.clone())),
            titled("TupleElementNames", list(nullable("string"))),
            titled("EncLocalSlotMap", list(slot)),
            titled("EncLambdaAndClosureMap", object(&lambda_map)),
            titled("EncStateMachineStateMap", list(object(&state))),
            titled(
                "AsyncMethodSteppingInformation",
                object(&[("catch_handler", nullable("integer")), ("awaits", list(resume))]),
            ),
            titled("EmbeddedSource", object(&[("format", text.clone()), ("size", integer.clone())])),
            titled("CompilationMetadataReferences", list(object(&reference))),
            titled("CompilationOptions", list(object(&[("name", text.clone()), ("value", text.clone())]))),
            titled("TypeDefinitionDocuments", list(integer)),
            titled("PrimaryConstructorInformationBlob", flag),
            titled(
                "FSharpSynthesizedNameSnapshot",
                list(object(&[("key", text.clone()), ("names", list(text.clone()))])),
            ),
            titled("text: DefaultNamespace, SourceLink, and the bytes of any other kind", text),
        ]
    }

    #[allow(clippy::needless_pass_by_value)]
    fn list(items: Value) -> Value {
        json!({"type": "array", "items": items})
    }

    fn object(members: &[(&str, Value)]) -> Value {
        let required: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        let properties: serde_json::Map<_, _> =
            members.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn titled(kind: &str, mut form: Value) -> Value {
        form["title"] = kind.into();
        form
    }
}
