//! Faults as a law: the k-th thread, open, read, write or rename of a subcommand fails, by strace, or the k-th limit of its budgets is 0.
//! It ends with an exit code of its own and a sentence, and leaves no half file.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use pdblens::cli::{Asked, Exit, run_from};
use pdblens::formats::bytes::refuse_limit;

use crate::support::folder::Folder;
use crate::support::synth::is_thorough;
use crate::traced::{COMMANDS, samples};

/// System calls, the error that they fail with, and whether only those on files of the working folder do: the dynamic linker reads, too.
const FAULTS: &[(&str, &str, bool)] = &[
    ("clone,clone3", "EAGAIN", false),
    ("openat", "EMFILE", true),
    ("read,pread64", "EIO", true),
    ("write", "ENOSPC", false),
    ("fsync", "EIO", false),
    ("rename,renameat,renameat2", "EIO", false),
];

/// Runs a subcommand with a fault; returns its output and the lines of the calls that failed.
fn faulted(folder: &Path, words: &[&str], fault: (&str, &str, bool), number: usize) -> (Output, Vec<String>) {
    let log = folder.join(".strace");
    let (calls, error, is_of_folder) = fault;
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(&log).args(["-e", &format!("trace={calls}")]);
    strace.args(["-e", &format!("inject={calls}:error={error}:when={number}")]);
    if is_of_folder {
        for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
        {
            strace.arg("-P").arg(file);
        }
    }
    let output = strace.arg(env!("CARGO_BIN_EXE_pdblens")).args(words).current_dir(folder).output().unwrap();
    let lines = std::fs::read_to_string(&log).unwrap_or_default();
    std::fs::remove_file(&log).unwrap();
    (output, lines.lines().filter(|line| line.contains("(INJECTED)")).map(str::to_owned).collect())
}

/// Files that a subcommand has written.
fn written(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(here) = folders.pop() {
        for path in std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().display().to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn check(command: &str, fault: (&str, &str, bool), number: usize, whole: &BTreeMap<String, Vec<u8>>) -> bool {
    let folder = prepared(command);
    let words: Vec<&str> = command.split(' ').collect();
    let (output, failed) = faulted(folder.path(), &words, fault, number);
    let said = String::from_utf8_lossy(&output.stderr);
    let what = format!("{command}: call {number} of {} fails with {}: {failed:?}\n{said}", fault.0, fault.1);
    let Some(code @ 0..=3) = output.status.code() else { panic!("{:?} {what}", output.status) };
    assert!(!said.contains("panicked"), "{what}");
    let is_message_lost = failed.iter().any(|call| call.contains("write(2,"));
    // Commands about several files say of each what became of it, on standard output.
    let answer = String::from_utf8_lossy(&output.stdout);
    let is_answered = ["(os error ", "cannot be read"].iter().any(|sentence| answer.contains(sentence));
    let is_told = is_message_lost || said.contains("error: ") || is_answered;
    assert!(is_told || matches!(code, 0 | 3), "{code} without a sentence: {what}{answer}");
    if failed.iter().any(|call| call.contains("write(1,")) {
        assert_eq!(code, 1, "an answer that was not printed whole: {what}");
    }
    for (name, bytes) in written(folder.path()) {
        assert!(whole.get(&name) == Some(&bytes), "{name} is no file of the whole answer: {what}");
    }
    !failed.is_empty()
}

/// A folder in which a subcommand can run alone.
fn prepared(command: &str) -> Folder {
    let folder = samples();
    if command.starts_with("course check") {
        let start = "course start out/course --language python Ticker.dll";
        let done =
            Command::new(env!("CARGO_BIN_EXE_pdblens")).args(start.split(' ')).current_dir(folder.path()).output();
        assert!(done.unwrap().status.success());
    }
    folder
}

#[test]
#[cfg(target_os = "linux")]
fn a_call_that_fails_is_a_sentence_and_leaves_no_half_file() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("skipped: strace is not installed");
        return;
    }
    let most = if is_thorough() { 24 } else { 1 };
    let work = std::sync::Mutex::new(COMMANDS.iter());
    let next = || work.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(command) = next() {
                    let folder = prepared(command);
                    let words: Vec<&str> = command.split(' ').collect();
                    Command::new(env!("CARGO_BIN_EXE_pdblens"))
                        .args(words)
                        .current_dir(folder.path())
                        .output()
                        .unwrap();
                    let whole = written(folder.path());
                    for fault in FAULTS {
                        // Each of the first calls, then one in four.
                        let mut numbers = (1..=most).filter(|number| *number <= 8 || number % 4 == 0);
                        while numbers.next().is_some_and(|number| check(command, *fault, number, &whole)) {}
                    }
                }
            });
        }
    });
}

/// Variable with the number of a limit and the words of a subcommand, for the process that asks for it.
const REFUSED: &str = "PDBLENS_TEST_REFUSED";
/// Added to the exit code of a subcommand that asks for fewer limits.
const NONE_REFUSED: i32 = 16;

/// Runs a subcommand in this process, which it ends, if it was started for that.
#[test]
fn a_process_of_its_own_with_a_refused_limit() {
    let Ok(words) = std::env::var(REFUSED) else { return };
    let (number, words) = words.split_once(' ').unwrap();
    refuse_limit(number.parse().unwrap());
    let words = ["pdblens", "--sandbox=off"].into_iter().chain(words.split(' '));
    let Asked::Done(exit) = run_from(words.map(Into::into).collect(), Vec::new) else { panic!("the screens") };
    let code = match exit {
        Exit::Done => 0,
        Exit::Failed => 1,
        Exit::Usage => 2,
        Exit::Findings => 3,
    };
    std::process::exit(if refuse_limit(0) > 0 { code + NONE_REFUSED } else { code });
}

/// Exit code, answer, what was told, and files.
type Refused = (i32, String, String, BTreeMap<String, Vec<u8>>);

/// Answer and files of a subcommand whose limit of this number is 0; `None` if it asks for fewer.
fn refused(command: &str, number: u64) -> Option<Refused> {
    let folder = prepared(command);
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "faults::a_process_of_its_own_with_a_refused_limit", "--nocapture"]);
    child.env(REFUSED, format!("{number} {command}")).current_dir(folder.path());
    let output = child.output().unwrap();
    let place = folder.path().display().to_string();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "FOLDER");
    let (answer, said) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap_or_else(|| panic!("{command}: {:?}\n{said}", output.status));
    assert!(code <= 3 + NONE_REFUSED && !said.contains("panicked"), "{command}, limit {number}: {code}\n{said}");
    let is_refused = code < NONE_REFUSED || number == 0;
    is_refused.then(|| (code, answer, said, written(folder.path())))
}

#[test]
fn a_limit_of_nothing_is_a_sentence_and_no_answer_that_looks_whole() {
    for command in COMMANDS {
        let (_, whole, _, files) = refused(command, 0).unwrap();
        let mut number = 1;
        while let Some((code, answer, said, written)) = refused(command, number) {
            let what = format!("{command}, limit {number}: {code}\n{answer}\n{said}");
            if answer != whole || written != files {
                let has = |part: &&str| said.contains(*part) || answer.contains(*part);
                let is_told = ["error: ", "left out", "exceeds the limit"].iter().any(has);
                // A document has the finding itself, and the list of lists counts it.
                let is_finding = ["too much data", "1 finding,"].iter().any(|part| answer.contains(part));
                assert!(is_finding || code != 0 && is_told, "an answer that is not whole: {what}");
            }
            let json =
                written.iter().filter(|(name, _)| Path::new(name).extension().is_some_and(|kind| kind == "json"));
            for (name, bytes) in json {
                assert!(serde_json::from_slice::<serde_json::Value>(bytes).is_ok(), "{name}: {what}");
            }
            number = if is_thorough() { (number + 1).max(number * 3 / 2) } else { number * 8 };
        }
    }
}
