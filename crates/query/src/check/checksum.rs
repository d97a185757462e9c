//! PDB checksum: the hash of the symbols that the image records.
//!
//! The hash is computed with zeros in place of the id: twenty bytes in a portable PDB, GUID and stamp in a Windows PDB. The reader of
//! each format locates them.

use super::Question;
use super::report::{Grade, Report};
use pdblens_formats::pe::Payload;
use pdblens_nodes::PePart;
use pdblens_nodes::Place;
use pdblens_session::store::digest::Algorithm;
use pdblens_session::store::symbol_hash;
use pdblens_session::symbols::Format;
use pdblens_session::text::safe::hex;

pub(crate) fn checksum(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    let Some(image) = session.image() else { return };
    let mut seen = false;
    for (index, entry) in image.pe.debug.iter().enumerate() {
        let Ok(Payload::PdbChecksum(found)) = &entry.payload else { continue };
        seen = true;
        let place = Place::PePart(PePart::Debug(index as u16));
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
