//! Escapes around the text of a trace: of JSON, of HTML, and colours of a terminal.
//!
//! Frames are looked for in the plain text. What is put into it goes back through the layers, from the innermost to the
//! outermost, so that a JSON string stays one and is escaped as its writer would have done.

mod ansi;
mod html;
mod json;

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

/// Limit on the layers of a line: JSON in a string of JSON in a page of HTML.
const MAX_LAYERS: usize = 4;

/// A line without its escapes.
pub(crate) struct Plain<'l> {
    line: &'l [u8],
    layers: Vec<Layer>,
}

/// One kind of escapes, taken away.
struct Layer {
    text: Vec<u8>,
    /// The escapes, in their order.
    escapes: Vec<Escape>,
    kind: LayerKind,
}

/// Bytes of the escaped text that stand for others of the plain text.
#[derive(Clone, Copy, Debug)]
struct Escape {
    from: u32,
    from_end: u32,
    to: u32,
    to_end: u32,
}

enum LayerKind {
    Json(json::Style),
    Html(html::Style),
    Ansi,
}

impl<'l> Plain<'l> {
    /// Takes the escapes of a line away; `in_json` says that it is part of a JSON document.
    pub(crate) fn of(line: &'l [u8], in_json: bool) -> Self {
        let mut plain = Self { line, layers: Vec::new() };
        while plain.layers.len() < MAX_LAYERS {
            let is_json = in_json && plain.layers.is_empty();
            let text = plain.text();
            let found = json::layer(text, is_json).or_else(|| html::layer(text)).or_else(|| ansi::layer(text));
            let Some(layer) = found else { break };
            plain.layers.push(layer);
        }
        plain
    }

    /// The line as it came.
    pub(crate) const fn escaped(&self) -> &'l [u8] {
        self.line
    }

    /// The text without escapes. Where there were any, it may consist of several lines.
    pub(crate) fn text(&self) -> &[u8] {
        self.layers.last().map_or(self.line, |layer| &layer.text)
    }

    /// Returns true if the text is inside JSON or HTML, where a line cannot be inserted.
    pub(crate) fn is_embedded(&self) -> bool {
        self.layers.iter().any(|layer| !matches!(layer.kind, LayerKind::Ansi))
    }

    /// Ranges of the lines of the text, without their ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let (text, mut start) = (self.text(), 0_usize);
        std::iter::from_fn(move || {
            let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
            let line = rest.get(..memchr(b'\n', rest).unwrap_or(rest.len()))?;
            let range = start..start + line.strip_suffix(b"\r").unwrap_or(line).len();
            start += line.len() + 1;
            Some(range)
        })
    }

    /// An edit of the text as one of the line: the range that is replaced, and the bytes that replace it.
    pub(crate) fn edit(&self, range: Range<usize>, new: String) -> (Range<usize>, String) {
        let (mut range, mut new) = (range, new);
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let below = index.checked_sub(1).and_then(|below| self.layers.get(below));
            let escaped = below.map_or(self.line, |below| &below.text);
            range = layer.escaped(&range);
            new = match &layer.kind {
                LayerKind::Json(style) => style.escape(&new),
                LayerKind::Html(style) => style.escape(&new),
                // Colours that were switched on or off inside still are.
                LayerKind::Ansi => new + &ansi::sequences(escaped.get(range.clone()).unwrap_or_default()),
            };
        }
        (range, new)
    }
}

impl Layer {
    /// Removes the escapes of a text. An escape begins with one of two bytes; `escape` returns its length, and the character that it
    /// encodes, if any.
    fn of(
        text: &[u8],
        kind: LayerKind,
        begins: [u8; 2],
        mut escape: impl FnMut(usize) -> Option<(usize, Option<char>)>,
    ) -> Self {
        let mut layer = Self { text: Vec::with_capacity(text.len()), escapes: Vec::new(), kind };
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut at = 0_usize;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = memchr2(begins[0], begins[1], rest).unwrap_or(rest.len());
            layer.text.extend_from_slice(rest.get(..plain).unwrap_or_default());
            at += plain;
            let Some(first) = text.get(at) else { break };
            let Some((len, stands_for)) = escape(at) else {
                layer.text.push(*first);
                at += 1;
                continue;
            };
            let to = layer.text.len();
            if let Some(c) = stands_for {
                layer.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            let [from, from_end, to, to_end] = [at, at + len, to, layer.text.len()].map(position);
            layer.escapes.push(Escape { from, from_end, to, to_end });
            at += len;
        }
        layer
    }

    fn if_any(self) -> Option<Self> {
        if self.escapes.is_empty() { None } else { Some(self) }
    }

    /// Range of the escaped text for one of the plain text: up to the end of its last character, and not further.
    fn escaped(&self, range: &Range<usize>) -> Range<usize> {
        let end = self.end(range.end);
        if range.is_empty() { end..end } else { self.start(range.start)..end }
    }

    /// Position in the escaped text of the character at a position of the plain text.
    fn start(&self, at: usize) -> usize {
        // Escapes that stand for nothing come before the character.
        let index = self.escapes.partition_point(|escape| escape.to_end as usize <= at);
        match self.escapes.get(index) {
            Some(escape) if escape.to as usize <= at => escape.from as usize,
            _ => self.after(index, at),
        }
    }

    /// Position in the escaped text after the character that ends at a position of the plain text.
    fn end(&self, at: usize) -> usize {
        self.after(self.escapes.partition_point(|escape| (escape.to as usize) < at), at)
    }

    /// A position of the plain text at which there were `number` escapes.
    fn after(&self, number: usize, at: usize) -> usize {
        let last = number.checked_sub(1).and_then(|index| self.escapes.get(index));
        last.map_or(at, |last| last.from_end as usize + at.saturating_sub(last.to_end as usize))
    }
}

fn replaced(text: &str, with: impl Fn(char) -> Option<Cow<'static, str>>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match with(c) {
            Some(escape) => out.push_str(&escape),
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces `old` in the plain text of a line by `new`.
    fn edited(line: &str, in_json: bool, old: &str, new: &str) -> String {
        let plain = Plain::of(line.as_bytes(), in_json);
        let text = String::from_utf8(plain.text().to_owned()).unwrap();
        let at = text.find(old).unwrap_or_else(|| panic!("{old:?} is not in {text:?}"));
        let (range, new) = plain.edit(at..at + old.len(), new.to_owned());
        format!("{}{new}{}", &line[..range.start], &line[range.end..])
    }

    #[test]
    fn what_is_put_in_is_escaped_in_kind() {
        for (line, in_json, old, new, wanted) in [
            (r#"{"x":"a\u002Bb\n  c"}"#, true, "a+b", "<é+>", r#"{"x":"\u003Cé\u002B\u003E\n  c"}"#),
            (r#"{"x":"a\u002bb\n  c"}"#, true, "b", "+\\", r#"{"x":"a\u002b\u002b\\\n  c"}"#),
            (r#"{"x":"a+b"}"#, true, "a+b", "<\">", r#"{"x":"<\">"}"#),
            (r"a\u003Cb C:\Src", false, "<", "\\+", r"a\\u002Bb C:\Src"),
            (
                r#"{"log":"{\"x\":\"no\\n   at\\u003C\"}"}"#,
                true,
                "<",
                "\\>",
                r#"{"log":"{\"x\":\"no\\n   at\\\\\\u003E\"}"}"#,
            ),
            ("a &lt;b&gt; c", false, "<b>", "&<", "a &amp;&lt; c"),
            ("a&#43;b &lt;", false, "b", "+", "a&#43;&#43; &lt;"),
            ("x \x1b[36mApp\x1b[0m.dll:1 y", false, "App.dll:1", "/P.cs:2", "x \x1b[36m/P.cs:2\x1b[0m y"),
            (r#"{"x":"\u001b[31ma\u001b[0mb"}"#, true, "ab", "c", r#"{"x":"\u001b[31mc\u001b[0m"}"#),
            ("plain", false, "a", "b", "plbin"),
        ] {
            assert_eq!(edited(line, in_json, old, new), wanted, "{line}");
        }
    }

    #[test]
    fn an_insertion_goes_right_behind_the_character_before_it() {
        let line = "a \x1b[1mb\x1b[0m\x1b[2m c";
        let plain = Plain::of(line.as_bytes(), false);
        assert_eq!(plain.text(), b"a b c");
        assert_eq!(plain.edit(3..3, "!".to_owned()).0, 7..7);
        assert_eq!(plain.edit(0..0, "!".to_owned()).0, 0..0);
        assert_eq!(plain.edit(5..5, "!".to_owned()).0, line.len()..line.len());
    }

    #[test]
    fn lines_inside_a_string_are_lines() {
        let plain = Plain::of(br#"{"x":"one\r\n   two","y":"three"}"#, true);
        let lines: Vec<_> =
            plain.lines().map(|range| String::from_utf8_lossy(&plain.text()[range]).into_owned()).collect();
        assert_eq!(lines, ["{", "x", ":", "one", "   two", ",", "y", ":", "three", "}"]);
    }

    #[test]
    fn what_only_looks_escaped_is_left_alone() {
        for line in [r"C:\new\trace.cs", "a & b &x; &lt", "f(Int32& n)", r"\u12", "caf\u{e9} \\"] {
            assert_eq!(Plain::of(line.as_bytes(), false).text(), line.as_bytes(), "{line}");
        }
    }
}
