//! Drills: compressed integers from a seed.

use super::Question;
use crate::codec::Codec;
use crate::lesson::file::Hide;

/// Bits of the amounts of drills, in turn: one byte, two bytes, and once four.
const BITS: [u32; 10] = [6, 6, 6, 6, 12, 12, 6, 13, 12, 24];
/// Bits of a number of four bytes, and of the number of two bytes in its place for who is not sure yet.
const LONG_AND_SPARE: [u32; 2] = [24, 12];

/// `count` drills: signed and unsigned, bytes to number and number to bytes. The same seed makes the same drills.
pub(super) fn drills(count: usize, seed: u64) -> Vec<Question> {
    let mut random = Random(seed);
    (0..count).filter_map(|index| drill(index, bits(index), &mut random)).collect()
}

/// Drills of two bytes in the place of those of four, by their index.
pub(crate) fn spares(count: usize, seed: u64) -> Vec<(usize, Question)> {
    let [long, spare] = LONG_AND_SPARE;
    let mut random = Random(!seed);
    let is_long = (0..count).filter(|index| bits(*index) == long);
    is_long.filter_map(|index| Some((index, drill(index, spare, &mut random)?))).collect()
}

fn bits(index: usize) -> u32 {
    BITS.iter().cycle().nth(index).copied().unwrap_or(0)
}

fn drill(index: usize, bits: u32, random: &mut Random) -> Option<Question> {
    let signed = index.is_multiple_of(2);
    let amount = (random.next() & !(u64::MAX << bits)) + 1;
    let number = if signed && index % 4 != 2 { -amount.cast_signed() } else { amount.cast_signed() };
    let codec = Codec::named(if signed { "sint" } else { "uint" })?;
    let bytes = codec.encode(&number.to_string()).ok()?;
    let steps = codec.decode(&bytes).steps;
    let at = steps.list.iter().position(|step| !step.field.group)?;
    let hide = if index % 3 == 2 { Hide::Bytes } else { Hide::Value };
    let mut question = super::hidden::question(&steps, at, hide)?;
    let (article, form) = if signed { ("a", "signed") } else { ("an", "unsigned") };
    question.prompt = match hide {
        Hide::Bytes => format!("Which bytes are {number} as {article} {form} compressed integer?"),
        _ => format!(
            "Which number is the {form} compressed integer {}?",
            pdblens_session::text::safe::spaced_hex(&bytes, 4)
        ),
    };
    question.given.clear();
    Some(question)
}

/// Numbers that look random (`splitmix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
