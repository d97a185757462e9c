//! The header and its list of sections.

use crate::bytes::record;

/// Bits of the flags.
const FLAGS: &[(u64, &str)] = &[
    (0x1, "platform-neutral source"),
    (0x2, "skip type validation"),
    (0x4, "partial"),
    (0x8, "non-shared P/Invoke stubs"),
    (0x10, "embedded MSIL"),
    (0x20, "component of a composite image"),
    (0x40, "multi-module version bubble"),
    (0x80, "unrelated code"),
    (0x100, "platform-native owner"),
];

record! {
    /// The ReadyToRun header (READYTORUN_HEADER): machine code beside the IL, and the version that a runtime must know to use it.
    pub struct Header: "ready-to-run header" {
        /// RTR, as a number; anything else is no ReadyToRun image.
        signature: u32 as Hex,
        /// The major version of the format; a runtime that does not know it ignores the code and compiles the IL.
        major_version: u16,
        /// The minor version of the format; additions that an older runtime can ignore.
        minor_version: u16,
    }
}

record! {
    /// The core header (READYTORUN_CORE_HEADER), which a component of a composite image has, too.
    pub struct CoreHeader: "core header" {
        /// Properties of the image and of the compilation.
        flags: u32 as Flags(FLAGS),
        /// The number of sections that follow.
        number_of_sections: u32,
    }
}

record! {
    /// An entry of the list of sections: type, address and size.
    pub struct SectionEntry: "ready-to-run section" {
        /// The type of the section; the entries are sorted by it.
        kind "type": u32 as OneOf(SECTIONS),
        /// The RVA of the section.
        rva: u32 as Rva,
        /// The size of the section in bytes.
        size: u32 as Hex,
    }
}

impl Header {
    /// `RTR` and a NUL.
    pub const SIGNATURE: u32 = 0x0052_5452;
}

impl CoreHeader {
    /// Flag of an image whose code is in a composite image.
    pub const COMPONENT: u32 = 0x20;
}

impl SectionEntry {
    /// Name of the type.
    pub fn name(&self) -> &'static str {
        SECTIONS.iter().find(|(kind, _)| *kind == u64::from(self.kind)).map_or("unknown", |(_, name)| name)
    }
}

/// Types of sections (ReadyToRunSectionType).
#[allow(missing_docs)]
pub mod section {
    pub const COMPILER: u32 = 100;
    pub const IMPORTS: u32 = 101;
    pub const RUNTIME_FUNCTIONS: u32 = 102;
    pub const ENTRY_POINTS: u32 = 103;
    pub const EXCEPTIONS: u32 = 104;
    pub const DEBUG_INFO: u32 = 105;
    pub const THUNKS: u32 = 106;
    pub const AVAILABLE_TYPES: u32 = 108;
    pub const INSTANCES: u32 = 109;
    pub const INLINING: u32 = 110;
    pub const MANIFEST: u32 = 112;
    pub const ATTRIBUTES: u32 = 113;
    pub const INLINING_2: u32 = 114;
    pub const COMPONENTS: u32 = 115;
    pub const OWNER: u32 = 116;
    pub const PGO: u32 = 117;
    pub const MVIDS: u32 = 118;
    pub const CROSS_MODULE_INLINING: u32 = 119;
    pub const HOT_COLD: u32 = 120;
    pub const GENERIC_METHODS: u32 = 121;
    pub const ENCLOSING_TYPES: u32 = 122;
    pub const GENERIC_TYPES: u32 = 123;
}

/// Names of the types of sections.
pub const SECTIONS: &[(u64, &str)] = &[
    (100, "compiler identifier"),
    (101, "imports"),
    (102, "runtime functions"),
    (103, "MethodDef entry points"),
    (104, "exceptions"),
    (105, "debug info"),
    (106, "delay-load thunks"),
    (108, "available types"),
    (109, "instance entry points"),
    (110, "inlining"),
    (111, "profile data"),
    (112, "manifest metadata"),
    (113, "attribute presence"),
    (114, "inlining 2"),
    (115, "component assemblies"),
    (116, "owner composite executable"),
    (117, "PGO instrumentation"),
    (118, "manifest assembly MVIDs"),
    (119, "cross-module inlining"),
    (120, "hot/cold map"),
    (121, "method is generic map"),
    (122, "enclosing type map"),
    (123, "type generic info map"),
];
