use super::names;
use crate::bytes::{PaddedText, Span, record};

record! {
    /// A section header: a range of the file, and the range of memory that the loader maps it to.
    pub struct SectionHeader: "section header" {
        /// The name of the section; names are a convention (.text is code) that nothing depends on.
        name: PaddedText<8>,
        /// The size of the section in memory; bytes beyond its data in the file are zero.
        virtual_size: u32 as Hex,
        /// The RVA of the section.
        virtual_address: u32 as Rva,
        /// The size of the section in the file, rounded up to the file alignment.
        size_of_raw_data: u32 as Hex,
        /// The file offset of the section; a file offset is its RVA minus the virtual address plus this.
        pointer_to_raw_data: u32 as Offset,
        /// The file offset of the relocations in an object file; 0 in images.
        pointer_to_relocations: u32 as Offset,
        /// The file offset of COFF line numbers, which are obsolete; 0.
        pointer_to_line_numbers: u32 as Offset,
        /// The number of relocations in an object file; 0 in images.
        number_of_relocations: u16,
        /// The number of COFF line numbers, which are obsolete; 0.
        number_of_line_numbers: u16,
        /// The contents of the section, and whether its memory can be read, written and executed.
        characteristics: u32 as Flags(names::SECTION_CHARACTERISTICS),
    }
}

/// A section: its header, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The header.
    pub header: SectionHeader,
    /// The name, such as `.text`.
    pub name: String,
    /// The bytes of the section, as many as the file has.
    pub data: Span,
}

impl Section {
    /// The section of a header; its bytes are still to be found.
    pub(super) fn new(header: SectionHeader) -> Self {
        let data = Span::new(header.span.space, 0, 0);
        Self { name: header.name.to_text().into_owned(), header, data }
    }

    /// The size in memory. Old linkers leave the virtual size at 0, and mean the size in the file.
    pub(crate) const fn memory_size(&self) -> u32 {
        if self.header.virtual_size == 0 { self.header.size_of_raw_data } else { self.header.virtual_size }
    }

    /// The number of bytes of the file that become memory; the rest of the memory is zero.
    pub fn mapped_size(&self) -> u32 {
        self.header.size_of_raw_data.min(self.memory_size())
    }
}
