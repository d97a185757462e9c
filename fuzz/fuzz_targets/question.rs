#![no_main]

use std::ffi::OsString;
use std::path::PathBuf;

use pdblens_fuzz::{question, structure};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = PathBuf::from(format!("/dev/shm/pdblens-question-{}", std::process::id()));
    // The sandbox would last as long as the process.
    let words = ["pdblens", "--sandbox=off"].map(str::to_owned).into_iter().chain(question::words(data, &folder));
    let asked = pdblens::cli::run_from(words.map(OsString::from).collect(), Vec::new);
    assert!(matches!(asked, pdblens::cli::Asked::Done(_)), "a question leads to the screens");
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    pdblens_fuzz::mutate(structure::Shape::Pair, data, size, max_size, seed)
});
