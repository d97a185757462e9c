use super::async_info::AsyncInfo;
use super::custom::{CustomRecord, HoistedScope};
use super::*;
use crate::bytes::{Origin, Slice, SpaceId};
use crate::pdb::StreamKind;
use crate::pdb::dbi::DbiHeader;

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn open(bytes: Vec<u8>) -> (Spaces, WindowsPdb) {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    let pdb = WindowsPdb::parse(&spaces, msf);
    (spaces, pdb)
}

/// The bytes of a sample with those at `span` of one of its streams changed.
fn changed(mut bytes: Vec<u8>, spaces: &Spaces, span: Span, to: &[u8]) -> Vec<u8> {
    let at = spaces.resolve(span)[0].span.start as usize;
    bytes[at..at + to.len()].copy_from_slice(to);
    bytes
}

#[test]
fn each_stream_is_something() {
    use StreamKind::{Dbi, Debug, Globals, Ids, Info, Module, Named, OldDirectory, Publics, SymbolRecords, Types};
    let (_, pdb) = open(sample("ticker-windows/Ticker.pdb"));
    let kinds: Vec<_> = (0..16).map(|stream| pdb.kind_of(stream)).collect();
    let names: Vec<_> = kinds
        .iter()
        .filter_map(|kind| match kind {
            Named(index) => Some(pdb.info.names[*index as usize].name.value.as_str()),
            _ => None,
        })
        .collect();
    let files = ["/src/files/c:\\src\\ticker\\program.cs", "/src/files/c:\\src\\ticker\\clock.cs"];
    assert_eq!(names, [["/LinkInfo", "/names", "/src/headerblock"].as_slice(), &files].concat());
    assert_eq!(kinds[..5], [OldDirectory, Info, Types, Dbi, Ids]);
    assert_eq!(kinds[8], Debug(5));
    assert_eq!(kinds[11..], [Module(1), Module(0), Globals, Publics, SymbolRecords]);
    assert_eq!(pdb.kind_of(16), StreamKind::Unknown);
}

#[test]
fn a_stream_that_two_things_claim_is_a_finding() {
    let bytes = sample("ticker-windows/Ticker.pdb");
    let (spaces, pdb) = open(bytes.clone());
    let globals = pdb.dbi.as_ref().unwrap().header.span_of(&DbiHeader::global_stream_index);
    let (_, pdb) = open(changed(bytes.clone(), &spaces, globals, &[14, 0]));
    assert_eq!(pdb.problems.len(), 1, "{:?}", pdb.problems);
    assert_eq!(pdb.kind_of(13), StreamKind::Unknown);
    let (_, pdb) = open(changed(bytes, &spaces, globals, &[99, 0]));
    assert!(matches!(pdb.problems[0].kind, ErrorKind::NoSuch { what: "stream", index: 99, count: 16 }));
}

#[test]
fn imports_that_go_round_in_a_circle() {
    let bytes = sample("ticker-windows/Ticker.pdb");
    let (spaces, pdb) = open(bytes.clone());
    let since = pdb.method(&spaces, 0x0600_0003).unwrap();
    let imports = pdb.imports(&spaces, &since);
    assert_eq!((imports.forwards[0].value, imports.list[0].target.as_str()), (0x0600_0002, "System"));
    for (to, problem) in [([3, 0, 0, 6], true), ([1, 0, 0, 6], false), ([9, 0, 0, 6], true)] {
        let (spaces, pdb) = open(changed(bytes.clone(), &spaces, imports.forwards[0].span, &to));
        let since = pdb.method(&spaces, 0x0600_0003).unwrap();
        let imports = pdb.imports(&spaces, &since);
        assert_eq!((imports.problems.len() == 1, imports.list.is_empty()), (problem, problem), "{to:?}");
    }
}

#[test]
fn a_method_without_its_end_is_read_up_to_the_next() {
    let bytes = sample("ticker-windows/Ticker.pdb");
    let (spaces, pdb) = open(bytes.clone());
    let now = pdb.method(&spaces, 0x0600_0002).unwrap();
    assert_eq!(now.problems, []);
    // Its last record, S_END, becomes something else.
    let end = Span { start: now.span.end() - 2, len: 2, ..now.span };
    let (spaces, pdb) = open(changed(bytes.clone(), &spaces, end, &[0x0d, 0]));
    let now = pdb.method(&spaces, 0x0600_0002).unwrap();
    assert_eq!((now.problems.len(), now.scopes.len(), now.others.len()), (1, 1, 1));
    assert_eq!(pdb.method(&spaces, 0x0600_0003).unwrap().slots.len(), 2);
    // Its record says another end.
    let (spaces, pdb) = open(changed(bytes, &spaces, now.record.part(8, 4), &[4, 0, 0, 0]));
    assert_eq!(pdb.method(&spaces, 0x0600_0002).unwrap().problems.len(), 1);
}

#[test]
fn scopes_have_a_depth_that_is_enough() {
    // A method, and blocks in blocks without end.
    let mut bytes = vec![4, 0, 0, 0, 0x2a, 0, 0x2a, 0x11];
    bytes.extend([0; 40]);
    for _ in 0..100_000 {
        bytes.extend([0x16, 0, 3, 0x11]);
        bytes.extend([0; 20]);
    }
    let region = Region::whole(SpaceId(9), std::sync::Arc::new(bytes));
    let method = Method::read(&region, 4).unwrap();
    assert!(method.scopes.len() < 300 && method.problems.iter().any(|p| matches!(p.kind, ErrorKind::TooDeep(_))));
}

#[rustfmt::skip]
const MD2: &[u8] = &[
    4, 4, 0, 0,                                                  // version, four records
    4, 0, 0, 0, 0x10, 0, 0, 0, 2, 0, 1, 0, 3, 0, 0, 0,           // imports: 1, 3, and padding
    4, 3, 0, 0, 0x14, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, // hoisted scope: IL 8 and 9
    4, 6, 0, 2, 0x0c, 0, 0, 0, 0x01, 0x0b, 0, 0,                 // slot map of two bytes, and two of padding
    4, 77, 0, 0, 0x0c, 0, 0, 0, 1, 2, 3, 4,                      // who knows
];

fn md2(bytes: &[u8]) -> Result<Vec<CustomRecord>> {
    custom::decode(&mut Slice::new(bytes, SpaceId(7), 0).cursor())
}

#[test]
fn an_empty_header_block_lists_no_files() {
    let block = HeaderBlock::decode(&mut Slice::new(&[], SpaceId(7), 0).cursor()).unwrap();
    assert_eq!((block.headers.len(), block.problems.len()), (0, 0));
}

#[test]
fn records_of_custom_debug_information() {
    let records: Vec<_> = md2(MD2).unwrap().into_iter().map(|record| record.value.unwrap()).collect();
    let span = |start, len| Span::new(SpaceId(7), start, len);
    let scope = |start, last| HoistedScope { start, last, span: span(32, 8) };
    let wanted = [
        Custom::UsingGroups(vec![1, 3]),
        Custom::HoistedScopes(vec![scope(8, 9)]),
        Custom::SlotMap(span(48, 2)),
        Custom::Unknown(span(60, 4)),
    ];
    assert_eq!(records, wanted);
    assert_eq!((scope(8, 9).len(), scope(0, 0).len(), scope(1, 0).len()), (2, 0, 0));
}

#[test]
fn custom_debug_information_that_lies() {
    let with = |at: usize, to: u8| {
        let mut bytes = MD2.to_vec();
        bytes[at] = to;
        md2(&bytes).map(|records| records.iter().map(|record| record.value.is_ok()).collect::<Vec<_>>())
    };
    // Another version of all, a record that is shorter than its header, one record too many.
    assert!(with(0, 3).is_err() && with(8, 7).is_err() && with(1, 5).is_err());
    // A record of another version, more imports than fit, more scopes than fit: only that record is lost.
    assert_eq!(with(4, 3), Ok(vec![false, true, true, true]));
    assert_eq!(with(12, 4), Ok(vec![false, true, true, true]));
    assert_eq!(with(31, 0xff), Ok(vec![true, false, true, true]));
    for len in 0..MD2.len() {
        assert!(md2(&MD2[..len]).is_err(), "{len}");
    }
    let info = [5, 0, 0, 6, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 6, 9, 0, 0, 0];
    let decode = |bytes: &[u8]| AsyncInfo::decode(&mut Slice::new(bytes, SpaceId(7), 0).cursor());
    let found = decode(&info).unwrap();
    assert_eq!((found.kickoff.value, found.catch_handler, found.awaits[0].resume_offset), (0x0600_0005, None, 9));
    assert!(decode(&info[..23]).is_err());
    let mut many = info;
    many[8..12].fill(0xff);
    assert!(decode(&many).is_err());
}
