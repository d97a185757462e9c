//! Symbol paths: what `--symbols` and `_NT_SYMBOL_PATH` say.
//!
//! Elements are separated by `;` and looked at in their order:
//!
//! ```text
//! folder                        a folder, a store, a package, or a pattern of files (`out/*.snupkg`)
//! https://server/symbols        a server
//! srv*[cache*…]server           a server (or a store), and caches for what comes from it
//! symsrv*dll*[cache*…]server    the same
//! cache*folder                  a cache for what comes from any server after it
//! ```
//!
//! An empty cache (`srv**https://…`, `cache*`) is the default one. `srv*` alone names no server, so that none is asked.

use std::path::{Path, PathBuf};

pub const MICROSOFT: &str = "https://msdl.microsoft.com/download/symbols";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolPath {
    pub elements: Vec<Element>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// Location of symbols, and the caches in front of it, nearest first.
    From { caches: Vec<PathBuf>, source: Source },
    /// A cache for what comes from servers after it.
    Cache(PathBuf),
}

impl Element {
    /// The file or folder that it is, where it is no server.
    pub const fn plain(&self) -> Option<&PathBuf> {
        match self {
            Self::From { source: Source::Folder(path), .. } => Some(path),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder, or a store.
    Folder(PathBuf),
    Server(String),
}

impl SymbolPath {
    pub fn parse(text: &str) -> Self {
        let elements = text.split(';').map(str::trim).filter(|element| !element.is_empty());
        Self { elements: elements.filter_map(element).collect() }
    }

    /// The path that the environment has.
    pub fn of_environment() -> Self {
        std::env::var("_NT_SYMBOL_PATH").map(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// This path, then another.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.elements.extend(other.elements);
        self
    }

    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.elements.iter().filter_map(|element| match element {
            Element::From { source: Source::Server(url), .. } => Some(url.as_str()),
            _ => None,
        })
    }

    pub fn caches(&self) -> impl Iterator<Item = &Path> {
        self.elements
            .iter()
            .flat_map(|element| match element {
                Element::From { caches, .. } => caches.as_slice(),
                Element::Cache(folder) => std::slice::from_ref(folder),
            })
            .map(PathBuf::as_path)
    }

    pub const fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

/// The folder for what comes from servers where no other is named.
#[cfg(feature = "packages")]
pub fn default_cache() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.cache_dir().join("pdblens").join("symbols"))
}

/// None: the folder is known with the feature `packages`.
#[cfg(not(feature = "packages"))]
pub const fn default_cache() -> Option<PathBuf> {
    None
}

fn element(text: &str) -> Option<Element> {
    let mut parts = text.split('*').map(str::trim);
    let first = parts.next()?.to_lowercase();
    let rest: Vec<&str> = parts.collect();
    match (first.as_str(), rest.as_slice()) {
        (_, []) => Some(from(Vec::new(), text)),
        ("srv", rest) | ("symsrv", [_, rest @ ..]) => chain(rest),
        ("cache", [folder]) => cache(folder).map(Element::Cache),
        ("cache", _) => None,
        // A pattern of files.
        _ if text.contains(['/', '\\']) && !text.contains("://") => Some(from(Vec::new(), text)),
        _ => None,
    }
}

/// Caches, followed by the store or server they cache; nothing if none is named.
fn chain(parts: &[&str]) -> Option<Element> {
    let (last, caches) = parts.split_last().filter(|(last, _)| !last.is_empty())?;
    let caches = caches.iter().filter_map(|part| cache(part)).collect();
    Some(from(caches, last))
}

fn cache(text: &str) -> Option<PathBuf> {
    if text.is_empty() {
        return default_cache();
    }
    (!is_url(text)).then(|| text.into())
}

fn from(caches: Vec<PathBuf>, source: &str) -> Element {
    let source = if is_url(source) { Source::Server(source.to_owned()) } else { Source::Folder(source.into()) };
    Element::From { caches, source }
}

fn is_url(text: &str) -> bool {
    let text = text.to_lowercase();
    text.starts_with("http://") || text.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &str) -> Source {
        Source::Folder(path.into())
    }

    fn server(url: &str) -> Source {
        Source::Server(url.into())
    }

    fn plain(source: Source) -> Element {
        Element::From { caches: Vec::new(), source }
    }

    #[test]
    fn every_form_of_an_element() {
        let parsed = |text| SymbolPath::parse(text).elements;
        assert_eq!(parsed(r" C:\a ;;/b;"), [plain(folder(r"C:\a")), plain(folder("/b"))]);
        assert_eq!(parsed("https://e/s"), [plain(server("https://e/s"))]);
        assert_eq!(parsed("srv*https://e/s"), [plain(server("https://e/s"))]);
        assert_eq!(
            parsed("SRV*/c*https://e/s"),
            [Element::From { caches: vec!["/c".into()], source: server("https://e/s") }]
        );
        let both = Element::From { caches: vec!["/c".into(), "/d".into()], source: server("https://e/s") };
        assert_eq!(parsed("symsrv*symsrv.dll*/c*/d*https://e/s"), [both]);
        assert_eq!(parsed("srv*/c*/store"), [Element::From { caches: vec!["/c".into()], source: folder("/store") }]);
        assert_eq!(parsed("cache*/c;srv*"), [Element::Cache("/c".into())]);
        assert_eq!(parsed("srv*;srv*/c*;symsrv*symsrv.dll*"), []);
        assert_eq!(parsed("cache*a*b;other*x;other*https://e"), []);
        assert_eq!(parsed("out/*.snupkg"), [plain(folder("out/*.snupkg"))]);
        let default: Vec<PathBuf> = default_cache().into_iter().collect();
        assert_eq!(parsed("srv**https://e/s"), [Element::From { caches: default, source: server("https://e/s") }]);
    }
}
