//! Texts that screens print, each with the place that it leads to: paths of steps, ranges, numbers, rows of names and cut names of every sample.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use pdblens::nodes::code_unit::{self, CodeUnit};
use pdblens::nodes::function::NativeView;
use pdblens::nodes::method::{MethodView, range_text};
use pdblens::nodes::rows::Row;
use pdblens::nodes::{self, MethodPart, Place, TableId, Token};
use pdblens::query::ask::{Here, ask, further, overloads};
use pdblens::query::scope_names::names;
use pdblens::session::Session;
use pdblens::tui::Options;
use pdblens::tui::app::config::Config;
use pdblens::tui::ui::cut::fit_name;
use pdblens::tui::ui::glyphs::UNICODE;

use crate::harness::{Screen, sample};
use crate::support::is_thorough;
use crate::support::samples::all_samples;

/// The selection of a screen, as the prompt takes it.
pub(crate) fn here(screen: &Screen) -> Here {
    let selected = screen.app.selected().unwrap();
    Here {
        span: selected.span(),
        code: selected.method.as_ref().map(|view| view.of),
        place: Some(selected.selection.place),
        document: selected.document,
    }
}

/// Methods and functions of a session: those at the start, in the middle and at the end, `most` in all.
fn some_code(session: &Session, most: usize) -> Vec<CodeUnit> {
    let mut all: Vec<CodeUnit> =
        (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row).into()).collect();
    let native = NativeView::of(session);
    all.extend(
        native
            .iter()
            .flat_map(|native| native.functions().iter().filter_map(|f| native.rva_of(f)))
            .map(CodeUnit::Function),
    );
    let most = if is_thorough() { most } else { most / 3 };
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

/// The selection of a method or function alone.
fn in_code(of: CodeUnit) -> Here {
    Here { code: Some(of), place: Some(of.place()), ..Here::default() }
}

#[test]
fn the_path_of_each_view_leads_to_what_is_selected() {
    let (mut asked, mut failed) = (0, Vec::new());
    for sample in all_samples() {
        let options = Options { files: sample.files(), ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
        let session = Arc::clone(screen.app.session.as_ref().unwrap());
        for view in 2..=6 {
            screen.keys(&view.to_string());
            for keys in ["j j", "tab j j", "tab j", "enter ] ]"] {
                let text = screen.keys(keys).text();
                let Some(path) = text.lines().nth(1).and_then(|line| line.split("  ").next()) else { continue };
                let path = path.trim();
                let place = screen.app.selected().unwrap().selection.place;
                // Bytes without an owner have a title of their own.
                if !path.contains('\u{203a}') || path.contains('\u{2026}') || matches!(place, Place::Bytes(_)) {
                    continue;
                }
                let found = ask(&session, path, here(&screen));
                let is_it = found.as_ref().is_ok_and(|(found, _)| *found == place);
                let others = overloads(&session, path);
                if !is_it {
                    failed.push(format!("{} {view} {path}: {place} {found:?} {others:?}", sample.name));
                }
                asked += 1;
            }
        }
    }
    assert!(failed.is_empty(), "{} of {asked}: {failed:#?}", failed.len());
    assert!(asked > 300, "{asked}");
}

#[test]
fn ranges_and_numbers_of_points_lead_to_them() {
    let mut asked = 0;
    for sample in all_samples() {
        let session = Session::open(&sample.files()).unwrap();
        for of in some_code(&session, 40) {
            let mut points = Vec::new();
            let _ = code_unit::each_point(&session, of, &mut |point| {
                points.push(point);
                ControlFlow::Continue(())
            });
            for (number, point) in (1..).zip(&points).filter(|(_, point)| !point.is_hidden()) {
                let text = range_text(point);
                let place = |typed: &str| ask(&session, typed, in_code(of)).map(|(place, _)| place);
                assert_eq!(place(&format!("{} {number}", of.point_word())), Ok(of.point(number)), "{}", sample.name);
                assert_eq!(place(&format!("#{number}")), Ok(of.point(number)), "{}", sample.name);
                // A line alone is a number.
                if !text.contains([':', '\u{2013}']) {
                    continue;
                }
                for typed in [text.clone(), text.replace('\u{2013}', "-")] {
                    // The first of the points with this range.
                    let same =
                        (1..).zip(&points).find(|(_, other)| range_text(other) == text).map(|(number, _)| number);
                    assert_eq!(place(&typed).ok(), same.map(|number| of.point(number)), "{} {of} {typed}", sample.name);
                    asked += 1;
                }
                // In a document, without a method, a point of exactly that range is found.
                let document = Here { document: Some(point.document), ..Here::default() };
                let (found, _) = ask(&session, &text, document).unwrap();
                let view = MethodView::of(&session, found.code_unit().unwrap());
                let number = found.to_string().rsplit('/').next().unwrap().parse::<usize>().unwrap();
                assert_eq!(view.points.get(number - 1).map(range_text), Some(text), "{}", sample.name);
            }
        }
    }
    assert!(asked > if is_thorough() { 2000 } else { 1000 }, "{asked}");
}

/// A row as the pane prints it, with the sign before the name, and its cells cut to `most` characters.
fn printed(row: &Row, sign: &str, most: usize) -> String {
    let cells: Vec<String> = row
        .cells
        .iter()
        .map(|cell| {
            let shown = fit_name(&cell.text, most, &UNICODE).into_owned();
            if cell.beside.is_empty() { shown } else { format!("{shown} {}", cell.beside) }
        })
        .filter(|cell| !cell.is_empty())
        .collect();
    format!("  {sign}{}", cells.join("  "))
}

#[test]
fn rows_of_names_lead_to_their_records() {
    let (mut asked, mut records, mut failed) = (0, BTreeSet::new(), Vec::new());
    for sample in all_samples() {
        let session = Session::open(&sample.files()).unwrap();
        for of in some_code(&session, 24) {
            for row in names(&session, &MethodView::of(&session, of)) {
                let Some(place) =
                    row.row.place.filter(|_| row.row.cells.iter().filter(|c| !c.text.is_empty()).count() > 1)
                else {
                    continue;
                };
                for (sign, most) in [("", usize::MAX), ("\u{2022} ", usize::MAX), ("\u{2013} ", 12)] {
                    let typed = printed(&row.row, sign, most);
                    let found = ask(&session, &typed, in_code(of)).map(|(place, _)| place);
                    let all: Vec<Place> =
                        found.clone().into_iter().chain(further(&session, typed.trim(), in_code(of))).collect();
                    if !all.contains(&place) {
                        failed.push(format!("{} {of} {typed:?}: {place} {found:?} {all:?}", sample.name));
                    }
                    asked += 1;
                }
                records.insert(place.to_string().split('/').take(2).collect::<Vec<_>>().join("/"));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {asked}: {failed:#?}", failed.len());
    assert!(asked > 800, "{asked}");
    for kind in ["table/LocalVariable", "table/LocalConstant", "table/LocalScope", "table/Param"] {
        assert!(records.contains(kind), "{kind} {records:?}");
    }
}

#[test]
fn the_scopes_pane_prints_what_the_prompt_takes() {
    let mut screen = Screen::open("workshop/Workshop.dll", 200, 50);
    screen.keys("o \"Scopes.Nested\" enter").shows("Scopes \u{2500}");
    // The pane alone, as it is drawn.
    screen.keys("shift-tab");
    while !screen.text().contains("Scopes \u{2501}") {
        screen.keys("shift-tab");
    }
    let text = screen.keys("z").text();
    let session = Arc::clone(screen.app.session.as_ref().unwrap());
    let here = here(&screen);
    let mut found = BTreeSet::new();
    for line in text.lines().skip(3).filter(|line| line.contains("slot ") || line.contains("= ")) {
        let (place, said) = ask(&session, line, here).unwrap_or_else(|why| panic!("{line}: {why}"));
        let name = said.split(' ').next().unwrap();
        assert!(line.contains(&format!(" {name} ")), "{line}: {place} {said}");
        let Place::Row(_, table, row) = place else { panic!("{line}: {place}") };
        let fields = nodes::fields(&session, place).unwrap();
        assert!(fields.leaves().any(|field| field.meaning.contains(name)), "{line}: {table:?}/{row}");
        found.insert(place);
    }
    assert!(found.len() >= 8, "{found:?}\n{text}");
}

#[test]
fn a_cut_call_finds_the_overload_that_it_was_cut_from_first() {
    let (mut single, mut among) = (0, 0);
    for file in ["warehouse/Acme.Warehouse.dll", "shapes/Shapes.dll", "workshop/Workshop.dll"] {
        let session = Session::open(&[sample(file)]).unwrap();
        let brief = session.names().unwrap().brief();
        for of in some_code(&session, 24) {
            let method = Place::Method(of.token());
            for text in [brief.method(of.token()), brief.method_short(of.token())] {
                for most in [18, 26, 40] {
                    let typed = fit_name(&text, most, &UNICODE).into_owned();
                    // A few characters are those of everything.
                    if !typed.contains('\u{2026}') || typed.chars().filter(|c| c.is_alphanumeric()).count() < 8 {
                        continue;
                    }
                    let named = overloads(&session, &typed);
                    match ask(&session, &typed, Here::default()) {
                        Ok((place, _)) => {
                            assert_eq!(place, method, "{typed} of {text}");
                            single += 1;
                        }
                        Err(_) => {
                            assert!(named.len() > 1, "{typed} of {text}: {named:?}");
                            assert!(named.contains(&method) || named.len() == 30, "{typed} of {text}: {named:?}");
                            among += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(single > 60 && among > 10, "{single} {among}");
    // In the list of the prompt, they precede names that are like it.
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o").paste("Normalize\u{2026}Async(long)").finish();
    let text = screen.text();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("NormalizeCustomerAsync(")).take(2).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row.contains("NormalizeCustomerAsync(long)")), "{text}");
}

#[test]
fn an_address_in_a_section_is_no_line_of_a_document() {
    let session = Session::open(&[sample("parcel-optimized/parcel.exe")]).unwrap();
    for typed in ["0001:000000b4", "1:000000b4"] {
        let (place, _) = ask(&session, typed, Here::default()).unwrap();
        assert!(place.to_string().starts_with("function/0x10b0/"), "{typed}: {place}");
    }
}

#[test]
fn numbers_refer_to_the_selected_list() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen
        .keys("o \"LocalScope/3\" enter")
        .shows("4 Tables")
        .keys("o \"#18\"")
        .finish()
        .shows("LocalScope \u{203a} row 18");
    screen.keys("enter");
    assert_eq!(screen.app.selected().unwrap().selection.place.to_string(), "table/LocalScope/18");
    screen.keys("6").finish().keys("o \"#2\" enter");
    assert_eq!(screen.app.selected().unwrap().selection.place, Place::Document(2));
    screen
        .keys("o \"Scopes.Nested\" enter o \"#3\"")
        .finish()
        .shows("point 3")
        .shows("LocalScope \u{203a} row 19")
        .keys("enter");
    let place = screen.app.selected().unwrap().selection.place;
    assert!(matches!(place, Place::MethodPart(_, MethodPart::Point(3))), "{place}");
    screen.keys("o \"#999\"").finish().shows("nothing of the selection has the number 999");
}

#[test]
fn parameters_that_are_half_typed_rank_the_overloads_that_begin_so() {
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o").paste("NormalizeCustomerAsync(lo+0x1").finish();
    let text = screen.text();
    let rows: Vec<&str> =
        text.lines().filter(|line| line.contains("NormalizeCustomerAsync(")).skip(1).take(3).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.contains("NormalizeCustomerAsync(long")), "{text}");
    // The answer is that for the first, and no complaint that no overload has these parameters.
    screen.shows("IL_0001");
    assert!(!screen.text().contains("no overload of"), "{}", screen.text());
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o").paste("NormalizeCustomerAsync(none").finish();
    screen.shows("no overload of NormalizeCustomerAsync has the parameters (none)");
}
