//! Headings of the specifications that are cited: `assets/headings.txt`, which the tests hold every citation to.

use std::sync::LazyLock;

use super::glossary::{Term, terms};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Name of the specification: `ECMA-335`, `Portable PDB`, `LLVM`.
    pub specification: &'static str,
    /// Number of the paragraph; empty where the specification has none.
    pub number: &'static str,
    /// Heading, with that of its document before it.
    pub title: &'static str,
}

/// Specifications whose glossary name is short.
const SHORT: &[(&str, &str)] =
    &[("ECMA", "ECMA-335"), ("PPDB", "Portable PDB"), ("PE", "PE Format"), ("pdb-rs", "microsoft/pdb-rs")];

pub fn headings() -> &'static [Heading] {
    static HEADINGS: LazyLock<Vec<Heading>> = LazyLock::new(|| {
        let mut specification = "";
        let mut found = Vec::new();
        for line in include_str!("../assets/headings.txt").lines() {
            if let Some(name) = line.strip_prefix("# ") {
                specification = name;
                continue;
            }
            let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
            let is_number = matches!(specification, "ECMA-335" | "DWARF 4");
            let (number, title) = if is_number { (first, rest) } else { ("", line) };
            found.push(Heading { specification, number, title });
        }
        found
    });
    &HEADINGS
}

/// Finds the heading of a paragraph number, such as `II.23.2` or `§II.23.2`, or of a citation such as `PPDB, Sequence Points Blob`.
pub fn find(text: &str) -> Option<Heading> {
    let text = text.trim().trim_start_matches('§').replace('`', "");
    let (mut specification, mut rest) = ("", text.trim());
    let names =
        SHORT.iter().copied().chain(headings().iter().map(|heading| (heading.specification, heading.specification)));
    for (name, whole) in names {
        let after = text.strip_prefix(name).and_then(|after| {
            let plain = after.trim_start_matches([' ', ',', '›', ':']);
            (plain.len() < after.len()).then_some(plain)
        });
        if let Some(after) = after {
            (specification, rest) = (whole, after);
        }
    }
    let wanted = plain(&rest.replace(" › ", ", "));
    let rest = rest.trim_start_matches('§');
    let is_it = |heading: &&Heading| {
        (specification.is_empty() || heading.specification == specification)
            && if heading.number.is_empty() {
                plain(heading.title) == wanted
            } else {
                heading.number.eq_ignore_ascii_case(rest)
            }
    };
    headings().iter().find(is_it).copied()
}

/// Title without the number of its table and the compilers that write the record, in lower case.
fn plain(title: &str) -> String {
    title.split(": 0x").next().unwrap_or_default().split(" (").next().unwrap_or_default().to_lowercase()
}

/// Headings that a text cites: citations are separated by semicolons, and numbers of ECMA-335 by commas.
pub fn cited(text: &str) -> impl Iterator<Item = Heading> + '_ {
    citations(text).filter_map(|citation| find(&citation))
}

fn citations(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split("; ").flat_map(|citation| match citation.strip_prefix("ECMA ") {
        Some(numbers) => numbers.split(", ").map(|number| format!("ECMA {number}")).collect(),
        None => vec![citation.to_owned()],
    })
}

impl Heading {
    /// Citation as the screens print it: `ECMA-335 II.23.2`, `Portable PDB › Sequence Points Blob`.
    pub fn citation(&self) -> String {
        match self.number {
            "" => format!("{} › {}", self.specification, self.title.replace(", ", " › ")),
            number => format!("{} {number}", self.specification),
        }
    }

    pub fn terms(&self) -> impl Iterator<Item = &'static Term> + '_ {
        terms().iter().filter(|term| cited(&term.specified_in).any(|heading| heading == *self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Citations of a whole specification.
    const WHOLE: &[&str] = &["ECMA", "PPDB", "PE", "SrcSrv language specification", ""];

    #[test]
    fn every_cited_heading_is_one_of_its_specification() {
        let of_terms = terms().iter().flat_map(|term| citations(&term.specified_in));
        let of_records = include_str!("paragraph.rs").split('"').skip(1).step_by(2);
        let of_records = of_records.filter(|text| text.contains(" › ") || text.starts_with("ECMA-335 "));
        let of_codecs = crate::codec::CODECS.iter().map(|codec| codec.paragraph.to_owned());
        let mut unknown: Vec<String> = of_terms.chain(of_records.map(str::to_owned)).chain(of_codecs).collect();
        assert!(unknown.len() > 150, "{}", unknown.len());
        unknown.retain(|citation| find(citation).is_none() && !WHOLE.contains(&citation.as_str()));
        assert!(unknown.is_empty(), "{unknown:#?}");
        assert_eq!(find("PPDB, MethodSteppingInformation Table"), None);
    }

    #[test]
    fn a_paragraph_is_found_by_its_number_and_lists_its_terms() {
        for text in ["II.23.2", "§II.23.2", "ECMA-335 II.23.2", "ecma II.23.2".to_uppercase().as_str()] {
            assert_eq!(find(text).map(|heading| heading.title), Some("Blobs and signatures"), "{text}");
        }
        let terms = |text| find(text).unwrap().terms().map(|term| term.term.as_str()).collect::<Vec<_>>();
        assert!(terms("II.23.2").contains(&"compressed integer"), "{:?}", terms("II.23.2"));
        assert!(terms("sequence points blob").contains(&"sequence point"));
        assert_eq!((find("II.99"), find("")), (None, None));
    }
}
