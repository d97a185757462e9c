//! Embeds a named stream in a copy of a PDB, as `pdbstr -w` does.
//!
//! The stream is added or replaced; a new one gets a name in the PDB info stream.

use std::collections::{BTreeMap, BTreeSet};

use super::hash::string_hash;
use super::info::{
    NAME_COUNT, NAME_OFFSET, NAMES_SIZE, SLOT_COUNT, STREAM, STREAM_NAMES, USED_BITS, VERSION, WORD_COUNT,
};
use super::streams::INFO;
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Region, Result, Spaces, Span};
use crate::msf::Msf;
use crate::msf::write::{Draft, Edit};

/// Embeds `content` as the stream called `name`, which is added if there is none.
pub fn put_stream(msf: &Msf, spaces: &Spaces, name: &str, content: &[u8]) -> Result<Edit> {
    if let Some(problem) = msf.problems.first() {
        return Err(problem.clone());
    }
    let mut draft = Draft::new(msf, spaces);
    let info = NameTable::parse(&draft.region(INFO)?)?;
    let stream = match info.find(name) {
        Some(stream) if msf.stream(stream).is_some_and(|stream| !stream.is_nil()) => stream,
        Some(stream) => {
            return Err(Error::no_such("stream", stream, msf.stream_count() as u64, Span::new(msf.directory, 0, 4)));
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

/// The PDB info stream, split where a name is added.
struct NameTable {
    /// Bytes before the names.
    head: Vec<u8>,
    /// NUL-terminated names.
    names: Vec<u8>,
    /// Number of slots of the hash table.
    capacity: u32,
    /// Used slots: offset of the name, and stream number.
    slots: BTreeMap<u32, (u32, u32)>,
    deleted: BTreeSet<u32>,
    /// Bytes after the table: features.
    tail: Vec<u8>,
}

impl NameTable {
    fn parse(region: &Region) -> Result<Self> {
        let whole = region.slice();
        let mut cursor = whole.cursor();
        let version = cursor.u32(&VERSION)?;
        // A GUID follows signature and age since Visual C++ 7.
        cursor.skip(if version > 19_990_604 { 24 } else { 8 })?;
        let head = whole.part(0, cursor.consumed())?.data.to_vec();
        let size = cursor.u32(&NAMES_SIZE)?;
        let names = cursor.bytes(&STREAM_NAMES, size as u64)?.data.to_vec();
        let start = cursor.position();
        let (count, capacity) = (cursor.u32(&NAME_COUNT)?, cursor.u32(&SLOT_COUNT)?);
        let present: Vec<u32> = bits(&mut cursor)?;
        let deleted: BTreeSet<u32> = bits(&mut cursor)?;
        if present.len() != count as usize || present.last().is_some_and(|last| *last >= capacity) {
            let sentence = "the table of named streams has more or fewer used slots than names";
            return Err(cursor.error_since(start, ErrorKind::Invalid(sentence)));
        }
        let mut slots = BTreeMap::new();
        for slot in present {
            slots.insert(slot, (cursor.u32(&NAME_OFFSET)?, cursor.u32(&STREAM)?));
        }
        let tail = cursor.remaining().to_vec();
        Ok(Self { head, names, capacity, slots, deleted, tail })
    }

    fn name(&self, offset: u32) -> &[u8] {
        let rest = self.names.get(offset as usize..).unwrap_or_default();
        rest.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Finds the stream called `name` without the hash.
    fn find(&self, name: &str) -> Option<u32> {
        self.slots.values().find(|(offset, _)| self.name(*offset) == name.as_bytes()).map(|(_, stream)| *stream)
    }

    fn with(mut self, name: &str, stream: u32) -> Result<Self> {
        let offset = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.extend(name.bytes());
        self.names.push(0);
        if self.slots.len() as u64 + 1 >= load(self.capacity) {
            // Growth as in Microsoft's and LLVM's hash tables.
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

    /// Puts a name into the first unused slot, beginning with that of its hash.
    fn insert(&mut self, offset: u32, stream: u32) -> Result<()> {
        let full = || Error::invalid("the table of named streams is full", Span::default());
        let start = (string_hash(self.name(offset)) as u16 as u32).checked_rem(self.capacity).ok_or_else(full)?;
        let slot =
            (start..self.capacity).chain(0..start).find(|slot| !self.slots.contains_key(slot)).ok_or_else(full)?;
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

/// Returns the number of names that a table of `capacity` slots takes before it grows.
const fn load(capacity: u32) -> u64 {
    capacity as u64 * 2 / 3 + 1
}

/// Reads a set of slots: number of words, then one bit per slot.
fn bits<N: Recorder, S: FromIterator<u32>>(cursor: &mut Cursor<'_, N>) -> Result<S> {
    let count = cursor.u32(&WORD_COUNT)?;
    let bytes = cursor.bytes(&USED_BITS, u64::from(count) * 4)?;
    let set = |(index, byte): (usize, &u8)| {
        let byte = *byte;
        (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| (index as u32) << 3 | bit)
    };
    Ok(bytes.data.iter().enumerate().flat_map(set).collect())
}

/// Encodes a set of slots as the number of words and the words.
fn words(slots: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut words = vec![0];
    for slot in slots {
        let index = slot as usize / 32 + 1;
        words.resize(words.len().max(index + 1), 0);
        if let Some(word) = words.get_mut(index) {
            *word |= 1 << (slot % 32);
        }
    }
    let count = (words.len() as u32).saturating_sub(1);
    if let Some(first) = words.first_mut() {
        *first = count;
    }
    words
}

#[cfg(test)]
mod tests;
