//! Mono's `.mdb`.

use super::{Lesson, Show, lesson};

const KINDS: &[(u64, &str)] =
    &[(1, "lexical"), (2, "made by the compiler"), (3, "body of an iterator"), (4, "dispatcher of an iterator")];
const CAPTURED: &[(u64, &str)] = &[(0, "local"), (1, "parameter"), (2, "this")];
const FILE_FLAGS: &[(u64, &str)] = &[(1, "a source is generated (ASP.NET)"), (2, "paths are those of Windows")];
const METHOD_FLAGS: &[(u64, &str)] = &[(1, "two locals share a name"), (2, "columns follow"), (4, "ends follow")];
const HEADER: &str = "mdb header";
const OFFSETS: &str = "mdb offset table";
const ENTRY: &str = "mdb table entry";
const SOURCE: &str = "mdb source";
const UNIT: &str = "mdb compile unit";
const NAMESPACE: &str = "mdb namespace";
const METHOD: &str = "mdb method";
const DATA: &str = "mdb method data";
const BLOCKS: &str = "mdb code blocks";
const BLOCK: &str = "mdb code block";
const LOCALS: &str = "mdb local variables";
const LOCAL: &str = "mdb local variable";
const SCOPE_VARS: &str = "mdb scope variables";
const SCOPE_VAR: &str = "mdb scope variable";
const REAL_NAME: &str = "mdb real name";
const PROGRAM: &str = "mdb line program";
const EXTENDED: &str = "mdb extended instruction";
const ANON: &str = "mdb anonymous scope";
const VARIABLE: &str = "mdb captured variable";
const CAPTURED_SCOPE: &str = "mdb captured scope";
const COUNT: &str = "How many entries follow.";
const LENGTH: &str = "How many bytes of UTF-8 follow.";
const OPCODE: &str = "The instruction; what it needs follows.";

pub(crate) const LESSONS: &[Lesson] = &[
    lesson("", SOURCE, Show::Plain, "A source file: its path, and what to tell it by."),
    lesson("", BLOCK, Show::Plain, "A scope: a stretch of IL in which some locals have names."),
    lesson("", LOCAL, Show::Plain, "A local variable with a name."),
    lesson(
        "",
        PROGRAM,
        Show::Plain,
        "Instructions for a small machine: run, they make the sequence points, as in DWARF.",
    ),
    lesson("", "mdb columns", Show::Plain, "The column of each point."),
    lesson("", ENTRY, Show::Plain, "A row that leads to the rest of a source file or a compile unit."),
    lesson("", UNIT, Show::Plain, "What was compiled as one: a source file, and those that #line drew in."),
    lesson("", METHOD, Show::Plain, "A method: its token, and where its lines and all else of it are."),
    lesson("", DATA, Show::Plain, "Where the lists of a method are; 0 for those that it has not."),
    lesson("", BLOCKS, Show::Plain, "The scopes of a method: stretches of its IL."),
    lesson("", LOCALS, Show::Plain, "The local variables of a method that have names."),
    lesson("", SCOPE_VARS, Show::Plain, "The locals that hold what lambdas and iterators capture."),
    lesson("", REAL_NAME, Show::Plain, "What the source calls a method that the metadata calls otherwise."),
    lesson("", ANON, Show::Plain, "What the lambdas and iterators of a scope capture."),
    lesson("", "mdb ends", Show::Plain, "The last line and column of each point."),
    lesson(HEADER, "magic", Show::Hex, "Says that this is one of Mono's symbol files."),
    lesson(HEADER, "major version", Show::Plain, "50 since Mono 2.0; the runtime takes no other."),
    lesson(HEADER, "minor version", Show::Plain, "0 in every file that was ever shipped."),
    lesson(
        HEADER,
        "guid",
        Show::Guid,
        "The module version id of the assembly: the two belong together only if its MVID is the same.",
    ),
    lesson(OFFSETS, "total file size", Show::Plain, "How long the file is; if it is shorter, it was cut."),
    lesson(
        OFFSETS,
        "data section offset",
        Show::Offset,
        "Where everything of variable length begins: paths, lines, locals.",
    ),
    lesson(OFFSETS, "data section size", Show::Plain, "How many bytes that takes."),
    lesson(OFFSETS, "compile unit count", Show::Plain, "How many compile units there are."),
    lesson(OFFSETS, "compile unit table offset", Show::Offset, "Where their rows are."),
    lesson(OFFSETS, "compile unit table size", Show::Plain, "How many bytes the rows take: 8 each."),
    lesson(OFFSETS, "source count", Show::Plain, "How many source files there are."),
    lesson(OFFSETS, "source table offset", Show::Offset, "Where their rows are."),
    lesson(OFFSETS, "source table size", Show::Plain, "How many bytes the rows take: 8 each."),
    lesson(OFFSETS, "method count", Show::Plain, "How many methods have debug information."),
    lesson(OFFSETS, "method table offset", Show::Offset, "Where their rows are, sorted by token."),
    lesson(OFFSETS, "method table size", Show::Plain, "How many bytes the rows take: 12 each."),
    lesson(OFFSETS, "type count", Show::Plain, "How many types the compiler saw; nothing else is kept of them."),
    lesson(OFFSETS, "anonymous scope count", Show::Plain, "How many scopes have captured variables."),
    lesson(OFFSETS, "anonymous scope table offset", Show::Offset, "Where those scopes are."),
    lesson(OFFSETS, "anonymous scope table size", Show::Plain, "How many bytes they take."),
    lesson(
        OFFSETS,
        "line base",
        Show::Plain,
        "The smallest line advance of a special opcode: -1 lets one go back a line.",
    ),
    lesson(
        OFFSETS,
        "line range",
        Show::Plain,
        "How many line advances a special opcode chooses from; the rest of its number is the IL advance.",
    ),
    lesson(OFFSETS, "opcode base", Show::Plain, "The first special opcode; those below are named instructions."),
    lesson(OFFSETS, "file flags", Show::Flags(FILE_FLAGS), "What is particular to this file's sources."),
    lesson(ENTRY, "index", Show::Plain, "The number by which others refer to it, from 1."),
    lesson(ENTRY, "data offset", Show::Offset, "Where the rest of it is."),
    lesson(SOURCE, "path length", Show::Plain, LENGTH),
    lesson(SOURCE, "path", Show::Plain, "The source file as the compiler was given it."),
    lesson(SOURCE, "guid", Show::Guid, "Made up by the compiler for this file, new at each build."),
    lesson(
        SOURCE,
        "hash",
        Show::Plain,
        "The MD5 of the source's bytes, to tell whether the text at hand is the text that was compiled.",
    ),
    lesson(SOURCE, "auto generated", Show::Plain, "1 if a program wrote the source, as ASP.NET does."),
    lesson(UNIT, "source", Show::Row("Source"), "The file that the unit is named for."),
    lesson(UNIT, "include count", Show::Plain, COUNT),
    lesson(UNIT, "include", Show::Row("Source"), "Another file of the unit, drawn in by #line."),
    lesson(UNIT, "namespace count", Show::Plain, COUNT),
    lesson(UNIT, "mdb namespace", Show::Plain, "A namespace and what it uses."),
    lesson(NAMESPACE, "name length", Show::Plain, LENGTH),
    lesson(NAMESPACE, "name", Show::Plain, "The namespace."),
    lesson(NAMESPACE, "index", Show::Plain, "The number by which methods refer to it."),
    lesson(NAMESPACE, "parent", Show::Plain, "The number of the namespace around it."),
    lesson(NAMESPACE, "using count", Show::Plain, COUNT),
    lesson(NAMESPACE, "using length", Show::Plain, LENGTH),
    lesson(NAMESPACE, "using", Show::Plain, "A namespace in use: an evaluator looks names up in it."),
    lesson(METHOD, "token", Show::Token, "The method in the assembly's metadata."),
    lesson(METHOD, "data offset", Show::Offset, "Where the rest of the method's information is."),
    lesson(
        METHOD,
        "line table offset",
        Show::Offset,
        "Where its line program is; kept here so that a stack trace needs only this row.",
    ),
    lesson(DATA, "compile unit", Show::Plain, "The compile unit that the method is part of, from 1."),
    lesson(DATA, "local variable table offset", Show::Offset, "Where its local variables are."),
    lesson(DATA, "namespace", Show::Plain, "The namespace that it is in; 0 for none."),
    lesson(DATA, "code block table offset", Show::Offset, "Where its scopes are."),
    lesson(DATA, "scope variable table offset", Show::Offset, "Where the locals that hold captured variables are."),
    lesson(
        DATA,
        "real name offset",
        Show::Offset,
        "Where its name in the source is, if the metadata has another; 0 if not.",
    ),
    lesson(DATA, "flags", Show::Flags(METHOD_FLAGS), "What follows its line program."),
    lesson(BLOCKS, "count", Show::Plain, COUNT),
    lesson(BLOCKS, "mdb code block", Show::Plain, "A scope: a stretch of IL in which some locals have names."),
    lesson(BLOCK, "block type", Show::OneOf(KINDS), "What made the scope."),
    lesson(BLOCK, "parent", Show::Plain, "The scope around it, from 1; -1 for none."),
    lesson(BLOCK, "start offset", Show::IlOffset, "The IL offset where it begins."),
    lesson(BLOCK, "end offset", Show::IlOffset, "The IL offset where it ends."),
    lesson(BLOCK, "extension size", Show::Plain, "How many bytes of something newer follow."),
    lesson(BLOCK, "extension", Show::Plain, "Something newer than this version of the format."),
    lesson(LOCALS, "count", Show::Plain, COUNT),
    lesson(LOCALS, "mdb local variable", Show::Plain, "A local variable with a name."),
    lesson(LOCAL, "index", Show::Plain, "Its slot in the method's signature of locals."),
    lesson(LOCAL, "name length", Show::Plain, LENGTH),
    lesson(LOCAL, "name", Show::Plain, "Its name in the source; the metadata has none."),
    lesson(LOCAL, "block", Show::Plain, "The scope in which it has that name, from 1; 0 is the whole method."),
    lesson(SCOPE_VARS, "count", Show::Plain, COUNT),
    lesson(SCOPE_VARS, "mdb scope variable", Show::Plain, "A local that holds captured variables."),
    lesson(SCOPE_VAR, "scope", Show::Plain, "The anonymous scope whose variables they are."),
    lesson(SCOPE_VAR, "index", Show::Plain, "The slot of the local; negative where it is `this`."),
    lesson(REAL_NAME, "name length", Show::Plain, LENGTH),
    lesson(REAL_NAME, "name", Show::Plain, "The method as its author wrote it."),
    lesson(
        PROGRAM,
        "special opcode",
        Show::Plain,
        "Advances line and IL offset together and emits a point: one byte for most points.",
    ),
    lesson(PROGRAM, "copy", Show::Plain, "Emits a point as things stand."),
    lesson(PROGRAM, "constant advance", Show::Plain, "Advances the IL offset by the most that a special opcode can."),
    lesson(PROGRAM, "unknown opcode", Show::Hex, "No instruction: the program cannot be read on."),
    lesson(PROGRAM, "mdb advance il", Show::Plain, "Advances the IL offset further than a special opcode can."),
    lesson(
        PROGRAM,
        "mdb advance line",
        Show::Plain,
        "Advances the line, or goes back, further than a special opcode can.",
    ),
    lesson(PROGRAM, "mdb set file", Show::Plain, "The points that follow are in another file."),
    lesson(PROGRAM, EXTENDED, Show::Plain, "An instruction of any length."),
    lesson("mdb advance il", "opcode", Show::Plain, OPCODE),
    lesson("mdb advance il", "il advance", Show::Plain, "How many bytes of IL further on the next point begins."),
    lesson("mdb advance line", "opcode", Show::Plain, OPCODE),
    lesson(
        "mdb advance line",
        "line advance",
        Show::Plain,
        "How many lines down the next point is; negative, how many up.",
    ),
    lesson("mdb set file", "opcode", Show::Plain, OPCODE),
    lesson("mdb set file", "file", Show::Row("Source"), "The file that the next points are in, from 1."),
    lesson(EXTENDED, "escape", Show::Plain, "0: the instruction is behind its length."),
    lesson(
        EXTENDED,
        "length",
        Show::Plain,
        "How many bytes it takes, so that a reader may pass over what it does not know.",
    ),
    lesson(
        EXTENDED,
        "extended opcode",
        Show::OneOf(&[(1, "end of the program"), (0x40, "hidden from here on, or no longer")]),
        "The end, or the change between points to stop at and points to pass by.",
    ),
    lesson(EXTENDED, "unused", Show::Plain, "What this instruction is not known to need."),
    lesson("mdb columns", "column", Show::Plain, "The column where a point begins, in the order of the points."),
    lesson(
        "mdb ends",
        "end line advance",
        Show::Plain,
        "How many lines below its first a point ends; 16777215 where that is not known.",
    ),
    lesson("mdb ends", "end column", Show::Plain, "The column where it ends."),
    lesson(ANON, "id", Show::Plain, "The number by which scope variables refer to it."),
    lesson(ANON, "captured variable count", Show::Plain, COUNT),
    lesson(ANON, "captured scope count", Show::Plain, COUNT),
    lesson(ANON, VARIABLE, Show::Plain, "A variable that lives in an object instead of on the stack."),
    lesson(ANON, CAPTURED_SCOPE, Show::Plain, "A scope around this one that it holds on to."),
    lesson(VARIABLE, "name length", Show::Plain, LENGTH),
    lesson(VARIABLE, "name", Show::Plain, "The variable in the source."),
    lesson(VARIABLE, "captured name length", Show::Plain, LENGTH),
    lesson(VARIABLE, "captured name", Show::Plain, "The field that it became."),
    lesson(VARIABLE, "kind", Show::OneOf(CAPTURED), "What it was before it was captured."),
    lesson(CAPTURED_SCOPE, "scope", Show::Plain, "The scope's number."),
    lesson(CAPTURED_SCOPE, "captured name length", Show::Plain, LENGTH),
    lesson(CAPTURED_SCOPE, "captured name", Show::Plain, "The field that refers to its object."),
];

#[cfg(test)]
mod tests {
    use crate::bytes::{Region, SpaceId};
    use crate::formats::mdb::Mdb;
    use crate::nodes::fields::Fields;
    use std::sync::Arc;

    #[test]
    fn every_field_of_the_sample_has_a_lesson() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-mono/Ticker.exe.mdb");
        let mdb = Mdb::parse(Region::whole(SpaceId(0), Arc::new(std::fs::read(path).unwrap()))).unwrap();
        for part in mdb.parts() {
            let fields = Fields::explain("", mdb.slice(part).unwrap(), |c| mdb.decode(part, c), |_, _| None);
            assert!(fields.error.is_none());
            for row in fields.rows.iter().filter(|row| row.depth > 0) {
                assert!(!row.about.is_empty(), "{part:?}: {}", row.name);
            }
        }
    }
}
