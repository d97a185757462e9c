//! A frame pasted from a stack trace: `at Ns.Type.Method(String s) in /src/File.cs:line 21`.

use super::source_range::point_of;
use super::{Address, Answer, Here, Parsed, code, in_code, line_of};
use crate::address::{line_query, offset};
use crate::trace::UNPROVED;
use crate::where_is::state_machine::move_next;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::function::address::without_module;
use pdblens_nodes::{CodeUnit, FunctionPart, MethodPart, Place, SequencePoint};
use pdblens_session::session::Session;
use pdblens_session::text::parameters::split_frame;

/// Remark on an offset that AOT compilers and debuggers write after a method of IL.
const MACHINE_CODE: &str = "the offset is a machine code offset, which a PDB of IL cannot map: this is the method";

/// The line of a frame, or where it has none, its method.
pub(super) fn frame(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    Some(place_of(session, typed)?.map(|(place, said)| (Address::Place(place), said)))
}

fn place_of(session: &Session, typed: &str) -> Option<Answer> {
    let typed = typed.strip_suffix(UNPROVED).map_or(typed, str::trim_end);
    let Some(rest) = typed.strip_prefix("at ") else {
        let debugger = || debugger_frame(typed).map(|frame| code(session, frame));
        return with_module(session, debugger_frame(typed).unwrap_or(typed)).or_else(debugger);
    };
    // NativeAOT: `Program.Main() + 0x2d`.
    if rest.contains(") + 0x") && NativeView::of(session).is_none() {
        return Some(method_of_machine_code(session, rest));
    }
    // The word before the number is that of the runtime's language.
    if let Some((before, line)) = rest.rsplit_once(':')
        && let Some((_, path)) = before.rsplit_once(" in ")
        && let Some((_, line)) = line.rsplit_once(' ')
        && let Ok(number) = line.parse::<u32>()
    {
        return Some(in_method(session, rest, Some(path), number));
    }
    // Offsets and tokens are read by the notations of `where`.
    let plain = !rest.contains("+0x") && !rest.contains("[0x") && !rest.contains("token 0x");
    Some(if plain { method(session, rest) } else { code(session, typed) })
}

/// The method of IL of a frame with an offset of machine code.
pub(crate) fn method_of_machine_code(session: &Session, frame: &str) -> Answer {
    let (place, said) = method(session, frame)?;
    Ok((place, if said.is_empty() { MACHINE_CODE.to_owned() } else { said }))
}

/// The function of a line of WinDbg's `k` without the number and the addresses before it; `None` for any other text.
fn debugger_frame(typed: &str) -> Option<&str> {
    let module = typed.get(..typed.find('!')?)?;
    let start = module.rfind(char::is_whitespace)?.saturating_add(1);
    let is_address = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'`' | b'-'));
    let is_before = |word: &str| is_address(word) || matches!(word, "(Inline" | "Function)");
    if start == module.len() || !typed.get(..start)?.split_whitespace().all(is_before) {
        return None;
    }
    let rest = typed.get(start..)?;
    Some(rest.trim())
}

/// A frame that begins with its module, which is open: `App.dll!Ns.T.M(string[] args) Line 66  C#` of Visual Studio,
/// `App!Ns.T.M+0x5a [Program.cs @ 66]` of WinDbg, and the name alone.
fn with_module(session: &Session, typed: &str) -> Option<Answer> {
    let typed = typed.trim_start_matches(['>', ' ', '\t']);
    let typed = typed.strip_prefix("[Inline Frame] ").unwrap_or(typed);
    let rest = without_module(session, typed);
    if rest == typed || rest.is_empty() {
        return None;
    }
    let (frame, place) = rest.split_once(" [").map_or((rest, None), |(frame, place)| (frame, place.strip_suffix(']')));
    let (name, parameters, after) = split_frame(frame);
    let call = match parameters {
        Some(_) => frame.strip_suffix(after).unwrap_or(frame),
        None => frame.rsplit_once("+0x").map_or(frame, |(name, _)| name),
    };
    let line_after = after.trim_start().strip_prefix("Line ").and_then(|rest| rest.split_whitespace().next());
    let (file, line) = place
        .and_then(|place| place.rsplit_once(" @ "))
        .map_or((None, line_after), |(file, line)| (Some(file), Some(line)));
    let bytes = after.trim_start().strip_prefix("+ ").and_then(|rest| rest.split_whitespace().next());
    let without_line = match (parameters, bytes.and_then(offset::parse)) {
        (Some(_), Some(offset)) => in_code(session, name, offset),
        (Some(_), None) => method(session, call),
        // Notations of our own read the module before an offset.
        (None, _) if frame.contains('+') => {
            let before = typed.len().saturating_sub(rest.len());
            code(session, typed.get(..before.saturating_add(frame.len()))?)
        }
        (None, _) => code(session, name),
    };
    let Some(line) = line.and_then(|line| line.parse::<u32>().ok()) else { return Some(without_line) };
    let at_line = in_method(session, call, file, line);
    Some(match (at_line, without_line) {
        // A line of an inlined function, or of another build, is none of the function: the offset is.
        (Ok(found), Ok((place @ Place::FunctionPart(_, FunctionPart::CodeAt(_)), said))) if !is_point(found.0) => Ok((
            place,
            [said, format!("the function has no code on line {line}")].join("; ").trim_start_matches("; ").to_owned(),
        )),
        (Err(_), found @ Ok(_)) | (found, _) => found,
    })
}

const fn is_point(place: Place) -> bool {
    matches!(place, Place::MethodPart(_, MethodPart::Point(_)) | Place::FunctionPart(_, FunctionPart::Line(_)))
}

/// The line of a method or function as a frame names it, with the path of its document if that is written. The path may be that of another
/// machine, and the line may also be one of another method: the line of the method itself comes first.
pub fn in_method(session: &Session, call: &str, file: Option<&str>, line: u32) -> Answer {
    let of_file = file.and_then(|file| line_query(session, file, line, None).ok());
    let of_file = of_file.map(|query| line_of(session, &query));
    let own = method(session, call).map(|found| at_line(session, found, line));
    match (own, of_file) {
        (Ok((place, _)), Some(found)) if is_point(place) && found.0.code_unit() == place.code_unit() => Ok(found),
        (Ok(own), Some(found)) => Ok(if is_point(own.0) { own } else { found }),
        (Err(_), Some(found)) => Ok(found),
        (own, None) => own,
    }
}

/// The point of a method at a line, if it has one there; of the kickoff method of a state machine, the point of `MoveNext`.
fn at_line(session: &Session, (place, said): (Place, String), line: u32) -> (Place, String) {
    let Some(of) = place.code_unit() else { return (place, said) };
    let mut found = point_at_line(session, of, line);
    if found.is_none()
        && let CodeUnit::Method(token) = of
        && let Some(body) = move_next(session, token)
    {
        found = point_at_line(session, body.into(), line);
    }
    match found {
        Some(point) => (point, said),
        None => (place, format!("it has no code on line {line}")),
    }
}

fn point_at_line(session: &Session, of: CodeUnit, line: u32) -> Option<Place> {
    let is_there = |point: &SequencePoint| !point.is_hidden() && (point.start_line..=point.end_line).contains(&line);
    point_of(session, of, &is_there).map(|number| of.point(number))
}

/// The method of a frame: with its parameters, by which overloads differ, else without them.
fn method(session: &Session, frame: &str) -> Answer {
    let (name, parameters, rest) = split_frame(frame);
    if !(rest.trim().is_empty()
        || rest.starts_with([':', '+', '('])
        || rest.starts_with(" in ")
        || rest.starts_with(" + "))
    {
        return Err(format!("{:?} after the parameters of {name} is not part of a frame", rest.trim()).into());
    }
    // Names of native code have no parameters.
    let parameters = match parameters {
        Some(parameters) if NativeView::of(session).is_none() => parameters,
        _ => return code(session, name.trim()),
    };
    code(session, &format!("{name}({parameters})")).or_else(|_| {
        let (place, said) = code(session, name.trim())?;
        let note = format!("its parameters are not ({parameters})");
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
            ("01 (Inline Function) --------`--------     pty!ns::f+0x5 [a b.cc @ 12] ", "pty!ns::f+0x5 [a b.cc @ 12]"),
        ] {
            assert_eq!(debugger_frame(line), Some(frame));
        }
        for line in ["pty!PtyResize+0x56", "to do!", "02 00 !f", "a!", ""] {
            assert_eq!(debugger_frame(line), None, "{line}");
        }
    }
}
