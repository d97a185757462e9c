//! .NET on Android, as its log has it: a name and an IL offset, in the form of a Java frame.
//!
//! ```text
//! E AndroidRuntime:   at Ns.Runner.RunAsync + 0x2db(Unknown Source)
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{find, hex_before, name_before, text, trim_end, word_before};

const MARK: &[u8] = b"(Unknown Source)";

pub(crate) const FORM: Form = Form { name: "Android", find: find_frame };

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let mut floor = from;
    while let Some(mark) = find(line, MARK, floor) {
        if let Some(frame) = frame_at(line, mark, floor) {
            return Some(frame);
        }
        floor = mark + MARK.len();
    }
    None
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
        offset: Offset::Il(u32::try_from(il).unwrap_or(u32::MAX)),
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
        for line in [
            "at java.lang.Thread.run(Unknown Source)",
            "+ 0x1(Unknown Source)",
            "(Unknown Source)",
            "M 0x1(Unknown Source)",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
