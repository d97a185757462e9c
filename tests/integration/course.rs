//! The course: its reference solutions, and readers with the mistakes that people make.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pdblens::learn::course::{EXERCISES, Exercise, built_in, difference, first_explained, named};
use pdblens::learn::lesson;
use pdblens::learn::lesson::file::{QuestionDef, QuestionKind};
use pdblens::learn::question::readers::ReaderPair;
use pdblens::text::safe::hex;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::samples::repository;

/// A reader with one mistake: an entry of `mutants.toml`.
#[derive(serde::Deserialize)]
struct Mutant {
    exercise: String,
    /// The mistake.
    name: String,
    /// Text of the reference solution, which has it once or more.
    old: String,
    new: String,
    /// Words of the mistake that is told.
    told: Option<String>,
    /// Reason why no input tells it from a right reader.
    equivalent: Option<String>,
}

fn mutants() -> Vec<Mutant> {
    let text = include_str!("mutants.toml");
    toml::from_str::<std::collections::HashMap<String, Vec<Mutant>>>(text).unwrap().remove("mutant").unwrap()
}

/// Pairs of readers that the built-in lessons ask about.
fn reader_pairs() -> Vec<ReaderPair> {
    let questions = lesson::built_in().iter().flat_map(|lesson| &lesson.questions);
    let pair = |question: &QuestionDef| match &question.kind {
        QuestionKind::Readers(pair) => Some(pair.clone()),
        _ => None,
    };
    let pairs: Vec<ReaderPair> = questions.filter_map(pair).collect();
    assert!(pairs.len() >= 3);
    pairs
}

fn exercise_of(pair: &ReaderPair) -> &'static Exercise {
    named(match pair.kind.as_str() {
        "uint" => "unsigned",
        "sint" => "signed",
        kind => kind,
    })
    .unwrap()
}

/// Answers of changed readers, in one run of Python.
const DRIVER: &str = "
import json, sys
from pathlib import Path
source, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
results = []
for exercise, old, new in json.load(sys.stdin):
    assert old in source, old
    reader, answers = {'__name__': 'wrong'}, {}
    exec(source.replace(old, new), reader)
    for path in sorted(folder.joinpath('cases', exercise).iterdir()):
        try:
            answers[path.stem] = reader[exercise](path.read_bytes())
        except Exception as error:
            answers[path.stem] = {'error': str(error)}
    results.append(answers)
print(json.dumps(results))
";

fn python() -> Option<PathBuf> {
    ["/usr/bin/python3", "/usr/local/bin/python3"].map(PathBuf::from).into_iter().find(|path| path.is_file())
}

fn course(words: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("course").args(words).current_dir(folder).output().unwrap()
}

fn started(language: &str) -> Folder {
    let folder = Folder::new();
    let output = course(&["start", ".", "--language", language], folder.path());
    assert!(output.status.success(), "{output:?}");
    folder
}

/// All inputs of a course.
fn inputs(folder: &Folder) -> Vec<PathBuf> {
    let files = folder.files().into_iter().filter(|name| name.starts_with("cases/"));
    files.map(|name| folder.path().join(name)).collect()
}

/// Runs a reader on every input and checks what it printed.
fn checked(folder: &Folder, mut reader: Command) -> Output {
    let printed = reader.args(inputs(folder)).output().unwrap();
    folder.write("answers.json", &printed.stdout);
    course(&["check", ".", "--output", "answers.json"], folder.path())
}

#[test]
fn the_reference_solution_in_python_is_right_and_wrong_ones_are_told_their_mistake() {
    let Some(python) = python() else {
        eprintln!("skipped: there is no /usr/bin/python3");
        return;
    };
    let folder = started("python");
    let reference = repository("examples/course/reader.py");
    let mut reader = Command::new(&python);
    reader.arg(&reference);
    let output = checked(&folder, reader);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mutants = mutants();
    let patches: Vec<[&str; 3]> =
        mutants.iter().map(|mutant| [&*mutant.exercise, &*mutant.old, &*mutant.new]).collect();
    folder.write("patches.json", serde_json::to_vec(&patches).unwrap());
    let pairs = reader_pairs();
    for (index, pair) in pairs.iter().enumerate() {
        let exercise = exercise_of(pair).name;
        folder.write(&format!("cases/{exercise}/question-{index}.bin"), &pair.bytes);
    }
    let input = fs::File::open(folder.path().join("patches.json")).unwrap();
    let mut driver = Command::new(&python);
    driver.args(["-c", DRIVER]).arg(&reference).arg(folder.path()).stdin(input);
    let output = driver.output().unwrap();
    let results: Vec<Value> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let cases: Vec<_> = built_in().into_iter().map(|case| (case.answer(), case)).collect();
    let (mut survivors, mut named, mut wrongly_named) = (Vec::new(), 0, Vec::new());
    for (index, pair) in pairs.iter().enumerate() {
        // The wrong reader of a question is one of the mutants, and gives what the question says, where it says.
        let of_pair = |mutant: &Mutant| mutant.old == pair.right && mutant.new == pair.wrong;
        let mutant = mutants.iter().position(of_pair).unwrap_or_else(|| panic!("no mutant: {}", pair.wrong));
        let answer = exercise_of(pair).answer(&pair.bytes);
        let found = difference(&answer, &results[mutant][format!("question-{index}")]).expect(&pair.wrong);
        let (steps, at) = found.read(&answer).expect("it differs at a read");
        assert_eq!((steps.list[at].field.span.start, &found.given), (pair.differ, &pair.gives), "{found:?}");
    }
    for (mutant, answers) in mutants.iter().zip(results) {
        let of = cases.iter().filter(|(_, case)| case.exercise == mutant.exercise);
        let differences: Vec<_> =
            of.filter_map(|(answer, case)| difference(answer, answers.get(&case.name)?)).collect();
        let explained = first_explained(&differences.iter().collect::<Vec<_>>()).map(|(_, found)| found);
        let mistake = explained.filter(|found| !found.is_of_damage()).and_then(|found| found.mistake);
        named += usize::from(mistake.is_some());
        // What is named is the mistake, and what can be named is.
        let is_right = match (&mistake, &mutant.told) {
            (Some(mistake), Some(told)) => mistake.contains(told),
            (mistake, told) => mistake.is_none() && told.is_none(),
        };
        if !is_right {
            wrongly_named.push((&mutant.exercise, &mutant.name, mistake, differences.first().cloned()));
        }
        if differences.is_empty() {
            survivors.push(mutant);
        }
    }
    for survivor in &survivors {
        let reason = survivor.equivalent.as_deref().unwrap_or("no input tells it from a right reader");
        println!("{}: {} survives: {reason}", survivor.exercise, survivor.name);
    }
    println!("{named} mistakes are named, {} of them wrongly", wrongly_named.len());
    assert!(wrongly_named.is_empty() && named >= 25, "{wrongly_named:#?}");
    println!("{} of {} mutants die", mutants.len() - survivors.len(), mutants.len());
    assert!(mutants.len() >= 60 && survivors.iter().all(|mutant| mutant.equivalent.is_some()));
    assert_eq!(survivors.len(), mutants.iter().filter(|mutant| mutant.equivalent.is_some()).count());
}

#[test]
fn the_reference_solution_in_rust_is_right() {
    let folder = started("rust");
    let program = folder.path().join("reference");
    let source = repository("examples/course/reader.rs");
    let compiled =
        Command::new("rustc").args(["--edition", "2024", "-C", "debuginfo=0", "-o"]).arg(&program).arg(source).output();
    let Ok(compiled) = compiled else {
        eprintln!("skipped: there is no rustc");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = checked(&folder, Command::new(program));
    let text = String::from_utf8_lossy(&output.stdout);
    // It has the first course.
    let right = text.lines().take_while(|line| line.starts_with('✓'));
    assert!(right.count() >= 13, "{text}");
}

#[test]
fn a_program_runs_only_where_it_is_named() {
    let Some(python) = python() else { return };
    let folder = started("python");
    let python = python.display().to_string();
    let output = course(&["check", ".", "--exercise", "signed", "--", &python, "reader.py"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text.contains("NotImplementedError") && text.contains("4 signed"), "{text}");
    // A second start keeps the program, and writes the inputs of a file of one's own.
    folder.write(
        "reader.py",
        "print('{\"signed/mixed\": {\"values\": [1, -8064, 121]}, \"signed/one-byte\": {\"values\": [3, 123]}}')",
    );
    let own = repository("assets/samples/parcel/parcel.pdb").display().to_string();
    let output = course(&["start", ".", "--language", "python", &own], folder.path());
    assert!(output.status.success(), "{output:?}");
    assert!(folder.files().contains(&"cases/msf/own-parcel.bin".to_owned()), "{:?}", folder.files());
    let output = course(&["check", ".", "--exercise", "4", "--", &python, "reader.py"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("values[1] is 123; right is -3") && text.contains("→ 123 is the number read as unsigned"),
        "{text}"
    );
    // One input alone does not show which mistake it is.
    folder.write("reader.py", "print('{\"signed/mixed\": {\"values\": [1, -8064, 121]}}')");
    let output = course(&["check", ".", "--exercise", "4", "--", &python, "reader.py"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("values[2] is 121; right is -4") && !text.contains("read as unsigned"), "{text}");
    // Lines before the JSON are quoted, and a reader that fails everywhere has crashed.
    let program = "import sys, pathlib\nprint('look here')\nnames = [pathlib.Path(name) for name in sys.argv[1:]]\n\
                   print('{' + ','.join(f'\"{name.parent.name}/{name.stem}\": {{\"error\": \"KeyError: 7\"}}' for name in names) + '}')";
    folder.write("reader.py", program);
    let output = course(&["check", ".", "--exercise", "4", "--", &python, "reader.py"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("| look here") && text.contains("crashed: KeyError: 7"), "{text}");
    assert!(text.contains("`pdblens course hint signed`"), "{text}");
    // Without a program and without its output nothing is run.
    assert_eq!(course(&["check", "."], folder.path()).status.code(), Some(2));
    let output = course(&["check", ".", "--", "/nowhere/reader"], folder.path());
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{output:?}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(error.matches("cannot start /nowhere/reader").count(), 1, "{error}");
}

#[test]
fn a_program_that_does_not_end_is_stopped() {
    let Some(python) = python() else { return };
    let folder = started("python");
    // As `go run` does, the program starts another, which has the same standard output.
    folder.write("reader.py", "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])");
    let start = std::time::Instant::now();
    let python = python.display().to_string();
    let output = course(&["check", ".", "--exercise", "guid", "--", &python, "reader.py"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("did not end within 10 seconds"), "{output:?}");
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn a_watched_folder_is_checked_again_after_a_change() {
    let Some(python) = python() else { return };
    let folder = started("python");
    let mut watch = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    watch.args(["course", "check", ".", "--exercise", "guid", "--watch", "--"]).arg(python).arg("reader.py");
    let mut watch = watch.current_dir(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("Waiting for a change")));
    folder.write("reader.py", "print('{\"guid/digits\": {\"guid\": \"33221100-5544-7766-8899-aabbccddeeff\"}}')");
    // The line of the exercise, with one right answer more than a stub has.
    let again = lines.find(|line| line.contains(" guid "));
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert!(again.as_ref().is_some_and(|line| line.contains("1 of 3")), "{again:?}");
}

#[test]
fn hints_are_told_one_by_one() {
    let folder = Folder::new();
    for exercise in &EXERCISES {
        let hints = exercise.hints();
        assert!(hints.len() >= 2, "{}", exercise.name);
        let output = course(&["hint", exercise.name], folder.path());
        let text = String::from_utf8(output.stdout).unwrap();
        let first = |hint: &str| hint.split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert!(text.contains(&first(&hints[0])) && !text.contains(&first(&hints[1])), "{text}");
        assert!(text.contains("--level 2` tells more"), "{text}");
    }
}

#[test]
fn the_reference_solution_leads_frames_to_their_lines() {
    let Some(python) = python() else { return };
    let pdb = repository("assets/samples/ticker/Ticker.pdb");
    let mut tool = Command::new(python);
    tool.arg(repository("examples/course/reader.py")).arg("resolve").arg(&pdb);
    tool.arg(pdb.with_extension("dll"));
    let output = tool.args(["0x06000003+0xc", "0x06000001+0x14", "at Ticker.Clock.Since() +0xc"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let since = ["0x06000003+0xc", "at Ticker.Clock.Since() +0xc"].map(|at| format!("{at} /_/ticker/Clock.cs:13"));
    assert_eq!(text.lines().collect::<Vec<_>>(), [&since[0], "0x06000001+0x14 no line", &since[1]]);
}

/// Lines of a solution that each exercise needs, with those of the functions that it calls.
const LINES_NEEDED: &str = "
import ast, sys
parts = {}
for node in ast.parse(open(sys.argv[1]).read()).body:
    if isinstance(node, ast.ClassDef):
        parts.update({'.' + method.name: method for method in node.body if isinstance(method, ast.FunctionDef)})
    elif isinstance(node, (ast.FunctionDef, ast.Assign)):
        parts[getattr(node, 'name', None) or node.targets[0].id] = node
def used(node):
    names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    own = {name.id for name in names if isinstance(name.ctx, ast.Store)} | {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)}
    return {name.id for name in names} - own | {'.' + inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
for name in sys.argv[2:]:
    seen, new = set(), {name}
    while new:
        seen |= new
        new = {other for part in new for other in used(parts[part]) if other in parts} - seen
    print(sum(parts[part].end_lineno - parts[part].lineno + 1 for part in seen))
";

#[test]
fn exercises_are_in_the_order_of_the_code_that_they_need() {
    let Some(python) = python() else { return };
    let mut count = Command::new(python);
    count.args(["-c", LINES_NEEDED]).arg(repository("examples/course/reader.py"));
    let output = count.args(EXERCISES.iter().map(|exercise| exercise.name)).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<usize> = lines.lines().map(|line| line.parse().unwrap()).collect();
    let (first, second) = lines.split_at_checked(13).expect("nineteen exercises");
    assert!(first.is_sorted() && second.is_sorted() && second.len() == 6, "{lines:?}");
}

#[test]
fn stubs_in_javascript_print_answers() {
    let folder = started("javascript");
    let mut node = Command::new("node");
    node.arg(folder.path().join("reader.js")).stderr(Stdio::null());
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: there is no node");
        return;
    }
    let output = checked(&folder, node);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("not written yet") && text.contains("Exercise 1: GUIDs"), "{text}");
}

/// Lines that `dotnet` prints of what is installed, as name, version and folder.
fn installed(dotnet: &Path, option: &str) -> Option<(String, PathBuf)> {
    let output = Command::new(dotnet).arg(option).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().rfind(|line| !line.contains(".App ") || line.starts_with("Microsoft.NETCore.App "))?;
    let (head, folder) = line.strip_suffix(']')?.split_once(" [")?;
    let version = head.rsplit(' ').next()?;
    Some((version.to_owned(), Path::new(folder).join(version)))
}

/// `dotnet` or `PDBLENS_DOTNET`; the compiler of its SDK or `PDBLENS_CSC`; version and folder of its newest runtime.
fn csharp() -> Option<(PathBuf, PathBuf, String, PathBuf)> {
    let dotnet = std::env::var_os("PDBLENS_DOTNET").map_or_else(|| "dotnet".into(), PathBuf::from);
    let (version, runtime) = installed(&dotnet, "--list-runtimes")?;
    let of_sdk = || Some(installed(&dotnet, "--list-sdks")?.1.join("Roslyn/bincore/csc.dll"));
    let csc = std::env::var_os("PDBLENS_CSC").map(PathBuf::from).or_else(of_sdk)?;
    csc.is_file().then_some((dotnet, csc, version, runtime))
}

#[test]
fn the_stub_in_csharp_compiles_and_prints_answers() {
    let Some((dotnet, csc, version, runtime)) = csharp() else {
        eprintln!("skipped: there is no dotnet with a C# compiler · PDBLENS_DOTNET and PDBLENS_CSC name them");
        return;
    };
    let folder = started("csharp");
    let framework = format!("{{\"name\": \"Microsoft.NETCore.App\", \"version\": \"{version}\"}}");
    let options = "\"configProperties\": {\"System.Globalization.Invariant\": true}";
    let config = format!("{{\"runtimeOptions\": {{\"framework\": {framework}, {options}}}}}");
    let config = folder.write("run.json", config);
    let run = |program: &Path| {
        let mut run = Command::new(&dotnet);
        run.arg("exec").arg("--runtimeconfig").arg(&config).arg(program).current_dir(folder.path());
        run
    };
    let files = fs::read_dir(runtime).unwrap().map(|file| file.unwrap().path());
    let is_reference = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|end| end == "dll") && (name.starts_with("System") || name == "mscorlib")
    };
    let references = files.filter(is_reference).map(|path| format!("-r:{}", path.display()));
    let compiled = run(&csc).args(["-nologo", "-out:reader.dll", "Reader.cs"]).args(references).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    let output = checked(&folder, run(&folder.path().join("reader.dll")));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("not implemented") && text.contains("Exercise 1: GUIDs"), "{text}");
}

#[test]
fn reads_of_another_reader_are_compared_with_a_record() {
    let folder = Folder::new();
    let sample = repository("assets/samples/ticker/Ticker.dll").display().to_string();
    let show = |more: &[&str]| {
        let place = [sample.as_str(), "method/Clock.Since/points"];
        let words = [&["show"], &place[..], more].concat();
        let input =
            fs::File::open(folder.write("input", fs::read(folder.path().join("reads.json")).unwrap_or_default()))
                .unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(words).current_dir(folder.path()).stdin(input).output().unwrap()
    };
    folder.write("reads.json", show(&["--steps", "--json"]).stdout);
    // A file, or standard input.
    for input in ["reads.json", "-"] {
        let output = show(&["--against", input]);
        assert!(
            output.status.success() && String::from_utf8_lossy(&output.stdout).contains("26 reads agree"),
            "{output:?}"
        );
    }
    folder.write("reads.json", "{\"points\": [{\"offset\": 0, \"hidden\": false, \"startLine\": 5}]}");
    let output = show(&["--against", "reads.json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(
        text.contains("points[0].startLine is 5; right is 10") && text.contains("read 5 of 26, at 0x605: 0a"),
        "{text}"
    );
    folder.write("reads.json", "{\"lines\": []}");
    assert_eq!(show(&["--against", "reads.json"]).status.code(), Some(1));
}

#[test]
fn a_corpus_has_inputs_answers_and_reads() {
    let folder = Folder::new();
    let output =
        Command::new(env!("CARGO_BIN_EXE_pdblens")).args(["gen", "corpus", "."]).current_dir(folder.path()).output();
    assert!(output.as_ref().unwrap().status.success(), "{output:?}");
    let read = |name: &str| -> Value { serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap() };
    let list = read("corpus.json");
    assert_eq!(list["format"], 2);
    let mut seen = 0;
    for exercise in list["exercises"].as_array().unwrap() {
        for case in exercise["cases"].as_array().unwrap() {
            let name = format!("{}/{}", exercise["name"].as_str().unwrap(), case.as_str().unwrap());
            let json = read(&format!("{name}.json"));
            let bytes = fs::read(folder.path().join(format!("{name}.bin"))).unwrap();
            assert_eq!(json["answer"].get("error").is_some(), json["result"] == "invalid", "{name}");
            assert!(json["why"].as_str().unwrap().len() > 5, "{name}");
            let reads =
                json["records"].as_array().unwrap().iter().flat_map(|record| record["reads"].as_array().unwrap());
            // Of what is no metadata at all there is no read.
            assert!(!bytes.is_empty() && (reads.count() > 0 || json["result"] == "invalid"), "{name}");
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
    let gallery = list["gallery"].as_array().unwrap();
    assert!(gallery.len() >= 20);
    for pair in gallery {
        for change in pair["changes"].as_array().unwrap() {
            let path = format!("gallery/{}/{}", pair["name"].as_str().unwrap(), change["file"].as_str().unwrap());
            let file = fs::read(folder.path().join(path)).unwrap();
            let (at, after) = (change["offset"].as_u64().unwrap() as usize, change["after"].as_str().unwrap());
            let there = hex(&file[at..at + after.len() / 2]);
            assert_eq!(there, after, "{pair}");
        }
    }
    // Answers are checked in the folder of a corpus, as in that of a course.
    let answers = "{\"guid/digits\": {\"guid\": \"33221100-5544-7766-8899-aabbccddeeff\"}}";
    folder.write("answers.json", answers);
    let output = course(&["check", ".", "--exercise", "guid", "--output", "answers.json"], folder.path());
    assert!(String::from_utf8_lossy(&output.stdout).contains("✗  1 guid        1 of 3"), "{output:?}");
    // docs/corpus.md describes each member.
    let docs = fs::read_to_string(repository("docs/corpus.md")).unwrap();
    let read = &read("signed/mixed.json")["records"][0]["reads"][0];
    let names = read.as_object().unwrap().keys().map(String::as_str);
    for name in names
        .chain([
            "answer",
            "why",
            "result",
            "records",
            "title",
            "reads",
            "format",
            "pdblens",
            "exercises",
            "specification",
            "cases",
        ])
        .chain(["gallery", "fault", "rules", "files", "changes", "before", "after"])
    {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
}
