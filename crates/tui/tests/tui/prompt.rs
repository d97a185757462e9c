//! Ranges of lines as the panes print them, and parameters that are half typed.

use std::ops::ControlFlow;

use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::{MethodView, range_text};
use pdblens_nodes::{TableId, Token};
use pdblens_query::ask::{Here, ask};
use pdblens_session::session::Session;

use crate::harness::{Screen, sample};
use crate::support::is_thorough;
use crate::support::samples::all_samples;

/// The selection of a screen, as the prompt takes it.
pub(crate) fn here(screen: &Screen) -> Here {
    let selected = screen.app.selected().unwrap();
    Here { span: selected.span(), code: selected.method.as_ref().map(|view| view.of), document: selected.document }
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
    Here { code: Some(of), ..Here::default() }
}

#[test]
fn ranges_of_points_lead_to_them() {
    let mut asked = 0;
    for sample in all_samples() {
        let session = Session::open(&sample.files()).unwrap();
        for of in some_code(&session, 40) {
            let mut points = Vec::new();
            let _ = code_unit::each_point(&session, of, &mut |point| {
                points.push(point);
                ControlFlow::Continue(())
            });
            for point in points.iter().filter(|point| !point.is_hidden()) {
                let text = range_text(point);
                let place = |typed: &str| ask(&session, typed, in_code(of)).map(|(place, _)| place);
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

#[test]
fn an_address_in_a_section_is_no_line_of_a_document() {
    let session = Session::open(&[sample("parcel-optimized/parcel.exe")]).unwrap();
    for typed in ["0001:000000b4", "1:000000b4"] {
        let (place, _) = ask(&session, typed, Here::default()).unwrap();
        assert!(place.to_string().starts_with("function/0x10b0/"), "{typed}: {place}");
    }
}

#[test]
fn parameters_that_are_half_typed_rank_the_overloads_that_begin_so() {
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o").paste("NormalizeCustomerAsync(lo+0x1").finish();
    let text = screen.text();
    let rows: Vec<&str> =
        text.lines().filter(|line| line.contains("NormalizeCustomerAsync(")).skip(1).take(2).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row.contains("NormalizeCustomerAsync(long")), "{text}");
    // The third has a longer name, which is whole where the cursor is.
    screen.keys("down down").shows("NormalizeCustomerAsync(long").keys("up up");
    // The answer is that for the first, and no complaint that no overload has these parameters.
    screen.shows("IL_0001");
    assert!(!screen.text().contains("no overload of"), "{}", screen.text());
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o").paste("NormalizeCustomerAsync(none").finish();
    screen.shows("no overload of NormalizeCustomerAsync has the parameters (none)");
}
