//! Panics and backtraces of Rust's standard library.
//!
//! ```text
//! thread 'main' panicked at src\main.rs:2:5:
//!    3: sorter::sort
//!              at .\src\sort.rs:14:9
//!              at .\src\sort.rs:14                  on Windows
//!    4:     0x7ff6a1b21079 - sorter::main::h0123456789abcdef
//! ```
//!
//! The address is one of the process, and says nothing without the base of its module; the name is that of the function.

use super::frame::{Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, text, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "Rust backtrace", find: find_frame };
pub(crate) const PANIC: Form = Form { name: "Rust panic", find: find_panic };

/// Limit on the length of a line.
const MAX_LEN: usize = 16 << 10;

/// A line has one frame, which begins with its number.
fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    if from > 0 || line.len() > MAX_LEN {
        return None;
    }
    let start = trim_start(line, 0);
    let (_, colon) = decimal(line, start)?;
    if line.get(colon..colon + 2)? != b": " {
        return None;
    }
    let mut name = trim_start(line, colon + 2);
    if line.get(name..name + 2) == Some(b"0x") {
        let (_, end) = hex(line, name + 2)?;
        name = end + if line.get(end..end + 3)? == b" - " { 3 } else { return None };
    }
    let end = trim_end(line, line.len(), name);
    let path = text(line, &(name..end));
    // Anything else with a number is a list.
    if !path.contains("::") || path.contains("  ") || path.ends_with([':', '.', ';']) {
        return None;
    }
    Some(Frame { range: start..end, ..frame(without_hash(&path).to_owned(), Offset::None) })
}

/// Extensions of the source files of programs that have Rust in them.
const EXTENSIONS: &[&str] = &["rs", "c", "cc", "cpp", "cxx", "h", "hpp", "inl", "asm", "s", "S"];

/// The line that a place after a frame names: `at FILE:LINE:COLUMN`, or `at FILE:LINE` on Windows, on a line of its own.
pub(crate) fn place(line: &[u8]) -> Option<u32> {
    let rest = line.trim_ascii().strip_prefix(b"at ").filter(|rest| rest.len() <= MAX_LEN)?;
    let (file, last) = std::str::from_utf8(rest).ok()?.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let (file, line) = match file.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line),
        _ => (file, last),
    };
    let (_, extension) = file.rsplit_once('.')?;
    EXTENSIONS.contains(&extension).then_some(line)
}

/// Any frame of a backtrace: its number, and its name, which is empty where it is unknown.
pub(super) fn numbered(line: &[u8]) -> Option<(u64, Frame)> {
    let start = trim_start(line, 0);
    let (number, colon) = decimal(line, start)?;
    let mut name = trim_start(line, colon + 1);
    if name < colon + 2 || line.get(colon) != Some(&b':') {
        return None;
    }
    if line.get(name..name + 2) == Some(b"0x") {
        let (_, end) = hex(line, name + 2)?;
        name = end + if line.get(end..end + 3) == Some(b" - ") { 3 } else { 0 };
    }
    let line_end = line.len() - line.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    let path = text(line, &(name.min(line_end)..line_end));
    let path = without_hash(if path == "<unknown>" { "" } else { &path }).to_owned();
    Some((number, Frame { range: start..line_end, ..frame(path, Offset::None) }))
}

fn find_panic(line: &[u8], from: usize) -> Option<Frame> {
    let at = find(line, b" panicked at ", from)?;
    let start = find(line, b"thread '", from).filter(|start| *start < at)?;
    let rest = line.get(at..)?;
    let end = at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let location = trim_end(line, end, at);
    let place = text(line, &(at + 13..location));
    // Old versions put the message before the place: `'…', src/main.rs:2:5`.
    let mut parts = place.trim_end_matches(':').rsplit(':');
    let _column = parts.next()?.parse::<u32>().ok()?;
    let number = parts.next()?.parse().ok()?;
    Some(Frame { range: start..location, ..frame(String::new(), Offset::Line(number)) })
}

/// A path without the hash that legacy mangling appends.
fn without_hash(path: &str) -> &str {
    match path.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => path,
        _ => path,
    }
}

fn frame(name: String, offset: Offset) -> Frame {
    Frame { offset, ..Frame::named(name, Module::Native) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_panics_are_read() {
        for (line, name) in [
            ("   3: sorter::sort", "sorter::sort"),
            ("  14:     0x7ff6a1b21079 - sorter::main::h0123456789abcdef", "sorter::main"),
            ("   0: <alloc::vec::Vec<T> as core::ops::Drop>::drop", "<alloc::vec::Vec<T> as core::ops::Drop>::drop"),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.offset, frame.module), (name, Offset::None, Module::Native));
        }
        for line in ["3: see a list", "12:30: std::x is broken.", "a: b::c", "7:", "3: 0x12 x::y"] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
        for line in [
            "thread 'main' panicked at src\\main.rs:27:5:",
            "thread 'main' (4711) panicked at src/main.rs:27:5:",
            "thread 'w' panicked at 'index out of bounds: 3', src/main.rs:27:5",
        ] {
            assert_eq!(find_panic(line.as_bytes(), 0).unwrap().offset, Offset::Line(27), "{line}");
        }
        assert_eq!(find_panic(b"thread 'main' panicked at lunch", 0), None);
        assert_eq!(place(b"             at ./src/my sort.rs:14:9\r\n"), Some(14));
        assert_eq!(place(b"    at /rustc/59807616/library\\core\\src\\panicking.rs:80:14"), Some(80));
        assert_eq!(place(b"             at .\\src\\main.rs:2"), Some(2));
        assert_eq!(place(b"             at D:\\a\\startup\\exe_common.inl:78"), Some(78));
        for line in ["at x.js:1:2", "at x.rs:y", "at x.rs", "see at x.rs:1:2", "at x.rs:1:y"] {
            assert_eq!(place(line.as_bytes()), None, "{line}");
        }
    }
}
