//! Looking for one file along a symbol path.

use pdblens_formats::reason::Reason;
use std::fmt;
use std::path::{Path, PathBuf};

use super::path::{Element, Source, SymbolPath};
use super::{Key, Wanted, folder};
use crate::session::inputs::{Location, Unit, is_many, units};
use crate::session::read_file::MAX_WHOLE;
use crate::store::http::{Answer, Http, HttpError, Progress};
use crate::text::paths::{percent_encoded, without_passwords};

const MAX_LOOKED: usize = 1024;

/// A search, and where it has looked.
#[derive(Debug)]
pub struct Search<'p> {
    path: &'p SymbolPath,
    http: Option<&'p Http>,
    /// Places searched, in order.
    pub looked: Vec<Looked>,
}

/// A place where was looked.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "looked"))]
pub struct Looked {
    /// A path or a URL without its password.
    #[serde(rename = "location")]
    pub place: String,
    /// Outcome at the place.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Outcome at one place.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "outcome", content = "text", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Outcome {
    /// The file.
    Found,
    /// Nothing.
    Missing,
    /// Another file, and why it is not the one.
    Refused(String),
    /// It could not be read, and why.
    Failed(String),
    /// It is a server, and those were not to be asked.
    NotAsked,
    /// It is a server that redirects to another one, and to which.
    Redirected(String),
    /// The file is kept there from now on.
    Kept,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found => f.write_str("found, and it matches"),
            Self::Missing => f.write_str("not there"),
            Self::Refused(why) | Self::Failed(why) => f.write_str(why),
            Self::NotAsked => f.write_str("not asked"),
            Self::Redirected(server) => write!(f, "redirected to {server}"),
            Self::Kept => f.write_str("kept there"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Links {
    Followed,
    /// The folder is a cache, in which pdblens makes none.
    Refused,
}

/// A file that was found, and is the one that was wanted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "found"))]
pub struct Found {
    /// Path in a folder or a cache; only the name where it came from a server and no cache is named.
    #[serde(serialize_with = "pdblens_formats::serialize::path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// Origin of the file.
    pub from: String,
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl<'p> Search<'p> {
    /// A search along `path`. Servers are asked only if there is `http`.
    pub const fn new(path: &'p SymbolPath, http: Option<&'p Http>) -> Self {
        Self { path, http, looked: Vec::new() }
    }

    pub fn find(&mut self, wanted: &Wanted, progress: Progress<'_>) -> Option<Found> {
        let Some(key) = &wanted.key else {
            self.note(&wanted.path, Outcome::Refused("not searched: not a valid file name".to_owned()));
            return None;
        };
        let mut caches: Vec<&Path> = Vec::new();
        for element in &self.path.elements {
            match element {
                Element::Cache(folder) => {
                    if let Some(found) = self.in_folder(folder, Links::Refused, key, wanted) {
                        return Some(found);
                    }
                    caches.push(folder);
                }
                Element::From { caches: own, source } => {
                    if let Some(found) = own.iter().find_map(|cache| self.in_folder(cache, Links::Refused, key, wanted))
                    {
                        return Some(found);
                    }
                    let all: Vec<&Path> = own.iter().map(PathBuf::as_path).chain(caches.iter().copied()).collect();
                    if let Some(found) = self.in_source(source, &all, key, wanted, progress) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    fn in_source(
        &mut self,
        source: &Source,
        caches: &[&Path],
        key: &Key,
        wanted: &Wanted,
        progress: Progress<'_>,
    ) -> Option<Found> {
        let mut found = match source {
            Source::Folder(folder) => self.in_folder(folder, Links::Followed, key, wanted)?,
            Source::Server(url) => self.on_server(url, key, wanted, progress)?,
        };
        for cache in caches {
            match folder::keep(cache, key, &found.bytes) {
                Ok(path) => {
                    self.note(&path.display().to_string(), Outcome::Kept);
                    found.path = path;
                }
                Err(error) => self.note(&cache.display().to_string(), Outcome::Failed(error.to_string())),
            }
        }
        Some(found)
    }

    /// Looks at the symbol files in a package or another container, and at a file that is named itself.
    fn in_container(&mut self, root: &Path, key: &Key, wanted: &Wanted) -> Option<Found> {
        let units = match units(&[root.to_owned()]) {
            Ok(units) => units,
            Err(error) => {
                self.note(&root.display().to_string(), Outcome::Failed(error.to_string()));
                return None;
            }
        };
        let is_named = |path: &Path| Location::of(path).file_name().eq_ignore_ascii_case(key.name());
        let mut files: Vec<&Path> = units.iter().flat_map(Unit::files).collect();
        files.sort_by_cached_key(|path| !is_named(path));
        for path in files.into_iter().take(MAX_LOOKED) {
            let (shown, location) = (path.display().to_string(), Location::of(path));
            let bytes = location.read(MAX_WHOLE).map_err(|error| Reason::new("not-read", error.to_string()));
            match bytes.and_then(|bytes| accepted(wanted, path.to_owned(), &shown, bytes)) {
                Ok(found) => {
                    self.note(&shown, Outcome::Found);
                    return Some(found);
                }
                // What has another name is no other build.
                Err(why) if is_named(path) => self.note(&shown, Outcome::Refused(why.text)),
                Err(_) => {}
            }
        }
        None
    }

    /// Looks in a folder, a store or a container; a place with nothing is one line.
    fn in_folder(&mut self, root: &Path, links: Links, key: &Key, wanted: &Wanted) -> Option<Found> {
        let before = self.looked.len();
        let found = if !root.is_dir() && (is_many(root) || Location::of(root).is_file()) {
            self.in_container(root, key, wanted)
        } else {
            self.in_plain_folder(root, links, key, wanted)
        };
        if found.is_none() && self.looked.len() == before {
            self.note(&root.display().to_string(), Outcome::Missing);
        }
        found
    }

    fn in_plain_folder(&mut self, root: &Path, links: Links, key: &Key, wanted: &Wanted) -> Option<Found> {
        let named = folder::places(root, key);
        if let Some(found) = named.iter().find_map(|path| self.at(root, path, links, wanted)) {
            return Some(found);
        }
        let is_allowed = |path: &PathBuf| links == Links::Followed || folder::refuse_links(root, path).is_ok();
        let mut others = folder::by_id(root, key).into_iter().filter(|path| !named.contains(path)).filter(is_allowed);
        if let Some(found) = others.find_map(|path| self.at(root, &path, links, wanted)) {
            return Some(found);
        }
        let mut archives = folder::archives(root).into_iter().filter(is_allowed);
        if let Some(found) = archives.find_map(|path| self.in_container(&path, key, wanted)) {
            return Some(found);
        }
        if let Some(instead) = folder::instead(root, key) {
            self.note(&root.display().to_string(), Outcome::Refused(instead));
        }
        None
    }

    /// Looks at one path; a place with nothing is not worth a line of its own.
    fn at(&mut self, root: &Path, path: &Path, links: Links, wanted: &Wanted) -> Option<Found> {
        let shown = path.display().to_string();
        let is_allowed = if links == Links::Refused { folder::refuse_links(root, path) } else { Ok(()) };
        let outcome = match is_allowed.and_then(|()| folder::read(path)) {
            Ok(None) => return None,
            Ok(Some(bytes)) => match accepted(wanted, path.to_owned(), &shown, bytes) {
                Ok(found) => {
                    self.note(&shown, Outcome::Found);
                    return Some(found);
                }
                Err(why) => Outcome::Refused(why.text),
            },
            Err(error) => Outcome::Failed(error.to_string()),
        };
        self.note(&shown, outcome);
        None
    }

    fn on_server(&mut self, server: &str, key: &Key, wanted: &Wanted, progress: Progress<'_>) -> Option<Found> {
        let Some(http) = self.http else {
            self.note(&without_passwords(server), Outcome::NotAsked);
            return None;
        };
        let checksum = wanted.checksum_header();
        let headers: Vec<(&str, &str)> = checksum.iter().map(|value| ("SymbolChecksum", value.as_str())).collect();
        // As servers have it, then as SymStore writes it, for servers to which case matters. Only SymStore makes cabinets (`App.pd_`).
        let mut spellings: Vec<_> =
            key.spellings().into_iter().take(2).map(|(name, id)| (name.clone(), id, name)).collect();
        let cabinet =
            spellings.last().and_then(|(name, id, _)| Some((name.clone(), id.clone(), folder::packed(name)?)));
        spellings.extend(cabinet);
        for (name, id, file) in spellings {
            let url = format!("{}/{}/{id}/", server.trim_end_matches('/'), percent_encoded(&name));
            let url = url + &percent_encoded(&file);
            let is_packed = file != name;
            let unpacked = |bytes: Vec<u8>| {
                if !is_packed {
                    return Ok(bytes);
                }
                folder::unpacked(&bytes).map_err(|error| Reason::new("not-unpacked", error.to_string()))
            };
            let answer = http.get(&url, &headers, progress);
            let url = without_passwords(&url);
            if let Ok(Answer { redirected_to: Some(server), .. }) = &answer {
                self.note(&url, Outcome::Redirected(server.clone()));
            }
            match answer.map(|answer| answer.bytes) {
                Ok(bytes) => match unpacked(bytes).and_then(|bytes| accepted(wanted, key.name().into(), &url, bytes)) {
                    Ok(found) => {
                        self.note(&url, Outcome::Found);
                        return Some(found);
                    }
                    Err(why) => self.note(&url, Outcome::Refused(why.text)),
                },
                // Most servers have no cabinets.
                Err(HttpError::NotFound) if is_packed => {}
                Err(HttpError::NotFound) => self.note(&url, Outcome::Missing),
                Err(error) => {
                    // Whatever is wrong with it will be so for any spelling.
                    self.note(&url, Outcome::Failed(error.to_string()));
                    return None;
                }
            }
        }
        None
    }

    fn note(&mut self, place: &str, outcome: Outcome) {
        log::debug!("{place}: {outcome}");
        self.looked.push(Looked { place: place.to_owned(), outcome });
    }
}

/// The file if it is the one that is wanted, or why it is not.
fn accepted(wanted: &Wanted, path: PathBuf, from: &str, bytes: Vec<u8>) -> Result<Found, Reason> {
    wanted.accepts(bytes.clone())?;
    Ok(Found { path, from: from.to_owned(), bytes })
}
