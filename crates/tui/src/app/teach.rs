//! Teaching aids: lessons that begin again, coverage, handouts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::action::Action;
use crate::engine::jobs::{CancelToken, Queue};
use crate::overlays::confirm::Confirm;
use crate::overlays::copy;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::effect::Effect;
use crate::state::lessons::Lessons;
use crate::state::message::{Job, Msg};
use crate::state::paths::expand_home;
use crate::state::selection::{SelectionContext, Taught};
use pdblens_learn::handout::{Answers, Format, Handout};
use pdblens_learn::lesson::samples;
use pdblens_learn::{self as learn, Steps};
use pdblens_nodes::rows::Tone;
use pdblens_query::coverage::coverage_while;
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;
use pdblens_session::store::new_file::{Existing, NewFile};

/// The question before the progress of a lesson is forgotten; `None` for a lesson that has none.
pub(super) fn restart_question(lessons: &Lessons, key: &str) -> Option<Confirm> {
    if !lessons.is_begun(key) {
        return None;
    }
    let lesson = lessons.list.iter().find(|lesson| lesson.key() == key)?;
    let name = if lesson.number == 0 { "the lesson".to_owned() } else { format!("lesson {key}") };
    let text = vec![
        lesson.title.clone(),
        "Your page and your answers in this lesson are forgotten. Other lessons are not affected.".to_owned(),
    ];
    let confirmed = Msg::RestartConfirmed(key.to_owned());
    Some(Confirm::new(format!("Begin {name} again?"), text, "begin again", confirmed))
}

/// Counts the bytes that have a field, which takes time: every record is decoded.
pub(super) fn count_coverage(session: Arc<Session>) -> Effect {
    let work = move |token: &CancelToken| Msg::CoverageCounted(coverage_while(&session, &|| !token.is_cancelled()));
    Effect::Start(Job::new("counting the bytes that have a field", "coverage", work).on(Queue::Background))
}

/// Steps of a record for a handout, and the command that prints them.
pub(super) fn handout_steps(
    taught: Option<Taught>,
    (session, sources): (&Session, &SourceOptions),
    selected: &SelectionContext,
) -> Option<(Steps, String)> {
    let of = |session: &Session, place| Some(learn::steps(session, place)?.with_places(session, place, sources));
    match taught {
        Some(Taught::Bytes(steps, command)) => Some((*steps, command)),
        Some(Taught::Sample(session, selection)) => {
            let sample = samples::command(&session)?;
            Some((of(&session, selection.place)?, format!("{sample} {}", selection.place)))
        }
        None => {
            let steps = of(session, selected.selection.place)?;
            Some((steps, copy::text(Action::CopyCommand, session, selected)?))
        }
    }
}

pub(super) fn handout_prompt(session: Arc<Session>, steps: Steps, command: String) -> PathPrompt {
    let steps = Arc::new(steps);
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
    prompt.checked(|text| no_format(Path::new(text)))
}

fn no_format(path: &Path) -> Option<String> {
    let reason = || format!("{}: the name must end in .md or .html", path.display());
    Format::of_path(path).is_none().then(reason)
}

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
    let inputs = session.paths();
    let written = NewFile::create(path, Existing::Keep, &inputs).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.finish()
    });
    written.map(|()| path.to_owned()).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{shown} exists: choose another name"),
        _ => format!("{shown}: {error}"),
    })
}
