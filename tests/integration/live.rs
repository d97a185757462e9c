//! Processes and cores: `pdblens live`. The core is the memory that was read of a program on .NET 10 whose two threads wait for each other
//! (assets/build/core.sh).

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::time::Duration;

use crate::fuzz::targets::ask_core as ask;
use crate::support::folder::Folder;
use crate::support::samples::{core_of, golden_core, repository};
use pdblens_formats::native_map::NativeMap;
use pdblens_query::process::{Process, Rundown};
use serde_json::Value;

/// A folder with the core, and beside it the program.
pub fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("deadlock.core", golden_core());
    for name in ["Deadlock.dll", "Deadlock.pdb"] {
        folder.write(name, std::fs::read(repository(&format!("assets/cores/deadlock/{name}"))).unwrap());
    }
    folder
}

pub fn pdblens(folder: &Folder, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).args(words).current_dir(folder.path()).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Number of the line of a source that has a text.
pub fn line_in(source: &str, text: &str) -> usize {
    let source = std::fs::read_to_string(repository("assets/cores").join(source)).unwrap();
    1 + source.lines().position(|line| line.contains(text)).unwrap()
}

pub fn shows_the_deadlock(text: &str) {
    assert!(text.starts_with("deadlock: thread "), "{text}");
    for (method, statement) in [("Ledger.Post", "lock (credit) Console"), ("Ledger.Reverse", "lock (debit) Console")] {
        let frame = text.lines().find(|line| line.contains(method)).unwrap_or_else(|| panic!("no {method}: {text}"));
        assert!(
            frame.ends_with(&format!("Deadlock.cs:line {}", line_in("deadlock/Deadlock.cs", statement))),
            "{frame}"
        );
    }
    assert_eq!(text.matches("waits for a monitor that thread").count(), 2, "{text}");
}

#[test]
fn the_threads_of_a_core_have_their_lines_and_the_deadlock_is_named() {
    let folder = folder();
    let text = stdout(&pdblens(&folder, &["live", "deadlock.core"]));
    shows_the_deadlock(&text);
    let json: Value = serde_json::from_str(&stdout(&pdblens(&folder, &["live", "deadlock.core", "--json"]))).unwrap();
    let circle = json["deadlock"].as_array().unwrap();
    assert_eq!(circle.len(), 2, "{json}");
    let waits = |id: &Value| {
        json["threads"].as_array().unwrap().iter().find(|thread| &thread["id"] == id).unwrap()["waits_for"].clone()
    };
    assert_eq!((waits(&circle[0]), waits(&circle[1])), (circle[1].clone(), circle[0].clone()));
}

/// `trace` reads what `--raw` prints like any other text, and knows the build by its id.
#[test]
fn the_report_of_a_core_is_a_trace() {
    let folder = folder();
    let raw = stdout(&pdblens(&folder, &["live", "deadlock.core", "--raw"]));
    assert!(!raw.contains("Deadlock.cs"), "{raw}");
    folder.write("threads.txt", raw);
    let resolved = pdblens(&folder, &["trace", "Deadlock.dll", "threads.txt", "--require", "id"]);
    let text = String::from_utf8(resolved.stdout).unwrap();
    shows_the_deadlock(&text);
}

/// A core is recognised by its bytes where a file or a trace is named.
#[test]
fn a_core_is_named_without_a_command() {
    let folder = folder();
    let threads = stdout(&pdblens(&folder, &["live", "deadlock.core"]));
    std::fs::rename(folder.path().join("deadlock.core"), folder.path().join("deadlock")).unwrap();
    assert_eq!(stdout(&pdblens(&folder, &["deadlock"])), threads);
    assert_eq!(stdout(&pdblens(&folder, &["live:deadlock"])), threads);
    assert_eq!(stdout(&pdblens(&folder, &["trace", "deadlock"])), threads);
    let explained = stdout(&pdblens(&folder, &["trace", "live:deadlock", "--explain", "--require", "id"]));
    assert!(explained.contains("Deadlock.cs:line") && explained.lines().count() > threads.lines().count());
    let modules = stdout(&pdblens(&folder, &["live", "deadlock", "modules"]));
    assert_eq!(stdout(&pdblens(&folder, &["list", "live:deadlock", "modules"])), modules);
    let methods = stdout(&pdblens(&folder, &["list", "deadlock", "methods"]));
    let post = methods.lines().find(|line| line.ends_with("Ledger.Post()")).unwrap().split(' ').next().unwrap();
    assert_eq!(
        stdout(&pdblens(&folder, &["where", "deadlock", post])),
        stdout(&pdblens(&folder, &["live", "deadlock", post]))
    );
    let other = pdblens(&folder, &["info", "deadlock"]);
    let told = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(told.contains("this is a core of a process"), "{told}");
}

/// The lesson about the core has its numbers.
#[test]
fn the_lesson_tells_what_the_core_has() {
    let folder = folder();
    let lesson = std::fs::read_to_string(repository("crates/learn/assets/lessons/14-crash-to-byte.toml")).unwrap();
    let raw = stdout(&pdblens(&folder, &["live", "deadlock.core", "--raw"]));
    let frame = raw.lines().find(|line| line.contains("Ledger.Post")).unwrap().split_once("] ").unwrap().1;
    assert!(lesson.contains(frame), "{frame}");
    let circle = raw.lines().next().unwrap();
    assert!(
        circle.contains("12100 waits for thread 12102")
            && lesson.contains("Thread 12100 waits in Ledger.Post for a lock of 12102")
    );
    let methods: Value =
        serde_json::from_str(&stdout(&pdblens(&folder, &["live", "deadlock.core", "methods", "--json"]))).unwrap();
    let post = methods["methods"].as_array().unwrap().iter().find(|method| method["name"] == "Ledger.Post()").unwrap();
    let (address, size) = (post["address"].as_u64().unwrap(), &post["size"]);
    assert!(lesson.contains(&format!("Ledger.Post begins at {address:#x}")));
    assert!(lesson.contains(&format!("A block of 32 bytes begins at {:#x}", address / 32 * 32)));
    assert!(
        lesson
            .contains(&format!("has {size} bytes, which begin at {} different", post["il"].as_array().unwrap().len()))
    );
    let points = stdout(&pdblens(&folder, &["list", "Deadlock.dll", "method/0x06000001/points"]));
    assert!(points.contains("IL_001f  10:13–10:26  Deadlock.cs  0b 00 0d 02 00") && lesson.contains("0b 00 0d 02 00"));
    let steps = stdout(&pdblens(&folder, &["show", "--steps", "Deadlock.dll", "method/0x06000001/points"]));
    assert!(
        steps.lines().any(|line| line.contains("0x2712  02") && line.contains("line 10")) && lesson.contains("0x2712")
    );
}

#[test]
fn modules_say_whether_the_file_is_what_runs() {
    let folder = folder();
    let modules = |folder: &Folder| {
        let json: Value =
            serde_json::from_str(&stdout(&pdblens(folder, &["live", "deadlock.core", "modules", "--json"]))).unwrap();
        let modules = json["modules"].as_array().unwrap().clone();
        modules.into_iter().find(|module| module["path"].as_str().unwrap().ends_with("/Deadlock.dll")).unwrap()
    };
    let module = modules(&folder);
    assert_eq!((&module["match"], &module["loaded"]), (&"matches".into(), &module["on_disk"]), "{module}");
    // Another program of that name.
    folder.write("Deadlock.dll", std::fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap());
    let module = modules(&folder);
    assert_eq!(module["match"], "another-build", "{module}");
    // The PDB is still that of what runs: it has the lines. The image of another build has no names.
    let text = stdout(&pdblens(&folder, &["live", "deadlock.core"]));
    assert!(!text.contains("Ledger.Post") && text.contains(":line"), "{text}");
    folder.write("Deadlock.pdb", std::fs::read(repository("assets/samples/ticker/Ticker.pdb")).unwrap());
    let text = stdout(&pdblens(&folder, &["live", "deadlock.core"]));
    assert!(
        !text.contains("Ledger.Post") && !text.contains(":line"),
        "a frame of another build has no name and no line: {text}"
    );
}

/// The table of the runtime is a recording: a breakpoint in `Post` is known to be accepted there.
#[test]
fn a_breakpoint_is_judged_by_the_code_of_the_core() {
    let folder = folder();
    let line = format!("Deadlock.cs:{}", line_in("deadlock/Deadlock.cs", "lock (credit) Console"));
    let text = stdout(&pdblens(&folder, &["break", "Deadlock.dll", &line, "--why", "--native=live:deadlock.core"]));
    assert!(text.contains('●'), "{text}");
    let without = pdblens(&folder, &["break", "Deadlock.dll", &line, "--native=live:none.core"]);
    assert!(!without.status.success());
}

#[test]
fn an_address_leads_to_its_method() {
    let folder = folder();
    let methods: Value =
        serde_json::from_str(&stdout(&pdblens(&folder, &["live", "deadlock.core", "methods", "--json"]))).unwrap();
    let post = methods["methods"]
        .as_array()
        .unwrap()
        .iter()
        .find(|method| method["name"].as_str().unwrap().starts_with("Ledger.Post"))
        .unwrap();
    let at = post["address"].as_u64().unwrap();
    let text = stdout(&pdblens(&folder, &["live", "deadlock.core", &format!("{at:#x}")]));
    assert!(text.contains("Ledger.Post") && text.contains("+native:0x0"), "{text}");
    assert_eq!(pdblens(&folder, &["live", "deadlock.core", "0x10"]).status.code(), Some(3));
}

/// A thread in a function of a library of Windows that only its PDB names: beside the core, along the symbol path, and not that of another build.
#[test]
fn native_frames_have_the_names_of_their_pdb() {
    let folder = Folder::new();
    folder.write("native.core", core_of("native/native.core.gz"));
    for name in ["Native.dll", "Native.pdb"] {
        folder.write(name, std::fs::read(repository(&format!("assets/cores/native/{name}"))).unwrap());
    }
    let names = |words: &[&str]| -> Vec<Value> {
        let json: Value = serde_json::from_str(&stdout(&pdblens(&folder, words))).unwrap();
        let frames = json["threads"][0]["frames"].as_array().unwrap();
        let of_worker = frames.iter().filter(|frame| frame["module"].as_str().unwrap().ends_with("worker.dll"));
        of_worker.map(|frame| frame["name"].clone()).collect()
    };
    let live = ["live", "native.core", "--json"];
    let is_unnamed = |names: Vec<Value>| names.len() == 2 && names.iter().all(|name| *name != "turn_until");
    assert!(is_unnamed(names(&live)));
    folder.write("symbols/worker.pdb", core_of("native/worker.pdb.gz"));
    assert_eq!(names(&["live", "native.core", "--json", "--symbols", "symbols"]), ["turn_until", "work"]);
    let traced = stdout(&pdblens(&folder, &["trace", "native.core", "--symbols", "symbols"]));
    assert!(traced.contains("worker.dll turn_until\n") && traced.contains("Native.cs:line "), "{traced}");
    folder.write("worker.pdb", std::fs::read(repository("assets/samples/native/tally.pdb")).unwrap());
    assert!(is_unnamed(names(&live)));
    folder.write("worker.pdb", core_of("native/worker.pdb.gz"));
    assert_eq!(names(&live), ["turn_until", "work"]);
}

/// A minidump without the pages of an image, as those of the heap are: the image beside it has them, if it is of the build.
#[test]
fn pages_of_images_are_read_beside_a_minidump() {
    let folder = Folder::new();
    let mut dump = core_of("windows/windows.dmp.gz");
    let number = |dump: &[u8], at: usize| u64::from_le_bytes(dump[at..at + 8].try_into().unwrap());
    let word = |dump: &[u8], at: usize| u32::from_le_bytes(dump[at..at + 4].try_into().unwrap()) as usize;
    let stream = |dump: &[u8], kind: usize| {
        let entries = (0..word(dump, 8)).map(|index| word(dump, 12) + 12 * index);
        entries.into_iter().find(|at| word(dump, *at) == kind).map(|at| word(dump, at + 8)).unwrap()
    };
    let modules = stream(&dump, 4);
    let text = |at: usize| {
        String::from_utf16_lossy(
            &dump[at + 4..at + 4 + word(&dump, at)]
                .chunks_exact(2)
                .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
                .collect::<Vec<_>>(),
        )
    };
    let rows = (0..word(&dump, modules)).map(|index| modules + 4 + 108 * index);
    let row = rows.into_iter().find(|row| text(word(&dump, row + 20)).ends_with("\\Windows.dll")).unwrap();
    let image = number(&dump, row)..number(&dump, row) + word(&dump, row + 8) as u64;
    // Its ranges go to addresses of nothing; their bytes stay.
    let list = stream(&dump, 9);
    let mut hidden = 0;
    for index in 0..number(&dump, list) as usize {
        let at = list + 16 + 16 * index;
        if image.contains(&number(&dump, at)) {
            dump[at..at + 8].copy_from_slice(&(0x10 + index as u64).to_le_bytes());
            hidden += 1;
        }
    }
    assert!(hidden > 0);
    folder.write("windows.dmp", dump);
    let verdict = |folder: &Folder| {
        let modules = stdout(&pdblens(folder, &["live", "windows.dmp", "modules"]));
        modules.lines().find(|line| line.ends_with("\\Windows.dll")).unwrap().split("  ").next().unwrap().to_owned()
    };
    assert_eq!(verdict(&folder), "no file");
    let image = std::fs::read(repository("assets/cores/windows/Windows.dll")).unwrap();
    folder.write("Windows.dll", &image);
    folder.write("Windows.pdb", std::fs::read(repository("assets/cores/windows/Windows.pdb")).unwrap());
    assert_eq!(verdict(&folder), "PDB matches");
    // Another time stamp: another build.
    let mut other = image;
    let at = word(&other, 0x3c) + 8;
    other[at] ^= 1;
    folder.write("Windows.dll", other);
    assert_eq!(verdict(&folder), "no id");
}

/// A minidump of Windows, trimmed to what is read: the program of `assets/cores/windows`, whose two threads wait for each other.
#[test]
fn a_minidump_is_read_as_a_core_is() {
    let folder = Folder::new();
    folder.write("windows.dmp", core_of("windows/windows.dmp.gz"));
    for name in ["Windows.dll", "Windows.pdb"] {
        folder.write(name, std::fs::read(repository(&format!("assets/cores/windows/{name}"))).unwrap());
    }
    let text = stdout(&pdblens(&folder, &["windows.dmp"]));
    assert!(text.starts_with("deadlock: thread "), "{text}");
    for (method, statement) in [("Ledger.Post", "lock (credit) Console"), ("Ledger.Reverse", "lock (debit) Console")] {
        let frame = text.lines().find(|line| line.contains(method)).unwrap_or_else(|| panic!("no {method}: {text}"));
        assert!(frame.ends_with(&format!("Windows.cs:line {}", line_in("windows/Windows.cs", statement))), "{frame}");
    }
    // The walk goes from the wait in the kernel to the start of the thread.
    let json: Value = serde_json::from_str(&stdout(&pdblens(&folder, &["live", "windows.dmp", "--json"]))).unwrap();
    for thread in &json["threads"].as_array().unwrap()[..2] {
        let frames = thread["frames"].as_array().unwrap();
        let library = |at: usize| frames[at]["module"].as_str().unwrap().rsplit('\\').next().unwrap();
        assert_eq!((library(0), library(frames.len() - 1), &thread["cut"]), ("ntdll.dll", "ntdll.dll", &Value::Null));
    }
    let modules = stdout(&pdblens(&folder, &["live", "windows.dmp", "modules"]));
    assert!(
        modules.lines().any(|line| line.starts_with("PDB matches") && line.ends_with("\\Windows.dll")),
        "{modules}"
    );
    let methods = stdout(&pdblens(&folder, &["live", "windows.dmp", "methods", "Program.Hot"]));
    for tier in ["QuickJitted ", "OptimizedTier1OSR", "QuickJittedInstrumented", "OptimizedTier1 "] {
        assert!(methods.contains(tier), "{methods}");
    }
}

/// A stack overflow of a thread with a small stack, of which the runtime said: 3 936 times. The fault is handled on another stack.
#[test]
fn the_frames_of_a_stack_overflow_are_folded() {
    let folder = Folder::new();
    folder.write("deep.core", core_of("cases/deep.core.gz"));
    for name in ["Cases.dll", "Cases.pdb"] {
        folder.write(name, std::fs::read(repository(&format!("assets/cores/cases/release/{name}"))).unwrap());
    }
    let text = stdout(&pdblens(&folder, &["deep.core"]));
    let lines: Vec<&str> = text.lines().collect();
    let round = lines.iter().position(|line| line.contains("the frame above is repeated")).unwrap();
    let times: u64 = lines[round].split(' ').rev().nth(1).unwrap().parse().unwrap();
    let kept = lines.iter().filter(|line| line.contains("Cases.Endless")).count() as u64;
    assert_eq!(kept + times, 3936, "{text}");
    let line = format!("Cases.cs:line {}", line_in("cases/Cases.cs", "return Endless(depth + 1) + depth;"));
    assert!(lines[round - 1].ends_with(&line) && lines[round - 2].ends_with(&line), "{text}");
    // The caller of the first call and the start of the thread.
    assert!(lines[round + 1].contains("Cases.<>c.<Main>") && lines[round + 2].contains("StartCallback"), "{text}");
    assert!(!text.contains("is cut here"), "{text}");
}

/// The rundown of a recording is what a process says by its diagnostics socket.
#[test]
fn a_rundown_has_modules_methods_and_addresses() {
    let bytes = std::fs::read(repository("tests/golden/recordings/tiered-attached.nettrace")).unwrap();
    let rundown = Rundown::new(NativeMap::read(&bytes).unwrap(), None);
    let modules = rundown.modules();
    assert!(modules.iter().any(|module| module.path.ends_with("/Ticker.dll") && module.loaded.is_some()));
    let methods = rundown.methods();
    let tiers = |name: &str| -> BTreeSet<&str> {
        methods.iter().filter(|method| method.name.contains(name)).filter_map(|method| method.tier.as_deref()).collect()
    };
    assert!(tiers("Ticker.").contains("OptimizedTier1") && !tiers("").contains("ReadyToRun"), "{:?}", tiers(""));
    for method in methods.iter().filter(|method| !method.il.is_empty()) {
        let found = rundown.address(method.address + method.size.unwrap() - 1).unwrap();
        assert_eq!(
            (&found.name, found.token, found.native.map(|at| at + 1)),
            (&method.name, method.token, method.size)
        );
        assert!(found.il.is_some_and(|il| method.il.contains(&il) || il == 0));
    }
    assert!(rundown.address(0x10).is_none());
}

#[test]
fn what_cannot_be_read_is_a_sentence() {
    let folder = folder();
    folder.write("text", "no core");
    folder.write("cut.core", &golden_core()[..100]);
    for (words, part) in [
        (["live", "text"], "no core of a process"),
        (["live", "cut.core"], "headers are cut off"),
        (["live", "none.core"], "none.core"),
        #[cfg(target_os = "linux")]
        (["live", "4294967295"], "no process has the number"),
    ] {
        let output = pdblens(&folder, &words);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.starts_with("error: ") && told.contains(part) && told.lines().count() == 1, "{words:?}: {told}");
    }
}

/// Damaged cores end: nothing panics, and no walk goes on for ever.
#[test]
fn damaged_cores_are_read_without_a_panic() {
    for core in [golden_core(), core_of("windows/windows.dmp.gz")] {
        damage(&core);
    }
}

fn damage(core: &[u8]) {
    let mut state = 1_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let began = std::time::Instant::now();
    let mut opened = 0;
    for _ in 0..60 {
        let mut damaged = core.to_vec();
        for _ in 0..=random() % 200 {
            let at = random() % damaged.len();
            damaged[at] = [0, 0xff, random() as u8][random() % 3];
        }
        let Ok(process) = Process::of_core(damaged) else { continue };
        opened += 1;
        ask(&process);
        assert!(began.elapsed() < Duration::from_mins(2), "a damaged core takes too long");
    }
    assert!(opened > 10, "{opened} of the damaged cores could be opened");
}
