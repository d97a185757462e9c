use super::{Members, Methods};
use crate::bytes::{FieldDoc, Guid, Slice};
use crate::codeview::Leaf;

/// Content of a type record. Types are indices of other records or of [`super::Builtin`] types.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum TypeData<'a> {
    /// A type that is `const`, `volatile` or `__unaligned` (bits 0, 1, 2).
    Modifier {
        /// Underlying type.
        of: u32,
        flags: u16,
    },
    /// A pointer or a reference.
    Pointer {
        /// Pointee type.
        to: u32,
        /// Its kind, size and qualifiers: `TypeData::pointer_size`, [`TypeData::pointer_mode`].
        attributes: u32,
        /// Class of a pointer to member; else 0.
        class: u32,
    },
    /// Function type.
    Procedure {
        returns: u32,
        convention: u8,
        count: u16,
        /// Argument list with the parameter types.
        arguments: u32,
    },
    /// Member function type.
    MemberFunction {
        returns: u32,
        class: u32,
        /// Type of `this`; 0 for a static member function.
        this: u32,
        convention: u8,
        count: u16,
        /// Argument list with the parameter types.
        arguments: u32,
        /// Adjustment of `this` before the call.
        adjustment: i32,
    },
    /// Argument list or substring list: indices of types or strings.
    List(Numbers<'a>),
    /// Field list: members of a class, union or enumeration.
    Fields(Members<'a>),
    /// Overloads of a member function.
    MethodList(Methods<'a>),
    BitField {
        of: u32,
        length: u8,
        /// Number of the lowest bit.
        position: u8,
    },
    Array {
        /// Element type.
        of: u32,
        index: u32,
        size: Leaf<'a>,
        /// Name; usually empty.
        name: Slice<'a>,
    },
    /// Class, structure or interface.
    Class {
        count: u16,
        property: Property,
        /// Field list; 0 for a forward reference.
        fields: u32,
        /// Derivation list; obsolete, 0.
        derived: u32,
        /// Shape of the virtual function table.
        shape: u32,
        /// Size of an object in bytes.
        size: Leaf<'a>,
        name: Slice<'a>,
        /// Decorated name; empty if there is none.
        unique: Slice<'a>,
    },
    Union {
        count: u16,
        property: Property,
        /// Field list; 0 for a forward reference.
        fields: u32,
        size: Leaf<'a>,
        name: Slice<'a>,
        /// Decorated name; empty if there is none.
        unique: Slice<'a>,
    },
    Enumeration {
        count: u16,
        property: Property,
        /// Underlying integer type.
        of: u32,
        /// Field list with the enumerators; 0 for a forward reference.
        fields: u32,
        name: Slice<'a>,
        /// Decorated name; empty if there is none.
        unique: Slice<'a>,
    },
    VirtualShape {
        count: u16,
    },
    VirtualTable {
        class: u32,
        /// Table that this one overrides.
        base: u32,
        /// Offset of the table pointer in an object.
        offset: u32,
        /// NUL-terminated names of the table and of its functions.
        names: Slice<'a>,
    },
    Alias {
        /// Underlying type.
        of: u32,
        name: Slice<'a>,
    },
    /// Compiler-generated PDB that contains the types.
    TypeServer {
        guid: Guid,
        /// Age of that PDB.
        age: u32,
        name: Slice<'a>,
    },
    /// Id of a function.
    Function {
        /// String id of the namespace; 0 for none.
        scope: u32,
        of: u32,
        name: Slice<'a>,
    },
    /// Id of a member function.
    Method {
        class: u32,
        of: u32,
        name: Slice<'a>,
    },
    /// Id of a string, possibly the end of a longer one.
    Text {
        /// List of the strings before it; 0 for none.
        before: u32,
        text: Slice<'a>,
    },
    /// Id of build information: string ids of folder, compiler, source, type server and arguments.
    BuildInfo(Numbers<'a>),
    /// Id of the place where a type is defined.
    SourceLine {
        of: u32,
        /// Source file: a string id, or in a linked PDB an offset into the string table.
        source: u32,
        line: u32,
        /// Module, from 1; 0 if unspecified.
        module: u16,
    },
    /// Record of another kind.
    Other(Slice<'a>),
}

/// Element of [`Numbers`], which is read without recording.
const NUMBER: FieldDoc = FieldDoc::new("number", "A type index.");

/// An array of 32-bit numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'a>(pub(super) Slice<'a>);

impl Numbers<'_> {
    /// Every element, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let mut cursor = self.0.cursor();
        std::iter::from_fn(move || cursor.u32(&NUMBER).ok())
    }
}

/// Properties of a class, a union or an enumeration, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Property(pub u16);

impl Property {
    /// Returns true for a forward reference: another record has the members.
    pub const fn is_forward(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Returns true if a decorated name follows the name.
    pub(crate) const fn has_unique_name(self) -> bool {
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

    /// Properties of a class or a union.
    pub const fn property(&self) -> Option<Property> {
        match self {
            Self::Class { property, .. } | Self::Union { property, .. } => Some(*property),
            _ => None,
        }
    }

    /// Name by which a forward reference of a class or union finds its definition: the unique one, if there is one.
    pub fn key(&self) -> Option<&'a [u8]> {
        match self {
            Self::Class { name, unique, .. } | Self::Union { name, unique, .. } => {
                Some(if unique.data.is_empty() { name.data } else { unique.data })
            }
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
    pub(crate) const fn pointer_size(attributes: u32) -> u64 {
        (attributes >> 13 & 0x3f) as u64
    }

    /// Mode of a pointer: pointer (0), reference (1, 4 for `&&`), pointer to data member (2) or to member function (3).
    pub const fn pointer_mode(attributes: u32) -> u32 {
        attributes >> 5 & 7
    }
}

/// Value of an integer leaf that is not negative.
pub(super) fn unsigned(leaf: Leaf<'_>) -> Option<u64> {
    match leaf {
        Leaf::Unsigned(n) => Some(n),
        Leaf::Signed(n) => u64::try_from(n).ok(),
        _ => None,
    }
}
