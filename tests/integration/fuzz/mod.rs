//! Arbitrary bytes: the seeds of every fuzz target and mutations of them, in bounded time and memory. `fuzz/` has the same targets
//! for libFuzzer.

mod keys;
mod mutate;
mod printed_places;
mod seeds;
mod structure;
mod targets;
mod texts;
mod walk;

use std::time::{Duration, Instant};

use self::mutate::Mutator;
use self::seeds::Seeds;
use self::targets::{TARGETS, Target};
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

/// The seeds of archives reach their content: a wrong CRC-32 or size would stop every mutation of them.
#[test]
fn seeds_of_archives_unpack() {
    use pdblens::formats::container::{assembly_store, tar, wrapped, zip};
    let seeds = Seeds::collect(&repository(""));
    let list = |seed: &Vec<u8>| match tar::is_tar(seed) {
        true => tar::list(seed).unwrap(),
        false => zip::list(std::io::Cursor::new(seed.clone())).unwrap(),
    };
    let listed: Vec<_> = seeds
        .of("archives")
        .into_iter()
        .filter(|seed| zip::is_zip(seed) || tar::is_tar(seed))
        .flat_map(|seed| list(&seed).into_iter().map(move |e| (seed.clone(), e)))
        .map(|(seed, entry)| entry.unpack(seed[entry.offset as usize..][..entry.packed as usize].to_vec()))
        .collect();
    assert_eq!(listed, [Ok(b"twelve bytes".to_vec()), Ok(b"twelve bytes".to_vec())]);
    let all = seeds.of("archives");
    let unwrapped = all.iter().filter(|seed| matches!(wrapped::unwrap(seed), Some(Ok(_)))).count();
    assert_eq!(unwrapped, 5, "XALZ, a cabinet, a Webcil module, a Webcil payload, MSFZ");
    let stores = all.iter().filter_map(|seed| assembly_store::list(seed, assembly_store::find(seed)?, "").ok());
    assert_eq!(stores.map(|entries| entries.len()).collect::<Vec<_>>(), [2], "an image and its PDB");
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
    for target in TARGETS {
        let path = format!("fuzz_targets/{}.rs", target.name);
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
