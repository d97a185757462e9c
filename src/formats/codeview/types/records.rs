use super::members::{Members, Methods};
use crate::bytes::{Cursor, Guid, Notes, Result, Slice};
use crate::formats::codeview::Leaf;

/// What a type record says. Types are numbers of other records, or of [`super::Builtin`] ones.
#[derive(Clone, Copy, Debug)]
pub enum TypeData<'a> {
    /// A type that is `const`, `volatile` or `__unaligned` (bits 0, 1, 2).
    Modifier {
        /// Which type.
        of: u32,
        /// What is added to it.
        flags: u16,
    },
    /// A pointer or a reference.
    Pointer {
        /// To what.
        to: u32,
        /// Its kind, size and qualifiers: [`TypeData::pointer_size`], [`TypeData::pointer_mode`].
        attributes: u32,
        /// The class whose member it points to; 0 if it does not point to a member.
        class: u32,
    },
    /// A function, as far as its callers have to know it.
    Procedure {
        /// What it returns.
        returns: u32,
        /// How it is called.
        convention: u8,
        /// How many parameters it has.
        count: u16,
        /// Their types: an argument list.
        arguments: u32,
    },
    /// A function of a class.
    MemberFunction {
        /// What it returns.
        returns: u32,
        /// The class.
        class: u32,
        /// The type of `this`; 0 for a static function.
        this: u32,
        /// How it is called.
        convention: u8,
        /// How many parameters it has.
        count: u16,
        /// Their types: an argument list.
        arguments: u32,
        /// What is added to `this` before it is called.
        adjustment: i32,
    },
    /// The types of parameters, or the strings of a build's command line.
    List(Numbers<'a>),
    /// The members of a class, a union or an enumeration.
    Fields(Members<'a>),
    /// The functions of a class that have one name.
    MethodList(Methods<'a>),
    /// Some bits of an integer.
    BitField {
        /// The integer.
        of: u32,
        /// How many bits.
        length: u8,
        /// The first of them.
        position: u8,
    },
    /// An array.
    Array {
        /// Of what.
        of: u32,
        /// What it is indexed with.
        index: u32,
        /// How many bytes all of it takes.
        size: Leaf<'a>,
        /// Its name; arrays have none.
        name: Slice<'a>,
    },
    /// A class, a structure or an interface.
    Class {
        /// How many members it has.
        count: u16,
        /// What else it is.
        property: Property,
        /// Its members: a field list; 0 for a forward reference.
        fields: u32,
        /// What it was derived from, as compilers of old wrote it.
        derived: u32,
        /// The shape of its table of virtual functions.
        shape: u32,
        /// How many bytes an object takes.
        size: Leaf<'a>,
        /// Its name.
        name: Slice<'a>,
        /// The name that the linker tells it by, if it has one.
        unique: Slice<'a>,
    },
    /// A union.
    Union {
        /// How many members it has.
        count: u16,
        /// What else it is.
        property: Property,
        /// Its members: a field list; 0 for a forward reference.
        fields: u32,
        /// How many bytes it takes.
        size: Leaf<'a>,
        /// Its name.
        name: Slice<'a>,
        /// The name that the linker tells it by, if it has one.
        unique: Slice<'a>,
    },
    /// An enumeration.
    Enumeration {
        /// How many values it has.
        count: u16,
        /// What else it is.
        property: Property,
        /// The integer that holds a value.
        of: u32,
        /// Its values: a field list; 0 for a forward reference.
        fields: u32,
        /// Its name.
        name: Slice<'a>,
        /// The name that the linker tells it by, if it has one.
        unique: Slice<'a>,
    },
    /// What kinds of pointers a table of virtual functions has.
    VirtualShape {
        /// How many.
        count: u16,
    },
    /// A table of virtual functions.
    VirtualTable {
        /// The class it is of.
        class: u32,
        /// The table that it overrides.
        base: u32,
        /// Where in an object the pointer to it is.
        offset: u32,
        /// The names of the table and of its functions, each ended by a NUL.
        names: Slice<'a>,
    },
    /// Another name for a type.
    Alias {
        /// Which type.
        of: u32,
        /// The name.
        name: Slice<'a>,
    },
    /// A PDB of a compiler's that has the types.
    TypeServer {
        /// Its identity.
        guid: Guid,
        /// How often it was written.
        age: u32,
        /// Its path.
        name: Slice<'a>,
    },
    /// An id: a function.
    Function {
        /// The namespace it is in: a string; 0 for none.
        scope: u32,
        /// Its type.
        of: u32,
        /// Its name.
        name: Slice<'a>,
    },
    /// An id: a function of a class.
    Method {
        /// The class.
        class: u32,
        /// Its type.
        of: u32,
        /// Its name.
        name: Slice<'a>,
    },
    /// An id: text, maybe too long for one record.
    Text {
        /// What comes before it: a list of ids; 0 for nothing.
        before: u32,
        /// The text.
        text: Slice<'a>,
    },
    /// An id: how a module was compiled: folder, compiler, source, type server, arguments.
    BuildInfo(Numbers<'a>),
    /// An id: where a type is defined.
    SourceLine {
        /// The type.
        of: u32,
        /// The source file: a string, or in a linked PDB an offset of the string table.
        source: u32,
        /// The line.
        line: u32,
        /// The module, from 1; 0 if it is not said.
        module: u16,
    },
    /// Anything else.
    Other(Slice<'a>),
}

/// Numbers one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'a>(Slice<'a>);

impl Numbers<'_> {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let mut cursor = self.0.cursor();
        std::iter::from_fn(move || cursor.u32("number").ok())
    }
}

/// What a class, a union or an enumeration is besides its members: bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Property(pub u16);

impl Property {
    /// Whether it only says that there is such a type: another record has the members.
    pub const fn is_forward(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Whether a name for the linker follows the name.
    pub const fn has_unique_name(self) -> bool {
        self.0 & 0x200 != 0
    }
}

/// The kinds of type records that are read here, with what the CodeView headers call them.
#[rustfmt::skip]
pub const KINDS: &[(u64, &str)] = &[
    (0x000a, "LF_VTSHAPE"), (0x000e, "LF_LABEL"), (0x0014, "LF_ENDPRECOMP"), (0x1001, "LF_MODIFIER"),
    (0x1002, "LF_POINTER"), (0x1008, "LF_PROCEDURE"), (0x1009, "LF_MFUNCTION"), (0x1201, "LF_ARGLIST"),
    (0x1203, "LF_FIELDLIST"), (0x1205, "LF_BITFIELD"), (0x1206, "LF_METHODLIST"), (0x1400, "LF_BCLASS"),
    (0x1401, "LF_VBCLASS"), (0x1402, "LF_IVBCLASS"), (0x1404, "LF_INDEX"), (0x1409, "LF_VFUNCTAB"),
    (0x140a, "LF_FRIENDCLS"), (0x140c, "LF_VFUNCOFF"), (0x1502, "LF_ENUMERATE"), (0x1503, "LF_ARRAY"),
    (0x1504, "LF_CLASS"), (0x1505, "LF_STRUCTURE"), (0x1506, "LF_UNION"), (0x1507, "LF_ENUM"),
    (0x1509, "LF_PRECOMP"), (0x150a, "LF_ALIAS"), (0x150c, "LF_FRIENDFCN"), (0x150d, "LF_MEMBER"),
    (0x150e, "LF_STMEMBER"), (0x150f, "LF_METHOD"), (0x1510, "LF_NESTTYPE"), (0x1511, "LF_ONEMETHOD"),
    (0x1512, "LF_NESTTYPEEX"), (0x1513, "LF_MEMBERMODIFY"), (0x1515, "LF_TYPESERVER2"), (0x1519, "LF_INTERFACE"),
    (0x151a, "LF_BINTERFACE"), (0x151d, "LF_VFTABLE"), (0x1601, "LF_FUNC_ID"), (0x1602, "LF_MFUNC_ID"),
    (0x1603, "LF_BUILDINFO"), (0x1604, "LF_SUBSTR_LIST"), (0x1605, "LF_STRING_ID"), (0x1606, "LF_UDT_SRC_LINE"),
    (0x1607, "LF_UDT_MOD_SRC_LINE"),
];

/// What a kind of type record or of member is called in the CodeView headers.
pub fn kind_name(kind: u16) -> Option<&'static str> {
    let index = KINDS.binary_search_by_key(&(kind as u64), |(number, _)| *number).ok()?;
    KINDS.get(index).map(|(_, name)| *name)
}

impl<'a> TypeData<'a> {
    /// Reads one record, which takes all of the cursor's bytes.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group("type record", |c| {
            c.u16("length")?;
            let kind = c.u16("kind")?;
            let data = c.group("type data", |c| Self::content(c, kind))?;
            if !c.is_done() {
                c.bytes("padding", c.left())?;
            }
            Ok(data)
        })
    }

    fn content<N: Notes>(c: &mut Cursor<'a, N>, kind: u16) -> Result<Self> {
        Ok(match kind {
            0x1001 => Self::Modifier { of: c.u32("type")?, flags: c.u16("modifiers")? },
            0x1002 => Self::pointer(c)?,
            0x1008 => Self::Procedure {
                returns: c.u32("return type")?,
                convention: c.u8("calling convention")?,
                count: {
                    c.u8("function attributes")?;
                    c.u16("parameter count")?
                },
                arguments: c.u32("argument list")?,
            },
            0x1009 => Self::member_function(c)?,
            0x1201 | 0x1604 => {
                let count = c.u32("count")? as u64;
                Self::List(numbers(c, count, "type")?)
            }
            0x1203 => Self::Fields(Members::decode(c)?),
            0x1205 => Self::BitField { of: c.u32("type")?, length: c.u8("bit count")?, position: c.u8("first bit")? },
            0x1206 => Self::MethodList(Methods::decode(c)?),
            0x1503 => Self::Array {
                of: c.u32("element type")?,
                index: c.u32("index type")?,
                size: Leaf::decode(c)?,
                name: c.text_z("name")?,
            },
            0x1504 | 0x1505 | 0x1519 => Self::class(c)?,
            0x1506 => {
                let (count, property) = (c.u16("member count")?, Property(c.u16("properties")?));
                let (fields, size) = (c.u32("field list")?, Leaf::decode(c)?);
                let (name, unique) = names(c, property)?;
                Self::Union { count, property, fields, size, name, unique }
            }
            0x1507 => {
                let (count, property) = (c.u16("value count")?, Property(c.u16("properties")?));
                let (of, fields) = (c.u32("underlying type")?, c.u32("field list")?);
                let (name, unique) = names(c, property)?;
                Self::Enumeration { count, property, of, fields, name, unique }
            }
            0x000a => {
                let count = c.u16("entry count")?;
                c.bytes("entry kinds", (count as u64).div_ceil(2).min(c.left()))?;
                Self::VirtualShape { count }
            }
            0x151d => {
                let (class, base, offset) = (c.u32("class")?, c.u32("overridden table")?, c.u32("offset in object")?);
                let size = c.u32("names size")? as u64;
                Self::VirtualTable { class, base, offset, names: c.bytes("names", size)? }
            }
            0x150a => Self::Alias { of: c.u32("type")?, name: c.text_z("name")? },
            0x1515 => Self::TypeServer { guid: c.guid("guid")?, age: c.u32("age")?, name: c.text_z("name")? },
            0x1601 => Self::Function { scope: c.u32("scope")?, of: c.u32("type")?, name: c.text_z("name")? },
            0x1602 => Self::Method { class: c.u32("class")?, of: c.u32("type")?, name: c.text_z("name")? },
            0x1603 => {
                let count = c.u16("count")? as u64;
                Self::BuildInfo(numbers(c, count, "string")?)
            }
            0x1605 => Self::Text { before: c.u32("text before")?, text: c.text_z("text")? },
            0x1606 | 0x1607 => Self::SourceLine {
                of: c.u32("type")?,
                source: c.u32("source")?,
                line: c.u32("line")?,
                module: if kind == 0x1607 { c.u16("module")? } else { 0 },
            },
            _ => Self::Other(c.bytes("data", c.left())?),
        })
    }

    fn pointer<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (to, attributes) = (c.u32("type")?, c.u32("attributes")?);
        let mut class = 0;
        if let 2 | 3 = Self::pointer_mode(attributes) {
            class = c.u32("class")?;
            c.u16("representation")?;
        }
        Ok(Self::Pointer { to, attributes, class })
    }

    fn member_function<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (returns, class, this) = (c.u32("return type")?, c.u32("class")?, c.u32("this type")?);
        let convention = c.u8("calling convention")?;
        c.u8("function attributes")?;
        let (count, arguments) = (c.u16("parameter count")?, c.u32("argument list")?);
        let adjustment = c.i32("this adjustment")?;
        Ok(Self::MemberFunction { returns, class, this, convention, count, arguments, adjustment })
    }

    fn class<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (count, property) = (c.u16("member count")?, Property(c.u16("properties")?));
        let (fields, derived, shape) = (c.u32("field list")?, c.u32("derived from")?, c.u32("virtual shape")?);
        let size = Leaf::decode(c)?;
        let (name, unique) = names(c, property)?;
        Ok(Self::Class { count, property, fields, derived, shape, size, name, unique })
    }

    /// The name in the record, if its kind has one.
    pub fn name(&self) -> Option<Slice<'a>> {
        match self {
            Self::Class { name, .. }
            | Self::Union { name, .. }
            | Self::Enumeration { name, .. }
            | Self::Alias { name, .. }
            | Self::TypeServer { name, .. }
            | Self::Function { name, .. }
            | Self::Method { name, .. }
            | Self::Text { text: name, .. } => Some(*name),
            _ => None,
        }
    }

    /// How many bytes a value takes, where the record says so.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Class { size, property, .. } | Self::Union { size, property, .. } if !property.is_forward() => {
                unsigned(*size)
            }
            Self::Array { size, .. } => unsigned(*size),
            Self::Pointer { attributes, .. } => Some(Self::pointer_size(*attributes)),
            _ => None,
        }
    }

    /// How many bytes a pointer with these attributes takes.
    pub const fn pointer_size(attributes: u32) -> u64 {
        (attributes >> 13 & 0x3f) as u64
    }

    /// Whether it is a pointer (0), a reference (1, 4 for `&&`), or points to a data member (2) or a function (3) of a class.
    pub const fn pointer_mode(attributes: u32) -> u32 {
        attributes >> 5 & 7
    }
}

/// The number that a leaf is, if it is one without a sign.
pub(super) fn unsigned(leaf: Leaf<'_>) -> Option<u64> {
    match leaf {
        Leaf::Unsigned(n) => Some(n),
        Leaf::Signed(n) => u64::try_from(n).ok(),
        _ => None,
    }
}

/// The name, and the name for the linker where the properties say that there is one.
fn names<'a, N: Notes>(c: &mut Cursor<'a, N>, property: Property) -> Result<(Slice<'a>, Slice<'a>)> {
    let name = c.text_z("name")?;
    let unique = if property.has_unique_name() { c.text_z("unique name")? } else { Slice::default() };
    Ok((name, unique))
}

fn numbers<'a, N: Notes>(c: &mut Cursor<'a, N>, count: u64, name: &'static str) -> Result<Numbers<'a>> {
    let rest = Slice::new(c.remaining(), c.since(c.position()).space, c.position());
    let numbers = rest.part(0, count.saturating_mul(4))?;
    if N::TAKEN {
        (0..count).try_for_each(|_| c.u32(name).map(drop))?;
    } else {
        c.skip(numbers.len())?;
    }
    Ok(Numbers(numbers))
}
