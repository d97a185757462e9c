//! The interactive screens.
//!
//! ```text
//! engine ← ui ← state ← { panes | overlays } ← app
//! ```
//!
//! * [`engine`] is the machinery: event loop, background jobs, terminal, keys and actions. It knows no app.
//! * [`ui`] has the parts of a screen: widgets, theme, glyphs, layout.
//! * [`state`] is shared by panes and overlays: the selection, texts of documents, effects and messages.
//! * [`panes`] and [`overlays`] hold one pane or overlay a file; they do not know each other.
//! * [`app`] wires them: the registry of panes and views, navigation, effects, messages.
//!
//! Start with [`app::App`] (changes of state), [`panes::pane`] (the interface of a pane), [`app::registry`] (panes and
//! views), [`engine::action`] and [`engine::keymap`] (actions and their keys).

pub mod app;
pub mod engine;
pub mod overlays;
pub mod panes;
pub mod state;
pub mod ui;

use std::time::Instant;

use app::config::{self, Config};
use app::{App, FALLBACK_THEME};
use pdblens_learn::lesson::progress;
use ui::theme::Theme;

use self::engine::event_loop::{self, Setup};
use self::engine::terminal::{self, Known};

pub use self::engine::event_loop::Error;
pub use app::Options;

/// Shows the screens until the user quits.
pub fn run(options: Options) -> Result<(), Error> {
    let start = Instant::now();
    let config = Config::load();
    let options = Options { progress: progress::Progress::load(), ..options };
    terminal::restore_on_panic();
    let asked = options.theme.as_deref().or_else(|| config.kept_theme()).or(config.theme.as_deref());
    let (name, ask_background) = match terminal::known_theme(asked) {
        Known::Theme(name) => (name, false),
        Known::Ask => (FALLBACK_THEME, true),
    };
    let mut theme = config.themed(Theme::named(name).unwrap_or_default());
    if !terminal::has_all_colours() {
        theme = theme.with_256_colours();
    }
    // A theme that was asked for has precedence over `NO_COLOR`.
    let plain = terminal::no_color() && theme.name == "mono";
    let (app, first) = App::new(options, config, theme, start);
    let mouse = app.mouse;
    let (layout_file, recent_file, progress_file) = (config::state_path(), config::recent_path(), progress::path());
    let setup =
        Setup { title: "pdblens", start, mouse, ask_background, plain, layout_file, recent_file, progress_file };
    event_loop::run(app, first, setup)
}
