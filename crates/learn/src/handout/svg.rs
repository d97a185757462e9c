//! Handouts as a drawing: the bytes in boxes, and the fields in the same colours.

use std::fmt::Write;

use super::html::escaped;
use super::{Answers, Handout, KeyItem, ROW};
use pdblens_session::text::safe::visible;

/// Colours of consecutive fields, pale enough for black text and for print.
const COLOURS: [&str; 6] = ["#ffe08a", "#b9e0ff", "#c9f0c1", "#ffd0d0", "#e3d3ff", "#ffe4c4"];

/// Sizes in pixels.
const MARGIN: usize = 16;
const LINE: usize = 20;
const BOX: usize = 34;
const CHAR: usize = 8;

/// Width of a character of the title.
const TITLE_CHAR: usize = 9;
/// The most characters of a cell's line, by column: number, bytes, field, form, value, state.
const MAX_COLUMNS: [usize; 6] = [4, 24, 26, 28, 36, 40];
/// The most characters of a line of the key.
const MAX_KEY: usize = 110;
/// The fewest characters of a line of the title and of the command.
const MIN_TEXT: usize = 60;

/// A line of the list of fields: texts, and the characters before each.
struct Line {
    /// Number that selects the colour of its box; `None` for groups and for lines that continue others.
    swatch: Option<u32>,
    bold: bool,
    texts: Vec<(usize, String)>,
}

impl Handout<'_> {
    /// The handout as a drawing that needs no script and no font of its own.
    pub(super) fn svg(&self) -> String {
        let bytes = if self.answers == Answers::Key { Vec::new() } else { self.byte_rows() };
        let mut lines = if self.answers == Answers::Key { self.key_lines() } else { self.field_lines() };
        let ends = lines.iter().flat_map(|line| line.texts.iter().map(|(at, text)| at + text.chars().count()));
        let width = (MARGIN * 3 + ends.max().unwrap_or(0).max(MIN_TEXT) * CHAR).max(MARGIN * 2 + 10 * CHAR + ROW * BOX);
        let room = (width - MARGIN * 2) / CHAR;
        let title = wrapped(&visible(self.title()), (width - MARGIN * 2) / TITLE_CHAR);
        let problem = self.problem().map_or_else(Vec::new, |text| wrapped(&text, room));
        lines.extend(problem.into_iter().map(|text| Line { swatch: None, bold: true, texts: vec![(0, text)] }));
        let command = wrapped(&visible(&format!("Made by: {}", self.command)), room);
        let rows = 3 + title.len() + 2 * bytes.len() + lines.len() + command.len();
        let height = MARGIN * 2 + LINE * rows;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"ui-monospace,monospace\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let mut y = MARGIN;
        for line in title {
            y += LINE;
            text(&mut out, MARGIN, y, &line, " font-weight=\"bold\" font-size=\"15\"");
        }
        y += LINE;
        draw_bytes(&mut out, &mut y, &bytes);
        y += LINE;
        for Line { swatch: number, bold, texts } in lines {
            if let Some(number) = number {
                swatch(&mut out, MARGIN, y, 10, number);
            }
            let style = if bold { " font-weight=\"bold\"" } else { "" };
            for (at, line) in texts {
                text(&mut out, MARGIN * 2 + at * CHAR, y, &line, style);
            }
            y += LINE;
        }
        y += LINE / 2;
        for line in command {
            text(&mut out, MARGIN, y, &line, " fill=\"#555\"");
            y += LINE;
        }
        out.push_str("</svg>\n");
        out
    }

    /// Lines of the fields in columns; what does not fit into its column continues below itself.
    fn field_lines(&self) -> Vec<Line> {
        let rows: Vec<(u32, Option<[String; 6]>, &str)> = (0..self.steps.list.len())
            .filter_map(|index| {
                let step = self.steps.list.get(index)?;
                let [number, _, bytes, name, form, value, state] = self.cells(index)?;
                let cells = (!step.field.group).then_some([number, bytes, name, form, value, state]);
                Some((step.number, cells, self.group(index)))
            })
            .collect();
        let widths: [usize; 6] = std::array::from_fn(|column| {
            let cells = rows.iter().filter_map(|(_, cells, _)| cells.as_ref()?.get(column));
            let most = MAX_COLUMNS.get(column).copied().unwrap_or(0);
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(most)
        });
        let mut lines = Vec::new();
        for (number, cells, group) in rows {
            let Some(cells) = cells else {
                lines.push(Line { swatch: None, bold: true, texts: vec![(0, visible(group).into_owned())] });
                continue;
            };
            let first = lines.len();
            let mut at = 0;
            for (cell, width) in cells.iter().zip(widths) {
                for (below, text) in wrapped(cell, width.max(1)).into_iter().enumerate() {
                    if first + below == lines.len() {
                        lines.push(Line { swatch: (below == 0).then_some(number), bold: false, texts: Vec::new() });
                    }
                    if let Some(line) = lines.get_mut(first + below).filter(|_| !text.is_empty()) {
                        line.texts.push((at, text));
                    }
                }
                at += width + 2;
            }
        }
        lines
    }

    /// Lines of the key: a number, and what follows indented.
    fn key_lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for KeyItem { number, bytes, text } in self.key() {
            for (below, text) in wrapped(&format!("{bytes}  {text}"), MAX_KEY).into_iter().enumerate() {
                let number = (below == 0).then(|| (0, format!("{number:>3}.")));
                lines.push(Line { swatch: None, bold: false, texts: number.into_iter().chain([(6, text)]).collect() });
            }
        }
        lines
    }
}

/// Bytes in boxes, with the numbers of their steps below.
fn draw_bytes(out: &mut String, y: &mut usize, rows: &[(u64, Vec<(u32, u8)>)]) {
    for (offset, bytes) in rows {
        *y += LINE;
        text(out, MARGIN, *y, &format!("{offset:06x}"), " fill=\"#555\"");
        for (column, (number, byte)) in bytes.iter().enumerate() {
            let x = MARGIN + 10 * CHAR + column * BOX;
            swatch(out, x, *y, BOX - 2, *number);
            text(out, x + 8, *y, &format!("{byte:02x}"), "");
            text(out, x + 8, *y + 14, &number.to_string(), " font-size=\"9\" fill=\"#555\"");
        }
        *y += LINE;
    }
}

/// A text in lines of at most `width` characters, cut between words where it can be; at least one line.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let gap = usize::from(used > 0);
        if used + gap + word.len() > width && used > 0 {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if gap == 1 {
            line.push(' ');
            used += 1;
        }
        while word.len() > width {
            let rest = word.split_off(width.max(1));
            lines.push(word.into_iter().collect());
            word = rest;
        }
        used += word.len();
        line.extend(word);
    }
    lines.push(line);
    lines
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
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\" style=\"white-space:pre\"{style}>{}</text>",
        escaped(text)
    );
}
