//! The exception table of an image: the code of native functions, and their unwind information.

use crate::fields::Fields;
use crate::kind::Kind;
use crate::native::{function_at, function_name};
use crate::pe;
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::pe::Exceptions;
use pdblens_session::session::Session;

/// Entries that are explained field by field; the list has all.
const MAX_EXPLAINED: u64 = 1200;

pub(crate) const EXCEPTIONS: Kind = Kind {
    listed: |session| table(session).map(|_| Place::Exceptions).into_iter().collect(),
    exists: |session, ()| table(session).is_some(),
    absence: |session, ()| {
        let sentence = "the image has no exception table for x64 or ARM64: it has no native code that unwinds by one";
        session.image().map(|_| sentence.to_owned())
    },
    rows: |session, ()| rows(session),
    fields: |session, ()| {
        let (table, image) = (table(session)?, &session.image()?.pe);
        let bytes = image.bytes(table.span()).ok()?;
        let bytes = bytes.part(0, bytes.len().min(MAX_EXPLAINED)).ok()?;
        Some(Fields::explain("pe/exceptions", bytes, |c| table.decode(c), pe::meanings(session)))
    },
    bytes: |session, ()| table(session).map(|table| table.span()),
    ..Kind::NEW
};

fn table(session: &Session) -> Option<Exceptions<'_>> {
    Exceptions::of(&session.image()?.pe).filter(|table| !table.is_empty())
}

fn rows(session: &Session) -> Option<Rows<'_>> {
    let (table, image) = (table(session)?, &session.image()?.pe);
    let row = move |index: usize| {
        let Ok(entry) = table.get(index as u64) else { return Row::default() };
        let section = image.section_of(entry.begin).map_or("", |section| section.name.as_str());
        let unwind = entry.unwind_rva.map_or_else(|| "packed".to_owned(), |rva| format!("{rva:#x}"));
        let begin = Cell::new(format!("{:#x}", entry.begin));
        let is_function = function_at(session, entry.begin).is_some();
        let cells = vec![
            if is_function { begin.to(Place::Function(entry.begin)) } else { begin },
            Cell::new(entry.size.map_or_else(String::new, |size| size.to_string())),
            Cell::toned(unwind, Tone::Dim),
            Cell::toned(section, Tone::Dim),
            Cell::new(function_name(session, entry.begin).unwrap_or_default()),
        ];
        Row::plain(cells).from(entry.span)
    };
    let columns = Head::list(["rva:", "size:", "unwind rva:", "section", "function"]);
    Some(Rows::new("exception table", columns, table.len() as usize, row))
}
