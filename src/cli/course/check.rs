//! `pdblens course check DIR`

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli::command::{Access, Error, Exit, Out};
use crate::cli::decode::bytes_on_input;
use crate::cli::difference::print_difference;
use crate::learn::course::{Difference, EXERCISES, Exercise, ExerciseCase, ExpectedAnswer, built_in, difference};
use crate::nodes::rows::Tone;
use crate::session::read_file::{MAX_WHOLE, read_file};
use crate::session::why_not_read;

const MAX_CASES: usize = 1000;

/// Arguments of `pdblens course check`.
#[derive(Debug, clap::Args)]
pub(super) struct CourseCheck {
    /// Folder of the course, or of a corpus (`pdblens gen corpus`).
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Check this exercise only: its number or name.
    #[arg(long, value_name = "EXERCISE")]
    exercise: Option<String>,
    /// File with the JSON that the program printed; nothing is run.
    #[arg(long, value_name = "FILE", conflicts_with = "command", required_unless_present = "command")]
    output: Option<PathBuf>,
    /// The program, and arguments before the paths of the inputs.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

struct CheckedExercise {
    exercise: &'static Exercise,
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
    let printed = match given {
        Some(given) => Ok(given.clone()),
        None => run_program(command, inputs)?,
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
    Ok(CheckedExercise { exercise, cases })
}

/// Runs `command` with paths of inputs as further arguments, and returns the JSON that it prints, or the reason why there is none. What it
/// says on standard error goes to ours, and an interrupt of the terminal ends both. A program that cannot start ends the check.
fn run_program(command: &[OsString], inputs: &[PathBuf]) -> Result<Result<Value, String>, Error> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::Usage("no program is named".to_owned()));
    };
    let name = program.to_string_lossy();
    let mut child = Command::new(program);
    child.args(arguments).args(inputs).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = child.output().map_err(|error| Error::Other(format!("cannot start {name}: {error}")))?;
    Ok(match serde_json::from_slice(&output.stdout) {
        Ok(json) => Ok(json),
        Err(_) if !output.status.success() => Err(format!("{name} failed: {}", output.status)),
        Err(error) => Err(format!("{name} printed no JSON: {error}")),
    })
}

impl CheckedExercise {
    fn is_right(&self) -> bool {
        self.cases.iter().all(|case| case.problem.is_none())
    }

    /// Returns true if no input that is whole has an answer: the exercise is not begun.
    fn is_untouched(&self) -> bool {
        let has_answer = |case: &CheckedCase| match &case.problem {
            None => case.answer.refusal.is_none(),
            Some(Ok(found)) => !found.is_refusal() && case.answer.refusal.is_none(),
            Some(Err(_)) => false,
        };
        !self.cases.iter().any(has_answer)
    }

    /// The case that is explained: one whose mistake is known, else one with a wrong value, else one without a right answer.
    fn first_wrong(&self) -> Option<&CheckedCase> {
        let rank = |case: &CheckedCase| match &case.problem {
            None => None,
            Some(Ok(found)) if found.mistake.is_some() && case.answer.refusal.is_none() => Some(0),
            Some(Ok(found)) if !found.is_refusal() => Some(1),
            Some(_) => Some(2),
        };
        self.cases.iter().filter(|case| case.problem.is_some()).min_by_key(|case| rank(case))
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
        out.parts(&[
            (&head, tone),
            (&format!("{right:>2} of {:<2}  ", cases.len()), Tone::Text),
            (exercise.title, Tone::Dim),
        ])?;
    }
    let Some(first) = checked.iter().find(|checked| !checked.is_right()) else { return Ok(()) };
    let exercise = first.exercise;
    out.line("")?;
    let Some(case) = first.first_wrong() else { return Ok(()) };
    let name = format!("{}/{}", exercise.name, case.name);
    match &case.problem {
        Some(Err(reason)) => out.prose(&[("✗ ", Tone::Bad)], &[(&format!("{name}: {reason}"), Tone::Text)])?,
        Some(Ok(found)) => {
            out.parts(&[("✗ ", Tone::Bad), (&name, Tone::Strong), ("  ", Tone::Text), (&case.why, Tone::Dim)])?;
            print_difference(out, &case.answer, found)?;
        }
        None => {}
    }
    if first.is_untouched() && !is_one {
        out.line("")?;
        out.parts(&[(&format!("Exercise {}: {}", exercise.number, exercise.title), Tone::Strong)])?;
        exercise.task().lines().try_for_each(|line| out.line(line))?;
    }
    Ok(())
}
