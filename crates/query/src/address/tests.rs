//! Tests of addresses: each prints as it is read, and the spellings of other tools lead to one answer in the prompt and in the commands.

use super::*;
use crate::ask::{Here, ask, code_address, line_address, parse_address, place};
use crate::breakpoint::bind;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::{self as nodes, Heap, Side, TableId, Token};
use std::ops::ControlFlow;

/// Rows of a list that are tried.
const MAX_ROWS: usize = 20;

fn open(file: &str) -> Session {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/");
    Session::open(&[format!("{samples}{file}").into()]).unwrap()
}

/// Lists of a session, and places of the rows at their beginning.
fn places(session: &Session) -> Vec<Place> {
    let mut lists = vec![Place::Documents, Place::Functions, Place::Types, Place::Ids, Place::Publics, Place::Globals];
    lists.extend([Place::Modules, Place::Names, Place::Contributions, Place::Methods, Place::Parts]);
    for (side, _) in Side::loaded(session) {
        lists.extend((0..64).map(|table| Place::Table(side, TableId(table))));
        lists.extend(Heap::ALL.map(|heap| Place::Heap(side, heap)));
    }
    lists.retain(|list| nodes::rows(session, *list).is_some_and(|rows| rows.len > 0));
    let mut found = lists.clone();
    for rows in lists.iter().filter_map(|list| nodes::rows(session, *list)) {
        found.extend((0..rows.len.min(MAX_ROWS)).filter_map(|row| rows.get(row)?.place));
    }
    found
}

/// The first methods and functions.
fn code(session: &Session) -> Vec<CodeUnit> {
    let mut found: Vec<CodeUnit> =
        (1..=session.methods()).take(MAX_ROWS).map(|row| Token::new(TableId::METHOD_DEF, row).into()).collect();
    if let Some(native) = NativeView::of(session) {
        let functions = native.functions().iter().take(MAX_ROWS);
        found.extend(functions.filter_map(|function| native.rva_of(function)).map(CodeUnit::Function));
    }
    found
}

#[test]
fn every_address_is_read_as_it_prints() {
    let [mut places_read, mut offsets_read, mut lines_read] = [0; 3];
    for file in ["ticker/Ticker.dll", "workshop/Workshop.dll", "workshop-windows/Workshop.dll", "parcel/parcel.exe"] {
        let session = open(file);
        for place in places(&session) {
            let address = Address::Place(place);
            assert_eq!(parse_address(&session, &address.to_string()), Ok(address.clone()), "{file} {address}");
            places_read += 1;
        }
        for of in code(&session) {
            let _ = code_unit::each_point(&session, of, &mut |point| {
                let code = Address::Code(OffsetQuery { of, offset: point.offset });
                assert_eq!(parse_address(&session, &code.to_string()), Ok(code.clone()), "{file} {code}");
                offsets_read += 1;
                if point.is_hidden() {
                    return ControlFlow::Continue(());
                }
                let column = (point.start_column > 0).then_some(point.start_column);
                for column in [None, column] {
                    let line = Address::Line(LineQuery::of(point.document, point.start_line, column));
                    assert_eq!(parse_address(&session, &line.to_string()), Ok(line.clone()), "{file} {line}");
                    lines_read += 1;
                }
                ControlFlow::Continue(())
            });
        }
    }
    assert!(places_read > 500 && offsets_read > 100 && lines_read > 200, "{places_read} {offsets_read} {lines_read}");
}

/// The place of the prompt, and of the PLACE argument of a command.
fn goes(session: &Session, text: &str) -> [Result<String, String>; 2] {
    let prompt = ask(session, text, Here::default()).map(|(place, _)| place).map_err(|error| error.to_string());
    [prompt, place(session, text).map_err(|why| why.text)].map(|found| found.map(|place| place.to_string()))
}

#[test]
fn spellings_of_an_offset_lead_to_it_in_the_prompt_and_in_where() {
    let managed = [
        "Ticker.Clock.Since+2",
        "Ticker.Clock::Since+2",
        "Ticker.Clock::Since(long)+0x2",
        "Clock::Since+IL_0002",
        "Clock.Since(Int64) IL_0002",
        "0x06000003+0x2",
        "0x06000003@2",
        "06000003:0002",
        "Ticker.dll!0x06000003+0x2",
        "method/Since/il/2",
        "at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x2",
        "Ticker.Clock.Since (System.Int64 t) [0x00002] in <3222a828d6ba470fac43bbba907b2f03>:0",
    ];
    let native = ["tally!clamp+0x4", "clamp+4", "0x1060+0x4", "0x1064", "tally+0x1064", "0001:00000064", "1:00000064"];
    for (session, spellings, of) in [
        (open("ticker/Ticker.dll"), managed.as_slice(), CodeUnit::Method(Token(0x0600_0003))),
        (open("native/tally.exe"), native.as_slice(), CodeUnit::Function(0x1060)),
    ] {
        let offset = if of.is_native() { 4 } else { 2 };
        for text in spellings {
            assert_eq!(parse_offset(&session, text), Ok(OffsetQuery { of, offset }), "{text}");
            let place = Ok(of.code(offset).to_string());
            assert_eq!(goes(&session, text), [place.clone(), place], "{text}");
        }
    }
}

#[test]
fn spellings_of_a_line_lead_to_it_in_the_prompt_and_in_break() {
    let session = open("ticker/Ticker.dll");
    let query = parse_line(&session, "Clock.cs:13").unwrap();
    let place = Ok(bind(&session, &query).hits[0].place().to_string());
    for text in [
        "Clock.cs:13",
        "clock.cs:13",
        "Clock.cs(13)",
        "Clock.cs:line 13",
        "ticker\\Clock.cs:13",
        "/_/ticker/Clock.cs:13",
        "\\_\\ticker\\Clock.cs(13)",
    ] {
        assert_eq!(parse_line(&session, text), Ok(query.clone()), "{text}");
        assert_eq!(goes(&session, text), [place.clone(), place.clone()], "{text}");
    }
    for text in ["Clock.cs:13:9", "Clock.cs(13,9)", "Clock.cs(13, 9)"] {
        assert_eq!(parse_line(&session, text), Ok(LineQuery { column: Some(9), ..query.clone() }), "{text}");
    }
    for text in ["Clock.cs(0)", "Clock.cs(x)", "(13)", "Clock.cs(13,x)", "Clock.cs:line x"] {
        assert!(split_line(text).is_none(), "{text}");
    }
}

#[test]
fn a_path_of_another_machine_is_that_of_the_longest_common_end() {
    let session = open("ticker/Ticker.dll");
    let query = parse_line(&session, "Clock.cs:13").unwrap();
    let place = goes(&session, "Clock.cs:13");
    for (text, differs) in [
        ("C:\\x\\Clock.cs:13", true),
        ("c:\\x\\TICKER\\clock.CS(13)", true),
        ("/home/other/x/Clock.cs:13", true),
        ("/home/other/ticker/Clock.cs:line 13", true),
        ("..\\x\\Clock.cs(13)", true),
        ("../ticker/Clock.cs:13", false),
        ("./Clock.cs:13", false),
    ] {
        let found = parse_line(&session, text).unwrap();
        let note = found.folder_note(&session).map(|note| note.text);
        let expected = differs.then(|| "folder differs: the PDB has /_/ticker/Clock.cs".to_owned());
        assert_eq!((&found.documents, found.line, note), (&query.documents, 13, expected), "{text}");
        assert_eq!(goes(&session, text), place, "{text}");
        let (_, said) = ask(&session, text, Here::default()).unwrap();
        assert_eq!(said.contains("folder differs"), differs, "{text}: {said}");
        let error = code_address(&session, text).unwrap_err().to_string();
        assert!(error.contains("is a source line, not an IL offset"), "{text}: {error}");
    }
    // A name that no document has, and a label before a path.
    for text in ["C:\\x\\Nowhere.cs:13", "crash 1: C:\\x\\Clock.cs:13"] {
        assert!(parse_line(&session, text).is_err() && goes(&session, text).iter().all(Result::is_err), "{text}");
    }
}

#[test]
fn spellings_of_rows_and_heaps_lead_to_one_place() {
    let session = open("ticker/Ticker.dll");
    for (text, place) in [
        ("06000003", "method/0x06000003"),
        ("0x6000003", "method/0x06000003"),
        ("Document/1", "document/1"),
        ("LocalScope/2", "table/LocalScope/2"),
        ("#72", "pdb/heap/blob/0x72"),
        ("#b5", "pdb/heap/blob/0xb5"),
        ("#Strings:0x1", "pdb/heap/strings/0x1"),
        ("#blob 0xb5", "pdb/heap/blob/0xb5"),
        ("#US:1", "pdb/heap/us/0x1"),
    ] {
        assert_eq!(goes(&session, text), [Ok(place.to_owned()), Ok(place.to_owned())], "{text}");
    }
}

#[test]
fn spellings_of_the_documentation_are_addresses() {
    let commands = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")).unwrap();
    let (_, table) = commands.split_once("| What | Spellings |").unwrap();
    let (managed, native) = (open("ticker/Ticker.dll"), open("native/tally.exe"));
    let mut read = 0;
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let session = if row.contains("native code") { &native } else { &managed };
        for text in row.split('`').skip(1).step_by(2) {
            let place = goes(session, text);
            assert!(place[0].is_ok() && place[0] == place[1], "{text}: {place:?}");
            // `where` and `break` read what the prompt does.
            let of_command = match row.split('|').nth(1).map(str::trim) {
                Some("a source line") => line_address(session, text).map(|query| bind(session, &query).hits[0].place()),
                Some(what) if what.starts_with("an offset") || what == "an IL offset" => {
                    code_address(session, text).map(|query| query.of.code(query.offset))
                }
                _ => continue,
            };
            assert_eq!(of_command.map(|place| place.to_string()).ok(), place[0].clone().ok(), "{text}");
            read += 1;
        }
    }
    assert!(read >= 20, "{read}");
}

#[test]
fn an_error_is_told_by_its_kind() {
    let session = open("ticker/Ticker.dll");
    let error = |text: &str| parse_address(&session, text).unwrap_err();
    assert!(error("Clock.Since(bool)").is_no_overload() && !error("Clock.Sinc").is_no_overload());
    assert!(matches!(error("Clock.Sinc").kind, AddressErrorKind::Unknown { noun: "method", .. }));
    assert_eq!(error("Clock.Sinc").to_string(), "no method named Clock.Sinc");
    assert!(error("tabels").with_nearest(&session).ends_with("did you mean \"tables\"?"));
    assert!(matches!(error("file 0xffffffff").kind, AddressErrorKind::Refused(_)));
    assert!(matches!(error("method/Since/ponts").kind, AddressErrorKind::Resolve(ResolveError::NotThere(_))));
    assert!(matches!(error("Clock.Since 15").kind, AddressErrorKind::NotAnOffset { .. }));
}

#[test]
fn an_error_has_the_part_of_the_text_that_is_wrong() {
    let session = open("ticker/Ticker.dll");
    let part = |text: &'static str, error: AddressError| text.get(error.at).unwrap_or(text);
    for (text, wrong) in [
        ("Clock.Sinc+0x2", "Clock.Sinc"),
        ("Clock.Since 15", "15"),
        ("Clock.Since(bool)+0x2", "bool"),
        (" Clock.Since+zz", "zz"),
        ("0x06000009+0x2", "0x06000009+0x2"),
    ] {
        assert_eq!(part(text, parse_offset(&session, text).unwrap_err()), wrong, "{text}");
    }
    for (text, wrong) in [("Nope.cs:13", "Nope.cs"), (" src/Nope.cs(13)", "src/Nope.cs"), ("Clock.cs", "Clock.cs")] {
        assert_eq!(part(text, parse_line(&session, text).unwrap_err()), wrong, "{text}");
    }
}

#[test]
fn numbers_of_rows_and_points_alone_are_no_addresses() {
    let session = open("ticker/Ticker.dll");
    for text in ["#18", "row 18", "point 3"] {
        assert!(parse_offset(&session, text).is_err() && parse_line(&session, text).is_err(), "{text}");
    }
    // `#18` is an offset of the blob heap, as mdv writes it.
    assert_eq!(goes(&session, "#18"), ["pdb/heap/blob/0x18"; 2].map(|place| Ok(place.to_owned())));
    for text in ["row 18", "point 3"] {
        assert!(goes(&session, text).iter().all(Result::is_err), "{text}: {:?}", goes(&session, text));
    }
}

#[test]
fn a_text_of_more_than_4_kilobytes_is_refused_at_once() {
    let session = open("ticker/Ticker.dll");
    for text in ["a/".repeat(25_000), format!("method/{}", "x.".repeat(3_000)), format!("0x{}", "0".repeat(4_096))] {
        let said = parse_address(&session, &text).unwrap_err().to_string();
        assert!(said.ends_with("bytes, and a place at most 4096"), "{said}");
    }
}
