use super::descriptions as doc;
use crate::bytes::FieldDoc;

/// A column of a kind of symbol records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, notation and sentence.
    pub doc: &'static FieldDoc,
    /// Encoding of the value.
    pub read: Read,
    /// Role that it has in every kind of record.
    pub role: Role,
}

/// Encoding of a column.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    U8,
    U16,
    U32,
    I32,
    Leaf,
    /// NUL-terminated text.
    Text,
}

impl Read {
    /// Number of bytes; `None` where they vary.
    pub const fn size(self) -> Option<u64> {
        match self {
            Self::U8 => Some(1),
            Self::U16 => Some(2),
            Self::U32 | Self::I32 => Some(4),
            Self::Leaf | Self::Text => None,
        }
    }
}

/// Role of a column in every kind of record that has it.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Type or id index.
    Type,
    /// Section of the image, from 1.
    Section,
    /// Offset in that section.
    Offset,
    Length,
    /// Offset of the record of the enclosing scope.
    Parent,
    /// Offset of the record that ends the scope.
    End,
    /// A module, from 1.
    Module,
    /// Offset of a record in that module.
    Record,
    Flags,
    Register,
    /// Offset from a register or from the base of the frame.
    Displacement,
    /// Section of the code that a jump leads to.
    TargetSection,
    /// Offset in that section.
    TargetOffset,
    Name,
    /// Number of functions in the list that follows.
    Count,
    /// Specific to the kind of record.
    None,
}

const fn column(field: &'static FieldDoc, read: Read, role: Role) -> Column {
    Column { doc: field, read, role }
}

const fn u8(field: &'static FieldDoc) -> Column {
    column(field, Read::U8, Role::None)
}

const fn u16(field: &'static FieldDoc) -> Column {
    column(field, Read::U16, Role::None)
}

const fn u32(field: &'static FieldDoc) -> Column {
    column(field, Read::U32, Role::None)
}

const fn i32(field: &'static FieldDoc) -> Column {
    column(field, Read::I32, Role::Displacement)
}

const fn flags_8(field: &'static FieldDoc) -> Column {
    column(field, Read::U8, Role::Flags)
}

const fn flags_16(field: &'static FieldDoc) -> Column {
    column(field, Read::U16, Role::Flags)
}

const fn flags(field: &'static FieldDoc) -> Column {
    column(field, Read::U32, Role::Flags)
}

const TYPE: Column = column(&doc::TYPE_DOC, Read::U32, Role::Type);
const ID: Column = column(&doc::ID_DOC, Read::U32, Role::Type);
const OFFSET: Column = column(&doc::OFFSET_DOC, Read::U32, Role::Offset);
const SECTION: Column = column(&doc::SECTION_DOC, Read::U16, Role::Section);
const PARENT: Column = column(&doc::PARENT_DOC, Read::U32, Role::Parent);
const END: Column = column(&doc::END_DOC, Read::U32, Role::End);
const NEXT: Column = u32(&doc::NEXT_DOC);
const LENGTH: Column = column(&doc::LENGTH_DOC, Read::U32, Role::Length);
const LENGTH_16: Column = column(&doc::LENGTH_DOC, Read::U16, Role::Length);
const VALUE: Column = column(&super::super::leaf::VALUE, Read::Leaf, Role::None);
const NAME: Column = column(&doc::NAME_DOC, Read::Text, Role::Name);
const RANGE_OFFSET: Column = column(&doc::RANGE_OFFSET_DOC, Read::U32, Role::Offset);
const RANGE_SECTION: Column = column(&doc::RANGE_SECTION_DOC, Read::U16, Role::Section);
const RANGE_LENGTH: Column = column(&doc::RANGE_LENGTH_DOC, Read::U16, Role::Length);
const HANDLER_OFFSET: Column = column(&doc::HANDLER_OFFSET_DOC, Read::U32, Role::Offset);
const HANDLER_SECTION: Column = column(&doc::HANDLER_SECTION_DOC, Read::U16, Role::Section);
const REGISTER: Column = column(&doc::REGISTER_DOC, Read::U16, Role::Register);

const fn function(of: Column) -> [Column; 11] {
    let (start, end, flags) = (u32(&doc::DEBUG_START), u32(&doc::DEBUG_END), flags_8(&doc::FUNCTION_FLAGS));
    [PARENT, END, NEXT, LENGTH, start, end, of, OFFSET, SECTION, flags, NAME]
}

const FUNCTION: &[Column] = &function(TYPE);
const FUNCTION_ID: &[Column] = &function(ID);
const DATA: &[Column] = &[TYPE, OFFSET, SECTION, NAME];
const REFERENCE: &[Column] = &[
    u32(&doc::NAME_SUM),
    column(&doc::SYMBOL_OFFSET, Read::U32, Role::Record),
    column(&doc::MODULE, Read::U16, Role::Module),
    NAME,
];

#[rustfmt::skip]
const LAYOUTS: &[(u16, &[Column])] = &[
    (0x0006, &[]), // S_END
    (0x1012, &[column(&doc::FRAME_SIZE, Read::U32, Role::Length), u32(&doc::PADDING_SIZE), u32(&doc::PADDING_OFFSET), u32(&doc::SAVED_REGISTERS_SIZE), HANDLER_OFFSET, HANDLER_SECTION,
        flags(&doc::FRAME_FLAGS)]), // S_FRAMEPROC: the address is that of the exception handler
    (0x1101, &[u32(&doc::SIGNATURE), NAME]), // S_OBJNAME
    (0x1102, &[PARENT, END, NEXT, OFFSET, SECTION, LENGTH_16, u8(&doc::ORDINAL), NAME]), // S_THUNK32
    (0x1103, &[PARENT, END, LENGTH, OFFSET, SECTION, NAME]), // S_BLOCK32
    (0x1105, &[OFFSET, SECTION, flags_8(&doc::FUNCTION_FLAGS), NAME]), // S_LABEL32
    (0x1106, &[TYPE, REGISTER, NAME]), // S_REGISTER
    (0x1107, &[TYPE, VALUE, NAME]), // S_CONSTANT
    (0x1108, &[TYPE, NAME]), // S_UDT
    (0x1109, &[TYPE, NAME]), // S_COBOLUDT
    (0x110b, &[i32(&doc::FRAME_OFFSET), TYPE, NAME]), // S_BPREL32
    (0x110c, DATA), // S_LDATA32
    (0x110d, DATA), // S_GDATA32
    (0x110e, &[flags(&doc::PUBLIC_FLAGS), OFFSET, SECTION, NAME]), // S_PUB32
    (0x110f, FUNCTION), // S_LPROC32
    (0x1110, FUNCTION), // S_GPROC32
    (0x1111, &[i32(&doc::REGISTER_OFFSET), TYPE, REGISTER, NAME]), // S_REGREL32
    (0x1112, DATA), // S_LTHREAD32
    (0x1113, DATA), // S_GTHREAD32
    (0x1116, &[flags_8(&doc::LANGUAGE), u16(&doc::COMPILE_FLAGS), u8(&doc::FURTHER_COMPILE_FLAGS), u16(&doc::MACHINE), u16(&doc::FRONT_END_MAJOR), u16(&doc::FRONT_END_MINOR), u16(&doc::FRONT_END_BUILD),
        u16(&doc::BACK_END_MAJOR), u16(&doc::BACK_END_MINOR), u16(&doc::BACK_END_BUILD), NAME]), // S_COMPILE2
    (0x111c, DATA), // S_LMANDATA
    (0x111d, DATA), // S_GMANDATA
    (0x1124, &[NAME]), // S_UNAMESPACE
    (0x1125, REFERENCE), // S_PROCREF
    (0x1126, REFERENCE), // S_DATAREF
    (0x1127, REFERENCE), // S_LPROCREF
    (0x1128, REFERENCE), // S_ANNOTATIONREF
    (0x1129, REFERENCE), // S_TOKENREF
    (0x112c, &[u16(&doc::TRAMPOLINE_KIND), LENGTH_16, OFFSET, column(&doc::TARGET_OFFSET, Read::U32, Role::TargetOffset), SECTION,
        column(&doc::TARGET_SECTION, Read::U16, Role::TargetSection)]), // S_TRAMPOLINE
    (0x1132, &[PARENT, END, LENGTH, flags(&doc::SEPARATED_CODE_FLAGS), OFFSET, u32(&doc::PARENT_OFFSET), SECTION, u16(&doc::PARENT_SECTION)]), // S_SEPCODE
    (0x1136, &[SECTION, u8(&doc::ALIGNMENT), u8(&doc::RESERVED), u32(&doc::RVA), LENGTH, flags(&doc::CHARACTERISTICS), NAME]), // S_SECTION
    (0x1137, &[LENGTH, flags(&doc::CHARACTERISTICS), OFFSET, SECTION, NAME]), // S_COFFGROUP
    (0x1138, &[u16(&doc::ORDINAL), flags_16(&doc::EXPORT_FLAGS), NAME]), // S_EXPORT
    (0x1139, &[OFFSET, SECTION, u16(&doc::UNUSED), TYPE]), // S_CALLSITEINFO
    (0x113a, &[i32(&doc::FRAME_OFFSET), REGISTER, u8(&doc::COOKIE_KIND), flags_8(&doc::UNUSED)]), // S_FRAMECOOKIE
    (0x113c, &[flags_8(&doc::LANGUAGE), u16(&doc::COMPILE_FLAGS), u8(&doc::FURTHER_COMPILE_FLAGS), u16(&doc::MACHINE), u16(&doc::FRONT_END_MAJOR), u16(&doc::FRONT_END_MINOR), u16(&doc::FRONT_END_BUILD),
        u16(&doc::FRONT_END_FIX), u16(&doc::BACK_END_MAJOR), u16(&doc::BACK_END_MINOR), u16(&doc::BACK_END_BUILD), u16(&doc::BACK_END_FIX),
        NAME]), // S_COMPILE3
    (0x113d, &[flags_8(&doc::ENVIRONMENT_FLAGS)]), // S_ENVBLOCK
    (0x113e, &[TYPE, flags_16(&doc::VARIABLE_FLAGS), NAME]), // S_LOCAL
    (0x1141, &[REGISTER, flags_16(&doc::RANGE_ATTRIBUTES), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_REGISTER
    (0x1142, &[i32(&doc::FRAME_OFFSET), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_FRAMEPOINTER_REL
    (0x1143, &[REGISTER, flags_16(&doc::RANGE_ATTRIBUTES), u32(&doc::OFFSET_IN_VARIABLE), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_SUBFIELD_REGISTER
    (0x1144, &[i32(&doc::FRAME_OFFSET)]), // S_DEFRANGE_FRAMEPOINTER_REL_FULL_SCOPE
    (0x1145, &[REGISTER, flags_16(&doc::MEMBER_FLAGS), i32(&doc::REGISTER_OFFSET), RANGE_OFFSET, RANGE_SECTION, RANGE_LENGTH]), // S_DEFRANGE_REGISTER_REL
    (0x1146, FUNCTION_ID), // S_LPROC32_ID
    (0x1147, FUNCTION_ID), // S_GPROC32_ID
    (0x114c, &[ID]), // S_BUILDINFO
    (0x114d, &[PARENT, END, ID]), // S_INLINESITE
    (0x114e, &[]), // S_INLINESITE_END
    (0x114f, &[]), // S_PROC_ID_END
    (0x1153, &[TYPE, u32(&doc::FILE_NAME), flags_16(&doc::VARIABLE_FLAGS), NAME]), // S_FILESTATIC
    (0x1155, FUNCTION), // S_LPROC32_DPC
    (0x1156, FUNCTION_ID), // S_LPROC32_DPC_ID
    (0x1159, &[u32(&doc::BASE_OFFSET), u16(&doc::BASE_SECTION), u16(&doc::ENTRY_KIND), OFFSET, u32(&doc::TABLE_OFFSET), SECTION,
        u16(&doc::TABLE_SECTION), u32(&doc::ENTRY_COUNT)]), // S_ARMSWITCHTABLE
    (0x115a, &[column(&doc::COUNT, Read::U32, Role::Count)]), // S_CALLEES
    (0x115b, &[column(&doc::COUNT, Read::U32, Role::Count)]), // S_CALLERS
    (0x115d, &[PARENT, END, ID, u32(&doc::INVOCATIONS)]), // S_INLINESITE2
    (0x115e, &[OFFSET, SECTION, u16(&doc::CALL_LENGTH), TYPE]), // S_HEAPALLOCSITE
    (0x1167, &[TYPE, flags(&doc::FASTLINK_FLAGS), NAME]), // S_FASTLINK
    (0x1168, &[column(&doc::COUNT, Read::U32, Role::Count)]), // S_INLINEES
];

/// Columns of a kind; empty for an unknown kind.
pub fn columns(kind: u16) -> &'static [Column] {
    let found = LAYOUTS.binary_search_by_key(&kind, |(number, _)| *number).ok();
    found.and_then(|at| LAYOUTS.get(at)).map_or(&[], |(_, columns)| columns)
}

/// Returns true for kinds of functions with code.
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
