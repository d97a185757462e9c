use super::*;

/// Each stack with its count, the innermost frame first: symbol, or address.
fn stacks(profile: &Profile) -> Vec<(Vec<String>, u64)> {
    let name = |number: &u32| {
        let frame = &profile.frames[*number as usize];
        let address = frame.address.map_or_else(|| "native".to_owned(), |address| format!("{address:#x}"));
        if frame.symbol.is_empty() { address } else { frame.symbol.clone() }
    };
    profile.stacks.iter().map(|stack| (stack.frames.iter().map(name).collect(), stack.count)).collect()
}

#[test]
fn perf_script_has_a_stack_for_each_sample() {
    let text = b"# captured on: now\n#\n\n\
        .NET TP Worker 12/34 [001]  5.678901:     250000 cpu-clock:ppp: \n\
        \tffffffff8158c221 next_uptodate_folio+0xc1 ([kernel.kallsyms])\n\
        \t    7f3e5bea43fe int64 [hot] Hot.Program::Mix(int32)[Tier0]+0x6e (/tmp/perf-12.map)\n\
        \t    7f3e5bea43f0 inner (inlined)\n\
        \t          112a76 [unknown] (/memfd:doublemapper (deleted))\n\
        \t               0 [unknown] ([unknown])\n\
        \n\
        cafe    56   5.7:          1 cycles:u: \n\
        \n\
        a b     56   5.8:          1 cycles:u:      7f3e5bea43fe M(a, b)+0x3 (/a b/c.so)\n\
        a b     56   5.8:          1 cycles:u:      7f3e5bea43fe M(a, b)+0x3 (/a b/c.so)\n\
        a remark\n";
    let profile = Profile::read(text).unwrap();
    let first = ["next_uptodate_folio", "int64 [hot] Hot.Program::Mix(int32)[Tier0]", "0x112a76", "0x0"];
    assert_eq!(
        stacks(&profile),
        [(first.map(str::to_owned).to_vec(), 1), (vec!["native".to_owned()], 1), (vec!["M(a, b)".to_owned()], 2)]
    );
    let files: Vec<_> = profile.frames.iter().map(|frame| (frame.process, frame.file.as_str())).collect();
    assert_eq!(
        files[..3],
        [(Some(12), "[kernel.kallsyms]"), (Some(12), "/tmp/perf-12.map"), (Some(12), "/memfd:doublemapper (deleted)")]
    );
    assert_eq!((files.last(), profile.unread, profile.total()), (Some(&(None, "/a b/c.so")), 1, 4));
}

#[test]
fn collapsed_stacks_end_with_their_counts() {
    let profile = Profile::read(b"Main;A.B(int, int);C 7\r\nMain;A.B(int, int);C 3\nMain 1\nno count\n").unwrap();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(stacks(&profile), [(owned(&["C", "A.B(int, int)", "Main"]), 10), (owned(&["Main"]), 1)]);
    assert_eq!((profile.unread, profile.total()), (1, 11));
}

#[test]
fn other_texts_are_no_profiles() {
    // A count above 32 bits, no stack before a count, and text.
    for text in ["a;b 99999999999999999999\n", " 7\n", "", "\n\n", "   at Ns.T.M() in a.cs:line 7a\n", "\u{fffd} \0"] {
        assert_eq!(Profile::read(text.as_bytes()), None, "{text}");
    }
    let most = Profile::read(b"a 4294967295\na 4294967295\n").unwrap();
    assert_eq!(most.total(), 2 * u64::from(u32::MAX));
}

#[test]
fn of_names_at_one_address_the_last_counts() {
    let entry = |start, size, name: &str| PerfMapEntry { start, size, name: name.to_owned() };
    let map =
        perf_map(b"7f00 40 void [A] T::M()[Tier0]\n6f00 8 stub\nno entry\n7f00 20 void [A] T::N()[Tier1]\n").unwrap();
    assert_eq!(map, [entry(0x6f00, 8, "stub"), entry(0x7f00, 0x20, "void [A] T::N()[Tier1]")]);
    assert_eq!(perf_map(b"no map\n"), None);
}
