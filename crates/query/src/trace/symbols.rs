//! Sources of symbols for frames.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pdblens_formats::bytes::Guid;
use pdblens_session::session::deltas::is_delta;
use pdblens_session::session::inputs::{Location, Unit, is_archive, is_many, units};
use pdblens_session::session::{Image, Session};
use pdblens_session::store::http::Http;
use pdblens_session::store::{Element, Search, SymbolPath, SymbolPaths, Wanted};
use pdblens_session::symbols::{IdSuffix, SymbolId, SymbolReader};

/// The most files of the folders that are looked at.
const MAX_FILES: usize = 50_000;
/// The most of them that are opened to find an id.
const MAX_OPENED: usize = 4_000;
/// The largest file that is opened for that.
const MAX_SIZE: u64 = 512 << 20;
/// Depth to which folders are searched.
const MAX_DEPTH: usize = 8;
/// The endings of images and symbol files.
const ENDINGS: &str = "dll exe winmd netmodule pdb mdb node pyd ocx ax cpl scr sys drv efi pd_ pdz dl_ ex_";

/// Candidate for an image or its symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Path of the file, or its name where it is not on this machine.
    pub path: PathBuf,
    pub bytes: Option<Vec<u8>>,
}

/// Finds files that could be an image or its symbols. The caller checks the content of a file.
pub trait FindSymbols {
    /// Images of that file name, or of that name but for the ending, and symbol files that go by it.
    fn by_image_name(&self, _name: &str) -> Vec<Offer> {
        Vec::new()
    }

    /// Symbol files with an id, and images that embed one. `name` is the likely file name.
    fn by_id(&self, id: SymbolId, name: &str) -> Vec<Offer>;

    fn by_mvid(&self, _mvid: Guid) -> Vec<Offer> {
        Vec::new()
    }

    /// All images and symbol files that it can list.
    fn all(&self) -> Vec<Offer> {
        Vec::new()
    }

    /// Returns whether a file was named itself, and not found in a folder.
    fn is_named(&self, _path: &Path) -> bool {
        false
    }
}

/// Plain files and folders.
#[derive(Debug, Default)]
pub struct Files {
    /// Files that were named: they are looked at whatever they are called.
    named: Vec<PathBuf>,
    /// Files of the folders that were named, by their endings.
    listed: Vec<PathBuf>,
    ids: OnceCell<Vec<Ids>>,
}

#[derive(Debug)]
struct Ids {
    path: PathBuf,
    symbols: Option<SymbolId>,
    mvid: Option<Guid>,
}

impl Files {
    /// The files among `paths`, and those in the folders among them.
    pub fn new(paths: &[PathBuf]) -> Self {
        let mut files = Self::default();
        for path in paths {
            if path.is_dir() {
                list(path, 0, &mut files.listed);
            } else if is_many(path) {
                files.listed.extend(inside(path));
            } else {
                files.named.push(path.clone());
            }
        }
        files.listed.sort();
        files.listed.dedup();
        files
    }

    /// The files of one folder, without those in its folders.
    pub fn beside(folder: &Path) -> Self {
        let mut files = Self::default();
        list(folder, MAX_DEPTH, &mut files.listed);
        files.listed.sort();
        files
    }

    /// The plain files and folders of a symbol path.
    pub fn along(path: &SymbolPath) -> Self {
        let plain: Vec<PathBuf> = path.elements.iter().filter_map(Element::plain).cloned().collect();
        Self::new(&plain)
    }

    /// These finders, followed by others.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.named.extend(other.named);
        self.listed.extend(other.listed);
        self.ids = OnceCell::new();
        self
    }

    fn everything(&self) -> impl Iterator<Item = &PathBuf> {
        self.named.iter().chain(&self.listed)
    }

    fn ids(&self) -> &[Ids] {
        self.ids.get_or_init(|| self.everything().take(MAX_OPENED).filter_map(|path| ids(path)).collect())
    }
}

impl FindSymbols for Files {
    fn by_image_name(&self, name: &str) -> Vec<Offer> {
        let exact = self.everything().filter(|path| file_name(path).eq_ignore_ascii_case(name));
        let similar = self.everything().filter(|path| goes_by(file_name(path), name));
        unique(exact.chain(similar).chain(&self.named))
    }

    fn by_id(&self, id: SymbolId, name: &str) -> Vec<Offer> {
        let similar = self.everything().filter(|path| goes_by(file_name(path), name));
        let found: Vec<&PathBuf> = similar.collect();
        let has = |ids: &Ids| ids.symbols.is_some_and(|have| have.guid == id.guid);
        if found.iter().any(|path| ids(path).is_some_and(|ids| has(&ids))) {
            return unique(found.into_iter());
        }
        let same = self.ids().iter().filter(|ids| has(ids)).map(|ids| &ids.path);
        unique(same.chain(found))
    }

    fn by_mvid(&self, mvid: Guid) -> Vec<Offer> {
        unique(self.ids().iter().filter(|ids| ids.mvid == Some(mvid)).map(|ids| &ids.path))
    }

    fn all(&self) -> Vec<Offer> {
        unique(self.everything())
    }

    fn is_named(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named == path)
    }
}

/// Told how far a transfer is; see [`pdblens_session::store::http::Progress`].
pub type OnProgress = Box<dyn FnMut(u64, Option<u64>) -> ControlFlow<()>>;

pub struct Stores {
    path: SymbolPath,
    http: Option<Http>,
    progress: RefCell<OnProgress>,
}

impl Stores {
    /// Searches along `path`. Servers are contacted only if there is `http`.
    pub fn new(path: SymbolPath, http: Option<Http>, progress: OnProgress) -> Self {
        Self { path, http, progress: RefCell::new(progress) }
    }

    fn search(&self, wanted: &Wanted) -> Option<Offer> {
        let mut progress = self.progress.borrow_mut();
        let found = Search::new(&self.path, self.http.as_ref()).find(wanted, &mut **progress)?;
        Some(Offer { path: found.path, bytes: Some(found.bytes) })
    }
}

impl FindSymbols for Stores {
    fn by_id(&self, id: SymbolId, name: &str) -> Vec<Offer> {
        let name = format!("{}.pdb", stem(name));
        // A trace may say 1 where a portable PDB has a stamp, which its key does not have.
        let portable = match id.suffix {
            IdSuffix::Stamp(_) => Wanted::symbols(&name, id),
            _ => Wanted::portable(&name, id.guid),
        };
        let found = self.search(&portable);
        let windows = || match id.suffix {
            IdSuffix::Age(_) => self.search(&Wanted::symbols(&name, id)),
            _ => None,
        };
        found.or_else(windows).into_iter().collect()
    }
}

/// Finders in order: `files`, then the stores and servers that were named, then those of the environment.
pub fn finders(paths: &SymbolPaths, files: Files, progress: &dyn Fn() -> OnProgress) -> Vec<Box<dyn FindSymbols>> {
    let mut finders: Vec<Box<dyn FindSymbols>> = vec![Box::new(files)];
    for (path, http) in [(&paths.named, Some(Http::default())), (&paths.environment, None)] {
        if !path.is_empty() {
            finders.push(Box::new(Stores::new(path.clone(), http, progress())));
        }
    }
    finders
}

/// Images and symbol files in a package, another container or a pattern.
fn inside(path: &Path) -> Vec<PathBuf> {
    let units = units(&[path.to_owned()]).unwrap_or_default();
    units.iter().flat_map(Unit::files).map(Path::to_owned).collect()
}

fn ids(path: &Path) -> Option<Ids> {
    let location = Location::of(path);
    location.size().filter(|size| location.is_file() && *size <= MAX_SIZE)?;
    let session = Session::from_bytes(vec![(path.to_owned(), location.read(MAX_SIZE).ok()?)]).ok()?;
    let symbols = session.symbols().and_then(SymbolReader::id);
    let mvid = session.image().and_then(Image::mvid);
    // An .mdb goes by the module version id of its image.
    let mvid = mvid.or(symbols.filter(|id| id.suffix == IdSuffix::None).map(|id| id.guid));
    Some(Ids { path: path.to_owned(), symbols, mvid })
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        if files.len() >= MAX_FILES {
            return;
        }
        // A link to a folder is not followed: it may lead in a circle.
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            if depth < MAX_DEPTH {
                list(&path, depth + 1, files);
            }
        } else if ending(file_name(&path)).is_some() && path.is_file() {
            files.push(path);
        } else if is_archive(&path) {
            files.extend(inside(&path));
        }
    }
}

/// Each of `paths` once.
fn unique<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Vec<Offer> {
    let mut seen = HashSet::new();
    let new = paths.filter(|path| seen.insert(path.as_path()));
    new.map(|path| Offer { path: path.clone(), bytes: None }).collect()
}

/// The last step of a path or of an address in a container, as text.
fn file_name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match name.rsplit_once('!') {
        Some((_, inner)) if !path.exists() => inner,
        _ => name,
    }
}

/// The ending of a file's name, where it is one that images or symbols have.
fn ending(name: &str) -> Option<&str> {
    let (_, ending) = name.rsplit_once('.')?;
    ENDINGS.split(' ').any(|known| known.eq_ignore_ascii_case(ending)).then_some(ending)
}

/// Returns whether the name of a file matches a name, with or without the extension of either.
pub(crate) fn goes_by(file: &str, name: &str) -> bool {
    let own = stem(file);
    file.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(stem(name))
}

/// A file's name without such endings: `App.dll`, `App.pdb` and `App.exe.mdb` are all `App`; `System.Core` is itself.
pub(crate) fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let cut = |name| match ending(name) {
        Some(ending) => name.get(..name.len() - ending.len() - 1).unwrap_or(name),
        None => name,
    };
    match ending(name) {
        Some(ending) if ending.eq_ignore_ascii_case("mdb") => cut(cut(name)),
        _ => cut(name),
    }
}

/// Named files: hot-reload deltas beside the pair that they change, and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// An image or a PDB, or both, and the deltas of it, in the order in which they were named.
    pub pairs: Vec<Vec<PathBuf>>,
    /// The other files, and those of `pairs` that are no deltas.
    pub files: Vec<PathBuf>,
    /// Deltas of none of the files, or of any of several.
    pub left: Vec<PathBuf>,
}

impl Groups {
    /// Separates deltas from other files, and finds the pair that each changes: the only one, or the one whose name begins its own.
    pub fn of(paths: &[PathBuf]) -> Self {
        let (deltas, files): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| path.is_file() && is_delta(path));
        let mut groups = Self { files, ..Self::default() };
        for delta in deltas {
            let Some(changed) = groups.changed_by(&delta) else {
                groups.left.push(delta);
                continue;
            };
            match groups.pairs.iter_mut().find(|pair| changed.iter().all(|file| pair.contains(file))) {
                Some(pair) => pair.push(delta),
                None => groups.pairs.push([changed, vec![delta]].concat()),
            }
        }
        groups
    }

    /// Files that a delta changes.
    fn changed_by(&self, delta: &Path) -> Option<Vec<PathBuf>> {
        let files = || self.files.iter().filter(|path| path.is_file());
        let name =
            |path: &Path| path.file_name().and_then(|name| name.to_str()).map(stem).unwrap_or_default().to_owned();
        let mut names: Vec<String> = files().map(|path| name(path)).collect();
        names.sort_unstable();
        names.dedup();
        let own = name(delta);
        let begins = |name: &String| own.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let changed = match names.as_slice() {
            [only] => Some(only),
            // A.B.1 is of A.B and not of A.
            several => several.iter().filter(|name| begins(name)).max_by_key(|name| name.len()),
        }?;
        Some(files().filter(|path| name(path) == *changed).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_leave_the_dots_of_assembly_names() {
        for (name, wanted) in [
            ("App.dll", "App"),
            ("App.PDB", "App"),
            ("App.exe.mdb", "App"),
            ("System.Private.CoreLib", "System.Private.CoreLib"),
            ("C:\\x\\App.pdb", "App"),
            ("x", "x"),
            (".dll", ""),
        ] {
            assert_eq!(stem(name), wanted, "{name}");
        }
    }

    #[test]
    fn an_ending_may_be_part_of_a_name() {
        assert!(goes_by("Acme.Node.dll", "Acme.Node") && goes_by("pty.node", "pty") && goes_by("pty.pdb", "pty.node"));
        assert!(!goes_by("Acme.dll", "Acme.Core"));
    }

    #[test]
    fn files_are_found_by_name_by_id_and_by_version() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples");
        let files = Files::new(&[samples.join("faults"), samples.join("ticker")]);
        let names = |found: Vec<Offer>| found.iter().map(|file| file_name(&file.path).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(files.by_image_name("faults.dll")), ["Faults.dll", "Faults.pdb"]);
        assert_eq!(names(files.by_image_name("Faults")), ["Faults.dll", "Faults.pdb"]);
        assert_eq!(files.by_image_name("Nope.dll"), []);
        let guid = "162927d9-759d-4fe9-8732-5bb68cf6340c".parse().unwrap();
        let id = SymbolId { guid, suffix: IdSuffix::Age(1) };
        assert_eq!(names(files.by_id(id, "renamed.pdb")), ["Faults.pdb"]);
        let mvid = Session::open(&[samples.join("faults/Faults.dll")]).unwrap().image().unwrap().mvid().unwrap();
        assert_eq!(names(files.by_mvid(mvid)), ["Faults.dll"]);
    }
}
