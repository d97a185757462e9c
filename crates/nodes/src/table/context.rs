//! Kinds and owners of rows, for search results.

use crate::code_unit::il::first_line;
use crate::kind::Label;
use crate::place::Side;
use crate::table::derived::owner;
use pdblens_formats::metadata::{ColumnKind, Metadata, TableId, Token};
use pdblens_session::session::Session;

const MAX_METHODS: usize = 16;

pub(crate) const fn label_of(table: TableId) -> Label {
    let (noun, rank) = match table {
        TableId::TYPE_REF => ("type", 2),
        TableId::TYPE_DEF | TableId::EXPORTED_TYPE => ("type", 0),
        TableId::FIELD => ("field", 1),
        TableId::METHOD_DEF | TableId::IMPL_MAP => ("method", 0),
        TableId::PARAM => ("parameter", 3),
        TableId::MEMBER_REF => ("member", 3),
        TableId::PROPERTY => ("property", 1),
        TableId::EVENT => ("event", 1),
        TableId::GENERIC_PARAM => ("type parameter", 3),
        TableId::MODULE | TableId::MODULE_REF => ("module", 1),
        TableId::ASSEMBLY | TableId::ASSEMBLY_REF => ("assembly", 2),
        TableId::MANIFEST_RESOURCE => ("resource", 2),
        TableId::FILE => ("file", 2),
        TableId::LOCAL_VARIABLE => ("local", 2),
        TableId::LOCAL_CONSTANT => ("constant", 2),
        _ => ("row", 2),
    };
    Label::new(noun, rank)
}

/// Owner of a row: its method, its type, or its declaration; of a type, the line that its first code is at.
pub(crate) fn owner_of(session: &Session, side: Side, table: TableId, row: u32) -> Option<String> {
    let metadata = side.metadata(session)?;
    let names = || if side == Side::Image { session.names() } else { None };
    Some(match table {
        TableId::LOCAL_VARIABLE | TableId::LOCAL_CONSTANT | TableId::PARAM => {
            session.method_name(owner(metadata, table, row)?)
        }
        TableId::PROPERTY | TableId::EVENT => names()?.type_name(owner(metadata, table, row)?),
        TableId::TYPE_REF => {
            let scope = metadata.table(table).cell(row, 0).ok()?;
            let (scope, at) = pdblens_formats::metadata::schema::RESOLUTION_SCOPE.decode(scope)?;
            format!("in {}", names()?.row(Token::new(scope, at)))
        }
        TableId::FIELD | TableId::MEMBER_REF => names()?.row(Token::new(table, row)),
        TableId::TYPE_DEF => {
            let methods = metadata.list(TableId::TYPE_DEF, row, 5, TableId::METHOD_DEF).take(MAX_METHODS);
            let methods = methods.map(|row| metadata.through_pointer(TableId::METHOD_DEF, row));
            methods.map(|row| Token::new(TableId::METHOD_DEF, row)).find_map(|method| first_line(session, method))?
        }
        _ => return None,
    })
}

/// The row of the image that a row belongs to: the type of a field, the method of a scope, the parent of an attribute.
pub fn row_owner(session: &Session, side: Side, of: Token) -> Option<Token> {
    let (table, row) = (of.table(), of.row());
    let metadata = side.metadata(session)?;
    let of_column = || {
        let rows = metadata.table(table);
        let mut columns = table.def()?.columns.iter().enumerate();
        columns.find_map(|(index, column)| {
            let value = rows.cell(row, index).ok()?;
            let owner = match column.kind {
                ColumnKind::Row(of) => Token::new(of, value),
                ColumnKind::Coded(coded) => coded.decode(value).map(|(table, row)| Token::new(table, row))?,
                _ => return None,
            };
            (!owner.is_nil() && !owner.table().is_debug()).then_some(owner)
        })
    };
    owner(metadata, table, row).or_else(of_column)
}

/// The row whose list contains `row`: the last one whose list begins at or before it.
pub fn list_owner(metadata: &Metadata, table: TableId, column: &str, row: u32) -> Option<u32> {
    let behind = metadata.table(table).lower_bound(table.column(column)?, row.checked_add(1)?);
    behind.checked_sub(1).filter(|owner| *owner > 0)
}
