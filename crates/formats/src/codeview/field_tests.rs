//! Fields of native records: they tile their records, and each has a sentence.

use super::inline::{annotation, inlinees};
use super::symbols::{Records, Symbol};
use super::types::{KINDS, TypeData};
use crate::bytes::{Cursor, Origin, Slice, SpaceId, Spaces};
use crate::msf::Msf;
use crate::pdb::{ModuleStream, Pdb, TypeStream};
use crate::pe::SectionHeader;
use crate::pe::debug::OmapEntry;
use crate::testing::{described, described_slice};

#[test]
fn every_field_of_the_sample_has_a_sentence() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.pdb");
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), std::fs::read(path).unwrap()).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    let pdb = Pdb::parse(&spaces, msf);
    for stream in [2, 4] {
        for record in TypeStream::parse(pdb.stream(&spaces, stream).unwrap()).iter() {
            described_slice(record.slice, |c| TypeData::decode(c).map(drop));
        }
    }
    for number in 0..pdb.modules().len() as u32 {
        let module = ModuleStream::read(&pdb, &spaces, number).unwrap();
        for record in Records::of_module(&module.symbols()) {
            described_slice(record.unwrap().slice, |c| Symbol::decode(c).map(drop));
        }
    }
    let sections = pdb.stream(&spaces, 11).unwrap();
    described_slice(sections.slice().part(0, 40).unwrap(), |c| SectionHeader::decode(c).map(drop));
}

#[test]
fn every_field_that_is_not_in_the_sample_has_a_sentence() {
    described(b"\x01\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x01\0\0\0\x04\0\0\0", |c| inlinees(c, |_| ()));
    described(b"\x0c\x05\x06", |c| annotation(c).map(drop));
    for opcode in (1..14).filter(|opcode| *opcode != 12) {
        described(&[opcode, 5], |c| annotation(c).map(drop));
    }
    described(&[1; 8], |c| OmapEntry::decode(c).map(drop));
    // A record of each kind of type, its numbers all 0, and one of each kind of member.
    for (kind, _) in KINDS {
        let kind = *kind as u16;
        let is_member = matches!(kind, 0x1400..=0x14ff | 0x1502 | 0x150c..=0x1513 | 0x151a);
        let mut bytes = [60_u16.to_le_bytes(), 0x1203_u16.to_le_bytes()].concat();
        if is_member {
            bytes.extend(kind.to_le_bytes());
            // Attributes of a virtual function that is the first.
            bytes.extend([0x13, 0]);
        } else {
            bytes[2..4].copy_from_slice(&kind.to_le_bytes());
        }
        bytes.resize(62, 0);
        let mut cursor = Cursor::recording(Slice::new(&bytes, SpaceId(0), 0));
        // What follows the first member is none: only what was read is looked at.
        let _ = TypeData::decode(&mut cursor);
        let fields = cursor.fields();
        assert!(fields.len() > 3 && fields.iter().all(|field| !field.doc.about.is_empty()), "{kind:x}: {fields:?}");
    }
}
