//! Native frames of Node.js and of Chromium: an address in memory, a function, and a decimal offset in it.
//!
//! ```text
//!  1: 00007FF6E2A01079 node::Abort+10                       Node.js
//!  2: 0x7ff6e2a01079 entry+40 [C:\app\src\tally.c:28]       with its line
//!  3: 0xb090e0 node::Abort() [node]                         outside of Windows
//! #4 00007FF6E2A01079 entry+40
//!     entry [0x00007FF6E2A01079+64]                         Chromium
//!     entry [0x00007FF6E2A01079+64] (C:\src\tally.c:28)
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, trim_end, trim_start, without_parameters};
use pdblens_session::text::paths::file_name;

pub(crate) const NODE: Form = Form { name: "Node.js", find: find_node };
pub(crate) const CHROMIUM: Form = Form { name: "Chromium", find: find_chromium };

/// Limit on the length of a line.
const MAX_LEN: usize = 16 << 10;

/// Digits of an address at least.
const MIN_DIGITS: usize = 6;

/// A line has one frame, which begins with its number.
fn find_node(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    if from > start || line.len() > MAX_LEN {
        return None;
    }
    let is_marked = line.get(start) == Some(&b'#');
    let (_, number) = decimal(line, start + usize::from(is_marked))?;
    let mark = if is_marked { b' ' } else { b':' };
    if line.get(number) != Some(&mark) {
        return None;
    }
    let address = trim_start(line, number + 1);
    let digits = address + if line.get(address..)?.starts_with(b"0x") { 2 } else { 0 };
    let (_, past) = hex(line, digits).filter(|(_, past)| *past >= digits + MIN_DIGITS)?;
    let name = past + usize::from(line.get(past) == Some(&b' '));
    let end = trim_end(line, line.len(), start);
    let text = std::str::from_utf8(line.get(name..end)?).ok()?;
    if name == past || text.is_empty() || text.starts_with('-') {
        return None;
    }
    let (called, place) = text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")).unzip();
    let called = called.unwrap_or(text);
    // `operator+` is a name without an offset.
    let with_offset = called.rsplit_once('+').and_then(|(name, digits)| Some((name, digits.parse().ok()?)));
    let (name, offset) = with_offset.map_or((called, None), |(name, offset)| (name, Some(offset)));
    let known = place.and_then(|place| place.rsplit_once(':')?.1.parse().ok());
    let offset = match (known, offset) {
        (Some(line), _) => Offset::Line(line),
        (None, Some(offset)) => Offset::Native(offset),
        // Without an offset and a file, the line may not be a frame at all.
        (None, None) if place.is_some() => Offset::None,
        (None, None) => return None,
    };
    let file = place.filter(|_| known.is_none()).map(file_name);
    let module = file.map_or(Module::Native, |file| Module::File(file.to_owned()));
    let edit = Edit::at_end_of_native(offset, end);
    Some(Frame { range: start..end, offset, edit, ..Frame::named(without_parameters(name).to_owned(), module) })
}

/// A line has one frame, with its address in brackets.
fn find_chromium(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    if from > start || line.len() > MAX_LEN {
        return None;
    }
    let open = find(line, b" [0x", start)?;
    let (address, past) = hex(line, open + 4)?;
    let (offset, close) = match line.get(past) {
        Some(b'+') => decimal(line, past + 1).map(|(offset, end)| (Some(offset), end))?,
        _ => (None, past),
    };
    let end = trim_end(line, line.len(), start);
    let name = std::str::from_utf8(line.get(start..open)?).ok().filter(|_| line.get(close) == Some(&b']'))?;
    let rest = std::str::from_utf8(line.get(close + 1..end)?).ok()?;
    let known = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')?.rsplit_once(':')?.1.parse().ok());
    let (name, module, offset) = match (known, offset) {
        (Some(line), Some(_)) => (name, Module::Native, Offset::Line(line)),
        (None, Some(offset)) if rest.is_empty() => (name, Module::Native, Offset::Native(offset)),
        (None, None) if rest.is_empty() && name == "(No symbol)" => ("", Module::Loaded, Offset::Native(address)),
        _ => return None,
    };
    let edit = Edit::at_end_of_native(offset, end);
    Some(Frame { range: start..end, offset, edit, ..Frame::named(name.to_owned(), module) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_node_are_read() {
        let file = |name: &str| Module::File(name.to_owned());
        for (line, name, module, offset) in [
            (" 1: 00007FF6E2A01079 node::Abort+10", "node::Abort", Module::Native, Offset::Native(10)),
            (" 1: 0x7ff6e2a01079 entry+40 [C:\\my app\\node.exe]", "entry", file("node.exe"), Offset::Native(40)),
            (" 2: 0x7ff6e2a01079 entry+40 [C:\\src\\tally.c:28]", "entry", Module::Native, Offset::Line(28)),
            (" 3: 0xb090e0 node::Abort() [node]", "node::Abort", file("node"), Offset::None),
            (" 3: 0xb090e0 T::operator()(int)+4 [node]", "T::operator()", file("node"), Offset::Native(4)),
            (" 3: 0xb090e0 T::operator+(int) [node]", "T::operator+", file("node"), Offset::None),
            ("#4 00007FF6E2A01079 entry+40", "entry", Module::Native, Offset::Native(40)),
        ] {
            let frame = find_node(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.module, frame.offset), (name, module, offset), "{line}");
        }
        for line in [
            "1: see a list+3",
            "#12 decade+1",
            "12:30 00007FF6E2A01079 x+1",
            " 3:     0x7ff6a1b21079 - sorter::main+0",
            "#1 0x7ff6c1b31072 in clamp+0x19 (C:\\x\\tally.exe+0x140001079)",
            " 1: 00007FF6E2A01079",
            " 1: 00007FF6E2A01079 text",
        ] {
            assert_eq!(find_node(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn frames_of_chromium_are_read() {
        for (line, name, offset) in [
            ("\tns::f<int, char> [0x00007FF6E2A01079+64]", "ns::f<int, char>", Offset::Native(64)),
            ("\tentry [0x00007FF6E2A01079+64] (C:\\my src\\tally.c:28)", "entry", Offset::Line(28)),
            ("\t(No symbol) [0x00007FF6E2A01079]", "", Offset::Native(0x7ff6_e2a0_1079)),
        ] {
            let frame = find_chromium(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.offset), (name, offset), "{line}");
        }
        for line in ["at T.M (int) [0x0000f] in <ab>:0", "a [0x12]", "a [0x12+x]", "a [0x12+1] b"] {
            assert_eq!(find_chromium(line.as_bytes(), 0), None, "{line}");
        }
    }
}
