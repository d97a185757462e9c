//! Handouts: the steps of a record as a page to print, with blanks for a class or with the answers.

use std::fmt::Write;

use super::{Steps, derive, reason};
use crate::text::safe::{spaced_hex, visible};

/// Bytes in a row of the dump.
const ROW: usize = 16;

/// Contents of a handout.
#[derive(Clone, Debug)]
pub struct Handout<'s> {
    /// Steps of the record.
    pub steps: &'s Steps,
    /// Command that makes the handout again.
    pub command: String,
    /// Values that are shown.
    pub answers: Answers,
}

/// Values of a handout that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// All, with the arithmetic.
    #[default]
    Shown,
    /// None: a class fills them in.
    Blank,
    /// Only they, by the number of the step: the teacher's key.
    Key,
}

/// A blank to write in.
const BLANK: &str = "________";

impl Handout<'_> {
    /// Cells of a step: number, offset, bytes, field, form, value, state.
    fn cells(&self, index: usize) -> Option<[String; 7]> {
        let step = self.steps.list.get(index)?;
        let shown =
            |text: String| if self.answers == Answers::Blank && !text.is_empty() { BLANK.to_owned() } else { text };
        let field = &step.field;
        let meaning = if field.meaning.is_empty() { String::new() } else { format!(" ({})", field.meaning) };
        Some([
            step.number.to_string(),
            format!("{:#x}", field.span.start),
            spaced_hex(&step.bytes, ROW),
            field.name.clone(),
            step.form().to_owned(),
            shown(visible(&format!("{}{meaning}", field.value)).into_owned()),
            shown(step.changes_text().join("; ")),
        ])
    }

    /// The handout in Markdown.
    pub fn markdown(&self) -> String {
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
            out.push_str("| # | offset | bytes | field | read as | value | state |\n|--:|--:|--|--|--|--|--|\n");
            for (index, step) in self.steps.list.iter().enumerate() {
                if step.field.group {
                    let _ = writeln!(out, "| | | | **{}** | | | |", escaped(&step.field.name));
                } else if let Some(cells) = self.cells(index) {
                    let _ = writeln!(out, "| {} |", cells.map(|cell| escaped(&cell)).join(" | "));
                }
            }
        }
        let _ = writeln!(out, "\nMade by `{}`.", escaped(&self.command));
        out
    }

    /// The handout as one HTML page that needs nothing else: bytes and rows that belong together are highlighted together.
    pub fn html(&self) -> String {
        let title = html_escaped(&self.steps.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
             <body><h1>{title}</h1>\n"
        );
        if self.answers != Answers::Key {
            out.push_str("<pre class=\"dump\">");
            self.html_dump(&mut out);
            out.push_str("</pre>\n");
        }
        out.push_str("<table><thead><tr><th>#</th><th>offset</th><th>bytes</th><th>field</th><th>read as</th><th>value</th><th>state</th></tr></thead><tbody>\n");
        for (index, step) in self.steps.list.iter().enumerate() {
            if step.field.group {
                let _ =
                    writeln!(out, "<tr class=\"group\"><td colspan=\"7\">{}</td></tr>", html_escaped(&step.field.name));
                continue;
            }
            let Some(cells) = self.cells(index) else { continue };
            let cells = cells.map(|cell| format!("<td>{}</td>", html_escaped(&cell))).concat();
            let title =
                if self.answers == Answers::Blank { String::new() } else { html_escaped(&self.explanation(index)) };
            let _ = writeln!(out, "<tr data-n=\"{}\" title=\"{title}\">{cells}</tr>", step.number);
        }
        let command = html_escaped(&self.command);
        let _ = writeln!(
            out,
            "</tbody></table>
<footer>Made by <code>{command}</code>.</footer>
<script>{SCRIPT}</script></body></html>"
        );
        out
    }

    /// Reason and arithmetic of a step, in lines.
    fn explanation(&self, index: usize) -> String {
        let mut lines = vec![reason(self.steps, index)];
        if let Some(derivation) = self.steps.list.get(index).and_then(derive) {
            lines.extend(
                derivation.rows.iter().map(|row| format!("{}  {}  {}", row.label, row.bits_text().trim(), row.text)),
            );
        }
        lines.join("\n")
    }

    fn rows(&self) -> impl Iterator<Item = (usize, [String; 7])> {
        let all = self.steps.list.iter().enumerate().filter(|(_, step)| !step.field.group);
        all.filter_map(|(index, _)| Some((index, self.cells(index)?)))
    }

    /// Bytes of the record with the numbers of their steps.
    fn bytes(&self) -> Vec<(u32, u8)> {
        let reads = self.steps.reads();
        reads.flat_map(|step| step.bytes.iter().map(move |byte| (step.number, *byte))).collect()
    }

    fn dump(&self) -> String {
        let mut out = String::new();
        for (line, bytes) in self.bytes().chunks(ROW).enumerate() {
            let hex: Vec<String> = bytes.iter().map(|(_, byte)| format!("{byte:02x}")).collect();
            let _ = writeln!(out, "{:06x}  {}", self.steps.span.start + (line * ROW) as u64, hex.join(" "));
        }
        out
    }

    fn html_dump(&self, out: &mut String) {
        for (line, bytes) in self.bytes().chunks(ROW).enumerate() {
            let _ = write!(out, "{:06x}  ", self.steps.span.start + (line * ROW) as u64);
            for (number, byte) in bytes {
                let _ = write!(out, "<span data-n=\"{number}\">{byte:02x}</span> ");
            }
            out.push('\n');
        }
    }
}

fn html_escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em}pre,td,code{font-family:ui-monospace,monospace}\
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:2px 8px;text-align:left;vertical-align:top}\
.group td{font-weight:bold;background:#eee}.on{background:#ffe08a}footer{margin-top:1em;color:#555}\
@media print{.on{background:none}body{margin:0}}";

const SCRIPT: &str = "document.addEventListener('mouseover',function(e){var t=e.target.closest('[data-n]');\
document.querySelectorAll('.on').forEach(function(x){x.classList.remove('on')});\
if(t)document.querySelectorAll('[data-n=\"'+t.dataset.n+'\"]').forEach(function(x){x.classList.add('on')})});";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::steps;
    use crate::session::Session;

    fn handout(answers: Answers, format: &str) -> String {
        let session = Session::sample();
        let steps = steps(&session, "method/0x06000003/points".parse().unwrap()).unwrap();
        let handout = Handout { steps: &steps, command: "pdblens show <x> | more".to_owned(), answers };
        if format == "md" { handout.markdown() } else { handout.html() }
    }

    #[test]
    fn blanks_hide_what_the_key_tells() {
        let (shown, blank) = (handout(Answers::Shown, "md"), handout(Answers::Blank, "md"));
        assert!(shown.contains("start line = 10") && !shown.contains(BLANK), "{shown}");
        assert!(
            !blank.contains("start line = 10") && blank.contains(BLANK) && blank.contains("δ start column"),
            "{blank}"
        );
        let key = handout(Answers::Key, "md");
        assert!(key.contains("start line = 10") && !key.contains("read as"), "{key}");
        let page = handout(Answers::Blank, "html");
        assert!(!page.contains("start line = 10"), "{page}");
    }

    #[test]
    fn a_page_stands_alone_and_links_bytes_with_rows() {
        let page = handout(Answers::Shown, "html");
        for part in ["<span data-n=\"3\">", "<tr data-n=\"3\"", "&lt;x&gt; | more", "<script>", "<style>"] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("http"), "{page}");
        assert_eq!(page, handout(Answers::Shown, "html"));
    }
}
