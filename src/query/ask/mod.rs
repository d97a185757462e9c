//! Anything that a screen, a debugger or another tool prints, resolved to its place: what the prompt of the screens and the PLACE of
//! the commands accept.

mod address;
mod frame;
mod keyword;
mod row;
mod span;

use crate::bytes::Span;
use crate::nodes;
use crate::nodes::code_unit::{self, CodeUnit};
use crate::nodes::function::NativeView;
use crate::nodes::method::range_text;
use crate::nodes::resolve::{self, ResolveError};
use crate::nodes::{Place, SequencePoint, document};
use crate::query::breakpoint;
use crate::query::where_is::{self, Position, explain_text, parse};
use crate::session::Session;
use crate::text::paths::file_name;

/// A place with a remark, which may be empty, or the reason why there is none.
pub type Answer = Result<(Place, String), String>;

/// The selection, to which `IL_0016`, `+0x13` and `file 0x1a0` refer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here {
    /// Its bytes, whose file is that of file offsets.
    pub span: Option<Span>,
    /// Its method or function.
    pub code: Option<CodeUnit>,
}

/// Reads one form of input.
type Form = fn(&Session, &str, Here) -> Option<Answer>;

/// Forms of input that are recognised by how they are written, in the order in which they are tried; `None` from one leaves the input
/// to the next.
const FORMS: &[Form] = &[
    span::span,
    keyword::keyword,
    keyword::word,
    keyword::guid,
    frame::frame,
    line,
    row::token,
    row::row,
    offset_here,
    address::address,
    address::data,
    keyword::in_dump,
];

/// The place that `typed` means.
///
/// # Errors
///
/// A sentence that says what is wrong with the input, or that nothing has this name.
pub fn ask(session: &Session, typed: &str, here: Here) -> Answer {
    // The initial text of the prompt may end with `0x` already.
    let typed = typed.trim().replace("0x0x", "0x");
    if let Some(answer) = FORMS.iter().find_map(|form| form(session, &typed, here)) {
        return answer;
    }
    if let Ok(place) = nodes::resolve(session, &typed) {
        return Ok(plain(place));
    }
    code(session, &typed)
}

/// The place that the PLACE of a command means: a path before any other form, and its error where it is none.
///
/// # Errors
///
/// The reason, and the nearest path.
pub fn place(session: &Session, typed: &str) -> Result<Place, String> {
    let wrong = match nodes::resolve(session, typed) {
        Ok(place) => return Ok(place),
        Err(error) => error.to_string(),
    };
    match FORMS.iter().find_map(|form| form(session, typed.trim(), Here::default())) {
        Some(answer) => answer.map(|(place, _)| place),
        None => code(session, typed).map(|(place, _)| place).map_err(|_| wrong),
    }
}

/// Bytes at an offset of a file that is named: `App.pdb`, `0x607+5`. `None` where native code has addresses of this form, or no open
/// file has the name or the bytes.
pub fn bytes_of(session: &Session, name: &str, typed: &str) -> Option<Place> {
    let is_native = NativeView::of(session).is_some();
    let found = if is_native { None } else { span::span(session, &format!("{name} {typed}"), Here::default()) };
    found?.ok().map(|(place, _)| place)
}

const fn plain(place: Place) -> (Place, String) {
    (place, String::new())
}

/// A method or function by its name, or an offset in one.
fn code(session: &Session, typed: &str) -> Answer {
    // C++ and debuggers write `Type::Method`.
    let scoped = typed.replace("::", ".");
    let parsed = parse::parse_offset(session, typed);
    let retry = parsed.is_err() && scoped != typed && NativeView::of(session).is_none();
    let parsed = if retry { parse::parse_offset(session, &scoped) } else { parsed };
    let query = parsed.map_err(|error| match (error, name_part(typed)) {
        (ResolveError::Near(..) | ResolveError::Unknown(_), Some(name)) => {
            let what = if NativeView::of(session).is_some() { "function" } else { "method" };
            format!("no {what} named {name}")
        }
        (error, _) => error.to_string(),
    })?;
    if !typed.contains('+') && query.offset == 0 {
        return Ok(plain(query.of.place()));
    }
    let answer = where_is::where_is(session, query.of, query.offset);
    // Stack traces name the kickoff method of a state machine, with an offset in MoveNext.
    let target = answer.state_machine.as_deref().unwrap_or(&answer);
    let line = matches!(target.position, Position::Exact | Position::Inside).then_some(target.found.visible).flatten();
    let line = line.and_then(|point| line_text(session, &point));
    let of_debugger = (!query.of.is_native() && is_debugger_name(typed)).then(|| {
        "read as an offset of IL; a debugger of native code writes offsets of machine code this way".to_owned()
    });
    let said = of_debugger.into_iter().chain(line).chain(explain_text::sentences(session, &answer));
    Ok((target.of.code(query.offset), said.collect::<Vec<_>>().join("; ")))
}

/// Returns whether a method is written as WinDbg and SOS do: `App!Ns.T.M+0x2d`, without a token.
fn is_debugger_name(typed: &str) -> bool {
    let name = typed.split_once('!').map(|(_, name)| name);
    name.is_some_and(|name| name.contains("+0x") && !typed.contains("0x06"))
}

/// `IL_0016` and `+0x13` in the selected method or function.
fn offset_here(session: &Session, typed: &str, here: Here) -> Option<Answer> {
    let digits = typed.strip_prefix("IL_").map(|hex| format!("0x{hex}"));
    let offset = nodes::number(digits.as_deref().or_else(|| typed.strip_prefix('+'))?)?;
    Some(match here.code {
        // An address: a function has no other notation that an offset can follow.
        Some(CodeUnit::Function(rva)) => code(session, &format!("{:#x}", rva.wrapping_add(offset))),
        Some(of) => code(session, &format!("{of}+{offset:#x}")),
        None => Err(format!("which method? write METHOD+{offset:#x}")),
    })
}

/// `Program.cs:21`
fn line(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let (name, line) = typed.rsplit_once(':')?;
    // Section and offset of a native image, `0001:00000079`, are as long as their numbers can be.
    let is_address = name.len() == 4 && line.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_line = line.parse::<u32>().is_ok() && !name.ends_with(':') && !is_address;
    // A token, and a method where no document has the name: `06000003:0015`, `Clock.Since:15`.
    let is_method =
        || resolve::documents_named(session, name).is_empty() && parse::parse_offset(session, typed).is_ok();
    (is_line && !is_method()).then(|| find_line(session, typed))
}

/// The file name and the lines of a sequence point.
fn line_text(session: &Session, point: &SequencePoint) -> Option<String> {
    let document = document::name(session, point.document)?;
    Some(format!("{} {}", file_name(&document), range_text(point)))
}

/// Finds the breakpoint location of `Program.cs:21`.
fn find_line(session: &Session, typed: &str) -> Answer {
    let query = breakpoint::parse_line_query(session, typed).map_err(|error| error.to_string())?;
    let found = breakpoint::bind(session, &query);
    let Some(hit) = found.hits.first() else {
        let document = query.documents.first().copied().unwrap_or(1);
        return Ok((Place::Line(document, query.line), "no code on or after this line".to_owned()));
    };
    let moved =
        if found.line == query.line { String::new() } else { format!("the next line with code is {}; ", found.line) };
    let others = match found.hits.len() {
        1 => String::new(),
        n => format!("; {n} {}s in all", hit.of.point_word()),
    };
    let (word, name) = (hit.of.point_word(), code_unit::name(session, hit.of));
    // Without columns the range only repeats the line.
    let lines = Some(range_text(&hit.point)).filter(|lines| *lines != found.line.to_string());
    let begins = lines.into_iter().chain([hit.of.label(hit.range.start.into())]).collect::<Vec<_>>().join(", ");
    Ok((hit.place(), format!("{moved}{begins}: {word} {} of {name}{others}", hit.number)))
}

/// The name in an input, without parameters, offset and line.
pub fn name_part(typed: &str) -> Option<&str> {
    let name = typed.trim();
    // Parameters are typed one by one, and until the last one they are those of no method.
    let name = name.split_once('(').map_or(name, |(name, _)| name);
    // `Type::Method` is a name, and no line follows it.
    let before = name.rsplit_once(['+', ':']).map(|(name, _)| name).filter(|name| !name.ends_with(':'));
    let name = before.unwrap_or(name);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '<' | '.' | '@'));
    (is_name && !name.contains(['/', '#', ' '])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("LocalScope", "table/LocalScope"),
            ("Clock::Since", "method/0x06000003"),
            ("Ticker.Clock::Since", "method/0x06000003"),
            ("Clock.Since(long)", "method/0x06000003"),
            ("Clock.Since:2", "method/0x06000003/il/0x2"),
            ("06000003:0002", "method/0x06000003/il/0x2"),
            ("0x06000003@0x2", "method/0x06000003/il/0x2"),
            ("0x6000003 0x2", "method/0x06000003/il/0x2"),
            ("Clock.Since(Int64) IL_0002", "method/0x06000003/il/0x2"),
            ("   at Ticker.Clock.Since(Int64 start)", "method/0x06000003"),
            ("at Ticker.Clock.Since(Int64 start) in /_/ticker/Clock.cs:line 13", "method/0x06000003/points/4"),
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
        assert!(goes("Clock.cs:11").unwrap().starts_with("method/0x06000003/points/"), "{:?}", goes("Clock.cs:11"));
        for typed in ["Clock.Since(Int64) 15", "Clock.Since(Int64)-5", "Clock.Since(bool)", "at Clock.Since(Int64) foo"]
        {
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
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/native/tally.exe");
        let tally = Session::open(&[path.into()]).unwrap();
        let frame = "02 00000000`0014f9a0 00007ff6`12345678     tally!clamp+0x4";
        assert_eq!(ask(&tally, frame, Here::default()), ask(&tally, "tally!clamp+0x4", Here::default()));
    }

    #[test]
    fn overloads_are_found_as_the_lists_spell_them() {
        let sample = |file: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/").to_owned() + file;
        let (mut found, mut ambiguous) = (0, 0);
        for file in ["workshop/Workshop.dll", "faults/Faults.dll", "shapes/Shapes.dll", "warehouse/Acme.Warehouse.dll"]
        {
            let session = Session::open(&[sample(file).into()]).unwrap();
            let names = session.names().unwrap();
            for method in (1..=session.methods().min(500)).map(|row| nodes::Token::new(nodes::TableId::METHOD_DEF, row))
            {
                let (full, brief) = (session.method_name(method), names.brief().method_short(method));
                let owner = full.strip_suffix(names.method_short(method).as_str()).unwrap();
                for spelled in [format!("{owner}{brief}"), format!("{owner}{brief}+0x1"), format!("{full}+0x1")] {
                    match parse::parse_offset(&session, &spelled) {
                        Ok(query) => assert_eq!(query.of, method.into(), "{file} {spelled}"),
                        Err(ResolveError::Ambiguous(..)) => ambiguous += 1,
                        Err(error) => panic!("{file} {spelled}: {error}"),
                    }
                    found += 1;
                }
            }
        }
        assert!(found > 500 && ambiguous * 50 < found, "{ambiguous} of {found}");
        let session = Session::open(&[sample("warehouse/Acme.Warehouse.dll").into()]).unwrap();
        let error = parse::parse_offset(&session, ".ctor+0x1").unwrap_err().to_string();
        let count =
            error.split("could be any of ").nth(1).and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        assert!(
            count.is_some_and(|count| count > 8 && error.ends_with(&format!(" and {} more", count - 8))),
            "{error}"
        );
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
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/native/tally.pdb");
        let native = Session::open(&[file.into()]).unwrap();
        let goes = |typed: &str| ask(&native, typed, Here::default()).map(|(place, _)| place.to_string());
        assert_eq!([goes("stream 1"), goes("page 1")], [Ok("stream/1".to_owned()), Ok("page/1".to_owned())]);
        assert!(goes("stream 900").is_err() && goes("page 9000").is_err());
    }

    #[test]
    fn addresses_of_native_data_lead_to_its_bytes_or_its_symbol() {
        let sample = |file: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/parcel/").to_owned() + file;
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
            goes(&parcel, "0x3000")
                .map_or_else(|why| why.contains("section 3"), |(place, _)| place.starts_with("stream/"))
        );
        let symbols =
            Session::from_bytes(vec![("a.pdb".into(), std::fs::read(sample("parcel.pdb")).unwrap())]).unwrap();
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
        assert!(place(&session, "tabels").is_err_and(|why| why.contains("did you mean \"tables\"?")));
        assert!(place(&session, "file 0xffffffff").is_err_and(|why| why.contains("bytes")));
    }
}
