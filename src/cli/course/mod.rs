//! `pdblens course`: exercises of a reader of symbol files, and their check.

mod check;
mod corpus;
mod program;

pub(super) use check::read_json;
pub(super) use corpus::write_corpus;
#[cfg(unix)]
pub(super) use program::end_running;

use std::path::{Path, PathBuf};

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use crate::learn::course::{EXERCISES, Exercise, ExerciseCase, LANGUAGES, TASKS, built_in, of_session};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::source::Extraction;
use crate::store::new_file::Existing;

/// `pdblens course start|check|list`
#[derive(Debug, clap::Args)]
pub(super) struct CourseCommand {
    #[command(subcommand)]
    what: CourseAction,
}

#[derive(Debug, clap::Subcommand)]
enum CourseAction {
    /// Write the tasks, their inputs, and a program to begin with.
    Start {
        /// Folder of the course, which is created if necessary. A program that is there stays.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Language of the program.
        #[arg(long, value_name = "LANGUAGE", value_parser = ["python", "javascript", "rust", "csharp", "go"])]
        language: String,
        /// Files of your own, whose records are inputs too.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Compare the answers of a program with the right ones; show the first read that differs, and the mistake.
    ///
    /// The inputs are the files in DIR/cases, yours too. A program is run only if it is named after `--`, once an exercise, with paths of
    /// inputs as arguments and without the sandbox: `pdblens course check DIR -- python3 DIR/reader.py`.
    Check(check::CourseCheck),
    /// Print a hint to an exercise.
    Hint {
        /// Number or name of the exercise.
        #[arg(value_name = "EXERCISE")]
        exercise: String,
        /// Hints that are printed, the weakest first.
        #[arg(long, value_name = "N", default_value_t = 1)]
        level: usize,
    },
    /// List the exercises, or print the task of one.
    List {
        /// Number or name of an exercise.
        #[arg(value_name = "EXERCISE")]
        exercise: Option<String>,
    },
}

impl Run for CourseCommand {
    const EXAMPLES: &'static [Example] = &[
        example("Begin the course in Python", "pdblens course start reader --language python"),
        example("Check answers that a program printed to a file", "pdblens course check reader --output answers.json"),
    ];
    const NESTED: &'static [Example] = &[
        example("Begin the course in Python", "pdblens course start reader --language python"),
        example("Add inputs from your own files", "pdblens course start reader --language rust App.dll"),
        example("Check answers in a file", "pdblens course check reader --output answers.json"),
        example("Check one exercise", "pdblens course check reader --exercise signed --output answers.json"),
        example("Print the task of an exercise", "pdblens course list 2"),
        example("Print two hints to it", "pdblens course hint 2 --level 2"),
    ];

    fn access(&self) -> Access {
        match &self.what {
            CourseAction::Start { folder, .. } => Access::folder(folder),
            CourseAction::Check(check) => check.access(),
            CourseAction::List { .. } | CourseAction::Hint { .. } => Access::default(),
        }
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        match self.what {
            CourseAction::Start { folder, language, files } => start(out, &folder, &language, &files),
            CourseAction::Check(check) => check.run(out),
            CourseAction::Hint { exercise, level } => {
                let exercise = named(&exercise)?;
                let hints = exercise.hints();
                for (index, hint) in hints.iter().take(level.max(1)).enumerate() {
                    out.prose(&[(&format!("{}. ", index + 1), Tone::Dim)], &[(hint, Tone::Text)])?;
                }
                if level < hints.len() {
                    let (name, next) = (exercise.name, level.max(1) + 1);
                    out.line(&format!("`pdblens course hint {name} --level {next}` tells more."))?;
                }
                Ok(Exit::Done)
            }
            CourseAction::List { exercise: Some(word) } => {
                let exercise = named(&word)?;
                out.parts(&[(&format!("{} {}", exercise.number, exercise.title), Tone::Strong)])?;
                exercise.task().lines().try_for_each(|line| out.line(line))?;
                Ok(Exit::Done)
            }
            CourseAction::List { .. } => list(out),
        }
    }
}

fn named(word: &str) -> Result<&'static Exercise, Error> {
    crate::learn::course::named(word).ok_or_else(|| {
        let names: Vec<&str> = EXERCISES.iter().map(|exercise| exercise.name).collect();
        Error::Usage(format!("no exercise `{word}`: the exercises are {}", names.join(", ")))
    })
}

fn list(out: &mut Out) -> Result<Exit, Error> {
    let columns = Head::list(["#:", "exercise", "title", "specification"]);
    let row = |exercise: &Exercise| {
        Row::plain(vec![
            Cell::new(exercise.number.to_string()),
            Cell::toned(exercise.name, Tone::Strong),
            Cell::new(exercise.title),
            Cell::toned(exercise.paragraph, Tone::Dim),
        ])
    };
    out.table(&Rows::of("course".to_owned(), columns, EXERCISES.iter().map(row).collect()))?;
    out.line("")?;
    out.line("`pdblens course list 1` prints a task; `pdblens course start DIR --language python` begins.")?;
    Ok(Exit::Done)
}

/// Cases that are built in, and those of `files`.
pub(super) fn cases(files: &[PathBuf]) -> Result<Vec<ExerciseCase>, Error> {
    let mut cases = built_in();
    if !files.is_empty() {
        let own = of_session(&Session::open(files)?);
        if own.is_empty() {
            let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
            return Err(Error::NoAnswer(format!(
                "{names}: no record for an exercise: a portable PDB, a Windows PDB of at most 1 MB, or an image with a CodeView record has some"
            )));
        }
        cases.extend(own);
    }
    Ok(cases)
}

fn start(out: &mut Out, folder: &Path, language: &str, files: &[PathBuf]) -> Result<Exit, Error> {
    let cases = cases(files)?;
    let Some(language) = LANGUAGES.iter().find(|known| known.name == language) else {
        return Err(Error::Usage(format!("no stub in `{language}`")));
    };
    let cannot = |error| Error::cannot_write(folder, &error);
    // Another name of a file that is there would be a second program, so that the first one stays as it is.
    if !folder.join(language.file).exists() {
        let mut program = Extraction::to(folder, Existing::Keep).map_err(cannot)?;
        write(&mut program, "", language.file, language.stub.as_bytes())?;
    }
    let mut extraction = Extraction::to(folder, Existing::Replace).map_err(cannot)?;
    write(&mut extraction, "", "README.md", TASKS.replace("COMMAND", language.run).as_bytes())?;
    for case in &cases {
        write(&mut extraction, &format!("cases/{}", case.exercise), &format!("{}.bin", case.name), &case.bytes)?;
    }
    let at = folder.display();
    out.line(&format!(
        "{at}/README.md has the exercises, {at}/{} is yours to write, {at}/cases has {} inputs.",
        language.file,
        cases.len()
    ))?;
    let run = language.run;
    let before = match language.name {
        "csharp" => "dotnet new console --force -n reader -o . (once, and delete Program.cs); ",
        "rust" => "rustc reader.rs; ",
        _ => "",
    };
    out.line(&format!("Write `guid`, and then: cd {at}; {before}pdblens course check . --watch -- {run}"))?;
    Ok(Exit::Done)
}

pub(super) fn write(extraction: &mut Extraction, folder: &str, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let (path, written) = extraction.write(folder, name, Ok(bytes.into()));
    written.map(drop).map_err(|why| Error::Other(format!("cannot write {}: {why}", path.display())))
}
