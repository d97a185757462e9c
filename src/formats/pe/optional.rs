use object::pe;

use super::Directory;
use crate::bytes::{Cursor, Error, Recorder, Result, Span};

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
        cursor.group("optional header", |c| {
            let mut header = Self::fields(c)?;
            let count = c.left().min(header.directory_count as u64 * Directory::SIZE) / Directory::SIZE;
            let count = (count as usize).min(pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES) as u8;
            let directories =
                c.group("data directories", |c| (0..count).map(|index| Directory::decode(c, index)).collect())?;
            if !c.is_done() {
                c.bytes("rest", c.left())?;
            }
            header.span = c.since(start);
            Ok((header, directories))
        })
    }

    fn fields<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let is_wide = match c.u16("magic")? {
            pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC => false,
            pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC => true,
            _ => return Err(Error::invalid("the optional header is neither PE32 nor PE32+", c.since(start))),
        };
        let address = |c: &mut Cursor<'_, N>, name| if is_wide { c.u64(name) } else { c.u32(name).map(u64::from) };
        c.u8("major linker version")?;
        c.u8("minor linker version")?;
        c.u32("size of code")?;
        c.u32("size of initialized data")?;
        c.u32("size of uninitialized data")?;
        let entry_point = c.u32("address of entry point")?;
        c.u32("base of code")?;
        if !is_wide {
            c.u32("base of data")?;
        }
        let image_base = address(c, "image base")?;
        let section_alignment = c.u32("section alignment")?;
        let file_alignment = c.u32("file alignment")?;
        c.u16("major operating system version")?;
        c.u16("minor operating system version")?;
        c.u16("major image version")?;
        c.u16("minor image version")?;
        c.u16("major subsystem version")?;
        c.u16("minor subsystem version")?;
        c.u32("win32 version value")?;
        let size_of_image = c.u32("size of image")?;
        let size_of_headers = c.u32("size of headers")?;
        let checksum = c.u32("checksum")?;
        let subsystem = c.u16("subsystem")?;
        let dll_characteristics = c.u16("dll characteristics")?;
        address(c, "size of stack reserve")?;
        address(c, "size of stack commit")?;
        address(c, "size of heap reserve")?;
        address(c, "size of heap commit")?;
        c.u32("loader flags")?;
        let directory_count = c.u32("number of rva and sizes")?;
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
