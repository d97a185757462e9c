//! The token map: tokens that changed after the compiler had written the symbols.
//!
//! A compiler that orders its methods anew, or a tool that merges assemblies, tells the writer of the PDB (`RemapToken`). The
//! records keep the old tokens. A stream that the optional debug header of DBI names has one number for each old row, from 0:
//! the row in the image.

use crate::bytes::{Region, Result, Spaces};
use crate::metadata::{TableId, Token};
use crate::pdb::Pdb;
use crate::pdb::dbi::NO_STREAM;

/// Position of the stream in the optional debug header.
const DEBUG_STREAM: usize = 6;

/// Rows of methods in the image, by their rows in the symbols.
#[derive(Clone, Debug)]
pub struct TokenMap {
    /// Number of its stream.
    pub stream: u32,
    rows: Region,
}

impl TokenMap {
    /// The map of a PDB that has one.
    pub(super) fn read(pdb: &Pdb, spaces: &Spaces) -> Option<Result<Self>> {
        let stream = pdb.dbi.as_ref()?.debug_streams.get(DEBUG_STREAM)?.value;
        // Some writers have 0 for a stream that is not there.
        if stream == NO_STREAM || stream == 0 {
            return None;
        }
        let stream = u32::from(stream);
        let read = pdb.stream(spaces, stream).map(|rows| Self { stream, rows });
        Some(read).filter(|read| read.as_ref().map_or(true, |map| !map.rows.is_empty()))
    }

    /// The token in the image of the method that a record has `token` for. Rows that the map does not have are unchanged.
    pub fn image_token(&self, token: u32) -> u32 {
        let row = Token(token).row() as usize;
        let cell = self.rows.bytes().get(row * 4..).and_then(|rest| rest.first_chunk());
        match cell.map(|cell| u32::from_le_bytes(*cell) & 0x00ff_ffff) {
            Some(mapped) if mapped > 0 => Token::new(TableId::METHOD_DEF, mapped).0,
            _ => token,
        }
    }
}
