//! Mono, and Unity's Mono: parameters with full type names, an IL offset, and, where there are no symbols, the module version
//! id in the place of the file.
//!
//! ```text
//!   at Ns.T.M (System.String s) [0x00012] in <a1b2c3d4e5f60718293a4b5c6d7e8f90>:0
//!   Ns.T:M (string) [0x12] in <a1b2c3d4e5f60718293a4b5c6d7e8f90>:0
//!   at Ns.T.M (string) <IL 0x00012, 0x00096>                              of a crash: IL, and machine code
//! ```
//!
//! An id of nothing but zeros comes from IL2CPP, which knows neither module nor offset.

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, first_at, hex, signature_before, text, trim_end, trim_start};
use pdblens_formats::bytes::Guid;
use pdblens_session::text::parameters::without_colon;

pub(crate) const FORM: Form = Form { name: "Mono", find: find_frame };
pub(crate) const WITHOUT_SYMBOLS: Form = Form { name: "Mono", find: find_without_symbols };

const IL: &[u8] = b"<IL 0x";

/// `T.M (string) <IL 0x00012, 0x00096>`
fn find_without_symbols(line: &[u8], from: usize) -> Option<Frame> {
    first_at(line, IL, from, |mark, floor| {
        let (il, comma) = hex(line, mark + IL.len())?;
        let (_, close) = hex(line, comma + 4).filter(|_| line.get(comma..comma + 4) == Some(b", 0x"))?;
        if line.get(close) != Some(&b'>') {
            return None;
        }
        let end = close + 1;
        let frame = frame_of_signature(line, mark, floor, il)?;
        Some(Frame { range: frame.range.start..end, edit: Edit::In(end..end), ..frame })
    })
}

/// A frame whose signature ends before `mark`, at an IL offset; its range is empty.
fn frame_of_signature(line: &[u8], mark: usize, floor: usize, il: u64) -> Option<Frame> {
    let signature = signature_before(line, trim_end(line, mark, floor), floor)?;
    let start = signature.at.start;
    Some(Frame {
        range: start..start,
        parameters: Some(text(line, &signature.parameters)),
        inner: signature.inner.as_ref().map(|inner| text(line, inner)),
        offset: Offset::of_il(il),
        ..Frame::named(without_colon(&text(line, &signature.name)).into_owned(), Module::Unknown)
    })
}

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    first_at(line, b"[0x", from, |mark, floor| frame_at(line, mark, floor))
}

fn frame_at(line: &[u8], mark: usize, floor: usize) -> Option<Frame> {
    let (il, behind) = hex(line, mark + 3)?;
    let mut frame = frame_of_signature(line, mark, floor, il)?;
    if line.get(behind) != Some(&b']') {
        return None;
    }
    // "in", in whatever language.
    let word = trim_start(line, behind + 1);
    let word_len = line.get(word..)?.iter().position(|byte| *byte == b' ')?;
    let file = trim_start(line, word + word_len);
    if line.get(file) == Some(&b'<') {
        let close = find(line, b">:", file)?;
        let (_, end) = decimal(line, close + 2)?;
        // Behind a `#` comes the id of the AOT image.
        let id = text(line, &(file + 1..close));
        if let Ok(mvid) = id.split('#').next().unwrap_or_default().parse::<Guid>() {
            frame.module = Module::Mvid(mvid);
        }
        frame.range.end = end;
        frame.edit = Edit::Colon(file..end);
    } else {
        let colon = line.iter().rposition(|byte| *byte == b':').filter(|colon| *colon > file)?;
        let (number, end) = decimal(line, colon + 1)?;
        frame.range.end = end;
        frame.offset = Offset::Line(u32::try_from(number).ok()?);
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monos_form_is_read() {
        let line = "  at Ticker.Program.Main (System.String[] args) [0x0000a] in <3e054b69bbad4294b9d89cf6f7a035e2>:0 ";
        let frame = find_frame(line.as_bytes(), 0).unwrap();
        assert_eq!(
            (frame.name.as_str(), frame.parameters.as_deref()),
            ("Ticker.Program.Main", Some("System.String[] args"))
        );
        assert_eq!(frame.offset, Offset::Il(10));
        assert!(matches!(frame.module, Module::Mvid(guid) if guid.digits() == "3e054b69bbad4294b9d89cf6f7a035e2"));
        let (range, new) = frame.edit.text("/src/P.cs", 11).unwrap();
        assert_eq!(
            format!("{}{new}{}", &line[..range.start], &line[range.end..]),
            "  at Ticker.Program.Main (System.String[] args) [0x0000a] in /src/P.cs:11 "
        );
    }

    #[test]
    fn frames_of_a_crash_have_il_beside_machine_code() {
        let line = "  at Ticker.Clock:Since (long) <IL 0x0000f, 0x00096>";
        let frame = find_without_symbols(line.as_bytes(), 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("Ticker.Clock.Since", Offset::Il(15)));
        assert_eq!(frame.edit, Edit::In(line.len()..line.len()));
        for line in ["<IL 0x1, 0x2>", "M () <IL 0x1>", "M () <IL 0x1, 0x2", "M () <IL 0x, 0x2>", "a <IL 0x1, 0x2>"] {
            assert_eq!(find_without_symbols(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn a_colon_between_type_and_method_is_a_dot() {
        for (line, name) in [
            ("Ticker.Clock:Since (long) [0x0f] in <3e054b69bbad4294b9d89cf6f7a035e2>:0", "Ticker.Clock.Since"),
            ("  at Ns.T:.ctor () [0x00000] in <3e054b69bbad4294b9d89cf6f7a035e2>:0", "Ns.T..ctor"),
            ("  at A::B () [0x00000] in <3e054b69bbad4294b9d89cf6f7a035e2>:0", "A::B"),
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0).unwrap().name, name);
        }
    }

    #[test]
    fn a_line_that_is_there_is_known_and_an_unknown_file_names_no_module() {
        let frame = find_frame(b"  at T.M () [0x0000a] in C:\\src\\P.cs:11 ", 0).unwrap();
        assert_eq!((frame.offset, frame.edit), (Offset::Line(11), Edit::None));
        let frame = find_frame(b"  at T.M () [0x0000a] in <filename unknown>:0 ", 0).unwrap();
        assert_eq!((frame.offset, frame.module), (Offset::Il(10), Module::Unknown));
        for line in
            ["[0x", "[0x1]", "M() [0x1]", "M() [0x1] in ", "M() [0x1] in <x", "M() [0x1 in <x>:0", "x [0x1] in <x>:0"]
        {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
