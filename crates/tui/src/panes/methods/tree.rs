//! The tree of methods or functions: its branches, and the rows that they take.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::ui::text::width;
use crate::ui::tree::{Folds, Nesting};
use pdblens_nodes::code_tree::{Branch, CodeTree};
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_session::session::Session;
use pdblens_session::text::parameters::{condensed, name_and_types};

/// A row: a branch (namespace, type or module) by index, or a method or function by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Item {
    Branch(usize),
    Member(u32),
}

/// The row of a branch, the end of its descendants, and the row of its parent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BranchRows {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) parent: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct MethodTree {
    pub(super) code: CodeTree,
    pub(super) branch_rows: Vec<BranchRows>,
    /// Branches with members, in the order of the members.
    pub(super) by_member: Vec<usize>,
    /// First members of the branches in which functions have others under them.
    mixed: HashSet<u32>,
    pub(super) len: usize,
    /// Rows that are collapsed at first, and the visible ones.
    pub(super) folds: Folds,
    pub(super) visible: Arc<Vec<usize>>,
    /// Cells that the rows take.
    pub(super) width: u16,
}

/// The number of methods above which types are collapsed at first.
const OPEN_LIMIT: u32 = 400;
/// Members that are measured; of more, some in equal distances.
const MAX_MEASURED: u32 = 400;

/// Indentation of parameters below the name of their method.
const LEVEL: &str = "  ";

/// Offset of the parameters of a method in its text, or of those of its types; `None` without parameters.
fn parameters_at(text: &str) -> Option<usize> {
    let is_name = |at: usize| at == 0 || text[..at].ends_with("operator") || text[..at].ends_with('<');
    let at = text.match_indices(['(', '<']).map(|(at, _)| at).find(|at| !is_name(*at))?;
    text.ends_with(')').then_some(at)
}

impl MethodTree {
    /// The tree; functions by size if `by_size` tells whether the largest are first.
    pub(super) fn of(session: &Session, by_size: Option<bool>) -> Self {
        let code = CodeTree::ordered(session, by_size);
        let mut branch_rows: Vec<BranchRows> = Vec::with_capacity(code.branches.len());
        // Ancestors of the next branch, outermost first.
        let (mut open, mut len): (Vec<usize>, usize) = (Vec::new(), code.loose().len());
        for (index, branch) in code.branches.iter().enumerate() {
            while let Some(last) = open.pop_if(|last| code.branches[*last].depth >= branch.depth) {
                branch_rows[last].end = len;
            }
            branch_rows.push(BranchRows { at: len, end: len, parent: open.last().map(|outer| branch_rows[*outer].at) });
            open.push(index);
            len += 1 + branch.members.len();
        }
        for last in open {
            branch_rows[last].end = len;
        }
        let mut by_member: Vec<usize> =
            (0..code.branches.len()).filter(|index| !code.branches[*index].members.is_empty()).collect();
        by_member.sort_by_key(|index| code.branches[*index].members.start);
        let mut tree = Self { code, branch_rows, by_member, len, ..Self::default() };
        let roots = tree.code.roots();
        tree.mixed = roots.iter().filter_map(|root| Some(tree.branch_of(*root)?.0.members.start)).collect();
        if tree.code.total > OPEN_LIMIT {
            let branches = tree.by_member.iter().map(|index| tree.branch_rows[*index].at);
            let roots = roots.into_iter().filter_map(|root| tree.row_of(root));
            tree.folds.closed = branches.chain(roots).collect();
        }
        tree.visible = Arc::new(tree.folds.visible_rows(&tree, None));
        tree.width = u16::try_from(tree.measure(session)).unwrap_or(u16::MAX);
        tree
    }

    /// Cells that the names of branches and members take, with their indentation and a number of points.
    fn measure(&self, session: &Session) -> usize {
        let row = |row: Row| {
            let cell = row.cells.first().map_or(0, |cell| width(&cell.text) + width(&cell.beside) + 1);
            let number = row.cells.get(1).map_or(0, |cell| cell.text.len() + 2);
            usize::from(row.depth) * 2 + cell + number
        };
        let members = self.len as u32 - self.branch_rows.len() as u32;
        let step = (members / MAX_MEASURED).max(1) as usize;
        let branches = self.branch_rows.iter().map(|rows| rows.at);
        let some = branches.chain((0..self.len).step_by(step));
        some.map(|at| row(self.row(session, at, "  ", &|_| "999".to_owned()))).max().unwrap_or(0)
    }

    pub(super) fn item(&self, row: usize) -> Option<Item> {
        Some(self.locate(row)?.0)
    }

    /// The item in a row, its parent's row, and the end of its descendants.
    pub(super) fn locate(&self, row: usize) -> Option<(Item, Option<usize>, usize)> {
        if row >= self.len {
            return None;
        }
        let loose = self.code.loose();
        if row < loose.len() {
            return Some((Item::Member(loose.start + row as u32), None, row + 1));
        }
        let index = self.branch_rows.partition_point(|rows| rows.at <= row).checked_sub(1)?;
        let rows = self.branch_rows.get(index)?;
        Some(match row - rows.at {
            0 => (Item::Branch(index), rows.parent, rows.end),
            behind => {
                let member = self.code.branches.get(index)?.members.start + behind as u32 - 1;
                let above =
                    if self.code.is_part(member) { row - (member - self.code.root(member)) as usize } else { rows.at };
                (Item::Member(member), Some(above), row + 1 + self.code.parts(member) as usize)
            }
        })
    }

    pub(super) fn branch(&self, index: usize) -> Option<(&Branch, BranchRows)> {
        self.code.branches.get(index).zip(self.branch_rows.get(index).copied())
    }

    pub(super) fn branch_of(&self, member: u32) -> Option<(&Branch, BranchRows)> {
        let behind = self.by_member.partition_point(|index| self.code.branches[*index].members.start <= member);
        let found = self.branch(*self.by_member.get(behind.checked_sub(1)?)?);
        found.filter(|(branch, _)| branch.members.contains(&member))
    }

    pub(super) fn row_of(&self, member: u32) -> Option<usize> {
        let loose = self.code.loose();
        if loose.contains(&member) {
            return Some((member - loose.start) as usize);
        }
        let (branch, rows) = self.branch_of(member)?;
        Some(rows.at + 1 + (member - branch.members.start) as usize)
    }

    /// The text of a method in about `room` cells: its parameters alone below another one of its name, else without those that have no
    /// room; `None` where it stays as it is.
    pub(super) fn short_text(&self, session: &Session, row: usize, room: usize) -> Option<String> {
        let member = |row: usize| match self.item(row) {
            Some(Item::Member(number)) if self.code.parts(number) == 0 && !self.code.is_part(number) => {
                Some(self.code.member(session, number).name)
            }
            _ => None,
        };
        let own = member(row)?;
        let at = parameters_at(&own)?;
        let is_beside = |other: &String| parameters_at(other).is_some_and(|end| other[..end] == own[..at]);
        let (name, types) = name_and_types(&own);
        let Some(above) = row.checked_sub(1).and_then(member).filter(is_beside) else {
            return (!types.is_empty() && width(&own) > room).then(|| format!("{name}(…)"));
        };
        let below = member(row + 1).filter(is_beside);
        let others: Vec<Vec<&str>> = std::iter::once(&above).chain(&below).map(|text| name_and_types(text).1).collect();
        Some(format!("{LEVEL}{}{}", &name[at..], condensed(&types, &others, room.saturating_sub(LEVEL.len()))))
    }

    /// The text of a row: `sign` precedes branches, `points` counts the points of members.
    pub(super) fn row(&self, session: &Session, row: usize, sign: &str, points: &dyn Fn(Range<u32>) -> String) -> Row {
        match self.item(row) {
            Some(Item::Branch(index)) => {
                let Some(branch) = self.code.branches.get(index) else { return Row::default() };
                let tone = if branch.depth == 0 { Tone::Text } else { Tone::Dim };
                let text = Cell::toned(format!("{sign}{}", branch.name), tone);
                if branch.members.is_empty() {
                    return Row::plain(vec![text]);
                }
                let number = match self.code.by_size() {
                    Some(_) if branch.bytes > 0 => branch.bytes.to_string(),
                    _ => points(branch.members.clone()),
                };
                let cells = vec![text, Cell::toned(number, Tone::Dim)];
                Row { depth: branch.depth, place: branch.place, ..Row::plain(cells) }
            }
            Some(Item::Member(number)) => {
                let points = points(number..number + 1);
                let tone = if points.is_empty() { Tone::Dim } else { Tone::Text };
                let member = self.code.member(session, number);
                let branch = self.branch_of(number).map(|(branch, _)| branch);
                let lead = match branch {
                    _ if self.code.parts(number) > 0 => sign,
                    // Beside others that fold.
                    Some(branch) if self.mixed.contains(&branch.members.start) && !self.code.is_part(number) => "  ",
                    _ => "",
                };
                let size = self.code.by_size().and_then(|_| self.code.size(session, number));
                let cells = vec![
                    Cell::toned(format!("{lead}{}", member.name), tone).beside(member.detail),
                    Cell::toned(size.map_or(points, |size| size.to_string()), Tone::Dim),
                ];
                let depth = branch.map_or(0, |branch| branch.depth + 1) + u8::from(self.code.is_part(number));
                Row { depth, place: member.place, ..Row::plain(cells) }
            }
            None => Row::default(),
        }
    }
}

impl Nesting for MethodTree {
    fn rows(&self) -> usize {
        self.len
    }

    fn parent(&self, row: usize) -> Option<usize> {
        self.locate(row)?.1
    }

    fn end(&self, row: usize) -> usize {
        self.locate(row).map_or(row + 1, |(.., end)| end)
    }

    fn folding(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.branch_rows.iter().map(|rows| rows.at).collect();
        rows.extend(self.code.roots().into_iter().filter_map(|root| self.row_of(root)));
        rows.sort_unstable();
        rows
    }
}
