//! The pdblens command: arguments to answers or screens, and an exit code.

use pdblens::cli::{self, Asked, Exit, Screens};
use pdblens::tui;

fn main() -> Exit {
    match cli::run() {
        Asked::Done(exit) => exit,
        Asked::Screens(screens) => match tui::run(options(screens)) {
            Ok(()) => Exit::Done,
            Err(error) => cli::fail(&error),
        },
    }
}

fn options(screens: Screens) -> tui::Options {
    tui::Options { files: screens.files.files, at: screens.at, theme: screens.theme, no_mouse: screens.no_mouse }
}
