//! Lessons on the records of a portable executable.

use super::Show::{Flags, Guid, Hex, Offset, OneOf, Plain, Rva, Time, Token};
use super::{Lesson, lesson};
use crate::formats::pe::{DIRECTORY_NAMES, Directory, debug, names};

/// What the headers and the debug directory say.
pub(crate) const LESSONS: &[Lesson] = &[
    lesson(
        "dos header",
        "magic",
        Hex,
        "MZ, the initials of Mark Zbikowski: every DLL and EXE still begins as a DOS program.",
    ),
    lesson("dos header", "bytes on last page", Plain, "How much of the last 512-byte page the DOS program takes."),
    lesson("dos header", "pages in file", Plain, "How many 512-byte pages the DOS program takes."),
    lesson("dos header", "relocations", Plain, "How many places DOS would have to patch; the stub needs none."),
    lesson("dos header", "header paragraphs", Plain, "How many 16-byte paragraphs the DOS header takes."),
    lesson("dos header", "minimum extra paragraphs", Plain, "How much memory beyond the program DOS must find for it."),
    lesson("dos header", "maximum extra paragraphs", Plain, "How much memory beyond the program DOS should give it."),
    lesson("dos header", "initial ss", Hex, "The stack segment that the DOS program starts with."),
    lesson("dos header", "initial sp", Hex, "The stack pointer that the DOS program starts with."),
    lesson("dos header", "checksum", Hex, "A checksum of the DOS program that nobody computes."),
    lesson("dos header", "initial ip", Hex, "The instruction that the DOS program starts at."),
    lesson("dos header", "initial cs", Hex, "The code segment that the DOS program starts in."),
    lesson(
        "dos header",
        "relocation table offset",
        Offset,
        "Where the DOS relocations are; 0x40 or more is the sign of a newer format.",
    ),
    lesson("dos header", "overlay number", Plain, "Which overlay of a DOS program this is; 0, the program itself."),
    lesson("dos header", "reserved", Plain, "Never used."),
    lesson("dos header", "oem identifier", Hex, "Who gave the next field a meaning; nobody did."),
    lesson("dos header", "oem information", Hex, "Means what the OEM says that it means."),
    lesson(
        "dos header",
        "pe header offset",
        Offset,
        "Where the PE signature is: the one field of this header that Windows and .NET read.",
    ),
    lesson(
        "dos stub",
        "program",
        Plain,
        "The program that DOS runs, which says that it cannot be run in DOS mode; linkers of Visual C++ hide a note of the tools used (the Rich header) behind it.",
    ),
    lesson("coff header", "signature", Plain, "PE and two zeros: from here on the file is a portable executable."),
    lesson(
        "coff header",
        "machine",
        OneOf(names::MACHINES),
        "The processor that the code is for; managed code that runs anywhere says I386.",
    ),
    lesson("coff header", "number of sections", Plain, "How many section headers follow the optional header."),
    lesson(
        "coff header",
        "time date stamp",
        Time,
        "When the image was linked; a deterministic build puts part of a hash here. Symbol servers find the image by it.",
    ),
    lesson(
        "coff header",
        "pointer to symbol table",
        Offset,
        "Where COFF symbols are; images have none, their symbols are in the PDB.",
    ),
    lesson("coff header", "number of symbols", Plain, "How many COFF symbols there are; images have none."),
    lesson(
        "coff header",
        "size of optional header",
        Plain,
        "How many bytes the optional header takes with its data directories; the section headers follow.",
    ),
    lesson(
        "coff header",
        "characteristics",
        Flags(names::COFF_CHARACTERISTICS),
        "What kind of image this is: whether it can run, whether it is a DLL, for how wide a machine.",
    ),
    lesson(
        "optional header",
        "magic",
        OneOf(names::OPTIONAL_MAGICS),
        "Which form the header has: PE32, or PE32+ with addresses of 64 bits.",
    ),
    lesson(
        "optional header",
        "major linker version",
        Plain,
        "The version of the linker; .NET compilers write a constant.",
    ),
    lesson(
        "optional header",
        "minor linker version",
        Plain,
        "The version of the linker; .NET compilers write a constant.",
    ),
    lesson(
        "optional header",
        "size of code",
        Plain,
        "How many bytes of sections are code, rounded up to the file alignment.",
    ),
    lesson(
        "optional header",
        "size of initialized data",
        Plain,
        "How many bytes of sections are data, rounded up to the file alignment.",
    ),
    lesson(
        "optional header",
        "size of uninitialized data",
        Plain,
        "How many bytes of sections are zeros that the file leaves out.",
    ),
    lesson(
        "optional header",
        "address of entry point",
        Rva,
        "Where execution begins; in a managed PE32 image this is a jump to the runtime that Windows no longer takes.",
    ),
    lesson("optional header", "base of code", Rva, "Where the first section of code is."),
    lesson("optional header", "base of data", Rva, "Where the first section of data is; PE32+ has no such field."),
    lesson(
        "optional header",
        "image base",
        Hex,
        "The address at which the image would like to be loaded; RVAs count from there.",
    ),
    lesson(
        "optional header",
        "section alignment",
        Hex,
        "Sections begin in memory at multiples of this, the size of a page.",
    ),
    lesson(
        "optional header",
        "file alignment",
        Hex,
        "Sections begin in the file at multiples of this, the size of a disk sector.",
    ),
    lesson(
        "optional header",
        "major operating system version",
        Plain,
        "The oldest Windows that the image says it runs on.",
    ),
    lesson(
        "optional header",
        "minor operating system version",
        Plain,
        "The oldest Windows that the image says it runs on.",
    ),
    lesson(
        "optional header",
        "major image version",
        Plain,
        "A version of the image that hardly anybody sets; an assembly's version is in its metadata.",
    ),
    lesson(
        "optional header",
        "minor image version",
        Plain,
        "A version of the image that hardly anybody sets; an assembly's version is in its metadata.",
    ),
    lesson(
        "optional header",
        "major subsystem version",
        Plain,
        "The oldest version of the subsystem that the image runs in.",
    ),
    lesson(
        "optional header",
        "minor subsystem version",
        Plain,
        "The oldest version of the subsystem that the image runs in.",
    ),
    lesson("optional header", "win32 version value", Hex, "Reserved; 0."),
    lesson(
        "optional header",
        "size of image",
        Hex,
        "How much memory the loaded image takes; symbol servers find the image by this and its time stamp.",
    ),
    lesson(
        "optional header",
        "size of headers",
        Hex,
        "How much of the file's beginning is loaded as it is: all headers, rounded up to the file alignment.",
    ),
    lesson(
        "optional header",
        "checksum",
        Hex,
        "A checksum of the file; Windows checks it for drivers only, .NET compilers leave it 0.",
    ),
    lesson(
        "optional header",
        "subsystem",
        OneOf(names::SUBSYSTEMS),
        "What Windows prepares for the program: a console, or windows only.",
    ),
    lesson(
        "optional header",
        "dll characteristics",
        Flags(names::DLL_CHARACTERISTICS),
        "What the image puts up with: being moved in memory, data that cannot be executed, and the like.",
    ),
    lesson("optional header", "size of stack reserve", Hex, "How much address space the first thread's stack gets."),
    lesson("optional header", "size of stack commit", Hex, "How much of that stack has memory from the start."),
    lesson("optional header", "size of heap reserve", Hex, "How much address space the process's first heap gets."),
    lesson("optional header", "size of heap commit", Hex, "How much of that heap has memory from the start."),
    lesson("optional header", "loader flags", Hex, "Reserved; 0."),
    lesson("optional header", "number of rva and sizes", Plain, "How many data directories follow; 16 in practice."),
    lesson(
        "optional header",
        "rest",
        Plain,
        "Bytes that the COFF header counts to the optional header, and that no field claims.",
    ),
    lesson(
        "section header",
        "name",
        Plain,
        "What the section is called; names are a habit (.text is code), nothing depends on them.",
    ),
    lesson("section header", "name padding", Plain, "Zeros that fill the name up to eight bytes."),
    lesson(
        "section header",
        "virtual size",
        Hex,
        "How much memory the section takes; what the file does not have of it is zero.",
    ),
    lesson("section header", "virtual address", Rva, "Where the section is in memory, counted from the image base."),
    lesson(
        "section header",
        "size of raw data",
        Hex,
        "How many bytes the section takes in the file, rounded up to the file alignment.",
    ),
    lesson(
        "section header",
        "pointer to raw data",
        Offset,
        "Where the section is in the file. RVA - virtual address + this = offset in the file.",
    ),
    lesson(
        "section header",
        "pointer to relocations",
        Offset,
        "Where the relocations of an object file are; 0 in images.",
    ),
    lesson("section header", "pointer to line numbers", Offset, "Where COFF line numbers were once kept; 0."),
    lesson(
        "section header",
        "number of relocations",
        Plain,
        "How many relocations an object file has for the section; 0 in images.",
    ),
    lesson("section header", "number of line numbers", Plain, "How many COFF line numbers there are; 0."),
    lesson(
        "section header",
        "characteristics",
        Flags(names::SECTION_CHARACTERISTICS),
        "What is in the section, and whether its memory can be read, written and executed.",
    ),
    lesson("cli header", "size of header", Plain, "How many bytes this header takes: 72."),
    lesson(
        "cli header",
        "major runtime version",
        Plain,
        "The runtime that the header was made for; 2 ever since generics.",
    ),
    lesson(
        "cli header",
        "minor runtime version",
        Plain,
        "The runtime that the header was made for; 5 with a major version of 2.",
    ),
    lesson(
        "cli header",
        "metadata rva",
        Rva,
        "Where the metadata is: the types, methods and names of the assembly. It begins with BSJB.",
    ),
    lesson("cli header", "metadata size", Hex, "How many bytes the metadata takes."),
    lesson(
        "cli header",
        "flags",
        Flags(names::CLI_FLAGS),
        "Whether there is nothing but IL, whether the image wants 32 bits, whether it is signed.",
    ),
    lesson(
        "cli header",
        "entry point token",
        Token,
        "The method that execution begins with; 0 in a library. With NATIVE_ENTRYPOINT it is an RVA instead.",
    ),
    lesson("cli header", "resources rva", Rva, "Where the embedded resources are."),
    lesson("cli header", "resources size", Hex, "How many bytes the embedded resources take."),
    lesson("cli header", "strong name signature rva", Rva, "Where the signature is, or the room that was left for it."),
    lesson(
        "cli header",
        "strong name signature size",
        Hex,
        "How many bytes the signature takes: as many as the key has.",
    ),
    lesson("cli header", "code manager table rva", Rva, "Always 0."),
    lesson("cli header", "code manager table size", Hex, "Always 0."),
    lesson(
        "cli header",
        "vtable fixups rva",
        Rva,
        "Where the slots are through which native code calls managed methods; C++/CLI has them.",
    ),
    lesson("cli header", "vtable fixups size", Hex, "How many bytes the table of those slots takes."),
    lesson("cli header", "export address table jumps rva", Rva, "Always 0."),
    lesson("cli header", "export address table jumps size", Hex, "Always 0."),
    lesson(
        "cli header",
        "managed native header rva",
        Rva,
        "Where the ready-to-run header is: the image carries native code beside its IL.",
    ),
    lesson("cli header", "managed native header size", Hex, "How many bytes the ready-to-run header takes."),
    lesson("debug directory entry", "characteristics", Hex, "Reserved; 0."),
    lesson(
        "debug directory entry",
        "time date stamp",
        Time,
        "When the debug data was made. In a CodeView entry for a portable PDB: the last four bytes of the PDB's id.",
    ),
    lesson(
        "debug directory entry",
        "major version",
        Plain,
        "The version of the payload's format; 0x0100 in a CodeView entry for a portable PDB.",
    ),
    lesson(
        "debug directory entry",
        "minor version",
        Hex,
        "The version of the payload's format; 0x504D (PM) in a CodeView entry says that the PDB is a portable one.",
    ),
    lesson("debug directory entry", "type", OneOf(&debug::TYPES), "What the payload is."),
    lesson("debug directory entry", "size of data", Plain, "How many bytes the payload takes."),
    lesson("debug directory entry", "address of raw data", Rva, "Where the payload is loaded; 0 where it is not."),
    lesson("debug directory entry", "pointer to raw data", Offset, "Where the payload is in the file."),
    lesson(
        "codeview",
        "signature",
        Plain,
        "Which form the record has: RSDS names a PDB by GUID, NB10 by time stamp, other NBs hold symbols.",
    ),
    lesson(
        "codeview",
        "guid",
        Guid,
        "The PDB's id: a PDB belongs to this image when it has the same. A portable PDB's id also has the entry's time stamp.",
    ),
    lesson(
        "codeview",
        "age",
        Plain,
        "How often the PDB had been rewritten when the image was linked; always 1 for a portable PDB.",
    ),
    lesson(
        "codeview",
        "path",
        Plain,
        "Where the PDB was when the image was built. Debuggers look there first, then beside the image.",
    ),
    lesson(
        "codeview",
        "offset",
        Hex,
        "Where the symbols begin, counted from the signature; 0 where they are in a PDB.",
    ),
    lesson("codeview", "time stamp", Time, "When the PDB was made, which is also its id."),
    lesson("codeview", "padding", Plain, "Zeros: some compilers reserve 260 bytes for the path."),
    lesson("codeview", "rest", Plain, "Symbols in a form of the nineties, or bytes that no field claims."),
    lesson("pdb checksum", "algorithm name", Plain, "Which hash follows: SHA256, SHA384 or SHA512."),
    lesson(
        "pdb checksum",
        "checksum",
        Plain,
        "The hash of the PDB while its id was all zeros: whoever has the PDB can check that nobody changed it.",
    ),
    lesson("embedded portable pdb", "signature", Plain, "MPDB: a portable PDB follows, deflated."),
    lesson("embedded portable pdb", "uncompressed size", Plain, "How many bytes the PDB has when inflated."),
    lesson(
        "embedded portable pdb",
        "portable pdb image",
        Plain,
        "The PDB as a raw deflate stream; inflated it begins with BSJB.",
    ),
    lesson("reproducible", "hash size", Plain, "How many bytes the hash takes."),
    lesson("reproducible", "hash", Plain, "The hash of what went into the image; its time stamps are taken from it."),
    lesson("reproducible", "padding", Plain, "Zeros that no field claims."),
    lesson("reproducible", "rest", Plain, "Bytes that no field claims."),
    lesson("r2r perfmap", "magic", Plain, "R2RM: a ready-to-run perf map belongs to the image."),
    lesson("r2r perfmap", "signature", Plain, "The perf map's id; symbol servers find it by this."),
    lesson("r2r perfmap", "version", Plain, "The version of the perf map's format."),
    lesson("r2r perfmap", "path", Plain, "What the perf map's file is called."),
    lesson("r2r perfmap", "padding", Plain, "Zeros: the compiler reserves 260 bytes for the path."),
    lesson("r2r perfmap", "rest", Plain, "Bytes that no field claims."),
    lesson("misc", "data type", OneOf(&[(1, "EXENAME")]), "What follows: 1, the name of a .dbg file."),
    lesson("misc", "length", Plain, "How many bytes the record takes, rounded up to four."),
    lesson("misc", "unicode", OneOf(&[(0, "no"), (1, "yes")]), "Whether the name is UTF-16."),
    lesson("misc", "reserved", Plain, "Never used."),
    lesson("misc", "name", Plain, "The .dbg file that the symbols were stripped into."),
    lesson("misc", "padding", Plain, "Zeros up to the record's length."),
    lesson("misc", "rest", Plain, "Bytes that no field claims."),
    lesson(
        "pogo",
        "signature",
        OneOf(names::POGO_SIGNATURES),
        "Which build it was: LTCG link-time code generation, PGI instrumented for profiling, PGO or PGU optimised by a profile.",
    ),
    lesson("pogo", "padding", Plain, "Zeros that no group claims."),
    lesson("pogo", "rest", Plain, "Groups that are not shown one by one, or bytes that no field claims."),
    lesson("coff group", "rva", Rva, "Where the group begins."),
    lesson("coff group", "size", Hex, "How many bytes the group takes."),
    lesson(
        "coff group",
        "name",
        Plain,
        "What the group is called: the section, and behind the $ what orders groups within it.",
    ),
    lesson("coff group", "padding", Plain, "Zeros up to the next multiple of four."),
    lesson("vc feature", "pre vc 11", Plain, "How many objects were compiled before Visual C++ 2012 (11.0)."),
    lesson("vc feature", "c and c++", Plain, "How many objects came from C or C++."),
    lesson("vc feature", "gs", Plain, "How many objects have stack cookies (/GS)."),
    lesson("vc feature", "sdl", Plain, "How many objects have the additional security checks (/sdl)."),
    lesson("vc feature", "guard n", Plain, "How many objects are ready for control flow guard (/guard)."),
    lesson("vc feature", "padding", Plain, "Zeros that no field claims."),
    lesson("vc feature", "rest", Plain, "Bytes that no field claims."),
    lesson(
        "ex dll characteristics",
        "characteristics",
        Flags(names::EX_DLL_CHARACTERISTICS),
        "What the image puts up with, for which the optional header had no bits left: a shadow stack (CET), hot patches.",
    ),
    lesson("ex dll characteristics", "padding", Plain, "Zeros that no field claims."),
    lesson("ex dll characteristics", "rest", Plain, "Bytes that no field claims."),
    lesson("fpo data", "start of function", Rva, "Where the function is."),
    lesson("fpo data", "size of function", Plain, "How many bytes of code it has."),
    lesson("fpo data", "locals", Plain, "How many four-byte words its locals take."),
    lesson("fpo data", "parameters", Plain, "How many four-byte words its parameters take."),
    lesson("fpo data", "prolog", Plain, "How many bytes of code its prolog has."),
    lesson(
        "fpo data",
        "attributes",
        Flags(&[(0x08, "has SEH"), (0x10, "uses EBP"), (0x40, "trap frame"), (0x80, "TSS frame")]),
        "How many registers it saves (the low three bits), and what its frame is like.",
    ),
    lesson("fpo", "padding", Plain, "Zeros that no function claims."),
    lesson("fpo", "rest", Plain, "Functions that are not shown one by one, or bytes that no field claims."),
    lesson("omap entry", "rva", Rva, "From this address on, up to the next entry's …"),
    lesson(
        "omap entry",
        "rva to",
        Rva,
        "… code is found at this address on the other side; 0 where it was thrown away.",
    ),
    lesson("omap", "padding", Plain, "Zeros that no entry claims."),
    lesson("omap", "rest", Plain, "Entries that are not shown one by one, or bytes that no field claims."),
    lesson("coff symbols header", "number of symbols", Plain, "How many COFF symbols there are."),
    lesson("coff symbols header", "offset of first symbol", Hex, "Where they are, counted from this header."),
    lesson("coff symbols header", "number of line numbers", Plain, "How many COFF line numbers there are."),
    lesson("coff symbols header", "offset of first line number", Hex, "Where they are, counted from this header."),
    lesson(
        "coff symbols header",
        "rva of first byte of code",
        Rva,
        "Where the code begins that the symbols are about.",
    ),
    lesson("coff symbols header", "rva of last byte of code", Rva, "Where that code ends."),
    lesson(
        "coff symbols header",
        "rva of first byte of data",
        Rva,
        "Where the data begins that the symbols are about.",
    ),
    lesson("coff symbols header", "rva of last byte of data", Rva, "Where that data ends."),
    lesson("coff symbols header", "padding", Plain, "Zeros that no field claims."),
    lesson("coff symbols header", "rest", Plain, "The symbols and line numbers themselves."),
    lesson("debug data", "padding", Plain, "Zeros in a form that nobody described."),
    lesson("debug data", "rest", Plain, "Bytes in a form that nobody described."),
];

/// What each data directory leads to, in the order of [`DIRECTORY_NAMES`].
const ABOUT: [&str; DIRECTORY_NAMES.len()] = [
    "The functions that other images may call by name; managed DLLs have none.",
    "The functions of other DLLs that this image calls; a managed PE32 image imports one, the runtime's start.",
    "Windows resources: version, icon, manifest. Managed resources are elsewhere.",
    "How to unwind the stack through native code (.pdata).",
    "The Authenticode signature. It is not loaded, so this one is an offset of the file and no RVA.",
    "What to patch when the image is not loaded where it wished.",
    "Which debug information belongs to the image: the way to the PDB.",
    "Reserved; 0.",
    "The value of the global pointer register, on processors that had one.",
    "Data of which every native thread gets its own.",
    "What the loader should know: security cookie, safe exception handlers, control flow guard.",
    "Addresses of imported functions that were looked up when the image was built.",
    "Where the loader writes the addresses of imported functions.",
    "Imports that are looked up when they are first called.",
    "The CLI header: this one makes the image a managed one, and leads to its metadata and IL.",
    "Reserved; 0.",
];

/// The lessons on the data directories and on the two numbers of each.
pub(crate) const DIRECTORIES: [Lesson; 3 * DIRECTORY_NAMES.len()] = {
    let mut lessons = [lesson("", "", Plain, ""); 3 * DIRECTORY_NAMES.len()];
    let mut index = 0;
    while index < DIRECTORY_NAMES.len() {
        let name = DIRECTORY_NAMES[index];
        lessons[3 * index] = lesson("data directories", name, Plain, ABOUT[index]);
        lessons[3 * index + 1] = if index == Directory::CERTIFICATES as usize {
            lesson(name, "file offset", Offset, "Where it begins in the file.")
        } else {
            lesson(name, "rva", Rva, "Where it begins in the loaded image; 0 where there is none.")
        };
        lessons[3 * index + 2] = lesson(name, "size", Hex, "How many bytes it takes.");
        index += 1;
    }
    lessons
};

/// What each record is, and each data directory where it stands alone.
pub(crate) const RECORDS: [Lesson; HEADERS.len() + DIRECTORY_NAMES.len()] = {
    let mut lessons = [lesson("", "", Plain, ""); HEADERS.len() + DIRECTORY_NAMES.len()];
    let mut index = 0;
    while index < HEADERS.len() {
        lessons[index] = HEADERS[index];
        index += 1;
    }
    while index < lessons.len() {
        let directory = index - HEADERS.len();
        lessons[index] = lesson("", DIRECTORY_NAMES[directory], Plain, ABOUT[directory]);
        index += 1;
    }
    lessons
};

#[rustfmt::skip] // One line a record.
const HEADERS: [Lesson; 24] = [
    lesson("", "dos header", Plain, "What DOS would read first. One number of it still counts: where the real headers are."),
    lesson("", "dos stub", Plain, "A program for DOS that says that it cannot run there."),
    lesson("", "coff header", Plain, "The header of an object file: processor, number of sections, time."),
    lesson("", "optional header", Plain, "What the loader has to know. Optional in object files, always there in images."),
    lesson("optional header", "data directories", Plain, "Where in the loaded image the loader and the runtime find what they need."),
    lesson("", "section header", Plain, "A range of the file, and where the loader puts it."),
    lesson("", "cli header", Plain, "What the runtime reads first: where metadata and resources are, and where the program begins."),
    lesson("", "debug directory entry", Plain, "Something that debuggers want to know: what it is, and where its bytes are."),
    lesson("", "codeview", Plain, "Which PDB belongs to the image: its id, and the path that it was written to."),
    lesson("", "misc", Plain, "Where the image's .dbg file is: a format from before PDBs."),
    lesson("", "fpo data", Plain, "How to unwind a function that keeps no frame pointer."),
    lesson("", "fpo", Plain, "How to unwind functions that keep no frame pointer, one after the other."),
    lesson("", "omap", Plain, "Where code is that a post-link optimizer moved, one address after the other."),
    lesson("", "omap entry", Plain, "Where code is that a post-link optimizer moved."),
    lesson("", "vc feature", Plain, "How many object files were compiled with which safety feature."),
    lesson("", "pogo", Plain, "What the linker made of the sections of object files."),
    lesson("", "coff group", Plain, "Which part of the image came from sections of one name."),
    lesson("", "reproducible", Plain, "The same sources give the same bytes: what looks like a time in the headers is part of a hash."),
    lesson("", "embedded portable pdb", Plain, "The whole PDB, deflated."),
    lesson("", "pdb checksum", Plain, "A hash of the PDB, so that whoever fetches one from a server can tell that it is the right one."),
    lesson("", "ex dll characteristics", Plain, "Flags for which the optional header had no room."),
    lesson("", "r2r perfmap", Plain, "The map from native code back to methods that crossgen wrote."),
    lesson("", "coff symbols header", Plain, "Where symbols in the old form of object files are."),
    lesson("", "debug data", Plain, "Bytes in a form that nobody described."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Field, Region, Slice, SpaceId, Value};
    use crate::formats::pe::Pe;
    use crate::nodes::fields::noted;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    /// The record and the name of every field but those that are records themselves; data directories count.
    fn names_of(fields: &[Field], seen: &mut BTreeSet<(&'static str, &'static str)>) {
        let mut open: Vec<&'static str> = Vec::new();
        for field in fields {
            open.truncate(field.depth as usize);
            let record = open.last().copied().unwrap_or_default();
            if (field.value != Value::Group || record == "data directories") && field.name != "not decoded" {
                seen.insert((record, field.name));
            }
            if field.value == Value::Group {
                open.push(field.name);
            }
        }
    }

    #[test]
    fn every_field_has_a_lesson_and_every_lesson_a_field() {
        let mut seen = BTreeSet::new();
        for sample in ["ticker/Ticker.dll", "ticker-embedded/Ticker.dll", "native/tally.exe"] {
            let path = format!("{}/assets/samples/{sample}", env!("CARGO_MANIFEST_DIR"));
            let image = Region::whole(SpaceId(0), Arc::new(std::fs::read(path).unwrap()));
            let pe = Pe::parse(image).unwrap();
            for part in pe.parts() {
                names_of(&noted(pe.slice(part).unwrap(), |c| pe.note(part, c)).0, &mut seen);
            }
        }
        // Every kind of payload, with what may come behind it.
        let long = [1; 64];
        let padded = [[1; 16].as_slice(), &[0; 32]].concat();
        let mut payloads: Vec<(u64, &[u8])> = vec![
            (2, b"RSDS0123456789abcdef\x01\0\0\0path\0\0\0"),
            (2, b"NB10\0\0\0\0\x01\0\0\0\x01\0\0\0path\0x"),
            (4, b"\x01\0\0\0\x10\0\0\0\0\0\0\0abc\0\0\0\0\0"),
            (4, b"\x01\0\0\0\x10\0\0\0\0\0\0\0abc\0zyx"),
            (13, b"GCTL\0\x10\0\0\0\x20\0\0.text$mn\0\0\0\0\0\0"),
            (13, b"GCTL\0\x10\0\0\0\x20\0\0.text$mn\0\0\0\0x"),
            (16, b"\x04\0\0\0hash\0\0"),
            (16, b"\x04\0\0\0hash!"),
            (21, b"R2RM0123456789abcdef\x01\0\0\0path\0\0\0"),
            (21, b"R2RM0123456789abcdef\x01\0\0\0path\0x"),
        ];
        for (number, _) in debug::TYPES {
            payloads.extend([(number, &long[..]), (number, &long[..63]), (number, &padded[..])]);
            payloads.extend([(number, &padded[..47]), (number, &[0; 9])]);
        }
        for (kind, bytes) in payloads {
            let payload = Slice::new(bytes, SpaceId(0), 0);
            names_of(&noted(payload, |c| debug::note(kind as u32, c)).0, &mut seen);
        }
        let taught: BTreeSet<_> = LESSONS.iter().chain(&DIRECTORIES).map(|l| (l.record, l.field)).collect();
        assert_eq!(taught.len(), LESSONS.len() + DIRECTORIES.len(), "two lessons on one field");
        assert_eq!(
            seen.difference(&taught).collect::<Vec<_>>(),
            Vec::<&(&str, &str)>::new(),
            "fields without a lesson"
        );
        let unseen: Vec<_> = taught.difference(&seen).collect();
        assert_eq!(unseen, [&("optional header", "rest")], "lessons without a field");
    }
}
