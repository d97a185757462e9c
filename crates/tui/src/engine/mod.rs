//! The machinery below the screens: event loop, background jobs, terminal, keys and actions. It knows no app.

pub mod action;
pub(crate) mod clipboard;
pub mod editor;
pub(crate) mod event;
pub(crate) mod event_loop;
mod input;
pub mod jobs;
pub mod key;
pub mod keymap;
pub mod terminal;

pub use event_loop::Program;
