//! Reports of crashes that .NET's runtime writes.

use super::*;

fn report(name: &str) -> Vec<u8> {
    std::fs::read(samples().join("outage").join(name)).unwrap()
}

/// Every managed frame with a module, as it comes out: method, IL offset, line.
fn managed(document: &[u8]) -> Vec<(String, String, Option<u64>)> {
    fn add(list: &serde_json::Value, found: &mut Vec<(String, String, Option<u64>)>) {
        for frame in list.as_array().unwrap() {
            if let Some(cycle) = frame.get("repeated_frames") {
                add(cycle, found);
            } else if frame["filename"] == "Outage.dll" {
                let text = |name: &str| frame[name].as_str().unwrap().to_owned();
                assert_eq!(frame.get("file").is_some(), frame.get("line").is_some());
                assert!(frame.get("file").is_none_or(|file| file == "/_/outage/Program.cs"));
                assert!(frame.get("file").is_none() || frame.get("proof").is_some_and(|proof| proof == "id"));
                found.push((
                    text("method_name"),
                    text("il_offset"),
                    frame.get("line").map(|line| line.as_u64().unwrap()),
                ));
            }
        }
    }
    let document: serde_json::Value = serde_json::from_slice(document).unwrap();
    let mut found = Vec::new();
    for thread in document["payload"]["threads"].as_array().unwrap() {
        add(&thread["stack_frames"], &mut found);
    }
    found
}

/// Checks the lines of a report, which come from the source, and that nothing else in it is changed.
fn check(name: &str, wanted: &[(&str, &str, Option<u64>)]) -> Kept {
    let before = report(name);
    let kept = trace(&["outage"], &before);
    let found = managed(&kept.text);
    let found: Vec<_> = found.iter().map(|(name, il, line)| (name.as_str(), il.as_str(), *line)).collect();
    assert_eq!(found, wanted);
    let is_added = |line: &&[u8]| {
        ![b"\"file\": ".as_slice(), b"\"line\": ", b"\"proof\": "]
            .iter()
            .any(|name| line.trim_ascii_start().starts_with(name))
    };
    let left: Vec<&[u8]> = kept.text.split_inclusive(|byte| *byte == b'\n').filter(is_added).collect();
    assert!(left.concat() == before);
    // A report with lines is not changed again.
    assert!(trace(&["outage"], &kept.text).text == kept.text);
    kept
}

#[test]
fn the_frames_of_all_threads_get_their_lines() {
    let kept = check(
        "abort.crashreport.json",
        &[
            ("Outage.Program+<Parts>d__3.MoveNext()", "0x51", Some(47)),
            ("Outage.Program+<Deliver>d__2.MoveNext()", "0xbe", Some(37)),
            // The compiler makes the method that starts the state machine: no source belongs to it.
            ("Outage.Program.Deliver(System.String)", "0x2c", None),
            ("Outage.Program+<>c.<Main>b__0_0(System.String)", "0x1", Some(22)),
            (
                "Outage.Batch`1[[System.__Canon, System.Private.CoreLib]].Run(System.Action`1<System.__Canon>)",
                "0x1d",
                Some(61),
            ),
            ("Outage.Program.Main(System.String[])", "0xa4", Some(22)),
            ("Outage.Program.<Watch>g__Park|1_0(<>c__DisplayClass1_0 ByRef)", "0x13", Some(30)),
            ("Outage.Program.Watch(System.Threading.ManualResetEventSlim)", "0x11", Some(32)),
            ("Outage.Program+<>c__DisplayClass0_0.<Main>b__1()", "0xb", Some(19)),
        ],
    );
    // Stubs of the runtime and native code are no frames; methods of other modules say why they have no line.
    assert_eq!(kept.told.len(), 13);
    assert!(kept.told.iter().all(|(_, form, _)| *form == "crash report"));
    let (line, _, outcome) = &kept.told[0];
    assert_eq!((*line, refused(outcome)), (106, "the runtime did not know the offset: it is in an epilog"));
    assert!(
        refused(&kept.told[4].2).starts_with("no symbols of System.Private.CoreLib.dll with the module version id")
    );
}

#[test]
fn the_cycle_of_a_stack_overflow_gets_its_lines() {
    let kept = check(
        "overflow.crashreport.json",
        &[
            ("Outage.Recursion.Even(Int32)", "0xfffffffe", Some(69)),
            ("Outage.Recursion.Odd(Int32)", "0x3", Some(74)),
            ("Outage.Recursion.Even(Int32)", "0x4", Some(70)),
            ("Outage.Program.Main(System.String[])", "0x21", Some(16)),
        ],
    );
    let Outcome::Resolved(found) = &kept.told[0].2 else { panic!("{:?}", kept.told[0]) };
    assert!(found.notes.iter().any(|note| note.text.starts_with("in the prolog")), "{:?}", found.notes);
}

#[test]
fn the_module_version_id_decides_about_the_build() {
    let text = String::from_utf8(report("overflow.crashreport.json")).unwrap();
    let other = text.replace("83c8b08c", "83c8b08d");
    let kept = trace(&["outage"], other.as_bytes());
    assert!(String::from_utf8(kept.text).unwrap() == other);
    let reason = refused(&kept.told[0].2);
    assert!(reason.contains("expects the module version id 83c8b08d") && reason.contains("its image has 83c8b08c"));
    // Symbols without their image cannot prove it.
    let symbols = std::fs::read(samples().join("outage/Outage.pdb")).unwrap();
    let session = Session::from_bytes(vec![(PathBuf::from("Outage.pdb"), symbols)]).unwrap();
    let mut kept = Kept::default();
    Tracer::new(Vec::new()).with(Arc::new(session)).run(text.as_bytes(), &mut kept).unwrap();
    assert!(refused(&kept.told[0].2).ends_with("its image is needed beside it"), "{:?}", kept.told[0]);
}

/// Report on the console, with the frames of the JSON report in two threads.
const CONSOLE: &str = "\
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
.NET Crash Report v1.0.0
ABI: amd64
signal 6 (SIGABRT)

--- thread 0x4dd4 (crashed) ---
  #00 [0] System.Environment.FailFast + 0x0 (token=0x600045a)
  #01 [1] <Parts>d__3.MoveNext + 0x51 (token=0x6000014)
  #02 [1] 0x6000010 0xbe
  #03 [1] Outage.Program.Deliver + 0x2c (token=0x6000003)
  #04 [1] 0x600000c
  #05 [2] 0x7f4b428f1c17 (libcoreclr.so + 0x40)
  ... +7 more frames

--- thread 0x4ddb ---
  #00 [1] Outage.Program.<Watch>g__Park|1_0 + 0x13 (token=0x6000005)
  #01 (in Outage) token=0x6000002 + 0x11
  #02 [3] Ns.T.M + 0x2 (token=0x6000001)

modules:
  [0] System.Private.CoreLib 473d0ad3-441b-4fee-a00f-67c03eb1e2b3
  [1] Outage 83c8b08c-3bb5-404b-a539-25998b36962c
  [2] libcoreclr.so 00000000-0000-0000-0000-000000000000
  [3] <unknown>
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
";

#[test]
fn the_lines_of_the_in_process_reporter_are_resolved_by_the_modules_that_follow() {
    for (before, end) in [("", "\n"), ("11-27 10:30:34.123  4812  4812 F DOTNET_CRASH: ", "\r\n")] {
        let text = CONSOLE.lines().fold(String::new(), |text, line| text + before + line + end);
        let kept = trace(&["outage"], text.as_bytes());
        let mut wanted = text.clone();
        for (frame, line) in [
            ("MoveNext + 0x51 (token=0x6000014)", "47"),
            ("0x6000010 0xbe", "37"),
            ("g__Park|1_0 + 0x13 (token=0x6000005)", "30"),
            // The name is that of the assembly and does not identify a build.
            ("token=0x6000002 + 0x11", "32 ~"),
        ] {
            wanted = wanted.replace(frame, &format!("{frame} in /_/outage/Program.cs:line {line}"));
        }
        assert_eq!(String::from_utf8(kept.text).unwrap(), wanted);
        let reasons: Vec<&str> = [0, 3, 4, 7].iter().map(|at| refused(&kept.told[*at].2)).collect();
        assert!(reasons[0].starts_with("no symbols of System.Private.CoreLib with the module version id 473d0ad3"));
        assert!(reasons[1].contains("has no lines: it only starts"), "{reasons:?}");
        assert!(reasons[2].starts_with("no IL offset in the frame"), "{reasons:?}");
        assert_eq!(reasons[3], "the report does not say which module [3] is");
    }
}

#[test]
fn a_report_without_its_modules_ends_where_the_next_begins() {
    let (cut, _) = CONSOLE.split_once("modules:").unwrap();
    let kept = trace(&["outage"], format!("{cut}{CONSOLE}").as_bytes());
    assert_eq!(kept.told.len(), 16);
    assert_eq!(refused(&kept.told[1].2), "the report does not say which module [1] is");
    assert!(matches!(&kept.told[9].2, Outcome::Resolved(found) if found.line == 47), "{:?}", kept.told[9]);
}
