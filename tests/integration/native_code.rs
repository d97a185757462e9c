//! Questions about native code, on the C++ and Rust samples.

use std::path::{Path, PathBuf};

use crate::support::samples::repository;
use pdblens::formats::reason::Reason;
use pdblens::nodes::{FunctionPart, Place, code_unit, resolve};
use pdblens::query::address::parse_offset;
use pdblens::query::where_is::{Answer, explain_text, where_is};
use pdblens::session::Session;
use pdblens::symbols::Format;

fn pdb(name: &str) -> PathBuf {
    let folder = repository("assets/samples").join(name);
    let mut pdb = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    pdb.find(|path| path.extension().is_some_and(|extension| extension == "pdb")).unwrap()
}

fn open(name: &str) -> Session {
    Session::open(&[pdb(name)]).unwrap()
}

/// The answer to a question, and its name with the offset.
fn answer(session: &Session, question: &str) -> (String, Answer) {
    let query = parse_offset(session, question).unwrap_or_else(|error| panic!("{question}: {error}"));
    let answer = where_is(session, query.of, query.offset);
    (format!("{}+{:#x}", code_unit::name(session, answer.of), answer.offset), answer)
}

#[test]
fn a_pdb_with_embedded_files_is_native() {
    for name in ["parcel", "parcel-x86", "parcel-arm64", "parcel-lto", "sorter", "sorter-legacy"] {
        let session = open(name);
        assert_eq!(session.symbols().unwrap().format(), Format::Native, "{name}");
    }
    assert_eq!(open("ticker-windows").symbols().unwrap().format(), Format::Windows);
}

#[test]
fn a_stripped_pdb_answers_with_the_nearest_public_symbol() {
    let session = open("parcel-public");
    let (name, found) = answer(&session, "0x1337");
    assert_eq!(name, "parcel::Box::price(void)+0x7");
    let symbol = found.nearest.clone().unwrap();
    assert_eq!((symbol.decorated.as_str(), symbol.rva, symbol.offset), ("?price@Box@parcel@@UEBAHXZ", 0x1330, 7));
    let sentences = Reason::joined(&explain_text::sentences(&session, &found));
    assert!(sentences.contains("nearest public symbol: parcel::Box::price(void)+0x7"), "{sentences}");
    // The place is the record of the symbol, which can be opened.
    assert_eq!(resolve(&session, &found.place().to_string()), Ok(found.place()));
    for question in ["parcel::Box::price+7", "?price@Box@parcel@@UEBAHXZ+0x7", "price+7", "parcel!0x1337"] {
        assert_eq!(answer(&session, question).0, name, "{question}");
    }
    let (name, found) = answer(&session, "0x10b4");
    assert_eq!((name.as_str(), found.nearest.unwrap().others.len()), ("parcel::first_copy(int)+0x4", 1));
    assert!(parse_offset(&session, "0x10").is_err());
}

#[test]
fn folded_functions_are_all_named_each_with_its_line() {
    let session = open("parcel-optimized");
    let (name, found) = answer(&session, "0x10b4");
    assert_eq!(name, "parcel::first_copy+0x4");
    let folded: Vec<(&str, u32)> = found.folded.iter().map(|found| (found.name.as_str(), found.line)).collect();
    assert_eq!(folded, [("parcel::first_copy", 23), ("parcel::second_copy", 24)]);
    assert_eq!(found.shown().unwrap().start_line, 23);
    let sentences = Reason::joined(&explain_text::sentences(&session, &found));
    assert!(sentences.contains("2 functions are folded into this code"), "{sentences}");
    let fields = pdblens::nodes::fields(&session, Place::Function(0x10b0)).unwrap();
    assert!(fields.title.ends_with("folded with parcel::second_copy"), "{}", fields.title);
    assert!(answer(&session, "0x1020").1.folded.is_empty());
    // The one that the question names has its own line.
    for (question, name, line) in [
        ("parcel::second_copy+4", "parcel::second_copy", 24),
        ("parcel!parcel::second_copy+0x4", "parcel::second_copy", 24),
        ("second_copy+4", "parcel::second_copy", 24),
        ("parcel::first_copy+4", "parcel::first_copy", 23),
    ] {
        let found = answer(&session, question).1.for_name(question);
        assert_eq!((found.name(&session).as_str(), found.shown().unwrap().start_line), (name, line), "{question}");
        assert!(found.named.is_some() && found.alternatives().next().is_none(), "{question}");
        let sentences = Reason::joined(&explain_text::sentences(&session, &found));
        assert!(sentences.contains(&format!("the line is that of {name}, which is named")), "{sentences}");
    }
    let unnamed = answer(&session, "0x10b4").1.for_name("0x10b4");
    let others: Vec<u32> = unnamed.alternatives().map(|other| other.line).collect();
    assert_eq!((unnamed.named, others), (None, vec![24]));
    // In the list each of them is selected by its own record.
    let rows = pdblens::nodes::rows(&session, Place::Functions).unwrap();
    for name in ["parcel::first_copy", "parcel::second_copy"] {
        let row = rows.iter().find(|row| row.cells[3].text == name).unwrap();
        assert_eq!(row.cells[3].to, Some(Place::Function(0x10b0)));
        let fields = pdblens::nodes::fields(&session, row.place.unwrap()).unwrap();
        let own = fields.rows.iter().any(|field| field.value.contains(name) || field.meaning.contains(name));
        assert!(own, "{name}: {fields:?}");
    }
}

#[test]
fn addresses_are_read_in_every_notation() {
    let session = open("parcel-optimized");
    for question in [
        "0x10b4",
        "0x1400010b4",
        "00000001`400010b4",
        "0001:000000b4",
        "1:b4",
        "parcel+0x10b4",
        "parcel.exe+10b4",
        "parcel!parcel::first_copy+0x4",
        "parcel.pdb!first_copy+4",
        "parcel!<BaseAddress>+0x10b4",
        "<BaseAddress>+0x10b4",
        "?second_copy@parcel@@YAHH@Z+0x4",
        "parcel::second_copy(int)+4",
        "function/0x10b0/code/4",
        "function/0001:000000b4",
    ] {
        assert_eq!(answer(&session, question).0, "parcel::first_copy+0x4", "{question}");
    }
    for (question, reason) in [("0x7ff612340000", "outside the image"), ("0009:00000000", "no address 0009:00000000")] {
        let error = parse_offset(&session, question).unwrap_err().to_string();
        assert!(error.contains(reason), "{question}: {error}");
    }
    assert_eq!(resolve(&session, "function/0x1400010b4"), Ok(Place::Function(0x10b4)));
    assert_eq!(
        resolve(&session, "function/?weigh@parcel@@YAHAEAV?$Stack@PEBVItem@parcel@@$07@1@@Z"),
        Ok(Place::Function(0x1020))
    );
}

#[test]
fn names_of_rust_are_found_mangled_and_demangled() {
    for (name, mangled) in
        [("sorter", "_RNvCsdj8umbvlwlW_8geometry6square"), ("sorter-legacy", "_ZN8geometry6square17hdbbe6f491e250efbE")]
    {
        let session = open(name);
        for question in [mangled, "geometry::square", "square"] {
            assert_eq!(answer(&session, question).0, "geometry::square+0x0", "{question}");
        }
    }
    let session = open("sorter");
    assert_eq!(answer(&session, "<geometry::Shape as geometry::Area>::area").0, "geometry::impl$0::area+0x0");
}

#[test]
fn locals_are_in_scope_where_a_range_of_theirs_is() {
    let session = open("parcel-optimized");
    let names = |question: &str| {
        let locals = answer(&session, question).1.locals;
        locals.into_iter().map(|local| (local.name, local.inlined.is_some())).collect::<Vec<_>>()
    };
    // `item` has the range 0x1055–0x10b1 with a gap of 13 bytes from 0x1063 on; `stack` is in another register by then.
    assert!(names("0x1060").contains(&("item".to_owned(), false)), "{:?}", names("0x1060"));
    assert!(!names("0x1063").contains(&("item".to_owned(), false)), "{:?}", names("0x1063"));
    assert!(names("0x1063").contains(&("this".to_owned(), true)), "{:?}", names("0x1063"));
}

#[test]
fn public_symbols_have_their_source_names_beside_functions_too() {
    let session = open("parcel-optimized");
    let rows = pdblens::nodes::rows(&session, Place::Publics).unwrap();
    let named: Vec<_> = rows.iter().filter(|row| row.cells[2].text.starts_with("?first_copy@parcel")).collect();
    assert_eq!(named.len(), 1);
    assert_eq!(named[0].cells[3].text, "parcel::first_copy(int)");
    assert_eq!(named[0].cells[3].to, Some(Place::Function(0x10b0)));
}

/// File offset of an address of an image.
fn file_offset(image: &Path, rva: u32) -> usize {
    let session = Session::open(&[image.to_owned()]).unwrap();
    session.image().unwrap().pe.rest_at_rva(rva).unwrap().span().start as usize
}

#[test]
fn a_thunk_that_only_a_public_symbol_names_is_followed() {
    let (first_copy, weigh, string) = (0x10b0_u32, 0x1020_u32, 0x2020_u32);
    let path = repository("assets/samples/parcel-public/parcel.exe");
    let code = file_offset(&path, first_copy);
    let hops = |to: u32, query: &str| {
        let mut image = std::fs::read(&path).unwrap();
        image[code] = 0xe9;
        image[code + 1..code + 5].copy_from_slice(&to.wrapping_sub(first_copy + 5).to_le_bytes());
        let symbols = std::fs::read(pdb("parcel-public")).unwrap();
        let session = Session::from_bytes(vec![("parcel.exe".into(), image), ("parcel.pdb".into(), symbols)]).unwrap();
        let (_, found) = answer(&session, query);
        found.hops.iter().map(pdblens::query::where_is::Hop::text).collect::<Vec<_>>()
    };
    let thunk = "thunk 0x10b0 → parcel::weigh(parcel::Stack<parcel::Item const *, 8> &) by its jump at +0x0";
    assert_eq!((hops(weigh, "0x10b0"), hops(weigh, "0x10b4")), (vec![thunk.to_owned()], vec![thunk.to_owned()]));
    assert!(hops(weigh, "0x10b5").is_empty(), "this is after the jump");
    // A jump into the middle of something, to itself, or to data is none of a thunk.
    for to in [weigh + 3, first_copy, string] {
        assert!(hops(to, "0x10b0").is_empty(), "{to:#x}");
    }
}

#[test]
fn code_without_lines_that_only_jumps_away_is_a_thunk() {
    // The linker's own thunks are like this: here first_copy becomes one that leaves for weigh, and no function has lines.
    let (first_copy, weigh) = (0x10b0_u32, 0x1060_u32);
    let path = repository("assets/samples/parcel/parcel.exe");
    let code = file_offset(&path, first_copy);
    let thunk = |lines: bool, jump: &[u8]| {
        let (mut image, mut symbols) = (std::fs::read(&path).unwrap(), std::fs::read(pdb("parcel")).unwrap());
        image[code..code + jump.len()].copy_from_slice(jump);
        for word in symbols.chunks_exact_mut(4).filter(|_| !lines) {
            // DEBUG_S_LINES, which the bit of DEBUG_S_IGNORE hides.
            if word == [0xf2, 0, 0, 0] {
                word[3] = 0x80;
            }
        }
        let session = Session::from_bytes(vec![("parcel.exe".into(), image), ("parcel.pdb".into(), symbols)]).unwrap();
        let (_, found) = answer(&session, "0x10b2");
        found.hops.iter().map(pdblens::query::where_is::Hop::text).collect::<Vec<_>>()
    };
    let distance = weigh.wrapping_sub(first_copy + 5).to_le_bytes();
    let jump = [&[0xe9], distance.as_slice()].concat();
    assert_eq!(thunk(false, &jump), ["thunk 0x10b0 → parcel::weigh by its jump at +0x0"]);
    assert!(thunk(true, &jump).is_empty(), "with lines it is code of its own");
    assert!(thunk(false, &[0xe9, 0xfb, 0xff, 0xff, 0xff]).is_empty(), "a loop leaves for nowhere");
    assert!(thunk(false, &[0xc3]).is_empty(), "a return is no jump");
}

#[test]
fn global_data_is_named_where_code_uses_it() {
    for (sample, function) in [("parcel-x86", 0x10e0), ("parcel", 0x1260)] {
        let session = open(sample);
        let rows = pdblens::nodes::rows(&session, Place::FunctionPart(function, FunctionPart::Code)).unwrap();
        let column = rows.columns.iter().position(|head| head.name == "target").unwrap();
        let used: Vec<_> =
            rows.iter().map(|row| row.cells[column].clone()).filter(|cell| cell.text == "total").collect();
        assert!(!used.is_empty(), "{sample}");
        let record = pdblens::nodes::fields(&session, used[0].to.unwrap()).unwrap();
        assert!(record.title.contains("S_LDATA32 total"), "{}", record.title);
    }
}
