use super::*;
use crate::bytes::{Slice, SpaceId, Value};

fn read(number: u32, bytes: &[u8]) -> Result<Payload> {
    (kind::of(number).read)(&mut Slice::new(bytes, SpaceId(0), 0).cursor())
}

/// Name, offset and length of every leaf, and the number it is.
fn leaves(kind: u32, bytes: &[u8]) -> Vec<(&'static str, u64, u64, Option<i64>)> {
    let mut cursor = Cursor::recording(Slice::new(bytes, SpaceId(0), 0));
    note(kind, &mut cursor).unwrap();
    let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
    leaves.map(|field| (field.name(), field.span.start, field.span.len, field.value.number())).collect()
}

#[test]
fn every_type_has_its_own_name() {
    assert_eq!(TYPES[2], (2, "CodeView"));
    for (index, (number, name)) in TYPES.iter().enumerate() {
        assert_eq!(*number, index as u64, "{name}");
        assert_eq!(kind::of(*number as u32).name, *name);
    }
    assert_eq!(kind::of(4711).name, "unknown");
}

#[test]
fn groups_of_a_pogo_entry_are_aligned_within_it() {
    let bytes = [
        b"GCTL".as_slice(),                        // 00: "LTCG" as a number
        b"\0\x10\0\0\x20\x0b\0\0.text$di\0\0\0\0", // 04: 0x1000, 0xb20, nine bytes of name, three to align
        b"\x20\x1b\0\0\x10\0\0\0.text$mnop\0\0",   // 18: ends aligned
        b"\0\0\0\0",                               // 2c: no group fits
    ];
    assert_eq!(
        leaves(13, &bytes.concat()),
        [
            ("signature", 0x00, 4, Some(0x4c54_4347)),
            ("rva", 0x04, 4, Some(0x1000)),
            ("size", 0x08, 4, Some(0xb20)),
            ("name", 0x0c, 9, None),
            ("padding", 0x15, 3, None),
            ("rva", 0x18, 4, Some(0x1b20)),
            ("size", 0x1c, 4, Some(0x10)),
            ("name", 0x20, 11, None),
            ("padding", 0x2b, 1, None),
            ("padding", 0x2c, 4, None),
        ]
    );
    assert!(read(13, b"GCTL\0\x10\0\0\x20\x0b\0\0.text$di").is_err(), "a name without an end");
}

#[test]
fn fixups_are_references_and_targets() {
    let bytes = b"\x04\0\x01\0\x34\x12\0\0\x78\x56\0\0\x07\0\0\0\x40\x12\0\0\x80\x56\0\0\0\0\0\0";
    assert_eq!(
        leaves(6, bytes),
        [
            ("type", 0x00, 2, Some(4)),
            ("extra", 0x02, 2, Some(1)),
            ("rva", 0x04, 4, Some(0x1234)),
            ("rva target", 0x08, 4, Some(0x5678)),
            ("type", 0x0c, 2, Some(7)),
            ("extra", 0x0e, 2, Some(0)),
            ("rva", 0x10, 4, Some(0x1240)),
            ("rva target", 0x14, 4, Some(0x5680)),
            ("padding", 0x18, 4, None),
        ]
    );
}

#[test]
fn a_reproducible_entry_has_a_hash_or_nothing() {
    assert_eq!(read(16, b""), Ok(Payload::Reproducible(Reproducible { hash: vec![] })));
    assert_eq!(read(16, b"\x03\0\0\0abc"), Ok(Payload::Reproducible(Reproducible { hash: b"abc".to_vec() })));
    assert!(read(16, b"\x04\0\0\0abc").is_err());
}

#[test]
fn a_feature_entry_counts_control_flow_guard_or_ends_before_it() {
    let counts = [[0, 0, 0, 0], [29, 0, 0, 0], [29, 0, 0, 0], [1, 0, 0, 0], [7, 0, 0, 0]].concat();
    let read_counts = |bytes: &[u8]| leaves(12, bytes).iter().map(|leaf| leaf.3.unwrap()).collect::<Vec<_>>();
    assert_eq!(read_counts(&counts), [0, 29, 29, 1, 7]);
    assert_eq!(read_counts(&counts[..16]), [0, 29, 29, 1]);
    for end in [12, 18] {
        assert!(read(12, &counts[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_perf_map_and_a_checksum() {
    let signature = *b"0123456789abcdef";
    let map = PerfMap { signature, version: 1, path: "a.ni.r2rmap".into() };
    assert_eq!(read(21, b"R2RM0123456789abcdef\x01\0\0\0a.ni.r2rmap\0\0\0\0\0"), Ok(Payload::PerfMap(map)));
    assert!(read(21, b"R2RX0123456789abcdef\x01\0\0\0a.ni.r2rmap\0").is_err());
    let checksum = PdbChecksum { algorithm: "SHA256".into(), checksum: vec![1, 2, 0] };
    assert_eq!(read(19, b"SHA256\0\x01\x02\0"), Ok(Payload::PdbChecksum(checksum)));
    assert!(read(19, b"SHA256").is_err());
}

#[test]
fn an_embedded_pdb_states_a_size_that_can_be() {
    let Ok(Payload::EmbeddedPortablePdb(embedded)) = read(17, b"MPDB\x10\0\0\0deflated") else { panic!() };
    assert_eq!((embedded.size, embedded.deflated), (16, Span::new(SpaceId(0), 8, 8)));
    for bytes in [b"MPDX\x10\0\0\0x", b"MPDB\0\0\0\0x", b"MPDB\x10\0\0\x80x"] {
        assert!(read(17, bytes).is_err());
    }
}

#[test]
fn the_name_of_a_dbg_file_is_of_either_width() {
    let narrow = leaves(4, b"\x01\0\0\0\x14\0\0\0\0\0\0\0a.dbg\0\0\0");
    assert_eq!(narrow[4..], [("name", 12, 6, None), ("padding", 18, 2, None)]);
    let wide = leaves(4, b"\x01\0\0\0\x14\0\0\0\x01\0\0\0a\0\0\x01\0\0\0\0");
    assert_eq!(wide[4..], [("name", 12, 6, None), ("padding", 18, 2, None)]);
}

#[test]
fn explaining_a_very_long_table_stops_somewhere() {
    let bytes = vec![1; 8 * 20_000];
    let fields = leaves(7, &bytes);
    assert_eq!(fields.last(), Some(&("rest", 80_000, 80_000, None)));
    assert_eq!(read(7, &bytes), Ok(Payload::Other));
}
