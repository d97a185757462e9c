use std::sync::Arc;

use super::*;
use crate::bytes::SpaceId;
use crate::bytes::record::undescribed;

#[test]
fn every_field_of_an_image_has_a_sentence() {
    for sample in ["ticker/Ticker.dll", "ticker-embedded/Ticker.dll", "native/tally.exe"] {
        let path = format!("{}/../../assets/samples/{sample}", env!("CARGO_MANIFEST_DIR"));
        let image = Region::whole(SpaceId(0), Arc::new(std::fs::read(path).unwrap()));
        let pe = Pe::parse(image).unwrap();
        for part in pe.parts() {
            let slice = pe.slice(part).unwrap();
            if !slice.is_empty() {
                assert_eq!(undescribed(slice.data, |c| pe.note(part, c)), [""; 0], "{sample} {part:?}");
            }
        }
    }
}

#[test]
fn every_field_of_every_payload_has_a_sentence() {
    // Every kind of payload, with what may follow it.
    let long = [1; 64];
    let padded = [[1; 16].as_slice(), &[0; 32]].concat();
    let mut payloads: Vec<(u64, &[u8])> = vec![
        (2, b"RSDS0123456789abcdef\x01\0\0\0path\0\0\0"),
        (2, b"NB10\0\0\0\0\x01\0\0\0\x01\0\0\0path\0x"),
        (4, b"\x01\0\0\0\x10\0\0\0\0\0\0\0abc\0\0\0\0\0"),
        (4, b"\x01\0\0\0\x10\0\0\0\0\0\0\0abc\0zyx"),
        (13, b"GCTL\0\x10\0\0\0\x20\0\0.text$mn\0\0\0\0\0\0"),
        (13, b"GCTL\0\x10\0\0\0\x20\0\0.text$mn\0\0\0\0x"),
        (16, b"\x04\0\0\0hash\0\0"),
        (16, b"\x04\0\0\0hash!"),
        (21, b"R2RM0123456789abcdef\x01\0\0\0path\0\0\0"),
        (21, b"R2RM0123456789abcdef\x01\0\0\0path\0x"),
    ];
    for (number, _) in debug::TYPES {
        payloads.extend([(number, &long[..]), (number, &long[..63]), (number, &padded[..])]);
        payloads.extend([(number, &padded[..47]), (number, &[0; 9])]);
    }
    for (kind, bytes) in payloads {
        assert_eq!(undescribed(bytes, |c| debug::note(kind as u32, c).map(drop)), [""; 0], "{kind}");
    }
}

#[test]
fn the_exception_table_has_the_code_of_each_function() {
    let path = format!("{}/../../assets/samples/sorter/sorter.exe", env!("CARGO_MANIFEST_DIR"));
    let image = Region::whole(SpaceId(0), Arc::new(std::fs::read(path).unwrap()));
    let pe = Pe::parse(image).unwrap();
    let table = Exceptions::of(&pe).unwrap();
    assert_eq!((table.len(), table.span().len), (2, 24));
    let entries: Vec<_> = (0..2).map(|index| table.get(index).unwrap()).collect();
    assert!(entries[0].begin + entries[0].size.unwrap() <= entries[1].begin, "{entries:?}");
    assert!(entries.iter().all(|entry| pe.section_of(entry.begin).unwrap().name == ".text"), "{entries:?}");
    assert!(table.get(2).is_err());
    let bytes = pe.bytes(table.span()).unwrap();
    assert_eq!(undescribed(bytes.data, |c| table.decode(c)), [""; 0]);
}
