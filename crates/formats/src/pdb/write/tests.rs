use super::*;
use crate::bytes::{Origin, SpaceId};
use crate::msf::{Owner, PageUse};
use std::sync::Arc;

const SAMPLES: [&str; 5] = [
    "ticker-windows/Ticker.pdb",
    "ticker-windows-release/Ticker.pdb",
    "workshop-windows/Workshop.pdb",
    "ledger-windows/Ledger.pdb",
    "native/tally.pdb",
];

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn open(bytes: &[u8]) -> (Spaces, Msf) {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes.to_vec()).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    (spaces, msf)
}

/// The copy of `original` that an edit describes.
fn applied(edit: &Edit, original: &[u8]) -> Vec<u8> {
    let mut copy = original.to_vec();
    copy.resize(edit.len as usize, 0);
    for patch in &edit.patches {
        copy[patch.offset as usize..][..patch.bytes.len()].copy_from_slice(&patch.bytes);
    }
    copy
}

fn put(bytes: &[u8], name: &str, content: &[u8]) -> Vec<u8> {
    let (spaces, msf) = open(bytes);
    applied(&put_stream(&msf, &spaces, name, content).unwrap(), bytes)
}

/// Every stream of the copy but info and `name` is as before, `name` has `content`, and the page maps are right.
fn assert_copy(before: &[u8], after: &[u8], name: &str, content: &[u8]) {
    let ((old_spaces, old), (spaces, msf)) = (open(before), open(after));
    assert_eq!(msf.problems, []);
    let map = msf.page_map(&spaces);
    assert_eq!(map.problems, []);
    for page in 0..msf.superblock.page_count {
        let owner = map.owner(&msf, page);
        assert!(matches!(owner, Owner::Unique(_) | Owner::Free), "page {page}: {owner:?}");
        // Stream 0, the directory of the last commit but one, is kept in free pages.
        let old_directory = matches!(owner, Owner::Unique(PageUse::Stream { stream: 0, .. }));
        assert!(old_directory || owner == Owner::Free || !map.is_free(page), "page {page}: {owner:?}");
    }
    let mut peer = pdb::PDB::open(std::io::Cursor::new(after)).unwrap();
    let found = peer.named_stream(name.as_bytes()).unwrap();
    assert_eq!(found.as_slice(), content);
    let named = NameTable::parse(&spaces.region(msf.stream(1).unwrap().space).unwrap()).unwrap();
    let stream = named.find(name).unwrap();
    for old_stream in old.streams().filter(|old| old.index != 1 && old.index != stream) {
        let new = msf.stream(old_stream.index).unwrap();
        assert_eq!((new.size, new.pages), (old_stream.size, old_stream.pages));
        assert_eq!(
            old_spaces.region(old_stream.space).unwrap().bytes(),
            spaces.region(new.space).unwrap().bytes(),
            "stream {}",
            new.index
        );
    }
    assert_eq!(spaces.region(msf.stream(stream).unwrap().space).unwrap().bytes(), content);
}

#[test]
fn the_hash_finds_the_names_that_others_wrote() {
    for name in SAMPLES {
        let (spaces, msf) = open(&sample(name));
        let info = NameTable::parse(&spaces.region(msf.stream(1).unwrap().space).unwrap()).unwrap();
        for (offset, _) in info.slots.values() {
            let start = string_hash(info.name(*offset)) as u16 as u32 % info.capacity;
            let mut probe = (start..info.capacity).chain(0..start);
            let found = probe.find_map(|slot| match info.slots.get(&slot) {
                Some((other, _)) if other == offset => Some(true),
                None if !info.deleted.contains(&slot) => Some(false),
                _ => None,
            });
            assert_eq!(found, Some(true), "{name}: {}", String::from_utf8_lossy(info.name(*offset)));
        }
        // What is not changed is written as it was read.
        assert_eq!(info.encode(), spaces.region(msf.stream(1).unwrap().space).unwrap().bytes(), "{name}");
    }
}

#[test]
fn a_stream_is_added_replaced_shortened_and_grown() {
    for name in SAMPLES {
        let before = sample(name);
        let mut copy = before.clone();
        for len in [0, 10, 5000, 70_000, 300_000, 3] {
            let content: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let next = put(&copy, "srcsrv", &content);
            assert_copy(&copy, &next, "srcsrv", &content);
            assert_copy(&before, &next, "srcsrv", &content);
            copy = next;
        }
    }
}

#[test]
fn the_same_content_again_changes_nothing() {
    let before = sample("native/tally.pdb");
    let (spaces, msf) = open(&before);
    let stream =
        NameTable::parse(&spaces.region(msf.stream(1).unwrap().space).unwrap()).unwrap().find("srcsrv").unwrap();
    let content = spaces.region(msf.stream(stream).unwrap().space).unwrap();
    assert_eq!(put(&before, "srcsrv", content.bytes()), before);
}

#[test]
fn many_names_make_the_table_grow() {
    let mut copy = sample("ticker-windows/Ticker.pdb");
    for number in 0..40 {
        let name = format!("stream-{number}");
        let next = put(&copy, &name, name.as_bytes());
        assert_copy(&copy, &next, &name, name.as_bytes());
        copy = next;
    }
    let mut peer = pdb::PDB::open(std::io::Cursor::new(&copy)).unwrap();
    for number in 0..40 {
        let name = format!("stream-{number}");
        assert_eq!(peer.named_stream(name.as_bytes()).unwrap().as_slice(), name.as_bytes());
    }
}

#[test]
fn a_damaged_file_is_not_written() {
    let bytes = sample("native/tally.pdb");
    let (spaces, msf) = open(&bytes[..bytes.len() - 1]);
    assert!(put_stream(&msf, &spaces, "srcsrv", b"").is_err());
    // A table of names that says it has more than there are.
    let info = NameTable {
        head: vec![0; 12],
        names: vec![],
        capacity: 8,
        slots: BTreeMap::new(),
        deleted: BTreeSet::new(),
        tail: vec![],
    };
    let mut bytes = info.encode();
    bytes[16] = 1;
    assert!(NameTable::parse(&Region::whole(SpaceId(0), Arc::new(bytes.clone()))).is_err());
    for len in 0..bytes.len() {
        let _ = NameTable::parse(&Region::whole(SpaceId(0), Arc::new(bytes[..len].to_vec())));
    }
}
