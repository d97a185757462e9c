//! The front of the library: each answer beside the one of the command, doubts, errors, inputs, and the list of its public items.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;

use pdblens::nodes::function::NativeView;
use pdblens::query::address::offset_at;
use pdblens::query::where_is::where_is;
use pdblens::session::Session;
use pdblens::{
    Address, Binding, Code, Grade, Input, Level, PdbFormat, Policy, SourceVerdict, Storage, Symbols, Verdict,
    resolve_trace, rules,
};

use regex::Regex;

use crate::support::folder::Folder;
use crate::support::samples::repository;

fn sample(path: &str) -> std::path::PathBuf {
    repository("assets/samples").join(path)
}

fn ticker() -> Symbols {
    Symbols::open(sample("ticker/Ticker.dll")).unwrap()
}

#[test]
fn every_kind_of_input_opens_the_same_pair() {
    let [dll, pdb] = ["ticker/Ticker.dll", "ticker/Ticker.pdb"].map(|path| std::fs::read(sample(path)).unwrap());
    let shared: Arc<[u8]> = pdb.as_slice().into();
    let mut moved = Cursor::new(dll.clone());
    moved.set_position(99);
    for files in [
        [Input::new("a.dll", dll.as_slice()), Input::new("a.pdb", Arc::clone(&shared))],
        [Input::read("a.dll", moved).unwrap(), Input::new("a.pdb", pdb.clone())],
    ] {
        let holders = Arc::strong_count(&shared);
        let found = Symbols::from_memory(files).unwrap();
        assert_eq!(Arc::strong_count(&shared) > 1, holders > 1, "shared bytes are held, not copied");
        assert_eq!(found.verdict(), Verdict::Matched);
        assert_eq!(found.documents().unwrap(), ticker().documents().unwrap());
    }
    let alone = Symbols::from_memory([Input::new("a.pdb", pdb)]).unwrap();
    assert_eq!((alone.verdict(), alone.methods().count()), (Verdict::NoImage, 3));
    assert_eq!(Symbols::from_memory([]).unwrap_err().reason().reason, "nothing");
}

#[test]
fn an_offset_has_a_line_and_a_line_has_an_offset() {
    let symbols = ticker();
    assert_eq!(symbols.find("Clock.Since+0xF").unwrap(), Address::Offset(Code::Token(0x0600_0003), 0xf));
    let found = symbols.line_of(0x0600_0003, 0xf).unwrap();
    assert_eq!((found.line, found.column, found.function.as_str()), (13, 13, "Ticker.Clock.Since(long)"));
    assert_eq!(symbols.line_of(0x0600_0003, 0xffff), None, "past the end of the code");
    assert_eq!(symbols.line_of(0x0600_0099, 0), None, "no such method");
    let document = "/_/ticker/Clock.cs".to_owned();
    assert_eq!(symbols.find("Clock.cs:13").unwrap(), Address::Line { document, line: 13 });
    let breakpoint = symbols.breakpoint("Clock.cs", 13).unwrap();
    let [hit] = breakpoint.hits.as_slice() else { panic!("{breakpoint:?}") };
    assert_eq!((breakpoint.line, hit.function, hit.offset, hit.end), (13, Code::Token(0x0600_0003), 0xb, 0x18));
    assert_eq!(symbols.breakpoint("None.cs", 1).unwrap_err().reason().reason, "no-document");
    assert_eq!(symbols.find("table/Document/1").unwrap(), Address::Place("table/Document/1".to_owned()));
    assert_eq!(symbols.find("No.Such+1").unwrap_err().reason().reason, "unknown");
}

#[test]
fn a_method_has_a_name_and_its_lines_share_their_path() {
    let symbols = ticker();
    let method = symbols.method("Clock.Since").unwrap();
    assert_eq!((method.token, method.name.as_str()), (0x0600_0003, "Ticker.Clock.Since(long)"));
    for (text, code) in [("Clock.Nothing", "unknown"), ("Clock.Since+2", "no-method"), ("Clock.cs:13", "no-method")] {
        assert_eq!(symbols.method(text).unwrap_err().reason().reason, code, "{text}");
    }
    let lines = symbols.lines(method.token).unwrap();
    assert!(lines.len() > 2 && lines.iter().all(|line| Arc::ptr_eq(&line.document, &lines[0].document)), "{lines:?}");
}

/// A method without lines is one of both questions: by its token and by its address.
#[test]
fn code_without_lines_has_line_0() {
    let workshop = Symbols::open(sample("workshop/Workshop.dll")).unwrap();
    let mut without = 0;
    for method in workshop.methods().filter(|method| workshop.lines(method.token).unwrap().is_empty()) {
        if let Some(found) = workshop.line_of(method.token, 0) {
            assert_eq!((found.line, found.document.as_str(), found.function), (0, "", method.name));
            without += 1;
        }
    }
    assert!(without > 3, "{without}");
    let native = Symbols::open(sample("parcel-lto/parcel.exe")).unwrap();
    let found = native.functions().flat_map(|function| native.lines_of_address(function.rva + function.size - 1));
    assert!(found.into_iter().all(|found| (found.line == 0) == found.document.is_empty()));
}

#[test]
fn symbols_are_found_along_a_path() {
    let folder = Folder::new();
    let image = folder.write("alone/Ticker.dll", std::fs::read(sample("ticker/Ticker.dll")).unwrap());
    assert_eq!(Symbols::open(&image).unwrap().verdict(), Verdict::NoPdb);
    let key = ticker().pdb_keys()[0].to_string();
    folder.write(&format!("store/{key}"), std::fs::read(sample("ticker/Ticker.pdb")).unwrap());
    let path = |last: &str| format!("{};{last};https://127.0.0.1:9/", folder.path().join("none").display());
    for last in [folder.path().join("store"), sample("ticker")] {
        let found = Symbols::open_along(&image, &path(&last.display().to_string())).unwrap();
        assert_eq!((found.verdict(), found.line_of(0x0600_0003, 2).unwrap().line), (Verdict::Matched, 11));
    }
    assert_eq!(Symbols::open_along(&image, &path("")).unwrap().verdict(), Verdict::NoPdb);
}

#[test]
fn a_policy_grades_rules() {
    let grade = |policy: &Policy| {
        let found = ticker().check(policy).into_iter().find(|found| found.reason.reason == "source-link");
        found.map(|found| found.grade)
    };
    let with = |rule: &str, level| Policy::default().with(rule, level).unwrap();
    assert_eq!(grade(&Policy::default()), Some(Grade::Note));
    assert_eq!(grade(&with("sources", Level::Deny)), Some(Grade::Finding));
    assert_eq!(grade(&with("sources", Level::Deny).with("source-link", Level::Allow).unwrap()), None);
    assert_eq!(Policy::default().with("no-such-rule", Level::Deny).unwrap_err().reason().reason, "no-rule");
}

#[test]
fn an_answer_from_another_build_is_in_doubt() {
    let wrong = Symbols::open_pair(sample("ticker/Ticker.dll"), sample("ticker-release/Ticker.pdb")).unwrap();
    let found = wrong.line_of(0x0600_0003, 0x2).unwrap();
    assert_eq!(found.doubt.as_ref(), wrong.reasons().first());
    let findings = wrong.check(&Policy::default());
    assert!(findings[0].grade == Grade::Finding && findings[0].reason.reason == "id", "{findings:?}");
    assert!(
        ticker().check(&Policy::default()).iter().all(|finding| finding.grade == Grade::Note),
        "{:?}",
        ticker().check(&Policy::default())
    );
    let folded = Symbols::open(sample("parcel-optimized/parcel.exe")).unwrap();
    let doubt = folded.lines_of_address(0x10b0).pop().unwrap().doubt.unwrap();
    assert!(doubt.reason == "folded" && doubt.text.contains("second_copy"), "{doubt}");
    assert_eq!(folded.find("entry").unwrap(), Address::Offset(Code::Rva(0x10d0), 0));
}

#[test]
fn files_have_ids_and_keys() {
    let symbols = ticker();
    assert_eq!(symbols.format(), Some(PdbFormat::Portable));
    let key = symbols.pdb_keys().remove(0);
    assert_eq!((key.name.as_str(), key.id.len()), ("Ticker.pdb", 40));
    assert_eq!(key.to_string(), format!("Ticker.pdb/{}/Ticker.pdb", key.id));
    let id = symbols.pdb_id().unwrap();
    assert!(key.id.starts_with(&id[..36].replace('-', "")) && id.contains("stamp"), "{id} {key}");
    assert_eq!(symbols.mvid().unwrap().len(), 36);
    assert_eq!(symbols.image_key().unwrap().name, "Ticker.dll");
    let native = Symbols::open(sample("native/tally.exe")).unwrap();
    assert_eq!((native.format(), native.mvid()), (Some(PdbFormat::Native), None));
    let clamp = native.functions().find(|function| function.rva <= 0x1071 && 0x1071 < function.rva + function.size);
    assert_eq!(clamp.map(|function| function.name), native.lines_of_address(0x1071).pop().map(|found| found.function));
}

/// Each byte of code of native samples, and some behind it: from the index as from all that `where` says.
#[test]
fn lines_of_an_address_are_those_of_the_whole_answer() {
    for path in ["native/tally.exe", "parcel/parcel.exe", "parcel-lto/parcel.exe", "parcel-optimized/parcel.exe"] {
        let (symbols, session) = (Symbols::open(sample(path)).unwrap(), Session::open(&[sample(path)]).unwrap());
        let native = NativeView::of(&session).unwrap();
        let mut with_line = 0;
        for function in symbols.functions() {
            for rva in function.rva..function.rva + function.size + 4 {
                let found = symbols.lines_of_address(rva);
                let Ok(query) = offset_at(native, rva) else {
                    assert!(found.is_empty(), "{path} {rva:#x}");
                    continue;
                };
                let answer = where_is(&session, query.of, query.offset);
                let line = answer.shown().map(|point| (point.start_line, point.start_column));
                let calls: Vec<_> = answer.inlined.iter().map(|call| (call.name.as_str(), call.line)).collect();
                let Some((own, inlined)) = found.split_last() else { continue };
                assert_eq!((own.line > 0).then_some((own.line, own.column)), line, "{path} {rva:#x}");
                assert_eq!(own.function, answer.name(&session), "{path} {rva:#x}");
                assert!(
                    inlined.iter().rev().map(|call| (call.function.as_str(), call.line)).eq(calls),
                    "{path} {rva:#x}"
                );
                with_line += u32::from(own.line > 0);
            }
        }
        assert!(with_line > 100, "{path}");
    }
}

#[test]
fn variables_and_texts_are_those_of_the_command() {
    let symbols = ticker();
    let variables = symbols.variables(Code::Token(0x0600_0003), 0xf);
    assert!(variables.iter().any(|local| matches!(local.storage, Storage::Slot(_))), "{variables:?}");
    let text = std::fs::read(repository("assets/sources/ticker/Clock.cs")).unwrap();
    assert_eq!(symbols.verify("Clock.cs", &text).unwrap(), SourceVerdict::Verified);
    assert_eq!(symbols.verify("Clock.cs", b"another").unwrap(), SourceVerdict::Differs);
    assert_eq!(symbols.verify("None.cs", b"").unwrap_err().reason().reason, "no-document");
    let found = symbols.source("Clock.cs", &[repository("assets/sources")]).unwrap().unwrap();
    assert_eq!((found.verdict, found.text.as_bytes()), (SourceVerdict::Verified, text.as_slice()));
    let moved = symbols.diagnose("Clock.cs", 9);
    assert!(matches!(moved.binding, Binding::Moves(10..)) && moved.reason.reason == "moved", "{moved:?}");
    assert_eq!(symbols.diagnose("None.cs", 1).binding, Binding::Hollow);
    assert_eq!(symbols.diagnose("Clock.cs", 13).binding, Binding::Binds);
    let workshop = Symbols::open(sample("workshop/Workshop.dll")).unwrap();
    let bodies = workshop.methods().filter_map(|method| Some((method.name, workshop.kickoff_of(method.token)?)));
    let bodies: Vec<_> = bodies.collect();
    assert!(!bodies.is_empty() && bodies.iter().all(|(name, _)| name.contains("MoveNext")), "{bodies:?}");
    let codes: Vec<_> = rules().map(|rule| rule.id).collect();
    assert!(
        codes.contains(&"id")
            && ticker().check(&Policy::default()).iter().all(|note| codes.contains(&note.reason.reason))
    );
}

#[test]
fn an_error_has_a_code() {
    let missing = Symbols::open("nowhere/at-all.dll").unwrap_err();
    assert!(missing.reason().reason == "no-file" && missing.to_string().contains("there is no such file"), "{missing}");
    let noise = Symbols::from_memory([Input::new("noise.dll", vec![0xfe; 64])]).unwrap_err();
    assert!(!noise.reason().reason.is_empty() && noise.to_string().contains("unrecognised file format"), "{noise:?}");
}

#[test]
fn a_trace_is_resolved_with_open_pairs_or_with_folders() {
    let text = std::fs::read_to_string(sample("faults/il-offsets.txt")).unwrap();
    let pair = Symbols::open(sample("faults/Faults.dll")).unwrap();
    let by_pair = resolve_trace(&text, &[pair], &[]);
    let by_folder = resolve_trace(&text, &[], &[sample("faults")]);
    assert_eq!(by_pair, by_folder);
    assert!(by_pair.frames.len() > 2 && by_pair.text.contains("Program.cs:line 67"), "{}", by_pair.text);
    let none = resolve_trace(&text, &[], &[]);
    assert_eq!(none.text, text);
    assert!(
        none.frames.iter().all(|frame| frame.refusal.as_ref().is_some_and(|why| why.reason == "no-symbols")),
        "{none:?}"
    );
}

/// A pair is shared by threads.
#[test]
fn answers_are_the_same_from_several_threads() {
    const fn is_shared<T: Send + Sync + Clone>(_: &T) {}
    let symbols = Symbols::open(sample("workshop/Workshop.dll")).unwrap();
    is_shared(&symbols);
    let tables = || symbols.methods().map(|method| symbols.lines(method.token)).collect::<Result<Vec<_>, _>>().unwrap();
    let alone = tables();
    std::thread::scope(|scope| {
        for worker in [scope.spawn(tables), scope.spawn(tables)] {
            assert_eq!(worker.join().unwrap(), alone);
        }
    });
    assert!(alone.iter().flatten().count() > 200);
}

/// Items that a release may not change without a new major version: `INSTA_UPDATE=always` writes the list anew.
#[test]
fn the_public_items_are_listed() {
    let code = |file: &str| {
        let text = std::fs::read_to_string(repository("src").join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with(['/', '#']) && !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    };
    let exports = Regex::new(r"pub use front::\{([^}]*)\};").unwrap().captures(&code("lib.rs")).unwrap()[1].to_owned();
    let names: Vec<&str> = exports.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    assert!((25..=40).contains(&names.len()), "{names:?}");
    let mut list = names.join(" ") + "\n\n";
    let signature = Regex::new(r"(?m)^\s*(?:impl [^{]*|pub (?:const )?(?:fn|struct) [^{;]*)").unwrap();
    for file in ["mod", "files", "input", "sources", "error", "trace"].map(|name| format!("front/{name}.rs")) {
        for found in signature.find_iter(&code(&file)) {
            let words: Vec<&str> = found.as_str().split_whitespace().collect();
            let _ = writeln!(list, "{}", words.join(" "));
        }
    }
    insta::assert_snapshot!(list + "\n" + &code("front/answers.rs"));
}

#[test]
fn a_program_without_features_builds_few_crates_of_others() {
    let tree = ["tree", "-p", "pdblens", "--no-default-features", "-e", "normal,build", "--prefix", "none"];
    let mut cargo = std::process::Command::new(env!("CARGO"));
    let output = cargo.args(tree).args(["--offline", "--locked"]).current_dir(repository("")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let named = printed.lines().filter_map(|line| line.split_once(' ')).map(|(name, _)| name);
    let others: std::collections::BTreeSet<&str> = named.filter(|name| !name.starts_with("pdblens")).collect();
    assert!((20..=40).contains(&others.len()), "{}: {others:?}", others.len());
}
