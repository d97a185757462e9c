//! Sources of documents: where they are found, whether they are verified, and which files are never opened or written.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::folder::Folder;
use crate::support::server::{Answer, Server, linked_paths};
#[cfg(unix)]
use crate::support::synth::native::Native;
use pdblens::nodes::{self, Place};
use pdblens::query::check::Grade;
use pdblens::query::extract::{Part, extract};
use pdblens::session::Session;
use pdblens::source;
use pdblens::source::{HashVerdict, LineEnds, Map, Origin, Outcome, Unknown};
use pdblens::source::{SourceOptions, Sources};
use pdblens::store::http::{Answer as Answered, Http, HttpError, Limits};
use pdblens::store::new_file::Existing;

fn assets(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(path)
}

fn sample(path: &str) -> Session {
    Session::open(&[assets("samples").join(path)]).unwrap()
}

fn pdblens(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The samples whose sources are all in `assets/sources`.
const COMPILED_HERE: [&str; 8] = [
    "ticker/Ticker.dll",
    "ticker-release/Ticker.dll",
    "ticker-sha1/Ticker.dll",
    "faults/Faults.dll",
    "ledger/Ledger.dll",
    "shapes/Shapes.dll",
    "workshop/Workshop.dll",
    "workshop-roslyn3/Workshop.dll",
];

#[test]
fn every_source_of_the_samples_is_found_under_a_root_and_verified() {
    let options = SourceOptions { roots: vec![assets("sources")], ..SourceOptions::default() };
    for name in COMPILED_HERE {
        let session = sample(name);
        let sources = Sources::of(&session, &options);
        let documents = session.symbols().unwrap().documents();
        assert!(documents > 0, "{name}");
        for row in 1..=documents {
            let found = sources.get(row).unwrap();
            if found.document.hash.is_empty() {
                // Named by #line: there never was such a file.
                assert_eq!(found.verdict, HashVerdict::CannotTell(Unknown::NoText), "{name} {}", found.document.name);
                continue;
            }
            assert!(found.verdict.is_verified(), "{name}: {} {}", found.document.name, found.verdict);
            let here = matches!(&found.from, Origin::File(path) if path.starts_with(assets("sources")));
            assert!(here || found.from == Origin::Embedded, "{name}: {}", found.from);
        }
    }
}

#[test]
fn embedded_sources_come_first_and_are_verified() {
    for (name, count) in
        [("ticker-embedded/Ticker.dll", 2), ("workshop-embedded/Workshop.dll", 7), ("shapes-embedded/Shapes.dll", 1)]
    {
        let session = sample(name);
        let found: Vec<_> = (1..=session.symbols().unwrap().documents())
            .map(|row| source::find(&session, row, &SourceOptions::default()).unwrap())
            .filter(|found| found.from == Origin::Embedded)
            .collect();
        assert_eq!(found.len(), count, "{name}");
        assert!(found.iter().all(|found| found.verdict.is_verified()), "{name}");
    }
}

#[test]
fn the_built_in_sample_brings_its_sources() {
    let session = Session::sample();
    let found = source::find(&session, 1, &SourceOptions::default()).unwrap();
    assert_eq!((found.from, found.verdict), (Origin::BuiltIn, HashVerdict::Verified(LineEnds::AsTheyAre)));
    let text = source::find(&session, 1, &SourceOptions::default()).unwrap().text.unwrap();
    assert!(text.line(11).is_some_and(|line| !line.is_empty()) || text.lines() > 5);
}

#[test]
fn a_map_leads_to_a_text_that_differs_and_a_root_to_the_right_one() {
    let folder = Folder::new();
    let original = std::fs::read_to_string(assets("sources/ticker/Clock.cs")).unwrap();
    folder.write("edited/ticker/Clock.cs", format!("// edited\n{original}"));
    folder.write("crlf/ticker/Clock.cs", original.replace('\n', "\r\n"));
    let session = sample("ticker-release/Ticker.dll");
    let clock = 2;
    let map = |new: &str| Map { old: "/_/".into(), new: folder.path().join(new) };
    // pdblens has the sources of the sample built in; this one has another name there.
    let look = |maps: Vec<Map>, roots: Vec<PathBuf>| {
        source::find(&session, clock, &SourceOptions { maps, roots, ..SourceOptions::default() }).unwrap()
    };
    let found = look(vec![map("crlf")], vec![]);
    assert_eq!(found.verdict, HashVerdict::Verified(LineEnds::MadeLf));
    assert!(matches!(found.from, Origin::File(_)));
    let found = look(vec![map("edited")], vec![folder.path().join("crlf")]);
    assert_eq!(found.verdict, HashVerdict::Verified(LineEnds::MadeLf), "one that differs is passed over");
    assert_eq!(found.tried[0].outcome, Outcome::Found(HashVerdict::Differs));
}

#[test]
fn a_different_text_is_marked_as_different() {
    let folder = Folder::new();
    folder.write("workshop/Columns.cs", "class Columns;\n");
    let session = sample("workshop/Workshop.dll");
    let options = SourceOptions { roots: vec![folder.path().into()], ..SourceOptions::default() };
    let found = source::find(&session, 1, &options).unwrap();
    assert_eq!(found.verdict, HashVerdict::Differs);
    assert_eq!(found.text.unwrap().line(1), Some("class Columns;"));
    let asked = found.tried.iter().any(|one| one.outcome == Outcome::NotAsked);
    assert!(asked, "Source Link is mentioned, and not asked: {:?}", found.tried);
}

/// A PDB of one function, whose only document is `file`, with a wrong hash.
#[cfg(unix)]
fn names_a_file(folder: &Folder, file: &Path) -> PathBuf {
    let mut pdb = Native { modules: 1, functions: 1, lines: 3, seed: 7 }.pdb(4096);
    let (old, new) = (b"/src/native/unit0.c", file.as_os_str().as_encoded_bytes());
    assert_eq!(old.len(), new.len());
    while let Some(at) = pdb.windows(old.len()).position(|bytes| bytes == old) {
        pdb[at..at + old.len()].copy_from_slice(new);
    }
    folder.write("theirs/App.pdb", pdb)
}

/// The symbols are written by a stranger: a path in them is no permission to show the file.
#[test]
#[cfg(unix)]
fn a_file_that_only_the_symbols_name_is_not_shown() {
    let folder = Folder::new();
    let secret = PathBuf::from(format!("/tmp/{:012}.c", std::process::id()));
    std::fs::write(&secret, "the secret\n".repeat(99)).unwrap();
    let pdb = names_a_file(&folder, &secret);
    let commands = [["where", "unit0_function0"], ["break", ":1"], ["sources", "--tried"], ["show", "function/0x1"]];
    for command in commands {
        let shown = pdblens(&[command[0], pdb.to_str().unwrap(), command[1]]);
        assert!(!text(&shown).contains("the secret"), "{}", text(&shown));
    }
    let question = ["where", pdb.to_str().unwrap(), "unit0_function0"];
    let shown = text(&pdblens(&question));
    assert!(
        shown.contains("a file of this name exists and is not shown") && shown.contains("--source-root"),
        "{shown}"
    );
    let session = Session::open(std::slice::from_ref(&pdb)).unwrap();
    let look = |options: SourceOptions| source::find(&session, 1, &options).unwrap();
    let found = look(SourceOptions::default());
    assert_eq!((found.text, found.verdict, found.from), (None, HashVerdict::Differs, Origin::File(secret.clone())));
    // A folder that the user named, in each of the ways.
    let allowed = text(&pdblens(&[&question[..], &["--source-root", "/tmp"]].concat()));
    assert!(allowed.contains("the secret") && allowed.contains("differs from what was compiled"), "{allowed}");
    let map = Map { old: "/tmp".into(), new: "/tmp".into() };
    assert!(look(SourceOptions { maps: vec![map], ..SourceOptions::default() }).text.is_some());
    // A link out of the folder of the symbols, or out of a folder that was named, leads to no other file.
    for tree in ["theirs", "named"] {
        let link = folder.path().join(tree).join(secret.file_name().unwrap());
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&secret, link).unwrap();
    }
    let roots = ["theirs", "named"].map(|tree| folder.path().join(tree)).to_vec();
    assert_eq!(look(SourceOptions { roots, ..SourceOptions::default() }).text, None);
    std::fs::remove_file(secret).unwrap();
}

#[test]
fn extracting_writes_only_embedded_sources() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let dll = assets("samples/ticker-embedded/Ticker.dll");
    let args = ["sources", dll.to_str().unwrap(), "--extract", out.to_str().unwrap()];
    for _ in 0..2 {
        let output = pdblens(&args);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(folder.files(), ["out/_/ticker/Clock.cs", "out/_/ticker/Program.cs"]);
    }
    let clock = out.join("_/ticker/Clock.cs");
    assert_eq!(std::fs::read(&clock).unwrap(), std::fs::read(assets("sources/ticker/Clock.cs")).unwrap());
    std::fs::write(&clock, "mine").unwrap();
    assert_eq!(pdblens(&args).status.code(), Some(1), "what is there is not overwritten");
    assert_eq!(std::fs::read(&clock).unwrap(), b"mine");
}

#[test]
fn parts_of_symbols_become_files() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let run = |file: &str, rest: &[&str]| {
        let file = assets(file);
        let args = [&["extract", file.to_str().unwrap(), "--to", out.to_str().unwrap()], rest].concat();
        let output = pdblens(&args);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output)
    };
    run("samples/ticker-embedded/Ticker.dll", &[]);
    let files = ["out/Ticker.pdb", "out/sources/_/ticker/Clock.cs", "out/sources/_/ticker/Program.cs"];
    assert_eq!(folder.files(), files);
    let session = sample("ticker-embedded/Ticker.dll");
    let pdb = session.spaces().region(session.symbol_file().unwrap().space).unwrap();
    assert_eq!(std::fs::read(out.join("Ticker.pdb")).unwrap(), pdb.bytes());
    let (file, to) = (assets("samples/ticker/Ticker.pdb"), out.to_str().unwrap());
    let output = pdblens(&["extract", file.to_str().unwrap(), "--to", to]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && said.contains("note: nothing to extract"), "{said}");

    run("samples/native/tally.pdb", &["--only", "srcsrv,streams"]);
    let session = sample("native/tally.pdb");
    let streams = nodes::rows(&session, Place::Streams).unwrap();
    let written: Vec<u64> = folder
        .files()
        .iter()
        .filter(|name| name.starts_with("out/streams/"))
        .map(|name| std::fs::metadata(folder.path().join(name)).unwrap().len())
        .collect();
    assert_eq!(written.len(), streams.len as usize);
    let sizes = streams.iter().filter_map(|row| row.span).map(|span| span.len);
    assert_eq!(written.iter().sum::<u64>(), sizes.sum::<u64>());
    let text = std::fs::read(out.join("srcsrv.txt")).unwrap();
    assert!(text.starts_with(b"SRCSRV: ini"), "{}", String::from_utf8_lossy(&text));
    assert_eq!(text, std::fs::read(out.join("streams/5 srcsrv")).unwrap());
    run("samples/ticker/Ticker.pdb", &["--only", "streams"]);
    assert!(out.join("streams/#Pdb").exists(), "{:?}", folder.files());
}

#[test]
#[cfg(unix)]
fn a_symbolic_link_in_the_folder_is_not_followed() {
    let (inside, outside) = (Folder::new(), Folder::new());
    let session = sample("ticker-embedded/Ticker.dll");
    std::os::unix::fs::symlink(outside.path(), inside.path().join("_")).unwrap();
    let done = extract(&session, &[(Part::Sources, "")], inside.path(), Existing::Keep).unwrap();
    assert!(done.iter().all(|one| one.written.is_err()), "{done:?}");
    assert_eq!(outside.files(), [""; 0]);

    let inside = Folder::new();
    inside.write("_/ticker/keep", "");
    std::os::unix::fs::symlink(outside.path().join("Clock.cs"), inside.path().join("_/ticker/Clock.cs")).unwrap();
    let done = extract(&session, &[(Part::Sources, "")], inside.path(), Existing::Keep).unwrap();
    assert_eq!(done.iter().filter(|one| one.written.is_err()).count(), 1, "{done:?}");
    assert_eq!(outside.files(), [""; 0]);
}

#[test]
fn the_command_prints_verdicts_as_text_and_json() {
    let dll = assets("samples/workshop/Workshop.dll");
    let root = assets("sources");
    let args = ["sources", dll.to_str().unwrap(), "--source-root", root.to_str().unwrap()];
    let output = text(&pdblens(&args));
    assert_eq!(output.matches("  verified  ").count(), 7, "{output}");
    assert_eq!(output.matches("  no text  ").count(), 3, "{output}");
    let json: serde_json::Value = serde_json::from_slice(&pdblens(&[&args[..], &["--json"]].concat()).stdout).unwrap();
    let documents = json["pairs"][0]["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 10);
    assert_eq!((&documents[0]["verdict"], &documents[0]["from"]), (&"verified".into(), &"file".into()));
    let tried = documents[0]["tried"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&tried["from"], &tried["outcome"], &tried["location"]),
        (&"file".into(), &"verified".into(), &documents[0]["location"])
    );
    assert_eq!(
        (&documents[0]["language"], documents[0]["language_id"].as_str().map(str::len)),
        (&"C#".into(), Some(36))
    );
    assert!(documents[0]["source_link"].as_str().unwrap().starts_with("https://"), "{json}");
    assert_eq!(pdblens(&["sources", dll.to_str().unwrap(), "--map", "nothing"]).status.code(), Some(2));
}

#[test]
fn where_and_break_show_the_lines_of_sources_that_are_named() {
    let dll = assets("samples/faults/Faults.dll");
    let (dll, root) = (dll.to_str().unwrap(), assets("sources"));
    let map = format!("/_/={}", root.display());
    let named = [["--source-root", root.to_str().unwrap()], ["--map", &map]];
    for question in [["where", dll, "Crate..ctor+0x37"], ["break", dll, "Program.cs:80"]] {
        let plain = text(&pdblens(&question));
        assert!(plain.contains(":80") && !plain.contains("80 │"), "{plain}");
        for named in named {
            let with = text(&pdblens(&[&question[..], &named].concat()));
            assert!(with.contains("80 │") && with.contains("throw new ArgumentException"), "{with}");
        }
    }
}

#[test]
fn source_and_symbol_options_are_the_same_in_all_commands() {
    let all = pdblens::cli::command();
    let of = |command: &clap::Command, name: &str| {
        let found = command.get_arguments().find(|argument| argument.get_long() == Some(name));
        found.map(|argument| (argument.get_help().unwrap().to_string(), argument.get_value_names().unwrap().to_vec()))
    };
    for name in ["source-root", "map", "symbols"] {
        let screens = of(&all, name).unwrap();
        for command in ["where", "break", "check", "sources"] {
            assert_eq!(of(all.find_subcommand(command).unwrap(), name).as_ref(), Some(&screens), "{command} --{name}");
        }
    }
}

fn hasty() -> Http {
    Http::new(Limits {
        connect: Duration::from_secs(5),
        stall: Duration::from_millis(300),
        total: Duration::from_secs(5),
        most: 1 << 20,
        redirects: 3,
        ..Limits::default()
    })
}

#[test]
fn hostile_server_responses_are_rejected() {
    let other = Server::new([("/final".into(), Answer::Bytes(b"over here".into()))]);
    let server = Server::new([
        ("/good".into(), Answer::Bytes(b"good".into())),
        ("/gone".into(), Answer::Status(410)),
        ("/down".into(), Answer::Status(503)),
        ("/moved".into(), Answer::Redirect("/good".into())),
        ("/away".into(), Answer::Redirect(other.url("/final"))),
        ("/host".into(), Answer::Redirect(other.url("/final").replace("127.0.0.1", "localhost"))),
        ("/round".into(), Answer::Redirect("/round".into())),
        ("/local".into(), Answer::Redirect("file:///etc/passwd".into())),
        ("/stall".into(), Answer::Stall(b"some".into())),
        ("/drip".into(), Answer::Drip),
        ("/cut".into(), Answer::CutOff(vec![b'x'; 5000], 1234)),
        ("/endless".into(), Answer::Endless),
        ("/noise".into(), Answer::Noise),
    ]);
    let http = hasty();
    let mut seen = Vec::new();
    let mut get = |path: &str| {
        http.get(&server.url(path), &[("X-Test", "yes")], &mut |done, of| {
            seen.push((done, of));
            std::ops::ControlFlow::Continue(())
        })
    };
    let answer = |bytes: &[u8], redirected_to| Ok(Answered { bytes: bytes.to_vec(), redirected_to });
    assert_eq!(get("/good"), answer(b"good", None));
    assert_eq!(get("/moved"), answer(b"good", None));
    let there = other.url("");
    assert_eq!(get("/away"), answer(b"over here", Some(there["http://".len()..].to_owned())));
    assert!(matches!(get("/host"), Err(HttpError::Refused(why)) if why.contains("localhost without https")));
    assert_eq!(get("/nothing"), Err(HttpError::NotFound));
    assert_eq!(get("/gone"), Err(HttpError::NotFound));
    assert_eq!(get("/down"), Err(HttpError::Status(503)));
    assert!(matches!(get("/round"), Err(HttpError::Refused(_))));
    assert!(matches!(get("/local"), Err(HttpError::Refused(_))));
    assert_eq!(get("/stall"), Err(HttpError::Timeout));
    assert_eq!(get("/drip"), Err(HttpError::TooSlow { bytes: 307, seconds: 0 }));
    assert_eq!(get("/cut"), Err(HttpError::CutShort { got: 1234, of: 5000 }));
    assert_eq!(get("/endless"), Err(HttpError::Endless(1 << 20)));
    assert!(matches!(get("/noise"), Err(HttpError::Failed(_))));
    assert!(seen.contains(&(4, Some(4))), "progress is told");
    assert!(server.asked()[0].contains("yes") && server.asked()[0].contains("pdblens/"));
    let cancelled = http.get(&server.url("/endless"), &[], &mut |done, _| {
        if done > 10_000 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    });
    assert_eq!(cancelled, Err(HttpError::Cancelled));
}

#[test]
fn a_refused_connection_is_an_error() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let got = hasty().get(&format!("http://127.0.0.1:{free}/"), &[], &mut |_, _| std::ops::ControlFlow::Continue(()));
    assert!(matches!(got, Err(HttpError::Failed(_))), "{got:?}");
}

#[test]
fn a_server_is_asked_for_sources_only_with_fetch_and_its_text_is_verified() {
    let columns = std::fs::read(assets("sources/workshop/Columns.cs")).unwrap();
    let answers = [
        ("/samples/workshop/Columns.cs", Answer::Bytes(columns)),
        ("/samples/workshop/Modern.cs", Answer::Bytes(b"another text".into())),
        ("/samples/workshop/Program.cs", Answer::CutOff(vec![b'x'; 3000], 10)),
    ];
    let answers = answers.into_iter().flat_map(|(path, answer)| linked_paths(path).map(|path| (path, answer.clone())));
    let server = Server::new(answers);
    let pdb = std::fs::read(assets("samples/workshop/Workshop.pdb")).unwrap();
    let open = || Session::from_bytes(vec![("Workshop.pdb".into(), server.linked(pdb.clone()))]).unwrap();
    let session = open();
    let found = source::find(&session, 1, &SourceOptions::default()).unwrap();
    assert_eq!((found.from, server.asked().len()), (Origin::Nowhere, 0));
    assert!(found.tried.iter().any(|one| one.outcome == Outcome::NotAsked));

    let options = SourceOptions { http: Some(hasty()), ..SourceOptions::default() };
    let get = |row| source::find(&session, row, &options).unwrap();
    let columns = get(1);
    assert!(matches!(columns.from, Origin::SourceLink(_)), "{:?}", columns.tried);
    assert!(columns.verdict.is_verified());
    let modern = get(2);
    assert_eq!((modern.verdict, modern.text.unwrap().text()), (HashVerdict::Differs, "another text"));
    let cut = get(5);
    assert_eq!(cut.from, Origin::Nowhere, "what breaks off is no text");
    assert!(cut.tried.iter().any(|one| matches!(&one.outcome, Outcome::Failed(why) if why.contains("breaks off"))));
}

#[test]
fn passwords_in_source_link_are_not_shown() {
    let mut pdb = std::fs::read(assets("samples/workshop/Workshop.pdb")).unwrap();
    let (there, here) = (b"https://example.com/pdblens", b"https://me:secret@localhost");
    let at = pdb.windows(there.len()).position(|bytes| bytes == there).unwrap();
    pdb[at..at + here.len()].copy_from_slice(here);
    let folder = Folder::new();
    folder.write("Workshop.pdb", &pdb);
    let path = folder.path().join("Workshop.pdb");
    for command in [&["sources"][..], &["sources", "--json"], &["info"], &["info", "--json"], &["documents", "--tsv"]] {
        let output = pdblens(&[command, &[path.to_str().unwrap()]].concat());
        let shown = text(&output);
        assert!(shown.contains("https://me:***@localhost") && !shown.contains("secret"), "{command:?}: {shown:.2000}");
    }
}

#[test]
fn passwords_in_arguments_are_not_repeated_in_errors() {
    for command in
        [&["info", "https://me:secret@localhost/x.dll"][..], &["store", "list", "https://me:secret@localhost"]]
    {
        let output = pdblens(command);
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(shown.contains("https://me:***@localhost") && !shown.contains("secret"), "{command:?}: {shown}");
    }
}

#[test]
fn check_asks_for_the_headers_of_sources_and_tells_what_a_debugger_would_get() {
    let answers = [
        ("/samples/workshop/Columns.cs", Answer::Bytes(b"some text".into())),
        ("/samples/workshop/Modern.cs", Answer::Status(401)),
        ("/samples/workshop/Program.cs", Answer::Noise),
    ];
    let answers = answers.into_iter().flat_map(|(path, answer)| linked_paths(path).map(|path| (path, answer.clone())));
    let server = Server::new(answers);
    let pdb = server.linked(std::fs::read(assets("samples/workshop/Workshop.pdb")).unwrap());
    let session = Session::from_bytes(vec![("Workshop.pdb".into(), pdb)]).unwrap();
    let remarks = |options| {
        let all = pdblens::query::check::check(&session, &options);
        all.into_iter().filter(|remark| remark.rule == "source-reachable").collect::<Vec<_>>()
    };
    assert_eq!((remarks(SourceOptions::default()).len(), server.asked().len()), (0, 0), "no server is asked unasked");

    let found = remarks(SourceOptions { head: Some(hasty()), ..SourceOptions::default() });
    let asked = server.asked();
    assert!(!asked.is_empty() && asked.iter().all(|request| request.starts_with("HEAD ")), "{asked:?}");
    let of =
        |name: &str| found.iter().find(|remark| remark.sentence.contains(name)).unwrap_or_else(|| panic!("{found:#?}"));
    let modern = of("Modern.cs");
    assert!(
        modern.grade == Grade::Note
            && modern.sentence.contains("requires a debugger to sign in: the server answers 401"),
        "{modern:?}"
    );
    assert_eq!(of("Program.cs").grade, Grade::Note, "{found:#?}");
    let missing = found.iter().filter(|remark| remark.grade == Grade::Finding).count();
    assert_eq!(missing + 3, asked.len(), "all others answer 404: {found:#?}");
    assert!(
        missing > 0 && of("1 of ").grade == Grade::Good && !found.iter().any(|r| r.sentence.contains("Columns.cs"))
    );
    assert!(found.iter().all(|remark| remark.grade == Grade::Good || remark.place.is_some()));
}

#[test]
fn a_token_is_not_sent_without_https_and_not_printed() {
    let server = Server::new([]);
    let folder = Folder::new();
    let pdb = server.linked(std::fs::read(assets("samples/workshop/Workshop.pdb")).unwrap());
    folder.write("Workshop.pdb", pdb);
    let host = server.url("").strip_prefix("http://").unwrap().to_owned();
    let run = |token: &str, argument: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(["check", "Workshop.pdb", argument]).env("PDBLENS_TOKEN", token).current_dir(folder.path());
        let output = command.output().unwrap();
        text(&output) + &String::from_utf8_lossy(&output.stderr)
    };
    for argument in ["--fetch", "--fetch=head"] {
        let before = server.asked().len();
        let said = run(&format!("{host}=s3cret;127.0.0.1=s3cret"), argument);
        let asked = &server.asked()[before..];
        assert!(!asked.is_empty() && !asked.concat().contains("s3cret") && !said.contains("s3cret"), "{said}");
    }
    let before = server.asked().len();
    let said = run("s3cret", "--fetch");
    assert!(said.contains("PDBLENS_TOKEN is not HOST=TOKEN") && !said.contains("s3cret"), "{said}");
    assert_eq!(server.asked().len(), before);
}

#[test]
fn check_fetches_sources_and_compares_their_hashes() {
    let text = std::fs::read(assets("sources/workshop/Columns.cs")).unwrap();
    let scopes = std::fs::read_to_string(assets("sources/workshop/Scopes.cs")).unwrap().replace('\n', "\r\n");
    let answers = [
        ("/samples/workshop/Columns.cs", Answer::Bytes(text)),
        ("/samples/workshop/Scopes.cs", Answer::Bytes(scopes.into_bytes())),
        ("/samples/workshop/Modern.cs", Answer::Bytes(b"another text".into())),
        ("/samples/workshop/Program.cs", Answer::Status(403)),
    ];
    let answers = answers.into_iter().flat_map(|(path, answer)| linked_paths(path).map(|path| (path, answer.clone())));
    let server = Server::new(answers);
    let pdb = server.linked(std::fs::read(assets("samples/workshop/Workshop.pdb")).unwrap());
    let session = Session::from_bytes(vec![("Workshop.pdb".into(), pdb)]).unwrap();
    let options = SourceOptions { body: Some(hasty()), ..SourceOptions::default() };
    let remarks = pdblens::query::check::check(&session, &options);
    let asked = server.asked();
    assert!(!asked.is_empty() && asked.iter().all(|request| request.starts_with("GET ")), "{asked:?}");
    let of = |rule| remarks.iter().filter(|remark| remark.rule == rule).collect::<Vec<_>>();
    let hashes: Vec<_> = of("source-hash").into_iter().map(|remark| (remark.grade, remark.sentence.as_str())).collect();
    let [(Grade::Finding, differs), (Grade::Good, good)] = hashes.as_slice() else { panic!("{hashes:?}") };
    assert!(differs.contains("Modern.cs") && differs.ends_with("its hash differs"), "{differs}");
    assert_eq!(*good, "1 of 3 fetched sources verified");
    let [ends] = of("source-line-ends")[..] else { panic!("{remarks:#?}") };
    assert!(ends.grade == Grade::Note && ends.sentence.contains("Scopes.cs"), "{ends:?}");
    // The same answers tell what can be fetched: each URL is asked for once.
    let reachable = of("source-reachable");
    assert!(reachable.iter().any(|remark| remark.grade == Grade::Good && remark.sentence.starts_with("3 of ")));
    assert!(reachable.iter().any(|remark| remark.sentence.contains("Program.cs") && remark.grade == Grade::Note));
    let names: std::collections::HashSet<_> = asked.iter().filter_map(|request| request.lines().next()).collect();
    assert_eq!(names.len(), asked.len(), "{asked:?}");
}
