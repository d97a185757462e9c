//! Folders as a build leaves them: packages, single-file programs, reference assemblies, native libraries of other systems.

use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use pdblens::formats::reason::Reason;
use pdblens::session::inputs::units;
use pdblens::session::{PdbMatch, Session};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::containers::{bundle, cabinet};
use crate::support::folder::Folder;
use crate::support::samples::repository;

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(repository("assets/samples").join(path)).unwrap()
}

/// A zip archive of these files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn nuspec(kind: &str) -> Vec<u8> {
    let kinds = if kind.is_empty() {
        String::new()
    } else {
        format!("<packageTypes><packageType name=\"{kind}\"/></packageTypes>")
    };
    let authors = if kind == "SymbolsPackage" { "" } else { "<authors>me</authors>" };
    format!("<package><metadata><id>A</id><version>1.0.0</version>{authors}{kinds}</metadata></package>").into_bytes()
}

/// A package with an assembly and, at this path, the package with its symbols.
fn pair_of_packages(pdb: &str) -> (Vec<u8>, Vec<u8>) {
    let main = zip(&[("A.nuspec", &nuspec("")), ("lib/net8.0/Ticker.dll", &sample("ticker/Ticker.dll"))]);
    let symbols = zip(&[("A.nuspec", &nuspec("SymbolsPackage")), (pdb, &sample("ticker/Ticker.pdb"))]);
    (main, symbols)
}

fn run(folder: &Folder, args: &[&str]) -> (Option<i32>, String, String) {
    let output: Output =
        Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).current_dir(folder.path()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\\', "/");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn paths(folder: &Folder) -> Vec<String> {
    let found = units(&[folder.path().to_owned()]).unwrap();
    found.iter().map(|unit| unit.path_in(folder.path()).replace('\\', "/")).collect()
}

#[test]
fn a_folder_has_its_packages_and_their_verdict() {
    let folder = Folder::new();
    let (main, symbols) = pair_of_packages("lib/net8.0/Ticker.pdb");
    folder.write("bin/Release/A.1.0.0.nupkg", &main);
    folder.write("bin/Release/A.1.0.0.snupkg", &symbols);
    let (code, said, error) = run(&folder, &["check", "bin"]);
    assert_eq!(code, Some(0), "{said}{error}");
    assert!(said.contains("✓ bin/Release/A.1.0.0.nupkg!lib/net8.0/Ticker.dll"), "{said}");
    assert!(said.contains("nothing was found that the NuGet gallery would refuse\n"), "{said}");
    assert!(said.contains("1 pair checked") && said.contains("1 package version"), "{said}");
    // A pair beside the packages does not hide them.
    folder.write("bin/Release/net8.0/Ticker.dll", sample("ticker/Ticker.dll"));
    folder.write("bin/Release/net8.0/Ticker.pdb", sample("ticker/Ticker.pdb"));
    assert_eq!(paths(&folder), ["bin/Release/A.1.0.0.nupkg!lib/net8.0/Ticker.dll", "bin/Release/net8.0/Ticker.dll"]);
    let (_, said, _) = run(&folder, &["check", "bin"]);
    assert!(said.contains("2 pairs checked") && said.contains("1 package version"), "{said}");
    let (_, said, _) = run(&folder, &["info", "bin"]);
    assert!(said.contains("── bin/Release/A.1.0.0.nupkg!lib/net8.0/Ticker.dll"), "{said}");
    // A package that was unpacked where it is, as in NuGet's folder, has its files once.
    let folder = Folder::new();
    folder.write("a/1.0.0/a.1.0.0.nupkg", &main);
    folder.write("a/1.0.0/a.1.0.0.nupkg.sha512", "x");
    folder.write("a/1.0.0/lib/net8.0/Ticker.dll", sample("ticker/Ticker.dll"));
    assert_eq!(paths(&folder), ["a/1.0.0/lib/net8.0/Ticker.dll"]);
    // A package that cannot be read is told of.
    folder.write("out/b.1.0.0.nupkg", "PK\u{3}\u{4} and no more");
    let (code, said, _) = run(&folder, &["check", "out"]);
    assert!(code == Some(1) && said.contains("1 unreadable"), "{said}");
}

#[test]
fn a_folder_has_the_files_of_a_single_file_program() {
    let folder = Folder::new();
    folder.write(
        "App",
        bundle(&[("Ticker.dll", &sample("ticker/Ticker.dll")), ("Ticker.pdb", &sample("ticker/Ticker.pdb"))]),
    );
    assert_eq!(paths(&folder), ["App!Ticker.dll"]);
    let session = Session::open(&[folder.path().to_owned()]).unwrap();
    assert_eq!(session.pdb_match(), PdbMatch::Matched);
}

#[test]
fn a_program_with_several_assemblies_is_checked_whole() {
    let folder = Folder::new();
    let (one, other) = (sample("ticker/Ticker.dll"), sample("faults/Faults.dll"));
    folder.write("Ticker", bundle(&[("Faults.dll", &other), ("Ticker.dll", &one)]));
    for command in ["check", "info"] {
        let (_, said, _) = run(&folder, &[command, "Ticker"]);
        assert!(said.contains("Ticker!Ticker.dll") && said.contains("Ticker!Faults.dll"), "{command}: {said}");
    }
    // A question about one pair is about the program's own.
    let (code, _, note) = run(&folder, &["show", "Ticker", "method/1"]);
    assert!(code == Some(0) && note.contains("opened Ticker.dll, of 2 files or pairs in Ticker"), "{note}");
}

#[test]
fn assemblies_that_nobody_debugs_are_left_out_with_the_reason() {
    let folder = Folder::new();
    let (dll, pdb, other) = (sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb"), sample("faults/Faults.dll"));
    let files = [
        ("A.nuspec", nuspec("")),
        ("lib/net8.0/Ticker.dll", dll.clone()),
        ("lib/net8.0/Ticker.pdb", pdb.clone()),
        ("lib/net8.0/de/Ticker.resources.dll", other.clone()),
        ("ref/net8.0/Ticker.dll", other.clone()),
        ("build/Tasks.dll", other.clone()),
        ("runtimes/win/native/Shim.dll", other.clone()),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, content)| (*path, content.as_slice())).collect();
    folder.write("A.1.0.0.nupkg", zip(&files));
    let (code, said, _) = run(&folder, &["check", "A.1.0.0.nupkg"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 pair checked") && said.contains("4 left out"), "{said}");
    for reason in ["a satellite assembly", "(ref/)", "not in lib, runtimes, tools or analyzers", "runtimes/*/native"] {
        assert!(said.lines().any(|line| line.contains("not checked: ") && line.contains(reason)), "{reason}: {said}");
    }
    let deps = r#"{"libraries": {"Ticker/1.0.0": {"type": "project"}, "Faults/1.0.0": {"type": "package"}}}"#;
    let tool = |kind: &str| {
        zip(&[
            ("A.nuspec", &nuspec(kind)),
            ("tools/net8.0/any/Ticker.dll", &dll),
            ("tools/net8.0/any/Ticker.pdb", &pdb),
            ("tools/net8.0/any/Faults.dll", &other),
            ("tools/net8.0/any/Ticker.deps.json", deps.as_bytes()),
        ])
    };
    folder.write("T.1.0.0.nupkg", tool("DotnetTool"));
    let (code, said, _) = run(&folder, &["check", "T.1.0.0.nupkg"]);
    assert!(
        code == Some(0) && said.contains("a dependency of the tool: no project of Ticker.deps.json has it"),
        "{said}"
    );
    // Of any other package the same file is the package's own.
    folder.write("T.1.0.0.nupkg", tool(""));
    assert_eq!(run(&folder, &["check", "T.1.0.0.nupkg"]).0, Some(0));
    assert_eq!(run(&folder, &["check", "T.1.0.0.nupkg", "--require-symbols"]).0, Some(3));
}

#[test]
fn the_old_form_of_a_symbols_package_is_refused() {
    let folder = Folder::new();
    let (main, _) = pair_of_packages("lib/net8.0/Ticker.pdb");
    folder.write("A.1.0.0.nupkg", main);
    let (dll, pdb) = (sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb"));
    let files: [(&str, &[u8]); 3] =
        [("A.nuspec", &nuspec("")), ("lib/net8.0/Ticker.dll", &dll), ("lib/net8.0/Ticker.pdb", &pdb)];
    folder.write("A.1.0.0.symbols.nupkg", zip(&files));
    let named: [&[&str]; 3] =
        [&["check", "A.1.0.0.nupkg", "A.1.0.0.symbols.nupkg"], &["check", "A.1.0.0.symbols.nupkg"], &["check", "."]];
    for args in named {
        let (code, said, _) = run(&folder, args);
        assert_eq!(code, Some(3), "{args:?}: {said}");
        assert!(
            said.contains("would refuse this, because A.1.0.0.symbols.nupkg is a symbols package of the old form"),
            "{said}"
        );
        assert!(
            said.contains("1 pair checked") && said.matches("Ticker.dll  0 findings").count() == 1,
            "{args:?}: {said}"
        );
    }
}

#[test]
fn packages_pair_whatever_the_case_of_their_paths() {
    let folder = Folder::new();
    let (main, symbols) = pair_of_packages("LIB/NET8.0/ticker.pdb");
    folder.write("A.1.0.0.nupkg", main);
    folder.write("A.1.0.0.snupkg", symbols);
    let (code, said, _) = run(&folder, &["check", "A.1.0.0.nupkg"]);
    assert!(code == Some(0) && said.contains("1 pair checked, 0 with findings"), "{said}");
    let of_symbols = Session::open(&[folder.path().join("A.1.0.0.snupkg!LIB/NET8.0/ticker.pdb")]).unwrap();
    assert_eq!(of_symbols.pdb_match(), PdbMatch::Matched);
}

#[test]
fn packages_in_an_archive_are_partners_and_have_a_verdict() {
    let folder = Folder::new();
    let (main, symbols) = pair_of_packages("lib/net8.0/Ticker.pdb");
    for at in ["drop/", ""] {
        let (main_at, symbols_at) = (format!("{at}A.1.0.0.nupkg"), format!("{at}A.1.0.0.snupkg"));
        folder.write("out.zip", zip(&[(&main_at, &main), (&symbols_at, &symbols)]));
        for named in [format!("out.zip!{main_at}"), "out.zip".to_owned()] {
            let (code, said, error) = run(&folder, &["check", &named]);
            assert_eq!(code, Some(0), "{said}{error}");
            assert!(said.contains("1 pair checked, 0 with findings, 1 package version"), "{named}: {said}");
            assert!(said.contains("nothing was found that the NuGet gallery would refuse\n"), "{named}: {said}");
        }
        let (code, said, error) = run(&folder, &["info", &format!("out.zip!{main_at}")]);
        assert!(code == Some(0) && error.contains("contains one pair: "), "{said}{error}");
    }
}

#[test]
fn a_cabinet_of_symbols_is_the_partner_of_an_image() {
    let folder = Folder::new();
    folder.write("Ticker.dll", sample("ticker/Ticker.dll"));
    let packed = folder.write("Ticker.pd_", cabinet(&sample("ticker/Ticker.pdb")));
    for named in ["Ticker.dll", "Ticker.pd_"] {
        let session = Session::open(&[folder.path().join(named)]).unwrap();
        assert_eq!(session.pdb_match(), PdbMatch::Matched, "{named}");
        assert_eq!(session.symbol_file().unwrap().path, packed);
    }
    std::fs::remove_file(folder.path().join("Ticker.dll")).unwrap();
    let alone = Session::open(&[packed]).unwrap();
    assert_eq!(alone.match_reasons(), [Reason::new("no-image", "no image that names this PDB was found beside it")]);
}

#[test]
fn native_libraries_of_other_systems_are_left_out_of_a_folder() {
    let folder = Folder::new();
    folder.write("build/Ticker.dll", sample("ticker/Ticker.dll"));
    folder.write("build/Ticker.pdb", sample("ticker/Ticker.pdb"));
    folder.write("build/mac.node", [&b"\xcf\xfa\xed\xfe\x0c\0\0\x01"[..], &[0; 600]].concat());
    folder.write("build/linux.node", [&b"\x7fELF\x02\x01\x01\0"[..], &[0; 600]].concat());
    let (code, said, _) = run(&folder, &["check", "build"]);
    assert!(code == Some(0) && said.contains("2 left out"), "{said}");
    assert!(said.contains("build/mac.node  not checked: native code without symbols"), "{said}");
    // Many files that are left out for one reason are one line.
    for name in ["a", "b"] {
        folder.write(&format!("build/{name}.node"), [&b"\x7fELF\x02\x01\x01\0"[..], &[0; 600]].concat());
    }
    let (_, said, _) = run(&folder, &["check", "build"]);
    assert!(said.contains("4 files  not checked: native code without symbols · the first: build/a.node"), "{said}");
    for name in ["a", "b"] {
        std::fs::remove_file(folder.path().join(format!("build/{name}.node"))).unwrap();
    }
    let (code, _, note) = run(&folder, &["info", "build"]);
    assert!(code == Some(0) && note.contains("note: left out build/mac.node: this is a Mach-O file"), "{note}");
    for args in [&["points", "build"][..], &["find", "build"], &["store", "add", "build", "--to", "store"]] {
        let (code, said, error) = run(&folder, args);
        assert!(code == Some(0) && !said.contains(".node") && !error.contains(".node"), "{args:?}: {said}{error}");
    }
    let (code, _, error) = run(&folder, &["check", "build/mac.node"]);
    assert!(code == Some(1) && error.contains("a Mach-O file"), "{code:?} {error}");
    let path: PathBuf = folder.path().join("build/linux.node");
    assert!(Session::open(&[path]).unwrap_err().to_string().contains("DWARF"));
}

/// A log with one frame of the sample.
const FRAME: &str = "   at Ticker.Clock.Since(Int64 then) in Ticker.dll:token 0x6000003+0xb\n";

fn trace(folder: &Folder, args: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .arg("trace")
        .args(args)
        .current_dir(folder.path())
        .env("NUGET_PACKAGES", folder.path().join("packages"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(FRAME.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_trace_finds_symbols_in_packages_and_other_containers() {
    let folder = Folder::new();
    let (main, symbols) = pair_of_packages("lib/net8.0/Ticker.pdb");
    folder.write("out/A.1.0.0.nupkg", &main);
    folder.write("out/A.1.0.0.snupkg", &symbols);
    folder.write("drop.zip", zip(&[("A.1.0.0.nupkg", &main), ("A.1.0.0.snupkg", &symbols)]));
    folder.write("packages/a/1.0.0/lib/net8.0/Ticker.dll", sample("ticker/Ticker.dll"));
    folder.write("packages/a/1.0.0/lib/net8.0/Ticker.pdb", sample("ticker/Ticker.pdb"));
    folder.write("only/Ticker.dll", sample("ticker/Ticker.dll"));
    folder.write("cab/Ticker.pd_", cabinet(&sample("ticker/Ticker.pdb")));
    let cases: [&[&str]; 10] = [
        &["out/A.1.0.0.nupkg!lib/net8.0/Ticker.dll"],
        &["out/A.1.0.0.nupkg"],
        &["out"],
        &["out/*.nupkg"],
        &["drop.zip"],
        &["drop.zip!A.1.0.0.nupkg"],
        &["nuget:A@1.0.0"],
        &["only/Ticker.dll", "--symbols", "out/A.1.0.0.snupkg"],
        &["only/Ticker.dll", "--symbols", "out"],
        &["cab/Ticker.pd_"],
    ];
    for args in cases {
        let said = trace(&folder, args);
        assert!(said.contains("Clock.cs:line "), "{args:?}: {said}");
    }
    let missing = Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .args(["trace", "none/*.nupkg"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
}

#[test]
fn symbols_are_found_in_packages_and_in_cabinets_of_a_store() {
    let folder = Folder::new();
    folder.write("only/Ticker.dll", sample("ticker/Ticker.dll"));
    let (_, symbols) = pair_of_packages("lib/net8.0/Ticker.pdb");
    let other = zip(&[("lib/net8.0/Ticker.pdb", &sample("ticker-release/Ticker.pdb")[..])]);
    folder.write("out/A.1.0.0.snupkg", &symbols);
    folder.write("out/zip.zip", zip(&[("x/A.1.0.0.snupkg", &symbols)]));
    folder.write("old/A.0.9.0.snupkg", other);
    let key = "3222a828d6ba470fac43bbba907b2f03FFFFFFFF";
    folder.write(&format!("store/ticker.pdb/{key}/ticker.pd_"), cabinet(&sample("ticker/Ticker.pdb")));
    for at in [
        "out/A.1.0.0.snupkg",
        "out/A.1.0.0.snupkg!lib/net8.0/Ticker.pdb",
        "out/zip.zip",
        "out",
        "store",
        "cache*c;store",
        "out/*.snupkg",
    ] {
        let (code, said, error) = run(&folder, &["info", "only/Ticker.dll", "--symbols", at]);
        assert!(code == Some(0) && said.contains("both have the id 3222a828"), "{at}: {said}{error}");
        let (code, said, _) = run(&folder, &["find", "only/Ticker.dll", "--symbols", at]);
        assert!(code == Some(0) && said.contains("found, and it matches"), "{at}: {said}");
    }
    let (code, said, _) = run(&folder, &["find", "only/Ticker.dll", "--symbols", "old"]);
    assert!(code == Some(3) && said.contains("old/A.0.9.0.snupkg!lib/net8.0/Ticker.pdb  does not match"), "{said}");
    // What a store keeps packed is copied as the PDB itself.
    let (code, said, error) = run(&folder, &["store", "get", "only/Ticker.dll", "--symbols", "store", "--to", "copy"]);
    assert_eq!(code, Some(0), "{said}{error}");
    let copy = std::fs::read(folder.path().join(format!("copy/ticker.pdb/{key}/ticker.pdb"))).unwrap();
    assert_eq!(copy, sample("ticker/Ticker.pdb"));
}

#[test]
fn a_trace_takes_no_symbols_by_name_that_the_image_of_that_name_refuses() {
    let folder = Folder::new();
    folder.write("Faults.dll", sample("faults/Faults.dll"));
    folder.write("Faults.pdb", sample("faults-release/Faults.pdb"));
    let log = folder.write("log.txt", "   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x23\n");
    let trace = |paths: &[PathBuf]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pdblens"))
            .arg("trace")
            .arg(&log)
            .args(paths)
            .arg("--explain")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    for paths in [vec![folder.path().to_owned()], vec![folder.path().join("Faults.dll"), folder.path().to_owned()]] {
        let said = trace(&paths);
        assert!(said.contains("Faults.dll has Faults.Program.Parse(string), but Faults.pdb"), "{said}");
        assert!(said.contains("the image expects 162927d9") && said.contains("this PDB has 2f6e99df"), "{said}");
        assert!(said.contains("0 resolved, 1 another build of Faults.dll") && !said.contains("Program.cs"), "{said}");
    }
    // Symbols that are named alone are what was asked for, and the right ones of another folder win.
    assert!(trace(&[folder.path().join("Faults.pdb")]).contains("1 resolved"));
    folder.write("right/Faults.pdb", sample("faults/Faults.pdb"));
    let said = trace(&[folder.path().to_owned()]);
    assert!(said.contains("Program.cs:line 45"), "{said}");
}
