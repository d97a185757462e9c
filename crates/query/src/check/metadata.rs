//! The rule about metadata headers: fields that contradict the streams and tables, and the values that would fit.

use super::Question;
use super::report::{Grade, Report};
use pdblens_formats::metadata::Metadata;
use pdblens_formats::metadata::repair::{HeaderChange, Repair};
use pdblens_nodes::{MetadataPart, Place, Side};
use pdblens_session::text::safe::count;

const MAX_OFFERED: usize = 3;

pub(crate) fn headers(question: &Question<'_>, report: &mut Report) {
    for (side, metadata) in Side::loaded(question.session) {
        let pdb = if side == Side::Pdb { question.session.portable_pdb() } else { None };
        let external = pdb.and_then(|pdb| pdb.stream.as_ref()).map_or([0; 64], |stream| stream.rows);
        repairs((side, metadata), &metadata.repairs(&external), report);
        gaps(side, metadata, report);
    }
}

/// Header values with which the rows fit into the table stream and every index is in range; weaker evidence is left out.
fn repairs((side, metadata): (Side, &Metadata), repairs: &[Repair], report: &mut Report) {
    let Some(first) = repairs.first().filter(|repair| repair.dangling == 0) else { return };
    let offers: Vec<_> = repairs.iter().take(MAX_OFFERED).map(|repair| value(repair.change)).collect();
    let more = repairs.len().saturating_sub(MAX_OFFERED);
    let more = if more > 0 { format!(" or {}", count(more as u64, "other value")) } else { String::new() };
    let offers = offers.join(" or ");
    let sentence = format!("every row fits into the table stream and every index is in range with {offers}{more}");
    let span = if repairs.len() == 1 { first.span } else { metadata.tables.header };
    report.at(Grade::Note, sentence, Some(Place::Metadata(side, MetadataPart::TablesHeader)), Some(span));
}

fn value(change: HeaderChange) -> String {
    match change {
        HeaderChange::Rows { table, said, fits } => {
            format!("{} of {} instead of {said}", count(fits, "row"), table.name())
        }
        HeaderChange::HeapSizes { said, fits } => format!("HeapSizes {fits:#04x} instead of {said:#04x}"),
        HeaderChange::Valid { table, present: true } => format!("{} in Valid", table.name()),
        HeaderChange::Valid { table, present: false } => format!("no {} in Valid", table.name()),
    }
}

/// Bytes between two streams that belong to neither and are not the padding of the first.
fn gaps(side: Side, metadata: &Metadata, report: &mut Report) {
    let mut spans: Vec<_> = metadata.root.streams.iter().enumerate().collect();
    spans.sort_by_key(|(_, stream)| stream.offset);
    let mut end = metadata.root.span.end();
    for (index, stream) in spans {
        let span = stream.region.span();
        let gap = span.start.saturating_sub(end);
        if gap > 3 && !span.is_empty() {
            let sentence = format!("{} before {} belong to no stream", count(gap, "byte"), stream.name);
            let place = Place::Metadata(side, MetadataPart::Stream(index as u16));
            let before = pdblens_formats::bytes::Span::new(span.space, end, gap);
            report.at(Grade::Note, sentence, Some(place), Some(before));
        }
        end = end.max(span.end());
    }
}
