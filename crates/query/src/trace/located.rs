//! Frames that have their file and line already.
//!
//! ```text
//!    at Ns.T.M(String[] args) in C:\src\P.cs:line 12
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, method_and_file, text, trim_end, word_before};

pub(crate) const FORM: Form = Form { name: "file and line", find: find_frame };

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    // Some languages put a full stop after the number.
    let end = trim_end(line, line.len(), from);
    let end = end - usize::from(line.get(from..end)?.ends_with(b"."));
    let digits = line.get(from..end)?.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, _) = decimal(line.get(..end)?, end - digits)?;
    let word = word_before(line, trim_end(line, end - digits, from), from);
    let colon = word.start + line.get(word.clone())?.iter().rposition(|byte| *byte == b':')?;
    // The word for "line" in some language, or nothing; `ns::f+0x5` is the name of a native function.
    let is_line = line.get(colon + 1..word.end)?.iter().all(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let is_scope = colon.checked_sub(1).and_then(|before| line.get(before)) == Some(&b':');
    if !is_line || is_scope {
        return None;
    }
    let found = method_and_file(line, colon, from)?;
    Some(Frame {
        range: found.signature.at.start..end,
        name: text(line, &found.signature.name),
        parameters: Some(text(line, &found.signature.parameters)),
        inner: found.signature.inner.as_ref().map(|inner| text(line, inner)),
        module: Module::Unknown,
        token: None,
        offset: Offset::Line(u32::try_from(number).ok()?),
        edit: Edit::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_there_are_seen() {
        for line in ["   at T.M() in C:\\my src\\P (1).cs:line 12", "   bei T.M() in C:\\P.cs:Zeile 12."] {
            let frame = find_frame(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.name.as_str(), frame.offset), ("T.M", Offset::Line(12)), "{line}");
        }
        for line in [
            "12",
            ":line 12",
            "in x:line 12",
            "M() in x:line",
            "M() x:line 3",
            "M() in :line 3",
            "(x y) z!n::{ctor}+0x5",
            "M() in a::f12",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
