//! Arbitrary bytes: the seeds of every fuzz target and mutations of them, in bounded time and memory. `fuzz/` has the same targets
//! for libFuzzer.

mod keys;
mod mutate;
mod printed_places;
mod question;
mod seeds;
mod structure;
pub mod targets;
mod walk;

use std::time::{Duration, Instant};

use self::mutate::Mutator;
use self::seeds::Seeds;
use self::targets::{TARGETS, Target};
use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Time for the mutations of one target, unless `PDBLENS_FUZZ` gives seconds for all of them, or `PDBLENS_FUZZ_TARGET` names one.
const TIME: Duration = if cfg!(debug_assertions) { Duration::from_millis(300) } else { Duration::from_secs(3) };
/// Longest time of one input. Most take microseconds.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Runs one input; a panic or a slow answer names the target and the bytes.
fn run(target: &Target, input: &[u8]) {
    let started = Instant::now();
    let outcome = std::panic::catch_unwind(|| (target.run)(input));
    let slow = started.elapsed() > MAX_TIME;
    if outcome.is_err() || slow {
        let path = std::env::temp_dir().join(format!("pdblens-{}-{:?}", target.name, started.elapsed()));
        std::fs::write(&path, input).unwrap();
        let what = if slow { "no answer in time" } else { "panic" };
        panic!("{}: {what} on {} (PDBLENS_FUZZ_SEED={})", target.name, path.display(), random_seed());
    }
}

/// Random seed of the mutations: `PDBLENS_FUZZ_SEED`, or a fixed one.
fn random_seed() -> u64 {
    std::env::var("PDBLENS_FUZZ_SEED").map_or(0x5eed, |seed| seed.parse().expect("a number"))
}

/// The targets that are asked for, and the time that each has.
fn asked() -> (Vec<&'static Target>, Duration) {
    let name = std::env::var("PDBLENS_FUZZ_TARGET").ok();
    let targets: Vec<&Target> =
        TARGETS.iter().filter(|target| name.as_ref().is_none_or(|name| name == target.name)).collect();
    assert!(!targets.is_empty(), "no target is called {name:?}");
    let seconds = std::env::var("PDBLENS_FUZZ").ok().map(|seconds| seconds.parse::<u32>().expect("whole seconds"));
    let time = seconds.map_or(TIME, |all| Duration::from_secs(all.into()) / targets.len() as u32);
    (targets, time)
}

#[test]
fn seeds_and_their_mutations_are_read_or_refused() {
    let seeds = Seeds::collect(&repository(""));
    let (targets, time) = asked();
    println!("PDBLENS_FUZZ_SEED={}", random_seed());
    for target in targets {
        let seeds = seeds.of(target.name);
        assert!(!seeds[0].is_empty() || seeds.len() > 1, "no seeds for {}", target.name);
        for seed in &seeds {
            run(target, &seed[..seed.len().min(target.max_len)]);
        }
        let (started, mut mutator) =
            (Instant::now(), Mutator::new(&seeds, target.max_len, target.shape, random_seed()));
        let mut executions = seeds.len();
        while started.elapsed() < time {
            run(target, mutator.next_input());
            executions += 1;
        }
        println!("{}: {executions} executions", target.name);
    }
    assert_memory_is_bounded();
}

/// Whole questions, asked of the program: an exit code of its own, within the time, and a sentence where there is no answer.
#[test]
fn questions_about_seeds_and_their_mutations_are_answered_or_refused() {
    let seeds = Seeds::collect(&repository("")).of("question");
    let folder = Folder::new();
    let time = std::env::var("PDBLENS_FUZZ").map_or(TIME * 10, |_| asked().1);
    let (started, mut mutator) = (Instant::now(), Mutator::new(&seeds, 1 << 17, structure::Shape::Pair, random_seed()));
    let mut executions = 0;
    while started.elapsed() < time {
        let input = if executions % 2 == 0 {
            seeds[executions * 37 % seeds.len()].clone()
        } else {
            mutator.next_input().to_vec()
        };
        let words = question::words(&input, folder.path());
        // An argument of a process has no NUL.
        let words = words.into_iter().map(|word| word.replace('\0', ""));
        // The root has all files of the machine: how long they take says nothing about the program.
        let is_root = |word: &str| !word.is_empty() && word.trim_matches('/').is_empty();
        let below = |word: String| if is_root(&word) { folder.path().display().to_string() } else { word };
        let words: Vec<String> = words.map(below).collect();
        let began = Instant::now();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pdblens")).args(&words).output().unwrap();
        let (code, said) = (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
        // `check` reports a file that cannot be read among its answers, with exit code 1.
        let reported = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_reported = ["cannot be read", "it begins like an image, but", "this is an empty file"]
            .iter()
            .any(|part| reported.contains(part));
        let is_refused = said.contains("error: ") || code == Some(1) && is_reported;
        let is_answer = matches!(code, Some(0 | 3)) || matches!(code, Some(1 | 2)) && is_refused;
        let is_plain = is_answer && !said.contains("panicked") && began.elapsed() < MAX_TIME;
        if !is_plain {
            let kept = std::env::temp_dir().join("pdblens-question");
            std::fs::write(&kept, &input).unwrap();
            let (took, seed) = (began.elapsed(), random_seed());
            panic!(
                "{words:?}: {code:?} after {took:?}, input in {} (PDBLENS_FUZZ_SEED={seed})\n{said}",
                kept.display()
            );
        }
        executions += 1;
    }
    println!("question: {executions} executions");
}

/// Inputs that failed once, by target.
#[test]
fn inputs_that_failed_once_do_not_fail_again() {
    for target in TARGETS {
        let folder = repository("tests/integration/fuzz/found").join(target.name);
        for file in std::fs::read_dir(folder).into_iter().flatten() {
            run(target, &std::fs::read(file.unwrap().path()).unwrap());
        }
    }
}

/// Each target has its file and its line in `fuzz/`.
#[test]
fn every_target_has_its_libfuzzer_binary() {
    if !repository("fuzz").is_dir() {
        return; // The package of the crate is without it.
    }
    let manifest = std::fs::read_to_string(repository("fuzz/Cargo.toml")).unwrap();
    for name in TARGETS.iter().map(|target| target.name).chain(["question"]) {
        let path = format!("fuzz_targets/{name}.rs");
        assert!(manifest.contains(&format!("path = \"{path}\"")), "{path} is not in fuzz/Cargo.toml");
        assert!(repository("fuzz").join(path).is_file());
    }
    // Cargo refuses binaries with the name of a build directory, such as `deps`: no target would build.
    let cargo = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1", "--manifest-path"])
        .arg(repository("fuzz/Cargo.toml"))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
}

#[cfg(target_os = "linux")]
fn assert_memory_is_bounded() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 1 << 20, "{} MB", kilobytes >> 10);
}

#[cfg(not(target_os = "linux"))]
fn assert_memory_is_bounded() {}
