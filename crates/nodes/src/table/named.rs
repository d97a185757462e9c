//! Tables, heaps and rows that have a name.

use crate::named::{AddNamed, NameList, Turn};
use crate::{Place, Side};
use pdblens_formats::metadata::{ColumnKind, Heap, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::utf8;

/// Columns that have names in them.
const NAMES: &[&str] = &["Name", "TypeName", "ImportName"];

pub(super) const TABLES: &[AddNamed] = &[(Turn::Metadata, tables_and_heaps)];

pub(super) const ROWS: &[AddNamed] = &[(Turn::TypeDefs, types), (Turn::Rows, rows)];

/// The tables of a file, and its heaps after them.
fn tables_and_heaps(session: &Session, list: &mut dyn NameList) -> Option<()> {
    for (side, metadata) in Side::loaded(session) {
        for table in metadata.tables.present() {
            list.add(Place::Table(side, table.id), table.id.name())?;
        }
        for heap in Heap::ALL.into_iter().filter(|heap| !metadata.heaps.get(*heap).is_empty()) {
            list.add(Place::Heap(side, heap), heap.stream())?;
        }
    }
    Some(())
}

fn types(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let (Some(names), Some(metadata)) = (session.names(), session.metadata()) else { return Some(()) };
    for row in 1..=metadata.rows(TableId::TYPE_DEF) {
        let place = Place::Row(Side::Image, TableId::TYPE_DEF, row);
        list.add(place, &names.type_name(Token::new(TableId::TYPE_DEF, row)))?;
    }
    Some(())
}

/// The rows of all tables but those of methods and types, which come before.
fn rows(session: &Session, list: &mut dyn NameList) -> Option<()> {
    for (side, metadata) in Side::loaded(session) {
        for table in metadata.tables.present() {
            let string = |name: &&str| {
                let column = table.id.column(name)?;
                matches!(table.columns().get(column)?.kind, ColumnKind::String).then_some(column)
            };
            let Some(column) = NAMES.iter().find_map(string) else { continue };
            // Their names are those of methods and types.
            if side == Side::Image && matches!(table.id, TableId::METHOD_DEF | TableId::TYPE_DEF) {
                continue;
            }
            for row in 1..=table.rows() {
                let names = if side == Side::Image { session.names() } else { None };
                match (table.id, names) {
                    (TableId::FIELD, Some(names)) => names.write_field_name(row, list.text()),
                    (TableId::TYPE_REF, Some(names)) => {
                        list.text().push_str(&names.type_name(Token::new(TableId::TYPE_REF, row)));
                    }
                    _ => {
                        let name = metadata.string_cell(table.id, row, column);
                        list.text().push_str(&name.map(|name| utf8(name.data)).unwrap_or_default());
                    }
                }
                list.end(Place::Row(side, table.id, row))?;
            }
        }
    }
    Some(())
}
