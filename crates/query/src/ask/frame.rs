//! A frame pasted from a stack trace, in any form of `trace`: `at Ns.Type.Method(String s) in /src/File.cs:line 21`.

use super::address::at_address;
use super::{Address, Answer, Here, Parsed, code, in_code, line_of};
use crate::address::{line_query, name_part};
use crate::native_where;
use crate::trace::{Frame, Module, Offset, frames};
use crate::where_is::state_machine::move_next;
use pdblens_nodes::code_unit::{self, find_point};
use pdblens_nodes::function::address::is_module;
use pdblens_nodes::{CodeUnit, FunctionPart, MethodPart, Place, SequencePoint};
use pdblens_session::session::Session;
use pdblens_session::text::parameters::split_frame;

/// Remark on an offset that AOT compilers and debuggers write after a method of IL.
const MACHINE_CODE: &str = "the offset is a machine code offset, which a PDB of IL cannot map: this is the method";

/// A frame that nothing else could be: it has its line, or an offset of machine code after the word for "at".
pub(super) fn certain(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    frame(session, typed, &|frame| match frame.offset {
        Offset::Line(_) => true,
        Offset::Native(_) => typed.starts_with("at "),
        _ => false,
    })
}

/// Any other frame: the code at its offset, or its method.
pub(super) fn likely(session: &Session, typed: &str) -> Option<Parsed> {
    frame(session, typed, &|_| true)
}

/// The place of the frame in a text; `None` where there is none, or only its form is known.
fn frame(session: &Session, typed: &str, is_meant: &dyn Fn(&Frame) -> bool) -> Option<Parsed> {
    let (_, frame) = frames(typed.as_bytes()).into_iter().next().filter(|(_, frame)| is_meant(frame))?;
    if let Module::File(name) | Module::Stamped(name, _) = &frame.module
        && !is_module(session, name)
    {
        return Some(Err(format!("the frame is of {name}, not of {}", name_of(session)).into()));
    }
    let call = match &frame.parameters {
        Some(parameters) => format!("{}({parameters})", frame.name),
        None => frame.name.clone(),
    };
    let found = match frame.offset {
        Offset::Line(line) => at_line_of(session, typed, &call, (frame.path.as_deref(), line)),
        _ => at_offset(session, &frame, &call)?,
    };
    // Of a text that begins with a name, which is looked up too, the reason why there is no place is that of the name.
    let is_looked_up = typed.starts_with("at ") || name_part(typed).is_some();
    if found.is_err() && is_looked_up && !matches!(frame.offset, Offset::Line(_)) {
        return None;
    }
    Some(found.map(|(place, said)| (Address::Place(place), said)))
}

/// The line of a frame. A line of an inlined function, or of another build, is none of the function: the offset before it is.
fn at_line_of(session: &Session, typed: &str, call: &str, (file, line): (Option<&str>, u32)) -> Answer {
    let at_line = in_method(session, call, file, line);
    if at_line.as_ref().is_ok_and(|(place, _)| is_point(*place)) {
        return at_line;
    }
    let before = typed.rsplit_once(" [").filter(|(before, _)| before.contains('+'));
    match before.map(|(before, _)| code(session, before)) {
        Some(Ok((place @ Place::FunctionPart(..), _))) => {
            Ok((place, format!("the function has no code on line {line}")))
        }
        _ => at_line,
    }
}

/// The place of a frame without a line; `None` where only its form is known.
fn at_offset(session: &Session, frame: &Frame, call: &str) -> Option<Answer> {
    let is_managed = !code_unit::words(session).is_addressed;
    if let Offset::Native(rva) = frame.offset
        && frame.name.is_empty()
        && let Some(found) = u32::try_from(rva).ok().and_then(|rva| native_where::at_address(session, rva))
    {
        return Some(Ok((found.place(), String::new())));
    }
    Some(match (frame.offset, frame.token) {
        (Offset::Il(offset) | Offset::ExactIl(offset), Some(token)) => in_code(session, &token.to_string(), offset),
        (Offset::Il(offset) | Offset::ExactIl(offset), None) => in_code(session, call, offset),
        (Offset::Native(_) | Offset::Precompiled(_), _)
            if is_managed && !frame.name.is_empty() && frame.module != Module::Loaded =>
        {
            let (place, said) = match method(session, call) {
                Ok(found) => found,
                Err(why) => return Some(Err(why)),
            };
            Ok((place, if said.is_empty() { MACHINE_CODE.to_owned() } else { said }))
        }
        (Offset::Native(offset), _) if !frame.name.is_empty() && frame.module != Module::Loaded => {
            in_code(session, &frame.name, u32::try_from(offset).ok()?)
        }
        // An address of the module, or in memory.
        (Offset::Native(address), _) if frame.name.is_empty() => at_address(session, address)?,
        _ if frame.name.is_empty() => return None,
        _ => method(session, call),
    })
}

/// Name of the image, else of the symbols.
fn name_of(session: &Session) -> &str {
    let symbols = || session.symbol_file().map_or("the open file", |file| file.name.as_str());
    session.image().map_or_else(symbols, |image| image.name.as_str())
}

const fn is_point(place: Place) -> bool {
    matches!(place, Place::MethodPart(_, MethodPart::Point(_)) | Place::FunctionPart(_, FunctionPart::Line(_)))
}

/// The line of a method or function as a frame names it, with the path of its document if that is written. The path may be that of another
/// machine, and the line may also be one of another method: the line of the method itself comes first.
fn in_method(session: &Session, call: &str, file: Option<&str>, line: u32) -> Answer {
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
    let is_there =
        &mut |point: &SequencePoint| !point.is_hidden() && (point.start_line..=point.end_line).contains(&line);
    find_point(session, of, is_there).map(|(number, _)| of.point(number))
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
        Some(parameters) if !code_unit::words(session).has_exact_names => parameters,
        _ => return code(session, name.trim()),
    };
    code(session, &format!("{name}({parameters})")).or_else(|_| {
        let (place, said) = code(session, name.trim())?;
        let note = format!("its parameters are not ({parameters})");
        Ok((place, if said.is_empty() { note } else { format!("{note}; {said}") }))
    })
}
