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
        }
    }

    /// The index of `text` in `#Strings`; each is written once.
    pub fn string(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        if let Some(at) = self.known_strings.get(text) {
            return *at;
        }
        let at = self.strings.len() as u32;
        self.strings.put_z(text);
        self.known_strings.insert(text.to_owned(), at);
        at
    }

    /// Appends to `#US`; its index is what a `0x70…` token holds.
    pub fn user_string(&mut self, text: &str) -> u32 {
        let at = self.user_strings.len() as u32;
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
        let at = self.blobs.len() as u32;
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
