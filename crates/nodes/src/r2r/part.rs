//! Parts of the ReadyToRun tables.

use pdblens_formats::metadata::Token;

/// Part of the ReadyToRun tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum R2rPart {
    /// A section, by its type.
    Section(u32),
    /// The entry points of methods.
    EntryPoints,
    /// The entry point of one method.
    EntryPoint(Token),
    /// The runtime functions.
    Functions,
    /// One runtime function, by its index.
    Function(u32),
    /// The debug information of all methods.
    DebugInfos,
    /// The debug information of the method that begins with this runtime function.
    DebugInfo(u32),
    /// The import sections.
    Imports,
    /// One import section, by its number.
    Import(u32),
    /// A cell of an import section.
    Cell(u32, u32),
    /// The instances of generic methods.
    Instances,
    /// One instance, by its position in the list.
    Instance(u32),
    /// The available types.
    Types,
    /// One available type, by its position in the list.
    Type(u32),
    /// The inlined methods.
    Inlinings,
    /// One inlined method and its inliners, by its position in the list.
    Inlining(u32),
}
