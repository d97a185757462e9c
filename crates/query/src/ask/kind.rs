//! Addresses of the kind that a command takes: `where` takes an offset, `break` a line.
//!
//! `2:15` is both: offset 15 in the method in row 2, and line 15 of the document in row 2. Each command reads its own kind first. Any other
//! text is read as the prompt reads it, which takes the line for `2:15`.

use super::parse_address;
use crate::address::{
    Address, AddressError, AddressErrorKind, LineQuery, OffsetQuery, line_for_offset, offset_at_place, parse_line,
    parse_offset, source_line,
};
use crate::shell_command::command;
use pdblens_nodes as nodes;
use pdblens_nodes::Place;
use pdblens_nodes::resolve::ResolveError;
use pdblens_session::session::Session;

/// Offset of code that a text refers to: in any notation of an offset, or as the place of code, such as `method/2/points/3`.
pub fn code_address(session: &Session, text: &str) -> Result<OffsetQuery, AddressError> {
    let error = match parse_offset(session, text) {
        Ok(query) => return Ok(query),
        Err(error) => error,
    };
    let place = match parse_address(session, text) {
        Ok(Address::Code(query)) => return Ok(query),
        Ok(Address::Place(Place::Line(..)) | Address::Line(_)) => return Err(source_line(session, text)),
        Ok(Address::Place(place)) => place,
        Err(_) => return Err(line_for_offset(session, text).unwrap_or(error)),
    };
    if let Some(query) = offset_at_place(session, place) {
        return Ok(query);
    }
    if place.code_unit().is_some() {
        return Err(ResolveError::NotThere(nodes::absence(session, place)).into());
    }
    // A number that is an address of the file, but none of code: the reason is about the code.
    if text.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
        return Err(error);
    }
    let command = command(session, "show", &place.to_string());
    let why = format!("{text:?} is no offset of code · tip: `{command}` shows it");
    Err(AddressErrorKind::OtherKind(why).into())
}

/// Line of a document that a text refers to: in any notation of a line, or as its place, such as `document/2/13`.
pub fn line_address(session: &Session, text: &str) -> Result<LineQuery, AddressError> {
    parse_line(session, text).or_else(|error| match parse_address(session, text) {
        Ok(Address::Line(query)) => Ok(query),
        Ok(Address::Place(Place::Line(document, line))) if line > 0 => Ok(LineQuery::of(document, line, None)),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::metadata::Token;
    use pdblens_nodes::code_unit::CodeUnit;

    #[test]
    fn each_command_takes_its_own_kind_first() {
        let session = Session::sample();
        let code = OffsetQuery { of: CodeUnit::Method(Token(0x0600_0002)), offset: 15 };
        let line = LineQuery::of(2, 15, None);
        assert_eq!(code_address(&session, "2:15"), Ok(code));
        assert_eq!(line_address(&session, "2:15"), Ok(line.clone()));
        assert_eq!(parse_address(&session, "2:15"), Ok(Address::Line(line)));
    }

    #[test]
    fn places_of_code_are_offsets_and_places_of_lines_are_lines() {
        let session = Session::sample();
        let at = |offset| Ok(OffsetQuery { of: CodeUnit::Method(Token(0x0600_0003)), offset });
        for (text, offset) in [
            ("method/3/points/1", 0),
            ("method/Clock.Since/points/4", 11),
            ("method/3/il/0xb", 11),
            ("method/3", 0),
            ("at Ticker.Clock.Since(Int64 t) in /x/Clock.cs:line 13", 11),
        ] {
            assert_eq!(code_address(&session, text), at(offset), "{text}");
        }
        let line = LineQuery::of(2, 13, None);
        assert_eq!(line_address(&session, "document/2/13"), Ok(line.clone()));
        assert_eq!(line_address(&session, "document/Clock.cs/13"), Ok(line));
    }

    #[test]
    fn an_address_of_another_kind_is_not_called_unknown() {
        let session = Session::sample();
        for (text, said) in [
            ("table/Document/1", "no offset of code · tip: `pdblens show --sample table/Document/1` shows it"),
            ("Clock.cs:13", "is a source line, not an IL offset"),
            ("document/2/13", "is a source line, not an IL offset"),
            ("method/3/points/99", "has no sequence point 99: it has 5"),
        ] {
            let error = code_address(&session, text).unwrap_err().with_nearest(&session);
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
