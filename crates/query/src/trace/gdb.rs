//! Frames of GDB and LLDB.
//!
//! ```text
//! #0  0x0000555555555131 in clamp (value=3, low=1) at src/tally.c:12
//! #1  clamp (value=3) at src/tally.c:12                                 at the start of a line of code
//! #2  0x00007ffff7df0083 in Start () from /lib/kernel32.dll
//! #3  0x0000555555555131 in entry ()                                    without lines
//!   * frame #0: 0x00007ff6c1b31079 tally.exe`clamp(value=3) at tally.c:12:5
//!     frame #1: 0x00007ff6c1b31079 tally.exe`entry + 64
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, is_module, trim_end, trim_start, without_parameters};
use pdblens_session::text::paths::file_name;

pub(crate) const GDB: Form = Form { name: "GDB", find: find_gdb };
pub(crate) const LLDB: Form = Form { name: "LLDB", find: find_lldb };

/// Limit on the length of a line.
const MAX_LEN: usize = 16 << 10;

/// A line has one frame, which begins with its number.
fn find_gdb(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    if from > start || line.len() > MAX_LEN || line.get(start) != Some(&b'#') {
        return None;
    }
    let end = trim_end(line, line.len(), start);
    let (_, number) = decimal(line, start + 1)?;
    let rest = std::str::from_utf8(line.get(number..end)?).ok()?;
    let own = rest.trim_start();
    let (address, called) = match own.strip_prefix("0x") {
        Some(digits) => {
            let (address, past) = hex(digits.as_bytes(), 0)?;
            (Some(address), digits.get(past..)?.strip_prefix(" in ")?)
        }
        None => (None, own),
    };
    let (name, after) = name_and_rest(called)?;
    let line_of = after.strip_prefix(" at ").and_then(place);
    let module = after.strip_prefix(" from ").map(file_name);
    let (module, offset) = match (line_of, module, address) {
        (Some(line), ..) => (Module::Native, Offset::Line(line)),
        (None, Some(module), _) if is_module(module.as_bytes()) => (Module::File(module.to_owned()), Offset::None),
        (None, None, Some(address)) if after.is_empty() => (Module::Loaded, Offset::Native(address)),
        _ => return None,
    };
    let name = if name == "??" { "" } else { name };
    let edit = Edit::at_end_of_native(offset, end);
    (rest.len() > own.len()).then(|| Frame { range: start..end, offset, edit, ..Frame::named(name.to_owned(), module) })
}

/// The name before ` (ARGUMENTS)`, and what follows these: all arguments have their values, or there are none.
fn name_and_rest(called: &str) -> Option<(&str, &str)> {
    let (name, rest) = called.split_once(" (").filter(|(name, _)| !name.is_empty())?;
    let end = rest.find(") at ").or_else(|| rest.find(") from ")).or_else(|| rest.strip_suffix(')').map(str::len))?;
    let (arguments, after) = rest.split_at_checked(end)?;
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let has_values = arguments.split_once('=').is_some_and(|(first, _)| !first.is_empty() && is_name(first));
    (arguments.is_empty() || arguments == "..." || has_values).then(|| (name, after.get(1..).unwrap_or_default()))
}

/// The line of `FILE:LINE` or `FILE:LINE:COLUMN`.
fn place(text: &str) -> Option<u32> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let before = rest.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
    (!rest.is_empty()).then(|| before.unwrap_or(last))
}

/// A line has one frame, which an asterisk marks where it is selected.
fn find_lldb(line: &[u8], from: usize) -> Option<Frame> {
    if line.len() > MAX_LEN {
        return None;
    }
    let start = find(line, b"frame #", from)?;
    if !line.get(..start)?.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'*')) {
        return None;
    }
    let end = trim_end(line, line.len(), start);
    let (_, number) = decimal(line, start + 7)?;
    let rest = std::str::from_utf8(line.get(number..end)?).ok()?;
    let digits = rest.strip_prefix(": 0x")?;
    let (address, past) = hex(digits.as_bytes(), 0)?;
    let (module, called) = digits.get(past..)?.strip_prefix(' ')?.split_once('`')?;
    let (called, line_of) = match called.rsplit_once(" at ") {
        Some((before, file)) => (before, Some(place(file)?)),
        None => (called, None),
    };
    let (called, offset) = match called.rsplit_once(" + ").map(|(name, digits)| (name, digits.parse().ok())) {
        Some((name, Some(offset))) => (name, Some(offset)),
        _ => (called, None),
    };
    let name = without_parameters(called);
    let (module, offset) = match (line_of, offset) {
        _ if !is_module(module.as_bytes()) => return None,
        (Some(line), _) => (Module::File(module.to_owned()), Offset::Line(line)),
        (None, Some(offset)) => (Module::File(module.to_owned()), Offset::Native(offset)),
        (None, None) if name.starts_with("___lldb_unnamed") => (Module::Loaded, Offset::Native(address)),
        (None, None) => (Module::File(module.to_owned()), Offset::Native(0)),
    };
    let name = if name.starts_with("___lldb_unnamed") { "" } else { name };
    let edit = if line_of.is_some() { Edit::None } else { Edit::In(end..end) };
    Some(Frame { range: start..end, offset, edit, ..Frame::named(name.to_owned(), module) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_frames_are_read() {
        let file = |name: &str| Module::File(name.to_owned());
        for (line, name, module, offset) in [
            (
                "#0  0x0000555555555131 in f (x=1, s=0x5 \"a (b)\") at src/my a.c:12",
                "f",
                Module::Native,
                Offset::Line(12),
            ),
            ("#1  ns::f<int, char> (this=0x0) at a.cc:12", "ns::f<int, char>", Module::Native, Offset::Line(12)),
            ("#12 f () at C:\\src\\a.c:7", "f", Module::Native, Offset::Line(7)),
            ("#2  0x00007ffff7df0083 in Start () from /lib/kernel32.dll", "Start", file("kernel32.dll"), Offset::None),
            ("#3  0x0000555555555131 in f (...)", "f", Module::Loaded, Offset::Native(0x5555_5555_5131)),
            ("#4  0x0000555555555131 in ?? ()", "", Module::Loaded, Offset::Native(0x5555_5555_5131)),
        ] {
            let frame = find_gdb(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.module, frame.offset), (name, module, offset), "{line}");
        }
        for line in [
            "#1 0x7ff6c1b31072 in clamp (/x/tally.exe+0x1079) (BuildId: ab)",
            "#1 0x7ff6c1b31072 in clamp (/x/tally.exe+0x1079)",
            "#1 0x7ff6c1b31072 in ns::f(int, char) C:\\src\\t.cpp:12:7",
            "#12 is fixed (see x=1)",
            "#12 f ()",
            "#1f () at a.c:7",
            "see #12 f () at a.c:7",
        ] {
            assert_eq!(find_gdb(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn its_modules_are_before_a_backquote() {
        for (line, name, offset) in [
            (
                "  * frame #0: 0x0000000100003f8c tally.exe`clamp(value=3, low=1) at tally.c:12:5",
                "clamp",
                Offset::Line(12),
            ),
            ("    frame #1: 0x0000000100003f8c tally.exe`entry + 64", "entry", Offset::Native(64)),
            ("    frame #1: 0x0000000100003f8c tally.exe`T::operator()(int) + 64", "T::operator()", Offset::Native(64)),
            ("    frame #2: 0x0000000100003f8c tally.exe`entry + 64 at tally.c:28", "entry", Offset::Line(28)),
            ("frame #3: 0x0000000100003f8c tally.exe`entry", "entry", Offset::Native(0)),
        ] {
            let frame = find_lldb(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.offset), (name, offset), "{line}");
            assert_eq!(frame.module, Module::File("tally.exe".to_owned()));
        }
        for line in ["frame #0: 0x1 f", "a frame #0: 0x1 m`f", "frame #0: m`f", "frame #0: 0x1 a b`f"] {
            assert_eq!(find_lldb(line.as_bytes(), 0), None, "{line}");
        }
    }
}
