//! Errors for an address of another kind than a command takes: its kind, and the command that takes it.

use super::code::offset_tip;
use super::line::documents_with_end_of;
use super::{AddressError, AddressErrorKind, LineQuery, parse_line, parse_offset, split_line};
use crate::breakpoint::bind;
use crate::shell_command::command;
use crate::where_is;
use pdblens_nodes::{document, resolve};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

/// Documents that a text names, and what follows their name and a colon.
struct Named<'t> {
    name: &'t str,
    documents: Vec<u32>,
    rest: Option<&'t str>,
}

impl<'t> Named<'t> {
    /// Reads `Clock.cs`, `Clock.cs:10`, `Clock.cs:x`; `None` where no document is called so. A number alone is no name.
    fn of(session: &Session, text: &'t str) -> Option<Self> {
        let text = text.trim();
        let cuts = text.match_indices(':').map(|(at, _)| (text.get(..at), text.get(at + 1..)));
        let splits = cuts.chain([(Some(text), None)]);
        splits.filter_map(|(name, rest)| Some((name?.trim(), rest))).find_map(|(name, rest)| {
            let is_name = name.contains(|c: char| c.is_alphabetic());
            let mut documents = if is_name { resolve::documents_named(session, name) } else { Vec::new() };
            if documents.is_empty() {
                documents = documents_with_end_of(session, name).0;
            }
            (!documents.is_empty()).then_some(Self { name, documents, rest })
        })
    }

    fn error(&self, session: &Session) -> AddressError {
        let what = match self.rest.map(str::trim) {
            None | Some("") => format!("{:?} is a document without a line", self.name),
            Some(line) if line.trim_start_matches('0').is_empty() => {
                format!("there is no line {line}: lines are counted from 1")
            }
            Some(rest) => format!("{rest:?} is not a line of {}", self.name),
        };
        // A name without a line means the first line with code.
        let query = LineQuery { documents: self.documents.clone(), ..LineQuery::of(0, 1, None) };
        let tip = match bind(session, &query).line {
            0 => "no method has code in this document".to_owned(),
            line => {
                let command = command(session, "break", &format!("{}:{line}", self.name));
                format!("the first line with code is {line}, `{command}`")
            }
        };
        AddressErrorKind::OtherKind(format!("{what} · tip: {tip}")).into()
    }
}

/// Error about a text that should be an offset but names a document: it suggests the command for lines; `None` for any other text.
pub(crate) fn line_for_offset(session: &Session, text: &str) -> Option<AddressError> {
    let split = split_line(text);
    let Some(named) = Named::of(session, text) else {
        let (name, ..) = split?;
        if !is_like_a_document(session, name) {
            return None;
        }
        return parse_line(session, text).err();
    };
    if split.is_none_or(|(name, ..)| name != named.name) {
        return Some(named.error(session));
    }
    Some(source_line(session, text))
}

/// Error about a text that should be an offset but is a line.
pub(crate) fn source_line(session: &Session, text: &str) -> AddressError {
    let command = command(session, "break", text.trim());
    let why = format!("{text:?} is a source line, not an IL offset · tip: `{command}` finds its code");
    AddressErrorKind::OtherKind(why).into()
}

/// Returns whether a name ends like that of the first document, as in `.cs`.
fn is_like_a_document(session: &Session, name: &str) -> bool {
    let extension = |name: &str| name.rsplit_once('.').map(|(_, end)| end.to_lowercase());
    let first = document::name(session, 1).and_then(|name| extension(&name));
    first.is_some() && first == extension(name)
}

/// Error about a text without a line: what is missing, or the right command if the text is a method or an offset.
pub(super) fn no_line(session: &Session, text: &str) -> AddressError {
    if let Some(named) = Named::of(session, text) {
        return named.error(session);
    }
    let is_name = text.contains(|c: char| c.is_alphabetic());
    let why = match parse_offset(session, text) {
        Ok(found) => {
            let answer = where_is::where_is(session, found.of, found.offset);
            let line = answer.shown().and_then(|point| {
                let name = document::name(session, point.document)?;
                Some(format!("{}:{}", file_name(&name), point.start_line))
            });
            let tip = match line {
                Some(line) => format!("its line is {line}, `{}`", command(session, "break", &line)),
                None => format!("`{}` looks it up", command(session, "where", text)),
            };
            format!("{text:?} is a code offset, not a source line · tip: {tip}")
        }
        Err(AddressError { kind: AddressErrorKind::NotAnOffset { of, rest }, .. }) if is_name => format!(
            "{text:?} is not a line of a document, and {rest:?} is not an offset of {of}{}",
            offset_tip(&of, &rest, "for `pdblens where` write")
        ),
        Err(error) if is_name && !error.is_unknown() && !error.is_about_document() => {
            format!("{text:?} is not a line of a document, and {error}")
        }
        Err(_) if text.trim().bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("which file? write FILE:{}", text.trim())
        }
        Err(_) => format!(
            "{text:?} has no line · tip: write DOCUMENT:LINE; `{}` lists the documents",
            command(session, "list", "documents")
        ),
    };
    AddressErrorKind::OtherKind(why).into()
}
