use object::pe;

use super::{Directory, names};
use crate::bytes::{Cursor, Error, Recorder, Result, Span, fields, record};

fields! {
    /// The layout of the image in memory, for the loader; optional in object files, always present in images.
    OPTIONAL_HEADER: "optional header";
    /// The places in the loaded image where loader and runtime find what they need.
    DATA_DIRECTORIES: "data directories";
    /// The form of the header: PE32, or PE32+ with 64-bit addresses.
    MAGIC: "magic" as OneOf(names::OPTIONAL_MAGICS);
    /// The RVA of the first data section; PE32+ has no such field.
    BASE_OF_DATA: "base of data" as Rva;
    /// The preferred load address; RVAs are relative to the actual one.
    IMAGE_BASE: "image base" as Hex;
    /// The address space reserved for the stack of the first thread.
    SIZE_OF_STACK_RESERVE: "size of stack reserve" as Hex;
    /// The part of that stack that is committed from the start.
    SIZE_OF_STACK_COMMIT: "size of stack commit" as Hex;
    /// The address space reserved for the first heap of the process.
    SIZE_OF_HEAP_RESERVE: "size of heap reserve" as Hex;
    /// The part of that heap that is committed from the start.
    SIZE_OF_HEAP_COMMIT: "size of heap commit" as Hex;
    /// Bytes that belong to the optional header by its size but to none of its fields.
    UNUSED: "rest";
}

record! {
    /// The fields after the magic that every COFF file has (PE format, "Optional Header Standard Fields").
    pub struct StandardFields: "standard fields" {
        /// The major version of the linker; .NET compilers write a constant.
        major_linker_version: u8,
        /// The minor version of the linker; .NET compilers write a constant.
        minor_linker_version: u8,
        /// The total size of the code sections, rounded up to the file alignment.
        size_of_code: u32,
        /// The total size of the data sections, rounded up to the file alignment.
        size_of_initialized_data: u32,
        /// The total size of the zero-filled data that is omitted from the file.
        size_of_uninitialized_data: u32,
        /// The RVA at which execution begins; in a managed PE32 image, a jump to the runtime that Windows no longer uses.
        address_of_entry_point: u32 as Rva,
        /// The RVA of the first code section.
        base_of_code: u32 as Rva,
    }
}

record! {
    /// The fields of one width for the Windows loader (PE format, "Optional Header Windows-Specific Fields").
    pub struct WindowsFields: "windows fields" {
        /// The alignment of sections in memory: the size of a page.
        section_alignment: u32 as Hex,
        /// The alignment of sections in the file: the size of a disk sector.
        file_alignment: u32 as Hex,
        /// The major version of the oldest Windows that the image is for.
        major_operating_system_version: u16,
        /// The minor version of the oldest Windows that the image is for.
        minor_operating_system_version: u16,
        /// The major version of the image, which is rarely set; the version of an assembly is in its metadata.
        major_image_version: u16,
        /// The minor version of the image, which is rarely set; the version of an assembly is in its metadata.
        minor_image_version: u16,
        /// The major version of the oldest subsystem that the image runs in.
        major_subsystem_version: u16,
        /// The minor version of the oldest subsystem that the image runs in.
        minor_subsystem_version: u16,
        /// Reserved; must be 0.
        win32_version_value: u32 as Hex,
        /// The size of the loaded image; symbol servers identify the image by this and its time stamp.
        size_of_image: u32 as Hex,
        /// The size of all headers, rounded up to the file alignment; this much of the file is loaded as it is.
        size_of_headers: u32 as Hex,
        /// The checksum of the file; Windows verifies it for drivers only, and .NET compilers leave it 0.
        checksum: u32 as Hex,
        /// The environment that Windows prepares for the program, such as a console or a window.
        subsystem: u16 as OneOf(names::SUBSYSTEMS),
        /// Properties that the image supports, such as relocation and non-executable data.
        dll_characteristics: u16 as Flags(names::DLL_CHARACTERISTICS),
    }
}

record! {
    /// The last fields before the data directories.
    struct LastFields: "last fields" {
        /// Reserved; must be 0.
        loader_flags: u32 as Hex,
        /// The number of data directories that follow; 16 in practice.
        number_of_rva_and_sizes: u32,
    }
}

/// The optional header, which an image always has.
///
/// There are two forms: in a PE32+ image (64 bits) the addresses are eight bytes wide and the base of data is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalHeader {
    /// True for PE32+.
    pub is_wide: bool,
    /// Linker version to base of code.
    pub standard: StandardFields,
    /// The preferred load address.
    pub image_base: u64,
    /// Section alignment to DLL characteristics.
    pub windows: WindowsFields,
    /// The number of data directories that the header claims, which may be more than it has room for.
    pub directory_count: u32,
    /// The header's bytes, data directories included.
    pub span: Span,
}

impl OptionalHeader {
    /// Reads the header and as many data directories as there it claims and has room for.
    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<(Self, Vec<Directory>)> {
        let start = cursor.position();
        cursor.group(&OPTIONAL_HEADER, |c| {
            let mut header = Self::fields(c)?;
            let count = c.left().min(u64::from(header.directory_count) * Directory::SIZE) / Directory::SIZE;
            let count = (count as usize).min(pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES) as u8;
            let directories =
                c.group(&DATA_DIRECTORIES, |c| (0..count).map(|index| Directory::decode(c, index)).collect())?;
            c.left_over(&UNUSED)?;
            header.span = c.since(start);
            Ok((header, directories))
        })
    }

    fn fields<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let is_wide = match c.u16(&MAGIC)? {
            pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC => false,
            pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC => true,
            magic => {
                let expected = "0x10b (PE32) or 0x20b (PE32+)";
                return Err(Error::unexpected("magic of the optional header", magic, expected, c.since(start)));
            }
        };
        let address = |c: &mut Cursor<'_, N>, doc| if is_wide { c.u64(doc) } else { c.u32(doc).map(u64::from) };
        let standard = StandardFields::decode_fields(c)?;
        if !is_wide {
            c.u32(&BASE_OF_DATA)?;
        }
        let image_base = address(c, &IMAGE_BASE)?;
        let windows = WindowsFields::decode_fields(c)?;
        for size in [&SIZE_OF_STACK_RESERVE, &SIZE_OF_STACK_COMMIT, &SIZE_OF_HEAP_RESERVE, &SIZE_OF_HEAP_COMMIT] {
            address(c, size)?;
        }
        let directory_count = LastFields::decode_fields(c)?.number_of_rva_and_sizes;
        Ok(Self { is_wide, standard, image_base, windows, directory_count, span: c.since(start) })
    }
}
