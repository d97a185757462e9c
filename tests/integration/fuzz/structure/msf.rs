//! MSF: superblock, stream sizes, page lists, and the bytes of a stream wherever its pages are.

use super::bytes::{below, change_u32, changed, put, u32_at};
use crate::support::synth::rng::Rng;

/// Offset of the page size in the superblock.
const PAGE_SIZE: usize = 32;

/// The directory: where each of its numbers is in the file.
struct Directory {
    page_size: usize,
    numbers: Vec<usize>,
}

/// A stream: index of its size among the numbers of the directory, index of its first page, count of pages.
struct Stream {
    size: usize,
    first: usize,
    pages: usize,
}

pub fn mutate(input: &mut [u8], other: &[u8], rng: &mut Rng) -> Option<()> {
    let pages = input.len() as u32 / u32_at(input, PAGE_SIZE)?.max(1);
    let directory = directory(input)?;
    let streams = streams(input, &directory);
    let number = |index: usize| directory.numbers.get(index).copied();
    let stream = streams.get(below(rng, streams.len()))?;
    let page = number(stream.first + below(rng, stream.pages));
    match rng.between(0, 12) {
        // Page size, free page map, page count, size and list of the directory.
        0 => change_u32(input, PAGE_SIZE + 4 * below(rng, 6), pages, rng),
        1 => change_u32(input, number(0)?, pages, rng),
        2 => change_u32(input, number(stream.size)?, rng.one(&[u32::MAX, 0x7fff_ffff, pages]), rng),
        3 => change_u32(input, page?, pages, rng),
        // Pages that two streams share, or that a stream has twice.
        4 => {
            let from = streams.get(below(rng, streams.len()))?;
            let shared = u32_at(input, number(from.first + below(rng, from.pages))?)?;
            put(input, page?, &shared.to_le_bytes())
        }
        // Two lists that change places.
        5 => {
            let from = streams.get(below(rng, streams.len()))?;
            for index in 0..stream.pages.min(from.pages) {
                let (a, b) = (number(stream.first + index)?, number(from.first + index)?);
                let (old_a, old_b) = (u32_at(input, a)?, u32_at(input, b)?);
                put(input, a, &old_b.to_le_bytes())?;
                put(input, b, &old_a.to_le_bytes())?;
            }
            Some(())
        }
        // The directory itself as a page of a stream, and the first page.
        6 => {
            let taken = [0, 1, 2, (number(0)? / directory.page_size) as u32];
            put(input, page?, &rng.one(&taken).to_le_bytes())
        }
        7 => graft(input, &directory, page?, other, rng),
        // The header of a stream has its counts and sizes; most of what follows is believed by them.
        8 | 9 => {
            let start = u32_at(input, number(stream.first)?)? as usize * directory.page_size;
            change_u32(input, start + 4 * below(rng, 16), 0x00ff_ffff, rng)
        }
        _ => {
            let at = u32_at(input, page?)? as usize * directory.page_size + below(rng, directory.page_size);
            let old = *input.get(at)?;
            put(input, at, &[changed(old.into(), 0xff, rng) as u8])
        }
    }
}

fn directory(input: &[u8]) -> Option<Directory> {
    let page_size = u32_at(input, PAGE_SIZE)? as usize;
    if !(256..=1 << 16).contains(&page_size) {
        return None;
    }
    let size = (u32_at(input, 44)? as usize).min(input.len());
    let list = u32_at(input, 52)? as usize * page_size;
    let mut numbers = Vec::new();
    for index in 0..size.div_ceil(page_size) {
        let page = u32_at(input, list + 4 * index)? as usize * page_size;
        let rest = size - index * page_size;
        numbers.extend((page..page + rest.min(page_size)).step_by(4));
    }
    Some(Directory { page_size, numbers })
}

fn streams(input: &[u8], directory: &Directory) -> Vec<Stream> {
    let at = |index: usize| directory.numbers.get(index).and_then(|at| u32_at(input, *at));
    let count = at(0).unwrap_or(0).min(4096) as usize;
    let (mut first, mut streams) = (1 + count, Vec::new());
    for index in 0..count {
        let Some(size) = at(1 + index) else { break };
        let pages = if size == u32::MAX { 0 } else { (size as usize).div_ceil(directory.page_size) };
        if pages > 0 && first + pages <= directory.numbers.len() {
            streams.push(Stream { size: 1 + index, first, pages });
        }
        first += pages;
    }
    streams
}

/// Puts a page of another file in the place of one.
fn graft(input: &mut [u8], directory: &Directory, page: usize, other: &[u8], rng: &mut Rng) -> Option<()> {
    let start = below(rng, other.len() / directory.page_size) * directory.page_size;
    let bytes = other.get(start..start + directory.page_size)?;
    let at = u32_at(input, page)? as usize * directory.page_size;
    put(input, at, bytes)
}
