//! Import sections: cells that the runtime fills, and for each the signature of its content.

use super::signature::{Fixup, fixup};
use super::{ReadyToRun, section};
use crate::bytes::{Cursor, Error, Recorder, Result, fields, record};
use crate::pe::Pe;

/// Most cells of a section that are listed.
pub const MAX_CELLS: u64 = 1 << 20;

record! {
    /// An import section (READYTORUN_IMPORT_SECTION): cells of one kind.
    pub struct ImportSection: "import section" {
        /// The RVA of the cells.
        cells_rva: u32 as Rva,
        /// The size of the cells in bytes.
        cells_size: u32 as Hex,
        /// When the cells are filled.
        flags: u16 as Flags(&[(1, "eager"), (2, "code"), (4, "PC relative")]),
        /// The kind of the cells.
        kind "type": u8 as OneOf(&[(0, "unknown"), (2, "stub dispatch"), (3, "string handle"), (7, "IL body fixups")]),
        /// The size of a cell in bytes; 0 is that of a pointer.
        cell_size: u8,
        /// The RVA of a table with the RVA of each cell's signature; 0 if the cells have none.
        signatures_rva: u32 as Rva,
        /// The RVA of additional data: GC references of the arguments of delayed calls.
        auxiliary_rva: u32 as Rva,
    }
}

fields! {
    /// A cell, which the runtime fills before the code that reads it runs.
    CELL: "cell";
    /// The RVA of the cell's signature.
    SIGNATURE_RVA: "signature rva" as Rva;
}

impl ImportSection {
    /// Number of cells.
    pub fn cells(&self) -> u64 {
        u64::from(self.cells_size).checked_div(self.cell_size.into()).unwrap_or(0).min(MAX_CELLS)
    }

    /// RVA of a cell.
    pub fn cell_rva(&self, index: u64) -> Option<u32> {
        let into = u32::try_from(index.checked_mul(self.cell_size.into())?).ok()?;
        self.cells_rva.checked_add(into)
    }

    /// Reads a cell as the file has it.
    pub fn cell<N: Recorder>(&self, c: &mut Cursor<'_, N>) -> Result<()> {
        c.bytes(&CELL, self.cell_size.into()).map(drop)
    }

    /// Reads the RVA of a cell's signature.
    pub fn signature_rva<N: Recorder>(&self, c: &mut Cursor<'_, N>) -> Result<u32> {
        let start = c.position();
        match c.u32(&SIGNATURE_RVA)? {
            0 => Err(Error::invalid("a cell has no signature", c.since(start))),
            rva => Ok(rva),
        }
    }

    /// RVA of the entry of a cell in the table of signatures.
    pub fn entry_rva(&self, index: u64) -> Option<u32> {
        if self.signatures_rva == 0 {
            return None;
        }
        self.signatures_rva.checked_add(u32::try_from(index.checked_mul(4)?).ok()?)
    }

    /// Fixup of a cell; `Ok(None)` in a section without signatures.
    pub fn fixup(&self, image: &Pe, index: u64) -> Result<Option<Fixup>> {
        let Some(entry) = self.entry_rva(index) else { return Ok(None) };
        let rva = self.signature_rva(&mut image.at_rva(entry, 4)?.cursor())?;
        fixup(&mut image.rest_at_rva(rva)?.cursor()).map(Some)
    }
}

impl ReadyToRun {
    /// Import sections.
    pub fn imports(&self, image: &Pe) -> Result<Vec<ImportSection>> {
        let Some(bytes) = self.bytes(image, section::IMPORTS) else { return Ok(Vec::new()) };
        let mut cursor = bytes?.cursor();
        let mut all = Vec::new();
        while cursor.left() >= ImportSection::SIZE {
            let mut import = ImportSection::decode(&mut cursor)?;
            // Older compilers leave the size of a pointer out.
            if import.cell_size == 0 {
                import.cell_size = self.target.pointer_size();
            }
            all.push(import);
        }
        Ok(all)
    }
}
