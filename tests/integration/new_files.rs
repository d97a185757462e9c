//! The writer of files: what `-o`, `--extract` and caches do to what is there already.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use crate::support::folder::Folder;
use crate::support::samples::repository;

fn pdblens(args: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).output().unwrap()
}

fn dump(file: &Path, to: &Path, more: &[&str]) -> Result<(), String> {
    let mut args = vec![OsStr::new("dump"), file.as_os_str(), OsStr::new("-o"), to.as_os_str()];
    args.extend(more.iter().map(OsStr::new));
    let output = pdblens(&args);
    if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr).unwrap()) }
}

#[test]
fn an_existing_file_stays_without_force() {
    let folder = Folder::new();
    let (file, to) = (repository("assets/samples/ticker/Ticker.dll"), folder.write("all.json", "mine"));
    assert!(dump(&file, &to, &[]).unwrap_err().contains("the file exists: --force replaces it"));
    assert_eq!(std::fs::read(&to).unwrap(), b"mine");
    dump(&file, &to, &["--force"]).unwrap();
    assert!(std::fs::read_to_string(&to).unwrap().starts_with('{'));
    assert_eq!(folder.files(), ["all.json"]);
}

#[test]
fn an_input_is_never_written_to() {
    let folder = Folder::new();
    let bytes = std::fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap();
    let pdb = std::fs::read(repository("assets/samples/ticker/Ticker.pdb")).unwrap();
    let (file, partner) = (folder.write("Ticker.dll", &bytes), folder.write("Ticker.pdb", &pdb));
    for to in [&file, &partner] {
        assert!(dump(&file, to, &["--force"]).unwrap_err().contains("one of the inputs"));
    }
    #[cfg(unix)]
    {
        let link = folder.path().join("hard");
        std::fs::hard_link(&file, &link).unwrap();
        assert!(dump(&file, &link, &["--force"]).unwrap_err().contains("one of the inputs"));
    }
    assert!(std::fs::read(&file).unwrap() == bytes && std::fs::read(&partner).unwrap() == pdb);
}

/// A failed command leaves neither a part nor an empty file.
#[test]
fn nothing_is_left_of_a_file_that_fails() {
    let folder = Folder::new();
    let file = repository("assets/samples/ticker/Ticker.dll");
    let to = folder.path().join("out");
    let args = ["dump".as_ref(), file.as_os_str(), "method/999".as_ref(), "-o".as_ref(), to.as_os_str()];
    assert!(!pdblens(&args).status.success());
    assert_eq!(folder.files(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_devices_and_folders_are_refused() {
    let folder = Folder::new();
    let (file, target) = (repository("assets/samples/ticker/Ticker.dll"), folder.write("target", "mine"));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(dump(&file, &link, &["--force"]).unwrap_err().contains("symbolic links are not followed"));
    assert!(dump(&file, folder.path(), &["--force"]).unwrap_err().contains("not a regular file"));
    assert!(dump(&file, Path::new("/dev/null"), &["--force"]).unwrap_err().contains("not a regular file"));
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn links_inside_a_folder_of_sources_are_not_followed() {
    let folder = Folder::new();
    let elsewhere = Folder::new();
    let file = repository("assets/samples/workshop-embedded/Workshop.dll");
    let args = ["sources".as_ref(), file.as_os_str(), "--extract".as_ref(), folder.path().as_os_str()];
    assert!(pdblens(&args).status.success());
    let first = folder.files()[0].clone();
    // A file that was changed stays, and --force replaces it.
    let original = std::fs::read(folder.path().join(&first)).unwrap();
    folder.write(&first, "mine");
    assert!(!pdblens(&args).status.success());
    assert_eq!(std::fs::read(folder.path().join(&first)).unwrap(), b"mine");
    let forced: Vec<&OsStr> = args.iter().copied().chain([OsStr::new("--force")]).collect();
    assert!(pdblens(&forced).status.success());
    assert_eq!(std::fs::read(folder.path().join(&first)).unwrap(), original);
    // A folder that became a link leads nowhere.
    let step = folder.path().join(first.split('/').next().unwrap());
    std::fs::remove_dir_all(&step).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), &step).unwrap();
    assert!(!pdblens(&forced).status.success());
    assert_eq!(elsewhere.files(), [""; 0]);
}

/// A file of this age, in seconds.
fn aged(folder: &Folder, name: &str, age: u64) {
    let file = std::fs::File::options().write(true).open(folder.write(name, "text")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
}

#[test]
fn temporary_files_that_a_crash_left_are_removed() {
    let folder = Folder::new();
    let (hour, day) = (60 * 60, 25 * 60 * 60);
    aged(&folder, ".pdblens-0123456789abcdef.part", day);
    aged(&folder, ".pdblens-fedcba9876543210.part", hour);
    aged(&folder, "other.part", day);
    dump(&repository("assets/samples/ticker/Ticker.dll"), &folder.path().join("new"), &[]).unwrap();
    assert_eq!(folder.files(), [".pdblens-fedcba9876543210.part", "new", "other.part"]);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_of_an_unfinished_file() {
    use std::os::unix::process::ExitStatusExt;

    let image = repository("assets/samples/warehouse/Acme.Warehouse.dll");
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let folder = Folder::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.arg("dump").arg(&image).arg("-o").arg(folder.path().join("new"));
        let mut child = command.spawn().unwrap();
        while folder.files().is_empty() {
            assert!(child.try_wait().unwrap().is_none(), "it ended too early");
            std::thread::sleep(Duration::from_millis(1));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert_eq!(folder.files(), [""; 0]);
    }
}
