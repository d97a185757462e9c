//! The command line: one subcommand a file, and one line in `commands.rs`.
//!
//! A subcommand parses its arguments, calls functions of other crates, and prints [`Rows`](crate::nodes::rows::Rows),
//! [`Fields`](crate::nodes::fields::Fields), or JSON from the serde structs at the end of its file; none of them knows a format.

mod arguments;
mod batch;
mod r#break;
mod check;
mod command;
mod commands;
mod complete;
mod course;
mod coverage;
mod decode;
mod diff;
mod difference;
mod documents;
mod dump;
mod encode;
mod evidence;
mod excerpt;
mod exit;
mod explain;
mod export;
mod extract;
mod extracted;
mod files;
mod find;
mod generate;
mod handout_args;
mod info;
#[cfg(unix)]
mod interrupt;
mod json;
mod learn;
mod lesson_text;
mod lines;
mod list;
mod live;
mod log;
mod manual;
mod methods;
mod native_map;
mod output;
mod pipe;
mod points;
mod quality;
mod reach;
mod sandbox;
mod schema;
mod screens;
mod show;
mod show_at;
mod source_args;
mod sources;
mod srcsrv;
mod status_line;
mod steps;
mod store;
mod symbols;
mod trace;
mod usage_error;
mod used_by;
mod values;
mod r#where;
mod wrap;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::query::process;
use crate::text::distance::distance;
pub use check::policy_file;
pub use command::Example;
use command::Run;
use commands::Command;
pub use commands::examples;
pub use dump::document;
pub use exit::{Error, Exit};
pub use files::Files;
use files::is_input;
use manual::Manual;
pub use manual::{Examples, Keys, skill};
use output::Out;
use sandbox::{Access, Sandbox};
pub use screens::Screens;
pub use source_args::SourceArgs;
pub use symbols::SymbolArgs;

/// Explore .NET symbol files: every table, stream, sequence point and byte of a DLL/PDB pair.
///
/// Open the explorer on the given files, or on a built-in sample if there are none. For a single file, the matching DLL or PDB is found
/// automatically.
#[derive(Debug, Parser)]
#[command(name = "pdblens", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(flatten)]
    screens: Screens,
    /// Choose when to use colour.
    #[arg(long, value_enum, default_value_t, global = true)]
    color: output::When,
    /// Choose the sandbox: auto, require or off; without the option, as PDBLENS_SANDBOX says.
    ///
    /// On Linux, a subcommand can read only the files that its words name and what is around them, write only in the folders of its output
    /// and caches, run no program, and reach no server that is not named; `course check -- COMMAND` runs your program without it. The
    /// screens are restricted only with `require`, and then start no editor. The last line of `--version` names the sandbox of this system.
    #[arg(long, value_enum, value_name = "WHEN", global = true, hide_short_help = true, hide_possible_values = true)]
    sandbox: Option<Sandbox>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Result of reading the command line.
#[derive(Debug)]
pub enum Asked {
    /// The screens.
    Screens(Box<Screens>),
    /// A subcommand was carried out, or the arguments were refused.
    Done(Exit),
}

/// The version, and the sandbox of this system.
static LONG_VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\nsandbox: {}", env!("CARGO_PKG_VERSION"), sandbox::name()));

/// Parses the command line and carries out a subcommand. Without a terminal the overview is printed instead of shown.
///
/// `keys` are those of the screens, for the man page.
pub fn run(keys: fn() -> Keys) -> Asked {
    run_from(std::env::args_os().collect(), keys)
}

/// Does what [`run`] does with the words of a command line; the first is the name of the program.
pub fn run_from(words: Vec<OsString>, keys: fn() -> Keys) -> Asked {
    let mut program = command();
    let arguments = arguments::in_order(&program, words);
    if arguments.iter().any(|argument| argument == "--version") {
        program = program.long_version(LONG_VERSION.as_str());
    }
    let matches = manual::with_help(program, &examples()).try_get_matches_from(&arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            match usage_error::sentence(&command(), &error) {
                Some(sentence) => output::say(&format!("error: {sentence}")),
                None => drop(error.print()),
            }
            return Asked::Done(if error.use_stderr() { Exit::Usage } else { Exit::Done });
        }
    };
    if let Some(sentence) = cli.command.is_none().then(|| misspelt_command(&cli.screens.files.files)).flatten() {
        output::say(&format!("error: {sentence}"));
        return Asked::Done(Exit::Usage);
    }
    let sandbox = match cli.sandbox.map_or_else(Sandbox::of_environment, Ok) {
        Ok(sandbox) => sandbox,
        Err(error) => return Asked::Done(refused(cli.color, &error)),
    };
    let launch = Launch { color: cli.color, sandbox, words: arguments.into_iter().skip(1).collect() };
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let on_terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && !dumb;
    log::begin(on_terminal && cli.command.is_none());
    match cli.command {
        Some(Command::Learn(learn)) if on_terminal && learn.wants_screens() => match learn.screens() {
            Ok(screens) => launch.show(screens),
            Err(error) => Asked::Done(refused(cli.color, &error)),
        },
        Some(Command::Live(live)) if on_terminal && live.wants_screens() => match live.screens(Screens::default()) {
            Ok(screens) => launch.show(screens),
            Err(error) => Asked::Done(refused(cli.color, &error)),
        },
        Some(Command::Gen(mut generate)) => {
            generate.manual = Manual { keys: keys(), examples: examples() };
            Asked::Done(launch.finish(generate))
        }
        Some(command) => Asked::Done(launch.finish(command)),
        None => screens_or_overview(cli.screens, on_terminal, launch),
    }
}

/// The screens, at the place that is the last word where that is one; without a terminal the overview.
fn screens_or_overview(mut screens: Screens, on_terminal: bool, launch: Launch) -> Asked {
    let place = if screens.at.is_none() { screens.files.take_written_place() } else { None };
    match place {
        Some(place) if !on_terminal => {
            let place = crate::text::safe::visible(&place);
            output::say(&format!(
                "error: {place}: there is no such file · tip: `pdblens show FILE {place}` prints a place"
            ));
            return Asked::Done(Exit::Usage);
        }
        Some(place) => screens.at = Some(place),
        None => {}
    }
    if let [core] = screens.files.files.as_slice()
        && let Some(name) = process::named(core)
    {
        let live = live::Live::of_core(name.to_owned());
        if !on_terminal {
            return Asked::Done(launch.finish(live));
        }
        return match live.screens(screens) {
            Ok(screens) => launch.show(screens),
            Err(error) => Asked::Done(refused(launch.color, &error)),
        };
    }
    if on_terminal {
        return launch.show(screens);
    }
    let mut files = screens.files;
    files.sample |= files.files.is_empty();
    Asked::Done(launch.finish(info::Info::of(files)))
}

/// Sentence on a first word that is no file and nearly a command.
fn misspelt_command(words: &[PathBuf]) -> Option<String> {
    let word = words.first().filter(|word| !is_input(word))?.to_str()?;
    let near = |name: &str| distance(word, name);
    let commands = command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let nearest = names.filter(|name| near(name) <= name.len() / 3).min_by_key(|name| near(name))?;
    let word = crate::text::safe::visible(word);
    Some(format!("there is no command and no file {word:?} · tip: did you mean `pdblens {nearest}`?"))
}

fn refused(color: output::When, error: &Error) -> Exit {
    Out::new(color).complain(error);
    error.exit()
}

struct Launch {
    color: output::When,
    sandbox: Sandbox,
    /// Words of the command line after the name of the program.
    words: Vec<OsString>,
}

impl Launch {
    /// The screens, in the sandbox only where it is required.
    fn show(self, screens: Screens) -> Asked {
        if self.sandbox == Sandbox::Require {
            #[cfg(feature = "tui")]
            let settings = Access::reading(crate::tui::app::config::path().into_iter().collect());
            #[cfg(not(feature = "tui"))]
            let settings = Access::default();
            // The layout is kept in the folder of the progress.
            let access = learn::progress_access().and(settings).and(screens.files.symbols.access());
            if let Err(error) = sandbox::restrict(&self.with_words(access), self.sandbox) {
                return Asked::Done(refused(self.color, &error));
            }
        }
        Asked::Screens(Box::new(screens))
    }

    fn with_words(&self, access: Access) -> Access {
        // The system forbids a program in a sandbox to read the memory of one outside.
        let is_live =
            |word: &OsString| word.to_string_lossy().split('=').any(|word| process::named(Path::new(word)).is_some());
        let live = Access::program(self.words.iter().any(is_live));
        access.and(live).and(Access::reading(reach::readable(&self.words)))
    }

    // libFuzzer takes panics itself, and says `fuzzing` to the compiler.
    #[allow(unexpected_cfgs)]
    fn finish(self, command: impl Run) -> Exit {
        let mut out = Out::new(self.color);
        let access = self.with_words(command.access());
        if let Err(error) = sandbox::restrict(&access, self.sandbox) {
            out.complain(&error);
            return error.exit();
        }
        #[cfg(unix)]
        {
            interrupt::take_size_limit_as_error();
            if access.writes() {
                interrupt::watch();
            }
        }
        // A sum that leaves its type is a failure, never a wrong answer: the sentence of the hook, and no other.
        if !cfg!(fuzzing) {
            std::panic::set_hook(Box::new(|panic| output::say(&bug_text(panic))));
        }
        let run = AssertUnwindSafe(|| {
            #[cfg(debug_assertions)]
            assert!(std::env::var_os("PDBLENS_PANIC").is_none(), "a panic, as PDBLENS_PANIC asks");
            command.run(&mut out).and_then(|exit| match out.finish() {
                // A closed pipe does not change the exit code: the verdict is known.
                Err(error) if !error.is_closed_pipe() => Err(error),
                _ => Ok(exit),
            })
        });
        let Ok(result) = catch_unwind(run) else { return Exit::Failed };
        match result {
            Ok(exit) => exit,
            Err(error) if error.is_closed_pipe() => Exit::Done,
            Err(error) => {
                out.complain(&error);
                error.exit()
            }
        }
    }
}

/// Sentence about a failure that no error describes.
fn bug_text(panic: &PanicHookInfo<'_>) -> String {
    let what = panic.payload_as_str().unwrap_or("no message");
    let at = panic.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
    format!(
        "error: pdblens failed because of a bug, and there is no answer: {what}{at} · tip: report it with the file that caused it"
    )
}

/// Definition of the command line for completions, the man page and tests.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Prints on standard error why the screens could not be shown.
pub fn fail(error: &dyn std::error::Error) -> Exit {
    eprintln!("error: {}", crate::text::safe::visible(&error.to_string()));
    Exit::Failed
}
