//! Problems of the open files, each with its place.

use crate::facts::span_text;
use crate::kind::Kind;
use crate::place::{MetadataPart, PePart, Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::LinkerTable;
use pdblens_session::session::{Problem, ProblemSource, Session};
use pdblens_session::symbols::SymbolFormat;
use pdblens_session::text::safe::count;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) const FINDINGS: Kind =
    Kind { listed: |_| vec![Place::Findings], rows: |session, ()| Some(findings_list(session)), ..Kind::NEW };

/// Findings of the last check, which are kept with the session.
#[derive(Debug, Default)]
struct Kept(Mutex<Option<Known>>);

#[derive(Clone, Debug)]
pub struct Known {
    /// Number of findings, in words: those of the check once it ran, and before it the read errors.
    pub heading: String,
    /// The findings, of which a rule has as many as the check keeps.
    pub findings: Arc<[Finding]>,
}

/// Keeps the findings of a check with its heading, for every list that shows them from now on.
pub fn keep(session: &Session, known: Known) {
    *session.cache().get::<Kept>().0.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
}

/// Findings of the check if it ran; before that, the parts that could not be read.
pub fn known(session: &Session) -> Known {
    let kept = session.cache().get::<Kept>().0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    kept.unwrap_or_else(|| {
        let findings: Arc<[Finding]> = problems(session).collect();
        let heading = match findings.len() {
            0 => "everything can be read".to_owned(),
            errors => count(errors as u64, "read error"),
        };
        Known { heading, findings }
    })
}

pub(crate) fn findings_list(session: &Session) -> Rows<'_> {
    let known = known(session);
    let rows: Vec<Row> = known
        .findings
        .iter()
        .cloned()
        .map(|finding| {
            let mut row = Row::at(
                finding.place,
                vec![
                    Cell::new(finding.place.to_string()).to(finding.place),
                    Cell::toned(finding.sentence, Tone::Bad),
                    Cell::toned(finding.span.map(|span| span_text(session, span)).unwrap_or_default(), Tone::Dim),
                ],
            );
            row.span = finding.span;
            row
        })
        .collect();
    let columns = Head::list(["place", "finding", "bytes"]);
    Rows::of(known.heading, columns, rows)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub place: Place,
    /// Bytes at fault, if it is about bytes.
    pub span: Option<Span>,
    /// One sentence, without a full stop.
    pub sentence: String,
}

/// Problems found when the files were opened, and everything left out since then.
pub fn problems(session: &Session) -> impl Iterator<Item = Finding> {
    let opened = session.problems().iter().map(|problem| {
        let Problem { source, span, message } = problem.clone();
        Finding { place: place_of(session, source, span), span, sentence: message }
    });
    opened.chain(left_out(session))
}

/// Everything that was left out so far, because the budget of the session was used up. What has no name is said by the problem of a file that
/// could not be read therefore.
pub fn left_out(session: &Session) -> impl Iterator<Item = Finding> {
    let is_said = !session.problems().is_empty();
    let all = session.spaces().budget().left_out().into_iter().filter(move |part| !is_said || !part.first.is_empty());
    all.map(|part| Finding { place: Place::Overview, span: None, sentence: part.to_string() })
}

/// Place of what cannot be read; in an MSF file the structure or stream that has the bytes.
fn place_of(session: &Session, source: ProblemSource, span: Option<Span>) -> Place {
    match source {
        ProblemSource::Pair => Place::Overview,
        ProblemSource::ImageHeaders => Place::Pe,
        ProblemSource::ImageSections => Place::PePart(PePart::Sections),
        ProblemSource::DebugEntry(index) => Place::PePart(PePart::Debug(index)),
        ProblemSource::Linker(table) => Place::PePart(match table {
            LinkerTable::Imports => PePart::Imports,
            LinkerTable::DelayImports => PePart::DelayImports,
            LinkerTable::Exports => PePart::Exports,
            LinkerTable::Resources => PePart::Resources,
            LinkerTable::Version => PePart::Version,
        }),
        ProblemSource::ImageMetadata => Place::Metadata(Side::Image, MetadataPart::Root),
        ProblemSource::Symbols => match session.symbol_file().map(|file| &file.content) {
            Some(SymbolFormat::Portable(_)) => Place::Metadata(Side::Pdb, MetadataPart::Root),
            Some(SymbolFormat::Windows(_)) => span.and_then(|span| in_msf(session, span)).unwrap_or(Place::Streams),
            Some(SymbolFormat::Mdb(_) | SymbolFormat::HeaderOnly(_)) | None => Place::Header,
        },
    }
}

fn in_msf(session: &Session, span: Span) -> Option<Place> {
    let msf = &PdbView::of(session)?.pdb.msf;
    let is_superblock = span.space == msf.file && span.start < u64::from(msf.superblock.page_size);
    match msf.stream_of(span.space) {
        Some(stream) => Some(Place::Stream(stream)),
        None if span.space == msf.directory => Some(Place::Directory),
        None => is_superblock.then_some(Place::Header),
    }
}
