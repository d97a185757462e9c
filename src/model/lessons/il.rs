//! Lessons on IL: method bodies, their exception regions, and single instructions.

use super::{Lesson, Show, lesson};
use crate::formats::il::OPCODES;

/// Some opcodes by their last byte.
const fn opcode_names<const COUNT: usize>(first: usize) -> [(u64, &'static str); COUNT] {
    let mut names = [(0, ""); COUNT];
    let mut row = 0;
    while row < COUNT {
        let opcode = &OPCODES[first + row];
        names[row] = (opcode.code as u64 & 0xff, opcode.name);
        row += 1;
    }
    names
}

/// Those of one byte come first.
const ONE_BYTE_COUNT: usize = 199;
const OPCODE_NAMES: &[(u64, &str)] = &opcode_names::<ONE_BYTE_COUNT>(0);
const TWO_BYTE_OPCODE_NAMES: &[(u64, &str)] = &opcode_names::<{ OPCODES.len() - ONE_BYTE_COUNT }>(ONE_BYTE_COUNT);

const HEADER_FLAGS: &[(u64, &str)] =
    &[(0x3003, "fat, 3 words"), (0x0008, "sections follow the code"), (0x0010, "locals begin as zero")];
const SECTION_KIND: &[(u64, &str)] =
    &[(0x01, "exception clauses"), (0x02, "OptIL, reserved"), (0x40, "fat"), (0x80, "another section follows")];
const CLAUSE_KIND: &[(u64, &str)] = &[(0, "catch"), (1, "filter"), (2, "finally"), (4, "fault")];

pub(crate) const LESSONS: &[Lesson] = &[
    lesson(
        "",
        "method body",
        Show::Plain,
        "What a method's RVA leads to: a header, the code, and sections with the exception regions.",
    ),
    lesson(
        "method body",
        "tiny header",
        Show::Plain,
        "The header of a method that is short and simple: under 64 bytes, no locals, no exception regions, at most 8 values on the stack.",
    ),
    lesson(
        "tiny header",
        "format and code size",
        Show::Hex,
        "The lowest two bits are 2, which says that the header is tiny; the other six are the size of the code.",
    ),
    lesson("method body", "fat header", Show::Plain, "The header of every method that a tiny one is too small for."),
    lesson(
        "fat header",
        "flags and header size",
        Show::Flags(HEADER_FLAGS),
        "The lowest two bits are 3, which says that the header is fat; the highest four count its 32-bit words, always 3.",
    ),
    lesson(
        "fat header",
        "max stack",
        Show::Plain,
        "The most values that the code ever has on the evaluation stack; the JIT compiler trusts it.",
    ),
    lesson("fat header", "code size", Show::Plain, "How many bytes of code follow the header."),
    lesson(
        "fat header",
        "local signature",
        Show::Token,
        "The StandAloneSig row that lists the types of the local variables; 0 if there are none. Their names are in the PDB.",
    ),
    lesson("fat header", "rest of the header", Show::Plain, "Nothing known: no header has more than 3 words."),
    lesson(
        "method body",
        "code",
        Show::Plain,
        "The instructions. An IL offset, in a PDB or a stack trace, counts from the first of these bytes.",
    ),
    lesson("method body", "padding", Show::Plain, "Sections begin at a multiple of 4 bytes."),
    lesson(
        "method body",
        "section",
        Show::Plain,
        "What the method has besides code. Only one kind is in use: the table of exception clauses.",
    ),
    lesson(
        "section",
        "section kind",
        Show::Flags(SECTION_KIND),
        "What is in the section, whether its clauses are fat (24 bytes) or small (12), and whether another section follows.",
    ),
    lesson(
        "section",
        "section size",
        Show::Plain,
        "How many bytes the section has, these 4 included; from that follows how many clauses there are.",
    ),
    lesson("section", "reserved", Show::Hex, "Fills the header of a small section up to 4 bytes; always 0."),
    lesson("section", "section data", Show::Plain, "Bytes of the section that make no whole clause."),
    lesson(
        "section",
        "exception clause",
        Show::Plain,
        "Some code that is watched, and the handler for it. The first clause that fits is the one that counts, so inner ones come first.",
    ),
    lesson(
        "exception clause",
        "clause kind",
        Show::OneOf(CLAUSE_KIND),
        "When the handler runs: for a type of exception, where a filter says so, always, or only after an exception.",
    ),
    lesson("exception clause", "try offset", Show::IlOffset, "Where the watched code begins."),
    lesson("exception clause", "try length", Show::Plain, "How many bytes of code are watched."),
    lesson("exception clause", "handler offset", Show::IlOffset, "Where the handler begins."),
    lesson("exception clause", "handler length", Show::Plain, "How many bytes of code the handler has."),
    lesson(
        "exception clause",
        "class",
        Show::Token,
        "The type of exceptions that are caught, with all that derive from it.",
    ),
    lesson(
        "exception clause",
        "filter offset",
        Show::IlOffset,
        "Where the filter begins (C# `when`): code that decides whether the handler catches. It ends where the handler begins.",
    ),
    lesson("exception clause", "unused", Show::Hex, "A finally or fault clause has neither class nor filter."),
    lesson("", "instruction", Show::Plain, "One step of the method: an opcode, and what it works with."),
    lesson(
        "instruction",
        "opcode",
        Show::OneOf(OPCODE_NAMES),
        "What to do. Most values come from the evaluation stack, and results go back to it.",
    ),
    lesson("instruction", "opcode prefix", Show::Hex, "0xFE: the opcode has a second byte."),
    lesson(
        "instruction",
        "two-byte opcode",
        Show::OneOf(TWO_BYTE_OPCODE_NAMES),
        "What to do; the second byte decides.",
    ),
    lesson("instruction", "constant", Show::Plain, "The value itself, in the instruction."),
    lesson("instruction", "variable", Show::Plain, "Which argument or local variable, counted from 0."),
    lesson(
        "instruction",
        "jump",
        Show::Plain,
        "Where to go, as a distance in bytes from the end of this instruction; negative goes back.",
    ),
    lesson("instruction", "target count", Show::Plain, "How many targets there are to choose from, 4 bytes each."),
    lesson("instruction", "field", Show::Token, "Which field: a row of Field or MemberRef."),
    lesson("instruction", "method", Show::Token, "Which method: a row of MethodDef, MemberRef or MethodSpec."),
    lesson("instruction", "signature", Show::Token, "The signature of the call: a row of StandAloneSig."),
    lesson(
        "instruction",
        "string",
        Show::Token,
        "Which string literal: 0x70 and an offset of the #US heap, where it is in UTF-16.",
    ),
    lesson("instruction", "token", Show::Token, "Which type, method or field: a row of the table in the high byte."),
    lesson("instruction", "type", Show::Token, "Which type: a row of TypeDef, TypeRef or TypeSpec."),
    lesson("instruction", "rest of an operand", Show::Plain, "The code ends before the operand does."),
];

#[cfg(test)]
pub(crate) mod tests {
    use super::super::find;
    use crate::bytes::{Cursor, Noted, Result, Slice, SpaceId, Value};
    use crate::formats::il::{Body, Instruction, OPCODES, Opcode};

    /// What `decode` notes of `bytes`, groups too, that no lesson is about.
    pub(crate) fn without_lesson(
        bytes: &[u8],
        decode: impl FnOnce(&mut Cursor<'_, Noted>) -> Result<()>,
    ) -> Vec<String> {
        let mut cursor = Cursor::noting(Slice::new(bytes, SpaceId(0), 0));
        let _ = decode(&mut cursor);
        assert!(cursor.consumed() > 0);
        let mut groups = Vec::new();
        let mut missing = Vec::new();
        for field in cursor.fields() {
            groups.truncate(field.depth as usize);
            let record = groups.last().copied().unwrap_or_default();
            if find(record, field.name).is_none() {
                missing.push(format!("{record}: {}", field.name));
            }
            if field.value == Value::Group {
                groups.push(field.name);
            }
        }
        missing
    }

    #[test]
    fn opcodes_are_named_by_their_last_byte() {
        for (names, high) in [(super::OPCODE_NAMES, 0), (super::TWO_BYTE_OPCODE_NAMES, 0xfe)] {
            for (byte, name) in names {
                let code = Opcode::named(name).unwrap().code;
                assert_eq!((code >> 8, code & 0xff), (high, *byte as u16), "{name}");
            }
        }
    }

    #[test]
    fn every_field_of_an_instruction_has_a_lesson() {
        for opcode in &OPCODES {
            let [high, low] = opcode.code.to_be_bytes();
            let bytes = if high == 0 { vec![low] } else { vec![high, low] };
            // A count of one for switch, which is as good as any operand for others; then one cut short.
            for operand in [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[1]] {
                let missing = without_lesson(&[&bytes, operand].concat(), |c| Instruction::decode(c, 0).map(|_| ()));
                assert_eq!(missing, [] as [String; 0], "{}", opcode.name);
            }
        }
    }

    #[test]
    fn every_field_of_a_body_has_a_lesson() {
        let fat = |words: u8, section: &[u8]| {
            let extra = [0; 4].repeat(usize::from(words) - 3);
            [&[0x0b, words << 4, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0][..], &extra, &[0x2a, 0, 0, 0], section].concat()
        };
        for bytes in [
            vec![0x06, 0x2a],
            fat(4, &[0x01, 17, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]),
            fat(3, &[0x01, 16, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0]),
            fat(3, &[&[0x41, 28, 0, 0, 2, 0, 0, 0][..], &[0; 20]].concat()),
        ] {
            let missing = without_lesson(&bytes, |c| Body::decode(c).map(|_| ()));
            assert_eq!(missing, [] as [String; 0], "{bytes:x?}");
        }
    }
}
