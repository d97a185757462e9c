//! Lessons on signatures.

use super::{Lesson, Show, lesson};
use crate::formats::signature::element;

const KINDS: &[(u64, &str)] = &[(0x06, "field"), (0x07, "local variables"), (0x0a, "type arguments of a method")];

/// First bytes as they are met; the rarer ones say it by their bits.
const CONVENTIONS: &[(u64, &str)] = &[
    (0x00, "static, managed"),
    (0x01, "unmanaged cdecl"),
    (0x02, "unmanaged stdcall"),
    (0x03, "unmanaged thiscall"),
    (0x04, "unmanaged fastcall"),
    (0x05, "static, variable arguments"),
    (0x08, "static property"),
    (0x09, "unmanaged, by modifiers of the return type"),
    (0x10, "static, generic"),
    (0x20, "instance"),
    (0x25, "instance, variable arguments"),
    (0x28, "instance property"),
    (0x30, "instance, generic"),
    (0x60, "instance, this among the parameters"),
];

/// What a type can be to the record that it is in. Its group is named so, and each is a record with the fields of [`TYPE`].
const ROLES: &[&str] = &[
    "type",
    "field type",
    "local variable",
    "return type",
    "parameter",
    "type argument",
    "element",
    "target",
    "pinned type",
    "modified type",
];

/// The fields of a type, whatever its role.
const TYPE: &[Lesson] = &[
    lesson(
        "",
        "element type",
        Show::OneOf(element::NAMES),
        "What kind of type this is: one the CLI knows by itself, or how it is made from what follows.",
    ),
    lesson(
        "",
        "type",
        Show::Hex,
        "Which type, as a coded index: the lowest two bits choose TypeDef, TypeRef or TypeSpec, the rest is the row.",
    ),
    lesson(
        "",
        "modifier",
        Show::Hex,
        "The type that is the modifier, as a coded index. It says what a type cannot, such as that a field is volatile.",
    ),
    lesson("", "modified type", Show::Plain, "The type that the modifier is put on."),
    lesson("", "class or value type", Show::OneOf(element::NAMES), "Whether the generic type is a class or a struct."),
    lesson("", "argument count", Show::Plain, "How many type arguments follow."),
    lesson("", "type argument", Show::Plain, "What one of the type parameters stands for."),
    lesson(
        "",
        "parameter number",
        Show::Plain,
        "Which type parameter, counted from 0; its name is in the GenericParam table.",
    ),
    lesson("", "element", Show::Plain, "The type of the array's elements."),
    lesson("", "shape", Show::Plain, "The dimensions of the array."),
    lesson("", "target", Show::Plain, "The type of what is pointed or referred to."),
    lesson("", "pinned type", Show::Plain, "The type of a variable whose object the garbage collector must not move."),
    lesson("", "method signature", Show::Plain, "The signature of the methods that can be pointed to."),
];

/// Every field of [`TYPE`] in every one of the [`ROLES`].
pub(crate) const TYPES: &[Lesson] = &types();

const fn types() -> [Lesson; ROLES.len() * TYPE.len()] {
    let mut lessons = [TYPE[0]; ROLES.len() * TYPE.len()];
    let mut at = 0;
    while at < lessons.len() {
        lessons[at] = Lesson { record: ROLES[at / TYPE.len()], ..TYPE[at % TYPE.len()] };
        at += 1;
    }
    lessons
}

pub(crate) const LESSONS: &[Lesson] = &[
    lesson("", "type", Show::Plain, "The type that a TypeSpec row stands for."),
    lesson("field signature", "field type", Show::Plain, "What the field holds."),
    lesson(
        "local signature",
        "local variable",
        Show::Plain,
        "The type of one local variable; the first is slot 0. Their names are in the PDB.",
    ),
    lesson("instantiation", "type argument", Show::Plain, "What one of the method's type parameters stands for."),
    lesson("method signature", "return type", Show::Plain, "What the method returns; void for nothing."),
    lesson("method signature", "parameter", Show::Plain, "The type of one parameter. Its name is in the Param table."),
    lesson("property signature", "return type", Show::Plain, "What the property is of."),
    lesson("property signature", "parameter", Show::Plain, "The type of one index, where the property is an indexer."),
    lesson("", "method signature", Show::Plain, "How a method is called, what it returns and what it takes."),
    lesson(
        "",
        "property signature",
        Show::Plain,
        "The type of a property, and of its indices: what its getter would have.",
    ),
    lesson("", "field signature", Show::Plain, "The type of a field."),
    lesson("", "local signature", Show::Plain, "The types of a method's local variables, in the order of their slots."),
    lesson("", "instantiation", Show::Plain, "The type arguments of a generic method, where it is called."),
    lesson("field signature", "kind", Show::OneOf(KINDS), "Says that this is the signature of a field."),
    lesson("local signature", "kind", Show::OneOf(KINDS), "Says that this is the signature of local variables."),
    lesson("instantiation", "kind", Show::OneOf(KINDS), "Says that this is the instantiation of a generic method."),
    lesson("local signature", "local count", Show::Plain, "How many local variables there are."),
    lesson("instantiation", "argument count", Show::Plain, "How many type arguments follow."),
    lesson(
        "method signature",
        "calling convention",
        Show::OneOf(CONVENTIONS),
        "The lowest four bits say how it is called; 0x10: it is generic, 0x20: it has a this, 0x40: which is among the parameters.",
    ),
    lesson(
        "property signature",
        "calling convention",
        Show::OneOf(CONVENTIONS),
        "8 says that this is the signature of a property; 0x20: of an instance property.",
    ),
    lesson("method signature", "type parameter count", Show::Plain, "How many type parameters the method has."),
    lesson(
        "property signature",
        "type parameter count",
        Show::Plain,
        "How many type parameters there are; no property has any.",
    ),
    lesson(
        "method signature",
        "parameter count",
        Show::Plain,
        "How many parameters there are, this and the return type not counted.",
    ),
    lesson(
        "property signature",
        "parameter count",
        Show::Plain,
        "How many indices the property has; 0 unless it is an indexer.",
    ),
    lesson(
        "method signature",
        "sentinel",
        Show::OneOf(element::NAMES),
        "The parameters behind this are the variable arguments of this one call.",
    ),
    lesson(
        "property signature",
        "sentinel",
        Show::OneOf(element::NAMES),
        "Has no meaning in the signature of a property.",
    ),
    lesson("shape", "rank", Show::Plain, "How many dimensions the array has."),
    lesson("shape", "size count", Show::Plain, "How many of the dimensions have a size that is known; mostly none."),
    lesson("shape", "size", Show::Plain, "The size of one dimension."),
    lesson("shape", "lower bound count", Show::Plain, "How many of the dimensions say where they begin."),
    lesson("shape", "lower bound", Show::Plain, "The lowest index of one dimension; 0 in C#."),
];

#[cfg(test)]
mod tests {
    use super::super::il::tests::without_lesson;
    use crate::formats::signature::{decode, decode_type};

    #[test]
    fn every_field_of_a_signature_has_a_lesson() {
        for bytes in [
            &[0x30, 2, 2, 0x1e, 1, 0x13, 0][..],
            &[0x05, 2, 0x01, 0x0e, 0x41, 0x08],
            &[0x28, 1, 0x0e, 0x08],
            &[0x18, 1, 1, 0x0e, 0x41, 0x08],
            &[0x06, 0x1f, 0x05, 0x12, 0x05],
            &[0x07, 2, 0x45, 0x10, 0x1d, 0x08, 0x0f, 0x01],
            &[0x0a, 1, 0x15, 0x12, 0x05, 1, 0x08],
            &[0x00, 0, 0x1b, 0x00, 1, 0x14, 0x08, 2, 1, 3, 1, 0, 0x1b, 0x00, 0, 0x01],
        ] {
            let missing = without_lesson(bytes, |c| decode(c).map(|_| ()));
            assert_eq!(missing, [] as [String; 0], "{bytes:x?}");
        }
        // Any type in any other.
        let heads: [&[u8]; 6] = [&[0x1d], &[0x0f], &[0x45], &[0x20, 5], &[0x15, 0x12, 5, 1], &[0x14]];
        let ends: [&[u8]; 5] = [&[0x08], &[0x12, 5], &[0x13, 0], &[0x1b, 0, 0, 0x01], &[0x14, 0x08, 0, 0, 0]];
        for head in heads {
            for middle in heads {
                for end in ends {
                    let missing =
                        without_lesson(&[head, middle, end, &[0; 9]].concat(), |c| decode_type(c).map(|_| ()));
                    assert_eq!(missing, [] as [String; 0], "{head:x?} {middle:x?} {end:x?}");
                }
            }
        }
    }
}
