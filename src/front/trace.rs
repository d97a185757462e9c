//! Stack traces.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use pdblens_formats::reason::Reason;
use pdblens_query::trace::{Files, FindSymbols, Outcome, Sink, Told, Tracer};

use super::{Frame, Location, Symbols, Trace};

/// Adds file and line to the frames of a stack trace, with open pairs, and with the files that folders and packages contain.
///
/// A frame is resolved with symbols of its build: [`Frame::proof`] says what proves that, and [`Frame::refusal`] why there is no line.
pub fn resolve_trace(text: &str, symbols: &[Symbols], folders: &[PathBuf]) -> Trace {
    let finders: Vec<Box<dyn FindSymbols>> =
        if folders.is_empty() { Vec::new() } else { vec![Box::new(Files::new(folders))] };
    let mut tracer = Tracer::new(finders);
    for pair in symbols {
        tracer = tracer.with(Arc::clone(&pair.session));
    }
    let mut found = Collected::default();
    // Neither end is a file: nothing can fail.
    let _ = tracer.run(text.as_bytes(), &mut found);
    Trace { text: String::from_utf8_lossy(&found.text).into_owned(), frames: found.frames }
}

#[derive(Default)]
struct Collected {
    text: Vec<u8>,
    frames: Vec<Frame>,
}

impl Sink for Collected {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(text);
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        let mut frame = Frame { text_line: told.line, location: None, proof: None, refusal: None };
        match told.outcome {
            Outcome::Resolved(found) => {
                frame.proof = Some(found.proof.word());
                frame.location = Some(Location {
                    function: found.code.name().to_owned(),
                    document: found.path.clone(),
                    line: found.line,
                    column: found.column,
                    doubt: found.contradiction.clone().or_else(|| found.doubt.clone()),
                });
            }
            Outcome::Known => {}
            Outcome::Candidates { refusal, .. } | Outcome::No(refusal) => {
                frame.refusal = Some(Reason::new(refusal.cause.word(), refusal.reason.clone()));
            }
        }
        self.frames.push(frame);
        Ok(())
    }
}
