//! Slot maps of Edit and Continue.

use super::{Codec, EncodeError, Encoded, number, put_unsigned};
use pdblens_formats::portable::custom::local_slot_map::{self, LocalSlot};

/// Baseline of syntax offsets that a map without a record of its own has.
const NO_BASELINE: i32 = -1;
const MAX_KIND: u8 = 0x3e;

pub(super) const SLOTS: Codec = Codec {
    name: "slots",
    about: "a slot map, KIND@SYNTAX-OFFSET#ORDINAL each, or temporary: 0@41 0@767 temporary 1@8",
    paragraph: "Portable PDB › Edit and Continue Local Slot Map",
    example: ("01 2a 01 80 83 00 02 09", "0@41 0@130 temporary 1@8"),
    decode: |c| {
        let slots = local_slot_map::decode(c)?;
        let one = |slot: &LocalSlot| match *slot {
            LocalSlot::Temporary => "temporary".to_owned(),
            LocalSlot::Variable { kind, syntax_offset, ordinal: 0 } => format!("{kind}@{syntax_offset}"),
            LocalSlot::Variable { kind, syntax_offset, ordinal } => format!("{kind}@{syntax_offset}#{ordinal}"),
        };
        Ok(slots.iter().map(one).collect::<Vec<_>>().join(" "))
    },
    encode,
};

fn parse(word: &str) -> Encoded<LocalSlot> {
    if word == "temporary" {
        return Ok(LocalSlot::Temporary);
    }
    let form = || EncodeError::new(word, "KIND@SYNTAX-OFFSET is expected, such as 0@41, or `temporary`");
    let (kind, rest) = word.split_once('@').ok_or_else(form)?;
    let (offset, ordinal) = rest.split_once('#').unwrap_or((rest, "0"));
    let kind = number::<u8>(kind)?;
    if kind > MAX_KIND {
        return Err(EncodeError::new(word, format!("the kind exceeds {MAX_KIND}")));
    }
    Ok(LocalSlot::Variable { kind, syntax_offset: number(offset)?, ordinal: number(ordinal)? })
}

fn encode(text: &str) -> Encoded {
    let slots = text.split_whitespace().map(parse).collect::<Encoded<Vec<_>>>()?;
    let offset = |slot: &LocalSlot| match slot {
        LocalSlot::Variable { syntax_offset, .. } => Some(*syntax_offset),
        LocalSlot::Temporary => None,
    };
    // Roslyn writes a baseline where an offset is below -1: then it is the smallest.
    let baseline = slots.iter().filter_map(offset).min().unwrap_or(NO_BASELINE).min(NO_BASELINE);
    let mut out = Vec::new();
    if baseline != NO_BASELINE {
        out.push(0xff);
        put_unsigned(&mut out, baseline.unsigned_abs())?;
    }
    for slot in slots {
        let LocalSlot::Variable { kind, syntax_offset, ordinal } = slot else {
            out.push(0);
            continue;
        };
        out.push(kind.saturating_add(1) | if ordinal > 0 { 0x80 } else { 0 });
        let distance = i64::from(syntax_offset) - i64::from(baseline);
        put_unsigned(&mut out, u32::try_from(distance).unwrap_or(u32::MAX))?;
        if ordinal > 0 {
            put_unsigned(&mut out, ordinal)?;
        }
    }
    Ok(out)
}
