//! A frame pasted from a stack trace: `at Ns.Type.Method(String s) in /src/File.cs:line 21`.

use super::{Answer, Here, code, find_line};
use crate::nodes::function::NativeView;
use crate::session::Session;
use crate::text::parameters::split_frame;

/// Remark on an offset that AOT compilers and debuggers write after a method of IL.
const MACHINE_CODE: &str = "the offset is one of machine code, which no PDB of IL has: this is its method";

/// Leads to the line of a frame, or where it has none, to its method.
pub(super) fn frame(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let Some(rest) = typed.strip_prefix("at ") else { return Some(code(session, debugger_frame(typed)?)) };
    // NativeAOT: `Program.Main() + 0x2d`.
    if rest.contains(") + 0x") && NativeView::of(session).is_none() {
        let found = method(session, rest);
        return Some(found.map(|(place, said)| (place, if said.is_empty() { MACHINE_CODE.to_owned() } else { said })));
    }
    // The word before the number is that of the runtime's language.
    if let Some((before, line)) = rest.rsplit_once(':')
        && let Some((_, path)) = before.rsplit_once(" in ")
        && let Some((_, line)) = line.rsplit_once(' ')
        && line.parse::<u32>().is_ok()
    {
        let found = find_line(session, &format!("{path}:{line}"));
        return Some(found.or_else(|_| method(session, rest)));
    }
    // Offsets and tokens are read by the notations of `where`.
    let plain = !rest.contains("+0x") && !rest.contains("[0x") && !rest.contains("token 0x");
    Some(if plain { method(session, rest) } else { code(session, typed) })
}

/// The function of a line of WinDbg's `k` without the number and the addresses before it; `None` for any other text.
fn debugger_frame(typed: &str) -> Option<&str> {
    let module = typed.get(..typed.find('!')?)?;
    let start = module.rfind(char::is_whitespace)? + 1;
    let is_address = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'`' | b'-'));
    let is_before = |word: &str| is_address(word) || matches!(word, "(Inline" | "Function)");
    if start == module.len() || !typed.get(..start)?.split_whitespace().all(is_before) {
        return None;
    }
    let rest = typed.get(start..)?;
    Some(rest.split_once(" [").map_or(rest, |(frame, _)| frame).trim())
}

/// The method of a frame: with its parameters, by which overloads differ, else without them.
fn method(session: &Session, frame: &str) -> Answer {
    let (name, parameters, rest) = split_frame(frame);
    if !(rest.trim().is_empty()
        || rest.starts_with([':', '+', '('])
        || rest.starts_with(" in ")
        || rest.starts_with(" + "))
    {
        return Err(format!("{:?} after the parameters of {name} is no part of a frame", rest.trim()));
    }
    let Some(parameters) = parameters else { return code(session, name.trim()) };
    code(session, &format!("{name}({parameters})")).or_else(|_| {
        let (place, said) = code(session, name.trim())?;
        let note = format!("it has other parameters than ({parameters})");
        Ok((place, if said.is_empty() { note } else { format!("{note}; {said}") }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_before_a_function_are_left_out() {
        for (line, frame) in [
            ("02 00000000`0014f9a0 00007ff6`12345678     pty!PtyResize+0x56", "pty!PtyResize+0x56"),
            ("01 (Inline Function) --------`--------     pty!ns::f+0x5 [a b.cc @ 12] ", "pty!ns::f+0x5"),
        ] {
            assert_eq!(debugger_frame(line), Some(frame));
        }
        for line in ["pty!PtyResize+0x56", "to do!", "02 00 !f", "a!", ""] {
            assert_eq!(debugger_frame(line), None, "{line}");
        }
    }
}
