//! A second reader: what the crate `pdb` makes of a Windows PDB, for whoever wants to know whether two readers agree.
//!
//! Our own reader keeps every byte's place and survives what is broken; `pdb` was written by others, from the same
//! documents. Where the two disagree, one of them is wrong, or the file is.

use std::io::Cursor;

use pdb::{FallibleIterator, PDB};

use crate::bytes::Guid;

/// What `pdb` says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossCheck {
    /// The id.
    pub guid: Guid,
    /// How often it was written, by the PDB stream.
    pub age: u32,
    /// How often it was written, by the DBI stream.
    pub debug_age: Option<u32>,
    /// The names of the modules.
    pub modules: Vec<String>,
}

/// Reads all of a file with `pdb`; the error is in its words.
pub fn cross_check(bytes: &[u8]) -> Result<CrossCheck, String> {
    let words = |error: pdb::Error| error.to_string();
    let mut file = PDB::open(Cursor::new(bytes)).map_err(words)?;
    let info = file.pdb_information().map_err(words)?;
    let mut modules = Vec::new();
    let debug = file.debug_information().map_err(words)?;
    let mut found = debug.modules().map_err(words)?;
    while let Some(module) = found.next().map_err(words)? {
        modules.push(module.module_name().into_owned());
    }
    Ok(CrossCheck { guid: Guid(info.guid.to_bytes_le()), age: info.age, debug_age: debug.age(), modules })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_a_managed_and_a_native_file_and_no_other() {
        let read = |path: &str| std::fs::read(format!("{}/assets/samples/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let managed = cross_check(&read("ticker-windows/Ticker.pdb")).unwrap();
        assert!(managed.modules.iter().any(|name| name == "Ticker.Clock"), "{managed:?}");
        assert!(!cross_check(&read("native/tally.pdb")).unwrap().modules.is_empty());
        assert!(cross_check(&read("ticker/Ticker.pdb")).is_err());
    }

    #[test]
    fn whatever_the_bytes_it_answers() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-windows/Ticker.pdb");
        let whole = std::fs::read(path).unwrap();
        let mut answers = 0;
        for at in (0..whole.len()).step_by(3) {
            answers += usize::from(cross_check(&whole[..at]).is_ok());
            for value in [0, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                answers += usize::from(cross_check(&bytes).is_ok());
            }
        }
        assert!(answers > 0);
    }
}
