//! Proof of the build of a frame, and judgement of a trace as a whole: one frame that cannot be of a build says that none of its frames is.
//!
//! A frame contradicts a build where its token is no method there or one of another name, where its offset is past the end of
//! the code or inside an instruction, and where it called the frame above from a statement that calls nothing.
//! The runtime reports a caller by the start of the statement or of the part of it that the call is in. The optimiser may
//! move a call out of its statement, so the last of these is a contradiction in code that is not optimised, and only a
//! doubt in optimised code.

use super::HeldLine;
use super::context::Above;
use super::evidence::called_as;
use super::frame::{Frame, Module, Offset};
use super::library::{Library, Pair, anywhere};
use super::outcome::{Cause, Outcome, Proof, Refusal, Resolved};
use crate::breakpoint::is_optimized;
use crate::where_is::versions;
use pdblens_formats::metadata::Token;
use pdblens_nodes::method::il_label;

/// The frames of lines, each with the frame above it; `above` is the one above the first.
pub(super) fn in_context(lines: &[HeldLine], mut above: Above) -> Vec<(&Frame, Above)> {
    let frames = lines.iter().flat_map(|line| &line.frames);
    frames.map(|(_, frame)| (frame, above.replace(frame))).collect()
}

impl Library {
    /// Returns whether a frame says something for or against its build, so that the whole trace is needed to judge it.
    pub(super) fn is_evidence(&mut self, frame: &Frame) -> bool {
        frame.evidence_of().is_some() && self.builds(&frame.module).is_ok()
    }

    /// Condemns the build of a frame's module if the frame cannot be of it. An id in the trace is proof of the build.
    pub(super) fn judge(&mut self, frame: &Frame, above: &Above) {
        let Ok(Some(module)) = frame.module.known() else { return };
        if frame.token.is_none() || module.is_proof() {
            return;
        }
        let chosen = self.choice(module).map(|choice| choice.pair.clone());
        let Some(pair) = chosen.or_else(|| self.find(module).ok()) else { return };
        if self.condemned.contains_key(&pair.number) {
            return;
        }
        let found = self.contradiction(&pair, frame, above);
        if let Some(reason) = found {
            self.condemned.insert(pair.number, format!("{reason}: the frames of this trace are of another build"));
        }
    }

    /// The reason for which a frame cannot be of a pair, which is worked out once for all frames that are alike.
    fn contradiction(&mut self, pair: &Pair, frame: &Frame, above: &Above) -> Option<String> {
        if !self.contradictions.comes_again(&(&frame.name, frame.token, frame.offset, &above.name)) {
            return pair.contradicted_by(frame, above);
        }
        let (alike, above) = anywhere(frame, above);
        let key = (alike, above, pair.number);
        if let Some(known) = self.contradictions.get(&key) {
            return known;
        }
        let found = pair.contradicted_by(&key.0, &key.1);
        let text = frame.text_size() + key.1.name.len() + found.as_ref().map_or(0, String::len);
        self.contradictions.keep(key, &found, text);
        found
    }

    /// The same outcome with its proof.
    ///
    /// # Errors
    /// The trace condemns the build, or more proof is required.
    pub(super) fn proved(&self, outcome: Outcome, frame: &Frame) -> Result<Outcome, Refusal> {
        let condemned = |number: usize| {
            let reason = if frame.module.is_proof() { None } else { self.condemned.get(&number) };
            Some(self.pairs.get(number)?.other_build(reason?.clone()))
        };
        match outcome {
            Outcome::Resolved(mut found) => {
                let Some(pair) = self.pairs.get(found.pair) else { return Ok(Outcome::Resolved(found)) };
                found.proof = pair.proof_of(frame, &found);
                if let Some(refusal) = condemned(found.pair) {
                    return Err(refusal);
                }
                if found.proof < self.required {
                    let (has, needs) = (found.proof, self.required.word());
                    return Err(Cause::NotProved.because(format!("{needs} is required; {has}")));
                }
                Ok(Outcome::Resolved(found))
            }
            Outcome::Candidates { mut found, refusal } => {
                let other = found.iter().find_map(|candidate| condemned(candidate.pair));
                found.retain(|candidate| condemned(candidate.pair).is_none());
                match other {
                    Some(other) if found.is_empty() => Err(other),
                    _ => Ok(Outcome::Candidates { found, refusal }),
                }
            }
            Outcome::Known | Outcome::No(_) => Ok(outcome),
        }
    }
}

impl Pair {
    pub(super) fn contradicted_by(&self, frame: &Frame, above: &Above) -> Option<String> {
        let token = frame.token?;
        if let Err(refusal) = self.check_token(frame, token, false) {
            return Some(refusal.reason);
        }
        let (il, is_exact) = match frame.offset {
            Offset::Il(il) => (il, above.started),
            Offset::ExactIl(il) => (il, true),
            _ => return None,
        };
        if il == u32::MAX {
            return None;
        }
        let (body, at) = (self.running(frame, token, is_exact).ok()?, || il_label(il.into()));
        // An exception may come from the kickoff method itself, before the state machine starts.
        let mut methods = vec![body];
        if frame.inner.is_none() && body != token {
            methods.push(token);
        }
        // The trace may be of a version that hot reload has replaced.
        let is_replaced = |method: &Token| {
            self.is_reloaded((*method).into()) || !versions::versions_of(&self.session, *method).is_empty()
        };
        if methods.iter().any(is_replaced) {
            return None;
        }
        methods.retain(|method| self.code_of(*method).begins_instruction(il));
        let method = match *methods.as_slice() {
            [] => return Some(format!("{} does not match: no instruction of {body} begins at {}", self.path, at())),
            [method] => method,
            _ => return None,
        };
        if is_optimized(&self.session) != Some(false) || !self.code_of(method).lacks_call(il, above) {
            return None;
        }
        Some(format!(
            "{} does not match: {method} calls nothing in the statement at {}, and the frame above, {}, was called there",
            self.path,
            at(),
            called_as(&above.name)
        ))
    }

    /// Evidence that a frame is of this build; `found` has the proof by the call alone.
    fn proof_of(&self, frame: &Frame, found: &Resolved) -> Proof {
        let session = &self.session;
        match &frame.module {
            Module::Symbols(..) => return Proof::Id,
            // Symbols of another build than the image, which are open together because both were named.
            _ if session.pdb_match().is_mismatch() => return Proof::None,
            Module::Mvid(mvid, _) if !mvid.is_nil() => return Proof::Id,
            Module::Stamped(_, stamp) if session.image().is_some_and(|i| i.pe.coff.time_date_stamp == *stamp) => {
                return Proof::Stamp;
            }
            _ => {}
        }
        let is_other = frame.module == Module::Loaded && !found.is_of(&frame.name);
        let by_name = match frame.token {
            _ if frame.name.is_empty() || is_other => Proof::None,
            Some(_) if session.names().is_some() => Proof::NameAndRow,
            Some(_) => Proof::None,
            None => Proof::Name,
        };
        found.proof.max(by_name)
    }
}
