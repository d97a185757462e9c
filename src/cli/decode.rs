use std::io;

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::handout_args::HandoutArgs;
use super::json;
use super::steps::{self, StepJson};
use super::values::BytesText;
use crate::formats::reason::Reason;
use crate::learn::codec::{Codec, Decoded, lines, parse_hex};
use crate::learn::failure::Failure;
use crate::learn::{Link, Steps};
use crate::nodes::rows::Tone;
use crate::session::{standard_input, why_not_read};
use crate::text::safe::spaced_hex;

/// Limit on the bytes of standard input: no record is as long.
const MAX_INPUT: u64 = 8 << 20;

/// `pdblens decode KIND HEX`
#[derive(Debug, clap::Args)]
pub struct Decode {
    /// Kind of the record, such as points, sint, constant or guid; if omitted, the kinds are listed.
    kind: Option<String>,
    /// Hexadecimal bytes, in one or several words; `-` reads hexadecimal text or raw bytes from standard input.
    #[arg(value_name = "HEX")]
    bytes: Vec<String>,
    /// Print each read of the decoder, with its state before and after.
    #[arg(long)]
    steps: bool,
    /// Add the arithmetic and the purpose of each value.
    #[arg(long)]
    explain: bool,
    /// Print one JSON document.
    #[arg(long, conflicts_with_all = ["format", "output"])]
    json: bool,
    #[command(flatten)]
    handout: HandoutArgs,
}

impl Run for Decode {
    const EXAMPLES: &'static [Example] = &[
        example("Decode a sequence points blob", "pdblens decode points 02 00 00 01 13 05 01 00 26 02 04"),
        example("Derive a compressed integer bit by bit", "pdblens decode sint 77 --explain"),
        example("Make a handout of a blob for a class", "pdblens decode sint 77 --format html --blank > sint.html"),
    ];

    fn access(&self) -> Access {
        self.handout.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let Some(kind) = &self.kind else {
            list_kinds(out)?;
            return Ok(Exit::Done);
        };
        let codec = named(kind)?;
        let bytes = match self.bytes.as_slice() {
            [input] if input == "-" => blob_on_input(codec)?,
            words => parse_hex(&words.join(" ")).map_err(|error| Error::Usage(error.to_string()))?,
        };
        if bytes.is_empty() {
            let (hex, _) = codec.example;
            return Err(Error::Usage(format!("no bytes to decode: `pdblens decode {kind} {hex}` is an example")));
        }
        let mut found = codec.decode(&bytes);
        found.steps.link = Some(Link::Bytes { kind: codec.name, bytes: bytes.clone(), step: 1 });
        let command = format!("pdblens decode {kind} {}", spaced_hex(&bytes, usize::MAX));
        if let Some(handout) = self.handout.asked(&found.steps, &command)? {
            self.handout.write(&handout, &[], out)?;
        } else if self.json {
            json::write(out, &DecodeDocument::of(codec, &bytes, &found, self.explain))?;
        } else {
            self.print(out, codec, &bytes, &found)?;
        }
        Ok(if found.text.is_ok() && found.violations.is_empty() { Exit::Done } else { Exit::Findings })
    }
}

impl Decode {
    fn print(&self, out: &mut Out, codec: &Codec, bytes: &[u8], found: &Decoded) -> Result<(), Error> {
        if self.explain {
            steps::explained(out, |_| Some(codec.paragraph), &found.steps)?;
            out.line("")?;
        } else if self.steps {
            out.table(&steps::rows(&found.steps, None))?;
        }
        match &found.text {
            Ok(text) => lines(text).into_iter().try_for_each(|line| out.line(line))?,
            Err(_) => {
                found.complete.iter().try_for_each(|line| out.line(line))?;
                let text = found.error_text(bytes).unwrap_or_default();
                out.prose(&[("✗ ", Tone::Bad)], &[(&text, Tone::Bad)])?;
            }
        }
        if let Some(advice) = &found.advice {
            let head = if found.text.is_ok() { ("! ", Tone::Warn) } else { ("  ", Tone::Text) };
            out.prose(&[head], &[(advice, head.1)])?;
        }
        for violation in &found.violations {
            out.prose(&[("✗ ", Tone::Bad)], &[(&violation.text, Tone::Bad)])?;
        }
        Ok(())
    }
}

/// Bytes on standard input: what its hexadecimal digits say where it is text of them, else the bytes themselves, for a record of text
/// without the end of its last line.
fn blob_on_input(codec: &Codec) -> Result<Vec<u8>, Error> {
    let bytes = bytes_on_input(MAX_INPUT)?;
    let is_text = bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    match std::str::from_utf8(&bytes) {
        Ok(text) if codec.is_of_text() => Ok(parse_hex(text).unwrap_or_else(|_| text.trim_end().as_bytes().to_vec())),
        Ok(text) if is_text => parse_hex(text).map_err(|error| Error::Other(error.to_string())),
        _ => Ok(bytes),
    }
}

pub(super) fn bytes_on_input(max: u64) -> Result<Vec<u8>, Error> {
    let read = standard_input::read_more(&mut io::stdin().lock(), Vec::new(), max);
    read.map_err(|error| Error::Other(format!("standard input: {}", why_not_read(&error))))
}

pub(super) fn named(kind: &str) -> Result<&'static Codec, Error> {
    Codec::named(kind).ok_or_else(|| {
        let names: Vec<&str> = crate::learn::codec::CODECS.iter().map(|codec| codec.name).collect();
        Error::Usage(format!("no kind `{kind}`: the kinds are {}", names.join(", ")))
    })
}

pub(super) fn list_kinds(out: &mut Out) -> Result<(), Error> {
    for codec in crate::learn::codec::CODECS {
        out.prose(&[(&format!("{:17}", codec.name), Tone::Strong)], &[(codec.about, Tone::Text)])?;
    }
    Ok(())
}

/// Decoded bytes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "decode"))]
pub(super) struct DecodeDocument<'f> {
    kind: &'static str,
    bytes: BytesText,
    /// Text that `encode` makes the bytes of; `null` if they cannot be decoded.
    text: Option<&'f str>,
    error: Option<DecodeErrorJson>,
    /// The read that the decode ended at.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Failure>,
    /// Text of the records before the error, each complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<&'f [String]>,
    /// Limits of the specification that values do not keep.
    #[serde(skip_serializing_if = "<[Reason]>::is_empty")]
    violations: &'f [Reason],
    /// Usual cause of the error; or a value that keeps the limits and is still a mistake.
    advice: Option<&'f str>,
    /// Reads, and the groups that they belong to.
    steps: Vec<StepJson<'f>>,
}

/// Reason why bytes cannot be decoded.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "decode_error"))]
struct DecodeErrorJson {
    /// Offset of the first byte that the error is about.
    at: u64,
    #[serde(flatten)]
    reason: Reason,
}

impl<'f> DecodeDocument<'f> {
    fn of(codec: &Codec, bytes: &[u8], found: &'f Decoded, explain: bool) -> Self {
        let steps: &Steps = &found.steps;
        let one = |index| StepJson::of(|_| Some(codec.paragraph), steps, index, explain);
        Self {
            kind: codec.name,
            bytes: BytesText::of(bytes),
            text: found.text.as_ref().ok().map(String::as_str),
            error: found.text.as_ref().err().map(|error| DecodeErrorJson {
                at: error.span.start,
                reason: Reason::new(error.kind.code(), error.kind.to_string()),
            }),
            failed: steps.failure(),
            complete: found.text.is_err().then_some(found.complete.as_slice()).filter(|lines| !lines.is_empty()),
            violations: &found.violations,
            advice: found.advice.as_deref(),
            steps: (0..steps.list.len()).filter_map(one).collect(),
        }
    }
}
