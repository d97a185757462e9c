//! Several builds of one module: which of them the frames of a trace are of.
//!
//! A name does not say it, but a build is out of the question where a token is another method there, an offset is past the
//! end of the code, or no instruction begins at it. That is evidence of the whole trace, and called so.

use std::collections::HashMap;
use std::rc::Rc;

use super::context::Above;
use super::frame::{Frame, Module, Offset};
use super::library::{Library, Pair};
use super::names::spellings;
use super::outcome::{Candidate, CandidateLines, Outcome, Refusal};
use crate::where_is;
use pdblens_formats::metadata::Token;
use pdblens_formats::reason::Reason;
use pdblens_nodes::document;
use pdblens_session::session::codeview_ids;
use pdblens_session::symbols::SymbolReader;

const MAX_CHOICES: usize = 256;

/// Build of a module that was chosen by evidence.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) pair: Rc<Pair>,
    pub(crate) note: Reason,
}

impl Frame {
    /// The name of its module, where that is all that is known of the build, and the frame says something for or against one.
    pub(super) fn evidence_of(&self) -> Option<&str> {
        match (&self.module, self.token, self.offset) {
            (Module::File(name), Some(_), Offset::Il(_)) => Some(name),
            _ => None,
        }
    }
}

impl Library {
    /// Chooses between builds by all frames of a trace. Keeps the choice of an earlier trace where possible.
    pub(super) fn weigh(&mut self, frames: &[(&Frame, Above)]) {
        let mut of_module: HashMap<&str, Vec<&(&Frame, Above)>> = HashMap::new();
        for of_frame in frames {
            if let Some(name) = of_frame.0.evidence_of() {
                of_module.entry(name).or_default().push(of_frame);
            }
        }
        for (name, frames) in of_module {
            let builds = self.builds(&Module::File(name.to_owned())).unwrap_or_default();
            if builds.len() < 2 {
                continue;
            }
            let fits_all = |pair: &&Rc<Pair>| frames.iter().all(|(frame, above)| pair.fits(frame, above));
            let possible: Vec<&Rc<Pair>> = builds.iter().filter(fits_all).collect();
            let earlier = self.chosen.get_mut(name);
            match possible.as_slice() {
                [only] => {
                    let (of, number) = (builds.len(), frames.len());
                    let frames = if number == 1 { "the frame".to_owned() } else { format!("all {number} frames") };
                    let text = format!("evidence: of {of} builds of {name} only this one fits {frames} of the trace");
                    let note = Reason::new("only-build", text);
                    if earlier.is_some() || self.chosen.len() < MAX_CHOICES {
                        self.chosen.insert(name.to_owned(), Choice { pair: Rc::clone(only), note });
                    }
                }
                several => match earlier {
                    Some(choice) if several.iter().any(|pair| pair.number == choice.pair.number) => {
                        choice.note = Reason::new("earlier-trace", "evidence: an earlier trace fits only this build");
                    }
                    _ => drop(self.chosen.remove(name)),
                },
            }
        }
    }

    pub(super) fn choice(&self, module: &Module) -> Option<&Choice> {
        match module {
            Module::File(name) => self.chosen.get(name),
            _ => None,
        }
    }

    /// Removes symbols that do not match the image of the same name, and puts the reasons first.
    pub(super) fn take_other_builds(
        &self,
        module: &Module,
        found: &mut Vec<Rc<Pair>>,
        bare: &[Rc<Pair>],
        refused: &mut Vec<Refusal>,
    ) {
        if module.is_proof() {
            return;
        }
        let folder = |pair: &Pair| Some(pair.session.paths().first()?.parent()?.to_owned());
        let (all, mut others) = (found.clone(), Vec::new());
        found.retain(|pair| {
            let beside = all.iter().filter(|other| other.number != pair.number && folder(other) == folder(pair));
            let reason = bare.iter().chain(beside).find_map(|image| self.expects_other(image, pair));
            let is_kept = reason.is_none();
            others.extend(reason.map(|reason| module.other_build(reason)));
            is_kept
        });
        refused.splice(..0, others);
    }

    /// Reason for which symbols without an image are not those of a name: an image of that name expects others. Symbols that were
    /// named, where the image was not, are what was asked for.
    fn expects_other(&self, of: &Pair, symbols: &Pair) -> Option<String> {
        if symbols.session.image().is_some() || self.is_named(symbols) && !self.is_named(of) {
            return None;
        }
        let have = symbols.session.symbols().and_then(SymbolReader::id)?;
        let image = of.session.image()?;
        let expected = codeview_ids(&image.pe).next()?;
        if codeview_ids(&image.pe).any(|id| id.guid == have.guid) {
            return None;
        }
        Some(format!(
            "{} does not match: {} expects {expected}, this PDB has {have}; name the PDB without the image if the trace is of \
             its build",
            symbols.path, image.name
        ))
    }

    /// The lines of a frame in every build that it can be of.
    pub(super) fn in_each_build(
        &mut self,
        module: &Module,
        frame: &Frame,
        refusal: Refusal,
    ) -> Result<Outcome, Refusal> {
        let builds = self.builds(module).unwrap_or_default();
        let (Some(token), Offset::Il(il)) = (frame.token, frame.offset) else { return Err(refusal) };
        let possible = builds.iter().filter(|pair| pair.fits(frame, &Above::default()));
        Outcome::of_candidates(possible.map(|pair| pair.candidate_at(frame, token, il)).collect(), refusal)
    }
}

impl Pair {
    fn fits(&self, frame: &Frame, above: &Above) -> bool {
        let Some(token) = frame.token else { return true };
        let is_named = || self.methods_meant(&spellings(&frame.name), frame.parameters.as_deref()).contains(&token);
        let is_known = self.session.names().is_none() || frame.name.is_empty() || is_named();
        is_known && self.contradicted_by(frame, above).is_none()
    }

    fn candidate_at(&self, frame: &Frame, token: Token, il: u32) -> Candidate {
        let method = self.body_of(frame, token).unwrap_or(token);
        let point = where_is::points_around(&self.session, method, il).visible;
        let lines = point.and_then(|point| {
            let path = document::name(&self.session, point.document)?;
            Some(CandidateLines { path, first: point.start_line, last: point.end_line, calls: Vec::new() })
        });
        self.candidate_with(method, lines.into_iter().collect())
    }
}
