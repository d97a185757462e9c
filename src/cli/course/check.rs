//! `pdblens course check DIR`

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::program;
use crate::cli::command::{Access, Error, Exit, Out};
use crate::cli::decode::bytes_on_input;
use crate::cli::difference::print_difference;
use crate::learn::course::{
    Difference, EXERCISES, Exercise, ExerciseCase, ExpectedAnswer, LAST_PAGE, built_in, difference, first_explained,
};
use crate::nodes::rows::Tone;
use crate::session::read_file::{MAX_WHOLE, read_file};
use crate::session::why_not_read;

const MAX_CASES: usize = 1000;
/// Time between two looks at the files of the folder.
const POLL: Duration = Duration::from_millis(300);
/// Lines before the JSON that are looked at and quoted.
const MAX_SAID: usize = 20;
/// Errors of the stubs.
const STUBS: &[&str] = &["NotImplementedError", "not written yet", "not implemented"];

/// Arguments of `pdblens course check`.
#[derive(Debug, clap::Args)]
pub(super) struct CourseCheck {
    /// Folder of the course, or of a corpus (`pdblens gen corpus`).
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Check this exercise only: its number or name.
    #[arg(long, value_name = "EXERCISE")]
    exercise: Option<String>,
    /// Check again whenever a file of the folder changes, until Ctrl-C.
    #[arg(long, conflicts_with = "output")]
    watch: bool,
    /// File with the JSON that the program printed; nothing is run.
    #[arg(long, value_name = "FILE", conflicts_with = "command", required_unless_present = "command")]
    output: Option<PathBuf>,
    /// The program, and arguments before the paths of the inputs.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

struct CheckedExercise {
    exercise: &'static Exercise,
    /// Lines that the program printed before its JSON.
    said: String,
    cases: Vec<CheckedCase>,
}

struct CheckedCase {
    name: String,
    /// Reason for the case; empty for an input that is not built in.
    why: String,
    answer: ExpectedAnswer,
    /// The first difference, or the reason why there is no answer; `None` for a right one.
    problem: Option<Result<Difference, String>>,
}

impl CourseCheck {
    pub(super) fn access(&self) -> Access {
        Access::program(!self.command.is_empty())
    }

    pub(super) fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if !self.watch {
            return self.check(out);
        }
        loop {
            let seen = newest_file(&self.folder);
            self.check(out)?;
            out.line("")?;
            out.line("Waiting for a change: Ctrl-C ends.")?;
            out.finish()?;
            while newest_file(&self.folder) == seen {
                thread::sleep(POLL);
            }
        }
    }

    fn check(&self, out: &mut Out) -> Result<Exit, Error> {
        let only = self.exercise.as_deref().map(super::named).transpose()?;
        let given = self.output.as_deref().map(read_json).transpose()?;
        let mut checked = Vec::new();
        for exercise in EXERCISES.iter().filter(|exercise| only.is_none_or(|only| only.name == exercise.name)) {
            let inputs = inputs(&self.folder, exercise);
            if !inputs.is_empty() {
                checked.push(check(exercise, &inputs, given.as_ref(), &self.command)?);
            }
        }
        if checked.is_empty() {
            let folder = self.folder.display();
            return Err(Error::Other(format!(
                "no inputs in {folder}/cases: `pdblens course start {folder} --language python` writes them"
            )));
        }
        let is_done = checked.iter().all(CheckedExercise::is_right);
        print(out, &checked, only.is_some())?;
        if is_done && only.is_none() {
            out.line("")?;
            LAST_PAGE.lines().try_for_each(|line| out.line(line))?;
        }
        Ok(if is_done { Exit::Done } else { Exit::Findings })
    }
}

/// The inputs of an exercise in the folder of a course or of a corpus, short ones first: the first that is answered wrongly is explained,
/// and has the fewest reads.
fn inputs(folder: &Path, exercise: &Exercise) -> Vec<PathBuf> {
    let cases = folder.join("cases");
    let folder = if cases.is_dir() { &cases } else { folder };
    let entries = fs::read_dir(folder.join(exercise.name));
    let paths = entries.into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let is_input = |path: &PathBuf| path.is_file() && path.extension().is_none_or(|extension| extension != "json");
    let mut paths: Vec<PathBuf> = paths.filter(is_input).take(MAX_CASES).collect();
    paths.sort_by_cached_key(|path| (fs::metadata(path).map_or(0, |file| file.len()), path.clone()));
    paths
}

fn read(path: &Path, max: u64) -> Result<Vec<u8>, Error> {
    read_file(path, max).map_err(|error| Error::Other(format!("{}: {}", path.display(), why_not_read(&error))))
}

/// The JSON in a file, or on standard input where `-` is named.
pub(in crate::cli) fn read_json(path: &Path) -> Result<Value, Error> {
    let bytes = match path.to_str() {
        Some("-") => bytes_on_input(MAX_WHOLE)?,
        _ => read(path, MAX_WHOLE)?,
    };
    serde_json::from_slice(&bytes).map_err(|error| Error::Other(format!("{}: no JSON: {error}", path.display())))
}

fn check(
    exercise: &'static Exercise,
    inputs: &[PathBuf],
    given: Option<&Value>,
    command: &[OsString],
) -> Result<CheckedExercise, Error> {
    let mut said = String::new();
    let printed = match given {
        Some(given) => Ok(given.clone()),
        None => run_program(command, inputs, &mut said)?,
    };
    let (mut cases, built_in) = (Vec::new(), built_in());
    for path in inputs {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = read(path, MAX_WHOLE)?;
        let known = built_in.iter().find(|case| case.exercise == exercise.name && case.bytes == bytes);
        let answer = known.map_or_else(|| exercise.answer(&bytes), ExerciseCase::answer);
        let why = known.map(|case| case.why.clone()).unwrap_or_default();
        let key = format!("{}/{name}", exercise.name);
        let problem = match printed.as_ref().map(|printed| printed.get(&key)) {
            Err(reason) => Some(Err(reason.clone())),
            Ok(None) => Some(Err(format!("the JSON has no member `{key}`"))),
            Ok(Some(given)) => difference(&answer, given).map(Ok),
        };
        cases.push(CheckedCase { name, why, answer, problem });
    }
    Ok(CheckedExercise { exercise, said, cases })
}

/// Runs `command` with paths of inputs as further arguments, and returns the JSON that it prints, or the reason why there is none; what it
/// prints before is added to `said`. A program that cannot start ends the check.
fn run_program(command: &[OsString], inputs: &[PathBuf], said: &mut String) -> Result<Result<Value, String>, Error> {
    let Some((name, arguments)) = command.split_first() else {
        return Err(Error::Usage("no program is named".to_owned()));
    };
    let mut command = Command::new(name);
    let name = name.to_string_lossy();
    command.args(arguments).args(inputs);
    let ended = program::run(command).map_err(|error| Error::Other(format!("cannot start {name}: {error}")))?;
    let Some((status, printed)) = ended else {
        return Ok(Err(format!("{name} did not end within {} seconds: a loop?", program::TIME_LIMIT.as_secs())));
    };
    let printed = String::from_utf8_lossy(&printed);
    let (before, json) = split_json(&printed);
    said.push_str(before.trim_end());
    Ok(match serde_json::from_str(json) {
        Ok(json) => Ok(json),
        Err(_) if !status.success() => Err(format!("{name} failed: {status}")),
        Err(error) => Err(format!("{name} printed no JSON: {error}")),
    })
}

/// Lines before the JSON that ends a text, and the JSON: it begins at the first line from which on all is one value.
fn split_json(text: &str) -> (&str, &str) {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let is_json = |at: &usize| text[*at..].starts_with('{') && serde_json::from_str::<Value>(&text[*at..]).is_ok();
    text.split_at(starts.take(MAX_SAID).find(is_json).unwrap_or(0))
}

/// Time of the last change of a file in the folder of a course, inputs apart.
fn newest_file(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}

impl CheckedExercise {
    fn is_right(&self) -> bool {
        self.cases.iter().all(|case| case.problem.is_none())
    }

    /// Returns true if each input that is whole has the error of a stub: the exercise is not begun.
    fn is_untouched(&self) -> bool {
        let is_stub = |case: &CheckedCase| match &case.problem {
            Some(Ok(found)) => found.is_refusal() && STUBS.iter().any(|stub| found.given.contains(stub)),
            _ => case.answer.refusal.is_some() || case.answer.may_be_refused,
        };
        self.cases.iter().all(is_stub)
    }

    /// The error of the first input that is whole, if each of them has one.
    fn crash(&self) -> Option<&str> {
        let mut whole = self.cases.iter().filter(|case| case.answer.refusal.is_none() && !case.answer.may_be_refused);
        let is_error = |case: &CheckedCase| matches!(&case.problem, Some(Ok(found)) if found.is_refusal());
        if !whole.clone().all(is_error) {
            return None;
        }
        match &whole.next()?.problem {
            Some(Ok(found)) => Some(&found.given),
            _ => None,
        }
    }

    /// The case that is explained, and its difference; without a case that has one, the first without an answer and the reason.
    fn first_wrong(&self) -> Option<(&CheckedCase, Result<Difference, String>)> {
        let of_differences = |case: &&CheckedCase| matches!(case.problem, Some(Ok(_)));
        let cases: Vec<&CheckedCase> = self.cases.iter().filter(of_differences).collect();
        let found: Vec<&Difference> = cases.iter().filter_map(|case| case.problem.as_ref()?.as_ref().ok()).collect();
        if let Some((index, difference)) = first_explained(&found) {
            return Some((cases.get(index)?, Ok(difference)));
        }
        self.cases.iter().find_map(|case| Some((case, case.problem.clone()?)))
    }
}

/// Prints a line an exercise, and then the first difference, or the task of the first exercise that is not begun.
fn print(out: &mut Out, checked: &[CheckedExercise], is_one: bool) -> Result<(), Error> {
    for one in checked {
        let (exercise, cases) = (one.exercise, &one.cases);
        let right = if one.is_untouched() { 0 } else { cases.iter().filter(|case| case.problem.is_none()).count() };
        let (mark, tone) = match right {
            0 if one.is_untouched() => ("–", Tone::Dim),
            right if right == cases.len() => ("✓", Tone::Ok),
            _ => ("✗", Tone::Bad),
        };
        let head = format!("{mark} {:>2} {:9}  ", exercise.number, exercise.name);
        let state = match one.crash() {
            _ if one.is_untouched() => "  not begun".to_owned(),
            Some(error) => format!("  crashed: {error}"),
            None => String::new(),
        };
        out.parts(&[
            (&head, tone),
            (&format!("{right:>2} of {:<2}  ", cases.len()), Tone::Text),
            (exercise.title, Tone::Dim),
            (&state, if one.is_untouched() { Tone::Dim } else { Tone::Bad }),
        ])?;
    }
    let Some(first) = checked.iter().find(|checked| !checked.is_right()) else { return Ok(()) };
    let exercise = first.exercise;
    out.line("")?;
    if !first.said.is_empty() {
        out.parts(&[("before the JSON the program printed:", Tone::Dim)])?;
        first.said.lines().take(MAX_SAID).try_for_each(|line| out.line(&format!("  | {line}")))?;
    }
    let Some((case, problem)) = first.first_wrong() else { return Ok(()) };
    let name = format!("{}/{}", exercise.name, case.name);
    match problem {
        Err(reason) => out.prose(&[("✗ ", Tone::Bad)], &[(&format!("{name}: {reason}"), Tone::Text)])?,
        Ok(found) => {
            out.parts(&[("✗ ", Tone::Bad), (&name, Tone::Strong), ("  ", Tone::Text), (&case.why, Tone::Dim)])?;
            print_difference(out, &case.answer, &found)?;
        }
    }
    if first.is_untouched() && !is_one {
        out.line("")?;
        out.parts(&[(&format!("Exercise {}: {}", exercise.number, exercise.title), Tone::Strong)])?;
        exercise.task().lines().try_for_each(|line| out.line(line))?;
    }
    out.line("")?;
    out.line(&format!("`pdblens course hint {}` has a hint.", exercise.name))
}
