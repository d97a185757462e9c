use object::pe;

use crate::bytes::{Cursor, Encoding, Error, Recorder, Result, Span};

/// The first 64 bytes: the header that DOS knows. Of its fields only one matters to anybody today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DosHeader {
    /// Where the PE signature is in the file.
    pub pe_offset: u32,
    /// The header's bytes.
    pub span: Span,
}

/// The PE signature and the COFF file header behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoffHeader {
    /// The processor, one of [`names::MACHINES`](super::names::MACHINES).
    pub machine: u16,
    /// How many section headers there are.
    pub section_count: u16,
    /// When the image was made, in seconds since 1970; part of a hash where the build is deterministic.
    pub stamp: u32,
    /// How many bytes the optional header takes, data directories included.
    pub optional_size: u16,
    /// Of [`names::COFF_CHARACTERISTICS`](super::names::COFF_CHARACTERISTICS).
    pub characteristics: u16,
    /// The bytes of signature and header.
    pub span: Span,
}

impl DosHeader {
    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        let pe_offset = cursor.group("dos header", |c| {
            if c.u16("magic")? != pe::IMAGE_DOS_SIGNATURE {
                return Err(Error::invalid("a portable executable begins with MZ", c.since(start)));
            }
            c.u16("bytes on last page")?;
            c.u16("pages in file")?;
            c.u16("relocations")?;
            c.u16("header paragraphs")?;
            c.u16("minimum extra paragraphs")?;
            c.u16("maximum extra paragraphs")?;
            c.u16("initial ss")?;
            c.u16("initial sp")?;
            c.u16("checksum")?;
            c.u16("initial ip")?;
            c.u16("initial cs")?;
            c.u16("relocation table offset")?;
            c.u16("overlay number")?;
            c.bytes("reserved", 8)?;
            c.u16("oem identifier")?;
            c.u16("oem information")?;
            c.bytes("reserved", 20)?;
            c.u32("pe header offset")
        })?;
        Ok(Self { pe_offset, span: cursor.since(start) })
    }

    /// The header, and the little program up to the PE signature that tells DOS users they are out of luck.
    pub(super) fn decode_with_stub<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::decode(cursor)?;
        if cursor.is_done() {
            return Ok(());
        }
        cursor.group("dos stub", |c| c.bytes("program", c.left()))?;
        Ok(())
    }
}

impl CoffHeader {
    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("coff header", |c| {
            if c.text("signature", 4, Encoding::Utf8)?.data != pe::IMAGE_NT_SIGNATURE.to_le_bytes() {
                return Err(Error::invalid("no PE signature where the DOS header says it is", c.since(start)));
            }
            let machine = c.u16("machine")?;
            let section_count = c.u16("number of sections")?;
            let stamp = c.u32("time date stamp")?;
            c.u32("pointer to symbol table")?;
            c.u32("number of symbols")?;
            let optional_size = c.u16("size of optional header")?;
            let characteristics = c.u16("characteristics")?;
            Ok(Self { machine, section_count, stamp, optional_size, characteristics, span: c.since(start) })
        })
    }
}
