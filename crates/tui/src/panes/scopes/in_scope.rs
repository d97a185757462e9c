//! The names in scope at an offset, and the order of the others where the pane has no room for all.

use std::collections::HashSet;

use pdblens_query::scope_names::NameRow;

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
pub(super) fn others(names: &[NameRow], offset: u32, found: &[usize]) -> Vec<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::{Cell, Row};

    fn name(text: &str, range: std::ops::Range<u64>) -> NameRow {
        let row = Row { depth: 1, ..Row::plain([text, "int", "slot 0"].map(Cell::new).to_vec()) };
        NameRow { row, range: Some(range), ..NameRow::default() }
    }

    #[test]
    fn names_in_scope_are_first_the_innermost_before_those_around_it() {
        let names = [name("outside", 9..10), name("whole", 0..20), name("inner", 2..5), name("later", 7..8)];
        let found = in_scope(&names, 3);
        let text =
            |found: &[usize]| found.iter().map(|index| names[*index].row.cells[0].text.clone()).collect::<Vec<_>>();
        assert_eq!(text(&found), ["inner", "whole"]);
        assert_eq!(text(&others(&names, 3, &found)), ["outside", "later"]);
        // A name with two records is there once.
        let twice = [name("value", 0..20), name("value", 2..5)];
        assert_eq!(in_scope(&twice, 3), [1]);
    }
}
