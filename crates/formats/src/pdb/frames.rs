//! Records of small debug streams: frame data of x86, the token map, references of a module to global symbols.
//!
//! # References
//!
//! PE format, "FPO_DATA"; microsoft/microsoft-pdb `include/cvinfo.h` (`FRAMEDATA`).

use crate::bytes::{Cursor, HashNumber, Recorder, Result, fields, record};

record! {
    /// Frame data (`FRAMEDATA`): how a debugger finds the caller's frame from an address of a function.
    pub struct FrameData: "frame data" {
        /// The RVA at which the code begins.
        start: u32 as Rva,
        /// The size of the code in bytes.
        size "code size": u32 as Hex,
        /// The size of the local variables in bytes.
        locals_size "size of locals": u32,
        /// The size of the parameters in bytes.
        parameters_size "size of parameters": u32,
        /// The most bytes that the code pushes.
        max_stack "maximum stack": u32,
        /// The program that computes the caller's registers: its offset in the string table.
        program "frame program": u32 as NameOffset,
        /// The size of the prolog in bytes.
        prolog_size "size of prolog": u16,
        /// The size of the saved registers in bytes.
        saved_registers_size "size of saved registers": u16,
        /// Properties of the frame.
        flags: u32 as Flags(&[(1, "structured exceptions"), (2, "C++ exceptions"), (4, "function start")]),
    }
}

fields! {
    /// An entry of the token map, for one row of methods in the records, from 0.
    TOKEN_MAP_ENTRY: "token map entry";
    /// The row of the method in the image; 0 if it has none.
    ROW: "row" as Hash(HashNumber::MethodRow);
    /// The references of a module to global symbols.
    GLOBAL_REFERENCES: "global references";
    /// The size of the references in bytes.
    REFERENCES_SIZE: "size of references";
    /// A symbol that the module refers to: its offset in the symbol record stream.
    SYMBOL_OFFSET: "symbol offset" as Hash(HashNumber::Symbol);
    /// Bytes after the last reference.
    LEFT_OVER: "left over";
}

/// Reads an entry of the token map.
pub fn token_map_entry<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<u32> {
    cursor.group(&TOKEN_MAP_ENTRY, |c| c.u32(&ROW))
}

/// Reads the references to global symbols, which extend to the end of the cursor.
pub fn global_references<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&GLOBAL_REFERENCES, |c| {
        let size = c.u32(&REFERENCES_SIZE)?;
        for _ in 0..u64::from(size / 4).min(c.left() / 4) {
            c.u32(&SYMBOL_OFFSET)?;
        }
        c.left_over(&LEFT_OVER)
    })
}
