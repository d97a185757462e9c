//! Progress of `check`: shown on a terminal alone, and gone at the end.

use std::fs;
use std::path::Path;

use super::harness::{PDBLENS, Session};
use crate::support::folder::Folder;

/// Pairs of the folder: their check takes longer than the time for which no progress is shown.
const PAIRS: usize = 1500;

fn many() -> Folder {
    let (folder, sample) = (Folder::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/workshop"));
    for name in ["Workshop.dll", "Workshop.pdb"] {
        let first = folder.write(&format!("bin/0/{name}"), fs::read(sample.join(name)).unwrap());
        for number in 1..PAIRS {
            let other = folder.path().join(format!("bin/{number}/{name}"));
            fs::create_dir_all(other.parent().unwrap()).unwrap();
            fs::hard_link(&first, other).unwrap();
        }
    }
    folder
}

/// Everything that a command of a shell writes on a terminal, in a folder of many pairs.
fn check(folder: &Folder, script: &str) -> String {
    let script = format!("cd \"$2\" && {script}");
    let folder = folder.path().display().to_string();
    String::from_utf8(Session::output(&script, &[PDBLENS, &folder])).unwrap()
}

/// Returns whether a text has a state of the progress.
fn has_progress(text: &str) -> bool {
    text.split("checked ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[test]
fn a_check_of_many_shows_its_progress_on_a_terminal_and_takes_it_away() {
    let folder = many();
    for script in ["CI= \"$1\" check bin", "CI= \"$1\" check bin --json >/dev/null"] {
        let raw = check(&folder, script);
        assert!(has_progress(&raw), "{script}: {raw}");
        let mut screen = vt100::Parser::new(40.try_into().unwrap(), 120.try_into().unwrap(), 10_000);
        screen.process(raw.as_bytes());
        let left = screen.screen().contents();
        assert!(!has_progress(&left), "{script}: {left}");
        // A state that was not erased would begin a line of the report.
        let after = raw.split("checked ").skip(1).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_erased = |rest: &str| rest.find('\r').is_some_and(|at| rest[at..].starts_with("\r\x1b[K"));
        assert!(after.clone().all(is_erased), "{script}: {raw}");
    }
}

#[test]
fn pipes_files_and_build_servers_get_no_progress() {
    let folder = many();
    for script in [
        "CI=true \"$1\" check bin",
        "CI= TERM=dumb \"$1\" check bin",
        "CI= \"$1\" check bin 2>errors >/dev/null; cat errors",
        "CI= \"$1\" check bin 2>&1 | cat",
    ] {
        let raw = check(&folder, script);
        assert!(!has_progress(&raw) && !raw.contains("\x1b[K"), "{script}: {raw}");
    }
}
