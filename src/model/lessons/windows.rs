//! Lessons on Windows PDBs: the streams that all have, and the symbols and lines of managed ones.

use super::{Lesson, Show, lesson};
use crate::formats::codeview::c13::KINDS as SUBSECTIONS;
use crate::formats::codeview::symbols::KINDS;

type Names = &'static [(u64, &'static str)];

const INFO_VERSIONS: Names = &[
    (19_970_604, "Visual C++ 6"),
    (19_990_604, "Visual C++ 7, before its release"),
    (20_000_404, "Visual C++ 7"),
    (20_030_901, "Visual C++ 8"),
    (20_091_201, "Visual C++ 11"),
    (20_140_508, "Visual C++ 14"),
];
const FEATURES: Names = &[
    (20_091_201, "Visual C++ 11"),
    (20_140_508, "Visual C++ 14: stream 4 has ids"),
    (0x4d54_4f4e, "NOTM: types are not merged"),
    (0x494e_494d, "MINI: made with /DEBUG:FASTLINK"),
];
const DBI_VERSIONS: Names = &[
    (930_803, "Visual C++ 4.1"),
    (19_960_307, "Visual C++ 5"),
    (19_970_606, "Visual C++ 6"),
    (19_990_903, "Visual C++ 7"),
    (20_091_201, "Visual C++ 11"),
];
const TPI_VERSIONS: Names = &[(19_990_903, "Visual C++ 7"), (20_040_203, "Visual C++ 8")];
const DBI_FLAGS: Names = &[(1, "linked incrementally"), (2, "private symbols stripped"), (4, "conflicting types")];
const MACHINES: Names = &[(0x14c, "x86"), (0x1c4, "ARM"), (0x8664, "x64"), (0xaa64, "ARM64"), (0xc0ee, "IL")];
const CONTRIBUTION_VERSIONS: Names = &[(0xf12e_ba2d, "28 bytes each"), (0xf131_51e4, "32 bytes each")];
const SECTION_FLAGS: Names = &[
    (1, "read"),
    (2, "write"),
    (4, "execute"),
    (8, "32-bit addresses"),
    (0x100, "selector"),
    (0x200, "absolute addresses"),
    (0x400, "group"),
];
const VARIABLE_FLAGS: Names = &[
    (1, "parameter"),
    (2, "address is taken"),
    (4, "compiler-generated"),
    (8, "aggregate"),
    (0x10, "part of an aggregate"),
    (0x20, "aliased"),
    (0x40, "alias"),
    (0x80, "return value"),
    (0x100, "optimised away"),
];
const PUBLIC_FLAGS: Names = &[(1, "code"), (2, "function"), (4, "managed"), (8, "IL")];
const LINES_FLAGS: Names = &[(1, "has columns")];
const CHECKSUM_KINDS: Names = &[(0, "none"), (1, "MD5"), (2, "SHA-1"), (3, "SHA-256")];
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
    (0x8010, "text with its length"),
    (0x8019, "decimal"),
    (0x801a, "date"),
    (0x801b, "text that ends in a NUL"),
];
const MD2_KINDS: Names = &[
    (0, "imports by scope"),
    (1, "imports of another method"),
    (2, "imports of the module"),
    (3, "hoisted local scopes"),
    (4, "state machine type"),
    (5, "dynamic local variables"),
    (6, "Edit and Continue slot map"),
    (7, "Edit and Continue lambda map"),
    (8, "tuple element names"),
    (9, "Edit and Continue state map"),
];

pub(crate) const LESSONS: &[Lesson] = &[
    lesson("", "source file", Show::Plain, "What the PDB says of a source file: its language, and its hash."),
    lesson(
        "",
        "subsection",
        Show::Plain,
        "A part of a module's line information: what it is, how long it is, and its bytes.",
    ),
    lesson("subsection", "lines header", Show::Plain, "Whose lines follow, and whether columns do."),
    lesson("subsection", "line block", Show::Plain, "Lines of one source file: first all lines, then all columns."),
    lesson("line block", "line record", Show::Plain, "From this address on the code belongs to these lines."),
    lesson("line block", "column record", Show::Plain, "The columns of the line record of the same number."),
    lesson("", "line record", Show::Plain, "From this address on the code belongs to these lines."),
    lesson("", "column record", Show::Plain, "The columns of the line record of the same number."),
    lesson(
        "pdb info",
        "version",
        Show::OneOf(INFO_VERSIONS),
        "The version of the format, a date; everyone has written 20000404, Visual C++ 7's, since.",
    ),
    lesson(
        "pdb info",
        "signature",
        Show::Time,
        "When the file was first written, or part of a hash in a deterministic build.",
    ),
    lesson("pdb info", "age", Show::Plain, "How often the file was written since; an image names the GUID and this."),
    lesson("pdb info", "guid", Show::Plain, "The identity of the file: an image's CodeView entry has the same one."),
    lesson(
        "named streams",
        "size of names",
        Show::Plain,
        "How many bytes the names take; everything behind them may stand at odd offsets.",
    ),
    lesson("named streams", "name count", Show::Plain, "How many streams have a name: as many entries follow."),
    lesson(
        "named streams",
        "slot count",
        Show::Plain,
        "How many slots the hash table has in memory; only used ones are in the file.",
    ),
    lesson("named streams", "name index count", Show::Plain, "Obsolete, and 0."),
    lesson("stream names", "name", Show::Plain, "The name of a stream; the hash table finds it by its first byte."),
    lesson(
        "used slots",
        "word count",
        Show::Plain,
        "How many numbers of 32 bits follow; words of zeros at the end are left out.",
    ),
    lesson("used slots", "bits", Show::Hex, "Which slots of the hash table are used: 1 bit each, lowest first."),
    lesson(
        "deleted slots",
        "word count",
        Show::Plain,
        "How many numbers of 32 bits follow; words of zeros at the end are left out.",
    ),
    lesson(
        "deleted slots",
        "bits",
        Show::Hex,
        "Which slots of the hash table were used once, so that a search goes on behind them: 1 bit each, lowest first.",
    ),
    lesson("named stream", "name offset", Show::Plain, "Where the name begins among the names."),
    lesson("named stream", "stream", Show::Plain, "The number of the stream that has this name."),
    lesson(
        "pdb features",
        "feature",
        Show::OneOf(FEATURES),
        "Something that a reader has to know: a date for a version, or four letters.",
    ),
    lesson("pdb features", "left over", Show::Plain, "Bytes that are too few for another feature."),
    lesson("string table", "signature", Show::Hex, "Says that this is a string table: 0xEFFEEFFE."),
    lesson("string table", "version", Show::Plain, "Which hash function the slots were filled by; 1 everywhere."),
    lesson("string table", "size of strings", Show::Plain, "How many bytes the strings take."),
    lesson("string table", "slot count", Show::Plain, "How many slots the hash table has."),
    lesson("string table", "string count", Show::Plain, "How many strings there are, without the empty one."),
    lesson("string table", "left over", Show::Plain, "Bytes behind the end of the table."),
    lesson(
        "string table strings",
        "string",
        Show::Plain,
        "A string; others name it by the offset of its first byte from the first string's, which is empty.",
    ),
    lesson(
        "string slots",
        "string offset",
        Show::Plain,
        "The string in this slot of the hash table; 0 if the slot is free.",
    ),
    lesson("dbi header", "signature", Show::Plain, "-1 says that a version follows: older streams began otherwise."),
    lesson("dbi header", "version", Show::OneOf(DBI_VERSIONS), "The version of the format, a date."),
    lesson(
        "dbi header",
        "age",
        Show::Plain,
        "How often the debug information was written: the age that symbol stores file it under.",
    ),
    lesson("dbi header", "global symbols stream", Show::Plain, "The stream that finds global symbols by name."),
    lesson(
        "dbi header",
        "build number",
        Show::Hex,
        "The version of the linker's PDB writer: major in bits 8 to 14, minor in the lowest 8.",
    ),
    lesson(
        "dbi header",
        "public symbols stream",
        Show::Plain,
        "The stream that finds public symbols by name and by address.",
    ),
    lesson("dbi header", "dll version", Show::Plain, "The build of the PDB writer."),
    lesson(
        "dbi header",
        "symbol records stream",
        Show::Plain,
        "The stream that has the records of global and public symbols.",
    ),
    lesson("dbi header", "dll rebuild", Show::Plain, "The rebuild of the PDB writer."),
    lesson(
        "dbi header",
        "module infos size",
        Show::Plain,
        "How many bytes the list of modules takes, right behind this header.",
    ),
    lesson(
        "dbi header",
        "section contributions size",
        Show::Plain,
        "How many bytes the list of which module each byte of the image is from takes.",
    ),
    lesson("dbi header", "section map size", Show::Plain, "How many bytes the list of sections takes."),
    lesson("dbi header", "source info size", Show::Plain, "How many bytes the lists of source files take."),
    lesson("dbi header", "type server map size", Show::Plain, "Obsolete, and 0."),
    lesson("dbi header", "mfc type server", Show::Plain, "Which type server has MFC's types; 0 for none."),
    lesson(
        "dbi header",
        "debug header size",
        Show::Plain,
        "How many bytes the list of streams with parts of the image takes: it comes last.",
    ),
    lesson(
        "dbi header",
        "edit and continue size",
        Show::Plain,
        "How many bytes the string table of Edit and Continue takes: it comes before the debug header.",
    ),
    lesson("dbi header", "flags", Show::Flags(DBI_FLAGS), "How the image was linked."),
    lesson("dbi header", "machine", Show::OneOf(MACHINES), "The processor; 0xC0EE says that there is only IL."),
    lesson("dbi header", "padding", Show::Plain, "Fills the header up to 64 bytes."),
    lesson("module info", "opened", Show::Hex, "Was a pointer in the memory of the program that wrote the file."),
    lesson(
        "module info",
        "flags",
        Show::Hex,
        "Bit 0: written since the file was opened; bit 1: has Edit and Continue symbols.",
    ),
    lesson(
        "module info",
        "stream",
        Show::Plain,
        "The stream with the module's symbols and lines; 65535 if it has none.",
    ),
    lesson("module info", "symbols size", Show::Plain, "How many bytes of that stream are symbols."),
    lesson(
        "module info",
        "c11 lines size",
        Show::Plain,
        "How many bytes behind them are lines in the form before Visual C++ 7.",
    ),
    lesson(
        "module info",
        "c13 lines size",
        Show::Plain,
        "How many bytes behind those are lines with columns, and checksums.",
    ),
    lesson("module info", "source file count", Show::Plain, "How many source files the module has."),
    lesson("module info", "padding", Show::Plain, "Fills up to a multiple of 4 bytes."),
    lesson("module info", "unused", Show::Plain, "Was a pointer in the memory of the program that wrote the file."),
    lesson(
        "module info",
        "source file name",
        Show::Plain,
        "For Edit and Continue: the source file, in the string table behind.",
    ),
    lesson(
        "module info",
        "pdb file name",
        Show::Plain,
        "For Edit and Continue: the compiler's own PDB, in the string table behind.",
    ),
    lesson(
        "module info",
        "module name",
        Show::Plain,
        "In a managed PDB a type that has methods; in a native one an object file.",
    ),
    lesson(
        "module info",
        "object name",
        Show::Plain,
        "In a managed PDB a hash of the module's name; in a native one the library or file it was read from.",
    ),
    lesson(
        "section contribution",
        "section",
        Show::Plain,
        "The section of the image; in a managed PDB 1, where all IL is pretended to be.",
    ),
    lesson("section contribution", "padding", Show::Plain, "Fills up to a multiple of 4 bytes."),
    lesson(
        "section contribution",
        "offset",
        Show::Hex,
        "The first byte in the section; in a managed PDB in the numbering of all IL.",
    ),
    lesson("section contribution", "size", Show::Plain, "How many bytes."),
    lesson(
        "section contribution",
        "characteristics",
        Show::Hex,
        "What the section's bytes may be used for, as its header in the image says.",
    ),
    lesson("section contribution", "module", Show::Plain, "The number of the module that these bytes are from."),
    lesson("section contribution", "data crc", Show::Hex, "A checksum of the bytes, for incremental linking."),
    lesson(
        "section contribution",
        "relocation crc",
        Show::Hex,
        "A checksum of the relocations, for incremental linking.",
    ),
    lesson("section contribution", "coff section", Show::Plain, "The section of the object file that they are from."),
    lesson(
        "section contributions",
        "version",
        Show::OneOf(CONTRIBUTION_VERSIONS),
        "Which form the records have: 28 bytes each, or 32.",
    ),
    lesson("section map", "section count", Show::Plain, "How many sections are described."),
    lesson("section map", "logical section count", Show::Plain, "How many of them are the image's own."),
    lesson("section map entry", "flags", Show::Flags(SECTION_FLAGS), "What the section's bytes may be used for."),
    lesson("section map entry", "overlay", Show::Plain, "For overlays, which are long gone."),
    lesson("section map entry", "group", Show::Plain, "For segments of 16 bits, which are long gone."),
    lesson("section map entry", "frame", Show::Plain, "The number of the section; 0 for addresses that are in none."),
    lesson("section map entry", "section name", Show::Plain, "65535: the name is not here."),
    lesson("section map entry", "class name", Show::Plain, "65535: there is none."),
    lesson("section map entry", "offset", Show::Hex, "The first byte of it in the section."),
    lesson("section map entry", "length", Show::Hex, "How many bytes it has; in a managed PDB all IL together."),
    lesson("source info", "module count", Show::Plain, "How many modules have a list of files here."),
    lesson(
        "source info",
        "file count",
        Show::Plain,
        "Too short with its 16 bits: the sum of the modules' counts is what counts.",
    ),
    lesson(
        "first files",
        "first file of module",
        Show::Plain,
        "Where the module's files begin in the list of name offsets; too short as well.",
    ),
    lesson("file counts", "file count of module", Show::Plain, "How many source files the module has."),
    lesson(
        "source name offsets",
        "name offset",
        Show::Plain,
        "Where the name of a module's next source file begins among the names.",
    ),
    lesson("source names", "name", Show::Plain, "The name of a source file, as the compiler was given it."),
    lesson(
        "debug header",
        "fpo data",
        Show::Plain,
        "How functions without a frame pointer find their frame: the number of the stream, or 65535.",
    ),
    lesson("debug header", "exception data", Show::Plain, "The exception table: the number of the stream, or 65535."),
    lesson(
        "debug header",
        "fixup data",
        Show::Plain,
        "The relocations that the linker applied: the number of the stream, or 65535.",
    ),
    lesson(
        "debug header",
        "omap to source",
        Show::Plain,
        "The way from addresses of a rearranged image to those before: the number of the stream, or 65535.",
    ),
    lesson(
        "debug header",
        "omap from source",
        Show::Plain,
        "The way from addresses before an image was rearranged to those after: the number of the stream, or 65535.",
    ),
    lesson(
        "debug header",
        "section headers",
        Show::Plain,
        "A copy of the image's section headers: the number of the stream, or 65535.",
    ),
    lesson(
        "debug header",
        "token to record id map",
        Show::Plain,
        "The way from metadata tokens to type records: the number of the stream, or 65535.",
    ),
    lesson(
        "debug header",
        "xdata",
        Show::Plain,
        "A copy of the unwind information: the number of the stream, or 65535.",
    ),
    lesson("debug header", "pdata", Show::Plain, "A copy of the function table: the number of the stream, or 65535."),
    lesson(
        "debug header",
        "new fpo data",
        Show::Plain,
        "How functions find their frame, in the newer form: the number of the stream, or 65535.",
    ),
    lesson(
        "debug header",
        "original section headers",
        Show::Plain,
        "The section headers before the image was rearranged: the number of the stream, or 65535.",
    ),
    lesson("debug header", "unknown", Show::Plain, "The number of a stream that nothing is known of, or 65535."),
    lesson("debug header", "left over", Show::Plain, "A byte too few for another stream."),
    lesson("types header", "version", Show::OneOf(TPI_VERSIONS), "The version of the format, a date."),
    lesson("types header", "header size", Show::Plain, "How many bytes this header has."),
    lesson(
        "types header",
        "first type",
        Show::Hex,
        "The number of the first record; those below 0x1000 are types that need none.",
    ),
    lesson(
        "types header",
        "end of types",
        Show::Hex,
        "One more than the number of the last record: the same as the first in a managed PDB, whose types are in the image.",
    ),
    lesson("types header", "record bytes", Show::Plain, "How many bytes of records follow."),
    lesson("types header", "hash stream", Show::Plain, "The stream that has a hash for each record; 65535 for none."),
    lesson("types header", "additional hash stream", Show::Plain, "The stream that has more of them; 65535 for none."),
    lesson("types header", "hash key size", Show::Plain, "How many bytes a hash has."),
    lesson("types header", "hash bucket count", Show::Plain, "How many buckets the hashes are spread over."),
    lesson("types header", "hash values offset", Show::Plain, "Where the hashes begin in their stream."),
    lesson("types header", "hash values size", Show::Plain, "How many bytes they take."),
    lesson(
        "types header",
        "type offsets offset",
        Show::Plain,
        "Where the list that finds a record by number without reading all before it begins.",
    ),
    lesson("types header", "type offsets size", Show::Plain, "How many bytes that list takes."),
    lesson("types header", "hash adjusters offset", Show::Plain, "Where corrections to the hash table begin."),
    lesson("types header", "hash adjusters size", Show::Plain, "How many bytes they take."),
    lesson("source file", "language", Show::Guid, "The language that the file is written in."),
    lesson("source file", "vendor", Show::Guid, "Who made the language."),
    lesson("source file", "document type", Show::Guid, "What the document is: text."),
    lesson("source file", "hash algorithm", Show::Guid, "How the hash was computed; nil if there is none."),
    lesson("source file", "hash size", Show::Plain, "How many bytes the hash has."),
    lesson("source file", "source size", Show::Plain, "How many bytes of embedded source follow the hash."),
    lesson(
        "source file",
        "hash",
        Show::Plain,
        "The hash of the file's content when it was compiled: a source with another one is not the right one.",
    ),
    lesson("source file", "source", Show::Plain, "The content of the file, if the compiler embedded it."),
    lesson("source file", "left over", Show::Plain, "Bytes behind the end of what the sizes say."),
    lesson("source header block", "version", Show::Plain, "The version of the list, a date."),
    lesson("source header block", "size", Show::Plain, "How many bytes the list has."),
    lesson("source header block", "time", Show::Hex, "When the list was written, as Windows counts time; 0 for never."),
    lesson("source header block", "age", Show::Plain, "How often the list was written."),
    lesson("source header block", "padding", Show::Plain, "Fills the header up to 64 bytes."),
    lesson("source header block", "file count", Show::Plain, "How many source files are listed."),
    lesson("source header block", "slot count", Show::Plain, "How many slots the hash table has in memory."),
    lesson("source header block", "left over", Show::Plain, "Bytes behind the last entry."),
    lesson("source header", "key", Show::Plain, "What the hash table finds the entry by: the virtual name."),
    lesson("source header", "record size", Show::Plain, "How many bytes the entry has without its key: 40."),
    lesson("source header", "version", Show::Plain, "The version of the entry, a date."),
    lesson("source header", "crc", Show::Hex, "A checksum of the stream's content."),
    lesson("source header", "stream size", Show::Plain, "How many bytes the stream of this source file has."),
    lesson("source header", "file name", Show::Plain, "The name as the compiler was given it, in the string table."),
    lesson(
        "source header",
        "object name",
        Show::Plain,
        "The object that the source was injected by, in the string table: empty.",
    ),
    lesson(
        "source header",
        "virtual name",
        Show::Plain,
        "The name in lower case, in the string table: the stream is called `/src/files/` and this.",
    ),
    lesson(
        "source header",
        "compression",
        Show::Plain,
        "How the content is compressed; 101 is what managed compilers write for their own form.",
    ),
    lesson("source header", "flags", Show::Hex, "Bit 0: there is no such file on a disk."),
    lesson("source header", "padding", Show::Plain, "Reserved, and 0."),
    lesson(
        "module symbols",
        "signature",
        Show::Plain,
        "4 says that the symbols have Visual C++ 7's form, with names that end in a NUL.",
    ),
    lesson("symbol", "length", Show::Plain, "How many bytes of the record follow this number."),
    lesson("symbol", "kind", Show::OneOf(KINDS), "What the rest of the record is."),
    lesson("symbol", "other data", Show::Plain, "What a record of a kind that managed PDBs do not use holds."),
    lesson("symbol", "padding", Show::Plain, "Fills the record up to a multiple of 4 bytes."),
    lesson("method", "parent", Show::Plain, "The record of the scope around it: 0, as methods are in none."),
    lesson("method", "end", Show::Offset, "Where the S_END that closes the method stands in this stream."),
    lesson("method", "next", Show::Offset, "Where the next method stands; 0, as nobody fills it in."),
    lesson("method", "length of code", Show::Plain, "How many bytes of IL the method has."),
    lesson("method", "debug start", Show::Plain, "For native code: where its prologue ends."),
    lesson("method", "debug end", Show::Plain, "For native code: where its epilogue begins."),
    lesson(
        "method",
        "token",
        Show::Token,
        "The method, as a row of the image's MethodDef table: what ties symbols to code.",
    ),
    lesson(
        "method",
        "offset",
        Show::Hex,
        "Where its IL begins in the numbering of all IL: lines, scopes and contributions speak of that.",
    ),
    lesson("method", "section", Show::Plain, "1: all IL is pretended to be in one section."),
    lesson("method", "flags", Show::Hex, "For native code: how the function returns and is called."),
    lesson("method", "return register", Show::Plain, "For native code: where the result is."),
    lesson("method", "name", Show::Plain, "The name of the method, without its type's: that is the module's."),
    lesson("block", "parent", Show::Offset, "Where the record of the scope around it stands in this stream."),
    lesson("block", "end", Show::Offset, "Where the S_END that closes the scope stands in this stream."),
    lesson("block", "length of code", Show::Plain, "How many bytes of IL the scope has."),
    lesson(
        "block",
        "offset",
        Show::Hex,
        "Where its IL begins in the numbering of all IL; less the method's offset it is an IL offset.",
    ),
    lesson("block", "section", Show::Plain, "1: all IL is pretended to be in one section."),
    lesson("block", "name", Show::Plain, "Scopes have no names."),
    lesson("local variable", "slot", Show::Plain, "Which of the method's local variables it is, from 0."),
    lesson(
        "local variable",
        "signature",
        Show::Token,
        "The row of StandAloneSig with the types of all of the method's local variables.",
    ),
    lesson("local variable", "live offset", Show::Hex, "For native code: where the variable begins to live."),
    lesson("local variable", "live section", Show::Plain, "For native code: the section of that."),
    lesson(
        "local variable",
        "flags",
        Show::Flags(VARIABLE_FLAGS),
        "What is special about the variable; bit 2 hides it in debuggers.",
    ),
    lesson("local variable", "name", Show::Plain, "The name in the source, or one that the compiler made up."),
    lesson(
        "managed constant",
        "signature",
        Show::Token,
        "The row of StandAloneSig with the constant's type: the value alone does not tell 5 from DayOfWeek.Friday, or 0 from null.",
    ),
    lesson(
        "managed constant",
        "numeric leaf",
        Show::OneOf(LEAVES),
        "The value itself if it is less than 0x8000, else the kind of the value that follows.",
    ),
    lesson("managed constant", "value", Show::Plain, "The value of the constant."),
    lesson("managed constant", "text length", Show::Plain, "How many bytes of UTF-8 the text has."),
    lesson("managed constant", "name", Show::Plain, "The name of the constant in the source."),
    lesson("decimal", "reserved", Show::Hex, "14, the kind of an OLE variant that is a decimal."),
    lesson("decimal", "scale", Show::Plain, "How many of the digits stand behind the point."),
    lesson("decimal", "sign", Show::Hex, "0x80 if the number is less than zero."),
    lesson("decimal", "high 32 bits", Show::Hex, "The highest 32 of the 96 bits of all digits as one number."),
    lesson("decimal", "low 64 bits", Show::Hex, "The lowest 64 of the 96 bits of all digits as one number."),
    lesson(
        "import",
        "name",
        Show::Plain,
        "The first character says what it is: U a namespace, A an alias, T a type, X and Z extern aliases; @ and * are Visual Basic's.",
    ),
    lesson("oem", "id", Show::Plain, "Whose record it is: C6EA3FC9-… is Microsoft's managed compilers."),
    lesson("oem", "type", Show::Plain, "Not used, and 0."),
    lesson("oem", "name", Show::Plain, "What the record is called: MD2, or asyncMethodInfo."),
    lesson("oem", "data", Show::Plain, "What the record holds."),
    lesson("symbol reference", "name sum", Show::Hex, "A sum over the name's bytes; 0 where nobody computes it."),
    lesson(
        "symbol reference",
        "symbol offset",
        Show::Offset,
        "Where the record of the method stands in its module's stream.",
    ),
    lesson("symbol reference", "module", Show::Plain, "One more than the number of the module."),
    lesson(
        "symbol reference",
        "name",
        Show::Plain,
        "The method's name, or in S_TOKENREF its token in hexadecimal digits.",
    ),
    lesson("public symbol", "flags", Show::Flags(PUBLIC_FLAGS), "What the symbol is."),
    lesson(
        "public symbol",
        "offset",
        Show::Hex,
        "Where it is in its section; for a managed entry point its MethodDef token.",
    ),
    lesson("public symbol", "section", Show::Plain, "The section of the image; 0 for a managed entry point."),
    lesson("public symbol", "name", Show::Plain, "The name; COM+_Entry_Point is where a managed program starts."),
    lesson(
        "subsection",
        "kind",
        Show::OneOf(SUBSECTIONS),
        "What the subsection holds; the highest bit says that it does not count.",
    ),
    lesson("subsection", "length", Show::Plain, "How many bytes of it follow, without padding."),
    lesson("subsection", "data", Show::Plain, "What a subsection of a kind that managed PDBs do not use holds."),
    lesson("subsection", "padding", Show::Plain, "Fills up to a multiple of 4 bytes."),
    lesson(
        "lines header",
        "offset",
        Show::Hex,
        "Where the code of these lines begins: for a method, its place in the numbering of all IL.",
    ),
    lesson("lines header", "section", Show::Plain, "The section of that code; 1 for IL."),
    lesson(
        "lines header",
        "flags",
        Show::Flags(LINES_FLAGS),
        "Whether each line has columns, which managed compilers always write.",
    ),
    lesson("lines header", "code size", Show::Plain, "How many bytes of code the lines are of."),
    lesson(
        "line block",
        "file",
        Show::Plain,
        "The source file of these lines: the offset of its entry in the module's file checksums.",
    ),
    lesson("line block", "line count", Show::Plain, "How many lines follow, and then as many columns."),
    lesson("line block", "block size", Show::Plain, "How many bytes the block has, with this header."),
    lesson("line block", "left over", Show::Plain, "Bytes of the block that no line takes."),
    lesson(
        "line record",
        "offset",
        Show::IlOffset,
        "The offset of the first instruction from the start of the code: in a managed PDB an IL offset.",
    ),
    lesson(
        "line record",
        "lines",
        Show::Hex,
        "Bits 0-23: the first line (0xFEEFEE: hidden; 0xF00F00: never to be stepped into); 24-30: how many lines further the last one is, 127 at most; 31: it is a statement.",
    ),
    lesson("column record", "start column", Show::Plain, "The column of the first character, from 1."),
    lesson("column record", "end column", Show::Plain, "The column behind the last character."),
    lesson("checksum", "file name", Show::Plain, "Where the name of the source file begins in the string table."),
    lesson(
        "checksum",
        "checksum size",
        Show::Plain,
        "How many bytes the checksum has; 0 in a managed PDB, where /src/files has the hash.",
    ),
    lesson("checksum", "checksum kind", Show::OneOf(CHECKSUM_KINDS), "How the checksum was computed."),
    lesson("checksum", "checksum", Show::Plain, "The checksum of the file's content."),
    lesson("checksum", "padding", Show::Plain, "Fills up to a multiple of 4 bytes."),
    lesson("md2", "version", Show::Plain, "4: the version of custom debug information."),
    lesson("md2", "record count", Show::Plain, "How many records follow."),
    lesson("md2", "padding", Show::Plain, "Fills up to a multiple of 4 bytes."),
    lesson("md2", "left over", Show::Plain, "Bytes behind the last record."),
    lesson("md2 record", "version", Show::Plain, "4: the version of the record."),
    lesson("md2 record", "kind", Show::OneOf(MD2_KINDS), "What the record says."),
    lesson("md2 record", "reserved", Show::Plain, "Reserved, and 0."),
    lesson(
        "md2 record",
        "padding size",
        Show::Plain,
        "How many bytes at the end of the record are padding; only kinds from 6 on fill it in.",
    ),
    lesson("md2 record", "length", Show::Plain, "How many bytes the record has, with this header and its padding."),
    lesson(
        "md2 record",
        "scope count",
        Show::Plain,
        "How many scopes around the method have imports of their own: namespaces, and the file.",
    ),
    lesson(
        "md2 record",
        "import count",
        Show::Plain,
        "How many of the method's imports belong to the next scope, the innermost first.",
    ),
    lesson(
        "md2 record",
        "forward to method",
        Show::Token,
        "This method was compiled with the same imports, and has them.",
    ),
    lesson(
        "md2 record",
        "forward to method for the module",
        Show::Token,
        "This method has the extern aliases of all of the module.",
    ),
    lesson(
        "md2 record",
        "hoisted scope count",
        Show::Plain,
        "How many local variables of the async method or iterator became fields.",
    ),
    lesson(
        "md2 record",
        "state machine type",
        Show::Plain,
        "The type that the compiler made for this async method or iterator: its MoveNext has the code.",
    ),
    lesson(
        "md2 record",
        "dynamic local count",
        Show::Plain,
        "How many local variables and constants have `dynamic` in their type.",
    ),
    lesson(
        "md2 record",
        "tuple local count",
        Show::Plain,
        "How many local variables and constants have a tuple with named elements.",
    ),
    lesson("md2 record", "padding", Show::Plain, "Fills up to a multiple of 4 bytes."),
    lesson("md2 record", "data", Show::Plain, "What a record that cannot be decoded holds."),
    lesson("hoisted scope", "start", Show::IlOffset, "The IL offset where the variable comes into scope."),
    lesson(
        "hoisted scope",
        "last",
        Show::IlOffset,
        "The IL offset of the last byte where it is in scope — not the one behind, as elsewhere; 0 and 0: it is nowhere.",
    ),
    lesson(
        "dynamic local",
        "dynamic flags",
        Show::Plain,
        "One byte for each part of the type, 1 where it is `dynamic`: string is 0, List<dynamic> is 0 1.",
    ),
    lesson("dynamic local", "flag count", Show::Plain, "How many of the 64 flags count."),
    lesson(
        "dynamic local",
        "slot",
        Show::Plain,
        "Which local variable it is; 0 for a constant too, which only its name tells apart.",
    ),
    lesson("dynamic local", "name", Show::Plain, "The name, in 64 characters at most: a longer one has no record."),
    lesson("tuple local", "element count", Show::Plain, "How many elements the tuple has."),
    lesson("tuple local", "element name", Show::Plain, "The name of an element; empty if it has none."),
    lesson("tuple local", "slot", Show::Plain, "Which local variable it is; -1 for a constant."),
    lesson("tuple local", "scope start", Show::IlOffset, "For a constant: the IL offset where its scope begins."),
    lesson("tuple local", "scope end", Show::IlOffset, "For a constant: the IL offset behind its scope."),
    lesson("tuple local", "name", Show::Plain, "The name of the variable or constant."),
    lesson(
        "async method info",
        "kickoff method",
        Show::Token,
        "The method that the source has: it only starts the state machine.",
    ),
    lesson(
        "async method info",
        "catch handler",
        Show::IlOffset,
        "The IL offset of the handler for exceptions that nobody awaits; 0xFFFFFFFF if there is none.",
    ),
    lesson("async method info", "await count", Show::Plain, "How many times it awaits."),
    lesson("async method info", "left over", Show::Plain, "Bytes behind the last await."),
    lesson("async await", "yield offset", Show::IlOffset, "The IL offset where the method returns to wait."),
    lesson("async await", "resume method", Show::Token, "The method that goes on: this one."),
    lesson(
        "async await",
        "resume offset",
        Show::IlOffset,
        "The IL offset where it goes on: where a debugger that steps over the await stops.",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::msf::tests::without_lesson;
    use crate::bytes::{Cursor, Field, Noted, Origin, Region, Result, Spaces, Value};
    use crate::formats::codeview::c13::{self, Subsections};
    use crate::formats::codeview::symbols::{self, Records};
    use crate::formats::managed::WindowsPdb;
    use crate::formats::managed::source_file::{HeaderBlock, SourceFile};
    use crate::formats::managed::symbols::ManagedSymbol;
    use crate::formats::msf::Msf;
    use crate::formats::pdb::TpiHeader;
    use crate::formats::pdb::dbi::{self, Contributions, ModuleInfo, SectionMap, SourceInfo};
    use crate::formats::pdb::info::Info;
    use crate::formats::pdb::names::Names;
    use crate::formats::pdb::{StreamKind, streams};

    /// Every record of a file that has a decoder, decoded with notes.
    struct Walk {
        fields: Vec<Field>,
    }

    impl Walk {
        /// Decodes all of `region`, which the fields must tile.
        fn all(&mut self, region: &Region, decode: impl FnOnce(&mut Cursor<'_, Noted>) -> Result<()>) {
            let mut cursor = Cursor::noting(region.slice());
            decode(&mut cursor).unwrap();
            let fields = cursor.fields();
            let end = fields.iter().filter(|f| f.value != Value::Group).fold(region.span().start, |at, field| {
                assert_eq!(field.span.start, at, "{} in {:?}", field.name, region.span());
                field.span.end()
            });
            assert_eq!(end, region.span().end(), "{:?}", fields.first());
            self.fields.extend(fields);
        }

        fn module(&mut self, pdb: &WindowsPdb, spaces: &Spaces, number: u32) {
            let Ok((module, region)) = pdb.module(spaces, number) else { return };
            let symbols = module.symbols(&region);
            self.all(&symbols.clip(0, 4), |c| symbols::signature(c).map(drop));
            for record in Records::of_module(&symbols) {
                self.record(&symbols, record.unwrap());
            }
            let lines = module.c13(&region);
            for subsection in Subsections::new(lines.slice()) {
                let span = subsection.unwrap().span;
                self.all(&lines.clip(span.start - lines.span().start, span.len), c13::decode);
            }
        }

        fn record(&mut self, symbols: &Region, record: symbols::Record<'_>) {
            let span = record.span();
            self.all(&symbols.clip(span.start - symbols.span().start, span.len), |c| {
                ManagedSymbol::decode(c).map(drop)
            });
        }
    }

    fn walk(name: &str) -> Vec<Field> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name);
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes(name, Origin::File(path.clone()), std::fs::read(path).unwrap()).span().space;
        let msf = Msf::open(&mut spaces, file).unwrap();
        let pdb = WindowsPdb::parse(&spaces, msf);
        let mut walk = Walk { fields: Vec::new() };
        let stream = |number: u32| pdb.stream(&spaces, number).unwrap();
        walk.all(&stream(streams::INFO), |c| Info::decode(c).map(drop));
        walk.all(&stream(streams::TPI).clip(0, 56), |c| TpiHeader::decode(c).map(drop));
        let dbi = pdb.dbi.as_ref().unwrap();
        let region = stream(streams::DBI);
        walk.all(&region.clip(0, 64), |c| dbi::Header::decode(c).map(drop));
        for module in &dbi.modules {
            walk.all(&region.clip(module.span.start, module.span.len), |c| ModuleInfo::decode(c).map(drop));
        }
        walk.all(&dbi.contributions.region.clip(0, 4), Contributions::decode_version);
        for index in 0..dbi.contributions.len() {
            let span = dbi.contributions.span(index).unwrap();
            walk.all(&region.clip(span.start, span.len), |c| Contributions::decode_record(c).map(drop));
        }
        walk.all(&dbi.section_map.region, SectionMap::decode);
        walk.all(&dbi.sources.region, SourceInfo::decode);
        walk.all(&dbi.edit_and_continue, Names::decode);
        let debug_header = dbi.header.debug_header_size as u64;
        walk.all(&region.clip(region.len() - debug_header, debug_header), dbi::debug_header);
        for number in 0..pdb.msf.stream_count() {
            let region = stream(number);
            match pdb.kind_of(number) {
                StreamKind::Named(index) => match pdb.info.names[index as usize].name.value.as_str() {
                    "/names" => walk.all(&region, Names::decode),
                    "/src/headerblock" => walk.all(&region, |c| HeaderBlock::decode(c).map(drop)),
                    name if name.starts_with("/src/files/") => walk.all(&region, |c| SourceFile::decode(c).map(drop)),
                    _ => {}
                },
                StreamKind::SymbolRecords => {
                    let (len, mut read) = (region.len(), 0);
                    for record in Records::new(region.slice(), 0).map_while(Result::ok) {
                        walk.record(&region, record);
                        read += record.slice.len();
                    }
                    assert!(len - read < 4, "{name}: {read} of {len}");
                }
                StreamKind::Module(module) => walk.module(&pdb, &spaces, module),
                _ => {}
            }
        }
        walk.fields
    }

    #[test]
    fn every_field_has_one_and_fields_tile_their_records() {
        let samples = ["workshop-windows/Workshop.pdb", "ledger-windows/Ledger.pdb", "native/tally.pdb"];
        let mut missing: Vec<_> = samples.iter().flat_map(|name| without_lesson(&walk(name))).collect();
        missing.sort_unstable();
        missing.dedup();
        assert_eq!(missing, []);
    }
}
