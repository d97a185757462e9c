//! A frame pasted from a stack trace: `at Ns.Type.Method(String s) in /src/File.cs:line 21`.

use super::{Answer, Here, code, find_line};
use crate::session::Session;

/// Leads to the line of a frame, or where it has none, to its method.
pub(super) fn frame(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let rest = typed.strip_prefix("at ")?;
    // The word before the number is that of the runtime's language.
    if let Some((before, line)) = rest.rsplit_once(':')
        && let Some((_, path)) = before.rsplit_once(" in ")
        && let Some((_, line)) = line.rsplit_once(' ')
        && line.parse::<u32>().is_ok()
    {
        let found = find_line(session, &format!("{path}:{line}"));
        return Some(found.or_else(|_| code(session, method_of(rest))));
    }
    // Offsets and tokens are read by the notations of `where`.
    let plain = !rest.contains("+0x") && !rest.contains("[0x") && !rest.contains("token 0x");
    Some(if plain { code(session, method_of(rest)) } else { code(session, typed) })
}

/// The method without its parameters, which .NET writes by their reflection names.
fn method_of(frame: &str) -> &str {
    frame.split('(').next().unwrap_or(frame).trim()
}
