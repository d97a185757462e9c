//! Open containers: their lists, which are kept, and their entries, which are read again each time.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::{Location, has_extension};
use crate::session::read_file::{open_regular, read_file, read_rest};
use crate::session::{detect, standard_input};
use pdblens_formats::container::{
    self, ContainerError, Entry, MAX_ENTRIES, PREFIX_LEN, assembly_store, cabinet, webcil,
};
use pdblens_formats::host::{self, Host};

/// The largest program that is read to find the files in it.
const MAX_HOST: u64 = 512 << 20;
const MAX_KEPT: usize = 16;
const ARCHIVES: &[&str] = &["nupkg", "snupkg", "zip", "apk", "whl"];
/// Ends of the names of archives whose own archives are listed only in a file.
const TAR_ARCHIVES: &[&str] = &[".tgz", ".tar.gz", ".tar"];
/// Containers in a container that are listed.
const MAX_INNER: usize = 256;
/// The largest container in a container that is listed.
const MAX_OUTER: u64 = 256 << 20;
/// Limit on the bytes of `assemblies.manifest`.
const MAX_MANIFEST: u64 = 4 << 20;

/// A container and the list of its entries.
#[derive(Debug)]
pub(in crate::session) struct Archive {
    path: PathBuf,
    stamp: Stamp,
    pub(in crate::session) entries: Vec<Entry>,
    /// Indices of the entries in the order of their paths without case; of two with one path in the order of the list.
    by_path: Vec<usize>,
}

/// The state of a file: a list is not used for a file that was written since.
type Stamp = (u64, Option<SystemTime>);

/// Content of a container in a container, by the state of the file and the path of both.
type Outer = ((Stamp, PathBuf), Arc<Vec<u8>>);

/// Containers within a container that were read last: the container itself, and an unpacked tar archive, which contains others.
static OUTER: Mutex<[Option<Outer>; 2]> = Mutex::new([None, None]);

/// Lists of the containers used last.
static LISTS: Mutex<Vec<Arc<Archive>>> = Mutex::new(Vec::new());

impl Archive {
    /// The entry of a path; the case of letters counts where two differ in nothing else.
    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        let rest = self.by_path.get(self.first_from(path)..).unwrap_or_default();
        let rest = || rest.iter().filter_map(|index| self.entries.get(*index));
        let alike = || rest().take_while(|entry| entry.path.eq_ignore_ascii_case(path));
        alike().filter(|entry| entry.path == path).last().or_else(|| alike().last())
    }

    /// Position in the order by path of the first entry that is not before `path`.
    fn first_from(&self, path: &str) -> usize {
        let is_before =
            |index: &usize| self.entries.get(*index).is_some_and(|entry| lower(&entry.path).lt(lower(path)));
        self.by_path.partition_point(is_before)
    }

    /// Entries of the container that is the entry `outer`, if it is one, in the order of the list.
    pub(super) fn inside(&self, outer: &str) -> impl Iterator<Item = &Entry> {
        let within = format!("{outer}!");
        let begins_alike =
            |path: &str| path.get(..within.len()).is_some_and(|first| first.eq_ignore_ascii_case(&within));
        let rest = self.by_path.get(self.first_from(&within)..).unwrap_or_default().iter().copied();
        let is_alike = |index: &usize| self.entries.get(*index).is_some_and(|entry| begins_alike(&entry.path));
        let mut found: Vec<usize> = rest.take_while(is_alike).collect();
        found.sort_unstable();
        let found = found.into_iter().filter_map(|index| self.entries.get(index));
        found.filter(move |entry| entry.path.starts_with(&within))
    }

    pub(super) fn read(&self, path: &str, max: u64) -> io::Result<Vec<u8>> {
        let entry = self.entry(path).ok_or(io::ErrorKind::NotFound)?;
        entry.check().map_err(io::Error::other)?;
        if entry.size > max {
            return Err(io::Error::other(ContainerError::TooLarge(entry.size)));
        }
        self.unpack(entry)
    }

    fn unpack(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        let mut packed = Vec::new();
        let mut take = |content: &[u8]| {
            let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
            let rest = content.get(start..).unwrap_or_default();
            packed.extend_from_slice(rest.get(..entry.packed as usize).unwrap_or(rest));
        };
        if let Some(outer) = &entry.within {
            take(&self.outer(outer)?);
        } else if standard_input::is_named(&self.path) {
            take(standard_input::bytes()?);
        } else {
            let mut file = open_regular(&self.path)?;
            file.seek(SeekFrom::Start(entry.offset))?;
            // The file may be shorter than the entry states.
            file.take(entry.packed).read_to_end(&mut packed)?;
        }
        entry.unpack(packed).map_err(io::Error::other)
    }

    /// The content of an entry that is a container, which is kept while its own entries are read.
    fn outer(&self, outer: &Entry) -> io::Result<Arc<Vec<u8>>> {
        let kept = || OUTER.lock().unwrap_or_else(PoisonError::into_inner);
        let known = (self.stamp, self.path.join(&outer.path));
        if let Some((_, content)) = kept().iter().flatten().find(|(key, _)| *key == known) {
            return Ok(Arc::clone(content));
        }
        let content = Arc::new(self.unpack(outer)?);
        let [inner, whole] = &mut *kept();
        let slot = if outer.path.is_empty() { whole } else { inner };
        *slot = Some((known, Arc::clone(&content)));
        Ok(content)
    }

    /// Adds the entries of the containers that are entries themselves.
    fn add_inner(&mut self) {
        let manifest = self.entries.iter().find(|entry| entry.path.ends_with("assemblies.manifest"));
        let manifest = manifest.and_then(|entry| self.read(&entry.path, MAX_MANIFEST).ok()).unwrap_or_default();
        let manifest = String::from_utf8_lossy(&manifest);
        let inner = self.entries.iter().filter(|entry| may_have_entries(&entry.path) && entry.size <= MAX_OUTER);
        let mut found = Vec::new();
        for outer in inner.take(MAX_INNER) {
            let Ok(content) = self.outer(outer) else { continue };
            let listed = if container::zip::is_zip(&content) {
                container::zip::list(io::Cursor::new(content.as_slice()))
            } else {
                let store = assembly_store::find(&content);
                store.map_or_else(|| Ok(Vec::new()), |at| assembly_store::list(&content, at, &manifest))
            };
            let outer = Arc::new(outer.clone());
            found.extend(listed.into_iter().flatten().map(|entry| entry.inside(&outer)));
            if found.len() > MAX_ENTRIES {
                break;
            }
        }
        self.entries.append(&mut found);
        self.sort();
    }

    fn sort(&mut self) {
        let entries = &self.entries;
        self.by_path = (0..entries.len()).collect();
        let path = |index: &usize| entries.get(*index).map_or("", |entry| entry.path.as_str());
        self.by_path.sort_by(|a, b| lower(path(a)).cmp(lower(path(b))));
    }
}

fn lower(path: &str) -> impl Iterator<Item = u8> {
    path.bytes().map(|byte| byte.to_ascii_lowercase())
}

/// Returns true for the name of an entry that has entries itself.
fn may_have_entries(name: &str) -> bool {
    has_extension(name, ARCHIVES) || assembly_store::is_named_like(name)
}

pub(super) fn is_named_like_an_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    has_extension(&name, ARCHIVES) || TAR_ARCHIVES.iter().any(|end| name.ends_with(end))
}

/// Returns whether a path is a regular file, or standard input.
pub(super) fn is_file(path: &Path) -> bool {
    standard_input::is_named(path) || path.is_file()
}

/// Returns whether a file begins like an archive of any files: zip or tar.
pub(super) fn is_archive(path: &Path) -> bool {
    first_bytes(path).is_some_and(|first| container::is_archive(&first))
}

/// Returns whether a file is an archive, a single-file program or an assembly store.
pub(super) fn is_container(path: &Path) -> bool {
    is_archive(path) || is_cabinet(path) || is_store(path) || may_be_host(path) && of(path).is_ok()
}

/// List, outer container and path of a container in a container, if an address is that of one.
pub(super) fn nested(path: &Path) -> Option<(Arc<Archive>, PathBuf, String)> {
    let Location::Entry { container, path } = Location::of(path) else { return None };
    let archive = of(&container).ok()?;
    archive.inside(&path).next()?;
    Some((archive, container, path))
}

/// Returns whether a file is a cabinet of several files.
fn is_cabinet(path: &Path) -> bool {
    first_bytes(path).is_some_and(|first| cabinet::has_many(&first))
}

/// Returns whether a file is an assembly store, whatever its name, or a library with one.
fn is_store(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| assembly_store::is_named_like(&name.to_string_lossy()));
    (is_named || first_bytes(path).is_some_and(|first| assembly_store::is_store(&first))) && of(path).is_ok()
}

/// Returns whether a file is a WebAssembly module that wraps an assembly.
pub(super) fn is_webcil(path: &Path) -> bool {
    first_bytes(path).is_some_and(|first| webcil::is_module(&first))
}

/// Returns whether a file may be a host of a .NET program: a program of this or another system that is not named like a DLL.
pub(super) fn may_be_host(path: &Path) -> bool {
    let dll = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dll"));
    !dll && first_bytes(path).is_some_and(|first| first.starts_with(b"MZ") || detect::is_foreign_program(&first))
}

/// The first bytes of a file, as many as tell its format.
pub(super) fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    if standard_input::is_named(path) {
        let all = standard_input::bytes().ok()?;
        return Some(all.get(..PREFIX_LEN).unwrap_or(all).to_vec());
    }
    let mut first = Vec::new();
    open_regular(path).ok()?.take(PREFIX_LEN as u64).read_to_end(&mut first).ok()?;
    Some(first)
}

pub(super) fn read_host(path: &Path) -> io::Result<Vec<u8>> {
    if standard_input::is_named(path) {
        return standard_input::bytes().map(<[u8]>::to_vec);
    }
    let mut bytes = Vec::new();
    read_rest(&mut open_regular(path)?, &mut bytes, MAX_HOST)?;
    Ok(bytes)
}

pub(in crate::session) fn of(path: &Path) -> io::Result<Arc<Archive>> {
    let stamp = stamp(path)?;
    let kept = || LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(archive) = kept().iter().find(|archive| archive.stamp == stamp && archive.path == path) {
        return Ok(Arc::clone(archive));
    }
    let mut archive = Archive { path: path.to_owned(), stamp, entries: list(path)?, by_path: Vec::new() };
    archive.sort();
    archive.add_inner();
    let archive = Arc::new(archive);
    let mut kept = kept();
    kept.retain(|other| other.path != path);
    if kept.len() >= MAX_KEPT {
        kept.remove(0);
    }
    kept.push(Arc::clone(&archive));
    Ok(archive)
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    if standard_input::is_named(path) {
        return Ok((standard_input::bytes()?.len() as u64, None));
    }
    let found = std::fs::metadata(path)?;
    Ok((found.len(), found.modified().ok()))
}

/// Reader of a whole container: of a file, or of standard input.
pub(super) fn reader(path: &Path) -> io::Result<Box<dyn ReadSeek>> {
    if standard_input::is_named(path) {
        return Ok(Box::new(io::Cursor::new(standard_input::bytes()?)));
    }
    Ok(Box::new(BufReader::new(File::open(path)?)))
}

/// Bytes that are read from any position.
pub(super) trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}

fn list(path: &Path) -> io::Result<Vec<Entry>> {
    let first = first_bytes(path).unwrap_or_default();
    if container::zip::is_zip(&first) {
        return container::zip::list(reader(path)?).map_err(io::Error::other);
    }
    let bytes = read_host(path)?;
    if container::tar::is_tar(&first) {
        return container::tar::list(&bytes).map_err(io::Error::other);
    }
    if cabinet::has_many(&bytes) {
        return cabinet::list(&bytes).map_err(io::Error::other);
    }
    if let Some(at) = assembly_store::find(&bytes) {
        let manifest = read_file(&path.with_file_name("assemblies.manifest"), MAX_MANIFEST).unwrap_or_default();
        return assembly_store::list(&bytes, at, &String::from_utf8_lossy(&manifest)).map_err(io::Error::other);
    }
    match host::host(&bytes) {
        Some(Host::Bundle(bundle)) => container::bundle::list(&bytes, &bundle).map_err(io::Error::other),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
