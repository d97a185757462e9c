//! Folders and stores on this machine.
//!
//! A plain folder has files in it, under whatever name. A store has `name/id/name`, and one with an `index2.txt` has the
//! first two letters of the name as a folder before that.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Key;
use super::new_file::{self, Existing};
use crate::session::inputs::is_archive;
use pdblens_formats::bytes::{DiskFile, Guid, Origin, Region, SpaceId, Spaces, Storage};
use pdblens_formats::container::wrapped;
use pdblens_formats::metadata::Root;
use pdblens_formats::msf::Msf;
use pdblens_formats::pdb::info::Info;
use pdblens_formats::portable::pdb_stream::PdbStream;

const MAX_SIZE: u64 = 1 << 30;
/// The most files of a folder that are looked into.
const MAX_ENTRIES: usize = 4096;
/// Bytes of a portable PDB read for its id: the `#Pdb` stream comes early.
const ID_PREFIX_LEN: u64 = 64 << 10;
/// The stream of a Windows PDB that has its GUID.
const PDB_STREAM: u32 = 1;

/// The paths that `key` can have in a folder or a store, whether or not there is a file.
pub(crate) fn places(root: &Path, key: &Key) -> Vec<PathBuf> {
    let two_tiers = root.join("index2.txt").is_file();
    let mut found = Vec::new();
    for (name, id) in key.spellings() {
        let folder = in_store(root, two_tiers, &name, &id);
        found.push(folder.join(&name));
        found.extend(packed(&name).map(|packed| folder.join(packed)));
    }
    found.push(root.join(key.name()));
    if key.name().to_lowercase() != key.name() {
        found.push(root.join(key.name().to_lowercase()));
    }
    found
}

/// Name of the cabinet that a store may have in the place of a file: `App.pd_`.
pub(crate) fn packed(name: &str) -> Option<String> {
    let mut packed = name.to_owned();
    packed.pop()?;
    packed.push('_');
    Some(packed)
}

fn in_store(root: &Path, two_tiers: bool, name: &str, id: &str) -> PathBuf {
    let tier: String = name.chars().take(2).collect();
    if two_tiers { root.join(tier).join(name).join(id) } else { root.join(name).join(id) }
}

/// Substitute of a file in a store: a pointer to elsewhere.
pub(crate) fn instead(root: &Path, key: &Key) -> Option<String> {
    let two_tiers = root.join("index2.txt").is_file();
    for (name, id) in key.spellings() {
        let folder = in_store(root, two_tiers, &name, &id);
        if folder.join("file.ptr").is_file() {
            return Some(format!(
                "{}: points to another location, which is not followed",
                folder.join("file.ptr").display()
            ));
        }
    }
    None
}

/// PDBs of a folder that have the GUID of `key`, under whatever name. Whether one is the right build is for others to say.
pub(crate) fn by_id(root: &Path, key: &Key) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    let is_pdb = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdb"));
    let Some(wanted) = key.id().get(..32) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .take(MAX_ENTRIES)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_pdb(path) && guid_at(path).is_some_and(|guid| guid.digits().eq_ignore_ascii_case(wanted)))
        .collect();
    found.sort();
    found
}

/// The GUID of a PDB, from as little of it as tells.
fn guid_at(path: &Path) -> Option<Guid> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut file = fs::File::open(path).ok()?;
    let mut start = Vec::new();
    Read::by_ref(&mut file).take(ID_PREFIX_LEN).read_to_end(&mut start).ok()?;
    if start.starts_with(b"BSJB") {
        let root = Root::parse(Region::whole(SpaceId(0), start)).ok()?;
        let stream = PdbStream::decode(&mut root.stream("#Pdb")?.region.cursor()).ok()?;
        return Some(stream.guid);
    }
    let mut spaces = Spaces::default();
    let space = spaces.add(
        "",
        Origin::File(path.to_owned()),
        found.len(),
        Storage::Disk(DiskFile::new(file, found.len()).into()),
    );
    let msf = Msf::open(&mut spaces, space).ok()?;
    let stream = spaces.region(msf.stream(PDB_STREAM)?.space).ok()?;
    Info::parse(&stream).ok().map(|info| info.guid.value)
}

/// Packages and archives directly in a folder.
pub(crate) fn archives(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().take(MAX_ENTRIES);
    let mut found: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_archive(path)).collect();
    found.sort();
    found
}

/// Refuses a file of a cache that a link inside the cache leads to. The cache itself may be one: it is what the user named.
pub(crate) fn refuse_links(root: &Path, path: &Path) -> io::Result<()> {
    let mut at = root.to_owned();
    for step in path.strip_prefix(root).unwrap_or(path).components() {
        at.push(step);
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                return Err(io::Error::other(format!("{} is a link inside the cache: not followed", at.display())));
            }
            Ok(_) => {}
            // A path that does not exist has no links.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// Reads a file, out of its cabinet if it is named like one; nothing where there is none.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !found.is_file() {
        return Ok(None);
    }
    if found.len() > MAX_SIZE {
        return Err(io::Error::other("larger than 1 GB"));
    }
    let bytes = fs::read(path)?;
    if path.to_string_lossy().ends_with('_') { unpacked(&bytes).map(Some) } else { Ok(Some(bytes)) }
}

/// The file in a cabinet that a store has in its place.
pub(crate) fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
    match wrapped::unwrap(bytes) {
        Some(content) => content.map(|content| content.bytes).map_err(io::Error::other),
        None => Err(io::Error::other("named like a cabinet, but not one")),
    }
}

/// Puts a file into a cache, whole or not at all: others may be reading there. No link inside the cache is followed.
pub fn keep(root: &Path, key: &Key, bytes: &[u8]) -> io::Result<PathBuf> {
    let two_tiers = root.join("index2.txt").is_file();
    let name = key.name().to_lowercase();
    new_file::create_folder(root)?;
    let tier: String = name.chars().take(2).collect();
    let steps = two_tiers.then_some(tier.as_str()).into_iter().chain([name.as_str(), key.id()]);
    let path = new_file::create_folders_in(root, steps)?.join(&name);
    let at_path = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    new_file::write(&path, Existing::Replace, bytes).map_err(at_path)?;
    Ok(path)
}
