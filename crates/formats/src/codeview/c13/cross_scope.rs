//! Ids of other modules, which link-time code generation leaves in the symbols of a module.
//!
//! An id with bit 31 set is not an index of the IPI stream: bits 20–30 choose a module among the imports of the referring
//! module, bits 0–19 one of the ids imported from there. The exports of that module lead from its own id to the index.
//!
//! ```text
//! imports   for each module: offset of its name in the string table, count, ids of that module
//! exports   pairs: id of the module, index in the IPI stream
//! ```

use crate::bytes::{Cursor, Recorder, Result, Slice, fields};

fields! {
    /// The cross-scope imports: ids of other modules that the symbols of this one refer to.
    CROSS_SCOPE_IMPORTS: "cross scope imports";
    /// A module, and the ids that are imported from it.
    IMPORTED_MODULE: "imported module";
    /// The name of the module: an offset in the string table.
    MODULE_NAME: "module name" as Hex;
    /// The number of ids that follow.
    ID_COUNT: "id count";
    /// An id of that module, which its exports map to an index of the IPI stream.
    IMPORTED_ID: "imported id" as Hex;
    /// The cross-scope exports: ids of this module that others refer to.
    CROSS_SCOPE_EXPORTS: "cross scope exports";
    /// An exported id, and the record that it stands for.
    EXPORTED: "export";
    /// The id by which other modules refer to the record.
    LOCAL_ID: "local id" as Hex;
    /// The index of the record in the IPI stream, or in the TPI stream for a type.
    GLOBAL_ID: "global id" as Hex;
}

/// Kind of the subsection with ids of other modules (`DEBUG_S_CROSSSCOPEIMPORTS`).
pub const IMPORTS: u32 = 0xf7;
/// Kind of the subsection with ids for other modules (`DEBUG_S_CROSSSCOPEEXPORTS`).
pub const EXPORTS: u32 = 0xf8;
/// Bit of an id that marks one of another module.
const CROSS_SCOPE: u32 = 0x8000_0000;

/// Module, as an index in the imports, and position of its id there; `None` for an index of the IPI stream.
pub const fn imported(id: u32) -> Option<(u32, u32)> {
    if id & CROSS_SCOPE == 0 { None } else { Some((id >> 20 & 0x7ff, id & 0xf_ffff)) }
}

/// Decodes the imports and calls `each` with module name, position of the id, and id, by index of the module.
pub fn imports<N: Recorder>(cursor: &mut Cursor<'_, N>, mut each: impl FnMut(u32, u32, u32, u32)) -> Result<()> {
    cursor.group(&CROSS_SCOPE_IMPORTS, |c| {
        let mut module = 0;
        while !c.is_done() {
            c.group(&IMPORTED_MODULE, |c| {
                let start = c.position();
                let (name, count) = (c.u32(&MODULE_NAME)?, c.u32(&ID_COUNT)?);
                c.require(u64::from(count) * 4, start)?;
                (0..count).try_for_each(|position| {
                    each(module, name, position, c.u32(&IMPORTED_ID)?);
                    Ok(())
                })
            })?;
            module = module.saturating_add(1);
        }
        Ok(())
    })
}

/// Decodes the exports and calls `each` with the id and the index that it stands for.
pub fn exports<N: Recorder>(cursor: &mut Cursor<'_, N>, mut each: impl FnMut(u32, u32)) -> Result<()> {
    cursor.group(&CROSS_SCOPE_EXPORTS, |c| {
        while c.left() >= 8 {
            c.group(&EXPORTED, |c| {
                each(c.u32(&LOCAL_ID)?, c.u32(&GLOBAL_ID)?);
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// Name of the module, as an offset in the string table, and the id there, that an id of another module stands for.
pub fn import_of(content: Slice<'_>, id: u32) -> Option<(u32, u32)> {
    let wanted = imported(id)?;
    let mut found = None;
    // Entries before an error count.
    let _ = imports(&mut content.cursor(), |module, name, position, id| {
        found = found.or(((module, position) == wanted).then_some((name, id)));
    });
    found
}

/// Index of the record that an id of the module stands for.
pub fn export_of(content: Slice<'_>, id: u32) -> Option<u32> {
    let mut found = None;
    let _ = exports(&mut content.cursor(), |local, global| found = found.or((local == id).then_some(global)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;

    #[test]
    fn ids_of_other_modules_are_looked_up() {
        let bytes = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let (given, taken) = (bytes(&[0x1001, 0x2005, 0x1002, 0x2006]), bytes(&[1, 1, 0x1001, 9, 2, 0x1007, 0x1002]));
        let slice = |bytes| Slice::new(bytes, SpaceId(0), 0);
        assert_eq!(import_of(slice(&taken), 0x8010_0001), Some((9, 0x1002)));
        assert_eq!(import_of(slice(&taken), 0x8000_0000), Some((1, 0x1001)));
        assert_eq!((import_of(slice(&taken), 0x8000_0001), import_of(slice(&taken), 0x1001)), (None, None));
        assert_eq!((export_of(slice(&given), 0x1002), export_of(slice(&given), 0x1003)), (Some(0x2006), None));
        assert_eq!(import_of(slice(&bytes(&[1, u32::MAX, 0x1001])), 0x8000_0000), None);
    }
}
