/// A column of a kind of symbol records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it is called.
    pub name: &'static str,
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

const fn column(name: &'static str, read: Read, role: Role) -> Column {
    Column { name, read, role }
}

const fn u8(name: &'static str) -> Column {
    column(name, Read::U8, Role::None)
}

const fn u16(name: &'static str) -> Column {
    column(name, Read::U16, Role::None)
}

const fn u32(name: &'static str) -> Column {
    column(name, Read::U32, Role::None)
}

const fn i32(name: &'static str) -> Column {
    column(name, Read::I32, Role::Displacement)
}

const fn flags_8(name: &'static str) -> Column {
    column(name, Read::U8, Role::Flags)
}

const fn flags_16(name: &'static str) -> Column {
    column(name, Read::U16, Role::Flags)
}

const fn flags(name: &'static str) -> Column {
    column(name, Read::U32, Role::Flags)
}

const TYPE: Column = column("type", Read::U32, Role::Type);
const ID: Column = column("id", Read::U32, Role::Type);
const OFFSET: Column = column("offset", Read::U32, Role::Offset);
const SECTION: Column = column("section", Read::U16, Role::Section);
const PARENT: Column = column("parent", Read::U32, Role::Parent);
const END: Column = column("end", Read::U32, Role::End);
const NEXT: Column = u32("next");
const LENGTH: Column = column("length of code", Read::U32, Role::Length);
const LENGTH_16: Column = column("length of code", Read::U16, Role::Length);
const VALUE: Column = column("value", Read::Leaf, Role::None);
const NAME: Column = column("name", Read::Text, Role::Name);
const REGISTER: Column = column("register", Read::U16, Role::Register);

const FUNCTION: &[Column] = &[
    PARENT,
    END,
    NEXT,
    LENGTH,
    u32("debug start"),
    u32("debug end"),
    TYPE,
    OFFSET,
    SECTION,
    flags_8("function flags"),
    NAME,
];
const FUNCTION_ID: &[Column] = &[
    PARENT,
    END,
    NEXT,
    LENGTH,
    u32("debug start"),
    u32("debug end"),
    ID,
    OFFSET,
    SECTION,
    flags_8("function flags"),
    NAME,
];
const DATA: &[Column] = &[TYPE, OFFSET, SECTION, NAME];
const REFERENCE: &[Column] = &[
    u32("name sum"),
    column("symbol offset", Read::U32, Role::Record),
    column("module", Read::U16, Role::Module),
    NAME,
];

/// Which columns each kind has.
#[rustfmt::skip]
const LAYOUTS: &[(u16, &[Column])] = &[
    (0x0006, &[]), // S_END
    (0x1012, &[column("frame size", Read::U32, Role::Length), u32("padding size"), u32("padding offset"), u32("saved registers size"), OFFSET, SECTION,
        flags("frame flags")]), // S_FRAMEPROC: the address is that of the exception handler
    (0x1101, &[u32("signature"), NAME]), // S_OBJNAME
    (0x1102, &[PARENT, END, NEXT, OFFSET, SECTION, LENGTH_16, u8("ordinal"), NAME]), // S_THUNK32
    (0x1103, &[PARENT, END, LENGTH, OFFSET, SECTION, NAME]), // S_BLOCK32
    (0x1105, &[OFFSET, SECTION, flags_8("function flags"), NAME]), // S_LABEL32
    (0x1106, &[TYPE, REGISTER, NAME]), // S_REGISTER
    (0x1107, &[TYPE, VALUE, NAME]), // S_CONSTANT
    (0x1108, &[TYPE, NAME]), // S_UDT
    (0x1109, &[TYPE, NAME]), // S_COBOLUDT
    (0x110b, &[i32("frame offset"), TYPE, NAME]), // S_BPREL32
    (0x110c, DATA), // S_LDATA32
    (0x110d, DATA), // S_GDATA32
    (0x110e, &[flags("public flags"), OFFSET, SECTION, NAME]), // S_PUB32
    (0x110f, FUNCTION), // S_LPROC32
    (0x1110, FUNCTION), // S_GPROC32
    (0x1111, &[i32("register offset"), TYPE, REGISTER, NAME]), // S_REGREL32
    (0x1112, DATA), // S_LTHREAD32
    (0x1113, DATA), // S_GTHREAD32
    (0x1116, &[flags_8("language"), u16("compile flags"), u8("further compile flags"), u16("machine"), u16("front end major"), u16("front end minor"), u16("front end build"),
        u16("back end major"), u16("back end minor"), u16("back end build"), NAME]), // S_COMPILE2
    (0x111c, DATA), // S_LMANDATA
    (0x111d, DATA), // S_GMANDATA
    (0x1124, &[NAME]), // S_UNAMESPACE
    (0x1125, REFERENCE), // S_PROCREF
    (0x1126, REFERENCE), // S_DATAREF
    (0x1127, REFERENCE), // S_LPROCREF
    (0x1128, REFERENCE), // S_ANNOTATIONREF
    (0x1129, REFERENCE), // S_TOKENREF
    (0x112c, &[u16("trampoline kind"), LENGTH_16, OFFSET, u32("target offset"), SECTION,
        u16("target section")]), // S_TRAMPOLINE
    (0x1132, &[PARENT, END, LENGTH, flags("separated code flags"), OFFSET, u32("parent offset"), SECTION, u16("parent section")]), // S_SEPCODE
    (0x1136, &[SECTION, u8("alignment"), u8("reserved"), u32("rva"), LENGTH, flags("characteristics"), NAME]), // S_SECTION
    (0x1137, &[LENGTH, flags("characteristics"), OFFSET, SECTION, NAME]), // S_COFFGROUP
    (0x1138, &[u16("ordinal"), flags_16("export flags"), NAME]), // S_EXPORT
    (0x1139, &[OFFSET, SECTION, u16("unused"), TYPE]), // S_CALLSITEINFO
    (0x113a, &[i32("frame offset"), REGISTER, u8("cookie kind"), flags_8("unused")]), // S_FRAMECOOKIE
    (0x113c, &[flags_8("language"), u16("compile flags"), u8("further compile flags"), u16("machine"), u16("front end major"), u16("front end minor"), u16("front end build"),
        u16("front end fix"), u16("back end major"), u16("back end minor"), u16("back end build"), u16("back end fix"),
        NAME]), // S_COMPILE3
    (0x113d, &[flags_8("environment flags")]), // S_ENVBLOCK
    (0x113e, &[TYPE, flags_16("variable flags"), NAME]), // S_LOCAL
    (0x1141, &[REGISTER, flags_16("range attributes"), OFFSET, SECTION, LENGTH_16]), // S_DEFRANGE_REGISTER
    (0x1142, &[i32("frame offset"), OFFSET, SECTION, LENGTH_16]), // S_DEFRANGE_FRAMEPOINTER_REL
    (0x1143, &[REGISTER, flags_16("range attributes"), u32("offset in variable"), OFFSET, SECTION, LENGTH_16]), // S_DEFRANGE_SUBFIELD_REGISTER
    (0x1144, &[i32("frame offset")]), // S_DEFRANGE_FRAMEPOINTER_REL_FULL_SCOPE
    (0x1145, &[REGISTER, flags_16("member flags"), i32("register offset"), OFFSET, SECTION, LENGTH_16]), // S_DEFRANGE_REGISTER_REL
    (0x1146, FUNCTION_ID), // S_LPROC32_ID
    (0x1147, FUNCTION_ID), // S_GPROC32_ID
    (0x114c, &[ID]), // S_BUILDINFO
    (0x114d, &[PARENT, END, ID]), // S_INLINESITE
    (0x114e, &[]), // S_INLINESITE_END
    (0x114f, &[]), // S_PROC_ID_END
    (0x1153, &[TYPE, u32("file name"), flags_16("variable flags"), NAME]), // S_FILESTATIC
    (0x1155, FUNCTION), // S_LPROC32_DPC
    (0x1156, FUNCTION_ID), // S_LPROC32_DPC_ID
    (0x1159, &[u32("base offset"), u16("base section"), u16("entry kind"), OFFSET, u32("table offset"), SECTION,
        u16("table section"), u32("entry count")]), // S_ARMSWITCHTABLE
    (0x115a, &[u32("count")]), // S_CALLEES
    (0x115b, &[u32("count")]), // S_CALLERS
    (0x115d, &[PARENT, END, ID, u32("invocations")]), // S_INLINESITE2
    (0x115e, &[OFFSET, SECTION, u16("call length"), TYPE]), // S_HEAPALLOCSITE
    (0x1167, &[TYPE, flags("fastlink flags"), NAME]), // S_FASTLINK
    (0x1168, &[u32("count")]), // S_INLINEES
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

/// Every name that a column has, with the kinds that have it: for the lessons' test.
#[cfg(test)]
pub(crate) fn all_columns() -> impl Iterator<Item = (u16, &'static Column)> {
    LAYOUTS.iter().flat_map(|(kind, columns)| columns.iter().map(move |column| (*kind, column)))
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
        assert!(all_columns().all(|(_, column)| !column.name.is_empty()));
    }
}
