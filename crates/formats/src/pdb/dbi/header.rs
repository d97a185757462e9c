use crate::bytes::{FieldDoc, fields, record};

const VERSIONS: &[(u64, &str)] = &[
    (930_803, "Visual C++ 4.1"),
    (19_960_307, "Visual C++ 5"),
    (19_970_606, "Visual C++ 6"),
    (19_990_903, "Visual C++ 7"),
    (20_091_201, "Visual C++ 11"),
];
/// Versions whose layout is decoded: those since Visual C++ 7.
pub const KNOWN_VERSIONS: [u32; 2] = [19_990_903, 20_091_201];
const FLAGS: &[(u64, &str)] = &[(1, "linked incrementally"), (2, "private symbols stripped"), (4, "conflicting types")];
const MACHINES: &[(u64, &str)] = &[(0x14c, "x86"), (0x1c4, "ARM"), (0x8664, "x64"), (0xaa64, "ARM64"), (0xc0ee, "IL")];

record! {
    /// The header of the DBI (debug information) stream: the streams with symbols, and the sizes of the substreams.
    pub struct DbiHeader: "dbi header" {
        /// -1, which marks a header with a version; older streams began otherwise.
        version_signature: i32,
        /// The version of the format, a date.
        version_header: u32 as OneOf(VERSIONS),
        /// The number of times the debug information was written: the age by which symbol stores index the file.
        age: u32,
        /// The GSI (global symbol hash) stream, which finds global symbols by name; 65535 for none.
        global_stream_index: u16 as Stream,
        /// The version of the linker's PDB writer: major in bits 8 to 14, minor in bits 0 to 7.
        build_number: u16 as Hex,
        /// The PSI (public symbol hash) stream, which finds public symbols by name and by address; 65535 for none.
        public_stream_index: u16 as Stream,
        /// The build of the PDB writer (mspdbXX.dll).
        pdb_dll_version: u16,
        /// The stream with the records of global and public symbols; 65535 for none.
        symbol_record_stream: u16 as Stream,
        /// The rebuild of the PDB writer.
        pdb_dll_rebuild: u16,
        /// The size of the module info substream in bytes; it follows this header.
        module_info_size: u32,
        /// The size of the section contribution substream in bytes.
        section_contribution_size: u32,
        /// The size of the section map in bytes.
        section_map_size: u32,
        /// The size of the source info (file info) substream in bytes.
        source_info_size: u32,
        /// The size of the type server map in bytes; obsolete, 0.
        type_server_map_size: u32,
        /// The index of the type server with the types of MFC; 0 for none.
        mfc_type_server_index: u32,
        /// The size of the optional debug header in bytes; it is the last substream.
        debug_header_size: u32,
        /// The size of the Edit and Continue substream, a string table, in bytes; it precedes the debug header.
        ec_substream_size: u32,
        /// Properties of the link.
        flags: u16 as Flags(FLAGS),
        /// The machine type of the image; 0xC0EE means that it contains only IL.
        machine: u16 as OneOf(MACHINES),
        /// Unused; fills the header up to 64 bytes.
        padding: [u8; 4],
    }
}

fields! {
    /// The optional debug header: numbers of streams with copies of parts of the image.
    pub(super) DEBUG_HEADER: "debug header";
    /// The stream with frame pointer omission (FPO) data, which locates the frames of functions without a frame pointer;
    /// 65535 for none.
    FPO_DATA: "fpo data" as Stream;
    /// The stream with the exception table; 65535 for none.
    EXCEPTION_DATA: "exception data" as Stream;
    /// The stream with the relocations that the linker applied; 65535 for none.
    FIXUP_DATA: "fixup data" as Stream;
    /// The stream that maps addresses of a rearranged image to those of the image as it was linked; 65535 for none.
    OMAP_TO_SOURCE: "omap to source" as Stream;
    /// The stream that maps addresses of the image as it was linked to those of the rearranged image; 65535 for none.
    OMAP_FROM_SOURCE: "omap from source" as Stream;
    /// The stream with a copy of the image's section headers; 65535 for none.
    SECTION_HEADERS: "section headers" as Stream;
    /// The stream that maps the rows (RIDs) of methods in the records to those in the image, where a compiler or a tool
    /// changed tokens after the symbols had been written; 65535 for none.
    TOKEN_TO_RECORD_ID_MAP: "token rid map" as Stream;
    /// The stream with a copy of the unwind information (.xdata); 65535 for none.
    XDATA: "xdata" as Stream;
    /// The stream with a copy of the function table (.pdata); 65535 for none.
    PDATA: "pdata" as Stream;
    /// The stream with frame data in its newer form; 65535 for none.
    NEW_FPO_DATA: "new fpo data" as Stream;
    /// The stream with the section headers of the image before it was rearranged; 65535 for none.
    ORIGINAL_SECTION_HEADERS: "original section headers" as Stream;
    /// A stream that the specification does not name; 65535 for none.
    pub(super) UNKNOWN: "unknown" as Stream;
    /// A byte too few for another stream number.
    pub(super) LEFT_OVER: "left over";
}

/// Descriptions of the streams of the optional debug header, in its order.
pub const DEBUG_STREAMS: [&FieldDoc; 11] = [
    &FPO_DATA,
    &EXCEPTION_DATA,
    &FIXUP_DATA,
    &OMAP_TO_SOURCE,
    &OMAP_FROM_SOURCE,
    &SECTION_HEADERS,
    &TOKEN_TO_RECORD_ID_MAP,
    &XDATA,
    &PDATA,
    &NEW_FPO_DATA,
    &ORIGINAL_SECTION_HEADERS,
];
