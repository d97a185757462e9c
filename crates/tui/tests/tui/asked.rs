//! The prompt takes what the screens print.

use std::collections::BTreeSet;
use std::sync::Arc;

use pdblens_nodes::Place;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::{MethodView, range_text};
use pdblens_query::ask::{Here, ask, further};
use pdblens_session::session::Session;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::Screen;
use crate::support::samples::all_samples;

/// Words on the screen that name a token, a row, an IL offset, an offset of code or of a dump, or a GUID.
fn names_of_places(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || "│┃,;()[]\"".contains(c);
    text.split(is_end).map(|word| word.trim_matches(['.', ':', '›', '·', '─'])).filter(|word| {
        let hex =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase());
        let is_token = |word: &str| word.len() == 8 && (word.starts_with("06") || word.starts_with("02")) && hex(word);
        let is_offset = word.strip_prefix("IL_").is_some_and(|rest| rest.len() == 4 && hex(rest));
        let in_code = word.strip_prefix("+0x").is_some_and(hex);
        let is_row = word.split_once('/').is_some_and(|(table, row)| {
            let is_name =
                table.starts_with(|c: char| c.is_ascii_uppercase()) && table.bytes().all(|b| b.is_ascii_alphabetic());
            is_name && !row.is_empty() && row.chars().all(|c| c.is_ascii_digit())
        });
        let is_guid = word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let token = word.strip_prefix("0x").is_some_and(is_token) || is_token(word);
        token || is_offset || in_code || is_row || is_guid || is_range(word)
    })
}

/// Returns whether a word is a range of lines and columns, or of code: `14:90–14:100`, `IL_0000..IL_002b`.
fn is_range(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let position = |text: &str| text.split_once(':').is_some_and(|(line, column)| digits(line) && digits(column));
    let lines = word.split_once('\u{2013}').is_some_and(|(start, end)| position(start) && position(end));
    let offset = |text: &str| text.strip_prefix("IL_").is_some_and(|rest| rest.len() == 4);
    lines || word.split_once("..").is_some_and(|(start, end)| offset(start) && offset(end))
}

/// Checks that a place is the one that a word names: a row, a token, an offset, a point of the range.
fn check_where(session: &Session, word: &str, place: Place, what: &str) {
    let path = place.to_string();
    let number = |text: &str| u32::from_str_radix(text, 16).unwrap();
    if let Some(offset) = word.strip_prefix("IL_").filter(|_| !is_range(word)) {
        // The last instructions of a method may be followed by its end.
        assert!(path.ends_with(&format!("/il/{:#x}", number(offset))), "{what} {word}: {path}");
    } else if word.contains('\u{2013}') {
        let point = path.rsplit('/').next().and_then(|number| number.parse::<usize>().ok());
        let view = MethodView::of(session, place.code_unit().unwrap_or_else(|| panic!("{what} {word}: {path}")));
        let range = point.and_then(|number| view.points.get(number - 1)).map(range_text);
        assert_eq!(range.as_deref(), Some(word), "{what}: {path}");
    } else if let Some((table, row)) = word.split_once('/') {
        assert!(path.ends_with(&format!("/{table}/{row}")) || !path.starts_with("table/"), "{what} {word}: {path}");
    } else if let Some(token) = word.strip_prefix("0x").filter(|hex| hex.len() == 8).map(number) {
        match place.code_unit() {
            Some(CodeUnit::Method(method)) => assert_eq!(method.0, token, "{what} {word}: {path}"),
            _ => assert!(
                !word.starts_with("0x02") || path.ends_with(&format!("/{}", token & 0xff_ffff)),
                "{what} {word}: {path}"
            ),
        }
    }
}

/// Pairs of words on the screen: a page, a stream, an offset of a file as the title of the bytes has it.
fn named_numbers(text: &str) -> impl Iterator<Item = String> {
    let words = || text.split(|c: char| c.is_whitespace() || "│┃,;─".contains(c)).filter(|word| !word.is_empty());
    words().zip(words().skip(1)).filter_map(|(name, number)| {
        let digits = number.chars().all(|c| c.is_ascii_digit());
        let (offset, len) = number.split_once('+').unwrap_or((number, "1"));
        let offset = offset.strip_prefix("0x").unwrap_or(offset);
        let is_hex = offset.chars().all(|c| c.is_ascii_hexdigit()) && len.chars().all(|c| c.is_ascii_digit());
        let is_offset = is_hex && number.starts_with(|c: char| c.is_ascii_digit());
        let is_it = match name {
            "page" | "stream" => digits,
            "file" | "#Blob" | "#GUID" | "#US" | "#Strings" => is_offset,
            _ => false,
        };
        is_it.then(|| format!("{name} {number}"))
    })
}

/// Cells of the lists of a session whose columns name tokens, addresses, pages and streams, as they are typed; of each list the first
/// rows, those in the middle, and the last ones.
fn cells_of_lists(session: &Session) -> Vec<String> {
    let mut asked = Vec::new();
    for place in crate::properties::lists(session) {
        let Some(rows) = pdblens_nodes::rows(session, place).filter(|rows| rows.len > 0) else { continue };
        let some = [0, 1, rows.len / 2, rows.len - 1].into_iter().collect::<BTreeSet<usize>>();
        for row in some.into_iter().filter_map(|index| rows.get(index)) {
            for (head, cell) in rows.columns.iter().zip(&row.cells).filter(|(_, cell)| !cell.text.is_empty()) {
                let text = cell.text.as_str();
                asked.extend(match head.name {
                    // Of native code, an address alone is one of code: data and sections without bytes have none.
                    "rva" if NativeView::of(session).is_some() => None,
                    "token" | "rva" => Some(text.to_owned()),
                    // Other lists count their rows.
                    "number" if matches!(row.place, Some(Place::Type(_) | Place::Id(_))) => {
                        let found = further(session, text);
                        assert!(row.place.is_some_and(|place| found.contains(&place)), "{text}: {found:?}");
                        Some(text.to_owned())
                    }
                    "page" | "stream" => text.parse::<u32>().ok().map(|number| format!("{} {number}", head.name)),
                    _ => None,
                });
            }
        }
    }
    asked
}

/// Most inputs of a view of a sample that are asked for.
const MAX_ASKED: usize = 40;

/// Asks for what a view shows; `asked` are the inputs of the sample so far.
fn ask_for_what_shows(what: &str, session: &Session, screen: &Screen, asked: &mut BTreeSet<String>) {
    let text = screen.text();
    let here = crate::prompt::here(screen);
    let words = names_of_places(&text).map(str::to_owned).chain(named_numbers(&text));
    for word in words.collect::<BTreeSet<String>>().into_iter().take(MAX_ASKED) {
        // Offsets of code refer to the selected method or function.
        let offset = word.starts_with("IL_") || word.starts_with('+') || is_range(&word);
        let other_code = offset && here.code.is_none_or(|code| code.is_native() == word.starts_with("IL_"));
        let is_known = !offset && asked.contains(&word);
        asked.insert(word.clone());
        if other_code || is_known {
            continue;
        }
        let answer = ask(session, &word, here);
        // Kinds of documents and languages are no entries of these files.
        let is_guid = word.len() == 36;
        assert!(answer.is_ok() || is_guid, "{what} {word}: {answer:?}\n{text}");
        if let Ok((place, _)) = &answer {
            check_where(session, &word, *place, what);
        }
        // Titles print hexadecimal offsets, and a digit more or less means another byte.
        if let (Some(offset), Ok((Place::Bytes(span), _))) = (word.strip_prefix("file "), &answer) {
            let digits = offset.split('+').next().unwrap().trim_start_matches("0x");
            assert_eq!(u64::from_str_radix(digits, 16), Ok(span.start), "{what} {word}\n{text}");
        }
    }
}

/// Asks for what all views of the samples of one of two parts print.
fn ask_for_what_views_print(part: usize) {
    for sample in all_samples().into_iter().skip(part).step_by(2) {
        let options = Options { files: sample.files(), ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
        // Indexes that the jobs of the screens built are in this session alone.
        let session = Arc::clone(screen.app.session().unwrap());
        let mut asked = BTreeSet::new();
        for (view, (_, keys)) in (1..).zip(&crate::harness::VIEW_KEYS[..7]) {
            screen.keys(keys);
            for keys in ["j j", "tab j j", "tab j", "enter ] ]"] {
                screen.keys(keys);
                ask_for_what_shows(&format!("{} {view}", sample.name), &session, &screen, &mut asked);
            }
        }
        for typed in cells_of_lists(&session) {
            let answer = ask(&session, &typed, Here::default());
            assert!(answer.is_ok(), "{} {typed}: {answer:?}", sample.name);
            asked.insert(typed);
        }
        // The screens of a PDB of public symbols alone print its id and a stream.
        let least = if sample.name == "parcel-public" { 2 } else { 10 };
        assert!(asked.len() >= least, "{}: {asked:?}", sample.name);
    }
}

#[test]
fn the_prompt_takes_what_all_views_print() {
    ask_for_what_views_print(0);
}

#[test]
fn the_prompt_takes_what_all_views_of_other_samples_print() {
    ask_for_what_views_print(1);
}
