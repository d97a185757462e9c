//! The text of `pdblens.toml`: which rules a project denies, warns of, and allows.

use toml::{Table, Value};

use crate::query::check::Level;

/// Keys of `[check]`.
const LEVELS: [(&str, Level); 3] = [("deny", Level::Deny), ("warn", Level::Warn), ("allow", Level::Allow)];

/// Reads the names of rules and groups, each with its level; the error is a reason.
pub fn parse(text: &str) -> Result<Vec<(String, Level)>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    let mut levels = Vec::new();
    for (name, value) in &table {
        let section = match value.as_table() {
            Some(section) if name == "check" => section,
            _ => return Err(format!("{name} is unknown: the file has one section, [check]")),
        };
        for (key, value) in section {
            let known = LEVELS.iter().find(|(level, _)| level == key);
            let (_, level) = known.ok_or_else(|| format!("check.{key} is unknown: use deny, warn or allow"))?;
            let names = value.as_array().map(|all| all.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
            let names = names.flatten().ok_or_else(|| format!("check.{key} is not a list of strings"))?;
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
            ("[check]\ndeny = \"id\"\n", "check.deny is not a list"),
            ("[check]\ndeny = [1]\n", "check.deny is not a list"),
            ("[check\n", "line 1"),
        ] {
            assert!(parse(text).unwrap_err().contains(why), "{text}: {:?}", parse(text));
        }
    }
}
