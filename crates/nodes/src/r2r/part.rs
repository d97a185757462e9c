//! Parts of the ReadyToRun tables.

use pdblens_formats::metadata::Token;

parts! {
    pub enum R2rPart in R2r() {
        /// A section, by its type.
        Section(kind: u32) = "r2r/sections/N",
        EntryPoints = "r2r/entry-points",
        EntryPoint(token: Token) = "r2r/entry-points/TOKEN",
        Functions = "r2r/functions",
        Function(index: u32) = "r2r/functions/N",
        DebugInfos = "r2r/debug-info",
        /// The debug information of the method that begins with this runtime function.
        DebugInfo(index: u32) = "r2r/debug-info/N",
        Imports = "r2r/imports",
        Import(index: u32) = "r2r/imports/N",
        /// A cell of an import section.
        Cell(import: u32, index: u32) = "r2r/imports/N/N",
        Instances = "r2r/instances",
        /// One instance, by its position in the list.
        Instance(index: u32) = "r2r/instances/N",
        Types = "r2r/types",
        /// One available type, by its position in the list.
        Type(index: u32) = "r2r/types/N",
        Inlinings = "r2r/inlining",
        /// One inlined method and its inliners, by its position in the list.
        Inlining(index: u32) = "r2r/inlining/N",
    }
}
