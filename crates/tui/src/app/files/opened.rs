//! The pairs of files that are open, and which of them is on the screen.

use std::sync::Arc;

use super::incomplete;
use crate::overlays::findings::findings_job;
use crate::state::effect::Effect;
use crate::state::paths::{Paths, session_name};
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_query::definition::definition;
use pdblens_session::session::{PdbMatch, Session, summary_of};
use pdblens_session::text::safe::count;

const MAX_OPEN: usize = 32;

#[derive(Default)]
pub(in crate::app) struct Opened {
    /// The pair that is shown; `None` while the first one is being opened.
    pub(super) shown: Option<Arc<Session>>,
    /// The pairs that are open, the shown one last once another is opened.
    pub(super) all: Vec<Arc<Session>>,
}

impl Opened {
    pub(in crate::app) fn is_shown(&self, session: &Arc<Session>) -> bool {
        self.shown.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, session))
    }

    /// The open pairs that are not shown.
    pub(super) fn others(&self) -> Vec<Arc<Session>> {
        self.all.iter().filter(|session| !self.is_shown(session)).cloned().collect()
    }

    /// Another open build of the shown pair: one with the same name, the last of them that was opened.
    pub(in crate::app) fn other_build(&self) -> Option<&Arc<Session>> {
        let shown = session_name(self.shown.as_ref()?);
        self.all.iter().rev().find(|other| !self.is_shown(other) && session_name(other) == shown)
    }

    pub(in crate::app) fn is_several(&self) -> bool {
        !self.others().is_empty()
    }

    /// The shown pair, where another one has it and its other half.
    pub(in crate::app) fn joined_by(&self, pair: &Session) -> Option<Arc<Session>> {
        let old = self.shown.as_ref()?;
        let has_old = pair.pdb_match() == PdbMatch::Matched && pair.paths().contains(&incomplete(old)?);
        has_old.then(|| Arc::clone(old))
    }

    /// A job that checks all open pairs, that on the screen first.
    pub(in crate::app) fn findings(&self, paths: &Arc<Paths>) -> Option<Effect> {
        let mut all = vec![Arc::clone(self.shown.as_ref()?)];
        all.extend(self.others());
        Some(findings_job(all, Arc::clone(paths)))
    }

    /// Adds the shown pair to those that are open, as the last one.
    pub(in crate::app) fn remember(&mut self) {
        let Some(session) = self.shown.clone() else { return };
        self.forget(&session);
        self.all.push(session);
        if self.all.len() > MAX_OPEN {
            self.all.remove(0);
        }
    }

    pub(in crate::app) fn forget(&mut self, session: &Arc<Session>) {
        self.all.retain(|other| !Arc::ptr_eq(other, session));
    }

    /// Removes the shown pair from those that are open; returns it, and the one that was shown before. The last one stays.
    pub(in crate::app) fn close(&mut self) -> Option<(Arc<Session>, Arc<Session>)> {
        self.remember();
        let session = self.shown.clone()?;
        let next = self.others().pop()?;
        self.forget(&session);
        Some((session, next))
    }

    /// Goes to the definition of an operand in this or another of the open files, else to the operand's own place.
    pub(in crate::app) fn follow_operand(&self, to: Place) -> Effect {
        let found = self.shown.as_ref().and_then(|session| definition(session, to, &self.others()));
        match found {
            Some((session, method)) if self.is_shown(&session) => Effect::Go(Place::Method(method).into()),
            Some((session, method)) => Effect::Visit(session, Place::Method(method).into()),
            None => Effect::Go(to.into()),
        }
    }

    /// The sentence that shows symbols that were found. The error is the reason why those that are open stay: the others do not match.
    pub(in crate::app) fn judge(&self, session: &Session) -> Result<(Tone, String), String> {
        let file = session.symbol_file().ok_or("this file has no symbols: nothing has changed")?;
        let (name, is_mismatch) = (file.path.display(), session.pdb_match().is_mismatch());
        let summary = summary_of(session);
        if let Some(open) = self.shown.as_deref().filter(|open| open.symbol_file().is_some()) {
            if is_mismatch {
                return Err(format!("{name}: {summary}; the open files stay, O opens it alone"));
            }
            let errors = session.problems().len();
            if open.problems().len() < errors {
                return Err(format!("{name} has {}; the open files stay", count(errors as u64, "read error")));
            }
        }
        Ok((if is_mismatch { Tone::Bad } else { Tone::Ok }, format!("{summary}: {name}")))
    }
}
