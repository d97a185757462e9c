//! Resources: a tree of tables, by custom of types, names and languages.

use crate::fields::{Fields, Meaning};
use crate::pe::linker::{self, Record};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{PePart, Place};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::resources::{
    self, ENTRY_LEVELS, MANIFEST, ResourceContent, ResourceEntry, ResourceId, VERSION, type_name,
};
use pdblens_session::session::Session;

/// One row for each entry of a table, those of its table after it.
pub(super) fn rows(session: &Session) -> Option<Rows<'_>> {
    let (_, tables) = linker::tables(session)?;
    let entries = &tables.resources.entries;
    let row = move |index: usize| {
        let Some(entry) = entries.get(index) else { return Row::default() };
        let place = Place::PePart(PePart::Resource(index as u32));
        let (size, mut rva) = match entry.data() {
            Some(data) => (data.size.to_string(), Cell::new(format!("{:#x}", data.rva))),
            None => (String::new(), Cell::default()),
        };
        rva.to = entry.data().and_then(|data| data.data).filter(|span| !span.is_empty()).map(Place::Bytes);
        let level = ENTRY_LEVELS.get(usize::from(entry.level) - 1).copied().unwrap_or("entry");
        let mut name = Cell::toned(label(entry), Tone::Strong);
        name.to = Some(special(entry).unwrap_or(place));
        let cells = vec![name, Cell::toned(level, Tone::Dim), Cell::new(size), rva];
        Row { depth: entry.level - 1, ..Row::at(place, cells).from(entry.span) }
    };
    let columns = vec![Head::text("resource"), Head::text("level"), Head::number("size"), Head::number("rva")];
    Some(Rows::new("resources", columns, entries.len(), row))
}

/// The place that shows the content of all resources of a type.
const fn special(entry: &ResourceEntry) -> Option<Place> {
    match (entry.level, &entry.id) {
        (1, ResourceId::Id(VERSION)) => Some(Place::PePart(PePart::Version)),
        (1, ResourceId::Id(MANIFEST)) => Some(Place::PePart(PePart::Manifest)),
        _ => None,
    }
}

/// Name or number of an entry, with words for a number.
fn label(entry: &ResourceEntry) -> String {
    match &entry.id {
        ResourceId::Name(name) => name.clone(),
        ResourceId::Id(id) if entry.level == 1 => type_name(*id).map_or_else(|| id.to_string(), str::to_owned),
        ResourceId::Id(id) if entry.level == 3 => format!("{id:#06x}"),
        ResourceId::Id(id) => id.to_string(),
    }
}

/// The root table with its entries.
pub(super) fn root(session: &Session) -> Option<Fields> {
    let (_, tables) = linker::tables(session)?;
    let root: Record = (tables.resources.root, resources::table_with_entries);
    let entries = &tables.resources.entries;
    // The entries of the root are in the order of the file, those of their tables between them.
    let types: Vec<usize> = (0..).zip(entries).filter(|(_, entry)| entry.level == 1).map(|(index, _)| index).collect();
    let ends_before = |entry: Option<&ResourceEntry>, at| entry.is_some_and(|entry| entry.span.end() <= at);
    linker::explain(session, "pe/resources", [root], |record, field| {
        if record != "resource directory entry" {
            return None;
        }
        let index = *types.get(types.partition_point(|index| ends_before(entries.get(*index), field.span.start)))?;
        meaning(entries.get(index)?, index, field)
    })
}

/// Meaning of the fields of an entry.
fn meaning(entry: &ResourceEntry, index: usize, field: &pdblens_formats::bytes::Field) -> Option<Meaning> {
    if matches!(field.name(), "id" | "name offset") {
        return Some(Meaning::to(label(entry), Place::PePart(PePart::Resource(index as u32))));
    }
    match entry.content? {
        ResourceContent::Table(span) => Some(Meaning::to("table", Place::Bytes(span))),
        ResourceContent::Data(data) => Some(Meaning::to("data", Place::Bytes(data.span))),
    }
}

/// The records of an entry: the entry, its name, and the head of the table or the data entry that it leads to.
pub(super) fn fields(session: &Session, index: u32) -> Option<Fields> {
    let (_, tables) = linker::tables(session)?;
    let entry = tables.resources.entries.get(index as usize)?;
    let mut records: Vec<Record> = vec![(entry.span, resources::entry), (entry.name_span, resources::name)];
    match entry.content {
        Some(ResourceContent::Table(span)) => records.push((span, resources::table)),
        Some(ResourceContent::Data(data)) => records.push((data.span, resources::data_entry)),
        None => {}
    }
    linker::explain(session, &format!("pe/resources/{index} · {}", label(entry)), records, |record, field| {
        if record == "resource directory entry" { meaning(entry, index as usize, field) } else { None }
    })
}

/// Bytes of an entry, of its name, and of the record that it leads to.
pub(super) fn spans(entry: &ResourceEntry) -> [Span; 3] {
    let content = match &entry.content {
        Some(ResourceContent::Table(span)) => *span,
        Some(ResourceContent::Data(data)) => data.span,
        None => Span::default(),
    };
    [entry.span, entry.name_span, content]
}
