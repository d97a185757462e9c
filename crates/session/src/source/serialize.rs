//! JSON of verdicts and outcomes: a code, and a sentence beside it.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{HashVerdict, Outcome};
use crate::text::paths::without_passwords;

impl HashVerdict {
    /// Its code in JSON.
    const fn code(self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Differs => "differs",
            Self::CannotTell(_) => "unknown",
        }
    }
}

impl Outcome {
    /// Its code in JSON.
    const fn code(&self) -> &'static str {
        match self {
            Self::Found(verdict) => verdict.code(),
            Self::Missing => "missing",
            Self::Withheld(_) => "withheld",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::NotAsked => "not-fetched",
        }
    }
}

impl Serialize for HashVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        coded(serializer, ("verdict", self.code()), &self.to_string())
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        coded(serializer, ("outcome", self.code()), &self.to_string())
    }
}

/// A URL without its password.
pub(super) fn url<S: Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&without_passwords(url))
}

fn coded<S: Serializer>(serializer: S, (member, code): (&str, &str), text: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry(member, code)?;
    map.serialize_entry("text", text)?;
    map.end()
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{HashVerdict, Outcome};

    impl JsonSchema for HashVerdict {
        fn schema_name() -> Cow<'static, str> {
            "hash_verdict".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": "object",
                "properties": {
                    "verdict": {
                        "enum": ["verified", "differs", "unknown"],
                        "description": "Result of comparing the text with the hash; unknown if there is no hash or no text.",
                    },
                    "text": {"type": "string", "description": "The verdict in words."},
                },
                "required": ["verdict", "text"],
            })
        }
    }

    impl JsonSchema for Outcome {
        fn schema_name() -> Cow<'static, str> {
            "source_outcome".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": "object",
                "properties": {
                    "outcome": {
                        "enum": ["verified", "differs", "unknown", "missing", "withheld", "refused", "failed", "not-fetched"],
                        "description": "Unknown is a text with no hash to compare with; withheld a file without a matching hash, outside of --source-root, --map and the folder of the symbols; not-fetched a URL without --fetch.",
                    },
                    "text": {"type": "string", "description": "The outcome in words."},
                },
                "required": ["outcome", "text"],
            })
        }
    }
}
