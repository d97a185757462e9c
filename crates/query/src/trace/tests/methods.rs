//! Frames that lead to methods, not to lines.

use super::*;

#[test]
fn frames_with_a_token_or_an_offset_of_machine_code_lead_to_their_method() {
    let text = "   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002\n\
        \x20  at Faults.Program.<>c.<Main>b__0_1() in Faults.dll:token 0x600000f+\n\
        \x20  at Faults.Program.Other(String text) in Faults.dll:token 0x6000002\n\
        \x20  at Faults.Program.Parse(String text) + 0x2d\n\
        Faults!Faults.Program+<>c.<Main>b__0_1()+0x12\n\
        \x20  at Faults.Program.Nope(String text) + 0x2d\n\
        \tFaults.dll!Faults.Program.Main.AnonymousMethod__0_1()\tC#\n\
        \tFaults.dll!Faults.Warehouse<int>.RestockAsync.__Check|2_0(int n)\tC#\n\
        \x20 Faults!Faults.Program.Parse(class System.String)\n\
        000000AB2C97EA30 00007FFC0B5D4A12 Faults.Program.Parse(System.String)\n\
        \x20 at <unknown> <0xffffffff>\n";
    let kept = trace(&["faults"], text.as_bytes());
    assert_eq!(String::from_utf8_lossy(&kept.text), text);
    let found: Vec<(&str, u32)> = kept
        .told
        .iter()
        .map(|(_, form, outcome)| match outcome {
            Outcome::Candidates { found, .. } => (*form, found[0].lines[0].first),
            _ => (*form, 0),
        })
        .collect();
    let (token, native, studio) = ("token alone", "native offset", "Visual Studio");
    let wanted = [
        (token, 38),
        (token, 19),
        (token, 0),
        (native, 38),
        (native, 19),
        (native, 0),
        (studio, 19),
        (studio, 67),
        ("dotnet-stack", 38),
        ("SOS", 38),
        (native, 0),
    ];
    assert_eq!(found, wanted, "{:?}", kept.told);
    assert!(refused(&kept.told[2].2).contains("is Faults.Program.Parse there"));
    // Evidence of the call is there without an offset too.
    let Outcome::Candidates { found: calling, refusal } = &kept.told[1].2 else { panic!("{:?}", kept.told) };
    assert_eq!((calling[0].lines[0].calls.as_slice(), &refusal.cause), ([19].as_slice(), &Cause::NoOffset));
    assert!(matches!(&kept.told[4].2, Outcome::Candidates { refusal, .. } if refusal.cause == Cause::MachineCode));
}
