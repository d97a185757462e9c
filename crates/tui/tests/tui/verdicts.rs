//! One sign in every screen: rows of points and of IL, margins, frames of a trace and their preview, the summary, the rows of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::{CodeUnit, TableId, Token, document};
use pdblens_query::breakpoint::{Judge, Sign};
use pdblens_session::code_image::attach_known;
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;
use pdblens_session::store::{SymbolPath, SymbolPaths};
use pdblens_session::text::paths::file_name;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::state::paths::Paths;
use regex::Regex;

use crate::harness::{Screen, sample};

/// Methods of a sample that are looked at.
const MAX_METHODS: u32 = 24;
const SAMPLES: [&str; 5] = [
    "ticker/Ticker.dll",
    "ticker-release/Ticker.dll",
    "workshop/Workshop.dll",
    "workshop-release/Workshop.dll",
    "shapes/Shapes.dll",
];

type Seen = BTreeMap<Sign, usize>;

fn open(path: &Path) -> Session {
    let session = Session::open(&[path.to_owned()]).unwrap();
    attach_known(&session, None);
    session
}

fn sign(text: &str) -> Option<Sign> {
    Sign::ALL.into_iter().find(|sign| sign.text() == text)
}

fn methods(session: &Session) -> impl Iterator<Item = MethodView> {
    let rows = 1..=session.methods().min(MAX_METHODS);
    let views = rows.map(|row| MethodView::of(session, Token::new(TableId::METHOD_DEF, row)));
    views.filter(|view| view.points.iter().any(|point| !point.is_hidden()))
}

/// Compares the rows of points and of IL of a method with the verdicts of its points.
fn compare_code(judge: &Judge<'_>, view: &MethodView, text: &str, seen: &mut Seen) {
    let row = Regex::new(r"[│▌┝├] +(?:(\d+))?([●◐◌○])[ +=].*?(?:IL_| )([0-9a-f]{4})  ").unwrap();
    for found in text.lines().filter_map(|line| row.captures(line)) {
        let offset = u32::from_str_radix(&found[3], 16).unwrap();
        let number = match found.get(1) {
            Some(number) => number.as_str().parse::<usize>().unwrap() - 1,
            None => view.points.covering(offset).unwrap(),
        };
        let point = view.points.get(number).unwrap();
        let expected = judge.point(view.of, point).sign();
        assert_eq!(sign(&found[2]), Some(expected), "{} {}\n{text}", view.of, &found[0]);
        *seen.entry(expected).or_default() += 1;
    }
}

/// Compares a margin with the verdicts on the lines of a document: those without code have no sign.
fn compare_margin(judge: &Judge<'_>, document: u32, text: &str, row: &Regex) -> usize {
    let verdicts = judge.lines(document, &|| false);
    let mut compared = 0;
    let lines = text.lines().filter(|line| !line.contains("  IL_"));
    for found in lines.filter_map(|line| row.captures(line)) {
        let line: usize = found[1].parse().unwrap();
        let expected = verdicts.get(line - 1).and_then(|verdict| verdict.sign_of_line());
        assert_eq!(sign(&found[2]), expected, "line {line}\n{text}");
        compared += usize::from(expected.is_some());
    }
    compared
}

#[test]
fn points_il_and_margins_have_the_signs_of_their_points() {
    let (options, mut seen, mut lines) = (SourceOptions::default(), Seen::new(), 0);
    let margin = Regex::new(r"│▌? +(\d+) ([●◐◌○ ]) ").unwrap();
    for file in SAMPLES {
        let session = open(&sample(file));
        let judge = Judge::of(&session, &options);
        let mut screen = Screen::open(file, 160, 50);
        for view in methods(&session) {
            let text = screen.keys(&format!("o \"method/{:#x}\" enter methods", view.of.token().0)).text();
            compare_code(&judge, &view, &text, &mut seen);
        }
        if file.starts_with("ticker") {
            let document = MethodView::of(&session, Token(0x0600_0003)).points.first().unwrap().document;
            // The cursor is on a line with code.
            let text = screen.keys("o \"Clock.cs:11\" enter").text();
            lines += compare_margin(&judge, document, &text, &margin);
        }
    }
    assert!([Sign::Stops, Sign::Setting, Sign::Never].iter().all(|sign| seen[sign] > 10), "{seen:?}");
    assert!(lines > 4, "{lines}");
}

#[test]
fn a_line_without_code_has_a_sign_and_its_target_under_the_cursor_only() {
    let mut screen = Screen::open("ticker/Ticker.dll", 160, 50);
    let text = screen.keys("o \"Clock.cs:10\" enter sources k").text();
    let row = text.lines().find(|line| line.contains("  9 ◐")).unwrap_or_else(|| panic!("{text}"));
    assert!(row.trim_end().ends_with("moves to line 10"), "{text}");
    assert!(!screen.keys("o \"Clock.cs:11\" enter").text().contains('◐'));
}

/// A trace with a frame at each visible point of some methods.
fn trace(session: &Session, file: &str) -> String {
    let frames = methods(session).flat_map(|view| {
        let name = session.method_name(view.of.token());
        let name = name.split('(').next().unwrap_or_default().to_owned();
        let points: Vec<_> = view.points.iter().filter(|point| !point.is_hidden()).copied().collect();
        points.into_iter().map(move |point| {
            // Each is the innermost of a trace, which need not be at a call.
            format!(
                "System.Exception: no\n   at {name}() in {}:token {:#x}+{:#x}\n",
                file_name(file),
                view.of.token().0,
                point.offset
            )
        })
    });
    frames.collect()
}

#[test]
fn frames_of_a_trace_have_the_signs_of_their_points() {
    let (options, mut seen) = (SourceOptions::default(), Seen::new());
    let frame = Regex::new(r"token 0x(\w+)\+0x(\w+) +([●◐◌○]) ").unwrap();
    for file in SAMPLES {
        let session = open(&sample(file));
        let judge = Judge::of(&session, &options);
        let mut screen = Screen::open(file, 400, 400);
        let text = screen.keys("4").paste(&trace(&session, file)).finish().text();
        for found in text.lines().filter_map(|line| frame.captures(line)) {
            let [token, il] = [1, 2].map(|group| u32::from_str_radix(&found[group], 16).unwrap());
            let of = CodeUnit::Method(Token(token));
            let view = MethodView::of(&session, of);
            let point = view.points.get(view.points.covering(il).unwrap()).unwrap();
            let expected = judge.point(of, point).sign();
            assert_eq!(sign(&found[3]), Some(expected), "{file} {}\n{text}", &found[0]);
            *seen.entry(expected).or_default() += 1;
        }
    }
    assert!([Sign::Stops, Sign::Setting, Sign::Never].iter().all(|sign| seen.get(sign) > Some(&2)), "{seen:?}");
}

#[test]
fn the_preview_of_a_frame_of_other_files_has_the_signs_of_its_lines() {
    let symbols =
        SymbolPaths { named: SymbolPath::parse(&sample("shapes").display().to_string()), ..SymbolPaths::default() };
    let paths = Paths { symbols, ..Paths::default() };
    let options = Options { files: vec![sample("ticker/Ticker.dll")], paths, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 160, 50);
    let session = open(&sample("shapes/Shapes.dll"));
    let text = screen.keys("4").paste(&trace(&session, "Shapes.dll")).keys("g j").finish().text();
    let row = Regex::new(r"^[▌ ] *(\d+) ([●◐◌○ ]) ").unwrap();
    let sources = SourceOptions::default();
    let judge = Judge::of(&session, &sources);
    let first = methods(&session).next().unwrap().points.iter().find(|point| !point.is_hidden()).unwrap().document;
    let compared = compare_margin(&judge, first, &text, &row);
    assert!(compared > 0, "{:?}\n{text}", document::name(&session, first));
}

#[test]
fn the_summary_and_a_folder_have_the_sign_of_the_module() {
    let options = SourceOptions::default();
    let folder = Screen::open("", 160, 60);
    let list = folder.text();
    let mut seen = Seen::new();
    for file in SAMPLES {
        let session = open(&sample(file));
        let verdict = Judge::of(&session, &options).of_module();
        let sign = verdict.sign();
        Screen::open(file, 160, 50).shows(&format!(
            "{} Breakpoints {}",
            sign.text(),
            verdict.words().replacen("stops", "stop", 1)
        ));
        let built = if sign == Sign::Stops { "debug" } else { "release" };
        let row = list.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{list}"));
        assert!(row.contains(&format!(" {} {built} ", sign.text())), "{row}");
        *seen.entry(sign).or_default() += 1;
    }
    assert_eq!(seen, Seen::from([(Sign::Stops, 2), (Sign::Setting, 3)]));
}

#[test]
fn refused_points_are_listed_by_document_and_method_with_their_source() {
    let mut screen = Screen::open("ticker-release/Ticker.dll", 120, 40);
    screen
        .keys(": \"refused-points\" enter")
        .finish()
        .shows("Clock.cs  Clock.Since(long) 2")
        .shows("2 points in 1 method")
        .shows("12 ○  IL_0005  var elapsed = now - started;")
        .shows("13 ○  IL_0008  return elapsed < 0 ? 0 : elapsed;  IL_000d binds");
    // The first point is chosen, and its source has the signs of its lines.
    let text = screen.text();
    let row = Regex::new(r"▌ ?(\d+) ○ +var elapsed").unwrap();
    assert!(text.contains("refused by the map") && row.is_match(&text), "{text}");
    screen.keys("down").finish();
    assert!(Regex::new(r"▌ ?13 ○ +return elapsed").unwrap().is_match(&screen.text()), "{}", screen.text());
    screen.keys("\"return\"").shows("1 point in 1 method").keys("ctrl-u \"nowhere\"").shows("no point is refused");
    // The name of a method leads to the method.
    screen.keys("esc : \"refused-points\" enter up enter").shows("Since(long)").shows("0x06000003");
}

#[test]
fn a_sentence_of_the_summary_is_cut_before_a_clause() {
    let mut screen = Screen::open("workshop-release/Workshop.dll", 80, 24);
    screen.shows("Stack traces resolve to lines… ").shows("Breakpoints stop only without Just My Code… ");
    // The line below the panes has the whole of that under the cursor.
    screen.shows(" ◌ Breakpoints stop only without Just My Code: the assembly is optimised");
}
