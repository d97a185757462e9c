//! Processes that run are read on Linux alone.

use crate::target::{DotnetProcess, Target};
use crate::{MemoryError, Result};

/// Refuses to open the memory of a process.
///
/// # Errors
///
/// [`MemoryError::NotLinux`]
pub fn open(_pid: u32) -> Result<Target> {
    Err(MemoryError::NotLinux)
}

/// Refuses to list processes.
///
/// # Errors
///
/// [`MemoryError::NotLinux`]
pub fn list() -> Result<Vec<DotnetProcess>> {
    Err(MemoryError::NotLinux)
}

/// Refuses to ask the runtime of a process.
///
/// # Errors
///
/// [`MemoryError::NotLinux`]
pub fn rundown(_pid: u32) -> Result<Vec<u8>> {
    Err(MemoryError::NotLinux)
}
