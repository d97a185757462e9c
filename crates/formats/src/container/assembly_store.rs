//! Assembly stores of .NET for Android: all assemblies of a program in one file, `assemblies.blob` or the data of
//! `libassemblies.ABI.blob.so`.
//!
//! ```text
//! header       "XABA", version, number of assemblies, number of index entries; then the store's number (version 1) or
//!              the size of the index in bytes (since version 2)
//! index        hashes of names, not needed here; after the descriptors in version 1, before them since version 2
//! descriptors  where each assembly's image, PDB and configuration file are, from the start of the store
//! names        since version 2
//! ```
//!
//! The names of the assemblies of version 1 are in `assemblies.manifest` beside the store. Images are packed
//! one by one, see [`wrapped`](super::wrapped).
//!
//! # References
//!
//! dotnet/android: `Documentation/project-docs/AssemblyStores.md`.

use object::{Object, ObjectSection};

use super::numbers::{Reader, u32_at};
use super::{ContainerError, Entry, MAX_ENTRIES, inner_path};

const MAGIC: &[u8] = b"XABA";
/// Bits of the version number; the others say which processor the store is for.
const VERSION: u32 = 0xffff;
/// Name of an assembly in a store of version 1: its store's number, its number in the store, and its name.
type Name<'n> = (u32, u32, &'n str);

/// Returns true if a file of this name may be a store.
pub fn is_named_like(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((stem, "blob")) => stem.starts_with("assemblies"),
        Some((stem, "so")) => stem.contains("assembl"),
        _ => false,
    }
}

/// Returns true if a file that begins with these bytes is a store.
pub fn is_store(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Offset of the store in a file: 0, or that of the section of an ELF library that has it.
pub fn find(bytes: &[u8]) -> Option<usize> {
    if is_store(bytes) {
        return Some(0);
    }
    let file = object::File::parse(bytes).ok()?;
    let ranges = file.sections().filter_map(|section| section.file_range());
    let starts = ranges.filter_map(|(offset, _)| usize::try_from(offset).ok());
    starts.into_iter().find(|start| bytes.get(*start..).is_some_and(|data| data.starts_with(MAGIC)))
}

/// Lists the images and PDBs of the store at `at`; `manifest` is the text of `assemblies.manifest`, where there is one.
pub fn list(bytes: &[u8], at: usize, manifest: &str) -> Result<Vec<Entry>, ContainerError> {
    let store = bytes.get(at..).unwrap_or_default();
    let count = u32_at(store, 8).ok_or(ContainerError::Store)? as usize;
    if count > MAX_ENTRIES {
        return Err(ContainerError::TooMany(count));
    }
    let entries = if u32_at(store, 4).ok_or(ContainerError::Store)? & VERSION == 1 {
        first_version(store, count, manifest)
    } else {
        with_names(store, count)
    };
    let mut entries = entries.ok_or(ContainerError::Store)?;
    for entry in &mut entries {
        entry.offset = entry.offset.saturating_add(at as u64);
    }
    Ok(entries)
}

fn with_names(store: &[u8], count: usize) -> Option<Vec<Entry>> {
    let descriptors = (u32_at(store, 16)? as usize).saturating_add(20);
    let (mut name_at, mut entries) = (descriptors.saturating_add(count.saturating_mul(28)), Vec::new());
    for index in 0..count {
        let descriptor = descriptors.saturating_add(index.saturating_mul(28));
        let len = u32_at(store, name_at)? as usize;
        let from = name_at.saturating_add(4);
        name_at = from.checked_add(len)?;
        let name = String::from_utf8_lossy(store.get(from..name_at)?);
        add(&mut entries, &name, store, descriptor.saturating_add(4))?;
    }
    Some(entries)
}

/// Images and PDBs of a store of version 1.
fn first_version(store: &[u8], count: usize, manifest: &str) -> Option<Vec<Entry>> {
    let id = u32_at(store, 16)?;
    let names: Vec<Name<'_>> = manifest.lines().filter_map(name).collect();
    let mut entries = Vec::new();
    for index in 0..count {
        let name = names.iter().find(|(store, number, _)| (*store, *number as usize) == (id, index));
        let name = name.map_or_else(|| format!("assembly-{index}.dll"), |(_, _, name)| format!("{name}.dll"));
        add(&mut entries, &name, store, index.saturating_mul(24).saturating_add(20))?;
    }
    Some(entries)
}

/// Reads a line of `assemblies.manifest`: two hashes, the store's number, the number in the store, the name without extension.
fn name(line: &str) -> Option<Name<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, _, store, number, name] = words[..] else { return None };
    Some((store.parse().ok()?, number.parse().ok()?, name))
}

/// Adds the image and the PDB that the descriptor at `at` leads to, as far as there are bytes; `None` if it is cut off.
fn add(entries: &mut Vec<Entry>, name: &str, store: &[u8], at: usize) -> Option<()> {
    let mut numbers = Reader::new(store, at);
    let mut next = || numbers.u32().map(u64::from);
    let stem = name.strip_suffix(".dll").unwrap_or(name);
    for (name, offset, size) in [(name.to_owned(), next()?, next()?), (format!("{stem}.pdb"), next()?, next()?)] {
        if size > 0
            && let Some(path) = inner_path(&name)
        {
            entries.push(Entry::stored(path, offset, size));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Store of version 3 with these files: name, image, PDB.
    fn store(files: &[(&str, &[u8], &[u8])]) -> Vec<u8> {
        let index = vec![0xee; files.len() * 2 * 9];
        let names: usize = files.iter().map(|(name, ..)| 4 + name.len()).sum();
        let mut data = (20 + index.len() + files.len() * 28 + names) as u32;
        let mut bytes = MAGIC.to_vec();
        for number in [0x8001_0003, files.len() as u32, files.len() as u32 * 2, index.len() as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&index);
        for (_, image, pdb) in files {
            let debug = if pdb.is_empty() { 0 } else { data + image.len() as u32 };
            for number in [0, data, image.len() as u32, debug, pdb.len() as u32, 0, 0] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            data += (image.len() + pdb.len()) as u32;
        }
        for (name, ..) in files {
            bytes.extend_from_slice(&(name.len() as u32).to_le_bytes());
            bytes.extend_from_slice(name.as_bytes());
        }
        for (_, image, pdb) in files {
            bytes.extend_from_slice(&[*image, *pdb].concat());
        }
        bytes
    }

    fn contents(bytes: &[u8], entries: &[Entry]) -> Vec<(String, Vec<u8>)> {
        let content = |entry: &Entry| bytes[entry.offset as usize..][..entry.size as usize].to_vec();
        entries.iter().map(|entry| (entry.path.clone(), content(entry))).collect()
    }

    #[test]
    fn images_and_pdbs_are_listed_by_name() {
        let files: [(&str, &[u8], &[u8]); 3] =
            [("App.dll", b"image", b"symbols"), ("de/App.resources.dll", b"text", b""), ("../Out.dll", b"x", b"")];
        let bytes = store(&files);
        assert_eq!(find(&bytes), Some(0));
        let expected = [("App.dll", "image"), ("App.pdb", "symbols"), ("de/App.resources.dll", "text")];
        let expected = expected.map(|(name, content)| (name.to_owned(), content.as_bytes().to_vec()));
        assert_eq!(contents(&bytes, &list(&bytes, 0, "").unwrap()), expected);
        let moved = [&[0; 100][..], &bytes].concat();
        assert_eq!(contents(&moved, &list(&moved, 100, "").unwrap()), expected);
        for len in 0..bytes.len() - 16 {
            let _ = list(&bytes[..len], 0, "");
        }
        assert_eq!(list(&bytes[..60], 0, ""), Err(ContainerError::Store));
    }

    #[test]
    fn a_store_of_version_1_takes_its_names_from_the_manifest() {
        let mut bytes = MAGIC.to_vec();
        for number in [1_u32, 2, 4, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for (offset, size) in [(68_u32, 3_u32), (71, 2)] {
            bytes.extend_from_slice(&[offset, size, 0, 0, 0, 0].map(u32::to_le_bytes).concat());
        }
        bytes.extend_from_slice(b"onetwo");
        let manifest = "Hash 32 Hash 64 Blob ID Blob idx Name\n0x1f 0x2f 000 0001 Two\n0x3f 0x4f 001 0000 Other\n";
        let names: Vec<_> =
            list(&bytes, 0, manifest).unwrap().into_iter().map(|e| (e.path, e.offset, e.size)).collect();
        assert_eq!(names, [("assembly-0.dll".to_owned(), 68, 3), ("Two.dll".to_owned(), 71, 2)]);
    }

    #[test]
    fn stores_are_told_by_their_names() {
        for name in
            ["assemblies/assemblies.blob", "lib/arm64-v8a/libassemblies.arm64-v8a.blob.so", "libassembly-store.so"]
        {
            assert!(is_named_like(name), "{name}");
        }
        assert!(!is_named_like("lib/arm64-v8a/libmonosgen-2.0.so") && !is_named_like("a.blob"));
    }
}
