//! Reasons why the memory of a process has no answer.

use std::io;

/// Reason why the memory of a process or core has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// No memory of the process, or the core leaves it out.
    #[error("the memory at {0:#x} is not there")]
    NotMapped(u64),
    /// A structure, field, global or contract that the runtime does not describe.
    #[error("the runtime does not describe {0}, which .NET 10 does: .NET 9 is read in part, older runtimes are not")]
    NotDescribed(String),
    /// No library of a runtime that describes itself.
    #[error(
        "no .NET runtime is loaded that describes its memory: .NET 9 and later do, and a single-file program has it in its host"
    )]
    NoRuntime,
    /// A list or a walk that is longer than any of a runtime is.
    #[error("{0} do not end: the memory is damaged, or it changed while it was read")]
    Endless(&'static str),
    /// The architecture of another machine.
    #[error("code of {0} is not walked: x64 is")]
    Architecture(String),
    /// The operating system refused to read the process.
    #[error("the memory of process {pid} may not be read: {cause}")]
    Refused {
        /// Process.
        pid: u32,
        /// The right that is missing, and how to get it.
        cause: String,
    },
    /// The diagnostics socket of a process gave no answer.
    #[error("the diagnostics socket of process {pid} has no answer: {why}")]
    NoSocket {
        /// Process.
        pid: u32,
        /// Reason.
        why: String,
    },
    /// Another system than Linux.
    #[error("a process that runs is read on Linux, a core on every system: `pdblens live CORE`")]
    NotLinux,
    /// No such process.
    #[error("no process has the number {0}: `pdblens live` lists the .NET processes of this user")]
    NoProcess(u32),
    /// Bytes that are no core.
    #[error("no core of a process: {0}")]
    NotCore(&'static str),
    /// Input of the file failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}
