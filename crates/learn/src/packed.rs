//! Parts of a derivation that one kind of number has: flags of dynamic types, sign and scale of a decimal, an amount that is stored
//! with the number, and a form that is longer than needed.

use super::derivation::{BitRole, Derivation, DerivationRow, bits};
use super::steps::Step;
use pdblens_formats::bytes::ReadAs;
use pdblens_session::text::safe::count;

/// Bytes of flags that are drawn.
const MAX_FLAG_BYTES: usize = 32;
/// The largest amount that formats add to a number before they store it.
const MAX_ADDED: i64 = 2;

/// Row for a number that fewer bytes could hold.
pub(super) fn shortest(step: &Step, signed: bool) -> Option<DerivationRow> {
    let number = step.field.number?;
    let fits = |bits: u32| match signed {
        true => (-(1_i64 << (bits - 1))..1 << (bits - 1)).contains(&number),
        false => (0..1 << bits).contains(&number),
    };
    let fewest = if fits(7) {
        1
    } else if fits(14) {
        2
    } else {
        4
    };
    (fewest < step.bytes.len()).then(|| {
        let text = format!("{number} fits into {}, and writers use the fewest bytes", count(fewest as u64, "byte"));
        DerivationRow::words("not the shortest form", text)
    })
}

/// Rows for the bits of dynamic parts of a type, the lowest first.
pub(super) fn flags(step: &Step) -> Option<Derivation> {
    if step.record != "dynamic local variable" || step.field.name != "flags" {
        return None;
    }
    let row = |(index, byte): (usize, &u8)| {
        let set = (0..8).filter(|bit| byte >> bit & 1 == 1).map(|bit| (index * 8 + bit).to_string());
        let set: Vec<String> = set.collect();
        let text = if set.is_empty() { "no element".to_owned() } else { format!("set for element {}", set.join(", ")) };
        DerivationRow {
            label: format!("byte {byte:02x}"),
            bits: bits(u64::from(*byte), 8, |_| BitRole::Payload),
            indent: 0,
            text: format!("{text} of the type, counted from 0 at the lowest bit"),
        }
    };
    let rows = step.bytes.iter().take(MAX_FLAG_BYTES).enumerate().map(row).collect();
    Some(Derivation { title: "bits, the lowest first".to_owned(), rows })
}

/// Rows for the sign and the scale of a decimal.
pub(super) fn decimal(step: &Step) -> Vec<DerivationRow> {
    let Some(byte) = step.bytes.first().filter(|_| step.field.name == "sign and scale") else { return Vec::new() };
    let row = |mask: u8, text: String| {
        let role = move |bit: u32| if mask >> bit & 1 == 1 { BitRole::Payload } else { BitRole::Unused };
        DerivationRow { label: format!("{mask:#04x}"), bits: bits(u64::from(byte & mask), 8, role), indent: 0, text }
    };
    let scale = byte & 0x7f;
    let sign = if byte >> 7 == 1 { "negative" } else { "not negative" };
    vec![
        row(0x80, format!("the sign: {sign}")),
        row(0x7f, format!("the scale: {scale}, so the integer is divided by 10 to the power of {scale}")),
    ]
}

/// Row for a number that is stored with an amount added, which no change of state tells.
pub(super) fn decoded(step: &Step) -> Option<DerivationRow> {
    let (stored, decoded) = step.field.stored.as_ref().filter(|_| step.field.read != ReadAs::CompressedSigned)?;
    if !step.field.changes.is_empty() {
        return None;
    }
    let (stored, decoded) = (stored.parse::<i64>().ok()?, decoded.parse::<i64>().ok()?);
    let added = stored.checked_sub(decoded).filter(|added| (1..=MAX_ADDED).contains(added))?;
    Some(DerivationRow::words(format!("stored plus {added}"), format!("{stored} − {added} = {decoded}")))
}

#[cfg(test)]
mod tests {
    use crate::codec::{Codec, parse_hex};
    use crate::derive;

    /// Rows of the derivations of all steps: label, bits, text.
    fn rows(kind: &str, hex: &str) -> Vec<String> {
        let steps = Codec::named(kind).unwrap().decode(&parse_hex(hex).unwrap()).steps;
        let rows = steps.list.iter().filter_map(derive).flat_map(|found| found.rows);
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
            (
                "constant",
                "11 84 01 82 96 00 00 00 00 00 00 00 00 00 00 00",
                "0x80 | 1 . . . . . . . | the sign: negative",
            ),
        ] {
            let found = rows(kind, hex);
            assert!(found.iter().any(|found| found.starts_with(row)), "{row} in {found:#?}");
        }
        // -8192 needs two bytes, -64 one.
        assert!(!rows("sint", "80 01").iter().any(|row| row.starts_with("not the shortest")));
        assert!(!rows("uint", "80 80").iter().any(|row| row.starts_with("not the shortest")));
    }
}
