//! The text of `trace`, with its explanations, and the source lines of frames for `--excerpt`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::cli::Error;
use crate::cli::excerpt::{ExcerptLine, Excerpts};
use crate::cli::output::Out;
use crate::nodes::rows::Tone;
use crate::source::SourceOptions;
use crate::text::safe::visible;
use crate::trace::{Encoder, Encoding, Outcome, Sink, Summary, Told};

/// Byte order mark, as UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Limit on the excerpts that are kept: the same frames recur in a log.
const MAX_KEPT: usize = 4096;

/// Excerpts of frames, those of the last ones kept.
pub(super) struct FrameExcerpts {
    options: SourceOptions,
    kept: HashMap<(usize, u32, u32, u32), Vec<ExcerptLine>>,
}

impl FrameExcerpts {
    pub(super) fn new(options: SourceOptions) -> Self {
        Self { options, kept: HashMap::new() }
    }

    /// The lines of the point of a frame; none for a frame without a line.
    pub(super) fn of(&mut self, told: &Told<'_>) -> &[ExcerptLine] {
        let (Outcome::Resolved(found), Some(session)) = (told.outcome, told.session) else { return &[] };
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        let (of, start) = (found.code.unit(), (found.line, found.column));
        self.kept
            .entry((found.pair, of.address(), start.0, start.1))
            .or_insert_with(|| Excerpts::new(session, self.options.clone()).lines_at(of, start))
    }
}

/// Sentences below a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    Nothing,
    /// Lines that a frame without an offset could mean, if they are few.
    Calls,
    Explanation,
}

/// Output of the text, with notes below each frame.
pub(super) struct AsText<'o> {
    out: &'o mut Out,
    below: Below,
    excerpts: Option<FrameExcerpts>,
    raw: bool,
    /// The text so far ends with a line end.
    ended: bool,
    /// Encoding that the text came in, where it goes out in the same.
    encoder: Option<Encoder>,
    began: bool,
    pub(super) summary: Summary,
}

impl<'o> AsText<'o> {
    /// Writes to `out`. A pipe gets control characters only if `raw`.
    pub(super) fn new(out: &'o mut Out, below: Below, excerpts: Option<FrameExcerpts>, raw: bool) -> Self {
        Self { out, below, excerpts, raw, ended: true, encoder: None, began: false, summary: Summary::default() }
    }

    fn below(&mut self, parts: &[(&str, Tone)]) -> io::Result<()> {
        if self.encoder.is_some() {
            let text: String = parts.iter().map(|(text, _)| *text).chain(["\n"]).collect();
            return self.text(text.as_bytes());
        }
        if !std::mem::replace(&mut self.ended, true) {
            self.out.write_all(b"\n")?;
        }
        self.out.parts(parts).map_err(|error| match error {
            Error::Io(error) => error,
            other => io::Error::other(other.to_string()),
        })
    }
}

impl Sink for AsText<'_> {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.ended = text.last().map_or(self.ended, |byte| *byte == b'\n');
        let began = std::mem::replace(&mut self.began, true);
        if self.out.is_terminal() {
            let text = if began { text } else { text.strip_prefix(MARK).unwrap_or(text) };
            return self.out.hand_on(text);
        }
        let text = if self.raw { Cow::Borrowed(text) } else { controls_escaped(text) };
        match &mut self.encoder {
            Some(encoder) => self.out.write_all(&encoder.encode(&text)),
            None => self.out.write_all(&text),
        }
    }

    fn mark(&mut self, mark: &str) -> io::Result<()> {
        if self.out.is_terminal() { self.out.toned(mark, Tone::Dim) } else { self.text(mark.as_bytes()) }
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.summary.add(told.outcome);
        let lines = self.excerpts.as_mut().map(|excerpts| excerpts.of(told).to_vec()).unwrap_or_default();
        for line in &lines {
            let parts: Vec<(&str, Tone)> = line.iter().map(|(text, tone)| (text.as_str(), *tone)).collect();
            self.below(&[&[("     ", Tone::Dim)], parts.as_slice()].concat())?;
        }
        let said = match self.below {
            Below::Explanation => told.sentences(),
            Below::Calls if told.is_alone => told.candidate_calls().into_iter().map(|call| (call, Tone::Dim)).collect(),
            Below::Calls | Below::Nothing => Vec::new(),
        };
        for (sentence, tone) in said {
            // Text of a file is shown with its control characters spelled out: it is not the text of the input.
            self.below(&[("     │ ", Tone::Dim), (&visible(&sentence), tone)])?;
        }
        Ok(())
    }

    fn encoding(&mut self, encoding: Encoding) {
        // Explanations and sources are no part of the text: with them it is UTF-8 altogether.
        if self.below != Below::Explanation && self.excerpts.is_none() && !self.out.is_terminal() {
            self.encoder = Encoder::new(encoding);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A text without control characters: they are spelled out, but for tabs, line ends and colours.
fn controls_escaped(text: &[u8]) -> Cow<'_, [u8]> {
    let is_control = |at: usize| match text.get(at) {
        Some(b'\t' | b'\n') => false,
        Some(b'\r') => !text.get(at..).is_some_and(|rest| {
            let behind = rest.iter().position(|byte| *byte != b'\r');
            behind.is_none_or(|behind| rest.get(behind) == Some(&b'\n'))
        }),
        Some(0..=0x1f | 0x7f) => true,
        // Control characters of 8 bits, as UTF-8 has them.
        Some(0xc2) => matches!(text.get(at + 1), Some(0x80..=0x9f)),
        _ => false,
    };
    // Most lines have none, which a pass without branches finds out.
    let may_be_control = |byte: u8| matches!(byte, 0..=0x08 | 0x0b..=0x1f | 0x7f | 0xc2);
    if !text.iter().fold(false, |found, byte| found | may_be_control(*byte)) {
        return Cow::Borrowed(text);
    }
    let Some(first) = (0..text.len()).find(|at| is_control(*at)) else { return Cow::Borrowed(text) };
    let mut out = text.get(..first).unwrap_or_default().to_vec();
    let mut at = first;
    while let Some(byte) = text.get(at) {
        if let Some(len) = colour(text, at) {
            out.extend_from_slice(text.get(at..at + len).unwrap_or_default());
            at += len;
        } else if *byte == 0xc2 && is_control(at) {
            let _ = write!(out, "\\u{{{:x}}}", text.get(at + 1).copied().unwrap_or_default());
            at += 2;
        } else if is_control(at) {
            let _ = write!(out, "\\x{byte:02x}");
            at += 1;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    Cow::Owned(out)
}

/// The length of the sequence at `at` that sets a colour or another attribute (SGR).
fn colour(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(b"\x1b[")?;
    let parameters = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
    (rest.get(parameters) == Some(&b'm')).then_some(parameters + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out_and_colours_stay() {
        for (text, wanted) in [
            ("plain é\tx\r\n\r\r\n", "plain é\tx\r\n\r\r\n"),
            ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"),
            ("\x1b]0;title\x07\x1b[2J", "\\x1b]0;title\\x07\\x1b[2J"),
            ("a\rb\u{9b}2J\0", "a\\x0db\\u{9b}2J\\x00"),
        ] {
            assert_eq!(String::from_utf8_lossy(&controls_escaped(text.as_bytes())), wanted, "{text:?}");
        }
        assert_eq!(&*controls_escaped(b"\xff\xc2\x01"), b"\xff\xc2\\x01");
    }
}
