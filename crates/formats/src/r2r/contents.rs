//! Sections that are small tables of their own.

use super::hashtable::Hashtable;
use super::header::section;
use super::{ReadyToRun, signature};
use crate::bytes::{Cursor, Encoding, Recorder, Result, fields, record};
use crate::pe::Pe;

record! {
    /// A method that handles exceptions, and its exception clauses.
    pub struct ExceptionLookup: "exception lookup" {
        /// The RVA of the method; the last entry has -1, which ends the table.
        method_rva: u32 as Rva,
        /// The RVA of the exception clauses; those of the next entry follow them.
        clauses_rva: u32 as Rva,
    }
}

record! {
    /// An exception clause, in native offsets.
    pub struct NativeClause: "native exception clause" {
        /// The kind of the clause: 0 catch, 1 filter, 2 finally, 4 fault.
        flags: u32 as Flags(&[(1, "filter"), (2, "finally"), (4, "fault"), (0x10, "duplicate")]),
        /// The native offset of the first byte of the try block.
        try_start: u32 as Hex,
        /// The native offset after the try block.
        try_end: u32 as Hex,
        /// The native offset of the handler, which is a funclet.
        handler_start: u32 as Hex,
        /// The native offset after the handler.
        handler_end: u32 as Hex,
        /// The type that is caught, or the native offset of the filter.
        class_token_or_filter "class token or filter": u32 as Hex,
    }
}

record! {
    /// An assembly of a composite image.
    pub struct ComponentAssembly: "component assembly" {
        /// The RVA of the CLI header of the assembly.
        cli_header_rva: u32 as Rva,
        /// The size of the CLI header in bytes.
        cli_header_size: u32 as Hex,
        /// The RVA of the core header of the assembly.
        core_header_rva: u32 as Rva,
        /// The size of the core header and its sections in bytes.
        core_header_size: u32 as Hex,
    }
}

record! {
    /// A cold runtime function, and the hot one that it continues.
    struct HotCold: "hot/cold entry" {
        /// The index of the cold runtime function.
        cold_function: u32,
        /// The index of the hot runtime function.
        hot_function: u32,
    }
}

fields! {
    /// The compiler that made the code, and its version.
    COMPILER: "compiler identifier";
    /// The name of the composite image that has the code.
    OWNER: "owner composite executable";
    /// The MVID of an assembly of the manifest, which must be the one that is loaded.
    MVID: "manifest assembly mvid";
    /// The number of methods.
    METHOD_COUNT: "count of methods";
    /// One bit for each MethodDef row: 1 if the method has type parameters.
    GENERIC_BITS: "generic method bits";
    /// The number of types.
    TYPE_COUNT: "count of types";
    /// The TypeDef row that encloses a type; 0 if it is not nested.
    ENCLOSING_TYPE: "enclosing type" as Row("TypeDef");
    /// Four bits for each TypeDef row: the number of type parameters up to 2 (3 is more), and whether they have variance or constraints.
    GENERIC_INFO: "generic type info";
    /// A cuckoo filter of the attributes that types and members have: an attribute that it does not have is nowhere in the image.
    FILTER: "attribute filter";
    /// Code that loads the address of a called method, and then calls it.
    THUNKS: "delay-load thunks";
    /// The version of the profile in the upper bits. Bit 0: the profile follows, or with bit 1 lies before, at the distance that follows.
    PROFILE_FLAGS: "profile version and flags" as Hex;
    /// The distance back to the profile.
    PROFILE_DISTANCE: "distance of profile" as Hex;
    /// Counts of blocks, and types and methods that calls led to, when the program that the profile is of ran.
    PROFILE: "profile";
    /// Bytes of the section, whose form is not decoded.
    DATA: "data";
    /// Metadata with the assembly references that the code has more than the IL.
    METADATA: "manifest metadata";
}

/// Reads a section that is a table of its own, or its bytes.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>, kind: u32) -> Result<()> {
    match kind {
        section::COMPILER => c.text(&COMPILER, c.left(), Encoding::Utf8).map(drop),
        section::OWNER => c.text(&OWNER, c.left(), Encoding::Utf8).map(drop),
        section::EXCEPTIONS => all(c, ExceptionLookup::SIZE, |c| ExceptionLookup::decode(c).map(drop)),
        section::COMPONENTS => all(c, ComponentAssembly::SIZE, |c| ComponentAssembly::decode(c).map(drop)),
        section::HOT_COLD => all(c, HotCold::SIZE, |c| HotCold::decode(c).map(drop)),
        section::MVIDS => all(c, 16, |c| c.guid(&MVID).map(drop)),
        section::GENERIC_METHODS => {
            let count = c.u32(&METHOD_COUNT)?;
            c.bytes(&GENERIC_BITS, u64::from(count).div_ceil(8)).map(drop)
        }
        section::ENCLOSING_TYPES => {
            let count = c.u16(&TYPE_COUNT)?;
            (0..count).try_for_each(|_| c.u16(&ENCLOSING_TYPE).map(drop))
        }
        section::GENERIC_TYPES => {
            let count = c.u32(&TYPE_COUNT)?;
            c.bytes(&GENERIC_INFO, u64::from(count).div_ceil(2)).map(drop)
        }
        section::PGO => profiles(c),
        section::MANIFEST => c.bytes(&METADATA, c.left()).map(drop),
        section::ATTRIBUTES => c.bytes(&FILTER, c.left()).map(drop),
        section::THUNKS => c.bytes(&THUNKS, c.left()).map(drop),
        _ => c.bytes(&DATA, c.left()).map(drop),
    }
}

/// Reads the profiles of methods. Their size is not stored: the bytes up to the next one are counted.
fn profiles<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    let table = Hashtable::read(c.rest())?;
    let entries = table.entries();
    let mut ends: Vec<u64> = entries.iter().map(|entry| entry.datum).chain([table.bytes().len()]).collect();
    ends.sort_unstable();
    for entry in entries {
        table.note(c, entry)?;
        signature::method(c)?;
        match c.native_unsigned(&PROFILE_FLAGS)? & 3 {
            3 => drop(c.native_unsigned(&PROFILE_DISTANCE)?),
            1 => {
                let end = ends.get(ends.partition_point(|end| *end < c.consumed()));
                c.bytes(&PROFILE, end.map_or(0, |end| end.saturating_sub(c.consumed())))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads entries of `size` bytes as long as there are any.
fn all<N: Recorder>(
    c: &mut Cursor<'_, N>,
    size: u64,
    mut entry: impl FnMut(&mut Cursor<'_, N>) -> Result<()>,
) -> Result<()> {
    while c.left() >= size {
        entry(c)?;
    }
    Ok(())
}

impl ReadyToRun {
    /// Methods with exception clauses, by address; the last entry ends the clauses of the one before.
    pub fn clauses<'i>(&self, image: &'i Pe) -> impl Iterator<Item = ExceptionLookup> + use<'i> {
        let bytes = self.bytes(image, section::EXCEPTIONS).and_then(Result::ok).unwrap_or_default();
        let mut c = bytes.cursor();
        std::iter::from_fn(
            move || if c.left() >= ExceptionLookup::SIZE { ExceptionLookup::decode(&mut c).ok() } else { None },
        )
    }
}
