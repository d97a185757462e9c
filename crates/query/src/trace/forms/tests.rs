use super::Offset::{ExactIl, Il, Inlined, Line, Native, Precompiled};
use super::*;
use pdblens_formats::metadata::Token;

/// The only frame of a line.
fn only(form: &str, line: &str) -> Frame {
    let found = frames(line.as_bytes());
    assert!(prefilter::may_matter(line.as_bytes()), "{line}");
    let [(found, frame)] = found.as_slice() else { panic!("{line}: {found:?}") };
    assert_eq!(*found, form, "{line}");
    frame.clone()
}

/// A line with the edit of its frame applied.
fn edited(form: &str, line: &str) -> String {
    let (range, new) = only(form, line).edit.text("/P.cs", 7).unwrap_or_else(|| panic!("{line}"));
    format!("{}{new}{}", &line[..range.start], &line[range.end..])
}

#[test]
fn every_form_reads_its_example() {
    for (index, form) in FORMS.iter().enumerate() {
        assert!(compile(form.pattern).is_some(), "{}", form.pattern);
        let found = frame_of(index, form.example.as_bytes(), 0);
        assert!(found.is_some(), "{}: {}\n{}", form.name, form.example, expanded(form.pattern));
        only(form.name, form.example);
    }
    assert!(ALL.is_some());
}

#[test]
fn the_prefilter_passes_no_frame() {
    let lines = FORMS.iter().map(|form| form.example).chain(FRAMES.iter().map(|(_, line, ..)| *line));
    for line in lines.map(str::as_bytes) {
        for cut in [&line[..line.len() / 2], &line[line.len() / 2..], &line[..line.len() - 1], &line[1..], line] {
            for cut in [cut.to_vec(), [cut, b" \r\n"].concat()] {
                let text = String::from_utf8_lossy(&cut);
                let mut found = Vec::new();
                add_frames(cut.trim_ascii_end(), 0..cut.len(), &mut found);
                assert!(prefilter::may_matter(&cut) || found.is_empty(), "{text}");
            }
        }
    }
}

/// Lines with one frame: its form, the name of its method, and its position.
const FRAMES: &[(&str, &str, &str, Offset)] = &[
    (
        "ProductionStackTrace",
        "   at T!0x0600001e!Ns.W`1+<R>d__2.MoveNext() +0x6d",
        "Ns.W`1+<R>d__2.MoveNext",
        ExactIl(0x6d),
    ),
    (
        "in-process crash report",
        "11-27 10:30:34.123  4812  4812 F DOTNET_CRASH:   #02 [1] Ns.D`2[System.String,System.Int32].Add + 0x10 (token=0x6000002)",
        "Ns.D`2[System.String,System.Int32].Add",
        ExactIl(0x10),
    ),
    (
        "in-process crash report",
        "  #10 (in App) <R>d__2.MoveNext + 0xbe (token=0x6000010)",
        "<R>d__2.MoveNext",
        ExactIl(0xbe),
    ),
    ("in-process crash report", "  #00 [0] T.M + 0x2 (token=0x6000002) in /P.cs:line 7", "T.M", Line(7)),
    ("in-process crash report", "  #00 (in App) token=0x6000003 + 0x1f", "", ExactIl(0x1f)),
    ("in-process crash report", "  #00 [12] 0x6000003 0x1f", "", ExactIl(0x1f)),
    ("in-process crash report", "  #00 [12] 0x06000003", "", Offset::None),
    (
        "token and IL offset",
        "12:00 ERR    at Ns.T.M(String[] args) in App (x86).dll:token 0x6000001+0x139 ",
        "Ns.T.M",
        Il(0x139),
    ),
    ("token and IL offset", "   at A`1.<M>g__C|2_0(Int32 n) in A.dll:token 0x6000003+0x2a", "A`1.<M>g__C|2_0", Il(42)),
    (
        "token and IL offset",
        "x at D.M[TKey, TValue](Func`2 f) in A.dll:token 0x6000003+0x2a",
        "D.M[TKey, TValue]",
        Il(42),
    ),
    ("token and IL offset", "at T.P(Int32(Int32) f, (X) y) in A.dll:token 0x6000003+0x2a", "T.P", Il(42)),
    (
        "name only",
        "   at A.T`1[[B.D`2[C.L`1[System.String], System.Int32[]], X, Version=1.0]].M(String s)",
        "A.T`1[[B.D`2[C.L`1[System.String], System.Int32[]], X, Version=1.0]].M",
        Offset::None,
    ),
    ("token and IL offset", "   at T.N(Int32 count)+MoveNext() in A.dll:token 0x6000003+0x2a", "T.N", Il(42)),
    ("token and IL offset", "   at T.N(Int32 n)+I<B>.GetResult() in A.dll:token 0x6000003+0x2a", "T.N", Il(42)),
    ("token and IL offset", "   bei T.M() in A.dll:Token 0x6000003+0x2a", "T.M", Il(42)),
    ("token and IL offset", "   at T.M() in A.dll: token 0x6000003+0x2a", "T.M", Il(42)),
    ("token alone", "   at T.M() in A.dll:token 0x6000003+ ", "T.M", Offset::None),
    ("Mono", "  at Ns.T:.ctor () [0x0000a] in <3e054b69bbad4294b9d89cf6f7a035e2>:0 ", "Ns.T..ctor", Il(10)),
    ("Mono", "Ns.T:M (long) [0x0a] in <3e054b69bbad4294b9d89cf6f7a035e2#1>:0", "Ns.T.M", Il(10)),
    ("Mono", "  at A::B () [0x00000] in <3e054b69bbad4294b9d89cf6f7a035e2>:0", "A::B", Il(0)),
    ("Mono", "  at T.M () [0x0000a] in C:\\src\\P.cs:11 ", "T.M", Line(11)),
    ("Mono", "  at T.M () [0x0000a] in <filename unknown>:0 ", "T.M", Il(10)),
    ("Mono", "  at Ns.T:M (long) <IL 0x0000f, 0x00096>", "Ns.T.M", Il(15)),
    ("Unity", "Ns.T:M(Int32, String) (at Assets/My (old)/T.cs:12)", "Ns.T.M", Line(12)),
    ("Unity", "Ns.T+<R>d__2:MoveNext () (at C:/a b/T.cs:7)", "Ns.T+<R>d__2.MoveNext", Line(7)),
    ("Unity", "T..ctor (System.Int32 n) (at <00000000000000000000000000000000>:0)", "T..ctor", Offset::None),
    ("Unity player", "Faults.Program:Parse (string)", "Faults.Program.Parse", Offset::None),
    ("Unity player", "UnityEngine.Debug:Log(Object)", "UnityEngine.Debug.Log", Offset::None),
    ("Unity player", "  Ns.T/Inner:.ctor (System.Int32 n,string[]) ", "Ns.T/Inner..ctor", Offset::None),
    ("Unity player", "Ns.T/<Run>d__2:MoveNext ()", "Ns.T/<Run>d__2.MoveNext", Offset::None),
    ("Unity player", "Player:Hit (int,UnityEngine.Collider)", "Player.Hit", Offset::None),
    ("Unity player, crash", "0x0000020E7B2A3B33 (Mono JIT Code) Ns.T:Parse (string)", "Ns.T.Parse", Offset::None),
    ("Unity player, crash", "0x0000020E7B2A3B33 (Mono JIT Code) [P.cs:45] Ns.T:Parse (string)", "Ns.T.Parse", Line(45)),
    (
        "Unity player, crash",
        "0x0000020E7B2A3B33 (Mono JIT Code) (wrapper runtime-invoke) <Module>:invoke (object)",
        "<Module>.invoke",
        Offset::None,
    ),
    ("Unity player, crash", "  0x00007ff6c1b31050 (Unity) Walker::Get ", "Walker::Get", Native(0x7ff6_c1b3_1050)),
    ("Unity player, crash", "0x00007ff6c1b31050 (Unity) (function-name not available)", "", Native(0x7ff6_c1b3_1050)),
    ("Unity player, crash", "0x00007ff6c1b31050 (Unity) ", "", Native(0x7ff6_c1b3_1050)),
    ("Visual Studio", ">tally.exe!ns::T::f(void (*)(int)) + 0x40 bytes\tC++", "ns::T::f", Native(0x40)),
    ("Visual Studio", "\t[Inline Frame] tally.exe!add(int) Line 20\tC++", "add", Line(20)),
    ("Visual Studio", "\tApp.dll!Ns.T.M(string s) Line 45 + 0x5 bytes\tC#", "Ns.T.M", Line(45)),
    ("Visual Studio", " \tntdll.dll!00007ffb8ee02651()\tUnknown", "", Offset::None),
    ("Android", "   at Ns.Runner.RunAsync + 0x2db  ", "Ns.Runner.RunAsync", Il(0x2db)),
    ("Breakpad, machine-readable", "0|0|tally.exe|clamp|tally.c|12|0x0", "clamp", Line(12)),
    ("Breakpad, machine-readable", "0|3|||||0x7ff612341079", "", Native(0x7ff6_1234_1079)),
    ("Breakpad", " 0  tally.exe!ns::T::f(int, char) [C:\\my src\\tally.c : 12]", "ns::T::f", Line(12)),
    ("Breakpad", " 1  tally.exe!clamp(int, int, int) + 0x19", "clamp", Native(0x19)),
    ("Breakpad", " 2  tally.exe + 0x1079", "", Native(0x1079)),
    ("Breakpad", " 3  0x7ff612341079", "", Native(0x7ff6_1234_1079)),
    ("native offset", "00 000000 App!Ns.A+B.M(System.String)+0x2a", "Ns.A+B.M", Native(0x2a)),
    ("native offset", "00 000000 App!clamp(int value = 0n3, int low = 0n1)+0x19", "clamp", Native(0x19)),
    ("native offset", "00 000000 App!clamp(int value = 0n3)+0x19 [C:\\my src\\tally.c @ 12] ", "clamp", Line(12)),
    ("native offset", "00 (Inline Function) --------`--------     App!clamp(int value = 0n3)+0x19", "clamp", Inlined),
    ("native offset", "00 000000 App!T::operator()+0x2a", "T::operator()", Native(0x2a)),
    ("native offset", "   Ns.T.M() +39", "Ns.T.M", Native(39)),
    ("native offset", "  at Ns.T.M () <0x00012 + 0x00034> in <0>:0 ", "Ns.T.M", Native(0x34)),
    ("native offset", "  at Ns.T.M () <0x41f1e100 + 0x00034> 57 in <0>:0 ", "Ns.T.M", Native(0x34)),
    ("native offset", "Throw at offset 78 in file:line:column C:\\a b\\P.cs:12:5", "Throw", Line(12)),
    ("native offset", "  at <unknown> <0x41f1e100>", "<unknown>", Il(u32::MAX)),
    ("debugger", "tally.exe!ns::T::operator+=+0x1f", "ns::T::operator+=", Native(0x1f)),
    ("debugger", "tally!entry+0x40 [/src/my app/tally.c @ 28]", "entry", Line(28)),
    ("debugger", "tally!entry+0x40 in /src/tally.c:line 28", "entry", Line(28)),
    ("debugger", "00 0019f9a0 00401079 tally!entry in /src/tally.c:line 28 ~", "entry", Line(28)),
    ("debugger", "00 0019f9a0 00401079 tally!entry", "entry", Native(0)),
    ("debugger", "01 (Inline Function) --------`--------     tally!add", "add", Inlined),
    ("debugger", "02 (Inline Function) --------`--------     tally!add+0x5", "add", Inlined),
    ("debugger", "00 0019f9a0 00401079 tally!entry [/src/my app/tally.c @ 28] ", "entry", Line(28)),
    ("debugger", "tally!A<int,B<char> >::push+0x2", "A<int,B<char> >::push", Native(2)),
    ("debugger", "tally!operator new+0x2", "operator new", Native(2)),
    ("debugger", "tally!`dynamic initializer for 'x''+0x2", "`dynamic initializer for 'x''", Native(2)),
    ("debugger", "   at App!<BaseAddress>+0x1079", "", Native(0x1079)),
    ("debugger, module and offset", "02 00000000`0014fa00 00007ff6`12345678     tally+0x1079", "", Native(0x1079)),
    (
        "debugger, address",
        "02 00000000`0014fa00 00007ff6`12345678     0x00007ff6`12341079 ",
        "",
        Native(0x7ff6_1234_1079),
    ),
    ("event log", "  Exception Offset:\t00001079", "", Native(0x1079)),
    ("file and line", "   at T.M() in C:\\my src\\P (1).cs:line 12", "T.M", Line(12)),
    ("file and line", "   at T.M() in /P.cs:line 12 ~ ", "T.M", Line(12)),
    ("file and line", "   at T.M() in /P.cs:line 12 (build in doubt)", "T.M", Line(12)),
    ("file and line", "   bei T.M() in C:\\P.cs:Zeile 12.", "T.M", Line(12)),
    ("SOS", "000000AB2C97E9E8 00007FFC0B5D4A99 A.B.C(System.String) [/src/a b.cs @ 45]", "A.B.C", Line(45)),
    ("SOS", "000000AB2C97EA30 00007FFC0B5D4A12 A.B+<>c.<Main>b__0_1()", "A.B+<>c.<Main>b__0_1", Offset::None),
    ("SOS", "0019f9a0 00401079 A.B.C(Int32[])", "A.B.C", Offset::None),
    ("SOS", "000000AB2C97EA30 00007FFC0B5D4A12 [InlinedCallFrame: 000000ab2c97ec90] A.B.C()", "A.B.C", Offset::None),
    ("dotnet-stack", "  A!B+<>c.<Main>b__0_1()", "B+<>c.<Main>b__0_1", Offset::None),
    ("name only", "   at Faults.Program.Numbers(Int32 count)+MoveNext() ", "Faults.Program.Numbers", Offset::None),
    ("name only", "   \u{e0} A.B(C d)", "A.B", Offset::None),
    ("name only", "   at lambda_method1(Closure, String)", "lambda_method1", Offset::None),
    ("name only", "   at lambda_method(Closure , Object )", "lambda_method", Offset::None),
    ("name only", "   at Main()", "Main", Offset::None),
    ("name only", "   at async Task Faults.Program.Main(string[] args)", "Faults.Program.Main", Offset::None),
    ("name only", "   at void Faults.Program.Parse(string text)", "Faults.Program.Parse", Offset::None),
    ("name only", "   at async Task<Dictionary<string, int>> A.B(string text)", "A.B", Offset::None),
    ("name only", "   at (int a, string b) A.B()", "A.B", Offset::None),
    ("name only", "  at (wrapper managed-to-native) System.Foo.Bar (intptr)", "System.Foo.Bar", Offset::None),
    ("name only", "    C:\\my src\\P.cs(45,0): at A.B(String text)", "A.B", Line(45)),
    ("name only", "(see 45): at A.B(String text)", "A.B", Offset::None),
    (
        "perf",
        "\t7f1e2c3d4e59 void [App] Ns.D`2[System.__Canon,int]/Inner::Add(!0,class Ns.T[])[PreJIT]+0x29 (/tmp/perf-7.map)",
        "Ns.D`2[System.__Canon,int]/Inner.Add",
        Precompiled(0x29),
    ),
    ("perf", "\t7f1e2c3d4e59 void [App] Ns.T::M()[OptimizedTier1]+0x29 (/tmp/perf-7.map)", "Ns.T.M", Native(0x29)),
    ("module and offset", "frame 3: My.App!0x20359 of 9", "", Native(0x20359)),
    ("module and offset", "My.App.EXE+0x20359", "", Native(0x20359)),
];

#[test]
fn names_and_offsets_are_read() {
    for (form, line, name, offset) in FRAMES {
        let frame = only(form, line);
        assert_eq!((frame.name.as_str(), frame.offset), (*name, *offset), "{line}");
    }
}

#[test]
fn parameters_and_the_method_of_a_state_machine_are_read() {
    for (line, parameters, inner) in [
        ("at D.M[TKey, TValue](Func`2 f) in A.dll:token 0x6000003+0x2a", "Func`2 f", None),
        ("at T.P(Int32(Int32) f, (X) y) in A.dll:token 0x6000003+0x2a", "Int32(Int32) f, (X) y", None),
        ("   at T.N(Int32 n)+MoveNext() in A.dll:token 0x6000003+0x2a", "Int32 n", Some("MoveNext")),
        ("   at T.N(Int32 n)+I<B>.GetResult() in A.dll:token 0x6000003+0x2a", "Int32 n", Some("I<B>.GetResult")),
        ("0x0000020E7B2A3B33 (Mono JIT Code) [P.cs:45] Ns.T:Parse (string)", "string", None),
        ("A!B.C(valuetype D`1<class E>,int32)", "D`1<E>,int32", None),
        ("Ns.T/Inner:.ctor (System.Int32 n,string[]) ", "System.Int32 n,string[]", None),
    ] {
        let found = frames(line.as_bytes());
        let [(_, frame)] = found.as_slice() else { panic!("{line}: {found:?}") };
        assert_eq!((frame.parameters.as_deref(), frame.inner.as_deref()), (Some(parameters), inner), "{line}");
    }
}

#[test]
fn modules_are_read() {
    let file = |name: &str| Module::File(name.to_owned());
    let mvid = "3e054b69bbad4294b9d89cf6f7a035e2";
    for (line, module) in [
        ("at T.M() in App (x86).dll:token 0x6000001+0x139", file("App (x86).dll")),
        ("at T.M() in A.dll: token 0x6000003+0x2a", file("A.dll")),
        ("   at T!0x0600001e!Ns.T.M() +0x6d", Module::Footer("T".to_owned())),
        (&format!("T.M () [0x0f] in <{mvid}>:0"), Module::Mvid(mvid.parse().unwrap(), String::new())),
        (&format!("T.M () [0x0f] in <{mvid}#9>:0"), Module::Mvid(mvid.parse().unwrap(), String::new())),
        ("T.M () [0x0000a] in <filename unknown>:0 ", Module::Unknown),
        ("0x0000020E7B2A3B33 (Mono JIT Code) Ns.T:Parse (string)", Module::Unknown),
        ("0x00007ff6c1b31050 (Unity) f", Module::Loaded),
        (">\ttally.exe!clamp(int value, int low, int high) Line 12\tC", file("tally.exe")),
        (" \tkernel32.dll!BaseThreadInitThunk()\tUnknown", file("kernel32.dll")),
        ("0|1|tally.exe|clamp|||0x19", file("tally.exe")),
        ("0|3|||||0x7ff612341079", Module::Loaded),
        (" 2  tally.exe + 0x1079", file("tally.exe")),
        (" 3  0x7ff612341079", Module::Loaded),
        ("00 000000 App!Ns.A+B.M(System.String)+0x2a", file("App")),
        ("00 0019f9a0 00401079 tally!entry", file("tally")),
        ("   at App!<BaseAddress>+0x1079", file("App")),
        ("0014fa00 12345678     0x12341079", Module::Loaded),
        ("Fault offset: 0x1079", Module::Faulting),
        ("  A.il!B.C()", file("A.il")),
    ] {
        let found = frames(line.as_bytes());
        let [(_, frame)] = found.as_slice() else { panic!("{line}: {found:?}") };
        assert_eq!(frame.module, module, "{line}");
    }
    assert_eq!(only("token alone", "   at T.M() in A.dll:token 0x6000003").token, Some(Token(0x0600_0003)));
}

#[test]
fn a_line_goes_where_the_form_has_it() {
    for (form, line, wanted) in [
        (
            "ProductionStackTrace",
            "   at T!0x0600001e!Ns.T.M() +0x6d",
            "   at T!0x0600001e!Ns.T.M() +0x6d in /P.cs:line 7",
        ),
        ("token and IL offset", "at T.M() in A (x86).dll:token 0x6000001+0x139 ", "at T.M() in /P.cs:line 7 "),
        ("token and IL offset", "bei T.M() in A.dll:Token 0x6000003+0x2a", "bei T.M() in /P.cs:Zeile 7"),
        ("Mono", "  at T.M () [0x0a] in <3e054b69bbad4294b9d89cf6f7a035e2>:0 ", "  at T.M () [0x0a] in /P.cs:7 "),
        ("Mono", "T.M (long) <IL 0x0000f, 0x00096>", "T.M (long) <IL 0x0000f, 0x00096> in /P.cs:line 7"),
        ("Android", "E at Ns.R.A + 0x2db(Unknown Source)", "E at Ns.R.A + 0x2db in /P.cs:line 7"),
        ("Breakpad, machine-readable", "0|1|tally.exe|clamp|||0x19", "0|1|tally.exe|clamp|/P.cs|7|0x19"),
        ("native offset", "  at T.M () <0x1 + 0x34> in <0>:0 ", "  at T.M () <0x1 + 0x34> in /P.cs:7 "),
        (
            "native offset",
            "M at offset 7 in file:line:column <filename unknown>:0:0",
            "M at offset 7 in file:line:column /P.cs:7:0",
        ),
        ("Visual Studio", "tally.exe!f(int) + 0x40 bytes\tC", "tally.exe!f(int) + 0x40 bytes in /P.cs:line 7\tC"),
        ("debugger", "00 0019f9a0 00401079 tally!entry ", "00 0019f9a0 00401079 tally!entry in /P.cs:line 7 "),
    ] {
        assert_eq!(edited(form, line), wanted, "{line}");
    }
    assert_eq!(only("Mono", "  at T.M () [0x0000a] in C:\\src\\P.cs:11 ").edit, Edit::None);
}

/// Lines that only look as if they had a frame.
const NO_FRAMES: &[&str] = &[
    "+0x1",
    "0x1+0x2",
    "token 0x1+0x2",
    ":token 0x1+0x2",
    "a.dll:token 0x1+0x2",
    "M() in a.dll: 0x1+0x2",
    "M() a.dll:token 0x1+0x2",
    "at M() in a.dll:token 0x123456789+0x2",
    "at M() in a.dll:token 0x+0x2",
    "at M() in a.dll:token 0x1+0x",
    "at T.M() in A.dll:token 0x2000003",
    "see 0x6000003",
    "!0x",
    "!0x1",
    "!0x1!",
    "A!0x1!M",
    "A!0x1!M()",
    "A!0x1!M() 0x2",
    "!0x1!M() +0x2",
    "A!0x1! M() +0x2",
    "<IL 0x1, 0x2>",
    "M () <IL 0x1>",
    "M () <IL 0x1, 0x2",
    "M () <IL 0x, 0x2>",
    "a <IL 0x1, 0x2>",
    "[0x",
    "[0x1]",
    "M() [0x1]",
    "M() [0x1] in ",
    "M() [0x1] in <x",
    "M() [0x1 in <x>:0",
    "x [0x1] in <x>:0",
    " (at ",
    "M() (at x)",
    "T:M() (at :3)",
    "T:M() (at x:3",
    "T:M() (at x:y)",
    "T:M (at x:3)",
    "0x1234 (Unity) f",
    "0x00007ff6c1b31050 (a remark of words) f",
    "0x00007ff6c1b31050 f",
    "0x00007ff6c1b31050 (Mono JIT Code)",
    "warning:deprecated (use the other one)",
    "Error:failed (42)",
    "Note: see (Appendix)",
    "http://example.com (string)",
    "example.com:admin (root)",
    "12:30:05 (UTC)",
    "Status:done (ok)",
    "Ready:Go ()",
    "call Ns.T:M (string)",
    "Ns.T:M (string) failed",
    "std::vector (int)",
    "main.c:12 (int)",
    "C:\\temp (old)",
    "Key:value (Some remark here)",
    "!",
    "a!f()",
    "a!f() Line",
    "a b!(x) Line 1",
    "oh! f(x) Line 1",
    "call a.b!f()",
    "a.b!f",
    "+ 0x1(Unknown Source)",
    "(Unknown Source)",
    "M 0x1(Unknown Source)",
    "look at Ns.T + 0x7",
    "at offset + 0x7",
    "at Ns.T.M + 0x7 bytes",
    "at end. + 0x7",
    "3  0x12",
    "3  0x7ff612341079 b",
    "1  + 0x1",
    "1 + 0x1",
    " 0  a b + 0x1",
    "12",
    " 0  x",
    "    rax = 0x0 rdx = 0x1",
    "3  x]",
    "a|b|c|d|e|f|g",
    "0|1|x|||0x1",
    "Module|tally.exe||tally.pdb|ABC|0x1|0x2|1",
    "+",
    ")+",
    "M() +0x2a",
    "a + b",
    "f(x) + g(y)",
    " at offset 7",
    "x) + 0xz",
    "() <0x1>",
    "at <unknown> <0x",
    "a+0x1",
    "a.dll+0x1!",
    "App!0x06000001!M",
    "x tally+0x1079",
    "12345678 a b+0x1",
    "12345678 tally+0x1!",
    "what!+0x1",
    "!f+0x1",
    "stop! now+0x1",
    "a!f+0x",
    "a!f+0x1z",
    "a!f",
    "0x00007ff6`12341079",
    "12345678 0x12",
    "x 0x0000000012345678",
    "12345678 12345678",
    "12345678 0x1234567z",
    "Fault offset: none",
    "3: see a list",
    "12:30: std::x is broken.",
    "a: b::c",
    "7:",
    "3: 0x12 x::y",
    "thread 'main' panicked at lunch",
    ":line 12",
    "in x:line 12",
    "M() in x:line",
    "M() x:line 3",
    "M() in :line 3",
    "M() in a::f12",
    "000000AB2C97EC60 00007ffc6b33b8d3 [GCFrame: 000000ab2c97ec60] ",
    "000000AB2C97EC60 A.B.C()",
    "000000AB2C97EC60 00007ffc6b33b8d3",
    "000000AB2C97EC60 00007ffc6b33b8d3 call (now)",
    "call A!B.C()",
    "A!B.C() now",
    "oh!",
    "stop! see(x)",
    "A!f()",
    "    at Module.mono_wasm_invoke (dotnet.native.8.0.1.js:1:223344)",
    "    at A.b (http://localhost:5000/_framework/blazor.js:3:33)",
    "at",
    "look at f(x)",
    "  #00 [0] 0x40aaaa (libsynthetic.so + 0x40)",
    "#12 [3] 0x7f4ac318c9cf",
    "#00 [0] 0x6000003 in the cache",
    "call A.B(c)",
    "at A.B(c) now",
    "at A.B",
    "at least(two)",
    "    at foo (bar.js:12:3)",
    "look at Main()",
    "at the end A.B(c)",
    "at (see below) A.B(c)",
    "at most once(ish)",
    "INFO  Listening at http://localhost:8080 (debug)",
];

#[test]
fn what_only_looks_like_a_frame_is_left_alone() {
    let wrong: Vec<&&str> = NO_FRAMES.iter().filter(|line| !frames(line.as_bytes()).is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_line_may_have_several_frames() {
    let one = "   at A.B() in x.dll:token 0x6000001+0x1";
    let found = frames(one.repeat(3).as_bytes());
    assert_eq!(
        found.iter().map(|(_, frame)| frame.range.start).collect::<Vec<_>>(),
        [3, 3 + one.len(), 3 + 2 * one.len()]
    );
    // A line of several pieces keeps the positions of its frames.
    let long = format!("{}{one}", " ".repeat(2 * MAX_PIECE));
    assert_eq!(frames(long.as_bytes())[0].1.range.end, long.len());
}

#[test]
fn a_frame_may_lie_across_the_border_of_two_pieces() {
    let one = "   at A.B() in x.dll:token 0x6000001+0x1";
    for before in MAX_PIECE - one.len() - 4..MAX_PIECE + 4 {
        let line = format!("{}{one}{one}", ".".repeat(before));
        let found: Vec<usize> = frames(line.as_bytes()).iter().map(|(_, frame)| frame.range.start - before).collect();
        assert_eq!(found, [3, 3 + one.len()], "{before}");
    }
    // The rest of a frame is no frame of its own, and a border is no end of a line.
    let line = format!("{}{one}", ".".repeat(MAX_PIECE + MAX_OVERLAP - one.len() + 4));
    assert_eq!(frames(line.as_bytes()).len(), 1);
    let named = "   at A.B(String s) and more";
    let line = format!("{}{named}", ".".repeat(MAX_PIECE - named.len() + " and more".len()));
    assert_eq!(frames(line.as_bytes()), []);
}

#[test]
fn paths_are_read_as_they_are_written() {
    for (text, line, path) in [
        ("   at T.M() in C:\\my src\\P.cs:line 12", 12, "C:\\my src\\P.cs"),
        ("  bei T.M() in C:\\P12.cs:Zeile 12.", 12, "C:\\P12.cs"),
        ("tally!entry+0x40 [/src/my app/tally.c @ 28]", 28, "/src/my app/tally.c"),
        (" 0  tally.exe!clamp [tally.c : 12 + 0x0]", 12, "tally.c"),
        ("C:\\src\\P.cs(45,0): at A.B(String text)", 45, "C:\\src\\P.cs"),
        ("  at Ns.T.M (System.String s) [0x00012] in /src/P.cs:12 ", 12, "/src/P.cs"),
        ("Ns.T:M(Int32) (at Assets/Scripts/T.cs:12)", 12, "Assets/Scripts/T.cs"),
        ("0x0000020E7B2A3B33 (Mono JIT Code) [Program.cs:45] Ns.T:M (string)", 45, "Program.cs"),
        ("0|1|tally.exe|clamp|/src/tally.c|12|0x19", 12, "/src/tally.c"),
        ("Throw at offset 78 in file:line:column C:\\src\\P.cs:12:5", 12, "C:\\src\\P.cs"),
    ] {
        let [(_, frame)] = frames(text.as_bytes()).try_into().unwrap_or_else(|found| panic!("{text}: {found:?}"));
        assert_eq!((frame.offset, frame.path.as_deref()), (Line(line), Some(path)), "{text}");
    }
    assert_eq!(frames(b">\ttally.exe!clamp(int) Line 12\tC")[0].1.path, None);
}
