//! Single-file programs of .NET 5 and later: a host, and behind it the files of the program and their manifest.
//!
//! The manifest is a header (version, number of files, bundle id; since version 2 where two of the files are, and flags) and a record
//! for each file: offset, size, since version 6 the packed size or 0, type, path. Numbers are little-endian, strings are UTF-8
//! behind their length in seven bits a byte.
//!
//! # References
//!
//! dotnet/runtime: `src/installer/managed/Microsoft.NET.HostModel/Bundle/Manifest.cs`, `FileEntry.cs`.

use super::{ContainerError, Entry, MAX_ENTRIES, Packing, inner_path};
use crate::formats::host::Bundle;

/// Bytes of the header behind the bundle id, since version 2.
const LOCATIONS: usize = 40;

/// Lists the files of the program `bytes`, whose host is the bundle `bundle`.
pub fn list(bytes: &[u8], bundle: &Bundle) -> Result<Vec<Entry>, ContainerError> {
    read(bytes, bundle).ok_or(ContainerError::Manifest)?
}

fn read(bytes: &[u8], bundle: &Bundle) -> Option<Result<Vec<Entry>, ContainerError>> {
    let mut rest = Rest(bytes.get(usize::try_from(bundle.manifest).ok()?..)?);
    let (major, _) = (rest.number(4)?, rest.take(4)?);
    let files = rest.number(4)? as usize;
    if files > MAX_ENTRIES {
        return Some(Err(ContainerError::TooMany(files)));
    }
    rest.text()?;
    if major >= 2 {
        rest.take(LOCATIONS)?;
    }
    let mut entries = Vec::new();
    for _ in 0..files {
        let (offset, size) = (rest.number(8)?, rest.number(8)?);
        let packed = if major >= 6 { rest.number(8)? } else { 0 };
        rest.take(1)?;
        let name = rest.text()?;
        let (packed, packing) = if packed == 0 { (size, Packing::Stored) } else { (packed, Packing::Deflated) };
        if let Some(path) = inner_path(&name) {
            entries.push(Entry { path, size, packed, offset, packing, crc: None, within: None });
        }
    }
    Some(Ok(entries))
}

/// The part of the manifest that is not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, len: usize) -> Option<u64> {
        Some(self.take(len)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self) -> Option<String> {
        let mut len = 0;
        for shift in [0, 7, 14] {
            let byte = self.number(1)? as usize;
            len |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(String::from_utf8_lossy(self.take(len)?).into_owned());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A manifest at offset 0 with these files, of version 6 or 2.
    fn manifest(major: u32, files: &[(u64, u64, u64, &str)]) -> Vec<u8> {
        let mut bytes = [major, 0, files.len() as u32].map(u32::to_le_bytes).concat();
        bytes.extend_from_slice(b"\x04abcd");
        bytes.extend_from_slice(&[0; LOCATIONS]);
        for (offset, size, packed, path) in files {
            bytes.extend_from_slice(&[offset.to_le_bytes(), size.to_le_bytes()].concat());
            if major >= 6 {
                bytes.extend_from_slice(&packed.to_le_bytes());
            }
            bytes.extend_from_slice(&[1, path.len() as u8]);
            bytes.extend_from_slice(path.as_bytes());
        }
        bytes
    }

    const HEADER: Bundle = Bundle { manifest: 0, version: Some((6, 0)), files: 2, id: String::new() };

    #[test]
    fn files_are_listed_in_every_version() {
        let files = [(16, 100, 0, "App.dll"), (116, 900, 300, "sub/Lib.dll"), (0, 1, 0, "../Out.dll")];
        let found = list(&manifest(6, &files), &HEADER).unwrap();
        let found: Vec<_> = found.iter().map(|e| (e.offset, e.size, e.packed, e.path.as_str())).collect();
        assert_eq!(found, [(16, 100, 100, "App.dll"), (116, 900, 300, "sub/Lib.dll")]);
        assert_eq!(list(&manifest(2, &files), &HEADER).unwrap().len(), 2);
    }

    #[test]
    fn damage_is_an_error() {
        let whole = manifest(6, &[(16, 100, 0, "App.dll")]);
        for len in 0..whole.len() {
            assert_eq!(list(&whole[..len], &HEADER), Err(ContainerError::Manifest), "{len}");
        }
        let mut many = whole;
        many[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(list(&many, &HEADER), Err(ContainerError::TooMany(u32::MAX as usize)));
    }
}
