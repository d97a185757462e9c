//! The metadata root: a header, the headers of streams, the streams (ECMA-335 II.24.2.1).

use std::ops::Range;

use super::bytes::{Put, patch};
use super::heaps::Heaps;
use super::tables::{Placed, Tables};

/// Offsets of the parts of a metadata root, in bytes from its start.
#[derive(Clone, Debug)]
pub struct Layout {
    streams: Vec<Stream>,
    tables: Vec<Placed>,
}

/// A stream and its header.
#[derive(Clone, Debug)]
pub struct Stream {
    pub name: &'static str,
    /// The offset of its header: its offset, its size, its name.
    pub header_at: usize,
    pub bytes: Range<usize>,
}

impl Layout {
    /// The stream of that name.
    pub fn stream(&self, name: &str) -> &Stream {
        self.streams.iter().find(|stream| stream.name == name).unwrap_or_else(|| panic!("no stream {name}"))
    }

    /// Offset of the rows of the first table.
    pub fn first_table(&self) -> usize {
        self.tables.first().map_or(0, |placed| placed.at)
    }

    /// The table of that number.
    pub fn table(&self, table: u8) -> &Placed {
        self.tables.iter().find(|placed| placed.table == table).unwrap_or_else(|| panic!("no table {table:#x}"))
    }
}

/// The stream that only a Portable PDB has.
pub struct PdbStream {
    /// Row counts of the tables of the image.
    pub image_rows: Vec<(u8, u32)>,
}

/// Appends a metadata root.
pub fn write(version: &str, pdb: Option<&PdbStream>, tables: &Tables, heaps: &Heaps, out: &mut Vec<u8>) -> Layout {
    let root = out.len();
    let mut names = Vec::new();
    names.extend(pdb.map(|_| "#Pdb"));
    names.push(if tables.is_delta() { "#-" } else { "#~" });
    names.extend(["#Strings", "#US", "#GUID", "#Blob"]);
    // "#JTD" is empty: that it is there says that every index is wide.
    names.extend(tables.is_delta().then_some("#JTD"));
    out.put(b"BSJB");
    out.put_u16(1);
    out.put_u16(1);
    out.put_u32(0);
    out.put_u32((version.len() + 1).next_multiple_of(4) as u32);
    out.put_z(version);
    out.align(4);
    out.put_u16(0);
    out.put_u16(names.len() as u16);
    let mut streams = Vec::new();
    for name in names {
        streams.push(Stream { name, header_at: out.len() - root, bytes: 0..0 });
        out.put_u64(0);
        out.put_z(name);
        out.align(4);
    }
    let mut placed = Vec::new();
    for stream in &mut streams {
        let start = out.len();
        match stream.name {
            "#Pdb" => pdb.unwrap_or(&PdbStream { image_rows: Vec::new() }).write(out),
            "#Strings" => out.put(&heaps.strings),
            "#US" => out.put(&heaps.user_strings),
            "#GUID" => out.put(&heaps.guids),
            "#Blob" => out.put(&heaps.blobs),
            "#JTD" => {}
            _ => placed = tables.write(heaps, root, out),
        }
        out.align(4);
        stream.bytes = start - root..out.len() - root;
        patch(out, root + stream.header_at, stream.bytes.start as u32);
        patch(out, root + stream.header_at + 4, stream.bytes.len() as u32);
    }
    Layout { streams, tables: placed }
}

impl PdbStream {
    fn write(&self, out: &mut Vec<u8>) {
        // The id is not known until the rest is.
        out.put(&[0; 20]);
        // A library has no entry point.
        out.put_u32(0);
        out.put_u64(self.image_rows.iter().fold(0, |bits, (table, _)| bits | 1 << table));
        for (_, rows) in &self.image_rows {
            out.put_u32(*rows);
        }
    }
}
