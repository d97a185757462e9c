//! Lessons on tables and their columns: ECMA-335 II.22, and Portable PDB v1.0 for the last eight.

use super::super::Show::{self, Flags, Guid, Hex, IlOffset, OneOf, Parts, Plain, Rva, Token};
use super::super::{Lesson, lesson};
use super::bits;
use crate::formats::signature::element;

/// A table: its name, what its rows are, and its columns.
struct Table(&'static str, &'static str, &'static [Column]);

/// A column: its name, how it is best read, what it is for.
type Column = (&'static str, Show, &'static str);

const NAME: &str = "Where in #Strings the name is.";
const PUBLIC_KEY_TOKEN: &str = "Who signed it: the public key, or the last 8 bytes of its SHA-1. Nil where nobody did.";

#[rustfmt::skip] // One line a column.
const TABLES: &[Table] = &[
    Table("Module", "The module itself, in one row.", &[
        ("Generation", Plain, "Which edit this is while Edit and Continue runs; 0 in a file."),
        ("Name", Hex, "The file name of the module when it was compiled."),
        ("Mvid", Guid, "The module version id: another for every build, unless the same sources give the same bytes."),
        ("EncId", Guid, "Names this edit, while Edit and Continue runs."),
        ("EncBaseId", Guid, "Names the edit before it."),
    ]),
    Table("TypeRef", "A type of another module that this one uses.", &[
        ("ResolutionScope", Hex, "Where to look for it: an assembly, a module, or the type that it is nested in."),
        ("TypeName", Hex, "Its name; a generic one ends with a backtick and how many type parameters it has."),
        ("TypeNamespace", Hex, "Its namespace; none where it is nested."),
    ]),
    Table("TypeDef", "A type that this module defines. The first, <Module>, holds what belongs to no type.", &[
        ("Flags", Parts(bits::TYPE), "Who sees it, how its fields are laid out, whether it is an interface."),
        ("TypeName", Hex, "Its name; a generic one ends with a backtick and how many type parameters it has."),
        ("TypeNamespace", Hex, "Its namespace; none where it is nested."),
        ("Extends", Hex, "Its base type; nil for an interface and for System.Object."),
        ("FieldList", Plain, "The first of its fields; they end where those of the next type begin."),
        ("MethodList", Plain, "The first of its methods; they end where those of the next type begin."),
    ]),
    Table("FieldPtr", "The order of fields, in metadata that was edited.", &[("Field", Plain, "The row of Field that is meant.")]),
    Table("Field", "A field of a type.", &[
        ("Flags", Parts(bits::FIELD), "Who sees it, and whether it is static, read-only or a constant."),
        ("Name", Hex, NAME),
        ("Signature", Hex, "Where in #Blob its type is."),
    ]),
    Table("MethodPtr", "The order of methods, in metadata that was edited.", &[("Method", Plain, "The row of MethodDef that is meant.")]),
    Table("MethodDef", "A method that this module defines. Its row is its token, and what a PDB knows it by.", &[
        ("RVA", Rva, "Where its body is in the loaded image; 0 where it has none."),
        ("ImplFlags", Parts(bits::METHOD_IMPL), "What its code is, and what the JIT should do with it."),
        ("Flags", Parts(bits::METHOD), "Who sees it, whether it is static or virtual, whether its name is special."),
        ("Name", Hex, NAME),
        ("Signature", Hex, "Where in #Blob its return type and the types of its parameters are."),
        ("ParamList", Plain, "The first of its parameters' rows; they end where those of the next method begin."),
    ]),
    Table("ParamPtr", "The order of parameters, in metadata that was edited.", &[("Param", Plain, "The row of Param that is meant.")]),
    Table("Param", "What the signature cannot say of a parameter: its name above all.", &[
        ("Flags", Parts(bits::PARAM), "Which way the value goes, and whether there is a default."),
        ("Sequence", Plain, "Which parameter, from 1; 0 is the return value."),
        ("Name", Hex, "Its name; a return value has none."),
    ]),
    Table("InterfaceImpl", "A type implements an interface.", &[
        ("Class", Plain, "The type."),
        ("Interface", Hex, "The interface."),
    ]),
    Table("MemberRef", "A method or field that is defined elsewhere, or in a generic type with its arguments given.", &[
        ("Class", Hex, "What it is a member of."),
        ("Name", Hex, NAME),
        ("Signature", Hex, "Where in #Blob its type is: with the name it says which overload."),
    ]),
    Table("Constant", "The value of a constant field, or the default of a parameter or property.", &[
        ("Type", OneOf(element::NAMES), "What the bytes are; class means null."),
        ("Padding", Plain, "0."),
        ("Parent", Hex, "Whose value it is."),
        ("Value", Hex, "Where in #Blob the value is: little-endian, a string in UTF-16."),
    ]),
    Table("CustomAttribute", "An attribute on anything.", &[
        ("Parent", Hex, "What it is on."),
        ("Type", Hex, "The constructor to call: its type is the attribute's."),
        ("Value", Hex, "Where in #Blob the arguments are: 01 00, the positional ones, then a count of named ones and those."),
    ]),
    Table("FieldMarshal", "How a field or parameter is handed to native code.", &[
        ("Parent", Hex, "The field or parameter."),
        ("NativeType", Hex, "Where in #Blob the native type is."),
    ]),
    Table("DeclSecurity", "What code access security should grant or refuse; runtimes since .NET Core do not look.", &[
        ("Action", OneOf(bits::SECURITY), "What is asked."),
        ("Parent", Hex, "The type, method or assembly that asks."),
        ("PermissionSet", Hex, "Where in #Blob the permissions are."),
    ]),
    Table("ClassLayout", "Size and packing of a type whose layout the source prescribes.", &[
        ("PackingSize", Plain, "What fields are aligned to at most; 0 leaves it to the runtime."),
        ("ClassSize", Plain, "How many bytes it takes at least; 0 leaves it to the runtime."),
        ("Parent", Plain, "The type."),
    ]),
    Table("FieldLayout", "Where a field is, in a type with explicit layout.", &[
        ("Offset", Plain, "From the start of the type, in bytes."),
        ("Field", Plain, "The field."),
    ]),
    Table("StandAloneSig", "A signature without a name: the types of a method's local variables, or of a call through a pointer.", &[
        ("Signature", Hex, "Where in #Blob it is."),
    ]),
    Table("EventMap", "A type has events.", &[
        ("Parent", Plain, "The type."),
        ("EventList", Plain, "The first of its events; they end where those of the next row begin."),
    ]),
    Table("EventPtr", "The order of events, in metadata that was edited.", &[("Event", Plain, "The row of Event that is meant.")]),
    Table("Event", "An event; its methods are found by MethodSemantics.", &[
        ("EventFlags", Parts(bits::MEMBER), "Whether its name is special."),
        ("Name", Hex, NAME),
        ("EventType", Hex, "The delegate type of its handlers."),
    ]),
    Table("PropertyMap", "A type has properties.", &[
        ("Parent", Plain, "The type."),
        ("PropertyList", Plain, "The first of its properties; they end where those of the next row begin."),
    ]),
    Table("PropertyPtr", "The order of properties, in metadata that was edited.", &[("Property", Plain, "The row of Property that is meant.")]),
    Table("Property", "A property; its getter and setter are found by MethodSemantics.", &[
        ("Flags", Parts(bits::MEMBER), "Whether its name is special, and whether it has a constant."),
        ("Name", Hex, NAME),
        ("Type", Hex, "Where in #Blob its signature is: its type, and those of an indexer's parameters."),
    ]),
    Table("MethodSemantics", "A method is the getter, the adder or the like of a property or event.", &[
        ("Semantics", Flags(bits::SEMANTICS), "Which of them it is."),
        ("Method", Plain, "The method."),
        ("Association", Hex, "The property or event."),
    ]),
    Table("MethodImpl", "A method overrides another that its name and signature alone would not: explicit implementations.", &[
        ("Class", Plain, "The type in which this holds."),
        ("MethodBody", Hex, "The method that is called."),
        ("MethodDeclaration", Hex, "The method that it overrides."),
    ]),
    Table("ModuleRef", "Another module that is used: a native library of a P/Invoke, or a file of the same assembly.", &[("Name", Hex, "Its file name.")]),
    Table("TypeSpec", "A type that only a signature can say: an array, a generic type with arguments, a type parameter.", &[
        ("Signature", Hex, "Where in #Blob it is."),
    ]),
    Table("ImplMap", "A method is implemented in a native library: P/Invoke.", &[
        ("MappingFlags", Parts(bits::PINVOKE), "How it is called, and how strings are handed over."),
        ("MemberForwarded", Hex, "The method."),
        ("ImportName", Hex, "What the library exports it as."),
        ("ImportScope", Plain, "The library."),
    ]),
    Table("FieldRVA", "A static field begins with bytes of the image: how array initializers are kept.", &[
        ("RVA", Rva, "Where the bytes are in the loaded image."),
        ("Field", Plain, "The field."),
    ]),
    Table("EncLog", "What an edit did, in order.", &[
        ("Token", Token, "What changed, by its token in the whole."),
        ("FuncCode", OneOf(bits::ENC), "What happened to it. What is added comes in the next row."),
    ]),
    Table("EncMap", "Which rows of the whole the rows of an edit are, sorted.", &[("Token", Token, "The token in the whole.")]),
    Table("Assembly", "The assembly that this module is the manifest of, in one row.", &[
        ("HashAlgId", OneOf(bits::HASHES), "How the hashes of its other files were made."),
        ("MajorVersion", Plain, "The first part of its version."),
        ("MinorVersion", Plain, "The second part of its version."),
        ("BuildNumber", Plain, "The third part of its version."),
        ("RevisionNumber", Plain, "The fourth part of its version."),
        ("Flags", Parts(bits::ASSEMBLY), "Whether the key is a whole one, and what the JIT should keep for debuggers."),
        ("PublicKey", Hex, "Where in #Blob the public key is that it was signed with; nil where it was not."),
        ("Name", Hex, "Its simple name, without .dll."),
        ("Culture", Hex, "The language of a satellite assembly; none for code."),
    ]),
    Table("AssemblyProcessor", "A processor that the assembly is for; nobody writes or reads it.", &[("Processor", Plain, "The processor.")]),
    Table("AssemblyOS", "An operating system that the assembly is for; nobody writes or reads it.", &[
        ("OSPlatformID", Plain, "The platform."),
        ("OSMajorVersion", Plain, "Its major version."),
        ("OSMinorVersion", Plain, "Its minor version."),
    ]),
    Table("AssemblyRef", "Another assembly that this one uses.", &[
        ("MajorVersion", Plain, "The first part of the version that was compiled against."),
        ("MinorVersion", Plain, "The second part of the version that was compiled against."),
        ("BuildNumber", Plain, "The third part of the version that was compiled against."),
        ("RevisionNumber", Plain, "The fourth part of the version that was compiled against."),
        ("Flags", Parts(bits::ASSEMBLY), "Whether the key behind it is a whole one."),
        ("PublicKeyOrToken", Hex, PUBLIC_KEY_TOKEN),
        ("Name", Hex, "Its simple name, without .dll."),
        ("Culture", Hex, "The language of a satellite assembly; none for code."),
        ("HashValue", Hex, "Where in #Blob a hash of the file is; nil, mostly."),
    ]),
    Table("AssemblyRefProcessor", "A processor that a used assembly is for; nobody writes or reads it.", &[
        ("Processor", Plain, "The processor."),
        ("AssemblyRef", Plain, "The assembly."),
    ]),
    Table("AssemblyRefOS", "An operating system that a used assembly is for; nobody writes or reads it.", &[
        ("OSPlatformId", Plain, "The platform."),
        ("OSMajorVersion", Plain, "Its major version."),
        ("OSMinorVersion", Plain, "Its minor version."),
        ("AssemblyRef", Plain, "The assembly."),
    ]),
    Table("File", "Another file of this assembly.", &[
        ("Flags", OneOf(bits::FILE), "Whether it is a module or holds resources."),
        ("Name", Hex, "Its file name."),
        ("HashValue", Hex, "Where in #Blob its hash is."),
    ]),
    Table("ExportedType", "A type that this assembly offers and another file has: type forwarders above all.", &[
        ("Flags", Parts(bits::TYPE), "Who sees it, and whether it is a forwarder."),
        ("TypeDefId", Hex, "The row that it likely is in that file: a hint."),
        ("TypeName", Hex, "Its name."),
        ("TypeNamespace", Hex, "Its namespace; none where it is nested."),
        ("Implementation", Hex, "Where it is: another assembly, a file of this one, or the type that it is nested in."),
    ]),
    Table("ManifestResource", "A resource.", &[
        ("Offset", Hex, "Where it begins in the resources of the CLI header, or of the file that has it."),
        ("Flags", OneOf(bits::RESOURCE), "Who sees it."),
        ("Name", Hex, NAME),
        ("Implementation", Hex, "The file or assembly that has it; nil where it is this file."),
    ]),
    Table("NestedClass", "A type is nested in another.", &[
        ("NestedClass", Plain, "The inner type."),
        ("EnclosingClass", Plain, "The outer type."),
    ]),
    Table("GenericParam", "A type parameter of a type or method.", &[
        ("Number", Plain, "Which one, from 0: the number behind ! and !! in signatures."),
        ("Flags", Parts(bits::GENERIC_PARAM), "In or out, and what it must be able to do."),
        ("Owner", Hex, "The type or method."),
        ("Name", Hex, NAME),
    ]),
    Table("MethodSpec", "A generic method with its type arguments given.", &[
        ("Method", Hex, "The generic method."),
        ("Instantiation", Hex, "Where in #Blob the type arguments are."),
    ]),
    Table("GenericParamConstraint", "What a type parameter must derive from or implement.", &[
        ("Owner", Plain, "The type parameter."),
        ("Constraint", Hex, "The base type or interface."),
    ]),
    Table("Document", "A source file, by the path that the compiler saw.", &[
        ("Name", Hex, "Where in #Blob the path is, in parts."),
        ("HashAlgorithm", Guid, "How the hash was made."),
        ("Hash", Hex, "Where in #Blob the hash of the file's bytes is: whether a source is the right one is seen by it."),
        ("Language", Guid, "The language that it is written in."),
    ]),
    Table("MethodDebugInformation", "The sequence points of a method: row 3 is about the method of row 3.", &[
        ("Document", Plain, "The document that all of its points are in; nil where there are several, or no points."),
        ("SequencePoints", Hex, "Where in #Blob the points are; nil for a method without source."),
    ]),
    Table("LocalScope", "A range of IL in which variables and constants have names. Sorted by method; outer scopes come first.", &[
        ("Method", Plain, "The method."),
        ("ImportScope", Plain, "What is imported where it was written."),
        ("VariableList", Plain, "The first of its variables; they end where those of the next scope begin."),
        ("ConstantList", Plain, "The first of its constants; they end where those of the next scope begin."),
        ("StartOffset", IlOffset, "The first IL offset of the range."),
        ("Length", Plain, "How many bytes of IL it takes."),
    ]),
    Table("LocalVariable", "The name of a local variable.", &[
        ("Attributes", Flags(bits::LOCAL), "Whether debuggers show it."),
        ("Index", Plain, "Its slot: which of the types in the local signature is its own."),
        ("Name", Hex, NAME),
    ]),
    Table("LocalConstant", "A constant of a method: the compiled code has only its value.", &[
        ("Name", Hex, NAME),
        ("Signature", Hex, "Where in #Blob its type and its value are."),
    ]),
    Table("ImportScope", "What using, Imports or open brings into scope, for a debugger that evaluates expressions there.", &[
        ("Parent", Plain, "The scope around it: a file's is in the project's."),
        ("Imports", Hex, "Where in #Blob the imports are; nil where there are none."),
    ]),
    Table("StateMachineMethod", "An async method or iterator, and the method that the compiler moved its body to.", &[
        ("MoveNextMethod", Plain, "The method that has the body and the points."),
        ("KickoffMethod", Plain, "The method that the source has; it only starts the machine."),
    ]),
    Table("CustomDebugInformation", "Whatever else compilers want to say, about anything.", &[
        ("Parent", Hex, "What it is about."),
        ("Kind", Guid, "What it says, and in which form."),
        ("Value", Hex, "Where in #Blob it is said."),
    ]),
];

const fn columns() -> usize {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].2.len();
        table += 1;
    }
    count
}

/// A lesson for every column of every table.
pub(crate) const ROWS: &[Lesson] = &{
    let mut lessons = [lesson("", "", Plain, ""); columns()];
    let (mut at, mut table) = (0, 0);
    while table < TABLES.len() {
        let Table(name, _, columns) = &TABLES[table];
        let mut column = 0;
        while column < columns.len() {
            let (field, show, about) = columns[column];
            lessons[at] = lesson(name, field, show, about);
            (at, column) = (at + 1, column + 1);
        }
        table += 1;
    }
    lessons
};

/// A lesson for every table, as the record that a row is.
pub(crate) const RECORDS: &[Lesson] = &of_tables("");

/// A lesson for every table, as the field of the header that counts its rows.
pub(crate) const COUNTS: &[Lesson] = &of_tables("tables header");

const fn of_tables(record: &'static str) -> [Lesson; TABLES.len()] {
    let mut lessons = [lesson("", "", Plain, ""); TABLES.len()];
    let mut table = 0;
    while table < TABLES.len() {
        lessons[table] = lesson(record, TABLES[table].0, Plain, TABLES[table].1);
        table += 1;
    }
    lessons
}
