//! A sandbox around a subcommand, which reads hostile files: Landlock, where the kernel of Linux has it.
//!
//! What a subcommand writes is known once its arguments are parsed, so everything else is denied before the first file is opened. Reading
//! stays allowed: the sources of a PDB are looked for at the paths that it contains. The screens are not
//! restricted: an editor would be, too.

use std::path::{Path, PathBuf};

/// Needs of a subcommand besides reading files and printing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Access {
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

    /// Every access, where a program of the user is run.
    pub(super) fn program(is_run: bool) -> Self {
        Self { program: is_run, ..Self::default() }
    }

    pub(super) fn folder(folder: &Path) -> Self {
        Self { folders: vec![folder.to_owned()], ..Self::default() }
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
        Self { folders: self.folders, network: self.network || other.network, program: self.program || other.program }
    }
}

/// Restricts this thread, and those that it starts, to `access`. Does what the kernel can do, and nothing where it has no Landlock.
#[cfg(target_os = "linux")]
pub(super) fn restrict(access: &Access) {
    if access.program {
        return;
    }
    // A rule that cannot be made denies more, and a ruleset that cannot be made denies nothing.
    let _ = landlocked(access);
}

/// Does nothing: the system has no Landlock.
#[cfg(not(target_os = "linux"))]
pub(super) fn restrict(_access: &Access) {}

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
        .handle_access(AccessFs::from_write(NEWEST) | AccessFs::Execute)?
        .scope(Scope::from_all(NEWEST))?;
    if !access.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let folders = access.folders.iter().map(|folder| existing(folder));
    ruleset.create()?.add_rules(path_beneath_rules(folders, written))?.restrict_self()
}

/// The folder, or the nearest one above it that exists: it will be made there.
#[cfg(target_os = "linux")]
fn existing(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or_else(|| Path::new("."))
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
            assert_eq!(fs::read_to_string(&old).unwrap(), "text");
            let denied = |error: std::io::Error| assert_eq!(error.kind(), ErrorKind::PermissionDenied);
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
