//! The pdblens command: arguments to answers or screens, and an exit code.

use pdblens::cli::{self, Asked, Exit, Screens};
use pdblens::tui;
use pdblens::tui::core::keymap;
use pdblens::tui::state::paths::Paths;

fn main() -> Exit {
    match cli::run(keymap::documented_keys) {
        Asked::Done(exit) => exit,
        Asked::Screens(screens) => match tui::run(options(screens)) {
            Ok(()) => Exit::Done,
            Err(error) => cli::fail(&error),
        },
    }
}

fn options(screens: Screens) -> tui::Options {
    let paths =
        Paths { sources: screens.sources.options(), symbols: screens.files.symbols.paths(), ..Paths::default() };
    let Screens { files, at, theme, no_mouse, .. } = screens;
    tui::Options { files: files.files, at, theme, no_mouse, paths }
}
