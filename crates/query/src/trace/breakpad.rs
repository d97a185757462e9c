//! Frames of Breakpad's stack walkers: `minidump_stackwalk`, `minidump-stackwalk` and Crashpad's tools.
//!
//! ```text
//!  0  tally.exe!clamp [tally.c : 12 + 0x0]
//!  1  tally.exe!entry + 0x40
//!  2  tally.exe + 0x1079
//!  3  0x7ff612341079                                        in no module
//! 0|1|tally.exe|clamp|||0x19                                machine-readable (`-m`)
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, is_module, text, trim_end, trim_start, word_before};
use pdblens_formats::bytes::Guid;

pub(crate) const FORM: Form = Form { name: "Breakpad", find: find_frame };
pub(crate) const MACHINE: Form = Form { name: "Breakpad, machine-readable", find: find_piped };

/// Limit on the length of a line.
const MAX_LEN: usize = 16 << 10;

/// A line has one frame, which begins with its number.
fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    if from > 0 || line.len() > MAX_LEN {
        return None;
    }
    let start = trim_start(line, 0);
    let (_, behind) = decimal(line, start)?;
    let module = trim_start(line, behind);
    if module < behind + 2 {
        return None;
    }
    let end = trim_end(line, line.len(), 0);
    if end > module && line.get(end - 1) == Some(&b']') {
        let open = find(line, b" [", module)?;
        let colon = find(line, b" : ", open)?;
        let (number, _) = decimal(line, colon + 3)?;
        let (name, module) = name_and_module(line, module, open)?;
        let offset = Offset::Line(u32::try_from(number).ok()?);
        return Some(Frame { range: start..end, offset, ..frame(name, module) });
    }
    let plus = word_before(line, end, module).start;
    if plus == module
        && end - plus >= 10
        && let Some((address, _)) =
            hex(line, plus + 2).filter(|(_, past)| *past == end && line.get(plus..plus + 2) == Some(b"0x"))
    {
        let (offset, edit) = (Offset::Native(address), Edit::In(end..end));
        return Some(Frame { range: start..end, offset, edit, ..Frame::named(String::new(), Module::Loaded) });
    }
    let (offset, past) = hex(line, plus + 2).filter(|_| line.get(plus..plus + 2) == Some(b"0x"))?;
    let plus = trim_end(line, plus, module).checked_sub(2)?;
    if past != end || line.get(plus..plus + 2)? != b" +" {
        return None;
    }
    let (name, module) = name_and_module(line, module, plus)?;
    let (offset, edit) = (Offset::Native(offset), Edit::In(end..end));
    Some(Frame { range: start..end, offset, edit, ..frame(name, module) })
}

/// `tally.exe!clamp`, or `tally.exe`; the name is empty there.
fn name_and_module(line: &[u8], start: usize, end: usize) -> Option<(String, String)> {
    let word = line.get(start..end)?;
    let mark = word.iter().position(|byte| *byte == b'!');
    let module = start..mark.map_or(end, |mark| start + mark);
    if !is_module(line.get(module.clone())?) {
        return None;
    }
    let name = mark.map_or(String::new(), |mark| text(line, &(start + mark + 1..end)));
    // It writes the parameters of C++.
    let name = name.split_once('(').map_or(name.as_str(), |(name, _)| name).to_owned();
    Some((name, text(line, &module)))
}

/// `thread|frame|module|function|file|line|offset`
#[allow(clippy::many_single_char_names)]
fn find_piped(line: &[u8], from: usize) -> Option<Frame> {
    if from > 0 || line.len() > MAX_LEN {
        return None;
    }
    let bars: Vec<usize> =
        line.iter().enumerate().filter(|(_, byte)| **byte == b'|').map(|(at, _)| at).take(7).collect();
    let [a, b, c, d, e, f] = *bars.as_slice() else { return None };
    let field = |from: usize, to: usize| line.get(from + 1..to);
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let module = field(b, c)?;
    if !is_number(line.get(..a)?) || !is_number(field(a, b)?) || !(module.is_empty() || is_module(module)) {
        return None;
    }
    let (offset, end) = hex(line, f + 3).filter(|_| line.get(f + 1..f + 3) == Some(b"0x"))?;
    let known = decimal(line, e + 1).filter(|(_, end)| *end == f);
    let offset = match known {
        Some((number, _)) => Offset::Line(u32::try_from(number).ok()?),
        None => Offset::Native(offset),
    };
    let name = text(line, &(c + 1..d));
    let name = name.split_once('(').map_or(name.as_str(), |(name, _)| name).to_owned();
    let edit = if known.is_some() { Edit::None } else { Edit::Piped(d + 1..f) };
    // Without a module it is an address in memory.
    let module = if module.is_empty() { Module::Loaded } else { Module::File(text(line, &(b + 1..c))) };
    Some(Frame { range: 0..end, offset, edit, ..Frame::named(name, module) })
}

/// The module that a line of the machine-readable form names, by the id of its symbols:
/// `Module|tally.exe|1.0|tally.pdb|6E1A…1|0x…|0x…|1`. Ids of nothing but zeros say nothing.
pub(crate) fn module(line: &[u8]) -> Option<(String, Module)> {
    let line = line.get(..line.len().min(MAX_LEN))?.trim_ascii();
    let mut fields = std::str::from_utf8(line.strip_prefix(b"Module|")?).ok()?.split('|');
    let (name, symbols, id) = (fields.next()?, fields.nth(1)?, fields.next()?);
    let (guid, age) = id.split_at_checked(32)?;
    let guid: Guid = guid.parse().ok()?;
    let age = u32::from_str_radix(age, 16).ok()?;
    let file = if symbols.is_empty() { name } else { symbols };
    (!guid.is_nil() && is_module(name.as_bytes()))
        .then(|| (name.to_owned(), Module::Symbols(guid, Some(age), file.to_owned())))
}

fn frame(name: String, module: String) -> Frame {
    Frame::named(name, Module::File(module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_frames_are_read() {
        for (line, name, offset) in [
            (" 0  tally.exe!clamp [tally.c : 12 + 0x0]", "clamp", Offset::Line(12)),
            (" 0  tally.exe!ns::T::f(int, char) [C:\\my src\\tally.c : 12]", "ns::T::f", Offset::Line(12)),
            ("11  tally.exe!entry + 0x40", "entry", Offset::Native(0x40)),
            (" 2  tally.exe + 0x1079", "", Offset::Native(0x1079)),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.offset), (name, offset), "{line}");
            assert_eq!(frame.module, Module::File("tally.exe".to_owned()));
        }
        let frame = find_frame(b" 3  0x7ff612341079", 0).unwrap();
        assert_eq!((frame.offset, frame.module), (Offset::Native(0x7ff6_1234_1079), Module::Loaded));
        for line in [
            "3  0x12",
            "3  0x7ff612341079 b",
            "1  + 0x1",
            "1 + 0x1",
            " 0  a b + 0x1",
            "12",
            " 0  x",
            "    rax = 0x0 rdx = 0x1",
            "3  x]",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn its_other_form_is_read() {
        let line = "0|1|tally.exe|clamp|||0x19";
        let frame = find_piped(line.as_bytes(), 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("clamp", Offset::Native(0x19)));
        let (range, new) = frame.edit.text("/src/tally.c", 12).unwrap();
        assert_eq!(
            format!("{}{new}{}", &line[..range.start], &line[range.end..]),
            "0|1|tally.exe|clamp|/src/tally.c|12|0x19"
        );
        let frame = find_piped(b"0|0|tally.exe|clamp|tally.c|12|0x0", 0).unwrap();
        assert_eq!((frame.offset, frame.edit), (Offset::Line(12), Edit::None));
        let frame = find_piped(b"0|3|||||0x7ff612341079", 0).unwrap();
        assert_eq!((frame.offset, frame.module), (Offset::Native(0x7ff6_1234_1079), Module::Loaded));
        for line in ["a|b|c|d|e|f|g", "0|1|x|||0x1", "Module|tally.exe||tally.pdb|ABC|0x1|0x2|1"] {
            assert_eq!(find_piped(line.as_bytes(), 0), None, "{line}");
        }
    }
}
