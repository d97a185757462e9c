//! Debug information of a method: bounds, which map native offsets to IL offsets, and variables, with their registers and stack slots.
//!
//! # References
//!
//! dotnet/runtime, `src/coreclr/vm/debuginfostore.cpp`, `src/coreclr/inc/cordebuginfo.h`

mod bounds;
mod variables;

pub use bounds::{Bound, IlPosition, decode as decode_bounds};
pub use variables::{AFTER_PROLOG, Variable, VariableLocation, base_name, implicit_name, register_name};

use crate::bytes::{Cursor, Error, Recorder, Result, Span, fields};

/// First major version with packed bounds.
const PACKED: u16 = 16;
/// First major version with a header of more parts, and with three bits of source.
const FAT: u16 = 17;

fields! {
    /// The debug information of a method: a header of sizes, bounds and variables.
    DEBUG_INFO: "debug info";
    /// The distance back to debug information that methods share; 0 if it follows.
    LOOK_BACK: "look-back" as Hex;
    /// The sizes of the parts that follow.
    HEADER: "debug info header";
    /// 0, which announces a header of six sizes.
    FAT_MARK: "mark of six sizes";
    /// The size of the bounds in bytes.
    BOUNDS_SIZE: "size of bounds";
    /// The size of the variables in bytes.
    VARIABLES_SIZE: "size of variables";
    /// The size in bytes of the bounds without instrumentation.
    UNINSTRUMENTED_SIZE: "size of uninstrumented bounds";
    /// The size in bytes of the information for on-stack replacement.
    PATCHPOINT_SIZE: "size of patchpoint info";
    /// The size in bytes of the tree of inlined calls.
    RICH_SIZE: "size of rich debug info";
    /// The size in bytes of the suspension points of runtime async.
    ASYNC_SIZE: "size of async info";
    /// Bytes of the part after its last entry, which nothing reads.
    ROOM: "room";
    /// Bounds without instrumentation.
    UNINSTRUMENTED: "uninstrumented bounds";
    /// Information for on-stack replacement.
    PATCHPOINT: "patchpoint info";
    /// Tree of inlined calls.
    RICH: "rich debug info";
    /// Suspension points of runtime async.
    ASYNC: "async info";
}

/// Encoding of debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Major version of the image.
    pub major: u16,
    /// True for x86, on which stack offsets are divided by 4.
    pub is_x86: bool,
}

/// Debug information of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugInfo {
    /// Bounds, ascending by native offset.
    pub bounds: Vec<Bound>,
    /// Ranges in which variables have a location.
    pub variables: Vec<Variable>,
    /// Bytes of the information, without the look-back that led there.
    pub span: Span,
}

/// Sizes of the parts, in their order.
#[derive(Default)]
struct Sizes {
    bounds: u32,
    variables: u32,
    others: [u32; 4],
}

impl DebugInfo {
    /// Reads the datum of an element of the debug information array. The cursor is one of the whole section, because the
    /// information may lie before.
    pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>, layout: Layout) -> Result<Self> {
        let (start, at) = (c.position(), c.consumed());
        let back = c.native_unsigned(&LOOK_BACK)?;
        if back > 0 {
            let Some(at) = at.checked_sub(back.into()) else {
                return Err(Error::invalid("the look-back leads before the section", c.since(start)));
            };
            c.seek(at)?;
        }
        c.group(&DEBUG_INFO, |c| Self::decode_at(c, layout))
    }

    /// Reads the information itself: a header of sizes, and the parts. A process has it without the look-back.
    pub fn decode_at<N: Recorder>(c: &mut Cursor<'_, N>, layout: Layout) -> Result<Self> {
        let start = c.position();
        let sizes = c.group(&HEADER, |c| sizes(c, layout))?;
        let mut info = Self::default();
        if sizes.bounds > 0 {
            info.bounds = c.within(sizes.bounds.into(), |c| whole(c, |c| bounds::decode(c, layout.major)))?;
        }
        if sizes.variables > 0 {
            info.variables = c.within(sizes.variables.into(), |c| whole(c, |c| variables::decode(c, layout)))?;
        }
        for (size, doc) in sizes.others.into_iter().zip([&UNINSTRUMENTED, &PATCHPOINT, &RICH, &ASYNC]) {
            if size > 0 {
                c.bytes(doc, size.into())?;
            }
        }
        info.span = c.since(start);
        Ok(info)
    }

    /// Native offset after the range of the bound at `index`; `end` is the size of the method's code.
    pub fn end_of(&self, index: usize, end: u32) -> u32 {
        self.bounds.get(index + 1).map_or(end, |bound| bound.native)
    }

    /// Bound of the range that a native offset is in.
    pub fn bound_at(&self, native: u32) -> Option<&Bound> {
        self.bounds.get(self.bounds.partition_point(|bound| bound.native <= native).checked_sub(1)?)
    }
}

/// Reads a part of the information to its end: the compiler may leave room after the last entry.
fn whole<N: Recorder, T>(c: &mut Cursor<'_, N>, part: impl FnOnce(&mut Cursor<'_, N>) -> Result<T>) -> Result<T> {
    let found = part(c)?;
    if !c.is_done() {
        c.bytes(&ROOM, c.left())?;
    }
    Ok(found)
}

fn sizes<N: Recorder>(c: &mut Cursor<'_, N>, layout: Layout) -> Result<Sizes> {
    c.nibbles(|n| {
        let is_fat = layout.major >= FAT && n.peek() == Some(0);
        if !is_fat {
            return Ok(Sizes {
                bounds: n.unsigned(&BOUNDS_SIZE)?,
                variables: n.unsigned(&VARIABLES_SIZE)?,
                others: [0; 4],
            });
        }
        n.unsigned(&FAT_MARK)?;
        let (bounds, variables) = (n.unsigned(&BOUNDS_SIZE)?, n.unsigned(&VARIABLES_SIZE)?);
        let mut others = [0; 4];
        let docs = [&UNINSTRUMENTED_SIZE, &PATCHPOINT_SIZE, &RICH_SIZE, &ASYNC_SIZE];
        for (size, doc) in others.iter_mut().zip(docs) {
            *size = n.unsigned(doc)?;
        }
        Ok(Sizes { bounds, variables, others })
    })
}
