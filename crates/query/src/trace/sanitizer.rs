//! Frames of the sanitizers of clang and MSVC, and of debuggers that write frames in their way.
//!
//! ```text
//!     #0 0x7ff6c1b31072 in clamp /src/native/tally.c:12:3
//!     #1 0x7ff6c1b31079 in clamp+0x19 (C:\\app\\tally.exe+0x140001079)
//!     #2 0x7ff6c1b31079  (C:\\app\\tally.exe+0x1079)
//!     #3 0x7ff6c1b31079 in clamp
//! ```
//!
//! The number after the module is an address of the image, on Windows as the image prefers to be loaded.

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{hex, is_module, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "sanitizer", find: find_frame };

/// Limit on the length of a line.
const MAX_LEN: usize = 16 << 10;

/// A line has one frame, which begins with its number.
fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    if from > start || line.len() > MAX_LEN || line.get(start) != Some(&b'#') {
        return None;
    }
    let end = trim_end(line, line.len(), start);
    let text = std::str::from_utf8(line.get(start + 1..end)?).ok()?;
    let (number, rest) = text.split_once(' ')?;
    let rest = rest.trim_start();
    let address = rest.strip_prefix("0x")?;
    let (address, past) =
        hex(address.as_bytes(), 0).filter(|(_, past)| *past >= 4).map(|(found, past)| (found, past + 2))?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest = rest.get(past..)?;
    let (function, is_named) = match rest.strip_prefix(" in ") {
        Some(function) => (function.trim(), true),
        None => (rest.trim(), false),
    };
    let function = function.split(" (BuildId: ").next().unwrap_or(function);
    let frame = |name: &str, module: Module, offset: Offset| {
        let edit = if matches!(offset, Offset::Line(_)) { Edit::None } else { Edit::In(end..end) };
        Frame { range: start..end, offset, edit, ..Frame::named(name.to_owned(), module) }
    };
    if let Some((name, module, offset)) = in_module(function) {
        return Some(match name_and_offset(name) {
            Some((name, offset)) => frame(name, Module::File(module.to_owned()), Offset::Native(offset)),
            // An address of the module: whatever function is named, the symbols know it.
            None => frame("", Module::File(module.to_owned()), Offset::Native(offset)),
        });
    }
    if let Some((name, line)) = place(function) {
        return Some(frame(name, Module::Unknown, Offset::Line(line)));
    }
    let name = function.split(" (<").next().unwrap_or(function);
    (is_named && !name.is_empty()).then(|| frame(name, Module::Loaded, Offset::Native(address)))
}

/// The name before ` (MODULE+0xOFFSET)`, the file name of the module and the offset.
fn in_module(text: &str) -> Option<(&str, &str, u64)> {
    let (name, inside) = text.strip_suffix(')')?.rsplit_once('(')?;
    let (path, offset) = inside.rsplit_once("+0x")?;
    let module = path.rsplit(['/', '\\']).next()?;
    let offset = u64::from_str_radix(offset, 16).ok()?;
    is_module(module.as_bytes()).then(|| (name.trim_end(), module, offset))
}

/// `clamp+0x19`
fn name_and_offset(text: &str) -> Option<(&str, u64)> {
    let (name, offset) = text.rsplit_once("+0x")?;
    Some((name, u64::from_str_radix(offset, 16).ok()?)).filter(|_| !name.is_empty())
}

/// The name before ` FILE:LINE` or ` FILE:LINE:COLUMN`, and the line.
fn place(text: &str) -> Option<(&str, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let (file, line) = match rest.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line),
        _ => (rest, last),
    };
    let (name, file) = file.rsplit_once(' ')?;
    (!name.is_empty() && file.contains('.')).then(|| (name.trim_end(), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_frames_are_read() {
        let tally = || Module::File("tally.exe".to_owned());
        for (line, name, module, offset) in [
            ("    #0 0x7ff6c1b31072 in clamp /src/native/tally.c:12", "clamp", Module::Unknown, Offset::Line(12)),
            (
                "#0 0x7ff6c1b31072 in ns::f(int, char) C:\\src\\t.cpp:12:7",
                "ns::f(int, char)",
                Module::Unknown,
                Offset::Line(12),
            ),
            ("#1 0x7ff6c1b31072 in clamp+0x19 (C:\\x\\tally.exe+0x140001079)", "clamp", tally(), Offset::Native(0x19)),
            ("#1 0x7ff6c1b31072 in clamp (/x/tally.exe+0x1079) (BuildId: ab)", "", tally(), Offset::Native(0x1079)),
            ("#2 0x7ff6c1b31072  (C:\\my x\\tally.exe+0x1079)", "", tally(), Offset::Native(0x1079)),
            ("  #0 0x00007FF8 in Foo ", "Foo", Module::Loaded, Offset::Native(0x7ff8)),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.module, frame.offset), (name, module, offset), "{line}");
        }
        for line in ["#1 is first", "#1 0x12", "# 0x12345678 in f", "#1 0x12345678", "see #1 0x12345678 in f"] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
