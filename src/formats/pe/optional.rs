use object::pe;

use super::{Directory, names};
use crate::bytes::{Cursor, Error, Recorder, Result, Span, fields};

fields! {
    /// The layout of the image in memory, for the loader; optional in object files, always present in images.
    OPTIONAL_HEADER: "optional header";
    /// The places in the loaded image where loader and runtime find what they need.
    DATA_DIRECTORIES: "data directories";
    /// The form of the header: PE32, or PE32+ with 64-bit addresses.
    MAGIC: "magic" as OneOf(names::OPTIONAL_MAGICS);
    /// The major version of the linker; .NET compilers write a constant.
    MAJOR_LINKER_VERSION: "major linker version";
    /// The minor version of the linker; .NET compilers write a constant.
    MINOR_LINKER_VERSION: "minor linker version";
    /// The total size of the code sections, rounded up to the file alignment.
    SIZE_OF_CODE: "size of code";
    /// The total size of the data sections, rounded up to the file alignment.
    SIZE_OF_INITIALIZED_DATA: "size of initialized data";
    /// The total size of the zero-filled data that is omitted from the file.
    SIZE_OF_UNINITIALIZED_DATA: "size of uninitialized data";
    /// The RVA at which execution begins; in a managed PE32 image, a jump to the runtime that Windows no longer uses.
    ADDRESS_OF_ENTRY_POINT: "address of entry point" as Rva;
    /// The RVA of the first code section.
    BASE_OF_CODE: "base of code" as Rva;
    /// The RVA of the first data section; PE32+ has no such field.
    BASE_OF_DATA: "base of data" as Rva;
    /// The preferred load address; RVAs are relative to the actual one.
    IMAGE_BASE: "image base" as Hex;
    /// The alignment of sections in memory: the size of a page.
    SECTION_ALIGNMENT: "section alignment" as Hex;
    /// The alignment of sections in the file: the size of a disk sector.
    FILE_ALIGNMENT: "file alignment" as Hex;
    /// The major version of the oldest Windows that the image is for.
    MAJOR_OPERATING_SYSTEM_VERSION: "major operating system version";
    /// The minor version of the oldest Windows that the image is for.
    MINOR_OPERATING_SYSTEM_VERSION: "minor operating system version";
    /// The major version of the image, which is rarely set; the version of an assembly is in its metadata.
    MAJOR_IMAGE_VERSION: "major image version";
    /// The minor version of the image, which is rarely set; the version of an assembly is in its metadata.
    MINOR_IMAGE_VERSION: "minor image version";
    /// The major version of the oldest subsystem that the image runs in.
    MAJOR_SUBSYSTEM_VERSION: "major subsystem version";
    /// The minor version of the oldest subsystem that the image runs in.
    MINOR_SUBSYSTEM_VERSION: "minor subsystem version";
    /// Reserved; must be 0.
    WIN32_VERSION_VALUE: "win32 version value" as Hex;
    /// The size of the loaded image; symbol servers identify the image by this and its time stamp.
    SIZE_OF_IMAGE: "size of image" as Hex;
    /// The size of all headers, rounded up to the file alignment; this much of the file is loaded as it is.
    SIZE_OF_HEADERS: "size of headers" as Hex;
    /// The checksum of the file; Windows verifies it for drivers only, and .NET compilers leave it 0.
    CHECKSUM: "checksum" as Hex;
    /// The environment that Windows prepares for the program, such as a console or a window.
    SUBSYSTEM: "subsystem" as OneOf(names::SUBSYSTEMS);
    /// Properties that the image supports, such as relocation and non-executable data.
    DLL_CHARACTERISTICS: "dll characteristics" as Flags(names::DLL_CHARACTERISTICS);
    /// The address space reserved for the stack of the first thread.
    SIZE_OF_STACK_RESERVE: "size of stack reserve" as Hex;
    /// The part of that stack that is committed from the start.
    SIZE_OF_STACK_COMMIT: "size of stack commit" as Hex;
    /// The address space reserved for the first heap of the process.
    SIZE_OF_HEAP_RESERVE: "size of heap reserve" as Hex;
    /// The part of that heap that is committed from the start.
    SIZE_OF_HEAP_COMMIT: "size of heap commit" as Hex;
    /// Reserved; must be 0.
    LOADER_FLAGS: "loader flags" as Hex;
    /// The number of data directories that follow; 16 in practice.
    NUMBER_OF_RVA_AND_SIZES: "number of rva and sizes";
    /// Bytes that belong to the optional header by its size but to none of its fields.
    REST: "rest";
}

/// The optional header, which an image always has: how it is laid out in memory.
///
/// There are two forms. In a PE32+ image (64 bits) the addresses are eight bytes wide and the base of data is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalHeader {
    /// Whether it is of the PE32+ form.
    pub is_wide: bool,
    /// Where execution begins, as an RVA; 0 in most DLLs.
    pub entry_point: u32,
    /// The address at which the image would like to be loaded.
    pub image_base: u64,
    /// Sections begin in memory at multiples of this.
    pub section_alignment: u32,
    /// Sections begin in the file at multiples of this.
    pub file_alignment: u32,
    /// How much memory the loaded image takes; symbol servers know an image by this and by its stamp.
    pub size_of_image: u32,
    /// How much of the file's beginning is loaded as it is.
    pub size_of_headers: u32,
    /// The image's checksum; 0 where nobody computed it.
    pub checksum: u32,
    /// What runs it, one of [`names::SUBSYSTEMS`](super::names::SUBSYSTEMS).
    pub subsystem: u16,
    /// Of [`names::DLL_CHARACTERISTICS`](super::names::DLL_CHARACTERISTICS).
    pub dll_characteristics: u16,
    /// How many data directories it says there are.
    pub directory_count: u32,
    /// The header's bytes, data directories included.
    pub span: Span,
}

impl OptionalHeader {
    /// Reads the header and as many data directories as there should be and can be.
    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<(Self, Vec<Directory>)> {
        let start = cursor.position();
        cursor.group(&OPTIONAL_HEADER, |c| {
            let mut header = Self::fields(c)?;
            let count = c.left().min(header.directory_count as u64 * Directory::SIZE) / Directory::SIZE;
            let count = (count as usize).min(pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES) as u8;
            let directories =
                c.group(&DATA_DIRECTORIES, |c| (0..count).map(|index| Directory::decode(c, index)).collect())?;
            if !c.is_done() {
                c.bytes(&REST, c.left())?;
            }
            header.span = c.since(start);
            Ok((header, directories))
        })
    }

    fn fields<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let is_wide = match c.u16(&MAGIC)? {
            pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC => false,
            pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC => true,
            _ => return Err(Error::invalid("the optional header is neither PE32 nor PE32+", c.since(start))),
        };
        let address = |c: &mut Cursor<'_, N>, doc| if is_wide { c.u64(doc) } else { c.u32(doc).map(u64::from) };
        c.u8(&MAJOR_LINKER_VERSION)?;
        c.u8(&MINOR_LINKER_VERSION)?;
        c.u32(&SIZE_OF_CODE)?;
        c.u32(&SIZE_OF_INITIALIZED_DATA)?;
        c.u32(&SIZE_OF_UNINITIALIZED_DATA)?;
        let entry_point = c.u32(&ADDRESS_OF_ENTRY_POINT)?;
        c.u32(&BASE_OF_CODE)?;
        if !is_wide {
            c.u32(&BASE_OF_DATA)?;
        }
        let image_base = address(c, &IMAGE_BASE)?;
        let section_alignment = c.u32(&SECTION_ALIGNMENT)?;
        let file_alignment = c.u32(&FILE_ALIGNMENT)?;
        c.u16(&MAJOR_OPERATING_SYSTEM_VERSION)?;
        c.u16(&MINOR_OPERATING_SYSTEM_VERSION)?;
        c.u16(&MAJOR_IMAGE_VERSION)?;
        c.u16(&MINOR_IMAGE_VERSION)?;
        c.u16(&MAJOR_SUBSYSTEM_VERSION)?;
        c.u16(&MINOR_SUBSYSTEM_VERSION)?;
        c.u32(&WIN32_VERSION_VALUE)?;
        let size_of_image = c.u32(&SIZE_OF_IMAGE)?;
        let size_of_headers = c.u32(&SIZE_OF_HEADERS)?;
        let checksum = c.u32(&CHECKSUM)?;
        let subsystem = c.u16(&SUBSYSTEM)?;
        let dll_characteristics = c.u16(&DLL_CHARACTERISTICS)?;
        address(c, &SIZE_OF_STACK_RESERVE)?;
        address(c, &SIZE_OF_STACK_COMMIT)?;
        address(c, &SIZE_OF_HEAP_RESERVE)?;
        address(c, &SIZE_OF_HEAP_COMMIT)?;
        c.u32(&LOADER_FLAGS)?;
        let directory_count = c.u32(&NUMBER_OF_RVA_AND_SIZES)?;
        Ok(Self {
            is_wide,
            entry_point,
            image_base,
            section_alignment,
            file_alignment,
            size_of_image,
            size_of_headers,
            checksum,
            subsystem,
            dll_characteristics,
            directory_count,
            span: c.since(start),
        })
    }
}
