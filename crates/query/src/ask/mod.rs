//! Anything that a screen, a debugger or another tool prints, resolved to its place: what the prompt of the screens and the PLACE of
//! the commands accept.

mod address;
mod frame;
mod id;
mod keyword;
mod kind;
mod overloads;
mod row;
mod source_range;

pub use keyword::bytes_at;
pub use kind::{code_address, line_address};
pub use overloads::{AtOffset, Fit, at_offset, overloads, typed_offset};

use crate::address::offset::parse as parse_number;
use crate::address::{
    Address, AddressError, AddressErrorKind, LineQuery, OffsetQuery, offset_in, parse_line, parse_offset, split_line,
};
use crate::breakpoint;
use crate::where_is::{self, Position, explain_text};
use pdblens_formats::bytes::Span;
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::address::without_module;
use pdblens_nodes::method::range_text;
use pdblens_nodes::resolve::{self, ResolveError, resolve_exactly, with_nearest};
use pdblens_nodes::{Place, SequencePoint, document};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

/// A place with a remark, which may be empty, or the reason why there is none.
pub type Answer = Result<(Place, String), AddressError>;

/// An address with a remark, which may be empty, or the reason why there is none.
type Parsed = Result<(Address, String), AddressError>;

/// The selection, to which `IL_0016`, `+0x13`, `14:90–14:100` and `file 0x1a0` refer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here {
    /// Its bytes, whose file is that of file offsets.
    pub span: Option<Span>,
    pub code: Option<CodeUnit>,
    /// Its document, in which ranges of lines are.
    pub document: Option<u32>,
}

type InputForm = fn(&Session, &str, Here) -> Option<Parsed>;

/// Forms of input, in the order in which they are tried; `None` from one leaves the input to the next.
const FORMS: &[InputForm] = &[
    keyword::span,
    keyword::keyword,
    keyword::word,
    id::id,
    id::image,
    frame::certain,
    source_range::source_range,
    source_range::code_range,
    line,
    row::token,
    row::row,
    offset_here,
    address::address,
    address::data,
    keyword::in_dump,
    keyword::module,
];

/// Address that a text is, without a selection to which `IL_0016` or `14:90` would refer.
pub fn parse_address(session: &Session, text: &str) -> Result<Address, AddressError> {
    read(session, text, Here::default()).map(|(address, _)| address)
}

/// The address that `typed` is: a path first, then a form that is recognised by how it is written, then a name of code.
pub(crate) fn read(session: &Session, typed: &str, here: Here) -> Parsed {
    if let Some(error) = ResolveError::too_long(typed.trim()) {
        return Err(error.into());
    }
    // The initial text of the prompt may end with `0x` already.
    let typed = typed.trim().replace("0x0x", "0x");
    let path = match resolve_exactly(session, &typed) {
        Ok(place) => return Ok(plain(place)),
        Err(error) => error,
    };
    if let Some(found) = FORMS.iter().find_map(|form| form(session, &typed, here)) {
        return found;
    }
    let error = match offset(session, &typed) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    // An unknown overload has a known name: the text is no frame, unless it begins like one.
    let of_frame =
        if error.is_no_overload() && !typed.starts_with("at ") { None } else { frame::likely(session, &typed) };
    if let Some(found) = of_frame {
        return found;
    }
    if let Some(place) = keyword::types_numbered(session, &typed).first() {
        return Ok(plain(*place));
    }
    let kind = match (error.kind, path) {
        (AddressErrorKind::Unknown { .. } | AddressErrorKind::Resolve(_), path @ ResolveError::NotThere(_)) => {
            return Err(path.into());
        }
        (AddressErrorKind::Unknown { noun, name: Some(name), .. }, path) => {
            AddressErrorKind::Unknown { noun, name: Some(name), path: Box::new(path) }
        }
        (AddressErrorKind::Unknown { noun, name: None, .. }, path) => {
            AddressErrorKind::Unknown { noun, name: None, path: Box::new(with_nearest(session, path)) }
        }
        (kind, _) => kind,
    };
    Err(AddressError { kind, at: error.at })
}

pub fn ask(session: &Session, typed: &str, here: Here) -> Answer {
    let (address, said) = read(session, typed, here)?;
    Ok(match address {
        Address::Place(place) => (place, said),
        Address::Code(query) => code_at(session, query, typed),
        Address::Line(query) => line_of(session, &query),
    })
}

/// Other places that `typed` may refer to: a bare number is also that of a type and of an id, and an offset of each file.
pub fn further(session: &Session, typed: &str) -> Vec<Place> {
    let typed = typed.trim();
    let mut places = keyword::types_numbered(session, typed);
    let offset = typed.strip_prefix("file").and_then(|rest| rest.strip_prefix([' ', '/'])).unwrap_or(typed);
    places.extend(keyword::offsets_of_files(session, offset.trim()));
    places
}

/// The place that the PLACE argument of a command refers to; the error names the nearest path.
pub fn place(session: &Session, typed: &str) -> Result<Place, Reason> {
    let found = ask(session, typed, Here::default());
    found.map(|(place, _)| place).map_err(|error| Reason::new(error.code(), error.with_nearest(session)))
}

/// Bytes at an offset of a file that is named: `App.pdb`, `0x607+5`. `None` where native code has addresses of this form, or no open
/// file has the name or the bytes.
pub fn bytes_of(session: &Session, name: &str, typed: &str) -> Option<Place> {
    let found = if code_unit::words(session).is_addressed {
        None
    } else {
        keyword::span(session, &format!("{name} {typed}"), Here::default())
    };
    match found?.ok()?.0 {
        Address::Place(place) => Some(place),
        Address::Code(_) | Address::Line(_) => None,
    }
}

const fn plain(place: Place) -> (Address, String) {
    (Address::Place(place), String::new())
}

/// A method or function by its name, a part of a method (`Clock.Since/points`), or an offset in one, in any notation.
fn offset(session: &Session, typed: &str) -> Parsed {
    if typed.contains('/')
        && let Ok(place) = resolve_exactly(session, &format!("method/{typed}"))
    {
        return Ok(plain(place));
    }
    let query = parse_offset(session, without_module(session, typed))?;
    if !typed.contains('+') && query.offset == 0 {
        return Ok(plain(query.of.place()));
    }
    Ok((Address::Code(query), String::new()))
}

fn code(session: &Session, typed: &str) -> Answer {
    Ok(match offset(session, typed)? {
        (Address::Code(query), _) => code_at(session, query, typed),
        (Address::Place(place), said) => (place, said),
        (Address::Line(query), _) => line_of(session, &query),
    })
}

fn in_code(session: &Session, name: &str, offset: u32) -> Answer {
    Ok(code_at(session, offset_in(session, name, offset)?, name))
}

/// The place of an offset, and what is said of it. `typed` may name a folded function, or be written as a debugger writes it.
pub fn code_at(session: &Session, query: OffsetQuery, typed: &str) -> (Place, String) {
    let answer = where_is::where_is(session, query.of, query.offset).for_name(typed);
    // Stack traces name the kickoff method of a state machine, with an offset in MoveNext.
    let target = answer.state_machine.as_deref().unwrap_or(&answer);
    let line = matches!(target.position, Position::Exact | Position::Inside).then_some(target.found.visible).flatten();
    let line = line.and_then(|point| line_text(session, &point));
    let of_debugger = (query.of.words().is_compiled_later && is_debugger_name(typed))
        .then(|| "read as an IL offset; native debuggers write machine code offsets this way".to_owned());
    let sentences = explain_text::sentences(session, &answer).into_iter().map(|reason| reason.text);
    let said = of_debugger.into_iter().chain(line).chain(sentences);
    (target.of.code(query.offset), said.collect::<Vec<_>>().join("; "))
}

/// Returns whether a method is written as WinDbg and SOS do: `App!Ns.T.M+0x2d`, without a token.
fn is_debugger_name(typed: &str) -> bool {
    let name = typed.split_once('!').map(|(_, name)| name);
    name.is_some_and(|name| name.contains("+0x") && !typed.contains("0x06"))
}

/// `IL_0016` and `+0x13` in the selected method or function.
fn offset_here(_: &Session, typed: &str, here: Here) -> Option<Parsed> {
    let offset = if typed.starts_with("IL_") { parse_number(typed)? } else { parse_number(typed.strip_prefix('+')?)? };
    Some(match here.code {
        Some(of) => Ok((Address::Code(OffsetQuery { of, offset }), String::new())),
        None => Err(format!("which method? write METHOD+{offset:#x}").into()),
    })
}

/// `Program.cs:21`
fn line(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let (name, ..) = split_line(typed)?;
    // Section and offset of a native image, `0001:00000079` or `1:00000079`: the offset is as long as it can be.
    let is_section = (1..=4).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name.ends_with(':') || is_section && typed.len() == name.len() + ":00000079".len() {
        return None;
    }
    // A token, and a method where no document has the name: `06000003:0015`, `Clock.Since:15`.
    if resolve::documents_named(session, name).is_empty() && parse_offset(session, typed).is_ok() {
        return None;
    }
    Some(parse_line(session, typed).map(|query| (Address::Line(query), String::new())))
}

fn line_text(session: &Session, point: &SequencePoint) -> Option<String> {
    let document = document::name(session, point.document)?;
    Some(format!("{} {}", file_name(&document), range_text(point)))
}

/// The place where a breakpoint on a line binds, and what is said of it.
pub fn line_of(session: &Session, query: &LineQuery) -> (Place, String) {
    let found = breakpoint::bind(session, query);
    let Some(hit) = found.hits.first() else {
        let document = query.documents.first().copied().unwrap_or(1);
        return (Place::Line(document, query.line), "no code on or after this line".to_owned());
    };
    let moved = if found.line == query.line { String::new() } else { format!("moves to line {}; ", found.line) };
    let mut others = match found.hits.len() {
        1 => String::new(),
        n => format!("; {n} {}s in all", hit.of.words().point),
    };
    if let Some(note) = query.folder_note(session) {
        others = format!("{others}; {note}");
    }
    let (word, name) = (hit.of.words().point, code_unit::name(session, hit.of));
    // Without columns the range only repeats the line.
    let lines = Some(range_text(&hit.point)).filter(|lines| *lines != found.line.to_string());
    let begins = lines.into_iter().chain([hit.of.label(hit.range.start.into())]).collect::<Vec<_>>().join(", ");
    (hit.place(), format!("{moved}{begins}: {word} {} of {name}{others}", hit.number))
}

#[cfg(test)]
mod tests;
