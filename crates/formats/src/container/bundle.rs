//! Single-file programs of .NET 5 and later: a host, and after it the files of the program and their manifest.
//!
//! The manifest is a header (version, number of files, bundle id; since version 2 where two of the files are, and flags) and a record
//! for each file: offset, size, since version 6 the packed size or 0, type, path. Numbers are little-endian; strings are
//! UTF-8 after their length in LEB128.
//!
//! # References
//!
//! dotnet/runtime: `src/installer/managed/Microsoft.NET.HostModel/Bundle/Manifest.cs`, `FileEntry.cs`.

use super::numbers::Reader;
use super::{ContainerError, Entry, MAX_ENTRIES, Packing, inner_path};
use crate::host::Bundle;

/// Bytes of the header after the bundle id, since version 2.
const LOCATIONS: usize = 40;
/// Most bytes of the length of a string: paths have fewer than 2 097 152.
const LENGTH_BYTES: u32 = 3;

/// Lists the files of the program `bytes`, whose host is the bundle `bundle`.
pub fn list(bytes: &[u8], bundle: &Bundle) -> Result<Vec<Entry>, ContainerError> {
    read(bytes, bundle).ok_or(ContainerError::Manifest)?
}

fn read(bytes: &[u8], bundle: &Bundle) -> Option<Result<Vec<Entry>, ContainerError>> {
    let mut rest = Reader::new(bytes, usize::try_from(bundle.manifest).ok()?);
    let (major, _) = (rest.u32()?, rest.u32()?);
    let files = rest.u32()? as usize;
    if files > MAX_ENTRIES {
        return Some(Err(ContainerError::TooMany(files)));
    }
    text(&mut rest)?;
    if major >= 2 {
        rest.take(LOCATIONS)?;
    }
    let mut entries = Vec::new();
    for _ in 0..files {
        let (offset, size) = (rest.u64()?, rest.u64()?);
        let packed = if major >= 6 { rest.u64()? } else { 0 };
        rest.take(1)?;
        let name = text(&mut rest)?;
        let (packed, packing) = if packed == 0 { (size, Packing::Stored) } else { (packed, Packing::Deflated) };
        if let Some(path) = inner_path(&name) {
            entries.push(Entry { path, size, packed, offset, packing, crc: None, within: None });
        }
    }
    Some(Ok(entries))
}

/// A string; `None` where it is cut off.
fn text(rest: &mut Reader<'_>) -> Option<String> {
    let len = rest.leb128(LENGTH_BYTES)?;
    Some(String::from_utf8_lossy(rest.take(len)?).into_owned())
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
