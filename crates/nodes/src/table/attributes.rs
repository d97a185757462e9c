//! Custom attributes in the image.

use pdblens_formats::metadata::schema::{CUSTOM_ATTRIBUTE_TYPE, HAS_CUSTOM_ATTRIBUTE, MEMBER_REF_PARENT};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::utf8;

/// The attributes of something: the row of each, and its type's name without the namespace.
pub fn of(session: &Session, of: Token) -> impl Iterator<Item = (u32, String)> {
    let table = session.metadata().map(|metadata| metadata.table(TableId::CUSTOM_ATTRIBUTE));
    let parent = HAS_CUSTOM_ATTRIBUTE.encode(of.table(), of.row());
    let rows = table.zip(parent).map_or(0..0, |(table, parent)| table.equal_range(0, parent));
    rows.filter_map(|row| Some((row, attribute_name(session, row)?)))
}

fn attribute_name(session: &Session, row: u32) -> Option<String> {
    let metadata = session.metadata()?;
    let constructor = metadata.table(TableId::CUSTOM_ATTRIBUTE).cell(row, 1).ok()?;
    let (table, class) = match CUSTOM_ATTRIBUTE_TYPE.decode(constructor)? {
        (TableId::MEMBER_REF, row) => {
            MEMBER_REF_PARENT.decode(metadata.table(TableId::MEMBER_REF).cell(row, 0).ok()?)?
        }
        (_, method) => (TableId::TYPE_DEF, session.names()?.owner(method)),
    };
    // Both tables of types have the name in the second column.
    let known = [TableId::TYPE_REF, TableId::TYPE_DEF].contains(&table);
    known.then(|| metadata.string_cell(table, class, 1).ok()).flatten().map(|name| utf8(name.data).into_owned())
}
