//! PE: directories, sections, the debug directory, and the metadata inside.

use super::bytes::{below, change_u16, change_u32, u16_at, u32_at};
use super::metadata;
use crate::support::synth::rng::Rng;

/// Size of a section header.
const SECTION: usize = 40;

pub fn mutate(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) -> Option<()> {
    let headers = u32_at(input, 0x3c)? as usize;
    let optional = headers + 24;
    let directories = optional + if u16_at(input, optional)? == 0x20b { 112 } else { 96 };
    let sections = optional + u16_at(input, headers + 20)? as usize;
    let count = u16_at(input, headers + 6)?.min(96) as usize;
    let len = input.len() as u32;
    match rng.between(0, 10) {
        0 => change_u16(input, headers + 4 + 2 * below(rng, 10), 0xffff, rng),
        1 => change_u32(input, optional + 4 * below(rng, 28), len, rng),
        2 | 3 => change_u32(input, directories + 4 * below(rng, 32), len, rng),
        // Sizes and addresses: in memory, in the file.
        4 => change_u32(input, sections + SECTION * below(rng, count) + 8 + 4 * below(rng, 4), len, rng),
        5 => {
            // The debug directory, and what one of its entries says.
            let start = file_offset(input, sections, count, u32_at(input, directories + 48)?)?;
            let entries = (u32_at(input, directories + 52)? as usize / 28).min(32);
            change_u32(input, start + 28 * below(rng, entries) + 4 * below(rng, 7), len, rng)
        }
        6 => {
            // The CLI header, by which metadata, resources and strong names are found.
            let start = file_offset(input, sections, count, u32_at(input, directories + 112)?)?;
            change_u32(input, start + 4 * below(rng, 18), len, rng)
        }
        _ => {
            let find = |bytes: &[u8]| bytes.windows(4).position(|window| window == b"BSJB");
            let start = find(input)?;
            let other = find(other).map_or(&[][..], |start| &other[start..]);
            let mut root = input.split_off(start);
            let done = metadata::mutate(&mut root, other, rng);
            input.append(&mut root);
            done
        }
    }
}

fn file_offset(input: &[u8], sections: usize, count: usize, rva: u32) -> Option<usize> {
    (0..count).find_map(|index| {
        let at = sections + SECTION * index;
        let (size, start, offset) = (u32_at(input, at + 16)?, u32_at(input, at + 12)?, u32_at(input, at + 20)?);
        let within = rva.checked_sub(start).filter(|within| *within < size)?;
        Some(offset as usize + within as usize)
    })
}
