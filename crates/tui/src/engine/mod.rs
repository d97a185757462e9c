//! The machinery below the screens: event loop, background jobs, terminal, keys and actions. It knows no app.

pub mod action;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod clipboard;
pub mod editor;
pub(crate) mod event;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod event_loop;
#[cfg(not(target_family = "wasm"))]
mod input;
pub mod jobs;
pub mod key;
pub mod keymap;
pub mod press;
pub mod program;
#[cfg(not(target_family = "wasm"))]
pub mod terminal;

pub use program::Program;
