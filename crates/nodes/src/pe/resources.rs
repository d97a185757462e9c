//! Resources: a tree of tables, by custom of types, names and languages.

use crate::fields::Fields;
use crate::pe::linker::{self, link, part};
use crate::place::{PePart, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::resources::{
    ENTRY_LEVELS, MANIFEST, ResourceContent, ResourceEntry, ResourceId, VERSION, type_name,
};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

const TABLE: (&str, &str) =
    ("resource directory table", "A table of types, names or languages, and the number of its entries.");
const ENTRY: (&str, &str) = (
    "resource directory entry",
    "The entry of a resource in a table: a type, a name or a language, by the level of the table.",
);
const NAME: (&str, &str) = ("resource name", "The name of a resource or of a type, in UTF-16 after its length.");
const DATA: (&str, &str) = ("resource data entry", "The location of a resource's data, its size and its code page.");

/// One row for each entry of a table, those of its table after it.
pub(super) fn rows(session: &Session) -> Option<Rows<'_>> {
    let (_, tables) = linker::tables(session)?;
    let entries = &tables.resources.entries;
    let row = move |index: usize| {
        let Some(entry) = entries.get(index) else { return Row::default() };
        let place = Place::PePart(PePart::Resource(index as u32));
        let (size, rva) = match entry.data() {
            Some(data) => (data.size.to_string(), Cell::new(format!("{:#x}", data.rva))),
            None => (String::new(), Cell::default()),
        };
        let bytes = entry.data().and_then(|data| data.data).filter(|span| !span.is_empty()).map(Place::Bytes);
        let level = ENTRY_LEVELS.get(usize::from(entry.level).saturating_sub(1)).copied().unwrap_or("entry");
        let name = Cell::toned(label(entry), Tone::Strong).to(special(entry).unwrap_or(place));
        let cells = vec![name, Cell::toned(level, Tone::Dim), Cell::new(size), rva.to(bytes)];
        Row { depth: entry.level.saturating_sub(1), ..Row::at(place, cells).from(entry.span) }
    };
    let columns = Head::list(["resource", "level", "size:", "rva:"]);
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

pub(super) fn root(session: &Session) -> Option<Fields> {
    let (_, tables) = linker::tables(session)?;
    let resources = &tables.resources;
    let types = resources.entries.iter().filter(|entry| entry.level == 1).count();
    linker::fields("pe/resources", [part(TABLE, count(types as u64, "type"), resources.root)])
}

/// The parts of an entry: the entry, its name, and the head of the table or the data entry that it leads to.
pub(super) fn fields(session: &Session, index: u32) -> Option<Fields> {
    let (_, tables) = linker::tables(session)?;
    let entry = tables.resources.entries.get(index as usize)?;
    let [own, name, content] = spans(entry);
    let content = match entry.content {
        Some(ResourceContent::Data(data)) => {
            let text =
                format!("{} at rva {:#x}, code page {}", count(u64::from(data.size), "byte"), data.rva, data.code_page);
            link(DATA, text, content, data.data.unwrap_or_default())
        }
        _ => part(TABLE, "", content),
    };
    let parts = [link(ENTRY, label(entry), own, content.span), part(NAME, label(entry), name), content];
    linker::fields(format!("pe/resources/{index} · {}", label(entry)), parts)
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
