use crate::bytes::{Cursor, Encoding, Recorder, Result, Slice, Span};

/// A section header: which range of the file becomes which range of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is called: `.text`, `.rsrc`.
    pub name: String,
    /// How much memory it takes.
    pub virtual_size: u32,
    /// Where it is in memory, as an RVA.
    pub virtual_address: u32,
    /// How many bytes it takes in the file, rounded up to the file alignment.
    pub raw_size: u32,
    /// Where it is in the file.
    pub raw_pointer: u32,
    /// Of [`names::SECTION_CHARACTERISTICS`](super::names::SECTION_CHARACTERISTICS).
    pub characteristics: u32,
    /// The bytes of the header.
    pub span: Span,
    /// The bytes of the section, as many as the file has.
    pub data: Span,
}

impl Section {
    const NAME: u64 = 8;

    /// How much memory it takes. Old linkers leave the virtual size at 0, and mean the size in the file.
    pub const fn memory_size(&self) -> u32 {
        if self.virtual_size == 0 { self.raw_size } else { self.virtual_size }
    }

    /// How many bytes of the file become memory; what is left of the memory is zero.
    pub fn mapped_size(&self) -> u32 {
        self.raw_size.min(self.memory_size())
    }

    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("section header", |c| {
            let name = Self::name(c)?;
            let virtual_size = c.u32("virtual size")?;
            let virtual_address = c.u32("virtual address")?;
            let raw_size = c.u32("size of raw data")?;
            let raw_pointer = c.u32("pointer to raw data")?;
            c.u32("pointer to relocations")?;
            c.u32("pointer to line numbers")?;
            c.u16("number of relocations")?;
            c.u16("number of line numbers")?;
            let characteristics = c.u32("characteristics")?;
            let span = c.since(start);
            let data = Span::new(span.space, 0, 0);
            Ok(Self { name, virtual_size, virtual_address, raw_size, raw_pointer, characteristics, span, data })
        })
    }

    /// Eight bytes; a shorter name is filled up with NULs.
    fn name<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<String> {
        let len = c.remaining().iter().take(Self::NAME as usize).take_while(|byte| **byte != 0).count() as u64;
        let text = if len == 0 { Slice::default() } else { c.text("name", len, Encoding::Utf8)? };
        if len < Self::NAME {
            c.bytes("name padding", Self::NAME - len)?;
        }
        Ok(String::from_utf8_lossy(text.data).into_owned())
    }
}
