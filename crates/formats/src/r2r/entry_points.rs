//! Entry points: the runtime function that a method begins with, and what must be resolved before it may run.

use crate::bytes::{Cursor, Error, Nibbles, Recorder, Result, fields};

fields! {
    /// The runtime function that the method begins with, and its fixups.
    ENTRY_POINT: "entry point";
    /// The index of the runtime function in the upper bits. Bit 0 is set if the method has fixups, the index then begins with
    /// bit 2, and bit 1 tells whether the list of fixups lies elsewhere; otherwise the index begins with bit 1.
    INDEX: "index and flags" as Hex;
    /// The distance back to the list of fixups, which other methods share.
    LOOK_BACK: "look-back" as Hex;
    /// The cells of import sections that the runtime fills before the method runs for the first time.
    FIXUPS: "fixups";
    /// The number of the import section, minus the one before; 0 ends the list.
    SECTION_DELTA: "import section delta";
    /// The number of the cell in the import section, minus the one before; 0 ends the section.
    CELL_DELTA: "cell delta";
    /// The import section of the cells that follow.
    STATE_SECTION: "import section";
    /// The cell that must be filled.
    STATE_CELL: "cell";
}

/// Entry point of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// Index of the runtime function that the method begins with.
    pub function: u32,
    /// Import section and cell of each fixup.
    pub fixups: Vec<(u32, u32)>,
}

impl EntryPoint {
    /// Reads an entry point. The cursor is one of a whole section, because the list of fixups may lie before.
    pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let index = c.group(&ENTRY_POINT, |c| c.native_unsigned(&INDEX))?;
        if index & 1 == 0 {
            return Ok(Self { function: index >> 1, fixups: Vec::new() });
        }
        if index & 2 != 0 {
            let at = c.consumed();
            let back = c.native_unsigned(&LOOK_BACK)?;
            let Some(at) = at.checked_sub(back.into()) else {
                return Err(Error::invalid("the look-back leads before the section", c.since(start)));
            };
            c.seek(at)?;
        }
        let fixups = c.group(&FIXUPS, |c| c.nibbles(fixups))?;
        Ok(Self { function: index >> 2, fixups })
    }
}

/// Reads a list of fixups: import sections, and the cells of each.
fn fixups<N: Recorder>(n: &mut Nibbles<'_, '_, N>) -> Result<Vec<(u32, u32)>> {
    let mut all = Vec::new();
    let mut section = n.unsigned(&SECTION_DELTA)?;
    n.changed(&STATE_SECTION, 0, section);
    loop {
        let mut cell = n.unsigned(&CELL_DELTA)?;
        n.changed(&STATE_CELL, 0, cell);
        loop {
            all.push((section, cell));
            let delta = n.unsigned(&CELL_DELTA)?;
            if delta == 0 {
                break;
            }
            n.changed(&STATE_CELL, i64::from(cell), cell.wrapping_add(delta));
            cell = cell.wrapping_add(delta);
        }
        let delta = n.unsigned(&SECTION_DELTA)?;
        if delta == 0 {
            return Ok(all);
        }
        n.changed(&STATE_SECTION, i64::from(section), section.wrapping_add(delta));
        section = section.wrapping_add(delta);
    }
}
