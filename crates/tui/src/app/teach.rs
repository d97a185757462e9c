//! Teaching aids for the selection: the panel about it, the glossary, what-if, handouts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::App;
use crate::engine::action::Action;
use crate::engine::jobs::{CancelToken, Queue};
use crate::overlays::about::AboutPanel;
use crate::overlays::confirm::Confirm;
use crate::overlays::path_prompt::PathPrompt;
use crate::overlays::what_if::WhatIfPrompt;
use crate::overlays::{copy, coverage, glossary};
use crate::panes::pane::{Player, Taught};
use crate::state::effect::{Command, Effect};
use crate::state::message::{Job, Msg};
use crate::state::paths::expand_home;
use crate::state::view::View;
use crate::ui::layout::Slot;
use pdblens_learn::handout::{Answers, Format, Handout};
use pdblens_learn::lesson::samples;
use pdblens_learn::{self as learn, Steps};
use pdblens_nodes::rows::Tone;
use pdblens_query::coverage::{Coverage, coverage_while};
use pdblens_session::session::Session;
use pdblens_session::store::new_file::{Existing, NewFile};

impl App {
    /// Opens the panel about the selection.
    pub(super) fn open_about(&mut self) {
        self.open_overlay(AboutPanel::default());
    }

    /// Shows the page of the lesson that is taken, in the files that it is taken on.
    pub(super) fn return_to_lesson(&mut self) {
        if let Some(session) = self.lessons.take_left().filter(|session| !self.is_open(session)) {
            self.navigation.push_history(self.session.as_ref());
            self.remember_open();
            self.switch_session(session);
            self.set_status(Tone::Text, format!("{} is open again", self.file_names()));
        }
    }

    /// Keeps the files of the lesson whose example is in a built-in sample.
    pub(super) fn leave_lesson(&mut self) {
        if let Some(session) = self.session.clone().filter(|_| self.navigation.view() == View::Learn) {
            self.lessons.leave(session);
        }
    }

    /// Asks before the progress of a lesson is forgotten; one that has none begins at once.
    pub(super) fn ask_to_restart(&mut self, key: String) -> Vec<Effect> {
        let Some(lesson) = self.lessons.list.iter().find(|lesson| lesson.key() == key) else { return Vec::new() };
        if !self.lessons.is_begun(&key) {
            return self.restart_lesson(&key);
        }
        let name = if lesson.number == 0 { "the lesson".to_owned() } else { format!("lesson {key}") };
        let text = vec![
            lesson.title.clone(),
            "Your page and your answers in this lesson are forgotten. Other lessons are not affected.".to_owned(),
        ];
        self.open_overlay(Confirm::new(
            format!("Begin {name} again?"),
            text,
            "begin again",
            Msg::RestartConfirmed(key),
        ));
        Vec::new()
    }

    /// Forgets the progress of a lesson, and shows its first page.
    pub(super) fn restart_lesson(&mut self, key: &str) -> Vec<Effect> {
        let text = self.lessons.update(|progress| progress.restart(key));
        let index = self.lessons.list.iter().position(|lesson| lesson.key() == key);
        self.lessons.set_open(index);
        self.with_player(Slot::Main(0), |player, cx| player.restart(cx));
        self.dirty = true;
        text.map(|text| Command::SaveProgress(text).into()).into_iter().collect()
    }

    /// Opens the glossary, with the terms of the focused pane first.
    pub(super) fn open_glossary(&mut self) {
        let terms = self.player_in(self.navigation.focus()).map_or_else(Vec::new, Player::terms);
        self.open_overlay(glossary::glossary(terms));
    }

    /// Counts the bytes that have a field, which takes time: every record is decoded.
    pub(super) fn count_coverage(&self) -> Vec<Effect> {
        let Some(session) = self.session.clone() else { return Vec::new() };
        let work = move |token: &CancelToken| Msg::CoverageCounted(coverage_while(&session, &|| !token.is_cancelled()));
        vec![Effect::Start(Job::new("counting the bytes that have a field", "coverage", work).on(Queue::Background))]
    }

    /// Shows the bytes that have a field, file by file.
    pub(super) fn take_coverage(&mut self, found: Option<Vec<Coverage>>) {
        if let Some(found) = found {
            self.open_overlay(coverage::coverage(Arc::new(found)));
        }
    }

    /// Record that the focused pane teaches, where it is not the selection.
    fn taught(&self) -> Option<Taught> {
        self.player_in(self.navigation.focus())?.taught()
    }

    /// Returns true while the first pane of the view hides values that its reader is to find.
    pub(super) fn hides_answers(&self) -> bool {
        self.player_in(Slot::Main(0)).is_some_and(Player::hides_answers)
    }

    /// Asks for another value of the selected byte.
    pub(super) fn ask_what_if(&mut self) {
        if self.hides_answers() {
            let keys = self.key_of(Action::HideAnswers);
            return self
                .set_status(Tone::Dim, format!("the values are hidden: {keys} shows them, and what changes them"));
        }
        let found = match self.taught() {
            Some(Taught::Sample(session, selection)) => Some((session, selection)),
            Some(Taught::Bytes(..)) => None,
            None => self.session.clone().zip(self.navigation.selection()),
        };
        match found.and_then(|(session, selected)| WhatIfPrompt::new(&session, selected.place, selected.part)) {
            Some(prompt) => self.open_overlay(prompt),
            None => self.set_status(Tone::Dim, "no record with bytes is selected"),
        }
    }

    /// Steps of the record for a handout, and the command that prints them.
    fn handout_steps(&mut self) -> Option<(Steps, String)> {
        match self.taught() {
            Some(Taught::Bytes(steps, command)) => Some((*steps, command)),
            Some(Taught::Sample(session, selection)) => {
                let sample = samples::command(&session)?;
                Some((learn::steps(&session, selection.place)?, format!("{sample} {}", selection.place)))
            }
            None => {
                let (session, selected) = self.session.as_ref().zip(self.navigation.selected())?;
                let steps = learn::steps(session, selected.selection.place)?;
                Some((steps, copy::text(Action::CopyCommand, session, selected)?))
            }
        }
    }

    /// Asks for the name of a handout of the selected record.
    pub(super) fn ask_for_handout(&mut self) -> Vec<Effect> {
        let found = self.session.clone().zip(self.handout_steps());
        let found = found.map(|(session, (steps, command))| (session, Arc::new(steps), command));
        let Some((session, steps, command)) = found else {
            self.set_status(Tone::Dim, "no record is selected: select one to make a handout of");
            return Vec::new();
        };
        let note = "The extension selects the format: .md or .html. A name that ends in -blank (points-blank.html) leaves the values out; one that ends in -key has only the values.";
        let prompt = PathPrompt::new("Write a handout to", note.to_owned(), false, move |text| {
            let (session, steps, command) = (Arc::clone(&session), Arc::clone(&steps), command.clone());
            let job = Job::new(format!("writing {text}"), "handout", move |_| {
                match write(&session, &steps, &command, &expand_home(&text)) {
                    Ok(path) => Msg::Reported(Tone::Ok, format!("wrote {}", path.display())),
                    Err(reason) => Msg::Reported(Tone::Bad, reason),
                }
            });
            vec![Effect::Start(job)]
        });
        self.open_prompt(prompt.checked(|text| no_format(Path::new(text))))
    }
}

/// Reason why the name of a handout selects no format.
fn no_format(path: &Path) -> Option<String> {
    let reason = || format!("{}: the name must end in .md or .html", path.display());
    Format::of_path(path).is_none().then(reason)
}

/// Writes a handout; the error is a sentence.
fn write(session: &Session, steps: &Steps, command: &str, path: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    let Some(format) = Format::of_path(path) else {
        return Err(no_format(path).unwrap_or_default());
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (answers, option) = if stem.ends_with("-blank") {
        (Answers::Blank, " --blank")
    } else if stem.ends_with("-key") {
        (Answers::Key, " --key")
    } else {
        (Answers::Shown, "")
    };
    let command = format!("{command} --format {}{option}", format.name());
    let text = Handout { steps, command, answers }.print(format);
    let image = session.image().map(|image| image.path.as_path());
    let symbols = session.symbol_file().map(|file| file.path.as_path());
    let inputs: Vec<&Path> = [image, symbols].into_iter().flatten().collect();
    let written = NewFile::create(path, Existing::Keep, &inputs).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.finish()
    });
    written.map(|()| path.to_owned()).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{shown} exists: choose another name"),
        _ => format!("{shown}: {error}"),
    })
}
