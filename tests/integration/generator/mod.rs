//! The generator of large inputs, and our readers over them.

mod portable;
mod readers;
mod windows;
