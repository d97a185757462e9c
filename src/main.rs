//! The pdblens command: arguments to answers or screens, and an exit code.

use pdblens::cli::{self, Asked, Exit};

fn main() -> Exit {
    #[cfg(all(unix, feature = "tui"))]
    if pdblens::tui::engine::terminal::guard::run_if_asked() {
        return Exit::Done;
    }
    match cli::run(keys) {
        Asked::Done(exit) => exit,
        Asked::Screens(screens) => show(*screens),
    }
}

#[cfg(feature = "tui")]
use pdblens::tui::state::key_list::documented_keys as keys;

/// No keys: there are no screens.
#[cfg(not(feature = "tui"))]
const fn keys() -> cli::Keys {
    Vec::new()
}

#[cfg(feature = "tui")]
fn show(screens: cli::Screens) -> Exit {
    use pdblens::tui::{self, state::paths::Paths};

    let (sources, symbols) = (screens.sources.options(), screens.files.symbols.paths());
    let cli::Screens { files, at, theme, no_mouse, large, compare, native, samples, lessons, threads, .. } = screens;
    let paths = Paths { sources, symbols, native, samples, ..Paths::default() };
    let files = files.files;
    let options =
        tui::Options { files, at, theme, no_mouse, large, paths, compare, lessons, threads, ..tui::Options::default() };
    match tui::run(options) {
        Ok(()) => Exit::Done,
        Err(error) => cli::fail(&error),
    }
}

#[cfg(not(feature = "tui"))]
fn show(_screens: cli::Screens) -> Exit {
    eprintln!(
        "error: this build has no screens (it was built without the feature `tui`) · tip: `pdblens info FILE` prints the overview, `pdblens --help` lists the commands"
    );
    Exit::Failed
}
