//! The commands `where`, `break` and `trace` on the samples.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::support::is_thorough;
use crate::support::server::{Answer, Server};
use serde_json::Value;

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(path)
}

fn text_of(path: &str) -> String {
    std::fs::read_to_string(sample(path)).unwrap()
}

fn command<S: AsRef<OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(args).env_remove("NO_COLOR").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs with `input` on standard input.
fn fed<S: AsRef<OsStr>>(args: &[S], input: &[u8]) -> Output {
    let mut child = command(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

fn stdout<S: AsRef<OsStr>>(args: &[S]) -> String {
    let output = fed(args, b"");
    // Of a question without an answer, what is said of it counts.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json<S: AsRef<OsStr>>(args: &[S]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

fn path(path: &str) -> String {
    sample(path).to_str().unwrap().to_owned()
}

#[test]
fn an_offset_is_explained_in_sentences() {
    assert_eq!(
        stdout(&["where", &path("workshop-embedded/Workshop.dll"), "Columns.Mixed+0xd"]),
        "Workshop.Columns.Mixed(string)+0xd  method/0x06000001/il/0xd
  point 3 begins at IL_000d and covers IL_000d..IL_0013 (end exclusive)
  /_/workshop/Columns.cs:8  8:34–8:54
  8 │             var greeting = \"こんにちは、\" + 名前;   var rocket = \"🚀🚀\";
    │                                                     ~~~~~~~~~~~~~~~~~~~~
  breakpoint   ● stops
  instruction  IL_000d  ldstr \"🚀🚀\"
  in scope     string greeting  (slot 0)
               string rocket  (slot 1)
               string accent  (slot 2)
"
    );
}

#[test]
fn special_offsets_are_explained() {
    let workshop = path("workshop/Workshop.dll");
    for (question, wanted) in [
        ("Columns.Mixed+0xe", "no instruction begins there: it is inside the one at IL_000d"),
        ("Columns.Mixed+0xfff", "is past the end: the method has"),
        (
            "Parts.Seed+6",
            "is hidden: no source belongs to it. Before it: IL_0001 100:13–100:31; after it: IL_000b 7:13–7:29",
        ),
        ("Parts.Seed+6", "its points are in 3 documents: "),
        ("Parts..ctor", "its points are in 2 documents: "),
        (
            "StateMachines.FetchAsync",
            "it only starts a state machine: its body is Workshop.StateMachines.<FetchAsync>d__1.MoveNext()",
        ),
        ("StateMachines.FetchAsync+0x10", "in a stack trace this means:"),
        ("Scopes.Guarded+1", "try of region 0: "),
    ] {
        let said = stdout(&["where", &workshop, question]);
        assert!(said.contains(wanted), "{question}: {said}");
    }
    let said = stdout(&["where", &workshop, "<FetchAsync>d__1.MoveNext+0x10"]);
    assert!(said.contains("the body of Workshop.StateMachines.FetchAsync(int) (0x0600002"), "{said}");
}

#[test]
fn windows_symbols_give_the_answers_of_portable_ones() {
    // Every third offset of the first 120 bytes of every method; the same sources, compiled to both formats.
    let questions: String =
        (1..=50).flat_map(|row| (0..120).step_by(3).map(move |il| format!("{row}+{il}\n"))).collect();
    let answers = |image: &str| -> Value {
        let output = fed(&["where", &path(image), "-", "--json"], questions.as_bytes());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (windows, portable) = (answers("workshop-windows/Workshop.dll"), answers("workshop-roslyn3/Workshop.dll"));
    let (windows, portable) = (windows["answers"].as_array().unwrap(), portable["answers"].as_array().unwrap());
    assert_eq!((windows.len(), portable.len()), (50 * 40, 50 * 40));
    for (windows, portable) in windows.iter().zip(portable) {
        assert_eq!(windows, portable);
    }
    let count = |what: &dyn Fn(&Value) -> bool| portable.iter().filter(|answer| what(answer)).count();
    let counts = [
        count(&|answer| answer["source"].is_object()),
        count(&|answer| answer["kickoff"]["token"].is_string()),
        count(&|answer| answer["locals"].as_array().is_some_and(|locals| locals.len() > 1)),
    ];
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn many_offsets_are_asked_at_once_and_from_standard_input() {
    let args = ["where", &path("faults/Faults.dll"), "0x06000002+0x23", "-", "--json"];
    let output = fed(&args, b"Program.Parse+35\r\n\n  8 + 0x37\nParse(string)+0x23");
    let answers: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<_> =
        answers["answers"].as_array().unwrap().iter().map(|a| a["source"]["start_line"].clone()).collect();
    assert_eq!(lines, [45, 45, 80, 45]);
    let first = &answers["answers"][0];
    assert_eq!(
        first["method"],
        serde_json::json!({
            "token": "0x06000002",
            "name": "Faults.Program.Parse(string)",
            "full_name": "Faults.Program.Parse",
        })
    );
    assert_eq!((&first["il"], &first["position"]), (&35.into(), &"inside".into()));
    assert_eq!(
        first["regions"][0],
        serde_json::json!({"number": 0, "part": "handler", "kind": "catch System.FormatException"})
    );
}

#[test]
fn lines_of_standard_input_keep_their_labels_and_bad_ones_their_place() {
    let asked = b"# of last night\ncrash 1: Program.Parse+35 // slow\nNowhere+1\ncrash 2: Nowhere+1\n8+0x37\n";
    let output = fed(&["where", &path("faults/Faults.dll"), "-", "--json"], asked);
    let answers: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3));
    let rows = |answers: &Value, field: &str| -> Vec<(Value, Value, bool)> {
        let rows = answers[field].as_array().unwrap().iter();
        rows.map(|row| {
            (row["query"].clone(), row["label"].clone(), row["reason"].is_string() && row.get("fix").is_none())
        })
        .collect()
    };
    let row = |query: &str, label: Option<&str>, error| (query.into(), label.map_or(Value::Null, Into::into), error);
    let wanted = [
        row("crash 1: Program.Parse+35", Some("crash 1"), false),
        row("Nowhere+1", None, true),
        row("crash 2: Nowhere+1", Some("crash 2"), true),
        row("8+0x37", None, false),
    ];
    assert_eq!(rows(&answers, "answers"), wanted);

    let asked = b"; of the smoke test\none: Clock.cs:13\nClock.cs:zz\ntwo\tNone.cs:13\nClock.cs:14\n";
    for (option, field) in [(None, "breakpoints"), (Some("--why"), "answers")] {
        let args: Vec<&str> = ["break", "--sample", "-", "--json"].into_iter().chain(option).collect();
        let output = fed(&args, asked);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        // That no document has the name is a cause that --why tells.
        let is_error = option.is_none();
        let wanted = [
            row("one: Clock.cs:13", Some("one"), false),
            row("Clock.cs:zz", None, true),
            row("two\tNone.cs:13", Some("two"), is_error),
            row("Clock.cs:14", None, false),
        ];
        assert_eq!(rows(&found, field), wanted, "{args:?}");
    }
    let output = fed(&["break", "--sample", "-"], asked);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("one:\n") && text.contains("Clock.cs:13") && text.contains("Clock.cs:14"), "{text}");
    assert!(
        errors.contains("\"zz\" is not a line of Clock.cs")
            && errors.contains("two: no document is called \"None.cs\""),
        "{errors}"
    );
}

#[test]
fn offsets_and_addresses_of_native_code_land_on_their_lines_and_lines_on_them() {
    // With the image and without; by name, by place, by address of the image, by address in memory.
    for (file, question) in [
        ("native/tally.exe", "clamp+0x19"),
        ("native/tally.exe", "0x140001079"),
        ("native/tally.exe", "function/clamp/lines/4"),
        ("native/tally.pdb", "clamp+25"),
        ("native/tally.pdb", "0x1079"),
        ("native/tally.pdb", "function/0x1060/code/0x19"),
    ] {
        let output = fed(&["where", &path(file), question, "--json"], b"");
        let answers: Value = serde_json::from_slice(&output.stdout).unwrap();
        let answer = &answers["answers"][0];
        assert_eq!(
            (&answer["function"]["address"], &answer["offset"], &answer["position"], &answer["source"]["start_line"]),
            (&"0x1060".into(), &0x19.into(), &"exact".into(), &12.into()),
            "{question}"
        );
        let parameters: Vec<_> = answer["locals"].as_array().unwrap().iter().map(|l| l["kept_in"].clone()).collect();
        // What the code stores them with: mov [rsp+16], r8d; mov [rsp+12], edx; mov [rsp+8], ecx.
        assert_eq!(parameters, ["[rsp+0x8]", "[rsp+0xc]", "[rsp+0x10]"]);
    }
    let output = fed(&["break", &path("native/tally.pdb"), "tally.c:12", "tally.c:1", "--json"], b"");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lands = |index: usize| {
        let found = &found["breakpoints"][index];
        let hit = found["hits"].as_array().unwrap().iter().find(|hit| hit["binds"] == true).unwrap();
        (found["line"].clone(), hit["function"]["name"].clone(), hit["start"].clone(), hit["end"].clone())
    };
    assert_eq!(lands(0), (12.into(), "clamp".into(), 0x11.into(), 0x15.into()));
    assert_eq!(lands(1), (11.into(), "clamp".into(), 0.into(), 0x11.into()));
}

#[test]
fn a_wrong_question_names_the_nearest_and_the_others_are_answered() {
    let output = fed(&["where", "--sample", "Clock.Sinc+2", "Clock.Since+2"], b"");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Ticker.Clock.Since"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Ticker.Clock.Since(long)+0x2"));
    let native = path("native/tally.exe");
    assert!(
        String::from_utf8_lossy(&fed(&["where", &native, "clmp+0"], b"").stderr).contains("did you mean \"clamp\"")
    );
    for (args, code) in [
        (&["where"][..], 2),
        (&["where", &native, "1+0"], 3),
        (&["break", &native, "tally.c:30"], 3),
        (&["where", "nofile.dll", "1+1"], 1),
        (&["break"], 2),
        (&["break", "--sample", "Program.cs"], 3),
    ] {
        assert_eq!(fed(args, b"").status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn a_breakpoint_lands_where_a_debugger_binds_it() {
    let workshop = path("workshop/Workshop.dll");
    let bound = |line: &str| -> (Value, Vec<(String, u64)>) {
        let found = json(&["break", &workshop, line, "--json"]);
        let found = &found["breakpoints"][0];
        let hits = found["hits"].as_array().unwrap().iter().filter(|hit| hit["binds"] == true);
        let hits = hits.map(|hit| (hit["method"]["name"].as_str().unwrap().to_owned(), hit["start"].as_u64().unwrap()));
        (found["line"].clone(), hits.collect())
    };
    assert_eq!(bound("Parts.First.cs:7"), (7.into(), vec![("Workshop.Parts..ctor()".into(), 0)]));
    // A lambda in a lambda: both begin on the line, the method around them does not.
    let (_, hits) = bound("StateMachines.cs:60");
    assert_eq!(hits.len(), 2, "{hits:?}");
    assert!(hits.iter().all(|(name, _)| name.contains("<Adder>b__")), "{hits:?}");
    // At a column only what is there.
    let (_, hits) = bound("StateMachines.cs:60:46");
    assert_eq!(hits.len(), 1, "{hits:?}");
    // Iterators and async methods are bound in their bodies.
    let (_, hits) = bound("workshop/StateMachines.cs:38");
    assert!(hits.len() == 1 && hits[0].0.contains("<Evens>") && hits[0].0.ends_with("MoveNext()"), "{hits:?}");
    // A line in a document that only `#line` names.
    let (_, hits) = bound("Seed.tt:100");
    assert_eq!(hits, [("Workshop.Parts.Seed(int)".to_owned(), 1)]);
    // No code on the line: the next that has some.
    let (line, hits) = bound("Scopes.cs:1");
    assert!(line.as_u64() > Some(1) && !hits.is_empty(), "{line} {hits:?}");
    let output = fed(&["break", &workshop, "Scopes.cs:9999"], b"");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_document_that_could_be_several_is_not_guessed() {
    let workshop = path("workshop/Workshop.dll");
    let output = fed(&["break", &workshop, "Pats.First.cs:7"], b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("Parts.First.cs"), "{output:?}");
    assert_eq!(output.status.code(), Some(3));
    let output = fed(&["break", &workshop, "nothing-like-it-at-all.cs:7"], b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no document is called"), "{output:?}");
}

/// The frames of our sample, in their order; of each exception only those after inner ones.
fn truth(folder: &str) -> Vec<String> {
    let text = text_of(&format!("{folder}/with-lines.txt"));
    let outer = text.split("\n\n").map(|block| block.rsplit("End of inner exception").next().unwrap());
    outer.flat_map(str::lines).filter_map(|line| line.split_once(" in /_/")).map(|(_, at)| at.to_owned()).collect()
}

#[test]
fn il_offsets_resolve_to_the_lines_that_the_runtime_prints() {
    for folder in ["faults", "faults-release"] {
        let out = stdout(&["trace", "--symbols", &path(folder), &path(&format!("{folder}/il-offsets.txt"))]);
        // There are no symbols of the framework here: its frames stay as they were. Nothing in the text proves the build of the others.
        let wanted: Vec<String> = text_of(&format!("{folder}/il-offsets.txt"))
            .lines()
            .zip(text_of(&format!("{folder}/with-lines.txt")).lines())
            .map(|(offset, line)| match offset.contains(":token ") && !offset.contains(" in System.") {
                true => format!("{line} ~"),
                false => offset.to_owned(),
            })
            .collect();
        assert_eq!(out.lines().collect::<Vec<_>>(), wanted, "{folder}");
        assert_eq!(out.matches("token 0x").count(), 4, "{folder}");
        // Its own output passes unchanged, marks included.
        let again = fed(&["trace", "--symbols", &path(folder), "-"], out.as_bytes());
        assert_eq!(String::from_utf8_lossy(&again.stdout), out);
        assert!(String::from_utf8_lossy(&again.stderr).contains("13 with a line already"), "{again:?}");
    }
}

#[test]
fn production_traces_get_the_same_lines() {
    for folder in ["faults", "faults-release"] {
        let input = text_of(&format!("{folder}/production.txt"));
        let output = fed(&["trace", "--symbols", &path(folder)], input.as_bytes());
        let out = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<String> =
            out.lines().filter_map(|line| line.split_once(" in /_/")).map(|(_, at)| at.to_owned()).collect();
        assert_eq!(lines, truth(folder), "{folder}");
        // Without what was put in, it is what went in.
        let back: String = out
            .split_inclusive('\n')
            .map(|line| match line.split_once(" in /_/") {
                Some((before, _)) => format!("{before}\n"),
                None => line.to_owned(),
            })
            .collect();
        assert_eq!(back, input, "{folder}");
    }
}

#[test]
fn symbols_come_from_a_server_by_the_id_in_the_footer() {
    let place = "/faults.pdb/162927d9759d4fe987325bb68cf6340cFFFFFFFF/faults.pdb";
    let served = |pdb: &str| {
        let server = Server::new([(place.to_owned(), Answer::Bytes(std::fs::read(sample(pdb)).unwrap()))]);
        let out = stdout(&["trace", "--symbols", &server.url(""), &path("faults/production.txt")]);
        (server, out)
    };
    let (server, out) = served("faults/Faults.pdb");
    let lines: Vec<&str> = out.lines().filter_map(|line| line.split_once(" in /_/")).map(|(_, at)| at).collect();
    assert_eq!(lines, truth("faults"));
    let asked = server.asked().iter().filter(|request| request.contains("162927d9")).count();
    assert_eq!(asked, 1, "asked once for all frames: {:?}", server.asked());
    // A server that has another build under that id is not believed.
    let (_, out) = served("faults-release/Faults.pdb");
    assert_eq!(out, text_of("faults/production.txt"));
    // Frames that name no id ask nobody.
    let server = Server::new([]);
    let out = stdout(&["trace", "--symbols", &server.url(""), &path("faults/il-offsets.txt")]);
    assert_eq!(out, text_of("faults/il-offsets.txt"));
    assert!(server.asked().is_empty(), "{:?}", server.asked());
}

#[test]
fn a_mono_trace_gets_its_line() {
    let out = stdout(&["trace", "--symbols", &path("ticker-mono"), &path("ticker-mono/trace.txt")]);
    // Mono counted other offsets when it had symbols; the lines are the same.
    assert_eq!(out.replace("[0x0000a]", "[0x0000d]"), text_of("ticker-mono/trace-with-lines.txt"));
}

#[test]
fn other_text_passes_unchanged() {
    let frame = "   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x23";
    let mut input = b"\xfe\xff caf\xe9 \x1b[31m\r\n".to_vec();
    input.extend_from_slice(format!("\u{85}\r{frame}\r\n\n\n{frame}").as_bytes());
    let output = fed(&["trace", "--raw", "--symbols", &path("faults/Faults.pdb"), "-"], &input);
    let line = "   at Faults.Program.Parse(String text) in /_/faults/Program.cs:line 45 ~";
    let mut wanted = b"\xfe\xff caf\xe9 \x1b[31m\r\n".to_vec();
    wanted.extend_from_slice(format!("\u{85}\r{line}\r\n\n\n{line}").as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&wanted));
    assert_eq!(output.stdout, wanted);
    // Without `--raw` a pipe gets no control characters but colours.
    let output = fed(&["trace", "--symbols", &path("faults/Faults.pdb"), "-"], b"a\x1b[31mb\x1b[0m\x1b[2J\x07\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a\x1b[31mb\x1b[0m\\x1b[2J\\x07\n");
}

#[test]
fn images_and_the_text_stand_in_any_order() {
    let (log, image) = (path("faults/il-offsets.txt"), path("faults/Faults.dll"));
    let wanted = stdout(&["trace", "--symbols", &path("faults"), &log]);
    assert_eq!(stdout(&["trace", &log, &image]), wanted);
    assert_eq!(stdout(&["trace", &image, &log]), wanted);
    let output = fed(&["trace", &image], text_of("faults/il-offsets.txt").as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), wanted);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        said,
        "note: 17 frames: 13 resolved, 3 no symbols for System.Private.CoreLib.dll, 1 no symbols for System.Linq.dll; build not proved (~)\n"
    );
}

#[test]
fn what_is_no_text_is_refused() {
    let image = std::fs::read(sample("faults/Faults.dll")).unwrap();
    for (args, input) in [
        (&["trace"][..], &image[..]),
        (&["trace", "-"], &image),
        (&["trace"], &vec![0; 100_000]),
        (&["trace", &path("faults/plain.txt"), &path("faults/il-offsets.txt")], b""),
    ] {
        let output = fed(args, input);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("text"), "{output:?}");
    }
}

#[test]
fn utf16_goes_out_as_it_came() {
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let input = text_of("faults/il-offsets.txt");
    let wanted = stdout(&["trace", &path("faults/Faults.dll"), &path("faults/il-offsets.txt")]);
    for big in [false, true] {
        let output = fed(&["trace", &path("faults/Faults.dll")], &utf16(&input, big));
        assert!(output.stdout == utf16(&wanted, big), "{big}");
    }
    let explained = fed(&["trace", &path("faults/Faults.dll"), "--explain"], &utf16(&input, false));
    assert!(String::from_utf8_lossy(&explained.stdout).contains("in /_/faults/Program.cs:line 45 ~\n"));
    let marked = fed(&["trace", &path("faults/Faults.dll")], format!("\u{feff}{input}").as_bytes());
    assert_eq!(String::from_utf8_lossy(&marked.stdout), format!("\u{feff}{wanted}"));
}

#[test]
fn explanations_state_method_and_reason() {
    let faults = path("faults");
    let out = stdout(&["trace", "--symbols", &faults, "--explain", &path("faults/il-offsets.txt")]);
    let hop = "(0x06000001) → Faults.Program.<Main>d__0.MoveNext() (0x0600";
    assert!(out.contains(hop) && out.contains("by the symbols, which name both"), "{out}");
    assert!(out.contains("not resolved: no symbols of System.Private.CoreLib.dll were found"));
    let out = stdout(&["trace", "--symbols", &faults, "--explain", &path("faults-release/production.txt")]);
    assert!(out.contains("does not match: the trace expects 2f6e99df-cea8-406f-a081-1d92580537d4"), "{out}");
    let out = stdout(&["trace", "--symbols", &faults, "--explain", &path("faults/plain.txt")]);
    assert!(out.contains("could be 0x06000002 Faults.Program.Parse(string)  /_/faults/Program.cs:38–47"), "{out}");
    let frames = json(&["trace", "--symbols", &faults, "--json", &path("faults/il-offsets.txt")]);
    let frames = frames["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 17);
    assert_eq!(
        (&frames[2]["outcome"], &frames[2]["start_line"], &frames[2]["line"]),
        (&"resolved".into(), &27.into(), &4.into())
    );
    assert_eq!(frames[3]["outcome"], "unresolved");
}

#[test]
fn more_proof_can_be_required() {
    let run = |required: &str, log: &str, more: &[&str]| {
        let args = ["trace", "--require", required, "--symbols", &path("faults"), &path(log)];
        let output = fed(&[&args, more].concat(), b"");
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, out, said) = run("id", "faults/il-offsets.txt", &[]);
    assert_eq!((code, out), (Some(3), text_of("faults/il-offsets.txt")));
    assert!(said.contains("0 resolved, 13 not proved as required"), "{said}");
    let (code, out, said) = run("code", "faults/il-offsets.txt", &[]);
    assert_eq!((code, out.matches("Program.cs:line").count()), (Some(3), 8), "{out}");
    assert!(said.contains("8 resolved, 5 not proved as required"), "{said}");
    let (code, out, _) = run("id", "faults/il-offsets.txt", &["--json"]);
    assert_eq!((code, out.matches("\"not-proved\"").count()), (Some(3), 13), "{out}");
    let (code, out, said) = run("id", "faults/production.txt", &[]);
    assert_eq!((code, out.matches("Program.cs:line").count()), (Some(0), 12), "{out}");
    assert!(!said.contains("not proved"), "{said}");
}

#[test]
fn errors_have_their_exit_codes() {
    let faults = path("faults");
    for (args, code) in [
        (&["trace", "--symbols", "/nowhere/at/all"][..], 1),
        (&["trace", "/nowhere/at/all.txt"], 1),
        (&["trace", "--symbols", &faults, "--json", "--explain"], 2),
        (&["trace", "--symbols", &faults], 0),
        (&["trace", &path("faults/Faults.dll")], 0),
        (&["trace", &faults], 2),
    ] {
        assert_eq!(fed(args, b"").status.code(), Some(code), "{args:?}");
    }
}

/// A `trace` that is still being fed.
fn live(symbols: &str) -> Child {
    command(&["trace", "--symbols", &path(symbols)]).spawn().unwrap()
}

#[test]
fn output_is_flushed_after_each_line() {
    let mut child = live("faults");
    let mut input = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    for text in
        ["plain\n", "   at Faults.Crate..ctor(Int32 weight) in Faults.dll:token 0x6000008+0x37\n", "{\"a\": 1}\n"]
    {
        input.write_all(text.as_bytes()).unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, text.replace("Faults.dll:token 0x6000008+0x37", "/_/faults/Program.cs:line 80 ~"));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Peak resident memory of a process in bytes.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_text() {
    let mut child = live("faults");
    let mut input = child.stdin.take().unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let (mut total, mut buffer) = (0, vec![0; 1 << 16]);
        loop {
            match out.read(&mut buffer).unwrap() {
                0 => return total,
                n => total += n,
            }
        }
    });
    let line = "   at A!0x06000001!A.B(Int32 x) +0x1\n".repeat(500);
    let long = vec![b'x'; 1 << 20];
    let mut written = 0;
    // A trace whose footers never come, then a line that does not end.
    for _ in 0..if is_thorough() { 600 } else { 200 } {
        input.write_all(line.as_bytes()).unwrap();
        written += line.len();
    }
    let after_frames = peak(&child);
    for _ in 0..if is_thorough() { 128 } else { 64 } {
        input.write_all(&long).unwrap();
        written += long.len();
    }
    let at_end = peak(&child);
    drop(input);
    // No frame has a line.
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(reader.join().unwrap(), written);
    assert!(after_frames < 96 << 20 && at_end < 96 << 20, "{after_frames} {at_end}");
    // 64 MB of the unfinished line are more than the limit leaves.
    assert!(at_end < after_frames + (48 << 20), "{after_frames} {at_end}");
}
