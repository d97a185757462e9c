//! Descriptions of the columns of symbol records.

use crate::bytes::fields;
use crate::codeview::flags::LOCAL_FLAGS;
use crate::codeview::languages::LANGUAGES;
use crate::pe::names::SECTION_CHARACTERISTICS;

const MACHINES: &[(u64, &str)] =
    &[(3, "Intel 80386"), (7, "Pentium III"), (0x60, "ARM 3"), (0xd0, "x64"), (0xf4, "ARM NT"), (0xf6, "ARM64")];
const PROCEDURE_FLAGS: &[(u64, &str)] = &[
    (1, "frame pointer omitted"),
    (2, "returns from an interrupt"),
    (4, "far return"),
    (8, "does not return"),
    (0x10, "never called"),
    (0x20, "custom calling convention"),
    (0x40, "not inlined"),
    (0x80, "optimised, with debug information"),
];
const PUB_FLAGS: &[(u64, &str)] = &[(1, "code"), (2, "function"), (4, "managed"), (8, "IL")];
const EXPORTS: &[(u64, &str)] =
    &[(1, "constant"), (2, "data"), (4, "private"), (8, "no name"), (0x10, "ordinal was given"), (0x20, "forwarder")];

fields! {
    /// The type index of the symbol's type; an index below 0x1000 is a built-in type without a record.
    pub(super) TYPE_DOC: "type" as TypeIndex;
    /// The index of a record in the IPI stream: a function with its scope, or the build information of the module.
    pub(super) ID_DOC: "id" as IdIndex;
    /// The offset of the symbol in its section.
    pub(super) OFFSET_DOC: "offset" as Hex;
    /// The section of the image, from 1; 0 if the symbol has no address.
    pub(super) SECTION_DOC: "section";
    /// The offset in this stream of the record of the enclosing scope; 0 for none.
    pub(super) PARENT_DOC: "parent" as Hex;
    /// The offset in this stream of the record that ends the scope; the records between belong to it.
    pub(super) END_DOC: "end" as Hex;
    /// The offset of the next scope; obsolete, 0.
    pub(super) NEXT_DOC: "next" as Hex;
    /// The size of the code in bytes.
    pub(super) LENGTH_DOC: "length of code";
    /// The name of the symbol in the source; for a public symbol, the decorated name that the linker uses.
    pub(super) NAME_DOC: "name";
    /// The offset in its section of the code where the range begins.
    pub(super) RANGE_OFFSET_DOC: "offset" as Hex;
    /// The section of the code of the range, from 1.
    pub(super) RANGE_SECTION_DOC: "section";
    /// The size of the range in bytes of code.
    pub(super) RANGE_LENGTH_DOC: "length of code";
    /// The offset of the exception handler in its section.
    pub(super) HANDLER_OFFSET_DOC: "offset" as Hex;
    /// The section of the exception handler; 0 for none.
    pub(super) HANDLER_SECTION_DOC: "section";
    /// The register, in CodeView's numbering for the processor.
    pub(super) REGISTER_DOC: "register" as Register;
    /// The offset in the function of the end of its prologue, where a debugger may stop first.
    pub(super) DEBUG_START: "debug start" as Hex;
    /// The offset in the function of the start of its epilogue.
    pub(super) DEBUG_END: "debug end" as Hex;
    /// Properties of the function.
    pub(super) FUNCTION_FLAGS: "function flags" as Flags(PROCEDURE_FLAGS);
    /// Properties of the variable.
    pub(super) VARIABLE_FLAGS: "variable flags" as Flags(LOCAL_FLAGS);
    /// Properties of the public symbol that the linker knew.
    pub(super) PUBLIC_FLAGS: "public flags" as Flags(PUB_FLAGS);
    /// Properties of the export.
    pub(super) EXPORT_FLAGS: "export flags" as Flags(EXPORTS);
    /// The language that the module was compiled from.
    pub(super) LANGUAGE: "language" as OneOf(LANGUAGES);
    /// Options of the compiler, one bit each: Edit and Continue, link-time code generation, security checks, …
    pub(super) COMPILE_FLAGS: "compile flags" as Hex;
    /// Further options of the compiler: profile-guided optimisation, kept modules, managed code.
    pub(super) FURTHER_COMPILE_FLAGS: "further compile flags" as Hex;
    /// Properties of the frame: use of alloca, setjmp, inline assembly or exception handlers, and the frame registers.
    pub(super) FRAME_FLAGS: "frame flags" as Hex;
    /// Reserved; names and values of the build's environment follow as pairs of strings.
    pub(super) ENVIRONMENT_FLAGS: "environment flags";
    /// Bit 0: the separated code is a lexical scope; bit 1: it returns to its parent.
    pub(super) SEPARATED_CODE_FLAGS: "separated code flags" as Hex;
    /// Bit 0: the variable may have no value in this range.
    pub(super) RANGE_ATTRIBUTES: "range attributes" as Hex;
    /// Bit 0: the range describes a part of a variable; bits 4 to 15: the offset of the part.
    pub(super) MEMBER_FLAGS: "member flags" as Hex;
    /// Properties of a symbol that the linker left in the object file (/DEBUG:FASTLINK).
    pub(super) FASTLINK_FLAGS: "fastlink flags" as Hex;
    /// Contents and access rights of the section.
    pub(super) CHARACTERISTICS: "characteristics" as Flags(SECTION_CHARACTERISTICS);
    /// The signature of the object file; 0 for none.
    pub(super) SIGNATURE: "signature" as Hex;
    /// The checksum of the name (SUC of the name); linkers of today write 0.
    pub(super) NAME_SUM: "name sum";
    /// The offset of the symbol record in the stream of its module.
    pub(super) SYMBOL_OFFSET: "symbol offset" as Hex;
    /// The module with the symbol record, from 1.
    pub(super) MODULE: "module" as Module(1);
    /// The number of the export, or the kind of thunk.
    pub(super) ORDINAL: "ordinal";
    /// The offset of the variable from the value of the register.
    pub(super) REGISTER_OFFSET: "register offset";
    /// The offset of the variable from the base of the frame.
    pub(super) FRAME_OFFSET: "frame offset";
    /// The size of the function's stack frame in bytes.
    pub(super) FRAME_SIZE: "frame size";
    /// The size of the padding in the frame in bytes.
    pub(super) PADDING_SIZE: "padding size";
    /// The offset of the padding in the frame.
    pub(super) PADDING_OFFSET: "padding offset";
    /// The size of the saved callee registers in bytes.
    pub(super) SAVED_REGISTERS_SIZE: "saved registers size";
    /// The processor that the module was compiled for.
    pub(super) MACHINE: "machine" as OneOf(MACHINES);
    /// The major version of the compiler's front end.
    pub(super) FRONT_END_MAJOR: "front end major";
    /// The minor version of the compiler's front end.
    pub(super) FRONT_END_MINOR: "front end minor";
    /// The build number of the compiler's front end.
    pub(super) FRONT_END_BUILD: "front end build";
    /// The QFE (fix) number of the compiler's front end.
    pub(super) FRONT_END_FIX: "front end fix";
    /// The major version of the compiler's back end.
    pub(super) BACK_END_MAJOR: "back end major";
    /// The minor version of the compiler's back end.
    pub(super) BACK_END_MINOR: "back end minor";
    /// The build number of the compiler's back end.
    pub(super) BACK_END_BUILD: "back end build";
    /// The QFE (fix) number of the compiler's back end.
    pub(super) BACK_END_FIX: "back end fix";
    /// 0 for a jump to a function that was linked incrementally, 1 for a branch island.
    pub(super) TRAMPOLINE_KIND: "trampoline kind";
    /// The offset of the jump's target in its section.
    pub(super) TARGET_OFFSET: "target offset" as Hex;
    /// The section of the jump's target.
    pub(super) TARGET_SECTION: "target section";
    /// The offset of the function that the code was separated from.
    pub(super) PARENT_OFFSET: "parent offset" as Hex;
    /// The section of the function that the code was separated from.
    pub(super) PARENT_SECTION: "parent section";
    /// The alignment of the section as a power of two.
    pub(super) ALIGNMENT: "alignment";
    /// Reserved; must be 0.
    pub(super) RESERVED: "reserved";
    /// The RVA of the section.
    pub(super) RVA: "rva" as Rva;
    /// Unused bytes that align the next field.
    pub(super) UNUSED: "unused";
    /// The type of the security cookie that guards the frame: a copy, or combined with a register.
    pub(super) COOKIE_KIND: "cookie kind";
    /// The offset in the variable of the part that the register holds.
    pub(super) OFFSET_IN_VARIABLE: "offset in variable";
    /// The source file: the offset of its name in the string table.
    pub(super) FILE_NAME: "file name" as Hex;
    /// The offset of the address to which the entries of the jump table are relative.
    pub(super) BASE_OFFSET: "base offset" as Hex;
    /// The section of the address to which the entries of the jump table are relative.
    pub(super) BASE_SECTION: "base section";
    /// The size of an entry of the jump table, and whether it is shifted.
    pub(super) ENTRY_KIND: "entry kind";
    /// The offset of the jump table in its section.
    pub(super) TABLE_OFFSET: "table offset" as Hex;
    /// The section of the jump table.
    pub(super) TABLE_SECTION: "table section";
    /// The number of entries of the jump table.
    pub(super) ENTRY_COUNT: "entry count";
    /// The number of functions that follow.
    pub(super) COUNT: "count";
    /// The number of times that the call was made while profiling.
    pub(super) INVOCATIONS: "invocations";
    /// The size of the call instruction in bytes.
    pub(super) CALL_LENGTH: "call length";
}
