use std::path::{Path, PathBuf};

mod crash_reports;
mod memo;
mod methods;
mod native;

use super::*;
use crate::where_is;

/// Output of a trace: the text, and the report on each frame.
#[derive(Default)]
struct Kept {
    text: Vec<u8>,
    told: Vec<(u64, &'static str, Outcome)>,
}

impl Sink for Kept {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(text);
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.told.push((told.line, told.form, told.outcome.clone()));
        Ok(())
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples")
}

fn trace(symbols: &[&str], text: &[u8]) -> Kept {
    let paths: Vec<PathBuf> = symbols.iter().map(|name| samples().join(name)).collect();
    let mut kept = Kept::default();
    Tracer::new(vec![Box::new(Files::new(&paths))]).run(text, &mut kept).unwrap();
    kept
}

fn refused(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::No(refusal) | Outcome::Candidates { refusal, .. } => &refusal.reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn text_without_frames_passes_byte_for_byte() {
    let mut text = b"\xff\xfe log\r\n{ not json\n{\"a\": 1}\n{\"open\": \n \x00\n\r\r\n  at (x) +0x \n".to_vec();
    text.extend(std::iter::repeat_n(b'x', 3 << 20));
    text.extend(b"\n{\"unfinished\": [");
    let kept = trace(&["faults"], &text);
    assert!(kept.text == text);
    assert!(kept.told.is_empty());
}

#[test]
fn a_token_of_another_build_is_refused() {
    let text = b"   at Faults.Program.Other(String text) in Faults.dll:token 0x6000002+0x2\r\n";
    let kept = trace(&["faults"], text);
    assert_eq!(kept.text, text);
    assert!(refused(&kept.told[0].2).contains("is Faults.Program.Parse there, not Faults.Program.Other"));
    let kept = trace(&["faults"], b"   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0xfff");
    assert!(refused(&kept.told[0].2).contains("past the end"), "{:?}", kept.told);
    let kept = trace(&["faults"], b"   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000999+0x1");
    assert!(refused(&kept.told[0].2).contains("no method 0x06000999"), "{:?}", kept.told);
}

#[test]
fn one_frame_of_another_build_refuses_the_trace_and_not_the_next_one() {
    let good = "   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x2\n";
    let bad = "   at Faults.Program.Numbers(Int32 count)+MoveNext() in Faults.dll:token 0x6000003+0x2c\n";
    let lines = |text: &str| {
        let kept = trace(&["faults"], text.as_bytes());
        let resolved = |outcome: &Outcome| matches!(outcome, Outcome::Resolved(_));
        kept.told.iter().map(|(_, _, outcome)| resolved(outcome)).collect::<Vec<_>>()
    };
    assert_eq!(lines(&format!("{good}{bad}\n{good}")), [false, false, true]);
    assert_eq!(lines(&format!("{good}   --- End of stack trace ---\n{bad}")), [false, false]);
    // A caller that calls nothing: in the debug build a contradiction, in the release build a doubt.
    let caller = |il: u32| {
        format!(
            "   at Ticker.Other.Called()\n   at Ticker.Clock.Since(Int64 then) in Ticker.dll:token 0x6000003+{il:#x}\n"
        )
    };
    let kept = trace(&["ticker"], caller(0xb).as_bytes());
    assert!(refused(&kept.told[1].2).contains("calls nothing in the statement at IL_000b"), "{:?}", kept.told);
    let kept = trace(&["ticker-release"], caller(8).as_bytes());
    let text = String::from_utf8_lossy(&kept.text).into_owned();
    assert!(text.ends_with("Clock.cs:line 13 (build in doubt)\n"), "{text}");
    // Type initialisers are not called by an instruction.
    let text = caller(0xb).replace("Other.Called", "Clock..cctor");
    assert!(matches!(trace(&["ticker"], text.as_bytes()).told[1].2, Outcome::Resolved(_)), "{text}");
}

#[test]
fn of_two_builds_the_one_is_chosen_that_fits_all_frames() {
    let line = |name: &str, at: &str| format!("   at Faults.{name} in Faults.dll:token 0x600000{at}\n");
    let either = line("Program.Parse(String text)", "2+0x0");
    let kept = trace(&["faults", "faults-release"], either.as_bytes());
    assert_eq!(String::from_utf8_lossy(&kept.text), either);
    assert!(refused(&kept.told[0].2).contains("2 builds"), "{:?}", kept.told);
    let Outcome::Candidates { found: both, .. } = &kept.told[0].2 else { panic!("{:?}", kept.told) };
    assert_eq!(both.len(), 2);
    // The release build has 0x23 bytes of code there.
    let trace_of_one = format!("{either}{}", line("Program.Parse(String text)", "2+0x23"));
    let text = format!("{trace_of_one}\n{either}");
    let kept = trace(&["faults", "faults-release"], text.as_bytes());
    let notes: Vec<bool> = kept
        .told
        .iter()
        .map(|(.., outcome)| match outcome {
            Outcome::Resolved(found) => found.notes.iter().any(|note| note.text.contains("evidence: of 2 builds")),
            _ => false,
        })
        .collect();
    assert_eq!(notes, [true, true, false], "{:?}", kept.told);
    assert!(
        matches!(&kept.told[2].2, Outcome::Resolved(found) if found.notes.iter().any(|n| n.text.contains("earlier")))
    );
    // Frames that contradict each other fit neither build.
    let other = line("Program.<>c.<Main>b__0_1()", "f+0x2");
    let kept = trace(&["faults", "faults-release"], format!("{trace_of_one}{other}").as_bytes());
    assert!(kept.told.iter().all(|(.., outcome)| !matches!(outcome, Outcome::Resolved(_))), "{:?}", kept.told);
}

#[test]
fn a_footer_says_which_of_two_builds_it_is() {
    let text = std::fs::read(samples().join("faults-release/production.txt")).unwrap();
    let kept = trace(&["faults", "faults-release"], &text);
    assert!(String::from_utf8_lossy(&kept.text).contains("+0x69 in /_/faults/Program.cs:line 68\n"));
    // And where only the other build is there, its symbols are refused.
    let kept = trace(&["faults"], &text);
    assert_eq!(kept.text, text);
    let reason = refused(&kept.told[0].2);
    assert!(reason.contains("does not match: the trace expects 2f6e99df") && reason.contains("162927d9"), "{reason}");
}

#[test]
fn frames_of_other_runtimes_are_resolved_by_name() {
    let text = "E AndroidRuntime:   at Faults.Program.Main + 0x139(Unknown Source)\n\
        at Faults.Crate..ctor + 0x37(Unknown Source)\n\
        at Faults.Nowhere.Main + 0x139(Unknown Source)\n";
    let kept = trace(&["faults"], text.as_bytes());
    assert_eq!(
        String::from_utf8(kept.text).unwrap(),
        "E AndroidRuntime:   at Faults.Program.Main + 0x139 in /_/faults/Program.cs:line 27 ~\n\
        at Faults.Crate..ctor + 0x37 in /_/faults/Program.cs:line 80 ~\n\
        at Faults.Nowhere.Main + 0x139(Unknown Source)\n"
    );
}

/// Lines of a candidate in each document.
fn lines_of(candidate: &Candidate) -> Vec<String> {
    candidate.lines.iter().map(|lines| format!("{}:{}–{}", lines.path, lines.first, lines.last)).collect()
}

#[test]
fn frames_of_unitys_short_form_keep_their_line_and_lead_to_candidates_without_one() {
    let text = "Faults.Program:Parse(String) (at Assets/Faults/Program.cs:45)\n\
        UnityEngine.Debug:Log(Object)\n\
        Faults.Program.Parse (System.String text) (at <00000000000000000000000000000000>:0)\n";
    let kept = trace(&["faults"], text.as_bytes());
    assert_eq!(String::from_utf8_lossy(&kept.text), text);
    let [known, placeless, unknown] = kept.told.as_slice() else { panic!("{:?}", kept.told) };
    assert_eq!((known.0, &known.2), (1, &Outcome::Known));
    assert!(refused(&placeless.2).contains("no method UnityEngine.Debug.Log"));
    let Outcome::Candidates { found: candidates, .. } = &unknown.2 else { panic!("{unknown:?}") };
    assert_eq!(lines_of(&candidates[0]), ["/_/faults/Program.cs:38–47"]);
}

#[test]
fn what_cannot_be_resolved_says_why() {
    let text = "  at A.B.C () [0x00000] in <00000000000000000000000000000000>:0 \n\
        \x20  at Faults.Program.Main() + 0x2d\n\
        \x20  at Faults.Program.Parse(String text)\n\
        \x20  at Faults.Program.Parse(String text) in C:\\P.cs:line 3\n\
        \x20 at A.B.C () [0x00000] in <3e054b69bbad4294b9d89cf6f7a035e3>:0 \n\
        \x20  at A.B() in A.dll:token 0x6000001+0xffffffff\n";
    let kept = trace(&["faults"], text.as_bytes());
    assert_eq!(String::from_utf8_lossy(&kept.text), text);
    let outcomes: Vec<&Outcome> = kept.told.iter().map(|(_, _, outcome)| outcome).collect();
    assert!(refused(outcomes[0]).contains("IL2CPP"));
    assert!(refused(outcomes[1]).contains("machine code"));
    let Outcome::Candidates { found: candidates, .. } = outcomes[2] else { panic!("{outcomes:?}") };
    assert_eq!(candidates.len(), 1);
    assert_eq!(lines_of(&candidates[0]), ["/_/faults/Program.cs:38–47"]);
    assert_eq!(outcomes[3], &Outcome::Known);
    assert!(refused(outcomes[4]).contains("no symbols"));
    assert!(refused(outcomes[5]).contains("did not know"));
    assert_eq!(kept.told.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_method_that_starts_its_own_body_is_told_from_it() {
    let start =
        "System.Runtime.CompilerServices.AsyncMethodBuilderCore.Start[TStateMachine](TStateMachine& stateMachine)";
    let text = format!(
        "   at Faults.Program.Main(String[] args) in Faults.dll:token 0x6000001+0x1f\n   \
        at {start} in X.dll:token 0x6000001+0x28\n   at Faults.Program.Main(String[] args) in Faults.dll:token 0x6000001+0x1f\n"
    );
    let kept = trace(&["faults"], text.as_bytes());
    assert!(matches!(kept.told[0].2, Outcome::Resolved(_)), "{:?}", kept.told);
    assert!(refused(&kept.told[2].2).contains("it only starts"), "{:?}", kept.told);
    // The name after the plus sign chooses the method of the state machine; the token is that of the method that starts it.
    let inner = |name: &str, il: u32| {
        format!("   at Faults.Program.Numbers(Int32 n)+{name}() in Faults.dll:token 0x6000003+{il:#x}\n")
    };
    for (name, reason) in [
        ("System.IDisposable.Dispose", "has no sequence points: no source belongs to it"),
        ("System.IDisposable.None", "starts no state machine with one method System.IDisposable.None"),
    ] {
        let kept = trace(&["faults"], inner(name, 0).as_bytes());
        assert!(refused(&kept.told[0].2).contains(reason), "{:?}", kept.told);
    }
    // A method that is not certain says nothing of the build.
    let text =
        format!("   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x2\n{}", inner("None", 0x2d));
    assert!(matches!(trace(&["faults"], text.as_bytes()).told[0].2, Outcome::Resolved(_)));
}

#[test]
fn a_line_of_a_structured_log_stays_json() {
    let text = r#"{"level":"error","x":"System.Exception: no\n   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x2\n   at Faults.Crate..ctor(Int32 weight) in Faults.dll:token 0x6000008+0x37"}"#;
    let kept = trace(&["faults"], format!("{text}\n").as_bytes());
    let out: serde_json::Value = serde_json::from_slice(&kept.text).unwrap();
    assert_eq!(kept.told.len(), 2, "{:?}", kept.told);
    assert!(kept.told.iter().all(|(_, _, outcome)| matches!(outcome, Outcome::Resolved(_))), "{:?}", kept.told);
    assert_eq!(
        out["x"],
        "System.Exception: no\n   at Faults.Program.Parse(String text) in /_/faults/Program.cs:line 41 ~\n   at Faults.Crate..ctor(Int32 weight) in /_/faults/Program.cs:line 80 ~"
    );
}

#[test]
fn escaped_frames_are_read_and_written_in_kind() {
    // The writers of .NET escape more than they must.
    let dotnet = r#"{"@x":"System.Exception: no\r\n   at Faults.Warehouse\u00601.\u003CRestockAsync\u003Eg__Check|2_0(Int32 n) in Faults.dll:token 0x6000007\u002B0x3a\r\n   at Faults.Program.Parse(String text)"}"#;
    let html = "<li>   at Faults.Program.&lt;&gt;c.&lt;Main&gt;b__0_1() in Faults.dll:token 0x600000f&#x2B;0x1<br>";
    let console = "\x1b[36m   at \x1b[1mFaults.Program.Parse\x1b[0m(String text) in \x1b[4mFaults.dll\x1b[0m:token 0x6000002+0x23\x1b[0m";
    let nested =
        r#"{"log":"{\"x\":\"no\\n   at Faults.Crate..ctor(Int32 weight) in Faults.dll:token 0x6000008\\u002b0x37\"}"}"#;
    let prefixed = r#"12:00 api | "no\n   at Faults.Crate..ctor(Int32 weight) in Faults.dll:token 0x6000008+0x37""#;
    for (text, old, new) in [
        (dotnet, "Faults.dll:token 0x6000007\\u002B0x3a", "/_/faults/Program.cs:line 62 ~"),
        (html, "Faults.dll:token 0x600000f&#x2B;0x1", "/_/faults/Program.cs:line 18 ~"),
        (console, "Faults.dll\x1b[0m:token 0x6000002+0x23", "/_/faults/Program.cs:line 45\x1b[0m ~"),
        (nested, "Faults.dll:token 0x6000008\\\\u002b0x37", "/_/faults/Program.cs:line 80 ~"),
        (prefixed, "Faults.dll:token 0x6000008+0x37", "/_/faults/Program.cs:line 80 ~"),
    ] {
        let kept = trace(&["faults"], text.as_bytes());
        let shown = String::from_utf8(kept.text).unwrap();
        let line = shown.split(":line ").nth(1).map_or("", |rest| rest.get(..2).unwrap_or(""));
        assert_eq!(shown, text.replace(old, &new.replace("62", line).replace("18", line)), "{:?}", kept.told);
    }
    // A frame at the end of a line inside a string is one too.
    assert_eq!(trace(&["faults"], dotnet.as_bytes()).told.len(), 2);
}

#[test]
fn the_call_that_a_caller_was_at_is_named() {
    let text = "   at System.Int32.Parse(String s)\n   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x2\n\
        \x20  at Faults.Program.<>c.<Main>b__0_1() in Faults.dll:token 0x600000f+0xb\n\
        \n   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x8\n";
    let kept = trace(&["faults"], text.as_bytes());
    let calls: Vec<Option<String>> = kept
        .told
        .iter()
        .map(|(.., outcome)| match outcome {
            Outcome::Resolved(found) => found.call.as_ref().map(Call::sentence),
            _ => None,
        })
        .collect();
    let evidence = ", the frame above: evidence that the frame is there";
    assert_eq!(
        calls,
        [
            None,
            Some(format!("before the call to Int32.Parse at IL_0003{evidence}")),
            Some(format!("after the call to Program.Parse at IL_0006{evidence}")),
            Some("after the call to Int32.Parse at IL_0003".to_owned()),
        ]
    );
}

/// `new InvalidOperationException` on line 45 is in the handler of the try block that has line 41.
#[test]
fn a_call_in_a_handler_is_a_note_about_the_runtime() {
    for (above, il, is_noted) in [
        ("System.InvalidOperationException..ctor(String s)", 0x9, true),
        ("System.InvalidOperationException..ctor(String s)", 0x23, false),
        ("System.Int32.Parse(String s)", 0x8, false),
    ] {
        let text =
            format!("   at {above}\n   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+{il:#x}\n");
        let kept = trace(&["faults"], text.as_bytes());
        let Outcome::Resolved(found) = &kept.told[1].2 else { panic!("{:?}", kept.told) };
        let notes = found.notes.iter().filter(|note| note.reason == "call-in-handler");
        let texts: Vec<&str> = notes.map(|note| note.text.as_str()).collect();
        assert_eq!(texts.len(), usize::from(is_noted), "{above} {il:#x}");
        assert!(
            texts.iter().all(|text| text.starts_with("line 45 of a handler") && text.contains("#44986")),
            "{texts:?}"
        );
    }
}

/// The runtime's lines of both builds: that of the release build is the line of the call before the statement that failed.
#[test]
fn a_statement_without_a_place_of_its_own_is_a_note() {
    let golden = "../../tests/golden/known/known";
    let rows = |build: &str| {
        let text = std::fs::read_to_string(samples().join(format!("{golden}-{build}.tsv"))).unwrap();
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect::<Vec<Vec<_>>>()
    };
    for build in ["release", "debug"] {
        for (own, right) in rows(build).iter().zip(rows("debug")) {
            let [name, token, offset, line] = own.as_slice() else { panic!("{own:?}") };
            let text = format!("   at Known.{name}() in known-{build}.dll:token {token}+{offset}\n");
            let kept = trace(&[&format!("{golden}-{build}.dll")], text.as_bytes());
            let Outcome::Resolved(found) = &kept.told[0].2 else { panic!("{:?}", kept.told) };
            assert_eq!(found.line.to_string(), *line);
            let notes = found.notes.iter().filter(|note| note.reason == "or-unmapped-line");
            let lines: Vec<bool> = notes.map(|note| note.text.starts_with(&format!("or line {},", right[3]))).collect();
            assert_eq!(lines, if build == "release" { vec![true] } else { Vec::new() }, "{own:?} {:?}", found.notes);
        }
    }
}

#[test]
fn a_call_of_a_later_line_is_no_evidence() {
    for (il, wanted) in [(0x1c, None), (0x24, Some("Clock.Since"))] {
        let text = format!(
            "   at Ticker.Clock.Since(Int64 started) in Ticker.dll:token 0x6000003+0x1\n\
             \x20  at Ticker.Program.Main(String[] args) in Ticker.dll:token 0x6000001+{il:#x}\n"
        );
        let kept = trace(&["ticker"], text.as_bytes());
        let Outcome::Resolved(found) = &kept.told[1].2 else { panic!("{:?}", kept.told) };
        assert_eq!(found.call.as_ref().map(|call| call.site.callee.as_str()), wanted, "{il:#x}");
        assert_eq!(found.proof, if wanted.is_some() { Proof::Code } else { Proof::NameAndRow });
    }
}

#[test]
fn a_sentry_event_gets_its_lines() {
    let text = r#"{
  "debug_meta": {"images": [{"type": "pe_dotnet", "debug_id": "162927d9-759d-4fe9-8732-5bb68cf6340c-STAMP", "debug_file": "Faults.pdb"}]},
  "exception": {"values": [{"stacktrace": {"frames": [
    {"function": "Parse", "function_id": "0x2", "instruction_addr": "0x23", "addr_mode": "rel:0", "lineno": null},
    {"function": "MoveNext", "function_id": "0x6000013", "instruction_addr": "0x139", "addr_mode": "rel:0"},
    {"function": "MoveNext", "function_id": "0x6000013", "instruction_addr": "0x139", "addr_mode": "rel:9"}
  ]}}]}
}
"#;
    let session = Session::open(&[samples().join("faults/Faults.pdb")]).unwrap();
    let id = session.symbols().unwrap().id().unwrap().to_string();
    let stamp = id.rsplit(' ').next().unwrap();
    let kept = trace(&["faults"], text.replace("STAMP", stamp).as_bytes());
    let out: serde_json::Value = serde_json::from_slice(&kept.text).unwrap();
    let frames = &out["exception"]["values"][0]["stacktrace"]["frames"];
    assert_eq!(frames[0]["lineno"], 45);
    assert_eq!(frames[0]["abs_path"], "/_/faults/Program.cs");
    assert_eq!(frames[1]["lineno"], 27);
    assert_eq!(frames[2].get("lineno"), None);
    assert_eq!(kept.told.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), [4, 5, 6]);
    // Another stamp is another build.
    let kept = trace(&["faults"], text.replace("STAMP", "12345678").as_bytes());
    assert!(refused(&kept.told[0].2).contains("does not match"), "{:?}", kept.told);
}

#[test]
fn damaged_traces_are_read() {
    let mut random = 0x9e37_79b9_u32;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random as usize % below
    };
    let texts = ["faults/il-offsets.txt", "faults/production.txt", "ticker-mono/trace.txt"];
    let mut tracer =
        Tracer::new(vec![Box::new(Files::new(&[samples().join("faults"), samples().join("ticker-mono")]))]);
    for text in texts.map(|name| std::fs::read(samples().join(name)).unwrap()) {
        for _ in 0..200 {
            let mut text = text.clone();
            for _ in 0..=next(20) {
                let (at, other) = (next(text.len()), next(text.len()));
                match next(4) {
                    0 => text[at] = b" ()[]<>{}+:!0x\n\"\\"[next(17)],
                    1 => text.truncate(at.max(40)),
                    2 => text[at] = text[other],
                    _ => {
                        text.remove(at);
                    }
                }
            }
            let mut kept = Kept::default();
            tracer.run(&text[..], &mut kept).unwrap();
            // Whatever it is, no line is lost, and lines without frames are as they were.
            assert_eq!(kept.text.split(|b| *b == b'\n').count(), text.split(|b| *b == b'\n').count());
        }
    }
}

#[test]
fn hostile_lines_take_linear_time() {
    let pieces = [
        ":t 0x1+0x1",
        ") [0x1",
        "!0x1!",
        ") +0x",
        "(Unknown Source)",
        ") + 0x1",
        "+0x1(Unknown Source)",
        "((((",
        "))))",
        "[[[[",
        " at offset 1",
        "at A.B(",
        "A.B() in x:t 0x1+0x1",
        "A!0x1!M() +0x1",
        "M() +1",
        " ",
        "<0x1 + ",
        ") <0x1 + 0x1>",
        "at A.B() in x:token 0x6000001+0x1 ",
        "A.B () [0x1] in <x>:0 ",
        "A.B + 0x1(Unknown Source)",
        "in <",
        "]:",
        ":1",
        "x!y() Line 1",
        "x!y() + 0x1 ",
        "0 x [",
        "1: a::b ",
        "Fault offset: ",
        "thread ' panicked at ",
        "12345678 a+0x1 ",
        "a!<BaseAddress>+0x1 ",
        "12345678 a!b ",
        "\t a.b!c() ",
        "a!b+0x!",
        "|1",
        "A:B() (at x:1) ",
        " (at <1>:",
        "&#60;",
        "\\u0041",
        "\x1b[1m",
    ];
    for piece in pieces {
        let started = std::time::Instant::now();
        for end in ["", ")", " in x:line 1", "A.B (c) [0x1] in <x>:0"] {
            let mut line = piece.repeat((1 << 14) / piece.len()).into_bytes();
            line.extend_from_slice(end.as_bytes());
            Tracer::default().frames_of(&Plain::of(&line, true), true);
        }
        // Quadratic time would be minutes.
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "{piece}: {:?}", started.elapsed());
    }
}

#[test]
fn an_unhandled_exception_in_a_problem_report_gets_its_line() {
    let report = |stamp: &str| {
        format!(
            "Event Name: CLR20r3\r\nP1: faults.exe\r\nP4: Faults\r\nP6: {stamp}\r\nP7: 2\r\nP8: 23\r\nP9: System.Exception\r\n"
        )
    };
    let by_trace = trace(&["faults"], b"   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x23\n");
    let [(_, _, Outcome::Resolved(wanted))] = by_trace.told.as_slice() else { panic!("{:?}", by_trace.told) };
    let xml = "<Event xmlns='x'><System><Provider Name='Windows Error Reporting'/></System><EventData><Data>1</Data>\
        <Data>5</Data><Data>CLR20r3</Data><Data>Not available</Data><Data>0</Data><Data>faults.exe</Data><Data>1.0</Data>\
        <Data>1</Data><Data>Faults</Data><Data>1.0</Data><Data>f5aa5305</Data><Data>2</Data><Data>23</Data></EventData></Event>\n";
    let json = format!("{{\"Message\":\"{}\"}}\n", report("f5aa5305").replace("\r\n", "\\r\\n"));
    for (text, end) in [(report("f5aa5305"), "P8: 23"), (xml.to_owned(), "<Data>23"), (json, "P8: 23")] {
        let kept = trace(&["faults"], text.as_bytes());
        let [(_, "event log", Outcome::Resolved(found))] = kept.told.as_slice() else { panic!("{:?}", kept.told) };
        assert_eq!(
            (found.code.unit(), found.line, &found.path),
            (wanted.code.unit(), wanted.line, &wanted.path),
            "{text}"
        );
        let line = format!("{end} in {}:line {}", wanted.path, wanted.line);
        assert!(String::from_utf8_lossy(&kept.text).contains(&line), "{}", String::from_utf8_lossy(&kept.text));
    }
    let kept = trace(&["faults"], report("f5aa5306").as_bytes());
    let [(.., outcome)] = kept.told.as_slice() else { panic!("{:?}", kept.told) };
    assert!(refused(outcome).contains("has the time stamp f5aa5306, its image f5aa5305"), "{outcome:?}");
}
