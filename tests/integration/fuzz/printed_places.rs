//! Places of damaged files: each that a list, a record or the owner of a byte prints can be typed in again.

use std::time::Instant;

use pdblens::nodes::{self, Place};
use pdblens::query::owner::owner_at;
use pdblens::session::Session;

use super::TIME;
use super::mutate::Mutator;
use super::seeds::Seeds;
use super::structure::Shape;
use crate::support::samples::repository;

/// Most lists and records of one file that are looked into.
const MAX_PLACES: usize = 60;

fn parses_back(session: &Session, place: Place) {
    let text = place.to_string();
    assert_eq!(nodes::resolve(session, &text), Ok(place), "{text}");
    assert!(!text.chars().any(|c| c.is_control() || c.is_whitespace()), "{text:?}");
}

fn printed(session: &Session) {
    let (mut open, mut at) = (vec![Place::Places, Place::Methods, Place::Findings], 0);
    while let Some(place) = open.get(at).copied().filter(|_| at < MAX_PLACES) {
        at += 1;
        parses_back(session, place);
        if let Some(rows) = nodes::rows(session, place) {
            for row in rows.window(0..20).chain(rows.window(rows.len.saturating_sub(3).max(20)..rows.len)) {
                open.extend(row.place.into_iter().chain(row.cells.iter().filter_map(|cell| cell.to)));
            }
        }
        if let Some(fields) = nodes::fields(session, place) {
            open.extend(fields.rows.iter().filter_map(|row| row.to));
        }
    }
    for place in open {
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
    for (target, shape) in ["pair", "portable", "managed", "mdb"].into_iter().zip(shapes) {
        let seeds = seeds.of(target);
        let (started, mut mutator) = (Instant::now(), Mutator::new(&seeds, 1 << 17, shape));
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
