//! The heaps of a metadata root (ECMA-335 II.24.2.3 to II.24.2.5).

use std::collections::HashMap;

use super::bytes::Put;

/// `#Strings`, `#US`, `#GUID` and `#Blob`.
pub struct Heaps {
    pub strings: Vec<u8>,
    pub user_strings: Vec<u8>,
    pub guids: Vec<u8>,
    pub blobs: Vec<u8>,
    known_strings: HashMap<String, u32>,
    known_blobs: HashMap<Vec<u8>, u32>,
    before: Before,
}

/// Sizes of the heaps in earlier generations, in bytes; 0 unless this is a delta.
#[derive(Default)]
struct Before {
    strings: u32,
    user_strings: u32,
    blobs: u32,
}

impl Heaps {
    /// Heaps with nothing but the empty entry at 0 that each but `#GUID` begins with.
    pub fn new() -> Self {
        Self {
            strings: vec![0],
            user_strings: vec![0],
            guids: Vec::new(),
            blobs: vec![0],
            known_strings: HashMap::new(),
            known_blobs: HashMap::new(),
            before: Before::default(),
        }
    }

    /// The heaps of a delta to a module with `base`. Indexes go on where those of the base end: `#Strings` as it is, the
    /// others padded. But `#GUID` is not appended, it replaces that of the base, so it begins with as many.
    pub fn after(base: &Self) -> Self {
        let padded = |heap: &Vec<u8>| heap.len().next_multiple_of(4) as u32;
        let before = Before {
            strings: base.strings.len() as u32,
            user_strings: padded(&base.user_strings),
            blobs: padded(&base.blobs),
        };
        Self { before, guids: vec![0; base.guids.len()], ..Self::new() }
    }

    /// The index of `text` in `#Strings`; each is written once.
    pub fn string(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        if let Some(at) = self.known_strings.get(text) {
            return *at;
        }
        let at = self.before.strings + self.strings.len() as u32;
        self.strings.put_z(text);
        self.known_strings.insert(text.to_owned(), at);
        at
    }

    /// Appends to `#US`; its index is what a `0x70…` token holds.
    pub fn user_string(&mut self, text: &str) -> u32 {
        let at = self.before.user_strings + self.user_strings.len() as u32;
        self.user_strings.put_compressed(text.encode_utf16().count() as u32 * 2 + 1);
        self.user_strings.put_utf16(text);
        self.user_strings.push(u8::from(!text.is_ascii()));
        at
    }

    /// Appends to `#GUID`; indexes count GUIDs, from one.
    pub fn guid(&mut self, guid: [u8; 16]) -> u32 {
        self.guids.put(&guid);
        self.guids.len() as u32 / 16
    }

    /// Appends to `#Blob`.
    pub fn blob(&mut self, blob: &[u8]) -> u32 {
        let at = self.before.blobs + self.blobs.len() as u32;
        self.blobs.put_compressed(blob.len() as u32);
        self.blobs.put(blob);
        at
    }

    /// The index of `blob` in `#Blob`; each is written once.
    pub fn blob_once(&mut self, blob: &[u8]) -> u32 {
        if let Some(at) = self.known_blobs.get(blob) {
            return *at;
        }
        let at = self.blob(blob);
        self.known_blobs.insert(blob.to_owned(), at);
        at
    }
}
