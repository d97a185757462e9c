//! Stack traces: frames that say where they are in IL, given their file and line.
//!
//! A [`Tracer`] is a filter. Text goes in a line at a time and comes out as it was, byte for byte, but for the frames that can
//! be resolved. How a trace writes its frames is a form: a row of the table in `forms`.
//!
//! Only three things are held back. Frames of ProductionStackTrace and of in-process crash reports come before the footers that say which build they are of, so
//! text is held from the first such frame to the end of the footers, as far as `MAX_HELD` allows. Frames of inlined functions belong to a frame below
//! them. And a JSON document is read whole, as far as `input` allows, for its frames name images that stand elsewhere in it.

mod ahead;
mod builds;
mod context;
mod crash_report;
mod documents;
mod encoding;
mod evidence;
mod explain;
mod footer;
mod forms;
mod frame;
mod functions;
mod index;
mod input;
mod json;
mod judgement;
mod layers;
mod library;
mod loaded;
mod locales;
mod memo;
mod names;
mod outcome;
mod prefilter;
mod report;
mod resolve;
mod sentry;
mod symbols;

pub use encoding::{BinaryKind, Encoder, Encoding, binary_kind, is_apple_report};
pub use forms::Form;
pub(crate) use forms::frames;
use frame::edited;
pub use frame::{Edit, Frame, Module, Offset};
pub(crate) use names::NamedMethods;
pub use outcome::{
    Alternative, Call, Candidate, CandidateLines, Cause, Outcome, Proof, Refusal, Resolved, Summary, UNPROVED,
};
pub(crate) use symbols::goes_by;
pub use symbols::{Files, FindSymbols, Groups, Offer, OnProgress, Stores, finders};

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

use self::context::Above;
use self::input::{TraceInput, Wait};
use self::layers::Plain;
use self::library::Library;
use self::loaded::LoadedModules;
use self::report::Report;
use pdblens_session::session::Session;

/// The most bytes that are held back for footers to come: those of lines, and of the frames in them.
const MAX_HELD: usize = 4 << 20;

pub trait Sink {
    /// Text, to be written as it is.
    fn text(&mut self, _text: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Receives a mark in a line of text: the space and [`UNPROVED`].
    fn mark(&mut self, mark: &str) -> io::Result<()> {
        self.text(mark.as_bytes())
    }

    /// Receives the outcome of a frame in the text that was last written.
    fn frame(&mut self, told: &Told<'_>) -> io::Result<()>;

    /// Receives the encoding of the input, before any text; the text itself comes as UTF-8.
    fn encoding(&mut self, _encoding: Encoding) {}

    /// Writes lines that are held back, before a wait for input.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
pub struct Told<'a> {
    /// The line of the input that it is in, counted from 1.
    pub line: u64,
    pub form: &'static str,
    pub frame: &'a Frame,
    pub outcome: &'a Outcome,
    /// Session that a resolved frame was found in.
    pub session: Option<&'a Arc<Session>>,
    /// It has a line of text for itself, below which others may be inserted.
    pub is_alone: bool,
}

#[derive(Default)]
pub struct Tracer {
    library: Library,
    held: Vec<HeldLine>,
    held_bytes: usize,
    /// Modules that footers name, by their names in frames.
    footers: HashMap<String, Module>,
    /// Frames are held back until the footers after the trace name their modules.
    waits_for_footers: bool,
    report: Report,
    /// Lines of the text without its escapes so far.
    row: u64,
    /// Module that the last crash was in.
    faulting: Module,
    above: Above,
    /// The frame below those of inlined functions that are written.
    below: Option<Frame>,
    loaded: LoadedModules,
}

#[derive(Debug)]
struct HeldLine {
    number: u64,
    bytes: Vec<u8>,
    /// The text is part of a JSON document, so insertions have to be escaped.
    in_json: bool,
    /// Its frames, with the names of their forms.
    frames: Vec<(&'static str, Frame)>,
}

impl Tracer {
    /// Creates a filter. The first of `finders` with symbols for a module provides them.
    pub fn new(finders: Vec<Box<dyn FindSymbols>>) -> Self {
        let mut tracer = Self::default();
        tracer.library.finders = finders;
        tracer
    }

    /// The same filter with an open pair, which takes precedence over the finders.
    #[must_use]
    pub fn with(mut self, session: Arc<Session>) -> Self {
        self.library.hold(session);
        self
    }

    /// The same filter; it opens no more files once `stop` returns true.
    #[must_use]
    pub fn until(mut self, stop: Box<dyn Fn() -> bool>) -> Self {
        self.library.stop = Some(stop);
        self
    }

    /// The same filter; it leaves frames without a line unless so much proves their build.
    #[must_use]
    pub const fn requiring(mut self, proof: Proof) -> Self {
        self.library.required = proof;
        self
    }

    /// The same filter; it does not name the methods that IL offsets lead to, for a sink that writes their lines alone.
    #[must_use]
    pub const fn without_names(mut self) -> Self {
        self.library.is_without_names = true;
        self
    }

    pub fn pair(&self, number: usize) -> Option<Arc<Session>> {
        self.library.pairs.get(number).map(|pair| Arc::clone(&pair.session))
    }

    /// All pairs that can be found without being named, those that were open already first.
    pub fn pairs(&mut self) -> Vec<Arc<Session>> {
        self.library.all().iter().map(|pair| Arc::clone(&pair.session)).collect()
    }

    /// Reads all of `input`, and writes it to `sink` with its frames resolved.
    pub fn run(&mut self, input: impl Read, sink: &mut dyn Sink) -> io::Result<()> {
        let mut input = TraceInput::new(input);
        let mut encoding = Encoding::Bytes;
        loop {
            // Lines after a trace that hold no frame are copied in blocks.
            let is_between = self.held.is_empty() && !self.waits_for_footers && self.report.is_none();
            if is_between && input.pass_plain(sink)? {
                self.library.condemned.clear();
                self.row += 1;
                continue;
            }
            let Some(chunk) = input.next(&mut |wait| self.idle(wait, sink))? else { break };
            if std::mem::replace(&mut encoding, input.encoding()) != input.encoding() {
                sink.encoding(encoding);
            }
            match chunk {
                input::Chunk::Line(number, bytes) => self.line(number, bytes, false, sink)?,
                input::Chunk::Raw(bytes) => {
                    self.release(sink)?;
                    self.row += 1;
                    sink.text(&bytes)?;
                }
                input::Chunk::Json(number, bytes) => {
                    if !self.waits_for_footers {
                        self.release(sink)?;
                    }
                    if self.held.is_empty() && documents::document(&mut self.library, number, &bytes, sink)? {
                        continue;
                    }
                    // A line of a structured log: the strings in it are text.
                    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
                        self.line(number + index as u64, line.to_owned(), true, sink)?;
                    }
                }
            }
        }
        self.release(sink)
    }

    fn line(&mut self, number: u64, bytes: Vec<u8>, in_json: bool, sink: &mut dyn Sink) -> io::Result<()> {
        let plain = Plain::of(&bytes, in_json);
        let frames = self.frames_of(&plain, in_json);
        let is_behind_trace =
            !self.waits_for_footers && frames.is_empty() && !plain.text().trim_ascii().starts_with(b"---");
        if !self.held.is_empty() {
            match footer::footer(&bytes) {
                Some((short, module)) => drop(self.footers.entry(short).or_insert(module)),
                None if !self.footers.is_empty() || footer::is_separator(&bytes) => self.release(sink)?,
                None if is_behind_trace => self.release(sink)?,
                None => {}
            }
        } else if is_behind_trace {
            self.library.condemned.clear();
        }
        let of_footer = |(_, frame): &(_, Frame)| matches!(frame.module, Module::Footer(_));
        self.waits_for_footers |= frames.iter().any(of_footer);
        if self.held.is_empty() && !self.waits_for_footers {
            let library = &mut self.library;
            let is_inlined = |(_, frame): &(_, Frame)| frame.offset == Offset::Inlined;
            if !frames.iter().any(is_inlined) && !frames.iter().any(|(_, frame)| library.is_evidence(frame)) {
                return self.write(number, &plain, &frames, sink);
            }
        }
        self.hold(HeldLine { number, bytes, in_json, frames }, sink)
    }

    /// The frames of a line without its escapes, which may consist of several lines. What stands between the strings of a list is no line.
    fn frames_of(&mut self, plain: &Plain<'_>, in_json: bool) -> Vec<(&'static str, Frame)> {
        let is_between = |text: &[u8]| !text.is_empty() && text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b','));
        let mut found = Vec::new();
        for range in plain.lines() {
            let text = plain.text().get(range.clone()).unwrap_or_default();
            if in_json && is_between(text) {
                continue;
            }
            self.row += 1;
            let of_line = |(form, frame): (_, Frame)| (form, Frame { row: self.row, ..frame.moved(range.start) });
            found.extend(frames(text).into_iter().map(of_line));
        }
        found
    }

    fn hold(&mut self, line: HeldLine, sink: &mut dyn Sink) -> io::Result<()> {
        let frames = line.frames.len() * size_of::<Frame>();
        self.held_bytes = self.held_bytes + line.bytes.len() + frames;
        self.held.push(line);
        if self.held_bytes > MAX_HELD { self.write_held(sink) } else { Ok(()) }
    }

    /// Writes what was read before a wait for input. After a long one that is also the part of a trace, judged as far as it goes;
    /// footers are waited for.
    fn idle(&mut self, wait: Wait, sink: &mut dyn Sink) -> io::Result<()> {
        if wait == Wait::Long && !self.waits_for_footers {
            self.write_held(sink)?;
        }
        sink.flush()
    }

    /// Writes the lines that were held back at the end of their trace, with the footers seen so far.
    fn release(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        self.write_held(sink)?;
        self.library.condemned.clear();
        Ok(())
    }

    fn write_held(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        let mut held = std::mem::take(&mut self.held);
        for (_, frame) in held.iter_mut().flat_map(|line| &mut line.frames) {
            if let Module::Footer(short) = &frame.module {
                frame.module = footer::module(&self.footers, short);
            }
        }
        let frames = judgement::in_context(&held, self.above.clone());
        self.library.weigh(&frames);
        for (frame, above) in &frames {
            self.library.judge(frame, above);
        }
        let mut below = functions::below(&held).into_iter();
        let written = held.iter().try_for_each(|line| {
            self.below = below.next().flatten();
            self.write(line.number, &Plain::of(&line.bytes, line.in_json), &line.frames, sink)
        });
        self.held_bytes = 0;
        self.waits_for_footers = false;
        self.footers.clear();
        written
    }

    fn write(
        &mut self,
        number: u64,
        plain: &Plain<'_>,
        frames: &[(&'static str, Frame)],
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        // The line after a frame is one of those that are copied in blocks elsewhere.
        if frames.is_empty() && self.report.is_none() && !prefilter::may_matter(plain.text()) {
            return sink.text(plain.escaped());
        }
        let inside = plain.lines().filter_map(|line| report::faulting_module(plain.text().get(line)?));
        if let Some(module) = inside.last() {
            self.faulting = module;
        }
        let reported = if frames.is_empty() { self.reported(plain) } else { Vec::new() };
        let frames = if reported.is_empty() { frames } else { &reported };
        self.loaded.see(plain.text());
        if frames.is_empty() {
            return sink.text(plain.escaped());
        }
        let outcomes: Vec<Outcome> = frames.iter().map(|(_, frame)| self.outcome(frame)).collect();
        let (mut edits, mut from) = (Vec::new(), 0);
        for ((_, frame), outcome) in frames.iter().zip(&outcomes) {
            let Outcome::Resolved(found) = outcome else { continue };
            let Some((range, new)) = found.edit(&frame.edit) else { continue };
            edits.push(plain.edit(range, new));
            // A program reads the fields of a line with `|`.
            if found.is_marked() && !matches!(frame.edit, Edit::Piped(_)) {
                let end = frame.range.end;
                let (at, mark) = plain.edit(end..end, format!(" {UNPROVED}"));
                let text = plain.escaped().get(..at.start).unwrap_or_default();
                sink.text(&edited(text, from, edits.drain(..)))?;
                sink.mark(&mark)?;
                from = at.end;
            }
        }
        sink.text(&edited(plain.escaped(), from, edits.into_iter()))?;
        let is_alone = frames.len() == 1 && !plain.is_embedded();
        for ((form, frame), outcome) in frames.iter().zip(&outcomes) {
            let session = self.library.session_of(outcome);
            sink.frame(&Told { line: number, form, frame, outcome, session, is_alone })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
