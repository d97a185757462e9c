use object::pe;

use super::names;
use crate::bytes::{Cursor, Error, FixedText, Recorder, Result, fields, record};

record! {
    /// The header that DOS reads, of which only the last field still matters: it leads to the PE signature.
    pub struct DosHeader: "dos header" {
        /// MZ, the initials of Mark Zbikowski: every DLL and EXE still begins as a DOS program.
        magic: u16 as Hex,
        /// The number of bytes of the DOS program in its last 512-byte page.
        bytes_on_last_page: u16,
        /// The size of the DOS program in 512-byte pages.
        pages_in_file: u16,
        /// The number of DOS relocations; the stub needs none.
        relocations: u16,
        /// The size of the DOS header in 16-byte paragraphs.
        header_paragraphs: u16,
        /// The memory beyond the program that DOS must provide, in 16-byte paragraphs.
        minimum_extra_paragraphs: u16,
        /// The memory beyond the program that DOS should provide, in 16-byte paragraphs.
        maximum_extra_paragraphs: u16,
        /// The initial stack segment of the DOS program.
        initial_ss: u16 as Hex,
        /// The initial stack pointer of the DOS program.
        initial_sp: u16 as Hex,
        /// A checksum of the DOS program; linkers leave it 0.
        checksum: u16 as Hex,
        /// The initial instruction pointer of the DOS program.
        initial_ip: u16 as Hex,
        /// The initial code segment of the DOS program.
        initial_cs: u16 as Hex,
        /// The file offset of the DOS relocations; 0x40 or more marks a newer executable format.
        relocation_table_offset: u16 as Offset,
        /// The overlay of the DOS program that this file is; 0 is the program itself.
        overlay_number: u16,
        /// Reserved; must be 0.
        reserved: [u8; 8],
        /// Selects how the next field is interpreted; no interpretation is defined.
        oem_identifier: u16 as Hex,
        /// Information for the OEM that the identifier names; no interpretation is defined.
        oem_information: u16 as Hex,
        /// Reserved; must be 0.
        reserved_2 "reserved": [u8; 20],
        /// The file offset of the PE signature: the one field of this header that Windows and .NET read.
        pe_header_offset: u32 as Offset,
    }
}

fields! {
    /// The DOS program, which prints that it cannot be run in DOS mode.
    DOS_STUB: "dos stub";
    /// The program that DOS runs; Visual C++ linkers append a record of the build tools (the Rich header) to it.
    PROGRAM: "program";
}

record! {
    /// The PE signature and the COFF file header: processor, number of sections and time.
    pub struct CoffHeader: "coff header" {
        /// PE and two zero bytes, which mark the file as a portable executable.
        signature: FixedText<4>,
        /// The processor that the code is for; managed code that runs on any processor is marked I386.
        machine: u16 as OneOf(names::MACHINES),
        /// The number of section headers, which follow the optional header.
        number_of_sections: u16,
        /// When the image was linked, or part of a hash in a deterministic build; symbol servers identify the image by it.
        time_date_stamp: u32 as Time,
        /// The file offset of the COFF symbols; 0 in images, whose symbols are in the PDB.
        pointer_to_symbol_table: u32 as Offset,
        /// The number of COFF symbols; 0 in images.
        number_of_symbols: u32,
        /// The size of the optional header in bytes, data directories included; the section headers follow it.
        size_of_optional_header: u16,
        /// Flags of the image: whether it can run, whether it is a DLL, and the width of its machine.
        characteristics: u16 as Flags(names::COFF_CHARACTERISTICS),
    }
}

impl DosHeader {
    pub(super) fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let header = Self::decode(cursor)?;
        if header.magic != pe::IMAGE_DOS_SIGNATURE {
            return Err(Error::invalid("the file does not begin with MZ", header.span_of(&Self::magic)));
        }
        Ok(header)
    }

    pub(super) fn read_with_stub<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::read(cursor)?;
        if cursor.is_done() {
            return Ok(());
        }
        cursor.group(&DOS_STUB, |c| c.bytes(&PROGRAM, c.left()))?;
        Ok(())
    }
}

impl CoffHeader {
    pub(super) fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let header = Self::decode(cursor)?;
        if header.signature.0 != pe::IMAGE_NT_SIGNATURE.to_le_bytes() {
            let span = header.span_of(&Self::signature);
            return Err(Error::invalid("no PE signature at the offset in the DOS header", span));
        }
        Ok(header)
    }
}
