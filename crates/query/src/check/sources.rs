//! Rules about the sources: can a debugger find them.

use std::collections::BTreeMap;

use super::report::{Grade, Report};
use super::{Question, each_document};
use pdblens_nodes::Place;
use pdblens_nodes::document::is_below_obj;
use pdblens_session::source::{HashVerdict, Sources, verify};
use pdblens_session::store::digest::Algorithm;
use pdblens_session::symbols::{Document, ModuleHash};
use pdblens_session::text::paths::{file_name, without_passwords};
use pdblens_session::text::safe::count;

/// Checks that the Source Link map can be read, and counts the documents it covers.
pub(crate) fn source_link(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let sources = Sources::of(question.session, question.sources);
    if let Some(error) = &sources.link_error {
        return report.finding(error.text.clone(), Place::Documents, None);
    }
    if sources.link.is_none() {
        return report.note("no Source Link: a debugger cannot fetch the sources");
    }
    let (mut linked, mut all) = (0_u64, 0_u64);
    each_document(symbols, |row, document| {
        all += 1;
        if let Some(url) = sources.url(&document.name) {
            linked += 1;
            if !(url.starts_with("https://") || url.starts_with("http://")) {
                let sentence =
                    format!("Source Link maps {} to {:?}, which is not a URL", document.name, without_passwords(&url));
                report.finding(sentence, Place::Document(row), Some(document.span));
            }
        }
    });
    let sentence = format!("Source Link maps {linked} of {}", count(all, "document"));
    report.add(if linked == all { Grade::Good } else { Grade::Note }, sentence);
}

/// Checks each embedded source against the hash of its document.
pub(crate) fn embedded(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let (mut good, mut all) = (0_u64, 0_u64);
    each_document(symbols, |row, document| {
        let Some(source) = symbols.embedded_source(row) else { return };
        all += 1;
        let place = Place::Document(row);
        match source.text().map(|text| verify(&text, document)) {
            Ok(HashVerdict::Verified(_)) => good += 1,
            Ok(HashVerdict::Differs) => {
                let sentence = format!("the embedded source of {} is not the one that was compiled", document.name);
                report.finding(sentence, place, Some(document.span));
            }
            Ok(HashVerdict::CannotTell(_)) => {}
            Err(error) => report.error(&error, place),
        }
    });
    if all > 0 {
        report.good(format!("{} embedded, {good} verified", count(all, "source")));
    }
}

/// Documents whose text is neither embedded nor has a URL.
pub(crate) fn untracked(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let sources = Sources::of(question.session, question.sources);
    let has_way = sources.link.is_some()
        || symbols.source_servers().srcsrv.is_some()
        || (1..=symbols.documents()).any(|row| symbols.embedded_source(row).is_some());
    if !has_way {
        return;
    }
    let all_read = each_document(symbols, |row, document| {
        let tracked = is_compiler_internal(&document.name)
            || symbols.embedded_source(row).is_some()
            || sources.url(&document.name).is_some()
            || sources.retrieval(&document.name).is_some();
        if !tracked {
            let sentence = format!("{} is neither embedded nor has a URL", document.name);
            report.at(Grade::Note, sentence, Some(Place::Document(row)), Some(document.span));
        }
    });
    if report.is_clean() && all_read {
        report.good("every document is embedded or has a URL");
    }
}

/// Documents that the build wrote, in a folder that repositories leave out, whose text is found by a URL alone.
pub(crate) fn generated(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let sources = Sources::of(question.session, question.sources);
    each_document(symbols, |row, document| {
        if is_below_obj(&document.name)
            && symbols.embedded_source(row).is_none()
            && sources.url(&document.name).is_some()
        {
            let sentence = format!(
                "{} was written by the build, below obj, which repositories leave out: its URL leads to nothing; embed it (EmbedUntrackedSources)",
                document.name
            );
            report.at(Grade::Note, sentence, Some(Place::Document(row)), Some(document.span));
        }
    });
}

/// Returns whether a document is the one that MSVC names for the types that no file declares. It has neither text nor hash.
fn is_compiler_internal(path: &str) -> bool {
    file_name(path) == "predefined C++ types (compiler internal)"
}

/// Documents without a hash, and those with several.
pub(crate) fn hashes(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let all_read = each_document(symbols, |row, document| {
        if document.hash.is_empty() && !is_compiler_internal(&document.name) {
            let sentence = format!("{} has no hash, so its text cannot be verified", document.name);
            report.at(Grade::Note, sentence, Some(Place::Document(row)), Some(document.span));
        }
    });
    if report.is_clean() && all_read {
        report.good("every document has a hash");
    }
    let Some(native) = question.session.native_pdb() else { return };
    for row in 1..=symbols.documents() {
        let [first, others @ ..] = native.module_hashes(row) else { continue };
        let Some(other) = others.first() else { continue };
        let name = symbols.document(row).map_or_else(|error| error.to_string(), |document| document.name);
        let module =
            |found: &ModuleHash| found.modules.first().map_or_else(String::new, |name| file_name(name).to_owned());
        let sentence = format!(
            "{name} has {} different hashes in its modules ({}, {}): they were compiled from different texts",
            others.len() + 1,
            module(first),
            module(other)
        );
        report.at(Grade::Note, sentence, Some(Place::Document(row)), Some(other.span));
    }
}

/// Documents whose hash is MD5 or SHA-1, for which a second text with the same hash can be made: one remark an algorithm.
pub(crate) fn strong_hashes(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let (mut weak, mut strong) = (BTreeMap::<&str, (u64, u32, Document)>::new(), 0_u64);
    let mut hashed = 0_u64;
    each_document(symbols, |row, document| {
        if document.hash.is_empty() {
            return;
        }
        hashed += 1;
        match document.hash_algorithm.and_then(Algorithm::of) {
            Some(algorithm @ (Algorithm::Md5 | Algorithm::Sha1)) => {
                let (count, ..) = weak.entry(algorithm.name()).or_insert_with(|| (0, row, document.clone()));
                *count += 1;
            }
            _ => strong += 1,
        }
    });
    for (algorithm, (number, row, first)) in weak {
        let sentence = match number {
            1 => format!("the hash of {} is {algorithm}, which can be forged", first.name),
            _ => format!("{} have a hash of {algorithm}, which can be forged", count(number, "document")),
        };
        let sentence = format!("{sentence}: compile with SHA-256 (csc -checksumalgorithm:SHA256, cl /ZH:SHA_256)");
        report.at(Grade::Note, sentence, Some(Place::Document(row)), Some(first.span));
    }
    if strong == hashed && hashed > 0 {
        report.good("no source hash is MD5 or SHA-1");
    }
}
