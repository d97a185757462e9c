//! Places of damaged files: each that a list, a record, a parent or the owner of a byte prints can be typed in again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use pdblens::nodes::{self, Place};
use pdblens::query::owner::owner_at;
use pdblens::session::Session;

use super::TIME;
use super::mutate::Mutator;
use super::seeds::Seeds;
use super::structure;
use super::structure::Shape;
use crate::support::samples::{repository, samples};
use crate::support::synth::rng::Rng;

/// Most lists and records of one file that are looked into.
const MAX_PLACES: usize = 60;
/// The same for one kind of them, where every kind is looked into.
const MAX_OF_KIND: usize = 4;
/// Damaged copies of each sample.
const COPIES: u32 = 3;

fn parses_back(session: &Session, place: Place) {
    let text = place.to_string();
    assert_eq!(nodes::resolve(session, &text), Ok(place), "{text}");
    assert!(!text.chars().any(|c| c.is_control() || c.is_whitespace()), "{text:?}");
}

/// Kind of a place, and of the part in it: the name of the variant and of what is in it.
fn kind_of(place: Place) -> String {
    format!("{place:?}").chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).take(40).collect()
}

/// Places that lists, records and parents print: of the first `most`, but `of_kind` of one kind.
fn linked(session: &Session, most: usize, of_kind: usize) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    let (mut open, mut kinds) = (vec![Place::Places, Place::Methods, Place::Findings], BTreeMap::new());
    let mut at = 0;
    while let Some(place) = open.get(at).copied().filter(|_| at < most) {
        at += 1;
        let count = kinds.entry(kind_of(place)).or_insert(0);
        *count += 1;
        if *count > of_kind {
            continue;
        }
        let mut next: Vec<Place> = place.parent().into_iter().collect();
        if let Some(rows) = nodes::rows(session, place) {
            // The list of places names every list.
            let most = if place == Place::Places { 1000 } else { 20 };
            for row in rows.window(0..most).chain(rows.window(rows.len.saturating_sub(3).max(most)..rows.len)) {
                next.extend(row.place.into_iter().chain(row.cells.iter().filter_map(|cell| cell.to)));
            }
        }
        if let Some(fields) = nodes::fields(session, place) {
            next.extend(fields.rows.iter().filter_map(|row| row.to));
        }
        open.extend(next.into_iter().filter(|place| found.insert(*place)));
    }
    found
}

fn printed(session: &Session) {
    for place in linked(session, MAX_PLACES, MAX_PLACES) {
        parses_back(session, place);
    }
    for (id, space) in session.spaces().iter() {
        for offset in (0..space.len()).step_by((space.len() as usize / 16).max(1)) {
            for owner in owner_at(session, id, offset, None).owners {
                parses_back(session, owner.place);
            }
        }
    }
}

#[test]
fn every_printed_place_can_be_parsed() {
    let seeds = Seeds::collect(&repository(""));
    let shapes = [Shape::Pair, Shape::Metadata, Shape::Msf, Shape::Bytes];
    for (target, shape) in ["pair", "portable", "msf", "mdb"].into_iter().zip(shapes) {
        let seeds = seeds.of(target);
        let (started, mut mutator) = (Instant::now(), Mutator::new(&seeds, 1 << 17, shape, super::random_seed()));
        while started.elapsed() < TIME * 3 {
            let input = mutator.next_input();
            let files = match (target, input.split_first_chunk::<4>()) {
                ("pair", Some((len, rest))) => {
                    let (image, symbols) = rest.split_at((u32::from_le_bytes(*len) as usize).min(rest.len()));
                    vec![("Fuzz.dll".into(), image.to_vec()), ("Fuzz.pdb".into(), symbols.to_vec())]
                }
                _ => vec![("Fuzz.pdb".into(), input.to_vec())],
            };
            if let Ok(session) = Session::from_bytes(files) {
                printed(&session);
            }
        }
    }
}

/// Names of all kinds, from the list in the source.
fn kinds() -> BTreeSet<String> {
    let source = include_str!("../../../crates/nodes/src/register.rs");
    let list =
        source.split("\nkinds! {\n").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the list of kinds");
    list.lines().filter_map(|line| line.trim().split(['(', ' ']).next().map(str::to_owned)).collect()
}

/// The files of a sample, each with damage that keeps its structure, but for copy 0.
fn copy(files: &[std::path::PathBuf], number: u32) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut rng = Rng::of(0x5eed, "copy", number);
    let damaged = files.iter().map(|path| {
        let mut bytes = std::fs::read(path).unwrap();
        let shape = match bytes.get(..4) {
            Some(b"BSJB") => Shape::Metadata,
            Some(b"Micr") => Shape::Msf,
            _ => Shape::Image,
        };
        for _ in 0..number * 2 {
            structure::mutate(shape, &mut bytes, &[], &mut rng);
        }
        (path.clone(), bytes)
    });
    damaged.collect()
}

#[test]
fn every_kind_of_place_of_every_sample_can_be_parsed() {
    let mut seen = BTreeSet::new();
    for sample in samples() {
        for number in 0..=COPIES {
            let Ok(session) = Session::from_bytes(copy(&sample.files(), number)) else { continue };
            for place in linked(&session, 4000, MAX_OF_KIND) {
                parses_back(&session, place);
                seen.extend(format!("{place:?}").split('(').next().map(str::to_owned));
            }
        }
    }
    let missing: Vec<_> = kinds().difference(&seen).cloned().collect();
    // The list of places is where one begins, a trace is typed in, parts are named below a method, and no sample has precompiled code.
    let expected = ["MethodPart", "Places", "R2r", "ReadyToRun", "Trace"];
    assert_eq!(missing, expected, "kinds that no list or record of a sample leads to");
}
