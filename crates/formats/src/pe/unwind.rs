//! Unwind information of a function on x64 (UNWIND_INFO), to which the exception table leads.
//!
//! # References
//!
//! Microsoft, *x64 exception handling*, "struct UNWIND_INFO", "struct UNWIND_CODE".

use crate::bytes::{Cursor, Recorder, Result, fields};

/// Operations of unwind codes, in bits 0 to 3 of their second byte.
const OPERATIONS: &[(u64, u64, &str)] = &[
    (0x0f00, 0x0000, "push register"),
    (0x0f00, 0x0100, "allocate, size in the next slots"),
    (0x0f00, 0x0200, "allocate 8 to 128 bytes"),
    (0x0f00, 0x0300, "set frame register"),
    (0x0f00, 0x0400, "save register, offset in the next slot"),
    (0x0f00, 0x0500, "save register, offset in the next two slots"),
    (0x0f00, 0x0600, "epilog"),
    (0x0f00, 0x0800, "save XMM register, offset in the next slot"),
    (0x0f00, 0x0900, "save XMM register, offset in the next two slots"),
    (0x0f00, 0x0a00, "push machine frame"),
];

fields! {
    /// Unwind information: the instructions of a prolog, which an unwinder undoes.
    UNWIND_INFO: "unwind info";
    /// Bits 0 to 2: the version, 1 or 2; bits 3 to 7: flags, of which each announces data after the codes.
    VERSION_AND_FLAGS: "version and flags" as Parts(&[
        (0x07, 1, "version 1"), (0x07, 2, "version 2"), (0x08, 0x08, "exception handler"), (0x10, 0x10, "termination handler"),
        (0x20, 0x20, "chained to another entry"),
    ]);
    /// The size of the prolog in bytes.
    PROLOG_SIZE: "size of prolog";
    /// The number of slots of two bytes that the unwind codes take.
    CODE_COUNT: "count of codes";
    /// Bits 0 to 3: the frame register, 0 for none; bits 4 to 7: its offset from the stack pointer, in units of 16 bytes.
    FRAME: "frame register and offset" as Hex;
    /// Low byte: offset in the prolog of the end of the instruction; bits 8 to 11: its operation; bits 12 to 15: its operand.
    /// Slots after some operations are a number.
    CODE: "unwind code" as Parts(OPERATIONS);
    /// An unused slot that makes the number of slots even.
    PADDING: "padding";
}

/// Reads the information without what its flags announce.
pub fn unwind_info<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&UNWIND_INFO, |c| {
        c.u8(&VERSION_AND_FLAGS)?;
        c.u8(&PROLOG_SIZE)?;
        let count = c.u8(&CODE_COUNT)?;
        c.u8(&FRAME)?;
        for _ in 0..count {
            c.u16(&CODE)?;
        }
        if count % 2 == 1 && c.left() >= 2 {
            c.bytes(&PADDING, 2)?;
        }
        Ok(())
    })
}
