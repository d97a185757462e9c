//! The forms in which traces write their frames: a table with a regular expression for each.
//!
//! Each named group is a part of a frame; [`read`] makes a frame of them. `%NAME` in a pattern is replaced by one of
//! [`FRAGMENTS`]. The expressions look at bytes and take linear time. A new form is a row of [`FORMS`].

// Last steps of forms have one type; some of them refuse nothing.
#![allow(clippy::unnecessary_wraps)]

mod read;
#[cfg(test)]
mod tests;
mod whole;

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use pdblens_session::text::parameters::without_colon;
use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};

pub(super) use read::trimmed;

use super::frame::{Edit, Frame, Module, Offset};
use super::locales::LOCALES;
use super::prefilter;

/// Name of a form that the records of earlier lines also use.
pub(super) const EVENT_LOG: &str = "event log";
const IL_OFFSET: &str = "token and IL offset";
const NAME_ONLY: &str = "name only";
/// The most frames of one line.
const MAX_FRAMES: usize = 10_000;
/// Limit on the bytes that are looked at together; a longer line is looked at in pieces.
const MAX_PIECE: usize = 32 << 10;
/// Bytes after a piece that are looked at with it: the length of a frame at most.
const MAX_OVERLAP: usize = 4 << 10;
/// Limit on the memory of a compiled expression.
const MAX_COMPILED: usize = 32 << 20;

/// Format in which a trace writes its frames.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub name: &'static str,
    /// Program that writes it.
    pub origin: &'static str,
    pub example: &'static str,
    pattern: &'static str,
    /// Last step: completes a frame, or refuses what only looks like one.
    complete: fn(Frame) -> Option<Frame>,
}

/// Parts of expressions that several forms share.
const FRAGMENTS: &[(&str, &str)] = &[
    // A method, with the word for "at" before it. An iterator has the method of its state machine after it.
    (
        "%METHOD",
        r"(?:(?<at>[^ \t]+)[ \t]+)?(?<name>%NAME)[ \t]*\((?<parameters>%INSIDE)(?:\)\+(?<inner>%NAME)\([^()]*)?\)",
    ),
    // White space is in the brackets of type arguments alone. These nest: a list of dictionaries of lists has six levels.
    ("%NAME", r#"(?:[^\s"()\[\]]|%SQUARE1)+"#),
    ("%SQUARE1", r"\[(?:[^\[\]]|%SQUARE2)*\]"),
    ("%SQUARE2", r"\[(?:[^\[\]]|%SQUARE3)*\]"),
    ("%SQUARE3", r"\[(?:[^\[\]]|%SQUARE4)*\]"),
    ("%SQUARE4", r"\[(?:[^\[\]]|%SQUARE5)*\]"),
    ("%SQUARE5", r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"),
    // Parentheses in parameters are those of function pointers.
    ("%INSIDE", r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*"),
    // A file's name may have parentheses, and a space after them.
    ("%PATH", r"(?:[^)]|\)[^ ]|\) [^ ()]*[\\/])+?"),
    // The name of a function of native code has white space in brackets, in quotes and after `operator`.
    ("%FUNCTION", r"(?:%ANGLE|`[^`']*(?:'[^`' ]+')?[^`']*'|operator [\w:*&\[\]]+|[^\s(`])+"),
    // The line that a frame of a debugger has already: WinDbg and SOS write it so, and this program does.
    ("%PLACE", r"(?: in | \[)(?<path>[^\n]*?)(?::line | @ )(?<line>\d+)\]?%MARK"),
    // The mark that this program writes behind a line.
    ("%MARK", r"(?: ~| \(build in doubt\))?"),
    ("%MODULE", r"[\w.-]+"),
    ("%ADDRESS", "[0-9A-Fa-f`]{8,17}"),
    ("%INLINED", "(?<inlined>-{8}`-{8})"),
    ("%HEX", "[0-9A-Fa-f]{1,16}"),
    // Words that Demystifier writes before a method, and the type that it returns.
    ("%RETURNS", r"(?:%MODIFIER(?: +%MODIFIER)*(?: +%TYPE(?:%ANGLE[^ ]*)?)?|%TYPE(?:%ANGLE[^ ]*)?)"),
    ("%MODIFIER", "(?:async|ref|readonly|static|new)"),
    ("%ANGLE", "<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>"),
    // Types of parameters, by which frames are told from remarks in parentheses.
    ("%TYPES", r"%TYPE(?: [^ ,()]+)?(?: ?, ?%TYPE(?: [^ ,()]+)?)*"),
    ("%TYPE", r"(?:(?i:%KEYWORD)|%IDENTIFIER(?:[./]%IDENTIFIER)+|[A-Z\x80-\xff]%PART*)[&*?\[\]]*"),
    ("%IDENTIFIER", "[A-Za-z_<>`+\\[\\]|$\\x80-\\xff]%PART*"),
    ("%PART", "[\\w<>`+\\[\\]|$\\x80-\\xff]"),
    (
        "%KEYWORD",
        "bool|byte|char|decimal|double|dynamic|float|int|intptr|long|nint|nuint|object|sbyte|short|single|string|uint|uintptr\
         |ulong|ushort|void",
    ),
];

/// The forms of frames. Where two begin at the same place of a line, the first counts.
static FORMS: [Form; 40] = [
    Form {
        name: "ProductionStackTrace",
        origin: "ProductionStackTrace, whose footers identify the build of each assembly",
        example: "   at Faults!0x0600001e!Faults.Warehouse`1+<RestockAsync>d__2.MoveNext() +0x6d",
        pattern: r"(?:(?<at>[^ \t]+)[ \t]+)?(?<footer>[^\s!]+)!0x(?<token>%HEX)!(?<name>%NAME)\(
            (?<parameters>%INSIDE)\) \+0x(?<exact>%HEX)",
        complete: Some,
    },
    Form {
        name: "in-process crash report",
        origin: ".NET 11 and later, in a process that crashes; a table of modules follows the threads",
        example: "  #00 [0] Ticker.Clock.Since + 0x2 (token=0x6000003)",
        pattern: r"#\d{2,} (?:(?<footer>\[\d{1,5}\])|\(in (?<module>[^)]+)\)) (?<name>[^\s()]+) \+ 0x
            (?<exact>%HEX) \(token=0x(?<token>%HEX)\)(?:%PLACE)?",
        complete: Some,
    },
    Form {
        name: "in-process crash report",
        origin: ".NET 11 and later, in a process that crashes, without the name: the token of the method and the IL offset",
        example: "  #00 [0] 0x6000003 0x2",
        pattern: r"#\d{2,} (?:(?<footer>\[\d{1,5}\])|\(in (?<module>[^)]+)\)) (?:token=)?0x
            (?<token>0*6[0-9A-Fa-f]{6})(?:(?: \+)? 0x(?<exact>%HEX))?(?:%PLACE)?[ \t]*$",
        complete: Some,
    },
    Form {
        name: IL_OFFSET,
        origin: ".NET 6 and later with Switch.System.Diagnostics.StackTrace.ShowILOffsets",
        example: "   at App.Program.MethodA() in App.dll:token 0x6000002+0x6",
        pattern: r"%METHOD (?<within>\S+) (?<file>(?<module>%PATH):[ \t]*[^\s:]+[ \t]+0x(?<token>%HEX)\+0x(?<il>%HEX))",
        complete: Some,
    },
    Form {
        name: "token alone",
        origin: ".NET 6 and later, where a tool has cut the offset off",
        example: "   at App.Program.MethodA() in App.dll:token 0x6000002",
        pattern: r"%METHOD (?<within>\S+) (?<file>(?<module>%PATH):[ \t]*[^\s:]+[ \t]+0x
            (?<token>0*6[0-9A-Fa-f]{6}))\+?[ \t]*$",
        complete: Some,
    },
    Form {
        name: "Mono",
        origin: "Mono, and Unity's Mono, with the module version id in the place of the file where there are no symbols",
        example: "  at Ns.T.M (System.String s) [0x00012] in <a1b2c3d4e5f60718293a4b5c6d7e8f90>:0",
        // Behind a `#` comes the id of the AOT image.
        pattern: r"%METHOD[ \t]*\[0x(?<il>%HEX)\][ \t]*[^ \t]+[ \t]+(?:(?<colon><
            (?<mvid>[0-9A-Fa-f-]*)[^>]*>:\d+)|(?<path>[^<].*?):(?<line>\d+))",
        complete: of_mono,
    },
    Form {
        name: "Mono",
        origin: "Mono, in a crash: the IL offset, and the one in the machine code",
        example: "  at Ns.T.M (string) <IL 0x00012, 0x00096>",
        pattern: r"%METHOD[ \t]*<IL 0x(?<il>%HEX), 0x%HEX>",
        complete: of_mono,
    },
    Form {
        name: "Unity",
        origin: "Unity's console and the log of its player",
        example: "Ns.T:M(Int32, String) (at Assets/Scripts/T.cs:12)",
        pattern: r"(?<name>%NAME)[ \t]*\((?<parameters>%INSIDE)\) \(at (?:<
            (?<mvid>[0-9A-Fa-f-]*)[^>]*>:\d+|(?<path>[^<:]%PATH):(?<line>\d+))\)",
        complete: of_unity,
    },
    Form {
        name: "Unity player",
        origin: "Unity's player, where it writes no place",
        example: "Ns.Inventory:Parse (string,int[])",
        pattern: r"^[ \t]*(?<name>[A-Z_<\x80-\xff]%PART*(?:[./]%IDENTIFIER)+:\.?%IDENTIFIER(?:\.%IDENTIFIER)*)[ \t]*
            \((?<parameters> ?(?:%TYPES)? ?)\)[ \t]*$",
        complete: of_mono,
    },
    Form {
        name: "Unity player",
        origin: "Unity's player, for a type without a namespace: words in parentheses may be a remark",
        example: "Player:Hit (int,UnityEngine.Collider)",
        pattern: r"^[ \t]*(?<name>[A-Z_<\x80-\xff]%PART*:\.?%IDENTIFIER(?:\.%IDENTIFIER)*)[ \t]*
            \((?<parameters> ?%TYPE(?: ?, ?%TYPE)* ?)\)[ \t]*$",
        complete: of_mono,
    },
    Form {
        name: "Unity player, crash",
        origin: "Unity's player, in a crash: methods of managed code",
        example: "0x0000020E7B2A3B33 (Mono JIT Code) [Program.cs:45] Ns.T:M (string)",
        pattern: r"^[ \t]*0x[0-9A-Fa-f]{8,16} \(Mono JIT Code\)[ \t]*(?:\[(?<path>[^\]]*?)(?::(?<line>\d+))?\] )?(?:
            \(wrapper [^)]*\) )?(?<name>[^\s(][^(]*?)[ \t]*(?:\((?<parameters>%INSIDE)\)[ \t]*)?$",
        complete: of_mono,
    },
    Form {
        name: "Unity player, crash",
        origin: "Unity's player, in a crash: functions of native code",
        example: "0x00007ff6c1b31050 (Unity) StackWalker::GetCurrentCallstack",
        pattern: r"^[ \t]*0x(?<address>[0-9A-Fa-f]{8,16}) \((?:%MODULE|<[^)]*)\)[ \t]*(?:\[(?<path>[^\]]*?)(?::
            (?<line>\d+))?\] )?(?:\(function-name not available\)|(?<name>.*?))[ \t]*$",
        complete: in_loaded_module,
    },
    Form {
        name: "Visual Studio",
        origin: "The Call Stack window of Visual Studio, with lines or offsets",
        example: ">\ttally.exe!clamp(int value, int low, int high) Line 12\tC",
        pattern: r"(?:^|[ \t>])(?:\[Inline Frame\] )?(?<module>%MODULE)!(?:[0-9A-Fa-f]{8,}|(?<name>[^\s(][^(]*))\(
            (?<parameters>.*?)\)(?: Line (?<line>\d+)| \+ 0x(?<native>%HEX)[ \t]*bytes)",
        complete: Some,
    },
    Form {
        name: "Visual Studio",
        origin: "The Call Stack window of Visual Studio, without lines or without symbols",
        example: " \tkernel32.dll!BaseThreadInitThunk()\tUnknown",
        pattern: r"^[ \t>]*(?:\[Inline Frame\] )?(?<module>[\w-]*\.[\w.-]*)!(?:[0-9A-Fa-f]{8,}|
            (?<name>[^\s(][^(\t]*))\((?<parameters>[^\t]*)\) *(?:\t.*)?$",
        complete: Some,
    },
    Form {
        name: "Android",
        origin: ".NET on Android: a name and an IL offset, in the form of a Java frame",
        example: "E AndroidRuntime:   at Ns.Runner.RunAsync + 0x2db(Unknown Source)",
        pattern: r"(?:(?<at>[^ \t]+)[ \t]+)?(?<name>%NAME)[ \t]*\+[ \t]*0x(?<il>%HEX)(?<end>\(Unknown Source\))",
        complete: Some,
    },
    Form {
        name: "Android",
        origin: ".NET on Android, where the log was cut to the frames",
        example: "   at Ns.Runner.RunAsync + 0x2db",
        pattern: r"^[ \t]*%AT[ \t]+(?<name>%IDENTIFIER?[,\w<>`+\[\]|$.\x80-\xff]*\.%PART+)[ \t]*\+[ \t]*0x
            (?<il>%HEX)[ \t]*$",
        complete: Some,
    },
    Form {
        name: "Breakpad, machine-readable",
        origin: "minidump_stackwalk -m: thread, frame, module, function, file, line, offset",
        example: "0|1|tally.exe|clamp|||0x19",
        pattern: r"^\d+\|\d+\|(?<module>%MODULE)?\|(?<name>[^|(]*)[^|]*\|(?<piped>(?<path>[^|]*)\|(?<line>\d+)?)\|0x
            (?<native>%HEX)",
        complete: in_module_or_memory,
    },
    Form {
        name: "Breakpad",
        origin: "minidump_stackwalk, minidump-stackwalk and Crashpad's tools, with a line",
        example: " 0  tally.exe!clamp [tally.c : 12 + 0x0]",
        pattern: r"^[ \t]*\d+[ \t]{2,}(?<module>%MODULE)(?:!(?<name>[^(]*?)(?:
            \(.*?)?)? \[(?<path>.*?) : (?<line>\d+).*\][ \t]*$",
        complete: Some,
    },
    Form {
        name: "Breakpad",
        origin: "minidump_stackwalk, minidump-stackwalk and Crashpad's tools, without a line",
        example: " 1  tally.exe!entry + 0x40",
        pattern: r"^[ \t]*\d+[ \t]{2,}(?<module>%MODULE)(?:!(?<name>[^(]*?)(?:\(.*?)?)? \+ +0x(?<native>%HEX)[ \t]*$",
        complete: Some,
    },
    Form {
        name: "Breakpad",
        origin: "minidump_stackwalk, minidump-stackwalk and Crashpad's tools, in no module",
        example: " 3  0x7ff612341079",
        pattern: r"^[ \t]*\d+[ \t]{2,}0x(?<address>[0-9A-Fa-f]{8,16})[ \t]*$",
        complete: in_loaded_module,
    },
    Form {
        name: "native offset",
        origin: "NativeAOT, ASP.NET, and WinDbg for managed code and with kp",
        example: "   at Program.Main() + 0x2d",
        pattern: r"(?:(?:%INLINED|(?<at>[^ \t]+))[ \t]+)?(?:(?<module>%MODULE)!)?(?<name>%NAME)[ \t]*\(
            (?<parameters>%INSIDE)(?:\)\+(?<inner>%NAME)\([^()]*)?\)(?:(?: \+ |\+)0x(?<native>%HEX)|[ \t]*\+
            (?<decimal>\d+)\b)(?:%PLACE)?",
        complete: Some,
    },
    Form {
        name: "native offset",
        origin: "Mono: the address of the code, and the offset in it",
        example: "  at Ns.T.M () <0x41f1e100 + 0x00034> in <a1b2c3d4e5f60718293a4b5c6d7e8f90>:0",
        // After the offset may come the number of an AOT method.
        pattern: r"%METHOD[ \t]*<0x%HEX \+ 0x(?<native>%HEX)>(?:(?: \d+)? in (?<colon><[^>]*>:0))?",
        complete: Some,
    },
    Form {
        name: "native offset",
        origin: "StackFrame.ToString()",
        example: "Throw at offset 78 in file:line:column <filename unknown>:0:0",
        pattern: r"(?<name>%NAME)(?:[ \t]*\(
            (?<parameters>%INSIDE)\))? at offset (?<decimal>\d+) in file:line:column
            (?: (?<colon><filename unknown>:0)(?::0)?|(?<path>.*?):(?<line>[1-9]\d*):\d+%MARK[ \t]*$)?",
        complete: Some,
    },
    Form {
        name: "native offset",
        origin: "Mono, for a frame without a method",
        example: "  at <unknown> <0xffffffff>",
        pattern: "at (?<name><unknown>) <0x%HEX>",
        complete: |frame| Some(Frame { offset: Offset::Il(u32::MAX), ..frame }),
    },
    Form {
        name: "debugger",
        origin: "WinDbg, and NativeAOT with the address of the module",
        example: "01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x40",
        pattern: r"(?:^|[ \t])(?:(?:%INLINED|%ADDRESS)[ \t]+)?(?<module>%MODULE)!(?:<BaseAddress>|(?<name>%FUNCTION))\+0x
            (?<native>%HEX)(?:%PLACE|[ \t]|$)",
        complete: Some,
    },
    Form {
        name: "debugger",
        origin: "WinDbg, at the first instruction of a function",
        example: "00 0019f9a0 00401079 tally!entry",
        pattern: r"(?:^|[ \t])(?:%INLINED|%ADDRESS)[ \t]+(?<module>%MODULE)!(?<name>%FUNCTION)(?:%PLACE)?[ \t]*$",
        complete: at_start,
    },
    Form {
        name: "debugger, module and offset",
        origin: "WinDbg, without symbols",
        example: "02 00000000`0014fa00 00007ff6`12345678     tally+0x1079",
        pattern: r"(?:^|[ \t])(?:%ADDRESS|-{8}`-{8})[ \t]+(?<module>%MODULE)\+0x(?<native>%HEX)(?:[ \t]|$)",
        complete: Some,
    },
    Form {
        name: "module and offset",
        origin: "Process Explorer and exports of ETW: an address of the module",
        example: "System.Private.Uri.dll+0x20359",
        pattern: r"(?:^|[ \t])(?<module>%MODULE)(?:!|\.(?i:dll|exe)\+)0x(?<native>%HEX)(?:[ \t]|$)",
        complete: Some,
    },
    Form {
        name: "AddressSanitizer",
        origin: "AddressSanitizer on Windows: the address in memory, and that in the image, which counts from its preferred base",
        example: "    #0 0x7ff6a1b31002  (C:\\app\\tally.exe+0x140001002)",
        pattern: r"^[ \t]*#\d+ 0x[0-9A-Fa-f]+ .*?\((?:[^()]*[\\/])?(?<module>[\w-]*\.(?i:exe|dll))\+0x(?<native>%HEX)\)",
        complete: Some,
    },
    Form {
        name: "Boost.Stacktrace",
        origin: "Boost.Stacktrace 1.88 and later on Windows, without symbols: the address less that of the module",
        example: " 0# 0x0000000000001DE3 in C:\\app\\tally.exe",
        pattern: r"^[ \t]*\d+# 0x(?<native>%HEX) in (?:.*[\\/])?(?<module>[\w-]*\.(?i:exe|dll))[ \t]*$",
        complete: Some,
    },
    Form {
        name: "Boost.Stacktrace",
        origin: "Boost.Stacktrace and std::stacktrace of Visual C++, without symbols",
        example: " 3# tally+0x1079",
        pattern: r"^[ \t]*\d+[#>] (?<module>%MODULE)\+0x(?<native>%HEX)[ \t]*$",
        complete: Some,
    },
    Form {
        name: "perf",
        origin: "perf script, with the map that .NET writes (DOTNET_PerfMapEnabled): PreJIT is code of a ReadyToRun image",
        example: "\t7f1e2c3d4e59 instance void [System.Private.Uri] System.Uri::CreateThis(string,bool)[PreJIT]+0x29 (/tmp/perf-7.map)",
        pattern: r"\[(?<module>%MODULE)\] (?<name>%NAME)\((?<parameters>%INSIDE)\)(?:\[(?:PreJIT|ReadyToRun)\]\+0x(?<precompiled>%HEX)
            |\[\w+\]\+0x(?<native>%HEX))",
        complete: of_perf,
    },
    Form {
        name: "debugger, address",
        origin: "WinDbg, for an address without its module",
        example: "02 00000000`0014fa00 00007ff6`12345678     0x00007ff6`12341079",
        pattern: r"(?:^|[ \t])%ADDRESS[ \t]+0x(?<address>%ADDRESS)[ \t]*$",
        complete: in_loaded_module,
    },
    Form {
        name: EVENT_LOG,
        origin: "Event 1000 of Windows, Application Error, and reports of Windows Error Reporting",
        example: "Fault offset: 0x0000000000001079",
        pattern: r"(?:Fault offset:|Exception Offset:|Fault Offset:|, fault address )[ \t]*(?:0x)?(?<native>%HEX)",
        complete: |frame| Some(Frame { module: Module::Faulting, ..frame }),
    },
    Form {
        name: "file and line",
        origin: ".NET with symbols",
        example: "   at Ns.T.M(String[] args) in C:\\src\\P.cs:line 12",
        // The word for "line" in some language, and in some a full stop after the number.
        pattern: r"%METHOD (?<within>[^\s\[<(]\S*) (?<path>(?:%PATH)?[^:]):[A-Za-z\x80-\xff]*[ \t]*(?<line>\d+)\.?%MARK[ \t]*$",
        complete: Some,
    },
    Form {
        name: "SOS",
        origin: "!clrstack of the SOS debugger extension, and dotnet-dump",
        example: "000000AB2C97E9E8 00007FFC0B5D4A99 Ns.T.M(System.String) [/src/P.cs @ 45]",
        // A method may run in a helper frame; one without a method is of the runtime itself.
        pattern: r"^[ \t]*(?:[0-9A-Fa-f]{16} +[0-9A-Fa-f]{16}|[0-9A-Fa-f]{8} +[0-9A-Fa-f]{8}) +(?:\[[^\]]*\] +)?
            (?<name>[^\s!.()]+\.[^\s!()]+)\((?<parameters>%INSIDE)\)(?:%PLACE)?[ \t]*$",
        complete: Some,
    },
    Form {
        name: "dotnet-stack",
        origin: "dotnet-stack report, PerfView and dotnet-trace: module and method, with types as in IL",
        example: "  Faults!Faults.Program.Parse(class System.String)",
        pattern: r"^[ \t]*(?<module>%MODULE)!(?<name>[^\s!.()]+\.[^\s!()]+)\((?<parameters>%INSIDE)\)[ \t]*$",
        complete: without_kinds,
    },
    Form {
        name: NAME_ONLY,
        origin: ".NET without symbols; xUnit has the line before the method",
        example: "   at Ns.T.M(String[] args)",
        pattern: r"(?:^|[ \t]|(?<path>\S*\.\w+)\((?<line>\d+)(?:,\d+)*\): +)%AT[ \t]+(?<name>%NAME)[ \t]*
            \((?<parameters>%INSIDE)(?:\)\+(?<inner>%NAME)\([^()]*)?\)[ \t]*$",
        complete: of_a_type,
    },
    Form {
        name: "name only",
        origin: ".NET, for a method that was made at run time: it has no type",
        example: "   at lambda_method1(Closure, String)",
        pattern: r"^[ \t]*%AT[ \t]+(?<name>[A-Za-z_<\x80-\xff][\w<>`|$\x80-\xff]*)[ \t]*\((?<parameters> *
            (?:%TYPES)? *)\)[ \t]*$",
        complete: Some,
    },
    Form {
        name: "name only",
        origin: "Demystifier, which writes the type that a method returns, and Mono's wrappers",
        example: "   at async Task Ns.T.M(string[] args)",
        pattern: r"^[ \t]*%AT[ \t]+(?:\(wrapper [^)]*\)|\(%TYPE(?: [^ ,()]+)?,[^()]*\)|%RETURNS)[ \t]+
            (?<name>%NAME)[ \t]*
            \((?<parameters>%INSIDE)\)[ \t]*$",
        complete: of_a_type,
    },
];

/// Expressions of [`FORMS`], which are compiled when they are needed.
static COMPILED: [OnceLock<Option<Regex>>; FORMS.len()] = [const { OnceLock::new() }; FORMS.len()];

/// Expressions of all forms as one set: it excludes the forms that a line has no frame of.
static ALL: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let patterns = FORMS.iter().map(|form| expanded(form.pattern));
    RegexSetBuilder::new(patterns).unicode(false).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build().ok()
});

/// The frames of a line, in their order, with the names of their forms.
pub(crate) fn frames(line: &[u8]) -> Vec<(&'static str, Frame)> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if let Some(whole) = whole::frame(line) {
        return vec![whole];
    }
    by_expressions(line)
}

/// The frames of a line without its end that the expressions find.
fn by_expressions(line: &[u8]) -> Vec<(&'static str, Frame)> {
    let (mut found, mut from) = (Vec::new(), 0);
    if !prefilter::may_matter(line) {
        return found;
    }
    while from < line.len() {
        let end = line.len().min(from + MAX_PIECE);
        from = add_frames(line, from..end, &mut found).max(end);
    }
    found
}

/// Adds the frames that begin in a piece of a line, and returns the end of the last one. Each form is asked for its next frame only when
/// the last one that it named has been passed.
fn add_frames(line: &[u8], piece: Range<usize>, found: &mut Vec<(&'static str, Frame)>) -> usize {
    let mut from = piece.start;
    // A frame that begins in the piece may end in the next one. One that ends where the overlap does may be cut there.
    let overlap_end = line.len().min(piece.end + MAX_OVERLAP);
    let is_whole =
        |frame: &Frame| frame.range.start < piece.end && (frame.range.end < overlap_end || overlap_end == line.len());
    let text = line.get(..overlap_end).unwrap_or_default();
    let next_of = |form: usize, from: usize| frame_of(form, text, from).filter(is_whole);
    let searched = text.get(from..).unwrap_or_default();
    let Some(all) = ALL.as_ref() else { return from };
    let mut next: Vec<(usize, Frame)> =
        all.matches(searched).iter().filter_map(|form| Some((form, next_of(form, from)?))).collect();
    while found.len() < MAX_FRAMES {
        next.sort_by_key(|(form, frame)| (frame.range.start, *form));
        if next.is_empty() {
            break;
        }
        let (form, frame) = next.remove(0);
        from = frame.range.end.max(frame.range.start + 1);
        next.extend(next_of(form, from).map(|frame| (form, frame)));
        for (form, frame) in std::mem::take(&mut next) {
            let frame = if frame.range.start < from { next_of(form, from) } else { Some(frame) };
            next.extend(frame.map(|frame| (form, frame)));
        }
        found.extend(FORMS.get(form).map(|form| (form.name, frame)));
    }
    from
}

/// The first frame of a form, given by its number, that begins at or after an offset of a line.
fn frame_of(form: usize, line: &[u8], from: usize) -> Option<Frame> {
    let (form, compiled) = (FORMS.get(form)?, COMPILED.get(form)?);
    let regex = compiled.get_or_init(|| compile(form.pattern)).as_ref()?;
    let mut from = from;
    while let Some(captures) = regex.captures_at(line, from) {
        if let Some(frame) = read::frame(line, &captures).and_then(form.complete) {
            return Some(frame);
        }
        from = captures.get_match().end().max(from + 1);
    }
    None
}

/// Compiles an expression; `None` where it is malformed, which a test of each rules out.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&expanded(pattern)).unicode(false).size_limit(MAX_COMPILED).build().ok()
}

/// Captures of an expression in a line. Most lines have none: memory for the groups is allocated after a match.
pub(super) fn captures<'l>(regex: &LazyLock<Option<Regex>>, line: &'l [u8]) -> Option<Captures<'l>> {
    let regex = regex.as_ref()?;
    if regex.is_match(line) { regex.captures(line) } else { None }
}

/// An expression with the fragments in the place of their names. Line ends and the indentation after them are none of it.
fn expanded(pattern: &str) -> String {
    let mut pattern: String = pattern.split('\n').map(str::trim_start).collect();
    let at: Vec<&str> = LOCALES.iter().map(|[at, ..]| *at).collect();
    let at = format!("(?:{})", at.join("|"));
    // A fragment names only those after it; a longer name comes before one that it begins with.
    for (name, fragment) in FRAGMENTS {
        pattern = pattern.replace(name, fragment);
    }
    pattern.replace("%AT", &at)
}

/// A frame with a dot between type and method, where Mono and Unity write a colon.
fn of_mono(frame: Frame) -> Option<Frame> {
    Some(Frame { name: without_colon(&frame.name).into_owned(), ..frame })
}

/// A frame of perf, with a dot between type and method.
fn of_perf(frame: Frame) -> Option<Frame> {
    if frame.name.contains("::") { without_kinds(Frame { name: frame.name.replace("::", "."), ..frame }) } else { None }
}

/// A frame of Unity: its method has a type.
fn of_unity(frame: Frame) -> Option<Frame> {
    let frame = of_mono(frame)?;
    if frame.name.contains('.') { Some(frame) } else { None }
}

fn in_loaded_module(frame: Frame) -> Option<Frame> {
    Some(Frame { module: Module::Loaded, ..frame })
}

/// A frame in its module, else at an address in memory.
fn in_module_or_memory(frame: Frame) -> Option<Frame> {
    if frame.module == Module::Unknown { in_loaded_module(frame) } else { Some(frame) }
}

/// A frame without an offset, at the first instruction of its function.
fn at_start(frame: Frame) -> Option<Frame> {
    if frame.offset != Offset::None {
        return Some(frame);
    }
    let end = frame.range.end;
    Some(Frame { offset: Offset::Native(0), edit: Edit::In(end..end), ..frame })
}

/// A frame with a type before its method. A place of JavaScript (`dotnet.js:1:2233`) is refused: traces of Blazor have such frames too.
fn of_a_type(frame: Frame) -> Option<Frame> {
    let mut parts = frame.parameters.as_deref().unwrap_or_default().rsplit(':');
    let numbers = parts.by_ref().take(2).filter(|part| part.parse::<u32>().is_ok()).count();
    let is_script = numbers == 2 && parts.next().is_some();
    if frame.name.contains('.') && !is_script { Some(frame) } else { None }
}

/// A frame with the types of its parameters as they are in C#: without the words of IL before them.
fn without_kinds(frame: Frame) -> Option<Frame> {
    let parameters = frame.parameters.as_deref().unwrap_or_default();
    let parameters = parameters.replace("value class ", "").replace("valuetype ", "").replace("class ", "");
    Some(Frame { parameters: Some(parameters), ..frame })
}
