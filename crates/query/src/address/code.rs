//! Notations of an IL offset: `0x06000002+0xF`, `Clock.Since+15`, `2+15`, `method/2/il/0xf`; and of native code an
//! offset of a function or an address: `clamp+0x19`, `0x1079`, `0001:00000079`, `tally!clamp+0x19`, `tally+0x1079`,
//! `function/0x1060/code/0x19`.

use super::native_code::{function_query, offset_at};
use super::{AddressError, AddressErrorKind, notations, offset};
use crate::native_where::{AddressAnswer, at_address};
use crate::where_is::where_is;
use pdblens_nodes as nodes;
use pdblens_nodes::code_unit;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::native::{MappedBody, bodies, code_name, recorded_at};
use pdblens_nodes::method::{MethodView, il_label};
use pdblens_nodes::path::{bare_token, number};
use pdblens_nodes::resolve::{ResolveError, resolve_exactly};
use pdblens_nodes::{CodeUnit, FunctionPart, MethodPart, Place};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;
use pdblens_session::{code_image, recorded};

/// Offsets that are taken for those of a method whose size is not known: a token of a method is greater.
const MAX_IL: u32 = 0x0100_0000;
/// Limit on the prefixes of a query that are tried when it is not understood.
const MAX_PREFIXES: usize = 4;
/// Characters that no simple name of a method has, at which a query may be understood up to.
const ENDS: [char; 8] = [' ', '\t', '+', '-', ':', '@', '[', ')'];

/// A method and an IL offset in it, or a function and an offset of its machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetQuery {
    pub of: CodeUnit,
    pub offset: u32,
}

/// Parses a method by token, row or name, then `+` and an IL offset, decimal or hexadecimal after `0x`; a missing offset is 0. Paths such as
/// `method/2/il/0xf` are accepted too, and in a ReadyToRun image addresses of machine code (`rva:0x20359`, `Uri.CreateThis+native:0x29`). The
/// error names what follows a method and is no offset.
pub fn parse_offset(session: &Session, text: &str) -> Result<OffsetQuery, AddressError> {
    let trimmed = text.trim();
    let before = text.len() - text.trim_start().len();
    if let Some(found) = parse_native(session, trimmed) {
        return found.map(|found| OffsetQuery { of: found.method.into(), offset: found.il });
    }
    find(session, trimmed).map_err(|error| match &error {
        ResolveError::Near(..) | ResolveError::Unknown(_) => {
            rest_error(session, trimmed).unwrap_or_else(|| unknown(session, trimmed, error)).after(before)
        }
        ResolveError::NoOverload { parameters: part, .. } | ResolveError::Ambiguous(part, _) => {
            let part = part.clone();
            AddressError::from(error).about(text, &part)
        }
        ResolveError::NotThere(_) => error.into(),
    })
}

/// An address of machine code in one of its notations: `rva:0x20359`, `Uri.CreateThis+native:0x29`, and of recorded code the address in
/// memory. `None` for a text in none of them.
pub fn parse_native(session: &Session, text: &str) -> Option<Result<AddressAnswer, AddressError>> {
    let text = text.trim();
    if recorded::is_attached(session) {
        if let Some(address) = memory_address(text) {
            return Some(at_memory(session, address));
        }
    } else {
        // A component has an address of machine code too, or a reason why not.
        Precompiled::tables(session).or_else(|| Precompiled::of(session))?;
    }
    if let Some(digits) = text.strip_prefix("rva:") {
        let Some(rva) = number(digits) else {
            return Some(Err(format!("{digits:?} is no address · tip: write rva:0x20359").into()));
        };
        return Some(at_address(session, rva).ok_or_else(|| no_code(session, rva)));
    }
    let (name, digits) = text.rsplit_once("+native:")?;
    let Some(native) = offset::parse(digits) else {
        let kind = AddressErrorKind::NotAnOffset { of: name.to_owned(), rest: digits.to_owned() };
        return Some(Err(kind.into()));
    };
    Some(parse_offset(session, name).and_then(|query| in_method(session, query, native)))
}

/// An address that is too great for a token or an offset.
fn memory_address(text: &str) -> Option<u64> {
    let address = u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    if address > u32::MAX.into() { Some(address) } else { None }
}

fn at_memory(session: &Session, address: u64) -> Result<AddressAnswer, AddressError> {
    let bodies = recorded_at(session, address);
    let into = |mapped: &MappedBody| {
        mapped.recorded.as_ref().and_then(|code| address.checked_sub(code.address)?.try_into().ok())
    };
    let found: Vec<_> = bodies.iter().filter_map(|mapped| Some((mapped, into(mapped)?))).collect();
    only(session, &found).unwrap_or_else(|| Err(format!("no recorded method has machine code at {address:#x}").into()))
}

/// The address of a native offset of a method, in the body that has it.
fn in_method(session: &Session, query: OffsetQuery, native: u32) -> Result<AddressAnswer, AddressError> {
    let method = query.of.token();
    let name = session.method_name(method);
    let all = bodies(session, method);
    let Some(longest) = all.iter().map(|mapped| mapped.body.size()).max() else {
        return Err(match code_image::missing(session) {
            Some(reason) => reason.text.clone().into(),
            None if recorded::is_attached(session) => format!("no machine code of {name} is recorded").into(),
            None => format!("{name} is not precompiled: the image has no machine code of it").into(),
        });
    };
    let has_it = all.iter().filter(|mapped| native < mapped.body.size());
    let found: Vec<_> = has_it.map(|mapped| (mapped, native)).collect();
    only(session, &found).unwrap_or_else(|| {
        Err(format!("{name} has {longest:#x} bytes of machine code: {native:#x} is past its end").into())
    })
}

/// The answer of native offsets of bodies; an error that lists them if the bodies give different ones. `None` without any.
fn only(session: &Session, found: &[(&MappedBody, u32)]) -> Option<Result<AddressAnswer, AddressError>> {
    let (first, native) = *found.first()?;
    let mut answers = Vec::new();
    for (mapped, native) in found {
        answers.extend(AddressAnswer::of(session, mapped, *native));
    }
    if answers.len() < found.len() {
        let name = code_name(&first.name, first.recorded.as_ref());
        return Some(Err(
            format!("+{native:#x} of {name}: its IL offset is not known, because the body has no map").into()
        ));
    }
    let answer = answers.first()?.clone();
    if answers.iter().all(|other| (other.method, other.il, other.special) == (answer.method, answer.il, answer.special))
    {
        return Some(Ok(answer));
    }
    let text = |answer: &AddressAnswer| {
        let name = code_name(&answer.code_of, answer.recorded.as_ref());
        format!("{} at {:#x} ({})", il_label(answer.il.into()), answer.address(), name)
    };
    let listed: Vec<String> = answers.iter().map(text).collect();
    Some(Err(format!("{} bodies of code have the offset: {}", listed.len(), listed.join(", ")).into()))
}

fn no_code(session: &Session, rva: u32) -> AddressError {
    let Some(code) = Precompiled::of(session) else {
        let missing = code_image::missing(session).map(|reason| reason.text.clone());
        return missing.unwrap_or_else(|| "the image has no precompiled code: it is not ReadyToRun".to_owned()).into();
    };
    let section = code.image.pe.section_of(rva).map_or("no section", |section| section.name.as_str());
    format!("no method has machine code at rva {rva:#x}, which is in {section}").into()
}

/// An offset in a method or function by its name: as far as the name has an offset already, behind that.
pub(crate) fn offset_in(session: &Session, name: &str, offset: u32) -> Result<OffsetQuery, AddressError> {
    Ok(behind(session, parse_offset(session, name)?, offset)?)
}

/// An offset behind another one. A sum of more than 32 bits is past the end of any code.
pub(super) fn behind(session: &Session, query: OffsetQuery, by: u32) -> Result<OffsetQuery, ResolveError> {
    let Some(offset) = query.offset.checked_add(by) else {
        let sum = u64::from(query.offset) + u64::from(by);
        return Err(ResolveError::NotThere(past_end(&code_unit::name(session, query.of), &format!("{sum:#x}"))));
    };
    Ok(OffsetQuery { offset, ..query })
}

/// Sentence about an offset of more than 32 bits.
pub(crate) fn past_end(of: &str, offset: &str) -> String {
    format!("+{offset} is past the end of {of}: offsets of code have 32 bits")
}

fn unknown(session: &Session, text: &str, path: ResolveError) -> AddressError {
    let noun = code_unit::words(session).unit;
    let name = name_part(text).map(str::to_owned);
    AddressError::from(AddressErrorKind::Unknown { noun, name, path: Box::new(path) })
        .about(text, name_part(text).unwrap_or(text))
}

fn find(session: &Session, text: &str) -> Result<OffsetQuery, ResolveError> {
    let own = parse_own(session, text);
    if own.is_ok() || code_unit::words(session).has_exact_names {
        return own;
    }
    // C++ and debuggers write `Type::Method`.
    let scoped = text.replace("::", ".");
    let readings = if scoped == text { vec![text] } else { vec![text, scoped.as_str()] };
    let mut error = own;
    for reading in readings {
        let found = match notations::split(reading) {
            Some((method, offset)) => method_at(session, &method, Some(offset)),
            None if reading == text => continue,
            None => parse_own(session, reading),
        };
        match found {
            Ok(query) => return Ok(query),
            // The error of the text as it is stays, unless another reading names the method.
            Err(other) if !is_unknown(&other) => error = Err(other),
            Err(_) => {}
        }
    }
    error
}

const fn is_unknown(error: &ResolveError) -> bool {
    matches!(error, ResolveError::Near(..) | ResolveError::Unknown(_))
}

/// Error that names what follows the method of a query and is no offset; `None` where no prefix of it is a method.
fn rest_error(session: &Session, whole: &str) -> Option<AddressError> {
    let text = whole.strip_prefix("at ").unwrap_or(whole);
    // A parenthesis belongs to the method.
    let ends = text.rmatch_indices(ENDS).map(|(at, end)| at + usize::from(end == ")"));
    let ends = ends.filter(|at| *at < text.len());
    for (of, rest) in ends.take(MAX_PREFIXES).filter_map(|at| text.split_at_checked(at)) {
        let of = of.trim_end();
        match parse_own(session, of) {
            Ok(_) => {
                let rest = rest.trim_matches(['+', ':', '@', ' ', '\t']);
                let start = whole.rfind(rest).unwrap_or_default();
                let kind = if offset::is_too_wide(rest) {
                    AddressErrorKind::Resolve(ResolveError::NotThere(past_end(of, rest)))
                } else {
                    AddressErrorKind::NotAnOffset { of: of.to_owned(), rest: rest.to_owned() }
                };
                return Some(AddressError { kind, at: start..start + rest.len() });
            }
            Err(error) if !is_unknown(&error) => return Some(AddressError::from(error).about(whole, of)),
            Err(_) => {}
        }
    }
    None
}

/// Tip with the offsets that may be meant by a text after the name of a method or function; empty where the name has an offset already.
/// `write` is what to do with them.
pub(super) fn offset_tip(of: &str, rest: &str, write: &str) -> String {
    if split_offset(of).0 != of || notations::split(of).is_some() {
        return String::new();
    }
    let is_hex = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_decimal = is_hex && rest.bytes().all(|byte| byte.is_ascii_digit());
    match (is_decimal, is_hex) {
        (true, _) => format!(" · tip: {write} {of}+{rest}, or {of}+0x{rest}"),
        (false, true) => format!(" · tip: {write} {of}+0x{rest}"),
        (false, false) => format!(" · tip: {write} {of}+15, or {of}+0xf"),
    }
}

fn parse_own(session: &Session, text: &str) -> Result<OffsetQuery, ResolveError> {
    let Some(native) = NativeView::of(session) else { return method_query(session, text) };
    let symbols = session.symbols().filter(|symbols| symbols.methods() > 0);
    // Functions and methods are side by side (C++/CLI): tokens are methods, and a name that is both is a function.
    let is_token = |text: &str| {
        let word = text.split(['+', ' ', ':', '@']).next().unwrap_or_default();
        word.starts_with("0x06") && word.len() == 10 || bare_token(word).is_some()
    };
    match symbols {
        Some(_) if text.starts_with("method/") || is_token(text) => method_query(session, text),
        Some(_) => {
            function_query(session, native, text).or_else(|error| method_query(session, text).map_err(|_| error))
        }
        None => function_query(session, native, text),
    }
}

fn method_query(session: &Session, text: &str) -> Result<OffsetQuery, ResolveError> {
    if let Some(image) = session.image().filter(|image| image.metadata.is_none() && image.pe.cli.is_none())
        && session.methods() == 0
    {
        let reason = session.match_reasons().first().map_or(String::new(), |reason| format!(": {reason}"));
        return Err(ResolveError::NotThere(format!(
            "{} is native code, which has no methods; its functions are in a PDB, but none is open{reason}",
            image.name
        )));
    }
    if let Some(query) = text.parse().ok().and_then(|place| of_method(session, place)) {
        return check_offset(session, query);
    }
    let (name, offset) = split_offset(text);
    method_at(session, name, (offset > 0).then_some(offset))
}

/// An offset in a method that is named; without an offset, that of its path.
fn method_at(session: &Session, name: &str, offset: Option<u32>) -> Result<OffsetQuery, ResolveError> {
    let path = if name.starts_with("method/") { name.to_owned() } else { format!("method/{name}") };
    match resolve_exactly(session, &path).map(|place| of_method(session, place)) {
        Ok(Some(query)) => check_offset(session, OffsetQuery { offset: offset.unwrap_or(query.offset), ..query }),
        Ok(None) => Err(ResolveError::Unknown(name.to_owned())),
        Err(error) => Err(error),
    }
}

fn of_method(session: &Session, place: Place) -> Option<OffsetQuery> {
    match place {
        Place::Method(_) | Place::MethodPart(..) => offset_at_place(session, place),
        _ => None,
    }
}

fn check_offset(session: &Session, query: OffsetQuery) -> Result<OffsetQuery, ResolveError> {
    if query.of.token().row() <= session.methods() {
        return Ok(query);
    }
    Err(ResolveError::NotThere(nodes::absence(session, query.of.place())))
}

/// A method and its offset. A `+` may also be part of a name: `Outer+Inner.Method`.
pub(super) fn split_offset(text: &str) -> (&str, u32) {
    if let Some((name, offset)) = text.rsplit_once('+')
        && let Some(offset) = offset::parse(offset)
    {
        return (name.trim(), offset);
    }
    // After a space, only a prefix tells an offset from a part of the name: `clamp 0x19`.
    match text.rsplit_once([' ', '\t']) {
        Some((name, word)) => offset::parse_marked(word).map_or((text, 0), |offset| (name.trim_end(), offset)),
        None => (text, 0),
    }
}

/// Joins a method and the offset that follows it as a word of its own (`Columns.Mixed 0x1f`); `None` if the second word is a query of its
/// own: an address or a token, both of which exceed the size of the code. An ambiguous name takes an offset too.
pub fn joined(session: &Session, method: &str, word: &str) -> Option<String> {
    let offset = offset::parse_marked(word)?;
    let is_address = code_unit::words(session).is_addressed && method.starts_with(|c: char| c.is_ascii_digit());
    let size = match parse_offset(session, method) {
        _ if is_address => return None,
        Ok(query) if query.offset > 0 => return None,
        Ok(query) => where_is(session, query.of, offset).code_size.unwrap_or(MAX_IL),
        Err(error) => match error.kind {
            AddressErrorKind::Resolve(ResolveError::Ambiguous(..)) => MAX_IL,
            _ => return None,
        },
    };
    let is_inside = offset < size || word.starts_with("IL_");
    (is_inside && !method.contains('+')).then(|| format!("{method}+{offset:#x}"))
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

/// Offset of the code at a place; `None` for a place without code.
pub(crate) fn offset_at_place(session: &Session, place: Place) -> Option<OffsetQuery> {
    let query = match place {
        Place::Function(rva) | Place::FunctionPart(rva, _) => offset_at(NativeView::of(session)?, rva).ok()?,
        place => OffsetQuery { of: place.code_unit()?, offset: 0 },
    };
    let offset = match place {
        Place::MethodPart(_, MethodPart::Instruction(offset))
        | Place::FunctionPart(_, FunctionPart::CodeAt(offset)) => offset,
        Place::MethodPart(_, MethodPart::Point(number)) | Place::FunctionPart(_, FunctionPart::Line(number)) => {
            let points = MethodView::of(session, query.of).points;
            points.get((number as usize).checked_sub(1)?)?.offset
        }
        _ => query.offset,
    };
    Some(OffsetQuery { offset, ..query })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::metadata::Token;

    #[test]
    fn a_plus_is_an_offset_only_before_a_number() {
        assert_eq!(split_offset("0x06000002+0xF"), ("0x06000002", 15));
        assert_eq!(split_offset("A+B.M"), ("A+B.M", 0));
        assert_eq!(split_offset("A+B.M + 15"), ("A+B.M", 15));
    }

    #[test]
    fn methods_go_by_token_row_name_and_path() {
        let session = Session::sample();
        let wanted = OffsetQuery { of: Token(0x0600_0003).into(), offset: 2 };
        for text in
            ["0x06000003+IL_0002", "06000003:0002", "at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x2"]
        {
            assert_eq!(parse_offset(&session, text), Ok(wanted), "{text}");
        }
        for text in
            ["0x06000003+0x2", "3+2", "Clock.Since+2", "Since(long)+0x2", "method/3/il/2", "Ticker.Clock.Since + 2"]
        {
            assert_eq!(parse_offset(&session, text), Ok(wanted), "{text}");
        }
        assert_eq!(parse_offset(&session, "Since"), Ok(OffsetQuery { offset: 0, ..wanted }));
        let error = parse_offset(&session, "Clock.Sinc+2").unwrap_err();
        assert!(error.is_unknown() && error.with_nearest(&session).contains("Since"), "{error}");
        let error = parse_offset(&session, "0x06000009+2").unwrap_err();
        assert!(matches!(error.kind, AddressErrorKind::Resolve(ResolveError::NotThere(_))), "{error}");
        assert!(parse_offset(&session, "document/1").is_err());
    }

    #[test]
    fn coordinates_of_other_tools_are_read_by_one_rule() {
        let session = Session::sample();
        let at = |offset| OffsetQuery { of: Token(0x0600_0003).into(), offset };
        for (text, offset) in [
            ("0x06000003:0xF", 15),
            ("0x06000003@0xF", 15),
            ("0x6000003 0xF", 15),
            ("06000003:000F", 15),
            ("06000003", 0),
            ("6000003", 0),
            ("6000003+0xf", 15),
            ("0x06000003:15", 15),
            ("Clock.Since:15", 15),
            ("Clock.Since+15", 15),
            ("Clock.Since@15", 15),
            ("Clock.Since+000F", 15),
            ("Clock.Since(Int64) IL_000f", 15),
            ("Clock.Since(Int64)@0xf", 15),
            ("Ticker.Clock.Since (System.Int64 x) [0x0000f] in <3222a828d6ba470fac43bbba907b2f03>:0", 15),
            ("at Ticker.Clock.Since (System.Int64 x) [0x0000f] in <3222a828d6ba470fac43bbba907b2f03>:0", 15),
        ] {
            assert_eq!(parse_offset(&session, text), Ok(at(offset)), "{text}");
        }
    }

    #[test]
    fn what_follows_a_method_and_is_no_offset_is_named() {
        let session = Session::sample();
        for (text, said) in [
            ("Clock.Since(Int64) 15", "\"15\" is not an offset of Clock.Since(Int64)"),
            ("Clock.Since(Int64)-5", "\"-5\" is not an offset"),
            ("Clock.Since(Int64)[15]", "\"[15]\" is not an offset"),
            ("Clock.Since foo", "\"foo\" is not an offset of Clock.Since"),
            ("Clock.Since+zz", "\"zz\" is not an offset"),
            ("Clock.Since+ff", "write Clock.Since+0xff"),
            ("Clock.Since(Int64) IL_000f foo", "foo\" is not an offset"),
            ("0x06000003 15", "write 0x06000003+15, or 0x06000003+0x15"),
            ("Clock.Since() foo", "\"foo\" is not an offset of Clock.Since()"),
            ("Clock.Since(bool)+1", "(bool) · tip: it has 1: method/0x06000003 Ticker.Clock.Since(long)"),
            ("Clock.Since(bool) IL_0001", "no overload of Clock.Since has the parameters (bool)"),
            ("at Ticker.Clock.Since(bool) [0x0000f] in <ab>:0", "no overload of Ticker.Clock.Since"),
        ] {
            let error = parse_offset(&session, text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert_eq!(parse_offset(&session, "Clock.Since()+1").unwrap().offset, 1, "a method whatever its parameters");
        let far = |text: &str| parse_offset(&session, text).unwrap_err().to_string();
        assert!(!far("Nope+3").contains("did you mean"), "{}", far("Nope+3"));
    }
}
