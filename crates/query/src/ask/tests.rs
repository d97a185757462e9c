//! Tests of everything that can be typed.

use super::*;
use crate::address::name_part;
use pdblens_nodes as nodes;

/// The answer, with the sentence of an error.
fn ask(session: &Session, typed: &str, here: Here) -> Result<(Place, String), String> {
    super::ask(session, typed, here).map_err(|error| error.to_string())
}

#[test]
fn everything_that_can_be_typed_leads_somewhere() {
    let session = Session::sample();
    let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, _)| place.to_string());
    for (typed, place) in [
        ("Ticker.pdb 0x607+5", "bytes/1/0x607+5"),
        ("Ticker.dll 0x7d4", "bytes/0/0x7d4+1"),
        ("stream 3", "pdb/metadata/streams/3"),
        ("0x06000003+0x1", "method/0x06000003/il/0x1"),
        ("Clock.Since+2", "method/0x06000003/il/0x2"),
        ("Clock.Since", "method/0x06000003"),
        ("0x06000003", "method/0x06000003"),
        ("0x6000003", "method/0x06000003"),
        ("0x02000003", "table/TypeDef/3"),
        ("#blob 0x1", "pdb/heap/blob/0x1"),
        ("image #us 1", "image/heap/us/0x1"),
        ("tables", "tables"),
        ("table/Document/1", "table/Document/1"),
        ("06000003", "method/0x06000003"),
        ("0x06000003+0x1", "method/0x06000003/il/0x1"),
        ("02000003", "table/TypeDef/3"),
        ("70000001", "image/heap/us/0x1"),
        ("Document/1", "document/1"),
        ("MethodDebugInformation/2", "table/MethodDebugInformation/2"),
        ("MethodDebugInformation 2", "table/MethodDebugInformation/2"),
        ("LocalScope", "table/LocalScope"),
        ("Clock::Since", "method/0x06000003"),
        ("Ticker.Clock::Since", "method/0x06000003"),
        ("Clock.Since(long)", "method/0x06000003"),
        ("Clock.Since/points", "method/0x06000003/points"),
        ("Clock.Since/points/2", "method/0x06000003/points/2"),
        ("Clock.Since:2", "method/0x06000003/il/0x2"),
        ("06000003:0002", "method/0x06000003/il/0x2"),
        ("0x06000003@0x2", "method/0x06000003/il/0x2"),
        ("0x6000003 0x2", "method/0x06000003/il/0x2"),
        ("Clock.Since(Int64) IL_0002", "method/0x06000003/il/0x2"),
        ("   at Ticker.Clock.Since(Int64 start)", "method/0x06000003"),
        ("at Ticker.Clock.Since(Int64 start) in /_/ticker/Clock.cs:line 13", "method/0x06000003/points/4"),
        ("at Ticker.Clock.Since(Int64 start) in /_/ticker/Clock.cs:line 13 ~", "method/0x06000003/points/4"),
        ("3222a828-d6ba-470f-ac43-bbba907b2f03", "pe/debug/0"),
        ("{E2BD27B9-7818-40A4-93DE-439BBBEABDD7}", "image/heap/guid/1"),
        ("debug directory", "pe/debug"),
        ("Ticker!Ticker.Clock.Since+0x1", "method/0x06000003/il/0x1"),
        ("0x2050", "method/0x06000001/body"),
        ("#Pdb", "pdb/metadata/pdb"),
    ] {
        assert_eq!(goes(typed).as_deref(), Ok(place), "{typed}");
    }
    assert!(goes("file 0x10").unwrap().ends_with("/0x10+1"));
    // As titles and dumps print them.
    for (typed, place) in [("#blob 0x0072+5", "pdb/heap/blob/0x72"), ("#blob 0072", "pdb/heap/blob/0x72")] {
        assert_eq!(goes(typed).as_deref(), Ok(place), "{typed}");
    }
    assert_eq!(
        [goes("file 2a3").unwrap(), goes("file 0x0002a3+5").unwrap()]
            .map(|place| place.split_once('/').unwrap().1[2..].to_owned()),
        ["0x2a3+1", "0x2a3+5"]
    );
    assert!(goes("file 0x10+0xffffff").is_err() && goes("#blob 0x1+x").is_err());
    // Frames with their module.
    for (typed, place) in [
        ("Ticker.dll!Ticker.Clock.Since", "method/0x06000003"),
        ("Ticker!Ticker.Clock.Since(long)", "method/0x06000003"),
        (">\tTicker.dll!Ticker.Clock.Since(long start) Line 13\tC#", "method/0x06000003/points/4"),
        ("Ticker.dll!Ticker.Clock.Since(long start) Line 13 C#", "method/0x06000003/points/4"),
        ("Ticker!Ticker.Clock.Since+0x5a [Clock.cs @ 13]", "method/0x06000003/points/4"),
        ("Ticker!Ticker.Clock.Since+0x5a [C:\\elsewhere\\Other.cs @ 13]", "method/0x06000003/points/4"),
        ("00 0019f9a0 00401079 Ticker!Ticker.Clock.Since+0x5a [Clock.cs @ 13]", "method/0x06000003/points/4"),
    ] {
        assert_eq!(goes(typed).as_deref(), Ok(place), "{typed}");
    }
    let (_, said) = ask(&session, "Ticker.dll!Ticker.Clock.Since(long start) Line 900 C#", Here::default()).unwrap();
    assert_eq!(said, "it has no code on line 900");
    assert!(goes("Other.dll!Ticker.Clock.Since(long start) Line 13 C#").is_err());
    assert!(goes("Clock.cs:11").unwrap().starts_with("method/0x06000003/points/"), "{:?}", goes("Clock.cs:11"));
    for typed in ["Clock.Since(Int64) 15", "Clock.Since(Int64)-5", "Clock.Since(bool)", "at Clock.Since(Int64) foo"] {
        assert!(goes(typed).is_err(), "{typed}: {:?}", goes(typed));
    }
    let (place, said) = ask(&session, "at Ticker.Clock.Since(Boolean x)", Here::default()).unwrap();
    assert!(place.to_string() == "method/0x06000003" && said.contains("(Boolean x)"), "{place} {said}");
    assert!(goes("Nothing.Like.It").is_err() && goes("file 0xffffffff").is_err() && goes("").is_err());
    let (_, said) = ask(&session, "Program.Main+0x12", Here::default()).unwrap();
    assert!(said.contains("inside point") && !said.contains("machine code"), "{said}");
    for typed in ["Ticker!Ticker.Clock.Since+0x1", "at Ticker.Clock.Since(Int64) + 0x1"] {
        let (place, said) = ask(&session, typed, Here::default()).unwrap();
        assert!(place.to_string().starts_with("method/0x06000003") && said.contains("machine code"), "{said}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.exe");
    let tally = Session::open(&[path.into()]).unwrap();
    let frame = "02 00000000`0014f9a0 00007ff6`12345678     tally!clamp+0x4";
    assert_eq!(ask(&tally, frame, Here::default()), ask(&tally, "tally!clamp+0x4", Here::default()));
}

#[test]
fn types_and_ids_are_found_by_their_numbers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/parcel/parcel.exe");
    let session = Session::open(&[path.into()]).unwrap();
    let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, _)| place.to_string());
    for typed in ["type 0x1000", "type 4096"] {
        assert_eq!(goes(typed).as_deref(), Ok("type/0x1000"), "{typed}");
    }
    assert_eq!(goes("id 0x1000").as_deref(), Ok("id/0x1000"));
    // The first function of the image is at this address too.
    assert_eq!(goes("0x1000").as_deref(), Ok("function/0x1000"));
    // Offsets of the files come after them.
    assert_eq!(further(&session, "0x1000")[..2], [Place::Type(0x1000), Place::Id(0x1000)]);
    assert!(goes("type 0xfffff").is_err_and(|why| why.contains("there is no type 0xfffff")));
    assert!(further(&session, "0xfffffff").is_empty() && further(&Session::sample(), "0x1000").is_empty());
}

#[test]
fn overloads_are_found_as_the_lists_spell_them() {
    let sample = |file: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/").to_owned() + file;
    let (mut found, mut ambiguous) = (0, 0);
    for file in ["workshop/Workshop.dll", "faults/Faults.dll", "shapes/Shapes.dll", "warehouse/Acme.Warehouse.dll"] {
        let session = Session::open(&[sample(file).into()]).unwrap();
        let names = session.names().unwrap();
        for method in (1..=session.methods().min(500)).map(|row| nodes::Token::new(nodes::TableId::METHOD_DEF, row)) {
            let (full, brief) = (session.method_name(method), names.brief().method_short(method));
            let owner = full.strip_suffix(names.method_short(method).as_str()).unwrap();
            for spelled in [format!("{owner}{brief}"), format!("{owner}{brief}+0x1"), format!("{full}+0x1")] {
                match parse_offset(&session, &spelled) {
                    Ok(query) => assert_eq!(query.of, method.into(), "{file} {spelled}"),
                    Err(AddressError { kind: AddressErrorKind::Resolve(ResolveError::Ambiguous(..)), .. }) => {
                        ambiguous += 1;
                    }
                    Err(error) => panic!("{file} {spelled}: {error}"),
                }
                found += 1;
            }
        }
    }
    assert!(found > 500 && ambiguous * 50 < found, "{ambiguous} of {found}");
    let session = Session::open(&[sample("warehouse/Acme.Warehouse.dll").into()]).unwrap();
    let error = parse_offset(&session, ".ctor+0x1").unwrap_err().to_string();
    let count = error.split("could be any of ").nth(1).and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
    assert!(count.is_some_and(|count| count > 8 && error.ends_with(&format!(" and {} more", count - 8))), "{error}");
}

#[test]
fn a_name_is_found_while_its_parameters_are_typed() {
    for (typed, name) in [
        ("Clock.Since(", "Clock.Since"),
        ("Clock.Since(lo", "Clock.Since"),
        ("Write(byte[], in", "Write"),
        ("Clock.Since+0xzz", "Clock.Since"),
        ("Program.cs:12", "Program.cs"),
    ] {
        assert_eq!(name_part(typed), Some(name), "{typed}");
    }
    assert_eq!(name_part("table/Document/3"), None);
}

#[test]
fn offsets_alone_refer_to_the_selected_method() {
    let session = Session::sample();
    let since = Here { code: Some(nodes::Token(0x0600_0003).into()), ..Here::default() };
    for (typed, place) in [("IL_0007", "method/0x06000003/il/0x7"), ("+0x7", "method/0x06000003/il/0x7")] {
        assert_eq!(ask(&session, typed, since).map(|(place, _)| place.to_string()).as_deref(), Ok(place));
    }
    assert_eq!(ask(&session, "IL_0007", Here::default()), Err("which method? write METHOD+0x7".to_owned()));
}

#[test]
fn offsets_of_a_dump_are_hexadecimal() {
    let session = Session::sample();
    let here = Here { span: session.image().map(|image| Span::new(image.space, 0, 1)), ..Here::default() };
    let goes = |typed: &str, here| ask(&session, typed, here).map(|(place, _)| place.to_string());
    for typed in ["000200", "file 000200", "file 0x200", "file 512"] {
        let place = format!("bytes/{}/0x200+1", session.image().unwrap().space.0);
        assert_eq!(goes(typed, here), Ok(place), "{typed}");
    }
    assert!(goes("000200", Here::default()).is_err(), "of which file is not known");
    assert!(goes("stream 900", here).is_err() && goes("page 0", here).is_err(), "a portable PDB has no pages");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.pdb");
    let native = Session::open(&[file.into()]).unwrap();
    let goes = |typed: &str| ask(&native, typed, Here::default()).map(|(place, _)| place.to_string());
    assert_eq!([goes("stream 1"), goes("page 1")], [Ok("stream/1".to_owned()), Ok("page/1".to_owned())]);
    assert!(goes("stream 900").is_err() && goes("page 9000").is_err());
}

#[test]
fn addresses_of_native_data_lead_to_its_bytes_or_its_symbol() {
    let sample = |file: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/parcel/").to_owned() + file;
    let parcel = Session::open(&[sample("parcel.exe").into()]).unwrap();
    let goes = |session: &Session, typed: &str| {
        ask(session, typed, Here::default()).map(|(place, said)| (place.to_string(), said))
    };
    let (place, said) = goes(&parcel, "0x2002").unwrap();
    assert!(nodes::bytes(&parcel, place.parse().unwrap()).is_some_and(|span| span.contains(0xc02)), "{place}");
    assert_eq!(said, "`string'+0x2, parcel.exe .rdata at file offset 0xc02");
    assert_eq!(goes(&parcel, "0002:00000002").unwrap(), (place.clone(), said.clone()));
    assert_eq!(goes(&parcel, "0x140002002").unwrap(), (place, said));
    // Code stays a function, and memory that is zero at first has no bytes in the file.
    assert_eq!(goes(&parcel, "0x1210").unwrap().0, "function/0x1210");
    assert!(
        goes(&parcel, "0x3000").map_or_else(|why| why.contains("section 3"), |(place, _)| place.starts_with("stream/"))
    );
    let symbols = Session::from_bytes(vec![("a.pdb".into(), std::fs::read(sample("parcel.pdb")).unwrap())]).unwrap();
    let (place, said) = goes(&symbols, "0x2002").unwrap();
    assert!(place.starts_with("stream/") && said == "`string'+0x2", "{place} {said}");
}

#[test]
fn a_command_takes_a_path_before_any_other_form_and_keeps_its_error() {
    let session = Session::sample();
    assert_eq!(place(&session, "tables"), Ok(Place::Tables));
    assert_eq!(
        place(&session, "Clock.Since+0x7").map(|place| place.to_string()).as_deref(),
        Ok("method/0x06000003/il/0x7")
    );
    assert_eq!(place(&session, "file 0x10").map(|place| place.to_string().ends_with("/0x10+1")), Ok(true));
    assert!(place(&session, "tabels").is_err_and(|why| why.text.contains("did you mean \"tables\"?")));
    assert!(place(&session, "file 0xffffffff").is_err_and(|why| why.text.contains("bytes")));
}

#[test]
fn an_offset_of_a_file_is_no_offset_of_the_pdb_inside_it() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker-embedded");
    let session = Session::open(&[folder.join("Ticker.dll")]).unwrap();
    let space_of = |typed: &str| match ask(&session, typed, Here::default()).map(|(place, _)| place) {
        Ok(Place::Bytes(span)) => Some(span.space),
        other => panic!("{typed}: {other:?}"),
    };
    let (image, pdb) = (session.image().map(|file| file.space), session.symbol_file().map(|file| file.space));
    for (typed, space) in [("file/0x100", image), ("file 0x100", image), ("image/0x100", image), ("pdb/0x100", pdb)] {
        assert_eq!(space_of(typed), space, "{typed}");
    }
}

#[test]
fn headings_lead_to_what_they_name() {
    let session = Session::sample();
    let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, _)| place);
    let blob = crate::owner::named(&session, "Ticker.pdb #Blob").unwrap();
    let bytes = |start, len| Ok(Place::Bytes(Span::new(blob.space, blob.start + start, len)));
    assert_eq!(goes("Ticker.pdb #Blob 0x0072+5"), bytes(0x72, 5));
    assert_eq!(goes("Ticker.pdb #Blob 0x0072+5 of 1008 \u{b7} file 0x00057f"), bytes(0x72, 5));
    let outside = format!("Ticker.pdb #Blob {:#x}+2", blob.len - 1);
    assert!(goes(&outside).unwrap_err().ends_with(&format!("has {} bytes", blob.len)));
    // A number is an address first, and an offset of each file too.
    let offsets: Vec<String> = further(&session, "0x2f0").iter().map(Place::to_string).collect();
    assert_eq!(offsets.len(), 2, "{offsets:?}");
    assert!(further(&session, "0xffffff").is_empty() && further(&session, "2f0").is_empty());
}

#[test]
fn parts_of_a_file_have_the_names_of_the_documents() {
    let session =
        Session::open(&[concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/ticker-windows/Ticker.pdb").into()]);
    let session = session.unwrap();
    for (typed, path) in [
        ("root stream", "directory"),
        ("index page", "directory"),
        ("bitmap page", "page/1"),
        ("DBI stream", "stream/3"),
        ("TPI stream", "stream/2"),
        ("string table", "names"),
    ] {
        assert_eq!(ask(&session, typed, Here::default()).unwrap().0.to_string(), path, "{typed}");
    }
}

#[test]
fn what_screens_print_of_native_code_leads_to_it() {
    let sample = |name: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/parcel/").to_owned() + name;
    let session = Session::open(&[sample("parcel.exe").into(), sample("parcel.pdb").into()]).unwrap();
    let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, _)| place);
    let view = nodes::stream::PdbView::of(&session).unwrap();
    let name = view.module_name(0);
    for typed in ["module 0", name.as_str(), name.rsplit(['/', '\\']).next().unwrap()] {
        assert_eq!(goes(typed), Ok(Place::Module(0)), "{typed}");
    }
    assert!(goes("module 9999").is_err());
}

#[test]
fn a_frame_with_a_path_of_another_machine_leads_to_its_line() {
    let sample = |name: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/workshop/").to_owned() + name;
    let session = Session::open(&[sample("Workshop.dll").into()]).unwrap();
    let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, said)| (place.to_string(), said));
    let frame = "   at Workshop.Scopes.Nested(Int32 depth) in D:\\agent\\other\\Elsewhere.cs:line 21";
    assert_eq!(goes(frame), Ok(("method/0x0600001d/points/4".to_owned(), String::new())));
    let far = frame.replace("line 21", "line 900");
    assert_eq!(goes(&far), Ok(("method/0x0600001d".to_owned(), "it has no code on line 900".to_owned())));
}

#[test]
fn names_of_files_are_no_frames() {
    for name in [
        "App.dll",
        "/usr/lib/x.exe",
        "C:\\Program Files (x86)\\My App\\app.exe",
        "..\\bin\\Acme.Warehouse.pdb",
        "lib at home/in use/x.pdb",
        "~/from (old)/#3/x.mdb",
        "nuget:Acme@1.2.0!lib/net8.0/Acme.dll",
    ] {
        assert!(crate::trace::frames(name.as_bytes()).is_empty(), "{name}");
    }
}

#[test]
fn frames_of_managed_code_lead_to_their_place() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/faults/Faults.dll");
    let session = Session::open(&[path.into()]).unwrap();
    let goes = |typed: &str| super::ask(&session, typed, Here::default()).map(|(place, _)| place.to_string());
    let line = goes("Program.cs:41").unwrap();
    for typed in [
        "000000AB2C97E9E8 00007FFC0B5D4A99 Faults.Program.Parse(System.String) [/_/faults/Program.cs @ 41]",
        "Faults.Program:Parse (System.String) (at /_/faults/Program.cs:41)",
    ] {
        assert_eq!(goes(typed).as_ref(), Ok(&line), "{typed}");
    }
    for typed in [
        "  at Faults.Program.Parse (System.String text) <0x41f1e100 + 0x00034> in <0>:0 ",
        "Faults.Program.Parse(String text) at offset 78 in file:line:column <filename unknown>:0:0",
        "   at async Task Faults.Program.Parse(string text)",
    ] {
        assert_eq!(goes(typed).as_deref(), Ok("method/0x06000002"), "{typed}");
    }
    let other = "System.Private.CoreLib.dll!System.Int32.Parse(string s) Line 12";
    assert_eq!(goes(other), Err("the frame is of System.Private.CoreLib.dll, not of Faults.dll".to_owned().into()));
    assert!(goes("   at Faults.Program.Nope(String text)").is_err_and(|why| why.to_string().contains("Nope")));
}

#[test]
fn frames_of_native_code_lead_to_their_place() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.exe");
    let session = Session::open(&[path.into()]).unwrap();
    let goes = |typed: &str| super::ask(&session, typed, Here::default()).map(|(place, _)| place.to_string());
    let [line, code] = ["tally.c:12", "clamp+0x19"].map(|typed| goes(typed).unwrap());
    for typed in
        [">\ttally.exe!clamp(int value, int low, int high) Line 12\tC", "tally!clamp+0x4 [/elsewhere/tally.c @ 12]"]
    {
        assert_eq!(goes(typed).as_ref(), Ok(&line), "{typed}");
    }
    for typed in [
        "0|1|tally.exe|clamp|||0x19",
        "02 00000000`0014fa00 00007ff6`12345678     tally+0x1079",
        " 1  tally.exe!clamp + 0x19",
        "tally!clamp+0x19 [C:\\elsewhere\\other.c @ 900]",
    ] {
        assert_eq!(goes(typed).as_ref(), Ok(&code), "{typed}");
    }
    assert_eq!(goes("node.exe!node::Abort+0x4"), Err("the frame is of node.exe, not of tally.exe".to_owned().into()));
    assert!(goes("tally.exe!nope(int) Line 1").is_err_and(|why| why.to_string().contains("nope")));
    assert_eq!(place(&session, " 1  tally.exe!clamp + 0x19").map(|place| place.to_string()), Ok(code));
    assert!(place(&session, "tabels").is_err_and(|why| why.text.contains("did you mean")));
}
