//! Owners of bytes: every byte of every sample has one, and it is the smallest structure.

use pdblens::nodes;
use pdblens::nodes::code_unit::CodeUnit;
use pdblens::nodes::function::NativeView;
use pdblens::nodes::method::MethodView;
use pdblens::nodes::regions;
use pdblens::nodes::stream::PdbView;
use pdblens::query::owner;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use crate::support::is_thorough;
use crate::support::samples::{repository, samples};
use crate::support::synth::Recipe;
use pdblens::bytes::{SpaceId, Span};
use pdblens::nodes::rows::Rows;
use pdblens::nodes::{FunctionPart, MethodPart, PePart, Side};
use pdblens::nodes::{Place, TableId, Token};
use pdblens::session::Session;

/// Every sample, opened as `pdblens FILE` opens it.
fn sessions() -> impl Iterator<Item = (String, Session)> {
    samples().into_iter().map(|sample| (sample.name.clone(), Session::open(&[sample.image]).unwrap()))
}

fn open(name: &str) -> Session {
    Session::open(&[repository("assets/samples").join(name)]).unwrap()
}

/// The places that lists lead to, down to single records.
fn places(session: &Session) -> Vec<Place> {
    let mut open: Vec<Place> =
        nodes::rows(session, Place::Places).unwrap().iter().filter_map(|row| row.place).collect();
    open.extend((1..=session.methods()).flat_map(|row| {
        let method = Token::new(TableId::METHOD_DEF, row);
        [MethodPart::Points, MethodPart::Il, MethodPart::Regions].map(|part| Place::MethodPart(method, part))
    }));
    open.extend((0..PdbView::of(session).map_or(0, |view| view.pdb.msf.stream_count())).map(Place::Stream));
    let lists: Vec<Place> =
        open.iter().filter_map(|place| nodes::rows(session, *place)).flat_map(|rows| places_of(&rows)).collect();
    open.extend(lists);
    open.sort_unstable();
    open.dedup();
    open
}

fn places_of(rows: &Rows<'_>) -> Vec<Place> {
    rows.iter().filter_map(|row| row.place).collect()
}

/// Returns whether the fields of a place contain a byte.
fn says(session: &Session, place: Place, byte: Span) -> bool {
    match place {
        Place::Bytes(span) => span.covers(byte),
        // What a directory leads to is not decoded.
        Place::PePart(PePart::Directory(index)) => {
            let directory = session.image().unwrap().pe.directories[index as usize];
            directory.span.covers(byte) || directory.data.is_some_and(|data| data.covers(byte))
        }
        Place::Page(_) => nodes::bytes(session, place).is_some_and(|span| span.covers(byte)),
        Place::Stream(_) => nodes::bytes(session, place).is_some_and(|span| span.covers(byte)),
        _ => nodes::fields(session, place).is_some_and(|fields| fields.leaves().any(|leaf| leaf.span.covers(byte))),
    }
}

/// The longest of all tests, and the last to end: the samples are shared among all processors.
#[test]
fn every_byte_of_every_sample_has_an_owner() {
    let samples = Mutex::new(sessions().collect::<Vec<_>>());
    let next = || samples.lock().unwrap().pop();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((name, session)) = next() {
                    every_byte_has_an_owner(&name, &session);
                }
            });
        }
    });
}

fn every_byte_has_an_owner(name: &str, session: &Session) {
    let spaces: Vec<(SpaceId, u64)> = session.spaces().iter().map(|(id, space)| (id, space.len())).collect();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (space, len) in spaces {
        let mut at = 0;
        while at < len {
            let found = owner::owner_at(session, space, at, None);
            let first = *found.owners.first().unwrap_or_else(|| panic!("{name}: no owner of {space:?} {at:#x}"));
            assert_eq!(found.required_index, None, "{name}: a sample is small");
            assert!(first.span.covers(found.byte), "{name}: {first:?} has not {at:#x}");
            let smallest = found.owners.iter().map(|holder| holder.span.len).min();
            assert_eq!(smallest, Some(first.span.len), "{name} {at:#x}");
            for holder in &found.owners {
                let place = holder.place;
                assert!(says(session, place, found.byte), "{name}: {place} says nothing of {at:#x}");
            }
            let word = first.place.to_string().split('/').next().unwrap().to_owned();
            // Its owners are the same up to the last byte; thorough tests ask for a byte between as well.
            let end = (first.span.end() - found.byte.start) + at;
            let step = if is_thorough() { (end - at) / 3 } else { end - at };
            let next = if at + 1 < end { (end - 1).min(at + 1 + step) } else { end };
            *kinds.entry(word).or_default() += next - at;
            at = next;
        }
    }
    let unknown = kinds.get("bytes").copied().unwrap_or(0);
    let all: u64 = kinds.values().sum();
    assert!(unknown < all / 2, "{name}: {kinds:?}");
}

#[test]
fn owners_are_the_smallest_structures() {
    for (name, session) in sessions() {
        for place in places(&session) {
            let Some(fields) = nodes::fields(&session, place).filter(|fields| !fields.span.is_empty()) else {
                continue;
            };
            // A page is what a stream is written on; native code knows a document by its name in a list of names.
            // Rows of the tables of Mono's files are in the pieces that those are made of.
            let elsewhere = matches!(place, Place::Document(_)) && NativeView::of(&session).is_some();
            if elsewhere || matches!(place, Place::Page(_) | Place::MdbRow(..)) {
                continue;
            }
            for at in [fields.span.start, fields.span.end() - 1] {
                let found = owner::owner_at(&session, fields.span.space, at, place.method());
                let first = found.owners[0];
                assert!(first.span.len <= fields.span.len, "{name}: {place} at {at:#x}, but {first:?} was found");
            }
        }
    }
}

#[test]
fn the_owner_of_a_byte_is_a_point_row_entry_or_instruction() {
    let session = open("ticker/Ticker.dll");
    let first = |span: Span| owner::owner_at(&session, span.space, span.start, None).owners[0].place.to_string();
    let of = |place: &str| nodes::bytes(&session, place.parse().unwrap()).unwrap();
    for place in [
        "method/0x06000001/points/3",
        "method/0x06000003/points/1",
        "method/0x06000001/il/0x6",
        "table/Document/2",
        "table/TypeDef/3",
        "image/heap/strings/0x1",
        "pdb/heap/guid/2",
        "pe/coff",
        "pe/sections/1",
        "pe/directories/14",
        "pe/debug/0",
        "pe/cli",
        "image/metadata/tables",
        "pdb/metadata/pdb",
        "pdb/metadata/streams/0",
    ] {
        let found = match place {
            // The header of a stream, not the stream.
            "pdb/metadata/streams/0" => first(nodes::fields(&session, place.parse().unwrap()).unwrap().span),
            _ => first(of(place)),
        };
        assert_eq!(found, place);
    }
    // The points of a method begin with a header of their own, after the length of their blob.
    let blob = of("method/0x06000001/points");
    assert_eq!(first(blob), "method/0x06000001/points");
    assert!(first(Span { start: blob.start - 1, ..blob }).starts_with("pdb/heap/blob/"));
    // A gap is told from its first byte to its last.
    let extents = regions::of_image(&session);
    let gap = extents.iter().find(|extent| extent.name == "gap").unwrap().span;
    assert_eq!(owner::owner_at(&session, gap.space, gap.end() - 1, None).owners[0].place, Place::Bytes(gap));
    assert!(owner::owner_at(&session, gap.space, u64::MAX, None).owners.is_empty());
    assert!(owner::owner_at(&session, SpaceId(99), 0, None).owners.is_empty());
}

#[test]
fn shared_bytes_belong_to_the_selected_method() {
    let session = open("workshop/Workshop.dll");
    let methods = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
    let mut shared = 0;
    for method in methods {
        let Some(points) = nodes::bytes(&session, Place::MethodPart(method, MethodPart::Point(1))) else { continue };
        let found = |near| owner::owner_at(&session, points.space, points.start, near).owners[0].place;
        assert_eq!(found(Some(method)), Place::MethodPart(method, MethodPart::Point(1)));
        shared += usize::from(found(None) != found(Some(method)));
    }
    assert!(shared > 0, "the sample has methods with the same points");
}

#[test]
fn a_byte_of_a_page_has_a_stream_as_owner() {
    let session = open("workshop-windows/Workshop.dll");
    let view = PdbView::of(&session).unwrap();
    let file = view.pdb.msf.file;
    let method = Token::new(TableId::METHOD_DEF, 7);
    let point = nodes::bytes(&session, Place::MethodPart(method, MethodPart::Point(2))).unwrap();
    let at = session.spaces().resolve(point)[0].span.start;
    let found = owner::owner_at(&session, file, at, None);
    assert_eq!(found.byte, Span { len: 1, ..point });
    assert_eq!(found.owners[0].place, Place::MethodPart(method, MethodPart::Point(2)));
    assert!(found.owners.iter().any(|holder| matches!(holder.place, Place::Record(..))), "{found:?}");
    // Columns stand apart from the lines, and are of the same point.
    let fields = nodes::fields(&session, Place::MethodPart(method, MethodPart::Point(2))).unwrap();
    let columns = fields.leaves().find(|leaf| leaf.name == "start column").unwrap().span;
    let found = owner::owner_at(&session, columns.space, columns.start, None).owners[0].place;
    assert_eq!(found, Place::MethodPart(method, MethodPart::Point(2)));
    // The file's own pages.
    let page = |number: u64| {
        owner::owner_at(&session, file, number * u64::from(view.pdb.msf.page_size()) + 1, None).owners[0].place
    };
    assert_eq!((page(0), page(1)), (Place::Header, Place::Page(1)));
    assert!(owner::owner_at(&session, view.pdb.msf.directory, 0, None).owners[0].place == Place::Directory);
}

#[test]
fn enclosing_structures_have_names() {
    let name = |session: &Session, place: &str| {
        let span = nodes::bytes(session, place.parse().unwrap()).unwrap();
        let within = owner::within(session, span.space, span.start);
        assert!(within.span.covers(span), "{place}: {within:?}");
        (within.name, span.start - within.span.start, within.in_file)
    };
    let session = open("ticker/Ticker.dll");
    let blob = name(&session, "pdb/heap/blob/0x1");
    assert_eq!((blob.0.as_str(), blob.1), ("Ticker.pdb #Blob", 1));
    assert!(blob.2.is_some_and(|at| at > 1));
    assert_eq!(name(&session, "table/TypeDef/2").0, "Ticker.dll #~");
    assert_eq!(name(&session, "method/0x06000001/il/0x0").0, "Ticker.dll .text");
    assert_eq!(name(&session, "pe/coff"), ("Ticker.dll".to_owned(), 0x80, None));
    let session = open("workshop-windows/Workshop.dll");
    let (name, at, in_file) = name(&session, "stream/9");
    assert_eq!((name.as_str(), at), ("Workshop.pdb stream 9", 0));
    let page = PdbView::of(&session).unwrap().pdb.msf.stream(9).unwrap().pages[0];
    assert_eq!(in_file, Some(u64::from(page) * u64::from(PdbView::of(&session).unwrap().pdb.msf.page_size())));
}

#[test]
fn a_missing_index_is_reported_without_waiting() {
    let pair = Recipe::of(60_000).pair();
    let files = [("Large.dll", pair.image), ("Large.pdb", pair.pdb)];
    let session = Session::from_bytes(files.map(|(name, bytes)| (name.into(), bytes)).into()).unwrap();
    let blobs = Side::Pdb.metadata(&session).unwrap().heaps.blobs.span();
    let method = Token::new(TableId::METHOD_DEF, 30_000);
    let point = nodes::bytes(&session, Place::MethodPart(method, MethodPart::Point(1))).unwrap();
    let mut asked = Vec::new();
    loop {
        let found = owner::owner_at(&session, point.space, point.start, Some(method));
        let Some(index) = found.required_index else {
            assert_eq!(found.owners[0].place, Place::MethodPart(method, MethodPart::Point(1)));
            break;
        };
        // Until then the answer is coarser, and not wrong.
        assert!(found.owners[0].span.covers(point) && blobs.covers(found.owners[0].span), "{found:?}");
        assert!(!asked.contains(&index), "{index:?} was made");
        nodes::build_index(&session, index);
        asked.push(index);
    }
    assert_eq!(asked.iter().map(ToString::to_string).collect::<Vec<_>>(), ["#Blob", "references to #Blob"]);
    let il = nodes::bytes(&session, Place::MethodPart(method, MethodPart::Instruction(0))).unwrap();
    // The addresses of the methods alone lead to a body; what is between bodies needs the layout.
    let found = owner::owner_at(&session, il.space, il.start, None);
    assert_eq!(
        (found.owners[0].place, found.required_index),
        (Place::MethodPart(method, MethodPart::Instruction(0)), None)
    );
    // The last byte before the first section is padding.
    let bodies = owner::owner_at(&session, il.space, 0x1ff, None).required_index.unwrap();
    assert_eq!(bodies.to_string(), "method bodies");
}

#[test]
fn the_owner_of_a_native_byte_is_a_line_symbol_or_code_range() {
    let session = open("native/tally.exe");
    let native = NativeView::of(&session).unwrap();
    let mut seen = [0; 3];
    for function in native.functions() {
        let rva = native.rva_of(function).unwrap();
        let view = MethodView::of(&session, CodeUnit::Function(rva));
        let first = |span: Span, of: fn(&Place) -> bool| {
            let found = owner::owner_at(&session, span.space, span.start, None);
            found.owners.iter().map(|holder| holder.place).find(of)
        };
        let record = nodes::fields(&session, Place::Function(rva)).unwrap().span;
        assert_eq!(first(record, |place| matches!(place, Place::Function(_))), Some(Place::Function(rva)));
        for symbol in &view.records {
            let place = Place::FunctionPart(rva, FunctionPart::Symbol(symbol.at));
            assert_eq!(first(symbol.span, |place| matches!(place, Place::FunctionPart(..))), Some(place));
            seen[0] += 1;
        }
        for (index, point) in view.points.iter().enumerate() {
            let place = Place::FunctionPart(rva, FunctionPart::Line(index as u32 + 1));
            let fields = nodes::fields(&session, place).unwrap();
            for leaf in fields.leaves() {
                assert_eq!(first(leaf.span, |place| matches!(place, Place::FunctionPart(..))), Some(place), "{leaf:?}");
                seen[1] += 1;
            }
            let range = view.point_range(index);
            let Some(code) = view.code.filter(|_| !range.is_empty()) else { continue };
            for at in [range.start, range.end - 1] {
                let found = owner::owner_at(&session, code.space, code.start + u64::from(at), None);
                let Place::FunctionPart(owner, FunctionPart::CodeAt(start)) = found.owners[0].place else { panic!() };
                // The instruction with the byte is one of the line.
                assert!(owner == rva && range.contains(&start) && start <= at, "{point:?} {at}");
                assert!(found.owners[0].span.covers(Span { start: code.start + u64::from(at), len: 1, ..code }));
                seen[2] += 1;
            }
        }
    }
    assert!(seen[0] > 5 && seen[1] > 100 && seen[2] > 50, "{seen:?}");
}
