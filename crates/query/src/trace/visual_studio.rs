//! Frames as Visual Studio's Call Stack window copies them.
//!
//! ```text
//! >   tally.exe!clamp(int value, int low, int high) Line 12   C
//!     tally.exe!entry() + 0x40 bytes  C
//!     [Inline Frame] tally.exe!add(int, int) Line 20  C++
//!     kernel32.dll!BaseThreadInitThunk()  Unknown         without lines
//!     ntdll.dll!00007ffb8ee02651()  Unknown               without symbols
//! ```

use std::ops::Range;

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, is_module, text, trim_end, trim_start, word_before};

pub(crate) const FORM: Form = Form { name: "Visual Studio", find: find_frame };

/// The longest name and parameters of a function that are looked for.
const MAX_LEN: usize = 4096;

/// The longest text before the module.
const MAX_MARK: usize = 32;

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let (mut floor, mut search) = (from, from);
    let last = line.iter().rposition(|byte| *byte == b')')?;
    while let Some(mark) = find(line, b"!", search).filter(|mark| *mark < last) {
        search = mark + 1;
        if let Some(frame) = frame_at(line, mark, floor) {
            return Some(frame);
        }
        floor = search;
    }
    None
}

fn frame_at(line: &[u8], mark: usize, floor: usize) -> Option<Frame> {
    let module = word_before(line, mark, floor);
    let module = match line.get(module.start) {
        Some(b'>') => module.start + 1..module.end,
        _ => module,
    };
    if !is_module(line.get(module.clone())?) {
        return None;
    }
    let rest = line.get(mark + 1..)?;
    let rest = rest.get(..MAX_LEN.min(rest.len()))?;
    let (close, offset, end) = line_of(line, mark + 1, rest.len())
        .or_else(|| bytes_of(line, mark + 1, rest.len()))
        .or_else(|| alone(line, &module, mark + 1))?;
    let inside = line.get(mark + 1..close)?;
    let open = inside.iter().position(|byte| *byte == b'(').filter(|open| *open > 0)?;
    if inside.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let name = mark + 1..mark + 1 + open;
    // In the place of a name that it does not know is the address.
    let digits = line.get(name.clone())?;
    let is_address = digits.len() >= 8 && digits.iter().all(u8::is_ascii_hexdigit);
    // The mark of the current frame, and what it says of an inlined one, belong to it.
    let start = trim_start(line, floor).min(module.start);
    let start = if module.start - start <= MAX_MARK { start } else { module.start };
    Some(Frame {
        range: start..end,
        name: if is_address { String::new() } else { text(line, &name) },
        parameters: Some(text(line, &(name.end + 1..close))),
        inner: None,
        module: Module::File(text(line, &module)),
        token: None,
        offset,
        edit: Edit::at_end_of_native(offset, end),
    })
}

/// `) Line 12`: where the parenthesis is, the line, and the end of its number.
fn line_of(line: &[u8], from: usize, len: usize) -> Option<(usize, Offset, usize)> {
    let close = find(line.get(..from + len)?, b") Line ", from)?;
    let (number, end) = decimal(line, close + 7)?;
    Some((close, Offset::Line(u32::try_from(number).ok()?), end))
}

/// `) + 0x40 bytes`
fn bytes_of(line: &[u8], from: usize, len: usize) -> Option<(usize, Offset, usize)> {
    let close = find(line.get(..from + len)?, b") + 0x", from)?;
    let (offset, end) = hex(line, close + 6)?;
    let unit = trim_start(line, end);
    line.get(unit..)?.starts_with(b"bytes").then_some((close, Offset::Native(offset), unit + 5))
}

/// `)`, and the language in the column after it. The module has an extension, and only marks are before it.
fn alone(line: &[u8], module: &Range<usize>, from: usize) -> Option<(usize, Offset, usize)> {
    let before = line.get(..module.start).filter(|before| before.len() <= 2 * MAX_MARK)?.trim_ascii();
    let is_mark = before.is_empty() || before == b">" || before == b"[Inline Frame]" || before == b"> [Inline Frame]";
    if !is_mark || !line.get(module.clone())?.contains(&b'.') {
        return None;
    }
    let rest = line.get(from..line.len().min(from + MAX_LEN))?;
    let len = rest.iter().position(|byte| *byte == b'\t').unwrap_or(rest.len());
    let end = trim_end(line, from + len, from);
    let close = end.checked_sub(1).filter(|close| line.get(*close) == Some(&b')'))?;
    Some((close, Offset::None, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_frames_are_read() {
        for (line, name, module, offset) in [
            (">\ttally.exe!clamp(int value, int low) Line 12\tC", "clamp", "tally.exe", Offset::Line(12)),
            (">tally.exe!ns::T::f(void (*)(int)) + 0x40 bytes\tC++", "ns::T::f", "tally.exe", Offset::Native(0x40)),
            ("\t[Inline Frame] tally.exe!add(int) Line 20\tC++", "add", "tally.exe", Offset::Line(20)),
            ("\tApp.dll!Ns.T.M(string s) Line 45 + 0x5 bytes\tC#", "Ns.T.M", "App.dll", Offset::Line(45)),
            (" \tkernel32.dll!BaseThreadInitThunk()\tUnknown", "BaseThreadInitThunk", "kernel32.dll", Offset::None),
            (" \tntdll.dll!00007ffb8ee02651()\tUnknown", "", "ntdll.dll", Offset::None),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.name.as_str(), frame.offset), (name, offset), "{line}");
            assert_eq!(frame.module, Module::File(module.to_owned()));
        }
        for line in [
            "!",
            "a!f()",
            "a!f() Line",
            "a b!(x) Line 1",
            "oh! f(x) Line 1",
            "call a.b!f()",
            "a.b!f",
            "a!f() + 0x1",
            "App!T.M()+0x2a",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
