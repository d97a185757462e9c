//! Documents, and their lines.

pub use crate::code_unit::document_name as name;
use crate::facts::Facts;
use crate::fields::{FieldRow, Fields};
use crate::kind::{Kind, Label};
use crate::named;
use crate::owner::Turn;
use crate::place::{Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::table::row::explain_row;
use pdblens_formats::bytes::{Cursor, Recording, Slice};
use pdblens_formats::codeview::c13::Checksum;
use pdblens_formats::metadata::TableId;
use pdblens_session::session::Session;
use pdblens_session::symbols::{ModuleHash, SymbolReader, SymbolRecord};
use pdblens_session::text::guids;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, hex};

const MAX_MODULES: usize = 8;

pub(crate) const DOCUMENTS: Kind = Kind {
    named: &[(named::Turn::Documents, |session, list| {
        for row in 1..=session.symbols().map_or(0, SymbolReader::documents) {
            list.add(Place::Document(row), &name(session, row).unwrap_or_default())?;
        }
        Some(())
    })],
    listed: |_| vec![Place::Documents],
    rows: |session, ()| Some(documents_rows(session)),
    row_of: |_, place, ()| match place {
        Place::Document(row) => (row as usize).checked_sub(1),
        _ => None,
    },
    summary: |session, ()| documents_facts(session),
    ..Kind::NEW
};

pub(crate) const DOCUMENT: Kind<u32> = Kind {
    owners: &[(Turn::Aliases, |search| {
        for owner in search.owners.clone() {
            if let Place::Row(Side::Pdb, TableId::DOCUMENT, row) = owner.place {
                search.add(Place::Document(row), owner.span);
            }
        }
    })],
    label: |_| Label::new("document", 0),
    context: |session, row| {
        let document = session.symbols().and_then(|symbols| symbols.document(row).ok());
        let language = document.and_then(|document| document.language);
        Some(language.and_then(guids::name).map_or_else(String::new, str::to_owned))
    },
    exists: |session, row| (1..=session.symbols().map_or(0, SymbolReader::documents)).contains(&row),
    fields: explain_document,
    ..Kind::NEW
};

pub(crate) const LINE: Kind<(u32, u32)> = Kind {
    label: |(_document, _)| Label::new("document", 0),
    exists: |session, (document, line)| line > 0 && (DOCUMENT.exists)(session, document),
    summary: |session, (document, line)| line_facts(session, document, line),
    ..Kind::NEW
};

/// The source generator that wrote a document whose text the symbols hold: Roslyn puts it below a folder of the generator's assembly and one
/// of its type.
pub fn generator(path: &str, is_embedded: bool) -> Option<&str> {
    let mut steps = path.rsplit(['/', '\\']);
    let (file, class, assembly) = (steps.next()?, steps.next()?, steps.next()?);
    let rest = class.strip_prefix(assembly)?;
    let is_of_assembly = !assembly.is_empty() && (rest.is_empty() || rest.starts_with('.'));
    // Folders of a repository may be called so, too.
    let is_written = file.contains(".g.") || file.contains(".generated.") || is_below_obj(path);
    if is_embedded && is_of_assembly && is_written { Some(class) } else { None }
}

/// Returns true for a path below a folder `obj`, where the build writes.
pub fn is_below_obj(path: &str) -> bool {
    path.split(['/', '\\']).rev().skip(1).any(|step| step.eq_ignore_ascii_case("obj"))
}

pub(crate) fn documents_rows(session: &Session) -> Rows<'_> {
    let len = session.symbols().map_or(0, SymbolReader::documents);
    let columns = Head::list(["row:", "document", "language", "algorithm", "hash"]);
    Rows::new(count(len, "document"), columns, len as usize, move |index| {
        let (row, place) = (index as u32 + 1, Place::Document(index as u32 + 1));
        let name = |guid: Option<pdblens_formats::bytes::Guid>| {
            guid.map_or(String::new(), |guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned))
        };
        let number = Cell::toned(row.to_string(), Tone::Dim);
        let is_embedded = session.symbols().is_some_and(|symbols| symbols.embedded_source(row).is_some());
        match session.symbols().map(|symbols| symbols.document(row)) {
            Some(Ok(document)) => {
                let mark = generator(&document.name, is_embedded).map_or("", |_| ", generated");
                let cells = vec![
                    number,
                    Cell::new(document.name).to(place),
                    Cell::new(name(document.language) + mark),
                    Cell::new(name(document.hash_algorithm)),
                    Cell::toned(hex(&document.hash), Tone::Dim),
                ];
                Row::at(place, cells).from(document.span)
            }
            Some(Err(error)) => Row::at(place, vec![number, Cell::broken(session.spaces(), &error)]),
            None => Row::default(),
        }
    })
}

pub(crate) fn explain_document(session: &Session, row: u32) -> Option<Fields> {
    if Side::Pdb.metadata(session).is_some() {
        return explain_row(session, Side::Pdb, TableId::DOCUMENT, row);
    }
    let symbols = session.symbols()?;
    let found = symbols.document(row).ok()?;
    let bytes = session.spaces().read(found.span).ok()?;
    let slice = Slice::new(&bytes, found.span.space, found.span.start);
    let title = format!("document/{row} · {}", file_name(&found.name));
    let decode = |cursor: &mut Cursor<'_, Recording>| symbols.decode(SymbolRecord::Document(row), cursor);
    let mut fields = Fields::explain(title, slice, decode, |_, _| None);
    for hash in session.native_pdb().map_or(&[][..], |pdb| pdb.module_hashes(row)) {
        add_checksum(session, hash, &mut fields);
    }
    Some(fields)
}

/// Adds the checksum entry of a document in the first of the modules that have it, which are named beside it.
fn add_checksum(session: &Session, hash: &ModuleHash, fields: &mut Fields) {
    let Ok(bytes) = session.spaces().read(hash.span) else { return };
    let slice = Slice::new(&bytes, hash.span.space, hash.span.start);
    let entry = Fields::explain(String::new(), slice, |cursor| Checksum::decode(cursor).map(drop), |_, _| None);
    let mut named: Vec<&str> = hash.modules.iter().take(MAX_MODULES).map(|name| file_name(name)).collect();
    let more = if hash.count as usize > named.len() {
        format!(" and {} more", hash.count as usize - named.len())
    } else {
        String::new()
    };
    named.dedup();
    let modules = format!("of {}{more}", named.join(", "));
    fields.rows.extend(entry.rows.into_iter().map(|row| {
        let meaning = if row.group { modules.clone() } else { row.meaning };
        FieldRow { meaning, ..row }
    }));
}

pub(crate) fn documents_facts(session: &Session) -> Option<Fields> {
    let symbols = session.symbols()?;
    let mut facts = Facts::new("documents");
    facts.fact("documents", symbols.documents()).mean(symbols.format().to_string());
    if Side::Pdb.metadata(session).is_some() {
        let place = Place::Table(Side::Pdb, TableId::DOCUMENT);
        facts.fields.span = Side::Pdb.metadata(session)?.table(TableId::DOCUMENT).span();
        facts.fields.rows.iter_mut().for_each(|row| row.to = Some(place));
    }
    facts.done()
}

pub(crate) fn line_facts(session: &Session, document: u32, line: u32) -> Option<Fields> {
    let name = name(session, document)?;
    let mut facts = Facts::new(format!("{} line {line}", file_name(&name)));
    facts.fact("document", document).mean(name).to(Place::Document(document));
    facts.fact("line", line);
    facts.fields.span = session.symbols().and_then(|symbols| symbols.document(document).ok())?.span;
    facts.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_is_known_by_the_folders_of_its_text() {
        let regex = "System.Text.RegularExpressions.Generator";
        let of_class = format!("{regex}/{regex}.RegexGenerator");
        for (path, is_embedded, found) in [
            (format!("/_/obj/Release/net10.0/{of_class}/RegexGenerator.g.cs"), true, true),
            (format!("{of_class}/RegexGenerator.g.cs").replace('/', "\\"), true, true),
            (format!("/_/obj/generated/{of_class}/Any.cs"), true, true),
            (format!("/_/src/{of_class}/Any.cs"), true, false),
            (format!("/_/obj/{of_class}/RegexGenerator.g.cs"), false, false),
            ("/_/obj/App.Core/App.CoreTests/A.g.cs".to_owned(), true, false),
            ("RegexGenerator.g.cs".to_owned(), true, false),
        ] {
            let name = format!("{regex}.RegexGenerator");
            assert_eq!(generator(&path, is_embedded), found.then_some(name.as_str()), "{path}");
        }
    }
}
