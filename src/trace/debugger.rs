//! Native frames, as debuggers of native code write them: module, function, and an offset of machine code.
//!
//! ```text
//! 01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x40
//! tally.exe!entry+0x40 [/src/native/tally.c @ 28]
//! 02 00000000`0014fa00 00007ff6`12345678     tally+0x1079             without symbols
//!    at App!<BaseAddress>+0x1079                                      NativeAOT
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, is_module, text, trim_end, word_before};

pub(crate) const FORM: Form = Form { name: "debugger", find: find_frame };

/// Address of the module, which NativeAOT writes in the place of a function.
const BASE: &str = "<BaseAddress>";

pub(crate) const MODULE_OFFSET: Form = Form { name: "debugger, module and offset", find: find_module_offset };

/// `tally+0x1079` after the address that the callee returns to.
fn find_module_offset(line: &[u8], from: usize) -> Option<Frame> {
    let mut floor = from;
    while let Some(plus) = find(line, b"+0x", floor) {
        let module = word_before(line, plus, floor);
        let address = word_before(line, trim_end(line, module.start, floor), floor);
        let is_address =
            address.len() >= 8 && line.get(address)?.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'`');
        if let Some((offset, end)) = hex(line, plus + 3)
            && is_address
            && is_module(line.get(module.clone())?)
            && line.get(end).is_none_or(u8::is_ascii_whitespace)
        {
            return Some(Frame {
                range: module.start..end,
                name: String::new(),
                parameters: None,
                inner: None,
                module: Module::File(text(line, &module)),
                token: None,
                offset: Offset::Native(offset),
                edit: Edit::In(end..end),
            });
        }
        floor = plus + 3;
    }
    None
}

/// The longest name of a function that is looked for.
const MAX_LEN: usize = 4096;

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let (mut floor, mut search) = (from, from);
    while let Some(mark) = find(line, b"!", search) {
        search = mark + 1;
        let module = word_before(line, mark, floor);
        if !is_module(line.get(module.clone())?) {
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
            name: Some(text(line, &name)).filter(|name| name != BASE).unwrap_or_default(),
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

/// The line after a frame that has it already: ` [FILE @ N]`.
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
    fn addresses_of_modules_are_seen() {
        let frame = find_module_offset(b"02 00000000`0014fa00 00007ff6`12345678     tally+0x1079", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("", Offset::Native(0x1079)));
        let frame = find_frame(b"   at App!<BaseAddress>+0x1079", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.module), ("", Module::File("App".to_owned())));
        for line in ["a+0x1", "x tally+0x1079", "12345678 a b+0x1", "12345678 tally+0x1!"] {
            assert_eq!(find_module_offset(line.as_bytes(), 0), None, "{line}");
        }
    }

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
