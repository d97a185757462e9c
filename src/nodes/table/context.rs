//! Kinds and owners of rows, for search results.

use crate::formats::metadata::{Metadata, TableId, Token};
use crate::nodes::Side;
use crate::session::Session;

pub(crate) const fn kind_of_row(table: TableId) -> &'static str {
    match table {
        TableId::TYPE_DEF | TableId::TYPE_REF | TableId::EXPORTED_TYPE => "type",
        TableId::FIELD => "field",
        TableId::METHOD_DEF | TableId::IMPL_MAP => "method",
        TableId::PARAM => "parameter",
        TableId::MEMBER_REF => "member",
        TableId::PROPERTY => "property",
        TableId::EVENT => "event",
        TableId::GENERIC_PARAM => "type parameter",
        TableId::MODULE | TableId::MODULE_REF => "module",
        TableId::ASSEMBLY | TableId::ASSEMBLY_REF => "assembly",
        TableId::MANIFEST_RESOURCE => "resource",
        TableId::FILE => "file",
        TableId::LOCAL_VARIABLE => "local",
        TableId::LOCAL_CONSTANT => "constant",
        _ => "row",
    }
}

/// Owner of a row: its method, its type, or its declaration.
pub(crate) fn owner_of(session: &Session, side: Side, table: TableId, row: u32) -> Option<String> {
    let metadata = side.metadata(session)?;
    let names = || session.names().filter(|_| side == Side::Image);
    Some(match table {
        TableId::LOCAL_VARIABLE | TableId::LOCAL_CONSTANT => {
            let column = if table == TableId::LOCAL_VARIABLE { "VariableList" } else { "ConstantList" };
            let scope = list_owner(metadata, TableId::LOCAL_SCOPE, column, row)?;
            let method = metadata.table(TableId::LOCAL_SCOPE).cell(scope, 0).ok()?;
            session.method_name(Token::new(TableId::METHOD_DEF, method))
        }
        TableId::PARAM => {
            let method = list_owner(metadata, TableId::METHOD_DEF, "ParamList", row)?;
            session.method_name(Token::new(TableId::METHOD_DEF, method))
        }
        TableId::PROPERTY | TableId::EVENT => {
            let (map, column) = match table {
                TableId::PROPERTY => (TableId::PROPERTY_MAP, "PropertyList"),
                _ => (TableId::EVENT_MAP, "EventList"),
            };
            let owner = metadata.table(map).cell(list_owner(metadata, map, column, row)?, 0).ok()?;
            names()?.type_name(Token::new(TableId::TYPE_DEF, owner))
        }
        TableId::TYPE_REF => {
            let scope = metadata.table(table).cell(row, 0).ok()?;
            let (scope, at) = crate::formats::metadata::schema::RESOLUTION_SCOPE.decode(scope)?;
            format!("in {}", names()?.row(Token::new(scope, at)))
        }
        TableId::FIELD | TableId::MEMBER_REF => names()?.row(Token::new(table, row)),
        _ => return None,
    })
}

/// The row whose list has `row` in it: the last one whose list begins at or before it.
pub(crate) fn list_owner(metadata: &Metadata, table: TableId, column: &str, row: u32) -> Option<u32> {
    let behind = metadata.table(table).lower_bound(table.column(column)?, row.checked_add(1)?);
    behind.checked_sub(1).filter(|owner| *owner > 0)
}
