//! Packages, folders, patterns and launchers in the place of files.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pdblens::session::inputs::{itself, units};
use pdblens::session::{OpenError, PdbMatch, Session};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::containers::{assembly_store, bundle, cabinet, xalz};
use crate::support::folder::Folder;
use crate::support::samples::repository;

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(path)).unwrap()
}

/// A package with these files, each a sample.
fn package(folder: &Folder, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        writer.start_file(*path, SimpleFileOptions::default().compression_method(CompressionMethod::Stored)).unwrap();
        writer.write_all(&sample(content)).unwrap();
    }
    folder.write(name, writer.finish().unwrap().into_inner())
}

fn inside(package: &Path, path: &str) -> PathBuf {
    format!("{}!{path}", package.display()).into()
}

fn pdblens(args: &[&str], folder: &Folder) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).current_dir(folder.path()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_entry_finds_its_symbols_in_its_package_and_in_the_one_beside_it() {
    let folder = Folder::new();
    let one = package(&folder, "One.1.0.0.nupkg", &[("lib/net8.0/Ticker.dll", "ticker/Ticker.dll")]);
    let symbols = package(&folder, "One.1.0.0.snupkg", &[("lib/net8.0/Ticker.pdb", "ticker/Ticker.pdb")]);
    let both =
        package(&folder, "both.zip", &[("Ticker.dll", "ticker/Ticker.dll"), ("Ticker.pdb", "ticker/Ticker.pdb")]);
    let addresses = [
        one.clone(),
        symbols.clone(),
        inside(&one, "lib/net8.0/Ticker.dll"),
        inside(&symbols, "lib/net8.0/Ticker.pdb"),
        both.clone(),
        inside(&both, "Ticker.pdb"),
        folder.path().join("One*.nupkg"),
        inside(&folder.path().join("O*"), "lib/*/*.dll"),
    ];
    for path in addresses {
        let session = Session::open(std::slice::from_ref(&path)).unwrap();
        assert_eq!(session.pdb_match(), PdbMatch::Matched, "{}", path.display());
        assert_eq!(session.image().unwrap().name, "Ticker.dll");
    }
    let missing = inside(&one, "lib/net8.0/Other.dll");
    assert!(matches!(Session::open(&[missing]), Err(OpenError::Io { .. })));
}

#[test]
fn several_pairs_are_listed_with_their_addresses() {
    let folder = Folder::new();
    let files = [("lib/net8.0/Ticker.dll", "ticker/Ticker.dll"), ("lib/net6.0/Ticker.dll", "ticker/Ticker.dll")];
    let path = package(&folder, "Two.1.0.0.nupkg", &files);
    package(&folder, "Two.1.0.0.snupkg", &[("lib/net6.0/Ticker.pdb", "ticker-release/Ticker.pdb")]);
    let output = pdblens(&["show", "Two.1.0.0.nupkg", "method/1"], &folder);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("a package with 2") && said.contains("\n  Two.1.0.0.nupkg!lib/net6.0/Ticker.dll"), "{said}");
    let found = units(&[path, folder.path().join("Two.1.0.0.snupkg")]).unwrap();
    assert_eq!(found.len(), 2);
    let verdicts: Vec<_> = found.iter().map(|unit| unit.open().unwrap().pdb_match()).collect();
    assert!(verdicts[0] == PdbMatch::NoPdb && matches!(verdicts[1], PdbMatch::Mismatched(_)), "{verdicts:?}");
}

#[test]
fn files_that_wrap_one_are_opened_with_a_remark() {
    let folder = Folder::new();
    let image = folder.write("Ticker.dll", xalz(&sample("ticker/Ticker.dll")));
    let symbols = folder.write("Ticker.pd_", cabinet(&sample("ticker/Ticker.pdb")));
    let session = Session::open(&[image, symbols]).unwrap();
    assert_eq!(session.pdb_match(), PdbMatch::Matched);
    let remarks = session.remarks().join("; ");
    assert!(
        remarks.contains("Ticker.dll: an assembly packed for Android") && remarks.contains("a.pdb, unpacked"),
        "{remarks}"
    );
    let found = pdblens(&["where", "Ticker.dll", "Ticker.pd_", "Clock.Since+0xF"], &folder);
    let whole = Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .args(["where", "Ticker.dll", "Ticker.pdb", "Clock.Since+0xF"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/ticker"))
        .output()
        .unwrap();
    let lines = |output: &Output| text(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(found.status.success() && lines(&found).iter().any(|line| line.contains("Clock.cs:")), "{found:?}");
    assert_eq!(lines(&found), lines(&whole));
    let cut = folder.write("Cut.dll", &xalz(&sample("ticker/Ticker.dll"))[..900]);
    let error = Session::open(&[cut]).unwrap_err().to_string();
    assert!(error.contains("an assembly packed for Android (XALZ), but the entry cannot be unpacked"), "{error}");
}

#[test]
fn a_cabinet_has_one_file_or_is_a_list() {
    let folder = Folder::new();
    let pdz = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/msfz/Ticker.pdz")).unwrap();
    let session = Session::open(&[folder.write("Ticker.pd_", cabinet(&pdz))]).unwrap();
    assert!(session.symbol_file().is_some() && session.remarks()[0].contains("a.pdb, unpacked from a cabinet"));
    assert!(session.remarks()[0].contains("(MSFZ)"), "{:?}", session.remarks());
    // Two files of the same content, in one block.
    let dll = sample("ticker/Ticker.dll");
    let mut two = cabinet(&dll);
    let name = [&(dll.len() as u32).to_le_bytes()[..], &[0; 12], b"sub\\Ticker.dll\0"].concat();
    two.splice(44..44, name.iter().copied());
    (two[28], two[36]) = (2, two[36] + name.len() as u8);
    let two = folder.write("two.cab", two);
    let found = units(std::slice::from_ref(&two)).unwrap();
    let paths: Vec<_> = found.iter().map(|unit| unit.path_in(&two)).collect();
    assert_eq!(paths, ["sub/Ticker.dll", "a.pdb"]);
    let session = Session::open(&[inside(&two, "sub/Ticker.dll")]).unwrap();
    assert_eq!(session.methods(), Session::sample().methods());
}

#[test]
fn a_partner_that_was_wrapped_has_a_remark() {
    for (named, image, symbols) in [
        ("Ticker.dll", sample("ticker/Ticker.dll"), xalz(&sample("ticker/Ticker.pdb"))),
        ("Ticker.pdb", xalz(&sample("ticker/Ticker.dll")), sample("ticker/Ticker.pdb")),
    ] {
        let folder = Folder::new();
        folder.write("Ticker.dll", image);
        folder.write("Ticker.pdb", symbols);
        let session = Session::open(&[folder.path().join(named)]).unwrap();
        assert_eq!(session.pdb_match(), PdbMatch::Matched, "{named}");
        let remarks = session.remarks();
        assert!(matches!(remarks, [remark] if remark.contains("XALZ") && !remark.starts_with(named)), "{remarks:?}");
    }
}

#[test]
fn containers_in_containers_are_opened_by_their_addresses() {
    let folder = Folder::new();
    let store = assembly_store("Ticker.dll", &xalz(&sample("ticker/Ticker.dll")), &sample("ticker/Ticker.pdb"));
    let one = package(
        &folder,
        "One.1.0.0.nupkg",
        &[("lib/net8.0/Ticker.dll", "ticker/Ticker.dll"), ("lib/net8.0/Ticker.pdb", "ticker/Ticker.pdb")],
    );
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in [
        ("lib/arm64-v8a/libassemblies.arm64-v8a.blob.so", store),
        ("drop/One.1.0.0.nupkg", std::fs::read(one).unwrap()),
    ] {
        writer.start_file(name, stored).unwrap();
        writer.write_all(&content).unwrap();
    }
    let path = folder.write("App.apk", writer.finish().unwrap().into_inner());
    for inner in
        ["lib/arm64-v8a/libassemblies.arm64-v8a.blob.so!Ticker.dll", "drop/One.1.0.0.nupkg!lib/net8.0/Ticker.dll"]
    {
        let session = Session::open(&[inside(&path, inner)]).unwrap();
        assert_eq!(
            (session.pdb_match(), session.image().unwrap().name.as_str()),
            (PdbMatch::Matched, "Ticker.dll"),
            "{inner}"
        );
    }
    let found = units(&[path]).unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|unit| unit.open().unwrap().pdb_match() == PdbMatch::Matched));
}

#[test]
fn an_assembly_store_is_told_by_its_content() {
    let folder = Folder::new();
    let store = assembly_store("Ticker.dll", &xalz(&sample("ticker/Ticker.dll")), &sample("ticker/Ticker.pdb"));
    let path = folder.write("pulled-from-a-phone", store);
    let found = units(&[path]).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found.iter().all(|unit| unit.open().unwrap().pdb_match() == PdbMatch::Matched));
}

/// Each pair has a folder, named by its path in what was named.
#[test]
fn extract_takes_every_pair_of_a_container_and_of_a_folder() {
    let folder = Folder::new();
    let run = |args: &[&str], code: i32| {
        let output = pdblens(args, &folder);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        text(&output.stdout)
    };
    let (ticker, workshop) = ("ticker-embedded/Ticker.dll", "workshop-embedded/Workshop.dll");
    let files = [("lib/net8.0/Ticker.dll", ticker), ("lib/net472/Ticker.dll", ticker), ("lib/net8.0/W.dll", workshop)];
    package(&folder, "P.1.0.0.nupkg", &files);
    let said = run(&["extract", "P.1.0.0.nupkg", "--to", "out"], 0);
    assert!(said.contains("from 3 of 3 pairs"), "{said}");
    for file in ["net8.0/Ticker/Ticker.pdb", "net472/Ticker/sources/_/ticker/Clock.cs", "net8.0/W/W.pdb"] {
        assert!(folder.path().join("out/lib").join(file).exists(), "{file}: {said}");
    }
    let (program, empty) = (sample(ticker), sample("ticker/Ticker.dll"));
    folder.write("bin/App", bundle(&[("App.dll", &empty), ("Ticker.dll", &program), ("Azure.Core.dll", &program)]));
    let said = run(&["extract", "bin/App", "--only", "pdb", "--to", "one"], 0);
    assert!(said.contains("2 files written, from 2 of 3 pairs"), "{said}");
    assert!(folder.path().join("one/Azure.Core/Azure.Core.pdb").exists(), "{said}");
    folder.write("bin/Ticker.dll", sample(ticker));
    let json = run(&["extract", "bin", "P.1.0.0.nupkg", "--only", "pdb", "--to", "all", "--json"], 0);
    assert!(json.contains("\"path\":\"P.1.0.0.nupkg!lib/net472/Ticker.dll\""), "{json}");
    for file in ["bin/Ticker/Ticker.pdb", "P.1.0.0.nupkg/lib/net8.0/W/W.pdb"] {
        assert!(folder.path().join("all").join(file).exists(), "{file}: {json}");
    }
    folder.write("bare/A.dll", &empty);
    folder.write("bare/B.dll", &empty);
    let nothing = pdblens(&["extract", "bare", "--to", "none"], &folder);
    let said = text(&nothing.stderr);
    assert!(nothing.status.code() == Some(3) && said.contains("(of 2 pairs) · tip"), "{said}");
    // One that cannot be read is told, and the others are written.
    folder.write("bin/Broken.dll", "MZ");
    let said = run(&["extract", "bin", "--only", "pdb", "--to", "rest"], 1);
    assert!(said.contains("Ticker.pdb"), "{said}");
    // `sources --extract` keeps the pairs apart too.
    run(&["sources", "P.1.0.0.nupkg", "--extract", "src"], 0);
    assert!(folder.path().join("src/lib/net472/Ticker/_/ticker/Clock.cs").exists());
}

#[test]
fn a_file_packed_by_gzip_is_opened_with_its_partner() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&sample("ticker/Ticker.pdb")).unwrap();
    let pdb = folder.write("Ticker.pdb.gz", packed.finish().unwrap());
    let dll = folder.write("Ticker.dll", sample("ticker/Ticker.dll"));
    let session = Session::open(&[dll, pdb]).unwrap();
    assert_eq!(session.pdb_match(), PdbMatch::Matched);
    assert!(session.remarks()[0].contains("packed by gzip"), "{:?}", session.remarks());
}

/// A tar archive, packed by gzip: of files, and of what leads elsewhere.
fn tgz(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut builder = tar::Builder::new(packed);
    let header = |size: usize, kind| {
        let mut header = tar::Header::new_gnu();
        header.set_size(size as u64);
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header
    };
    let mut link = header(0, tar::EntryType::Symlink);
    builder.append_link(&mut link, "package/Link.dll", "/etc/passwd").unwrap();
    for (path, content) in files {
        builder.append_data(&mut header(content.len(), tar::EntryType::Regular), path, &content[..]).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

#[test]
fn an_npm_package_is_a_container() {
    let folder = Folder::new();
    let long = format!("package/{}/Ticker.dll", "a-long-name".repeat(12));
    let nupkg = package(&folder, "P.1.0.0.nupkg", &[("lib/P.dll", "ticker/Ticker.dll")]);
    let files = [
        ("package/lib/Ticker.dll", sample("ticker/Ticker.dll")),
        ("package/lib/Ticker.pdb", sample("ticker/Ticker.pdb")),
        ("package/P.1.0.0.nupkg", std::fs::read(nupkg).unwrap()),
        (&long, sample("ticker/Ticker.dll")),
    ];
    let bytes = tgz(&files);
    for (name, bytes) in
        [("t/acme.tgz", bytes.clone()), ("t/acme.tar.gz", bytes.clone()), ("t/acme.tar", unzipped(&bytes))]
    {
        let path = folder.write(name, &bytes);
        let found = units(&[path.parent().unwrap().to_owned()]).unwrap();
        let inner: Vec<_> = found.iter().map(|unit| unit.path_in(&path)).collect();
        assert_eq!(inner, ["package/lib/Ticker.dll", &long, "package/P.1.0.0.nupkg!lib/P.dll"], "{name}");
        assert_eq!(found[0].open().unwrap().pdb_match(), PdbMatch::Matched);
        for inner in ["package/lib/Ticker.dll", &long, "package/P.1.0.0.nupkg!lib/P.dll"] {
            assert_eq!(
                Session::open(&[inside(&path, inner)]).unwrap().methods(),
                Session::sample().methods(),
                "{inner}"
            );
        }
        let itself = Session::open(&[inside(&path, "")]).unwrap_err().to_string();
        assert!(itself.contains("a tar archive"), "{itself}");
        std::fs::remove_file(path).unwrap();
    }
    for len in (0..bytes.len()).step_by(997) {
        let cut = folder.write("cut.tgz", &bytes[..len]);
        assert!(units(std::slice::from_ref(&cut)).is_err() || Session::open(&[cut]).is_err(), "{len}");
    }
}

fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes), &mut content).unwrap();
    content
}

/// An ELF program with a slot for the path of a DLL.
fn apphost(dll: &str) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
    bytes.resize(52, 0);
    bytes.extend_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 0, 0, 0, 0]);
    bytes.resize(4096, 0);
    bytes.extend_from_slice(dll.as_bytes());
    bytes.resize(4096 + 1040, 0);
    bytes.extend_from_slice(b"c3ab8ff13720e8ad9047dd39466b3c89\0\x0074e592c2fa383d4a3960714caef0c4f2\0");
    bytes
}

/// `App!` names the file itself, which has an identity even if pdblens has no reader for it.
#[test]
fn info_shows_a_launcher_or_a_packed_file_itself() {
    let folder = Folder::new();
    let (dll, pdb) = (sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb"));
    package(&folder, "P.nupkg", &[("lib/Ticker.dll", "ticker/Ticker.dll"), ("P.nuspec", "ticker/Ticker.pdb")]);
    let in_dll = format!("one file of {} bytes: an image", dll.len());
    let in_pdb = format!("one file of {} bytes: a portable PDB", pdb.len());
    for (name, bytes, format, contains) in [
        ("App", apphost("App.dll"), "an ELF file, the launcher of a .NET program", "that it starts: App.dll"),
        (
            "One",
            bundle(&[("a.dll", &dll), ("b.json", b"{}")]),
            "a single file (2 files inside)",
            "2 files, 1 named like",
        ),
        ("Packed.dll", xalz(&dll), "packed for Android (XALZ)", &*in_dll),
        ("Cut.dll", xalz(&dll)[..900].to_vec(), "packed for Android (XALZ)", "cannot be unpacked"),
        ("Ticker.pd_", cabinet(&pdb), "a cabinet file", &*in_pdb),
        ("a.tgz", tgz(&[("package/a.dll", dll.clone())]), "packed by gzip", "1 file, 1 named like"),
        ("lib.so", apphost("no path"), "an ELF file, a Linux program or library", ""),
        ("P.nupkg", Vec::new(), "a zip archive", "2 files, 1 named like"),
    ] {
        let path = if bytes.is_empty() { folder.path().join(name) } else { folder.write(name, bytes) };
        let file = itself(&inside(&path, "")).unwrap().unwrap();
        let content = file.contains.map_or(String::new(), |content| content.to_string());
        assert!(file.format.contains(format) && content.contains(contains), "{name}: {} · {content}", file.format);
        assert_eq!(content.is_empty(), contains.is_empty(), "{name}: {content}");
        assert_eq!((file.path, file.size), (path.clone(), path.metadata().unwrap().len()));
        assert!(itself(&path).unwrap().is_none(), "{name}");
    }
    // An image has a reader.
    let image = folder.write("Ticker.dll", &dll);
    assert!(itself(&inside(&image, "")).unwrap().is_none());
    let shown = pdblens(&["info", "App!", "P.nupkg!"], &folder);
    let said = text(&shown.stdout);
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    assert!(said.contains("processor  x86-64\n") && said.contains("begins     50 4b 03 04"), "{said}");
    let shown = pdblens(&["info", "App!", "P.nupkg!", "--json"], &folder);
    let json: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(json["pairs"][0]["file"]["contains"]["dll"], "App.dll");
    assert_eq!(json["pairs"][1]["file"]["contains"]["files"]["all"], 2);
}

#[test]
fn a_launcher_opens_the_dll_that_it_starts() {
    let folder = Folder::new();
    folder.write("Ticker.dll", sample("ticker/Ticker.dll"));
    folder.write("Ticker.pdb", sample("ticker/Ticker.pdb"));
    let launcher = |name: &str, dll: &str| folder.write(name, apphost(dll));
    for (name, dll, remark) in [
        ("Ticker", "Ticker.dll", "Ticker is a launcher (apphost): opened Ticker.dll"),
        ("Ticker.exe", "Ticker.dll", "Ticker.exe is a launcher"),
        ("Other", "Ticker.dll", "an assembly of another name: opened Ticker.dll"),
    ] {
        let path = launcher(name, dll);
        let session = Session::open(std::slice::from_ref(&path)).unwrap();
        assert_eq!(session.pdb_match(), PdbMatch::Matched, "{name}");
        assert!(session.remarks()[0].contains(remark), "{:?}", session.remarks());
        assert!(Session::open(&[path, folder.path().join("Ticker.dll")]).is_ok());
    }
    // With an exclamation mark the launcher itself is meant, which of Linux is no image.
    let itself = Session::open(&[folder.path().join("Ticker.exe!")]).unwrap_err().to_string();
    assert!(itself.contains("Ticker.exe: ") && itself.contains("apphost"), "{itself}");
    for dll in ["Gone.dll", "../Ticker.dll"] {
        let error = Session::open(&[launcher("Lost", dll)]).unwrap_err().to_string();
        assert!(error.contains("launcher") && error.contains(dll), "{error}");
    }
}

/// Publishing a single file leaves the PDBs beside it; a program of Linux and macOS has no extension.
#[test]
fn the_files_of_a_program_have_their_symbols_beside_it() {
    let folder = Folder::new();
    let files = [("Ledger.dll", sample("ledger/Ledger.dll")), ("Acme.Ticker.dll", sample("ticker/Ticker.dll"))];
    let files = [(files[0].0, &files[0].1[..]), (files[1].0, &files[1].1), ("Acme.json", b"{}"), ("Acme.dll", b"MZ")];
    let program = folder.write("Acme.Ticker", bundle(&files));
    folder.write("Acme.Ticker.pdb", sample("ticker/Ticker.pdb"));
    let pdb = folder.write("Ledger.pdb", sample("ledger/Ledger.pdb"));
    let opens = |path: &Path, image: &str| {
        let session = Session::open(&[path.to_owned()]).unwrap();
        assert_eq!(session.pdb_match(), PdbMatch::Matched, "{}", path.display());
        assert!(session.image().unwrap().path.ends_with(image), "{:?}", session.image().unwrap().path);
    };
    // `Acme.dll` would be its own DLL if the program were called `Acme`.
    opens(&program, "Acme.Ticker!Acme.Ticker.dll");
    opens(&inside(&program, "Ledger.dll"), "Acme.Ticker!Ledger.dll");
    opens(&pdb, "Acme.Ticker!Ledger.dll");
    let found = units(&[folder.path().to_owned()]).unwrap();
    let names: Vec<_> = found.iter().map(|unit| (unit.path_in(folder.path()), unit.files().count())).collect();
    assert_eq!(names, [("Acme.Ticker!Ledger.dll".to_owned(), 2), ("Acme.Ticker!Acme.Ticker.dll".to_owned(), 2)]);
    let checked = pdblens(&["check", "Acme.Ticker!*e*.*"], &folder);
    let said = text(&checked.stdout) + &text(&checked.stderr);
    assert!(said.contains("2 pairs checked") && !said.contains("json"), "{said}");
}

/// Maps of a process and perf name the code of a single file by its offset in it.
#[test]
fn an_offset_in_a_program_leads_to_the_image_that_has_it() {
    let folder = Folder::new();
    let image = std::fs::read(repository("crates/learn/assets/precompiled/Ticker.dll")).unwrap();
    let files =
        [("Acme.dll", sample("ledger/Ledger.dll")), ("Ticker.dll", image.clone()), ("Acme.json", b"{}".to_vec())];
    let files = files.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let packed = bundle(&files);
    folder.write("Acme", &packed);
    folder.write("Ticker.pdb", sample("ticker/Ticker.pdb"));
    folder.write("Acme.pdb", sample("ledger/Ledger.pdb"));
    let start = packed.windows(image.len()).position(|part| part == image).unwrap();
    let alone = Session::from_bytes(vec![("Ticker.dll".into(), image)]).unwrap();
    let pe = &alone.image().unwrap().pe;
    let rva = 0x1014b;
    let offset = start as u64 + pe.rva_to_offset(rva).unwrap();
    let asked_of = |file: &str, question: &str| {
        let output = pdblens(&["where", file, question], &folder);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let asked = |question: &str| asked_of("Acme", question);
    let (code, found, note) = asked(&format!("rva:{offset:#x}"));
    assert!(code == Some(0) && found.contains("Clock.Since(long)") && found.contains("Clock.cs:11"), "{found}{note}");
    assert!(note.contains(&format!("is in Acme!Ticker.dll, at its address rva:{rva:#x}")), "{note}");
    assert_eq!(asked_of("Acme!Ticker.dll", &format!("rva:{rva:#x}")).1, found);
    let (code, _, refused) = asked("rva:0x8");
    assert!(code == Some(3) && refused.contains("in none of its files"), "{refused}");
    let (_, _, refused) = asked(&format!("rva:{}", packed.len() as u64 - 1));
    assert!(refused.contains("in none of its files"), "{refused}");
    let json = packed.windows(2).position(|part| part == b"{}").unwrap();
    assert!(asked(&format!("rva:{json}")).2.contains("is in Acme.json, which is no image"));
}

/// Blazor names `Acme.dll` and `Acme.pdb` by their hashes.
#[test]
fn files_for_browsers_are_paired_without_their_fingerprints() {
    let folder = Folder::new();
    let image = folder.write("Ticker.zzhbc65nvv.wasm", sample("ticker/Ticker.dll"));
    let pdb = folder.write("Ticker.pdcau6x46g.pdb", sample("ticker/Ticker.pdb"));
    folder.write("Ticker.extensions.pdb", sample("ticker-release/Ticker.pdb"));
    for path in [&image, &pdb] {
        assert_eq!(Session::open(std::slice::from_ref(path)).unwrap().pdb_match(), PdbMatch::Matched);
    }
    let found = units(&[pdb, image]).unwrap();
    assert_eq!(found.iter().map(|unit| unit.files().count()).collect::<Vec<_>>(), [2]);
    // Without a file for browsers a name is only a name.
    let others = ["Ticker.extensions.pdb", "Ticker.pdb"].map(|name| folder.path().join(name));
    assert_eq!(units(&others).unwrap().len(), 2);
}

/// Packages and frameworks that are installed have addresses, for every command.
#[test]
fn what_is_installed_has_an_address() {
    let folder = Folder::new();
    let write = |path: &str, content: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, sample(content)).unwrap();
    };
    write("packages/acme.clock/1.9.0/lib/net8.0/Ticker.dll", "ticker-release/Ticker.dll");
    write("packages/acme.clock/1.10.0/lib/net8.0/Ticker.dll", "ticker/Ticker.dll");
    write("packages/acme.clock/1.10.0/lib/net8.0/Ticker.pdb", "ticker/Ticker.pdb");
    // The package that was unpacked is beside what is in it.
    let mut packed = ZipWriter::new(Cursor::new(Vec::new()));
    packed.start_file("lib/net8.0/Ticker.dll", SimpleFileOptions::default()).unwrap();
    packed.write_all(&sample("ticker/Ticker.dll")).unwrap();
    let packed = packed.finish().unwrap().into_inner();
    folder.write("packages/acme.clock/1.10.0/acme.clock.1.10.0.nupkg", packed);
    write("dotnet/shared/Microsoft.NETCore.App/10.0.1/System.Clock.dll", "ticker-embedded/Ticker.dll");
    write("dotnet/shared/Microsoft.NETCore.App/9.0.9/System.Clock.dll", "ledger/Ledger.dll");
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(args).env("NUGET_PACKAGES", folder.path().join("packages"));
        let output = command.env("DOTNET_ROOT", folder.path().join("dotnet")).output().unwrap();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for address in [
        "nuget:Acme.Clock@1.10.0!lib/net8.0/Ticker.dll",
        "nuget:Acme.Clock@1.10.0",
        "nuget:Acme.Clock",
        "platform:System.Clock",
        "platform:System.Clock.dll@10.0.1",
    ] {
        let (code, said) = run(&["info", address]);
        assert!(code == Some(0) && said.contains("matches DLL"), "{address}: {said}");
        assert_eq!(run(&["where", address, "0x06000003+2"]).0, Some(0), "{address}");
        let (code, said) = run(&["check", address]);
        assert!(matches!(code, Some(0 | 3)) && !said.contains(".nupkg"), "{address}: {said}");
    }
    for (address, why) in [
        ("nuget:Acme.Clock@2.0.0", "has 1.10.0, 1.9.0"),
        ("nuget:Other", "there is no such package"),
        ("platform:System.Other", "no shared framework has System.Other.dll"),
        ("nuget:Acme.Clock!../x.dll", "leads out of the package"),
    ] {
        let (code, said) = run(&["info", address]);
        assert!(code == Some(1) && said.contains(why), "{address}: {code:?} {said}");
    }
}
