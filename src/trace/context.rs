//! Resolution of a frame with what the lines around it say: the frame above, a faulting module, modules that are loaded, a place
//! on the next line.

use std::io;

use super::frame::{Frame, Module, Offset};
use super::layers::Plain;
use super::outcome::Outcome;
use super::resolve::{self, Trace};
use super::{Frames, Sink, Told, Tracer};

impl Tracer {
    /// The frame in a line that is one only after the lines before it.
    pub(super) fn expected(&mut self, plain: &Plain<'_>, frames: &Frames) -> Option<(&'static str, Frame)> {
        let mut lines = plain.lines();
        let (line, None) = (lines.next()?, lines.next()) else { return None };
        let text = plain.text().get(line)?;
        if frames.is_empty() {
            return self.expected.frame(text).map(|(form, frame)| (form.name, frame));
        }
        self.expected.see(frames, text);
        None
    }

    /// Reports the frame of the line before, to which no place came.
    pub(super) fn tell_unplaced(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        let Some((line, form, frame)) = self.unplaced.take() else { return Ok(()) };
        let outcome = self.outcome(line, &frame);
        sink.frame(&Told { line, form, frame: &frame, outcome: &outcome })
    }

    pub(super) fn outcome(&mut self, line: u64, frame: &Frame) -> Outcome {
        if let (Module::Loaded, Offset::Native(address)) = (&frame.module, frame.offset) {
            return match self.loaded.at(address) {
                Some((module, offset)) => {
                    let (module, offset) = (Module::File(module.to_owned()), Offset::Native(offset));
                    self.library.resolve(&Frame { module, offset, ..frame.clone() }, &Trace::default())
                }
                None => self.library.address(address),
            };
        }
        if frame.module == Module::Faulting {
            let module = self.expected.faulting.clone().map_or(Module::Unknown, Module::File);
            return self.library.resolve(&Frame { module, ..frame.clone() }, &Trace::default());
        }
        let started = std::mem::replace(&mut self.started, resolve::starts(&frame.name));
        let (above, at) = std::mem::take(&mut self.above);
        let is_caller = at > 0 && at + 1 >= line;
        let above = if is_caller { above } else { String::new() };
        // The method of a state machine that runs is what was called.
        self.above = (frame.inner.clone().unwrap_or_else(|| frame.name.clone()), line);
        self.library.resolve(frame, &Trace { footers: &self.footers, started, above: &above, is_caller })
    }
}
