//! Commands where the system refuses threads: the same answer from fewer of them.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Any user that is not root, to whom limits apply.
const OTHER_USER: u32 = 65_534;

/// Runs a command in a folder, as a user who may have one thread only.
fn run_alone(program: &Path, folder: &Folder, args: &[&str]) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", "ulimit -u 1 && exec \"$0\" \"$@\""]).arg(program).args(args).current_dir(folder.path());
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(OTHER_USER);
    }
    command.output().unwrap()
}

#[test]
fn a_command_without_threads_answers_as_with_them() {
    let folder = Folder::new();
    let image = std::fs::read(repository("assets/samples/warehouse/Acme.Warehouse.dll")).unwrap();
    let symbols = std::fs::read(repository("assets/samples/warehouse/Acme.Warehouse.pdb")).unwrap();
    for name in ["A", "B"] {
        folder.write(&format!("{name}.dll"), image.clone());
        folder.write(&format!("{name}.pdb"), symbols.clone());
    }
    // Where the tests were built, another user may not look.
    let program = folder.path().join("pdblens");
    std::fs::copy(env!("CARGO_BIN_EXE_pdblens"), &program).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let commands: [&[&str]; 5] = [
        &["check", "A.dll"],
        &["dump", "--json", "A.dll"],
        &["points", "A.dll", "B.dll"],
        &["check", "A.dll", "B.dll"],
        &["find", "A.dll", "--symbols", "srv*http://127.0.0.1:9"],
    ];
    for args in commands {
        let with = Command::new(&program).args(args).current_dir(folder.path()).output().unwrap();
        let without = run_alone(&program, &folder, args);
        assert!(with.status.success(), "{args:?}: {}", String::from_utf8_lossy(&with.stderr));
        assert!(without.status.success(), "{args:?}: {}", String::from_utf8_lossy(&without.stderr));
        assert!(with.stdout == without.stdout, "{args:?}");
    }
}
