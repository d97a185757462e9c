//! Anything that a screen, a debugger or another tool prints, resolved to its place: what the prompt of the screens and the PLACE of
//! the commands accept.

mod address;
mod frame;
mod id;
mod keyword;
mod overloads;
mod row;
mod source_range;
mod span;

pub use frame::in_method;
pub use overloads::overloads;
pub use span::bytes_at;

use crate::breakpoint;
use crate::where_is::{self, OffsetQuery, Position, explain_text, parse};
use pdblens_formats::bytes::Span;
use pdblens_nodes as nodes;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::range_text;
use pdblens_nodes::resolve::{self, ResolveError, resolve_exactly, with_nearest};
use pdblens_nodes::{Place, SequencePoint, document};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

/// A place with a remark, which may be empty, or the reason why there is none.
pub type Answer = Result<(Place, String), String>;

/// The selection, to which `IL_0016`, `+0x13`, `14:90–14:100` and `file 0x1a0` refer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here {
    /// Its bytes, whose file is that of file offsets.
    pub span: Option<Span>,
    /// Its method or function.
    pub code: Option<CodeUnit>,
    /// Its document, in which ranges of lines are.
    pub document: Option<u32>,
}

/// Reads one form of input.
type Form = fn(&Session, &str, Here) -> Option<Answer>;

/// Forms of input that are recognised by how they are written, in the order in which they are tried; `None` from one leaves the input
/// to the next.
const FORMS: &[Form] = &[
    span::span,
    keyword::keyword,
    keyword::word,
    id::id,
    id::image,
    frame::frame,
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

/// The place that `typed` refers to.
///
/// # Errors
///
/// A sentence that says what is wrong with the input, or that nothing has this name.
pub fn ask(session: &Session, typed: &str, here: Here) -> Answer {
    // The initial text of the prompt may end with `0x` already.
    let typed = typed.trim().replace("0x0x", "0x");
    if let Some(answer) = FORMS.iter().find_map(|form| form(session, &typed, here)) {
        return answer;
    }
    if let Ok(place) = resolve_exactly(session, &typed) {
        return Ok(plain(place));
    }
    named(session, &typed)
}

/// The place of a name of code, or of the number of a type.
fn named(session: &Session, typed: &str) -> Answer {
    code(session, typed)
        .or_else(|why| keyword::types_numbered(session, typed).first().map(|place| plain(*place)).ok_or(why))
}

/// Other places that `typed` may refer to: a bare number is also that of a type and of an id, and an offset of each file.
pub fn further(session: &Session, typed: &str) -> Vec<Place> {
    let typed = typed.trim();
    let mut places = keyword::types_numbered(session, typed);
    places.extend(keyword::offsets_of_files(session, typed));
    places
}

/// The place that the PLACE argument of a command refers to: a path first, then any other form; if nothing matches, the error of the
/// path.
///
/// # Errors
///
/// The reason, and the nearest path.
pub fn place(session: &Session, typed: &str) -> Result<Place, String> {
    let wrong = match resolve_exactly(session, typed) {
        Ok(place) => return Ok(place),
        Err(error) => error,
    };
    match FORMS.iter().find_map(|form| form(session, typed.trim(), Here::default())) {
        Some(answer) => answer.map(|(place, _)| place),
        None => {
            named(session, typed.trim()).map(|(place, _)| place).map_err(|_| with_nearest(session, wrong).to_string())
        }
    }
}

/// Bytes at an offset of a file that is named: `App.pdb`, `0x607+5`. `None` where native code has addresses of this form, or no open
/// file has the name or the bytes.
pub fn bytes_of(session: &Session, name: &str, typed: &str) -> Option<Place> {
    let is_native = NativeView::of(session).is_some();
    let found = if is_native { None } else { span::span(session, &format!("{name} {typed}"), Here::default()) };
    found?.ok().map(|(place, _)| place)
}

const fn plain(place: Place) -> (Place, String) {
    (place, String::new())
}

/// A method or function by its name and an offset, in any notation; the error about an unknown one lacks the nearest.
fn parsed(session: &Session, typed: &str) -> Result<OffsetQuery, ResolveError> {
    // C++ and debuggers write `Type::Method`.
    let scoped = typed.replace("::", ".");
    let parsed = parse::parse_exactly(session, typed);
    let retry = parsed.is_err() && scoped != typed && NativeView::of(session).is_none();
    if retry { parse::parse_exactly(session, &scoped) } else { parsed }
}

/// A method or function by its name, or an offset in one.
fn code(session: &Session, typed: &str) -> Answer {
    let query = parsed(session, typed).map_err(|error| match (error, name_part(typed)) {
        (ResolveError::Near(..) | ResolveError::Unknown(_), Some(name)) => {
            let what = if NativeView::of(session).is_some() { "function" } else { "method" };
            format!("no {what} named {name}")
        }
        (error, _) => with_nearest(session, error).to_string(),
    })?;
    if !typed.contains('+') && query.offset == 0 {
        return Ok(plain(query.of.place()));
    }
    let answer = where_is::where_is(session, query.of, query.offset).for_name(typed);
    // Stack traces name the kickoff method of a state machine, with an offset in MoveNext.
    let target = answer.state_machine.as_deref().unwrap_or(&answer);
    let line = matches!(target.position, Position::Exact | Position::Inside).then_some(target.found.visible).flatten();
    let line = line.and_then(|point| line_text(session, &point));
    let of_debugger = (!query.of.is_native() && is_debugger_name(typed))
        .then(|| "read as an IL offset; native debuggers write machine code offsets this way".to_owned());
    let said = of_debugger.into_iter().chain(line).chain(explain_text::sentences(session, &answer));
    Ok((target.of.code(query.offset), said.collect::<Vec<_>>().join("; ")))
}

/// Returns whether a method is written as WinDbg and SOS do: `App!Ns.T.M+0x2d`, without a token.
fn is_debugger_name(typed: &str) -> bool {
    let name = typed.split_once('!').map(|(_, name)| name);
    name.is_some_and(|name| name.contains("+0x") && !typed.contains("0x06"))
}

/// `IL_0016` and `+0x13` in the selected method or function.
fn offset_here(session: &Session, typed: &str, here: Here) -> Option<Answer> {
    let digits = typed.strip_prefix("IL_").map(|hex| format!("0x{hex}"));
    let offset = nodes::number(digits.as_deref().or_else(|| typed.strip_prefix('+'))?)?;
    Some(match here.code {
        // An address: a function has no other notation that an offset can follow.
        Some(CodeUnit::Function(rva)) => code(session, &format!("{:#x}", rva.wrapping_add(offset))),
        Some(of) => code(session, &format!("{of}+{offset:#x}")),
        None => Err(format!("which method? write METHOD+{offset:#x}")),
    })
}

/// `Program.cs:21`
fn line(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let (name, line) = typed.rsplit_once(':')?;
    // Section and offset of a native image, `0001:00000079` or `1:00000079`: the offset is as long as it can be.
    let is_address =
        (1..=4).contains(&name.len()) && line.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_line = line.parse::<u32>().is_ok() && !name.ends_with(':') && !is_address;
    // A token, and a method where no document has the name: `06000003:0015`, `Clock.Since:15`.
    let is_method =
        || resolve::documents_named(session, name).is_empty() && parse::parse_exactly(session, typed).is_ok();
    (is_line && !is_method()).then(|| find_line(session, typed))
}

/// The file name and the lines of a sequence point.
fn line_text(session: &Session, point: &SequencePoint) -> Option<String> {
    let document = document::name(session, point.document)?;
    Some(format!("{} {}", file_name(&document), range_text(point)))
}

/// Finds the breakpoint location of `Program.cs:21`.
fn find_line(session: &Session, typed: &str) -> Answer {
    let query = breakpoint::parse_line_query(session, typed).map_err(|error| error.to_string())?;
    let found = breakpoint::bind(session, &query);
    let Some(hit) = found.hits.first() else {
        let document = query.documents.first().copied().unwrap_or(1);
        return Ok((Place::Line(document, query.line), "no code on or after this line".to_owned()));
    };
    let moved =
        if found.line == query.line { String::new() } else { format!("the next line with code is {}; ", found.line) };
    let others = match found.hits.len() {
        1 => String::new(),
        n => format!("; {n} {}s in all", hit.of.point_word()),
    };
    let (word, name) = (hit.of.point_word(), code_unit::name(session, hit.of));
    // Without columns the range only repeats the line.
    let lines = Some(range_text(&hit.point)).filter(|lines| *lines != found.line.to_string());
    let begins = lines.into_iter().chain([hit.of.label(hit.range.start.into())]).collect::<Vec<_>>().join(", ");
    Ok((hit.place(), format!("{moved}{begins}: {word} {} of {name}{others}", hit.number)))
}

/// The name in an input, without parameters, offset and line.
pub fn name_part(typed: &str) -> Option<&str> {
    let name = typed.trim();
    // Parameters are typed one by one, and until the last one they are those of no method.
    let name = name.split_once('(').map_or(name, |(name, _)| name);
    // `Type::Method` is a name, and no line follows it.
    let before = name.rsplit_once(['+', ':']).map(|(name, _)| name).filter(|name| !name.ends_with(':'));
    let name = before.unwrap_or(name);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '<' | '.' | '@'));
    (is_name && !name.contains(['/', '#', ' '])).then_some(name)
}

#[cfg(test)]
mod tests;
