//! Reasons and arithmetic of the reads of a handout.

use super::{Answers, Handout};
use crate::{reading, reason};

impl Handout<'_> {
    /// Reason and arithmetic of a step, in lines.
    pub(super) fn explanation(&self, index: usize) -> String {
        let mut lines = vec![reason(self.steps, index)];
        if let Some(reading) = self.steps.list.get(index).and_then(reading) {
            // Bits stay below each other; rows of words have no column.
            let label =
                reading.rows.iter().filter(|row| !row.bits.is_empty()).map(|row| row.label.chars().count()).max();
            let label = label.unwrap_or(0);
            lines.extend(reading.rows.iter().map(|row| match row.bits.is_empty() {
                true => format!("{}  {}", row.label, row.text),
                false => format!("{:label$}  {}  {}", row.label, row.bits_text(), row.text),
            }));
        }
        lines.join("\n")
    }

    /// Number, bytes and field of each read, with its reason and arithmetic in lines; empty on blanks, whose values they tell, and
    /// in keys.
    pub(super) fn reasons(&self) -> Vec<(String, Vec<String>)> {
        if self.answers != Answers::Shown {
            return Vec::new();
        }
        let one = |(index, [number, _, bytes, name, ..]): (usize, [String; 7])| {
            let lines = self.explanation(index).lines().map(|line| line.trim_end().to_owned()).collect();
            (format!("{number}. {bytes} {name}"), lines)
        };
        self.rows().map(one).collect()
    }
}
