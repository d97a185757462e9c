//! Paths of places: each is printed and parsed back, and no input panics.

use pdblens::nodes;
use std::sync::LazyLock;

use crate::support::samples::repository;
use pdblens::bytes::{SpaceId, Span};
use pdblens::nodes::{FunctionPart, MdbTable, MetadataPart, MethodPart, PePart, Side};
use pdblens::nodes::{Heap, Place, TableId, Token};
use pdblens::session::Session;
use proptest::prelude::*;

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Image), Just(Side::Pdb)]
}

fn table() -> impl Strategy<Value = TableId> {
    prop::sample::select(TableId::all().collect::<Vec<_>>())
}

fn heap() -> impl Strategy<Value = Heap> {
    prop::sample::select(Heap::ALL.to_vec())
}

fn pe_part() -> impl Strategy<Value = PePart> {
    use PePart::{Cli, Coff, Debug, DebugDirectory, Directories, Directory, Dos, Optional, Section, Sections};
    use PePart::{
        DelayImport, DelayImports, Export, Exports, Import, Imports, Manifest, Resource, Resources, Rich, Version,
    };
    prop_oneof![
        prop::sample::select(vec![Dos, Coff, Optional, Directories, Sections, Cli, DebugDirectory]),
        prop::sample::select(vec![Imports, DelayImports, Exports, Resources, Version, Manifest, Rich]),
        (any::<u32>(), prop::sample::select(vec![Import, DelayImport, Export, Resource])).prop_map(|(n, of)| of(n)),
        any::<u8>().prop_map(Directory),
        any::<u16>().prop_map(Section),
        any::<u16>().prop_map(Debug),
    ]
}

fn metadata_part() -> impl Strategy<Value = MetadataPart> {
    use MetadataPart::{PdbStream, Root, Stream, Streams, TablesHeader};
    prop_oneof![prop::sample::select(vec![Root, Streams, TablesHeader, PdbStream]), any::<u16>().prop_map(Stream)]
}

fn method() -> impl Strategy<Value = Token> {
    (1..=0xff_ffff_u32).prop_map(|row| Token::new(TableId::METHOD_DEF, row))
}

fn method_part() -> impl Strategy<Value = MethodPart> {
    use MethodPart::{Body, Il, Instruction, Point, Points, Region, Regions, Scopes, Source};
    prop_oneof![
        prop::sample::select(vec![Points, Il, Body, Regions, Scopes, Source]),
        (1..=u32::MAX).prop_map(Point),
        any::<u32>().prop_map(Instruction),
        any::<u32>().prop_map(Region),
    ]
}

fn function_part() -> impl Strategy<Value = FunctionPart> {
    use FunctionPart::{Code, CodeAt, Line, Lines, Symbol, Symbols};
    prop_oneof![
        prop::sample::select(vec![Lines, Code, Symbols]),
        (1..=u32::MAX).prop_map(Line),
        any::<u32>().prop_map(CodeAt),
        any::<u32>().prop_map(Symbol),
    ]
}

fn mdb_table() -> impl Strategy<Value = MdbTable> {
    prop::sample::select(MdbTable::ALL.to_vec())
}

/// Any place that there could be.
fn place() -> impl Strategy<Value = Place> {
    use Place::{Documents, Findings, Heaps, Methods, Overview, Pages, Pe, Places, Streams, Tables};
    prop_oneof![
        prop::sample::select(vec![Overview, Findings, Places, Pe, Tables, Heaps, Methods, Documents, Streams, Pages]),
        pe_part().prop_map(Place::PePart),
        (side(), metadata_part()).prop_map(|(side, part)| Place::Metadata(side, part)),
        (side(), table()).prop_map(|(side, table)| Place::Table(side, table)),
        (side(), table(), 1..=u32::MAX).prop_map(|(side, table, row)| Place::Row(side, table, row)),
        (side(), heap()).prop_map(|(side, heap)| Place::Heap(side, heap)),
        (side(), heap(), any::<u32>()).prop_map(|(side, heap, entry)| Place::HeapEntry(side, heap, entry)),
        method().prop_map(Place::Method),
        (method(), method_part()).prop_map(|(method, part)| Place::MethodPart(method, part)),
        (1..=u32::MAX).prop_map(Place::Document),
        (1..=u32::MAX, any::<u32>()).prop_map(|(row, line)| Place::Line(row, line)),
        any::<u32>().prop_map(Place::Stream),
        any::<u32>().prop_map(Place::Part),
        any::<u32>().prop_map(Place::Page),
        any::<u32>().prop_map(Place::TypeLayout),
        (0..0x2000_u32, function_part()).prop_map(|(rva, part)| Place::FunctionPart(rva, part)),
        any::<(u32, u32)>().prop_map(|(stream, at)| Place::Record(stream, at)),
        mdb_table().prop_map(Place::Mdb),
        (mdb_table(), 1..=u32::MAX).prop_map(|(table, row)| Place::MdbRow(table, row)),
        // The end of a range is a number, too.
        any::<(u32, u64, u64)>().prop_map(|(space, at, len)| Place::Bytes(Span::new(
            SpaceId(space),
            at,
            len.min(u64::MAX - at)
        ))),
    ]
}

/// One of each kind.
static SESSIONS: LazyLock<[Session; 3]> = LazyLock::new(|| {
    let open = |file| Session::open(&[repository("assets/samples").join(file)]).unwrap();
    [Session::sample(), open("native/tally.exe"), open("ticker-mono/Ticker.exe")]
});

/// Text that looks like a path: its words and numbers in any order.
fn path() -> impl Strategy<Value = String> {
    const WORDS: &str = "image pdb pe debug sections directories metadata streams tables table heap heaps blob us guid strings \
        method methods points il regions scopes source body document documents stream page pages bytes TypeDef Document \
        function functions lines code symbols mdb locals clamp 0x1060 names \
        0 1 -1 0x 0x0 0x06000001 0xffffffff 4294967296 0x1+2 +  Main .ctor Program.cs (int) é \u{202e}";
    prop::collection::vec(prop::sample::select(WORDS.split(' ').collect::<Vec<_>>()), 0..6)
        .prop_map(|words| words.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_place_parses_back(place in place()) {
        prop_assert_eq!(place.to_string().parse(), Ok(place));
    }

    #[test]
    fn every_chain_of_parents_ends_at_the_overview(place in place()) {
        let steps: Vec<Place> = std::iter::successors(Some(place), |place| place.parent()).take(8).collect();
        prop_assert_eq!(steps.last(), Some(&Place::Overview));
    }

    #[test]
    fn parsing_a_place_never_panics(text in prop_oneof![path(), ".{0,40}"]) {
        if let Ok(place) = text.parse::<Place>() {
            prop_assert_eq!(place.to_string().parse(), Ok(place));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// A place that does not exist is not shown, and its path gets a reason.
    #[test]
    fn every_place_can_be_queried(place in place(), text in prop_oneof![path(), ".{0,40}"], which in 0..3_usize) {
        let session = &SESSIONS[which];
        let lists = nodes::rows(session, place).map(|rows| rows.iter().take(50).count());
        let fields = nodes::fields(session, place).map(|fields| fields.rows.len());
        if lists.is_none() && fields.is_none() {
            prop_assert!(!nodes::absence(session, place).is_empty());
        }
        nodes::bytes(session, place);
        if let Err(error) = nodes::resolve(session, &text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

/// A path without its side and its numbers, and without the name of its table.
fn shape(path: &str) -> String {
    let path = path.strip_prefix("image/").or_else(|| path.strip_prefix("pdb/")).unwrap_or(path);
    match path.split_once('/') {
        Some((list @ ("table" | "mdb"), _)) => list.to_owned(),
        _ => path.to_owned(),
    }
}

#[test]
fn every_listed_place_is_the_example_of_a_term() {
    let terms = pdblens::learn::glossary::terms();
    let examples: Vec<String> =
        terms.iter().flat_map(|term| &term.examples).map(|path| shape(path.split(" ~ ").next().unwrap())).collect();
    for sample in crate::support::samples::all_samples() {
        let session = Session::open(std::slice::from_ref(&sample.image)).unwrap();
        let places = nodes::rows(&session, Place::Places).unwrap();
        for place in places.iter().filter_map(|row| row.place) {
            let shape = shape(&place.to_string());
            assert!(examples.contains(&shape), "{place}: no term of the glossary has it as its example");
        }
    }
}
