//! A process: its memory, the files that are mapped in it, and its threads.

use std::path::{Path, PathBuf};

use crate::memory::Memory;
use crate::registers::Stopped;

/// Names of the library in which the runtime describes its memory.
const RUNTIMES: [&str; 3] = ["libcoreclr.so", "coreclr.dll", "libcoreclr.dylib"];

/// A process that runs, or what a core left of one.
pub struct Target {
    /// Memory.
    pub memory: Box<dyn Memory>,
    /// Mapped files, ascending by address.
    pub files: Vec<MappedFile>,
    /// Threads, ascending by number.
    pub threads: Vec<TargetThread>,
    /// Folder below which the paths of the process are: its own root, which is another in a container.
    pub root: PathBuf,
    /// Number of a process that runs.
    pub pid: Option<u32>,
}

/// A process that has a .NET runtime loaded.
#[derive(Clone, Debug)]
pub struct DotnetProcess {
    /// Its number.
    pub pid: u32,
    /// Words of its command line.
    pub command: Vec<String>,
    /// Path of the runtime's library, or of the host that has it.
    pub runtime: String,
}

/// A range of memory that a file is mapped to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedFile {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// Offset in the file of the first byte.
    pub offset: u64,
    /// Path in the process.
    pub path: String,
}

/// A thread as the kernel knows it.
#[derive(Clone, Debug)]
pub struct TargetThread {
    /// Number.
    pub id: u32,
    /// Name; empty in a core.
    pub name: String,
    /// Position.
    pub stopped: Stopped,
}

impl Target {
    /// File that an address is in.
    pub fn file_at(&self, address: u64) -> Option<&MappedFile> {
        let next = self.files.partition_point(|file| file.start <= address);
        self.files[..next].last().filter(|file| address < file.end)
    }

    /// Address that the first byte of a file is mapped to.
    pub fn base_of(&self, path: &str) -> Option<u64> {
        self.files.iter().find(|file| file.path == path).map(|file| file.start)
    }

    /// Path on this machine of a path in the process.
    pub fn path_here(&self, path: &str) -> PathBuf {
        below(&self.root, path)
    }
}

/// Path below a root. A dump names any path: that of a share on Windows, which would ask its server, becomes one of this machine.
pub(crate) fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches(['/', '\\']))
}

/// True for the library of the runtime.
pub(crate) fn is_runtime(path: &str) -> bool {
    path.rsplit(['/', '\\']).next().is_some_and(|name| RUNTIMES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_share_is_one_of_this_machine() {
        let root = Path::new("/proc/7/root");
        assert_eq!(below(root, "/lib/a.so"), root.join("lib/a.so"));
        assert_eq!(below(root, "//server/share/a.dll"), root.join("server/share/a.dll"));
        assert_eq!(below(root, r"\\server\share\a.dll"), root.join(r"server\share\a.dll"));
    }
}
