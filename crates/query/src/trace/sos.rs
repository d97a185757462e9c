//! Frames of the SOS debugger extension and `dotnet-dump`: two addresses, a method, and its place where symbols were loaded.
//!
//! ```text
//! 000000AB2C97E9E8 00007FFC0B5D4A99 Ns.T.M(System.String) [/src/P.cs @ 45]
//! 000000AB2C97EA30 00007FFC0B5D4A12 Ns.T+<>c.<Main>b__0_1()
//! 000000AB2C97EC90 00007ffc6b33b8d3 [HelperMethodFrame_1OBJ: 000000ab2c97ec90] System.Threading.Monitor.Wait(System.Object)
//! ```
//!
//! A helper frame without a method is of the runtime itself, and none of these.

use super::debugger::known_line;
use super::frame::{Form, Frame, Module, Offset};
use super::scan::{find, signature_before, text, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "SOS", find: find_frame };

/// Digits of an address, of 32 bits and of 64.
const DIGITS: [usize; 2] = [8, 16];

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    let stack = address(line, start).filter(|_| from <= start)?;
    let code = address(line, trim_start(line, stack))?;
    let name = method(line, trim_start(line, code))?;
    let place = find(line, b") [", name).map(|close| close + 1);
    let end = place.unwrap_or_else(|| trim_end(line, line.len(), name));
    let signature = signature_before(line, end, name)?;
    let called = text(line, &signature.name);
    // Frames of native code have their module before a `!`.
    if signature.name.start != name || !called.contains('.') || called.contains('!') {
        return None;
    }
    let known = known_line(line, end);
    let close = |at: usize| find(line, b"]", at).map_or(line.len(), |close| close + 1);
    Some(Frame {
        range: start..place.map_or(end, close),
        parameters: Some(text(line, &signature.parameters)),
        offset: known.map_or(Offset::None, Offset::Line),
        ..Frame::named(called, Module::Unknown)
    })
}

/// The end of the address that begins at `at`; a space is after it.
fn address(line: &[u8], at: usize) -> Option<usize> {
    let digits = line.get(at..)?.iter().take_while(|byte| byte.is_ascii_hexdigit()).take(17).count();
    (DIGITS.contains(&digits) && line.get(at + digits) == Some(&b' ')).then_some(at + digits)
}

/// The start of a method, after the helper frame that it runs in: `[HelperMethodFrame: 000000ab2c97ec90] `.
fn method(line: &[u8], at: usize) -> Option<usize> {
    if line.get(at) != Some(&b'[') {
        return Some(at);
    }
    Some(trim_start(line, find(line, b"] ", at)? + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_frames_are_read() {
        for (line, name, offset) in [
            ("000000AB2C97E9E8 00007FFC0B5D4A99 A.B.C(System.String) [/src/a b.cs @ 45]", "A.B.C", Offset::Line(45)),
            ("000000AB2C97EA30 00007FFC0B5D4A12 A.B+<>c.<Main>b__0_1()", "A.B+<>c.<Main>b__0_1", Offset::None),
            ("0019f9a0 00401079 A.B.C(Int32[])", "A.B.C", Offset::None),
            ("000000AB2C97EA30 00007FFC0B5D4A12 [InlinedCallFrame: 000000ab2c97ec90] A.B.C()", "A.B.C", Offset::None),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.offset, frame.range.end), (name, offset, line.len()), "{line}");
        }
        for line in [
            "000000AB2C97EC60 00007ffc6b33b8d3 [GCFrame: 000000ab2c97ec60] ",
            "000000AB2C97EC60 00007ffc6b33b8d3 App!A.B.C(System.String)",
            "000000AB2C97EC60 A.B.C()",
            "000000AB2C97EC60 00007ffc6b33b8d3",
            "000000AB2C97EC60 00007ffc6b33b8d3 call (now)",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
