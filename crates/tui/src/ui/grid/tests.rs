//! Tests of grids.

use super::*;
use crate::ui::glyphs::UNICODE;
use crate::ui::theme::Theme;
use pdblens_nodes::rows::{Groups, Head};

fn drawn(width: u16, height: u16, rows: &Rows<'_>, selected: usize) -> Vec<String> {
    let theme = Theme::default();
    let look = Look { theme: &theme, glyphs: &UNICODE, focused: true, line: 0 };
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
    let columns = Head::list(["#:", "name", "rows:"]);
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
    let rows = Rows::of("t", Head::list(["name", "n:"]), vec![Row::plain(vec!["A".repeat(40).into(), "1234".into()])]);
    assert_eq!(drawn(20, 2, &rows, 0), [" name             n", "▌AAAAAA…AAAAA  1234"]);
}

#[test]
fn rows_that_span_all_columns_are_drawn_without_any_other_row() {
    let columns = Head::list(["", "", ""]);
    let rows: Vec<Row> = ["param int argc", "param char** argv"].map(|text| Row::plain(vec![text.into()])).into();
    assert_eq!(drawn(24, 2, &Rows::of("", columns, rows), 1), [" param int argc", "▌param char** argv"]);
}

#[test]
fn the_full_text_of_the_cursor_row_is_shown_where_it_is_cut() {
    let names = ["A".repeat(30), "short".to_owned(), "B C".to_owned(), "D".repeat(30)];
    let rows: Vec<Row> = names.iter().map(|name| Row::plain(vec![name.as_str().into(), "1".into()])).collect();
    let rows = Rows::of("t", Head::list(["name", "n:"]), rows);
    let (cut, whole) = (format!("{0}…{0}  1", "A".repeat(7)), "A".repeat(17));
    let shown = drawn(20, 6, &rows, 0);
    assert_eq!(shown[1], format!("▌{cut}"));
    assert_eq!(shown[3..], ["┊ name:".to_owned(), format!("┊ {whole}"), format!("┊ {}", "A".repeat(13))]);
    // The text of the last row is above it.
    let shown = drawn(20, 5, &rows, 3);
    assert_eq!((shown[1].as_str(), shown[4].as_str()), ("┊ name:", "▌DDDDDDD…DDDDDDD  1"));
    assert!(drawn(20, 6, &rows, 1).iter().all(|line| !line.starts_with('┊')), "the row is not cut");
}

#[test]
fn the_cursor_row_below_a_heading_wraps_to_its_full_text() {
    let whole = |row: usize| format!("Get{row}(Dictionary, List, Func, CancellationToken)");
    let made: Vec<Row> = (0..9).map(|row| Row::plain(vec![whole(row).into(), row.to_string().into()])).collect();
    let mut rows = Rows::of("t", Head::list(["name", "n:"]), made);
    rows.groups = Some(Groups::new(0, false, move |row| Grouped {
        headings: vec![Heading { rows: row / 3 * 3..row / 3 * 3 + 3, name: "Type".to_owned(), detail: String::new() }],
        rest: "(… CancellationToken)".to_owned(),
        whole: whole(row),
    }));
    for selected in 0..9 {
        let shown = drawn(30, 8, &rows, selected);
        let of_row: Vec<&str> = shown.iter().filter_map(|line| line.strip_prefix('▌')).collect();
        let number = format!(" {selected}");
        let first = of_row[0].strip_suffix(&number).unwrap_or_else(|| panic!("{selected} {shown:#?}"));
        let text = [&[first.trim_end()], &of_row[1..]].concat().join(" ");
        assert_eq!(text, whole(selected), "{shown:#?}");
        assert!(shown.iter().any(|line| line.starts_with(" (… CancellationToken)")), "{shown:#?}");
    }
}

#[test]
fn names_as_long_as_the_screen_has_room_for_are_shown_in_full() {
    for len in [700, 1000, 1500] {
        let name: String = (0..len).map(|index| char::from(b'a' + (index % 23) as u8)).collect();
        let rows: Vec<Row> = (0..30).map(|row| Row::plain(vec![format!("{row}{name}").into(), "of".into()])).collect();
        let rows = Rows::of("t", Head::list(["name", "kind"]), rows);
        for selected in [0, 10, 29] {
            let shown = drawn(80, 22, &rows, selected);
            let of_box = shown.iter().filter_map(|line| line.strip_prefix("┊ "));
            let text: String = of_box.collect();
            assert!(text.contains(&format!("{selected}{name}")), "{len} {selected}:\n{}", shown.join("\n"));
        }
    }
}

#[test]
fn steady_columns_stay_while_a_list_scrolls() {
    let made = |steady: bool| {
        let columns = Head::list(["name", "offset", "kind"]);
        let row = |index: usize| {
            let offset = if index < 50 { format!("{index:#x}") } else { format!("vtable@{index:#x}+0x0") };
            Row { depth: (index % 8) as u8, ..Row::plain(vec!["x".into(), offset.into(), "kind".into()]) }
        };
        let mut rows = Rows::new("t", columns, 60, row);
        rows.steady = steady;
        let heads = [0, 20, 59].map(|at| drawn(60, 6, &rows, at)[0].clone());
        let texts = [0, 59].map(|at| drawn(60, 6, &rows, at)[5].chars().position(|c| c == 'k'));
        (heads, texts)
    };
    let (heads, texts) = made(true);
    assert!(heads.iter().all(|head| *head == heads[0]) && texts[0] == texts[1], "{heads:#?} {texts:?}");
    let (heads, _) = made(false);
    assert_ne!(heads[0], heads[2]);
}

#[test]
fn the_cost_does_not_depend_on_the_number_of_rows() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let made = AtomicUsize::new(0);
    let rows = Rows::new("t", Head::list([""]), usize::MAX / 2, |_| {
        made.fetch_add(1, Ordering::Relaxed);
        Row::plain(vec!["x".into()])
    });
    drawn(10, 20, &rows, usize::MAX / 4);
    assert_eq!(made.load(Ordering::Relaxed), 21, "those of the window, and the cursor row for its full text");
}
