//! Data after the columns of a symbol: annotations, gaps, strings, lists of functions.

use super::PADDING;
use crate::bytes::{Cursor, Recorder, Result, fields};
use crate::codeview::inline;

fields! {
    /// Data after the fields of a kind of symbol that is not decoded.
    DATA: "data";
    /// The binary annotations: a program that advances code offset and line through the inlined code.
    ANNOTATIONS: "binary annotations";
    /// A gap in the range, where the variable is not at that place.
    GAP: "gap";
    /// The offset of the gap from the start of the range.
    GAP_OFFSET: "gap offset" as Hex;
    /// The size of the gap in bytes.
    GAP_LENGTH: "gap length" as Hex;
    /// A string of the environment: names and values follow each other.
    ENVIRONMENT: "environment string";
    /// A function: its index in the IPI stream.
    FUNCTION: "function id" as Hex;
    /// The number of calls that a profile counted for a function.
    INVOCATIONS: "invocations";
}

/// Kinds with data after their columns.
const ENVIRONMENT_BLOCK: u16 = 0x113d;
const DEFRANGES: std::ops::RangeInclusive<u16> = 0x1141..=0x1143;
const DEFRANGE_REGISTER_REL: u16 = 0x1145;
const INLINE_SITES: [u16; 2] = [0x114d, 0x115d];
const CALL_LISTS: [u16; 2] = [0x115a, 0x115b];
const INLINEES: u16 = 0x1168;

/// Reads what follows the columns of a symbol of a kind, to the end of the record; `count` is that of its list.
pub(super) fn read<N: Recorder>(c: &mut Cursor<'_, N>, kind: u16, count: u32) -> Result<()> {
    if !N::ENABLED {
        return c.skip(c.left());
    }
    match kind {
        // Annotations that cannot be read to their end are data from there on.
        _ if INLINE_SITES.contains(&kind) => _ = c.group(&ANNOTATIONS, inline::annotations),
        _ if DEFRANGES.contains(&kind) || kind == DEFRANGE_REGISTER_REL => {
            while c.left() >= 4 {
                c.group(&GAP, |c| c.u16(&GAP_OFFSET).and_then(|_| c.u16(&GAP_LENGTH)))?;
            }
        }
        ENVIRONMENT_BLOCK => {
            while c.remaining().contains(&0) && !is_padding(c.remaining()) {
                c.text_z(&ENVIRONMENT)?;
            }
        }
        INLINEES => ids(c, count)?,
        _ if CALL_LISTS.contains(&kind) => {
            ids(c, count)?;
            while c.left() >= 4 {
                c.u32(&INVOCATIONS)?;
            }
        }
        _ => {}
    }
    if c.is_done() {
        return Ok(());
    }
    let doc = if is_padding(c.remaining()) { &PADDING } else { &DATA };
    c.bytes(doc, c.left()).map(drop)
}

fn ids<N: Recorder>(c: &mut Cursor<'_, N>, count: u32) -> Result<()> {
    (0..u64::from(count).min(c.left() / 4)).try_for_each(|_| c.u32(&FUNCTION).map(drop))
}

/// Returns true if `bytes` are padding to a multiple of 4.
fn is_padding(bytes: &[u8]) -> bool {
    bytes.len() < 4 && bytes.iter().all(|byte| *byte == 0 || *byte > 0xf0)
}
