//! JSON output: serde structs, written while they are made.
//!
//! A document is a struct that derives [`Serialize`], and `JsonSchema` in tests: the doc comments of its fields are the descriptions of
//! the schema. Long lists are [`List`]s, whose elements exist only while they are written.

mod buffer;
mod compact;
mod parts;
mod text;

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufWriter, Write};

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Error as _, Serialize, SerializeSeq, Serializer};
use serde_json::ser::Formatter;

use crate::text::safe::is_plain;
pub use buffer::Buffer;
use compact::Compact;
pub use parts::Head;
use parts::{Members, Tail};
use text::push_escaped;
pub use text::{HEX, leading_digits, push_number, push_text, three_digits};

/// Writes one JSON document and a line end.
pub fn write(writer: impl Write, document: &impl Serialize) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, writer);
    document.serialize(&mut serde_json::Serializer::with_formatter(&mut writer, Lines::default()))?;
    writer.write_all(b"\n")?;
    writer.flush()
}

/// Writes an object without the brace that ends it, so that members can follow.
pub fn begin(mut writer: impl Write, head: &impl Serialize) -> io::Result<()> {
    head.serialize(&mut serde_json::Serializer::with_formatter(Tail::of(&mut writer), Lines::default()))?;
    Ok(())
}

/// Writes members of an object after others, without the brace that ends it.
pub fn members(mut writer: impl Write, some: &impl Serialize) -> io::Result<()> {
    begin(Members::of(&mut writer), some)
}

/// Writes the members of an object after others, the brace that ends it, and a line end.
pub fn end(mut writer: impl Write, rest: &impl Serialize) -> io::Result<()> {
    rest.serialize(&mut serde_json::Serializer::with_formatter(Members::of(&mut writer), Lines::default()))?;
    writer.write_all(b"\n")
}

/// Appends an element of a list that is a member of the document: it has a line of its own.
pub fn element(out: &mut impl Buffer, element: &impl Serialize) -> io::Result<()> {
    Ok(element.serialize(Compact(out))?)
}

/// JSON that is already written. Lists of millions of small objects are: a serializer asks for each key and looks at each of its
/// characters.
pub struct Raw<'a>(pub &'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Layout of a document: its members, and the elements of its outermost lists, stand on lines of their own. What a terminal
/// would act on, or not show, is escaped: a parser gets it back.
#[derive(Debug, Default)]
struct Lines {
    depth: usize,
    /// The innermost list or object has an element.
    filled: bool,
}

impl Lines {
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

impl Formatter for Lines {
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

    /// Writes a [`Raw`]: nothing else is given as bytes.
    fn write_byte_array<W: ?Sized + Write>(&mut self, writer: &mut W, value: &[u8]) -> io::Result<()> {
        writer.write_all(value)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Most text is printable ASCII, and to find that out without a branch for each byte is fastest.
        if is_plain(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut escaped = Vec::with_capacity(fragment.len() + 8);
        push_escaped(&mut escaped, fragment);
        writer.write_all(&escaped)
    }
}

/// Receives the elements of a [`List`].
pub type Emit<'e, T> = dyn FnMut(T) -> io::Result<()> + 'e;

type Elements<'a, T> = dyn Fn(&mut Emit<'_, T>) -> io::Result<()> + 'a;

/// A list whose elements are made while it is written.
pub struct List<'a, T> {
    each: Box<Elements<'a, T>>,
}

impl<'a, T: 'a> List<'a, T> {
    /// The elements that `make` passes to its argument.
    pub fn each(make: impl Fn(&mut Emit<'_, T>) -> io::Result<()> + 'a) -> Self {
        Self { each: Box::new(make) }
    }

    /// The elements of the iterator that `make` returns.
    pub fn of<I: IntoIterator<Item = T>>(make: impl Fn() -> I + 'a) -> Self {
        Self::each(move |emit| make().into_iter().try_for_each(emit))
    }

    /// The same list, which ends when `room` is used up.
    pub fn within(self, room: &'a Room) -> Self {
        let each = move |emit: &mut Emit<'_, T>| {
            let result = (self.each)(&mut |element| if room.is_full() { Err(full()) } else { emit(element) });
            if room.is_full() { Ok(()) } else { result }
        };
        Self { each: Box::new(each) }
    }
}

/// Error that ends a list without room; it never leaves this module.
fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

impl<T: Serialize> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut failed = None;
        let made = (self.each)(&mut |element| {
            list.serialize_element(&element).map_err(|error| {
                failed = Some(error);
                full()
            })
        });
        match (failed, made) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(S::Error::custom(error)),
            (None, Ok(())) => list.end(),
        }
    }
}

#[cfg(test)]
impl<T: JsonSchema> JsonSchema for List<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}

impl<T> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("List")
    }
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

    /// Returns true if the limit is reached.
    pub fn is_full(&self) -> bool {
        self.written.get() >= self.most
    }

    pub fn is_left(&self) -> bool {
        !self.is_full()
    }

    /// A writer that takes up room.
    pub const fn writer<W>(&self, inner: W) -> Counted<'_, W> {
        Counted { inner, room: self }
    }
}

/// A writer that counts its bytes.
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
    use crate::text::safe::is_hidden;

    const TEXT: &str = "a\"b\\c\n\u{1}\u{7f}é\u{202e}\u{e0041}日";

    #[test]
    fn what_is_written_parses_back() {
        let value = json!({"text": TEXT, "n": 3, "list": [1, {"x": true}, []], "none": null, "empty": {}});
        let mut bytes = Vec::new();
        write(&mut bytes, &value).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            text.contains("é\\u202e\\udb40\\udc41日") && !text.chars().any(|c| c != '\n' && is_hidden(c)),
            "{text}"
        );
        assert!(text.ends_with("\n}\n") && text.contains("\n\"list\":[\n1,\n{\"x\":true},\n[]\n],\n"), "{text}");
    }

    #[test]
    fn a_list_ends_with_its_room() {
        let room = Room::new(100_000);
        let list = List::of(|| 0_u64..).within(&room);
        let mut bytes = Vec::new();
        write(room.writer(&mut bytes), &list).unwrap();
        assert!((100_000..400_000).contains(&bytes.len()), "{}", bytes.len());
        assert!(serde_json::from_slice::<Value>(&bytes).unwrap().as_array().unwrap().len() > 10_000);
    }

    #[test]
    fn an_error_while_an_element_is_made_is_passed_on() {
        let list: List<'_, u32> = List::each(|emit| {
            emit(1)?;
            Err(io::Error::other("standard input broke"))
        });
        assert!(write(io::sink(), &list).unwrap_err().to_string().contains("standard input broke"));
    }
}
