//! Questions about two readers that differ in one line: which of them is right, and which byte betrays the other.

use serde::{Deserialize, Deserializer};

use super::Question;
use crate::codec::{Codec, parse_hex};
use crate::{Step, Steps};
use pdblens_session::text::safe::spaced_hex;

/// Two readers that differ in one line, and bytes that both read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderPair {
    /// Kind of the bytes, as `pdblens decode` has it.
    pub kind: String,
    /// Lines of the right and of the wrong reader.
    pub right: String,
    pub wrong: String,
    #[serde(deserialize_with = "hex_bytes")]
    pub bytes: Vec<u8>,
    /// Offset of the first read that differs.
    pub differ: u64,
    /// Value that the wrong reader has there.
    pub gives: String,
}

fn hex_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    parse_hex(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

/// The question; the right reader is A or B, by the bytes.
pub(crate) fn question(pair: &ReaderPair) -> Option<Question> {
    let codec = Codec::named(&pair.kind)?;
    let steps: Steps = codec.decode(&pair.bytes).steps;
    let reads: Vec<&Step> = steps.reads().collect();
    let betrayed = reads.iter().find(|step| step.field.span.start == pair.differ)?;
    let is_a = pair.bytes.iter().fold(0, |sum: u8, byte| sum ^ byte).count_ones().is_multiple_of(2);
    let (right, other) = if is_a { ("A", "B") } else { ("B", "A") };
    let (a, b) = if is_a { (&pair.right, &pair.wrong) } else { (&pair.wrong, &pair.right) };
    let (differ, name, value) = (pair.differ, &betrayed.field.name, &betrayed.field.value);
    let prompt = "Two readers differ in one line. Which of them is right, and at which offset is the byte that betrays the other?";
    let text = format!("{right} {differ}");
    let mut question =
        Question::of_text(prompt, vec![text, format!("{right} {differ:#x}"), format!("{right} {differ:#04x}")])
            .fact("reader A", a)
            .fact("reader B", b)
            .fact("bytes", spaced_hex(&pair.bytes, usize::MAX))
            .fact("kind", codec.name)
            .hint("Answer with a letter and an offset from the first byte, such as A 0x00.")
            .hint("Decode the bytes by hand, and use both lines wherever one of them is used.")
            .solved(format!(
                "At {differ:#04x}, {}: {name} is {value}, and reader {other} has {}.",
                spaced_hex(&betrayed.bytes, 8),
                pair.gives
            ));
    question.wrong(format!("{other} {differ:#x}"), "That is the byte, but the other reader is the one that is right.");
    for step in reads.iter().filter(|step| step.field.span.start != differ) {
        let at = step.field.span.start;
        let because = if at < differ {
            format!("Both read the same at {at:#04x}: {} is {}.", step.field.name, step.field.value)
        } else {
            format!("They differ before {at:#04x}.")
        };
        for letter in ["A", "B"] {
            question.wrong(format!("{letter} {at:#x}"), &because);
        }
    }
    Some(question)
}
