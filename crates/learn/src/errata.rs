//! Errors and omissions of the specifications and of articles, each with a file that shows what is true.

use super::about::{Explanation, Section};
use super::glossary::place_of;
use super::lesson::samples;
use pdblens_session::session::Session;

#[derive(Clone, Copy, Debug)]
pub struct Erratum {
    /// Paragraph, or article.
    pub source: &'static str,
    pub says: &'static str,
    /// Bytes that files have in its place.
    pub files: &'static str,
    /// Place of an example, as the examples of the glossary have it, and the built-in sample that has one.
    evidence: (&'static str, usize),
}

pub const ERRATA: &[Erratum] = &[
    Erratum {
        source: "Portable PDB › Compilation Metadata References",
        says: "In versions of the specification bit 0 of the flags is set for embedded interop types, bit 1 for an assembly.",
        files: "The C# and Visual Basic compilers write the two bits the other way round: bit 0 is set for an assembly, as for every \
                ordinary reference, and bit 1 for embedded interop types.",
        evidence: ("table/CustomDebugInformation/* ~ CompilationMetadataReferences", 1),
    },
    Erratum {
        source: "Portable PDB › State Machine Hoisted Local Scopes",
        says: "The length of a scope is greater than 0.",
        files: "A number that no variable has is kept as an empty scope: its start and its length are 0.",
        evidence: ("table/CustomDebugInformation/* = hoisted local scope", 1),
    },
    Erratum {
        source: "Portable PDB › Edit and Continue Local Slot Map",
        says: "The lowest 7 bits of the first byte of a slot are its kind.",
        files: "They are the kind plus 1. A byte of 0 is a slot of a temporary variable, and no syntax offset follows it.",
        evidence: ("table/CustomDebugInformation/* ~ EncLocalSlotMap", 1),
    },
    Erratum {
        source: "Portable PDB › CustomDebugInformation Table: 0x37",
        says: "Nothing about async method stepping information, and nothing about the state map of Edit and Continue.",
        files: "Compilers write both. Their source is the only description: dotnet/roslyn, PortableCustomDebugInfoKinds.cs. The offset of \
                the catch handler is stored plus 1, and both async void methods and an async Main have one.",
        evidence: ("table/CustomDebugInformation/* = async method stepping information", 1),
    },
    Erratum {
        source: "LLVM › The Module Information Stream",
        says: "C13 line information has a size; nothing about its contents.",
        files: "It is a row of subsections: checksums of files, and a lines subsection for each function. microsoft/pdb-rs describes \
                them in docs/codeview/line_data.md.",
        evidence: ("method/*/points = line block", 2),
    },
    Erratum {
        source: "An article on the sequence points blob (lesson 8, question 2)",
        says: "The bytes 00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79 are a blob of sequence points.",
        files: "A blob begins with a header, the row of the local signature. With 00 in front the bytes decode, without it each number \
                is taken for its neighbour.",
        evidence: ("method/*/points = header", 0),
    },
];

pub fn errata(session: &Session) -> Explanation {
    let section = |erratum: &Erratum| {
        let (example, sample) = erratum.evidence;
        let in_sample = || {
            let place = place_of(samples::session(sample)?, example)?;
            Some(format!("{place} of the built-in sample {}", samples::BUILT_IN.get(sample)?.name))
        };
        let own = place_of(session, example).map(|place| place.to_string());
        let evidence = own.or_else(in_sample).unwrap_or_default();
        let lines = [("it says", erratum.says), ("in files", erratum.files), ("evidence", evidence.as_str())];
        Section { heading: erratum.source, lines: lines.map(|(name, text)| format!("{name}\t{text}")).to_vec() }
    };
    Explanation { title: "Errata".to_owned(), sections: ERRATA.iter().map(section).collect(), to: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_erratum_has_its_evidence_and_its_heading() {
        for erratum in ERRATA {
            let (example, sample) = erratum.evidence;
            assert!(place_of(samples::session(sample).unwrap(), example).is_some(), "{}", erratum.source);
            let is_article = erratum.source.starts_with("An article");
            assert!(is_article || crate::headings::find(erratum.source).is_some(), "{}", erratum.source);
        }
        let text = format!("{:?}", errata(&Session::sample()));
        assert!(
            text.contains("of the built-in sample Workshop") && text.contains("evidence\\tmethod/0x06000001"),
            "{text}"
        );
    }
}
