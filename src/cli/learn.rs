use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::lesson_text;
use super::screens::Screens;
use super::source_args::SourceArgs;
use super::symbols::SymbolArgs;
use crate::learn::handout::lesson_page;
use crate::learn::lesson::progress::{self, Progress, Status};
use crate::learn::lesson::{Lesson, Prepared, Start, answers, built_in};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::read_file::read_file;
use crate::session::why_not_read;
use crate::text::shell::shell_quoted;

const MAX_SIZE: u64 = 1 << 20;
const LESSON_FORMAT: &str = include_str!("../../docs/lessons.md");

/// `pdblens learn FILE… LESSON`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Learn {
    /// Files to take examples and questions from, and a lesson: its number or a word of its title.
    ///
    /// Without a file, the built-in sample is used. The lesson opens in the screens, or is printed if standard output is not a terminal.
    #[arg(value_name = "FILE|LESSON")]
    words: Vec<OsString>,
    #[command(flatten)]
    symbols: SymbolArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// List the lessons and your progress in each.
    #[arg(long)]
    list: bool,
    /// Print the list as one JSON document.
    #[arg(long, requires = "list")]
    json: bool,
    /// Mark a file of answers: lines such as 7.1 = "-5" for question 1 of lesson 7.
    #[arg(long, value_name = "ANSWERS", conflicts_with_all = ["list", "print"])]
    check: Option<PathBuf>,
    /// Take a lesson of your own from a file; --lesson-format describes the format.
    #[arg(long, value_name = "FILE")]
    lesson: Option<PathBuf>,
    /// Describe the format of lesson files: keys, queries for examples, and questions.
    #[arg(long, conflicts_with_all = ["list", "check", "lesson", "print", "key", "reset"])]
    lesson_format: bool,
    /// Draw other drills of compressed integers: each number has a set of its own.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print the lesson instead of opening the screens.
    #[arg(long)]
    print: bool,
    /// Print the right answers with their explanations, and the mistakes that are explained.
    #[arg(long)]
    key: bool,
    /// Print the lesson as one HTML page: prose, a player for each record, and the questions, which the page marks.
    #[arg(long, value_name = "FORMAT", value_parser = ["html"], conflicts_with_all = ["list", "check", "lesson_format", "reset"])]
    format: Option<String>,
    /// Show the lesson on the whole screen with widely spaced lines, for a projector.
    #[arg(long)]
    large: bool,
    /// Start the lesson again: forget its page and answers, but keep other lessons. The screens ask first.
    #[arg(long, conflicts_with_all = ["list", "check", "lesson_format", "print", "key", "reset"])]
    restart: bool,
    /// Forget your progress in all lessons.
    #[arg(long, conflicts_with_all = ["list", "check", "lesson", "print", "key"])]
    reset: bool,
}

impl Learn {
    /// Returns true if the screens are asked for rather than a text.
    pub(super) fn wants_screens(&self) -> bool {
        let wants_text = self.list
            || self.lesson_format
            || self.print
            || self.key
            || self.reset
            || self.check.is_some()
            || self.format.is_some();
        let names_something = !self.words.is_empty() || self.lesson.is_some() || self.large || self.restart;
        names_something && !wants_text
    }

    pub(super) fn screens(self) -> Result<Screens, Error> {
        let (large, restart, sources) = (self.large, self.restart, self.sources.clone());
        let (files, lessons, open) = self.chosen()?;
        if restart && open.is_none() {
            return Err(no_lesson_to_restart());
        }
        let lessons = Some(Start { lessons, open, restart });
        let (at, theme, compare, native) = (None, None, None, None);
        Ok(Screens {
            files,
            sources,
            at,
            theme,
            no_mouse: false,
            large,
            compare,
            native,
            lessons,
            samples: None,
            threads: None,
        })
    }

    fn command(&self) -> String {
        let words = self.words.iter().map(|word| format!(" {}", shell_quoted(&word.to_string_lossy())));
        let own = self.lesson.iter().map(|path| format!(" --lesson {}", shell_quoted(&path.display().to_string())));
        let seed = self.seed.iter().map(|seed| format!(" --seed {seed}"));
        let key = if self.key { " --key" } else { "" };
        format!("pdblens learn{}{key} --format html", words.chain(own).chain(seed).collect::<String>())
    }

    /// Files, lessons, and the index of the one that was named.
    fn chosen(self) -> Result<(Files, Vec<Lesson>, Option<usize>), Error> {
        let (files, words) = Files::split(self.words, false, self.symbols);
        if let Some(path) = &self.lesson {
            let (name, text) = read(path)?;
            let lesson = Lesson::parse(&name, &text).map_err(|error| Error::Other(error.to_string()))?;
            return match words.first() {
                Some(word) => Err(Error::Usage(format!("`{word}`: a lesson was named by --lesson already"))),
                None => Ok((files, vec![lesson], Some(0))),
            };
        }
        let open = if words.is_empty() { None } else { Some(lesson_named(&words.join(" "))?) };
        let mut lessons = built_in().to_vec();
        if let Some(number) = self.seed {
            lessons.iter_mut().flat_map(|lesson| &mut lesson.questions).for_each(|question| question.reseed(number));
        }
        Ok((files, lessons, open))
    }
}

fn no_lesson_to_restart() -> Error {
    Error::Usage("--restart needs a lesson: `pdblens learn 3 --restart`; --reset forgets all".to_owned())
}

/// Index of the lesson with a number, or with a text in its title.
fn lesson_named(word: &str) -> Result<usize, Error> {
    let lessons = built_in();
    if let Some(index) = lessons.iter().position(|lesson| lesson.key() == word) {
        return Ok(index);
    }
    let has = |lesson: &Lesson| lesson.title.to_lowercase().contains(&word.to_lowercase());
    let titled: Vec<(usize, &Lesson)> = lessons.iter().enumerate().filter(|(_, lesson)| has(lesson)).collect();
    Err(Error::Usage(match titled.as_slice() {
        [(index, _)] => return Ok(*index),
        [] => format!("no file and no lesson `{word}`: `pdblens learn --list` lists the lessons"),
        several => {
            let titles: Vec<_> =
                several.iter().map(|(_, lesson)| format!("{} {}", lesson.key(), lesson.title)).collect();
            format!("`{word}` is in several titles ({}): name the lesson by its number", titles.join(", "))
        }
    }))
}

fn read(path: &Path) -> Result<(String, String), Error> {
    let name = path.display().to_string();
    let bytes = read_file(path, MAX_SIZE).map_err(|error| Error::Other(format!("{name}: {}", why_not_read(&error))))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::Other(format!("{name}: not UTF-8")))?;
    Ok((name, text))
}

/// Access to the file of the progress in lessons.
pub(super) fn progress_access() -> Access {
    let progress = progress::path();
    // The user's own link to the file is followed.
    let file = progress.as_ref().and_then(|path| path.canonicalize().ok());
    Access::output(progress.as_deref()).and(Access::output(file.as_deref()))
}

impl Run for Learn {
    const EXAMPLES: &'static [Example] = &[
        example("List the lessons", "pdblens learn --list"),
        example("Take a lesson on your own file", "pdblens learn App.dll 10"),
        example(
            "Write a lesson as one page that anyone can open",
            "pdblens learn App.dll 8 --format html > lesson.html",
        ),
        example("Read how to write a lesson of your own", "pdblens learn --lesson-format"),
    ];

    fn access(&self) -> Access {
        self.symbols.access().and(progress_access())
    }

    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        if self.reset {
            Progress::default().save()?;
            out.line("Progress of all lessons is cleared.")?;
            return Ok(Exit::Done);
        }
        if self.lesson_format {
            LESSON_FORMAT.lines().try_for_each(|line| out.line(line))?;
            return Ok(Exit::Done);
        }
        if self.json {
            list_json(out, &Progress::load())?;
            return Ok(Exit::Done);
        }
        let names_nothing = self.words.is_empty() && self.lesson.is_none() && self.check.is_none();
        if self.list || (names_nothing && !self.restart && self.format.is_none()) {
            list(out, &Progress::load())?;
            return Ok(Exit::Done);
        }
        let (check, key, begins_again) = (self.check.take(), self.key, self.restart);
        let (is_page, command, sources) = (self.format.is_some(), self.command(), self.sources.options());
        let (mut files, lessons, open) = self.chosen()?;
        if begins_again {
            let lesson = open.and_then(|index| lessons.get(index)).ok_or_else(no_lesson_to_restart)?;
            let mut progress = Progress::load();
            progress.restart(&lesson.key());
            progress.save()?;
            out.line(&format!("Progress of lesson {}, {}, is cleared.", lesson.key(), lesson.title))?;
            return Ok(Exit::Done);
        }
        files.sample = files.files.is_empty();
        let session = files.open()?;
        if let Some(path) = check {
            let named = if lessons.len() > 1 { open } else { None };
            let only = named.and_then(|index| lessons.get(index)).map(Lesson::key);
            return mark(out, &path, &lessons, only.as_deref(), |lesson| Prepared::of(lesson, &session));
        }
        let Some(lesson) = open.and_then(|index| lessons.get(index)) else {
            if is_page {
                let text = "--format: name a lesson, such as `pdblens learn 8 --format html`";
                return Err(Error::Usage(text.to_owned()));
            }
            list(out, &Progress::load())?;
            return Ok(Exit::Done);
        };
        let prepared = Prepared::with_sources(lesson, &session, sources);
        if is_page {
            out.write_all(lesson_page(lesson, &prepared, &session, &command, key).as_bytes())?;
        } else {
            lesson_text::print(out, lesson, &prepared, &session, key)?;
        }
        Ok(if prepared.steps.iter().any(|step| step.is_missing) { Exit::Findings } else { Exit::Done })
    }
}

/// The lessons.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "lessons"))]
pub(super) struct LessonsDocument<'l> {
    lessons: Vec<LessonJson<'l>>,
    /// Number of the lesson that was left last.
    last: Option<&'l str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "lesson"))]
struct LessonJson<'l> {
    #[serde(flatten)]
    lesson: &'l Lesson,
    /// Your progress: `new`, `started` or `done`.
    state: &'static str,
}

fn list_json(out: &mut Out, progress: &Progress) -> Result<(), Error> {
    let lessons = built_in().iter().map(|lesson| LessonJson {
        lesson,
        state: match progress.status(&lesson.key()) {
            Status::New => "new",
            begun => begun.name(),
        },
    });
    let document = LessonsDocument { lessons: lessons.collect(), last: progress.last.as_deref() };
    Ok(super::json::write(out, &document)?)
}

/// Prints the lessons, and the lesson that was left last.
fn list(out: &mut Out, progress: &Progress) -> Result<(), Error> {
    let columns = Head::list(["#:", "lesson", "minutes:", "state", "about"]);
    let row = |lesson: &Lesson| {
        Row::plain(vec![
            Cell::new(lesson.key()),
            Cell::toned(lesson.title.clone(), Tone::Strong),
            Cell::new(lesson.minutes.to_string()),
            Cell::toned(progress.status(&lesson.key()).name(), Tone::Ok),
            Cell::toned(lesson.about.clone(), Tone::Dim),
        ])
    };
    out.table(&Rows::of("lessons".to_owned(), columns, built_in().iter().map(row).collect()))?;
    let last = progress.last.as_ref().and_then(|key| built_in().iter().find(|lesson| lesson.key() == *key));
    out.line("")?;
    let Some(lesson) = last else {
        return out.line(
            "New here? `pdblens learn 1` opens the first lesson, on the built-in sample or on the files that you name.",
        );
    };
    let key = lesson.key();
    let reached = lesson.position(progress.lesson.get(&key).map_or(0, |progress| progress.at));
    out.line(&format!("You left lesson {key}, {}, at {reached}: `pdblens learn {key}` continues there.", lesson.title))
}

/// Marks a file of answers, all of them or those to the lesson called `only`; findings are wrong and missing ones.
fn mark(
    out: &mut Out,
    path: &Path,
    lessons: &[Lesson],
    only: Option<&str>,
    prepare: impl Fn(&Lesson) -> Prepared,
) -> Result<Exit, Error> {
    let (name, text) = read(path)?;
    let mut given = answers::parse(&name, &text).map_err(|error| Error::Other(error.to_string()))?;
    if let Some(only) = only {
        given.retain(|key, _| key == only);
    }
    if given.is_empty() {
        let of = only.map_or_else(String::new, |key| format!(" to lesson {key}"));
        return Err(Error::Other(format!("{name}: no answers{of}: a line such as 7.1 = \"-5\" is one")));
    }
    // Every key is checked before the first mark is printed.
    let mut marks = Vec::new();
    for (key, given) in &given {
        let lesson = lessons.iter().find(|lesson| lesson.key() == *key);
        let lesson = lesson.ok_or_else(|| Error::Other(format!("{name}: {}", no_lesson(key, lessons))))?;
        let prepared = prepare(lesson);
        if let Some(number) = given.keys().find(|number| !answers::is_question(number, &prepared)) {
            let count = prepared.questions.len();
            return Err(Error::Other(format!("{name}: lesson {key} has no question `{number}`: it has {count}")));
        }
        marks.extend(answers::mark(&prepared, given).into_iter().map(|mark| (key, mark)));
    }
    marks.sort_by_key(|(key, _)| key.parse::<u32>().unwrap_or(u32::MAX));
    for (key, mark) in &marks {
        print_mark(out, key, mark)?;
    }
    let asked = || marks.iter().filter(|(_, mark)| !mark.is_missing);
    let (right, all) = (asked().filter(|(_, mark)| mark.is_right()).count(), asked().count());
    let tone = if right == all { Tone::Ok } else { Tone::Bad };
    out.parts(&[(&format!("{right} of {all} right"), tone)])?;
    Ok(if right == all { Exit::Done } else { Exit::Findings })
}

fn no_lesson(key: &str, lessons: &[Lesson]) -> String {
    match lessons {
        [own] if own.number == 0 => {
            format!("there is no lesson `{key}`: a lesson without `number` is `{}`, as in {0}.1 = \"-5\"", own.key())
        }
        [one] => format!("there is no lesson `{key}`: the lesson has number {}", one.key()),
        _ => format!("there is no lesson `{key}`"),
    }
}

fn print_mark(out: &mut Out, key: &str, mark: &answers::Mark) -> Result<(), Error> {
    let number = format!("{key}.{:<3}", mark.question);
    if mark.is_missing {
        return out.prose(&[(&number, Tone::Dim), ("– ", Tone::Dim)], &[(&mark.prompt, Tone::Dim)]);
    }
    let (sign, tone) = if mark.is_right() { ("✓ ", Tone::Ok) } else { ("✗ ", Tone::Bad) };
    let answer = mark.answer.as_deref().unwrap_or("no answer");
    let verdict = mark.verdict.as_ref().map_or("", |verdict| verdict.text());
    out.prose(&[(&number, Tone::Dim), (sign, tone)], &[(answer, Tone::Text), ("  ", Tone::Text), (verdict, Tone::Dim)])
}
