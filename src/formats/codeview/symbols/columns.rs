use crate::bytes::{FieldDoc, fields};

/// A column of a kind of symbol records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, notation and sentence.
    pub doc: &'static FieldDoc,
    /// How it is read.
    pub read: Read,
    /// What it is in every kind that has it.
    pub role: Role,
}

/// How a column is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// One byte.
    U8,
    /// Two.
    U16,
    /// Four.
    U32,
    /// Four, with a sign.
    I32,
    /// A numeric leaf.
    Leaf,
    /// Text up to a NUL.
    Text,
}

/// What a column is in every kind of record that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The number of a type or of an id.
    Type,
    /// A section of the image.
    Section,
    /// An offset in that section.
    Offset,
    /// How many bytes are meant.
    Length,
    /// The record of the scope around it.
    Parent,
    /// The record that ends its scope.
    End,
    /// A module, from 1.
    Module,
    /// A record of that module.
    Record,
    /// Bits.
    Flags,
    /// A register of the processor.
    Register,
    /// How far from a register, or from the base of the frame.
    Displacement,
    /// The name.
    Name,
    /// Something of its own.
    None,
}

/// Languages that a module is compiled from (`CV_CFL_LANG`).
const LANGUAGES: &[(u64, &str)] = &[
    (0, "C"),
    (1, "C++"),
    (2, "Fortran"),
    (3, "MASM"),
    (4, "Pascal"),
    (5, "Basic"),
    (6, "COBOL"),
    (7, "linker"),
    (8, "resource compiler"),
    (9, "PGO"),
    (10, "C#"),
    (11, "Visual Basic"),
    (12, "IL"),
    (13, "Java"),
    (14, "JScript"),
    (15, "MSIL"),
    (16, "HLSL"),
    (21, "Rust"),
];

/// Name of the language with CodeView's `number`.
pub fn language(number: u64) -> Option<&'static str> {
    LANGUAGES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

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
const LOCAL_FLAGS: &[(u64, &str)] = &[
    (1, "parameter"),
    (2, "address is taken"),
    (4, "made by the compiler"),
    (8, "aggregate"),
    (0x10, "part of an aggregate"),
    (0x20, "aliased"),
    (0x40, "alias"),
    (0x80, "return value"),
    (0x100, "optimised away"),
    (0x200, "global"),
    (0x400, "static"),
];
const PUB_FLAGS: &[(u64, &str)] = &[(1, "code"), (2, "function"), (4, "managed"), (8, "IL")];
const EXPORTS: &[(u64, &str)] =
    &[(1, "constant"), (2, "data"), (4, "private"), (8, "no name"), (0x10, "ordinal was given"), (0x20, "forwarder")];
const CHARACTERISTIC_FLAGS: &[(u64, &str)] = &[
    (0x20, "code"),
    (0x40, "initialised data"),
    (0x80, "uninitialised data"),
    (0x0200_0000, "can be discarded"),
    (0x2000_0000, "execute"),
    (0x4000_0000, "read"),
    (0x8000_0000, "write"),
];

fields! {
    /// The type index of the symbol's type; an index below 0x1000 is a built-in type without a record.
    TYPE_DOC: "type" as Hex;
    /// The index of a record in the IPI stream: a function with its scope, or the build information of the module.
    ID_DOC: "id" as Hex;
    /// The offset of the symbol in its section.
    OFFSET_DOC: "offset" as Hex;
    /// The section of the image, from 1; 0 if the symbol has no address.
    SECTION_DOC: "section";
    /// The offset in this stream of the record of the enclosing scope; 0 for none.
    PARENT_DOC: "parent" as Hex;
    /// The offset in this stream of the record that ends the scope; the records between belong to it.
    END_DOC: "end" as Hex;
    /// The offset of the next scope; obsolete, 0.
    NEXT_DOC: "next" as Hex;
    /// The size of the code in bytes.
    LENGTH_DOC: "length of code";
    /// The name of the symbol in the source; for a public symbol, the decorated name that the linker uses.
    NAME_DOC: "name";
    /// The offset in its section of the code where the range begins.
    RANGE_OFFSET_DOC: "offset" as Hex;
    /// The section of the code of the range, from 1.
    RANGE_SECTION_DOC: "section";
    /// The size of the range in bytes of code.
    RANGE_LENGTH_DOC: "length of code";
    /// The offset of the exception handler in its section.
    HANDLER_OFFSET_DOC: "offset" as Hex;
    /// The section of the exception handler; 0 for none.
    HANDLER_SECTION_DOC: "section";
    /// The register, in CodeView's numbering for the processor.
    REGISTER_DOC: "register";
    /// The offset in the function of the end of its prologue, where a debugger may stop first.
    DEBUG_START: "debug start" as Hex;
    /// The offset in the function of the start of its epilogue.
    DEBUG_END: "debug end" as Hex;
    /// Properties of the function.
    FUNCTION_FLAGS: "function flags" as Flags(PROCEDURE_FLAGS);
    /// Properties of the variable.
    VARIABLE_FLAGS: "variable flags" as Flags(LOCAL_FLAGS);
    /// Properties of the public symbol that the linker knew.
    PUBLIC_FLAGS: "public flags" as Flags(PUB_FLAGS);
    /// Properties of the export.
    EXPORT_FLAGS: "export flags" as Flags(EXPORTS);
    /// The language that the module was compiled from.
    LANGUAGE: "language" as OneOf(LANGUAGES);
    /// Options of the compiler, one bit each: Edit and Continue, link-time code generation, security checks, …
    COMPILE_FLAGS: "compile flags" as Hex;
    /// Further options of the compiler: profile-guided optimisation, kept modules, managed code.
    FURTHER_COMPILE_FLAGS: "further compile flags" as Hex;
    /// Properties of the frame: use of alloca, setjmp, inline assembly or exception handlers, and the frame registers.
    FRAME_FLAGS: "frame flags" as Hex;
    /// Reserved; names and values of the build's environment follow as pairs of strings.
    ENVIRONMENT_FLAGS: "environment flags";
    /// Bit 0: the separated code is a lexical scope; bit 1: it returns to its parent.
    SEPARATED_CODE_FLAGS: "separated code flags" as Hex;
    /// Bit 0: the variable may have no value in this range.
    RANGE_ATTRIBUTES: "range attributes" as Hex;
    /// Bit 0: the range describes a part of a variable; bits 4 to 15: the offset of the part.
    MEMBER_FLAGS: "member flags" as Hex;
    /// Properties of a symbol that the linker left in the object file (/DEBUG:FASTLINK).
    FASTLINK_FLAGS: "fastlink flags" as Hex;
    /// Contents and access rights of the section.
    CHARACTERISTICS: "characteristics" as Flags(CHARACTERISTIC_FLAGS);
    /// The signature of the object file; 0 for none.
    SIGNATURE: "signature" as Hex;
    /// The checksum of the name (SUC of the name); linkers of today write 0.
    NAME_SUM: "name sum";
    /// The offset of the symbol record in the stream of its module.
    SYMBOL_OFFSET: "symbol offset" as Hex;
    /// The module with the symbol record, from 1.
    MODULE: "module";
    /// The number of the export, or the kind of thunk.
    ORDINAL: "ordinal";
    /// The offset of the variable from the value of the register.
    REGISTER_OFFSET: "register offset";
    /// The offset of the variable from the base of the frame.
    FRAME_OFFSET: "frame offset";
    /// The size of the function's stack frame in bytes.
    FRAME_SIZE: "frame size";
    /// The size of the padding in the frame in bytes.
    PADDING_SIZE: "padding size";
    /// The offset of the padding in the frame.
    PADDING_OFFSET: "padding offset";
    /// The size of the saved callee registers in bytes.
    SAVED_REGISTERS_SIZE: "saved registers size";
    /// The processor that the module was compiled for.
    MACHINE: "machine" as OneOf(MACHINES);
    /// The major version of the compiler's front end.
    FRONT_END_MAJOR: "front end major";
    /// The minor version of the compiler's front end.
    FRONT_END_MINOR: "front end minor";
    /// The build number of the compiler's front end.
    FRONT_END_BUILD: "front end build";
    /// The QFE (fix) number of the compiler's front end.
    FRONT_END_FIX: "front end fix";
    /// The major version of the compiler's back end.
    BACK_END_MAJOR: "back end major";
    /// The minor version of the compiler's back end.
    BACK_END_MINOR: "back end minor";
    /// The build number of the compiler's back end.
    BACK_END_BUILD: "back end build";
    /// The QFE (fix) number of the compiler's back end.
    BACK_END_FIX: "back end fix";
    /// 0 for a jump to a function that was linked incrementally, 1 for a branch island.
    TRAMPOLINE_KIND: "trampoline kind";
    /// The offset of the jump's target in its section.
    TARGET_OFFSET: "target offset" as Hex;
    /// The section of the jump's target.
    TARGET_SECTION: "target section";
    /// The offset of the function that the code was separated from.
    PARENT_OFFSET: "parent offset" as Hex;
    /// The section of the function that the code was separated from.
    PARENT_SECTION: "parent section";
    /// The alignment of the section as a power of two.
    ALIGNMENT: "alignment";
    /// Reserved; must be 0.
    RESERVED: "reserved";
    /// The RVA of the section.
    RVA: "rva" as Rva;
    /// Unused bytes that align the next field.
    UNUSED: "unused";
    /// The type of the security cookie that guards the frame: a copy, or combined with a register.
    COOKIE_KIND: "cookie kind";
    /// The offset in the variable of the part that the register holds.
    OFFSET_IN_VARIABLE: "offset in variable";
    /// The source file: the offset of its name in the string table.
    FILE_NAME: "file name" as Hex;
    /// The offset of the address to which the entries of the jump table are relative.
    BASE_OFFSET: "base offset" as Hex;
    /// The section of the address to which the entries of the jump table are relative.
    BASE_SECTION: "base section";
    /// The size of an entry of the jump table, and whether it is shifted.
    ENTRY_KIND: "entry kind";
    /// The offset of the jump table in its section.
    TABLE_OFFSET: "table offset" as Hex;
    /// The section of the jump table.
    TABLE_SECTION: "table section";
    /// The number of entries of the jump table.
    ENTRY_COUNT: "entry count";
    /// The number of functions that follow.
    COUNT: "count";
    /// The number of times that the call was made while profiling.
    INVOCATIONS: "invocations";
    /// The size of the call instruction in bytes.
    CALL_LENGTH: "call length";
}

const fn column(doc: &'static FieldDoc, read: Read, role: Role) -> Column {
    Column { doc, read, role }
}

const fn u8(doc: &'static FieldDoc) -> Column {
    column(doc, Read::U8, Role::None)
}

const fn u16(doc: &'static FieldDoc) -> Column {
    column(doc, Read::U16, Role::None)
}

const fn u32(doc: &'static FieldDoc) -> Column {
    column(doc, Read::U32, Role::None)
}

const fn i32(doc: &'static FieldDoc) -> Column {
    column(doc, Read::I32, Role::Displacement)
}

const fn flags_8(doc: &'static FieldDoc) -> Column {
    column(doc, Read::U8, Role::Flags)
}

const fn flags_16(doc: &'static FieldDoc) -> Column {
    column(doc, Read::U16, Role::Flags)
}

const fn flags(doc: &'static FieldDoc) -> Column {
    column(doc, Read::U32, Role::Flags)
}

const TYPE: Column = column(&TYPE_DOC, Read::U32, Role::Type);
const ID: Column = column(&ID_DOC, Read::U32, Role::Type);
const OFFSET: Column = column(&OFFSET_DOC, Read::U32, Role::Offset);
const SECTION: Column = column(&SECTION_DOC, Read::U16, Role::Section);
const PARENT: Column = column(&PARENT_DOC, Read::U32, Role::Parent);
const END: Column = column(&END_DOC, Read::U32, Role::End);
const NEXT: Column = u32(&NEXT_DOC);
const LENGTH: Column = column(&LENGTH_DOC, Read::U32, Role::Length);
const LENGTH_16: Column = column(&LENGTH_DOC, Read::U16, Role::Length);
const VALUE: Column = column(&super::super::leaf::VALUE, Read::Leaf, Role::None);
const NAME: Column = column(&NAME_DOC, Read::Text, Role::Name);
const RANGE_OFFSET: Column = column(&RANGE_OFFSET_DOC, Read::U32, Role::Offset);
const RANGE_SECTION: Column = column(&RANGE_SECTION_DOC, Read::U16, Role::Section);
const RANGE_LENGTH: Column = column(&RANGE_LENGTH_DOC, Read::U16, Role::Length);
const HANDLER_OFFSET: Column = column(&HANDLER_OFFSET_DOC, Read::U32, Role::Offset);
const HANDLER_SECTION: Column = column(&HANDLER_SECTION_DOC, Read::U16, Role::Section);
const REGISTER: Column = column(&REGISTER_DOC, Read::U16, Role::Register);

const FUNCTION: &[Column] = &[
    PARENT,
    END,
    NEXT,
    LENGTH,
    u32(&DEBUG_START),
    u32(&DEBUG_END),
    TYPE,
    OFFSET,
    SECTION,
    flags_8(&FUNCTION_FLAGS),
    NAME,
];
const FUNCTION_ID: &[Column] = &[
    PARENT,
    END,
    NEXT,
    LENGTH,
    u32(&DEBUG_START),
    u32(&DEBUG_END),
    ID,
    OFFSET,
    SECTION,
    flags_8(&FUNCTION_FLAGS),
    NAME,
];
const DATA: &[Column] = &[TYPE, OFFSET, SECTION, NAME];
const REFERENCE: &[Column] =
    &[u32(&NAME_SUM), column(&SYMBOL_OFFSET, Read::U32, Role::Record), column(&MODULE, Read::U16, Role::Module), NAME];

/// Which columns each kind has.
#[rustfmt::skip]
const LAYOUTS: &[(u16, &[Column])] = &[
    (0x0006, &[]), // S_END
    (0x1012, &[column(&FRAME_SIZE, Read::U32, Role::Length), u32(&PADDING_SIZE), u32(&PADDING_OFFSET), u32(&SAVED_REGISTERS_SIZE), HANDLER_OFFSET, HANDLER_SECTION,
        flags(&FRAME_FLAGS)]), // S_FRAMEPROC: the address is that of the exception handler
    (0x1101, &[u32(&SIGNATURE), NAME]), // S_OBJNAME
    (0x1102, &[PARENT, END, NEXT, OFFSET, SECTION, LENGTH_16, u8(&ORDINAL), NAME]), // S_THUNK32
    (0x1103, &[PARENT, END, LENGTH, OFFSET, SECTION, NAME]), // S_BLOCK32
    (0x1105, &[OFFSET, SECTION, flags_8(&FUNCTION_FLAGS), NAME]), // S_LABEL32
    (0x1106, &[TYPE, REGISTER, NAME]), // S_REGISTER
    (0x1107, &[TYPE, VALUE, NAME]), // S_CONSTANT
    (0x1108, &[TYPE, NAME]), // S_UDT
    (0x1109, &[TYPE, NAME]), // S_COBOLUDT
    (0x110b, &[i32(&FRAME_OFFSET), TYPE, NAME]), // S_BPREL32
    (0x110c, DATA), // S_LDATA32
    (0x110d, DATA), // S_GDATA32
    (0x110e, &[flags(&PUBLIC_FLAGS), OFFSET, SECTION, NAME]), // S_PUB32
    (0x110f, FUNCTION), // S_LPROC32
    (0x1110, FUNCTION), // S_GPROC32
    (0x1111, &[i32(&REGISTER_OFFSET), TYPE, REGISTER, NAME]), // S_REGREL32
    (0x1112, DATA), // S_LTHREAD32
    (0x1113, DATA), // S_GTHREAD32
    (0x1116, &[flags_8(&LANGUAGE), u16(&COMPILE_FLAGS), u8(&FURTHER_COMPILE_FLAGS), u16(&MACHINE), u16(&FRONT_END_MAJOR), u16(&FRONT_END_MINOR), u16(&FRONT_END_BUILD),
        u16(&BACK_END_MAJOR), u16(&BACK_END_MINOR), u16(&BACK_END_BUILD), NAME]), // S_COMPILE2
    (0x111c, DATA), // S_LMANDATA
    (0x111d, DATA), // S_GMANDATA
    (0x1124, &[NAME]), // S_UNAMESPACE
    (0x1125, REFERENCE), // S_PROCREF
    (0x1126, REFERENCE), // S_DATAREF
    (0x1127, REFERENCE), // S_LPROCREF
    (0x1128, REFERENCE), // S_ANNOTATIONREF
    (0x1129, REFERENCE), // S_TOKENREF
    (0x112c, &[u16(&TRAMPOLINE_KIND), LENGTH_16, OFFSET, u32(&TARGET_OFFSET), SECTION,
        u16(&TARGET_SECTION)]), // S_TRAMPOLINE
    (0x1132, &[PARENT, END, LENGTH, flags(&SEPARATED_CODE_FLAGS), OFFSET, u32(&PARENT_OFFSET), SECTION, u16(&PARENT_SECTION)]), // S_SEPCODE
    (0x1136, &[SECTION, u8(&ALIGNMENT), u8(&RESERVED), u32(&RVA), LENGTH, flags(&CHARACTERISTICS), NAME]), // S_SECTION
    (0x1137, &[LENGTH, flags(&CHARACTERISTICS), OFFSET, SECTION, NAME]), // S_COFFGROUP
    (0x1138, &[u16(&ORDINAL), flags_16(&EXPORT_FLAGS), NAME]), // S_EXPORT
    (0x1139, &[OFFSET, SECTION, u16(&UNUSED), TYPE]), // S_CALLSITEINFO
    (0x113a, &[i32(&FRAME_OFFSET), REGISTER, u8(&COOKIE_KIND), flags_8(&UNUSED)]), // S_FRAMECOOKIE
    (0x113c, &[flags_8(&LANGUAGE), u16(&COMPILE_FLAGS), u8(&FURTHER_COMPILE_FLAGS), u16(&MACHINE), u16(&FRONT_END_MAJOR), u16(&FRONT_END_MINOR), u16(&FRONT_END_BUILD),
        u16(&FRONT_END_FIX), u16(&BACK_END_MAJOR), u16(&BACK_END_MINOR), u16(&BACK_END_BUILD), u16(&BACK_END_FIX),
        NAME]), // S_COMPILE3
    (0x113d, &[flags_8(&ENVIRONMENT_FLAGS)]), // S_ENVBLOCK
    (0x113e, &[TYPE, flags_16(&VARIABLE_FLAGS), NAME]), // S_LOCAL
    (0x1141, &[REGISTER, flags_16(&RANGE_ATTRIBUTES), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_REGISTER
    (0x1142, &[i32(&FRAME_OFFSET), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_FRAMEPOINTER_REL
    (0x1143, &[REGISTER, flags_16(&RANGE_ATTRIBUTES), u32(&OFFSET_IN_VARIABLE), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_SUBFIELD_REGISTER
    (0x1144, &[i32(&FRAME_OFFSET)]), // S_DEFRANGE_FRAMEPOINTER_REL_FULL_SCOPE
    (0x1145, &[REGISTER, flags_16(&MEMBER_FLAGS), i32(&REGISTER_OFFSET), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_REGISTER_REL
    (0x1146, FUNCTION_ID), // S_LPROC32_ID
    (0x1147, FUNCTION_ID), // S_GPROC32_ID
    (0x114c, &[ID]), // S_BUILDINFO
    (0x114d, &[PARENT, END, ID]), // S_INLINESITE
    (0x114e, &[]), // S_INLINESITE_END
    (0x114f, &[]), // S_PROC_ID_END
    (0x1153, &[TYPE, u32(&FILE_NAME), flags_16(&VARIABLE_FLAGS), NAME]), // S_FILESTATIC
    (0x1155, FUNCTION), // S_LPROC32_DPC
    (0x1156, FUNCTION_ID), // S_LPROC32_DPC_ID
    (0x1159, &[u32(&BASE_OFFSET), u16(&BASE_SECTION), u16(&ENTRY_KIND), OFFSET, u32(&TABLE_OFFSET), SECTION,
        u16(&TABLE_SECTION), u32(&ENTRY_COUNT)]), // S_ARMSWITCHTABLE
    (0x115a, &[u32(&COUNT)]), // S_CALLEES
    (0x115b, &[u32(&COUNT)]), // S_CALLERS
    (0x115d, &[PARENT, END, ID, u32(&INVOCATIONS)]), // S_INLINESITE2
    (0x115e, &[OFFSET, SECTION, u16(&CALL_LENGTH), TYPE]), // S_HEAPALLOCSITE
    (0x1167, &[TYPE, flags(&FASTLINK_FLAGS), NAME]), // S_FASTLINK
    (0x1168, &[u32(&COUNT)]), // S_INLINEES
];

/// The columns of a kind; none where it is not known.
pub fn columns(kind: u16) -> &'static [Column] {
    let found = LAYOUTS.binary_search_by_key(&kind, |(number, _)| *number).ok();
    found.and_then(|at| LAYOUTS.get(at)).map_or(&[], |(_, columns)| columns)
}

/// Whether records of this kind are functions with code.
pub const fn is_function(kind: u16) -> bool {
    matches!(kind, 0x110f | 0x1110 | 0x1146 | 0x1147 | 0x1155 | 0x1156)
}

pub(super) const fn names_id(kind: u16) -> bool {
    matches!(kind, 0x1146 | 0x1147 | 0x1156 | 0x114c | 0x114d | 0x115d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_all_of_it_has_names() {
        assert!(LAYOUTS.is_sorted_by(|(a, _), (b, _)| a < b));
        for (kind, _) in LAYOUTS {
            assert!(super::super::kind_name(*kind).is_some(), "{kind:x}");
        }
        let mut columns = LAYOUTS.iter().flat_map(|(_, columns)| columns.iter());
        assert!(columns.all(|column| !column.doc.name.is_empty() && !column.doc.about.is_empty()));
    }
}
