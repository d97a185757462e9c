//! Symbols from stores and servers, for frames that come with an id.

use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::symbols::{Files, FindSymbols, Offer, stem};
use pdblens_session::store::http::Http;
use pdblens_session::store::{Element, Search, SymbolPath, SymbolPaths, Wanted};
use pdblens_session::symbols::{IdSuffix, SymbolId};

/// Told how far a transfer is; see [`pdblens_session::store::http::Progress`].
pub type OnProgress = Box<dyn FnMut(u64, Option<u64>) -> ControlFlow<()>>;

/// A symbol path.
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

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stores").field("path", &self.path).finish_non_exhaustive()
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

impl Files {
    /// The plain files and folders of a symbol path.
    pub fn along(path: &SymbolPath) -> Self {
        let plain: Vec<PathBuf> = path.elements.iter().filter_map(Element::plain).cloned().collect();
        Self::new(&plain)
    }
}
