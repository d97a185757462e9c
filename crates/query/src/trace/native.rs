//! Frames that say where in the machine code they are: only the process, its dump or a native PDB knows which IL that was.
//!
//! ```text
//!    at Program.Main() + 0x2d                                              NativeAOT
//! App!Ns.T.M(System.String)+0x2a                                           WinDbg, and its `kp` for native code
//!    Ns.T.M() +39                                                          ASP.NET
//! Throw at offset 78 in file:line:column <filename unknown>:0:0            StackFrame.ToString()
//!   at Ns.T.M () <0x41f1e100 + 0x00034> in <…>:0                           Mono: address of the code, and the offset in it
//!   at <unknown> <0xffffffff>                                              Mono
//! ```

use std::ops::Range;

use super::debugger::{INLINED, known_line};
use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, is_module, name_before, signature_before, text, trim_end, trim_start};

/// Text after the offset of `StackFrame.ToString()`.
const IN_FILE: &[u8] = b" in file:line:column";

/// Text between an address and the offset after it.
const PLUS: &[u8] = b" + 0x";

const AT_OFFSET_MARK: &[u8] = b" at offset ";

/// Name of these forms in reports.
const NAME: &str = "native offset";

pub(crate) const BEHIND_PLUS: Form = Form { name: NAME, find: |line, from| behind_parenthesis(line, from, b"+") };
pub(crate) const COMPILED_AHEAD: Form = Form { name: NAME, find: |line, from| behind_parenthesis(line, from, b"<0x") };
pub(crate) const AT_OFFSET: Form = Form { name: NAME, find: at_offset };
pub(crate) const UNKNOWN: Form = Form { name: NAME, find: unknown };

/// `) + 0x2d`, `)+0x2a`, `) +39`; `) <0x00012 + 0x00034>`
fn behind_parenthesis(line: &[u8], from: usize, mark: &[u8]) -> Option<Frame> {
    let (mut floor, mut search) = (from, from);
    while let Some(at) = find(line, mark, search) {
        search = at + mark.len();
        let end = trim_end(line, at, floor);
        let closed = end.checked_sub(1).and_then(|close| line.get(close)) == Some(&b')');
        let Some((offset, behind)) = closed.then(|| offset(line, search, mark, at > end)).flatten() else { continue };
        if let Some(signature) = signature_before(line, end, floor) {
            // An empty word before the name is no reason to begin earlier than other forms do.
            let start = if signature.at.is_empty() { signature.name.start } else { signature.at.start };
            let parameters = Some(text(line, &signature.parameters));
            let frame = Frame { range: start..behind, parameters, ..frame(line, &signature.name, offset) };
            return Some(in_module(line, placed(line, frame, mark)));
        }
        floor = search;
    }
    None
}

/// A frame with the edit that adds its line, or with the line that it has already.
fn placed(line: &[u8], frame: Frame, mark: &[u8]) -> Frame {
    let end = frame.range.end;
    if mark == b"+" {
        return match known_line(line, end) {
            Some(number) => Frame { offset: Offset::Line(number), ..frame },
            None => Frame { edit: Edit::In(end..end), ..frame },
        };
    }
    // Behind the offset: `> 57 in <…>:0`, where the place has that of an id, perhaps after the number of an AOT method.
    let Some(close) = find(line, b">", end) else { return frame };
    let number = trim_start(line, close + 1);
    let after = decimal(line, number).map_or(close + 1, |(_, end)| end);
    let file = after + b" in ".len();
    let id = line.get(after..file).filter(|word| *word == b" in ").and_then(|_| find(line, b">:0", file));
    match id.filter(|_| line.get(file) == Some(&b'<')) {
        Some(id) => Frame { edit: Edit::Colon(file..id + b">:0".len()), ..frame },
        None => Frame { edit: Edit::In(close + 1..close + 1), ..frame },
    }
}

/// A frame whose name may begin with that of its module: `App!Ns.T.M`.
fn in_module(line: &[u8], frame: Frame) -> Frame {
    let Some((module, name)) = frame.name.split_once('!').filter(|(module, _)| is_module(module.as_bytes())) else {
        return frame;
    };
    // The parentheses of `operator()` are of its name.
    let (name, parameters) = match frame.parameters.as_deref() {
        Some("") if name.ends_with("operator") => (format!("{name}()"), None),
        _ => (name.to_owned(), frame.parameters.clone()),
    };
    let (module, end) = (Module::File(module.to_owned()), frame.range.end);
    let (offset, edit) = match frame.offset {
        Offset::Line(_) => (frame.offset, Edit::None),
        // WinDbg's `kp` has parameters after inlined functions too.
        _ if line.get(frame.range.start..).is_some_and(|rest| rest.starts_with(INLINED)) => {
            (Offset::Inlined, Edit::In(end..end))
        }
        offset => (offset, Edit::In(end..end)),
    };
    Frame { name, parameters, module, offset, edit, ..frame }
}

/// The offset after a mark, and where it ends. ProductionStackTrace alone writes a space before the plus, `0x`, and none
/// between them; its offsets are of IL.
fn offset(line: &[u8], at: usize, mark: &[u8], spaced: bool) -> Option<(u64, usize)> {
    if mark != b"+" {
        let (_address, end) = hex(line, at)?;
        return hex(line, end + PLUS.len()).filter(|_| line.get(end..).is_some_and(|rest| rest.starts_with(PLUS)));
    }
    let number = trim_start(line, at);
    match line.get(number..number + 2) {
        Some(b"0x") if spaced == (number > at) => hex(line, number + 2),
        Some(b"0x") => None,
        _ if number == at => decimal(line, number),
        _ => None,
    }
}

/// `at <unknown> <0xffffffff>`: neither method nor offset.
fn unknown(line: &[u8], from: usize) -> Option<Frame> {
    const MARK: &[u8] = b"at <unknown> <0x";
    let start = find(line, MARK, from)?;
    let (_, end) = hex(line, start + MARK.len()).filter(|(_, end)| line.get(*end) == Some(&b'>'))?;
    let named = Frame::named("<unknown>".to_owned(), Module::Unknown);
    Some(Frame { range: start..end + 1, offset: Offset::Il(u32::MAX), ..named })
}

fn at_offset(line: &[u8], from: usize) -> Option<Frame> {
    let (mut floor, mut search) = (from, from);
    while let Some(mark) = find(line, AT_OFFSET_MARK, search) {
        search = mark + AT_OFFSET_MARK.len();
        if let Some((offset, end)) = decimal(line, search)
            && line.get(end..)?.starts_with(IN_FILE)
            && let Some(name) = name_before(line, mark, floor)
        {
            let frame = Frame { range: name.start..end, ..frame(line, &name, offset) };
            return Some(with_column(line, frame, end + IN_FILE.len()));
        }
        floor = search;
    }
    None
}

/// A frame before ` FILE:LINE:COLUMN`, where the file is unknown or has the line.
fn with_column(line: &[u8], frame: Frame, at: usize) -> Frame {
    const UNKNOWN: &[u8] = b" <filename unknown>:0";
    let end = trim_end(line, line.len(), at);
    let rest = line.get(at..end).unwrap_or_default();
    if rest.starts_with(UNKNOWN) {
        return Frame { edit: Edit::Colon(at + 1..at + UNKNOWN.len()), ..frame };
    }
    let mut numbers = rest.rsplit(|byte| *byte == b':').map(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(_column @ 0..=u32::MAX), Some(number)) if number > 0 => Frame { offset: Offset::Line(number), ..frame },
        _ => frame,
    }
}

fn frame(line: &[u8], name: &Range<usize>, offset: u64) -> Frame {
    let named = Frame::named(text(line, name), Module::Unknown);
    Frame { range: name.clone(), offset: Offset::Native(offset), ..named }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
        [BEHIND_PLUS, COMPILED_AHEAD, AT_OFFSET].iter().find_map(|form| (form.find)(line, from))
    }

    #[test]
    fn the_module_before_a_name_is_told_from_it() {
        for (line, name, offset) in [
            ("00 000000 App!Ns.A+B.M(System.String)+0x2a", "Ns.A+B.M", Offset::Native(0x2a)),
            ("00 000000 App!clamp(int value = 0n3, int low = 0n1)+0x19", "clamp", Offset::Native(0x19)),
            ("00 000000 App!clamp(int value = 0n3)+0x19 [C:\\my src\\tally.c @ 12] ", "clamp", Offset::Line(12)),
            ("00 (Inline Function) --------`--------     App!clamp(int value = 0n3)+0x19", "clamp", Offset::Inlined),
            ("00 000000 App!T::operator()+0x2a", "T::operator()", Offset::Native(0x2a)),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.name.as_str(), frame.offset), (name, offset), "{line}");
            assert_eq!(frame.module, Module::File("App".to_owned()));
        }
    }

    #[test]
    fn native_offsets_are_told_from_il_offsets() {
        for (line, name, offset) in [
            ("   at Program.Main() + 0x2d", "Program.Main", 0x2d),
            ("   Ns.T.M() +39", "Ns.T.M", 39),
            ("Throw at offset 78 in file:line:column <filename unknown>:0:0", "Throw", 78),
            ("  at Ns.T.M () <0x00012 + 0x00034> in <0>:0 ", "Ns.T.M", 0x34),
            ("  at Ns.T.M () <0x41f1e100 + 0x00034> 57 in <0>:0 ", "Ns.T.M", 0x34),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.name.as_str(), frame.offset), (name, Offset::Native(offset)), "{line}");
        }
        let frame = unknown(b"  at <unknown> <0xffffffff>", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("<unknown>", Offset::Il(u32::MAX)));
        assert_eq!(unknown(b"at <unknown> <0x", 0), None);
        for line in ["+", ")+", "M() +0x2a", "a + b", "f(x) + g(y)", " at offset 7", "x) + 0xz", "() <0x1>"] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
