//! Documents about pairs of image and symbols: `{schema, pairs: [pair]}`, for one pair as for many.

use std::io::{self, BufWriter, Write};
use std::path::Path;

#[cfg(test)]
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use super::LineLayout;
use crate::cli::output::Out;
use crate::cli::{Error, Exit};
use crate::formats::reason::Reason;
use crate::nodes::SCHEMA;
use crate::session::Session;

/// The list `pairs` of a document, whose elements are written one by one. Nothing is written before the first.
#[derive(Debug, Default)]
pub struct Pairs {
    is_begun: bool,
}

/// A pair that cannot be read: the exit code is 1.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "failed_pair"))]
pub struct FailedPair {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    /// Reason why it cannot be read.
    error: Reason,
}

impl FailedPair {
    pub fn of(path: &Path, error: &Error) -> Self {
        Self { path: path.display().to_string(), error: error.reason() }
    }
}

impl Pairs {
    pub fn add(&mut self, writer: impl Write, pair: &impl Serialize) -> io::Result<()> {
        let mut writer = BufWriter::with_capacity(1 << 16, writer);
        if self.is_begun {
            writer.write_all(b",\n")?;
        } else {
            write!(writer, "{{\n\"schema\":{SCHEMA},\n\"pairs\":[\n")?;
        }
        self.is_begun = true;
        pair.serialize(&mut serde_json::Serializer::with_formatter(&mut writer, LineLayout::default()))?;
        writer.flush()
    }

    pub fn add_failed(&mut self, writer: impl Write, path: &Path, error: &Error) -> io::Result<()> {
        self.add(writer, &FailedPair::of(path, error))
    }

    /// Exit code of a pair. An error is reported, in JSON as a pair that cannot be read; only a closed pipe ends the command.
    pub(in crate::cli) fn exit_of(
        &mut self,
        result: Result<Exit, Error>,
        path: &Path,
        json: bool,
        out: &mut Out,
    ) -> Result<Exit, Error> {
        match result {
            Err(error) if !error.is_closed_pipe() => {
                if json {
                    self.add_failed(&mut *out, path, &error)?;
                }
                out.complain(&error);
                Ok(error.exit())
            }
            result => result,
        }
    }

    /// Writes the end of the document, if it was begun.
    pub fn end(&self, mut writer: impl Write) -> io::Result<()> {
        if self.is_begun { writer.write_all(b"\n]\n}\n") } else { Ok(()) }
    }
}

/// Path or address of the image, or of symbols that are alone.
pub fn path(session: &Session) -> String {
    let image = session.image().map(|image| &image.path);
    let path = image.or_else(|| session.symbol_file().map(|file| &file.path));
    path.map_or_else(String::new, |path| path.display().to_string())
}

#[cfg(test)]
pub fn version() -> serde_json::Value {
    let description = "Version of the format: members are only ever added to it.";
    serde_json::json!({"const": SCHEMA, "description": description})
}

#[cfg(test)]
pub fn schema<T: JsonSchema>(generator: &mut SchemaGenerator, description: &str) -> serde_json::Value {
    let (pair, failed) = (generator.subschema_for::<T>(), generator.subschema_for::<FailedPair>());
    serde_json::json!({
        "type": "object",
        "description": description,
        "properties": {"schema": version(), "pairs": {"type": "array", "items": {"anyOf": [pair, failed]}}},
        "required": ["schema", "pairs"],
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn pairs_are_written_one_by_one() {
        let (mut pairs, mut bytes) = (Pairs::default(), Vec::new());
        pairs.end(&mut bytes).unwrap();
        assert!(bytes.is_empty());
        pairs.add(&mut bytes, &json!({"path": "a", "rows": [1, 2]})).unwrap();
        pairs.add_failed(&mut bytes, Path::new("b"), &Error::Other("it is \"broken\"".to_owned())).unwrap();
        pairs.end(&mut bytes).unwrap();
        let expected = json!({
            "schema": SCHEMA,
            "pairs": [{"path": "a", "rows": [1, 2]}, {"path": "b", "error": {"reason": "failed", "text": "it is \"broken\""}}],
        });
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected);
    }
}
