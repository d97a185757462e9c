//! The key of a file in symbol stores: `name/id/name`.

use std::fmt;

use crate::symbols::{IdSuffix, SymbolId};
use crate::text::paths::{self, is_device_name};
use crate::text::safe::is_hidden;
use pdblens_formats::bytes::Guid;

const MAX_LEN: usize = 200;

/// Key of a file in symbol stores. Its parts are valid file names on any file system, without separators or `..`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    name: String,
    id: String,
}

impl Key {
    /// The key of symbols that are called `path` where they were made; nothing if that does not end with a file's name, or
    /// they have no id that stores go by.
    pub fn of_symbols(path: &str, id: SymbolId) -> Option<Self> {
        let guid: Guid = id.guid;
        let id = match id.suffix {
            IdSuffix::Stamp(_) => format!("{}FFFFFFFF", guid.digits()),
            IdSuffix::Age(age) => format!("{}{age:x}", guid.digits()),
            IdSuffix::None => return None,
        };
        Some(Self { name: file_name(path)?, id })
    }

    pub fn of_image(path: &str, stamp: u32, size: u32) -> Option<Self> {
        Some(Self { name: file_name(path)?, id: format!("{stamp:08X}{size:x}") })
    }

    /// The name of the file, as it is where it was made.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// The ways to write it, as (name, id): as servers have it, and as `SymStore` writes it. Case matters to some.
    pub fn spellings(&self) -> Vec<(String, String)> {
        let (lower, upper) = (self.name.to_lowercase(), self.id.to_uppercase());
        let mut all = vec![
            (lower.clone(), self.id.clone()),
            (self.name.clone(), upper.clone()),
            (self.name.clone(), self.id.clone()),
            (lower.clone(), upper),
            (lower, self.id.to_lowercase()),
        ];
        let mut seen = Vec::new();
        all.retain(|spelling| {
            let new = !seen.contains(spelling);
            seen.push(spelling.clone());
            new
        });
        all
    }
}

impl serde::Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_lowercase();
        write!(f, "{name}/{}/{name}", self.id)
    }
}

/// The name at the end of a path of either kind, where that is one and no more than that.
fn file_name(path: &str) -> Option<String> {
    let name = paths::file_name(path).trim();
    let bad = |c: char| is_hidden(c) || matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let good = !name.is_empty()
        && name.len() <= MAX_LEN
        && !name.contains(bad)
        && !name.ends_with(['.', ' '])
        && !name.starts_with('.')
        && !is_device_name(name);
    good.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(suffix: IdSuffix) -> SymbolId {
        SymbolId { guid: "497b72f6-390a-44fc-878e-5a2d63b6cc4b".parse().unwrap(), suffix }
    }

    #[test]
    fn keys_are_those_of_the_conventions() {
        // The examples of the conventions.
        let key = |path, rest| Key::of_symbols(path, id(rest)).unwrap().to_string();
        assert_eq!(key("Foo.pdb", IdSuffix::Stamp(7)), "foo.pdb/497b72f6390a44fc878e5a2d63b6cc4bFFFFFFFF/foo.pdb");
        assert_eq!(key(r"C:\out\Foo.pdb", IdSuffix::Age(1)), "foo.pdb/497b72f6390a44fc878e5a2d63b6cc4b1/foo.pdb");
        assert_eq!(key("/out/Foo.pdb", IdSuffix::Age(0x1a)), "foo.pdb/497b72f6390a44fc878e5a2d63b6cc4b1a/foo.pdb");
        let image = Key::of_image("Foo.exe", 0x542d_574e, 0xc2000).unwrap();
        assert_eq!(image.to_string(), "foo.exe/542D574Ec2000/foo.exe");
        assert_eq!(Key::of_symbols("a.mdb", id(IdSuffix::None)), None);
    }

    #[test]
    fn a_key_is_never_a_way_out() {
        for path in [
            "",
            "..",
            ".",
            "a/..",
            "x\\",
            "con.pdb",
            "a.pdb:stream",
            "a\0.pdb",
            "a?.pdb",
            "a\u{202e}bdp.exe",
            "lpt1",
            ".hidden",
            "a. ",
        ] {
            assert_eq!(Key::of_symbols(path, id(IdSuffix::Age(1))), None, "{path:?}");
        }
        let key = Key::of_symbols("../../../etc/passwd", id(IdSuffix::Age(1))).unwrap();
        assert_eq!(key.name(), "passwd");
        assert_eq!(Key::of_symbols(&"a".repeat(300), id(IdSuffix::Age(1))), None);
    }

    #[test]
    fn the_case_of_letters_is_tried_both_ways() {
        let key = Key::of_symbols("Foo.pdb", id(IdSuffix::Stamp(7))).unwrap();
        let all = key.spellings();
        assert_eq!(all[0].0, "foo.pdb");
        assert!(all.contains(&("Foo.pdb".into(), "497B72F6390A44FC878E5A2D63B6CC4BFFFFFFFF".into())));
    }
}
