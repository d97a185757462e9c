//! Mono symbol files (`.mdb`): their tables, and their structures in the order of the file.

pub(crate) mod layout;
pub(crate) mod tables;

pub use layout::*;

use crate::kind::Kind;
use crate::lazy_index::LazyIndex;
use crate::owner::Turn;
use crate::place::{MdbTable, Place};
use pdblens_session::session::Session;

pub(crate) const PARTS: Kind = Kind {
    listed: |_| vec![Place::Parts],
    absence: |session, ()| no_mdb(session, Place::Parts),
    rows: |session, ()| mono_parts(session),
    row_of: |session, place, ()| match place {
        Place::Part(at) => mdb_region_row(session, at),
        Place::Bytes(span) => {
            let of_file = session.symbol_file().is_some_and(|file| file.space == span.space);
            of_file.then(|| mdb_region_row(session, u32::try_from(span.start).ok()?)).flatten()
        }
        Place::Header => Some(0),
        _ => None,
    },
    summary: |session, ()| parts_facts(session),
    indexes: |session, ()| mdb_indexes(session),
    ..Kind::NEW
};

pub(crate) const PART: Kind<u32> = Kind {
    owners: &[(Turn::Records, region_owners)],
    exists: |session, offset| mdb_region(session, offset).is_some(),
    absence: |session, offset| {
        let unmatched = || Some("no part begins there: `pdblens list FILE parts` says where they do".to_owned());
        no_mdb(session, Place::Part(offset)).or_else(unmatched)
    },
    fields: explain_mdb_region,
    indexes: |session, _| mdb_indexes(session),
    ..Kind::NEW
};

pub(crate) const TABLE: Kind<MdbTable> = Kind {
    listed: |session| match session.mdb() {
        Some(_) => MdbTable::ALL.map(Place::Mdb).to_vec(),
        None => Vec::new(),
    },
    parent: |_| Some(Place::Tables),
    absence: no_table,
    rows: tables::mdb_table,
    bytes: tables::mdb_table_span,
    summary: tables::mdb_table_facts,
    indexes: |session, _| mdb_indexes(session),
    ..Kind::NEW
};

/// A row of a table of a `.mdb`, counted from 1.
pub(crate) const ROW: Kind<(MdbTable, u32)> = Kind {
    exists: |session, (table, row)| {
        row > 0 && session.mdb().is_some_and(|mdb| row as usize <= tables::rows_of(mdb, table))
    },
    absence: |session, (table, row)| {
        no_table(session, table).or_else(|| Some(format!("there is no row {row} in {}", table.name())))
    },
    fields: |session, (table, row)| tables::explain_mdb(session, table, row),
    indexes: |session, _| mdb_indexes(session),
    ..Kind::NEW
};

fn no_mdb(session: &Session, place: Place) -> Option<String> {
    let none = session.mdb().is_none();
    none.then(|| format!("there is no {place}: it exists only in a symbol file of Mono (.mdb), and none is open"))
}

fn no_table(session: &Session, table: MdbTable) -> Option<String> {
    let (none, name) = (session.mdb().is_none(), table.name());
    none.then(|| format!("there are no {name} of that kind: they exist only in Mono's .mdb, and none is open"))
}

fn mdb_indexes(session: &Session) -> Vec<LazyIndex> {
    if session.mdb().is_some() { vec![regions_index()] } else { Vec::new() }
}
