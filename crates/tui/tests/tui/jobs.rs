//! The sixteen jobs that people open the screens for, each as a script of keys: what shows in the end, with how many keys.
//!
//! A typed or pasted text counts as one key. Nothing here needs help.

use std::path::PathBuf;

use crate::harness::{Screen, sample};
use crate::views::TRACE;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

/// A job: its letter, the files, the place where it begins, the keys, their number at most, and what shows in the end.
struct Job {
    letter: char,
    files: &'static [&'static str],
    at: &'static str,
    keys: &'static str,
    most: usize,
    shows: &'static [&'static str],
}

const TICKER: &[&str] = &["ticker-embedded/Ticker.dll"];
const WORKSHOP: &[&str] = &["workshop/Workshop.dll"];

const JOBS: &[Job] = &[
    Job {
        letter: 'a',
        files: &["ticker/Ticker.dll", "ticker-release/Ticker.pdb"],
        at: "",
        keys: "",
        most: 0,
        shows: &["does not match", "use it", "symbol path"],
    },
    Job { letter: 'a', files: TICKER, at: "", keys: "", most: 0, shows: &["is the right PDB", "Breakpoints stop"] },
    Job {
        letter: 'b',
        files: TICKER,
        at: "",
        keys: "o \"Clock.Since+0xF\" enter",
        most: 3,
        shows: &["point 4", "4/5 · 26 bytes"],
    },
    Job { letter: 'c', files: TICKER, at: "", keys: "o \"Clock.cs 12\"", most: 3, shows: &["● ", "Clock.Since"] },
    Job { letter: 'd', files: TICKER, at: "", keys: "4 PASTE", most: 2, shows: &["frames resolved", "Clock.cs"] },
    Job { letter: 'e', files: WORKSHOP, at: "", keys: "3", most: 1, shows: &["Scopes"] },
    Job { letter: 'f', files: TICKER, at: "method/0x06000003", keys: "r", most: 1, shows: &["call", "Program"] },
    Job { letter: 'f', files: WORKSHOP, at: "", keys: "2 t", most: 2, shows: &["by type"] },
    Job {
        letter: 'g',
        files: WORKSHOP,
        at: "table/MethodDebugInformation/1",
        keys: "right enter backspace",
        most: 6,
        shows: &["Document", "Columns.cs"],
    },
    Job {
        letter: 'h',
        files: WORKSHOP,
        at: "",
        keys: "d \"RELEASE\" enter",
        most: 3,
        shows: &["33 methods differ", "Columns.Mixed(string)"],
    },
    Job { letter: 'i', files: WORKSHOP, at: "", keys: "o \"file 0x238\" enter", most: 3, shows: &["0x000238"] },
    Job { letter: 'j', files: TICKER, at: "", keys: "O \"WORKSHOP\" enter", most: 3, shows: &["Workshop.dll"] },
    Job {
        letter: 'k',
        files: &["workshop-embedded/Workshop.dll"],
        at: "",
        keys: "/ \"yield\" tab",
        most: 3,
        shows: &["Find in all sources", "yield"],
    },
    Job {
        letter: 'l',
        files: WORKSHOP,
        at: "table/CustomDebugInformation/1",
        keys: "& \"EncLocalSlotMap\" enter",
        most: 3,
        shows: &["& EncLocalSlotMap"],
    },
    Job {
        letter: 'm',
        files: &["ticker/Ticker.dll"],
        at: "method/0x06000003",
        keys: "w enter",
        most: 2,
        shows: &["Refused points", "Since(long)"],
    },
    Job { letter: 'n', files: WORKSHOP, at: "", keys: "d \"RELEASE\" enter", most: 3, shows: &["5Compare"] },
    Job {
        letter: 'o',
        files: WORKSHOP,
        at: "",
        keys: "o \"Parts.first\" enter r",
        most: 4,
        shows: &["reads 1   writes 1", "first + second"],
    },
];

/// Keys of a script; a typed text is one.
fn count(script: &str) -> usize {
    let parts = script.split('"').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { 1 } else { part.split_whitespace().count() }).sum()
}

#[test]
fn every_job_takes_no_more_keys_than_its_aim() {
    let mut failed = Vec::new();
    for job in JOBS {
        let keys = count(job.keys);
        let files: Vec<PathBuf> = job.files.iter().map(|file| sample(file)).collect();
        let at = Some(job.at.to_owned()).filter(|at| !at.is_empty());
        let mut screen = Screen::with(Options { files, at, ..Options::default() }, Config::default(), "dark", 120, 40);
        let path = |file: &str| sample(file).display().to_string();
        let script = job.keys.replace("RELEASE", &path("workshop-release/Workshop.dll"));
        let script = script.replace("WORKSHOP", &path("workshop/Workshop.dll"));
        match script.split_once("PASTE") {
            Some((before, _)) => screen.keys(before).paste(TRACE),
            None => screen.keys(&script),
        };
        let seen = screen.text();
        let missing: Vec<_> = job.shows.iter().filter(|text| !seen.contains(**text)).collect();
        if !missing.is_empty() || keys > job.most {
            failed.push(format!("job {}, {keys} of {} keys, misses {missing:?}:\n{seen}", job.letter, job.most));
        }
        println!("job {}: {keys} of at most {} keys", job.letter, job.most);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn a_folder_of_many_files_is_sorted_out_without_a_key() {
    let files = vec![sample("")];
    let screen = Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", 120, 40);
    let seen = screen.text();
    assert!(["with their PDB", "mismatch", "preview"].iter().all(|text| seen.contains(text)), "{seen}");
}
