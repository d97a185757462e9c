//! The table of instructions, parsed from its text on first use.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::OnceLock;

use super::field::Field;
use super::operand::{Op, write_all};
use super::template::{Condition, Row, RowScope, Scope, Slice};

const TEXT: &str = include_str!("instructions.txt");
/// Words are looked up by their upper bits.
const INDEX_SHIFT: u32 = 21;
const INDEX_SIZE: usize = 1 << (32 - INDEX_SHIFT);
/// Templates of operands that a row before had, with the same fields.
type Templates = HashMap<(Vec<(&'static str, Field)>, &'static str), Slice>;

/// Instructions of A64. Rows name their parts by number.
#[derive(Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    ops: Vec<Op>,
    conditions: Vec<Condition>,
    /// For each value of the upper bits, the end of its rows in `candidates`; they begin where those of the value before end.
    ends: Vec<u32>,
    candidates: Vec<u16>,
}

impl Table {
    pub(super) fn get() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Self::parse(TEXT))
    }

    /// Parses the text of a table; a line that is wrong is left out.
    fn parse(text: &'static str) -> Self {
        let mut table = Self::default();
        let mut scope = Scope::default();
        let mut templates = Templates::new();
        for line in text.lines() {
            if let Some(fields) = line.strip_prefix("fields ") {
                scope.define_fields(fields);
            } else if line.starts_with('#') || line.is_empty() {
            } else if let Some((encoding, rest)) = line.split_once(" | ") {
                table.add(&scope, &mut templates, encoding, rest);
            } else if let Some((name, text)) = line.split_once(" = ") {
                scope.define(name, text);
            }
        }
        table.index();
        table
    }

    fn add(
        &mut self,
        scope: &Scope,
        templates: &mut Templates,
        encoding: &'static str,
        rest: &'static str,
    ) -> Option<()> {
        let (text, conditions) = rest.split_once(" | ").unwrap_or((rest, ""));
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        let (mut row, names) = scope.encoding(encoding)?;
        let start = self.conditions.len();
        for condition in conditions.split_whitespace() {
            self.conditions.push(names.condition(condition)?);
        }
        row.conditions = Slice::new(start, self.conditions.len());
        row.mnemonic = self.template(&names, mnemonic)?;
        row.operands = match templates.entry((names.fields.clone(), operands)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(self.template(&names, operands)?),
        };
        self.rows.push(row);
        Some(())
    }

    fn template(&mut self, fields: &RowScope<'_>, text: &'static str) -> Option<Slice> {
        let start = self.ops.len();
        fields.template(text, &mut self.ops)?;
        Some(Slice::new(start, self.ops.len()))
    }

    /// Lines of the text that are rows.
    #[cfg(test)]
    pub(super) fn lines() -> impl Iterator<Item = &'static str> {
        TEXT.lines().filter(|line| !line.starts_with('#') && line.contains(" | "))
    }

    fn index(&mut self) {
        let mut ends = vec![0; INDEX_SIZE];
        for row in &self.rows {
            row.each_index(INDEX_SHIFT, |index| increase(&mut ends, index));
        }
        let mut sum = 0_u32;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        self.candidates = vec![0; sum as usize];
        for (number, row) in self.rows.iter().enumerate() {
            row.each_index(INDEX_SHIFT, |index| {
                let at = ends.get(index).copied().unwrap_or_default() as usize;
                if let Some(slot) = self.candidates.get_mut(at) {
                    *slot = number as u16;
                }
                increase(&mut ends, index);
            });
        }
        self.ends = ends;
    }

    /// Writes the instruction `word` at `pc`: its mnemonic, a blank and its operands, if any. Returns the number of its row; `None` if the word
    /// is unallocated.
    pub(super) fn decode(&self, word: u32, pc: u64, out: &mut String) -> Option<usize> {
        let index = (word >> INDEX_SHIFT) as usize;
        let start = index.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before))?;
        let candidates = self.candidates.get(*start as usize..*self.ends.get(index)? as usize)?;
        candidates.iter().map(|row| usize::from(*row)).find(|row| self.write(*row, word, pc, out).is_some())
    }

    fn write(&self, row: usize, word: u32, pc: u64, out: &mut String) -> Option<()> {
        let row = self.rows.get(row).filter(|row| word & row.mask == row.value)?;
        if !row.conditions.of(&self.conditions)?.iter().all(|condition| condition.holds(word)) {
            return None;
        }
        out.clear();
        write_all(row.mnemonic.of(&self.ops)?, word, pc, out)?;
        out.push(' ');
        write_all(row.operands.of(&self.ops)?, word, pc, out)
    }
}

fn increase(ends: &mut [u32], index: usize) {
    if let Some(end) = ends.get_mut(index) {
        *end += 1;
    }
}
