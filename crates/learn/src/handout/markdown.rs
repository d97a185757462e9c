//! Handouts in Markdown.

use std::fmt::Write;

use super::{Answers, Handout, KeyItem};
use pdblens_session::text::safe::visible;

impl Handout<'_> {
    pub(super) fn markdown(&self, out: &mut dyn Write) {
        let _ = write!(out, "# {}\n\n", escaped(self.title()));
        if self.answers == Answers::Key {
            for KeyItem { number, bytes, text } in self.key() {
                let _ = writeln!(out, "{number}. `{bytes}` {}", escaped(&text));
            }
        } else {
            let _ = writeln!(out, "```text\n{}```\n", self.dump());
            let heads = self.heads();
            let rules = "--|".repeat(heads.len() - 2);
            let _ = writeln!(out, "| {} |\n|--:|--:|{rules}", heads.join(" | "));
            for (index, step) in self.steps.list.iter().enumerate() {
                if step.field.group {
                    let empty = " |".repeat(heads.len() - 4);
                    let _ = writeln!(out, "| | | | **{}** |{empty}", escaped(self.group(index)));
                } else if let Some(cells) = self.cells(index) {
                    let _ = writeln!(out, "| {} |", cells.map(|cell| escaped(&cell))[..heads.len()].join(" | "));
                    for [bits, value, meaning] in self.bits(index) {
                        let text = format!("{value}  {}", escaped(&meaning));
                        let _ = writeln!(out, "| | | | {bits} | | {text} |{}", " |".repeat(heads.len() - 6));
                    }
                }
            }
        }
        for (index, (read, lines)) in self.reasons().enumerate() {
            if index == 0 {
                let _ = out.write_str("\n## Reasons\n");
            }
            let mut lines = lines.iter().filter(|line| !line.is_empty());
            let reason = lines.next().map_or_else(String::new, |line| format!(": {}", escaped(line)));
            let _ = writeln!(out, "\n{}{reason}", escaped(&read));
            let arithmetic: Vec<String> = lines.map(|line| format!("   {}\n", visible(line))).collect();
            if !arithmetic.is_empty() {
                let _ = writeln!(out, "\n   ```text\n{}   ```", arithmetic.concat());
            }
        }
        if let Some(problem) = self.problem() {
            let _ = writeln!(out, "\n{}", escaped(&problem));
        }
        let _ = writeln!(out, "\nMade by {}.", code(&visible(&self.command)));
    }
}

/// Text in which nothing is markup: `<T>` would be an HTML tag.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '&' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A code span, between more backticks than the text has in a row.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}
