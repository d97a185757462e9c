//! Memory that commands take: the files and 64 MB, whatever the number of methods.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::folder::Folder;
use crate::support::synth::{Recipe, is_thorough};

/// Memory besides the files.
const MOST: u64 = 64 << 20;

/// Runs a command, and prints its processor time in seconds and the most memory that it had at once, in kilobytes.
const MEASURE: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)";

/// Processor time of a command in seconds, and its high-water mark in bytes; `None` where Python is not at hand.
pub(crate) fn usage(folder: &Path, words: &[&str]) -> Option<(f64, u64)> {
    let mut python = Command::new("python3");
    python.args(["-c", MEASURE, env!("CARGO_BIN_EXE_pdblens")]).args(words).current_dir(folder);
    let said = String::from_utf8(python.stdin(Stdio::null()).output().ok()?.stdout).ok()?;
    let (seconds, kilobytes) = said.trim().split_once(' ')?;
    Some((seconds.parse().ok()?, kilobytes.parse::<u64>().ok()? * 1024))
}

#[test]
fn commands_take_the_files_and_64_megabytes() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = Folder::new();
    let pair = Recipe::of(if is_thorough() { 100_000 } else { 20_000 }).pair();
    let files = (pair.image.len() + pair.pdb.len()) as u64;
    folder.write("A/Synth.dll", &pair.image);
    folder.write("A/Synth.pdb", &pair.pdb);
    folder.write("B/Synth.dll", &pair.image);
    // The last bytes of #Blob are points of the last methods.
    let (mut changed, at) = (pair.pdb, pair.pdb_at.stream("#Blob").bytes.end - 64);
    changed[at] ^= 1;
    folder.write("B/Synth.pdb", &changed);
    let image = "A/Synth.dll";
    let commands: [(&[&str], u64); 7] = [
        (&["info", image], files),
        (&["check", image], files),
        (&["dump", image], files),
        (&["methods", image], files),
        (&["quality", image], files),
        (&["used-by", image, "0x06000001"], files),
        (&["diff", image, "B/Synth.dll"], files * 2),
    ];
    for (words, files) in commands {
        let Some((_, mark)) = usage(folder.path(), words) else {
            eprintln!("skipped: no python3");
            return;
        };
        eprintln!("{words:?}: {} MB, the files {} MB", mark >> 20, files >> 20);
        assert!(mark <= files + MOST, "{words:?}: {mark} bytes, the files {files}");
    }
}
