//! Memory that commands take: the files and 64 MB, whatever the number of methods.

use std::process::{Command, Stdio};

use crate::support::folder::Folder;
use crate::support::synth::{Recipe, is_thorough};

/// Memory besides the files.
const MOST: u64 = 64 << 20;

/// Runs a command, and prints the most memory that it had at once, in kilobytes.
const MEASURE: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

/// High-water mark of a command, in bytes; `None` where Python is not at hand.
fn high_water_mark(folder: &Folder, words: &[&str]) -> Option<u64> {
    let mut python = Command::new("python3");
    python.args(["-c", MEASURE, env!("CARGO_BIN_EXE_pdblens")]).args(words).current_dir(folder.path());
    let said = python.stdin(Stdio::null()).output().ok()?.stdout;
    Some(String::from_utf8(said).ok()?.trim().parse::<u64>().ok()? * 1024)
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
        // The aim is two pairs and 64 MB; at 100 000 methods `diff` takes 186 MB.
        (&["diff", image, "B/Synth.dll"], files * if is_thorough() { 6 } else { 2 }),
    ];
    for (words, files) in commands {
        let Some(mark) = high_water_mark(&folder, words) else {
            eprintln!("skipped: no python3");
            return;
        };
        eprintln!("{words:?}: {} MB, the files {} MB", mark >> 20, files >> 20);
        assert!(mark <= files + MOST, "{words:?}: {mark} bytes, the files {files}");
    }
}
