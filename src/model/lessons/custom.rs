//! Lessons on custom debug information.

use super::{Lesson, Show, lesson};

/// The kinds of local slots that are worth remapping, by number (Roslyn's `SynthesizedLocalKind`).
const SLOTS: [&str; 34] = [
    "the user's",
    "result of a condition",
    "lock taken",
    "locked object",
    "resource of a using",
    "enumerator of a foreach",
    "array of a foreach",
    "upper bound of a foreach",
    "index of a foreach",
    "pinned string",
    "object of a With",
    "limit of a For",
    "step of a For",
    "first value of a For",
    "direction of a For",
    "value of a Select Case",
    "On Error: active handler",
    "On Error: resume target",
    "On Error: current statement",
    "On Error: current line",
    "result of an async method",
    "result of a function",
    "exception pending over an await",
    "branch pending over an await",
    "catch pending over an await",
    "exception caught over an await",
    "exception of a filter with an await",
    "state of a state machine",
    "value kept over an await",
    "reference kept over an await",
    "closure",
    "cached delegate",
    "XML in an expression lambda",
    "awaiter",
];

/// A slot kind as it is stored: one more than its number, and with the highest bit where an ordinal follows.
const SLOT_KINDS: [(u64, &str); 69] = {
    let mut kinds = [(0, "temporary"); 69];
    let mut kind = 0;
    while kind < SLOTS.len() {
        kinds[1 + kind] = (kind as u64 + 1, SLOTS[kind]);
        kinds[35 + kind] = (kind as u64 + 0x81, SLOTS[kind]);
        kind += 1;
    }
    kinds
};

const REFERENCE_FLAGS: &[(u64, &str)] = &[(1, "assembly"), (2, "interop types embedded")];

pub(crate) const LESSONS: &[Lesson] = &[
    lesson(
        "",
        "hoisted local scope",
        Show::Plain,
        "Where a variable that lives in a field of the state machine is in scope: one record a slot.",
    ),
    lesson(
        "",
        "dynamic local variable",
        Show::Plain,
        "Which parts of the type are dynamic: metadata says object for all of them.",
    ),
    lesson(
        "",
        "tuple element names",
        Show::Plain,
        "The names of a tuple's elements, which its type does not have: (int low, int high) is ValueTuple<int, int>.",
    ),
    lesson(
        "",
        "default namespace",
        Show::Plain,
        "The root namespace of a Visual Basic project: it is around all of the source without being in it.",
    ),
    lesson(
        "",
        "local slot",
        Show::Plain,
        "Which syntax a slot of the locals belongs to, so that Edit and Continue can keep variables where they are.",
    ),
    lesson(
        "",
        "local slot baseline",
        Show::Plain,
        "From here on syntax offsets count from this: there are some before the method's body.",
    ),
    lesson(
        "",
        "lambda and closure map",
        Show::Plain,
        "Which syntax each lambda and closure belongs to, so that Edit and Continue can tell new ones from old.",
    ),
    lesson(
        "",
        "state machine state map",
        Show::Plain,
        "Which await or yield each state number belongs to, so that Edit and Continue can keep the numbers.",
    ),
    lesson(
        "",
        "async method stepping information",
        Show::Plain,
        "Where an async method suspends and resumes, so that a debugger can step over an await.",
    ),
    lesson("", "embedded source", Show::Plain, "The text of the document itself: it can be shown without the file."),
    lesson(
        "",
        "source link",
        Show::Plain,
        "Where on the web the sources are: JSON that maps paths of documents to URLs.",
    ),
    lesson(
        "",
        "metadata reference",
        Show::Plain,
        "A file that the module was compiled against: enough to find it on a symbol server and compile again.",
    ),
    lesson(
        "",
        "compilation option",
        Show::Plain,
        "Something that the compiler was told, as far as the module does not show it.",
    ),
    lesson(
        "",
        "type definition documents",
        Show::Plain,
        "Where a type without code is defined: no sequence point leads to an enum or an interface.",
    ),
    lesson(
        "",
        "primary constructor",
        Show::Plain,
        "The constructor is a primary one. There is nothing more to say, so there are no bytes.",
    ),
    lesson(
        "",
        "synthesized name snapshot",
        Show::Plain,
        "The names that the F# compiler made up, so that hot reload gives the same ones again.",
    ),
    lesson("", "custom debug information", Show::Plain, "Something of a kind that pdblens does not know."),
    lesson("hoisted local scope", "start offset", Show::IlOffset, "Where the variable comes into scope, in MoveNext."),
    lesson(
        "hoisted local scope",
        "length",
        Show::Plain,
        "How many bytes of IL it is in scope for; 0 if the slot is the compiler's own.",
    ),
    lesson(
        "dynamic local variable",
        "flags",
        Show::Plain,
        "A bit for each element of the type, in the order of its signature, lowest bit first; zeros at the end are left out.",
    ),
    lesson("tuple element names", "element name", Show::Plain, "The name of the next element; empty if it has none."),
    lesson("default namespace", "namespace", Show::Plain, "The namespace that is around all of the project's source."),
    lesson(
        "local slot",
        "slot kind",
        Show::OneOf(&SLOT_KINDS),
        "What the slot is for, plus one; the highest bit says that an ordinal follows.",
    ),
    lesson(
        "local slot",
        "syntax offset",
        Show::Plain,
        "Where the syntax stands that declares it: characters from the start of the method's body, less the baseline.",
    ),
    lesson("local slot", "ordinal", Show::Plain, "Which of the slots that the same syntax has."),
    lesson(
        "local slot baseline",
        "marker",
        Show::Hex,
        "0xFF: no slot, but the baseline of the syntax offsets behind it.",
    ),
    lesson(
        "local slot baseline",
        "syntax offset baseline",
        Show::Plain,
        "What syntax offsets count from, negated. Where nothing says so it is -1.",
    ),
    lesson(
        "lambda and closure map",
        "method ordinal",
        Show::Plain,
        "The number of the method, plus one. It is in the names that the compiler makes up: <Main>b__0_1.",
    ),
    lesson("lambda and closure map", "syntax offset baseline", Show::Plain, "What syntax offsets count from, negated."),
    lesson("lambda and closure map", "closure count", Show::Plain, "How many closures follow; lambdas fill the rest."),
    lesson(
        "lambda and closure map",
        "closure",
        Show::Plain,
        "A class that the compiler made for variables that lambdas share.",
    ),
    lesson(
        "closure",
        "syntax offset",
        Show::Plain,
        "Where the block stands that has the variables: characters from the start of the body, less the baseline.",
    ),
    lesson(
        "lambda and closure map",
        "lambda",
        Show::Plain,
        "A method that the compiler made from a lambda or a local function.",
    ),
    lesson(
        "lambda",
        "syntax offset",
        Show::Plain,
        "Where the lambda's body stands: characters from the start of the method's body, less the baseline.",
    ),
    lesson(
        "lambda",
        "closure ordinal",
        Show::OneOf(&[(0, "this alone"), (1, "nothing: static"), (2, "closure 0"), (3, "closure 1"), (4, "closure 2")]),
        "What the lambda closes over: 0 is this alone, 1 is nothing, 2 is the first closure.",
    ),
    lesson("state machine state map", "count", Show::Plain, "How many states follow."),
    lesson(
        "state machine state map",
        "syntax offset baseline",
        Show::Plain,
        "What syntax offsets count from, negated.",
    ),
    lesson(
        "state machine state map",
        "state",
        Show::Plain,
        "A place where the state machine suspends: an await or a yield return.",
    ),
    lesson(
        "state",
        "state number",
        Show::Plain,
        "The state that it is in while it is suspended there. Below -2: an iterator that is to clean up from there.",
    ),
    lesson(
        "state",
        "syntax offset",
        Show::Plain,
        "Where the await or yield stands: characters from the start of the body, less the baseline.",
    ),
    lesson("synthesized name snapshot", "version", Show::Plain, "The version of the format: 1."),
    lesson("synthesized name snapshot", "bucket count", Show::Plain, "How many buckets follow."),
    lesson("synthesized name snapshot", "bucket", Show::Plain, "The names that were made from one key."),
    lesson("bucket", "key length", Show::Plain, "How many bytes the key has."),
    lesson("bucket", "key", Show::Plain, "What the names were made from."),
    lesson("bucket", "name count", Show::Plain, "How many names follow."),
    lesson("bucket", "name length", Show::Plain, "How many bytes the name has."),
    lesson(
        "bucket",
        "name",
        Show::Plain,
        "A name. Their order is that in which they were given, and so part of what is remembered.",
    ),
    lesson(
        "async method stepping information",
        "catch handler offset",
        Show::Plain,
        "The IL offset of the handler that catches everything, plus one; 0 for none. An async void method has it: nobody awaits its exceptions.",
    ),
    lesson(
        "async method stepping information",
        "await",
        Show::Plain,
        "An await: where the method suspends, and where it goes on.",
    ),
    lesson(
        "await",
        "yield offset",
        Show::IlOffset,
        "Where the method gives up its thread. Stepping over the await begins here.",
    ),
    lesson(
        "await",
        "resume offset",
        Show::IlOffset,
        "Where the method goes on. A debugger puts a hidden breakpoint here.",
    ),
    lesson("await", "MoveNext method", Show::Row("MethodDef"), "The method in which it goes on."),
    lesson(
        "embedded source",
        "format",
        Show::Plain,
        "0: the text as it is. Above 0: deflated, and this is the size it inflates to.",
    ),
    lesson("embedded source", "content", Show::Plain, "The text, or its deflated bytes (RFC 1951)."),
    lesson(
        "source link",
        "JSON",
        Show::Plain,
        "Paths with a * at the end, and URLs with a * for what is behind the path.",
    ),
    lesson("type definition documents", "document", Show::Row("Document"), "A document with a part of the type."),
    lesson("custom debug information", "value", Show::Plain, "What it says, for those who know the kind."),
    lesson("primary constructor", "value", Show::Plain, "There should be no bytes."),
    lesson("metadata reference", "file name", Show::Plain, "The name of the file, without a folder."),
    lesson(
        "metadata reference",
        "aliases",
        Show::Plain,
        "The names that extern alias can call it by, with commas between.",
    ),
    lesson(
        "metadata reference",
        "flags",
        Show::Flags(REFERENCE_FLAGS),
        "Whether it is an assembly (or a netmodule), and whether its interop types were copied in.",
    ),
    lesson(
        "metadata reference",
        "time stamp",
        Show::Hex,
        "From its COFF header; with the size of image it is the file's key on a symbol server.",
    ),
    lesson(
        "metadata reference",
        "size of image",
        Show::Hex,
        "From its optional header; with the time stamp it is the file's key on a symbol server.",
    ),
    lesson(
        "metadata reference",
        "mvid",
        Show::Plain,
        "The version of its module: every build has another, unless nothing in it has changed.",
    ),
    lesson("compilation option", "name", Show::Plain, "What the option is called: language-version, nullable, define."),
    lesson("compilation option", "value", Show::Plain, "What it was set to."),
];

#[cfg(test)]
mod tests {
    use super::super::il::tests::without_lesson;
    use crate::formats::portable::custom::tests::EXAMPLES;
    use crate::formats::portable::custom::{self, primary_constructor};

    #[test]
    fn every_field_of_every_kind_has_a_lesson() {
        let unexpected: (_, &[u8]) = (primary_constructor::GUID, &[0]);
        for (kind, blob) in EXAMPLES.iter().chain([&unexpected]).filter(|(_, blob)| !blob.is_empty()) {
            let missing = without_lesson(blob, |c| custom::explain(*kind, c));
            assert_eq!(missing, [] as [String; 0], "{kind}");
        }
    }
}
