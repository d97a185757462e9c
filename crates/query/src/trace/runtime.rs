//! .NET 6 and later with `Switch.System.Diagnostics.StackTrace.ShowILOffsets`: where a frame has no file and line, it has
//! module, token and IL offset.
//!
//! ```text
//!    at App.Program.MethodA() in App.dll:token 0x6000002+0x6
//!    at App.Program.MethodA() in App.dll:token 0x6000002           where a tool has cut the offset off
//! ```
//!
//! For an async method or an iterator, name and token are those of the method in the source, the offset is one of the
//! `MoveNext` that holds its body.

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::locales::line_word;
use super::scan::{first_at, hex, hex_before, method_and_file, text, trim_end, word_before};
use pdblens_formats::metadata::{TableId, Token};

pub(crate) const FORM: Form = Form { name: "token and IL offset", find: find_frame };

pub(crate) const WITHOUT_OFFSET: Form = Form { name: "token alone", find: find_without_offset };

/// A frame that ends with its token.
fn find_without_offset(line: &[u8], from: usize) -> Option<Frame> {
    let end = trim_end(line, line.len(), from);
    let end = end - usize::from(line.get(from..end)?.ends_with(b"+"));
    let (token, _) = hex_before(line, end, from)?;
    if token >> 24 != u64::from(TableId::METHOD_DEF.0) {
        return None;
    }
    let frame = frame_of_token(line, end, from)?;
    Some(Frame { range: frame.range.start..end, ..frame })
}

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    first_at(line, b"+0x", from, |plus, floor| frame_at(line, plus, floor))
}

/// The frame whose token ends at `plus`.
fn frame_at(line: &[u8], plus: usize, floor: usize) -> Option<Frame> {
    let (il, end) = hex(line, plus + 3)?;
    let frame = frame_of_token(line, plus, floor)?;
    let edit = match frame.edit {
        Edit::File(range, word) => Edit::File(range.start..end, word),
        other => other,
    };
    let offset = Offset::of_il(il);
    Some(Frame { range: frame.range.start..end, offset, edit, ..frame })
}

/// The frame whose token ends at `end`, without its offset.
fn frame_of_token(line: &[u8], end: usize, floor: usize) -> Option<Frame> {
    let (token, start) = hex_before(line, end, floor)?;
    let word = word_before(line, trim_end(line, start, floor), floor);
    // `App.dll:token` is one word, `App.dll: token` (Tizen writes that) is two.
    let word_text = line.get(word.clone())?;
    let colon = match word_text.iter().rposition(|byte| *byte == b':') {
        Some(at) if at + 1 < word_text.len() => word.start + at,
        None => trim_end(line, word.start, floor).checked_sub(1).filter(|at| line.get(*at) == Some(&b':'))?,
        Some(_) => return None,
    };
    let found = method_and_file(line, colon, floor)?;
    let word = line_word(line.get(found.signature.at.clone())?, line.get(found.within)?);
    Some(Frame {
        range: found.signature.at.start..end,
        name: text(line, &found.signature.name),
        parameters: Some(text(line, &found.signature.parameters)),
        inner: found.signature.inner.as_ref().map(|inner| text(line, inner)),
        module: Module::File(text(line, &found.file)),
        token: Some(Token(u32::try_from(token).ok()?)),
        offset: Offset::None,
        edit: Edit::File(found.file.start..end, word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Frame> {
        find_frame(line.as_bytes(), 0)
    }

    #[test]
    fn the_runtimes_form_is_read() {
        let line = "12:00 ERR    at Ns.T.M(String[] args) in App (x86).dll:token 0x6000001+0x139 ";
        let frame = read(line).unwrap();
        assert_eq!(frame.name, "Ns.T.M");
        assert_eq!(frame.parameters.as_deref(), Some("String[] args"));
        assert_eq!(frame.module, Module::File("App (x86).dll".into()));
        assert_eq!((frame.token, frame.offset), (Some(Token(0x0600_0001)), Offset::Il(0x139)));
        let (range, new) = frame.edit.text("/src/P.cs", 27).unwrap();
        assert_eq!(
            format!("{}{new}{}", &line[..range.start], &line[range.end..]),
            "12:00 ERR    at Ns.T.M(String[] args) in /src/P.cs:line 27 "
        );
    }

    #[test]
    fn iterators_other_languages_and_tizen_are_read() {
        let frame = read("   at T.Numbers(Int32 count)+MoveNext() in A.dll:token 0x6000003+0x2a").unwrap();
        assert_eq!((frame.name.as_str(), frame.parameters.as_deref()), ("T.Numbers", Some("Int32 count")));
        let frame = read("   bei T.M() in A.dll:Token 0x6000003+0x2a").unwrap();
        assert!(matches!(frame.edit, Edit::File(_, "Zeile")));
        let frame = read("   at T.M() in A.dll: token 0x6000003+0x2a").unwrap();
        assert_eq!(frame.module, Module::File("A.dll".into()));
    }

    #[test]
    fn a_token_may_be_alone() {
        for line in ["   at T.M() in A.dll:token 0x6000003", "   at T.M() in A.dll:token 0x6000003+ "] {
            let frame = find_without_offset(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.token, frame.offset), (Some(Token(0x0600_0003)), Offset::None), "{line}");
            assert_eq!(line.get(..frame.range.end), Some("   at T.M() in A.dll:token 0x6000003"));
        }
        for line in ["at T.M() in A.dll:token 0x2000003", "see 0x6000003", "at T.M() in A.dll:token 0x6000003+0x2"] {
            assert_eq!(find_without_offset(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_left_alone() {
        for line in [
            "+0x1",
            "0x1+0x2",
            "token 0x1+0x2",
            ":token 0x1+0x2",
            "a.dll:token 0x1+0x2",
            "M() in a.dll: 0x1+0x2",
            "M() a.dll:token 0x1+0x2",
            "at M() in a.dll:token 0x123456789+0x2",
            "at M() in a.dll:token 0x+0x2",
            "at M() in a.dll:token 0x1+0x",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
