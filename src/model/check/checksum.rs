//! Whether the symbols hash to what the image says.
//!
//! The hash is taken with zeros where the id is: twenty bytes in a portable PDB, GUID and stamp in a Windows PDB. Where those
//! stand is for the reader of each format to say.

use super::{Grade, Question, Report};
use crate::bytes::{Error, Result, Span};
use crate::formats::pe::Payload;
use crate::model::digest::Algorithm;
use crate::model::place::PePart;
use crate::model::symbols::Format;
use crate::model::text::hex;
use crate::model::{Place, Session};

/// How many bytes are hashed at a time.
const STEP: u64 = 1 << 20;

pub(super) fn checksum(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    let Some(image) = &session.image else { return };
    let mut seen = false;
    for (index, entry) in image.pe.debug.iter().enumerate() {
        let Ok(Payload::PdbChecksum(found)) = &entry.payload else { continue };
        seen = true;
        let place = Place::PePart(PePart::Debug(index as u16));
        let Some(algorithm) = Algorithm::named(&found.algorithm) else {
            let sentence = format!("the checksum is a {:?}, which pdblens does not know", found.algorithm);
            report.at(Grade::Note, sentence, Some(place), entry.data);
            continue;
        };
        if found.checksum.len() != algorithm.size() {
            let sentence =
                format!("a {} has {} bytes, this one {}", algorithm.name(), algorithm.size(), found.checksum.len());
            report.finding(sentence, place, entry.data);
            continue;
        }
        match session.symbols_hash(algorithm) {
            None => {}
            Some(Ok(hash)) if hash == found.checksum => {
                report.good(format!("the symbols have the {} that the image says: {}", algorithm.name(), hex(&hash)));
            }
            Some(Ok(hash)) => {
                let wanted = hex(&found.checksum);
                let sentence = format!("the image says {} {wanted}, the symbols have {}", algorithm.name(), hex(&hash));
                report.finding(sentence, place, entry.data);
            }
            Some(Err(error)) => report.error(&error, place),
        }
    }
    // Only a PDB has an id that a checksum can leave out.
    if !seen && session.symbols().is_some_and(|symbols| symbols.format() != Format::Mdb) {
        report.note("the image has no checksum of its symbols: only the id tells whether they are its own");
    }
}

impl Session {
    /// The hash of the symbol file with zeros where its id is; nothing where the format has no such hash, or its id is unknown.
    pub fn symbols_hash(&self, algorithm: Algorithm) -> Option<Result<Vec<u8>>> {
        let file = self.symbols.as_ref()?;
        let mut zeros: Vec<Span> = Vec::new();
        for span in file.reader.id_spans() {
            if span.space == file.space {
                zeros.push(span);
            } else {
                // In a stream of an MSF file: the pages that it is in.
                zeros.extend(self.spaces.resolve(span).into_iter().filter(|piece| piece.exact).map(|piece| piece.span));
            }
        }
        if zeros.is_empty() {
            return None;
        }
        let whole = Span::new(file.space, 0, self.spaces.get(file.space)?.len());
        if zeros.iter().any(|zero| !whole.covers(*zero)) {
            return Some(Err(Error::invalid("the id is not in the file", whole)));
        }
        let mut failed = None;
        let parts = (0..whole.len.div_ceil(STEP)).map_while(|number| {
            let from = number * STEP;
            let part = whole.part(from, STEP.min(whole.len - from));
            self.read_zeroed(part, &zeros).map_err(|error| failed = Some(error)).ok()
        });
        let hash = algorithm.digest(parts);
        Some(failed.map_or(Ok(hash), Err))
    }

    /// The bytes of `part`, with zeros in place of `zeros`.
    fn read_zeroed(&self, part: Span, zeros: &[Span]) -> Result<Vec<u8>> {
        let mut bytes = self.spaces.read(part)?.into_owned();
        for zero in zeros {
            let from = zero.start.saturating_sub(part.start).min(part.len) as usize;
            let to = zero.end().saturating_sub(part.start).min(part.len) as usize;
            if let Some(bytes) = bytes.get_mut(from..to) {
                bytes.fill(0);
            }
        }
        Ok(bytes)
    }
}
