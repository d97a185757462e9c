//! Native frames, as debuggers of native code write them: module, function, and an offset of machine code.
//!
//! ```text
//! 01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x40
//! tally.exe!entry+0x40 [/src/native/tally.c @ 28]
//! 00 00000000`0014fa00 00007ff6`12345678     tally!entry              at its first instruction
//! 02 00000000`0014fa00 00007ff6`12345678     tally+0x1079             without symbols
//! 03 (Inline Function) --------`--------     tally!add+0x5            inlined into the function of the frame below it
//!    at App!<BaseAddress>+0x1079                                      NativeAOT
//! ```

use std::ops::Range;

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, is_module, text, trim_end, word_before};

pub(crate) const FORM: Form = Form { name: "debugger", find: find_frame };

/// Address of the module, which NativeAOT writes in the place of a function.
const BASE: &str = "<BaseAddress>";

pub(crate) const MODULE_OFFSET: Form = Form { name: "debugger, module and offset", find: find_module_offset };

/// `tally+0x1079` after the address that the callee returns to.
fn find_module_offset(line: &[u8], from: usize) -> Option<Frame> {
    let mut floor = from;
    while let Some(plus) = find(line, b"+0x", floor) {
        let module = word_before(line, plus, floor);
        let address = word_before(line, trim_end(line, module.start, floor), floor);
        let is_address = is_address(line.get(address)?);
        if let Some((offset, end)) = hex(line, plus + 3)
            && is_address
            && is_module(line.get(module.clone())?)
            && line.get(end).is_none_or(u8::is_ascii_whitespace)
        {
            return Some(Frame {
                range: module.start..end,
                name: String::new(),
                parameters: None,
                inner: None,
                module: Module::File(text(line, &module)),
                token: None,
                offset: Offset::Native(offset),
                edit: Edit::In(end..end),
            });
        }
        floor = plus + 3;
    }
    None
}

/// Dashes in the place of the address before an inlined function.
pub(super) const INLINED: &[u8] = b"--------`--------";

/// Returns whether a word is an address, or the dashes in its place before an inlined function.
fn is_address(word: &[u8]) -> bool {
    let digits = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'`';
    word.len() >= 8 && (word.iter().all(digits) || word == INLINED)
}

/// Offsets that are tried after one name.
const MAX_PLUSES: usize = 4;

/// The longest name of a function that is looked for.
const MAX_LEN: usize = 4096;

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let mut floor = from;
    let mut plus = find(line, b"+0x", from);
    while let Some(mark) = find(line, b"!", floor) {
        let module = word_before(line, mark, floor);
        // A module has no exclamation mark of its own: each byte is passed over once.
        let is_part = module.start == floor && floor > from;
        floor = mark + 1;
        if is_part || !is_module(line.get(module.clone())?) {
            continue;
        }
        if plus.is_some_and(|plus| plus <= mark) {
            plus = find(line, b"+0x", floor);
        }
        let with_offset = plus.and_then(|plus| name_and_offset(line, mark + 1, plus));
        let found = with_offset.or_else(|| {
            // At its first instruction a function has no offset; only the address before it tells that from prose.
            let before =
                word_before(line, trim_end(line, module.start, from), from.max(module.start.saturating_sub(80)));
            is_address(line.get(before)?).then(|| name_alone(line, mark + 1)).flatten()
        });
        let Some((name, offset, end)) = found else { continue };
        let known = known_line(line, end);
        let before = word_before(line, trim_end(line, module.start, from), from);
        let offset = if line.get(before) == Some(INLINED) { Offset::Inlined } else { Offset::Native(offset) };
        return Some(Frame {
            range: module.start..end,
            name: Some(text(line, &name)).filter(|name| name != BASE).unwrap_or_default(),
            parameters: None,
            inner: None,
            module: Module::File(text(line, &module)),
            token: None,
            offset: known.map_or(offset, Offset::Line),
            edit: if known.is_some() { Edit::None } else { Edit::In(end..end) },
        });
    }
    None
}

/// Name of a function before its offset, the offset, and where that ends; `plus` is the first that may begin it.
fn name_and_offset(line: &[u8], start: usize, mut plus: usize) -> Option<(Range<usize>, u64, usize)> {
    let rest = line.get(..line.len().min(start + MAX_LEN))?;
    // Names of operators have a plus of their own.
    for _ in 0..MAX_PLUSES {
        let ends = |end: usize| line.get(end).is_none_or(u8::is_ascii_whitespace);
        if let Some((offset, end)) = hex(rest, plus + 3).filter(|(_, end)| ends(*end)) {
            return is_name(line.get(start..plus)?).then_some((start..plus, offset, end));
        }
        plus = find(rest, b"+0x", plus + 3)?;
    }
    None
}

/// Name of a function that ends the line, or that a place ends.
fn name_alone(line: &[u8], start: usize) -> Option<(Range<usize>, u64, usize)> {
    let rest = line.get(start..).filter(|rest| rest.len() <= MAX_LEN)?;
    let len = rest.windows(2).position(|two| two == b" [").unwrap_or(rest.len());
    let end = trim_end(line, start + len, start);
    let is_last = trim_end(line, line.len(), start) == end || known_line(line, end).is_some();
    (is_last && is_name(line.get(start..end)?)).then_some((start..end, 0, end))
}

/// Returns whether a text can be the name of a function of native code: white space is in brackets or quotes, or of an
/// operator, and parentheses are of managed code.
fn is_name(name: &[u8]) -> bool {
    let mut depth = 0usize;
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'<' | b'`' => depth += 1,
            b'>' | b'\'' => depth = depth.saturating_sub(1),
            b'(' | b'\t' => return false,
            b' ' if depth == 0 && !name[..at].ends_with(b"operator") => return false,
            _ => {}
        }
    }
    !name.is_empty()
}

/// The line after a frame that has it already: ` [FILE @ N]`, or ` in FILE:line N`, which is what this program writes.
pub(super) fn known_line(line: &[u8], at: usize) -> Option<u32> {
    let rest = line.get(at..)?;
    if let Some(rest) = rest.strip_prefix(b" in ") {
        const LINE: &[u8] = b":line ";
        return u32::try_from(decimal(rest, find(rest, LINE, 0)? + LINE.len())?.0).ok();
    }
    let rest = rest.strip_prefix(b" [")?;
    let close = rest.iter().position(|byte| *byte == b']')?;
    let inside = rest.get(..close)?;
    let (number, end) = decimal(inside, find(inside, b" @ ", 0)? + 3)?;
    if end == inside.len() { u32::try_from(number).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_modules_are_seen() {
        let frame = find_module_offset(b"02 00000000`0014fa00 00007ff6`12345678     tally+0x1079", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("", Offset::Native(0x1079)));
        let frame = find_frame(b"   at App!<BaseAddress>+0x1079", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.module), ("", Module::File("App".to_owned())));
        for line in ["a+0x1", "x tally+0x1079", "12345678 a b+0x1", "12345678 tally+0x1!"] {
            assert_eq!(find_module_offset(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn native_frames_are_seen_and_managed_ones_left() {
        let file = |name: &str| Module::File(name.to_owned());
        for (line, name, module, offset) in [
            ("01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x40", "entry", "tally", Offset::Native(0x40)),
            ("tally.exe!ns::T::operator+=+0x1f", "ns::T::operator+=", "tally.exe", Offset::Native(0x1f)),
            ("tally!entry+0x40 [/src/my app/tally.c @ 28]", "entry", "tally", Offset::Line(28)),
            ("00 0019f9a0 00401079 tally!entry", "entry", "tally", Offset::Native(0)),
            ("01 (Inline Function) --------`--------     tally!add", "add", "tally", Offset::Inlined),
            ("02 (Inline Function) --------`--------     tally!add+0x5", "add", "tally", Offset::Inlined),
            ("00 0019f9a0 00401079 tally!entry [/src/my app/tally.c @ 28] ", "entry", "tally", Offset::Line(28)),
            ("tally!A<int,B<char> >::push+0x2", "A<int,B<char> >::push", "tally", Offset::Native(2)),
            ("tally!operator new+0x2", "operator new", "tally", Offset::Native(2)),
            ("tally!`dynamic initializer for 'x''+0x2", "`dynamic initializer for 'x''", "tally", Offset::Native(2)),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.name.as_str(), &frame.module, frame.offset), (name, &file(module), offset), "{line}");
            assert!(frame.range.end <= line.len());
        }
        for line in
            ["App!Ns.T.M(System.String)+0x2a", "what!+0x1", "!f+0x1", "stop! now+0x1", "a!f+0x", "a!f+0x1z", "a!f", "!"]
        {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
