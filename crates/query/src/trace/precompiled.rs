//! Resolution of frames of precompiled code: an address of a ReadyToRun image, or an offset in the precompiled code of a method.

use super::above::TraceContext;
use super::frame::Frame;
use super::key::Key;
use super::library::{Library, Pair};
use super::outcome::{Cause, Outcome, Refusal};
use super::resolve::MAX_CANDIDATES;
use crate::native_where::{AddressAnswer, at_address};
use pdblens_formats::reason::Reason;
use pdblens_nodes::method::il_label;
use pdblens_nodes::method::native::bodies;

impl Library {
    /// Resolves a frame with an offset in the precompiled code of the method that it names.
    pub(super) fn precompiled(&mut self, frame: &Frame, native: u32, trace: &TraceContext<'_>) -> Outcome {
        let mut notes = Vec::new();
        match self.native_pair(frame, &mut notes) {
            Ok(pair) => pair.precompiled_line(frame, native.into(), notes, trace),
            Err(refusal) => Outcome::No(self.with_method(frame, native.into(), trace, refusal)),
        }
    }

    /// A refusal that names the method and its IL offset, which an image has without symbols.
    pub(super) fn with_method(
        &self,
        frame: &Frame,
        offset: u64,
        trace: &TraceContext<'_>,
        mut refusal: Refusal,
    ) -> Refusal {
        let Ok(Some(key @ Key::Name(_))) = Self::key(frame, &[], &mut Vec::new()) else { return refusal };
        let images = self.pairs.iter().filter(|pair| pair.session.symbol_file().is_none() && key.is_called_as(pair));
        let images: Vec<&Pair> = images.collect();
        if let [pair] = images.as_slice()
            && matches!(refusal.cause, Cause::NoSymbols(_))
            && let [at] = pair.precompiled_at(frame, offset, trace).as_slice()
        {
            refusal.reason = format!("{}; {}", refusal.reason, code_of(at));
        }
        refusal
    }
}

/// `the code at 0x20359 is of System.Uri.CreateThis, at IL_001e`
fn code_of(at: &AddressAnswer) -> String {
    let special = at.special.map_or_else(String::new, |special| format!(" ({special})"));
    format!("the code at {:#x} is of {}, at {}{special}", at.rva, at.code_of, il_label(at.il.into()))
}

impl Pair {
    /// Positions that a frame can have: its offset is an address of the image, or one in the code of the method that it names, which may
    /// have several bodies.
    fn precompiled_at(&self, frame: &Frame, offset: u64, trace: &TraceContext<'_>) -> Vec<AddressAnswer> {
        // A caller is at the address that a call returns to: the call is the instruction before it.
        let offset = u32::try_from(offset).ok().and_then(|offset| offset.checked_sub(trace.is_caller.into()));
        let Some(offset) = offset else { return Vec::new() };
        let rvas: Vec<u32> = if frame.name.is_empty() {
            vec![offset]
        } else {
            let methods = self.methods_meant(&frame.name, frame.parameters.as_deref());
            let bodies = methods.into_iter().flat_map(|method| bodies(&self.session, method));
            let bodies = bodies.filter(|mapped| offset < mapped.body.size());
            bodies.filter_map(|mapped| mapped.body.rva_of(offset)).take(MAX_CANDIDATES).collect()
        };
        rvas.into_iter().filter_map(|rva| at_address(&self.session, rva)).collect()
    }

    /// The line of a frame of precompiled code.
    pub(super) fn precompiled_line(
        &self,
        frame: &Frame,
        offset: u64,
        mut notes: Vec<Reason>,
        trace: &TraceContext<'_>,
    ) -> Outcome {
        let found = self.precompiled_at(frame, offset, trace);
        match found.as_slice() {
            [] => {
                let reason = format!("{} has no precompiled method with code at {offset:#x}", self.path());
                Outcome::No(Cause::NoMethod.because(reason))
            }
            [at] => {
                notes.push(Reason::new("precompiled", code_of(at)));
                self.line(at.method, at.il, true, trace, notes)
            }
            several => {
                let refusal = Cause::Ambiguous.because(format!("{} precompiled bodies match", several.len()));
                let mut methods: Vec<_> = several.iter().map(|at| at.method).collect();
                methods.dedup();
                Outcome::Candidates {
                    found: methods.into_iter().map(|method| self.candidate(method)).collect(),
                    refusal,
                }
            }
        }
    }
}
