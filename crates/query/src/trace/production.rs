//! ProductionStackTrace: assembly, token and IL offset in each frame, and after the trace a footer that identifies exactly which
//! build each assembly is.
//!
//! ```text
//!    at Test!0x0600000f!Ns.Class1.A(Int32 x) +0xc
//! ==========
//! MODULE: Test => Test, Version=1.0.0.0, …; G:27657a27…; A:1; F:other.pdb
//! ```
//!
//! Name and token are those of the method that runs: of an async method, its `MoveNext`.

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{find, first_at, hex, signature_before, text, trim_end, word_before};
use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::Token;

pub(crate) const FORM: Form = Form { name: "ProductionStackTrace", find: find_frame };

/// Module line of a footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Name of the module in the frames.
    pub(crate) short: String,
    /// The name of its assembly.
    pub(crate) assembly: String,
    /// The id of its PDB, where it says.
    pub(crate) id: Option<(Guid, Option<u32>)>,
    /// The name of its PDB, where that is not the assembly's.
    pub(crate) file: Option<String>,
}

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    first_at(line, b"!0x", from, |mark, floor| frame_at(line, mark, floor))
}

fn frame_at(line: &[u8], mark: usize, floor: usize) -> Option<Frame> {
    let (token, behind) = hex(line, mark + 3)?;
    if line.get(behind) != Some(&b'!') {
        return None;
    }
    let assembly = word_before(line, mark, floor);
    let start = behind + 1;
    // The next frame on the same line, if any, ends the search: so each byte is looked at once.
    let limit = find(line, b"!0x", start).unwrap_or(line.len());
    let plus = find(line.get(..limit)?, b") +0x", start)?;
    let (il, end) = hex(line, plus + 5)?;
    let signature = signature_before(line, plus + 1, start)?;
    if assembly.is_empty() || signature.name.start != start {
        return None;
    }
    let at = word_before(line, trim_end(line, assembly.start, floor), floor);
    Some(Frame {
        range: at.start..end,
        name: text(line, &signature.name),
        parameters: Some(text(line, &signature.parameters)),
        inner: signature.inner.as_ref().map(|inner| text(line, inner)),
        module: Module::Footer(text(line, &assembly)),
        token: Some(Token(u32::try_from(token).ok()?)),
        offset: Offset::ExactIl(u32::try_from(il).unwrap_or(u32::MAX)),
        edit: Edit::In(end..end),
    })
}

/// Parses the footer of a module in a line.
pub(crate) fn footer(line: &[u8]) -> Option<Footer> {
    let text = String::from_utf8_lossy(line.get(find(line, b"MODULE: ", 0)? + 8..)?).into_owned();
    let (short, rest) = text.split_once(" => ")?;
    let mut parts = rest.split(';').map(str::trim);
    let full = parts.next()?;
    let mut footer = Footer {
        short: short.trim().to_owned(),
        assembly: full.split(',').next().unwrap_or(full).trim().to_owned(),
        id: None,
        file: None,
    };
    for part in parts {
        match part.split_once(':') {
            Some(("G", guid)) => footer.id = guid.trim().parse().ok().map(|guid| (guid, None)),
            Some(("A", age)) => {
                if let Some((_, slot)) = &mut footer.id {
                    *slot = age.trim().parse().ok();
                }
            }
            Some(("F", file)) => footer.file = Some(file.trim().to_owned()),
            _ => {}
        }
    }
    Some(footer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_footers_are_read() {
        let line = "   at Faults!0x0600001e!Faults.Warehouse`1+<RestockAsync>d__2.MoveNext() +0x6d";
        let frame = find_frame(line.as_bytes(), 0).unwrap();
        assert_eq!(frame.name, "Faults.Warehouse`1+<RestockAsync>d__2.MoveNext");
        assert_eq!((frame.token, frame.offset), (Some(Token(0x0600_001e)), Offset::ExactIl(0x6d)));
        assert_eq!(frame.edit.text("/P.cs", 68), Some((line.len()..line.len(), " in /P.cs:line 68".into())));
        let footer =
            footer(b"MODULE: T#2 => Test, Version=1.0; G:27657a27000000000000000000000001; A:3; F:o.pdb").unwrap();
        assert_eq!((footer.short.as_str(), footer.assembly.as_str()), ("T#2", "Test"));
        assert_eq!(
            footer.id.map(|(guid, age)| (guid.digits(), age)),
            Some(("27657a27000000000000000000000001".into(), Some(3)))
        );
        assert_eq!(footer.file.as_deref(), Some("o.pdb"));
    }

    #[test]
    fn what_only_looks_like_it_is_left_alone() {
        for line in
            ["!0x", "!0x1", "!0x1!", "A!0x1!M", "A!0x1!M()", "A!0x1!M() 0x2", "!0x1!M() +0x2", "A!0x1! M() +0x2"]
        {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
        assert_eq!(footer(b"MODULE: x"), None);
        assert_eq!(footer(b"MODULES"), None);
    }
}
