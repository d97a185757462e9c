//! Begins and ends of inlined calls in the code of a function.

use super::details::{InlinedSite, inlined_sites};
use crate::code_unit::document_name;
use crate::code_unit::view::MethodView;
use crate::place::{CodeUnit, Place};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

const MAX_RANGES: usize = 1 << 14;
const MAX_DEPTH: usize = 64;

/// An inlined call begins, continues on another line, or ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedRow {
    /// Offset of the code that follows.
    pub offset: u32,
    /// Number of inlined calls around it.
    pub depth: usize,
    pub text: String,
    pub line: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub struct InlinedRows {
    /// Rows in the order of the code.
    pub rows: Vec<InlinedRow>,
    sites: Vec<InlinedSite>,
    /// Index of the site and of the range, in the order of their code.
    ranges: Vec<(usize, usize)>,
    next: usize,
    /// Ranges that have the code that was looked at last.
    active: Vec<(usize, usize)>,
    /// The outermost call first.
    stack: Vec<(usize, usize)>,
    /// Offset and calls from there on, the outermost first.
    stacks: Vec<(u32, Vec<(usize, usize)>)>,
    files: Vec<Vec<String>>,
}

impl InlinedRows {
    /// The inlined calls of a function, before any code is looked at.
    pub(super) fn of(session: &Session, view: &MethodView) -> Self {
        let CodeUnit::Function(rva) = view.of else { return Self::default() };
        let sites = inlined_sites(session, rva);
        let all = sites.iter().enumerate().flat_map(|(site, of)| (0..of.ranges.len()).map(move |range| (site, range)));
        let mut ranges: Vec<(usize, usize)> = all.take(MAX_RANGES).collect();
        ranges.sort_by_key(|(site, range)| (sites[*site].ranges[*range].offset, *site));
        let file = |row: u32| file_name(&document_name(session, row).unwrap_or_default()).to_owned();
        let files = sites.iter().map(|site| {
            let mut known: Option<(u32, String)> = None;
            let names = site.ranges.iter().map(|range| match &known {
                Some((row, name)) if *row == range.document => name.clone(),
                _ => known.insert((range.document, file(range.document))).1.clone(),
            });
            names.collect()
        });
        let files = files.collect();
        Self { sites, ranges, files, ..Self::default() }
    }

    /// Looks at the instruction at an offset, which is after those before: indices of the rows that begin there.
    pub(super) fn enter(&mut self, offset: u32) -> std::ops::Range<usize> {
        let before = self.rows.len();
        let range = |(site, range): (usize, usize)| self.sites[site].ranges[range];
        let ends = |at: (usize, usize)| range(at).offset.saturating_add(range(at).len);
        let active = self.active.len();
        self.active.retain(|at| offset < ends(*at));
        let mut is_changed = self.active.len() != active;
        while let Some(at) = self.ranges.get(self.next).copied().filter(|at| range(*at).offset <= offset) {
            self.next += 1;
            if offset < ends(at) && self.active.len() < MAX_DEPTH {
                self.active.push(at);
                is_changed = true;
            }
        }
        if is_changed {
            // Outer calls precede the calls inlined into them. Of two ranges of a call the later one counts.
            let mut stack = self.active.clone();
            stack.sort_unstable();
            stack.reverse();
            stack.dedup_by_key(|(site, _)| *site);
            stack.reverse();
            self.change(offset, stack);
        }
        before..self.rows.len()
    }

    fn change(&mut self, offset: u32, stack: Vec<(usize, usize)>) {
        if stack == self.stack {
            return;
        }
        let common = stack.iter().zip(&self.stack).take_while(|(new, old)| new.0 == old.0).count();
        let row = |depth: usize, text: String, line| InlinedRow { offset, depth, text, line };
        if stack.len() == common && common < self.stack.len() {
            let name = self.sites[self.stack[common].0].name.as_str();
            self.rows.push(row(common, format!("end of inlined {name}"), None));
        }
        // A call that continues may continue on another line.
        let same = common.checked_sub(1).filter(|last| stack[*last] != self.stack[*last] && stack.len() == common);
        for (depth, (site, range)) in stack.iter().copied().enumerate().skip(same.unwrap_or(common)) {
            let at = self.sites[site].ranges[range];
            let source = format!("{}:{}", self.files[site][range], at.line);
            let text = if depth < common { source } else { format!("inlined {}  {source}", self.sites[site].name) };
            let line = (at.document > 0).then_some(Place::Line(at.document, at.line));
            self.rows.push(row(depth, text, line));
        }
        self.stacks.push((offset, stack.clone()));
        self.stack = stack;
    }

    /// Calls at an offset that was looked at, the outermost first.
    fn at(&self, offset: u32) -> &[(usize, usize)] {
        let index = self.stacks.partition_point(|(from, _)| *from <= offset).checked_sub(1);
        index.and_then(|index| self.stacks.get(index)).map_or(&[], |(_, stack)| stack)
    }

    /// Returns whether the call with the record at `symbol` has the code at an offset.
    pub(super) fn is_in(&self, symbol: u32, offset: u32) -> bool {
        self.at(offset).iter().any(|(site, _)| self.sites[*site].symbol == symbol)
    }

    pub fn first_offset(&self, symbol: u32) -> Option<u32> {
        let site = self.sites.iter().find(|site| site.symbol == symbol)?;
        site.ranges.iter().map(|range| range.offset).min()
    }

    /// Calls at an offset with file and line, the outermost first.
    pub(crate) fn text_at(&self, offset: u32) -> String {
        let text = |(site, range): &(usize, usize)| {
            let line = self.sites[*site].ranges[*range].line;
            format!("{} at {}:{line}", self.sites[*site].name, self.files[*site][*range])
        };
        self.at(offset).iter().map(text).collect::<Vec<_>>().join(", ")
    }
}
