//! Compressed PDBs (MSFZ): their streams are those of the PDB that they were made of.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::folder::Folder;
use crate::support::msfz::msfz;
use pdblens::session::{PdbMatch, Session};

fn asset(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn pdblens(args: &[&str], folder: &Folder) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).current_dir(folder.path()).output().unwrap()
}

/// Content of all streams of the only PDB.
fn streams(name: &str, bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let session = Session::from_bytes(vec![(name.into(), bytes.to_vec())]).unwrap();
    assert_eq!(session.problems(), [], "{name}");
    let msf = &session.windows_pdb().expect("a Windows PDB").msf;
    let content = |space| session.spaces().region(space).unwrap().bytes().to_vec();
    msf.streams().map(|stream| (!stream.is_nil()).then(|| content(stream.space))).collect()
}

#[test]
fn streams_are_those_of_the_pdb() {
    for name in ["ticker-windows/Ticker.pdb", "ledger-windows/Ledger.pdb", "parcel-x86/parcel.pdb"] {
        let pdb = asset(&format!("assets/samples/{name}"));
        for method in 0..3 {
            assert!(streams(name, &msfz(&pdb, method)) == streams(name, &pdb), "{name} by method {method}");
        }
    }
    // By pdbtool 0.1.22 of microsoft/pdb-rs: `pdbtool pdz-encode Ticker.pdb Ticker.pdz`.
    let made = streams("Ticker.pdz", &asset("tests/golden/msfz/Ticker.pdz"));
    let pdb = streams("Ticker.pdb", &asset("assets/samples/ticker-windows/Ticker.pdb"));
    // Stream 0, the directory of an earlier commit, is empty in its files.
    assert!(made.len() == pdb.len() && made[1..] == pdb[1..]);
}

#[test]
fn commands_answer_as_for_the_pdb() {
    let (plain, packed) = (Folder::new(), Folder::new());
    for folder in [&plain, &packed] {
        folder.write("Ticker.dll", asset("assets/samples/ticker-windows/Ticker.dll"));
    }
    plain.write("Ticker.pdb", asset("assets/samples/ticker-windows/Ticker.pdb"));
    packed.write("Ticker.pdb", asset("tests/golden/msfz/Ticker.pdz"));
    for args in [
        &["where", "Ticker.dll", "Clock.Since+0xF"][..],
        &["list", "Ticker.dll", "documents", "--tsv"],
        &["list", "Ticker.dll", "methods", "--tsv"],
        &["check", "Ticker.dll"],
        &["sources", "Ticker.dll", "--json"],
    ] {
        let (want, got) = (pdblens(args, &plain), pdblens(args, &packed));
        assert_eq!(want.status, got.status, "{args:?}");
        assert_eq!(want.stdout, got.stdout, "{args:?}");
    }
    let info = pdblens(&["info", "Ticker.dll"], &packed);
    assert!(String::from_utf8_lossy(&info.stdout).contains("a compressed PDB (MSFZ)"), "{info:?}");
}

#[test]
fn a_pdb_with_the_extension_of_its_own_is_found_beside_the_image() {
    let folder = Folder::new();
    let image = folder.write("Ticker.dll", asset("assets/samples/ticker-windows/Ticker.dll"));
    folder.write("Ticker.pdz", asset("tests/golden/msfz/Ticker.pdz"));
    assert_eq!(Session::open(&[image]).unwrap().pdb_match(), PdbMatch::Matched);
}

#[test]
fn a_damaged_file_shows_its_header_and_the_reason() {
    let whole = msfz(&asset("assets/samples/ticker-windows/Ticker.pdb"), 2);
    let of = |bytes: Vec<u8>| Session::from_bytes(vec![("a.pdb".into(), bytes)]).unwrap();
    for len in (80..whole.len()).step_by(whole.len() / 40) {
        let session = of(whole[..len].to_vec());
        assert!(session.windows_pdb().is_none() && session.problems().len() == 1, "{len}");
    }
    // Version, number of streams, method and sizes of the directory, number of chunks, size of the table.
    for (at, says) in [
        (32, "version of MSFZ"),
        (56, "unexpected end"),
        (60, "compression method"),
        (64, "unexpected end"),
        (68, "exceeds the limit"),
        (72, "chunk table"),
        (76, "unexpected end"),
    ] {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&0x7fff_0000_u32.to_le_bytes());
        if at == 56 {
            bytes[at..at + 4].copy_from_slice(&999_u32.to_le_bytes());
        }
        let session = of(bytes);
        let [problem] = session.problems() else { panic!("{at}: {:?}", session.problems()) };
        assert!(problem.message.contains(says), "{at}: {}", problem.message);
    }
}
