//! Resolution of a frame with the lines around it: the frame above, a faulting module, modules that are loaded.

use super::footer::Footer;
use super::frame::{Frame, Module, Offset};
use super::layers::Plain;
use super::library::Library;
use super::outcome::{Cause, Outcome};
use super::{Tracer, forms};
use crate::where_is;

impl Tracer {
    /// Frames of a line without any of its own: parameters of the report that the lines before it have begun.
    pub(super) fn reported(&mut self, plain: &Plain<'_>) -> Vec<(&'static str, Frame)> {
        let mut found = Vec::new();
        for range in plain.lines() {
            let inside = self.report.read(plain.text().get(range.clone()).unwrap_or_default());
            found.extend(inside.into_iter().map(|frame| (forms::EVENT_LOG, frame.moved(range.start))));
        }
        found
    }

    pub(super) fn outcome(&mut self, line: u64, frame: &Frame) -> Outcome {
        if frame.module == Module::Faulting {
            let faulting = self.faulting.clone();
            let module = faulting.map_or(Module::Unknown, |(name, stamp)| Module::named(name, stamp));
            let frame = Frame { module, ..frame.clone() };
            let outcome = self.library.resolve(&frame, &TraceContext::default());
            return self.library.proved(outcome, &frame, &[]);
        }
        let known = self.loaded.by_id(&frame.module).map(|module| Frame { module, ..frame.clone() });
        let frame = known.as_ref().unwrap_or(frame);
        let outcome = self.located(line, frame);
        // An inlined function is in the module of the frame below it.
        let below = if frame.offset == Offset::Inlined { self.below.as_ref() } else { None };
        self.library.proved(outcome, below.unwrap_or(frame), &self.footers)
    }

    fn located(&mut self, line: u64, frame: &Frame) -> Outcome {
        if frame.offset == Offset::Inlined {
            // It has no address that something returns to: the frame above is that of the one below it too.
            let is_caller = self.above.is_above(line);
            if is_caller {
                self.above.line = line;
            }
            let below = self.below.clone();
            return self.library.inlined(frame, below.as_ref(), &TraceContext { is_caller, ..TraceContext::default() });
        }
        let above = self.above.replace(line, frame);
        let trace = above.trace(&self.footers);
        match (&frame.module, frame.offset) {
            (Module::Loaded, Offset::Native(address)) => {
                at_address(&mut self.library, self.loaded.at(address), frame, address, &trace)
            }
            _ => self.library.resolve(frame, &trace),
        }
    }
}

/// Resolves a frame at an address in memory, by the module that an earlier line has loaded there, and the offset in it.
fn at_address(
    library: &mut Library,
    loaded: Option<(&str, u64)>,
    frame: &Frame,
    address: u64,
    trace: &TraceContext<'_>,
) -> Outcome {
    if let Some((module, offset)) = loaded {
        // The offset counts from the start of the module, whatever function the frame names.
        let (module, offset) = (Module::File(module.to_owned()), Offset::Native(offset));
        return library.resolve(&Frame { module, offset, name: String::new(), ..frame.clone() }, trace);
    }
    let outcome = match library.address(address, trace) {
        // The preferred base address is a guess, which the name in the frame has to confirm.
        Outcome::Resolved(found) if !frame.name.is_empty() && !found.is_of(&frame.name) => {
            let reason = format!(
                "{address:#x} is an address in memory, and no line before it says which module is loaded there; as an address of {} \
                 it is in {}, and not in {}",
                found.symbols,
                found.code.name(),
                frame.name
            );
            Outcome::No(Cause::NoModule.because(reason))
        }
        other => other,
    };
    match outcome {
        // Without its module a frame still has its name.
        Outcome::No(refusal) if !frame.name.is_empty() => {
            let pairs = library.all();
            match library.functions_called(&pairs, &frame.name) {
                Outcome::Candidates { found, .. } => Outcome::Candidates { found, refusal },
                _ => Outcome::No(refusal),
            }
        }
        other => other,
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TraceContext<'t> {
    pub(crate) footers: &'t [Footer],
    /// The previous frame, which this one called, started a state machine: then this is the kickoff method, and
    /// not the body that goes by the same name.
    pub(crate) started: bool,
    /// Name of the method in the frame on the line above, which this one called; empty where there is none.
    pub(crate) above: &'t str,
    /// A frame is on the line above: this one is at the address that a call returns to.
    pub(crate) is_caller: bool,
}

/// Returns whether a method starts state machines: `AsyncMethodBuilderCore.Start[TStateMachine]` and its like.
pub(crate) fn starts(name: &str) -> bool {
    name.contains("MethodBuilder") && where_is::own_name(name) == "Start"
}

/// Frame above, which the next one called.
#[derive(Clone, Debug, Default)]
pub(super) struct Above {
    /// Name of its method; empty where there is none on the line before.
    name: String,
    pub(super) line: u64,
    started: bool,
    /// It is on the same line, or on the line before.
    is_caller: bool,
}

impl Above {
    /// Makes a frame the one above the next, and returns the one above it.
    pub(super) fn replace(&mut self, line: u64, frame: &Frame) -> Self {
        // The running method of a state machine was called.
        let name = frame.inner.clone().unwrap_or_else(|| frame.name.clone());
        let next = Self { name, line, started: starts(&frame.name), is_caller: false };
        let mut above = std::mem::replace(self, next);
        above.is_caller = above.is_above(line);
        if !above.is_caller {
            above.name.clear();
        }
        above
    }

    /// Returns true if it is the frame above a line.
    pub(super) const fn is_above(&self, line: u64) -> bool {
        self.line > 0 && self.line.saturating_add(1) >= line
    }

    pub(super) fn trace<'t>(&'t self, footers: &'t [Footer]) -> TraceContext<'t> {
        TraceContext { footers, started: self.started, above: &self.name, is_caller: self.is_caller }
    }
}
