//! Imports of an `ImportScope`, with which a debugger evaluates expressions in the context of the source.
//!
//! The blob is a sequence of imports: a compressed kind, followed by those of alias, assembly, namespace and type that
//! the kind has, in this order, as compressed indexes. An alias or a namespace is an index into `#Blob` (UTF-8), an
//! assembly a row of AssemblyRef, a type a coded index of TypeDef, TypeRef or TypeSpec.
//!
//! # References
//!
//! Portable PDB v1.0, "Imports Blob".

use crate::bytes::{Cursor, Error, Recorder, Result, fields};
use crate::metadata::Token;
use crate::signature::type_token;

const KINDS: &[(u64, &str)] = &[
    (1, "namespace"),
    (2, "namespace of an assembly"),
    (3, "type"),
    (4, "XML namespace"),
    (5, "alias of an assembly, from an outer scope"),
    (6, "alias for an assembly"),
    (7, "alias for a namespace"),
    (8, "alias for a namespace of an assembly"),
    (9, "alias for a type"),
];

fields! {
    /// An import that the source brings into scope with using, Imports or open.
    IMPORT: "import";
    /// The kind of the import, which decides what follows.
    KIND: "kind" as OneOf(KINDS);
    /// The offset in #Blob of the alias.
    ALIAS: "alias" as Hex;
    /// The assembly of the import, by row of AssemblyRef.
    TARGET_ASSEMBLY: "target assembly" as Row("AssemblyRef");
    /// The offset in #Blob of the name of the namespace.
    TARGET_NAMESPACE: "target namespace" as Hex;
    /// The type, as a coded index: the lowest two bits select TypeDef, TypeRef or TypeSpec, and the rest is the row.
    TARGET_TYPE: "target type" as Hex;
}

/// Kind of an import, by its number in the blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// Imports the members of a namespace: `using System;`
    Namespace = 1,
    /// Imports the members of a namespace that one assembly defines.
    AssemblyNamespace = 2,
    /// Imports the members of a type: `using static System.Math;`
    Type = 3,
    /// Imports an XML namespace with a prefix (Visual Basic).
    XmlNamespace = 4,
    /// Imports an assembly's alias that an outer scope defines: `extern alias A;`
    AssemblyReferenceAlias = 5,
    /// Defines an alias of an assembly.
    AliasAssemblyReference = 6,
    /// Defines an alias of a namespace: `using S = System;`
    AliasNamespace = 7,
    /// Defines an alias of the part of a namespace that one assembly defines.
    AliasAssemblyNamespace = 8,
    /// Defines an alias of a type: `using M = System.Math;`
    AliasType = 9,
}

/// An import; members that its kind does not have are `None`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import {
    pub kind: ImportKind,
    /// Index of the alias in `#Blob`.
    pub alias: Option<u32>,
    /// Row of AssemblyRef.
    pub assembly: Option<u32>,
    /// Index of the namespace in `#Blob`.
    pub namespace: Option<u32>,
    pub target: Option<Token>,
}

impl ImportKind {
    /// Kinds in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Namespace,
        Self::AssemblyNamespace,
        Self::Type,
        Self::XmlNamespace,
        Self::AssemblyReferenceAlias,
        Self::AliasAssemblyReference,
        Self::AliasNamespace,
        Self::AliasAssemblyNamespace,
        Self::AliasType,
    ];

    /// Returns the kind with this number.
    pub fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == number)
    }

    /// Returns true if the kind has an alias.
    pub const fn has_alias(self) -> bool {
        !matches!(self, Self::Namespace | Self::AssemblyNamespace | Self::Type)
    }

    /// Returns true if the kind has an assembly.
    pub const fn has_assembly(self) -> bool {
        matches!(self, Self::AssemblyNamespace | Self::AliasAssemblyReference | Self::AliasAssemblyNamespace)
    }

    /// Returns true if the kind has a namespace.
    pub const fn has_namespace(self) -> bool {
        use ImportKind::{AliasAssemblyNamespace, AliasNamespace, AssemblyNamespace, Namespace, XmlNamespace};
        matches!(self, Namespace | AssemblyNamespace | XmlNamespace | AliasNamespace | AliasAssemblyNamespace)
    }

    /// Returns true if the kind has a type.
    pub const fn has_type(self) -> bool {
        matches!(self, Self::Type | Self::AliasType)
    }
}

impl Import {
    /// Decodes one import.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&IMPORT, |c| {
            let start = c.position();
            let kind = c.compressed(&KIND)?;
            let kind = ImportKind::of(kind)
                .ok_or_else(|| Error::unexpected("kind of an import", kind, "1 to 9", c.since(start)))?;
            let mut number = |there: bool, doc| if there { c.compressed(doc).map(Some) } else { Ok(None) };
            let alias = number(kind.has_alias(), &ALIAS)?;
            let assembly = number(kind.has_assembly(), &TARGET_ASSEMBLY)?;
            let namespace = number(kind.has_namespace(), &TARGET_NAMESPACE)?;
            let target = if kind.has_type() { Some(type_token(c, &TARGET_TYPE)?) } else { None };
            Ok(Self { kind, alias, assembly, namespace, target })
        })
    }
}

/// Decodes a blob and calls `found` for each import, up to the first invalid one.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, mut found: impl FnMut(Import)) -> Result<()> {
    while !cursor.is_done() {
        found(Import::decode(cursor)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::record::undescribed;
    use crate::bytes::{Slice, SpaceId, Value};

    /// One import of each kind.
    const ALL: &[u8] = &[
        1, 0x11, // using <0x11>;
        2, 0x03, 0x11, // using <0x11> of AssemblyRef 3
        3, 0x0d, // using static TypeRef 3
        4, 0x12, 0x11, // Imports <xmlns:0x12="0x11">
        5, 0x12, // extern alias <0x12>;
        6, 0x12, 0x03, // <0x12> is AssemblyRef 3
        7, 0x12, 0x81, 0x00, // using <0x12> = <0x100>;
        8, 0x12, 0x03, 0x11, // using <0x12> = <0x11> of AssemblyRef 3
        9, 0x12, 0x08, // using <0x12> = TypeDef 2;
    ];

    #[test]
    fn every_kind_and_its_parts() {
        let mut imports = Vec::new();
        decode(&mut Slice::new(ALL, SpaceId(0), 0).cursor(), |import| imports.push(import)).unwrap();
        let parts: Vec<_> = imports.iter().map(|i| (i.alias, i.assembly, i.namespace, i.target.map(|t| t.0))).collect();
        let expected = [
            (None, None, Some(0x11), None),
            (None, Some(3), Some(0x11), None),
            (None, None, None, Some(0x0100_0003)),
            (Some(0x12), None, Some(0x11), None),
            (Some(0x12), None, None, None),
            (Some(0x12), Some(3), None, None),
            (Some(0x12), None, Some(0x100), None),
            (Some(0x12), Some(3), Some(0x11), None),
            (Some(0x12), None, None, Some(0x0200_0002)),
        ];
        assert_eq!(parts, expected);
        assert!(imports.iter().map(|import| import.kind).eq(ImportKind::ALL));
    }

    #[test]
    fn notes_tile_the_blob() {
        let mut cursor = Cursor::recording(Slice::new(ALL, SpaceId(0), 0));
        decode(&mut cursor, |_| {}).unwrap();
        let mut at = 0;
        for field in cursor.fields().iter().filter(|field| field.value != Value::Group) {
            assert_eq!(field.span.start, at);
            at = field.span.end();
        }
        assert_eq!(at, ALL.len() as u64);
    }

    #[test]
    fn imports_before_a_bad_one_are_read() {
        for (bytes, good) in [(&[1, 0x11, 10, 0, 0][..], 1), (&[1, 1, 1, 1, 0], 2), (&[7, 0x12], 0), (&[3, 0x03], 0)] {
            let mut count = 0;
            assert!(decode(&mut Slice::new(bytes, SpaceId(0), 0).cursor(), |_| count += 1).is_err());
            assert_eq!(count, good, "{bytes:?}");
        }
    }

    #[test]
    fn every_field_of_imports_has_a_sentence() {
        assert_eq!(undescribed(ALL, |c| decode(c, |_| {})), [""; 0]);
    }
}
