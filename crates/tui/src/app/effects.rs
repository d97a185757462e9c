//! Handling of effects; commands are passed on to the event loop.

use super::{App, reload};
use crate::overlays::Overlay;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::effect::{Command, Effect};

impl App {
    /// Applies effects; commands to the world outside are collected in `out`.
    pub(super) fn apply(&mut self, effects: Vec<Effect>, out: &mut Vec<Command>) {
        for effect in effects {
            // Looking at the files shows nothing.
            self.dirty |= !matches!(&effect, Effect::Start(job) if job.slot == reload::WATCH);
            let more = match effect {
                Effect::Dispatch(action) => self.perform(action, None),
                Effect::Update(message) => self.receive(*message),
                Effect::Go(selection) => {
                    self.go(selection);
                    continue;
                }
                Effect::Show(selection) => {
                    self.show(selection);
                    continue;
                }
                Effect::Visit(session, selection) => {
                    self.leave_lesson();
                    self.visit(session, selection);
                    continue;
                }
                Effect::SetStatus(tone, text) => {
                    self.set_status(tone, text);
                    continue;
                }
                Effect::Search(input) => {
                    self.take_search_input(input);
                    continue;
                }
                Effect::Start(job) => {
                    out.push(Command::Start(self.jobs.start(job, self.now)));
                    continue;
                }
                Effect::Continue(job) => {
                    out.push(Command::Start(self.jobs.resume(job, self.now)));
                    continue;
                }
                Effect::Command(command) => {
                    out.push(command);
                    continue;
                }
            };
            self.apply(more, out);
        }
    }

    /// Opens an overlay on top of the others.
    pub(super) fn open_overlay(&mut self, overlay: impl Overlay + 'static) {
        self.dirty = true;
        self.overlays.push(Box::new(overlay));
    }

    /// Opens a prompt for a path, and lists the first completions.
    pub(super) fn open_prompt(&mut self, prompt: PathPrompt) -> Vec<Effect> {
        let job = prompt.completion_job();
        self.open_overlay(prompt);
        vec![job]
    }
}
