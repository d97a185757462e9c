//! Putting a named stream into a copy of an MSF file, with everything else left as it is.
//!
//! What `pdbstr -w` does: the stream is new, or has new content; the PDB info stream has its name; directory, page list, free
//! page map and superblock know. Pages that belong to what changes are used again, further ones are added at the end of the
//! file, and all other bytes stay. The result is a list of patches, so that a file of gigabytes is copied, not held.

use std::collections::{BTreeMap, BTreeSet};

use super::{Msf, NIL, Owner};
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Region, Result, Spaces, Span};

/// How a copy of a file differs from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// How long the copy is.
    pub len: u64,
    /// What is written over it, in order.
    pub patches: Vec<Patch>,
}

/// Bytes that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The offset in the file of the first of them.
    pub offset: u64,
    /// What is there in the copy.
    pub bytes: Vec<u8>,
}

impl Edit {
    /// The copy of `original`, in memory.
    pub fn apply(&self, original: &[u8]) -> Vec<u8> {
        let mut copy = original.to_vec();
        copy.resize(self.len as usize, 0);
        for patch in &self.patches {
            let at = copy.get_mut(patch.offset as usize..).and_then(|rest| rest.get_mut(..patch.bytes.len()));
            if let Some(at) = at {
                at.copy_from_slice(&patch.bytes);
            }
        }
        copy
    }
}

/// How to put `content` into the file as the stream called `name`, which is made if there is none.
pub fn put_stream(msf: &Msf, spaces: &Spaces, name: &str, content: &[u8]) -> Result<Edit> {
    if let Some(problem) = msf.problems.first() {
        return Err(problem.clone());
    }
    let mut draft = Draft::new(msf, spaces);
    let info = Info::parse(&draft.region(INFO)?)?;
    let stream = match info.find(name) {
        Some(stream) if msf.stream(stream).is_some_and(|stream| !stream.is_nil()) => stream,
        Some(stream) => {
            let kind = ErrorKind::NoSuch { what: "stream", index: stream as u64, count: msf.stream_count() as u64 };
            return Err(Error::new(kind, Span::new(msf.directory, 0, 4)));
        }
        None => {
            let stream = msf.stream_count();
            draft.put(INFO, &info.with(name, stream)?.encode())?;
            stream
        }
    };
    draft.put(stream, content)?;
    draft.finish()
}

/// The stream with the names of the others.
const INFO: u32 = 1;

/// Streams beyond this have no number that fits where a PDB refers to streams.
const MOST_STREAMS: u32 = 0xffff;

/// A copy in the making.
struct Draft<'a> {
    msf: &'a Msf,
    spaces: &'a Spaces,
    page_size: u64,
    /// How many pages the copy has.
    page_count: u32,
    /// Pages that were free, or not there, and are used.
    taken: BTreeSet<u32>,
    /// Pages that were used and are free.
    freed: BTreeSet<u32>,
    /// Sizes and pages of the streams that change.
    changed: BTreeMap<u32, (u32, Vec<u32>)>,
    /// By offset.
    patches: BTreeMap<u64, Vec<u8>>,
}

impl<'a> Draft<'a> {
    fn new(msf: &'a Msf, spaces: &'a Spaces) -> Self {
        Self {
            msf,
            spaces,
            page_size: msf.page_size() as u64,
            page_count: msf.superblock.page_count,
            taken: BTreeSet::new(),
            freed: BTreeSet::new(),
            changed: BTreeMap::new(),
            patches: BTreeMap::new(),
        }
    }

    fn region(&self, stream: u32) -> Result<Region> {
        let kind = ErrorKind::NoSuch { what: "stream", index: stream as u64, count: self.msf.stream_count() as u64 };
        let found = self.msf.stream(stream).ok_or(Error::new(kind, Span::new(self.msf.directory, 0, 4)))?;
        self.spaces.region(found.space)
    }

    fn too_large(&self, what: &'static str, size: u64, ceiling: u64) -> Error {
        Error::new(ErrorKind::TooLarge { what, size, ceiling }, Span::new(self.msf.file, 0, 0))
    }

    /// Gives `stream` this content.
    fn put(&mut self, stream: u32, content: &[u8]) -> Result<()> {
        let size = u32::try_from(content.len()).ok().filter(|size| *size != NIL);
        let size = size.ok_or_else(|| self.too_large("a stream", content.len() as u64, NIL as u64 - 1))?;
        if stream >= MOST_STREAMS {
            return Err(self.too_large("the number of streams", stream as u64 + 1, MOST_STREAMS as u64));
        }
        let old = self.msf.stream(stream).map_or(&[][..], |stream| stream.pages);
        let pages = self.write(old, content)?;
        self.changed.insert(stream, (size, pages));
        Ok(())
    }

    /// Writes `content` on the pages `old`, on fewer or on more, and returns them.
    fn write(&mut self, old: &[u32], content: &[u8]) -> Result<Vec<u32>> {
        let count = content.len().div_ceil(self.page_size as usize);
        // A page that something else has as well is left to it.
        let map = self.msf.page_map(self.spaces);
        let own = old.iter().copied().filter(|page| matches!(map.owner(self.msf, *page), Owner::One(_)));
        let mut pages: Vec<u32> = own.collect();
        self.freed.extend(pages.drain(count.min(pages.len())..));
        while pages.len() < count {
            pages.push(self.new_page()?);
        }
        for (page, part) in pages.iter().zip(content.chunks(self.page_size as usize)) {
            let mut bytes = part.to_vec();
            bytes.resize(self.page_size as usize, 0);
            self.patches.insert(*page as u64 * self.page_size, bytes);
        }
        Ok(pages)
    }

    /// A page at the end of the file. Those that belong to the free page maps are passed over.
    fn new_page(&mut self) -> Result<u32> {
        loop {
            let page = self.page_count;
            self.page_count = page.checked_add(1).ok_or_else(|| self.too_large("the file", u64::MAX, u64::MAX))?;
            self.taken.insert(page);
            if !matches!(page as u64 % self.page_size, 1 | 2) {
                return Ok(page);
            }
            // A new page of a map: all that it stands for is free until it is taken.
            self.patches.insert(page as u64 * self.page_size, vec![0xff; self.page_size as usize]);
        }
    }

    fn finish(mut self) -> Result<Edit> {
        let directory = self.directory();
        let size = directory.len() as u32;
        let pages_of = |claimed: &[u32], from: u32, len: usize| {
            claimed.get(from as usize..).and_then(|rest| rest.get(..len)).map_or(Vec::new(), <[u32]>::to_vec)
        };
        let (first, len) = (self.msf.directory_first, self.msf.superblock.directory_pages() as usize);
        let old = pages_of(&self.msf.pages, first, len);
        let pages = self.write(&old, &directory)?;
        let list: Vec<u8> = pages.iter().flat_map(|page| page.to_le_bytes()).collect();
        let list_pages = self.write(&self.msf.superblock.page_list.clone(), &list)?;
        let room = (self.page_size - LIST_AT) / 4;
        if list_pages.len() as u64 > room {
            return Err(self.too_large("the directory's page list", list_pages.len() as u64, room));
        }
        self.write_map()?;
        let list: Vec<u8> = list_pages.iter().flat_map(|page| page.to_le_bytes()).collect();
        self.patches.insert(PAGE_COUNT_AT, [self.page_count, size].iter().flat_map(|n| n.to_le_bytes()).collect());
        self.patches.insert(LIST_AT, list);
        let patches = self.patches.into_iter().map(|(offset, bytes)| Patch { offset, bytes }).collect();
        Ok(Edit { len: self.page_count as u64 * self.page_size, patches })
    }

    /// The directory of the copy.
    fn directory(&self) -> Vec<u8> {
        let count = self.changed.keys().fold(self.msf.stream_count(), |count, stream| count.max(stream + 1));
        let mut sizes = vec![count];
        let mut pages = Vec::new();
        for stream in 0..count {
            match (self.changed.get(&stream), self.msf.stream(stream)) {
                (Some((size, numbers)), _) => {
                    sizes.push(*size);
                    pages.extend_from_slice(numbers);
                }
                (None, Some(stream)) => {
                    sizes.push(stream.size);
                    pages.extend_from_slice(stream.pages);
                }
                (None, None) => sizes.push(NIL),
            }
        }
        sizes.iter().chain(&pages).flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Brings the active free page map up to date.
    fn write_map(&mut self) -> Result<()> {
        let [one, two] = self.msf.free_page_maps;
        let first = if self.msf.superblock.active_map == 2 { 2 } else { 1 };
        let old = self.spaces.region(if first == 2 { two } else { one })?;
        let mut map = old.bytes().to_vec();
        map.resize((self.page_count as usize).div_ceil(8).max(map.len()), 0xff);
        for (pages, free) in [(&self.taken, false), (&self.freed, true)] {
            for page in pages {
                if let Some(byte) = map.get_mut(*page as usize / 8) {
                    let bit = 1 << (page % 8);
                    *byte = if free { *byte | bit } else { *byte & !bit };
                }
            }
        }
        let step = self.page_size as usize;
        for (index, (new, page)) in map.chunks(step).zip((first..).step_by(step)).enumerate() {
            let same = old.bytes().chunks(step).nth(index).is_some_and(|old| old == new);
            if !same && page < self.page_count {
                let mut bytes = new.to_vec();
                bytes.resize(step, 0xff);
                self.patches.insert(page as u64 * self.page_size, bytes);
            }
        }
        Ok(())
    }
}

/// Where the superblock has the number of pages, behind which is the size of the directory.
const PAGE_COUNT_AT: u64 = 0x28;
/// Where the superblock has the pages of the directory's page list.
const LIST_AT: u64 = 0x34;

/// The PDB info stream, as far as it has to be known to add a name to it.
struct Info {
    /// What comes before the names.
    head: Vec<u8>,
    /// The names, each ended by a NUL.
    names: Vec<u8>,
    /// How many slots the hash table has.
    capacity: u32,
    /// The used slots: the offset of a name, and its stream.
    slots: BTreeMap<u32, (u32, u32)>,
    /// The slots that were used once.
    deleted: BTreeSet<u32>,
    /// What comes behind the table: features.
    tail: Vec<u8>,
}

impl Info {
    fn parse(region: &Region) -> Result<Self> {
        let whole = region.slice();
        let mut cursor = whole.cursor();
        let version = cursor.u32("version")?;
        // A GUID follows signature and age since Visual C++ 7.
        cursor.skip(if version > 19_990_604 { 24 } else { 8 })?;
        let head = whole.part(0, cursor.consumed())?.data.to_vec();
        let size = cursor.u32("size of the names")?;
        let names = cursor.bytes("names", size as u64)?.data.to_vec();
        let start = cursor.position();
        let (count, capacity) = (cursor.u32("count")?, cursor.u32("capacity")?);
        let present: Vec<u32> = bits(&mut cursor)?;
        let deleted: BTreeSet<u32> = bits(&mut cursor)?;
        if present.len() != count as usize || present.last().is_some_and(|last| *last >= capacity) {
            let sentence = "the table of named streams has more or fewer used slots than names";
            return Err(cursor.error_since(start, ErrorKind::Invalid(sentence)));
        }
        let mut slots = BTreeMap::new();
        for slot in present {
            slots.insert(slot, (cursor.u32("name")?, cursor.u32("stream")?));
        }
        let tail = cursor.remaining().to_vec();
        Ok(Self { head, names, capacity, slots, deleted, tail })
    }

    fn name(&self, offset: u32) -> &[u8] {
        let rest = self.names.get(offset as usize..).unwrap_or_default();
        rest.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// The stream called `name`, found as a reader without the hash would.
    fn find(&self, name: &str) -> Option<u32> {
        self.slots.values().find(|(offset, _)| self.name(*offset) == name.as_bytes()).map(|(_, stream)| *stream)
    }

    /// The table with one more name.
    fn with(mut self, name: &str, stream: u32) -> Result<Self> {
        let offset = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.extend(name.bytes());
        self.names.push(0);
        if self.slots.len() as u64 + 1 >= load(self.capacity) {
            // As in Microsoft's map and LLVM's: room for as many names again.
            self.capacity = u32::try_from(load(self.capacity) * 2).unwrap_or(u32::MAX);
            self.deleted.clear();
            let all = std::mem::take(&mut self.slots);
            for (offset, stream) in all.into_values() {
                self.insert(offset, stream)?;
            }
        }
        self.insert(offset, stream)?;
        Ok(self)
    }

    /// Puts a name into the first slot that is not used, from the one that its hash says on.
    fn insert(&mut self, offset: u32, stream: u32) -> Result<()> {
        let full = Error::invalid("the table of named streams has no room", Span::default());
        let start = (hash(self.name(offset)) as u16 as u32).checked_rem(self.capacity).ok_or(full.clone())?;
        let slot = (start..self.capacity).chain(0..start).find(|slot| !self.slots.contains_key(slot)).ok_or(full)?;
        self.deleted.remove(&slot);
        self.slots.insert(slot, (offset, stream));
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = self.head.clone();
        let numbers = |out: &mut Vec<u8>, numbers: &[u32]| out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        numbers(&mut out, &[self.names.len() as u32]);
        out.extend_from_slice(&self.names);
        numbers(&mut out, &[self.slots.len() as u32, self.capacity]);
        numbers(&mut out, &words(self.slots.keys().copied()));
        numbers(&mut out, &words(self.deleted.iter().copied()));
        for (offset, stream) in self.slots.values() {
            numbers(&mut out, &[*offset, *stream]);
        }
        out.extend_from_slice(&self.tail);
        out
    }
}

/// How many names a table of `capacity` slots takes before it grows.
const fn load(capacity: u32) -> u64 {
    capacity as u64 * 2 / 3 + 1
}

/// Reads a set of slots: how many words, and a bit for each slot.
fn bits<N: Recorder, S: FromIterator<u32>>(cursor: &mut Cursor<'_, N>) -> Result<S> {
    let count = cursor.u32("words")?;
    let bytes = cursor.bytes("bits", count as u64 * 4)?;
    let set = |(index, byte): (usize, &u8)| {
        let byte = *byte;
        (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| index as u32 * 8 + bit)
    };
    Ok(bytes.data.iter().enumerate().flat_map(set).collect())
}

/// The same the other way: how many words, and the words.
fn words(slots: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut words = vec![0];
    for slot in slots {
        let index = slot as usize / 32 + 1;
        words.resize(words.len().max(index + 1), 0);
        if let Some(word) = words.get_mut(index) {
            *word |= 1 << (slot % 32);
        }
    }
    let count = words.len() as u32 - 1;
    if let Some(first) = words.first_mut() {
        *first = count;
    }
    words
}

/// The hash of Microsoft's string tables, `LHashPbCb`: the bytes xored together four at a time, without regard to case.
fn hash(text: &[u8]) -> u32 {
    let (words, rest) = text.as_chunks::<4>();
    let mut hash = words.iter().fold(0, |hash, word| hash ^ u32::from_le_bytes(*word));
    let (halves, rest) = rest.as_chunks::<2>();
    hash = halves.iter().fold(hash, |hash, half| hash ^ u16::from_le_bytes(*half) as u32);
    hash = rest.iter().fold(hash, |hash, byte| hash ^ *byte as u32);
    hash |= 0x2020_2020;
    hash ^= hash >> 11;
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Origin, SpaceId};
    use crate::formats::msf::Claim;
    use std::sync::Arc;

    const SAMPLES: [&str; 5] = [
        "ticker-windows/Ticker.pdb",
        "ticker-windows-release/Ticker.pdb",
        "workshop-windows/Workshop.pdb",
        "ledger-windows/Ledger.pdb",
        "native/tally.pdb",
    ];

    fn sample(name: &str) -> Vec<u8> {
        std::fs::read(format!("{}/assets/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn open(bytes: &[u8]) -> (Spaces, Msf) {
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("f", Origin::File("f".into()), bytes.to_vec()).span().space;
        let msf = Msf::open(&mut spaces, file).unwrap();
        (spaces, msf)
    }

    fn put(bytes: &[u8], name: &str, content: &[u8]) -> Vec<u8> {
        let (spaces, msf) = open(bytes);
        put_stream(&msf, &spaces, name, content).unwrap().apply(bytes)
    }

    /// Every stream of the copy but info and `name` is as before, `name` has `content`, and the page maps are right.
    fn assert_copy(before: &[u8], after: &[u8], name: &str, content: &[u8]) {
        let ((old_spaces, old), (spaces, msf)) = (open(before), open(after));
        assert_eq!(msf.problems, []);
        let map = msf.page_map(&spaces);
        assert_eq!(map.problems, []);
        for page in 0..msf.superblock.page_count {
            let owner = map.owner(&msf, page);
            assert!(matches!(owner, Owner::One(_) | Owner::Free), "page {page}: {owner:?}");
            // Stream 0, the directory of the last commit but one, is kept in free pages.
            let old_directory = matches!(owner, Owner::One(Claim::Stream { stream: 0, .. }));
            assert!(old_directory || owner == Owner::Free || !map.is_free(page), "page {page}: {owner:?}");
        }
        let mut peer = pdb::PDB::open(std::io::Cursor::new(after)).unwrap();
        let found = peer.named_stream(name.as_bytes()).unwrap();
        assert_eq!(found.as_slice(), content);
        let named = Info::parse(&spaces.region(msf.stream(1).unwrap().space).unwrap()).unwrap();
        let stream = named.find(name).unwrap();
        for old_stream in old.streams().filter(|old| old.index != 1 && old.index != stream) {
            let new = msf.stream(old_stream.index).unwrap();
            assert_eq!((new.size, new.pages), (old_stream.size, old_stream.pages));
            assert_eq!(
                old_spaces.region(old_stream.space).unwrap().bytes(),
                spaces.region(new.space).unwrap().bytes(),
                "stream {}",
                new.index
            );
        }
        assert_eq!(spaces.region(msf.stream(stream).unwrap().space).unwrap().bytes(), content);
    }

    #[test]
    fn the_hash_finds_the_names_that_others_wrote() {
        for name in SAMPLES {
            let (spaces, msf) = open(&sample(name));
            let info = Info::parse(&spaces.region(msf.stream(1).unwrap().space).unwrap()).unwrap();
            for (offset, _) in info.slots.values() {
                let start = hash(info.name(*offset)) as u16 as u32 % info.capacity;
                let mut probe = (start..info.capacity).chain(0..start);
                let found = probe.find_map(|slot| match info.slots.get(&slot) {
                    Some((other, _)) if other == offset => Some(true),
                    None if !info.deleted.contains(&slot) => Some(false),
                    _ => None,
                });
                assert_eq!(found, Some(true), "{name}: {}", String::from_utf8_lossy(info.name(*offset)));
            }
            // What is not changed is written as it was read.
            assert_eq!(info.encode(), spaces.region(msf.stream(1).unwrap().space).unwrap().bytes(), "{name}");
        }
    }

    #[test]
    fn a_stream_is_added_replaced_shortened_and_grown() {
        for name in SAMPLES {
            let before = sample(name);
            let mut copy = before.clone();
            for len in [0, 10, 5000, 70_000, 300_000, 3] {
                let content: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
                let next = put(&copy, "srcsrv", &content);
                assert_copy(&copy, &next, "srcsrv", &content);
                assert_copy(&before, &next, "srcsrv", &content);
                copy = next;
            }
        }
    }

    #[test]
    fn the_same_content_again_changes_nothing() {
        let before = sample("native/tally.pdb");
        let (spaces, msf) = open(&before);
        let stream =
            Info::parse(&spaces.region(msf.stream(1).unwrap().space).unwrap()).unwrap().find("srcsrv").unwrap();
        let content = spaces.region(msf.stream(stream).unwrap().space).unwrap();
        assert_eq!(put(&before, "srcsrv", content.bytes()), before);
    }

    #[test]
    fn many_names_make_the_table_grow() {
        let mut copy = sample("ticker-windows/Ticker.pdb");
        for number in 0..40 {
            let name = format!("stream-{number}");
            let next = put(&copy, &name, name.as_bytes());
            assert_copy(&copy, &next, &name, name.as_bytes());
            copy = next;
        }
        let mut peer = pdb::PDB::open(std::io::Cursor::new(&copy)).unwrap();
        for number in 0..40 {
            let name = format!("stream-{number}");
            assert_eq!(peer.named_stream(name.as_bytes()).unwrap().as_slice(), name.as_bytes());
        }
    }

    #[test]
    fn a_damaged_file_is_not_written() {
        let bytes = sample("native/tally.pdb");
        let (spaces, msf) = open(&bytes[..bytes.len() - 1]);
        assert!(put_stream(&msf, &spaces, "srcsrv", b"").is_err());
        // A table of names that says it has more than there are.
        let info = Info {
            head: vec![0; 12],
            names: vec![],
            capacity: 8,
            slots: BTreeMap::new(),
            deleted: BTreeSet::new(),
            tail: vec![],
        };
        let mut bytes = info.encode();
        bytes[16] = 1;
        assert!(Info::parse(&Region::whole(SpaceId(0), Arc::new(bytes.clone()))).is_err());
        for len in 0..bytes.len() {
            let _ = Info::parse(&Region::whole(SpaceId(0), Arc::new(bytes[..len].to_vec())));
        }
    }
}
