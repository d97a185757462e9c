//! Drills: compressed integers from a seed.

use super::Question;
use crate::codec::Codec;
use crate::lesson::file::Hide;

/// Bits of the amounts of drills, in turn: one byte, two bytes, and once four.
const BITS: [u32; 10] = [6, 6, 6, 6, 12, 12, 6, 13, 12, 24];

/// `count` drills: signed and unsigned, bytes to number and number to bytes. The same seed makes the same drills.
pub(super) fn drills(count: usize, seed: u64) -> Vec<Question> {
    let mut random = Random(seed);
    (0..count).filter_map(|index| drill(index, &mut random)).collect()
}

fn drill(index: usize, random: &mut Random) -> Option<Question> {
    let bits = *BITS.iter().cycle().nth(index)?;
    let signed = index.is_multiple_of(2);
    let amount = (random.next() & !(u64::MAX << bits)).saturating_add(1);
    let number = if signed && index % 4 != 2 { amount.cast_signed().saturating_neg() } else { amount.cast_signed() };
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
