//! Unity's short form, which its console and its player's log write: types with a colon or a dot before the method, and the
//! place after it in parentheses of its own.
//!
//! ```text
//! Ns.T:M(Int32, String) (at Assets/Scripts/T.cs:12)
//! Ns.T.M (System.Int32 n) (at <3e054b69bbad4294b9d89cf6f7a035e2>:0)
//! ```
//!
//! In the place of a file stands the module version id where there are no symbols; the IL offset is not written.

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, first_at, signature_before, text, trim_end};
use pdblens_formats::bytes::Guid;

pub(crate) const FORM: Form = Form { name: "Unity", find: find_frame };

const MARK: &[u8] = b" (at ";

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    first_at(line, MARK, from, |mark, floor| frame_at(line, mark, floor))
}

fn frame_at(line: &[u8], mark: usize, floor: usize) -> Option<Frame> {
    let signature = signature_before(line, trim_end(line, mark, floor), floor)?;
    let file = mark + MARK.len();
    // The next frame on the same line, if any, ends the search: so each byte is looked at once.
    let limit = find(line, MARK, file).unwrap_or(line.len());
    let (colon, number, close) = place_end(line, file, limit)?;
    let name = text(line, &signature.name);
    // The last colon takes the place of the dot before the method.
    let name = name.rsplit_once(':').map_or(name.clone(), |(class, method)| format!("{class}.{method}"));
    if file == colon || !name.contains('.') {
        return None;
    }
    let id = text(line, &(file..colon)).strip_prefix('<').and_then(|rest| rest.strip_suffix('>')?.parse::<Guid>().ok());
    let is_known = line.get(file) != Some(&b'<');
    Some(Frame {
        range: signature.name.start..close + 1,
        parameters: Some(text(line, &signature.parameters)),
        inner: signature.inner.map(|inner| text(line, &inner)),
        offset: if is_known { Offset::Line(u32::try_from(number).ok()?) } else { Offset::None },
        edit: Edit::None,
        ..Frame::named(name, id.map_or(Module::Unknown, Module::Mvid))
    })
}

/// The end of a place, `:12)`: its colon, the line, its parenthesis. A path may have parentheses too.
fn place_end(line: &[u8], from: usize, limit: usize) -> Option<(usize, u64, usize)> {
    let mut search = from;
    while let Some(colon) = find(line.get(..limit)?, b":", search) {
        search = colon + 1;
        if let Some((number, close)) = decimal(line, search).filter(|(_, end)| line.get(*end) == Some(&b')')) {
            return Some((colon, number, close));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_short_form_is_read() {
        for (line, name, parameters, offset) in [
            ("Ns.T:M(Int32, String) (at Assets/My (old)/T.cs:12)", "Ns.T.M", "Int32, String", Offset::Line(12)),
            ("Ns.T+<R>d__2:MoveNext () (at C:/a b/T.cs:7)", "Ns.T+<R>d__2.MoveNext", "", Offset::Line(7)),
            (
                "T..ctor (System.Int32 n) (at <00000000000000000000000000000000>:0)",
                "T..ctor",
                "System.Int32 n",
                Offset::None,
            ),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.parameters.as_deref()), (name, Some(parameters)), "{line}");
            assert_eq!(frame.offset, offset, "{line}");
            assert_eq!(frame.range, 0..line.len());
        }
        for line in [" (at ", "M() (at x)", "T:M() (at :3)", "T:M() (at x:3", "T:M() (at x:y)", "T:M (at x:3)"] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
