//! Prompt for a file with a stack trace.

use std::io::Read;

use super::path_prompt::PathPrompt;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::expand_home;
use pdblens_session::session::read_file::open_text;

const MAX_BYTES: u64 = 16 << 20;

/// A prompt for the path of a file with a stack trace.
pub fn open_trace() -> PathPrompt {
    let note = "A text file with stack traces: a log, a crash report, Sentry's JSON.".to_owned();
    PathPrompt::new("Open a file with a stack trace", note, false, |path| vec![Effect::Start(read_job(path))])
        .of_existing()
}

fn read_job(path: String) -> Job {
    Job::new(format!("reading {path}"), "open trace", move |_| {
        let mut bytes = Vec::new();
        let file = open_text(expand_home(&path).as_ref());
        let result = file.and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
        Msg::TraceFileRead(path, result.map(|_| bytes))
    })
}
