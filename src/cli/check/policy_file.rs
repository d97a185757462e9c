//! The rules of a project: `pdblens.toml` in the current folder or above it.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::cli::Error;
use crate::query::check::Level;
use crate::query::quality::Threshold;
use crate::session::read_file::read_file;

const NAME: &str = "pdblens.toml";
const MAX_SIZE: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) path: Option<PathBuf>,
    pub(super) levels: Vec<(String, Level)>,
    pub(super) thresholds: Vec<Threshold>,
}

impl Config {
    /// Reads `path`, or without it the file of the project around the current folder.
    pub(super) fn find(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path.map(Path::to_owned).or_else(of_project) else { return Ok(Self::default()) };
        let wrong = |why: &dyn std::fmt::Display| Error::Other(format!("{}: {why}", path.display()));
        let bytes = read_file(&path, MAX_SIZE).map_err(|error| wrong(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(&"it is not UTF-8"))?;
        let (levels, thresholds) = parse(&text).map_err(|why| wrong(&why))?;
        Ok(Self { path: Some(path), levels, thresholds })
    }
}

/// The file in the current folder or one above it, no higher than the root of a Git repository.
pub(super) fn of_project() -> Option<PathBuf> {
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

const LEVELS: [(&str, Level); 3] = [("deny", Level::Deny), ("warn", Level::Warn), ("allow", Level::Allow)];
/// Names of rules and groups, each with its level, and least shares.
type Policy = (Vec<(String, Level)>, Vec<Threshold>);

pub fn parse(text: &str) -> Result<Policy, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    let (mut levels, mut thresholds) = (Vec::new(), Vec::new());
    for (name, value) in &table {
        let unknown = || format!("{name} is unknown: the file has the sections [check] and [quality]");
        let section = value.as_table().ok_or_else(unknown)?;
        if name != "check" && name != "quality" {
            return Err(unknown());
        }
        for (key, value) in section {
            if name == "check" {
                levels.extend(level(key, value)?);
            } else {
                thresholds.push(threshold(key, value)?);
            }
        }
    }
    Ok((levels, thresholds))
}

fn level(key: &str, value: &Value) -> Result<Vec<(String, Level)>, String> {
    let known = LEVELS.iter().find(|(level, _)| *level == key);
    let (_, level) = known.ok_or_else(|| format!("check.{key} is unknown: use deny, warn or allow"))?;
    let names = value.as_array().map(|all| all.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    let names = names.flatten().ok_or_else(|| format!("check.{key} is not a list of strings"))?;
    Ok(names.into_iter().map(|name| (name.to_owned(), *level)).collect())
}

fn threshold(key: &str, value: &Value) -> Result<Threshold, String> {
    let percent = value.as_integer().and_then(|number| u8::try_from(number).ok()).filter(|number| *number <= 100);
    let percent = percent.ok_or_else(|| format!("quality.{key} is not a number from 0 to 100, in percent"))?;
    Threshold::new(key, percent).ok_or_else(|| {
        let keys: Vec<&str> = Threshold::keys().collect();
        format!("quality.{key} is unknown: use {}", keys.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_their_level() {
        let text = "[check]\ndeny = [\"sources\", \"id\"]\nallow = [\"paths\"]\n";
        let (mut found, thresholds) = parse(&format!("{text}[quality]\nlines_with_points = 95\n")).unwrap();
        assert_eq!(thresholds, [Threshold::new("lines_with_points", 95).unwrap()]);
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let of = |name: &str, level| (name.to_owned(), level);
        assert_eq!(found, [of("id", Level::Deny), of("paths", Level::Allow), of("sources", Level::Deny)]);
        assert_eq!(parse(""), Ok((vec![], vec![])));
    }

    #[test]
    fn what_is_unknown_is_named() {
        for (text, why) in [
            ("[checks]\n", "checks is unknown"),
            ("[check]\nforbid = []\n", "check.forbid is unknown"),
            ("[check]\ndeny = \"id\"\n", "check.deny is not a list"),
            ("[check]\ndeny = [1]\n", "check.deny is not a list"),
            ("[check\n", "line 1"),
            ("[quality]\nlines = 9\n", "quality.lines is unknown: use methods_with_points,"),
            ("[quality]\naccepted = 101\n", "quality.accepted is not a number"),
            ("check = 1\n", "check is unknown"),
        ] {
            assert!(parse(text).unwrap_err().contains(why), "{text}: {:?}", parse(text));
        }
    }
}
