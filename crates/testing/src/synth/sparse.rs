//! A sparse MSF file of a gigabyte: the metadata is written, the rest are holes.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::bytes::Put;
use super::msf::{self, MAGIC, NameTable};
use super::rng::Rng;

/// Writes a file of about `size` bytes with `streams` streams of zeros, beside those that every PDB has. Opening it should cost
/// what reading its superblock and its directory cost.
pub fn write(path: &Path, size: u64, page_size: u32, streams: u32) -> io::Result<()> {
    let mut file = File::create(path)?;
    let mut free = msf::usable(page_size as usize);
    let mut place = |file: &mut File, bytes: &[u8]| -> io::Result<Vec<u32>> {
        let mut pages = Vec::new();
        for chunk in bytes.chunks(page_size as usize) {
            pages.extend(free.next());
            file.seek(SeekFrom::Start(pages.last().map_or(0, |page| *page as u64 * page_size as u64)))?;
            file.write_all(chunk)?;
        }
        Ok(pages)
    };
    let guid = Rng::of(1, "sparse", 0).bytes();
    let small = [
        Vec::new(),
        msf::information(guid, 1, &[("/names", 5)]),
        msf::no_types(),
        Vec::new(),
        msf::no_types(),
        NameTable::new().write(),
    ];
    let (mut sizes, mut pages) = (Vec::new(), Vec::new());
    for stream in &small {
        sizes.push(stream.len() as u32);
        pages.extend(place(&mut file, stream)?);
    }
    // The directory is as long as it will be before it is known: four bytes a page.
    let total = (size / page_size as u64) as u32;
    let each = (total - total / 256) / streams - 1;
    let directory_size = 4 + (sizes.len() + streams as usize + pages.len() + (each * streams) as usize) * 4;
    let directory_pages = place(&mut file, &vec![0; directory_size])?;
    let mut list = Vec::new();
    list.put_u32s(&directory_pages);
    let list_pages = place(&mut file, &list)?;
    sizes.extend((0..streams).map(|_| each * page_size));
    pages.extend(free.by_ref().take((each * streams) as usize));
    let page_count = pages.last().map_or(0, |page| page + 1);
    let mut directory = Vec::new();
    directory.put_u32(sizes.len() as u32);
    directory.put_u32s(&sizes);
    directory.put_u32s(&pages);
    assert_eq!(directory.len(), directory_size);
    for (page, chunk) in directory_pages.iter().zip(directory.chunks(page_size as usize)) {
        file.seek(SeekFrom::Start(*page as u64 * page_size as u64))?;
        file.write_all(chunk)?;
    }
    let mut superblock = MAGIC.to_vec();
    superblock.put_u32s(&[page_size, 1, page_count, directory_size as u32, 0]);
    superblock.put_u32s(&list_pages);
    file.rewind()?;
    file.write_all(&superblock)?;
    // The rest is holes, and so are the free page maps: zeros say that every page is taken.
    file.set_len(page_count as u64 * page_size as u64)
}
