//! MSF containers of the samples, compared with the `pdb` crate.

use std::path::PathBuf;

use pdblens::bytes::{DiskFile, Origin, Spaces, Span, Storage};
use pdblens::formats::msf::{Msf, Owner, PageUse};

const SAMPLES: [&str; 5] = [
    "ticker-windows/Ticker.pdb",
    "ticker-windows-release/Ticker.pdb",
    "workshop-windows/Workshop.pdb",
    "ledger-windows/Ledger.pdb",
    "native/tally.pdb",
];

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name)
}

/// The sample read by position, as large files are.
fn open(name: &str) -> (Spaces, Msf) {
    let path = sample(name);
    let file = std::fs::File::open(&path).unwrap();
    let len = file.metadata().unwrap().len();
    let mut spaces = Spaces::default();
    let file = spaces.add(name, Origin::File(path), len, Storage::Disk(DiskFile::new(file, len).into()));
    let msf = Msf::open(&mut spaces, file).unwrap();
    (spaces, msf)
}

#[test]
fn our_pages_joined_are_the_bytes_of_each_stream() {
    for name in SAMPLES {
        let (spaces, msf) = open(name);
        assert_eq!(msf.problems, [], "{name}");
        let mut oracle = pdb::PDB::open(std::fs::File::open(sample(name)).unwrap()).unwrap();
        for stream in msf.streams() {
            let region = spaces.region(stream.space).unwrap();
            let wanted = oracle.raw_stream(pdb::StreamIndex(stream.index as u16)).unwrap();
            let wanted = wanted.as_ref().map_or(&[][..], |stream| stream.as_slice());
            assert_eq!(region.bytes(), wanted, "{name}, stream {}", stream.index);
            // And each of them stands in the file where its span resolves to.
            let mut joined = Vec::new();
            for piece in spaces.resolve(region.span()) {
                assert!(piece.exact);
                joined.extend_from_slice(&spaces.read(piece.span).unwrap());
            }
            assert_eq!(joined, wanted, "{name}, stream {}", stream.index);
        }
        let behind = oracle.raw_stream(pdb::StreamIndex(msf.stream_count() as u16));
        assert!(!matches!(behind, Ok(Some(_))), "{name} has more streams than {}", msf.stream_count());
    }
}

#[test]
fn a_file_in_memory_has_the_same_streams() {
    for name in SAMPLES {
        let (on_disk, msf) = open(name);
        let mut spaces = Spaces::default();
        let bytes = std::fs::read(sample(name)).unwrap();
        let file = spaces.add_bytes(name, Origin::File(sample(name)), bytes).span().space;
        let in_memory = Msf::open(&mut spaces, file).unwrap();
        for (a, b) in msf.streams().zip(in_memory.streams()) {
            let (a, b) = (on_disk.region(a.space).unwrap(), spaces.region(b.space).unwrap());
            assert_eq!((a.bytes(), a.span()), (b.bytes(), b.span()), "{name}");
        }
    }
}

#[test]
fn every_page_has_a_use() {
    for name in SAMPLES {
        let (spaces, msf) = open(name);
        let map = msf.page_map(&spaces);
        assert_eq!(map.len() as u32, msf.superblock.page_count, "{name}");
        assert_eq!(map.problems, [], "{name}");
        let mut pages_of = vec![0; msf.stream_count() as usize];
        for page in 0..map.len() as u32 {
            match map.owner(&msf, page) {
                Owner::Unique(PageUse::Stream { stream, from }) => {
                    let part = Span::new(msf.stream(stream).unwrap().space, from, 1);
                    let resolved = spaces.resolve(part);
                    assert_eq!(resolved[0].span.start, page as u64 * msf.page_size() as u64, "{name}, page {page}");
                    pages_of[stream as usize] += 1;
                }
                Owner::Unique(_) | Owner::Free => {}
                owner => panic!("{name}, page {page}: {owner:?}"),
            }
        }
        let wanted: Vec<_> = msf.streams().map(|stream| stream.pages.len()).collect();
        assert_eq!(pages_of, wanted, "{name}");
    }
}
