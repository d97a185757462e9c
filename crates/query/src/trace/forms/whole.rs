//! The two forms of frames that .NET writes without symbols, read by hand where a frame is a line of its own and as plain as most are:
//!
//! ```text
//!    at App.Program.MethodA(String text)+MoveNext() in App.dll:token 0x6000002+0x6
//!    at App.Program.MethodA(String text)
//! ```
//!
//! The expressions of the forms find the same frames and take several times as long. They read every other line.

use pdblens_formats::metadata::Token;

use super::super::frame::{Edit, Frame, Module, Offset};
use super::super::locales::line_word;
use super::{IL_OFFSET, MAX_OVERLAP, NAME_ONLY};

/// The frame that a line consists of, with the name of its form.
pub(super) fn frame(line: &[u8]) -> Option<(&'static str, Frame)> {
    let line = std::str::from_utf8(line).ok().filter(|line| line.is_ascii() && line.len() < MAX_OVERLAP)?;
    let text = line.trim_start_matches([' ', '\t']);
    let (name, rest) = text.strip_prefix("at ")?.split_once('(')?;
    let (parameters, rest) = rest.split_once(')')?;
    if !is_name(name) || !name.contains('.') || !parameters.bytes().all(is_of_parameters) {
        return None;
    }
    let (inner, rest) = match rest.strip_prefix('+') {
        Some(rest) => {
            let (inner, rest) = rest.split_once("()")?;
            (Some(inner).filter(|inner| is_name(inner))?.to_owned().into(), rest)
        }
        None => (None, rest),
    };
    let range = line.len() - text.len()..line.len();
    let (name, parameters) = (name.to_owned(), Some(parameters.to_owned()));
    let frame = Frame { range, name, parameters, inner, ..Frame::default() };
    if rest.is_empty() {
        return Some((NAME_ONLY, frame));
    }
    let (module, token, il) = place(rest.strip_prefix(" in ")?)?;
    let file = line.len() - rest.len() + " in ".len()..line.len();
    let edit = Edit::File(file, line_word(b"at", b"in"));
    let module = Module::File(module.to_owned());
    Some((IL_OFFSET, Frame { module, token: Some(Token(token)), offset: Offset::Il(il), edit, ..frame }))
}

/// The module, the token and the IL offset in `App.dll:token 0x6000002+0x6`.
fn place(text: &str) -> Option<(&str, u32, u32)> {
    let (module, rest) = text.split_once(':')?;
    let (token, il) = rest.strip_prefix("token 0x")?.split_once("+0x")?;
    let is_of_module = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if module.is_empty() || !module.bytes().all(is_of_module) {
        return None;
    }
    Some((module, hex(token)?, hex(il)?))
}

fn hex(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'<' | b'>' | b'`' | b'|' | b'$' | b'-' | b'+')
    };
    !name.is_empty() && name.bytes().all(is_part)
}

/// A colon may be of a place of JavaScript, an exclamation mark behind a module.
const fn is_of_parameters(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b' ' | b',' | b'.' | b'_' | b'<' | b'>' | b'`' | b'&' | b'*' | b'[' | b']' | b'+' | b'$')
}

#[cfg(test)]
mod tests {
    use super::super::by_expressions;
    use super::*;

    #[test]
    fn frames_read_by_hand_are_those_of_the_expressions() {
        let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/throws");
        let mut texts = vec![
            "   at A.B(C d)\n at A.B()+MoveNext()\n\tat A..ctor()\nat A.B(x:1:2)\n  at A.B() \n  at A.B() in \n  at A.B(C(d))\n at A(B)\n\
             at A.B() in C.dll:token 0x6000001+0x\n at A.B() in C D.dll:token 0x6000001+0x1\n at A.B() in C.dll:token 0x6000001+0x123456789\n\
             at A.B() in C.dll:token 0x6000001+0x1 \n at A.B() in C.dll:token 0x6000001+0x1+0x2\n at A.B() in at A.B()\n at at A.B()"
                .to_owned(),
        ];
        let files = std::fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path());
        texts.extend(
            files
                .filter(|path| path.extension().is_some_and(|end| end == "txt"))
                .map(|path| std::fs::read_to_string(path).unwrap()),
        );
        let (mut by_hand, mut all) = (0, 0);
        for line in texts.iter().flat_map(|text| text.lines()) {
            let wanted = by_expressions(line.as_bytes());
            all += usize::from(matches!(*wanted, [(IL_OFFSET | NAME_ONLY, _)]));
            if let Some(found) = frame(line.as_bytes()) {
                by_hand += 1;
                assert_eq!(wanted, [found], "{line}");
            }
        }
        assert!(by_hand * 10 > all * 9, "{by_hand} of {all}");
    }
}
