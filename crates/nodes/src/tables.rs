//! The list of all tables: those of metadata, and the lists of other symbols.

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::Kind;
use crate::lazy_index::{LazyIndex, is_cached};
use crate::mdb::layout;
use crate::place::{MdbTable, MetadataPart, Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use crate::{contributions, document, function, global_symbols, mdb, module, names, section_map, types};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

pub(crate) const TABLES: Kind = Kind {
    listed: |_| vec![Place::Tables],
    rows: |session, ()| Some(tables_rows(session)),
    summary: |session, ()| tables_facts(session),
    ..Kind::NEW
};

/// Lists of a Windows PDB that are shown as tables.
const MSF_TABLES: &[(&str, Place, &Kind)] = &[
    ("modules", Place::Modules, &module::MODULES),
    ("functions", Place::Functions, &function::FUNCTIONS),
    ("types", Place::Types, &types::TYPES),
    ("ids", Place::Ids, &types::IDS),
    ("public symbols", Place::Publics, &global_symbols::PUBLICS),
    ("global symbols", Place::Globals, &global_symbols::GLOBALS),
    ("sections", Place::SectionMap, &section_map::SECTION_MAP),
    ("section contributions", Place::Contributions, &contributions::CONTRIBUTIONS),
    ("documents", Place::Documents, &document::DOCUMENTS),
    ("names", Place::Names, &names::NAMES),
];

/// Tables of symbols that are not metadata: name, place and number of rows. The number is omitted if it would require reading something
/// that has not been read yet.
pub fn symbol_tables(session: &Session) -> Vec<(&'static str, Place, Option<usize>)> {
    let known = |indexes: Vec<LazyIndex>| indexes.into_iter().all(|index| is_cached(session, index));
    let of_mono = if layout::is_loaded(session) { &MdbTable::ALL[..] } else { &[] };
    let of_windows = if PdbView::of(session).is_some() { MSF_TABLES } else { &[] };
    let of_mono = of_mono.iter().map(|table| {
        let len = || (mdb::TABLE.rows)(session, *table).map_or(0, |rows| rows.len);
        (table.name(), Place::Mdb(*table), known((mdb::TABLE.indexes)(session, *table)).then(len))
    });
    let of_windows = of_windows.iter().map(|(name, place, kind)| {
        let len = || (kind.rows)(session, ()).map_or(0, |rows| rows.len);
        (*name, *place, known((kind.indexes)(session, ())).then(len))
    });
    of_mono.chain(of_windows).filter(|(.., len)| *len != Some(0)).collect()
}

/// Number of rows of a table of symbols, which are read for it.
fn symbol_rows(session: &Session, place: Place) -> usize {
    let kind = MSF_TABLES.iter().find(|(_, of, _)| *of == place).map(|(.., kind)| kind);
    let rows = match (place, kind) {
        (Place::Mdb(table), _) => (mdb::TABLE.rows)(session, table),
        (_, kind) => kind.and_then(|kind| (kind.rows)(session, ())),
    };
    rows.map_or(0, |rows| rows.len)
}

/// Every table that has rows, of both files.
pub(crate) fn tables_rows(session: &Session) -> Rows<'_> {
    let rows = Side::loaded(session).flat_map(|(side, metadata)| {
        metadata.tables.present().map(move |table| {
            let place = Place::Table(side, table.id);
            let bytes = table.span().len;
            Row::at(
                place,
                vec![
                    Cell::toned(if side == Side::Image { "image" } else { "pdb" }, Tone::Dim),
                    Cell::toned(format!("0x{:02x}", table.id.0), Tone::Dim),
                    Cell::new(table.id.name()).to(place),
                    Cell::new(table.rows().to_string()),
                    Cell::new(table.row_size().to_string()),
                    Cell::new(bytes.to_string()),
                    Cell::toned(if table.is_sorted() { "sorted" } else { "" }, Tone::Dim),
                ],
            )
            .from(table.span())
        })
    });
    let of_symbols = symbol_tables(session).into_iter().map(|(name, place, len)| {
        let len = len.unwrap_or_else(|| symbol_rows(session, place));
        let nothing = Cell::default;
        let cells = vec![
            Cell::toned("pdb", Tone::Dim),
            nothing(),
            Cell::new(name).to(place),
            Cell::new(len.to_string()),
            nothing(),
            nothing(),
            nothing(),
        ];
        Row::at(place, cells)
    });
    let rows = rows.chain(of_symbols);
    let columns = Head::list(["file", "number", "table", "rows:", "row size:", "bytes:", "order"]);
    Rows::of("tables", columns, rows.collect())
}

pub(crate) fn tables_facts(session: &Session) -> Option<Fields> {
    let mut facts = Facts::new("tables");
    for (side, metadata) in Side::loaded(session) {
        let (mut tables, mut rows, mut bytes) = (0_u64, 0_u64, 0_u64);
        for table in metadata.tables.present() {
            tables += 1;
            rows += u64::from(table.rows());
            bytes += table.span().len;
        }
        let row = facts.fact(side.name(), tables).to(Place::Metadata(side, MetadataPart::TablesHeader));
        row.mean(format!("tables with {}, {}", count(rows, "row"), count(bytes, "byte")));
    }
    facts.done()
}
