//! Resolution of a frame with the lines around it: the frame above, a faulting module, modules that are loaded.

use super::frame::{Frame, Module, Offset};
use super::layers::Plain;
use super::library::Library;
use super::outcome::{Cause, Outcome, Refusal};
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

    pub(super) fn outcome(&mut self, frame: &Frame) -> Outcome {
        let is_faulting = frame.module == Module::Faulting;
        let named = if is_faulting { Some(self.faulting.clone()) } else { self.loaded.by_id(&frame.module) };
        let named = named.map(|module| Frame { module, ..frame.clone() });
        let frame = named.as_ref().unwrap_or(frame);
        let is_alone = is_faulting || frame.row == 0;
        let found = if is_alone { self.library.resolve(frame, &Above::default()) } else { self.located(frame) };
        // An inlined function is in the module of the frame below it.
        let below = if frame.offset == Offset::Inlined { self.below.as_ref() } else { None };
        let found = found.and_then(|found| self.library.proved(found, below.unwrap_or(frame)));
        found.unwrap_or_else(Outcome::No)
    }

    fn located(&mut self, frame: &Frame) -> Result<Outcome, Refusal> {
        if frame.offset == Offset::Inlined {
            // It has no address that something returns to: the frame above is that of the one below it too.
            let is_caller = self.above.is_above(frame);
            if is_caller {
                self.above.row = frame.row;
            }
            return self.library.inlined(frame, self.below.as_ref(), is_caller);
        }
        let above = self.above.replace(frame);
        match (&frame.module, frame.offset) {
            (Module::Loaded, Offset::Native(address)) => {
                at_address(&mut self.library, self.loaded.at(address), frame, address, &above)
            }
            _ => self.library.resolve(frame, &above),
        }
    }
}

/// Resolves a frame at an address in memory, by the module that an earlier line has loaded there, and the offset in it.
fn at_address(
    library: &mut Library,
    loaded: Option<(&str, u64)>,
    frame: &Frame,
    address: u64,
    above: &Above,
) -> Result<Outcome, Refusal> {
    if let Some((module, offset)) = loaded {
        // The offset counts from the start of the module, whatever function the frame names.
        let (module, offset) = (Module::File(module.to_owned()), Offset::Native(offset));
        return library.resolve(&Frame { module, offset, name: String::new(), ..frame.clone() }, above);
    }
    let refusal = match library.address(address, above) {
        // The preferred base address is a guess, which the name in the frame has to confirm.
        Ok(Outcome::Resolved(found)) if !frame.name.is_empty() && !found.is_of(&frame.name) => {
            Cause::NoModule.because(format!(
                "{address:#x} is an address in memory, and no line before it says which module is loaded there; as an address of {} \
                 it is in {}, and not in {}",
                found.symbols,
                found.code.name(),
                frame.name
            ))
        }
        Err(refusal) if !frame.name.is_empty() => refusal,
        found => return found,
    };
    // Without its module a frame still has its name.
    match Library::functions_called(&library.all(), &frame.name) {
        Ok(Outcome::Candidates { found, .. }) => Ok(Outcome::Candidates { found, refusal }),
        _ => Err(refusal),
    }
}

/// Returns whether a method starts state machines: `AsyncMethodBuilderCore.Start[TStateMachine]` and its like.
pub(crate) fn starts(name: &str) -> bool {
    name.contains("MethodBuilder") && where_is::own_name(name) == "Start"
}

/// Frame above, which the next one called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Above {
    /// Name of its method; empty where there is none on the line before.
    pub(super) name: String,
    pub(super) row: u64,
    /// It started a state machine: then the next frame is of the kickoff method, and not of the body that goes by the same name.
    pub(super) started: bool,
    /// It is on the same line, or on the line before: the next frame is at the address that a call returns to.
    pub(super) is_caller: bool,
    /// The offset of the next frame is that of a return address: of the code after the call, which the runtime has not taken back.
    pub(super) returns: bool,
}

impl Above {
    /// Makes a frame the one above the next, and returns the one above it.
    pub(super) fn replace(&mut self, frame: &Frame) -> Self {
        // The running method of a state machine was called.
        let name = frame.inner.clone().unwrap_or_else(|| frame.name.clone());
        let next = Self { name, row: frame.row, started: starts(&frame.name), is_caller: false, returns: false };
        let mut above = std::mem::replace(self, next);
        above.is_caller = above.is_above(frame);
        if !above.is_caller {
            above.name.clear();
        }
        above
    }

    /// Returns true if it is the frame above another: on the same line, or on the one before.
    pub(super) const fn is_above(&self, frame: &Frame) -> bool {
        self.row > 0 && self.row + 1 >= frame.row
    }
}
