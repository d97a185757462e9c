//! A .NET process or core, read from its own memory: code, methods, modules, threads.
//!
//! Since .NET 9 the runtime describes its own structures ("data contracts"). With them, a process that runs, a core of `createdump` and
//! a core of the kernel are one input. Nothing is stopped, attached to or written.
//!
//! * [`memory`] reads bytes at addresses, [`target`] knows what is mapped there and which threads there are.
//! * [`contracts`] has the offsets that the runtime describes. An offset that it does not describe is not known.
//! * [`code`] leads from an address to a method, [`stack`] from the registers of a thread to its frames.
//!
//! A core is a hostile file: each pointer is read through [`memory::Memory`], which fails where nothing is mapped, each list and each walk has a
//! limit, and nothing recurses.
//!
//! # References
//!
//! dotnet/runtime, `docs/design/datacontracts/`: `datacontracts_design.md`, `ExecutionManager.md`, `Thread.md`, `Loader.md`

pub mod code;
pub mod contracts;
mod core_file;
mod core_memory;
mod elf;
mod elf_file;
mod error;
mod image;
#[cfg_attr(not(target_os = "linux"), path = "live_elsewhere.rs")]
pub mod live;
pub mod locks;
pub mod memory;
mod minidump;
pub mod module;
pub mod registers;
pub mod save;
pub mod stack;
pub mod target;
mod unwind;

pub use core_file::is_core;
pub use error::MemoryError;

/// Value, or the reason why the memory does not have it.
pub type Result<T> = std::result::Result<T, MemoryError>;
