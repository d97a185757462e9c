//! Context of a frame in its trace: the frame above it, which it called, and the footers.

use super::footer::Footer;
use super::frame::Frame;
use crate::where_is;

/// Context of a frame in its trace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TraceContext<'t> {
    /// The footers after it.
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
    /// Number of its line.
    pub(super) line: u64,
    /// It is of a method that starts state machines.
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

    /// Context of the frame below it.
    pub(super) fn trace<'t>(&'t self, footers: &'t [Footer]) -> TraceContext<'t> {
        TraceContext { footers, started: self.started, above: &self.name, is_caller: self.is_caller }
    }
}
