//! Processes that run: `pdblens live PID`, and crashes with createdump, where a .NET 10 runtime is on the path. assets/build/core.sh compiles the programs.

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pdblens_query::process::{Process, attach, deadlock};
use pdblens_runtime::code::Runtime;
use serde_json::Value;

use crate::live::{folder, line_in, pdblens, shows_the_deadlock, stdout};
use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Path of the .NET host, if it is on the path and has .NET 10.
fn dotnet() -> Option<PathBuf> {
    let output = Command::new("dotnet").arg("--list-runtimes").output().ok()?;
    let has_10 = String::from_utf8_lossy(&output.stdout).contains("Microsoft.NETCore.App 10.");
    has_10.then(|| PathBuf::from("dotnet"))
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that runs until it is dropped. `None`, and a line that says so, where no runtime is found.
fn start(folder: &Folder, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Option<Running> {
    let Some(dotnet) = dotnet() else {
        eprintln!("skipped: no dotnet with .NET 10 is on the path");
        return None;
    };
    let settings = r#"{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"configProperties":{"System.Globalization.Invariant":true}}}"#;
    folder.write(&format!("{program}.runtimeconfig.json"), settings);
    let mut child = Command::new(dotnet);
    child.arg(format!("{program}.dll")).args(arguments).current_dir(folder.path()).stdout(Stdio::piped());
    child.envs(variables.iter().copied());
    Some(Running(child.stderr(Stdio::piped()).spawn().unwrap()))
}

/// The same, after it has printed that it is ready.
fn start_ready(folder: &Folder, program: &str, arguments: &[&str]) -> Option<Running> {
    let mut child = start(folder, program, arguments, &[])?;
    child.0.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    Some(child)
}

/// A folder with a build of the program whose argument is what happens to it.
fn cases(build: &str) -> Folder {
    let folder = Folder::new();
    for name in ["Cases.dll", "Cases.pdb"] {
        folder.write(name, std::fs::read(repository(&format!("assets/cores/cases/{build}/{name}"))).unwrap());
    }
    folder
}

fn read(pid: u32) -> Process {
    Process::new(Runtime::open(pdblens_runtime::live::open(pid).unwrap()).unwrap())
}

/// A thousand readings of a process that runs: each names the deadlock, and the process lives on.
#[test]
fn a_process_that_runs_is_read_without_stopping_it() {
    let folder = folder();
    let Some(mut child) = start_ready(&folder, "Deadlock", &[]) else { return };
    let pid = child.0.id();
    let until = Instant::now() + Duration::from_secs(30);
    while deadlock(&read(pid).threads().unwrap()).is_empty() {
        assert!(Instant::now() < until, "the two threads never wait for each other");
        std::thread::sleep(Duration::from_millis(50));
    }
    shows_the_deadlock(&stdout(&pdblens(&folder, &["live", &pid.to_string()])));
    for _ in 0..1000 {
        let runtime = Runtime::open(pdblens_runtime::live::open(pid).unwrap()).unwrap();
        let threads = runtime.managed_threads().unwrap();
        let waits = runtime
            .target()
            .threads
            .iter()
            .filter_map(|thread| runtime.waits_for(thread, &runtime.stack(thread, 1000)?, &threads));
        assert_eq!(waits.count(), 2);
    }
    assert!(child.0.try_wait().unwrap().is_none(), "the process lives on");
}

/// The diagnostics socket has the modules and bodies that the memory has. It is asked where the right to read memory is missing, which the command `setpriv` takes away here.
#[test]
fn the_socket_answers_what_the_memory_may_not() {
    let folder = folder();
    let Some(child) = start_ready(&folder, "Deadlock", &[]) else { return };
    let pid = child.0.id().to_string();
    let ask = |words: &[&str]| -> Value {
        serde_json::from_str(&stdout(&pdblens(&folder, &[&["live", pid.as_str()], words, &["--json"]].concat())))
            .unwrap()
    };
    assert_eq!(ask(&["modules"]), ask(&["modules", "--socket"]));
    let by_address = |json: Value| -> HashMap<u64, Value> {
        let methods = json["methods"].as_array().unwrap().clone();
        methods.into_iter().map(|method| (method["address"].as_u64().unwrap(), method)).collect()
    };
    let by_socket = by_address(ask(&["methods", "--socket"]));
    // The runtime compiles meanwhile; methods made at run time have other names.
    let methods = by_address(ask(&["methods"]));
    let mut equal = 0;
    for method in methods.values().filter(|method| method["name"].as_str().unwrap().contains("Ledger")) {
        let address = method["address"].as_u64().unwrap();
        let same = &by_socket[&address];
        for key in ["name", "module", "token", "size", "tier"] {
            assert_eq!(same[key], method[key], "{key}");
        }
        let at = format!("{:#x}", address + 0x20);
        assert_eq!(ask(&[&at, "--socket"]), ask(&[&at]));
        equal += 1;
    }
    assert_eq!(equal, 3);
    let threads = pdblens(&folder, &["live", &pid, "--socket"]);
    assert!(String::from_utf8_lossy(&threads.stderr).contains("the diagnostics socket has no threads"));
    let refused = |words: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-sys_ptrace", "--inh-caps=-all", env!("CARGO_BIN_EXE_pdblens")]);
        command.args(words).current_dir(folder.path()).output()
    };
    let Ok(output) = refused(&["live", &pid, "modules"]) else { return eprintln!("skipped: no setpriv") };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if told.contains("setpriv") || told.is_empty() {
        return eprintln!("skipped: setpriv needs root, and more rights than it leaves: {told}");
    }
    assert!(told.starts_with("note: by the diagnostics socket: no threads · the memory of process"), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Deadlock.dll"));
    let told = String::from_utf8(refused(&["live", &pid]).unwrap().stderr).unwrap();
    assert!(told.contains("may not be read") && told.contains("ask its diagnostics socket"), "{told}");
    let verdict =
        refused(&["break", "Deadlock.dll", "Deadlock.cs:8", "--why", &format!("--native=live:{pid}")]).unwrap();
    assert!(String::from_utf8_lossy(&verdict.stdout).contains("accepted"), "{verdict:?}");
}

/// A thread that spins has no stack and says so; one in native code has the line of its call, in a debug and a release build.
#[test]
fn threads_spin_and_wait_in_native_code() {
    for build in ["debug", "release"] {
        let folder = cases(build);
        let Some(child) = start_ready(&folder, "Cases", &["spin"]) else { return };
        std::thread::sleep(Duration::from_millis(300));
        let pid = child.0.id().to_string();
        let text = stdout(&pdblens(&folder, &["live", &pid]));
        assert_eq!(text.matches(", running: its stack is read when it waits").count(), 1, "{build}: {text}");
        let frame =
            text.lines().find(|line| line.contains("Cases.Native")).unwrap_or_else(|| panic!("{build}: {text}"));
        assert!(
            frame.ends_with(&format!("Cases.cs:line {}", line_in("cases/Cases.cs", "sleep(60);"))),
            "{build}: {frame}"
        );
        assert!(text.contains("libc.so.6 clock_nanosleep"), "{build}: {text}");
    }
}

/// A process is read a thousand times while it compiles methods: no list is endless, and the code that stays is always found.
#[test]
fn a_process_is_read_while_it_compiles() {
    let folder = cases("release");
    let Some(mut child) = start_ready(&folder, "Cases", &["compile"]) else { return };
    let runtime = Runtime::open(pdblens_runtime::live::open(child.0.id()).unwrap()).unwrap();
    let bodies = || runtime.jitted_methods().unwrap().0;
    let first = bodies();
    let named: Vec<_> = first.iter().filter(|body| body.token.0 != 0).cloned().collect();
    let mut most = 0;
    for reading in 0..1000 {
        for body in &named {
            assert_eq!(runtime.find(body.start).unwrap().as_ref(), Some(body), "code that stays is lost");
        }
        // The list grows by what is compiled meanwhile.
        if reading % 100 == 99 {
            most = most.max(bodies().len());
        }
    }
    assert!(most > first.len() + 10, "{} bodies at first, {most} at most: it compiles", first.len());
    assert!(child.0.try_wait().unwrap().is_none(), "the process lives on");
}

/// The bodies of a method have the tiers that the runtime's events give them, instructions, and verdicts of their own.
#[test]
fn the_bodies_of_a_method_have_their_tiers() {
    for (build, expected) in
        [("debug", &["MinOptJitted"][..]), ("release", &["QuickJitted", "OptimizedTier1OSR", "OptimizedTier1"])]
    {
        let folder = cases(build);
        let Some(child) = start_ready(&folder, "Cases", &["tiers"]) else { return };
        let pid = child.0.id().to_string();
        let json = stdout(&pdblens(&folder, &["live", &pid, "methods", "Cases.Hot", "--json"]));
        let methods: Value = serde_json::from_str(&json).unwrap();
        let methods = methods["methods"].as_array().unwrap();
        let has = |tier: &&str| methods.iter().any(|method| method["tier"] == **tier);
        assert!(expected.iter().all(has), "{build}: {json}");
        let answer = stdout(&pdblens(&folder, &["where", "Cases.dll", "Cases.Hot+0", &format!("--native=live:{pid}")]));
        assert!(
            expected.iter().all(|tier| methods.len() == 1 || answer.contains(&format!("[{tier}, process"))),
            "{answer}"
        );
        // The program of a process has the quality that its file has with the machine code of the process.
        let quality = |words: &[&str]| stdout(&pdblens(&folder, &[&["quality"], words, &["--json"]].concat()));
        let by_file = quality(&["Cases.dll", &format!("--native=live:{pid}")]);
        let by_process = quality(&[&format!("live:{pid}")]);
        let survival = |text: &str| serde_json::from_str::<Value>(text).unwrap()["pairs"][0]["survival"].clone();
        assert!(survival(&by_process)["stops"].as_u64() > Some(0), "{by_process}");
        assert_eq!(survival(&by_process), survival(&by_file));
        // The screens have the instructions of each body.
        let session = pdblens::session::Session::open(&[folder.path().join("Cases.dll")]).unwrap();
        attach(&session, format!("live:{pid}").as_ref()).unwrap();
        let token = methods[0]["token"].as_str().unwrap();
        let place = format!("method/{token}/native").parse().unwrap();
        let rows = pdblens::nodes::rows(&session, place).unwrap();
        let is_return = |row: &usize| rows.get(*row).unwrap().cells.iter().any(|cell| cell.text == "ret");
        assert_eq!((0..rows.len).filter(is_return).count(), methods.len(), "{build}");
    }
}

/// Crashes: the frames of methods that createdump's own report has, in the same order, and the lines that the runtime printed.
#[test]
fn crashes_have_the_frames_of_the_report() {
    for build in ["debug", "release"] {
        for case in ["unhandled", "async", "static", "failfast", "overflow"] {
            let folder = cases(build);
            let Some(mut child) = crash(&folder, case) else { return };
            let mut printed = String::new();
            child.0.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
            child.0.wait().unwrap();
            let Ok(report) = std::fs::read_to_string(folder.path().join("x.core.crashreport.json")) else {
                eprintln!("skipped: createdump wrote no core");
                return;
            };
            let report: Value = serde_json::from_str(&report).unwrap();
            let crashed = report["payload"]["threads"].as_array().unwrap();
            let crashed = crashed.iter().find(|thread| thread["crashed"] == "true").unwrap();
            let number =
                |text: &Value| u64::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
            let frames = crashed["stack_frames"].as_array().unwrap().iter();
            let expected: Vec<(u64, u64)> = frames
                .filter(|frame| frame["is_managed"] == "true" && frame["token"].is_string())
                .map(|frame| (number(&frame["native_address"]), number(&frame["token"])))
                .collect();
            let json: Value = serde_json::from_str(&stdout(&pdblens(&folder, &["live", "x.core", "--json"]))).unwrap();
            let id = number(&crashed["native_thread_id"]);
            let thread = json["threads"].as_array().unwrap().iter().find(|thread| thread["id"] == id).unwrap();
            let found: Vec<(u64, u64)> = thread["frames"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|frame| frame["managed"] == true && frame["token"].is_string())
                .map(|frame| (frame["address"].as_u64().unwrap(), number(&frame["token"])))
                .collect();
            if case == "overflow" {
                // The report has the first frame and the last. The runtime counts the frames between.
                assert_eq!((found.first(), found.last()), (expected.first(), expected.last()), "{build}");
                let printed = printed.split_once("Repeated ").unwrap().1;
                let times: u64 = printed.split(' ').next().unwrap().parse().unwrap();
                let [round] = thread["repeated"].as_array().unwrap().as_slice() else {
                    panic!("{}", thread["repeated"])
                };
                let kept = found.iter().filter(|frame| frame.1 == expected[0].1).count() as u64;
                assert_eq!(kept + round["times"].as_u64().unwrap(), times, "{build}");
                let text = stdout(&pdblens(&folder, &["live", "x.core"]));
                assert!(text.contains("the frame above is repeated 2") && !text.contains("is cut here"), "{text}");
                continue;
            }
            // A frame with the token 0 is one that the report does not know.
            let mut rest = found.iter();
            let is_found = |frame: &&(u64, u64)| frame.1 == 0 || rest.any(|found| found == *frame);
            let known = expected.iter().filter(is_found).count();
            let is_equal = known == expected.len() && found.len() == expected.len() && known > 0;
            assert!(is_equal, "{build} {case}:\n{found:x?}\n{expected:x?}");
            // The runtime prints no line where it ends the program itself.
            if matches!(case, "unhandled" | "async" | "static") {
                let text = stdout(&pdblens(&folder, &["live", "x.core"]));
                let lines: Vec<&str> =
                    text.lines().filter_map(|line| Some(line.split_once("Cases.cs:line ")?.1)).collect();
                assert!(!lines.is_empty(), "{build} {case}: {text}");
                for line in lines {
                    assert!(
                        printed.contains(&format!("Cases.cs:line {line}\n")),
                        "{build} {case} {line}: {printed}\n{text}"
                    );
                }
            }
        }
    }
}

/// A case that ends in a core with a report.
fn crash(folder: &Folder, case: &str) -> Option<Running> {
    start(
        folder,
        "Cases",
        &[case],
        &[
            ("DOTNET_DbgEnableMiniDump", "1"),
            ("DOTNET_EnableCrashReport", "1"),
            ("DOTNET_DbgMiniDumpType", "1"),
            ("DOTNET_DbgMiniDumpName", &folder.path().join("x.core").display().to_string()),
        ],
    )
}

/// The samples that the runtime itself writes, and those that perf takes of a process that runs, with the addresses of its memory. Its code is in a mapped
/// file, as it is by default.
#[test]
fn a_profile_of_a_process_has_the_hot_statement_first() {
    let folder = Folder::new();
    folder.write("hot.dll", std::fs::read(repository("tests/golden/samples/hot.dll")).unwrap());
    let line = line_in("../sources/hot/Hot.cs", "value = value % 1000003 * 31 % 99991 / 7;") as u64;
    let hottest = |words: &[&str]| {
        let json: Value = serde_json::from_str(&stdout(&pdblens(&folder, words))).unwrap();
        let point = &json["pairs"][0]["points"][0];
        assert!(point["line"] == line && point["samples"].as_u64() > Some(10), "{point}");
    };
    let providers = "Microsoft-DotNETCore-SampleProfiler:0:5,Microsoft-Windows-DotNETRuntime:0x20018:5";
    let variables = [
        ("DOTNET_EnableEventPipe", "1"),
        ("DOTNET_EventPipeOutputPath", "hot.nettrace"),
        ("DOTNET_EventPipeConfig", providers),
    ];
    let Some(mut child) = start(&folder, "hot", &["1"], &variables) else { return };
    assert!(child.0.wait().unwrap().success());
    hottest(&["points", "hot.dll", "--samples", "hot.nettrace", "--json"]);
    let Some(child) = start(&folder, "hot", &["60"], &[]) else { return };
    std::thread::sleep(Duration::from_secs(1));
    let pid = child.0.id().to_string();
    let perf = |words: &[&str]| Command::new("perf").args(words).current_dir(folder.path()).output().ok();
    let recorded = perf(&["record", "-q", "-g", "-p", &pid, "-o", "perf.data", "--", "sleep", "1"]);
    if !recorded.is_some_and(|output| output.status.success()) {
        eprintln!("skipped: perf is not there, or the system refuses it");
        return;
    }
    folder.write("perf.txt", perf(&["script", "-i", "perf.data"]).unwrap().stdout);
    hottest(&["points", "hot.dll", "--samples", "perf.txt", &format!("--native=live:{pid}"), "--json"]);
    // The core has what is needed for it later.
    stdout(&pdblens(&folder, &["live", &pid, "--save", "hot.core"]));
    drop(child);
    hottest(&["points", "hot.dll", "--samples", "perf.txt", "--native=hot.core", "--json"]);
}
