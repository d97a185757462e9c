//! JSON with the byte range of every value, so that a change replaces one value and leaves the rest of the
//! document alone.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use serde_json::value::RawValue;

const MAX_DEPTH: usize = 64;

/// Finds the end of a document that arrives in chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DocumentEnd {
    /// Bytes so far that are no white space.
    len: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    is_other: bool,
}

impl DocumentEnd {
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Self {
        for byte in piece {
            if self.is_other {
                break;
            }
            self.byte(*byte);
        }
        *self
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                // A string does not go over the end of a line.
                b'\n' => self.is_other = true,
                _ => {}
            }
            return;
        }
        let is_mark = self.len == 0 && matches!(byte, 0xef | 0xbb | 0xbf);
        if is_mark || matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return;
        }
        self.is_other = match self.len {
            0 => byte != b'{',
            // The first brace is followed by a name or by another brace, the last one by nothing.
            1 => !matches!(byte, b'"' | b'}' | b']'),
            _ => self.depth == 0,
        };
        self.len += 1;
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Returns whether the text is JSON so far, with more than white space.
    pub(crate) fn is_json(self) -> bool {
        self.len > 0 && !self.is_other
    }

    pub(crate) fn is_complete(self) -> bool {
        self.is_json() && self.depth == 0
    }
}

/// A value with its byte range in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(BTreeMap<String, Value>),
    List(Vec<Value>),
    String,
    /// A number, `true`, `false` or `null`.
    Word,
}

impl Value {
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()?;
        Self::of(serde_json::from_str(text).ok()?, bytes, 0)
    }

    fn of(raw: &RawValue, bytes: &[u8], depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (text, deeper) = (raw.get(), depth + 1);
        let kind = match text.as_bytes().first()? {
            b'{' => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                let members = members.into_iter().map(|(name, raw)| Some((name, Self::of(raw, bytes, deeper)?)));
                Kind::Object(members.collect::<Option<_>>()?)
            }
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let elements = elements.into_iter().map(|raw| Self::of(raw, bytes, deeper));
                Kind::List(elements.collect::<Option<_>>()?)
            }
            b'"' => Kind::String,
            _ => Kind::Word,
        };
        let start = text.as_ptr().addr() - bytes.as_ptr().addr();
        Some(Self { range: start..start + text.len(), kind })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Object(members) => members.get(name),
            _ => None,
        }
    }

    pub(crate) fn elements(&self) -> &[Self] {
        match &self.kind {
            Kind::List(elements) => elements,
            _ => &[],
        }
    }

    pub(crate) fn text(&self, bytes: &[u8]) -> Option<String> {
        match self.kind {
            Kind::String => serde_json::from_slice(bytes.get(self.range.clone())?).ok(),
            _ => None,
        }
    }

    /// A number, or a string that holds one; `0x` begins a hexadecimal one.
    pub(crate) fn number(&self, bytes: &[u8]) -> Option<u64> {
        let text = match self.kind {
            Kind::String => self.text(bytes)?,
            Kind::Word => std::str::from_utf8(bytes.get(self.range.clone())?).ok()?.to_owned(),
            _ => return None,
        };
        match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        }
    }

    /// Sets members of an object: it replaces members that exist, and puts new ones first, with the white space of the first.
    pub(crate) fn set(&self, bytes: &[u8], members: &[(&str, String)], edits: &mut Vec<(Range<usize>, String)>) {
        let start = self.range.start + 1;
        let rest = bytes.get(start..self.range.end).unwrap_or_default();
        let spaces = rest.len() - rest.trim_ascii_start().len();
        let space = String::from_utf8_lossy(rest.get(..spaces).unwrap_or_default());
        let colon = if space.is_empty() { ":" } else { ": " };
        let mut new = String::new();
        for (name, value) in members {
            match self.get(name) {
                Some(old) => edits.push((old.range.clone(), value.clone())),
                None => {
                    let _ = write!(new, "{space}\"{name}\"{colon}{value},");
                }
            }
        }
        if matches!(&self.kind, Kind::Object(members) if members.is_empty()) {
            new.pop();
        }
        edits.push((start..start, new));
    }

    /// Calls `each` with every object in it, itself too.
    pub(crate) fn objects<'v>(&'v self, each: &mut dyn FnMut(&'v Self)) {
        match &self.kind {
            Kind::Object(members) => {
                each(self);
                for value in members.values() {
                    value.objects(each);
                }
            }
            Kind::List(elements) => {
                for value in elements {
                    value.objects(each);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_replace_those_that_are_there() {
        for (before, after) in [
            (r#"{"lineno": null, "x": 1}"#, r#"{"colno":9,"lineno": 5, "x": 1}"#),
            ("{\n  \"x\": 1\n}", "{\n  \"lineno\": 5,\n  \"colno\": 9,\n  \"x\": 1\n}"),
            ("{}", r#"{"lineno":5,"colno":9}"#),
        ] {
            let mut edits = Vec::new();
            let members = [("lineno", "5".into()), ("colno", "9".into())];
            Value::parse(before.as_bytes()).unwrap().set(before.as_bytes(), &members, &mut edits);
            edits.sort_by_key(|(range, _)| range.start);
            let edited = super::super::edited(before.as_bytes(), 0, edits.into_iter());
            assert_eq!(String::from_utf8(edited).unwrap(), after);
        }
    }

    #[test]
    fn the_end_of_a_document_is_found() {
        let fed = |text: &str| {
            let scan = DocumentEnd::default().feed(text.as_bytes());
            (scan.is_json(), scan.is_complete())
        };
        assert_eq!(fed("{\"a\": \"}\\\"{\", \"b\": [{}]}\n"), (true, true));
        assert_eq!(fed("  {"), (true, false));
        assert_eq!(fed("{\"a\": [1,\n"), (true, false));
        for text in ["", "text {", "{0} items", "{ foo", "{} more", "{\"a\nb\"}", "[1]"] {
            assert!(!fed(text).0, "{text}");
        }
    }

    #[test]
    fn values_know_where_they_stand() {
        let bytes = br#" {"a": [1, {"b": "x\"y", "n": "0xF"}], "c": null} "#;
        let value = Value::parse(bytes).unwrap();
        let inner = &value.get("a").unwrap().elements()[1];
        assert_eq!(&bytes[inner.range.clone()], br#"{"b": "x\"y", "n": "0xF"}"#);
        assert_eq!(inner.get("b").unwrap().text(bytes), Some("x\"y".into()));
        assert_eq!(inner.get("n").unwrap().number(bytes), Some(15));
        assert_eq!(value.get("a").unwrap().elements()[0].number(bytes), Some(1));
        for wrong in ["{", "{\"a\"}", "[1 2]", "\"x", "{} {}", "{\"a\":}", "\"\\"] {
            assert_eq!(Value::parse(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(Value::parse("[".repeat(100_000).as_bytes()), None);
    }
}
