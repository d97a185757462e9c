use super::*;
use crate::bytes::{Origin, Storage};

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/samples/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn spaces(bytes: Vec<u8>) -> (Spaces, SpaceId) {
    let mut spaces = Spaces::default();
    let len = bytes.len() as u64;
    let id = spaces.add("a.pdb", Origin::File("a.pdb".into()), len, Storage::Memory(bytes.into()));
    (spaces, id)
}

/// Compares a file with itself.
fn compared(bytes: Vec<u8>) -> Result<Comparison, Reason> {
    let (mut spaces, file) = spaces(bytes);
    let msf = crate::msf::Msf::open(&mut spaces, file).map_err(|error| Reason::new("not-read", error.to_string()))?;
    let pdb = Pdb::parse(&spaces, msf);
    compare((&pdb, &spaces), (&spaces, file), &|_, _| true)
}

#[test]
fn a_managed_and_a_native_file_can_be_read_and_no_other() {
    let managed = compared(sample("ticker-windows/Ticker.pdb")).unwrap();
    let [(_, modules), (_, functions), ..] = managed.counts;
    assert!(managed.differences.is_empty() && modules > 1 && functions > 1, "{managed:?}");
    let native = compared(sample("native/tally.pdb")).unwrap();
    let [_, (_, functions), _, (_, types), _] = native.counts;
    assert!(native.differences.is_empty() && native.skipped.is_empty() && types > 0, "{native:?}");
    assert_eq!(functions, 3, "add, clamp and entry");
    assert!(compared(sample("ticker/Ticker.pdb")).is_err());
}

#[test]
fn damaged_files_are_errors_and_no_panics() {
    let whole = sample("ticker-windows/Ticker.pdb");
    let mut answers = 0;
    for at in (0..whole.len()).step_by(3) {
        answers += usize::from(compared(whole[..at].to_vec()).is_ok());
        for value in [0, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            answers += usize::from(compared(bytes).is_ok());
        }
    }
    assert!(answers > 0);
}
