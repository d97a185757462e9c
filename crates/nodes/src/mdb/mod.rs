//! Mono symbol files (`.mdb`): their tables, and their structures in the order of the file.

pub(crate) mod layout;
pub(crate) mod rows;
pub(crate) mod tables;

pub use layout::*;

use crate::fields::Fields;
use crate::owner::{FindOwners, Turn};
use crate::path::{Pattern, word};
use crate::rows::Rows;
use crate::{Kind, LazyIndex, Node, Place};
use pdblens_formats::bytes::Span;
use pdblens_session::session::Session;
use std::fmt;

/// Structures of a `.mdb`, in the order of the file.
pub(crate) struct PartsNode;

impl Kind for PartsNode {
    const PATTERNS: &'static [Pattern] = &[("parts", |_| Ok(Place::Parts))];

    fn listed(_: &Session) -> Vec<Place> {
        vec![Place::Parts]
    }
}

impl Node for PartsNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parts")
    }

    fn absence(&self, session: &Session) -> Option<String> {
        if session.mdb().is_none() {
            return Some(format!(
                "there is no {}: it exists only in a symbol file of Mono (.mdb), and none is open",
                Place::Parts
            ));
        }
        None
    }

    fn rows<'s>(&self, session: &'s Session) -> Option<Rows<'s>> {
        mono_parts(session)
    }

    fn row_of(&self, session: &Session, place: Place) -> Option<usize> {
        match place {
            Place::Part(at) => mdb_region_row(session, at),
            Place::Bytes(span) => {
                let of_file = session.symbol_file().is_some_and(|file| file.space == span.space);
                of_file.then(|| mdb_region_row(session, u32::try_from(span.start).ok()?)).flatten()
            }
            Place::Header => Some(0),
            _ => None,
        }
    }

    fn summary(&self, session: &Session) -> Option<Fields> {
        parts_facts(session)
    }

    fn indexes(&self, session: &Session) -> Vec<LazyIndex> {
        if session.mdb().is_some() { vec![regions_index()] } else { Vec::new() }
    }
}

/// The structure of a `.mdb` that begins at an offset.
pub(crate) struct PartNode(pub u32);

impl Kind for PartNode {
    const PATTERNS: &'static [Pattern] = &[("part/OFFSET", |args| Ok(Place::Part(args.number(0)?)))];

    const OWNERS: &'static [FindOwners] = &[(Turn::Records, region_owners)];
}

impl Node for PartNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part/{:#x}", self.0)
    }

    fn parent(&self) -> Option<Place> {
        Some(Place::Parts)
    }

    fn exists(&self, session: &Session) -> bool {
        mdb_region(session, self.0).is_some()
    }

    fn absence(&self, session: &Session) -> Option<String> {
        if session.mdb().is_none() {
            return Some(format!(
                "there is no {}: it exists only in a symbol file of Mono (.mdb), and none is open",
                Place::Part(self.0)
            ));
        }
        Some("no part begins there: `pdblens list FILE parts` says where they do".to_owned())
    }

    fn fields(&self, session: &Session) -> Option<Fields> {
        explain_mdb_region(session, self.0)
    }

    fn indexes(&self, session: &Session) -> Vec<LazyIndex> {
        if session.mdb().is_some() { vec![regions_index()] } else { Vec::new() }
    }
}

/// A table of a `.mdb`.
pub(crate) struct TableNode(pub MdbTable);

impl Kind for TableNode {
    const PATTERNS: &'static [Pattern] =
        &[("mdb/TABLE", |args| Ok(Place::Mdb(args.word(0, "a table of an .mdb", TABLES)?)))];

    fn listed(session: &Session) -> Vec<Place> {
        MdbTable::ALL.into_iter().filter(|_| session.mdb().is_some()).map(Place::Mdb).collect()
    }
}

impl Node for TableNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mdb/{}", word(TABLES, &self.0))
    }

    fn parent(&self) -> Option<Place> {
        Some(Place::Tables)
    }

    fn absence(&self, session: &Session) -> Option<String> {
        if session.mdb().is_none() {
            let name = self.0.name();
            return Some(format!("there are no {name} of that kind: they exist only in Mono's .mdb, and none is open"));
        }
        None
    }

    fn rows<'s>(&self, session: &'s Session) -> Option<Rows<'s>> {
        tables::mdb_table(session, self.0)
    }

    fn bytes(&self, session: &Session) -> Option<Span> {
        tables::mdb_table_span(session, self.0)
    }

    fn summary(&self, session: &Session) -> Option<Fields> {
        tables::mdb_table_facts(session, self.0)
    }

    fn indexes(&self, session: &Session) -> Vec<LazyIndex> {
        if session.mdb().is_some() { vec![regions_index()] } else { Vec::new() }
    }
}

/// A row of a table of a `.mdb`, counted from 1.
pub(crate) struct RowNode(pub MdbTable, pub u32);

impl Kind for RowNode {
    const PATTERNS: &'static [Pattern] =
        &[("mdb/TABLE/ROW", |args| Ok(Place::MdbRow(args.word(0, "a table of an .mdb", TABLES)?, args.ordinal(1)?)))];
}

impl Node for RowNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mdb/{}/{}", word(TABLES, &self.0), self.1)
    }

    fn parent(&self) -> Option<Place> {
        Some(Place::Mdb(self.0))
    }

    fn exists(&self, session: &Session) -> bool {
        rows::explain_mdb(session, self.0, self.1).is_some()
    }

    fn absence(&self, session: &Session) -> Option<String> {
        if session.mdb().is_none() {
            let name = self.0.name();
            return Some(format!("there are no {name} of that kind: they exist only in Mono's .mdb, and none is open"));
        }
        Some(format!("there is no row {} in {}", self.1, self.0.name()))
    }

    fn fields(&self, session: &Session) -> Option<Fields> {
        rows::explain_mdb(session, self.0, self.1)
    }

    fn indexes(&self, session: &Session) -> Vec<LazyIndex> {
        if session.mdb().is_some() { vec![regions_index()] } else { Vec::new() }
    }
}

/// A table of an `.mdb`: one that the file has, or one that lists the data of all methods one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MdbTable {
    /// The source files.
    Sources,
    /// The compile units.
    Units,
    /// The methods.
    Methods,
    /// The sequence points of all methods.
    Lines,
    /// The local variables of all methods.
    Locals,
    /// The scopes of all methods.
    Blocks,
    /// Variables captured by lambdas and iterators.
    AnonymousScopes,
}

impl MdbTable {
    /// All of them, in the order of the lists.
    pub const ALL: [Self; 7] =
        [Self::Sources, Self::Units, Self::Methods, Self::Lines, Self::Locals, Self::Blocks, Self::AnonymousScopes];

    /// Plural noun for its rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Units => "compile units",
            Self::Methods => "methods",
            Self::Lines => "line entries",
            Self::Locals => "local variables",
            Self::Blocks => "code blocks",
            Self::AnonymousScopes => "anonymous scopes",
        }
    }
}

const TABLES: &[(&str, MdbTable)] = &[
    ("sources", MdbTable::Sources),
    ("units", MdbTable::Units),
    ("methods", MdbTable::Methods),
    ("lines", MdbTable::Lines),
    ("locals", MdbTable::Locals),
    ("blocks", MdbTable::Blocks),
    ("anonymous-scopes", MdbTable::AnonymousScopes),
];
