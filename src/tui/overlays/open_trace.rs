//! Opens a file with a stack trace.

use std::io::Read;

use crate::model::Tone;
use crate::model::text::utf8;
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::jobs::Job;
use crate::tui::overlays::path_prompt::PathPrompt;
use crate::tui::state::paths::typed;

/// The largest file that is read.
const LARGEST: u64 = 16 << 20;

/// Asks for the path of a file with a stack trace.
pub fn open_trace() -> Vec<Effect> {
    let about = "A text with stack traces in it: a log, a crash report, Sentry's JSON.".to_owned();
    PathPrompt::open("Which file has the stack trace?", about, false, |path| vec![Effect::Start(open(path))])
}

/// Reads the file at `path`, and shows it.
fn open(path: String) -> Job {
    Job {
        what: format!("reading {path}"),
        slot: "open trace",
        work: Box::new(move |_| {
            let mut bytes = Vec::new();
            let file = std::fs::File::open(typed(&path));
            let read = file.and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
            Box::new(move |app: &mut App| {
                match read {
                    Ok(_) => app.show_trace(&utf8(&bytes)),
                    Err(error) => app.say(Tone::Bad, format!("{path}: {error}")),
                }
                Vec::new()
            })
        }),
    }
}
