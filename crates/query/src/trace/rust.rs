//! Backtraces of Rust's standard library. A numbered line is a frame only inside a backtrace; the next line has its source line.
//!
//! ```text
//! stack backtrace:
//!    3: sorter::sort
//!              at .\src\sort.rs:14:9
//!              at .\src\sort.rs:14                  on Windows
//!    4:     0x7ff6a1b21079 - main
//! ```
//!
//! The address is one of the process: without the base address of its module it has no RVA. The name is that of the function.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::forms;
use super::frame::{Frame, Module};

/// Extensions of source files of Rust, C, C++ and assembly, which one program can have.
static PLACE: LazyLock<Option<Regex>> =
    LazyLock::new(|| forms::compile(r"^\s*at .*\.(?:rs|c|cc|cpp|cxx|h|hpp|inl|asm|s|S):(?<line>\d+)(?::\d+)?\s*$"));

static NUMBERED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"^[ \t]*(?<number>\d+):[ \t]+(?:0x[0-9A-Fa-f]{1,16}(?: - )?)?
        (?:<unknown>|(?<name>.*?))(?:::h[0-9a-f]{16})?\s*$",
    )
});

/// The line that a place after a frame names: `at FILE:LINE:COLUMN`, or `at FILE:LINE` on Windows, on a line of its own.
pub(super) fn place(line: &[u8]) -> Option<u32> {
    number(&forms::captures(&PLACE, line)?, "line")
}

/// Any frame of a backtrace: its number, and its name, which is empty where it is unknown.
pub(super) fn numbered(line: &[u8]) -> Option<(u64, Frame)> {
    let found = NUMBERED.as_ref()?.captures(line)?;
    let name = found.name("name").map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned());
    let range = line.len() - line.trim_ascii_start().len()..line.trim_ascii_end().len();
    let frame = Frame::named(name.unwrap_or_default(), Module::Native);
    Some((number(&found, "number")?, Frame { range, ..frame }))
}

/// The number in a group.
fn number<N: std::str::FromStr>(found: &Captures<'_>, group: &str) -> Option<N> {
    std::str::from_utf8(found.name(group)?.as_bytes()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        assert_eq!(place(b"             at ./src/my sort.rs:14:9\r\n"), Some(14));
        assert_eq!(place(b"    at /rustc/59807616/library\\core\\src\\panicking.rs:80:14"), Some(80));
        assert_eq!(place(b"             at .\\src\\main.rs:2"), Some(2));
        assert_eq!(place(b"             at D:\\a\\startup\\exe_common.inl:78"), Some(78));
        for line in ["at x.js:1:2", "at x.rs:y", "at x.rs", "see at x.rs:1:2", "at x.rs:1:y"] {
            assert_eq!(place(line.as_bytes()), None, "{line}");
        }
    }
}
