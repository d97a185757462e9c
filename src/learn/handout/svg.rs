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

/// The most characters of a line of text, unless a word is longer.
const MAX_CHARS: usize = 120;
/// The most characters that a column is padded to.
const MAX_COLUMN: usize = 48;
/// Beginning of a line that continues the one above it.
const CONTINUED: &str = "                         ";

impl Handout<'_> {
    /// The handout as a drawing that needs no script and no font of its own.
    pub(super) fn svg(&self) -> String {
        let bytes = if self.answers == Answers::Key { Vec::new() } else { self.byte_rows() };
        let lines: Vec<(Option<u32>, String)> = self.lines();
        let widest = lines.iter().map(|(_, line)| line.chars().count()).max().unwrap_or(0);
        let width = (MARGIN * 3 + widest * CHAR).max(MARGIN * 2 + 10 * CHAR + ROW * BOX);
        let height = MARGIN * 2 + LINE * (4 + 2 * bytes.len() + lines.len());
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"ui-monospace,monospace\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let mut y = MARGIN + LINE;
        text(&mut out, MARGIN, y, &self.steps.title, " font-weight=\"bold\" font-size=\"15\"");
        y += LINE;
        for (offset, bytes) in bytes {
            y += LINE;
            text(&mut out, MARGIN, y, &format!("{offset:06x}"), " fill=\"#555\"");
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
            if let (Some(number), false) = (number, line.starts_with(CONTINUED)) {
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
        let rows: Vec<[String; 7]> = self.rows().map(|(_, cells)| cells).collect();
        let wide = |column: usize, least: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).clamp(least, MAX_COLUMN)
        };
        let (byte, field, form) = (wide(2, 2), wide(3, 4), wide(4, 4));
        let mut lines = Vec::new();
        for (index, step) in self.steps.list.iter().enumerate() {
            if step.field.group {
                lines.push((None, step.field.name.clone()));
                continue;
            }
            let Some([number, _, bytes, name, read_as, value, state]) = self.cells(index) else { continue };
            let line = format!("{number:>3}  {bytes:<byte$}  {name:<field$}  {read_as:<form$}  {value}   {state}");
            lines.extend(continued(line.trim_end()).into_iter().map(|line| (Some(step.number), line)));
        }
        lines
    }
}

/// A line in pieces that fit, the later ones indented.
fn continued(line: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let Some(piece) = pieces.last_mut() else { continue };
        if piece.trim().is_empty() || piece.chars().count() + word.chars().count() <= MAX_CHARS {
            piece.push_str(word);
        } else {
            pieces.push(format!("{CONTINUED}{word}"));
        }
    }
    pieces
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
