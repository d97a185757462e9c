use pdblens_session::session::Session;
use proptest::prelude::*;

use super::*;
use crate::codec::{Codec, parse_hex};
use crate::steps;

fn walk_of(kind: &str, text: &str) -> Reading {
    let codec = Codec::named(kind).unwrap();
    let decoded = codec.decode(&codec.encode(text).unwrap());
    reading(decoded.steps.reads().next().unwrap()).unwrap()
}

fn last_value(walk: &Reading) -> String {
    walk.bit_steps.last().unwrap().state.iter().find(|(name, _)| *name == "value").unwrap().1.clone()
}

#[test]
fn a_signed_number_is_read_from_its_prefix_to_its_sign() {
    let walk = walk_of("sint", "-5");
    assert_eq!(
        (walk.caption.as_str(), walk.bits.clone()),
        ("byte 77", [0, 1, 1, 1, 0, 1, 1, 1].map(|bit| bit == 1).to_vec())
    );
    let texts: Vec<&str> = walk.bit_steps.iter().map(|step| step.text.as_str()).collect();
    assert_eq!(texts.len(), 11);
    assert_eq!(texts[0], "bit 7 is 0: the number has one byte");
    assert_eq!(texts[7], "payload: 59 × 2 + 1 = 119");
    assert_eq!(texts[8], "the lowest bit is the sign: 1, negative");
    assert!(texts[9].starts_with("rotate right"), "{}", texts[9]);
    assert_eq!(texts[10], "two's complement of 7 bits: 123 − 128 = -5");
    let state = &walk.bit_steps[10].state;
    assert!(state.contains(&("rotated", "1111011 = 123".to_owned())), "{state:?}");
    assert_eq!((walk.bit_steps[0].bits.clone(), walk.bit_steps[8].bits.clone()), (0..1, 7..8));
}

#[test]
fn the_prefix_of_four_bytes_has_three_bits() {
    let walk = walk_of("uint", "16384");
    assert_eq!(walk.bit_steps[2].state, [("length", "4 bytes, big-endian: 29 bits of payload".to_owned())]);
    assert_eq!((walk.bit_steps[3].bits.clone(), last_value(&walk)), (3..4, "16384".to_owned()));
}

#[test]
fn a_coded_index_ends_with_its_tag_and_row() {
    let codec = Codec::named("type").unwrap();
    let decoded = codec.decode(&[0x12, 0x0d]);
    let index = decoded.steps.reads().find(|step| step.field.name == "type").unwrap();
    let walk = reading(index).unwrap();
    let [tag, row] = walk.bit_steps.last_chunk::<2>().unwrap();
    assert!(
        tag.text.ends_with("1 selects TypeRef") && row.text.ends_with("13 ÷ 4 = 3, and the remainder 1 is the tag"),
        "{walk:?}"
    );
    assert_eq!((tag.bits.clone(), row.bits.clone()), (6..8, 1..6));
}

#[test]
fn flags_name_their_bits_and_other_numbers_their_bytes() {
    let codec = Codec::named("references").unwrap();
    let (hex, _) = codec.example;
    let steps = codec.decode(&parse_hex(hex).unwrap()).steps;
    let of = |name: &str| reading(steps.reads().find(|step| step.field.name == name).unwrap()).unwrap();
    let texts: Vec<String> = of("flags").bit_steps.into_iter().map(|step| step.text).collect();
    assert_eq!(texts, ["0x1 is set: assembly", "0x2 is not set: not interop types embedded"]);
    let size = of("size of image");
    assert_eq!(size.bit_steps[1].text, "byte 2, 20, counts 256^1: 32 × 256 = 8192");
}

proptest! {
    #[test]
    fn the_last_state_is_the_value(unsigned in 0_u32..0x2000_0000, signed in -0x1000_0000_i32..0x1000_0000) {
        prop_assert_eq!(last_value(&walk_of("uint", &unsigned.to_string())), unsigned.to_string());
        let walk = walk_of("sint", &signed.to_string());
        prop_assert_eq!(last_value(&walk), signed.to_string());
        for step in &walk.bit_steps {
            prop_assert!(step.bits.end <= walk.bits.len() && !step.bits.is_empty());
        }
    }
}

/// Rows of the readings of all steps: label, bits, text.
fn rows(kind: &str, hex: &str) -> Vec<String> {
    let steps = Codec::named(kind).unwrap().decode(&parse_hex(hex).unwrap()).steps;
    let rows = steps.list.iter().filter_map(reading).flat_map(|found| found.rows);
    rows.map(|row| format!("{} | {} | {}", row.label, row.bits_text(), row.text)).collect()
}

#[test]
fn every_transformation_of_a_number_is_a_row() {
    for (kind, hex, row) in [
        ("slots", "01 2a", "syntax offset |  | 42 − 1 = 41: the baseline is -1"),
        ("slots", "01 2a", "stored plus 1 |  | 1 − 1 = 0"),
        ("slots", "ff 05 16 01", "baseline |  | 5, negated: -5"),
        ("slots", "ff 05 16 01", "syntax offset |  | 1 − 5 = -4: the baseline is -5"),
        ("lambda-map", "02 01 02 05 03", "syntax offset |  | 5 − 1 = 4: the baseline is -1"),
        ("lambda-map", "02 01 02 05 03", "stored plus 1 |  | 2 − 1 = 1"),
        (
            "dynamic",
            "05",
            "byte 05 | 0 0 0 0 0 1 0 1 | set for element 0, 2 of the type, counted from 0 at the lowest bit",
        ),
        ("uint", "80 01", "not the shortest form |  | 1 fits into 1 byte, and writers use the fewest bytes"),
        ("sint", "80 02", "not the shortest form"),
        ("signature", "07 01 12 08", "TypeDefOrRef |   0 0 0 1 0 0 0 | the lowest 2 bits are the tag"),
        (
            "constant",
            "11 84 01 82 96 00 00 00 00 00 00 00 00 00 00 00",
            "0x7f | . 0 0 0 0 0 1 0 | the scale: 2, so the integer is divided by 10 to the power of 2",
        ),
        ("constant", "11 84 01 82 96 00 00 00 00 00 00 00 00 00 00 00", "0x80 | 1 . . . . . . . | the sign: negative"),
    ] {
        let found = rows(kind, hex);
        assert!(found.iter().any(|found| found.starts_with(row)), "{row} in {found:#?}");
    }
    // -8192 needs two bytes, -64 one.
    assert!(!rows("sint", "80 01").iter().any(|row| row.starts_with("not the shortest")));
    assert!(!rows("uint", "80 80").iter().any(|row| row.starts_with("not the shortest")));
}

#[test]
fn covered_arithmetic_has_the_bytes_and_not_the_value() {
    let session = Session::sample();
    let row = steps(&session, "table/MemberRef/1".parse().unwrap()).unwrap();
    let class = row.reads().find(|step| step.field.name == "Class").unwrap();
    let rows = covered_rows(class);
    let value = format!("{:04x}", class.raw.unwrap());
    assert!(rows[0].label.starts_with("bytes ") && !rows[0].text.contains(&value), "{rows:?}");
    assert!(reading(class).unwrap().rows[0].text.contains(&value));
}
