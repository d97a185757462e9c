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
#[cfg(not(target_family = "wasm"))]
mod run;
pub mod state;
pub mod ui;

pub use self::engine::program::ScreenError;
#[cfg(not(target_family = "wasm"))]
pub use self::run::run;
pub use app::Options;
