use super::data::{Numbers, Property, TypeData};
use super::kinds::{KINDS, lf};
use super::members::{Members, Methods};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, Slice, fields};
use crate::codeview::Leaf;

fields! {
    /// A type record: its length, its kind, and the data of that kind.
    TYPE_RECORD: "type record";
    /// The size of the record in bytes, without this number; the next record follows.
    pub LENGTH: "length";
    /// The kind of type, which determines the layout of the rest of the record.
    pub(crate) KIND: "kind" as OneOf(KINDS);
    /// The fields of this kind of type.
    TYPE_DATA: "type data";
    /// Bytes that align the next record to a multiple of 4: the low digit of each is the number of bytes left.
    PADDING: "padding";
    /// The data of a kind of type that is not decoded.
    OTHER_DATA: "data";
    /// The name of the type in the source, qualified with its namespace.
    NAME: "name";
    /// The decorated name, by which a forward reference finds the definition of its type.
    UNIQUE_NAME: "unique name";
    /// The number of members.
    MEMBER_COUNT: "member count";
    /// Properties of the class, union or enumeration.
    PROPERTIES: "properties" as Flags(&[
        (1, "packed"),
        (2, "has constructors"),
        (4, "has operators"),
        (8, "nested"),
        (0x10, "has nested types"),
        (0x20, "has assignment"),
        (0x40, "has casts"),
        (0x80, "forward reference"),
        (0x100, "scoped"),
        (0x200, "has a unique name"),
        (0x400, "sealed"),
    ]);
    /// The field list, which is the record with the members; 0 in a forward reference.
    FIELD_LIST: "field list" as TypeIndex;
    /// The derivation list; obsolete, 0: base classes are members.
    DERIVED_FROM: "derived from" as TypeIndex;
    /// The shape of the virtual function table; 0 for none.
    VIRTUAL_SHAPE: "virtual shape" as TypeIndex;
    /// The number of enumerators.
    VALUE_COUNT: "value count";
    /// The integer type that holds a value of the enumeration.
    UNDERLYING_TYPE: "underlying type" as TypeIndex;
}

fields! {
    /// The type that the modifiers apply to.
    MODIFIED_TYPE: "type" as TypeIndex;
    /// The modifiers that are added to the type.
    MODIFIERS: "modifiers" as Flags(&[(1, "const"), (2, "volatile"), (4, "__unaligned")]);
    /// The type that the pointer or reference points to.
    POINTEE: "type" as TypeIndex;
    /// The kind (bits 0–4), mode (5–7), qualifiers (8–12) and size (13–18) of the pointer.
    POINTER_ATTRIBUTES: "attributes" as Hex;
    /// The class whose member the pointer points to.
    MEMBER_CLASS: "class" as TypeIndex;
    /// The representation of the pointer to member, which depends on the inheritance of its class.
    REPRESENTATION: "representation";
    /// The return type of the function.
    RETURN_TYPE: "return type" as TypeIndex;
    /// The calling convention, which determines where arguments are passed and who removes them.
    CALLING_CONVENTION: "calling convention" as OneOf(&[
        (0, "__cdecl"),
        (1, "__cdecl, far"),
        (2, "__pascal"),
        (4, "__fastcall"),
        (7, "__stdcall"),
        (9, "__syscall"),
        (11, "thiscall"),
        (22, "__clrcall"),
        (24, "__vectorcall"),
    ]);
    /// Properties of the function that a caller has to know.
    FUNCTION_ATTRIBUTES: "function attributes" as Flags(&[
        (1, "returns a C++ object"),
        (2, "constructor"),
        (4, "constructor with virtual bases"),
    ]);
    /// The number of parameters, `this` not counted.
    PARAMETER_COUNT: "parameter count";
    /// The argument list, which is the record with the types of the parameters.
    ARGUMENT_LIST: "argument list" as TypeIndex;
    /// The class that the member function belongs to.
    CLASS: "class" as TypeIndex;
    /// The type of `this`; 0 for a static function.
    THIS_TYPE: "this type" as TypeIndex;
    /// The number that is added to `this` before the call: the offset of the base in the object.
    THIS_ADJUSTMENT: "this adjustment";
    /// The number of type indices that follow.
    COUNT: "count";
    /// A type index of the list; an index below 0x1000 is a built-in type without a record.
    LISTED_TYPE: "type" as TypeIndex;
    /// The integer type that contains the bit field.
    BIT_FIELD_TYPE: "type" as TypeIndex;
    /// The size of the bit field in bits.
    BIT_COUNT: "bit count";
    /// The position of the bit field's lowest bit in the integer.
    FIRST_BIT: "first bit";
    /// The type of an element of the array.
    ELEMENT_TYPE: "element type" as TypeIndex;
    /// The type of the array's index.
    INDEX_TYPE: "index type" as TypeIndex;
    /// The number of pointers in the virtual function table.
    ENTRY_COUNT: "entry count";
    /// Descriptors of the pointers, four bits each: near or far.
    ENTRY_KINDS: "entry kinds";
    /// The class that the virtual function table belongs to.
    TABLE_CLASS: "class" as TypeIndex;
    /// The virtual function table of the base class that this one overrides; 0 for none.
    OVERRIDDEN_TABLE: "overridden table" as TypeIndex;
    /// The offset of the pointer to the virtual function table in an object.
    OFFSET_IN_OBJECT: "offset in object";
    /// The size of the names in bytes.
    NAMES_SIZE: "names size";
    /// The name of the virtual function table, and of each function in it.
    NAMES: "names";
    /// The type that the alias stands for.
    ALIASED_TYPE: "type" as TypeIndex;
    /// The GUID of the PDB that contains the types.
    TYPE_SERVER_GUID: "guid" as Guid;
    /// The age of the PDB that contains the types.
    TYPE_SERVER_AGE: "age";
}

fields! {
    /// The namespace of the function: the index of a string in the IPI stream; 0 for none.
    SCOPE: "scope" as IdIndex;
    /// The type of the function: a type index of the TPI stream.
    FUNCTION_TYPE: "type" as TypeIndex;
    /// The class that declares the function: a type index of the TPI stream.
    PARENT_CLASS: "class" as TypeIndex;
    /// The number of strings that follow.
    STRING_COUNT: "count";
    /// A string of the IPI stream; in order: folder, compiler, source file, type server, arguments.
    BUILD_STRING: "string" as IdIndex;
    /// The list of strings that precede this one in a text too long for one record; 0 for none.
    TEXT_BEFORE: "text before" as IdIndex;
    /// The text, or its end where other strings precede it.
    TEXT: "text";
    /// The type that is defined there.
    DEFINED_TYPE: "type" as TypeIndex;
    /// The source file: a string of the IPI stream, or in a linked PDB an offset in the string table.
    SOURCE: "source" as Hex;
    /// The line of the type's definition.
    LINE: "line";
    /// The module that defines the type, from 1.
    MODULE: "module";
}

impl<'a> TypeData<'a> {
    /// Decodes one record, which extends to the end of the cursor.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group(&TYPE_RECORD, |c| {
            c.u16(&LENGTH)?;
            let kind = c.u16(&KIND)?;
            let data = c.group(&TYPE_DATA, |c| match kind {
                lf::FUNC_ID..=lf::UDT_MOD_SRC_LINE => Self::id(c, kind),
                _ => Self::data_of_type(c, kind),
            })?;
            c.left_over(&PADDING)?;
            Ok(data)
        })
    }

    /// Decodes the data of a TPI record.
    fn data_of_type<N: Recorder>(c: &mut Cursor<'a, N>, kind: u16) -> Result<Self> {
        Ok(match kind {
            lf::MODIFIER => Self::Modifier { of: c.u32(&MODIFIED_TYPE)?, flags: c.u16(&MODIFIERS)? },
            lf::POINTER => Self::pointer(c)?,
            lf::PROCEDURE => Self::procedure(c)?,
            lf::MFUNCTION => Self::member_function(c)?,
            lf::ARGLIST => {
                let count = c.u32(&COUNT)? as u64;
                Self::List(numbers(c, count, &LISTED_TYPE)?)
            }
            lf::FIELDLIST => Self::Fields(Members::decode(c)?),
            lf::BITFIELD => {
                Self::BitField { of: c.u32(&BIT_FIELD_TYPE)?, length: c.u8(&BIT_COUNT)?, position: c.u8(&FIRST_BIT)? }
            }
            lf::METHODLIST => Self::MethodList(Methods::decode(c)?),
            lf::ARRAY => Self::Array {
                of: c.u32(&ELEMENT_TYPE)?,
                index: c.u32(&INDEX_TYPE)?,
                size: Leaf::decode(c)?,
                name: c.text_z(&NAME)?,
            },
            lf::CLASS | lf::STRUCTURE | lf::INTERFACE => Self::class(c)?,
            lf::UNION => Self::union(c)?,
            lf::CLASS2 | lf::STRUCTURE2 | lf::INTERFACE2 => Self::class2(c)?,
            lf::UNION2 => Self::union2(c)?,
            lf::ENUM => Self::enumeration(c)?,
            lf::VTSHAPE => {
                let count = c.u16(&ENTRY_COUNT)?;
                c.bytes(&ENTRY_KINDS, (count as u64).div_ceil(2).min(c.left()))?;
                Self::VirtualShape { count }
            }
            lf::VFTABLE => {
                let (class, base) = (c.u32(&TABLE_CLASS)?, c.u32(&OVERRIDDEN_TABLE)?);
                let (offset, size) = (c.u32(&OFFSET_IN_OBJECT)?, c.u32(&NAMES_SIZE)? as u64);
                Self::VirtualTable { class, base, offset, names: c.bytes(&NAMES, size)? }
            }
            lf::ALIAS => Self::Alias { of: c.u32(&ALIASED_TYPE)?, name: c.text_z(&NAME)? },
            lf::TYPESERVER2 => Self::TypeServer {
                guid: c.guid(&TYPE_SERVER_GUID)?,
                age: c.u32(&TYPE_SERVER_AGE)?,
                name: c.text_z(&NAME)?,
            },
            _ => Self::Other(c.bytes(&OTHER_DATA, c.left())?),
        })
    }

    /// Decodes the data of an IPI record.
    fn id<N: Recorder>(c: &mut Cursor<'a, N>, kind: u16) -> Result<Self> {
        Ok(match kind {
            lf::FUNC_ID => Self::Function { scope: c.u32(&SCOPE)?, of: c.u32(&FUNCTION_TYPE)?, name: c.text_z(&NAME)? },
            lf::MFUNC_ID => {
                Self::Method { class: c.u32(&PARENT_CLASS)?, of: c.u32(&FUNCTION_TYPE)?, name: c.text_z(&NAME)? }
            }
            lf::BUILDINFO => {
                let count = c.u16(&STRING_COUNT)? as u64;
                Self::BuildInfo(numbers(c, count, &BUILD_STRING)?)
            }
            lf::SUBSTR_LIST => {
                let count = c.u32(&COUNT)? as u64;
                Self::List(numbers(c, count, &LISTED_TYPE)?)
            }
            lf::STRING_ID => Self::Text { before: c.u32(&TEXT_BEFORE)?, text: c.text_z(&TEXT)? },
            lf::UDT_SRC_LINE | lf::UDT_MOD_SRC_LINE => Self::SourceLine {
                of: c.u32(&DEFINED_TYPE)?,
                source: c.u32(&SOURCE)?,
                line: c.u32(&LINE)?,
                module: if kind == lf::UDT_MOD_SRC_LINE { c.u16(&MODULE)? } else { 0 },
            },
            _ => Self::Other(c.bytes(&OTHER_DATA, c.left())?),
        })
    }

    fn pointer<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (to, attributes) = (c.u32(&POINTEE)?, c.u32(&POINTER_ATTRIBUTES)?);
        let mut class = 0;
        if let 2 | 3 = Self::pointer_mode(attributes) {
            class = c.u32(&MEMBER_CLASS)?;
            c.u16(&REPRESENTATION)?;
        }
        Ok(Self::Pointer { to, attributes, class })
    }

    fn procedure<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (returns, convention) = (c.u32(&RETURN_TYPE)?, c.u8(&CALLING_CONVENTION)?);
        c.u8(&FUNCTION_ATTRIBUTES)?;
        Ok(Self::Procedure { returns, convention, count: c.u16(&PARAMETER_COUNT)?, arguments: c.u32(&ARGUMENT_LIST)? })
    }

    fn member_function<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (returns, class, this) = (c.u32(&RETURN_TYPE)?, c.u32(&CLASS)?, c.u32(&THIS_TYPE)?);
        let convention = c.u8(&CALLING_CONVENTION)?;
        c.u8(&FUNCTION_ATTRIBUTES)?;
        let (count, arguments) = (c.u16(&PARAMETER_COUNT)?, c.u32(&ARGUMENT_LIST)?);
        let adjustment = c.i32(&THIS_ADJUSTMENT)?;
        Ok(Self::MemberFunction { returns, class, this, convention, count, arguments, adjustment })
    }

    fn class<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (count, property) = (c.u16(&MEMBER_COUNT)?, Property(c.u16(&PROPERTIES)?));
        let (fields, derived, shape) = (c.u32(&FIELD_LIST)?, c.u32(&DERIVED_FROM)?, c.u32(&VIRTUAL_SHAPE)?);
        let size = Leaf::decode(c)?;
        let (name, unique) = names(c, property)?;
        Ok(Self::Class { count, property, fields, derived, shape, size, name, unique })
    }

    fn union<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (count, property) = (c.u16(&MEMBER_COUNT)?, Property(c.u16(&PROPERTIES)?));
        let (fields, size) = (c.u32(&FIELD_LIST)?, Leaf::decode(c)?);
        let (name, unique) = names(c, property)?;
        Ok(Self::Union { count, property, fields, size, name, unique })
    }

    /// Class, structure or interface as Visual Studio 2019 writes it: more properties, and the count after the shape.
    fn class2<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let property = Property(c.u32(&PROPERTIES)? as u16);
        let (fields, derived, shape) = (c.u32(&FIELD_LIST)?, c.u32(&DERIVED_FROM)?, c.u32(&VIRTUAL_SHAPE)?);
        let (count, size) = (c.u16(&MEMBER_COUNT)?, Leaf::decode(c)?);
        let (name, unique) = names(c, property)?;
        Ok(Self::Class { count, property, fields, derived, shape, size, name, unique })
    }

    /// Union as Visual Studio 2019 writes it.
    fn union2<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let property = Property(c.u32(&PROPERTIES)? as u16);
        let (fields, count, size) = (c.u32(&FIELD_LIST)?, c.u16(&MEMBER_COUNT)?, Leaf::decode(c)?);
        let (name, unique) = names(c, property)?;
        Ok(Self::Union { count, property, fields, size, name, unique })
    }

    fn enumeration<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (count, property) = (c.u16(&VALUE_COUNT)?, Property(c.u16(&PROPERTIES)?));
        let (of, fields) = (c.u32(&UNDERLYING_TYPE)?, c.u32(&FIELD_LIST)?);
        let (name, unique) = names(c, property)?;
        Ok(Self::Enumeration { count, property, of, fields, name, unique })
    }
}

/// The name, and the unique name where the properties say that there is one.
fn names<'a, N: Recorder>(c: &mut Cursor<'a, N>, property: Property) -> Result<(Slice<'a>, Slice<'a>)> {
    let name = c.text_z(&NAME)?;
    let unique = if property.has_unique_name() { c.text_z(&UNIQUE_NAME)? } else { Slice::default() };
    Ok((name, unique))
}

fn numbers<'a, N: Recorder>(c: &mut Cursor<'a, N>, count: u64, doc: &'static FieldDoc) -> Result<Numbers<'a>> {
    let numbers = c.described(count * 4, |c| (0..count).try_for_each(|_| c.u32(doc).map(drop)));
    numbers.map(Numbers)
}
