//! Several builds of one module: which of them the frames of a trace are of.
//!
//! A name does not say it, but a build is out of the question where a token is another method there, an offset is past the
//! end of the code, or no instruction begins at it. That is evidence of the whole trace, and called so.

use std::collections::HashMap;

use super::context::{Above, TraceContext};
use super::frame::{Frame, Module, Offset};
use super::library::{Key, Library, Pair};
use super::outcome::{Candidate, CandidateLines, Cause, Outcome, Refusal};
use crate::where_is::{self, state_machine};
use pdblens_formats::metadata::Token;
use pdblens_formats::reason::Reason;
use pdblens_nodes::document;
use pdblens_session::session::codeview_ids;
use pdblens_session::symbols::SymbolReader;

const MAX_CHOICES: usize = 256;

/// Build of a module that was chosen by evidence.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) pair: usize,
    pub(crate) note: Reason,
}

impl Library {
    /// Returns whether a frame could be of several builds of its module.
    pub(crate) fn is_ambiguous(&mut self, frame: &Frame) -> bool {
        let (Module::File(name), Some(_), Offset::Il(_)) = (&frame.module, frame.token, frame.offset) else {
            return false;
        };
        self.builds(&Key::Name(name.clone())).len() > 1
    }

    /// The builds that a key could mean, where they are several.
    fn builds(&mut self, key: &Key) -> Vec<usize> {
        match self.find(key) {
            Err(Refusal { cause: Cause::Ambiguous, .. }) => self.several.get(key).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Chooses between builds by all frames of a trace. Keeps the choice of an earlier trace where possible.
    pub(super) fn weigh(&mut self, frames: &[(Frame, Above)]) {
        let mut of_module: HashMap<&str, Vec<(&Frame, &Above)>> = HashMap::new();
        for (frame, above) in frames {
            if let (Module::File(name), Some(_), Offset::Il(_)) = (&frame.module, frame.token, frame.offset) {
                of_module.entry(name).or_default().push((frame, above));
            }
        }
        for (name, frames) in of_module {
            let builds = self.builds(&Key::Name(name.to_owned()));
            if builds.is_empty() {
                continue;
            }
            let possible = self.possible(&builds, &frames);
            let earlier = self.chosen.get(name).map(|choice| choice.pair);
            match possible.as_slice() {
                [only] => {
                    let (of, number) = (builds.len(), frames.len());
                    let frames = if number == 1 { "the frame".to_owned() } else { format!("all {number} frames") };
                    let text = format!("evidence: of {of} builds of {name} only this one fits {frames} of the trace");
                    let note = Reason::new("only-build", text);
                    if self.chosen.len() < MAX_CHOICES || earlier.is_some() {
                        self.chosen.insert(name.to_owned(), Choice { pair: *only, note });
                    }
                }
                several if earlier.is_some_and(|pair| several.contains(&pair)) => {
                    if let Some(choice) = self.chosen.get_mut(name) {
                        choice.note = Reason::new("earlier-trace", "evidence: an earlier trace fits only this build");
                    }
                }
                _ => drop(self.chosen.remove(name)),
            }
        }
    }

    /// Those of several builds that all frames can be of.
    fn possible(&self, builds: &[usize], frames: &[(&Frame, &Above)]) -> Vec<usize> {
        let fits_all = |pair: &Pair| frames.iter().all(|(frame, above)| pair.fits(frame, &above.trace(&[])));
        let fits = |index: &&usize| self.pair(**index).is_some_and(fits_all);
        builds.iter().filter(fits).copied().collect()
    }

    pub(super) fn choice(&self, key: &Key) -> Option<&Choice> {
        match key {
            Key::Name(name) => self.chosen.get(name),
            _ => None,
        }
    }

    /// Removes symbols that do not match the image of the same name, and notes the reason.
    pub(super) fn take_other_builds(&self, key: &Key, found: &mut Vec<usize>, bare: &[usize]) -> Vec<Refusal> {
        let mut refused = Vec::new();
        let beside = found.clone();
        found.retain(|index| {
            let reason = || {
                self.expects_others(*index, bare).or_else(|| self.expects_others(*index, &self.beside(*index, &beside)))
            };
            let reason = if key.is_proof() { None } else { reason() };
            let is_kept = reason.is_none();
            refused.extend(reason.map(|reason| key.other_build(reason)));
            is_kept
        });
        refused
    }

    /// Other pairs with files in the folder of one.
    fn beside(&self, of: usize, pairs: &[usize]) -> Vec<usize> {
        let folder = |index: usize| Some(self.pair(index)?.session.paths().first()?.parent()?.to_owned());
        pairs.iter().copied().filter(|index| *index != of && folder(*index) == folder(of)).collect()
    }

    /// Reason for which symbols without an image are not those of a name: an image of that name expects others. Symbols that were
    /// named, where the image was not, are what was asked for.
    fn expects_others(&self, index: usize, bare: &[usize]) -> Option<String> {
        let pair = self.pairs.get(index).filter(|pair| pair.session.image().is_none())?;
        let have = pair.session.symbols().and_then(SymbolReader::id)?;
        bare.iter().filter_map(|bare| self.pairs.get(*bare)).find_map(|other| {
            let image = other.session.image()?;
            let expected = codeview_ids(&image.pe).next()?;
            let is_asked_for = self.is_named(pair) && !self.is_named(other);
            if is_asked_for || codeview_ids(&image.pe).any(|id| id.guid == have.guid) {
                return None;
            }
            Some(format!(
                "{} does not match: {} expects {expected}, this PDB has {have}; name the PDB without the image if the trace is \
                 of its build",
                pair.path(),
                image.name
            ))
        })
    }

    /// The lines of a frame in every build that it can be of.
    pub(super) fn in_each_build(&self, key: &Key, frame: &Frame, refusal: Refusal) -> Outcome {
        let builds = self.several.get(key).cloned().unwrap_or_default();
        let (Some(token), Offset::Il(il)) = (frame.token, frame.offset) else { return Outcome::No(refusal) };
        let possible = self.possible(&builds, &[(frame, &Above::default())]);
        let pairs = possible.iter().filter_map(|index| self.pair(*index));
        let candidates: Vec<Candidate> = pairs.map(|pair| pair.candidate_at(token, il)).collect();
        if candidates.is_empty() { Outcome::No(refusal) } else { Outcome::Candidates { found: candidates, refusal } }
    }
}

impl Pair {
    fn fits(&self, frame: &Frame, trace: &TraceContext<'_>) -> bool {
        let Some(token) = frame.token else { return true };
        let is_named = || self.methods_meant(&frame.name, frame.parameters.as_deref()).contains(&token);
        let is_known = self.session.names().is_none() || frame.name.is_empty() || is_named();
        is_known && self.contradicted_by(frame, trace).is_none()
    }

    fn candidate_at(&self, token: Token, il: u32) -> Candidate {
        let method = state_machine::move_next(&self.session, token).unwrap_or(token);
        let point = where_is::points_around(&self.session, method, il).visible;
        let lines = point.and_then(|point| {
            let path = document::name(&self.session, point.document)?;
            Some(CandidateLines { path, first: point.start_line, last: point.end_line, calls: Vec::new() })
        });
        self.candidate_with(method, lines.into_iter().collect())
    }
}
