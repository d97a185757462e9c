//! The machinery below the screens: keys and actions, background jobs, the terminal.

pub mod action;
pub mod clipboard;
pub mod jobs;
pub mod key;
pub mod keymap;
pub mod terminal;
