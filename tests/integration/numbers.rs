//! Answers at the edges of numbers: the end of code and of files, 32 and 64 bits.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::samples::all_samples;
use pdblens::nodes::{TableId, Token};
use pdblens::query::where_is::where_is;
use pdblens::session::Session;
use serde_json::Value;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples");

fn sample(name: &str) -> String {
    format!("{SAMPLES}/{name}")
}

fn fed(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(args).env_remove("NO_COLOR").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
        child.wait_with_output().unwrap()
    })
}

/// Exit code, and all that is printed.
fn run(args: &[&str]) -> (i32, String) {
    let output = fed(args, "");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// Copies a file of the samples to a folder of its own, with other bytes at an offset.
fn copied(name: &str, to: &str, patch: Option<(usize, &[u8])>) -> PathBuf {
    let mut bytes = std::fs::read(sample(name)).unwrap();
    if let Some((at, patch)) = patch {
        bytes[at..at + patch.len()].copy_from_slice(patch);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numbers").join(to);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(Path::new(name).file_name().unwrap());
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Offset of the only occurrence of some bytes in a file of the samples.
fn only(name: &str, bytes: &[u8]) -> usize {
    let file = std::fs::read(sample(name)).unwrap();
    let found: Vec<usize> = (0..file.len() - bytes.len()).filter(|at| file[*at..].starts_with(bytes)).collect();
    let [at] = found[..] else { panic!("{name}: {found:?}") };
    at
}

/// Positions of offsets, in the order of the questions; `refused` where there is no answer.
fn positions(file: &str, questions: &[String]) -> Vec<String> {
    let output = fed(&["where", file, "-", "--json"], &questions.join("\n"));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers = document["answers"].as_array().unwrap();
    assert_eq!(answers.len(), questions.len());
    answers.iter().map(|answer| answer["position"].as_str().unwrap_or("refused").to_owned()).collect()
}

#[test]
fn no_offset_past_the_code_has_a_line() {
    // Past the end, and by so much that the sum begins again at 0.
    let far = |at: u32, size: u32| {
        let around = (1..=at).map(|back| 0_u32.wrapping_sub(back));
        [size - at, size, 0x7fff_ffff, u32::MAX].into_iter().chain(around)
    };
    let native: Vec<String> = (0..0x60)
        .step_by(19)
        .flat_map(|at| far(at, 0x60).map(move |by| (at, by)))
        .flat_map(|(at, by)| {
            let rva = 0x1060 + at;
            [
                format!("{rva:#x}+{by:#x}"),
                format!("{:#x}+{by:#x}", 0x1_4000_0000 + u64::from(rva)),
                format!("0001:{:08x}+{by:#x}", rva - 0x1000),
            ]
        })
        .chain(far(0, 0x60).flat_map(|by| [format!("clamp+{by:#x}"), format!("tally!clamp+{by}")]))
        .chain(["0x100000000", "4294967296", "0xffffffffffffffff"].map(|by| format!("tally!clamp+{by}")))
        .collect();
    let managed: Vec<String> = far(0, 0x78)
        .flat_map(|by| {
            ["06000001+", "1+", "Program.Main+", "0x06000001:", "06000001@"].map(|name| format!("{name}{by:#x}"))
        })
        .chain(["0x100000000", "4294967296", "0xffffffffffffffff"].map(|by| format!("06000001+{by}")))
        .chain([format!("method/1/il/{:#x}", u32::MAX), "Program.Main IL_00000078".to_owned()])
        .collect();
    let alone = |name: &str, to: &str| copied(name, to, None).to_str().unwrap().to_owned();
    for (file, questions) in [
        (sample("native/tally.exe"), &native),
        (alone("native/tally.pdb", "native"), &native),
        (sample("ticker/Ticker.dll"), &managed),
        (alone("ticker/Ticker.pdb", "portable"), &managed),
        (alone("ticker-windows/Ticker.pdb", "windows"), &managed),
    ] {
        for (question, position) in questions.iter().zip(positions(&file, questions)) {
            assert!(
                matches!(position.as_str(), "past-end" | "no-function" | "refused"),
                "{file} {question}: {position}"
            );
        }
        // The last byte of the code has one.
        let last = if questions.len() == native.len() { "clamp+0x5f" } else { "06000001+0x77" };
        assert!(matches!(positions(&file, &[last.to_owned()])[0].as_str(), "inside" | "exact"), "{file}");
    }
}

#[test]
fn an_offset_of_more_than_32_bits_is_past_the_end() {
    let exe = sample("native/tally.exe");
    for question in ["0x1064+0xfffffffc", "clamp+4294967296", "tally!clamp+0xffffffffffffffff"] {
        let (code, said) = run(&["where", &exe, question]);
        assert!(code == 3 && said.contains("past the end of"), "{question}: {said}");
    }
    let output = fed(&["trace", "--explain", &exe, "-"], "tally!clamp+0xffffffffffffffff\n");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("past the end of clamp") && !said.contains("no function"), "{said}");
}

#[test]
fn tips_about_offsets_are_understood() {
    let dll = sample("ticker/Ticker.dll");
    for question in ["06000002+4294967296", "2+15+15", "06000002+4294967295", "06000002 15", "2+zz", "06000002@60"] {
        let (_, said) = run(&["where", &dll, question]);
        let tips = said.split_once("tip: write ").map_or("", |(_, tips)| tips.lines().next().unwrap());
        for tip in tips.split(" for the ").next().unwrap().split(", or ").filter(|tip| !tip.is_empty()) {
            let (code, said) = run(&["where", &dll, tip]);
            assert!(tip != question && !said.contains("not an offset") && code != 2, "{question}: {tip}: {said}");
        }
    }
}

#[test]
fn a_range_of_bytes_does_not_pass_the_file() {
    let dll = sample("ledger/Ledger.dll");
    let len = std::fs::metadata(&dll).unwrap().len();
    let past = format!("{:#x}+2", len - 1);
    for range in ["0x10+0xffffffffffffffff", "0+18446744073709551615", "0xffffffffffffffff+2", "0x10+0", &past] {
        for json in [&[][..], &["--json"]] {
            let place = format!("bytes/0/{range}");
            let (code, said) = run(&[&["show", &dll, &place], json].concat());
            assert!(matches!(code, 2 | 3) && !said.contains("e_magic"), "{range}: {code} {said}");
        }
    }
    assert_eq!(run(&["show", &dll, &format!("bytes/0/{:#x}+1", len - 1)]).0, 0);
}

#[test]
fn a_length_of_a_function_ends_with_its_section() {
    // S_GPROC32 of clamp: its length is 16 bytes after the start of the record's content.
    let at = 0xb0e8;
    assert_eq!(std::fs::read(sample("native/tally.pdb")).unwrap()[at..at + 4], 0x60_u32.to_le_bytes());
    let pdb = copied("native/tally.pdb", "long", Some((at, &[0xff; 4])));
    let exe = copied("native/tally.exe", "long", None);
    let questions = ["clamp+0xffffff00", "clamp+0x10000", "clamp+0x5f"].map(str::to_owned);
    for file in [pdb, exe] {
        let found = positions(file.to_str().unwrap(), &questions);
        assert!(found[0] == "past-end" && found[1] == "past-end" && found[2] == "inside", "{found:?}");
    }
}

#[test]
fn a_reference_to_no_module_is_a_finding() {
    // The module of the reference stands before the name.
    let managed = only("ticker-windows/Ticker.pdb", b"\x02\x00Now\0");
    for (number, said) in [([0, 0], "module none"), ([0xff, 0xff], "module 65534")] {
        let pdb = copied("ticker-windows/Ticker.pdb", "references", Some((managed, &number)));
        let pdb = pdb.to_str().unwrap();
        let (_, listed) = run(&["list", pdb, "stream/15"]);
        assert!(listed.contains(&format!("Now  {said}")), "{listed}");
        let (code, found) = run(&["check", pdb]);
        assert!(code == 3 && found.contains("refers to module"), "{found}");
    }
    for (name, to) in [("ticker-windows/Ticker.pdb", "references"), ("native/tally.pdb", "references")] {
        let (_, found) = run(&["check", copied(name, to, None).to_str().unwrap()]);
        assert!(found.contains("every symbol reference names a module"), "{found}");
    }
}

#[test]
fn codecs_refuse_numbers_that_leave_32_bits() {
    for il in ["IL_fffffffd", "IL_fffffffe", "IL_ffffffff"] {
        let (code, said) = run(&["encode", "r2r-bounds", &format!("{il} +0x0 empty")]);
        assert!(code == 2 && said.contains("too large"), "{said}");
    }
    let (code, bytes) = run(&["encode", "r2r-bounds", "IL_fffffffc +0x0 empty"]);
    assert_eq!(code, 0);
    assert_eq!(run(&["decode", "r2r-bounds", bytes.trim()]), (0, "IL_fffffffc +0x0 empty\n".to_owned()));

    let points = format!("00 {}", ["df ff ff ff 00 00"; 9].join(" "));
    let (code, said) = run(&["decode", "points", &points]);
    assert!(code == 3 && !said.contains("IL_ffffffff"), "{said}");
    assert!(said.contains("IL_fffffff8 hidden") && said.contains("the IL offset of a sequence point exceeds 32 bits"));
    // The small records after eight large ones, too: 0xfffffff8 + 8.
    let points = format!("00 {} 07 00 00 01 00 00", ["df ff ff ff 00 00"; 8].join(" "));
    let (_, said) = run(&["decode", "points", &points]);
    assert!(said.contains("IL_ffffffff hidden") && said.contains("exceeds 32 bits"), "{said}");

    let (code, said) = run(&["decode", "hoisted-scopes", "ff ff ff ff 01 00 00 00"]);
    assert!(code == 3 && said.contains('✗') && !said.contains("IL_100000000"), "{said}");
}

#[test]
fn code_past_the_end_says_the_size() {
    let (code, said) = run(&["show", &sample("native/tally.exe"), "function/0x1060/code/0x60"]);
    assert!(code == 3 && said.contains("there is no instruction at 0x60: clamp has 96 bytes"), "{said}");
}

#[test]
fn a_column_counts_from_1() {
    let dll = sample("ledger/Ledger.dll");
    assert_ne!(run(&["break", &dll, "Ledger.vb:9:0"]).0, 0);
    assert_eq!(run(&["break", &dll, "Ledger.vb:9:4294967295"]).0, 0);
}

/// Sizes of the code of the methods of a session that have symbols.
fn code_sizes(files: &[PathBuf]) -> Vec<(u32, Option<u32>)> {
    let read = |path: &PathBuf| (path.file_name().unwrap().to_str().unwrap().into(), std::fs::read(path).unwrap());
    let session = Session::from_bytes(files.iter().map(read).collect()).unwrap();
    let methods = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
    methods.map(|method| (method.row(), where_is(&session, method, 0).code_size)).collect()
}

#[test]
fn symbols_alone_say_no_other_size_than_the_code_has() {
    let (mut equal, mut unknown) = (0, 0);
    for sample in all_samples() {
        let Some(pdb) = sample.symbols.clone() else { continue };
        let sizes: HashMap<u32, Option<u32>> = code_sizes(&sample.files()).into_iter().collect();
        for (row, alone) in code_sizes(&[pdb]) {
            match (alone, sizes.get(&row).copied().flatten()) {
                (Some(alone), Some(size)) => {
                    assert_eq!(alone, size, "{} {row}", sample.name);
                    equal += 1;
                }
                (None, Some(_)) => unknown += 1,
                // Hot-reload deltas have methods that the image does not have.
                (_, None) => {}
            }
        }
    }
    println!("{equal} equal, {unknown} not known");
    assert!(equal > 1_000, "{equal} equal, {unknown} not known");
}

#[test]
#[cfg(debug_assertions)]
fn a_failure_that_no_one_thought_of_is_a_sentence_and_exit_code_1() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    let output = command.args(["info", "--sample"]).env("PDBLENS_PANIC", "1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count(), output.stdout.len()), (Some(1), 1, 0), "{said}");
    assert!(said.starts_with("error: pdblens failed because of a bug, and there is no answer: a panic, as"), "{said}");
}
