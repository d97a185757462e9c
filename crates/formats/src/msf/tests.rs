use super::*;
use crate::testing::described;

/// A file of pages of 512 bytes, all zero but for the superblock, free page map 1, a page list and a directory.
fn file(pages: u32, active_map: u32, directory: &[u32], directory_pages: &[u32], list_page: u32) -> Vec<u8> {
    let mut bytes = vec![0; pages as usize * 512];
    let mut put = |at: usize, numbers: &[u32]| {
        for (index, number) in numbers.iter().enumerate() {
            bytes[at + index * 4..][..4].copy_from_slice(&number.to_le_bytes());
        }
    };
    put(0x20, &[512, active_map, pages, directory.len() as u32 * 4, 0, list_page]);
    put(list_page as usize * 512, directory_pages);
    for (page, part) in directory_pages.iter().zip(directory.chunks(128)) {
        put(*page as usize * 512, part);
    }
    bytes[..32].copy_from_slice(MAGIC);
    bytes
}

fn open(bytes: Vec<u8>) -> (Spaces, Msf) {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    (spaces, msf)
}

/// Streams of 0 bytes, nil, and 600 bytes in pages 5 and 3.
const DIRECTORY: [u32; 6] = [3, 0, NIL, 600, 5, 3];

#[test]
fn streams_are_their_pages_in_order() {
    let mut bytes = file(8, 1, &DIRECTORY, &[6], 7);
    bytes[5 * 512..6 * 512].fill(5);
    bytes[3 * 512..4 * 512].fill(3);
    let (spaces, msf) = open(bytes);
    assert_eq!(msf.problems, []);
    assert_eq!(msf.stream_count(), 3);
    let streams: Vec<_> = msf.streams().map(|s| (s.size, s.is_nil(), s.pages.to_vec())).collect();
    assert_eq!(streams, [(0, false, vec![]), (NIL, true, vec![]), (600, false, vec![5, 3])]);
    let region = spaces.region(msf.stream(2).unwrap().space).unwrap();
    assert_eq!(region.bytes(), [[5; 512].as_slice(), &[3; 88]].concat());
    assert_eq!(msf.stream_of(msf.stream(2).unwrap().space), Some(2));
    assert_eq!(msf.stream_of(msf.directory), None);
    assert!(msf.stream(3).is_none());
}

#[test]
fn every_page_has_an_owner() {
    let mut bytes = file(9, 2, &DIRECTORY, &[6], 7);
    // Free page map 2, which is the active one: pages 4 and 3 are free, though a stream has 3.
    bytes[2 * 512] = 0b0001_1000;
    let (spaces, msf) = open(bytes);
    let map = msf.page_map(&spaces);
    let owners: Vec<_> = (0..10).map(|page| map.owner(&msf, page)).collect();
    let wanted = [
        Owner::Unique(PageUse::Superblock),
        Owner::Unique(PageUse::FreePageMap { number: 1, from: 0 }),
        Owner::Unique(PageUse::FreePageMap { number: 2, from: 0 }),
        Owner::Unique(PageUse::Stream { stream: 2, from: 512 }),
        Owner::Free,
        Owner::Unique(PageUse::Stream { stream: 2, from: 0 }),
        Owner::Unique(PageUse::Directory { from: 0 }),
        Owner::Unique(PageUse::PageList { from: 0 }),
        Owner::Unclaimed,
        Owner::Missing,
    ];
    assert_eq!(owners, wanted);
    let found: Vec<_> = map.problems.iter().map(|p| p.span.start / 512).collect();
    assert_eq!(found, [3]);
    assert_eq!(msf.place_of(&spaces, 3 * 512 + 7), Some(Span::new(msf.stream(2).unwrap().space, 519, 1)));
    assert_eq!(msf.place_of(&spaces, 3 * 512 + 100), None);
    assert_eq!(msf.place_of(&spaces, 6 * 512 + 4), Some(Span::new(msf.directory, 4, 1)));
}

#[test]
fn the_free_page_maps_come_back_in_each_interval() {
    let (spaces, msf) = open(file(1030, 1, &DIRECTORY, &[6], 7));
    let map = msf.page_map(&spaces);
    for (page, number, from) in [(1, 1, 0), (513, 1, 512), (1025, 1, 1024), (2, 2, 0), (514, 2, 512), (1026, 2, 1024)] {
        assert_eq!(map.owner(&msf, page), Owner::Unique(PageUse::FreePageMap { number, from }), "page {page}");
    }
    assert_eq!(map.owner(&msf, 512), Owner::Unclaimed);
    assert_eq!(spaces.get(msf.free_page_maps[1]).unwrap().len(), 3 * 512);
    assert_eq!(spaces.resolve(Span::new(msf.free_page_maps[1], 600, 1))[0].span.start, 514 * 512 + 88);
}

#[test]
fn a_page_list_of_two_pages() {
    // 200 pages of directory need 800 bytes of page list: two pages.
    let directory: Vec<u32> = std::iter::once(25_000).chain(std::iter::repeat_n(0, 25_000)).collect();
    let directory_pages: Vec<u32> = (10..10 + directory.len().div_ceil(128) as u32).collect();
    let mut bytes = file(300, 1, &directory, &directory_pages[..128], 7);
    bytes[0x20 + 24..][..4].copy_from_slice(&8_u32.to_le_bytes());
    for (index, page) in directory_pages.iter().enumerate().skip(128) {
        bytes[8 * 512 + (index - 128) * 4..][..4].copy_from_slice(&page.to_le_bytes());
    }
    let (spaces, msf) = open(bytes);
    assert_eq!(msf.problems, []);
    assert_eq!(msf.superblock.page_list, [7, 8]);
    assert_eq!(msf.stream_count(), 25_000);
    let map = msf.page_map(&spaces);
    assert_eq!(map.owner(&msf, 8), Owner::Unique(PageUse::PageList { from: 512 }));
    assert_eq!(map.owner(&msf, 205), Owner::Unique(PageUse::Directory { from: 195 * 512 }));
}

#[test]
fn a_page_that_is_used_twice() {
    let (spaces, msf) = open(file(8, 1, &[2, 100, 100, 5, 5], &[6], 7));
    let map = msf.page_map(&spaces);
    let [first, second] = [0, 1].map(|stream| PageUse::Stream { stream, from: 0 });
    assert_eq!(map.owner(&msf, 5), Owner::Conflict(first, second));
    assert_eq!(map.problems.len(), 1);
}

#[test]
fn a_page_that_is_not_there() {
    let (spaces, msf) = open(file(8, 1, &[1, 1200, 5, 99, 4], &[6], 7));
    let kinds: Vec<_> = msf.problems.iter().map(|p| (&p.kind, p.span)).collect();
    let no_page = ErrorKind::PageOutOfFile { what: "a stream", stream: Some(0), nth: 1, page: 99, last: 7 };
    assert_eq!(kinds, [(&no_page, Span::new(msf.directory, 12, 4))]);
    // What comes before it is still read.
    assert_eq!(spaces.region(msf.stream(0).unwrap().space).unwrap().len(), 512);
}

#[test]
fn a_file_cut_short_says_by_how_much() {
    let mut bytes = file(8, 1, &DIRECTORY, &[3], 4);
    bytes.truncate(5 * 512 + 100);
    let (spaces, msf) = open(bytes);
    let cut = ErrorKind::UnexpectedEnd { wanted: 4096, left: 2660 };
    assert_eq!((&msf.problems[0].kind, msf.problems[0].span), (&cut, Span::new(msf.file, 0x28, 4)));
    assert_eq!(spaces.region(msf.stream(2).unwrap().space).unwrap().len(), 100);
}

#[test]
fn a_directory_that_lies() {
    // It says that there are more streams than it has sizes of.
    let (_, msf) = open(file(8, 1, &[0x4000_0000, 10, 10], &[6], 7));
    assert_eq!(msf.stream_count(), 2);
    assert_eq!(msf.problems.len(), 2, "streams and pages are missing: {:?}", msf.problems);
    // A stream is larger than the file.
    let (spaces, msf) = open(file(8, 1, &[1, NIL - 1, 5, 5, 5], &[6], 7));
    assert!(msf.problems.iter().any(|p| matches!(p.kind, ErrorKind::TooLarge { what: "a stream", .. })));
    assert!(spaces.region(msf.stream(0).unwrap().space).unwrap().len() <= 8 * 512);
    // The directory is larger than the file.
    let mut bytes = file(8, 1, &DIRECTORY, &[6], 7);
    bytes[0x2c..0x30].copy_from_slice(&u32::MAX.to_le_bytes());
    let (_, msf) = open(bytes);
    assert!(msf.problems.iter().any(|p| matches!(p.kind, ErrorKind::TooLarge { what: "the directory", .. })));
    // More streams than the format allows.
    let directory: Vec<u32> = std::iter::once(70_000).chain(std::iter::repeat_n(0, 70_000)).collect();
    let mut bytes = file(600, 1, &directory, &(30..30 + 547).collect::<Vec<_>>()[..128], 7);
    for list in 0..5_u32 {
        bytes[0x34 + list as usize * 4..][..4].copy_from_slice(&(7 + list).to_le_bytes());
    }
    for index in 0..547_u32 {
        bytes[7 * 512 + index as usize * 4..][..4].copy_from_slice(&(30 + index).to_le_bytes());
    }
    let (_, msf) = open(bytes);
    assert_eq!(msf.stream_count(), 0x1_0000);
    let kinds: Vec<_> = msf.problems.iter().map(|p| &p.kind).collect();
    assert!(kinds.iter().any(|k| matches!(k, ErrorKind::TooLarge { what: "the number of streams", .. })), "{kinds:?}");
}

#[test]
fn page_sizes_that_no_file_can_have() {
    for page_size in [0_u32, 1, 256, 513, 0x2_0000, u32::MAX] {
        let mut bytes = file(8, 1, &DIRECTORY, &[6], 7);
        bytes[0x20..0x24].copy_from_slice(&page_size.to_le_bytes());
        let (spaces, msf) = open(bytes);
        assert_eq!((msf.page_size(), msf.stream_count(), msf.problems[0].span.start), (0, 0, 0x20), "{page_size}");
        assert!(msf.page_map(&spaces).is_empty());
        assert_eq!(msf.place_of(&spaces, 5), None);
    }
}

#[test]
fn superblock_and_directory_tile_their_bytes() {
    let bytes = file(8, 1, &DIRECTORY, &[6], 7);
    let (spaces, msf) = open(bytes.clone());
    let mut cursor = crate::bytes::Cursor::recording(Slice::new(&bytes, msf.file, 0));
    Superblock::decode(&mut cursor).unwrap();
    assert_eq!(tiled(&cursor.fields()), 0..56);
    let directory = spaces.region(msf.directory).unwrap();
    let mut cursor = crate::bytes::Cursor::recording(directory.slice());
    Directory::decode(&mut cursor, 512).unwrap();
    assert_eq!(tiled(&cursor.fields()), 0..24);
}

/// The bytes that the leaves of `fields` cover, one after the other and without gap or overlap.
fn tiled(fields: &[crate::bytes::Field]) -> std::ops::Range<u64> {
    let mut leaves = fields.iter().filter(|f| f.value != crate::bytes::Value::Group);
    let first = leaves.next().unwrap().span;
    let end = leaves.fold(first.end(), |at, field| {
        assert_eq!(field.span.start, at, "{}", field.name());
        field.span.end()
    });
    first.start..end
}

#[test]
fn no_cut_and_no_flipped_bit_is_too_much() {
    let bytes = file(8, 1, &DIRECTORY, &[6], 7);
    let read = |bytes: Vec<u8>| {
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("f", Origin::File("f".into()), bytes).span().space;
        let Ok(msf) = Msf::open(&mut spaces, file) else { return };
        for stream in msf.streams() {
            let _ = spaces.region(stream.space);
        }
        let map = msf.page_map(&spaces);
        let missing = (0..=map.len() as u32).filter(|page| map.owner(&msf, *page) == Owner::Missing).count();
        assert_eq!(missing, 1);
    };
    (0..bytes.len()).step_by(4).for_each(|len| read(bytes[..len].to_vec()));
    for at in (0x20..0x38).chain(6 * 512..6 * 512 + 24).chain(7 * 512..7 * 512 + 4) {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            read(bytes);
        }
    }
}

#[test]
fn every_field_has_a_sentence() {
    let numbers = |magic: &[u8], numbers: &[u32]| -> Vec<u8> {
        magic.iter().copied().chain(numbers.iter().flat_map(|n| n.to_le_bytes())).collect()
    };
    described(&numbers(MAGIC, &[512, 1, 8, 24, 0, 7]), |c| Superblock::decode(c).map(drop));
    described(&numbers(&[], &[1, 4, 5, 6]), |c| Directory::decode(c, 512).map(drop));
    described(&numbers(msf2::MAGIC, &[1024, 1, 1025, 0, 0x0009_0007]), |c| msf2::Msf2Header::read(c).map(drop));
    described(&numbers(msfz::MAGIC, &[0; 12]), |c| msfz::MsfzHeader::read(c).map(drop));
    described(&numbers(&[], &[1, 0, 1, 5, 6]), |c| msfz::Chunk::decode(c).map(drop));
}
