//! Streams and pages of the sample Windows PDBs: every page has an owner, and every byte a field.

use pdblens::nodes;
use pdblens::nodes::function::NativeView;
use std::time::Instant;

use crate::support::samples::{repository, samples};
use crate::support::synth::native::Native;
use crate::support::synth::{Recipe, malformed_msf, sparse};
use pdblens::bytes::Span;
use pdblens::nodes::Place;
use pdblens::nodes::fields::Fields;
use pdblens::session::Session;

const SAMPLES: [&str; 5] = ["workshop-windows", "ticker-windows", "ticker-windows-release", "ledger-windows", "native"];

fn open(folder: &str) -> Session {
    let sample = samples().into_iter().find(|sample| sample.name == folder).unwrap();
    Session::open(&sample.files()).unwrap()
}

fn of_bytes(bytes: Vec<u8>) -> Option<Session> {
    Session::from_bytes(vec![("x.pdb".into(), bytes)]).ok()
}

fn assert_tiles(span: Span, parts: impl Iterator<Item = Span>, what: &str) {
    let end = parts.fold(span.start, |end, part| {
        assert_eq!((part.space, part.start), (span.space, end), "{what}");
        part.end()
    });
    assert_eq!(end, span.end(), "{what}");
}

fn assert_explained(fields: &Fields) {
    assert_eq!(fields.error, None, "{}", fields.title);
    assert_tiles(fields.span, fields.leaves().map(|leaf| leaf.span), &fields.title);
    for row in fields.rows.iter().filter(|row| !row.group) {
        assert!(!row.about.is_empty(), "{}: nothing is said about {}", fields.title, row.name);
    }
}

#[test]
fn every_byte_of_every_stream_is_in_a_record_and_every_byte_of_a_record_is_a_field() {
    for folder in SAMPLES {
        let session = open(folder);
        let streams = nodes::rows(&session, Place::Streams).unwrap();
        let mut records = 0;
        for stream in streams.iter() {
            let (place, span) = (stream.place.unwrap(), stream.span.unwrap());
            assert!(!stream.cells[1].text.is_empty(), "{folder}: nothing is known of {place}");
            assert_eq!(nodes::bytes(&session, place), Some(span), "{folder} {place}");
            assert_eq!(stream.cells[2].text, span.len.to_string());
            let rows: Vec<_> = nodes::rows(&session, place).unwrap().iter().collect();
            assert_tiles(span, rows.iter().map(|row| row.span.unwrap()), &format!("{folder} {place}"));
            for row in &rows {
                let record = row.place.unwrap();
                let Place::Record(..) = record else { continue };
                let fields =
                    nodes::fields(&session, record).unwrap_or_else(|| panic!("{folder}: {record} is not explained"));
                assert_eq!(Some(fields.span), row.span, "{folder} {record}");
                assert_explained(&fields);
                assert_eq!(nodes::resolve(&session, &record.to_string()), Ok(record));
                records += 1;
            }
        }
        assert!(records > 60, "{folder}: {records} records");
        for place in [Place::Header, Place::Directory, Place::Module(0)] {
            assert_explained(&nodes::fields(&session, place).unwrap());
        }
        let rows = |place| nodes::rows(&session, place).unwrap().len;
        assert!(rows(Place::Module(0)) >= 3 && rows(Place::Contributions) >= 2 && rows(Place::SectionMap) >= 2);
        assert!(nodes::fields(&session, Place::Record(1, 3)).is_none(), "no record begins in the middle of another");
    }
}

#[test]
fn every_page_has_an_owner() {
    for folder in SAMPLES {
        let session = open(folder);
        let file = session.symbol_file().unwrap().space;
        let whole = Span::new(file, 0, session.spaces().get(file).unwrap().len());
        let runs = nodes::rows(&session, Place::Pages).unwrap();
        assert_tiles(whole, runs.iter().map(|run| run.span.unwrap()), folder);
        let words = ["superblock", "FPM1", "FPM2", "directory", "directory's block map", "stream 1 ·"];
        for word in words {
            assert!(runs.iter().any(|run| run.cells[3].text.starts_with(word)), "{folder}: no {word}");
        }
        let page_size = runs.get(0).unwrap().span.unwrap().len;
        for page in 0..whole.len / page_size {
            let fields = nodes::fields(&session, Place::Page(page as u32)).unwrap();
            assert_eq!(fields.span, whole.part(page * page_size, page_size));
            assert_explained(&fields);
        }
        assert!(nodes::fields(&session, Place::Page((whole.len / page_size) as u32)).is_none());
    }
}

#[test]
fn a_stream_is_written_as_it_stands() {
    let session = open("native");
    let srcsrv = nodes::bytes(&session, "stream/5".parse().unwrap()).unwrap();
    let text = session.spaces().read(srcsrv).unwrap();
    assert!(text.starts_with(b"SRCSRV: ini") && srcsrv.len == 691);
}

/// Asks for everything that can be listed, and what each row of it says; of long lists the beginning.
fn ask_for_everything(session: &Session) {
    let rows = nodes::rows(session, Place::Places).unwrap();
    let places: Vec<Place> = rows.iter().filter_map(|row| row.place).filter(|place| *place != Place::Places).collect();
    for place in places {
        for row in nodes::rows(session, place).iter().flat_map(|rows| rows.window(0..40).collect::<Vec<_>>()) {
            let Some(place) = row.place else { continue };
            let _ = nodes::fields(session, place);
            for row in nodes::rows(session, place).iter().flat_map(|rows| rows.window(0..20).collect::<Vec<_>>()) {
                let _ = row.place.map(|place| nodes::fields(session, place));
            }
        }
    }
}

#[test]
fn malformed_files_are_shown_up_to_the_fault() {
    for (_, make) in malformed_msf::MALFORMED {
        if let Some(session) = of_bytes(make()) {
            ask_for_everything(&session);
        }
    }
}

#[test]
fn truncated_and_flipped_files_are_shown_up_to_the_fault() {
    for path in ["ticker-windows/Ticker.pdb", "native/tally.pdb"] {
        let bytes = std::fs::read(repository("assets/samples").join(path)).unwrap();
        let step = bytes.len() / 12;
        for at in (1..bytes.len()).step_by(step) {
            of_bytes(bytes[..at].to_vec()).iter().for_each(ask_for_everything);
            let mut flipped = bytes.clone();
            flipped[at..(at + 64).min(bytes.len())].iter_mut().for_each(|byte| *byte ^= 0xff);
            of_bytes(flipped).iter().for_each(ask_for_everything);
        }
    }
}

#[test]
fn generated_files_decode_to_their_input() {
    let bytes = Native { modules: 12, functions: 9, lines: 20, seed: 7 }.pdb(512);
    let session = of_bytes(bytes).unwrap();
    assert_eq!(nodes::rows(&session, Place::Modules).unwrap().len, 12);
    assert_eq!(nodes::rows(&session, Place::Functions).unwrap().len, 12 * 9);
    let managed = of_bytes(Recipe::of(40).windows(512)).unwrap();
    assert!(managed.windows_pdb().is_some() && NativeView::of(&managed).is_none());
    assert!(managed.methods() > 0);
}

#[test]
fn a_large_container_opens_without_being_read() {
    let path = std::env::temp_dir().join(format!("pdblens-sparse-{}.pdb", std::process::id()));
    sparse::write(&path, 1 << 30, 4096, 64).unwrap();
    let begin = Instant::now();
    let session = Session::open(std::slice::from_ref(&path));
    let took = begin.elapsed();
    let streams = session.as_ref().map(|session| nodes::rows(session, Place::Streams).unwrap().iter().count());
    std::fs::remove_file(&path).unwrap();
    assert_eq!(streams.unwrap(), 70);
    assert!(took.as_millis() < 2000, "{took:?}");
}

#[test]
fn header_only_formats_are_named_and_explained() {
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let small = [&b"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0"[..], &numbers(&[0x400, 0x123_0001, 0x500, 0])];
    let msfz =
        [&b"Microsoft MSFZ Container\r\n\x1aALD\0\0"[..], &numbers(&[0, 0, 0x50, 0, 0x90, 0, 3, 1, 0x40, 0x60, 2, 40])];
    for (bytes, name, fields) in [(small, "MSF 2.00", 8), (msfz, "MSFZ", 10)] {
        let bytes = [bytes.concat(), vec![0; 200]].concat();
        let session = of_bytes(bytes).unwrap();
        // The chunk table of MSFZ is not there.
        assert_eq!(session.problems().len(), usize::from(name == "MSFZ"), "{name}");
        let overview = nodes::rows(&session, Place::Overview).unwrap();
        let says = |what: &str| overview.iter().any(|row| row.cells.iter().any(|cell| cell.text.contains(what)));
        assert!(says(name) && says("only the header is read"), "{name}");
        let header = nodes::fields(&session, Place::Header).unwrap();
        assert_explained(&header);
        assert!(header.leaves().count() >= fields, "{name}: {}", header.leaves().count());
        ask_for_everything(&session);
    }
    let cut = of_bytes(b"Microsoft C/C++ program database 2.00\r\n\x1aJG and no more".to_vec()).unwrap();
    assert_eq!(cut.problems().len(), 1);
    let unread = Session::from_bytes(vec![("x.ildb".into(), b"_ildb_signature\0 and no more".to_vec())]);
    let unread = unread.unwrap_err().to_string();
    assert!(unread.contains("CILDB symbol file"), "{unread}");
}
