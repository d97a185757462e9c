//! NuGet packages: the rules of `check` about a `.nupkg` and its `.snupkg`.

use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Content of an entry.
enum Content {
    Sample(&'static str),
    Text(String),
}

use Content::{Sample, Text};

fn write(folder: &Folder, name: &str, year: u16, files: &[(&str, Content)]) -> PathBuf {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let date = DateTime::from_date_and_time(year, 1, 1, 0, 0, 0).unwrap();
    for (path, content) in files {
        writer.start_file(*path, SimpleFileOptions::default().last_modified_time(date)).unwrap();
        let bytes = match content {
            Sample(path) => std::fs::read(repository("assets/samples").join(path)).unwrap(),
            Text(text) => text.clone().into_bytes(),
        };
        writer.write_all(&bytes).unwrap();
    }
    folder.write(name, writer.finish().unwrap().into_inner())
}

const SYMBOLS: &str = "<packageTypes><packageType name=\"SymbolsPackage\"/></packageTypes>";
const AUTHORS: &str = "<authors>me</authors>";

/// A manifest.
fn nuspec(version: &str, rest: &str) -> (&'static str, Content) {
    let text = format!("<package><metadata><id>A</id><version>{version}</version>{rest}</metadata></package>");
    ("A.nuspec", Text(text))
}

#[test]
fn sources_of_a_symbols_package_are_found_in_it_and_verified() {
    let folder = Folder::new();
    let source = |name: &str| Text(std::fs::read_to_string(repository("assets/sources/relay").join(name)).unwrap());
    let files = [
        nuspec("1.0.0", ""),
        ("lib/net8.0/Relay.dll", Sample("relay/Relay.dll")),
        ("lib/net8.0/Relay.pdb", Sample("relay/Relay.pdb")),
        ("src/relay/Relay.cs", source("Relay.1.cs")),
        ("src/other/Relay.cs", source("Relay.cs")),
    ];
    write(&folder, "A.1.0.0.symbols.nupkg", 2020, &files);
    let sources = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        let output = command.args(["sources", "A.1.0.0.symbols.nupkg"]).current_dir(folder.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // The file whose path fits is of another build: the hash decides.
    let text = sources();
    assert!(text.contains("verified  A.1.0.0.symbols.nupkg!src/other/Relay.cs"), "{text}");
    write(&folder, "A.1.0.0.symbols.nupkg", 2020, &files[..4]);
    assert!(!sources().contains("!src/"), "{}", sources());
}

fn check(folder: &Folder, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("check").args(args).current_dir(folder.path()).output().unwrap()
}

/// Rules with findings about the packages `A.1.0.0` that were written, and the verdict.
fn findings(folder: &Folder) -> (Vec<String>, String) {
    let output = check(folder, &["--json", "A.1.0.0.nupkg"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let package = document["pairs"].as_array().unwrap().iter().find(|pair| pair["verdict"].is_object()).unwrap();
    let remarks = package["results"].as_array().unwrap().iter();
    let found = remarks.filter(|remark| remark["grade"] == "finding");
    let mut found: Vec<String> = found.map(|remark| remark["rule"].as_str().unwrap().to_owned()).collect();
    found.dedup();
    assert_eq!(package["verdict"]["refused"], !found.is_empty());
    (found, package["verdict"]["text"].as_str().unwrap().to_owned())
}

/// Writes both packages; `symbols` are the files of the symbols package.
fn packages(folder: &Folder, image: &'static str, symbols: &[(&str, Content)]) {
    let main = [nuspec("1.0.0", AUTHORS), ("lib/net8.0/Ticker.dll", Sample(image))];
    write(folder, "A.1.0.0.nupkg", 2020, &main);
    write(folder, "A.1.0.0.snupkg", 2020, symbols);
}

/// A rule, an image, and the files of a symbols package that break the rule.
type Case = (&'static str, &'static str, Vec<(&'static str, Content)>);

const PDB: &str = "lib/net8.0/Ticker.pdb";

#[test]
fn a_package_that_the_gallery_takes() {
    let folder = Folder::new();
    let symbols =
        vec![nuspec("1.0.0", SYMBOLS), (PDB, Sample("ticker/Ticker.pdb")), ("_rels/.rels", Text(String::new()))];
    packages(&folder, "ticker/Ticker.dll", &symbols);
    assert_eq!(findings(&folder), (vec![], "nothing was found that the NuGet gallery would refuse".to_owned()));
    let output = check(&folder, &["A.1.0.0.snupkg"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("A.1.0.0.nupkg!lib/net8.0/Ticker.dll") && said.contains("1 package version"), "{said}");
}

#[test]
fn each_reason_to_refuse_a_symbols_package_has_its_rule() {
    let ticker = || (PDB, Sample("ticker/Ticker.pdb"));
    let spec = || nuspec("1.0.0", SYMBOLS);
    let cases: Vec<Case> = vec![
        ("snupkg-manifest", "ticker/Ticker.dll", vec![nuspec("1.0.0", ""), ticker()]),
        ("snupkg-manifest", "ticker/Ticker.dll", vec![nuspec("1.0.0", &format!("{SYMBOLS}{AUTHORS}")), ticker()]),
        ("snupkg-manifest", "ticker/Ticker.dll", vec![ticker()]),
        ("snupkg-pair", "ticker/Ticker.dll", vec![nuspec("1.0.1", SYMBOLS), ticker()]),
        ("snupkg-files", "ticker/Ticker.dll", vec![spec(), ticker(), ("readme.md", Text("hello".to_owned()))]),
        ("snupkg-files", "ticker/Ticker.dll", vec![spec(), ticker(), ("lib/net8.0/B.PDB", Text("hello".to_owned()))]),
        ("snupkg-empty", "ticker/Ticker.dll", vec![spec()]),
        (
            "snupkg-orphan",
            "ticker/Ticker.dll",
            vec![spec(), ticker(), ("lib/net9.0/Ticker.pdb", Sample("ticker/Ticker.pdb"))],
        ),
        ("package-portable", "ticker-windows/Ticker.dll", vec![spec(), (PDB, Sample("ticker-windows/Ticker.pdb"))]),
        ("package-id", "ticker/Ticker.dll", vec![spec(), (PDB, Sample("ticker-release/Ticker.pdb"))]),
    ];
    for (rule, image, symbols) in cases {
        let folder = Folder::new();
        packages(&folder, image, &symbols);
        let (found, verdict) = findings(&folder);
        assert_eq!(found, [rule], "{verdict}");
        assert!(verdict.starts_with("the NuGet gallery would refuse this, because "), "{verdict}");
    }
}

/// A PDB of another build comes before a manifest that another pack mends.
#[test]
fn the_verdict_names_the_most_important_reason() {
    let folder = Folder::new();
    packages(&folder, "ticker/Ticker.dll", &[nuspec("1.0.0", ""), (PDB, Sample("ticker-release/Ticker.pdb"))]);
    let (found, verdict) = findings(&folder);
    assert_eq!(found, ["snupkg-manifest", "package-id"]);
    assert!(
        verdict.contains("because lib/net8.0/Ticker.dll and its PDB do not match")
            && verdict.ends_with("; 1 more reason"),
        "{verdict}"
    );
}

/// The gallery looks at each PDB of the symbols package, also where no program loads the image: native code, reference assemblies,
/// satellites, content; and at the PDB of the symbols package where the right one is beside the assembly.
#[test]
fn each_pdb_of_a_symbols_package_is_judged_by_the_image_of_its_path() {
    // The rule, the files of the package with the samples that they are, and the PDB of the symbols package beside the first.
    type Case<'c> = (&'c str, &'c [(&'c str, &'static str)], Content);
    const DLL: &str = "ticker/Ticker.dll";
    const WINDOWS: &str = "ticker-windows/Ticker.pdb";
    let text = || Text("hello world".to_owned());
    let other = || Sample("ticker-release/Ticker.pdb");
    let cases: [Case<'_>; 12] = [
        ("package-portable", &[("runtimes/win/native/tally.exe", "native/tally.exe")], Sample("native/tally.pdb")),
        ("package-portable", &[("lib/net8.0/tally.dll", "native/tally.exe")], Sample("native/tally.pdb")),
        ("package-portable", &[("lib/net8.0/de/Ticker.resources.dll", DLL)], Sample(WINDOWS)),
        ("package-portable", &[("build/Ticker.dll", DLL)], Sample(WINDOWS)),
        ("package-portable", &[("lib/net6.0/Ticker.dll", DLL)], text()),
        ("package-portable", &[("lib/net6.0/Ticker.dll", DLL)], Text(String::new())),
        ("package-portable", &[("lib/net6.0/Ticker.dll", "ticker-embedded/Ticker.dll")], Sample(WINDOWS)),
        ("package-id", &[("ref/net8.0/Ticker.dll", DLL)], other()),
        ("package-id", &[("content/Ticker.dll", DLL)], other()),
        ("package-id", &[("lib/net6.0/Ticker.dll", DLL), ("lib/net6.0/Ticker.pdb", "ticker/Ticker.pdb")], other()),
        ("package-id", &[("lib/net6.0/Ticker.dll", WINDOWS)], Sample("ticker/Ticker.pdb")),
        ("package-id", &[("lib/net6.0/Renamed.exe", DLL)], Sample("ticker/Ticker.pdb")),
    ];
    for (rule, images, pdb) in cases {
        let folder = Folder::new();
        let (image, _) = images[0];
        let path = format!("{}.pdb", image.rsplit_once('.').unwrap().0);
        let mut main = vec![nuspec("1.0.0", AUTHORS), ("lib/net8.0/Ticker.dll", Sample(DLL))];
        main.extend(images.iter().map(|(path, sample)| (*path, Sample(sample))));
        write(&folder, "A.1.0.0.nupkg", 2020, &main);
        let symbols = [nuspec("1.0.0", SYMBOLS), (PDB, Sample("ticker/Ticker.pdb")), (path.as_str(), pdb)];
        write(&folder, "A.1.0.0.snupkg", 2020, &symbols);
        let (found, verdict) = findings(&folder);
        assert_eq!(found, [rule], "{image} {verdict}");
        assert!(verdict.starts_with("the NuGet gallery would refuse this, because "), "{image} {verdict}");
        assert!(verdict.contains(image.rsplit_once('.').unwrap().0), "{image} {verdict}");
        let allowed = check(&folder, &["A.1.0.0.nupkg", "--warn", "pair", "--warn", "lint"]);
        assert_eq!(allowed.status.code(), Some(3), "{image}");
    }
}

/// The sample is a Debug build, its other build is not.
#[test]
fn a_debug_build_in_a_package_gets_a_remark() {
    for (dll, pdb, is_debug) in [
        ("ticker/Ticker.dll", "ticker/Ticker.pdb", true),
        ("ticker-release/Ticker.dll", "ticker-release/Ticker.pdb", false),
    ] {
        let folder = Folder::new();
        packages(&folder, dll, &[nuspec("1.0.0", SYMBOLS), (PDB, Sample(pdb))]);
        let said = String::from_utf8(check(&folder, &["--json", "A.1.0.0.nupkg"]).stdout).unwrap();
        assert_eq!(said.contains("lib/net8.0/Ticker.dll is a Debug build"), is_debug, "{said}");
        let code = check(&folder, &["A.1.0.0.nupkg", "--deny", "optimised"]).status.code();
        assert_eq!(code, Some(if is_debug { 3 } else { 0 }));
    }
}

#[test]
fn versions_are_the_same_in_their_normal_form() {
    for (version, is_same) in [("1.0", true), ("1.0.0.0", true), ("1.0.0+abc", true), ("1.0.0.1", false)] {
        let folder = Folder::new();
        let symbols = [nuspec(version, SYMBOLS), (PDB, Sample("ticker/Ticker.pdb"))];
        packages(&folder, "ticker/Ticker.dll", &symbols);
        assert_eq!(findings(&folder).0.is_empty(), is_same, "{version}");
    }
}

#[test]
fn a_checksum_has_to_be_there_and_right() {
    let mut image = std::fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap();
    let at = image.windows(7).position(|window| window == b"SHA256\0").unwrap() + 7;
    image[at + 24] ^= 1;
    let folder = Folder::new();
    packages(&folder, "ticker/Ticker.dll", &[nuspec("1.0.0", SYMBOLS), (PDB, Sample("ticker/Ticker.pdb"))]);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
    let (name, Text(text)) = nuspec("1.0.0", AUTHORS) else { unreachable!() };
    for (path, bytes) in [(name, text.as_bytes()), ("lib/net8.0/Ticker.dll", &image)] {
        writer.start_file(path, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    folder.write("A.1.0.0.nupkg", writer.finish().unwrap().into_inner());
    assert_eq!(findings(&folder).0, ["package-checksum"]);
}

#[test]
fn names_and_dates_of_entries_are_those_that_the_gallery_takes() {
    for (name, year) in
        [("../evil.txt", 2020), ("lib//x.txt", 2020), ("/x.txt", 2020), ("x.txt", 2090), ("a.NUSPEC.txt", 2020)]
    {
        let folder = Folder::new();
        write(&folder, "A.1.0.0.nupkg", year, &[nuspec("1.0.0", AUTHORS), (name, Text("x".to_owned()))]);
        let (found, verdict) = findings(&folder);
        let sound = name == "a.NUSPEC.txt";
        assert_eq!(found.is_empty(), sound, "{name} {verdict}");
        assert!(sound || found == ["zip-entries"], "{name} {found:?}");
        assert!(!sound || verdict.ends_with("there is no symbols package"), "{verdict}");
    }
}

#[test]
fn rules_of_packages_obey_options_and_empty_packages_fail() {
    let folder = Folder::new();
    packages(&folder, "ticker/Ticker.dll", &[nuspec("1.0.1", SYMBOLS), (PDB, Sample("ticker/Ticker.pdb"))]);
    let code = |args: &[&str]| check(&folder, args).status.code();
    assert_eq!(code(&["A.1.0.0.nupkg"]), Some(3));
    assert_eq!(code(&["A.1.0.0.nupkg", "--warn", "snupkg-pair"]), Some(0));
    assert_eq!(code(&["A.1.0.0.nupkg", "--allow", "package"]), Some(0));
    write(&folder, "Tools.1.0.0.nupkg", 2020, &[nuspec("1.0.0", AUTHORS)]);
    assert_eq!(code(&["Tools.1.0.0.nupkg"]), Some(3));
    let said = String::from_utf8(check(&folder, &["Tools.1.0.0.nupkg"]).stderr).unwrap();
    assert!(said.contains("nothing to check: the package has no assembly"), "{said}");
    // Beside a package with assemblies one without is no mistake.
    assert_eq!(code(&["A.1.0.0.nupkg", "Tools.1.0.0.nupkg", "--warn", "snupkg-pair"]), Some(0));
    // An assembly without symbols is worth knowing, and the gallery takes it.
    let files = [nuspec("1.0.0", AUTHORS), ("lib/net8.0/Ledger.dll", Sample("ledger/Ledger.dll"))];
    write(&folder, "Bare.1.0.0.nupkg", 2020, &files);
    let said = String::from_utf8(check(&folder, &["--json", "Bare.1.0.0.nupkg"]).stdout).unwrap();
    assert!(said.contains("lib/net8.0/Ledger.dll has no symbols"), "{said}");
    assert_eq!(code(&["Bare.1.0.0.nupkg", "--deny", "package-symbols", "--allow", "pair"]), Some(3));
}

/// Packages in an archive, named by a pattern after `!`, are judged like those in a folder.
#[test]
fn packages_that_a_pattern_finds_in_an_archive_have_a_verdict() {
    let folder = Folder::new();
    packages(&folder, "ticker/Ticker.dll", &[nuspec("1.0.1", SYMBOLS), (PDB, Sample("ticker/Ticker.pdb"))]);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for end in ["nupkg", "snupkg"] {
        writer.start_file(format!("drop/A.1.0.0.{end}"), SimpleFileOptions::default()).unwrap();
        writer.write_all(&std::fs::read(folder.path().join(format!("A.1.0.0.{end}"))).unwrap()).unwrap();
    }
    folder.write("zip/out.zip", writer.finish().unwrap().into_inner());
    for named in ["zip/out.zip", "zip/out.zip!drop/*.nupkg", "zip/*.zip!*/*nupkg", "zip/out.zip!drop/A.1.0.0.nupkg"] {
        let output = check(&folder, &[named]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{named}: {said}");
        assert!(said.contains("would refuse this, because the package is A 1.0.0"), "{named}: {said}");
        assert!(said.contains("1 pair checked") && said.contains("1 package version"), "{named}: {said}");
    }
}

/// `pdblens.toml` of the project, which options override.
#[test]
fn rules_are_treated_as_the_project_says() {
    let folder = Folder::new();
    packages(&folder, "ticker/Ticker.dll", &[nuspec("1.0.1", SYMBOLS), (PDB, Sample("ticker/Ticker.pdb"))]);
    let code = |args: &[&str]| check(&folder, &[&["A.1.0.0.nupkg"], args].concat()).status.code();
    assert_eq!(code(&[]), Some(3));
    let file = folder.write("pdblens.toml", "[check]\nallow = [\"package\"]\n");
    assert_eq!((code(&[]), code(&["--no-config"])), (Some(0), Some(3)));
    assert_eq!(code(&["--deny", "package"]), Some(3));
    let other = folder.write("other.toml", "[check]\nwarn = [\"snupkg-pair\"]\n");
    assert_eq!(code(&["--config", other.to_str().unwrap()]), Some(0));
    // From a folder below, as long as no repository begins between.
    let below = folder.path().join("bin");
    std::fs::create_dir(&below).unwrap();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(["check", "../A.1.0.0.nupkg"]).current_dir(&below).status().unwrap().code()
    };
    assert_eq!(run(), Some(0));
    std::fs::create_dir(below.join(".git")).unwrap();
    assert_eq!(run(), Some(3));
    for text in ["[check]\nforbid = []\n", "[check]\nallow = [\"nothing\"]\n", "check"] {
        std::fs::write(&file, text).unwrap();
        let output = check(&folder, &["A.1.0.0.nupkg"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains("pdblens.toml"), "{said}");
    }
}
