//! The command `srcsrv`: evaluation of the stream, and copies with another stream.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::folder::Folder;
use pdb::PDB;

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(path)
}

fn srcsrv<S: AsRef<OsStr>>(args: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("srcsrv").args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A named stream, as the crate `pdb` reads it.
fn stream(path: &Path, name: &str) -> Vec<u8> {
    let mut file = PDB::open(fs::File::open(path).unwrap()).unwrap();
    let stream = file.named_stream(name.as_bytes()).unwrap();
    stream.as_slice().to_vec()
}

#[test]
fn the_stream_of_the_sample_is_evaluated() {
    let printed = text(&srcsrv(&[sample("native/tally.pdb")]));
    assert!(printed.contains("tally.c") && printed.contains("http"), "{printed}");
    let json: serde_json::Value =
        serde_json::from_slice(&srcsrv(&[sample("native/tally.pdb").as_os_str(), OsStr::new("--json")]).stdout)
            .unwrap();
    assert_eq!(json["documents"].as_array().unwrap().len(), 1);
    assert_eq!(json["documents"][0]["retrieval"], "command", "{json}");
}

#[test]
fn a_copy_gets_the_stream_and_the_original_is_not_touched() {
    let folder = Folder::new();
    for name in ["native/tally.pdb", "ticker-windows/Ticker.pdb", "workshop-windows/Workshop.pdb"] {
        let (original, copy) = (sample(name), folder.path().join("copy.pdb"));
        let before = fs::read(&original).unwrap();
        let wanted = folder.write("stream.txt", "SRCSRV: ini ---\r\nVERSION=2\r\nSRCSRV: end ---\r\n");
        let args = [
            original.as_os_str(),
            OsStr::new("--write"),
            wanted.as_os_str(),
            OsStr::new("-o"),
            copy.as_os_str(),
            OsStr::new("--force"),
        ];
        text(&srcsrv(&args));
        assert_eq!(stream(&copy, "srcsrv"), fs::read(&wanted).unwrap(), "{name}");
        assert_eq!(fs::read(&original).unwrap(), before, "{name}");
        // Never over the original, under whatever name.
        fs::copy(&original, folder.path().join("own.pdb")).unwrap();
        let own = folder.path().join("own.pdb");
        let args = [
            own.as_os_str(),
            OsStr::new("--write"),
            wanted.as_os_str(),
            OsStr::new("-o"),
            own.as_os_str(),
            OsStr::new("--force"),
        ];
        assert_eq!(srcsrv(&args).status.code(), Some(1));
        assert_eq!(fs::read(&own).unwrap(), before, "{name}");
    }
}

#[test]
fn a_stream_is_written_from_the_sources_of_the_pdb() {
    let folder = Folder::new();
    let (original, copy) = (sample("ticker-windows/Ticker.pdb"), folder.path().join("indexed.pdb"));
    let map = "C:\\src=https://example.com/src/*?raw=1";
    let printed = text(&srcsrv(&[original.as_os_str(), OsStr::new("--map"), OsStr::new(map)]));
    assert!(printed.contains("https://example.com/src/ticker/Clock.cs?raw=1"), "{printed}");
    text(&srcsrv(&[original.as_os_str(), OsStr::new("--map"), OsStr::new(map), OsStr::new("-o"), copy.as_os_str()]));
    let listed = text(&srcsrv(&[&copy]));
    assert!(listed.contains("URL") && listed.contains("https://example.com/src/ticker/Program.cs?raw=1"), "{listed}");
    // A folder is searched for the files that agree from the end.
    let file = folder.write("moved/deep/ticker/Clock.cs", "");
    let map = format!("C:\\src={}", folder.path().join("moved").display());
    let output = srcsrv(&[original.as_os_str(), OsStr::new("--map"), OsStr::new(&map)]);
    assert!(text(&output).replace('\\', "/").contains(&file.display().to_string().replace('\\', "/")));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no file of that name"));
}

#[test]
fn a_share_of_another_machine_is_a_target_and_a_template_names_it_once() {
    let original = sample("ticker-windows/Ticker.pdb");
    let run = |args: &[&str]| srcsrv(&[&[original.to_str().unwrap()], args].concat());
    let map = "C:\\src=\\\\server\\share";
    let printed = text(&run(&["--map", map]));
    assert!(printed.contains("Clock.cs*\\\\server\\share\\ticker\\Clock.cs\r\n"), "{printed}");
    let printed = text(&run(&["--map", map, "--template", "%UNCROOT%\\%var2%"]));
    for line in
        ["UNCROOT=\\\\server\\share", "SRCSRVTRG=%UNCROOT%\\%var2%", "C:\\src\\ticker\\Clock.cs*ticker\\Clock.cs"]
    {
        assert!(printed.contains(&format!("{line}\r\n")), "{line}: {printed}");
    }
    let folder = Folder::new();
    let copy = folder.path().join("copy.pdb").display().to_string();
    text(&run(&["--map", map, "--template", "%UNCROOT%\\%var2%", "-o", &copy]));
    let listed = text(&srcsrv(&[&copy]));
    assert!(listed.contains("\\\\server\\share\\ticker\\Program.cs"), "{listed}");
    assert!(text(&srcsrv(&[copy.as_str(), "--text"])).contains("SRCSRVTRG=%UNCROOT%"));
    assert_eq!(run(&["--map", map, "--template", "%UNCROOT%"]).status.code(), Some(2));
    // So is a value that no line gives.
    let lacking = folder.path().join("lacking.pdb").display().to_string();
    let warned = run(&["--map", map, "--template", "%UNCROOT%\\%var3%\\%var2%", "-o", &lacking]);
    let said = String::from_utf8_lossy(&warned.stderr);
    assert!(said.contains("warning: C:\\src\\ticker\\Program.cs: no variable var3"), "{said}");
    // `--value` gives it: a project and a version.
    let values = ["--template", "%UNCROOT%\\%var3%\\%var4%\\%var2%", "--value", "ticker", "--value", "1.2"];
    text(&run(&[&["--map", map][..], &values, &["--force", "-o", &lacking]].concat()));
    let listed = text(&srcsrv(&[&lacking]));
    assert!(listed.contains("\\\\server\\share\\ticker\\1.2\\ticker\\Program.cs"), "{listed}");
    assert_eq!(run(&[&["--map", map][..], &values[..3], &["a*b"]].concat()).status.code(), Some(2));
    // A stream that has no line for any document is written with a warning.
    let other = folder.path().join("other.pdb").display().to_string();
    let warned = run(&["--map", "D:\\x=https://example.com", "-o", &other]);
    let said = String::from_utf8_lossy(&warned.stderr);
    assert!(said.contains("warning: no document of the PDB has a line in the stream"), "{said}");
}

#[test]
fn sources_are_copied_to_the_layout_that_the_stream_points_to() {
    let folder = Folder::new();
    let original = sample("ledger-windows/Ledger.pdb").display().to_string();
    let share = folder.path().join("share").display().to_string();
    let run = |root: &Path| {
        let root = root.display().to_string();
        let map = "C:\\src=\\\\server\\share";
        srcsrv(&[original.as_str(), "--map", map, "--copy-sources", &share, "--source-root", &root])
    };
    // Another text of that name is not copied, and the run says so.
    let other = folder.write("other/ledger-vb/Ledger.vb", "Module Ledger");
    let output = run(&folder.path().join("other"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let copied = folder.path().join("share/ledger-vb/Ledger.vb");
    assert!(said.contains("Ledger.vb: not copied: ") && other.is_file() && !copied.exists(), "{said}");
    let printed = text(&run(&sample("../sources")));
    assert!(printed.contains("C:\\src\\ledger-vb\\Ledger.vb*\\\\server\\share\\ledger-vb\\Ledger.vb\r\n"), "{printed}");
    assert_eq!(fs::read(&copied).unwrap(), fs::read(sample("../sources/ledger-vb/Ledger.vb")).unwrap());
}
