//! Tests of cuts.

use super::*;
use crate::ui::glyphs::UNICODE;

#[test]
fn names_lose_their_middle_and_sentences_their_end() {
    let cut = |text, most| fit_name(text, most, &UNICODE).into_owned();
    assert_eq!(cut("Main", 8), "Main");
    assert_eq!(
        cut("Acme.Warehouse.Storage.Extensions170.ComputeRouteCore(long)", 31),
        "Acme.War…ComputeRouteCore(long)"
    );
    assert_eq!(cut("std::vector<int, std::allocator<int> >::push_back", 25), "std::vec…nt> >::push_back");
    assert_eq!(cut("<FromFileAsync>d__12.MoveNext()", 26), "<FromFileAsync>…MoveNext()");
    assert_eq!(cut("Json.Context.GetLazyString(string, Segment, bool)", 24), "…GetLazyString(…t, bool)");
    assert_eq!(
        cut("GetLazyString(string, Segment, bool)", 24),
        "GetLazyString(…ent, bool)".replace("ent", "nt").as_str()
    );
    assert_eq!(cut("std::ctype<char>::do_tolower(char) const", 24), "s…do_tolower(char) const");
    let frame = "at Ns.Sub.T.Initialize(String text, Int32 n) in App.dll:token 0x06000001+0x2";
    assert_eq!(cut(frame, 37), "at Ns.Sub.T.Initialize(String text, \u{2026}");
    assert_eq!(cut(frame, 20), "at \u{2026}Sub.T.Initialize");
    assert_eq!(cut(frame, 23), "at Ns.Sub.T.Initialize\u{2026}");
    for (text, wide, shown) in [
        // All of the name, and less of the parameters; else the name of the method alone.
        (
            "FH4::TryBlockMap4::TryBlockMap4(FH4::FuncInfo4const *, uint64_t)",
            44,
            "FH4::TryBlockMap4::TryBlockMap4(…, uint64_t)",
        ),
        ("std::out_of_range &(const std::out_of_range &)", 30, "std::out_of_range &(…_range &)"),
        ("Ns::Buffer::read(SmallRect const &, INFO *)", 24, "Ns::Buffer::read(…NFO *)"),
        ("Ns::Buffer::read(SmallRect const &, INFO *)", 18, "…read(… &, INFO *)"),
        ("ns::operator<(ns::first const &, ns::second const &)", 24, "ns::operator<(… const &)"),
        // These parentheses are of no call.
        ("ns::state<void (char const *, unsigned)>::value", 24, "ns::sta…nsigned)>::value"),
        ("__locale::__l2::<lambda_3e16ef>::()::__l2::<lambda_363eea>", 24, "__local…:<lambda_363eea>"),
    ] {
        assert_eq!(cut(text, wide), shown, "{text}");
        assert!(width(shown) <= wide);
    }
    assert_eq!(cut("both have the same id, which is long", 20), "both have the same …");
    assert_eq!(
        cut("stream 13 · module D:\\a\\_work\\1\\s\\build\\main.obj", 34),
        "stream 13 · module …build\\main.obj"
    );
    assert_eq!(cut("日本語日本語日本語", 9), "日…日本語");
    assert_eq!(cut(&"a".repeat(1_000_000), 7), "aa…aaaa");
}

#[test]
fn rows_that_differ_look_different() {
    let row = |text: &str, beside: &str| Row::plain(vec![Cell::new(text).beside(beside), Cell::new("m")]);
    let shown = |rows: &[Row], wide: usize| {
        let cut = distinct(rows, &|_| vec![(wide, 0), (1, 1)], &UNICODE);
        let text = |line| cut.get(&(line, 0)).cloned();
        (0..rows.len()).map(text).map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    let names = ["Stack<Parcel>::push_back", "Stack<Letter>::push_back", "other"].map(|name| row(name, ""));
    let cut = shown(&names, 12);
    assert!(cut[0] != cut[1] && cut[2].is_empty(), "{cut:?}");
    assert!(cut[0].contains("Par") && cut[1].contains("Let"), "{cut:?}");
    assert!(cut.iter().all(|text| width(text) <= 12), "{cut:?}");
    // A detail for which there is no room is a difference too.
    let cut = shown(&[row("ComputeOrder", "(long)"), row("ComputeOrder", "(int)")], 14);
    assert!(cut[0].contains("lo") && cut[1].contains("in"), "{cut:?}");
    assert_eq!(shown(&[row("same", ""), row("same", "")], 3), ["", ""]);
    let calls = ["Parse(Stream, string, Mode, int, Encoding)", "Parse(Stream, bytes, Mode, int, Encoding)"];
    let cut = shown(&calls.map(|name| row(name, "")), 22);
    assert!(cut[0].contains("Parse(") && cut[0].contains("str") && cut[1].contains("byt"), "{cut:?}");
    // A name that is cut is another one, whatever the other columns are.
    let rows = ["RunTheServerAndWaitForTheExit", "RunTheTrafficAndWaitForTheExit"].map(|name| row(name, ""));
    let rows = [rows[0].clone(), Row { cells: vec![rows[1].cells[0].clone(), Cell::new("n")], ..rows[1].clone() }];
    let cut = shown(&rows, 14);
    assert!(cut[0].contains("Ser") && cut[1].contains("Tra"), "{cut:?}");
    // One cut is enough where all that differs is at the start and at the end.
    let names = ["Build", "BuildInner"].map(|name| format!("Catch::{name}Object<__Frame"));
    let rows: Vec<Row> =
        names.iter().flat_map(|name| [3, 4].map(|number| row(&format!("{name}Handler{number}>"), ""))).collect();
    let cut = shown(&rows, 24);
    assert_eq!(cut.iter().collect::<BTreeSet<_>>().len(), 4, "{cut:?}");
    assert!(cut.iter().all(|text| text.matches('\u{2026}').count() == 1 && text.starts_with("Catch")), "{cut:?}");
    // Files of one name in other folders.
    let cut = shown(
        &["/src/server/alpha/shared/Backup.cs", "/src/server/omega/shared/Backup.cs"].map(|name| row(name, "")),
        18,
    );
    assert!(cut[0] != cut[1] && cut.iter().take(2).all(|text| text.ends_with("/Backup.cs")), "{cut:?}");
    // Differences at several places.
    let names = [("Shape", 0), ("Shape", 1), ("Alignment", 0), ("Alignment", 1)];
    let rows = names.map(|(name, variant)| row(&format!("enum2$<core::{name}>::Variant{variant}::NAME = 0"), ""));
    let cut: BTreeSet<String> = shown(&rows, 20).into_iter().collect();
    assert!(cut.len() == 4 && cut.iter().all(|text| width(text) <= 20), "{cut:?}");
}
