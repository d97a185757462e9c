//! Collecting everything with a name: methods and types by their full names, and whatever else a file names.

use super::Index;
use crate::formats::metadata::{ColumnKind, Heap, TableId, Token};
use crate::nodes;
use crate::nodes::Place;
use crate::nodes::document;
use crate::nodes::heap::refs;
use crate::nodes::stream::PdbView;
use crate::nodes::{MethodPart, PePart, Side};
use crate::session::Session;
use crate::symbols::{Format, SymbolReader};

/// Columns that have names in them.
const NAMES: &[&str] = &["Name", "TypeName", "ImportName"];

/// The most of a string literal that is looked at.
const MAX_CHARS: usize = 200;

/// Lists whose entries have names, and the column that those are in.
const LISTS: &[(Place, &str)] = &[
    (Place::Functions, "function"),
    (Place::Types, "name"),
    (Place::Ids, "name"),
    (Place::Publics, "name"),
    (Place::Globals, "name"),
    (Place::Modules, "name"),
    (Place::Streams, "what"),
];

/// Progress of the collection.
struct Progress<'g> {
    go_on: &'g dyn Fn(u64, u64) -> bool,
    done: u64,
    total: u64,
}

impl Progress<'_> {
    /// One more is done; says whether to go on.
    fn step(&mut self) -> bool {
        self.done += 1;
        !self.done.is_multiple_of(4096) || (self.go_on)(self.done, self.total.max(self.done))
    }
}

impl Index {
    /// Everything with a name. `go_on` is told how far it is, and says whether to go on.
    pub fn build(session: &Session, go_on: &dyn Fn(u64, u64) -> bool) -> Self {
        let mut index = Self::default();
        let rows = Side::loaded(session)
            .flat_map(|(_, metadata)| metadata.tables.present().map(|table| u64::from(table.rows())));
        let mut progress = Progress { go_on, done: 0, total: u64::from(session.methods()) + rows.sum::<u64>() };
        // What people look for most comes first: so it does where several are as like.
        let parts = [methods_into, types_into, documents_into, lists_into, rows_into];
        let rest = [locals_into, parts_into, strings_into];
        for part in parts.into_iter().chain(rest) {
            if part(session, &mut index, &mut progress).is_none() {
                break;
            }
        }
        index.lower = index.text.to_ascii_lowercase();
        index
    }
}

fn methods_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    let known = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    for row in 1..=session.methods() {
        let method = Token::new(TableId::METHOD_DEF, row);
        match session.names().filter(|_| row <= known) {
            Some(names) => names.write_reflection_name(row, &mut index.text),
            None => index.text.push_str(&session.method_name(method)),
        }
        index.add(Place::Method(method));
        progress.step().then_some(())?;
    }
    Some(())
}

fn types_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    let (Some(names), Some(metadata)) = (session.names(), session.metadata()) else { return Some(()) };
    for row in 1..=metadata.rows(TableId::TYPE_DEF) {
        let place = Place::Row(Side::Image, TableId::TYPE_DEF, row);
        index.name_of(place, &names.type_name(Token::new(TableId::TYPE_DEF, row)));
        progress.step().then_some(())?;
    }
    Some(())
}

fn documents_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    for row in 1..=session.symbols().map_or(0, SymbolReader::documents) {
        index.name_of(Place::Document(row), &document::name(session, row).unwrap_or_default());
        progress.step().then_some(())?;
    }
    Some(())
}

/// Adds the names in the lists of a Windows PDB.
fn lists_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    for (list, column) in LISTS.iter().filter(|_| PdbView::of(session).is_some()) {
        let Some(rows) = nodes::rows(session, *list) else { continue };
        let Some(column) = rows.columns.iter().position(|head| head.name == *column) else { continue };
        for row in rows.iter() {
            if let (Some(place), Some(cell)) = (row.place, row.cells.get(column)) {
                index.name_of(place, &cell.text);
            }
            progress.step().then_some(())?;
        }
    }
    Some(())
}

/// The rows of all other tables that have a name.
fn rows_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    for (side, metadata) in Side::loaded(session) {
        for table in metadata.tables.present() {
            let string = |name: &&str| {
                let column = table.id.column(name)?;
                matches!(table.columns().get(column)?.kind, ColumnKind::String).then_some(column)
            };
            let Some(column) = NAMES.iter().find_map(string) else { continue };
            let other = side == Side::Image && matches!(table.id, TableId::METHOD_DEF | TableId::TYPE_DEF);
            for row in (1..=table.rows()).filter(|_| !other) {
                let names = session.names().filter(|_| side == Side::Image);
                match (table.id, names) {
                    (TableId::FIELD, Some(names)) => names.write_field_name(row, &mut index.text),
                    (TableId::TYPE_REF, Some(names)) => {
                        index.text.push_str(&names.type_name(Token::new(TableId::TYPE_REF, row)));
                    }
                    _ => {
                        let name = metadata.string_cell(table.id, row, column);
                        let name = name.map(|name| crate::text::safe::utf8(name.data)).unwrap_or_default();
                        index.text.push_str(&name);
                    }
                }
                index.add(Place::Row(side, table.id, row));
                progress.step().then_some(())?;
            }
        }
    }
    Some(())
}

/// Local variables and constants, of symbols that keep them in no table.
fn locals_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    let Some(symbols) = session.symbols().filter(|_| session.portable_pdb().is_none()) else { return Some(()) };
    if symbols.format() == Format::Native {
        return Some(());
    }
    for row in 1..=session.methods() {
        let method = Token::new(TableId::METHOD_DEF, row);
        let place = Place::MethodPart(method, MethodPart::Scopes);
        for scope in symbols.scopes(method, &|_| String::new()).into_iter().flatten() {
            let variables = scope.variables.iter().map(|variable| (&variable.name, variable.record.map(Place::from)));
            let constants = scope.constants.iter().map(|constant| (&constant.name, constant.record.map(Place::from)));
            for (name, own) in variables.chain(constants) {
                index.name_of(own.unwrap_or(place), name);
            }
        }
        progress.step().then_some(())?;
    }
    Some(())
}

/// The parts of the files: tables, heaps, sections, streams, entries of the debug directory.
#[allow(clippy::unnecessary_wraps)] // The others can be told to stop.
fn parts_into(session: &Session, index: &mut Index, _: &mut Progress<'_>) -> Option<()> {
    for (side, metadata) in Side::loaded(session) {
        for table in metadata.tables.present() {
            index.name_of(Place::Table(side, table.id), table.id.name());
        }
        for heap in Heap::ALL.into_iter().filter(|heap| !metadata.heaps.get(*heap).is_empty()) {
            index.name_of(Place::Heap(side, heap), heap.stream());
        }
    }
    let Some(image) = session.image() else { return Some(()) };
    for (number, section) in image.pe.sections.iter().enumerate() {
        index.name_of(Place::PePart(PePart::Section(number as u16)), &section.name);
    }
    for (number, directory) in image.pe.directories.iter().enumerate().filter(|(_, found)| found.is_present()) {
        index.name_of(Place::PePart(PePart::Directory(number as u8)), directory.name());
    }
    for (number, entry) in image.pe.debug.iter().enumerate() {
        index.name_of(Place::PePart(PePart::Debug(number as u16)), entry.name());
    }
    Some(())
}

/// The string literals of the code: not names, but what people remember.
fn strings_into(session: &Session, index: &mut Index, progress: &mut Progress<'_>) -> Option<()> {
    let heap = Heap::UserStrings;
    for offset in refs::entries(session, Side::Image, heap) {
        let units = session.metadata().and_then(|metadata| metadata.heaps.user_string(*offset).ok());
        let Some(units) = units.filter(|_| *offset > 0) else { continue };
        let text: String =
            char::decode_utf16(units.data.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])))
                .take(MAX_CHARS)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
        index.name_of(Place::HeapEntry(Side::Image, heap, *offset), text.trim());
        progress.step().then_some(())?;
    }
    Some(())
}
