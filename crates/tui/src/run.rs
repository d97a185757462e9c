//! The screens in a terminal.

use std::time::Instant;

use crate::app::config::{self, Config};
use crate::app::{App, FALLBACK_THEME, Options};
use crate::engine::event_loop::{self, Setup};
use crate::engine::program::ScreenError;
use crate::engine::terminal::{self, Known};
use pdblens_learn::lesson::progress;

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
