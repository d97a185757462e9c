//! The container of a Windows PDB: pages, a map of the free ones, and a directory that says which pages make up which stream.
//!
//! Page 0 is the superblock. In each interval of `page size` pages the second and the third belong to the two free page maps,
//! whatever they are needed for. The directory is in pages itself; a list says in which, and when that list is longer than a
//! page, the superblock names each of its pages.

use super::bytes::Put;

/// Streams by number. Streams 1 to 4 have a fixed meaning (PDB, TPI, DBI, IPI).
pub struct Msf {
    pub page_size: usize,
    pub streams: Vec<Vec<u8>>,
}

pub const MAGIC: &[u8; 32] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";

/// The pages that are not those of the free page maps, in order.
pub fn usable(page_size: usize) -> impl Iterator<Item = u32> {
    (3..).filter(move |page| !matches!(*page as usize % page_size, 1 | 2))
}

impl Msf {
    /// Stream 0, which is not read, and four to be filled in.
    pub fn new(page_size: usize) -> Self {
        Self { page_size, streams: vec![Vec::new(); 5] }
    }

    /// Adds a stream and returns its number.
    pub fn add(&mut self, stream: Vec<u8>) -> u16 {
        self.streams.push(stream);
        u16::try_from(self.streams.len() - 1).expect("a stream number has 16 bits")
    }

    /// Writes the file.
    pub fn write(&self) -> Vec<u8> {
        let (mut free, mut out) = (usable(self.page_size), vec![0; self.page_size * 3]);
        let pages: Vec<_> = self.streams.iter().map(|stream| self.place(stream, &mut free, &mut out)).collect();
        let mut directory = Vec::new();
        directory.put_u32(self.streams.len() as u32);
        directory.put_u32s(&self.streams.iter().map(|stream| stream.len() as u32).collect::<Vec<_>>());
        for pages in &pages {
            directory.put_u32s(pages);
        }
        let mut list = Vec::new();
        list.put_u32s(&self.place(&directory, &mut free, &mut out));
        let list_pages = self.place(&list, &mut free, &mut out);
        assert!(list_pages.len() <= (self.page_size - 0x34) / 4, "the superblock has no room for more");
        let page_count = (out.len() / self.page_size) as u32;
        let mut superblock = MAGIC.to_vec();
        superblock.put_u32s(&[self.page_size as u32, 1, page_count, directory.len() as u32, 0]);
        superblock.put_u32s(&list_pages);
        out[..superblock.len()].copy_from_slice(&superblock);
        self.map_free_pages(page_count as usize, &mut out);
        out
    }

    /// Writes a stream to free pages and returns them.
    fn place(&self, stream: &[u8], free: &mut impl Iterator<Item = u32>, out: &mut Vec<u8>) -> Vec<u32> {
        let place = |chunk: &[u8]| {
            let page = free.next().unwrap_or_default();
            out.resize(page as usize * self.page_size, 0);
            out.put(chunk);
            out.align(self.page_size);
            page
        };
        stream.chunks(self.page_size).map(place).collect()
    }

    /// One bit a page, set when it is free. What the map has beyond the last page counts as free, and the other map as well.
    fn map_free_pages(&self, page_count: usize, out: &mut [u8]) {
        let size = self.page_size;
        let mut map = vec![0xff; page_count.div_ceil(size) * size];
        map[..page_count / 8].fill(0);
        map[page_count / 8] = 0xff << (page_count % 8);
        for (interval, part) in map.chunks(size).enumerate() {
            for (page, bytes) in [(interval * size + 1, part), (interval * size + 2, &vec![0xff; size])] {
                if let Some(page) = out.get_mut(page * size..(page + 1) * size) {
                    page.copy_from_slice(bytes);
                }
            }
        }
    }
}

/// The `/names` stream: all file names, and a hash table to find them by. `NameTable::new` has the empty name at 0.
pub struct NameTable {
    bytes: Vec<u8>,
    known: std::collections::HashMap<String, u32>,
}

impl Default for NameTable {
    fn default() -> Self {
        Self::new()
    }
}

impl NameTable {
    pub fn new() -> Self {
        Self { bytes: vec![0], known: std::collections::HashMap::new() }
    }

    /// The offset of a name; each is written once.
    pub fn add(&mut self, name: &str) -> u32 {
        if let Some(at) = self.known.get(name) {
            return *at;
        }
        let at = self.bytes.len() as u32;
        self.bytes.put_z(name);
        self.known.insert(name.to_owned(), at);
        at
    }

    /// Writes the stream.
    pub fn write(&self) -> Vec<u8> {
        let mut buckets = vec![0u32; self.known.len() * 5 / 4 + 1];
        let mut names: Vec<_> = self.known.iter().map(|(name, at)| (*at, name)).collect();
        names.sort_unstable();
        for (at, name) in &names {
            let wanted = hash(name.as_bytes()) as usize % buckets.len();
            let (before, after) = buckets.split_at_mut(wanted);
            if let Some(bucket) = after.iter_mut().chain(before).find(|bucket| **bucket == 0) {
                *bucket = *at;
            }
        }
        let mut out = Vec::new();
        out.put_u32s(&[0xeffe_effe, 1, self.bytes.len() as u32]);
        out.put(&self.bytes);
        out.put_u32(buckets.len() as u32);
        out.put_u32s(&buckets);
        out.put_u32(names.len() as u32);
        out
    }
}

/// Version 1 of the hash of names: exclusive or of their words, regardless of case.
fn hash(name: &[u8]) -> u32 {
    let words = name.chunks_exact(4);
    let pairs = words.remainder().chunks_exact(2);
    let last = pairs.remainder().first().map_or(0, |byte| *byte as u32);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | *byte as u32);
    let sum = words.chain(pairs).fold(last, |sum, chunk| sum ^ number(chunk)) | 0x2020_2020;
    let mixed = sum ^ sum >> 11;
    mixed ^ mixed >> 16
}

/// The `PDB` stream: who this is, and what streams are called.
pub fn information(guid: [u8; 16], age: u32, named: &[(&str, u16)]) -> Vec<u8> {
    let mut out = Vec::new();
    out.put_u32s(&[20_000_404, 0x5f5e_1000, age]);
    out.put(&guid);
    let (mut names, mut pairs) = (Vec::new(), Vec::new());
    for (name, stream) in named {
        pairs.put_u32s(&[names.len() as u32, *stream as u32]);
        names.put_z(name);
    }
    out.put_u32(names.len() as u32);
    out.put(&names);
    // A hash table in which every bucket is taken, and none was deleted; then the feature "has an IPI stream".
    let count = named.len() as u32;
    out.put_u32s(&[count, count, 1, (1 << count) - 1, 0]);
    out.put(&pairs);
    // The number of name indexes ends the map.
    out.put_u32(0);
    out.put_u32(20_140_508);
    out
}

/// The TPI or the IPI stream, without a type.
pub fn no_types() -> Vec<u8> {
    types(&[])
}

/// The TPI or the IPI stream with these records, which are written without their lengths.
pub fn types(records: &[Vec<u8>]) -> Vec<u8> {
    let mut body = Vec::new();
    for record in records {
        let size = (record.len() + 2).next_multiple_of(4) - 2;
        body.put_u16(size as u16);
        body.put(record);
        // Padding says how much of it is left.
        (0..size - record.len()).rev().for_each(|left| body.put(&[0xf1 + left as u8]));
    }
    let mut out = Vec::new();
    let end = 0x1000 + records.len() as u32;
    out.put_u32s(&[20_040_203, 56, 0x1000, end, body.len() as u32, u32::MAX, 4, 0x3_ffff]);
    out.put_u32s(&[0, u32::MAX, 0, u32::MAX, 0, u32::MAX]);
    out.put(&body);
    out
}
