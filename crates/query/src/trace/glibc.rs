//! Frames as glibc's `backtrace_symbols` writes them, which a crash of Mono on Linux prints below its managed frames: a path, a
//! function with an offset or an offset in the file alone, and an address in memory.
//!
//! ```text
//!     /lib/x86_64-linux-gnu/libc.so.6(gsignal+0x38) [0x7f2f2b438428]
//!     /lib/x86_64-linux-gnu/libpthread.so.0(+0x11390) [0x7f2f2b9f3390]
//!     /usr/bin/mono() [0x4b73d8]
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{find, hex, is_module, trim_end, trim_start};
use pdblens_session::text::paths::file_name;

pub(crate) const FORM: Form = Form { name: "glibc backtrace", find: find_frame };

/// Limit on the length of a line.
const MAX_LEN: usize = 16 << 10;

/// Text between the parenthesis that is closed and the address.
const BEFORE_ADDRESS: &[u8] = b") [0x";

/// A line has one frame, which begins with a path.
fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    if from > start || line.len() > MAX_LEN {
        return None;
    }
    let close = find(line, BEFORE_ADDRESS, start)?;
    let (_, end) = hex(line, close + BEFORE_ADDRESS.len())?;
    let is_whole = line.get(end) == Some(&b']') && trim_end(line, line.len(), end) == end + 1;
    let text = std::str::from_utf8(line.get(start..close)?).ok().filter(|_| is_whole)?;
    let (path, inside) = text.rsplit_once('(')?;
    let (name, offset) = match inside.rsplit_once("+0x") {
        Some((name, digits)) => (name, Some(u64::from_str_radix(digits, 16).ok()?)),
        None => (inside, None),
    };
    // A method of Mono has parameters there, and no path before them.
    let is_path = path.starts_with('/') || offset.is_some() && is_module(path.as_bytes());
    let is_symbol = !name.contains([' ', ',', '(']);
    let file = file_name(path);
    if !is_path || !is_symbol || file.is_empty() {
        return None;
    }
    let offset = offset.map_or(Offset::None, Offset::Native);
    let edit = Edit::at_end_of_native(offset, end + 1);
    Some(Frame { range: start..end + 1, offset, edit, ..Frame::named(name.to_owned(), Module::File(file.to_owned())) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_glibc_are_read() {
        for (line, name, module, offset) in [
            ("\t/lib/libc.so.6(gsignal+0x38) [0x7f2f2b438428]", "gsignal", "libc.so.6", Offset::Native(0x38)),
            ("\t/lib/libpthread.so.0(+0x11390) [0x7f2f2b9f3390]", "", "libpthread.so.0", Offset::Native(0x11390)),
            ("\t/usr/bin/mono() [0x4b73d8]", "", "mono", Offset::None),
            ("\tmono(main+0x1a) [0x4b73d8]", "main", "mono", Offset::Native(0x1a)),
            ("/opt/my app (x)/lib.so(_ZN1A1fEi+0x4) [0x12]", "_ZN1A1fEi", "lib.so", Offset::Native(4)),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            let file = Module::File(module.to_owned());
            assert_eq!((frame.name.as_str(), frame.module, frame.offset), (name, file, offset), "{line}");
            assert_eq!(&line[frame.range], line.trim());
        }
        for line in [
            "  at Ns.T.M (System.String s) [0x00012] in <a1b2c3d4e5f60718293a4b5c6d7e8f90>:0",
            "  Ns.T:M (string) [0x12]",
            "Main() [0x12]",
            "/src/a.c(12) [0x12] and more",
            "/src/f(int, char) [0x12]",
            "entry [0x00007FF6E2A01079+64]",
            "/lib/libc.so.6(gsignal+0x38) [0x7f2f2b438428",
            "/lib/libc.so.6(gsignal+0xzz) [0x7f]",
            "/lib/() [0x7f]",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
