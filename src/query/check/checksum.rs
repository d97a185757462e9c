//! Whether the symbols hash to what the image says.
//!
//! The hash is taken with zeros where the id is: twenty bytes in a portable PDB, GUID and stamp in a Windows PDB. Where those
//! stand is for the reader of each format to say.

use super::{Grade, Question, Report};
use crate::bytes::{Error, Result, Span};
use crate::formats::pe::Payload;
use crate::nodes::Place;
use crate::nodes::place::PePart;
use crate::session::Session;
use crate::store::digest::Algorithm;
use crate::symbols::Format;
use crate::text::safe::hex;

/// How many bytes are hashed at a time.
const STEP: u64 = 1 << 20;

pub(crate) fn checksum(question: &Question<'_>, report: &mut Report) {
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use super::*;
    use crate::bytes::{Cursor, Noted, Origin, Source, Spaces};
    use crate::formats::metadata::Token;
    use crate::formats::portable::points::Point;
    use crate::session::SymbolFile;
    use crate::symbols::{Document, Method, Scope, SymbolId, Symbols};

    /// Symbols that say nothing but where their id is.
    #[derive(Debug)]
    struct IdAt(Vec<Span>);

    impl Symbols for IdAt {
        fn format(&self) -> Format {
            Format::Windows
        }

        fn id(&self) -> Option<SymbolId> {
            None
        }

        fn id_spans(&self) -> Vec<Span> {
            self.0.clone()
        }

        fn documents(&self) -> u32 {
            0
        }

        fn document(&self, _: u32) -> Result<Document> {
            Ok(Document::default())
        }

        fn methods(&self) -> u32 {
            0
        }

        fn method(&self, _: Token) -> Result<Method> {
            Ok(Method::default())
        }

        fn points(&self, _: Token, _: &mut dyn FnMut(Point) -> ControlFlow<()>) -> Result<()> {
            Ok(())
        }

        fn note_points(&self, _: Token, _: &mut Cursor<'_, Noted>) -> Result<()> {
            Ok(())
        }

        fn scopes(&self, _: Token, _: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn an_id_in_a_stream_is_zeroed_in_the_pages_of_the_file() {
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("f", Origin::File("f".into()), (1..=16).collect()).span().space;
        let pages = Origin::Pages { file, page_size: 4, pages: [3, 1].into(), first: 0 };
        let stream = spaces.add("stream 1", pages, 8, Source::Derived);
        // Bytes 2 to 5 of the stream: the last two of page 3, the first two of page 1.
        let hash = |spans: Vec<Span>, spaces: &Arc<Spaces>| {
            let reader = Box::new(IdAt(spans));
            let symbols = SymbolFile { path: "f".into(), name: "f".into(), space: file, embedded: false, reader };
            let mut session = Session::sample();
            (session.spaces, session.symbols) = (Arc::clone(spaces), Some(symbols));
            session.symbols_hash(Algorithm::Sha256)
        };
        let spaces = Arc::new(spaces);
        let zeroed: Vec<u8> = vec![1, 2, 3, 4, 0, 0, 7, 8, 9, 10, 11, 12, 13, 14, 0, 0];
        let wanted = Algorithm::Sha256.digest([&zeroed]);
        assert_eq!(hash(vec![Span::new(stream, 2, 4)], &spaces), Some(Ok(wanted)));
        assert_eq!(hash(Vec::new(), &spaces), None);
        assert!(matches!(hash(vec![Span::new(file, 10, 20)], &spaces), Some(Err(_))));
    }
}
