use crate::bytes::{Cursor, Error, Recorder, Result, Span};

/// The CLI header (ECMA-335 II.25.3.3; `IMAGE_COR20_HEADER`): what makes an image a managed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CliHeader {
    /// The version of the runtime that the header was made for, in practice 2.5.
    pub runtime_version: (u16, u16),
    /// Where the metadata is.
    pub metadata: CliDirectory,
    /// Of [`names::CLI_FLAGS`](super::names::CLI_FLAGS).
    pub flags: u32,
    /// The token of the method that execution begins with, or the RVA of a native one.
    pub entry_point: u32,
    /// Where the managed resources are.
    pub resources: CliDirectory,
    /// Where the strong name signature is.
    pub strong_name: CliDirectory,
    /// Always empty.
    pub code_manager_table: CliDirectory,
    /// Where the slots are through which native code calls managed code.
    pub vtable_fixups: CliDirectory,
    /// Always empty.
    pub export_address_table_jumps: CliDirectory,
    /// Where the header of the code is that was compiled ahead of time (ready-to-run); empty in what a compiler emits.
    pub managed_native_header: CliDirectory,
    /// The header's bytes.
    pub span: Span,
}

/// A directory of the CLI header: an RVA, and how many bytes are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CliDirectory {
    /// Where it begins.
    pub rva: u32,
    /// How many bytes it takes.
    pub size: u32,
}

impl CliHeader {
    pub(super) const SIZE: u32 = 72;

    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("cli header", |c| {
            if c.u32("size of header")? < Self::SIZE {
                return Err(Error::invalid("a CLI header has 72 bytes", c.since(start)));
            }
            let runtime_version = (c.u16("major runtime version")?, c.u16("minor runtime version")?);
            let metadata = directory(c, "metadata rva", "metadata size")?;
            let flags = c.u32("flags")?;
            let entry_point = c.u32("entry point token")?;
            let resources = directory(c, "resources rva", "resources size")?;
            let strong_name = directory(c, "strong name signature rva", "strong name signature size")?;
            let code_manager_table = directory(c, "code manager table rva", "code manager table size")?;
            let vtable_fixups = directory(c, "vtable fixups rva", "vtable fixups size")?;
            let export_address_table_jumps =
                directory(c, "export address table jumps rva", "export address table jumps size")?;
            let managed_native_header = directory(c, "managed native header rva", "managed native header size")?;
            Ok(Self {
                runtime_version,
                metadata,
                flags,
                entry_point,
                resources,
                strong_name,
                code_manager_table,
                vtable_fixups,
                export_address_table_jumps,
                managed_native_header,
                span: c.since(start),
            })
        })
    }
}

fn directory<N: Recorder>(c: &mut Cursor<'_, N>, rva: &'static str, size: &'static str) -> Result<CliDirectory> {
    Ok(CliDirectory { rva: c.u32(rva)?, size: c.u32(size)? })
}
