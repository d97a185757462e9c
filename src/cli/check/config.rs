//! The rules of a project: `pdblens.toml` in the current folder or above it.
//!
//! ```toml
//! [check]
//! deny = ["sources", "source-hash-strong"]
//! warn = ["paths"]
//! allow = ["package-symbols"]
//! ```

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::cli::Error;
use crate::query::check::Level;
use crate::session::read_file::read_file;

/// Name of the file.
const NAME: &str = "pdblens.toml";
/// Limit on its bytes.
const MAX_SIZE: u64 = 1 << 20;
/// Keys of `[check]`.
const LEVELS: [(&str, Level); 3] = [("deny", Level::Deny), ("warn", Level::Warn), ("allow", Level::Allow)];

/// Treatment of rules and groups in a file.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// The file; none if there is none.
    pub(super) path: Option<PathBuf>,
    /// Names of rules and groups.
    pub(super) levels: Vec<(String, Level)>,
}

impl Config {
    /// Reads `path`, or without it the file of the project around the current folder.
    pub(super) fn find(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path.map(Path::to_owned).or_else(of_project) else { return Ok(Self::default()) };
        let wrong = |why: &dyn std::fmt::Display| Error::Place(format!("{}: {why}", path.display()));
        let bytes = read_file(&path, MAX_SIZE).map_err(|error| wrong(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(&"it is not UTF-8"))?;
        let levels = parse(&text).map_err(|why| wrong(&why))?;
        Ok(Self { path: Some(path), levels })
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

fn parse(text: &str) -> Result<Vec<(String, Level)>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    let mut levels = Vec::new();
    for (name, value) in &table {
        let section = value.as_table().filter(|_| name == "check");
        let section = section.ok_or_else(|| format!("{name} is unknown: the file has one section, [check]"))?;
        for (key, value) in section {
            let known = LEVELS.iter().find(|(level, _)| level == key);
            let (_, level) = known.ok_or_else(|| format!("check.{key} is unknown: use deny, warn or allow"))?;
            let names = value.as_array().map(|all| all.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
            let names = names.flatten().ok_or_else(|| format!("check.{key} is no list of texts"))?;
            levels.extend(names.into_iter().map(|name| (name.to_owned(), *level)));
        }
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_their_level() {
        let text = "[check]\ndeny = [\"sources\", \"id\"]\nallow = [\"paths\"]\n";
        let mut found = parse(text).unwrap();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let of = |name: &str, level| (name.to_owned(), level);
        assert_eq!(found, [of("id", Level::Deny), of("paths", Level::Allow), of("sources", Level::Deny)]);
        assert_eq!(parse(""), Ok(vec![]));
    }

    #[test]
    fn what_is_unknown_is_named() {
        for (text, why) in [
            ("[checks]\n", "checks is unknown"),
            ("[check]\nforbid = []\n", "check.forbid is unknown"),
            ("[check]\ndeny = \"id\"\n", "check.deny is no list"),
            ("[check]\ndeny = [1]\n", "check.deny is no list"),
            ("[check\n", "line 1"),
        ] {
            assert!(parse(text).unwrap_err().contains(why), "{text}: {:?}", parse(text));
        }
    }
}
