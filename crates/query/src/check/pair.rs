//! Rules about the match of image and symbols.

use super::lint::is_damaged;
use super::report::{Grade, Report};
use super::{Question, native};
use crate::evidence;
use pdblens_formats::bytes::{Error, ErrorKind, Span};
use pdblens_formats::metadata::Metadata;
use pdblens_formats::metadata::repair::{HeaderChange, Repair};
use pdblens_formats::pe::{DebugEntry, Payload};
use pdblens_nodes::finding::{Finding, left_out, problems};
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::{MetadataPart, Place, Side};
use pdblens_session::session::{
    PdbMatch, ProblemSource, Session, codeview_ids, id_matches, refused_partner, symbol_candidates,
};
use pdblens_session::store::digest::Algorithm;
use pdblens_session::store::symbol_hash;
use pdblens_session::symbols::{Format, IdSuffix, SymbolReader};
use pdblens_session::text::safe::{count, hex, visible};

/// Limit on the size of a PDB that is compared with the one inside the image.
const MAX_BESIDE: u64 = 256 << 20;
const MAX_OFFERED: usize = 3;

fn code_view<'s>(question: &Question<'s>) -> impl Iterator<Item = (Place, &'s DebugEntry)> {
    question.debug_entries().filter(|(_, entry)| entry.rsds().is_some())
}

pub(super) fn opened(question: &Question<'_>, report: &mut Report) {
    report.causes(problems_of_files(question.session));
}

/// The problems of each file: that the two are of different builds is another rule's.
fn problems_of_files(session: &Session) -> impl Iterator<Item = Finding> {
    problems(session).filter(|finding| finding.place != Place::Overview)
}

/// Problems found when the files were opened, and those of streams, pages and native lines.
pub(crate) fn read(question: &Question<'_>, report: &mut Report) {
    let own = problems_of_files(question.session);
    let own = own.chain(page_problems(question.session)).chain(stream_faults(question.session));
    let own = own.chain(native::lines::faults(question.session, question.go_on));
    // A stream with a page past the end of the file is reported once, by its page.
    let lost = streams_without_pages(question.session);
    let own = own.filter(|finding| !matches!(finding.place, Place::Stream(stream) if lost.contains(&stream)));
    if report.causes(own) == 0 {
        report.good("everything can be read");
    }
    unpacked_directories(question.session, report);
}

/// Notes directories of a packed image, section by section.
fn unpacked_directories(session: &Session, report: &mut Report) {
    let Some(image) = session.image() else { return };
    let mut by_section: Vec<(String, Vec<&str>)> = Vec::new();
    for directory in image.pe.directories.iter().filter(|directory| directory.is_present()) {
        let Some(section) = image.pe.unpacked_section(directory) else { continue };
        let section = visible(&section.name).into_owned();
        match by_section.iter_mut().find(|(name, _)| *name == section) {
            Some((_, names)) => names.push(directory.name()),
            None => by_section.push((section, vec![directory.name()])),
        }
    }
    for (section, names) in by_section {
        let names = names.join(", ");
        report.note(format!(
            "the image is packed: section {section} has no bytes in the file for the {names}, and is filled after it is loaded"
        ));
    }
}

/// Streams of a Windows PDB that list a page past the end of the file.
fn streams_without_pages(session: &Session) -> Vec<u32> {
    let problems = PdbView::of(session).map_or(&[][..], |view| &view.pdb.msf.problems);
    let stream = |error: &Error| match error.kind {
        ErrorKind::PageOutOfFile { stream, .. } => stream,
        _ => None,
    };
    problems.iter().filter_map(stream).collect()
}

/// Faults of a Windows PDB that show only in streams that are not read when it is opened.
fn stream_faults(session: &Session) -> Vec<Finding> {
    let Some(view) = PdbView::of(session) else { return Vec::new() };
    let mut faults = view.pdb.header_faults(view.spaces);
    if let Some(tables) = view.native {
        faults.extend(tables.faults(view.pdb, view.spaces));
    }
    let finding = |error: Error| Finding {
        place: view.pdb.msf.stream_of(error.span.space).map_or(Place::Streams, Place::Stream),
        span: Some(error.span),
        sentence: view.spaces.error_text(&error),
    };
    faults.into_iter().map(finding).collect()
}

/// Everything that did not fit into the budget of the session, in this check or before it.
pub(crate) fn budget(question: &Question<'_>, report: &mut Report) {
    for finding in left_out(question.session) {
        report.finding(finding.sentence, finding.place, finding.span);
    }
}

/// Pages of a Windows PDB that two streams have, or that the active free page map has as free.
fn page_problems(session: &Session) -> Vec<Finding> {
    let Some(view) = PdbView::of(session) else { return Vec::new() };
    let page_size = u64::from(view.pdb.msf.page_size()).max(1);
    let problems = view.pdb.msf.page_map(view.spaces).problems.iter();
    let finding = |error: &Error| Finding {
        place: Place::Page(error.span.start.checked_div(page_size).unwrap_or_default() as u32),
        span: Some(error.span),
        sentence: error.to_string(),
    };
    problems.map(finding).collect()
}

/// Portable symbols where the image says portable, Windows symbols where it says Windows.
pub(crate) fn format(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let portable = match symbols.format() {
        Format::Portable => true,
        Format::Windows | Format::Native | Format::Mixed => false,
        Format::Mdb | Format::SmallMsf | Format::Msfz => return,
    };
    let entries: Vec<_> = code_view(question).collect();
    if entries.is_empty() {
        return;
    }
    if entries.iter().any(|(_, entry)| entry.is_portable() == portable) {
        return report.good(format!("the image names a {}, and this is one", name(portable)));
    }
    for (place, entry) in entries {
        let sentence = format!("the image names a {}, but this is a {}", name(!portable), name(portable));
        report.finding(sentence, place, Some(entry.header.span));
    }
}

/// Windows PDBs of managed code.
pub(crate) fn pdb_format(question: &Question<'_>, report: &mut Report) {
    if question.session.symbols().is_some_and(|symbols| symbols.format() == Format::Windows) {
        report.note(
            "the symbols are a Windows PDB: tools for portable PDBs (stack traces outside Windows, coverage, trimmers) find no lines; compile with -debug:portable",
        );
    }
}

const fn name(portable: bool) -> &'static str {
    if portable { "portable PDB" } else { "Windows PDB" }
}

/// The verdict that every command gives, as a rule.
pub(crate) fn id(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    if lacks_symbols(session) {
        return;
    }
    let (grade, reasons) = (grade(question), session.match_reasons());
    let entry = code_view(question).next();
    let (place, span) = entry.map_or((Place::Overview, None), |(place, entry)| (place, entry.data));
    // An embedded PDB always belongs to its image, but a debugger looks for the id of the CodeView entry.
    let unnamed =
        session.symbol_file().filter(|file| file.embedded && entry.is_some()).and_then(|file| file.reader().id());
    let unnamed = unnamed.filter(|have| {
        session.image().is_none_or(|image| !codeview_ids(&image.pe).any(|named| id_matches(named, *have)))
    });
    let refused = refused_partner(session);
    let is_unread = has_unread_embedded(session);
    for (index, reason) in reasons.iter().enumerate() {
        let grade = match refused {
            // The cause is a read error, and a finding already.
            _ if is_unread => Grade::Note,
            // A half may be missing because the file in its place is of another build.
            Some(_) if reason.reason == "refused" => Grade::Finding,
            Some(_) => Grade::Note,
            None if index > 0 && unnamed.is_some() => Grade::Finding,
            // The first reason is the cause.
            None if index > 0 => grade.min(Grade::Note),
            None => grade,
        };
        report.at(grade, reason.text.clone(), Some(place), span);
    }
}

/// The symbols of an image that are nowhere to be found; a library may be shipped without them.
pub(crate) fn symbols(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    if !lacks_symbols(session) {
        return;
    }
    let (place, span) =
        code_view(question).next().map_or((Place::Overview, None), |(place, entry)| (place, entry.data));
    for reason in session.match_reasons() {
        report.at(Grade::Note, reason.text.clone(), Some(place), span);
    }
}

/// Returns true for an image without symbols, unless those in their place are of another build or cannot be read.
fn lacks_symbols(session: &Session) -> bool {
    session.pdb_match() == PdbMatch::NoPdb && refused_partner(session).is_none() && !has_unread_embedded(session)
}

fn has_unread_embedded(session: &Session) -> bool {
    if session.symbols().is_some() {
        return false;
    }
    let Some(image) = session.image() else { return false };
    session.problems().iter().any(|problem| match problem.source {
        ProblemSource::DebugEntry(index) => image.pe.debug.get(usize::from(index)).is_some_and(is_embedded),
        _ => false,
    })
}

const fn is_embedded(entry: &DebugEntry) -> bool {
    matches!(entry.payload, Ok(Payload::EmbeddedPortablePdb(_)))
}

fn grade(question: &Question<'_>) -> Grade {
    let session = question.session;
    match session.pdb_match() {
        PdbMatch::Matched => Grade::Good,
        PdbMatch::Mismatched(_) => Grade::Finding,
        // Of a half that is missing, the file in its place may be of another build.
        PdbMatch::NoPdb | PdbMatch::NoImage if session.image().is_some() && code_view(question).next().is_some() => {
            Grade::Finding
        }
        PdbMatch::Unknown | PdbMatch::NeedsBase | PdbMatch::NoPdb | PdbMatch::NoImage => Grade::Note,
    }
}

/// A symbol server has one file per key, and all files without an id would share the key of an all-zero id.
pub(crate) fn id_nil(question: &Question<'_>, report: &mut Report) {
    for (place, entry) in code_view(question).filter(|(_, entry)| entry.rsds().is_some_and(|rsds| rsds.guid.is_nil())) {
        let sentence =
            "the image names its PDB by an all-zero id: symbol servers and debuggers cannot tell it from others";
        report.finding(sentence, place, entry.data.map(|data| data.part(4, 16)));
    }
    let symbols = question.session.symbol_file();
    if let Some(file) = symbols.filter(|file| file.reader().id().is_some_and(|id| id.guid.is_nil())) {
        let sentence = "the id of the PDB is all zeros: symbol servers and debuggers cannot tell it from others";
        let place = match file.reader().format() {
            Format::Portable => Place::Metadata(Side::Pdb, MetadataPart::PdbStream),
            Format::Windows => Place::Stream(1),
            _ => Place::Overview,
        };
        report.finding(sentence, place, file.content.id_spans().first().map(|id| id.part(0, 16)));
    }
}

/// Symbols of managed code are found by their id, and are useful for their lines. Another rule covers those of native code.
pub(crate) fn usable(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    if !matches!(symbols.format(), Format::Portable | Format::Windows) {
        return;
    }
    if symbols.id().is_none() {
        let sentence = "the symbols have no id: symbol servers, debuggers and crash reporters cannot find them";
        report.at(Grade::Note, sentence, Some(Place::Overview), None);
    }
    if symbols.documents() == 0 && question.session.methods() > 0 {
        let sentence = "the symbols have no documents: a debugger or crash reporter finds no line in them";
        report.at(Grade::Note, sentence, Some(Place::Documents), None);
    }
}

/// A portable PDB has age 1; a Windows PDB that of its image or a greater one.
pub(crate) fn age(question: &Question<'_>, report: &mut Report) {
    for (place, entry) in code_view(question) {
        let Some(rsds) = entry.rsds() else { continue };
        if entry.is_portable() && rsds.age != 1 {
            let sentence = format!("a portable PDB has age 1, but the image says {}", rsds.age);
            report.finding(sentence, place, entry.data.map(|data| data.part(20, 4)));
        }
        let have = question.session.symbols().and_then(SymbolReader::id);
        if let Some(IdSuffix::Age(age)) = have.filter(|have| have.guid == rsds.guid).map(|have| have.suffix)
            && !entry.is_portable()
        {
            match age.cmp(&rsds.age) {
                std::cmp::Ordering::Equal => report.good(format!("both have age {age}{}", info_age(question, age))),
                std::cmp::Ordering::Greater => {
                    report.note(format!(
                        "the PDB was rewritten after the image: age {age}, the image expects {}",
                        rsds.age
                    ));
                }
                // The verdict on the ids says it already.
                std::cmp::Ordering::Less if question.session.pdb_match().is_mismatch() => {}
                std::cmp::Ordering::Less => {
                    let sentence =
                        format!("the PDB is older than the image: age {age}, the image expects {}", rsds.age);
                    report.finding(sentence, place, entry.data.map(|data| data.part(20, 4)));
                }
            }
        }
    }
}

/// Remark on the age in the info stream, where it is another: debuggers compare that of the DBI stream.
fn info_age(question: &Question<'_>, age: u32) -> String {
    let pdb = question.session.symbol_file().and_then(|file| file.content.windows());
    match pdb.map(|pdb| pdb.info.age).filter(|said| *said != age) {
        Some(said) => format!(", that of the DBI stream, which counts; the info stream says {said}"),
        None => String::new(),
    }
}

/// A PDB inside the image, and at most one of them.
pub(crate) fn embedded(question: &Question<'_>, report: &mut Report) {
    let embedded: Vec<_> = question.debug_entries().filter(|(_, entry)| is_embedded(entry)).collect();
    let uses_own = question.session.symbol_file().is_some_and(|file| file.embedded);
    match embedded.as_slice() {
        [] => {}
        [(place, _)] if uses_own => beside_embedded(question, *place, report),
        [(place, entry)] => {
            let sentence = "the image also has a PDB inside, which debuggers prefer to any other";
            report.at(Grade::Note, sentence, Some(*place), Some(entry.header.span));
        }
        [_, (place, entry), ..] => {
            report.finding(format!("the image has {} PDBs inside", embedded.len()), *place, Some(entry.header.span));
        }
    }
}

/// The PDB beside an image that has its own inside: debuggers do not look at it, so it should be no other.
fn beside_embedded(question: &Question<'_>, place: Place, report: &mut Report) {
    let session = question.session;
    let beside = session.image().and_then(|image| symbol_candidates(image).into_iter().next());
    let (Some(file), Some(path)) = (session.symbol_file(), beside) else {
        return report.good("the image has its PDB inside");
    };
    let name = path.file_name();
    let bytes = path.read(MAX_BESIDE);
    let is_same = match (&bytes, session.spaces().region(file.space)) {
        (Ok(bytes), Ok(own)) => own.bytes() == bytes.as_slice(),
        _ => false,
    };
    if is_same {
        return report.good(format!("the image has its PDB inside, and {name} is the same"));
    }
    let other = bytes
        .map_err(|error| error.to_string())
        .and_then(|bytes| Session::from_bytes(vec![(path.path(), bytes)]).map_err(|error| error.to_string()));
    let why = match other.as_ref().map(|other| other.symbols().and_then(SymbolReader::id)) {
        Err(error) => error.clone(),
        Ok(id) if id == file.reader().id() => "it has the same id but different bytes".to_owned(),
        Ok(_) => "it has another id".to_owned(),
    };
    report.finding(format!("{name} is not the PDB inside the image, which debuggers use: {why}"), place, None);
}

/// Agreement of symbols and code, beside the ids.
pub(crate) fn evidence(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    let evidence = evidence::evidence(session);
    let Some(sentence) = evidence.sentence(session.pdb_match()) else { return };
    let grade = match (evidence.agrees(), session.pdb_match().is_mismatch()) {
        (Some(true), false) => Grade::Good,
        (Some(false), false) if !is_damaged(session) => Grade::Finding,
        // The rules about methods report each of a few faulty methods; an id that differs is a finding already.
        _ => Grade::Note,
    };
    let place = evidence.first_wrong.map_or(Place::Methods, Place::Method);
    report.at(grade, sentence, Some(place), None);
}

/// The PDB checksum that the image records. It is computed with zeros in place of the id: twenty bytes in a portable PDB, GUID and stamp in a
/// Windows PDB. The reader of each format locates them.
pub(crate) fn checksum(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    if session.image().is_none() {
        return;
    }
    let mut seen = false;
    for (place, entry) in question.debug_entries() {
        let Ok(Payload::PdbChecksum(found)) = &entry.payload else { continue };
        seen = true;
        let Some(algorithm) = Algorithm::named(&found.algorithm) else {
            let sentence = format!("the checksum is a {:?}, which pdblens does not support", found.algorithm);
            report.at(Grade::Note, sentence, Some(place), entry.data);
            continue;
        };
        if found.checksum.len() != algorithm.size() {
            let sentence =
                format!("a {} has {} bytes, this one {}", algorithm.name(), algorithm.size(), found.checksum.len());
            report.finding(sentence, place, entry.data);
            continue;
        }
        match symbol_hash::symbol_hash(session, algorithm) {
            None => {}
            Some(Ok(hash)) if hash == found.checksum => {
                report.good(format!(
                    "the symbols have the {} that the image expects: {}",
                    algorithm.name(),
                    hex(&hash)
                ));
            }
            Some(Ok(hash)) => {
                let wanted = hex(&found.checksum);
                let sentence =
                    format!("the image expects {} {wanted}, the symbols have {}", algorithm.name(), hex(&hash));
                report.finding(sentence, place, entry.data);
            }
            Some(Err(error)) => report.error(&error, place),
        }
    }
    // Only a PDB has an id that a checksum can leave out.
    if !seen && session.symbols().is_some_and(|symbols| symbols.format() != Format::Mdb) {
        report.note("the image has no checksum of its symbols: only the id shows whether they belong to it");
    }
}

/// Header fields of metadata that contradict the streams and tables, and the values that would fit.
pub(crate) fn metadata_headers(question: &Question<'_>, report: &mut Report) {
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
    let offers: Vec<_> = repairs.iter().take(MAX_OFFERED).map(|repair| header_value(repair.change)).collect();
    let more = repairs.len().saturating_sub(MAX_OFFERED);
    let more = if more > 0 { format!(" or {}", count(more as u64, "other value")) } else { String::new() };
    let offers = offers.join(" or ");
    let sentence = format!("every row fits into the table stream and every index is in range with {offers}{more}");
    let span = if repairs.len() == 1 { first.span } else { metadata.tables.header };
    report.at(Grade::Note, sentence, Some(Place::Metadata(side, MetadataPart::TablesHeader)), Some(span));
}

fn header_value(change: HeaderChange) -> String {
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
            let before = Span::new(span.space, end, gap);
            report.at(Grade::Note, sentence, Some(place), Some(before));
        }
        end = end.max(span.end());
    }
}
