//! Bounds of ReadyToRun debug information, as version 16 packs them.

use super::{Codec, EncodeError, Encoded, items, number};
use pdblens_formats::r2r::Bound;
use pdblens_formats::r2r::debug_info::decode_bounds;

const MAJOR: u16 = 16;
const FLAGS: [(u64, &str); 2] = [(1, "call"), (2, "empty")];

pub(super) const BOUNDS: Codec = Codec {
    name: "r2r-bounds",
    about: "bounds of machine code, POSITION +OFFSET and flags each: prolog +0x0 empty; IL_0000 +0x23 empty; none +0x29 call",
    paragraph: "dotnet/runtime › docs/design/coreclr/botr/readytorun-format.md › ReadyToRunSectionType.DebugInfo",
    example: ("52 01 02 39 0e", "prolog +0x0 empty; IL_0000 +0x23 empty"),
    decode: |c| {
        let one = |bound: &Bound| {
            let il = bound
                .il
                .offset()
                .map_or_else(|| bound.il.special().unwrap_or_default().to_owned(), |offset| format!("IL_{offset:04x}"));
            let flags = [(bound.is_call, " call"), (bound.stack_empty, " empty")];
            let flags: String = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).collect();
            format!("{il} +{:#x}{flags}", bound.native)
        };
        Ok(decode_bounds(c, MAJOR)?.iter().map(one).collect::<Vec<_>>().join("; "))
    },
    encode,
};

/// Source bits, native offset, and IL offset plus 3 of a bound.
fn parse(item: &str) -> Encoded<[u64; 3]> {
    let form =
        || EncodeError::new(item, "POSITION +OFFSET is expected, such as IL_001e +0x29, or prolog, epilog, none");
    let mut words = item.split_whitespace();
    let (il, native) = (words.next().ok_or_else(form)?, words.next().ok_or_else(form)?);
    let il = match (il, il.strip_prefix("IL_")) {
        ("epilog", _) => 0,
        ("prolog", _) => 1,
        ("none", _) => 2,
        (_, Some(digits)) => {
            let offset = u32::from_str_radix(digits, 16).map_err(|_| form())?;
            let stored = offset.checked_add(3).ok_or_else(|| {
                EncodeError::new(item, "the offset is too large: IL_fffffffd and above mark epilog, prolog and none")
            });
            u64::from(stored?)
        }
        _ => return Err(form()),
    };
    let native = number::<u32>(native.strip_prefix('+').ok_or_else(form)?)?;
    let mut source = 0;
    for word in words {
        let flag = FLAGS.iter().find(|(_, name)| *name == word);
        source |= flag.ok_or_else(|| EncodeError::new(word, "the flags are `call` and `empty`"))?.0;
    }
    Ok([source, native.into(), il])
}

fn encode(text: &str) -> Encoded {
    let mut bounds = items(text).map(parse).collect::<Encoded<Vec<_>>>()?;
    let mut last = 0;
    for [_, native, _] in &mut bounds {
        let delta = native.checked_sub(last);
        last = *native;
        *native = delta.ok_or_else(|| EncodeError::new(format!("+{last:#x}"), "bounds ascend by native offset"))?;
    }
    let bits = |part: usize| {
        let most = bounds.iter().filter_map(|bound| bound.get(part)).max().copied().unwrap_or(0);
        (u64::BITS - most.leading_zeros()).max(1)
    };
    let widths = [2, bits(1), bits(2)];
    let count = u32::try_from(bounds.len()).unwrap_or(u32::MAX);
    let mut out = nibbles(&[count, widths[1] - 1, widths[2] - 1]);
    let (mut held, mut number) = (0_u32, 0_u128);
    for (value, width) in bounds.iter().flat_map(|bound| bound.iter().zip(widths)) {
        number |= u128::from(*value) << held;
        held += width;
        while held >= 8 {
            out.push(number as u8);
            (number, held) = (number >> 8, held - 8);
        }
    }
    if held > 0 {
        out.push(number as u8);
    }
    Ok(out)
}

/// Numbers as nibbles: three bits each, the highest first, with bit 3 in all but the last.
fn nibbles(numbers: &[u32]) -> Vec<u8> {
    let groups = |number: u32| {
        let count = (u32::BITS - number.leading_zeros()).div_ceil(3).max(1);
        (0..count).rev().map(move |group| (number >> (group * 3) & 7) as u8 | if group > 0 { 8 } else { 0 })
    };
    let all: Vec<u8> = numbers.iter().flat_map(|number| groups(*number)).collect();
    all.chunks(2).map(|pair| pair.iter().rev().fold(0, |byte, nibble| byte << 4 | nibble)).collect()
}
