//! The Source Link map: from which URL the source of a document can be had.
//!
//! ```json
//! {"documents": {"C:\\src\\*": "https://example.com/abc123/*", "/_/generated.cs": "https://example.com/generated.cs"}}
//! ```
//!
//! The mapping is that of Microsoft's own tools (`SourceLinkMap.cs` in <https://github.com/dotnet/sourcelink>), and they
//! refuse the whole map for one bad entry. Two things differ: a key that is there twice counts once, as its last, and a byte
//! order mark is passed over.

use crate::text::paths::percent_encoded;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLinkMap {
    /// The entries, in the order in which they are tried: that with the longest path first.
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path of a document, or what the paths of documents begin with.
    pub path: String,
    /// The key is a prefix of paths: it ended in `*`.
    pub is_prefix: bool,
    /// The URL up to its `*`.
    pub before: String,
    /// The URL after its `*`.
    pub after: String,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceLinkError {
    #[error("the Source Link map is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the Source Link map must be an object, and so must its \"documents\"")]
    Shape,
    #[error("the Source Link entry {0:?} must have a string as its value")]
    Value(String),
    #[error("the Source Link entry {0:?} may have a * only at its end, and its URL one * only if the entry has")]
    Wildcard(String),
}

impl SourceLinkMap {
    /// Reads the JSON of a map. A trailing comma is allowed.
    pub fn parse(json: &str) -> Result<Self, SourceLinkError> {
        let json = without_trailing_commas(json.trim_start_matches('\u{feff}'));
        let root: serde_json::Value = serde_json::from_slice(&json)?;
        let root = root.as_object().ok_or(SourceLinkError::Shape)?;
        let Some(documents) = root.get("documents") else { return Ok(Self::default()) };
        let documents = documents.as_object().ok_or(SourceLinkError::Shape)?;
        let entries = documents.iter().map(|(key, value)| {
            let url = value.as_str().ok_or_else(|| SourceLinkError::Value(key.clone()))?;
            Entry::parse(key, url).ok_or_else(|| SourceLinkError::Wildcard(key.clone()))
        });
        let mut entries: Vec<_> = entries.collect::<Result<_, _>>()?;
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.path.encode_utf16().count()));
        Ok(Self { entries })
    }

    pub fn url(&self, path: &str) -> Option<String> {
        if path.contains('*') {
            return None;
        }
        self.entries.iter().find_map(|entry| entry.url(path))
    }

    /// The part of `path` that replaces `*` in the URL: the path of the document in its repository.
    pub fn relative<'p>(&self, path: &'p str) -> Option<&'p str> {
        let entry = self.entries.iter().find(|entry| entry.url(path).is_some())?;
        if !entry.is_prefix || path.contains('*') {
            return None;
        }
        rest_behind(path, &entry.path)
    }
}

impl Entry {
    /// The part of `path` that follows the entry's own path; `None` if the entry is not for it.
    pub fn rest_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        if path.contains('*') {
            return None;
        }
        let rest = rest_behind(path, &self.path)?;
        (self.is_prefix || rest.is_empty()).then_some(rest)
    }

    fn parse(key: &str, url: &str) -> Option<Self> {
        let (path, is_prefix) = key.strip_suffix('*').map_or((key, false), |path| (path, true));
        let (before, after) = url.split_once('*').unwrap_or((url, ""));
        let one_too_many = path.contains('*') || after.contains('*') || (url.contains('*') && !is_prefix);
        if key.is_empty() || one_too_many {
            return None;
        }
        Some(Self { path: path.into(), is_prefix, before: before.into(), after: after.into() })
    }

    /// The URL of `path`, if this is the entry for it.
    fn url(&self, path: &str) -> Option<String> {
        let rest = rest_behind(path, &self.path)?;
        if !self.is_prefix {
            return rest.is_empty().then(|| self.before.clone());
        }
        let parts: Vec<_> = rest.split(['/', '\\']).map(percent_encoded).collect();
        Some(format!("{}{}{}", self.before, parts.join("/"), self.after))
    }
}

/// Returns the rest of `path` after `prefix`, ignoring case.
fn rest_behind<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    let mut chars = path.chars();
    let same = prefix.chars().all(|wanted| chars.next().is_some_and(|found| upper(found) == upper(wanted)));
    same.then_some(chars.as_str())
}

/// The upper-case letter that .NET compares by: one for one, and never an ASCII letter for another.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) if c.is_ascii() || !single.is_ascii() => single,
        _ => c,
    }
}

/// Replaces each trailing comma of an object or array by a space.
fn without_trailing_commas(json: &str) -> Vec<u8> {
    let mut out = json.as_bytes().to_vec();
    let (mut in_string, mut escape) = (false, false);
    // The comma that may turn out to be the last; whether it would follow an entry.
    let (mut comma, mut entry) = (None, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if in_string => {
                in_string = escape || byte != b'"';
                escape = byte == b'\\' && !escape;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b',' => (comma, entry) = (entry.then_some(at), false),
            b'}' | b']' => {
                if let Some(last) = comma.take().and_then(|at| out.get_mut(at)) {
                    *last = b' ';
                }
                entry = true;
            }
            _ => (comma, entry, in_string) = (None, !matches!(byte, b'{' | b'['), byte == b'"'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(json: &str) -> SourceLinkMap {
        SourceLinkMap::parse(json).unwrap()
    }

    fn url(json: &str, path: &str) -> Option<String> {
        map(json).url(path)
    }

    #[test]
    fn the_longest_path_wins_whatever_comes_first() {
        let map = map(r#"{"documents": {
            "/src/*": "https://example.com/all/*",
            "/src/lib/*": "https://example.com/lib/*?raw",
            "/src/lib/one.cs": "https://example.com/exactly"
        }}"#);
        assert_eq!(map.url("/src/a.cs").as_deref(), Some("https://example.com/all/a.cs"));
        assert_eq!(map.url("/src/lib/a.cs").as_deref(), Some("https://example.com/lib/a.cs?raw"));
        assert_eq!(map.url("/src/lib/one.cs").as_deref(), Some("https://example.com/exactly"));
        assert_eq!(map.url("/src/lib/one.cs.bak").as_deref(), Some("https://example.com/lib/one.cs.bak?raw"));
        assert_eq!(map.url("/elsewhere/a.cs"), None);
        assert_eq!(map.relative("/src/lib/deep/a.cs"), Some("deep/a.cs"));
        assert_eq!([map.relative("/src/lib/one.cs"), map.relative("/elsewhere/a.cs")], [None, None]);
    }

    #[test]
    fn the_case_of_letters_does_not_matter() {
        let json = r#"{"documents": {"C:\\Größe\\*": "u/*"}}"#;
        assert_eq!(url(json, r"c:\GRÖßE\X.cs").as_deref(), Some("u/X.cs"));
        assert_eq!(url(json, r"c:\grösse\x.cs"), None);
        // No letter outside ASCII is another one for k, s or i.
        assert_eq!(url(r#"{"documents": {"/ki/*": "u/*"}}"#, "/\u{212a}\u{131}/x"), None);
    }

    #[test]
    fn the_rest_of_the_path_is_escaped_part_by_part() {
        let json = r#"{"documents": {"C:\\src\\*": "https://e/*"}}"#;
        assert_eq!(url(json, r"C:\src\a b\c#\d/ü+~.cs").as_deref(), Some("https://e/a%20b/c%23/d/%C3%BC%2B~.cs"));
        assert_eq!(url(json, r"C:\src\*"), None);
    }

    #[test]
    fn a_url_need_not_have_a_place_for_the_rest() {
        assert_eq!(url(r#"{"documents": {"/a/*": "https://e/one"}}"#, "/a/x").as_deref(), Some("https://e/onex"));
        assert_eq!(url(r#"{"documents": {"*": "https://e/*"}}"#, "x/y").as_deref(), Some("https://e/x/y"));
    }

    #[test]
    fn a_comma_behind_the_last_entry_is_allowed() {
        for json in [
            r#"{"documents": {"/a/*": "u/*",}}"#,
            "{\"documents\": {\"/a/*\": \"u/*\" , \r\n } ,\n}",
            r#"{"more": [1, [2, ], {}, ], "documents": {"/a/*": "u/*"}, }"#,
            "\u{feff}{\"documents\":{\"/a/*\":\"u/*\"}}",
        ] {
            assert_eq!(url(json, "/a/x").as_deref(), Some("u/x"), "{json}");
        }
        assert_eq!(map(r#"{"documents": {"/a,}\",]": "u,}"}}"#).entries[0].path, r#"/a,}",]"#);
        for json in
            [r#"{"documents": {,}}"#, r#"{"documents": {"/a": "u",,}}"#, r#"{"documents": {"/a": "u"}},"#, "{},", ","]
        {
            assert!(matches!(SourceLinkMap::parse(json), Err(SourceLinkError::Json(_))), "{json}");
        }
    }

    #[test]
    fn one_bad_entry_spoils_the_map() {
        for json in [
            r#"{"documents": {"": "u"}}"#,
            r#"{"documents": {"/a*b": "u"}}"#,
            r#"{"documents": {"/a**": "u"}}"#,
            r#"{"documents": {"/a": "u/*"}}"#,
            r#"{"documents": {"/a/*": "*/*"}}"#,
        ] {
            assert!(matches!(SourceLinkMap::parse(json), Err(SourceLinkError::Wildcard(_))), "{json}");
        }
        assert!(matches!(SourceLinkMap::parse(r#"{"documents": {"/a": 1}}"#), Err(SourceLinkError::Value(_))));
        assert!(matches!(SourceLinkMap::parse(r#"{"documents": []}"#), Err(SourceLinkError::Shape)));
        assert!(matches!(SourceLinkMap::parse("[]"), Err(SourceLinkError::Shape)));
        assert_eq!(map(r#"{"other": 1}"#).entries, []);
    }
}
