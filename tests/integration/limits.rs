//! Cost of hostile files, measured from outside: a process with 1 GB of address space opens each and prints everything.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use pdblens::bytes::{Resource, Span};
use pdblens::query::check::check;
use pdblens::query::document_counts::document_counts;
use pdblens::query::document_lines::{DocumentLines, document_lines};
use pdblens::query::search::Index;
use pdblens::session::Session;
use pdblens::source::SourceOptions;

use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::synth::{Recipe, malformed, malformed_msf, repeated, sparse};

/// Longest time of one command, in a debug build on a busy machine.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// Runs pdblens with `kilobytes` of address space.
fn confined(kilobytes: u64, args: &[&str]) -> Output {
    let started = Instant::now();
    let output = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\" | tail -c 4096"),
            env!("CARGO_BIN_EXE_pdblens"),
        ])
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(started.elapsed() < TIME_LIMIT, "{args:?}: {:?}", started.elapsed());
    output
}

/// Prints everything about `files` within 1 GB.
fn cheap(name: &str, files: &[&Path]) {
    let mut args = vec!["dump"];
    args.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = confined(1 << 20, &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("memory allocation") && !said.contains("panicked"), "{name}: {said}");
    assert!(!output.stdout.is_empty() || said.contains("error: "), "{name}: no answer, {said}");
}

#[test]
fn one_token_does_not_make_millions_of_methods() {
    let folder = Folder::new();
    let mut bytes = std::fs::read(repository("assets/samples/ticker-mono/Ticker.exe.mdb")).unwrap();
    let last = 0x0600_0003_u32.to_le_bytes();
    while let Some(at) = bytes.windows(4).position(|window| window == last) {
        bytes[at..at + 4].copy_from_slice(&0x06ff_ffff_u32.to_le_bytes());
    }
    let file = folder.write("Ticker.exe.mdb", &bytes);
    let started = Instant::now();
    cheap("token 0x06ffffff", &[&file]);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn hostile_files_never_cost_a_gigabyte() {
    let folder = Folder::new();
    let (image, pdb) = (folder.path().join("Synth.dll"), folder.path().join("Synth.pdb"));
    for (name, make) in malformed::MALFORMED.iter().copied().chain(repeated::REPEATED) {
        let pair = make();
        folder.write("Synth.dll", &pair.image);
        folder.write("Synth.pdb", &pair.pdb);
        cheap(name, &[&image, &pdb]);
    }
    folder.write("Synth.dll", Recipe::of(60).pair().image);
    for (name, make) in malformed_msf::MALFORMED {
        folder.write("Synth.pdb", make());
        cheap(name, &[&pdb]);
    }
}

/// A file of a gigabyte, most of which nobody asks for: its directory says what there is.
#[test]
fn a_gigabyte_of_streams_takes_megabytes() {
    let folder = Folder::new();
    let path = folder.path().join("Large.pdb");
    sparse::write(&path, 1 << 30, 4096, 100).unwrap();
    let file = path.to_str().unwrap();
    for args in [&["info", file][..], &["list", file, "streams"], &["check", file], &["points", file]] {
        // The program itself takes most of it: nothing of the streams may.
        let output = confined(128 << 10, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("memory") && !said.contains("panicked"), "{args:?}: {said}");
        assert!(!output.stdout.is_empty(), "{args:?}: {said}");
    }
}

/// A pair of many megabytes is read once, and nothing is kept for each of its points.
#[test]
fn a_large_pair_takes_little_more_than_its_files() {
    let folder = Folder::new();
    let pair = Recipe { points: 5, ..Recipe::of(80_000) }.pair();
    let size = (pair.image.len() + pair.pdb.len()) as u64;
    assert!(size > 8 << 20, "{size} bytes");
    let (image, _) = (folder.write("Synth.dll", pair.image), folder.write("Synth.pdb", pair.pdb));
    let output = confined((192 << 10) + size / 1024, &["points", image.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty() && !output.stdout.is_empty(), "{said}");
}

/// Of a pair of hundreds of megabytes, one token needs a few pages.
#[test]
fn one_token_of_a_large_pair_needs_little_of_it() {
    let folder = Folder::new();
    let pair = Recipe::of(2_000).pair();
    let (image, pdb) = (folder.write("Synth.dll", pair.image), folder.write("Synth.pdb", pair.pdb));
    let question = |kilobytes| confined(kilobytes, &["where", image.to_str().unwrap(), "0x060003e8", "0x5"]);
    let small = question(1 << 20);
    // What follows the sections and the streams is nobody's.
    for path in [&image, &pdb] {
        std::fs::File::options().write(true).open(path).unwrap().set_len(400 << 20).unwrap();
    }
    let large = question(256 << 10);
    assert_eq!(String::from_utf8_lossy(&large.stdout), String::from_utf8_lossy(&small.stdout), "{large:?}");
    assert!(small.stdout.len() > 100 && large.stderr.is_empty(), "{small:?}");
}

/// The beginnings of files whose counts and sizes are all ones.
#[test]
fn a_megabyte_of_ones_costs_little() {
    let folder = Folder::new();
    for (sample, keep) in [
        ("ticker/Ticker.dll", 0x400),
        ("ticker/Ticker.pdb", 0x100),
        ("ticker-windows/Ticker.pdb", 56),
        ("ticker-mono/Ticker.exe.mdb", 48),
        ("native/tally.pdb", 0x400),
    ] {
        let mut bytes = std::fs::read(repository("assets/samples").join(sample)).unwrap();
        bytes.truncate(keep);
        bytes.resize(1 << 20, 0xff);
        let file = folder.write(Path::new(sample).file_name().unwrap().to_str().unwrap(), &bytes);
        cheap(sample, &[&file]);
        std::fs::remove_file(file).unwrap();
    }
}

/// An embedded PDB that claims 1 GB: it is refused by its size, in proportion to the bytes that are there.
#[test]
fn a_deflate_bomb_is_refused_by_its_size() {
    let folder = Folder::new();
    let mut bytes = std::fs::read(repository("assets/samples/ticker-embedded/Ticker.dll")).unwrap();
    let at = bytes.windows(4).position(|window| window == b"MPDB").unwrap();
    bytes[at + 4..at + 8].copy_from_slice(&0x3fff_ffff_u32.to_le_bytes());
    let file = folder.write("Ticker.dll", &bytes);
    let output = confined(512 << 10, &["check", file.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("exceeds the limit"), "{said}");
    // That there are no symbols then has the same cause.
    assert!(said.contains("\n1 finding,"), "{said}");
}

#[test]
fn files_without_end_are_refused() {
    let folder = Folder::new();
    let pipe = folder.path().join("pipe.dll");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [Path::new("/dev/zero"), Path::new("/dev/urandom"), &pipe] {
        for command in ["info", "trace"] {
            let output = confined(1 << 20, &[command, path.to_str().unwrap()]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("not a regular file"), "{command} {}: {said}", path.display());
        }
    }
    // What a shell makes of `<(command)` is a pipe too, and has its writer.
    let script = format!("echo ok | {} trace /dev/fd/0", env!("CARGO_BIN_EXE_pdblens"));
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ok\n");
    // Sparse: a size beyond every limit costs nothing to make.
    let large = folder.write("Large.dll", b"MZ");
    std::fs::File::options().write(true).open(&large).unwrap().set_len(3 << 30).unwrap();
    let said = String::from_utf8(confined(1 << 20, &["info", large.to_str().unwrap()]).stderr).unwrap();
    assert!(said.contains("larger than"), "{said}");
}

/// The budget of a session is one: what holds all of it leaves nothing to the others, and each of them says what it left out.
#[test]
fn what_does_not_fit_into_the_budget_is_a_finding() {
    let open = || Session::open(&[repository("assets/samples/ticker-embedded/Ticker.dll")]).unwrap();
    let session = open();
    let budget = session.spaces().budget().clone();
    let mut shares =
        [Resource::Rows, Resource::Names].map(|resource| (budget.ceiling(resource), budget.share(resource)));
    assert!(shares.iter_mut().all(|(ceiling, share)| share.take(*ceiling)));
    let names = Index::build(&open(), &|_, _| true).len();
    assert!(Index::build(&session, &|_, _| true).is_empty());
    assert!(document_counts(&session, &|| false).is_none());
    assert_eq!(document_lines(&session, 1, &|| false), DocumentLines::default());
    let remarks = check(&session, &SourceOptions::default());
    let said: Vec<&str> =
        remarks.iter().filter(|remark| remark.rule == "budget").map(|remark| remark.sentence.as_str()).collect();
    let begins = |text: &str| said.iter().any(|sentence| sentence.starts_with(text));
    assert!(begins("names to search for: left out from ") && begins("lines with code: left out from "), "{said:?}");
    assert!(
        begins("counts of documents: left out from method 1 ") && begins("names of documents to compare: "),
        "{said:?}"
    );
    assert!(said.iter().any(|sentence| sentence.contains(&format!("({names} of them)"))), "{names}: {said:?}");
    assert!(said.iter().all(|sentence| sentence.contains(", because files of this size may have ")), "{said:?}");
    drop(shares);
    assert_eq!(Index::build(&session, &|_, _| true).len(), names);
    assert!(check(&open(), &SourceOptions::default()).iter().all(|remark| remark.rule != "budget"));
}

/// Inflated bytes come out of the same budget, whoever asks for them.
#[test]
fn sources_are_inflated_within_the_budget() {
    let session = Session::open(&[repository("assets/samples/ticker-embedded/Ticker.dll")]).unwrap();
    let symbols = session.symbols().unwrap();
    let source = (1..=symbols.documents()).find_map(|row| symbols.embedded_source(row)).unwrap();
    assert!(source.text().is_ok());
    let budget = session.spaces().budget();
    let mut len = budget.ceiling(Resource::Bytes);
    while budget.take_bytes("a test", len, Span::default(), 1).is_err() {
        len -= 1 << 10;
    }
    // What was inflated once was paid for.
    assert!(source.text().is_ok());
    let fresh = Session::open(&[repository("assets/samples/ticker-embedded/Ticker.dll")]).unwrap();
    let budget = fresh.spaces().budget();
    let mut len = budget.ceiling(Resource::Bytes);
    while budget.take_bytes("a test", len, Span::default(), 1).is_err() {
        len -= 1;
    }
    let symbols = fresh.symbols().unwrap();
    let source = (1..=symbols.documents()).find_map(|row| symbols.embedded_source(row)).unwrap();
    let error = source.text().unwrap_err().to_string();
    assert!(error.contains("all embedded sources together exceeds the limit"), "{error}");
}
