//! The value of the current step, read bit by bit.

use super::sections::{PlayerSection, SectionLine};
use super::{Player, Role};
use crate::engine::action::Action;
use crate::ui::text::wrap;
use pdblens_learn::{Reading, reading};

impl Player {
    /// Reading of the current step; `None` where it has no steps bit by bit, as for text, GUIDs and plain bytes.
    pub(super) fn walk(&self) -> Option<Reading> {
        reading(self.current_step()?).filter(|reading| !reading.bit_steps.is_empty())
    }

    /// Goes to the next or previous bit, and beyond the last one to the next read.
    pub(super) fn step_bit(&mut self, forward: bool) {
        let count = self.walk().map_or(0, |walk| walk.bit_steps.len());
        let to = match (self.bit, forward) {
            (None, true) => Some(0),
            (Some(at), true) => Some(at + 1),
            (None, false) => None,
            (Some(at), false) => at.checked_sub(1),
        };
        if self.bit.is_some() && !forward && to.is_none() {
            self.bit = None;
            return;
        }
        if let Some(to) = to.filter(|to| *to < count) {
            self.bit = Some(to);
            return;
        }
        let before = self.scroll.selected;
        self.scroll.move_cursor(if forward { Action::Down } else { Action::Up });
        if self.scroll.selected != before {
            let count = self.walk().map_or(0, |walk| walk.bit_steps.len());
            self.bit = if forward { (count > 0).then_some(0) } else { count.checked_sub(1) };
        }
    }

    /// The section in the place of the derivation, while the bits are stepped through.
    pub(super) fn bit_section(&self, width: usize) -> Option<PlayerSection> {
        let at = self.bit?;
        let walk = self.walk()?;
        let step = walk.bit_steps.get(at)?;
        let label = step.state.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(4);
        let mut lines = vec![vec![(Role::Dim, walk.caption.clone())]];
        lines.extend(bit_lines(&walk, at, width));
        let first = wrap(&step.text, width.saturating_sub(label + 2).max(16));
        for (index, text) in first.into_iter().enumerate() {
            let name = if index == 0 { "now" } else { "" };
            lines.push(vec![(Role::Dim, format!("{name:label$}  ")), (Role::Strong, text)]);
        }
        for (name, value) in &step.state {
            lines.push(vec![(Role::Dim, format!("{name:label$}  ")), (Role::Text, value.clone())]);
        }
        let title = vec![
            (Role::Dim, "Read  bit by bit  ".to_owned()),
            (Role::Mute, format!("step {} of {}", at + 1, walk.bit_steps.len())),
        ];
        Some(PlayerSection { title, lines, right: false, optional: false })
    }
}

/// The bits, those of the step marked below; in several rows where they are more than fit.
fn bit_lines(walk: &Reading, at: usize, width: usize) -> Vec<SectionLine> {
    let Some(step) = walk.bit_steps.get(at) else { return Vec::new() };
    let done = walk.bit_steps.iter().take(at).map(|step| step.bits.end).max().unwrap_or(0);
    // A byte takes 17 columns with the gap after it.
    let per_row = (width + 1).checked_div(17).unwrap_or(1).max(1) * 8;
    let mut lines = Vec::new();
    for from in (0..walk.bits.len()).step_by(per_row) {
        let (mut line, mut marks): (SectionLine, String) = (Vec::new(), String::new());
        for (index, bit) in walk.bits.iter().enumerate().skip(from).take(per_row) {
            let role = match index {
                index if step.bits.contains(&index) => Role::Warn,
                index if index < done => Role::Number,
                _ => Role::Mute,
            };
            let gap = if index % 8 == 7 { "  " } else { " " };
            line.push((role, format!("{}{gap}", u8::from(*bit))));
            marks.push_str(if step.bits.contains(&index) { "^" } else { " " });
            marks.push_str(gap);
        }
        lines.push(line);
        if !marks.trim().is_empty() {
            lines.push(vec![(Role::Warn, marks.trim_end().to_owned())]);
        }
    }
    lines
}
