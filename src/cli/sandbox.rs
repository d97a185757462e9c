//! A sandbox around a subcommand, which reads hostile files: Landlock, where the kernel of Linux has it.
//!
//! The words of the command line say what a subcommand reads ([`reach`](super::reach)) and writes, so everything else is denied before the
//! first file is opened. The screens are restricted only where the sandbox is required: an editor that they start would be, too.

use std::path::{Path, PathBuf};

use super::Error;
use super::output::say;
#[cfg(target_os = "linux")]
use crate::source::is_wide;
use crate::store::SymbolPath;
#[cfg(target_os = "linux")]
use crate::store::new_file;

/// Use of the sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Sandbox {
    /// Restrict subcommands where the system can.
    #[default]
    Auto,
    /// Restrict subcommands and the screens, and fail where the system cannot.
    Require,
    /// Restrict nothing.
    Off,
}

impl Sandbox {
    /// The one that `PDBLENS_SANDBOX` says, for a container or a pipeline.
    pub(super) fn of_environment() -> Result<Self, Error> {
        let Some(text) = std::env::var_os("PDBLENS_SANDBOX").filter(|text| !text.is_empty()) else {
            return Ok(Self::default());
        };
        let text = text.to_string_lossy();
        <Self as clap::ValueEnum>::from_str(&text, true)
            .map_err(|_| Error::Usage(format!("PDBLENS_SANDBOX is {text:?}, but must be auto, require or off")))
    }
}

/// Needs of a subcommand besides printing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Access {
    /// Files and folders that are read, besides those below.
    reads: Vec<PathBuf>,
    /// Folders in which files are written. One that does not exist yet will be made.
    folders: Vec<PathBuf>,
    network: bool,
    /// True if a program runs that the user named: it may do what the user may.
    program: bool,
}

impl Access {
    pub(super) fn network(is_needed: bool) -> Self {
        Self { network: is_needed, ..Self::default() }
    }

    /// Access to the servers and caches of `_NT_SYMBOL_PATH`, where they are asked.
    pub(super) fn environment(is_asked: bool) -> Self {
        let path = SymbolPath::of_environment();
        if !is_asked || path.servers().next().is_none() {
            return Self::default();
        }
        path.caches().fold(Self::network(true), |access, cache| access.and(Self::folder(cache)))
    }

    /// Every access, where a program of the user is run.
    pub(super) fn program(is_run: bool) -> Self {
        Self { program: is_run, ..Self::default() }
    }

    pub(super) fn folder(folder: &Path) -> Self {
        Self { folders: vec![folder.to_owned()], ..Self::default() }
    }

    pub(super) fn reading(paths: Vec<PathBuf>) -> Self {
        Self { reads: paths, ..Self::default() }
    }

    /// Access to the folder of the file that an option names, if it does.
    pub(super) fn output(file: Option<&Path>) -> Self {
        file.and_then(Path::parent).map_or_else(Self::default, Self::folder)
    }

    #[cfg(unix)]
    pub(super) const fn writes(&self) -> bool {
        !self.folders.is_empty()
    }

    #[must_use]
    pub(super) fn and(mut self, other: Self) -> Self {
        self.folders.extend(other.folders);
        self.reads.extend(other.reads);
        Self { network: self.network || other.network, program: self.program || other.program, ..self }
    }
}

/// Restricts this thread, and those that it starts, to `access`. Does what the kernel can do; where that is nothing, it is an error if the
/// sandbox is required.
pub(super) fn restrict(access: &Access, sandbox: Sandbox) -> Result<(), Error> {
    if sandbox == Sandbox::Off || access.program {
        return Ok(());
    }
    if access.folders.iter().any(|folder| std::path::absolute(folder).is_ok_and(|folder| folder.parent().is_none())) {
        let text = "the sandbox does not open the root folder for writing · tip: write to another folder, or add --sandbox=off";
        return Err(Error::Usage(text.to_owned()));
    }
    match enforce(access) {
        Ok(()) => Ok(()),
        Err(why) if sandbox == Sandbox::Require => {
            Err(Error::Other(format!("the sandbox is required, but {why} · tip: --sandbox=auto goes on without it")))
        }
        Err(why) => {
            // The log of a build pipeline says it; a person at a terminal reads it in `--version`.
            if cfg!(target_os = "linux") && std::env::var_os("CI").is_some_and(|value| !value.is_empty()) {
                say(&format!("note: no sandbox: {why}"));
            }
            Ok(())
        }
    }
}

#[cfg(target_os = "linux")]
fn enforce(access: &Access) -> Result<(), &'static str> {
    const NONE: &str = "this kernel has no Landlock";
    match landlocked(access) {
        Ok(status) if status.ruleset != landlock::RulesetStatus::NotEnforced => Ok(()),
        _ => Err(NONE),
    }
}

#[cfg(not(target_os = "linux"))]
fn enforce(_access: &Access) -> Result<(), &'static str> {
    Err("this system has none")
}

#[cfg(target_os = "linux")]
fn landlocked(access: &Access) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope, make_bitflags,
        path_beneath_rules,
    };

    // The newest version whose rights are understood here; the crate leaves out those that the kernel does not know.
    const NEWEST: ABI = ABI::V6;
    let written = make_bitflags!(AccessFs::{WriteFile | Truncate | MakeReg | MakeDir | RemoveFile});
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_write(NEWEST) | AccessFs::Execute | AccessFs::ReadFile)?
        .scope(Scope::from_all(NEWEST))?;
    if !access.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let folders: Vec<PathBuf> = access.folders.iter().filter_map(|folder| existing(folder)).collect();
    let network = if access.network { NETWORK_FILES } else { &[] };
    let read = access.reads.iter().map(PathBuf::as_path).chain(SYSTEM_FILES.iter().chain(network).map(Path::new));
    // A rule for a path that does not exist is left out.
    ruleset
        .create()?
        .add_rules(path_beneath_rules(folders, written | AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(read, AccessFs::ReadFile))?
        .restrict_self()
}

/// Files that say how many processors this program may use, and which signals it ignores.
#[cfg(target_os = "linux")]
const SYSTEM_FILES: &[&str] =
    &["/dev/null", "/proc/self/status", "/proc/self/cgroup", "/proc/self/mountinfo", "/sys/fs/cgroup"];
/// Files of name resolution, the modules that the C library loads for it, and certificates.
#[cfg(target_os = "linux")]
const NETWORK_FILES: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ld.so.cache",
    "/etc/ssl",
    "/etc/pki",
    "/usr/share/ca-certificates",
    "/run/systemd/resolve",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
];

/// The folder, or the nearest one above it that exists: it will be made there. Where that would be the root folder or a home folder, the
/// folder is made at once.
#[cfg(target_os = "linux")]
fn existing(folder: &Path) -> Option<PathBuf> {
    let found = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or_else(|| Path::new("."));
    if found == folder || !is_wide(&found.canonicalize().ok()?) {
        return Some(found.to_owned());
    }
    new_file::create_folder(folder).ok()?;
    Some(folder.to_owned())
}

/// Sandbox of subcommands on this system, as `--version` names it.
#[cfg(target_os = "linux")]
pub(super) fn name() -> String {
    match status() {
        Some(landlock::LandlockStatus::Available { effective_abi, kernel_abi }) => {
            format!("landlock ABI {}", kernel_abi.unwrap_or(effective_abi as i32))
        }
        _ => "none".to_owned(),
    }
}

/// State of Landlock in this kernel, which a restriction tells: that of a thread that ends with it.
#[cfg(target_os = "linux")]
fn status() -> Option<landlock::LandlockStatus> {
    let thread = std::thread::Builder::new().spawn(|| landlocked(&Access::default())).ok()?;
    Some(thread.join().ok()?.ok()?.landlock)
}

/// Sandbox of subcommands on this system, as `--version` names it.
#[cfg(not(target_os = "linux"))]
pub(super) fn name() -> String {
    "none".to_owned()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;

    use super::*;
    use crate::cli::reach;
    use pdblens_testing::folder::Folder;

    /// Runs `test` on a thread of its own: a restriction lasts as long as the thread.
    fn restricted(access: Access, test: impl FnOnce() + Send + 'static) {
        if name() == "none" {
            eprintln!("skipped: this kernel has no Landlock");
            return;
        }
        let thread = std::thread::spawn(move || {
            let status = landlocked(&access).unwrap();
            assert_ne!(status.ruleset, landlock::RulesetStatus::NotEnforced);
            test();
        });
        thread.join().unwrap();
    }

    #[test]
    fn files_are_written_in_the_named_folders_only() {
        let (inside, outside) = (Folder::new(), Folder::new());
        let old = outside.write("old", "text");
        let (to, other) = (inside.path().to_owned(), outside.path().to_owned());
        // A folder that will be made, below one that exists.
        restricted(Access::folder(&to.join("a/b")), move || {
            fs::create_dir_all(to.join("a/b")).unwrap();
            fs::write(to.join("a/b/part"), "text").unwrap();
            fs::write(to.join("a/b/new"), "old").unwrap();
            fs::rename(to.join("a/b/part"), to.join("a/b/new")).unwrap();
            assert_eq!(fs::read_to_string(to.join("a/b/new")).unwrap(), "text");
            let denied = |error: std::io::Error| assert_eq!(error.kind(), ErrorKind::PermissionDenied);
            denied(fs::read(&old).unwrap_err());
            denied(fs::write(&old, "").unwrap_err());
            denied(fs::write(other.join("new"), "").unwrap_err());
            denied(fs::create_dir(other.join("folder")).unwrap_err());
            denied(fs::remove_file(&old).unwrap_err());
            denied(fs::rename(&old, other.join("renamed")).unwrap_err());
            denied(std::os::unix::fs::symlink("x", to.join("link")).unwrap_err());
            denied(Command::new("/bin/true").spawn().unwrap_err());
        });
        assert!(outside.files() == ["old"]);
    }

    #[test]
    fn files_are_read_where_they_are_named() {
        let (inside, outside) = (Folder::new(), Folder::new());
        let (named, other) = (inside.write("a/named", "text"), outside.write("secret", "text"));
        let beside = inside.write("a/b/beside", "text");
        let reads = reach::readable(&[named.clone().into()]);
        restricted(Access::reading(reads), move || {
            assert_eq!(fs::read_to_string(&named).unwrap() + &fs::read_to_string(&beside).unwrap(), "texttext");
            assert_eq!(fs::read(&other).unwrap_err().kind(), ErrorKind::PermissionDenied);
            assert!(fs::read("/etc/passwd").is_err());
            std::thread::available_parallelism().unwrap();
        });
    }

    #[test]
    fn the_root_folder_is_never_opened_for_writing() {
        let error = restrict(&Access::folder(Path::new("/")), Sandbox::Auto).unwrap_err();
        assert!(error.to_string().contains("root folder"), "{error}");
        let home = Folder::new();
        let deep = home.path().join("a/b");
        assert_eq!(existing(&deep).unwrap(), home.path(), "it is made by the subcommand");
    }

    #[test]
    fn a_server_is_reached_only_where_one_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        restricted(Access::network(true), move || {
            TcpStream::connect(to).unwrap();
        });
        let has_rules = |status| matches!(status, landlock::LandlockStatus::Available { effective_abi, .. } if effective_abi >= landlock::ABI::V4);
        if !status().is_some_and(has_rules) {
            eprintln!("skipped: Landlock of this kernel has no rules for TCP");
            return;
        }
        restricted(Access::default(), move || {
            assert_eq!(TcpStream::connect(to).unwrap_err().kind(), ErrorKind::PermissionDenied);
            assert_eq!(TcpListener::bind("127.0.0.1:0").unwrap_err().kind(), ErrorKind::PermissionDenied);
        });
    }
}
