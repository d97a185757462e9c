//! Handouts in Markdown.

use std::fmt::Write;

use super::{Answers, Handout};
use crate::text::safe::visible;

impl Handout<'_> {
    /// The handout in Markdown.
    pub(super) fn markdown(&self) -> String {
        let escaped = |text: &str| visible(text).replace('|', "\\|");
        let mut out = format!("# {}\n\n", escaped(&self.steps.title));
        if self.answers == Answers::Key {
            for (_, cells) in self.rows() {
                let [number, _, bytes, name, _, value, state] = cells.map(|cell| escaped(&cell));
                let _ = writeln!(
                    out,
                    "{number}. `{bytes}` {name} = {value}{}{state}",
                    if state.is_empty() { "" } else { "; " }
                );
            }
        } else {
            let _ = writeln!(out, "```text\n{}```\n", self.dump());
            let heads = self.heads();
            let _ = writeln!(out, "| {} |\n|--:|--:|{}", heads.join(" | "), "--|".repeat(heads.len() - 2));
            for (index, step) in self.steps.list.iter().enumerate() {
                if step.field.group {
                    let _ =
                        writeln!(out, "| | | | **{}** |{}", escaped(&step.field.name), " |".repeat(heads.len() - 4));
                } else if let Some(cells) = self.cells(index) {
                    let _ = writeln!(out, "| {} |", cells.map(|cell| escaped(&cell))[..heads.len()].join(" | "));
                }
            }
        }
        let _ = writeln!(out, "\nMade by `{}`.", escaped(&self.command));
        out
    }
}
