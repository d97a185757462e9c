//! The documents of a managed PDB: its source files, as rows of a table.

use std::collections::HashMap;

use super::source_file::{HeaderBlock, PREFIX};
use crate::bytes::{At, Slice};
use crate::pdb::Pdb;

/// One document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Name as passed to the compiler, if it is known; else the lower-case name of its stream.
    pub name: At<String>,
    /// Stream with language and hash; `None` for a document that only the DBI stream lists.
    pub stream: Option<u32>,
}

/// Documents: those with a stream, in the order of the streams, then those without.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) list: Vec<Document>,
    /// The row, from 1, of the document whose name begins at this offset of the string table.
    rows: HashMap<u32, u32>,
}

impl Documents {
    /// `streams` are the indices of the names `/src/files/…` that are documents: native linkers embed other files there
    /// (`/NATVIS`).
    pub(super) fn new(pdb: &Pdb, block: &HeaderBlock, streams: &[u32]) -> Self {
        let Pdb { info, dbi, names, .. } = pdb;
        let offsets: HashMap<&[u8], u32> = names.iter().map(|(offset, name)| (name.data, offset)).collect();
        let starts: HashMap<u32, Slice<'_>> = names.iter().collect();
        // Original names by their lower-case form, which names the stream.
        let originals: HashMap<u32, u32> =
            block.headers.iter().map(|header| (header.virtual_name, header.file_name)).collect();
        let mut streams: Vec<_> = streams.iter().filter_map(|index| info.names.get(*index as usize)).collect();
        streams.sort_by_key(|named| named.stream.value);
        let mut documents = Self::default();
        for named in streams {
            let lower = named.name.value.trim_start_matches(PREFIX);
            let lower_offset = offsets.get(lower.as_bytes()).copied();
            let offset = lower_offset.and_then(|offset| originals.get(&offset)).copied();
            let name = match offset.and_then(|offset| starts.get(&offset)) {
                Some(name) => name.text(),
                None => At::new(lower.to_owned(), named.name.span),
            };
            documents.add(name, Some(named.stream.value), [offset, lower_offset]);
        }
        // Names that differ in case only are two documents, but the lower-case one is that of a stream.
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut streams: HashMap<String, u32> = HashMap::new();
        for (row, document) in (1..).zip(&documents.list) {
            known.entry(document.name.value.clone()).or_insert(row);
            known.entry(document.name.value.to_lowercase()).or_insert(row);
            streams.extend(document.stream.map(|stream| (document.name.value.to_lowercase(), stream)));
        }
        for file in dbi.iter().flat_map(|dbi| dbi.sources.files()) {
            let name = file.text();
            let offset = offsets.get(file.data).copied();
            let row = *known.entry(name.value.clone()).or_insert((documents.list.len() as u32).saturating_add(1));
            if row as usize > documents.list.len() {
                let stream = streams.get(&name.value.to_lowercase()).copied();
                documents.add(name, stream, [offset, None]);
            } else if let Some(offset) = offset {
                documents.rows.entry(offset).or_insert(row);
            }
        }
        documents
    }

    fn add(&mut self, name: At<String>, stream: Option<u32>, offsets: [Option<u32>; 2]) {
        self.list.push(Document { name, stream });
        let row = self.list.len() as u32;
        for offset in offsets.into_iter().flatten() {
            self.rows.entry(offset).or_insert(row);
        }
    }

    /// The row of the document whose name begins at `offset` of the string table; 0 if there is none.
    pub(super) fn row(&self, offset: u32) -> u32 {
        self.rows.get(&offset).copied().unwrap_or(0)
    }
}
