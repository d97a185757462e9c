//! The manifest of a NuGet package (`.nuspec`), as far as symbol packages need it.
//!
//! The manifest is XML. Only its elements, their text and the attribute `name` are read; what a schema would refuse is not judged.

/// Limit on the depth of elements.
const MAX_DEPTH: usize = 64;

/// Values of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Nuspec {
    pub id: String,
    pub version: String,
    /// Names of the package types: none for an ordinary package.
    pub types: Vec<String>,
    pub has_authors: bool,
    pub has_owners: bool,
}

impl Nuspec {
    /// Reads a manifest; the error is a reason.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (mut found, mut open) = (Self::default(), Vec::<&str>::new());
        let mut rest = text.trim_start_matches('\u{feff}');
        while let Some((before, behind)) = rest.split_once('<') {
            found.add_text(&open, before);
            rest = if let Some(comment) = behind.strip_prefix("!--") {
                comment.split_once("-->").ok_or("a comment has no end")?.1
            } else if let Some(data) = behind.strip_prefix("![CDATA[") {
                let (text, rest) = data.split_once("]]>").ok_or("a CDATA section has no end")?;
                found.add_text(&open, text);
                rest
            } else {
                let (tag, rest) = behind.split_once('>').ok_or("a tag has no end")?;
                found.tag(&mut open, tag)?;
                rest
            };
        }
        if !open.is_empty() {
            return Err("an element has no end");
        }
        if found.id.is_empty() || found.version.is_empty() { Err("it has no id or no version") } else { Ok(found) }
    }

    fn tag<'t>(&mut self, open: &mut Vec<&'t str>, tag: &'t str) -> Result<(), &'static str> {
        if tag.starts_with(['?', '!']) {
            return Ok(());
        }
        if let Some(name) = tag.strip_prefix('/') {
            let opened = open.pop().ok_or("an element ends that has not begun")?;
            return if opened == local(name.trim()) { Ok(()) } else { Err("elements overlap") };
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        open.push(local(tag.split_whitespace().next().unwrap_or_default()));
        if open.len() > MAX_DEPTH {
            return Err("elements are nested too deep");
        }
        match open.as_slice() {
            ["package", "metadata", "packageTypes", "packageType"] => self.types.extend(name_of(tag)),
            ["package", "metadata", "authors"] => self.has_authors = true,
            ["package", "metadata", "owners"] => self.has_owners = true,
            _ => {}
        }
        if is_empty {
            open.pop();
        }
        Ok(())
    }

    fn add_text(&mut self, open: &[&str], text: &str) {
        match open {
            ["package", "metadata", "id"] => self.id.push_str(&unescaped(text.trim())),
            ["package", "metadata", "version"] => self.version.push_str(&unescaped(text.trim())),
            _ => {}
        }
    }
}

/// A version as NuGet compares it: without build metadata, without zeros in front of numbers, with three numbers at least and the
/// fourth only if it is not 0. What is no version stays as it is.
pub fn normalized_version(version: &str) -> String {
    let version = version.trim();
    let kept = version.split_once('+').map_or(version, |(kept, _)| kept);
    let (numbers, label) = kept.split_once('-').map_or((kept, None), |(numbers, label)| (numbers, Some(label)));
    let mut parts: Vec<&str> = numbers.split('.').collect();
    if parts.len() > 4 || parts.iter().any(|part| part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit())) {
        return version.to_owned();
    }
    for part in &mut parts {
        let significant = part.trim_start_matches('0');
        *part = if significant.is_empty() { "0" } else { significant };
    }
    parts.resize(parts.len().max(3), "0");
    if parts.get(3) == Some(&"0") {
        parts.truncate(3);
    }
    let numbers = parts.join(".");
    label.map_or(numbers.clone(), |label| format!("{numbers}-{}", label.to_ascii_lowercase()))
}

/// Name of an element without its namespace prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Value of the attribute `name`.
fn name_of(tag: &str) -> Option<String> {
    let (_, behind) = tag.split_once("name")?;
    let quoted = behind.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    quoted.get(1..)?.split_once(quote).map(|(value, _)| unescaped(value))
}

fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_wherever_they_stand() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- <id>no</id> --><package xmlns=\"urn:x\"><metadata>\n\
                    <id> A&amp;B </id><version><![CDATA[1.2.3]]></version><authors>me</authors>\n\
                    <packageTypes><packageType name = 'SymbolsPackage' version=\"1\" /></packageTypes>\n\
                    <dependencies><group><dependency id=\"C\"/></group></dependencies></metadata></package>";
        let found = Nuspec::parse(text).unwrap();
        assert_eq!((found.id.as_str(), found.version.as_str()), ("A&B", "1.2.3"));
        assert_eq!(
            (found.types, found.has_authors, found.has_owners),
            (vec!["SymbolsPackage".to_owned()], true, false)
        );
    }

    #[test]
    fn versions_are_compared_in_their_normal_form() {
        for (written, normal) in [
            ("1.2.0", "1.2.0"),
            ("1.2.0.0", "1.2.0"),
            ("1.2", "1.2.0"),
            ("01.002.0+abc", "1.2.0"),
            ("1.2.0.7", "1.2.0.7"),
            ("1.2.0-Beta.1+abc-d", "1.2.0-beta.1"),
            ("1.2.0.0-rc", "1.2.0-rc"),
            ("10.0.0", "10.0.0"),
            ("$version$", "$version$"),
            ("1..2", "1..2"),
        ] {
            assert_eq!(normalized_version(written), normal, "{written}");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let whole = "<package><metadata><id>A</id><version>1</version></metadata></package>";
        assert!(Nuspec::parse(whole).is_ok());
        for len in 0..whole.len() {
            assert!(Nuspec::parse(&whole[..len]).is_err(), "{len}");
        }
        for text in ["</a>", "<a></b>", "<!--", &"<a>".repeat(100), "<package/>"] {
            assert!(Nuspec::parse(text).is_err(), "{text}");
        }
    }
}
