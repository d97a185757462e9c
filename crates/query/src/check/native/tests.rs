use super::*;
use crate::check::{Grade, Remark, check};
use pdblens_formats::bytes::SpaceId;
use pdblens_formats::codeview::symbols::Records;
use pdblens_formats::pdb::dbi::DbiHeader;
use pdblens_formats::pdb::{ModuleStream, streams as numbers};
use pdblens_nodes::CodeUnit;
use pdblens_session::source::SourceOptions;

const IMAGE: &[u8] = include_bytes!("../../../../../assets/samples/parcel/parcel.exe");
const PDB: &[u8] = include_bytes!("../../../../../assets/samples/parcel/parcel.pdb");

fn open(pdb: Vec<u8>) -> Session {
    Session::from_bytes(vec![("parcel.exe".into(), IMAGE.to_vec()), ("parcel.pdb".into(), pdb)]).unwrap()
}

/// The file with other bytes at an offset of a stream.
fn patched(session: &Session, stream: u32, at: u64, bytes: &[u8]) -> Vec<u8> {
    let space: SpaceId = NativeView::of(session).unwrap().view.pdb.msf.stream(stream).unwrap().space;
    let mut file = PDB.to_vec();
    for (index, byte) in (0..).zip(bytes) {
        let span = Span::new(space, at + index, 1);
        let found = session.spaces().resolve(span)[0].span;
        file[found.start as usize] = *byte;
    }
    file
}

/// Findings of a rule about a file.
fn findings(pdb: Vec<u8>, rule: &str) -> Vec<Remark> {
    let remarks = check(&open(pdb), &SourceOptions::default());
    remarks.into_iter().filter(|remark| remark.rule == rule && remark.grade == Grade::Finding).collect()
}

/// Asserts that a change of bytes of a stream is one finding of a rule, with these words and these bytes.
#[track_caller]
fn assert_found(session: &Session, (stream, at): (u32, u64), bytes: &[u8], rule: &str, words: &str) {
    let found = findings(patched(session, stream, at, bytes), rule);
    let [remark] = &found[..] else { panic!("{words}: {found:#?}") };
    assert!(remark.sentence.contains(words), "{words}: {remark:#?}");
    let (span, place) = (remark.span.unwrap(), remark.place.unwrap());
    assert!(span.start <= at && at < span.end(), "{words}: {remark:#?}");
    let space = NativeView::of(session).unwrap().view.pdb.msf.stream(stream).unwrap().space;
    assert_eq!(span.space, space, "{words}: {place}");
}

/// Stream and offset of the first symbol record of this kind, of modules that have one.
fn symbol(session: &Session, kind: u16) -> (u32, u64) {
    let view = NativeView::of(session).unwrap().view;
    let found = (0..view.pdb.modules().len() as u32).find_map(|number| {
        let module = ModuleStream::read_once(view.pdb, view.spaces, number).unwrap()?;
        let symbols = module.symbols();
        let record = Records::of_module(&symbols).map_while(Result::ok).find(|record| record.kind == kind)?;
        Some((module.module.stream()?, record.span().start))
    });
    found.unwrap()
}

#[test]
fn healthy_streams_and_symbols_are_good() {
    let remarks = check(&open(PDB.to_vec()), &SourceOptions::default());
    for rule in ["native-streams", "native-symbols"] {
        assert!(remarks.iter().any(|remark| remark.rule == rule && remark.grade == Grade::Good), "{rule}");
    }
}

#[test]
fn a_wrong_number_of_the_dbi_stream_is_named() {
    let session = open(PDB.to_vec());
    let dbi = NativeView::of(&session).unwrap().view.pdb.dbi.as_ref().unwrap();
    let assert = |at: u64, bytes: &[u8], words: &str| {
        assert_found(&session, (numbers::DBI, at), bytes, "native-streams", words);
    };
    let field = |field| dbi.header.span_of(field).start;
    assert(field(&DbiHeader::machine), &[0x64, 0xaa], "machine 0xaa64, but the image is for 0x8664");
    assert(field(&DbiHeader::age), &[9], "says age 9, and the PDB info stream");
    let module = dbi.modules.iter().find(|module| module.stream().is_some()).unwrap();
    assert(module.sizes_span().start + 2, &[7], "bytes of symbols");
    assert(module.stream_span().start + 1, &[3], "but there are ");
    let last = dbi.contributions.span(dbi.contributions.len() - 1).unwrap();
    assert(last.start, &[9], "a section contribution in section 9: there are 4");
    assert(last.start + 4 + 2, &[9], "a section contribution ends at 0x9");
    assert(last.start + 16, &[99], "a section contribution of module 99: there are 3");
}

#[test]
fn a_wrong_number_of_a_symbol_is_named() {
    let session = open(PDB.to_vec());
    let assert = |(stream, at), bytes: &[u8], words: &str| {
        assert_found(&session, (stream, at), bytes, "native-symbols", words);
    };
    let (stream, function) = symbol(&session, 0x1110);
    assert((stream, function + 4), &[0x40], "S_GPROC32 says that it is in the scope at 0x");
    assert((stream, function + 8 + 3), &[1], "S_GPROC32 says that its scope ends at 0x1");
    assert((stream, function + 16 + 2), &[1], "the code of S_GPROC32 ends at 0001:0001");
    assert((stream, function + 28 + 2), &[1], "S_GPROC32 has the type 0x1");
    assert((stream, function + 32 + 3), &[1], "where no module contributes code");
}

#[test]
fn a_hash_record_without_a_symbol_is_named() {
    let session = open(PDB.to_vec());
    let header = &NativeView::of(&session).unwrap().view.pdb.dbi.as_ref().unwrap().header;
    for (stream, at, what) in
        [(header.global_stream_index, 16, "a global symbol"), (header.public_stream_index, 28 + 16, "a public symbol")]
    {
        let words = format!("a hash record says that {what} is at");
        assert_found(&session, (stream.into(), at + 2), &[7], "native-streams", &words);
    }
}

#[test]
fn the_section_headers_of_the_image_count_more_than_their_copies() {
    let session = open(PDB.to_vec());
    let view = NativeView::of(&session).unwrap().view;
    let stream = u32::from(view.pdb.dbi.as_ref().unwrap().debug_streams[5].value);
    // The address of the first section.
    let words = "the PDB has section 1 (.text) at 0x91000";
    assert_found(&session, (stream, 12 + 2), &[9], "native-streams", words);
    let damaged = open(patched(&session, stream, 12 + 2, &[9]));
    let function = NativeView::of(&session).unwrap().functions()[0];
    for session in [&session, &damaged] {
        let native = NativeView::of(session).unwrap();
        assert_eq!(native.rva_of(&function), Some(0x1000 + function.offset));
        let answer = crate::where_is::where_is(session, CodeUnit::Function(0x1000 + function.offset), 0);
        let hops: Vec<String> = answer.hops.iter().map(crate::where_is::Hop::text).collect();
        let is_damaged = std::ptr::eq(session, &raw const damaged);
        assert_eq!(hops.len(), usize::from(is_damaged), "{hops:?}");
        assert!(hops.iter().all(|hop| hop.contains("the section headers of the image")), "{hops:?}");
    }
}
