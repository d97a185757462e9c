//! The manifest of a NuGet package (`.nuspec`), as far as symbol packages need it. What a schema would refuse is not judged.

#[cfg(feature = "packages")]
use roxmltree::{Document, Node};

use crate::reason::Reason;

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
    /// Fails: a manifest is read with the feature `packages`.
    #[cfg(not(feature = "packages"))]
    pub fn parse(_: &str) -> Result<Self, Reason> {
        Err(Reason::new("no-reader", crate::container::ContainerError::NoReader("a manifest").to_string()))
    }

    /// Reads a manifest; the error is a reason.
    #[cfg(feature = "packages")]
    pub fn parse(text: &str) -> Result<Self, Reason> {
        let document = Document::parse(text).map_err(|error| Reason::new("not-xml", error.to_string()))?;
        let mut found = Self::default();
        let package = Some(document.root_element()).filter(|root| root.tag_name().name() == "package");
        let metadata = package.into_iter().flat_map(|package| elements(package, "metadata"));
        for value in metadata.flat_map(|metadata| metadata.children()) {
            let text = || value.text().unwrap_or_default().trim();
            match value.tag_name().name() {
                "id" => text().clone_into(&mut found.id),
                "version" => text().clone_into(&mut found.version),
                "authors" => found.has_authors = true,
                "owners" => found.has_owners = true,
                "packageTypes" => {
                    let names = elements(value, "packageType").filter_map(|kind| kind.attribute("name"));
                    found.types.extend(names.map(str::to_owned));
                }
                _ => {}
            }
        }
        if found.id.is_empty() || found.version.is_empty() {
            return Err(Reason::new("no-id", "it has no id or no version"));
        }
        Ok(found)
    }
}

/// The elements of this name in another, whatever their namespace.
#[cfg(feature = "packages")]
fn elements<'d>(of: Node<'d, 'd>, name: &str) -> impl Iterator<Item = Node<'d, 'd>> {
    of.children().filter(move |child| child.tag_name().name() == name)
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

#[cfg(all(test, feature = "packages"))]
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
