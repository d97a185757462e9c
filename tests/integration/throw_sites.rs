//! Lines of exceptions by language feature against those that the runtime itself prints: `golden/throws`, which `assets/build/throw-sites.sh` writes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use crate::support::folder::Folder;
use crate::support::samples::repository;
use pdblens::session::Session;
use serde_json::Value;

/// Builds, with the number of frames that have a line in each.
const BUILDS: [(&str, usize); 6] = [
    ("csharp-debug", 202),
    ("csharp-release", 202),
    ("visual-basic-debug", 111),
    ("visual-basic-release", 111),
    ("fsharp-debug", 100),
    ("fsharp-release", 98),
];

/// Lines of a text, and the places that the runtime gives them: `Sites.cs:26`.
type Places = BTreeMap<u64, String>;

fn golden(name: &str) -> String {
    std::fs::read_to_string(repository("tests/golden/throws").join(name)).unwrap()
}

/// All exceptions of a build as the runtime prints them without its PDB, and the places that it prints with it.
fn exceptions(build: &str) -> (String, Places) {
    let place = |row: &str| {
        let (line, place) = row.split_once('\t').unwrap();
        (line.parse().unwrap(), place.to_owned())
    };
    (golden(&format!("{build}.txt")), golden(&format!("{build}.lines")).lines().map(place).collect())
}

/// The image and the PDB of a build, in `throws` or `edits`.
fn files(of: &str, build: &str) -> Vec<PathBuf> {
    ["dll", "pdb"].map(|ending| repository("tests/golden").join(of).join(format!("{build}.{ending}"))).into()
}

/// Frames of a text in JSON.
fn frames(files: &[PathBuf], text: &str, options: &[&str]) -> Vec<Value> {
    let folder = Folder::new();
    let text = folder.write("trace.txt", text.as_bytes());
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    let output = command.args(["trace", "--json"]).args(options).args(files).arg(text).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["frames"].as_array().unwrap().clone()
}

fn place_of(frame: &Value) -> Option<String> {
    let file = frame["document"].as_str()?.rsplit('/').next()?;
    Some(format!("{file}:{}", frame["start_line"]))
}

fn is_resolved(frame: &Value) -> bool {
    frame["outcome"] == "resolved"
}

/// The places of the frames with a line, by the lines of the text.
fn places(frames: &[Value]) -> Places {
    frames
        .iter()
        .filter(|frame| is_resolved(frame))
        .map(|frame| (frame["line"].as_u64().unwrap(), place_of(frame).unwrap()))
        .collect()
}

#[test]
fn every_throw_site_has_the_line_of_the_runtime() {
    for (build, number) in BUILDS {
        let (text, runtime) = exceptions(build);
        assert_eq!(runtime.len(), number, "{build}");
        let ours = places(&frames(&files("throws", build), &text, &[]));
        let lines: Vec<&str> = text.lines().collect();
        let differing: Vec<_> = runtime
            .keys()
            .chain(ours.keys())
            .filter(|line| runtime.get(line) != ours.get(line))
            .map(|line| (lines[*line as usize - 1], runtime.get(line), ours.get(line)))
            .collect();
        assert!(differing.is_empty(), "{build}: {differing:#?}");
    }
}

/// Each exception as a line of a structured log, with the escapes of System.Text.Json.
#[test]
fn frames_inside_json_are_judged_as_in_plain_text() {
    let escaped = |text: &str| {
        let json = serde_json::to_string(text).unwrap();
        json.chars().fold(String::new(), |out, c| match c {
            '+' | '<' | '>' | '&' | '\'' | '`' => out + &format!("\\u{:04X}", u32::from(c)),
            c => out + &c.to_string(),
        })
    };
    for (build, number) in BUILDS {
        let (text, runtime) = exceptions(build);
        let mut log = String::new();
        for exception in text.split("\n\n").filter(|exception| !exception.is_empty()) {
            _ = writeln!(log, "{{\"@x\":{},\"@l\":\"Error\"}}", escaped(exception));
        }
        let ours: Vec<String> = frames(&files("throws", build), &log, &[])
            .iter()
            .filter(|frame| is_resolved(frame))
            .filter_map(place_of)
            .collect();
        assert_eq!(ours.len(), number, "{build}");
        assert!(ours.iter().eq(runtime.values()), "{build}: {ours:?}");
    }
}

/// A report of createdump has the offsets of return addresses. Two frames of the optimised build have none: they stand in an epilog, and have
/// their lines by a recording of the methods.
#[test]
fn a_crash_report_has_the_lines_that_the_runtime_printed() {
    let folder = Folder::new();
    let without = copies(&folder, &files("throws", "csharp-release"), "csharp-release");
    let [debug, release] = ["csharp-debug", "csharp-release"].map(|build| files("throws", build));
    for (build, files, number, derived) in
        [("csharp-debug", &debug, 6, 0), ("csharp-release", &without, 4, 0), ("csharp-release", &release, 6, 2)]
    {
        let printed = golden(&format!("{build}.crash.txt"));
        let runtime: Vec<&str> = printed.lines().filter_map(|line| Some(line.split_once(" in /src/")?.1)).collect();
        let report = golden(&format!("{build}.crashreport.json"));
        let found = frames(files, &report, &[]);
        let own: Vec<&Value> =
            found.iter().filter(|frame| frame["name"].as_str().unwrap().starts_with("Sites.")).collect();
        assert_eq!((own.len(), runtime.len()), (6, 6), "{build}");
        assert_eq!(own.iter().filter(|frame| is_resolved(frame)).count(), number, "{build}");
        let by_map = own.iter().filter(|frame| frame["certainty"]["derived"] == "map-before-epilog");
        assert_eq!(by_map.count(), derived, "{build}");
        for (frame, line) in own.iter().zip(runtime).filter(|(frame, _)| is_resolved(frame)) {
            assert_eq!(place_of(frame).unwrap(), line.replace(":line ", ":"), "{build}: {frame}");
        }
    }
}

/// The frames of the program's own code in each of the stacks that blank lines part, with their lines of the text.
fn own_frames(text: &str) -> Vec<Vec<(u64, &str)>> {
    let lines: Vec<(u64, &str)> = (1..).zip(text.lines()).collect();
    let is_own = |line: &str| {
        let other = ["Internal", "Microsoft", "System", "ThrowSites"];
        line.strip_prefix("   at ").is_some_and(|name| !other.iter().any(|of| name.starts_with(of)))
    };
    let stacks = lines.split(|(_, line)| line.is_empty());
    stacks.map(|stack| stack.iter().filter(|(_, line)| is_own(line)).copied().collect()).collect()
}

/// Tokens of methods by the lines of a text: that of the line, or the only one that a frame can mean.
fn methods(frames: &[Value]) -> BTreeMap<u64, &Value> {
    frames
        .iter()
        .filter_map(|frame| {
            let method = match frame["candidates"].as_array().map(Vec::as_slice) {
                Some([only]) => &only["method"],
                _ => &frame["method"],
            };
            Some((frame["line"].as_u64()?, method.get("token")?))
        })
        .collect()
}

/// Places of frames without an offset in whose method one line alone calls the frame above.
fn only_calls(frames: &[Value]) -> Places {
    let place = |frame: &Value| {
        if frame["certainty"]["derived"] != "only-call" {
            return None;
        }
        let documents = frame["candidates"][0]["documents"].as_array()?;
        let of = documents.iter().find(|of| !of["calls_on_lines"].is_null())?;
        let file = of["document"].as_str()?.rsplit('/').next()?;
        Some((frame["line"].as_u64()?, format!("{file}:{}", of["calls_on_lines"][0])))
    };
    frames.iter().filter_map(place).collect()
}

/// The stacks of Environment.FailFast have names alone, with type arguments by their assemblies. Each frame leads to one method: where the
/// exception of the site has as many frames, to that of the token there.
#[test]
fn frames_of_fail_fast_lead_to_the_methods_of_the_exception() {
    let mut by_call = [0; 2];
    for (build, number, both) in [
        ("csharp-debug", 188, 146),
        ("csharp-release", 188, 146),
        ("visual-basic-debug", 106, 89),
        ("fsharp-debug", 65, 59),
    ] {
        let (folder, text, (exceptions, places)) =
            (Folder::new(), golden(&format!("{build}.fail-fast.txt")), exceptions(build));
        let files = copies(&folder, &files("throws", build), build);
        let (found, known) = (frames(&files, &text, &[]), frames(&files, &exceptions, &[]));
        let mut of_sites = BTreeMap::new();
        for stack in own_frames(&exceptions) {
            let Some((_, last)) = stack.last() else { continue };
            of_sites.entry(last.split_inclusive(')').next().unwrap()).or_insert(stack);
        }
        let (mut all, mut compared) = (0, 0);
        for frame in &found {
            let is_alone = frame["candidates"].as_array().is_some_and(|all| all.len() == 1);
            assert!(!is_alone || frame["certainty"] != "open", "{build}: {frame}");
        }
        let lines = only_calls(&found);
        let (found, known) = (methods(&found), methods(&known));
        for stack in own_frames(&text) {
            assert!(stack.iter().all(|(line, _)| found.contains_key(line)), "{build}: {stack:?}");
            all += stack.len();
            let of_site = stack.last().and_then(|(_, last)| of_sites.get(last)).filter(|of| of.len() == stack.len());
            for ((line, frame), (of_exception, _)) in stack.iter().zip(of_site.into_iter().flatten()) {
                let Some(token) = known.get(of_exception) else { continue };
                assert_eq!(found[line], *token, "{build}: {frame}");
                compared += 1;
                let Some(place) = lines.get(line) else { continue };
                by_call[usize::from(places.get(of_exception) == Some(place))] += 1;
            }
        }
        assert_eq!((all, compared), (number, both), "{build}");
    }
    // The call of Deep is on line 584; the runtime has the line before it, because no boundary of optimised code is between the two.
    assert_eq!(by_call, [1, 180], "lines of the only call that are not the runtime's, and those that are");
}

/// The lines that call the frame above stand below a frame without an offset: of one build and of two, which have the same ones. Lines of JSON stay
/// whole, and `--require` asks for more proof.
#[test]
fn few_calls_of_the_frame_above_are_listed() {
    let run = |text: &str, files: &[PathBuf], arguments: &[&str]| {
        let folder = Folder::new();
        folder.write("log.txt", text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        let output =
            command.arg("trace").arg(folder.path().join("log.txt")).args(files).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = "   at Sites.Fail(String site)\n   at Sites.TwoDocuments()\n";
    let debug = files("throws", "csharp-debug");
    let listed = "     │ /src/Second.razor:4 is the one line of Sites.TwoDocuments() that calls the frame above\n";
    assert_eq!(run(text, &debug, &[]), format!("{text}{listed}"));
    assert_eq!(run(text, &debug, &["--require", "code"]), text);
    let json = r#"{"trace":"   at Sites.Fail(String site)\n   at Sites.TwoDocuments()\n"}"#.to_owned() + "\n";
    let array = "[\n\"   at Sites.Fail(String site)\",\n\"   at Sites.TwoDocuments()\"\n]\n";
    assert_eq!([run(&json, &debug, &[]), run(array, &debug, &[])], [&json, array]);
    let both = [debug, files("throws", "csharp-release")].concat();
    assert_eq!(run(text, &both, &[]), format!("{text}{listed}"));
}

/// A method with `#line` has lines in several documents, each of which may call the frame above.
#[test]
fn a_candidate_has_its_lines_in_each_document() {
    let trace = "   at Sites.Fail(String site)\n   at Sites.TwoDocuments()\n";
    let found = frames(&files("throws", "csharp-debug"), trace, &[]);
    let documents = &found[1]["candidates"][0]["documents"];
    let lines = |of: &Value| (of["document"].clone(), of["start_line"].clone(), of["end_line"].clone());
    let (first, other) = (&documents[0], &documents[1]);
    assert_eq!(lines(first), ("/src/Sites.cs".into(), 436.into(), 442.into()), "{documents}");
    assert_eq!(lines(other), ("/src/Second.razor".into(), 3.into(), 4.into()), "{documents}");
    assert_eq!((&first["calls_on_lines"], &other["calls_on_lines"]), (&Value::Null, &serde_json::json!([4])));
}

/// Frames of a build by the symbols of a build with one edit: with the runtime's own line, without a line, and with another line because of
/// the name and the row, or of the call of the frame above.
type Judged = [usize; 4];

/// An edit that no frame shows leaves every frame possible, so that lines are marked.
const EDITS: [(&str, &str, Judged); 6] = [
    ("csharp", "line", [4, 0, 111, 87]),
    ("csharp", "lambda", [52, 26, 50, 74]),
    ("csharp", "constant", [200, 2, 0, 0]),
    ("csharp", "moved", [195, 7, 0, 0]),
    ("visual-basic", "line", [1, 0, 64, 46]),
    ("fsharp", "line", [1, 31, 42, 26]),
];

/// A pair under the name of a build, in a folder without others.
fn copies(folder: &Folder, of: &[PathBuf], build: &str) -> Vec<PathBuf> {
    let copy = |path: &PathBuf| {
        let ending = path.extension().unwrap().to_str().unwrap();
        folder.write(&format!("{build}.{ending}"), std::fs::read(path).unwrap())
    };
    of.iter().map(copy).collect()
}

/// The symbols of an edited build under the name of the build.
fn edited(folder: &Folder, language: &str, edit: &str) -> Vec<PathBuf> {
    copies(folder, &files("edits", &format!("{language}-{edit}")), &format!("{language}-debug"))
}

#[test]
fn frames_of_a_build_with_one_edit_are_equal_refused_or_marked() {
    let mut all = Vec::new();
    for (language, edit, _) in EDITS {
        let (text, runtime) = exceptions(&format!("{language}-debug"));
        let folder = Folder::new();
        let files = edited(&folder, language, edit);
        let found = frames(&files, &text, &[]);
        let mut judged = Judged::default();
        for (line, place) in &runtime {
            let frame = found.iter().find(|frame| frame["line"] == *line).unwrap();
            let kind = match frame["proof"].as_str() {
                _ if place_of(frame).as_ref() == Some(place) => 0,
                None => 1,
                Some("name-and-row") => 2,
                Some("code") => 3,
                other => panic!("{language} {edit}: {other:?} proves another line: {frame}"),
            };
            judged[kind] += 1;
        }
        all.push((language, edit, judged));
        assert!(places(&frames(&files, &text, &["--require", "id"])).is_empty(), "{language}, {edit}");
    }
    assert_eq!(all, EDITS);
}

/// Mono writes the MVID into each frame: no frame has a line of another build then.
#[test]
fn an_id_in_each_frame_refuses_a_build_with_one_edit() {
    for (language, edit, _) in EDITS {
        let build = format!("{language}-debug");
        let own = files("throws", &build);
        let mvid = Session::open(&own).unwrap().image().unwrap().mvid().unwrap().to_string().replace('-', "");
        let mut trace = String::new();
        for line in exceptions(&build).0.lines() {
            let in_build = format!("in {build}.dll:token 0x");
            let Some((method, at)) = line.trim_start().split_once(&in_build) else { continue };
            let il = at.trim_end_matches("<---").rsplit('+').next().unwrap();
            writeln!(trace, "  {method}[{il}] in <{mvid}>:0").unwrap();
        }
        let resolved = |files: &[PathBuf]| frames(files, &trace, &[]).iter().filter(|frame| is_resolved(frame)).count();
        assert!(resolved(&own) > 50, "{language}");
        assert_eq!(resolved(&edited(&Folder::new(), language, edit)), 0, "{edit}");
    }
}

/// The `rethrow` of a handler of F# has a hidden point. Its line is that of the last visible point before it, from which no path leads there.
#[test]
fn a_line_before_a_hidden_point_is_derived() {
    let files = files("throws", "fsharp-debug");
    let mvid = Session::open(&files).unwrap().image().unwrap().mvid().unwrap().to_string().replace('-', "");
    let at = |il: u32| format!("  at Throws.Sites.tryWith () [0x{il:05x}] in <{mvid}>:0\n");
    let found = frames(&files, &(at(0x25) + &at(0)), &[]);
    assert_eq!(
        (&found[0]["start_line"], &found[0]["certainty"]["derived"]),
        (&151.into(), &"last-visible-point".into())
    );
    assert_eq!((&found[1]["start_line"], &found[1]["certainty"]), (&149.into(), &"known".into()));
}

#[test]
fn chain_is_the_old_name_of_code() {
    let (text, runtime) = exceptions("csharp-debug");
    let required = |proof: &str| places(&frames(&files("throws", "csharp-debug"), &text, &["--require", proof]));
    let by_code = required("code");
    assert!(!by_code.is_empty() && by_code.len() < runtime.len());
    assert_eq!(required("chain"), by_code);
}

/// A line that its own trace does not contradict, and another trace of the text that does.
#[test]
fn the_summary_counts_lines_by_symbols_that_the_text_contradicts_elsewhere() {
    let at = |name: &str| format!("   at Sites.{name}() in csharp-debug.dll:token 0x600000f+0x0\n");
    let folder = Folder::new();
    let summary = |text: &str| {
        let text = folder.write("trace.txt", text.as_bytes());
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        let output = command.arg("trace").args(files("throws", "csharp-debug")).arg(text).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let both = summary(&format!("{}\n{}", at("Divide"), at("Index")));
    let elsewhere = "1 resolved (1 of them by symbols that other frames of the text contradict), 1 another build of csharp-debug.dll";
    assert!(both.contains(elsewhere), "{both}");
    let alone = summary(&at("Divide"));
    assert!(alone.contains("1 resolved; build not proved") && !alone.contains("contradict"), "{alone}");
}
