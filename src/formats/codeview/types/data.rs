use super::{Members, Methods};
use crate::bytes::{FieldDoc, Guid, Slice};
use crate::formats::codeview::Leaf;

/// Content of a type record. Types are indices of other records, or of [`super::Builtin`] types.
#[derive(Clone, Copy, Debug)]
pub enum TypeData<'a> {
    /// A type that is `const`, `volatile` or `__unaligned` (bits 0, 1, 2).
    Modifier {
        /// Type it applies to.
        of: u32,
        /// Modifiers.
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
        /// Return type.
        returns: u32,
        /// Calling convention.
        convention: u8,
        /// Number of parameters.
        count: u16,
        /// Their types: an argument list.
        arguments: u32,
    },
    /// A function of a class.
    MemberFunction {
        /// Return type.
        returns: u32,
        /// The class.
        class: u32,
        /// The type of `this`; 0 for a static function.
        this: u32,
        /// Calling convention.
        convention: u8,
        /// Number of parameters.
        count: u16,
        /// Their types: an argument list.
        arguments: u32,
        /// Number added to `this` before the call.
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
        /// Size in bits.
        length: u8,
        /// The first of them.
        position: u8,
    },
    /// An array.
    Array {
        /// Of what.
        of: u32,
        /// Type of the index.
        index: u32,
        /// Size in bytes.
        size: Leaf<'a>,
        /// Its name; arrays have none.
        name: Slice<'a>,
    },
    /// A class, a structure or an interface.
    Class {
        /// Number of members.
        count: u16,
        /// Properties.
        property: Property,
        /// Its members: a field list; 0 for a forward reference.
        fields: u32,
        /// Derivation list; obsolete, 0.
        derived: u32,
        /// The shape of its table of virtual functions.
        shape: u32,
        /// Size of an object in bytes.
        size: Leaf<'a>,
        /// Its name.
        name: Slice<'a>,
        /// The name that the linker tells it by, if it has one.
        unique: Slice<'a>,
    },
    /// A union.
    Union {
        /// Number of members.
        count: u16,
        /// Properties.
        property: Property,
        /// Its members: a field list; 0 for a forward reference.
        fields: u32,
        /// Size in bytes.
        size: Leaf<'a>,
        /// Its name.
        name: Slice<'a>,
        /// The name that the linker tells it by, if it has one.
        unique: Slice<'a>,
    },
    /// An enumeration.
    Enumeration {
        /// Number of values.
        count: u16,
        /// Properties.
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
    /// Shape of a virtual function table.
    VirtualShape {
        /// Number of entries.
        count: u16,
    },
    /// A table of virtual functions.
    VirtualTable {
        /// The class it is of.
        class: u32,
        /// The table that it overrides.
        base: u32,
        /// Offset of the pointer to it in an object.
        offset: u32,
        /// The names of the table and of its functions, each ended by a NUL.
        names: Slice<'a>,
    },
    /// Another name for a type.
    Alias {
        /// Type it applies to.
        of: u32,
        /// The name.
        name: Slice<'a>,
    },
    /// A PDB of a compiler's that has the types.
    TypeServer {
        /// Its identity.
        guid: Guid,
        /// Age: the number of times it was written.
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
        /// List of the strings that precede it; 0 for none.
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

/// A number of [`Numbers`]; nothing records it.
const NUMBER: FieldDoc = FieldDoc::new("number", "A type index.");

/// Numbers one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'a>(pub(super) Slice<'a>);

impl Numbers<'_> {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let mut cursor = self.0.cursor();
        std::iter::from_fn(move || cursor.u32(&NUMBER).ok())
    }
}

/// Properties of a class, a union or an enumeration, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Property(pub u16);

impl Property {
    /// Returns whether it only says that there is such a type: another record has the members.
    pub const fn is_forward(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Returns whether a name for the linker follows the name.
    pub const fn has_unique_name(self) -> bool {
        self.0 & 0x200 != 0
    }
}

impl<'a> TypeData<'a> {
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

    /// Size of a value in bytes, where the record says so.
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

    /// Returns the size in bytes of a pointer with these attributes.
    pub const fn pointer_size(attributes: u32) -> u64 {
        (attributes >> 13 & 0x3f) as u64
    }

    /// Mode of a pointer: pointer (0), reference (1, 4 for `&&`), pointer to data member (2) or to member function (3).
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
