//! Frames of native code.

use super::*;
use pdblens_nodes::code_unit::CodeUnit;

#[test]
fn native_frames_are_lines_as_where_says() {
    let text =
        b"00 tally!clamp+0x19\n01 00000000`0014f9a0 00007ff6`12345678     tally!entry+0x4a\n02 KERNEL32!Start+0x14\n\
        03 tally.exe!add+0x20 [/src/native/tally.c @ 20]\n04 tally!nope+0x1\n05 Ticker!Main+0x1\n";
    let kept = trace(&["native", "ticker"], text);
    let shown = String::from_utf8(kept.text).unwrap();
    assert!(shown.starts_with("00 tally!clamp+0x19 in /src/native/tally.c:line 12 ~\n"), "{shown}");
    assert!(shown.contains("tally!entry+0x4a in /src/native/tally.c:line 28 ~\n"), "{shown}");
    // The callee is evidence where the frame above names it.
    let named = trace(&["native"], b"00 tally!add+0x20\n01 tally!entry+0x4a\n");
    let (.., Outcome::Resolved(found)) = &named.told[1] else { panic!("{:?}", named.told) };
    assert!(found.call.as_ref().is_some_and(|call| call.is_above), "{found:?}");
    // The innermost frame is at the instruction that was running; without an image the call before it is not known.
    let alone = trace(&["native"], b"00 tally!entry+0x4a\n");
    let [(_, _, Outcome::Resolved(found))] = alone.told.as_slice() else { panic!("{:?}", alone.told) };
    assert!(
        found.line == 27 && found.notes.iter().any(|note| note.text.ends_with("a caller its line would be 28")),
        "{found:?}"
    );
    let [clamp, entry, kernel, known, nope, managed] = kept.told.as_slice() else { panic!("{:?}", kept.told) };
    let session = Session::open(&[samples().join("native/tally.exe")]).unwrap();
    for (told, back) in [(clamp, 0), (entry, 1)] {
        let Outcome::Resolved(found) = &told.2 else { panic!("{told:?}") };
        // A caller is at the address that its callee returns to, and the line is that of the call.
        let shown = where_is::where_is(&session, found.code.unit(), found.offset.value() - back).shown().unwrap();
        assert_eq!((found.line, found.column), (shown.start_line, shown.start_column));
        let call = found.call.as_ref().map(|call| (call.sentence(), call.is_above));
        assert_eq!(call, (told.0 == 2).then(|| ("after the call to add at +0x45".to_owned(), false)));
        assert_eq!(
            found.notes.iter().any(|note| note.text.contains("line 27 comes after it")),
            told.0 == 2,
            "{found:?}"
        );
    }
    assert!(refused(&kernel.2).contains("no symbols of KERNEL32"));
    assert_eq!(known.2, Outcome::Known);
    assert!(refused(&nope.2).contains("has no function nope"));
    assert!(refused(&managed.2).contains("has no native code"));
}

#[test]
fn every_dialect_of_native_code_leads_to_the_same_line() {
    // clamp begins at 0x1060; 0x19 bytes on is line 12.
    let text = "Faulting module name: tally.exe, version: 0.0.0.0, time stamp: 0x00000000\n\
        Exception code: 0xc0000005\n\
        Fault offset: 0x0000000000001079\n\
        02 00000000`0014fa00 00007ff6`12345678     tally+0x1079\n\
        \x20  at tally!<BaseAddress>+0x1079\n\
        >\ttally.exe!clamp(int value, int low, int high) + 0x19 bytes\tC\n\
        \x200  tally.exe!clamp + 0x19\n\
        \x201  tally.exe + 0x1079\n\
        0|2|tally.exe|clamp|||0x19\n\
        0|2|tally.exe||||0x1079\n";
    let kept = trace(&["native"], text.as_bytes());
    assert_eq!(kept.told.len(), 8, "{:?}", kept.told);
    for (line, form, outcome) in &kept.told {
        let Outcome::Resolved(found) = outcome else { panic!("{line} {form}: {outcome:?}") };
        assert_eq!((found.line, found.offset.value(), found.code.name()), (12, 0x19, "clamp"), "{form}");
    }
    let shown = String::from_utf8(kept.text).unwrap();
    assert!(shown.contains("Fault offset: 0x0000000000001079 in /src/native/tally.c:line 12 ~\n"), "{shown}");
    assert!(shown.contains("0|2|tally.exe||/src/native/tally.c|12|0x1079\n"), "{shown}");
    // Without a module, and with code that no function has.
    let kept = trace(&["native"], b"Fault offset: 0x1079\nFaulting module name: tally.exe\nFault offset: 0x1\n");
    assert!(refused(&kept.told[0].2).contains("no line before it"), "{:?}", kept.told);
    assert!(refused(&kept.told[1].2).contains("no function with the code at 0x1"), "{:?}", kept.told);
    // Frames with their lines are counted, and functions without an offset are candidates.
    let kept = trace(&["native"], b">\ttally.exe!clamp(int) Line 12\tC\n 0  tally.exe!clamp [tally.c : 12 + 0x0]\n");
    assert_eq!(kept.told.iter().filter(|(.., outcome)| *outcome == Outcome::Known).count(), 2);
}

#[test]
fn an_address_in_memory_is_led_through_the_modules_that_the_text_says_are_loaded() {
    let frame = "02 00000000`0014fa00 00007ff6`12345678     0x00007ff6`12341079\n";
    let text = format!("ModLoad: 00007ff6`12340000 00007ff6`12360000   C:\\app\\tally.exe\n{frame}");
    let kept = trace(&["native"], text.as_bytes());
    let [(2, form, Outcome::Resolved(found))] = kept.told.as_slice() else { panic!("{:?}", kept.told) };
    assert_eq!((*form, found.line, found.offset.value(), found.code.name()), ("debugger, address", 12, 0x19, "clamp"));
    // Where nothing is said of the modules, an image may be where it prefers to be.
    let kept = trace(&["native"], b"02 00000000`0014fa00 00007ff6`12345678     0x00000001`40001079\n");
    let Outcome::Resolved(found) = &kept.told[0].2 else { panic!("{:?}", kept.told) };
    assert_eq!((found.line, found.offset.value()), (12, 0x19));
    assert!(refused(&trace(&["native"], frame.as_bytes()).told[0].2).contains("no line before it (ModLoad"));
    // A frame that has a name could be the function of that name.
    let named = trace(&["native"], b"0x00007ff612341079 (Unity) clamp\n");
    let Outcome::Candidates { found, refusal } = &named.told[0].2 else { panic!("{:?}", named.told) };
    assert!(
        found[0].code.name() == "clamp" && refusal.reason.contains("no line before it (ModLoad"),
        "{found:?} {refusal:?}"
    );
}

#[test]
fn methods_compiled_ahead_of_time_are_found_by_the_names_that_the_compiler_makes() {
    let read = |name: &str| std::fs::read(samples().join("native").join(name)).unwrap();
    let (image, mut pdb) = (read("tally.exe"), read("tally.pdb"));
    // What the AOT compiler would call the method mp of the type C.
    let named: Vec<usize> = pdb.windows(6).enumerate().filter(|(_, at)| *at == b"clamp\0").map(|(at, _)| at).collect();
    for at in named {
        pdb[at..at + 5].copy_from_slice(b"C__mp");
    }
    let session = Session::from_bytes(vec![("tally.exe".into(), image), ("tally.pdb".into(), pdb)]).unwrap();
    let mut tracer = Tracer::new(Vec::new()).with(Arc::new(session));
    let mut kept = Kept::default();
    tracer
        .run(&b"   at C.mp(Int32 value) + 0x19\n   at C.other() + 0x1\n   at C.mp() + 0x9999\n"[..], &mut kept)
        .unwrap();
    let [(1, _, Outcome::Resolved(found)), other, beyond] = kept.told.as_slice() else { panic!("{:?}", kept.told) };
    assert_eq!((found.line, found.offset.value(), found.code.name()), (12, 0x19, "C__mp"));
    let shown = String::from_utf8(kept.text).unwrap();
    assert!(shown.starts_with("   at C.mp(Int32 value) + 0x19 in /src/native/tally.c:line 12 ~\n"), "{shown}");
    assert!(found.notes.iter().any(|note| note.text == "C__mp is what the AOT compiler calls C.mp"), "{found:?}");
    assert!(refused(&other.2).contains("machine code") && refused(&beyond.2).contains("machine code"));
}

#[test]
fn what_debuggers_print_around_and_between_frames_hides_none_of_them() {
    for (text, wanted) in [
        // WinDbg: at the first instruction, with parameters (kp), names with spaces.
        ("00 000000a1`2d6ff8c8 00007ff6`1a2b10f0     tally!clamp\n", [0x1060, 0]),
        ("000000a1`2d6ff8c8 00007ff6`1a2b10f0 tally!clamp(int value = 0n3, int low = 0n1)+0x19\n", [0x1060, 0x19]),
        // Breakpad with parameters, Visual Studio after the margin of its window.
        (" 1  tally.exe!clamp(int, int, int) + 0x19\n", [0x1060, 0x19]),
        (" \ttally.exe!clamp(int value, int low, int high) + 0x19 bytes\tC\n", [0x1060, 0x19]),
        // Error reports.
        ("Event Name: APPCRASH\nP1: a.exe\nP4: tally.exe\nP7: c0000005\nP8: 0000000000001079\n", [0x1060, 0x19]),
        (
            "Sig[3].Name=Fault Module Name\nSig[3].Value=tally.exe\nSig[7].Name=Exception Offset\n\
          Sig[7].Value=00001079\n",
            [0x1060, 0x19],
        ),
        (
            "Faulting application a.exe, version 1.0, faulting module tally.exe, version 1.0, fault address 0x00001079.\n",
            [0x1060, 0x19],
        ),
    ] {
        let kept = trace(&["native"], text.as_bytes());
        let [(_, form, Outcome::Resolved(found))] = kept.told.as_slice() else { panic!("{text}: {:?}", kept.told) };
        assert_eq!(
            (found.code.unit(), found.offset.value()),
            (CodeUnit::Function(wanted[0]), wanted[1]),
            "{text} {form}"
        );
    }
}

#[test]
fn frames_that_nothing_resolves_are_counted() {
    for (text, reason) in [
        ("00 000000a1`2d6ff8c8 00007ff6`1a2b10f0     ntdll!DbgBreakPoint\n", "no symbols of ntdll"),
        ("00 0019f9a0 00401079 ntdll!A<int,B<char> >::push+0x2\n", "no symbols of ntdll"),
        ("01 (Inline Function) --------`--------     tally!clamp\n", "no frame below it has an address"),
        (" \tkernel32.dll!BaseThreadInitThunk()\tUnknown\n", "no symbols of kernel32.dll"),
        (" \tntdll.dll!00007ffb8ee02651()\tUnknown\n", "no symbols of ntdll.dll"),
        (" \ttally.exe!00007ffb8ee02651()\tUnknown\n", "only its address in memory"),
        (" \ttally.exe!clamp(int value, int low, int high)\tC\n", "no offset in the frame"),
        (" 5  0x7ff61a2b1079\n", "is an address in memory"),
        ("0|3|||||0x7ff61a2b1079\n", "is an address in memory"),
        // An unknown module is not the one of the event before.
        (
            "Faulting module name: tally.exe, version: 1\nFaulting module name: unknown, version: 0\nFault offset: 0x1079\n",
            "no line before it",
        ),
    ] {
        let kept = trace(&["native"], text.as_bytes());
        let [(_, form, outcome)] = kept.told.as_slice() else { panic!("{text}: {:?}", kept.told) };
        assert!(refused(outcome).contains(reason), "{text} {form}: {outcome:?}");
    }
}

#[test]
fn an_address_behind_a_call_is_a_line_of_the_call() {
    // The image is at its preferred base; add returns to entry+0x4a.
    let module = "ModLoad: 00000001`40000000 00000001`40010000   tally.exe\n";
    let text = |number: u32, address: &str| format!("0{number} 00000000`0014fa00 00000001`40001079     {address}\n");
    let session = Session::open(&[samples().join("native/tally.exe")]).unwrap();
    let entry = pdblens_nodes::resolve::functions_named(&session, "entry")[0];
    let entry = format!("0x00000001`{:08x}", 0x4000_0000 + entry + 0x4a);
    for before in [module, ""] {
        let both = format!("{before}{}{}", text(0, "0x00000001`40001079"), text(1, &entry));
        let lines: Vec<u32> = trace(&["native"], both.as_bytes())
            .told
            .iter()
            .map(|(.., outcome)| match outcome {
                Outcome::Resolved(found) => found.line,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(lines, [12, 28], "{before}");
        let alone = trace(&["native"], format!("{before}{}", text(1, &entry)).as_bytes());
        assert!(matches!(&alone.told[0].2, Outcome::Resolved(found) if found.line == 27), "{:?}", alone.told);
    }
}
