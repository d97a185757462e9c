//! What only native PDBs have: types, native symbols, inlined calls, copies of section headers.

use super::{Lesson, Show, lesson};
use crate::formats::codeview::languages::LANGUAGES;
use crate::formats::codeview::types::KINDS;

type Names = &'static [(u64, &'static str)];

const MACHINES: Names =
    &[(3, "Intel 80386"), (7, "Pentium III"), (0x60, "ARM 3"), (0xd0, "x64"), (0xf4, "ARM NT"), (0xf6, "ARM64")];
const FUNCTION_FLAGS: Names = &[
    (1, "frame pointer omitted"),
    (2, "returns from an interrupt"),
    (4, "far return"),
    (8, "does not return"),
    (0x10, "never called"),
    (0x20, "custom calling convention"),
    (0x40, "not inlined"),
    (0x80, "optimised, with debug information"),
];
const VARIABLE_FLAGS: Names = &[
    (1, "parameter"),
    (2, "address is taken"),
    (4, "made by the compiler"),
    (8, "aggregate"),
    (0x10, "part of an aggregate"),
    (0x20, "aliased"),
    (0x40, "alias"),
    (0x80, "return value"),
    (0x100, "optimised away"),
    (0x200, "global"),
    (0x400, "static"),
];
const PUBLIC_FLAGS: Names = &[(1, "code"), (2, "function"), (4, "managed"), (8, "IL")];
const EXPORT_FLAGS: Names =
    &[(1, "constant"), (2, "data"), (4, "private"), (8, "no name"), (0x10, "ordinal was given"), (0x20, "forwarder")];
const MODIFIERS: Names = &[(1, "const"), (2, "volatile"), (4, "__unaligned")];
const CONVENTIONS: Names = &[
    (0, "__cdecl"),
    (1, "__cdecl, far"),
    (2, "__pascal"),
    (4, "__fastcall"),
    (7, "__stdcall"),
    (9, "__syscall"),
    (11, "thiscall"),
    (22, "__clrcall"),
    (24, "__vectorcall"),
];
const FUNCTION_ATTRIBUTES: Names =
    &[(1, "returns a C++ object"), (2, "constructor"), (4, "constructor with virtual bases")];
const PROPERTIES: Names = &[
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
];
const MEMBER_ATTRIBUTES: Names =
    &[(1, "private"), (2, "protected"), (3, "public"), (0x20, "pseudo"), (0x100, "generated")];
const CHARACTERISTICS: Names = &[
    (0x20, "code"),
    (0x40, "initialised data"),
    (0x80, "uninitialised data"),
    (0x0200_0000, "can be discarded"),
    (0x2000_0000, "execute"),
    (0x4000_0000, "read"),
    (0x8000_0000, "write"),
];
const LEAVES: Names = &[
    (0x8000, "signed, 1 byte"),
    (0x8001, "signed, 2 bytes"),
    (0x8002, "unsigned, 2 bytes"),
    (0x8003, "signed, 4 bytes"),
    (0x8004, "unsigned, 4 bytes"),
    (0x8005, "floating-point, 4 bytes"),
    (0x8006, "floating-point, 8 bytes"),
    (0x8009, "signed, 8 bytes"),
    (0x800a, "unsigned, 8 bytes"),
];
const INLINEE_SIGNATURES: Names = &[(0, "one file each"), (1, "further files each")];
const ANNOTATIONS: Names = &[
    (1, "code offset"),
    (2, "code offset base"),
    (3, "advance the code offset"),
    (4, "length of the last code"),
    (5, "file"),
    (6, "advance the line"),
    (7, "advance the end of the line"),
    (8, "kind of range"),
    (9, "start column"),
    (10, "advance the end column"),
    (11, "advance code offset and line"),
    (12, "length of code, and advance the offset"),
    (13, "end column"),
];

const SYMBOL: &str = "native symbol";
const TYPE: &str = "type record";
const DATA: &str = "type data";
const MEMBER: &str = "member";
const SECTION: &str = "image section header";
const LEAF: &str = "Below 0x8000 the number itself; from there on what follows.";
const REFERENCE: &str = "Another record, by its number; below 0x1000 a type that needs no record.";
const VERSION: &str = "A part of the version of the compiler.";

pub(crate) const LESSONS: &[Lesson] = &[
    // The record around every symbol, as managed PDBs have it too.
    lesson(
        "symbol",
        "data",
        Show::Plain,
        "What follows the columns: annotations, gaps, strings, or a kind that is not known.",
    ),
    // Symbols.
    lesson(
        SYMBOL,
        "name",
        Show::Plain,
        "What it is called in the source; for a public symbol, what the linker calls it.",
    ),
    lesson(SYMBOL, "type", Show::Hex, "Its type, by number: below 0x1000 one that needs no record."),
    lesson(
        SYMBOL,
        "id",
        Show::Hex,
        "A record of the stream of ids: a function with its scope, or what a module was built with.",
    ),
    lesson(SYMBOL, "offset", Show::Hex, "Where it is in its section."),
    lesson(SYMBOL, "section", Show::Plain, "The section of the image, from 1; 0 if it is nowhere."),
    lesson(SYMBOL, "parent", Show::Hex, "Where the record of the scope around it stands in this stream; 0 for none."),
    lesson(SYMBOL, "end", Show::Hex, "Where the record stands that ends its scope: what is between is in it."),
    lesson(SYMBOL, "next", Show::Hex, "Obsolete, and 0."),
    lesson(SYMBOL, "length of code", Show::Plain, "How many bytes of the image it takes."),
    lesson(
        SYMBOL,
        "debug start",
        Show::Hex,
        "How many bytes into the function its frame is set up, so that a debugger may stop there.",
    ),
    lesson(SYMBOL, "debug end", Show::Hex, "How many bytes into the function its frame begins to be taken down."),
    lesson(SYMBOL, "function flags", Show::Flags(FUNCTION_FLAGS), "What is particular to the function."),
    lesson(SYMBOL, "variable flags", Show::Flags(VARIABLE_FLAGS), "What is particular to the variable."),
    lesson(SYMBOL, "public flags", Show::Flags(PUBLIC_FLAGS), "What the linker knew of the symbol."),
    lesson(SYMBOL, "export flags", Show::Flags(EXPORT_FLAGS), "How it is exported."),
    lesson(SYMBOL, "language", Show::OneOf(LANGUAGES), "What the module was compiled from."),
    lesson(
        SYMBOL,
        "compile flags",
        Show::Hex,
        "What the compiler was told, a bit each: with Edit and Continue, link-time code generation, security checks, …",
    ),
    lesson(SYMBOL, "further compile flags", Show::Hex, "More of that: profile-guided, kept modules, managed code."),
    lesson(
        SYMBOL,
        "frame flags",
        Show::Hex,
        "Whether it calls alloca, setjmp, has inline assembly or exception handlers; which registers its frame is in.",
    ),
    lesson(
        SYMBOL,
        "environment flags",
        Show::Plain,
        "Reserved; pairs of strings follow: names and values of the build's environment.",
    ),
    lesson(
        SYMBOL,
        "separated code flags",
        Show::Hex,
        "Whether it is a scope of its own, and whether it returns to its parent.",
    ),
    lesson(SYMBOL, "range attributes", Show::Hex, "Whether the variable may have no value in this range."),
    lesson(SYMBOL, "member flags", Show::Hex, "Whether it is a part of a variable, and where in it."),
    lesson(SYMBOL, "fastlink flags", Show::Hex, "What the linker knew of a symbol that it left in the object file."),
    lesson(SYMBOL, "characteristics", Show::Flags(CHARACTERISTICS), "What the bytes may be used for."),
    lesson(SYMBOL, "signature", Show::Hex, "0: the object file has no signature."),
    lesson(SYMBOL, "numeric leaf", Show::OneOf(LEAVES), LEAF),
    lesson(SYMBOL, "value", Show::Plain, "The value of the constant."),
    lesson(SYMBOL, "name sum", Show::Plain, "A sum over the name, as linkers of old wrote it."),
    lesson(SYMBOL, "symbol offset", Show::Hex, "Where the record is in the stream of its module."),
    lesson(SYMBOL, "module", Show::Plain, "The module that has the record, from 1."),
    lesson(SYMBOL, "ordinal", Show::Plain, "A number: which export it is, or what kind of thunk."),
    lesson(SYMBOL, "register", Show::Plain, "The processor's register, by CodeView's numbering."),
    lesson(SYMBOL, "register offset", Show::Plain, "How far from the register's value the variable is."),
    lesson(SYMBOL, "frame offset", Show::Plain, "How far from the frame's base the variable is."),
    lesson(SYMBOL, "frame size", Show::Plain, "How many bytes of the stack the function takes."),
    lesson(SYMBOL, "padding size", Show::Plain, "How many of them are padding."),
    lesson(SYMBOL, "padding offset", Show::Plain, "Where in the frame the padding is."),
    lesson(SYMBOL, "saved registers size", Show::Plain, "How many bytes the saved registers take."),
    lesson(SYMBOL, "machine", Show::OneOf(MACHINES), "The processor that it was compiled for."),
    lesson(SYMBOL, "front end major", Show::Plain, VERSION),
    lesson(SYMBOL, "front end minor", Show::Plain, VERSION),
    lesson(SYMBOL, "front end build", Show::Plain, VERSION),
    lesson(SYMBOL, "front end fix", Show::Plain, VERSION),
    lesson(SYMBOL, "back end major", Show::Plain, VERSION),
    lesson(SYMBOL, "back end minor", Show::Plain, VERSION),
    lesson(SYMBOL, "back end build", Show::Plain, VERSION),
    lesson(SYMBOL, "back end fix", Show::Plain, VERSION),
    lesson(
        SYMBOL,
        "trampoline kind",
        Show::Plain,
        "0: to a function that was linked incrementally; 1: to another island of branches.",
    ),
    lesson(SYMBOL, "target offset", Show::Hex, "Where the jump goes, in the target's section."),
    lesson(SYMBOL, "target section", Show::Plain, "The section that the jump goes to."),
    lesson(SYMBOL, "parent offset", Show::Hex, "Where the function is that the code was separated from."),
    lesson(SYMBOL, "parent section", Show::Plain, "The section of that function."),
    lesson(SYMBOL, "alignment", Show::Plain, "The section begins at a multiple of two to this power."),
    lesson(SYMBOL, "reserved", Show::Plain, "Nothing."),
    lesson(SYMBOL, "rva", Show::Rva, "Where the section is in memory."),
    lesson(SYMBOL, "unused", Show::Plain, "Nothing."),
    lesson(
        SYMBOL,
        "cookie kind",
        Show::Plain,
        "How the cookie that guards the frame is made: a copy, or combined with a register.",
    ),
    lesson(SYMBOL, "offset in variable", Show::Plain, "Which part of the variable is in the register."),
    lesson(SYMBOL, "file name", Show::Hex, "The source file, by the offset of its name in the string table."),
    lesson(SYMBOL, "base offset", Show::Hex, "What the entries of the table are relative to."),
    lesson(SYMBOL, "base section", Show::Plain, "The section of that."),
    lesson(SYMBOL, "entry kind", Show::Plain, "How large an entry of the table is, and whether it is shifted."),
    lesson(SYMBOL, "table offset", Show::Hex, "Where the table is."),
    lesson(SYMBOL, "table section", Show::Plain, "The section that the table is in."),
    lesson(SYMBOL, "entry count", Show::Plain, "How many entries the table has."),
    lesson(SYMBOL, "count", Show::Plain, "How many functions follow."),
    lesson(SYMBOL, "invocations", Show::Plain, "How often the call was made while profiling."),
    lesson(SYMBOL, "call length", Show::Plain, "How many bytes the call instruction has."),
    lesson("", "machine code", Show::Plain, "What the processor runs: instructions of its own."),
    lesson("machine code", "code", Show::Plain, "The instructions that belong to the line, as the image has them."),
    // TypeStream.
    lesson(TYPE, "length", Show::Plain, "How many bytes follow: the next record is behind them."),
    lesson(TYPE, "kind", Show::OneOf(KINDS), "What kind of type it is: what follows depends on it."),
    lesson(TYPE, "type data", Show::Plain, "What a type of this kind says."),
    lesson(
        TYPE,
        "padding",
        Show::Plain,
        "Fills the record up to a multiple of 4: each byte's low digit says how many are left.",
    ),
    lesson(DATA, "data", Show::Plain, "A kind that is not read here."),
    lesson(DATA, "name", Show::Plain, "What it is called in the source, with its namespace."),
    lesson(DATA, "unique name", Show::Plain, "The decorated name, by which forward references find their type."),
    lesson(DATA, "type", Show::Hex, REFERENCE),
    lesson(DATA, "return type", Show::Hex, "What the function returns, by number."),
    lesson(DATA, "element type", Show::Hex, "What the array is of, by number."),
    lesson(DATA, "index type", Show::Hex, "What the array is indexed with, by number."),
    lesson(DATA, "underlying type", Show::Hex, "The integer that holds a value of the enumeration, by number."),
    lesson(DATA, "this type", Show::Hex, "The type of `this`, by number; 0 for a static function."),
    lesson(DATA, "class", Show::Hex, "The class that it belongs to, by number."),
    lesson(DATA, "argument list", Show::Hex, "The record that has the types of the parameters."),
    lesson(DATA, "field list", Show::Hex, "The record that has the members; 0 in a forward reference."),
    lesson(DATA, "derived from", Show::Hex, "Obsolete, and 0: base classes are members."),
    lesson(
        DATA,
        "virtual shape",
        Show::Hex,
        "The record that says how the table of virtual functions looks; 0 for none.",
    ),
    lesson(DATA, "modifiers", Show::Flags(MODIFIERS), "What is added to the type."),
    lesson(DATA, "attributes", Show::Hex, "For a pointer its kind, mode, qualifiers and size, from the lowest bit on."),
    lesson(
        DATA,
        "representation",
        Show::Plain,
        "How a pointer to a member is kept: depends on the inheritance of its class.",
    ),
    lesson(
        DATA,
        "calling convention",
        Show::OneOf(CONVENTIONS),
        "Who puts what where for a call, and who takes it away.",
    ),
    lesson(DATA, "function attributes", Show::Flags(FUNCTION_ATTRIBUTES), "What else a caller has to know."),
    lesson(DATA, "parameter count", Show::Plain, "How many parameters the function has, `this` not counted."),
    lesson(
        DATA,
        "this adjustment",
        Show::Plain,
        "What is added to `this` before the call: where the base is in the object.",
    ),
    lesson(DATA, "count", Show::Plain, "How many numbers follow."),
    lesson(DATA, "string", Show::Hex, "An id: text. In order: folder, compiler, source file, type server, arguments."),
    lesson(DATA, "member count", Show::Plain, "How many members it has."),
    lesson(DATA, "value count", Show::Plain, "How many values it has."),
    lesson(DATA, "properties", Show::Flags(PROPERTIES), "What else it is."),
    lesson(DATA, "numeric leaf", Show::OneOf(LEAVES), LEAF),
    lesson(DATA, "value", Show::Plain, "How many bytes it takes."),
    lesson(DATA, "bit count", Show::Plain, "How many bits it has."),
    lesson(DATA, "first bit", Show::Plain, "Which bit of the integer is its lowest."),
    lesson(DATA, "entry count", Show::Plain, "How many pointers the table of virtual functions has."),
    lesson(DATA, "entry kinds", Show::Plain, "Four bits for each pointer: near or far."),
    lesson(DATA, "overridden table", Show::Hex, "The table of the base class, by number; 0 for none."),
    lesson(DATA, "offset in object", Show::Plain, "Where in an object the pointer to the table is."),
    lesson(DATA, "names size", Show::Plain, "How many bytes of names follow."),
    lesson(DATA, "names", Show::Plain, "The name of the table, and of each function in it."),
    lesson(DATA, "guid", Show::Guid, "The identity of the PDB that has the types."),
    lesson(DATA, "age", Show::Plain, "How often that PDB was written."),
    lesson(DATA, "scope", Show::Hex, "The namespace that the function is in: an id; 0 for none."),
    lesson(DATA, "text before", Show::Hex, "A list of ids whose texts come before this one; 0 for none."),
    lesson(DATA, "text", Show::Plain, "The text, or the end of it."),
    lesson(
        DATA,
        "source",
        Show::Hex,
        "The source file: an id, or where the linker has been, an offset in the string table.",
    ),
    lesson(DATA, "line", Show::Plain, "The line where the type is defined."),
    lesson(DATA, "module", Show::Plain, "The module that defines it, from 1."),
    lesson(DATA, "member", Show::Plain, "A member: its own kind, and what that makes of it."),
    lesson(DATA, "padding", Show::Plain, "Fills the member up to a multiple of 4."),
    lesson(DATA, "overload", Show::Plain, "One of the functions that have the name."),
    lesson(
        "overload",
        "attributes",
        Show::Hex,
        "Who may call it (bits 0 and 1), and whether it is virtual or static (bits 2 to 4).",
    ),
    lesson("overload", "unused", Show::Plain, "Nothing."),
    lesson("overload", "type", Show::Hex, "Its type, by number."),
    lesson(
        "overload",
        "virtual table offset",
        Show::Plain,
        "Its place in the table of virtual functions, which it is the first to have.",
    ),
    lesson(MEMBER, "kind", Show::OneOf(KINDS), "What it is: a datum, a function, a base, a nested type, a value."),
    lesson(
        MEMBER,
        "attributes",
        Show::Flags(MEMBER_ATTRIBUTES),
        "Who may use it; for a function, bits 2 to 4 say whether it is virtual or static.",
    ),
    lesson(MEMBER, "unused", Show::Plain, "Nothing."),
    lesson(MEMBER, "type", Show::Hex, REFERENCE),
    lesson(MEMBER, "name", Show::Plain, "Its name."),
    lesson(MEMBER, "numeric leaf", Show::OneOf(LEAVES), LEAF),
    lesson(MEMBER, "value", Show::Plain, "Where it is in an object, in bytes; or the value of an enumerator."),
    lesson(MEMBER, "offset", Show::Plain, "Where the pointer to the table of virtual functions is."),
    lesson(MEMBER, "virtual base pointer type", Show::Hex, "The type of the pointer to the table of virtual bases."),
    lesson(MEMBER, "further members", Show::Hex, "The list of the members that had no room in this record."),
    lesson(MEMBER, "method count", Show::Plain, "How many functions have the name."),
    lesson(MEMBER, "method list", Show::Hex, "The record that has those functions."),
    lesson(
        MEMBER,
        "virtual table offset",
        Show::Plain,
        "Its place in the table of virtual functions, which it is the first to have.",
    ),
    // Inlined calls.
    lesson("inlinee lines", "signature", Show::OneOf(INLINEE_SIGNATURES), "Which form the entries have."),
    lesson("inlinee lines", "inlinee", Show::Plain, "A function that was inlined somewhere in this module."),
    lesson("inlinee", "id", Show::Hex, "The function, by the number of its id."),
    lesson("inlinee", "file", Show::Hex, "Its source file, by the offset of its entry among the checksums."),
    lesson("inlinee", "first line", Show::Plain, "The line that annotations begin to count from."),
    lesson("inlinee", "further file count", Show::Plain, "How many other files have some of its code."),
    lesson("inlinee", "further file", Show::Hex, "One of those, by the offset of its entry."),
    lesson("annotation", "opcode", Show::OneOf(ANNOTATIONS), "What the instruction does."),
    lesson("annotation", "code offset", Show::Hex, "Where the code is from here on."),
    lesson("annotation", "code offset base", Show::Hex, "What offsets count from."),
    lesson("annotation", "code offset advance", Show::Hex, "How many bytes further on the next code is."),
    lesson("annotation", "code length", Show::Plain, "How many bytes of code there are."),
    lesson("annotation", "file", Show::Hex, "The source file from here on, by the offset of its entry."),
    lesson("annotation", "line advance", Show::Plain, "How many lines further on; the lowest bit is the sign."),
    lesson("annotation", "line end advance", Show::Plain, "How many lines the code has."),
    lesson("annotation", "range kind", Show::Plain, "0 an expression, 1 a statement."),
    lesson("annotation", "start column", Show::Plain, "The first column from here on."),
    lesson(
        "annotation",
        "end column advance",
        Show::Plain,
        "How many columns further on the end is; the lowest bit is the sign.",
    ),
    lesson(
        "annotation",
        "code and line advance",
        Show::Hex,
        "Bytes of code in the low four bits, lines with their sign above.",
    ),
    lesson("annotation", "end column", Show::Plain, "The last column from here on."),
    // Addresses.
    lesson(SECTION, "name", Show::Plain, "The name of the section: .text, .data."),
    lesson(SECTION, "virtual size", Show::Hex, "How many bytes it has in memory."),
    lesson(SECTION, "virtual address", Show::Rva, "Where it is in memory."),
    lesson(SECTION, "size of raw data", Show::Hex, "How many bytes it has in the image's file."),
    lesson(SECTION, "pointer to raw data", Show::Hex, "Where those are in the image's file."),
    lesson(SECTION, "pointer to relocations", Show::Hex, "0 in an image."),
    lesson(SECTION, "pointer to line numbers", Show::Hex, "Obsolete, and 0."),
    lesson(SECTION, "number of relocations", Show::Plain, "0 in an image."),
    lesson(SECTION, "number of line numbers", Show::Plain, "Obsolete, and 0."),
    lesson(SECTION, "characteristics", Show::Flags(CHARACTERISTICS), "What the bytes may be used for."),
    lesson("omap entry", "address", Show::Hex, "From here up to the next entry's address."),
    lesson(
        "omap entry",
        "address in the other image",
        Show::Hex,
        "Where that went when the image was rearranged; 0 if it was taken out.",
    ),
];

#[cfg(test)]
mod tests {
    use crate::bytes::{Cursor, Noted, Origin, Result, Slice, SpaceId, Spaces};
    use crate::formats::codeview::inline::{OPERANDS, annotation, inlinees};
    use crate::formats::codeview::symbols::Records;
    use crate::formats::codeview::symbols::{Symbol, all_columns};
    use crate::formats::codeview::types::TypeData;
    use crate::formats::managed::WindowsPdb;
    use crate::formats::msf::Msf;
    use crate::formats::pdb::TypeStream;
    use crate::formats::pdb::{ImageSection, ModuleStream, sections};
    use crate::model::lessons::find;
    use crate::nodes::fields::Fields;

    #[test]
    fn every_column_of_every_symbol_has_one() {
        for (kind, column) in all_columns() {
            assert!(find("native symbol", column.name).is_some(), "{kind:x}: {}", column.name);
        }
        assert!(find("native symbol", "numeric leaf").is_some());
        for name in &OPERANDS[1..] {
            assert!(find("annotation", name).is_some(), "{name}");
        }
    }

    /// The fields without a lesson, of what `decode` reads from `slice`.
    fn untaught(slice: Slice<'_>, decode: impl FnOnce(&mut Cursor<'_, Noted>) -> Result<()>) -> Vec<String> {
        let fields = Fields::explain("", slice, decode, |_, _| None);
        assert_eq!(fields.error, None);
        let leaves = fields.rows.iter().filter(|row| row.depth > 0 && row.about.is_empty() && !row.group);
        leaves.map(|row| row.name.clone()).collect()
    }

    #[test]
    fn every_field_of_the_sample_has_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/native/tally.pdb");
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("f", Origin::File("f".into()), std::fs::read(path).unwrap()).span().space;
        let msf = Msf::open(&mut spaces, file).unwrap();
        let pdb = WindowsPdb::parse(&spaces, msf);
        let mut missing = Vec::new();
        for stream in [2, 4] {
            for record in TypeStream::parse(pdb.stream(&spaces, stream).unwrap()).iter() {
                missing.extend(untaught(record.slice, |c| TypeData::decode(c).map(drop)));
            }
        }
        let known = ["length", "kind", "padding"]; // Of every symbol's record: taught with managed ones.
        for number in 0..pdb.modules().len() as u32 {
            let module = ModuleStream::read(&pdb, &spaces, number).unwrap();
            for record in Records::of_module(&module.symbols()) {
                let found = untaught(record.unwrap().slice, |c| Symbol::decode(c).map(|_| ()));
                missing.extend(found.into_iter().filter(|name| !known.contains(&name.as_str())));
            }
        }
        let sections = pdb.stream(&spaces, 11).unwrap();
        missing.extend(untaught(sections.slice().part(0, 40).unwrap(), |c| ImageSection::decode(c).map(drop)));
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn every_field_that_the_sample_has_not_has_one() {
        let slice = |bytes: &'static [u8]| Slice::new(bytes, SpaceId(0), 0);
        let mut missing =
            untaught(slice(b"\x01\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x01\0\0\0\x04\0\0\0"), |c| inlinees(c, |_| ()));
        missing.extend(untaught(slice(b"\x0c\x05\x06"), |c| annotation(c).map(drop)));
        missing.extend(untaught(slice(&[1; 8]), |c| sections::omap_pair(c).map(drop)));
        // A record of each kind of type, its numbers all 0, and one of each kind of member.
        for (kind, _) in crate::formats::codeview::types::KINDS {
            let kind = *kind as u16;
            let is_member = matches!(kind, 0x1400..=0x14ff | 0x1502 | 0x150c..=0x1513 | 0x151a);
            let mut bytes = [60_u16.to_le_bytes(), 0x1203_u16.to_le_bytes()].concat();
            if is_member {
                bytes.extend(kind.to_le_bytes());
                // Attributes of a virtual function that is the first.
                bytes.extend([0x13, 0]);
            } else {
                bytes[2..4].copy_from_slice(&kind.to_le_bytes());
            }
            bytes.resize(62, 0);
            let fields =
                Fields::explain("", Slice::new(&bytes, SpaceId(0), 0), |c| TypeData::decode(c).map(drop), |_, _| None);
            missing.extend(
                fields.rows.iter().filter(|r| r.depth > 0 && r.about.is_empty() && !r.group).map(|r| r.name.clone()),
            );
        }
        assert_eq!(missing, Vec::<String>::new());
    }
}
