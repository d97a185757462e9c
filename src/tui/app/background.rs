//! What is wanted of the worker: what has to be read before it can show, and what the panes that show ask for.

use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::jobs::{Job, surveying};

impl App {
    /// Has the worker survey what is known too little of what is selected, unless it does.
    pub(super) fn want_survey(&mut self) -> Option<Effect> {
        let survey = self.linked.as_ref()?.waits.filter(|_| self.surveying.strong_count() == 0)?;
        let (job, alive) = surveying(self.session.as_ref()?, survey, "record", Self::look_again);
        self.surveying = alive;
        Some(Effect::Start(job))
    }

    /// What the panes that show want done.
    pub(super) fn want_work(&mut self) -> Vec<Effect> {
        let Some(session) = self.session.clone() else { return Vec::new() };
        let shown: Vec<usize> = self.layout.panes.iter().filter_map(|placed| self.pane_in(placed.slot)).collect();
        let jobs = shown.into_iter().filter_map(|pane| self.panes.get_mut(pane)?.wants(&session));
        jobs.map(Effect::Start).collect()
    }

    /// Has the worker read what native code has, before anything of it shows: a large PDB takes a while.
    pub(super) fn want_functions(&mut self) -> Option<Effect> {
        let session = self.session.clone()?;
        if session.native()?.is_read() || self.is_running("functions") {
            return None;
        }
        Some(Effect::Start(Job {
            what: "reading functions".to_owned(),
            slot: "functions",
            work: Box::new(move |_| {
                if let Some(native) = session.native() {
                    native.read_all();
                }
                Box::new(|app: &mut Self| {
                    app.find_home();
                    app.show_again();
                    Vec::new()
                })
            }),
        }))
    }
}
