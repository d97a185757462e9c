//! JSON, written as it comes: nothing is held but how deep it is.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};

use crate::bytes::Span;
use crate::text::safe::is_hidden;

/// Writes one JSON document. Elements of the outermost lists stand on lines of their own.
pub struct Json<W> {
    writer: W,
    /// The text of the line so far: one write a line is faster than one a token.
    line: String,
    depth: usize,
    first: bool,
    /// How many bytes have gone to the writer.
    written: u64,
    most: u64,
}

impl<W: Write> Json<W> {
    /// A document on `writer`.
    pub fn new(writer: W) -> Self {
        Self { writer, line: String::new(), depth: 0, first: true, written: 0, most: u64::MAX }
    }

    /// The same document, which is full at about so many bytes.
    #[must_use]
    pub fn at_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Whether it has as many bytes as it may. Nothing keeps who asks from going on.
    pub const fn is_full(&self) -> bool {
        self.written >= self.most
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.write_all(self.line.as_bytes())?;
        self.written += self.line.len() as u64;
        self.line.clear();
        Ok(())
    }

    /// An object, the members of which `members` writes.
    pub fn object(&mut self, members: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.nested('{', '}', members)
    }

    /// A list, the elements of which `elements` writes.
    pub fn list(&mut self, elements: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.nested('[', ']', elements)
    }

    fn nested(&mut self, open: char, close: char, inner: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.comma()?;
        self.line.push(open);
        self.depth += 1;
        self.first = true;
        inner(self)?;
        self.depth -= 1;
        if self.depth < 2 && !self.first {
            self.line.push('\n');
        }
        self.line.push(close);
        self.first = false;
        if self.depth == 0 {
            self.line.push('\n');
            self.flush()?;
        }
        Ok(())
    }

    /// A member's name; what is written next is its value.
    pub fn key(&mut self, name: &str) -> io::Result<&mut Self> {
        self.comma()?;
        // Members have names of ours: there is nothing to escape in them.
        self.line.push('"');
        self.line.push_str(name);
        self.line.push_str("\":");
        self.first = true;
        Ok(self)
    }

    /// A number or a Boolean.
    pub fn value(&mut self, value: impl Display) -> io::Result<()> {
        self.comma()?;
        let _ = write!(self.line, "{value}");
        self.first = false;
        Ok(())
    }

    /// A string.
    pub fn string(&mut self, text: &str) -> io::Result<()> {
        self.comma()?;
        quoted(text, &mut self.line);
        self.first = false;
        Ok(())
    }

    /// A string, or `null`.
    pub fn maybe(&mut self, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => self.string(text),
            None => self.value("null"),
        }
    }

    /// A member that is a string.
    pub fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.key(name)?.string(text)
    }

    /// A member that is what `value` prints, in quotes.
    pub fn shown(&mut self, name: &str, value: impl Display) -> io::Result<()> {
        self.key(name)?.string(&value.to_string())
    }

    /// A member that is a number or a Boolean.
    pub fn number(&mut self, name: &str, value: impl Display) -> io::Result<()> {
        self.key(name)?.value(value)
    }

    /// A member that is a span: the number of its space, its offset there, its length.
    pub fn span(&mut self, name: &str, span: Span) -> io::Result<()> {
        self.key(name)?.list(|json| {
            json.value(span.space.0)?;
            json.value(span.start)?;
            json.value(span.len)
        })
    }

    fn comma(&mut self) -> io::Result<()> {
        if !self.first {
            self.line.push(',');
        }
        if (1..3).contains(&self.depth) && !self.line.ends_with(':') {
            self.line.push('\n');
        }
        if self.line.len() > 1 << 15 {
            self.flush()?;
        }
        self.first = false;
        Ok(())
    }
}

/// Appends `text` as JSON has it. What a terminal would act on, or not show, is escaped too: whoever parses it gets it back.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Most text is ASCII with nothing to escape: bytes are looked at, and characters only where they may have to be.
    while let Some(at) = rest.bytes().position(|b| !(b' '..0x7f).contains(&b) || matches!(b, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c) if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_parses_back() {
        let mut bytes = Vec::new();
        Json::new(&mut bytes)
            .object(|json| {
                json.text("text", "a\"b\\c\n\u{1}\u{7f}é\u{202e}\u{e0041}日")?;
                json.number("n", 3)?;
                json.key("list")?.list(|json| {
                    json.value(1)?;
                    json.object(|json| json.number("x", true))?;
                    json.list(|_| Ok(()))
                })?;
                json.key("none")?.maybe(None)
            })
            .unwrap();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let wanted = serde_json::json!({"text": "a\"b\\c\n\u{1}\u{7f}é\u{202e}\u{e0041}日", "n": 3, "list": [1, {"x": true}, []], "none": null});
        assert_eq!(value, wanted);
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            text.contains("é\\u202e\\udb40\\udc41日") && !text.chars().any(|c| c != '\n' && is_hidden(c)),
            "{text}"
        );
    }
}
