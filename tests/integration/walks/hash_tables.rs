//! Hash tables, page maps and line records of every sample, read again from their steps alone.

use std::collections::{BTreeSet, HashMap};
use std::mem::discriminant;

use pdblens::formats::pdb::hash::{SYMBOL_BUCKETS, string_hash};
use pdblens::learn::{Step, Steps, steps};
use pdblens::nodes::method::MethodView;
use pdblens::nodes::stream::{PartKind, PdbView};
use pdblens::nodes::{Place, SequencePoint};
use pdblens::session::Session;

use super::tiling::sessions;

fn with_pages() -> Vec<(String, Session)> {
    let mut all = sessions();
    all.retain(|(_, session)| PdbView::of(session).is_some());
    assert!(all.len() > 10);
    all
}

/// Parts of a kind, with the stream of each.
fn parts(session: &Session, mut wanted: impl FnMut(PartKind) -> bool) -> Vec<Place> {
    let view = PdbView::of(session).unwrap();
    let mut of = |stream: u32| {
        let parts = view.parts(stream);
        let found: Vec<Place> =
            parts.iter().filter(|part| wanted(part.kind)).map(|part| Place::Record(stream, part.at)).collect();
        found
    };
    (0..view.pdb.msf.stream_count()).flat_map(&mut of).collect()
}

fn number(step: &Step) -> u32 {
    u32::try_from(step.field.number.unwrap()).unwrap()
}

fn named<'s>(steps: &'s Steps, record: &'s str, name: &'s str) -> impl Iterator<Item = &'s Step> {
    steps.reads().filter(move |step| step.record == record && step.field.name == name)
}

/// Slots by name, where a lookup by the hash finds each: no slot between that of its hash and its own is free.
fn assert_found_by_probing(slots: &HashMap<u32, Vec<u8>>, count: u32, mask: u32, place: &str) {
    for (slot, name) in slots {
        let home = (string_hash(name) & mask) % count;
        let mut at = home;
        while at != *slot {
            assert!(
                slots.contains_key(&at),
                "{place}: {} is not found from slot {home}",
                String::from_utf8_lossy(name)
            );
            at = (at + 1) % count;
        }
    }
}

#[test]
fn names_are_found_by_their_hash() {
    let (mut strings, mut streams) = (0, 0);
    for (name, session) in with_pages() {
        for place in parts(&session, |kind| kind == PartKind::Names) {
            let found = steps(&session, place).unwrap();
            let first = named(&found, "string table strings", "string").next().unwrap().field.span.start;
            let texts: HashMap<u64, Vec<u8>> = named(&found, "string table strings", "string")
                .map(|step| {
                    (step.field.span.start - first, step.bytes.split(|byte| *byte == 0).next().unwrap().to_vec())
                })
                .collect();
            let count = number(named(&found, "string table", "slot count").next().unwrap());
            let offsets: Vec<u32> = named(&found, "string slots", "string offset").map(number).collect();
            assert_eq!(offsets.len() as u32, count, "{name} {place}");
            let used = (0..).zip(&offsets).filter(|(_, offset)| **offset > 0);
            let slots: HashMap<u32, Vec<u8>> =
                used.map(|(slot, offset)| (slot, texts[&u64::from(*offset)].clone())).collect();
            strings += slots.len();
            assert_found_by_probing(&slots, count, u32::MAX, &format!("{name} {place}"));
        }
        for place in parts(&session, |kind| kind == PartKind::Info) {
            let found = steps(&session, place).unwrap();
            let count = number(named(&found, "named streams", "slot count").next().unwrap());
            let entries = named(&found, "named stream", "name offset");
            let slot =
                |step: &Step| step.field.changes.iter().find(|change| change.state.name == "slot").unwrap().after;
            let names = PdbView::of(&session).unwrap().pdb.info.names.iter().map(|named| named.name.value.clone());
            let slots: HashMap<u32, Vec<u8>> =
                entries.map(slot).zip(names).map(|(slot, name)| (slot as u32, name.into_bytes())).collect();
            streams += slots.len();
            assert_found_by_probing(&slots, count, 0xffff, &format!("{name} {place}"));
        }
    }
    assert!(strings > 100 && streams > 40, "{strings} {streams}");
}

#[test]
fn buckets_have_the_symbols_of_their_hash() {
    let mut symbols = 0;
    for (name, session) in with_pages() {
        let view = PdbView::of(&session).unwrap();
        for place in parts(&session, |kind| kind == PartKind::Buckets) {
            let Place::Record(stream, at) = place else { unreachable!() };
            let records: Vec<u32> = view
                .parts(stream)
                .iter()
                .filter(|part| part.at < at && part.kind == PartKind::HashRecord)
                .map(|part| {
                    number(steps(&session, Place::Record(stream, part.at)).unwrap().reads().next().unwrap()) - 1
                })
                .collect();
            let buckets = steps(&session, place).unwrap();
            let bucket = |step: &Step| {
                let text = step.field.meaning.strip_prefix("bucket ").unwrap().split(':').next().unwrap();
                (text.parse::<u32>().unwrap(), number(step) / 12)
            };
            let starts: Vec<(u32, u32)> = buckets.reads().map(bucket).collect();
            for (index, (bucket, first)) in starts.iter().enumerate() {
                let end = starts.get(index + 1).map_or(records.len() as u32, |(_, first)| *first);
                for record in *first..end {
                    let symbol = view.symbol_name_at(records[record as usize]);
                    // Records of managed code may have no name that the general decoder knows.
                    if let Some(symbol) = symbol {
                        assert_eq!(string_hash(&symbol) % SYMBOL_BUCKETS, *bucket, "{name} {place}");
                        symbols += 1;
                    }
                }
            }
        }
    }
    assert!(symbols > 300, "{symbols}");
}

/// Meanings are looked up by the names of records and fields: each of these has one in some sample. No sample has deleted slots or a map
/// of tokens.
#[test]
fn numbers_of_hash_tables_have_meanings() {
    let mut found = BTreeSet::new();
    for (_, session) in with_pages() {
        let mut read = HashMap::new();
        let is_new = |kind: PartKind| {
            if matches!(kind, PartKind::Info | PartKind::Names) {
                return true;
            }
            let count = read.entry(discriminant(&kind)).or_insert(0);
            *count += 1;
            *count <= 8
        };
        for place in parts(&session, is_new) {
            for step in steps(&session, place).unwrap().reads().filter(|step| !step.field.meaning.is_empty()) {
                found.insert(format!("{}: {}", step.record, step.field.name));
            }
        }
    }
    for wanted in [
        "used slots: bits",
        "named stream: name offset",
        "string slots: string offset",
        "hash record: symbol offset",
        "address map entry: symbol offset",
        "global references: symbol offset",
        "type hash: bucket",
        "bucket bitmap: bits",
        "buckets: first record",
    ] {
        assert!(found.contains(wanted), "{wanted}: {found:?}");
    }
}

#[test]
fn free_page_maps_are_bits_with_owners() {
    for (name, session) in with_pages() {
        let view = PdbView::of(&session).unwrap();
        let msf = &view.pdb.msf;
        let map = msf.page_map(view.spaces);
        let found = steps(&session, Place::Page(msf.superblock.active_map)).unwrap();
        let bits: Vec<bool> = found
            .reads()
            .flat_map(|step| step.field.bits.iter().map(|bit| bit.of(step.field.number.unwrap().cast_unsigned()) == 1))
            .collect();
        assert_eq!(bits.len(), map.len().min(msf.page_size() as usize * 8), "{name}");
        assert!((0..).zip(&bits).all(|(page, free)| map.is_free(page) == *free), "{name}");
        let free = bits.iter().filter(|bit| **bit).count() as i64;
        let state = found.state_after(usize::MAX);
        assert_eq!(state.iter().find(|(name, ..)| *name == "free pages").unwrap().2, free, "{name}");
        assert!(found.reads().flat_map(|step| &step.field.bits).all(|bit| bit.to.is_some()), "{name}");
    }
}

#[test]
fn line_records_make_the_points() {
    let mut count = 0;
    for (name, session) in with_pages().into_iter().filter(|(_, session)| session.native_pdb().is_none()) {
        for row in 1..=session.methods() {
            let method = pdblens::nodes::Token::new(pdblens::nodes::TableId::METHOD_DEF, row);
            let place = format!("method/{method}/points").parse().unwrap();
            let Some(found) = steps(&session, place) else { continue };
            let (mut lines, mut columns): (Vec<[i64; 3]>, Vec<[i64; 2]>) = (Vec::new(), Vec::new());
            for change in found.reads().flat_map(|step| &step.field.changes) {
                match change.state.name {
                    "code offset" => lines.push([change.after, 0, 0]),
                    "start line" => lines.last_mut().unwrap()[1] = change.after,
                    "lines spanned" => lines.last_mut().unwrap()[2] = change.after,
                    "start column" => columns.push([change.after, 0]),
                    "columns spanned" => columns.last_mut().unwrap()[1] = change.after,
                    _ => {}
                }
            }
            let decoded = lines
                .iter()
                .zip(&columns)
                .map(|(line, column)| (line[0], line[1], column[0], line[1] + line[2], column[0] + column[1]));
            let mut decoded: Vec<_> = decoded.collect();
            let same = |point: &SequencePoint| {
                let (offset, line, column) = (point.offset, point.start_line, point.start_column);
                let all = [offset, line, column, point.end_line, point.end_column].map(i64::from);
                (all[0], all[1], all[2], all[3], all[4])
            };
            let mut points: Vec<_> = MethodView::of(&session, method).points.iter().map(same).collect();
            decoded.sort_unstable();
            points.sort_unstable();
            assert_eq!(decoded, points, "{name} {method}");
            count += points.len();
        }
    }
    assert!(count > 200, "{count}");
}
