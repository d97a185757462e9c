//! What a thing with a name is, and where it belongs: in a word or two.

use crate::formats::metadata::{Metadata, TableId, Token};
use crate::nodes::Place;
use crate::nodes::document;
use crate::nodes::place::{PePart, Side};
use crate::query::where_is;
use crate::session::Session;
use crate::text::guids;
use crate::text::paths::file_name;
use crate::text::safe::count;

/// What kind of thing is at a place.
pub(crate) const fn kind(place: Place) -> &'static str {
    match place {
        Place::Method(_) => "method",
        Place::Function(_) => "function",
        Place::MethodPart(..) => "local",
        Place::Document(_) | Place::Line(..) => "document",
        Place::Row(_, table, _) => kind_of_row(table),
        Place::Table(..) => "table",
        Place::Heap(..) => "heap",
        Place::HeapEntry(..) => "string",
        Place::Stream(_) | Place::Metadata(..) => "stream",
        Place::Module(_) => "module",
        Place::Type(_) => "type",
        Place::Id(_) => "id",
        Place::Record(..) => "symbol",
        Place::PePart(PePart::Section(_)) => "section",
        Place::PePart(PePart::Directory(_)) => "directory",
        Place::PePart(PePart::Debug(_)) => "debug entry",
        _ => "",
    }
}

const fn kind_of_row(table: TableId) -> &'static str {
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

/// How soon people mean such a thing, where several are called alike: 0 first.
pub(crate) fn rank(place: Place) -> u8 {
    match kind(place) {
        "method" | "function" | "document" => 0,
        "type" if !matches!(place, Place::Row(_, TableId::TYPE_REF, _)) => 0,
        "field" | "property" | "event" | "module" | "table" | "heap" | "stream" | "section" => 1,
        "parameter" | "type parameter" | "string" | "member" => 3,
        _ => 2,
    }
}

/// Where something that was found by its name belongs: a method to its line, a variable to its method.
pub fn context(session: &Session, place: Place) -> String {
    match place {
        Place::Method(method) => {
            let point = where_is::point_extent(session, method).ok().flatten().map(|(first, _)| first);
            let document = point.and_then(|point| document::name(session, point.document));
            let line = point.zip(document).map(|(point, name)| format!("{}:{}", file_name(&name), point.start_line));
            line.unwrap_or_default()
        }
        Place::MethodPart(method, _) => session.method_name(method),
        Place::Document(row) => {
            let document = session.symbols().and_then(|symbols| symbols.document(row).ok());
            let language = document.and_then(|document| document.language);
            language.and_then(guids::name).map_or_else(String::new, str::to_owned)
        }
        Place::Row(side, table, row) => owner_of(session, side, table, row).unwrap_or_default(),
        Place::Table(side, table) => {
            let rows = side.metadata(session).map_or(0, |metadata| metadata.rows(table));
            count(rows, "row")
        }
        Place::Heap(side, _) => side.name().to_owned(),
        Place::HeapEntry(_, heap, at) => format!("{} {at:#x}", heap.stream()),
        Place::PePart(_) => String::new(),
        place => place.to_string(),
    }
}

/// What a row belongs to: its method, its type, what it is declared as.
fn owner_of(session: &Session, side: Side, table: TableId, row: u32) -> Option<String> {
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
fn list_owner(metadata: &Metadata, table: TableId, column: &str, row: u32) -> Option<u32> {
    let behind = metadata.table(table).lower_bound(table.column(column)?, row.checked_add(1)?);
    behind.checked_sub(1).filter(|owner| *owner > 0)
}
