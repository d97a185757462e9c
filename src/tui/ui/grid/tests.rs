//! Tests of grids.

use super::*;
use crate::nodes::rows::Head;
use crate::tui::ui::glyphs::UNICODE;
use crate::tui::ui::theme::Theme;

fn drawn(width: u16, height: u16, rows: &Rows<'_>, selected: usize) -> Vec<String> {
    let theme = Theme::default();
    let look = Look { theme: &theme, glyphs: &UNICODE, focused: true };
    let mut grid = Grid::default();
    grid.resize(rows, height);
    grid.scroll.select(selected);
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    grid.draw(&mut buf, area, rows, &look, &|_, _| false, &|_, _, _, _| None);
    let line = |y| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(line).collect()
}

fn list(len: usize) -> Rows<'static> {
    let columns = vec![Head::number("#"), Head::text("name"), Head::number("rows")];
    Rows::new("t", columns, len, |index| {
        Row::plain(vec![
            Cell::new((index + 1).to_string()),
            Cell::new("N".repeat(index % 7 + 1)),
            Cell::new((index * index).to_string()),
        ])
    })
}

#[test]
fn columns_are_as_wide_as_what_shows_and_numbers_are_on_the_right() {
    assert_eq!(drawn(24, 4, &list(9), 1), [" #  name  rows", " 1  N        0", "▌2  NN       1", " 3  NNN      4"]);
}

#[test]
fn too_wide_a_column_is_cut_and_the_others_are_not() {
    let rows = Rows::of(
        "t",
        vec![Head::text("name"), Head::number("n")],
        vec![Row::plain(vec!["A".repeat(40).into(), "1234".into()])],
    );
    assert_eq!(drawn(20, 2, &rows, 0), [" name             n", "▌AAA…AAAAAAAA  1234"]);
}

#[test]
fn rows_that_span_all_columns_are_drawn_without_any_other_row() {
    let columns = vec![Head::text(""), Head::text(""), Head::text("")];
    let rows: Vec<Row> = ["param int argc", "param char** argv"].map(|text| Row::plain(vec![text.into()])).into();
    assert_eq!(drawn(24, 2, &Rows::of("", columns, rows), 1), [" param int argc", "▌param char** argv"]);
}

#[test]
fn the_full_text_of_the_cursor_row_is_shown_where_it_is_cut() {
    let names = ["A".repeat(30), "short".to_owned(), "B C".to_owned(), "D".repeat(30)];
    let rows: Vec<Row> = names.iter().map(|name| Row::plain(vec![name.as_str().into(), "1".into()])).collect();
    let rows = Rows::of("t", vec![Head::text("name"), Head::number("n")], rows);
    let (cut, whole) = (format!("{}…{}  1", "A".repeat(4), "A".repeat(10)), "A".repeat(17));
    let shown = drawn(20, 6, &rows, 0);
    assert_eq!(shown[1], format!("▌{cut}"));
    assert_eq!(shown[3..], ["┊ name:".to_owned(), format!("┊ {whole}"), format!("┊ {}", "A".repeat(13))]);
    // The text of the last row is above it.
    let shown = drawn(20, 5, &rows, 3);
    assert_eq!((shown[1].as_str(), shown[4].as_str()), ("┊ name:", "▌DDDD…DDDDDDDDDD  1"));
    assert!(drawn(20, 6, &rows, 1).iter().all(|line| !line.starts_with('┊')), "the row is not cut");
}

#[test]
fn the_cost_does_not_depend_on_the_number_of_rows() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let made = AtomicUsize::new(0);
    let rows = Rows::new("t", vec![Head::text("")], usize::MAX / 2, |_| {
        made.fetch_add(1, Ordering::Relaxed);
        Row::plain(vec!["x".into()])
    });
    drawn(10, 20, &rows, usize::MAX / 4);
    assert_eq!(made.load(Ordering::Relaxed), 20);
}
