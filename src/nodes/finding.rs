//! Problems of the open files, each with its place.

use super::Place;
use super::place::{MetadataPart, PePart, Side};
use crate::bytes::Span;
use crate::session::{Problem, ProblemSource, Session};
use crate::symbols::SymbolFormat;

/// A [`Problem`] at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Place of the structure it was found in.
    pub place: Place,
    /// Bytes at fault, if it is about bytes.
    pub span: Option<Span>,
    /// One sentence, without a full stop.
    pub sentence: String,
}

/// Everything found wrong with the files when they were opened.
pub fn findings(session: &Session) -> impl Iterator<Item = Finding> {
    session.problems().iter().map(|problem| {
        let Problem { source, span, message } = problem.clone();
        Finding { place: place_of(session, source), span, sentence: message }
    })
}

fn place_of(session: &Session, source: ProblemSource) -> Place {
    match source {
        ProblemSource::Pair => Place::Overview,
        ProblemSource::ImageHeaders => Place::Pe,
        ProblemSource::ImageSections => Place::PePart(PePart::Sections),
        ProblemSource::DebugEntry(index) => Place::PePart(PePart::Debug(index)),
        ProblemSource::ImageMetadata => Place::Metadata(Side::Image, MetadataPart::Root),
        ProblemSource::Symbols => match session.symbol_file().map(|file| &file.content) {
            Some(SymbolFormat::Portable(_)) => Place::Metadata(Side::Pdb, MetadataPart::Root),
            Some(SymbolFormat::Managed(_) | SymbolFormat::Native(_)) => Place::Streams,
            Some(SymbolFormat::Mdb(_) | SymbolFormat::HeaderOnly(_)) | None => Place::Header,
        },
    }
}
