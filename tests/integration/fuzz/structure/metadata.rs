//! Metadata: stream headers, row counts, cells, heaps.

use std::ops::Range;

use super::bytes::{below, change_u16, change_u32, changed, put, u16_at, u32_at};
use crate::support::synth::rng::Rng;

/// Row counts up to which a reader may believe a file.
const MANY_ROWS: u32 = 0x00ff_ffff;

/// A stream: where its header is, its name, and its bytes from the start of the root.
struct Stream {
    header: usize,
    name: String,
    bytes: Range<usize>,
}

pub fn mutate(input: &mut [u8], other: &[u8], rng: &mut Rng) -> Option<()> {
    let streams = streams(input);
    let stream = streams.get(below(rng, streams.len()))?;
    match rng.between(0, 8) {
        // A stream that begins or ends elsewhere, or is another one's.
        0 => {
            let len = input.len() as u32;
            change_u32(input, stream.header + 4 * below(rng, 2), len, rng)
        }
        1 => {
            let from = &streams[below(rng, streams.len())];
            let header = *input.get(from.header..)?.first_chunk::<8>()?;
            put(input, stream.header, &header)
        }
        2 => graft(input, stream, other, rng),
        _ => {
            let stream = streams.iter().find(|stream| rng.chance(60) || stream.name == "#Pdb")?;
            match &*stream.name {
                "#~" | "#-" => tables(input, stream.bytes.clone(), rng),
                "#Blob" | "#US" => blobs(input, stream.bytes.clone(), rng),
                "#Strings" => strings(input, stream.bytes.clone(), rng),
                _ => any_number(input, stream.bytes.clone(), rng),
            }
        }
    }
}

fn streams(input: &[u8]) -> Vec<Stream> {
    let mut found = Vec::new();
    let Some((len, true)) = u32_at(input, 12).map(|len| (len as usize, input.starts_with(b"BSJB"))) else {
        return found;
    };
    let (count, mut at) = (u16_at(input, len.saturating_add(18)).unwrap_or(0), len.saturating_add(20));
    for _ in 0..count.min(16) {
        let (Some(offset), Some(size)) = (u32_at(input, at), u32_at(input, at + 4)) else { break };
        let name: Vec<u8> = input[at + 8..].iter().copied().take_while(|byte| *byte != 0).take(32).collect();
        let end = (offset as usize).saturating_add(size as usize).min(input.len());
        let bytes = (offset as usize).min(end)..end;
        found.push(Stream { header: at, name: String::from_utf8_lossy(&name).into_owned(), bytes });
        at += 8 + (name.len() + 4) / 4 * 4;
    }
    found
}

/// Puts bytes of the stream of that name in another file over those of this one.
fn graft(input: &mut [u8], stream: &Stream, other: &[u8], rng: &mut Rng) -> Option<()> {
    let from = streams(other).into_iter().find(|from| from.name == stream.name)?;
    let len = from.bytes.len().min(stream.bytes.len());
    let start = below(rng, len);
    put(input, stream.bytes.start + start, other.get(from.bytes.start + start..from.bytes.start + len)?)
}

/// The mask of tables, a row count, the sizes of indices, or a cell.
fn tables(input: &mut [u8], at: Range<usize>, rng: &mut Rng) -> Option<()> {
    let mask = u64::from_le_bytes(*input.get(at.start + 8..)?.first_chunk()?);
    let counts = at.start + 24;
    let rows = counts + mask.count_ones() as usize * 4;
    match rng.between(0, 8) {
        0 => put(input, at.start + 6, &[rng.next() as u8]),
        1 => put(input, at.start + 8, &(mask ^ 1 << rng.between(0, 0x40)).to_le_bytes()),
        // Sorted or not.
        2 => put(input, at.start + 16 + below(rng, 8), &[rng.next() as u8]),
        3 | 4 => change_u32(input, counts + 4 * below(rng, mask.count_ones() as usize), MANY_ROWS, rng),
        // A row, or the bytes around one, twice.
        5 => {
            let size = 2 + 2 * below(rng, 12);
            let [from, to] = [(); 2].map(|()| rows + below(rng, at.end.saturating_sub(rows)) / size * size);
            let row = input.get(from..from + size)?.to_vec();
            put(input, to, &row)
        }
        _ => change_u16(input, rows + below(rng, at.end.saturating_sub(rows)) / 2 * 2, 0xffff, rng),
    }
}

/// The compressed length of an entry, or a number in one.
fn blobs(input: &mut [u8], at: Range<usize>, rng: &mut Rng) -> Option<()> {
    let (mut entries, mut next) = (Vec::new(), at.start + 1);
    while next < at.end && entries.len() < 4096 {
        entries.push(next);
        let head = *input.get(next)? as usize;
        next += match head >> 5 {
            0..=3 => 1 + head,
            4 | 5 => 2 + ((head & 0x3f) << 8) + *input.get(next + 1)? as usize,
            _ => break,
        };
    }
    let entry = *entries.get(below(rng, entries.len()))?;
    match rng.between(0, 4) {
        0 => {
            let length = changed((*input.get(entry)?).into(), at.len() as u32, rng);
            put(input, entry, &[length as u8])
        }
        1 => put(input, entry, &rng.one(&[[0x80, 0x00], [0xbf, 0xff], [0xc0, 0x00], [0xdf, 0xff], [0xff, 0xff]])),
        // Compressed numbers and their limits.
        2 => {
            let within = entry + 1 + below(rng, (*input.get(entry)? as usize).min(0x7f));
            let numbers: [&[u8]; 7] =
                [&[0], &[0x7f], &[0x80, 0x80], &[0xbf, 0xff], &[0xc0, 0, 0x40, 0], &[0xdf, 0xff, 0xff, 0xff], &[0xff]];
            put(input, within, rng.one(&numbers))
        }
        _ => {
            let from = *entries.get(below(rng, entries.len()))?;
            let blob = input.get(from..(from + 1 + below(rng, 64)).min(at.end))?.to_vec();
            put(input, entry, &blob)
        }
    }
}

/// A zero more or less: names that run into each other, empty ones, and characters that are none.
fn strings(input: &mut [u8], at: Range<usize>, rng: &mut Rng) -> Option<()> {
    let place = at.start + below(rng, at.len());
    put(input, place, &[rng.one(&[0, b'a', b'.', b'/', b'\\', b'<', 0x1b, 0x80, 0xff])])
}

fn any_number(input: &mut [u8], at: Range<usize>, rng: &mut Rng) -> Option<()> {
    change_u32(input, at.start + below(rng, at.len()) / 4 * 4, MANY_ROWS, rng)
}
