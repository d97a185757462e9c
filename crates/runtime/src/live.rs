//! A process that runs, by `/proc`. It is neither stopped nor attached to.

mod diagnostics;

pub use diagnostics::rundown;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::memory::Memory;
use crate::registers::{Registers, Stopped};
use crate::target::{DotnetProcess, MappedFile, Target, TargetThread, is_runtime};
use crate::{MemoryError, Result};

struct ProcessMemory(File);

impl Memory for ProcessMemory {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        // Offsets of files are signed; no process has memory in the upper half.
        if address > i64::MAX as u64 {
            return Err(MemoryError::NotMapped(address));
        }
        self.0.read_exact_at(bytes, address).map_err(|_| MemoryError::NotMapped(address))
    }
}

/// Opens the memory of a process.
///
/// # Errors
///
/// [`MemoryError::NoProcess`], and [`MemoryError::Refused`] with the right that is missing.
pub fn open(pid: u32) -> Result<Target> {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    if !folder.exists() {
        return Err(MemoryError::NoProcess(pid));
    }
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied => MemoryError::Refused { pid, cause: missing_right(&folder) },
        _ => MemoryError::Io(error),
    };
    let memory = File::open(folder.join("mem")).map_err(refused)?;
    let files = maps(&fs::read_to_string(folder.join("maps")).map_err(refused)?);
    let mut threads = Vec::new();
    for entry in fs::read_dir(folder.join("task")).map_err(refused)? {
        let entry = entry?;
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default().trim_end().to_owned();
        threads.push(TargetThread { id, name, stopped: stopped(&entry.path()) });
    }
    threads.sort_by_key(|thread| thread.id);
    // In a container the paths of the process are below another root.
    let namespace = |of: &Path| fs::read_link(of.join("ns/mnt")).ok();
    let is_here = namespace(&folder).is_some_and(|of| namespace(Path::new("/proc/self")) == Some(of));
    let root = if is_here { PathBuf::from("/") } else { folder.join("root") };
    Ok(Target { memory: Box::new(ProcessMemory(memory)), files, threads, root, pid: Some(pid) })
}

/// Position of a thread that waits: the kernel says the stack pointer and the program counter of a thread that is in a system call.
fn stopped(task: &Path) -> Stopped {
    let Ok(text) = fs::read_to_string(task.join("syscall")) else { return Stopped::Unknown };
    let mut words = text.split_whitespace().rev();
    let mut number = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    match (number(), number()) {
        (Some(ip), Some(sp)) => Stopped::At(Box::new(Registers::of_call(ip, sp))),
        _ => Stopped::Running,
    }
}

/// Files that `/proc/PID/maps` names.
fn maps(text: &str) -> Vec<MappedFile> {
    let file = |line: &str| {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let hex = |word: &str| u64::from_str_radix(word, 16).ok();
        let offset = hex(words.nth(1)?)?;
        let path = words.nth(2)?.trim();
        path.starts_with('/').then_some(())?;
        Some(MappedFile { start: hex(start)?, end: hex(end)?, offset, path: path.to_owned() })
    };
    text.lines().filter_map(file).collect()
}

/// The sentence about a process that may not be read: whose it is, or which setting forbids it, and the way out.
fn missing_right(folder: &Path) -> String {
    let owner = fs::metadata(folder).map(|data| data.uid());
    let own = fs::metadata("/proc/self").map(|data| data.uid());
    if let (Ok(owner), Ok(own)) = (owner, own)
        && owner != own
    {
        return format!("it belongs to user {owner}, you are user {own}: run pdblens as that user or with sudo");
    }
    match fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").as_deref().map(str::trim) {
        Ok("0") | Err(_) => "it forbids it (PR_SET_DUMPABLE), or the container has no CAP_SYS_PTRACE: run pdblens with sudo, or the container with \
                             --cap-add=SYS_PTRACE"
            .to_owned(),
        Ok(scope) => format!("kernel.yama.ptrace_scope is {scope}: run pdblens with sudo, or set it to 0 (sysctl kernel.yama.ptrace_scope=0)"),
    }
}

/// The .NET processes whose maps this user may read, ascending by number.
///
/// # Errors
///
/// [`MemoryError::Io`] where there is no `/proc`.
pub fn list() -> Result<Vec<DotnetProcess>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(text) = fs::read_to_string(entry.path().join("maps")) else { continue };
        let Some(runtime) = maps(&text).into_iter().find(|file| is_runtime(&file.path)) else { continue };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = words.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        found.push(DotnetProcess {
            pid,
            command: command.map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
            runtime: runtime.path,
        });
    }
    found.sort_by_key(|process| process.pid);
    Ok(found)
}
