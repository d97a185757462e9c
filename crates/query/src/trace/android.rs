//! .NET on Android, as its log has it: a name and an IL offset, in the form of a Java frame.
//!
//! ```text
//! E AndroidRuntime:   at Ns.Runner.RunAsync + 0x2db(Unknown Source)
//!    at Ns.Runner.RunAsync + 0x2db                             where the log was cut to the frames
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::locales::is_at;
use super::scan::{first_at, hex_before, name_before, text, trim_end, word_before};

const MARK: &[u8] = b"(Unknown Source)";

pub(crate) const FORM: Form = Form { name: "Android", find: find_frame };

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    first_at(line, MARK, from, |mark, floor| frame_at(line, mark, floor)).or_else(|| bare(line, from))
}

/// A frame that is all of its line, without a source: a type, a method and an offset, and nothing else.
fn bare(line: &[u8], from: usize) -> Option<Frame> {
    let end = trim_end(line, line.len(), from);
    let (il, start) = hex_before(line, end, from)?;
    let plus = trim_end(line, start, from).checked_sub(1).filter(|plus| line.get(*plus) == Some(&b'+'))?;
    let name_end = trim_end(line, plus, from);
    let name = name_before(line, name_end, from)?;
    let at = word_before(line, trim_end(line, name.start, from), from);
    let is_first = trim_end(line, at.start, 0) == 0;
    let is_name = |name: &[u8]| name.contains(&b'.') && name.iter().copied().all(is_part) && !name.ends_with(b".");
    if !is_first || !is_at(line.get(at.clone())?) || name_end == plus || !is_name(line.get(name.clone())?) {
        return None;
    }
    let il = Offset::of_il(il);
    let named = Frame::named(text(line, &name), Module::Unknown);
    Some(Frame { range: at.start..end, offset: il, edit: Edit::In(end..end), ..named })
}

/// Returns whether a byte can be one of the name of a type or method.
const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || !byte.is_ascii()
        || matches!(byte, b'.' | b'_' | b'`' | b'<' | b'>' | b'+' | b'|' | b'[' | b']' | b',' | b'$')
}

fn frame_at(line: &[u8], mark: usize, floor: usize) -> Option<Frame> {
    let (il, start) = hex_before(line, mark, floor)?;
    let plus = trim_end(line, start, floor).checked_sub(1).filter(|plus| line.get(*plus) == Some(&b'+'))?;
    let name = name_before(line, trim_end(line, plus, floor), floor)?;
    let at = word_before(line, trim_end(line, name.start, floor), floor);
    Some(Frame {
        range: at.start..mark + MARK.len(),
        name: text(line, &name),
        parameters: None,
        inner: None,
        module: Module::Unknown,
        token: None,
        offset: Offset::of_il(il),
        edit: Edit::In(mark..mark + MARK.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn androids_form_is_read() {
        let line = "E AndroidRuntime:   at Ns.Runner.RunAsync + 0x2db(Unknown Source)";
        let frame = find_frame(line.as_bytes(), 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("Ns.Runner.RunAsync", Offset::Il(0x2db)));
        let (range, new) = frame.edit.text("/R.cs", 9).unwrap();
        assert_eq!(
            format!("{}{new}", &line[..range.start]),
            "E AndroidRuntime:   at Ns.Runner.RunAsync + 0x2db in /R.cs:line 9"
        );
        let frame = find_frame(b"   at Ns.Runner.RunAsync + 0x2db  ", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset, frame.range), ("Ns.Runner.RunAsync", Offset::Il(0x2db), 3..32));
        for line in [
            "at java.lang.Thread.run(Unknown Source)",
            "+ 0x1(Unknown Source)",
            "(Unknown Source)",
            "M 0x1(Unknown Source)",
            "look at Ns.T + 0x7",
            "at offset + 0x7",
            "at Ns.T.M + 0x7 bytes",
            "at end. + 0x7",
            "at a.b(c) + 0x7",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
