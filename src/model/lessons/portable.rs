//! Lessons on the blobs of a portable PDB.

use super::{Lesson, Show, lesson};
use crate::formats::signature::element;

/// What an import does, by its kind.
const IMPORTS: &[(u64, &str)] = &[
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

pub(crate) const LESSONS: &[Lesson] = &[
    lesson(
        "",
        "#Pdb stream",
        Show::Plain,
        "What ties the PDB to its module: who it belongs to, and how large that one's tables are.",
    ),
    lesson("", "header", Show::Plain, "What the records of a sequence points blob begin from."),
    lesson(
        "",
        "point",
        Show::Plain,
        "From this IL offset on the code belongs to these lines and columns; the numbers are differences.",
    ),
    lesson("", "hidden point", Show::Plain, "From this IL offset on the code has no source: a debugger steps over it."),
    lesson(
        "",
        "document",
        Show::Plain,
        "The points behind it belong to another document. Only a method in several documents has this.",
    ),
    lesson(
        "",
        "document name",
        Show::Plain,
        "A path in parts, each a blob of its own, so that files of one folder share them.",
    ),
    lesson(
        "",
        "local constant",
        Show::Plain,
        "Type and value of a constant in one blob: a constant has no slot that could hold it.",
    ),
    lesson("", "import", Show::Plain, "Something that the source brings into scope with using, Imports or open."),
    lesson(
        "#Pdb stream",
        "PDB id",
        Show::Plain,
        "Twenty bytes that no other PDB has. The module's CodeView entry repeats them: GUID, then stamp.",
    ),
    lesson("PDB id", "GUID", Show::Plain, "The part of the id that symbol servers know the file by."),
    lesson(
        "PDB id",
        "stamp",
        Show::Hex,
        "The rest of the id. In a deterministic build both are a hash of the PDB, and this is no time.",
    ),
    lesson(
        "#Pdb stream",
        "entry point",
        Show::Token,
        "The method that the program begins with, as in the image's CLI header; 0 for a library.",
    ),
    lesson(
        "#Pdb stream",
        "referenced type system tables",
        Show::Hex,
        "A bit for each table of the image that has rows; the bit's number is the table's. Their row counts follow.",
    ),
    lesson(
        "#Pdb stream",
        "type system table rows",
        Show::Plain,
        "The row counts of the image's tables: above 65535 rows an index is 4 bytes wide, and the PDB's own tables have such indexes.",
    ),
    lesson("#Pdb stream", "padding", Show::Plain, "Streams end at a multiple of 4."),
    lesson(
        "header",
        "local signature",
        Show::Row("StandAloneSig"),
        "The types of the method's local variables; 0 if it has none.",
    ),
    lesson(
        "header",
        "initial document",
        Show::Row("Document"),
        "The document of the first point. It is here because the method's row names none: there are several.",
    ),
    lesson(
        "point",
        "δ IL offset",
        Show::Plain,
        "How many bytes of IL after the point before; for the first point, the IL offset itself.",
    ),
    lesson(
        "point",
        "Δ lines",
        Show::Plain,
        "The end line less the start line: how many lines further down the point ends.",
    ),
    lesson(
        "point",
        "Δ columns",
        Show::Plain,
        "The end column less the start column. Only where the lines differ can it be negative: else it is unsigned.",
    ),
    lesson("point", "start line", Show::Plain, "The line itself, from 1: no point that is not hidden comes before."),
    lesson(
        "point",
        "start column",
        Show::Plain,
        "The column itself, from 1: no point that is not hidden comes before.",
    ),
    lesson("point", "δ start line", Show::Plain, "The start line less that of the last point that is not hidden."),
    lesson("point", "δ start column", Show::Plain, "The start column less that of the last point that is not hidden."),
    lesson(
        "hidden point",
        "δ IL offset",
        Show::Plain,
        "How many bytes of IL after the point before; for the first point, the IL offset itself.",
    ),
    lesson(
        "hidden point",
        "Δ lines",
        Show::Plain,
        "0, and with the next 0 it says that the point is hidden: no other ends where it starts.",
    ),
    lesson("hidden point", "Δ columns", Show::Plain, "0: the record is over, and its line counts as 0xFEEFEE."),
    lesson("document", "δ IL offset", Show::Plain, "0: no point, as two points never have the same IL offset."),
    lesson("document", "document", Show::Row("Document"), "The document that the points from here on belong to."),
    lesson(
        "document name",
        "separator",
        Show::Plain,
        "What to put between the parts: a character such as / or \\, or a zero byte for nothing.",
    ),
    lesson(
        "document name",
        "part",
        Show::Hex,
        "Where in #Blob a part of the path is; 0 is the empty part that an absolute path begins with.",
    ),
    lesson(
        "import",
        "kind",
        Show::OneOf(IMPORTS),
        "What is brought into scope, and so which of the following are there.",
    ),
    lesson("import", "alias", Show::Hex, "Where in #Blob the alias is: using Alias = …"),
    lesson("import", "target assembly", Show::Row("AssemblyRef"), "The assembly that is meant."),
    lesson("import", "target namespace", Show::Hex, "Where in #Blob the name of the namespace is."),
    lesson(
        "import",
        "target type",
        Show::Hex,
        "The type, as a coded index: the lowest two bits choose TypeDef, TypeRef or TypeSpec, the rest is the row.",
    ),
    lesson("local constant", "custom modifier", Show::Plain, "Something that the type cannot say of itself."),
    lesson(
        "custom modifier",
        "element type",
        Show::OneOf(element::NAMES),
        "Whether the modifier must be understood (modreq) or may be ignored (modopt).",
    ),
    lesson("custom modifier", "modifier", Show::Hex, "The type that is the modifier, as a coded index."),
    lesson("local constant", "type code", Show::OneOf(element::NAMES), "What the value is made of."),
    lesson("local constant", "value", Show::Plain, "The value. A string is the rest of the blob, in UTF-16."),
    lesson("local constant", "null", Show::Hex, "0xFF alone: no string at all. The empty string has no bytes."),
    lesson(
        "local constant",
        "type",
        Show::Hex,
        "The type of the value, as a coded index. Without bytes behind it the value is the type's default.",
    ),
    lesson(
        "local constant",
        "enum type",
        Show::Hex,
        "Bytes behind a number: the number is of this enum (a coded index).",
    ),
    lesson("local constant", "ticks", Show::Plain, "A DateTime: tenths of a microsecond since the year 1."),
    lesson(
        "local constant",
        "decimal",
        Show::Plain,
        "A Decimal: 96 bits of digits, and where the point is among them.",
    ),
    lesson(
        "decimal",
        "sign and scale",
        Show::Hex,
        "The highest bit is the sign; the others say how many decimal digits are behind the point.",
    ),
    lesson("decimal", "low", Show::Hex, "The lowest 32 bits of the digits."),
    lesson("decimal", "mid", Show::Hex, "The middle 32 bits of the digits."),
    lesson("decimal", "high", Show::Hex, "The highest 32 bits of the digits."),
    lesson("local constant", "surplus", Show::Plain, "Bytes that a constant of this type has no use for."),
];

/// The tables of an image, each of which can have its row count in the `#Pdb` stream.
const IMAGE_TABLES: [&str; 46] = [
    "Module",
    "TypeRef",
    "TypeDef",
    "FieldPtr",
    "Field",
    "MethodPtr",
    "MethodDef",
    "ParamPtr",
    "Param",
    "InterfaceImpl",
    "MemberRef",
    "Constant",
    "CustomAttribute",
    "FieldMarshal",
    "DeclSecurity",
    "ClassLayout",
    "FieldLayout",
    "StandAloneSig",
    "EventMap",
    "EventPtr",
    "Event",
    "PropertyMap",
    "PropertyPtr",
    "Property",
    "MethodSemantics",
    "MethodImpl",
    "ModuleRef",
    "TypeSpec",
    "ImplMap",
    "FieldRVA",
    "EncLog",
    "EncMap",
    "Assembly",
    "AssemblyProcessor",
    "AssemblyOS",
    "AssemblyRef",
    "AssemblyRefProcessor",
    "AssemblyRefOS",
    "File",
    "ExportedType",
    "ManifestResource",
    "NestedClass",
    "GenericParam",
    "MethodSpec",
    "GenericParamConstraint",
    "?",
];

/// One lesson for the row count of every table.
pub(crate) const ROW_COUNTS: &[Lesson] = &{
    let about = "How many rows this table has in the image.";
    let mut lessons = [lesson("type system table rows", "?", Show::Plain, about); IMAGE_TABLES.len()];
    let mut table = 0;
    while table < IMAGE_TABLES.len() {
        lessons[table].field = IMAGE_TABLES[table];
        table += 1;
    }
    lessons
};

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::il::tests::without_lesson;
    use crate::formats::metadata::TableId;
    use crate::formats::portable::constant::Constant;
    use crate::formats::portable::document::DocumentName;
    use crate::formats::portable::pdb_stream::PdbStream;
    use crate::formats::portable::{imports, points};

    #[test]
    fn every_field_of_points_has_a_lesson() {
        // Two documents; the first point, a hidden one, a later one.
        let blob = [1, 1, 0, 0, 1, 5, 5, 1, 0, 0, 0, 2, 1, 1, 0x7f, 2, 0];
        assert_eq!(without_lesson(&blob, |c| points::decode(c, 0).map(drop)), [] as [String; 0]);
    }

    #[test]
    fn every_field_of_names_and_imports_has_a_lesson() {
        assert_eq!(without_lesson(b"/\0\x01", |c| DocumentName::decode(c).map(drop)), [] as [String; 0]);
        let all = [1, 1, 2, 1, 1, 3, 5, 4, 1, 1, 5, 1, 6, 1, 1, 7, 1, 1, 8, 1, 1, 1, 9, 1, 5];
        assert_eq!(without_lesson(&all, |c| imports::decode(c, |_| {})), [] as [String; 0]);
    }

    #[test]
    fn every_field_of_constants_has_a_lesson() {
        for blob in [
            &[0x1f, 5, 0x20, 5, 0x02, 1, 5][..],
            &[0x0e, b'a', 0],
            &[0x0e, 0xff],
            &[0x11, 5, 1, 2, 3],
            &[0x11, 5, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x11, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x1c, 0],
        ] {
            assert_eq!(without_lesson(blob, |c| Constant::decode(c).map(drop)), [] as [String; 0], "{blob:?}");
        }
    }

    #[test]
    fn every_field_of_the_pdb_stream_has_a_lesson() {
        let blob = [[0; 24].as_slice(), &[0xff; 5], &[0x1f, 0, 0], &[0; 46 * 4]].concat();
        assert_eq!(without_lesson(&blob, |c| PdbStream::decode(c).map(drop)), [] as [String; 0]);
        for table in TableId::all().filter(|table| !table.is_debug()) {
            assert!(find("type system table rows", table.name()).is_some(), "{}", table.name());
        }
    }
}
