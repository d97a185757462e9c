//! Native frames, as debuggers of native code write them: module, function, and an offset of machine code.
//!
//! ```text
//! 01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x40
//! tally.exe!entry+0x40 [/src/native/tally.c @ 28]
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, text, word_before};

pub(crate) const FORM: Form = Form { name: "debugger", find: find_frame };

/// The longest name of a function that is looked for.
const MAX_LEN: usize = 4096;

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let (mut floor, mut search) = (from, from);
    while let Some(mark) = find(line, b"!", search) {
        search = mark + 1;
        let module = word_before(line, mark, floor);
        let is_module = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if module.is_empty() || !line.get(module.clone())?.iter().all(is_module) {
            continue;
        }
        let rest = line.get(mark + 1..)?;
        let len = rest.iter().take(MAX_LEN).take_while(|byte| !byte.is_ascii_whitespace()).count();
        let word = rest.get(..len)?;
        // Names of operators have a plus of their own; those with parentheses are of managed code.
        let Some(plus) = word.windows(3).rposition(|three| three == b"+0x").filter(|plus| *plus > 0) else { continue };
        let name = mark + 1..mark + 1 + plus;
        let Some((offset, end)) = hex(line, name.end + 3).filter(|(_, end)| *end == mark + 1 + len) else { continue };
        if line.get(name.clone())?.contains(&b'(') {
            continue;
        }
        floor = end;
        let known = known_line(line, end);
        return Some(Frame {
            range: module.start..floor,
            name: text(line, &name),
            parameters: None,
            inner: None,
            module: Module::File(text(line, &module)),
            token: None,
            offset: known.map_or(Offset::Native(offset), Offset::Line),
            edit: if known.is_some() { Edit::None } else { Edit::In(end..end) },
        });
    }
    None
}

/// The line behind a frame that has it already: ` [FILE @ N]`.
fn known_line(line: &[u8], at: usize) -> Option<u32> {
    let rest = line.get(at..)?.strip_prefix(b" [")?;
    let close = rest.iter().position(|byte| *byte == b']')?;
    let inside = rest.get(..close)?;
    let (number, end) = decimal(inside, find(inside, b" @ ", 0)? + 3)?;
    if end == inside.len() { u32::try_from(number).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_frames_are_seen_and_managed_ones_left() {
        let file = |name: &str| Module::File(name.to_owned());
        for (line, name, module, offset) in [
            ("01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x40", "entry", "tally", Offset::Native(0x40)),
            ("tally.exe!ns::T::operator+=+0x1f", "ns::T::operator+=", "tally.exe", Offset::Native(0x1f)),
            ("tally!entry+0x40 [/src/my app/tally.c @ 28]", "entry", "tally", Offset::Line(28)),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap();
            assert_eq!((frame.name.as_str(), &frame.module, frame.offset), (name, &file(module), offset), "{line}");
            assert!(frame.range.end <= line.len());
        }
        for line in
            ["App!Ns.T.M(System.String)+0x2a", "what!+0x1", "!f+0x1", "stop! now+0x1", "a!f+0x", "a!f+0x1z", "a!f", "!"]
        {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
