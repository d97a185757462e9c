use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;
use crate::bytes::record::undescribed;
use crate::bytes::{ErrorKind, Field, Slice, SpaceId, Value};
use crate::sequence_point::{HIDDEN_LINE, Violation};

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(0), 0)
}

/// `(IL offset, start line, start column, end line, end column, document)` of every point.
fn points(bytes: &[u8], document: u32) -> Vec<(u32, u32, u32, u32, u32, u32)> {
    Points::new(slice(bytes), document)
        .unwrap()
        .map(|point| point.unwrap())
        .map(|p| (p.offset, p.start_line, p.start_column, p.end_line, p.end_column, p.document))
        .collect()
}

fn fields(bytes: &[u8], document: u32) -> (Result<Header>, Vec<Field>) {
    let mut cursor = Cursor::recording(slice(bytes));
    let result = decode(&mut cursor, document);
    (result, cursor.fields())
}

/// A blob of a method whose row names document 1.
const ONE_DOCUMENT: &[u8] = &[
    0x02, // local signature 2
    0x00, 0x00, 0x01, 0x13, 0x05, // IL_0000 (19,5)-(19,6)
    0x01, 0x00, 0x26, 0x02, 0x04, // IL_0001 (20,7)-(20,45)
    0x0e, 0x00, 0x25, 0x02, 0x00, // IL_000f (21,7)-(21,44)
    0x04, 0x00, 0x0d, 0x02, 0x00, // IL_0013 (22,7)-(22,20)
    0x04, 0x00, 0x01, 0x02, 0x7d, // IL_0017 (23,5)-(23,6)
];

/// A blob with everything: two documents, hidden points, an end column that is less than the start column, large numbers.
const TWO_DOCUMENTS: &[u8] = &[
    0x00, 0x03, // no local signature, initial document 3
    0x05, 0x00, 0x00, // IL_0005 hidden
    0x01, 0x02, 0x79, 0x82, 0x58, 0x09, // IL_0006 (600,9)-(602,5)
    0x00, 0x81, 0x00, // document 256
    0x81, 0x00, 0x00, 0x00, // IL_0106 hidden
    0x03, 0x00, 0x04, 0xc0, 0x00, 0x40, 0x00, 0x01, // IL_0109 (8792,-55)-(8792,-51)
];

/// Bytes of blobs: mostly small numbers, as in real ones, and any others.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0u8..8, 4 => 0u8..0x80, 2 => 0x80u8..0xc0, 1 => any::<u8>()]
}

proptest! {
    #[test]
    fn a_blob_in_its_heap_has_the_points_that_the_walk_has(
        heap in proptest::collection::vec(byte(), 0..96),
        len in 0usize..96,
        document in 0u32..3,
    ) {
        let blob = &heap[..len.min(heap.len())];
        let walked: Vec<_> = match Points::new(slice(blob), document) {
            Ok(points) => points.collect(),
            Err(error) => vec![Err(error)],
        };
        let mut found = Vec::new();
        let _ = each_point(Ok(slice(blob)), document, &mut |point| {
            found.push(point);
            ControlFlow::Continue(())
        });
        prop_assert_eq!(&found, &walked);
        // The decoder that records, which has no fast path.
        let header = Header::decode(&mut slice(blob).cursor(), document);
        let records = header.map(|_| Records::new(slice(blob), document).unwrap().collect::<Vec<_>>());
        let points = records.unwrap_or_default().into_iter().filter_map(|record| match record {
            Ok(Record::Point(point)) => Some(Ok(point)),
            Ok(Record::Document(_)) => None,
            Err(error) => Some(Err(error)),
        });
        if Points::new(slice(blob), document).is_ok() {
            prop_assert_eq!(points.collect::<Vec<_>>(), walked);
        }
    }
}

#[test]
fn points_are_small() {
    assert!(size_of::<SequencePoint>() <= 32);
}

#[test]
fn the_worked_example_of_one_document() {
    assert_eq!(Records::new(slice(ONE_DOCUMENT), 1).unwrap().header(), Header { local_signature: 2, document: 1 });
    let expected = [
        (0x00, 19, 5, 19, 6, 1),
        (0x01, 20, 7, 20, 45, 1),
        (0x0f, 21, 7, 21, 44, 1),
        (0x13, 22, 7, 22, 20, 1),
        (0x17, 23, 5, 23, 6, 1),
    ];
    assert_eq!(points(ONE_DOCUMENT, 1), expected);
}

#[test]
fn the_worked_example_of_records() {
    let records = [0x00, 0x00, 0x18, 0x2e, 0x09, 0x06, 0x00, 0x12, 0x04, 0x08, 0x06, 0x00, 0x01, 0x02, 0x79];
    let blob = [&[0x00][..], &records].concat();
    assert_eq!(points(&blob, 7), [(0, 46, 9, 46, 33, 7), (6, 48, 13, 48, 31, 7), (12, 49, 9, 49, 10, 7)]);
}

#[test]
fn documents_and_hidden_points() {
    let records: Vec<_> = Records::new(slice(TWO_DOCUMENTS), 0).unwrap().map(|record| record.unwrap()).collect();
    let spans: Vec<_> = records.iter().map(|r| r.span(Span::default())).map(|s| (s.start, s.len)).collect();
    assert_eq!(spans, [(2, 3), (5, 6), (11, 3), (14, 4), (18, 8)]);
    assert_eq!(records[2], Record::Document(DocumentRecord { document: 256, at: 11, len: 3 }));
    let hidden = (HIDDEN_LINE, 0, HIDDEN_LINE, 0);
    let expected = [
        (0x005, hidden.0, hidden.1, hidden.2, hidden.3, 3),
        (0x006, 600, 9, 602, 5, 3),
        (0x106, hidden.0, hidden.1, hidden.2, hidden.3, 256),
        (0x109, 8792, 55_u32.wrapping_neg(), 8792, 51_u32.wrapping_neg(), 256),
    ];
    assert_eq!(points(TWO_DOCUMENTS, 0), expected);
    let Record::Point(last) = records[4] else { panic!() };
    assert_eq!(last.violations.iter().collect::<Vec<_>>(), [Violation::Column]);
}

#[test]
fn notes_tile_the_blob_and_name_its_numbers() {
    let (result, fields) = fields(TWO_DOCUMENTS, 0);
    assert_eq!(result, Ok(Header { local_signature: 0, document: 3 }));
    let seen: Vec<_> = fields.iter().map(|f| (f.depth, f.name(), f.span.start, f.value.number())).collect();
    let expected = [
        (0, "header", 0, None),
        (1, "local signature", 0, Some(0)),
        (1, "initial document", 1, Some(3)),
        (0, "hidden point", 2, None),
        (1, "δ IL offset", 2, Some(5)),
        (1, "Δ lines", 3, Some(0)),
        (1, "Δ columns", 4, Some(0)),
        (0, "point", 5, None),
        (1, "δ IL offset", 5, Some(1)),
        (1, "Δ lines", 6, Some(2)),
        (1, "Δ columns", 7, Some(-4)),
        (1, "start line", 8, Some(600)),
        (1, "start column", 10, Some(9)),
        (0, "document", 11, None),
        (1, "δ IL offset", 11, Some(0)),
        (1, "document", 12, Some(256)),
        (0, "hidden point", 14, None),
        (1, "δ IL offset", 14, Some(256)),
        (1, "Δ lines", 16, Some(0)),
        (1, "Δ columns", 17, Some(0)),
        (0, "point", 18, None),
        (1, "δ IL offset", 18, Some(3)),
        (1, "Δ lines", 19, Some(0)),
        (1, "Δ columns", 20, Some(4)),
        (1, "δ start line", 21, Some(8192)),
        (1, "δ start column", 25, Some(-64)),
    ];
    assert_eq!(seen, expected);
    tile(TWO_DOCUMENTS, &fields);
}

/// The leaves of `fields` are the bytes of `blob`, in order and without gaps.
fn tile(blob: &[u8], fields: &[Field]) {
    let mut at = 0;
    for leaf in fields.iter().filter(|field| field.value != Value::Group) {
        assert_eq!(leaf.span.start, at, "{leaf:?}");
        at = leaf.span.end();
    }
    assert_eq!(at, blob.len() as u64);
}

#[test]
fn a_blob_that_is_cut_short_gives_the_points_before_the_cut() {
    let whole = points(TWO_DOCUMENTS, 0);
    for len in 0..TWO_DOCUMENTS.len() {
        let blob = slice(&TWO_DOCUMENTS[..len]);
        let Ok(points) = Points::new(blob, 0) else {
            assert!(len < 2);
            continue;
        };
        let (good, bad): (Vec<_>, Vec<_>) = points.partition(Result::is_ok);
        assert!(good.iter().zip(&whole).all(|(point, whole)| point.as_ref().unwrap().offset == whole.0));
        let clean = [2, 5, 11, 14, 18].contains(&len);
        assert_eq!(bad.len(), usize::from(!clean), "{len}");
        for error in bad.into_iter().map(Result::unwrap_err) {
            assert!(matches!(error.kind, ErrorKind::UnexpectedEnd { .. }));
            assert!(blob.span().covers(error.span), "{len}: {error:?}");
        }
    }
}

#[test]
fn rules_that_a_point_breaks_are_its_faults() {
    let violations = |blob: &[u8], document| -> Vec<Violation> {
        let points = Points::new(slice(blob), document).unwrap();
        points.flat_map(|point| point.unwrap().violations.iter().collect::<Vec<_>>()).collect()
    };
    assert_eq!(violations(ONE_DOCUMENT, 1), []);
    // Document 0, as the header of the blob has it.
    assert_eq!(violations(&[0, 0, 0, 0, 1, 1, 1], 0), [Violation::Document]);
    // IL offset 0x1FFFFFFF, and one more.
    assert_eq!(violations(&[0, 0xdf, 0xff, 0xff, 0xff, 0, 0, 1, 0, 0], 1), [Violation::IlOffset]);
    // Start line 2, then 3 less.
    assert_eq!(violations(&[0, 0, 0, 1, 2, 1, 1, 0, 1, 0x7b, 0], 1), [Violation::Line]);
    // Line 0xFEEFEE with columns.
    assert_eq!(violations(&[0, 0, 0, 1, 0xc0, 0xfe, 0xef, 0xee, 1], 1), [Violation::HiddenLine]);
    // Start column 0xFFFF, end column one more.
    assert_eq!(violations(&[0, 0, 0, 1, 1, 0xc0, 0, 0xff, 0xff], 1), [Violation::Column]);
}

#[test]
fn lookups_know_what_covers_an_offset_and_what_is_around_it() {
    // IL_0002 hidden, IL_0004 line 10, IL_0006 hidden, IL_0009 line 20
    let blob = [0, 2, 0, 0, 2, 0, 1, 10, 1, 2, 0, 0, 3, 0, 1, 20, 0];
    let look = |il| {
        let found = find(slice(&blob), 1, il);
        assert_eq!(found.error, None);
        let line = |point: Option<SequencePoint>| point.map(|point| point.start_line);
        (
            found.covering.map(|p| p.offset),
            found.covering.is_some_and(|p| p.offset == il),
            line(found.visible),
            line(found.next),
            found.end,
        )
    };
    assert_eq!(look(0), (None, false, None, Some(10), Some(2)));
    assert_eq!(look(2), (Some(2), true, None, Some(10), Some(4)));
    assert_eq!(look(3), (Some(2), false, None, Some(10), Some(4)));
    assert_eq!(look(5), (Some(4), false, Some(10), Some(20), Some(6)));
    assert_eq!(look(6), (Some(6), true, Some(10), Some(20), Some(9)));
    assert_eq!(look(u32::MAX), (Some(9), false, Some(20), None, None));
    assert_eq!(find(slice(&blob), 1, 3).shown().map(|point| point.start_line), Some(10));

    let cut = find(slice(&blob[..blob.len() - 1]), 1, 7);
    assert_eq!((cut.covering.map(|p| p.offset), cut.next, cut.end), (Some(6), None, None));
    assert!(cut.error.is_some());
}

/// Bytes that are likely to be records.
fn blobs() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => 0_u8..0x20, 2 => 0x80_u8..0xc0, 1 => any::<u8>()];
    proptest::collection::vec(byte, 0..64)
}

proptest! {
    /// The quick way to read a record, the long way and the noting way are one.
    #[test]
    fn all_ways_to_read_agree(blob in blobs(), document in 0_u32..2) {
        let (result, fields) = fields(&blob, document);
        let points: Vec<_> = Points::new(slice(&blob), document).into_iter().flatten().collect();
        let records: Vec<_> = Records::new(slice(&blob), document).into_iter().flatten().collect();
        let of_records: Vec<_> = records.iter().filter_map(|record| match record {
            Ok(Record::Point(point)) => Some(Ok(*point)),
            Ok(Record::Document(_)) => None,
            Err(error) => Some(Err(error.clone())),
        }).collect();
        prop_assert_eq!(&points, &of_records);
        let groups: Vec<_> = fields.iter().filter(|f| f.depth == 0 && f.name() != "header").map(|f| f.span).collect();
        let spans: Vec<_> = records.iter().filter_map(|r| r.as_ref().ok()).map(|r| r.span(slice(&blob).span())).collect();
        prop_assert_eq!(&groups[..spans.len()], &spans[..]);
        let error = points.into_iter().find_map(Result::err).or(Points::new(slice(&blob), document).err());
        prop_assert_eq!(result.as_ref().err(), error.as_ref());
        if result.is_ok() {
            tile(&blob, &fields);
        }
    }

    /// A lookup is what the list says.
    #[test]
    fn lookups_agree_with_the_list(blob in blobs(), il in 0_u32..0x400) {
        let list: Vec<_> = Points::new(slice(&blob), 1).into_iter().flatten().filter_map(Result::ok).collect();
        let found = find(slice(&blob), 1, il);
        prop_assert_eq!(found.covering, list.iter().rev().find(|p| p.offset <= il).copied());
        prop_assert_eq!(found.visible, list.iter().rev().find(|p| p.offset <= il && !p.is_hidden()).copied());
        prop_assert_eq!(found.next, list.iter().find(|p| p.offset > il && !p.is_hidden()).copied());
        prop_assert_eq!(found.end, list.iter().find(|p| p.offset > il).map(|p| p.offset));
    }
}

#[test]
fn every_field_of_points_has_a_sentence() {
    // Two documents; the first point, a hidden one, a later one.
    let blob = [1, 1, 0, 0, 1, 5, 5, 1, 0, 0, 0, 2, 1, 1, 0x7f, 2, 0];
    assert_eq!(undescribed(&blob, |c| decode(c, 0).map(drop)), [""; 0]);
}
