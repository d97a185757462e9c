use super::*;
use crate::bytes::{Slice, SpaceId, Value};
use std::sync::Arc;

fn parse(text: &[u8]) -> SrcSrv {
    SrcSrv::parse(Region::whole(SpaceId(0), Arc::new(text.to_vec())))
}

fn problems(srcsrv: &SrcSrv) -> Vec<(String, String)> {
    srcsrv.problems.iter().map(|error| (error.to_string(), srcsrv.text(error.span).into_owned())).collect()
}

/// Runs the noting decoder; its leaves tile the text.
fn assert_tiles(text: &[u8]) {
    let mut cursor = Cursor::recording(Slice::new(text, SpaceId(0), 0));
    SrcSrv::decode(&mut cursor).unwrap();
    let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
    let end = leaves.fold(0, |end, leaf| {
        assert_eq!(leaf.span.start, end, "{}", leaf.name());
        leaf.span.end()
    });
    assert_eq!(end, text.len() as u64);
}

#[test]
fn the_sample_is_taken_apart() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sources/native/srcsrv.txt");
    let text = std::fs::read(path).unwrap();
    let srcsrv = parse(&text);
    assert_eq!(problems(&srcsrv), []);
    assert_eq!((srcsrv.ini.len(), srcsrv.variables.len(), srcsrv.files.len()), (3, 7, 2));
    let target = srcsrv.variables[5];
    assert_eq!(srcsrv.text(target.name), "SRCSRVTRG");
    assert_eq!(srcsrv.text(target.value), "%http_extract_target%");
    let parts: Vec<_> = srcsrv.parts(&srcsrv.files[0]).collect();
    assert_eq!(parts, ["/src/native/tally.c", "tally", "1.2.3.4", "native/tally.c", "DEPOT_A"]);
    assert_tiles(&text);
}

#[test]
fn a_broken_text_is_read_as_far_as_it_goes() {
    let text = b"hello\r\nSRCSRV: ini --\r\nVERSION=2\r\nnothing\r\n=x\r\n\r\nsrcsrv: variables\nA=b=c\nSRCSRV: variables --\n\
        D=\xff \nSRCSRV: source files\nc:\\a.c*1*\xe9\nSRCSRV: what\nc:\\b.c";
    let srcsrv = parse(text);
    assert_tiles(text);
    let found = problems(&srcsrv);
    let found: Vec<_> = found.iter().map(|(sentence, line)| (sentence.as_str(), line.as_str())).collect();
    assert_eq!(
        found[..5],
        [
            ("a line before the first heading", "hello"),
            ("a line without the = that an assignment has", "nothing"),
            ("an assignment to nothing", "=x"),
            ("duplicate section", "SRCSRV: variables --"),
            ("a heading of no known section", "SRCSRV: what"),
        ]
    );
    assert_eq!(found[5].0, "there is no SRCSRV: end, so it may be cut short");
    let values: Vec<_> = srcsrv.variables.iter().map(|a| srcsrv.text(a.value)).collect();
    assert_eq!(values, ["b=c", "\u{fffd} "]);
    assert_eq!(srcsrv.files.iter().map(|file| srcsrv.parts(file).count()).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn cut_and_flipped_texts_are_tiled_too() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sources/native/srcsrv.txt");
    let text = std::fs::read(path).unwrap();
    for at in 0..text.len() {
        assert_tiles(&text[..at]);
        parse(&text[..at]);
        for bits in [0x01, 0x80, 0xff] {
            let mut text = text.clone();
            text[at] ^= bits;
            assert_tiles(&text);
        }
    }
    assert_tiles(b"SRCSRV: end\r\n\0\0\0");
}

#[test]
fn problems_are_not_kept_without_end() {
    assert_eq!(parse(&b"x\n".repeat(5000)).problems.len(), MAX_PROBLEMS);
}

#[test]
fn every_field_has_a_sentence() {
    let text = b"x\n\nSRCSRV: ini\nA=b\nSRCSRV: source files\n1*2*3*4*5*6*7*8*9*10*11\n";
    let slice = Slice::new(text, SpaceId(0), 0);
    let fields = crate::testing::described_slice(slice, SrcSrv::decode);
    assert!(fields.iter().any(|field| field.name() == "further variable"));
}
