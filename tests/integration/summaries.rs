//! Summaries of places that are no record: their bytes are in the file, and their links have targets.

use crate::support::samples::{repository, samples};
use pdblens::bytes::Span;
use pdblens::nodes;
use pdblens::nodes::mdb;
use pdblens::nodes::regions;
use pdblens::nodes::stream::PdbView;
use pdblens::nodes::{Heap, Place, TableId, Token};
use pdblens::nodes::{MethodPart, Side};
use pdblens::session::Session;

fn is_there(session: &Session, span: Span) -> bool {
    span.is_empty() || session.spaces().get(span.space).is_some_and(|space| span.end() <= space.len())
}

/// Every place that is a list, and the gaps.
fn wholes(session: &Session) -> Vec<Place> {
    let mut places: Vec<Place> =
        nodes::rows(session, Place::Places).unwrap().iter().filter_map(|row| row.place).collect();
    places.extend([Place::Overview, Place::Methods, Place::Line(1, 1), Place::Line(1, u32::MAX)]);
    places.extend((0..PdbView::of(session).map_or(0, |view| view.pdb.msf.stream_count() + 1)).map(Place::Stream));
    places.extend((1..=session.methods().min(20)).flat_map(|row| {
        let method = Token::new(TableId::METHOD_DEF, row);
        [MethodPart::Il, MethodPart::Regions, MethodPart::Scopes].map(|part| Place::MethodPart(method, part))
    }));
    let extents = [regions::of_image(session), mdb::file_regions(session)].concat();
    places.extend(extents.into_iter().map(|extent| Place::Bytes(extent.span)));
    places
}

#[test]
fn known_facts_are_shown() {
    let mut count = 0;
    for sample in samples() {
        let session = Session::open(&[sample.image]).unwrap();
        for place in wholes(&session) {
            let Some(facts) = nodes::summary(&session, place) else { continue };
            count += 1;
            assert!(!facts.title.is_empty() && !facts.rows.is_empty(), "{}: {place}", sample.name);
            assert!(is_there(&session, facts.span), "{}: {place}", sample.name);
            for row in &facts.rows {
                assert!(is_there(&session, row.span), "{}: {place}, {}", sample.name, row.name);
                let leads = row.to.is_none_or(|to| {
                    nodes::rows(&session, to).is_some()
                        || nodes::fields(&session, to).is_some()
                        || to == Place::Streams
                        || nodes::bytes(&session, to).is_some()
                });
                assert!(leads, "{}: {place}, {} leads to {:?}", sample.name, row.name, row.to);
            }
        }
    }
    assert!(count > 500, "{count}");
}

fn said(session: &Session, place: Place) -> Vec<(String, String)> {
    let facts = nodes::summary(session, place).unwrap();
    facts.rows.into_iter().filter(|row| !row.group).map(|row| (row.name, row.value)).collect()
}

#[test]
fn a_table_says_how_its_rows_are_laid_out() {
    let session = Session::open(&[repository("assets/samples/ticker/Ticker.dll")]).unwrap();
    let place = Place::Table(Side::Pdb, TableId::DOCUMENT);
    let facts = nodes::summary(&session, place).unwrap();
    let table = Side::Pdb.metadata(&session).unwrap().table(TableId::DOCUMENT);
    let columns: Vec<_> = facts.rows.iter().filter(|row| row.depth > 0).collect();
    assert_eq!(
        columns.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(),
        ["Name", "HashAlgorithm", "Hash", "Language"]
    );
    // The columns of the first row are shown where they are, and tile it.
    assert_eq!(columns.iter().map(|row| row.span.len).sum::<u64>(), u64::from(table.row_size()));
    assert_eq!(columns[0].span.start, table.row_span(1).unwrap().start);
    assert!(columns.iter().all(|row| !row.about.is_empty() && row.to.is_some()));
    assert!(said(&session, place).contains(&("rows".to_owned(), "2".to_owned())));
    let heap = said(&session, Place::Heap(Side::Pdb, Heap::Guids));
    assert!(heap.iter().any(|(name, _)| name == "Document.Language"), "{heap:?}");
}

#[test]
fn the_ids_of_both_files_are_side_by_side() {
    let open = |files: &[&str]| {
        let files: Vec<_> = files.iter().map(|file| repository("assets/samples").join(file)).collect();
        Session::open(&files).unwrap()
    };
    let marks = |session: &Session| {
        let facts = nodes::summary(session, Place::Overview).unwrap();
        facts.rows.iter().map(|row| row.meaning.clone()).collect::<Vec<_>>()
    };
    let pair = open(&["ticker/Ticker.dll"]);
    assert_eq!(marks(&pair), ["✓", "✓", "", ""]);
    // The bytes that are compared are the same.
    let facts = nodes::summary(&pair, Place::Overview).unwrap();
    let bytes = |row: usize| pair.spaces().read(facts.rows[row].span).unwrap().into_owned();
    assert_eq!((bytes(0), bytes(1)), (bytes(2), bytes(3)));
    let other = open(&["ticker/Ticker.dll", "workshop/Workshop.pdb"]);
    assert_eq!(marks(&other), ["✗", "✗", "", ""]);
    let mono = open(&["ticker-mono/Ticker.exe"]);
    assert_eq!(marks(&mono), ["✓", ""]);
}

/// A C++/CLI image is one whose CLI header does not say ILONLY.
#[test]
fn an_image_of_managed_and_native_code_is_called_that() {
    let mut image = std::fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap();
    let kind = |image: &[u8]| {
        let session = Session::from_bytes(vec![("Ticker.dll".into(), image.to_vec())]).unwrap();
        let flags = session.image().unwrap().pe.cli.as_ref().unwrap().span_of(&pdblens::formats::pe::CliHeader::flags);
        let rows = nodes::rows(&session, Place::Overview).unwrap();
        let texts: Vec<_> = rows.iter().flat_map(|row| row.cells).map(|cell| cell.text).collect();
        (texts.into_iter().find(|text| text.contains("PE32")).unwrap().clone(), flags)
    };
    let (managed, flags) = kind(&image);
    assert!(managed.starts_with("managed image, PE32"), "{managed}");
    image[flags.start as usize] &= !1;
    assert!(kind(&image).0.starts_with("mixed-mode image (managed and native code), PE32"));
}
