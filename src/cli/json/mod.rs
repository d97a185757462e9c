//! JSON output: serde structs, written while they are made. The doc comments of their fields are the descriptions of the schema.
//! Long lists are [`List`]s, whose elements exist only while they are written.

mod list;
mod pairs;

use std::cell::Cell;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::nodes::SCHEMA;
use crate::text::safe::{is_hidden, is_plain};
pub use list::{Emit, List};
pub use pairs::{FailedPair, Pairs, path};
#[cfg(test)]
pub(super) use pairs::{schema, version};

/// A document after the version of its format.
#[derive(Serialize)]
struct Versioned<'d, D> {
    schema: u32,
    #[serde(flatten)]
    document: &'d D,
}

/// Writes one JSON document, an object that begins with the version of the format, and a line end.
pub fn write(writer: impl Write, document: &impl Serialize) -> io::Result<()> {
    write_lines(writer, &Versioned { schema: SCHEMA, document })
}

fn write_lines(writer: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, writer);
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut writer, LineLayout::default()))?;
    writer.write_all(b"\n")?;
    writer.flush()
}

pub fn write_compact(writer: impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    Ok(value.serialize(&mut serde_json::Serializer::with_formatter(writer, LineLayout { depth: 2, filled: false }))?)
}

/// Layout of a document: its members, and the elements of its outermost lists, stand on lines of their own. What a terminal
/// would act on, or not show, is escaped: a parser gets it back.
#[derive(Debug, Default)]
struct LineLayout {
    depth: usize,
    /// The innermost list or object has an element.
    filled: bool,
}

impl LineLayout {
    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.depth < 2 && self.filled {
            writer.write_all(b"\n")?;
        }
        self.filled = true;
        writer.write_all(bracket)
    }

    fn element<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.filled = true;
        writer.write_all(match (first, (1..3).contains(&self.depth)) {
            (true, true) => b"\n",
            (true, false) => b"",
            (false, true) => b",\n",
            (false, false) => b",",
        })
    }
}

impl Formatter for LineLayout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.element(writer, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.element(writer, first)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Most text is printable ASCII, and to find that out without a branch for each byte is fastest.
        if is_plain(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        fragment.chars().try_for_each(|c| write_char(writer, c))
    }
}

/// Writes a character that JSON does not escape; one that a terminal would act on, or not show, as `\u202e`.
fn write_char(writer: &mut (impl ?Sized + Write), c: char) -> io::Result<()> {
    if !is_hidden(c) {
        return writer.write_all(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(writer, "\\u{unit:04x}"))
}

/// Limit on the bytes of a document.
#[derive(Debug)]
pub struct Room {
    written: Cell<u64>,
    most: u64,
}

impl Room {
    /// Room for about `most` bytes: an element that is begun is finished.
    pub const fn new(most: u64) -> Self {
        Self { written: Cell::new(0), most }
    }

    pub fn is_full(&self) -> bool {
        self.written.get() >= self.most
    }

    pub const fn writer<W>(&self, inner: W) -> Counted<'_, W> {
        Counted { inner, room: self }
    }
}

#[derive(Debug)]
pub struct Counted<'r, W> {
    inner: W,
    room: &'r Room,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.room.written.set(self.room.written.get() + written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const TEXT: &str = "a\"b\\c\n\u{1}\u{7f}é\u{202e}\u{e0041}日";

    #[test]
    fn what_is_written_parses_back() {
        let value = json!({"text": TEXT, "n": 3, "list": [1, {"x": true}, []], "none": null, "empty": {}});
        let mut bytes = Vec::new();
        write_lines(&mut bytes, &value).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            text.contains("é\\u202e\\udb40\\udc41日") && !text.chars().any(|c| c != '\n' && is_hidden(c)),
            "{text}"
        );
        assert!(text.ends_with("\n}\n") && text.contains("\n\"list\":[\n1,\n{\"x\":true},\n[]\n],\n"), "{text}");
    }

    #[test]
    fn texts_are_escaped_wherever_a_character_stands() {
        for c in (0..=0x24f).filter_map(char::from_u32).chain("日\u{202e}\u{e0041}🚀".chars()) {
            for before in 0..18 {
                let text = format!("{}{c}{c}nine chars", "x".repeat(before));
                let mut out = Vec::new();
                write_compact(&mut out, &text).unwrap();
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
                let is_escaped = matches!(c, '"' | '\\') || is_hidden(c);
                assert_eq!(String::from_utf8(out).unwrap() != format!("\"{text}\""), is_escaped, "{c:?}");
            }
        }
    }
}
