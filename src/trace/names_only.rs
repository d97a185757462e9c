//! Frames of which only the method is known.
//!
//! ```text
//!    at Ns.T.M(String[] args)
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::locales::is_at;
use super::scan::{signature_before, text, trim_end};

pub(crate) const FORM: Form = Form { name: "name only", find: find_frame };

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let end = trim_end(line, line.len(), from);
    let signature = signature_before(line, end, from)?;
    let name = text(line, &signature.name);
    // Anything else is prose.
    if !is_at(line.get(signature.at.clone())?) || !name.contains('.') {
        return None;
    }
    Some(Frame {
        range: signature.at.start..end,
        name,
        parameters: Some(text(line, &signature.parameters)),
        inner: signature.inner.map(|inner| text(line, &inner)),
        module: Module::Unknown,
        token: None,
        offset: Offset::None,
        edit: Edit::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_prose_is_not() {
        let frame = find_frame(b"   at Faults.Program.Numbers(Int32 count)+MoveNext() ", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.parameters.as_deref()), ("Faults.Program.Numbers", Some("Int32 count")));
        assert!(find_frame("   \u{e0} A.B(C d)".as_bytes(), 0).is_some());
        for line in ["at", "look at f(x)", "call A.B(c)", "at A.B(c) now", "at A.B"] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
