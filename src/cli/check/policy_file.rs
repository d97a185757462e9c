//! The rules of a project: `pdblens.toml` in the current folder or above it.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::cli::Error;
use crate::query::check::Level;
use crate::query::quality::Threshold;
use crate::session::inputs::PathPattern;
use crate::session::read_file::read_file;

const NAME: &str = "pdblens.toml";
const MAX_SIZE: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) path: Option<PathBuf>,
    pub(super) levels: Levels,
    pub(super) thresholds: Vec<Threshold>,
    /// Levels for the files that a pattern fits.
    pub(super) of_files: Vec<(PathPattern, Levels)>,
}

impl Config {
    /// Reads `path`, or without it the file of the project around the current folder.
    pub(super) fn find(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path.map(Path::to_owned).or_else(of_project) else { return Ok(Self::default()) };
        let wrong = |why: &dyn std::fmt::Display| Error::Other(format!("{}: {why}", path.display()));
        let bytes = read_file(&path, MAX_SIZE).map_err(|error| wrong(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(&"it is not UTF-8"))?;
        let found = parse(&text).map_err(|why| wrong(&why))?;
        Ok(Self { path: Some(path), ..found })
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
/// Names of rules and groups, each with its level.
pub(super) type Levels = Vec<(String, Level)>;

fn parse(text: &str) -> Result<Config, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    let mut found = Config::default();
    for (name, value) in &table {
        let unknown = || format!("{name} is unknown: the file has the sections [check], [rules] and [quality]");
        let section = value.as_table().ok_or_else(unknown)?;
        for (key, value) in section {
            match name.as_str() {
                "check" => found.levels.extend(level(key, value)?),
                "quality" => found.thresholds.push(threshold(key, value)?),
                "rules" => {
                    let pattern = PathPattern::new(key).ok_or_else(|| format!("rules.{key:?} is no pattern"))?;
                    let levels = value.as_table().ok_or_else(|| format!("rules.{key:?} is not a table"))?;
                    let levels = levels.iter().map(|(key, value)| level(key, value)).collect::<Result<Vec<_>, _>>()?;
                    found.of_files.push((pattern, levels.concat()));
                }
                _ => return Err(unknown()),
            }
        }
        if !["check", "quality", "rules"].contains(&name.as_str()) {
            return Err(unknown());
        }
    }
    Ok(found)
}

fn level(key: &str, value: &Value) -> Result<Levels, String> {
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
        let Config { levels: mut found, thresholds, .. } =
            parse(&format!("{text}[quality]\nlines_with_points = 95\n")).unwrap();
        assert_eq!(thresholds, [Threshold::new("lines_with_points", 95).unwrap()]);
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let of = |name: &str, level| (name.to_owned(), level);
        assert_eq!(found, [of("id", Level::Deny), of("paths", Level::Allow), of("sources", Level::Deny)]);
        assert!(parse("").unwrap().levels.is_empty());
        let Config { of_files, .. } = parse("[rules.\"*/tests/*.dll\"]\nallow = [\"sources\"]\n").unwrap();
        let [(pattern, levels)] = of_files.as_slice() else { panic!("{of_files:?}") };
        assert_eq!(levels, &[of("sources", Level::Allow)]);
        assert!(pattern.is_of(Path::new("bin/tests/net8.0/A.dll")) && !pattern.is_of(Path::new("bin/A.dll")));
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
            ("[rules.\"a***\"]\n", "rules.\"a***\" is no pattern"),
            ("[rules]\nx = 1\n", "rules.\"x\" is not a table"),
        ] {
            assert!(parse(text).unwrap_err().contains(why), "{text}: {:?}", parse(text));
        }
    }
}
