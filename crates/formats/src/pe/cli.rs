use super::names;
use crate::bytes::{Cursor, Error, Recorder, Result, record};

record! {
    /// The CLI header (ECMA-335 II.25.3.3; IMAGE_COR20_HEADER), which makes an image a managed one: it leads to metadata,
    /// resources and the entry point.
    pub struct CliHeader: "cli header" {
        /// The size of this header in bytes; 72.
        size_of_header: u32,
        /// The major version of the runtime that the header is for; 2 since generics were added (.NET 2.0).
        major_runtime_version: u16,
        /// The minor version of the runtime that the header is for; 5 with a major version of 2.
        minor_runtime_version: u16,
        /// The RVA of the metadata (types, methods and names of the assembly), which begins with BSJB.
        metadata_rva: u32 as Rva,
        /// The size of the metadata in bytes.
        metadata_size: u32 as Hex,
        /// Flags of the image: whether it has only IL, whether it requires 32 bits, and whether it is signed.
        flags: u32 as Flags(names::CLI_FLAGS),
        /// The method that execution begins with; 0 in a library. With NATIVE_ENTRYPOINT it is an RVA instead.
        entry_point_token: u32 as Token,
        /// The RVA of the embedded managed resources.
        resources_rva: u32 as Rva,
        /// The size of the embedded managed resources in bytes.
        resources_size: u32 as Hex,
        /// The RVA of the strong name signature, or of the space reserved for it.
        strong_name_signature_rva: u32 as Rva,
        /// The size of the strong name signature in bytes, which depends on the key.
        strong_name_signature_size: u32 as Hex,
        /// Reserved; must be 0.
        code_manager_table_rva: u32 as Rva,
        /// Reserved; must be 0.
        code_manager_table_size: u32 as Hex,
        /// The RVA of the slots through which native code calls managed methods, as C++/CLI uses them.
        vtable_fixups_rva: u32 as Rva,
        /// The size of the table of those slots in bytes.
        vtable_fixups_size: u32 as Hex,
        /// Reserved; must be 0.
        export_address_table_jumps_rva: u32 as Rva,
        /// Reserved; must be 0.
        export_address_table_jumps_size: u32 as Hex,
        /// The RVA of the ready-to-run header, if the image has native code beside its IL.
        managed_native_header_rva: u32 as Rva,
        /// The size of the ready-to-run header in bytes.
        managed_native_header_size: u32 as Hex,
    }
}

/// A directory of the CLI header: an RVA, and a size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CliDirectory {
    /// The RVA of the first byte.
    pub rva: u32,
    /// The size in bytes.
    pub size: u32,
}

impl CliHeader {
    pub(super) fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let header = Self::decode(cursor)?;
        if u64::from(header.size_of_header) < Self::SIZE {
            let span = header.span_of(&Self::size_of_header);
            return Err(Error::unexpected("size of the CLI header", header.size_of_header, "at least 0x48", span));
        }
        Ok(header)
    }

    /// Returns true if the image has native code that is not compiled from its IL, as C++/CLI makes it.
    pub const fn is_mixed(&self) -> bool {
        const IL_ONLY: u32 = 0x1;
        // Code compiled ahead of time, which clears ILONLY too.
        const IL_LIBRARY: u32 = 0x4;
        self.flags & (IL_ONLY | IL_LIBRARY) == 0
    }

    /// The directory of metadata.
    pub const fn metadata(&self) -> CliDirectory {
        CliDirectory { rva: self.metadata_rva, size: self.metadata_size }
    }

    /// The directory of resources.
    pub const fn resources(&self) -> CliDirectory {
        CliDirectory { rva: self.resources_rva, size: self.resources_size }
    }

    /// The directory of strong name signature.
    pub const fn strong_name_signature(&self) -> CliDirectory {
        CliDirectory { rva: self.strong_name_signature_rva, size: self.strong_name_signature_size }
    }
}
