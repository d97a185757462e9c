//! A line that a person types: a kind and bytes, or `encode`, a kind and a value.

use super::{CODECS, Codec, Decoded, parse_hex};
use pdblens_formats::reason::Reason;

#[derive(Debug)]
pub struct Typed {
    /// Kind that was named, or the one that was given.
    pub codec: &'static Codec,
    /// Bytes; the error says which character or word is wrong.
    pub bytes: Result<Vec<u8>, Reason>,
    pub encoded: bool,
}

impl Typed {
    /// Parses `points 00 00 18`, `decode points 000018`, `encode sint -5`, or bytes alone, which are of the kind `otherwise`.
    /// `None` where neither a kind nor a byte is typed.
    pub fn parse(line: &str, otherwise: &'static Codec) -> Option<Self> {
        let line = line.trim();
        let line = line.strip_prefix("pdblens ").unwrap_or(line).trim_start();
        let first = |text: &str| {
            text.split_once(char::is_whitespace).map_or((text.to_owned(), String::new()), |(word, rest)| {
                (word.to_owned(), rest.trim().trim_matches('\'').to_owned())
            })
        };
        let (word, rest) = first(line);
        let (encoded, line) = match word.as_str() {
            "encode" => (true, rest),
            "decode" => (false, rest),
            _ => (false, line.to_owned()),
        };
        let (kind, rest) = first(&line);
        let (codec, text) = match Codec::named(&kind) {
            Some(codec) => (codec, rest),
            None => (otherwise, line),
        };
        if text.is_empty() {
            return None;
        }
        let bytes = if encoded {
            codec.encode(&text).map_err(|error| Reason::new("not-encoded", error.to_string()))
        } else if Codec::named(&kind).is_none() && parse_hex(&kind).is_err() {
            Err(Reason::new(
                "unknown-kind",
                format!("`{kind}` is neither a kind nor bytes: `pdblens decode` lists the kinds"),
            ))
        } else {
            parse_hex(text.trim_end_matches("--steps")).map_err(|error| Reason::new("not-bytes", error.to_string()))
        };
        Some(Self { codec, bytes, encoded })
    }

    /// Kinds whose name begins with the word of `line`, if it is one word and no bytes.
    pub fn kinds(line: &str) -> Vec<&'static Codec> {
        let word = line.trim();
        CODECS.iter().copied().filter(|codec| codec.name.starts_with(word)).collect()
    }

    /// Returns true for a line that is meant: a known kind or command, or two or more bytes.
    pub fn is_meant(line: &str) -> bool {
        let word = line.trim().split(char::is_whitespace).next().unwrap_or_default();
        let named = Codec::named(word).is_some() || matches!(word, "decode" | "encode");
        named || parse_hex(line).is_ok_and(|bytes| bytes.len() > 1)
    }
}

impl Decoded {
    /// Position of the error, the read that it is about, and the reason.
    pub fn error_text(&self, bytes: &[u8]) -> Option<String> {
        let error = self.text.as_ref().err()?;
        let at = error.span.start;
        let byte = bytes.get(at as usize).map_or_else(|| "the end".to_owned(), |byte| format!("{byte:02x}"));
        let read = self.steps.failure().map_or_else(String::new, |failure| {
            let of = if failure.record.is_empty() { String::new() } else { format!(" of {}", failure.record) };
            format!(", read {}, {}{of}", failure.number, failure.field)
        });
        Some(format!("byte {at:#x} ({byte}){read}: {}", error.kind))
    }
}
