//! Report on embedded sources and other parts that were written to a folder.

use schemars::JsonSchema;
use serde::Serialize;

use super::output::Out;
use super::values::{PlaceText, Version};
use super::{Error, Exit};
use crate::nodes::rows::Tone;
use crate::query::extract::Extracted;

/// Lists each part with its file or its error; says `none` where there is no part.
pub(super) fn report(out: &mut Out, done: &[Extracted], json: bool, none: &str) -> Result<Exit, Error> {
    let failed = done.iter().filter(|one| one.written.is_err()).count();
    if json {
        let extracted = done.iter().map(ExtractedJson::of).collect();
        super::json::write(&mut *out, &ExtractDocument { schema: Version, extracted })?;
    } else {
        for one in done {
            let path = one.path.display().to_string();
            let (mark, why, tone) = match &one.written {
                Ok(bytes) => ("", format!("  {bytes} bytes"), Tone::Dim),
                Err(why) => ("✗ ", format!("  {why}"), Tone::Bad),
            };
            out.parts(&[(mark, Tone::Bad), (&path, Tone::Text), (&why, tone)])?;
        }
        if done.is_empty() {
            out.line(none)?;
        }
    }
    Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
}

/// Embedded sources, streams and other parts, each with its file or its error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "extract")]
pub(super) struct ExtractDocument {
    schema: Version,
    extracted: Vec<ExtractedJson>,
}

/// A part, with either `bytes` or `error`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "extracted")]
struct ExtractedJson {
    place: PlaceText,
    /// Name or path, as the symbols have it.
    name: String,
    /// The file it was written to, or would have been.
    path: String,
    /// Bytes that were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Error that prevented writing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ExtractedJson {
    fn of(one: &Extracted) -> Self {
        Self {
            place: one.place.into(),
            name: one.name.clone(),
            path: one.path.display().to_string(),
            bytes: one.written.as_ref().ok().copied(),
            error: one.written.as_ref().err().cloned(),
        }
    }
}
