//! The interactive screens of pdblens, for somebody who browses a pair of .NET files in a terminal.
//!
//! [`run`] is the whole interface of the crate: it takes over the terminal, shows the files of [`Options`], and gives the terminal
//! back when the user quits. The modules that are public beside it are for the tests and benches of the program.
//!
//! ```text
//! engine ← ui ← state ← { panes | overlays } ← app
//! ```
//!
//! * [`engine`] is the machinery: event loop, background jobs, terminal, keys and actions. It knows no app.
//! * [`ui`] has the parts of a screen: widgets, theme, glyphs, layout.
//! * [`state`] is shared by panes and overlays: the selection, texts of documents, effects and messages.
//! * `panes` and [`overlays`] hold one pane or overlay a file; they do not know each other.
//! * [`app`] wires them: the registry of panes and views, navigation, effects, messages.
//!
//! A key goes to the overlay on top, else to the focused pane, else to [`app::App`]. Its answer is a list of effects. What happens
//! outside of the program is a command, which the event loop carries out; what takes time is a job of a worker, whose message comes
//! back as an event. So `update` and `draw` do no I/O, and the tests drive the app without a terminal.
//!
//! A new pane is one file in `panes/` and one line in [`app::registry::PANES`]; an action is a line in [`engine::action`], and its
//! keys are one in [`engine::keymap`]: help, hints, palette and the manual page come from these tables.

#![allow(missing_docs, reason = "`run` is the interface; the other names that say what they are need no sentence")]

pub mod app;
pub mod engine;
pub mod overlays;
mod panes;
pub mod state;
pub mod ui;

use std::time::Instant;

use app::config::{self, Config};
use app::{App, FALLBACK_THEME};
use pdblens_learn::lesson::progress;

use self::engine::event_loop::{self, Setup};
use self::engine::terminal::{self, Known};

pub use self::engine::event_loop::ScreenError;
pub use app::Options;

/// Shows the screens until the user quits.
pub fn run(options: Options) -> Result<(), ScreenError> {
    let start = Instant::now();
    let config = Config::load();
    let options = Options { progress: progress::Progress::load(), ..options };
    if let Some(name) = options.theme.as_deref().filter(|name| config.theme_named(name).is_none()) {
        let names: Vec<&str> = config.themes.iter().map(|theme| &*theme.name).collect();
        return Err(ScreenError::Theme(name.to_owned(), names.join(", ")));
    }
    terminal::restore_on_panic();
    let asked = options.theme.as_deref().or_else(|| config.kept_theme()).or(config.theme.as_deref());
    let (name, ask_background) = match terminal::known_theme(asked, &|name| config.theme_named(name).is_some()) {
        Known::Theme(name) => (name, false),
        Known::Ask => (FALLBACK_THEME.to_owned(), true),
    };
    let mut theme = config.themed(config.theme_named(&name).cloned().unwrap_or_default());
    if !terminal::has_all_colours() {
        theme = theme.with_256_colours();
    }
    // A theme that was asked for has precedence over `NO_COLOR`.
    let plain = terminal::no_color() && &*theme.name == "mono";
    let (app, first) = App::new(options, config, theme, start);
    let mouse = app.mouse;
    let (layout_file, recent_file, progress_file) = (config::state_path(), config::recent_path(), progress::path());
    let setup = Setup {
        title: "pdblens",
        start,
        mouse,
        ask_background,
        plain,
        layout_file,
        recent_file,
        merge_recent: config::merge_recents,
        progress_file,
    };
    event_loop::run(app, first, setup)
}
