//! Custom debug information: what Roslyn adds for debuggers, for Edit and Continue, and about the build.

use std::io::Write;

use flate2::{Compression, write::DeflateEncoder};

use super::bytes::Put;
use super::heaps::Heaps;
use super::portable;
use super::recipe::Recipe;
use super::tables::{CUSTOM_DEBUG_INFORMATION, Tables};

const SOURCE_LINK: [u8; 16] =
    [0x56, 0x05, 0x11, 0xcc, 0x91, 0xa0, 0x38, 0x4d, 0x9f, 0xec, 0x25, 0xab, 0x9a, 0x35, 0x1a, 0x6a];
const COMPILATION_OPTIONS: [u8; 16] =
    [0x05, 0xec, 0xfe, 0xb5, 0xd0, 0x8c, 0x83, 0x4a, 0x96, 0xda, 0x46, 0x62, 0x84, 0xbb, 0x4b, 0xd8];
const LOCAL_SLOT_MAP: [u8; 16] =
    [0x42, 0x1e, 0x5f, 0x75, 0xa8, 0x91, 0xbe, 0x45, 0xb4, 0xb8, 0x20, 0x95, 0x71, 0xe5, 0x52, 0xbd];
const EMBEDDED_SOURCE: [u8; 16] =
    [0x1b, 0x57, 0x8a, 0x0e, 0x26, 0x69, 0x6e, 0x46, 0xb4, 0xad, 0x8a, 0xb0, 0x46, 0x11, 0xf5, 0xfe];
const TUPLE_ELEMENT_NAMES: [u8; 16] =
    [0x71, 0xdf, 0x9f, 0xed, 0x79, 0x88, 0xd3, 0x4b, 0x8e, 0xd3, 0xee, 0x5e, 0xde, 0x3c, 0xe7, 0x10];

/// The low five bits of a parent: of which table it is a row.
const METHOD_DEF: u32 = 0;
const MODULE: u32 = 7;
const DOCUMENT: u32 = 22;
const LOCAL_VARIABLE: u32 = 24;

/// Adds the rows, in the order of their parents, which is how readers find them.
pub fn write(recipe: &Recipe, tables: &mut Tables, heaps: &mut Heaps) {
    let mut rows: Vec<(u32, u32, u32)> = Vec::new();
    let kinds = [SOURCE_LINK, COMPILATION_OPTIONS, LOCAL_SLOT_MAP, EMBEDDED_SOURCE, TUPLE_ELEMENT_NAMES];
    let [source_link, options, slot_map, embedded_source, tuple_names] = kinds.map(|kind| heaps.guid(kind));
    let module = 1 << 5 | MODULE;
    let json = br#"{"documents":{"/src/*":"https://example.com/contoso/raw/0123abcd/*"}}"#;
    rows.push((module, source_link, heaps.blob(json)));
    let pairs = ["version", "2", "language", "C#", "optimization", "debug", "runtime-version", "10.0.0"];
    rows.push((module, options, heaps.blob(&pairs.map(|text| format!("{text}\0")).concat().into_bytes())));
    for row in 1..=recipe.methods {
        let locals = recipe.variables_of(row).len();
        if locals > 0 {
            let blob = heaps.blob_once(&slots(locals));
            rows.push((row << 5 | METHOD_DEF, slot_map, blob));
        }
    }
    for row in (3..=recipe.documents).step_by(16) {
        let blob = heaps.blob(&source(portable::text(recipe, row).as_bytes()));
        rows.push((row << 5 | DOCUMENT, embedded_source, blob));
    }
    for row in (50..=recipe.variables).step_by(100) {
        let blob = heaps.blob_once(b"left\0right\0");
        rows.push((row << 5 | LOCAL_VARIABLE, tuple_names, blob));
    }
    rows.sort_unstable();
    for (parent, kind, value) in rows {
        tables.add(CUSTOM_DEBUG_INFORMATION, [parent, kind, value]);
    }
}

/// For each slot a user's variable, and the offset of its syntax.
fn slots(locals: usize) -> Vec<u8> {
    let mut blob = Vec::new();
    for slot in 0..locals as u32 {
        blob.push(1);
        blob.put_compressed(1 + slot * 24);
    }
    blob
}

/// Small files as they are, others deflated after their size.
fn source(text: &[u8]) -> Vec<u8> {
    let mut blob = Vec::new();
    if text.len() < 200 {
        blob.put_u32(0);
        blob.put(text);
        return blob;
    }
    blob.put_u32(text.len() as u32);
    deflate(text, blob)
}

/// Appends `bytes`, deflated.
pub fn deflate(bytes: &[u8], out: Vec<u8>) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(out, Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
}
