//! CodeView: symbol records, and the C13 subsections that tie code to lines.

use super::bytes::{Put, patch};
use super::method::Lines;

pub const S_END: u16 = 0x0006;
pub const S_PUB32: u16 = 0x110e;
pub const S_GPROC32: u16 = 0x1110;
pub const S_MANSLOT: u16 = 0x1120;
pub const S_GMANPROC: u16 = 0x112a;

pub const S_LPROC32: u16 = 0x110f;
pub const S_INLINESITE: u16 = 0x114d;
pub const S_INLINESITE_END: u16 = 0x114e;
pub const DEBUG_S_INLINEELINES: u32 = 0xf6;
pub const DEBUG_S_CROSSSCOPEIMPORTS: u32 = 0xf7;
pub const DEBUG_S_CROSSSCOPEEXPORTS: u32 = 0xf8;
const DEBUG_S_LINES: u32 = 0xf2;
const DEBUG_S_FILECHKSMS: u32 = 0xf4;
const HAVE_COLUMNS: u16 = 1;
const HIDDEN: u32 = 0xfe_efee;
/// Set in a line number: a statement, as opposed to an expression.
const STATEMENT: u32 = 1 << 31;

/// Appends a symbol record: its size without the size itself, its kind, its content padded to four bytes.
pub fn symbol(kind: u16, content: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    let start = out.len();
    out.put_u16(0);
    out.put_u16(kind);
    content(out);
    out.align(4);
    let size = (out.len() - start - 2) as u16;
    out[start..start + 2].copy_from_slice(&size.to_le_bytes());
}

/// A procedure: what it is called, where its code is in section 1, its type index or metadata token.
pub struct Procedure<'a> {
    pub name: &'a str,
    pub start: u32,
    pub size: u32,
    pub type_or_token: u32,
}

/// Appends a procedure, what `inner` puts into it, and the `S_END` that it points to. `out` begins four bytes into its stream.
pub fn procedure(kind: u16, procedure: &Procedure, inner: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    let start = out.len();
    symbol(
        kind,
        |out| {
            // Parent, end, next, size of code, where debugging starts and ends, type, address; then flags.
            out.put_u32s(&[0, 0, 0, procedure.size, 0, 0, procedure.type_or_token, procedure.start]);
            out.put_u16(1);
            // A managed procedure says after its flags in which register it returns: none.
            out.put(if kind == S_GMANPROC { &[0, 0, 0] } else { &[0] });
            out.put_z(procedure.name);
        },
        out,
    );
    inner(out);
    let end = out.len() as u32 + 4;
    patch(out, start + 8, end);
    symbol(S_END, |_| {}, out);
}

/// Appends a public symbol of section 1; `flags` say what it is: 2 a function.
pub fn public(flags: u32, offset: u32, name: &str, out: &mut Vec<u8>) {
    let content = |out: &mut Vec<u8>| {
        out.put_u32s(&[flags, offset]);
        out.put_u16(1);
        out.put_z(name);
    };
    symbol(S_PUB32, content, out);
}

/// An address and what is there; without lines, hidden code.
#[derive(Clone, Copy)]
pub struct Line {
    /// From the start of the procedure.
    pub offset: u32,
    pub lines: Option<Lines>,
}

/// Appends the lines of a procedure: one block for each run of lines in the same file, which is an offset in the checksums.
pub fn lines(start: u32, size: u32, columns: bool, blocks: &[(u32, Vec<Line>)], out: &mut Vec<u8>) {
    subsection(DEBUG_S_LINES, out, |out| {
        out.put_u32(start);
        out.put_u16(1);
        out.put_u16(if columns { HAVE_COLUMNS } else { 0 });
        out.put_u32(size);
        for (file, lines) in blocks {
            let count = lines.len() as u32;
            out.put_u32s(&[*file, count, 12 + count * if columns { 12 } else { 8 }]);
            for line in lines {
                let number = line.lines.map_or(HIDDEN, |at| at.start_line | (at.end_line - at.start_line) << 24);
                out.put_u32s(&[line.offset, number | STATEMENT]);
            }
            let with_columns: &[Line] = if columns { lines } else { &[] };
            for line in with_columns {
                let (start, end) = line.lines.map_or((0, 0), |at| (at.start_column, at.end_column));
                out.put_u32(end << 16 | start);
            }
        }
    });
}

/// A file's name, as an offset in `/names`; the kind of its checksum (1 MD5, 3 SHA-256); the checksum.
pub type Checksum = (u32, u8, Vec<u8>);

/// Size of a checksum in bytes: lines refer to a file by the offset of its checksum.
pub fn checksum_size((_, _, checksum): &Checksum) -> u32 {
    (6 + checksum.len() as u32).next_multiple_of(4)
}

/// Appends the checksums of a module's files.
pub fn checksums(files: &[Checksum], out: &mut Vec<u8>) {
    subsection(DEBUG_S_FILECHKSMS, out, |out| {
        for (name, kind, checksum) in files {
            out.put_u32(*name);
            out.put(&[checksum.len() as u8, *kind]);
            out.put(checksum);
            out.align(4);
        }
    });
}

/// Appends a C13 subsection.
pub fn subsection(kind: u32, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    out.put_u32s(&[kind, 0]);
    let start = out.len();
    content(out);
    let size = (out.len() - start) as u32;
    patch(out, start - 4, size);
}
