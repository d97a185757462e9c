//! The rules of a project: `pdblens.toml` in the current folder or above it.
//!
//! ```toml
//! [check]
//! deny = ["sources", "source-hash-strong"]
//! warn = ["paths"]
//! allow = ["package-symbols"]
//!
//! [quality]
//! lines_with_points = 95
//! ```

use std::path::{Path, PathBuf};

use super::policy_file;
use crate::cli::Error;
use crate::query::check::Level;
use crate::query::quality::Threshold;
use crate::session::read_file::read_file;

const NAME: &str = "pdblens.toml";
const MAX_SIZE: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) path: Option<PathBuf>,
    /// Names of rules and groups.
    pub(super) levels: Vec<(String, Level)>,
    /// Least shares of the rule `quality`.
    pub(super) thresholds: Vec<Threshold>,
}

impl Config {
    /// Reads `path`, or without it the file of the project around the current folder.
    pub(super) fn find(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path.map(Path::to_owned).or_else(of_project) else { return Ok(Self::default()) };
        let wrong = |why: &dyn std::fmt::Display| Error::Other(format!("{}: {why}", path.display()));
        let bytes = read_file(&path, MAX_SIZE).map_err(|error| wrong(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(&"it is not UTF-8"))?;
        let (levels, thresholds) = policy_file::parse(&text).map_err(|why| wrong(&why))?;
        Ok(Self { path: Some(path), levels, thresholds })
    }
}

/// The file in the current folder or one above it, no higher than the root of a Git repository.
fn of_project() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    for folder in here.ancestors() {
        let path = folder.join(NAME);
        if path.is_file() {
            return Some(path);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}
