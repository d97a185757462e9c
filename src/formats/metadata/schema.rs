//! Every metadata table as data: its number, its name and its columns (ECMA-335 II.22; PortablePdb-Metadata for 0x30 on).

use std::fmt;

use ColumnKind::{Blob, Coded, Fixed, Guid, List, Row, String};

/// The number of a metadata table, the high byte of its tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u8);

/// How many numbers there are for tables: one for each bit of the 64-bit `Valid` mask.
pub const TABLE_COUNT: usize = 64;

/// What a table is made of.
#[derive(Debug)]
pub struct TableDef {
    /// Its name in the specification.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: &'static [ColumnDef],
}

/// One column of a table.
#[derive(Debug)]
pub struct ColumnDef {
    /// Its name in the specification.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: ColumnKind,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug)]
pub enum ColumnKind {
    /// A number of this many bytes.
    Fixed(u8),
    /// An offset into `#Strings`.
    String,
    /// A 1-based index into `#GUID`.
    Guid,
    /// An offset into `#Blob`.
    Blob,
    /// A row of one table.
    Row(TableId),
    /// The first of the rows of one table that belong to this row; they go on to where those of the next row begin.
    List(TableId),
    /// A row of one of several tables, chosen by the low bits.
    Coded(&'static CodedIndex),
}

/// A coded index (ECMA-335 II.24.2.6): the low `bits` bits say which table, the others which row.
#[derive(Debug)]
pub struct CodedIndex {
    /// Its name in the specification.
    pub name: &'static str,
    /// How many bits the tag takes.
    pub bits: u8,
    /// The table of each tag; `None` for a tag that is not used.
    pub tables: &'static [Option<TableId>],
}

impl CodedIndex {
    /// The table and row that `value` stands for; row 0 is nil.
    pub fn decode(&self, value: u32) -> Option<(TableId, u32)> {
        let tag = value & ((1 << self.bits) - 1);
        let table = self.tables.get(tag as usize).copied().flatten()?;
        Some((table, value >> self.bits))
    }

    /// The value that stands for a row of `table`, where one can.
    pub fn encode(&self, table: TableId, row: u32) -> Option<u32> {
        let tag = self.tables.iter().position(|found| *found == Some(table))?;
        Some(row << self.bits | tag as u32)
    }
}

/// A metadata token: the table in its high byte, the row in the others.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u32);

impl Token {
    /// The token of a row.
    pub const fn new(table: TableId, row: u32) -> Self {
        Self((table.0 as u32) << 24 | row & 0xff_ffff)
    }

    /// Its table.
    pub const fn table(self) -> TableId {
        TableId((self.0 >> 24) as u8)
    }

    /// Its row; 0 is nil.
    pub const fn row(self) -> u32 {
        self.0 & 0xff_ffff
    }

    /// Whether it names no row.
    pub const fn is_nil(self) -> bool {
        self.row() == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:08x}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TableId {
    /// What it is made of; `None` for a number that no table has.
    pub fn def(self) -> Option<&'static TableDef> {
        TABLES.get(self.0 as usize).and_then(Option::as_ref)
    }

    /// Its name, or `"?"` for a number that no table has.
    pub fn name(self) -> &'static str {
        self.def().map_or("?", |def| def.name)
    }

    /// The table with this name, whatever the case of its letters.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|table| table.name().eq_ignore_ascii_case(name))
    }

    /// Every table that has a definition, by number.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE_COUNT as u8).map(Self).filter(|table| table.def().is_some())
    }

    /// Whether it is a table of debug metadata, which a portable PDB has and an image has not.
    pub const fn is_debug(self) -> bool {
        self.0 >= 0x30
    }

    /// The position of the column with this name.
    pub fn column(self, name: &str) -> Option<usize> {
        self.def()?.columns.iter().position(|column| column.name == name)
    }
}

impl fmt::Debug for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

macro_rules! tables {
    ($($constant:ident = $number:literal $name:literal { $($column:literal: $kind:expr),* $(,)? })*) => {
        impl TableId {$(
            #[doc = concat!("The `", $name, "` table.")]
            pub const $constant: Self = Self($number);
        )*}

        /// The definition of each table, at its number.
        pub static TABLES: [Option<TableDef>; TABLE_COUNT] = {
            let mut tables = [const { None }; TABLE_COUNT];
            $(tables[$number] = Some(TableDef {
                name: $name,
                columns: &[$(ColumnDef { name: $column, kind: $kind }),*],
            });)*
            tables
        };
    };
}

tables! {
    MODULE = 0x00 "Module" { "Generation": Fixed(2), "Name": String, "Mvid": Guid, "EncId": Guid, "EncBaseId": Guid }
    TYPE_REF = 0x01 "TypeRef" { "ResolutionScope": Coded(&RESOLUTION_SCOPE), "TypeName": String, "TypeNamespace": String }
    TYPE_DEF = 0x02 "TypeDef" {
        "Flags": Fixed(4), "TypeName": String, "TypeNamespace": String, "Extends": Coded(&TYPE_DEF_OR_REF),
        "FieldList": List(TableId::FIELD), "MethodList": List(TableId::METHOD_DEF),
    }
    FIELD_PTR = 0x03 "FieldPtr" { "Field": Row(TableId::FIELD) }
    FIELD = 0x04 "Field" { "Flags": Fixed(2), "Name": String, "Signature": Blob }
    METHOD_PTR = 0x05 "MethodPtr" { "Method": Row(TableId::METHOD_DEF) }
    METHOD_DEF = 0x06 "MethodDef" {
        "RVA": Fixed(4), "ImplFlags": Fixed(2), "Flags": Fixed(2), "Name": String, "Signature": Blob,
        "ParamList": List(TableId::PARAM),
    }
    PARAM_PTR = 0x07 "ParamPtr" { "Param": Row(TableId::PARAM) }
    PARAM = 0x08 "Param" { "Flags": Fixed(2), "Sequence": Fixed(2), "Name": String }
    INTERFACE_IMPL = 0x09 "InterfaceImpl" { "Class": Row(TableId::TYPE_DEF), "Interface": Coded(&TYPE_DEF_OR_REF) }
    MEMBER_REF = 0x0a "MemberRef" { "Class": Coded(&MEMBER_REF_PARENT), "Name": String, "Signature": Blob }
    CONSTANT = 0x0b "Constant" { "Type": Fixed(1), "Padding": Fixed(1), "Parent": Coded(&HAS_CONSTANT), "Value": Blob }
    CUSTOM_ATTRIBUTE = 0x0c "CustomAttribute" {
        "Parent": Coded(&HAS_CUSTOM_ATTRIBUTE), "Type": Coded(&CUSTOM_ATTRIBUTE_TYPE), "Value": Blob,
    }
    FIELD_MARSHAL = 0x0d "FieldMarshal" { "Parent": Coded(&HAS_FIELD_MARSHAL), "NativeType": Blob }
    DECL_SECURITY = 0x0e "DeclSecurity" { "Action": Fixed(2), "Parent": Coded(&HAS_DECL_SECURITY), "PermissionSet": Blob }
    CLASS_LAYOUT = 0x0f "ClassLayout" { "PackingSize": Fixed(2), "ClassSize": Fixed(4), "Parent": Row(TableId::TYPE_DEF) }
    FIELD_LAYOUT = 0x10 "FieldLayout" { "Offset": Fixed(4), "Field": Row(TableId::FIELD) }
    STAND_ALONE_SIG = 0x11 "StandAloneSig" { "Signature": Blob }
    EVENT_MAP = 0x12 "EventMap" { "Parent": Row(TableId::TYPE_DEF), "EventList": List(TableId::EVENT) }
    EVENT_PTR = 0x13 "EventPtr" { "Event": Row(TableId::EVENT) }
    EVENT = 0x14 "Event" { "EventFlags": Fixed(2), "Name": String, "EventType": Coded(&TYPE_DEF_OR_REF) }
    PROPERTY_MAP = 0x15 "PropertyMap" { "Parent": Row(TableId::TYPE_DEF), "PropertyList": List(TableId::PROPERTY) }
    PROPERTY_PTR = 0x16 "PropertyPtr" { "Property": Row(TableId::PROPERTY) }
    PROPERTY = 0x17 "Property" { "Flags": Fixed(2), "Name": String, "Type": Blob }
    METHOD_SEMANTICS = 0x18 "MethodSemantics" {
        "Semantics": Fixed(2), "Method": Row(TableId::METHOD_DEF), "Association": Coded(&HAS_SEMANTICS),
    }
    METHOD_IMPL = 0x19 "MethodImpl" {
        "Class": Row(TableId::TYPE_DEF), "MethodBody": Coded(&METHOD_DEF_OR_REF), "MethodDeclaration": Coded(&METHOD_DEF_OR_REF),
    }
    MODULE_REF = 0x1a "ModuleRef" { "Name": String }
    TYPE_SPEC = 0x1b "TypeSpec" { "Signature": Blob }
    IMPL_MAP = 0x1c "ImplMap" {
        "MappingFlags": Fixed(2), "MemberForwarded": Coded(&MEMBER_FORWARDED), "ImportName": String,
        "ImportScope": Row(TableId::MODULE_REF),
    }
    FIELD_RVA = 0x1d "FieldRVA" { "RVA": Fixed(4), "Field": Row(TableId::FIELD) }
    ENC_LOG = 0x1e "EncLog" { "Token": Fixed(4), "FuncCode": Fixed(4) }
    ENC_MAP = 0x1f "EncMap" { "Token": Fixed(4) }
    ASSEMBLY = 0x20 "Assembly" {
        "HashAlgId": Fixed(4), "MajorVersion": Fixed(2), "MinorVersion": Fixed(2), "BuildNumber": Fixed(2),
        "RevisionNumber": Fixed(2), "Flags": Fixed(4), "PublicKey": Blob, "Name": String, "Culture": String,
    }
    ASSEMBLY_PROCESSOR = 0x21 "AssemblyProcessor" { "Processor": Fixed(4) }
    ASSEMBLY_OS = 0x22 "AssemblyOS" { "OSPlatformID": Fixed(4), "OSMajorVersion": Fixed(4), "OSMinorVersion": Fixed(4) }
    ASSEMBLY_REF = 0x23 "AssemblyRef" {
        "MajorVersion": Fixed(2), "MinorVersion": Fixed(2), "BuildNumber": Fixed(2), "RevisionNumber": Fixed(2),
        "Flags": Fixed(4), "PublicKeyOrToken": Blob, "Name": String, "Culture": String, "HashValue": Blob,
    }
    ASSEMBLY_REF_PROCESSOR = 0x24 "AssemblyRefProcessor" { "Processor": Fixed(4), "AssemblyRef": Row(TableId::ASSEMBLY_REF) }
    ASSEMBLY_REF_OS = 0x25 "AssemblyRefOS" {
        "OSPlatformId": Fixed(4), "OSMajorVersion": Fixed(4), "OSMinorVersion": Fixed(4),
        "AssemblyRef": Row(TableId::ASSEMBLY_REF),
    }
    FILE = 0x26 "File" { "Flags": Fixed(4), "Name": String, "HashValue": Blob }
    EXPORTED_TYPE = 0x27 "ExportedType" {
        "Flags": Fixed(4), "TypeDefId": Fixed(4), "TypeName": String, "TypeNamespace": String,
        "Implementation": Coded(&IMPLEMENTATION),
    }
    MANIFEST_RESOURCE = 0x28 "ManifestResource" {
        "Offset": Fixed(4), "Flags": Fixed(4), "Name": String, "Implementation": Coded(&IMPLEMENTATION),
    }
    NESTED_CLASS = 0x29 "NestedClass" { "NestedClass": Row(TableId::TYPE_DEF), "EnclosingClass": Row(TableId::TYPE_DEF) }
    GENERIC_PARAM = 0x2a "GenericParam" {
        "Number": Fixed(2), "Flags": Fixed(2), "Owner": Coded(&TYPE_OR_METHOD_DEF), "Name": String,
    }
    METHOD_SPEC = 0x2b "MethodSpec" { "Method": Coded(&METHOD_DEF_OR_REF), "Instantiation": Blob }
    GENERIC_PARAM_CONSTRAINT = 0x2c "GenericParamConstraint" {
        "Owner": Row(TableId::GENERIC_PARAM), "Constraint": Coded(&TYPE_DEF_OR_REF),
    }
    DOCUMENT = 0x30 "Document" { "Name": Blob, "HashAlgorithm": Guid, "Hash": Blob, "Language": Guid }
    METHOD_DEBUG_INFORMATION = 0x31 "MethodDebugInformation" { "Document": Row(TableId::DOCUMENT), "SequencePoints": Blob }
    LOCAL_SCOPE = 0x32 "LocalScope" {
        "Method": Row(TableId::METHOD_DEF), "ImportScope": Row(TableId::IMPORT_SCOPE),
        "VariableList": List(TableId::LOCAL_VARIABLE), "ConstantList": List(TableId::LOCAL_CONSTANT),
        "StartOffset": Fixed(4), "Length": Fixed(4),
    }
    LOCAL_VARIABLE = 0x33 "LocalVariable" { "Attributes": Fixed(2), "Index": Fixed(2), "Name": String }
    LOCAL_CONSTANT = 0x34 "LocalConstant" { "Name": String, "Signature": Blob }
    IMPORT_SCOPE = 0x35 "ImportScope" { "Parent": Row(TableId::IMPORT_SCOPE), "Imports": Blob }
    STATE_MACHINE_METHOD = 0x36 "StateMachineMethod" {
        "MoveNextMethod": Row(TableId::METHOD_DEF), "KickoffMethod": Row(TableId::METHOD_DEF),
    }
    CUSTOM_DEBUG_INFORMATION = 0x37 "CustomDebugInformation" {
        "Parent": Coded(&HAS_CUSTOM_DEBUG_INFORMATION), "Kind": Guid, "Value": Blob,
    }
}

macro_rules! coded {
    ($($name:ident $text:literal $bits:literal [$($table:tt)*];)*) => {$(
        #[doc = concat!("The `", $text, "` coded index.")]
        pub static $name: CodedIndex = CodedIndex { name: $text, bits: $bits, tables: coded!(@list [] $($table)*) };
    )*};
    (@list [$($done:expr),*]) => { &[$($done),*] };
    (@list [$($done:expr),*] - $($rest:tt)*) => { coded!(@list [$($done,)* None] $($rest)*) };
    (@list [$($done:expr),*] $table:ident $($rest:tt)*) => { coded!(@list [$($done,)* Some(TableId::$table)] $($rest)*) };
}

// A dash is a tag that stands for nothing.
coded! {
    TYPE_DEF_OR_REF "TypeDefOrRef" 2 [TYPE_DEF TYPE_REF TYPE_SPEC];
    HAS_CONSTANT "HasConstant" 2 [FIELD PARAM PROPERTY];
    HAS_CUSTOM_ATTRIBUTE "HasCustomAttribute" 5 [
        METHOD_DEF FIELD TYPE_REF TYPE_DEF PARAM INTERFACE_IMPL MEMBER_REF MODULE DECL_SECURITY PROPERTY EVENT STAND_ALONE_SIG
        MODULE_REF TYPE_SPEC ASSEMBLY ASSEMBLY_REF FILE EXPORTED_TYPE MANIFEST_RESOURCE GENERIC_PARAM
        GENERIC_PARAM_CONSTRAINT METHOD_SPEC
    ];
    HAS_FIELD_MARSHAL "HasFieldMarshal" 1 [FIELD PARAM];
    HAS_DECL_SECURITY "HasDeclSecurity" 2 [TYPE_DEF METHOD_DEF ASSEMBLY];
    MEMBER_REF_PARENT "MemberRefParent" 3 [TYPE_DEF TYPE_REF MODULE_REF METHOD_DEF TYPE_SPEC];
    HAS_SEMANTICS "HasSemantics" 1 [EVENT PROPERTY];
    METHOD_DEF_OR_REF "MethodDefOrRef" 1 [METHOD_DEF MEMBER_REF];
    MEMBER_FORWARDED "MemberForwarded" 1 [FIELD METHOD_DEF];
    IMPLEMENTATION "Implementation" 2 [FILE ASSEMBLY_REF EXPORTED_TYPE];
    CUSTOM_ATTRIBUTE_TYPE "CustomAttributeType" 3 [- - METHOD_DEF MEMBER_REF -];
    RESOLUTION_SCOPE "ResolutionScope" 2 [MODULE MODULE_REF ASSEMBLY_REF TYPE_REF];
    TYPE_OR_METHOD_DEF "TypeOrMethodDef" 1 [TYPE_DEF METHOD_DEF];
    HAS_CUSTOM_DEBUG_INFORMATION "HasCustomDebugInformation" 5 [
        METHOD_DEF FIELD TYPE_REF TYPE_DEF PARAM INTERFACE_IMPL MEMBER_REF MODULE DECL_SECURITY PROPERTY EVENT STAND_ALONE_SIG
        MODULE_REF TYPE_SPEC ASSEMBLY ASSEMBLY_REF FILE EXPORTED_TYPE MANIFEST_RESOURCE GENERIC_PARAM
        GENERIC_PARAM_CONSTRAINT METHOD_SPEC DOCUMENT LOCAL_SCOPE LOCAL_VARIABLE LOCAL_CONSTANT IMPORT_SCOPE
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_fits_its_bits() {
        for column in TABLES.iter().flatten().flat_map(|table| table.columns) {
            if let Coded(index) = column.kind {
                assert!(
                    index.tables.len() <= 1 << index.bits && index.tables.len() > 1 << (index.bits - 1),
                    "{}",
                    index.name
                );
            }
        }
    }

    #[test]
    fn tables_are_found_by_number_and_by_name() {
        assert_eq!(TableId(0x31).name(), "MethodDebugInformation");
        assert_eq!(TableId::named("customdebuginformation"), Some(TableId::CUSTOM_DEBUG_INFORMATION));
        assert_eq!(TableId(0x2d).def().map(|def| def.name), None);
        assert_eq!(TableId::all().count(), 0x2d + 8);
        assert_eq!(RESOLUTION_SCOPE.decode(0x17), Some((TableId::TYPE_REF, 5)));
        assert_eq!(RESOLUTION_SCOPE.encode(TableId::TYPE_REF, 5), Some(0x17));
        assert_eq!(CUSTOM_ATTRIBUTE_TYPE.decode(0x08), None);
        assert_eq!(Token::new(TableId::METHOD_DEF, 2).to_string(), "0x06000002");
    }
}
