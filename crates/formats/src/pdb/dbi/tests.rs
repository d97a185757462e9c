use super::*;
use crate::bytes::SpaceId;
use std::sync::Arc;

/// A module's record: 64 bytes, and two names.
fn module(stream: u16, name: &str) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[34..36].copy_from_slice(&stream.to_le_bytes());
    bytes[36] = 20;
    bytes[44] = 8;
    bytes.extend(name.bytes().chain([0, b'o', 0]));
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A stream of these parts: module infos, contributions, section map, source info, edit and continue, debug header.
fn dbi(parts: [&[u8]; 6]) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..4].fill(0xff);
    bytes[8] = 3;
    // The size of the debug header stands before that of the part before it.
    for (at, part) in [24, 28, 32, 36, 52, 48].into_iter().zip(parts) {
        bytes[at..at + 4].copy_from_slice(&(part.len() as u32).to_le_bytes());
    }
    bytes[58..60].copy_from_slice(&0xc0ee_u16.to_le_bytes());
    bytes.extend(parts.concat());
    bytes
}

fn region(bytes: Vec<u8>) -> Region {
    Region::whole(SpaceId(3), Arc::new(bytes))
}

#[rustfmt::skip]
const SOURCES: &[u8] = &[
    2, 0, 3, 0,                         // two modules, three files
    0, 0, 1, 0,                         // the first file of each
    1, 0, 2, 0,                         // how many each has
    0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, // "a.c"; "b.h", "a.c"
    b'a', b'.', b'c', 0, b'b', b'.', b'h', 0,
];

#[test]
fn parts_are_where_the_header_says() {
    let modules = [module(12, "A"), module(NO_STREAM, "Bb.C")].concat();
    let debug_header: Vec<u8> = (0..11_u16).flat_map(|n| if n == 5 { [8, 0] } else { [0xff; 2] }).collect();
    let bytes = dbi([&modules, &[], &[], SOURCES, b"ec", &debug_header]);
    let dbi = Dbi::parse(&region(bytes)).unwrap();
    assert_eq!(dbi.problems, []);
    assert_eq!((dbi.header.age, dbi.header.machine), (3, 0xc0ee));
    assert_eq!(dbi.modules.iter().map(Module::stream).collect::<Vec<_>>(), [Some(12), None]);
    let names = dbi.names_of(&dbi.modules[1]).unwrap();
    assert_eq!((names.name.data, names.object.data), (&b"Bb.C"[..], &b"o"[..]));
    assert_eq!(dbi.debug_streams.iter().map(|s| s.value).collect::<Vec<_>>()[4..7], [NO_STREAM, 8, NO_STREAM]);
    assert_eq!(dbi.edit_and_continue.bytes(), b"ec");
    let files = |module| dbi.sources.files_of(module).map(|name| name.data.to_vec()).collect::<Vec<_>>();
    assert_eq!((files(0), files(1), files(2)), (vec![b"a.c".to_vec()], vec![b"b.h".to_vec(), b"a.c".to_vec()], vec![]));
    assert_eq!(dbi.sources.files().iter().map(|name| name.data).collect::<Vec<_>>(), [b"a.c", b"b.h"]);
    let stream = region(vec![7; 40]);
    assert_eq!((dbi.modules[0].symbols(&stream).len(), dbi.modules[0].c13(&stream).span().start), (20, 20));
    assert_eq!(dbi.modules[0].c13(&stream).len(), 8);
}

#[test]
fn contributions_and_sections() {
    let mut contributions = 0xf12e_ba2d_u32.to_le_bytes().to_vec();
    contributions.extend([1, 0, 0, 0, 0x86, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut sections = vec![1, 0, 1, 0];
    sections.extend([0x0d, 1, 0, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xa0, 0, 0, 0]);
    let dbi = Dbi::parse(&region(dbi([&[], &contributions, &sections, &[], &[], &[]]))).unwrap();
    assert_eq!(dbi.problems, []);
    assert_eq!((dbi.contributions.len(), dbi.contributions.get(1)), (1, None));
    let found = dbi.contributions.get(0).unwrap();
    assert_eq!((found.section, found.offset, found.size, found.module), (1, 0x86, 26, 1));
    let [entry] = dbi.section_map.entries[..] else { panic!() };
    assert_eq!((entry.flags, entry.frame, entry.offset, entry.length), (0x10d, 1, 0, 0xa0));
}

#[test]
fn what_lies_is_a_finding_and_the_rest_is_read() {
    let modules = module(12, "A");
    let with = |at: usize, to: u32| {
        let mut bytes = dbi([&modules, &[], &[], SOURCES, &[], &[]]);
        bytes[at..at + 4].copy_from_slice(&to.to_le_bytes());
        Dbi::parse(&region(bytes)).unwrap()
    };
    // A part that is larger than the stream.
    let found = with(24, u32::MAX);
    assert!(!found.problems.is_empty() && found.modules.len() <= 2);
    // The source info claims more files, or modules, than it has.
    let sources_at = 64 + modules.len();
    assert_eq!(with(sources_at + 8, 0xffff_ffff).problems.len(), 1);
    assert_eq!(with(sources_at, 0xffff_ffff).problems.len(), 1);
    // A module whose name does not end.
    let mut endless = module(12, "A");
    endless[64..].fill(b'x');
    let found = Dbi::parse(&region(dbi([&endless, &[], &[], SOURCES, &[], &[]]))).unwrap();
    assert_eq!((found.problems.len(), found.modules.len(), found.sources.module_count), (1, 0, 2));
    // Contributions of a version that nobody knows, a section map without its sections, half a stream number.
    let found = Dbi::parse(&region(dbi([&[], &[1, 2, 3, 4, 5], &[9, 0, 9, 0], &[], &[], &[1]]))).unwrap();
    assert_eq!((found.problems.len(), found.contributions.len()), (2, 0));
    assert!(Dbi::parse(&region(vec![0; 64])).is_err());
    assert!(Dbi::parse(&region(vec![0xff; 63])).is_err());
}

#[test]
fn names_that_overlap_are_not_read_again_and_again() {
    // 1000 files whose names are the ends of one long name.
    let mut sources = vec![1, 0, 0, 0, 0, 0, 0xe8, 0x03];
    sources.extend((0..1000_u32).flat_map(u32::to_le_bytes));
    sources.extend([b'x'; 1000].iter().chain(&[0]));
    let dbi = Dbi::parse(&region(dbi([&[], &[], &[], &sources, &[], &[]]))).unwrap();
    assert_eq!(dbi.sources.files_of(0).count(), 1000);
    let read: u64 = dbi.sources.files().iter().map(|name| name.len()).sum();
    assert!(read <= 1000, "{read}");
}
