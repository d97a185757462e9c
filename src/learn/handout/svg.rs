//! Handouts as a drawing: the bytes in boxes, and the fields in the same colours.

use std::fmt::Write;

use super::html::escaped;
use super::{Answers, Handout, ROW};

/// Colours of consecutive fields, pale enough for black text and for print.
const COLOURS: [&str; 6] = ["#ffe08a", "#b9e0ff", "#c9f0c1", "#ffd0d0", "#e3d3ff", "#ffe4c4"];

/// Sizes in pixels.
const MARGIN: usize = 16;
const LINE: usize = 20;
const BOX: usize = 34;
const CHAR: usize = 8;

/// The most characters of a line of text.
const MAX_CHARS: usize = 150;

impl Handout<'_> {
    /// The handout as a drawing that needs no script and no font of its own.
    pub(super) fn svg(&self) -> String {
        let bytes = if self.answers == Answers::Key { Vec::new() } else { self.bytes() };
        let lines: Vec<(Option<u32>, String)> = self.lines();
        let widest = lines.iter().map(|(_, line)| line.chars().count()).max().unwrap_or(0);
        let width = (MARGIN * 3 + widest * CHAR).max(MARGIN * 2 + 10 * CHAR + ROW * BOX);
        let height = MARGIN * 2 + LINE * (4 + 2 * bytes.len().div_ceil(ROW) + lines.len());
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"ui-monospace,monospace\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let mut y = MARGIN + LINE;
        text(&mut out, MARGIN, y, &self.steps.title, " font-weight=\"bold\" font-size=\"15\"");
        y += LINE;
        for (line, bytes) in bytes.chunks(ROW).enumerate() {
            y += LINE;
            let offset = format!("{:06x}", self.steps.span.start + (line * ROW) as u64);
            text(&mut out, MARGIN, y, &offset, " fill=\"#555\"");
            for (column, (number, byte)) in bytes.iter().enumerate() {
                let x = MARGIN + 10 * CHAR + column * BOX;
                swatch(&mut out, x, y, BOX - 2, *number);
                text(&mut out, x + 8, y, &format!("{byte:02x}"), "");
                text(&mut out, x + 8, y + 14, &number.to_string(), " font-size=\"9\" fill=\"#555\"");
            }
            y += LINE;
        }
        y += LINE;
        for (number, line) in lines {
            if let Some(number) = number {
                swatch(&mut out, MARGIN, y, 10, number);
            }
            let style = if number.is_none() { " font-weight=\"bold\"" } else { "" };
            text(&mut out, MARGIN * 2, y, &line, style);
            y += LINE;
        }
        text(&mut out, MARGIN, y, &format!("Made by: {}", self.command), " fill=\"#555\"");
        out.push_str("</svg>\n");
        out
    }

    /// Lines of the fields, with the number that selects the colour; groups have none.
    fn lines(&self) -> Vec<(Option<u32>, String)> {
        let one = |(index, step): (usize, &crate::learn::Step)| {
            if step.field.group {
                return Some((None, step.field.name.clone()));
            }
            let [number, _, bytes, name, form, value, state] = self.cells(index)?;
            let mut line = format!("{number:>3}  {bytes:<12}  {name:<18}  {form:<17}  {value}");
            if !state.is_empty() {
                let _ = write!(line, "   {state}");
            }
            Some((Some(step.number), line.chars().take(MAX_CHARS).collect()))
        };
        self.steps.list.iter().enumerate().filter_map(one).collect()
    }
}

fn swatch(out: &mut String, x: usize, y: usize, width: usize, number: u32) {
    let colour = COLOURS.get(number as usize % COLOURS.len()).copied().unwrap_or_default();
    let top = y - 14;
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"18\" fill=\"{colour}\" stroke=\"#999\"/>"
    );
}

fn text(out: &mut String, x: usize, y: usize, text: &str, style: &str) {
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\"{style}>{}</text>", escaped(text));
}
