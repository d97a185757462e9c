use serde::Serialize;

use super::command::{Error, Example, Exit, Out, Run, example};
use super::output::say;
use super::values::BytesText;
use super::{decode, json};
use crate::text::safe::spaced_hex;

/// `pdblens encode KIND TEXT`
#[derive(Debug, clap::Args)]
pub struct Encode {
    /// Kind of the record, such as points, sint, constant or guid; if omitted, the kinds are listed.
    kind: Option<String>,
    /// Value in the form that `pdblens decode` prints, in one or several words.
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    text: Vec<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Encode {
    const EXAMPLES: &'static [Example] = &[example("Encode a compressed signed integer", "pdblens encode sint -5")];

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let Some(kind) = &self.kind else {
            decode::list_kinds(out)?;
            return Ok(Exit::Done);
        };
        let codec = decode::named(kind)?;
        let text = self.text.join(" ");
        if text.is_empty() {
            return Err(Error::Usage(format!(
                "no value to encode: `pdblens encode {kind} '{}'` is an example",
                codec.example.1
            )));
        }
        let bytes = codec.encode(&text).map_err(|error| Error::Usage(error.to_string()))?;
        // The limits that `decode` reports are reported here too.
        let violations = codec.decode(&bytes).violations;
        if self.json {
            let document = EncodeDocument { kind: codec.name, text: &text, bytes: BytesText::of(&bytes) };
            json::write(out, &document)?;
        } else {
            out.line(&spaced_hex(&bytes, usize::MAX))?;
        }
        for violation in &violations {
            say(&format!("✗ {violation}"));
        }
        Ok(if violations.is_empty() { Exit::Done } else { Exit::Findings })
    }
}

/// An encoded value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "encode"))]
pub(super) struct EncodeDocument<'f> {
    kind: &'static str,
    text: &'f str,
    bytes: BytesText,
}
