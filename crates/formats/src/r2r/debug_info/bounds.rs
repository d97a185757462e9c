//! Bounds: the native offset at which the code of an IL offset begins.

use super::{FAT, PACKED};
use crate::bytes::{Cursor, Error, Nibbles, Recorder, Result, Span, fields};

/// Amount that is added to an IL offset before it is stored, so that the special positions are not negative.
const IL_BIAS: u32 = 3;

/// Source of a bound up to version 15 (ICorDebugInfo::SourceTypes).
const SOURCES: &[(u64, &str)] = &[
    (1, "sequence point"),
    (2, "stack empty"),
    (4, "call site"),
    (8, "native end unknown"),
    (0x10, "call instruction"),
];

/// Source of a bound from version 16 on.
const PACKED_SOURCES: &[(u64, &str)] = &[(1, "call instruction"), (2, "stack empty"), (4, "async")];

fields! {
    /// The bounds of a method: which code belongs to which IL offset.
    BOUNDS: "bounds";
    /// The widths that all bounds are stored with.
    BOUNDS_HEADER: "bounds header";
    /// The number of bounds.
    COUNT: "count of bounds";
    /// The number of bits of a native offset delta, minus 1.
    NATIVE_BITS: "bits of native delta minus 1";
    /// The number of bits of an IL offset, minus 1.
    IL_BITS: "bits of il offset minus 1";
    /// The code from this native offset on, up to the next bound, belongs to an IL offset.
    BOUND: "bound";
    /// The native offset minus that of the bound before.
    NATIVE_DELTA: "native offset delta";
    /// The IL offset plus 3; 0 is the epilog, 1 the prolog, 2 code without IL.
    IL_PLUS_3: "il offset plus 3";
    /// The reason why the compiler kept the bound.
    SOURCE: "source" as Flags(SOURCES);
    /// The reason why the compiler kept the bound.
    PACKED_SOURCE: "source" as Flags(PACKED_SOURCES);
    /// Native offset of the bound, from the first byte of the method through its funclets.
    STATE_NATIVE: "native offset" as Hex;
    /// IL offset of the bound; −1 is no IL, −2 the prolog, −3 the epilog.
    STATE_IL: "IL offset";
}

/// Position in IL that code belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IlPosition {
    /// The instruction at this offset.
    Offset(u32),
    /// No IL: code that the compiler added.
    None,
    /// The prolog of the method.
    Prolog,
    /// The epilog of the method.
    Epilog,
}

/// The code from a native offset up to the next bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Native offset of the first byte.
    pub native: u32,
    /// Its position in IL.
    pub il: IlPosition,
    /// True if the evaluation stack is empty here.
    pub stack_empty: bool,
    /// True for the code after a call instruction, which a stack frame's look-up skips.
    pub is_call: bool,
    /// True for a suspension point of runtime async.
    pub is_async: bool,
    /// Bytes of the bound; of packed bounds, those that contain its bits.
    pub span: Span,
}

impl IlPosition {
    /// IL offset, if it is one.
    pub const fn offset(self) -> Option<u32> {
        match self {
            Self::Offset(offset) => Some(offset),
            _ => None,
        }
    }

    /// Word for a special position.
    pub const fn special(self) -> Option<&'static str> {
        match self {
            Self::Offset(_) => None,
            Self::None => Some("none"),
            Self::Prolog => Some("prolog"),
            Self::Epilog => Some("epilog"),
        }
    }

    const fn stored(number: u32) -> Self {
        match number {
            0 => Self::Epilog,
            1 => Self::Prolog,
            2 => Self::None,
            _ => Self::Offset(number.saturating_sub(IL_BIAS)),
        }
    }
}

/// `0x1f`, `prolog`.
impl std::fmt::Display for IlPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.offset(), self.special()) {
            (Some(offset), _) => write!(f, "{offset:#x}"),
            (None, special) => f.write_str(special.unwrap_or_default()),
        }
    }
}

/// Signed IL offset of a stored one.
fn il_offset(stored: u32) -> i64 {
    i64::from(stored) - i64::from(IL_BIAS)
}

/// Reads the bounds; the cursor has no other bytes.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>, major: u16) -> Result<Vec<Bound>> {
    c.group(&BOUNDS, |c| {
        if major >= PACKED {
            return packed(c, if major >= FAT { 3 } else { 2 });
        }
        let (space, start) = (c.rest().space, c.position());
        c.nibbles(|n| nibbles(n, Span::new(space, start, 0)))
    })
}

/// Reads bounds as nibbles, up to version 15.
fn nibbles<N: Recorder>(n: &mut Nibbles<'_, '_, N>, at: Span) -> Result<Vec<Bound>> {
    let count = n.unsigned(&COUNT)?;
    // Each of the three numbers of a bound takes a nibble or more.
    if u64::from(count) * 3 > n.left() * 2 {
        return Err(Error::invalid("more bounds than bytes", at));
    }
    let mut native = 0_u32;
    let mut all = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let start = n.position();
        let (il, source) = n.group(&BOUND, |n| {
            let delta = n.unsigned(&NATIVE_DELTA)?;
            n.changed(&STATE_NATIVE, i64::from(native), native.wrapping_add(delta));
            native = native.wrapping_add(delta);
            let il = n.unsigned(&IL_PLUS_3)?;
            n.changed(&STATE_IL, None, il_offset(il));
            Ok((il, n.unsigned(&SOURCE)?))
        })?;
        all.push(Bound {
            native,
            il: IlPosition::stored(il),
            stack_empty: source & 2 != 0,
            is_call: source & 0x10 != 0,
            is_async: false,
            span: n.since(start),
        });
    }
    Ok(all)
}

/// Reads bounds as bit fields, from version 16 on.
fn packed<N: Recorder>(c: &mut Cursor<'_, N>, source_bits: u32) -> Result<Vec<Bound>> {
    let start = c.position();
    let (count, native_bits, il_bits) = c.group(&BOUNDS_HEADER, |c| {
        c.nibbles(|n| Ok((n.unsigned(&COUNT)?, n.unsigned(&NATIVE_BITS)?, n.unsigned(&IL_BITS)?)))
    })?;
    if native_bits >= 32 || il_bits >= 32 {
        return Err(Error::invalid("a bound has fields of more than 32 bits", c.since(start)));
    }
    let width = u64::from(source_bits) + u64::from(native_bits) + u64::from(il_bits) + 2;
    if width * u64::from(count) > c.left() * 8 {
        return Err(Error::invalid("more bounds than bytes", c.since(start)));
    }
    let mut native = 0_u32;
    c.bits(|b| {
        let mut all = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let start = b.position();
            let (il, source) = b.group(&BOUND, |b| {
                let source = b.take(&PACKED_SOURCE, source_bits)?;
                let delta = b.take(&NATIVE_DELTA, native_bits.saturating_add(1))?;
                b.changed(&STATE_NATIVE, i64::from(native), native.wrapping_add(delta));
                native = native.wrapping_add(delta);
                let il = b.take(&IL_PLUS_3, il_bits.saturating_add(1))?;
                b.changed(&STATE_IL, None, il_offset(il));
                Ok((il, source))
            })?;
            all.push(Bound {
                native,
                il: IlPosition::stored(il),
                stack_empty: source & 2 != 0,
                is_call: source & 1 != 0,
                is_async: source & 4 != 0,
                span: b.since(start),
            });
        }
        Ok(all)
    })
}
