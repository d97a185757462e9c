//! Rows of tables that refer to a row.

use super::kind::{UseKind, User};
use crate::place::{Place, Side};
use pdblens_formats::metadata::{ColumnKind, Metadata, TableId};

/// Adds the rows of a file with a cell that refers to a row. The lists that types own are no references.
pub(super) fn add_columns(metadata: &Metadata, side: Side, target: TableId, row: u32, users: &mut Vec<User>) {
    // The methods of a document are listed by their points, those of a method's instantiations by their code.
    let is_said = |table: TableId| {
        target == TableId::DOCUMENT && table == TableId::METHOD_DEBUG_INFORMATION
            || target == TableId::METHOD_DEF && table == TableId::METHOD_SPEC
    };
    for table in metadata.tables.present().filter(|table| !is_said(table.id)) {
        for (index, column) in table.columns().iter().enumerate() {
            let wanted = match column.kind {
                ColumnKind::Row(of) if of == target => row,
                ColumnKind::Coded(coded) => match coded.encode(target, row) {
                    Some(value) => value,
                    None => continue,
                },
                _ => continue,
            };
            let cells = table.column(index);
            let rows = (1..=table.rows()).filter(|row| cells.get(*row) == Some(wanted));
            let kind = if is_part(table.id, column.name) { UseKind::Part } else { UseKind::Column };
            users.extend(rows.map(|row| User { kind, place: Place::Row(side, table.id, row), field: column.name }));
        }
    }
}

/// Returns whether the rows of a table belong to what a column refers to, rather than use it.
fn is_part(table: TableId, column: &str) -> bool {
    match column {
        "Owner" | "NestedClass" | "EnclosingClass" | "MemberForwarded" | "Association" => true,
        "Parent" => table != TableId::IMPORT_SCOPE,
        "Class" => matches!(table, TableId::INTERFACE_IMPL | TableId::METHOD_IMPL),
        "Method" => table == TableId::LOCAL_SCOPE,
        "Field" => matches!(table, TableId::FIELD_LAYOUT | TableId::FIELD_RVA),
        _ => false,
    }
}
