//! The short version of the pane, where it has no room for all names: those in scope at the selected code, then others.

use std::collections::HashSet;

use super::wrapped::{Block, Detail, Stops};
use crate::ui::glyphs::Glyphs;
use crate::ui::text::wrap;
use pdblens_nodes::rows::{Cell, Row, Rows, Tone};
use pdblens_query::scope_names::NameRow;

/// A row that is shown: its index, as it is drawn, and its lines.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// `None` for the line of those that have no room.
    pub(super) index: Option<usize>,
    pub(super) row: Row,
    pub(super) block: Block,
}

/// The names in scope at an offset, locals of the innermost scope first, and arguments last; each name once, though a parameter of
/// optimised code has a record of its place on the stack, and one of its registers.
pub(super) fn in_scope(names: &[NameRow], offset: u32) -> Vec<usize> {
    let is_name = |row: &NameRow| row.row.depth > 0 && row.scope.is_none() && row.range.is_some() && !row.is_unnamed;
    let holds = |index: &usize| names.get(*index).is_some_and(|row| is_name(row) && row.at(offset).0);
    let mut found: Vec<usize> = (0..names.len()).filter(holds).collect();
    let len = |index: &usize| {
        names.get(*index).and_then(|row| row.range.as_ref()).map_or(u64::MAX, |range| range.end - range.start)
    };
    found.sort_by_key(len);
    let key = |index: &usize| {
        let row = &names.get(*index)?.row;
        Some((row.cells.first()?.text.as_str(), row.depth))
    };
    let mut seen = HashSet::new();
    found.retain(|index| seen.insert(key(index)));
    found
}

/// The other rows that have a range: first the inlined calls around the code, innermost last.
fn others(names: &[NameRow], offset: u32, found: &[usize]) -> Vec<usize> {
    let found: HashSet<usize> = found.iter().copied().collect();
    let has_range = |index: &usize| {
        let row = names.get(*index);
        // A label or the frame is no name, and no code of its own.
        row.is_some_and(|row| row.row.depth > 0 && row.range.is_some() && (!row.is_unnamed || row.is_block))
    };
    let rest = (0..names.len()).filter(|index| !found.contains(index) && has_range(index));
    let (around, beyond): (Vec<usize>, Vec<usize>) = rest.partition(|index| names[*index].at(offset).0);
    around.into_iter().filter(|index| names[*index].is_unnamed).chain(beyond).collect()
}

/// A row as it is drawn without those around it.
fn flat(rows: &Rows<'_>, index: usize) -> Row {
    Row { depth: 0, ..rows.get(index).unwrap_or_default() }
}

/// Number of lines.
fn height(shown: &[Shown]) -> usize {
    shown.iter().map(|shown| shown.block.len()).sum()
}

/// Rows with their lines, in a pane of `wide` cells.
fn laid_out(rows: Vec<(usize, Row)>, wide: usize, detail: Detail, glyphs: &Glyphs) -> Vec<Shown> {
    let stops = Stops::of(&rows.iter().map(|(_, row)| row), wide);
    let shown = |(index, row): (usize, Row)| {
        let block = stops.block(&row, detail, glyphs);
        Shown { index: Some(index), row, block }
    };
    rows.into_iter().map(shown).collect()
}

/// The rows that are shown in `wide` and `high` cells; `plain` are the rows as they are, `signed` those with the signs that tell which
/// are in scope.
pub(super) fn shown(
    names: &[NameRow],
    offset: u32,
    (plain, signed): (&Rows<'_>, &Rows<'_>),
    (wide, high): (usize, usize),
    glyphs: &Glyphs,
) -> Vec<Shown> {
    let found = in_scope(names, offset);
    let of = |rows: &Rows<'_>, indices: &[usize]| -> Vec<(usize, Row)> {
        indices.iter().map(|index| (*index, flat(rows, *index))).collect()
    };
    let others = others(names, offset, &found);
    let with_others: Vec<usize> = found.iter().chain(&others).copied().collect();
    let mut all = laid_out(of(signed, &with_others), wide, Detail::Whole, glyphs);
    while all.len() > found.len() && height(&all) > high {
        all.pop();
    }
    if all.len() > found.len() {
        return all;
    }
    let mut all = laid_out(of(plain, &found), wide, Detail::Short, glyphs);
    let Some(mut left) = high.checked_sub(height(&all)) else {
        return with_rest(of(plain, &found), (wide, high), glyphs);
    };
    // The lines that are left complete the first rows that are cut.
    for (short, whole) in all.iter_mut().zip(laid_out(of(plain, &found), wide, Detail::Whole, glyphs)) {
        let more = whole.block.len() - short.block.len().min(whole.block.len());
        if more <= left {
            left -= more;
            *short = whole;
        }
    }
    all
}

/// As many rows as have room above the names of the rest.
fn with_rest(rows: Vec<(usize, Row)>, (wide, high): (usize, usize), glyphs: &Glyphs) -> Vec<Shown> {
    let mut all = laid_out(rows, wide, Detail::Short, glyphs);
    let mut rest: Vec<Shown> = Vec::new();
    let text = |rest: &[Shown]| {
        let names: Vec<&str> = rest.iter().filter_map(|one| Some(one.row.cells.first()?.text.as_str())).collect();
        format!("{} {} more: {}", glyphs.more, rest.len(), names.join(", "))
    };
    let lines = |text: &str| wrap(text, wide.saturating_sub(2).max(1)).len();
    while let Some(last) = all.pop() {
        rest.insert(0, last);
        if height(&all) + lines(&text(&rest)) <= high || all.is_empty() {
            break;
        }
    }
    let row = Row::plain(vec![Cell::toned(text(&rest), Tone::Dim)]);
    let stops = Stops::of(&std::iter::once(&row), wide);
    let block = stops.block(&row, Detail::Whole, glyphs);
    all.push(Shown { index: None, row, block });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::UNICODE;
    use pdblens_nodes::rows::Head;

    fn name(text: &str, range: std::ops::Range<u64>) -> NameRow {
        let row = Row { depth: 1, ..Row::plain(["int", "slot 0"].map(Cell::new).to_vec()) };
        let mut row = Row { cells: [vec![Cell::new(text)], row.cells].concat(), ..row };
        row.place = None;
        NameRow { row, range: Some(range), ..NameRow::default() }
    }

    fn seen(names: &[NameRow], offset: u32, size: (usize, usize)) -> Vec<String> {
        let rows = || names.iter().map(|name| name.row.clone()).collect();
        let rows = || Rows::of("", vec![Head::text(""); 3], rows());
        let shown = shown(names, offset, (&rows(), &rows()), size, &UNICODE);
        shown.into_iter().map(|shown| shown.row.cells[0].text.clone()).collect()
    }

    #[test]
    fn names_in_scope_are_first_and_others_have_the_room_that_is_left() {
        let names = [name("outside", 9..10), name("whole", 0..20), name("inner", 2..5), name("later", 7..8)];
        assert_eq!(seen(&names, 3, (30, 9)), ["inner", "whole", "outside", "later"]);
        assert_eq!(seen(&names, 3, (30, 3)), ["inner", "whole", "outside"]);
        assert_eq!(seen(&names, 3, (30, 2)), ["inner", "whole"]);
    }

    #[test]
    fn a_type_is_cut_only_where_no_line_is_left_for_it() {
        let mut names = [name("first", 0..20), name("other", 0..21)];
        for name in &mut names {
            name.row.cells[1].text = "Type<With, Arguments>".to_owned();
        }
        let lines = |high: usize| {
            let rows = || Rows::of("", vec![Head::text(""); 3], names.iter().map(|name| name.row.clone()).collect());
            let shown = shown(&names, 3, (&rows(), &rows()), (30, high), &UNICODE);
            shown.into_iter().map(|shown| shown.block.len()).collect::<Vec<_>>()
        };
        assert_eq!([lines(4), lines(3), lines(2)], [[2, 2], [2, 1], [1, 1]]);
    }

    #[test]
    fn the_names_without_a_line_of_their_own_are_in_the_last_line() {
        let names: Vec<NameRow> = (0..7).map(|number| name(&format!("n{number}"), 0..9 + number)).collect();
        let found = seen(&names, 1, (30, 5));
        assert_eq!(found, ["n0", "n1", "n2", "n3", "\u{2026} 3 more: n4, n5, n6"]);
        assert_eq!(seen(&names, 1, (22, 3)), ["n0", "\u{2026} 6 more: n1, n2, n3, n4, n5, n6"]);
    }
}
