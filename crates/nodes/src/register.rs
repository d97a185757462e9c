//! Register of the kinds: the kind that answers for each place. It imports all kinds, and no kind imports it.

use crate::fields::Fields;
use crate::kind::{Bound, Kind, Label, Node};
use crate::lazy_index::{LazyIndex, is_cached};
use crate::named::{AddNamed, NameList};
use crate::owner::{FindOwners, OwnerSearch, Turn};
use crate::place::path;
use crate::place::{MethodPart, Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{
    contributions, document, entry_stub, exceptions, finding, function, global_symbols, heap, layout,
    manifest_resource, mdb, metadata, method, module, msf, names, overview, pe, r2r, relocations, section_map, stream,
    table, tables, types,
};
use pdblens_formats::bytes::{Slice, Span};
use pdblens_formats::metadata::{Heap, TableId, Token};
use pdblens_session::session::Session;

/// The stack trace that the screens show.
const TRACE: Kind = Kind::NEW;

macro_rules! kinds {
    ($($variant:ident $(($($arg:ident),+))? => $($kind:ident)::+;)+) => {
        pub(crate) fn ask<R>(place: Place, ask: impl FnOnce(&dyn Node) -> R) -> R {
            match place {
                $(Place::$variant $(($($arg),+))? => ask(&Bound { kind: $($kind)::+, args: ($($($arg),+)?) }),)+
            }
        }

        /// Functions that find the nodes of a byte, of all kinds in their order.
        const OWNERS: &[&[FindOwners]] = &[$($($kind)::+.owners),+];
        /// Functions that list the nodes with a name, of all kinds in their order.
        const NAMED: &[&[AddNamed]] = &[$($($kind)::+.named),+];
        /// Nodes that the list of places names, of all kinds in their order.
        const LISTED: &[fn(&Session) -> Vec<Place>] = &[$($($kind)::+.listed),+];
    };
}

// The order is that of the list of places.
kinds! {
    Overview => overview::OVERVIEW;
    Findings => finding::FINDINGS;
    Places => PLACES;
    Trace => TRACE;
    Pe => pe::PE;
    PePart(part) => pe::PART;
    Exceptions => exceptions::EXCEPTIONS;
    Relocations => relocations::RELOCATIONS;
    RelocationBlock(number) => relocations::BLOCK;
    EntryStub => entry_stub::ENTRY_STUB;
    ReadyToRun => r2r::READY_TO_RUN;
    R2r(part) => r2r::PART;
    ManifestResource(row) => manifest_resource::MANIFEST_RESOURCE;
    Metadata(side, part) => metadata::PART;
    Tables => tables::TABLES;
    Heaps => heap::HEAPS;
    Methods => method::METHODS;
    Method(token) => method::METHOD;
    MethodPart(token, part) => method::PART;
    Documents => document::DOCUMENTS;
    Document(row) => document::DOCUMENT;
    Line(document, line) => document::LINE;
    Streams => msf::streams::STREAMS;
    Stream(number) => stream::STREAM;
    Record(stream, offset) => stream::RECORD;
    Pages => msf::PAGES;
    Page(number) => msf::PAGE;
    Header => msf::HEADER;
    Parts => mdb::PARTS;
    Part(offset) => mdb::PART;
    Directory => msf::DIRECTORY;
    Modules => module::MODULES;
    Module(number) => module::MODULE;
    Functions => function::FUNCTIONS;
    Function(rva) => function::FUNCTION;
    FunctionPart(rva, part) => function::PART;
    Types => types::TYPES;
    Type(number) => types::TYPE;
    TypeLayout(number) => layout::LAYOUT;
    Ids => types::IDS;
    Id(number) => types::ID;
    Publics => global_symbols::PUBLICS;
    Globals => global_symbols::GLOBALS;
    SectionMap => section_map::SECTION_MAP;
    Contributions => contributions::CONTRIBUTIONS;
    Contribution(index) => contributions::CONTRIBUTION;
    Names => names::NAMES;
    Mdb(table) => mdb::TABLE;
    MdbRow(table, row) => mdb::ROW;
    Table(side, table) => table::TABLE;
    Row(side, table, row) => table::ROW;
    Heap(side, heap) => heap::HEAP;
    HeapEntry(side, heap, offset) => heap::ENTRY;
    Bytes(span) => crate::bytes::BYTES;
}

impl Place {
    /// Noun for it in a search result, and its rank there.
    pub fn label(self) -> Label {
        ask(self, |node| node.label())
    }

    /// Next step up the breadcrumb; `None` for the overview alone.
    pub fn parent(self) -> Option<Self> {
        let own = || ask(self, |node| node.parent());
        (self != Self::Overview).then(|| own().unwrap_or_else(|| path::parent(self)))
    }
}

/// Parts of a method, which has no list of its own; `None` for every other place.
pub fn parts(session: &Session, place: Place) -> Option<Rows<'_>> {
    let Place::Method(token) = place else { return None };
    method::part_list(session, token)
}

/// Rows of the list at `place`; `None` where it is no list, or nothing of the kind is loaded.
pub fn rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    ask(place, |node| node.rows(session))
        .map(|rows| rows.linked(|place| exists(session, place)).within(session.spaces().budget()))
}

/// Rows that can be listed with the indexes built so far; rows that require another index are missing.
pub fn partial_rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    let partial = required_index(session, place).and_then(|index| ask(place, |node| node.partial_rows(session, index)));
    match partial {
        Some(partial) => Some(partial.linked(|place| exists(session, place))),
        None => rows(session, place),
    }
}

/// Index of the row of `list` that represents or contains `place`; `None` if only a search of all rows can find it.
pub fn row_of(session: &Session, list: Place, place: Place) -> Option<usize> {
    ask(list, |node| node.row_of(session, place))
}

/// Fields of the record at `place`; `None` where it is no record, or nothing of the kind is loaded.
pub fn fields(session: &Session, place: Place) -> Option<Fields> {
    ask(place, |node| node.fields(session)).map(|fields| linked(session, fields))
}

/// Fields that are stepped through at `place`: those of the record, with the blobs that its row leads to, or of all instructions.
pub fn played(session: &Session, place: Place) -> Option<Fields> {
    let longer = match place {
        Place::MethodPart(method, MethodPart::Il) => method::il::explain_code(session, method),
        Place::Row(side, table, row) => table::explain_with_blobs(session, side, table, row),
        Place::Document(row) if session.portable_pdb().is_some() => {
            table::explain_with_blobs(session, Side::Pdb, TableId::DOCUMENT, row)
        }
        _ => None,
    };
    longer.map(|fields| linked(session, fields)).or_else(|| fields(session, place))
}

/// Facts about a node at `place` that is not a record; `None` if its name is sufficient.
pub fn summary(session: &Session, place: Place) -> Option<Fields> {
    ask(place, |node| node.summary(session)).map(|fields| linked(session, fields))
}

fn linked(session: &Session, mut fields: Fields) -> Fields {
    for row in &mut fields.rows {
        row.to = row.to.filter(|place| exists(session, *place));
        for bits in &mut row.bits {
            bits.to = bits.to.filter(|place| exists(session, *place));
        }
    }
    fields
}

/// Context of a search result: the line of a method, the method of a variable.
pub fn context(session: &Session, place: Place) -> String {
    ask(place, |node| node.context(session)).unwrap_or_else(|| place.to_string())
}

pub fn bytes(session: &Session, place: Place) -> Option<Span> {
    ask(place, |node| node.bytes(session).or_else(|| node.fields(session).map(|fields| fields.span)))
}

/// Returns whether something is at `place`, as far as that is known without decoding it. Links that lead nowhere are dropped.
pub fn exists(session: &Session, place: Place) -> bool {
    ask(place, |node| node.exists(session))
}

pub(crate) fn indexes(session: &Session, place: Place) -> Vec<LazyIndex> {
    ask(place, |node| node.indexes(session))
}

/// Index that rows or fields at `place` wait for; `None` where it is built, or takes no time that is felt.
pub fn required_index(session: &Session, place: Place) -> Option<LazyIndex> {
    indexes(session, place).into_iter().find(|index| !is_cached(session, *index))
}

impl<'s> OwnerSearch<'s> {
    pub fn run(session: &'s Session, byte: Span, near: Option<Token>) -> Self {
        let mut search = Self { session, near, byte, owners: Vec::new(), required_index: None };
        let mut all: Vec<FindOwners> = OWNERS.iter().copied().flatten().copied().collect();
        all.sort_by_key(|(turn, _)| *turn);
        for (turn, find) in all {
            if turn < Turn::MetadataGaps || search.owners.is_empty() {
                find(&mut search);
            }
        }
        search
    }
}

/// Lists the nodes of all kinds that have a name.
pub fn names(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let mut all: Vec<AddNamed> = NAMED.iter().copied().flatten().copied().collect();
    all.sort_by_key(|(turn, _)| *turn);
    for (_, add) in all {
        add(session, list)?;
    }
    Some(())
}

pub(crate) const PLACES: Kind = Kind { rows: |session, ()| Some(places_rows(session)), ..Kind::NEW };

pub(crate) fn places_rows(session: &Session) -> Rows<'_> {
    let rows = LISTED.iter().flat_map(|listed| listed(session)).filter_map(|place| {
        let (what, size) = heading(session, place)?;
        let cells = vec![Cell::new(place.to_string()).to(place), Cell::new(what), Cell { tone: Tone::Dim, ..size }];
        Some(Row::at(place, cells))
    });
    Rows::of("places", Head::list(["place", "what", "size"]), rows.collect())
}

fn heading(session: &Session, place: Place) -> Option<(String, Cell)> {
    if let Some(heading) = ask(place, |node| node.heading(session)) {
        return Some(heading);
    }
    let of_fields = |fields: Fields| (fields.title.clone(), Cell::count(fields.leaves().count() as u64, "field"));
    match rows(session, place) {
        Some(rows) => Some((rows.title, Cell::count(rows.len as u64, "row"))),
        None => fields(session, place).map(of_fields),
    }
}

/// Bytes of the value at `place`: an entry of a heap without its length, NUL or flag, of custom debug information its blob, and all bytes
/// of any other record.
pub fn value(session: &Session, place: Place) -> Option<Span> {
    let value = match place {
        Place::HeapEntry(side, heap, at) => {
            let heaps = &side.metadata(session)?.heaps;
            match heap {
                Heap::Strings => heaps.string(at),
                Heap::UserStrings => heaps.user_string(at),
                Heap::Blobs => heaps.blob(at),
                Heap::Guids => return bytes(session, place),
            }
        }
        Place::Row(side, table @ TableId::CUSTOM_DEBUG_INFORMATION, row) => {
            side.metadata(session)?.blob_cell(table, row, 2)
        }
        _ => return bytes(session, place),
    };
    value.ok().map(Slice::span)
}
