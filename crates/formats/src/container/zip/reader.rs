//! Directory of a zip archive.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek, SeekFrom};

use zip::{CompressionMethod, ZipArchive};

use super::RawEntry;
use crate::container::numbers::u16_at;
use crate::container::{ContainerError, Entry, MAX_ENTRIES, Packing, inner_path};

/// Size of a file header of the directory (APPNOTE 4.3.12) before its name, whose length is at 28; those of the extra field and of the
/// comment follow.
const HEADER_SIZE: usize = 46;

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn unreadable(error: zip::result::ZipError) -> ContainerError {
    ContainerError::Archive("zip", error.to_string())
}

fn open<R: Read + Seek>(reader: R) -> Result<ZipArchive<R>, ContainerError> {
    let archive = ZipArchive::new(reader).map_err(unreadable)?;
    if archive.len() > MAX_ENTRIES { Err(ContainerError::TooMany(archive.len())) } else { Ok(archive) }
}

/// Lists every entry of the directory of an archive.
pub fn directory(reader: impl Read + Seek) -> Result<Vec<RawEntry>, ContainerError> {
    let mut archive = open(reader)?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(unreadable)?;
        let modified = file.last_modified().map(|at| {
            let (date, time) = ((at.year(), at.month(), at.day()), (at.hour(), at.minute(), at.second()));
            format!("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", date.0, date.1, date.2, time.0, time.1, time.2)
        });
        entries.push(RawEntry { name: file.name().to_owned(), modified });
    }
    let start = archive.central_directory_start();
    // A directory that can be read to here has all names; what cannot be read a second time repeats none.
    let repeated = repeated(archive.into_inner(), start).unwrap_or_default();
    let times: HashMap<_, _> = entries.iter().map(|entry| (entry.name.clone(), entry.modified.clone())).collect();
    entries.extend(repeated.into_iter().map(|name| RawEntry { modified: times.get(&name).cloned().flatten(), name }));
    Ok(entries)
}

/// Names in the directory at `start` that came before in it: the crate keeps one entry of each name.
fn repeated(mut reader: impl Read + Seek, start: u64) -> io::Result<Vec<String>> {
    reader.seek(SeekFrom::Start(start))?;
    let mut reader = io::BufReader::new(reader);
    let (mut seen, mut again) = (HashSet::new(), Vec::new());
    for _ in 0..MAX_ENTRIES {
        let mut header = [0; HEADER_SIZE];
        // The end of the directory is shorter than a header, and may be the end of the file.
        if reader.read_exact(&mut header).is_err() || !header.starts_with(b"PK\x01\x02") {
            break;
        }
        let len = |at| u16_at(&header, at).unwrap_or_default();
        let mut name = vec![0; len(28).into()];
        reader.read_exact(&mut name)?;
        reader.seek_relative(i64::from(len(30)).saturating_add(i64::from(len(32))))?;
        if !seen.insert(name.clone()) {
            again.push(String::from_utf8_lossy(&name).into_owned());
        }
    }
    Ok(again)
}

/// Lists the files of an archive; of two with one name the last counts. An archive whose entries share bytes is refused: a small one
/// could unpack to any size.
pub fn list(reader: impl Read + Seek) -> Result<Vec<Entry>, ContainerError> {
    let mut archive = open(reader)?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(unreadable)?;
        if file.is_dir() || file.is_symlink() {
            continue;
        }
        let Some(path) = inner_path(file.name()) else { continue };
        let packing = match file.compression() {
            _ if file.encrypted() => Packing::Encrypted,
            CompressionMethod::Stored => Packing::Stored,
            method if method == CompressionMethod::DEFLATE => Packing::Deflated,
            _ => Packing::Other,
        };
        let Some(offset) = file.data_start() else { continue };
        let (size, packed, crc) = (file.size(), file.compressed_size(), Some(file.crc32()));
        entries.push(Entry { path, size, packed, offset, packing, crc, within: None });
    }
    check_disjoint(&entries)?;
    Ok(entries)
}

/// Fails if two entries share packed bytes.
fn check_disjoint(entries: &[Entry]) -> Result<(), ContainerError> {
    let mut order: Vec<_> = entries.iter().filter(|entry| entry.packed > 0).collect();
    order.sort_by_key(|entry| entry.offset);
    for (before, next) in order.iter().zip(order.iter().skip(1)) {
        if before.offset.saturating_add(before.packed) > next.offset {
            return Err(ContainerError::Overlap(before.path.clone(), next.path.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::container::zip::is_zip;

    /// An archive of one deflated file, written by hand.
    fn archive(name: &str, content: &[u8]) -> Vec<u8> {
        let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        deflate.write_all(content).unwrap();
        let packed = deflate.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut head = vec![20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0];
        for number in [crc.sum(), packed.len() as u32, content.len() as u32, name.len() as u32] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        let mut bytes = [b"PK\x03\x04", head.as_slice(), name.as_bytes(), &packed].concat();
        let directory = bytes.len() as u32;
        bytes.extend_from_slice(&[b"PK\x01\x02\x14\0", head.as_slice(), &[0; 14], name.as_bytes()].concat());
        let len = bytes.len() as u32 - directory;
        bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend_from_slice(&[len.to_le_bytes(), directory.to_le_bytes()].concat());
        bytes.extend_from_slice(&[0, 0]);
        bytes
    }

    fn content(archive: &[u8], entry: &Entry) -> Result<Vec<u8>, ContainerError> {
        let from = entry.offset as usize;
        entry.unpack(archive.get(from..from + entry.packed as usize).unwrap_or_default().to_vec())
    }

    #[test]
    fn files_are_listed_and_unpacked() {
        let text = b"twelve bytes".repeat(100);
        let bytes = archive("lib/net8.0/A.dll", &text);
        assert!(is_zip(&bytes));
        let entries = list(Cursor::new(&bytes)).unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].path.as_str(), entries[0].size), ("lib/net8.0/A.dll", 1200));
        assert_eq!(content(&bytes, &entries[0]), Ok(text));
        assert_eq!(list(Cursor::new(archive("../A.dll", b"x"))), Ok(vec![]));
    }

    #[test]
    fn a_name_that_is_there_twice_is_listed_twice() {
        let one = archive("lib/A.dll", b"one");
        let end = one.len() - 22;
        let start = u32::from_le_bytes(one[end + 16..end + 20].try_into().unwrap()) as usize;
        let size = (2 * (end - start)) as u32;
        let mut two = [&one[..end], &one[start..end], b"PK\x05\x06\0\0\0\0\x02\0\x02\0"].concat();
        two.extend_from_slice(&[size.to_le_bytes(), (start as u32).to_le_bytes()].concat());
        two.extend_from_slice(&[0, 0]);
        let names = |archive: Vec<u8>| directory(Cursor::new(archive)).unwrap().len();
        assert_eq!((names(one), names(two.clone())), (1, 2));
        assert_eq!(list(Cursor::new(two)).unwrap().len(), 1);
    }

    #[test]
    fn entries_that_share_bytes_are_refused() {
        let one = archive("a.dll", &b"twelve bytes".repeat(10));
        let end = one.len() - 22;
        let start = u32::from_le_bytes(one[end + 16..end + 20].try_into().unwrap()) as usize;
        let size = (2 * (end - start)) as u32;
        let mut other = one[start..end].to_vec();
        let name = other.len() - 5;
        other[name] = b'b';
        let mut two = [&one[..end], &other, b"PK\x05\x06\0\0\0\0\x02\0\x02\0"].concat();
        two.extend_from_slice(&[size.to_le_bytes(), (start as u32).to_le_bytes()].concat());
        two.extend_from_slice(&[0, 0]);
        assert_eq!(list(Cursor::new(one)).unwrap().len(), 1);
        let overlap = ContainerError::Overlap("a.dll".to_owned(), "b.dll".to_owned());
        assert_eq!(list(Cursor::new(two)), Err(overlap));
    }

    #[test]
    fn damage_is_an_error_or_other_bytes() {
        let bytes = archive("A.dll", &b"twelve bytes".repeat(10));
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0xff;
            for entry in list(Cursor::new(&broken)).unwrap_or_default() {
                let _ = content(&broken, &entry);
            }
            let _ = list(Cursor::new(&bytes[..at]));
        }
    }
}
