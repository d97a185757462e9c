//! ReadyToRun: machine code beside the IL of an image, compiled ahead of time, and the tables that map one to the other.
//!
//! The CLI header leads to the ReadyToRun header (ManagedNativeHeader), which lists *sections*. Three of them lead from a method to
//! its code: the *entry points* give for each MethodDef row the index of a *runtime function* (the code of a method, or a part of it
//! that handles exceptions, a funclet), and the *debug information* maps the IL offsets of that function to native offsets, and
//! variables to registers and stack slots.
//!
//! The tables are packed: in native format integers ([`mod@array`], [`hashtable`]), in nibbles and in bit strings ([`debug_info`]).
//! Each is decoded on demand; nothing here is kept.
//!
//! # References
//!
//! dotnet/runtime, `docs/design/coreclr/botr/readytorun-format.md`

pub mod array;
mod composite;
pub mod contents;
pub mod debug_info;
pub mod entry_points;
mod functions;
pub mod hashtable;
mod header;
pub mod imports;
pub mod inlining;
pub mod instances;
mod machine;
pub mod signature;

pub use composite::Component;
pub use debug_info::{Bound, DebugInfo, IlPosition, Layout, Variable, VariableLocation};
pub use entry_points::EntryPoint;
pub use header::{CoreHeader, Header, SECTIONS, SectionEntry, section};
pub use imports::ImportSection;
pub use instances::Instance;
pub use machine::{Target, target};

use crate::bytes::{Cursor, Error, Recorder, Result, Slice, Span};
use crate::pe::{Exceptions, Exports, LinkerTables, Pe};
use array::Array;

/// Most sections; formats have less than thirty kinds.
const MAX_SECTIONS: u32 = 1000;

/// Last major version whose encodings are known; later ones are read like it.
pub const LAST_VERSION: u16 = 24;

/// Name of the export that leads to the header of a composite image.
const COMPOSITE_EXPORT: &str = "RTR_HEADER";

/// Name of the export of a program that NativeAOT compiled.
const NATIVE_AOT_EXPORT: &str = "DotNetRuntimeDebugHeader";

/// The ReadyToRun header of an image, and the machine that its code is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyToRun {
    /// Signature and version.
    pub header: Header,
    /// Flags and number of sections.
    pub core: CoreHeader,
    /// Sections, in the order of the file.
    pub sections: Vec<SectionEntry>,
    /// Machine and system of the code.
    pub target: Target,
    /// Bytes of the headers.
    pub span: Span,
}

/// Returns true if the exports are those of a program that NativeAOT compiled.
pub fn is_native_aot(tables: &LinkerTables) -> bool {
    let Some(Ok(exports)) = &tables.exports else { return false };
    exports.exports.iter().any(|export| export.name.as_deref() == Some(NATIVE_AOT_EXPORT))
}

fn export(image: &Pe, name: &str) -> Option<u32> {
    let exports = Exports::read(image)?.ok()?;
    let export = exports.exports.into_iter().find(|export| export.name.as_deref() == Some(name))?;
    match export.target {
        crate::pe::exports::ExportTarget::Address(rva) => Some(rva),
        crate::pe::exports::ExportTarget::Forward(_) => None,
    }
}

impl ReadyToRun {
    /// Reads the header of an image; `None` for an image without one.
    pub fn of(image: &Pe) -> Option<Result<Self>> {
        match header_bytes(image)?.and_then(|bytes| Self::decode(&mut bytes.cursor(), image.coff.machine)) {
            Ok(header) => Some(Ok(header)),
            // C++/CLI images of .NET Framework had native images of another kind here.
            Err(error) if matches!(error.kind, crate::bytes::ErrorKind::Invalid(NOT_READY_TO_RUN)) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Reads header and section entries.
    pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>, machine: u16) -> Result<Self> {
        let start = c.position();
        let header = Header::decode(c)?;
        if header.signature != Header::SIGNATURE {
            return Err(Error::invalid(NOT_READY_TO_RUN, header.span_of(&Header::signature)));
        }
        let (core, sections) = Self::core(c)?;
        Ok(Self { header, core, sections, target: target(machine), span: c.since(start) })
    }

    /// Reads a core header and its section entries.
    fn core<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<(CoreHeader, Vec<SectionEntry>)> {
        let core = CoreHeader::decode(c)?;
        if core.number_of_sections > MAX_SECTIONS {
            let span = core.span_of(&CoreHeader::number_of_sections);
            return Err(Error::invalid("more sections than the format has kinds", span));
        }
        let sections = (0..core.number_of_sections).map(|_| SectionEntry::decode(c)).collect::<Result<_>>()?;
        Ok((core, sections))
    }

    /// Entry of the section of that type.
    pub fn section(&self, kind: u32) -> Option<&SectionEntry> {
        self.sections.iter().find(|section| section.kind == kind && section.size > 0)
    }

    /// Bytes of the section of that type; `None` where the image has none.
    pub fn bytes<'i>(&self, image: &'i Pe, kind: u32) -> Option<Result<Slice<'i>>> {
        let entry = self.section(kind)?;
        Some(image.at_rva(entry.rva, entry.size).map_err(|error| error.at(entry.span)))
    }

    /// Returns true for an image with the code of several assemblies.
    pub fn is_composite(&self) -> bool {
        self.section(section::COMPONENTS).is_some()
    }

    /// Returns true for an image whose code is in a composite image, which [`section::OWNER`] names.
    pub const fn is_component(&self) -> bool {
        self.core.flags & CoreHeader::COMPONENT != 0
    }

    /// Runtime functions, in the order of their addresses.
    pub fn functions<'i>(&self, image: &'i Pe) -> Option<Exceptions<'i>> {
        let bytes = self.bytes(image, section::RUNTIME_FUNCTIONS)?.ok()?;
        Some(Exceptions::new(bytes, self.target.machine))
    }

    /// The native array that maps MethodDef rows, minus 1, to entry points.
    pub fn entry_points<'i>(&self, image: &'i Pe) -> Option<Result<Array<'i>>> {
        Some(self.bytes(image, section::ENTRY_POINTS)?.and_then(Array::read))
    }

    /// Entry point of the method with that MethodDef row; `Ok(None)` for a method without precompiled code of its own.
    pub fn entry_point(&self, image: &Pe, row: u32) -> Result<Option<EntryPoint>> {
        let Some(array) = self.entry_points(image) else { return Ok(None) };
        let Some(mut cursor) = array?.get(row.wrapping_sub(1))? else { return Ok(None) };
        EntryPoint::decode(&mut cursor).map(Some)
    }

    /// Debug information of the method that begins with this runtime function; `Ok(None)` where it has none.
    pub fn debug_info(&self, image: &Pe, function: u32) -> Result<Option<DebugInfo>> {
        let Some(bytes) = self.bytes(image, section::DEBUG_INFO) else { return Ok(None) };
        let Some(mut cursor) = Array::read(bytes?)?.get(function)? else { return Ok(None) };
        DebugInfo::decode(&mut cursor, self.layout()).map(Some)
    }

    /// Encoding of the debug information.
    pub const fn layout(&self) -> Layout {
        Layout { major: self.header.major_version, is_x86: self.target.machine == machine::X86 }
    }

    /// Version, `16.0`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.header.major_version, self.header.minor_version)
    }
}

const NOT_READY_TO_RUN: &str = "the native header is not one of ReadyToRun";

/// Bytes from the header on.
fn header_bytes(image: &Pe) -> Option<Result<Slice<'_>>> {
    if let Some(cli) = image.cli
        && cli.managed_native_header_rva > 0
    {
        let least = u64::from(cli.managed_native_header_size).max(Header::SIZE);
        return Some(image.near_rva(cli.managed_native_header_rva, least));
    }
    // A composite image may have a CLI header too, which leads to no code.
    Some(image.rest_at_rva(export(image, COMPOSITE_EXPORT)?))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod writer;
