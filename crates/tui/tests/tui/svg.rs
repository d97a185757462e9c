//! SVG document of a screen: background runs, then text runs, each as wide as its cells in any font.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthStr;

/// As a line of the font is high, so that lines drawn with characters meet.
const CELL: (f64, f64) = (8.8, 17.0);
const MARGIN: f64 = 12.0;

/// Style of the page.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Its background.
    pub back: &'static str,
    /// Plain text.
    pub text: &'static str,
}

/// The page of a dark terminal.
pub const DARK: Page = Page { back: "#151821", text: "#d5dae6" };
/// The page of a light terminal.
pub const LIGHT: Page = Page { back: "#fbfbf8", text: "#242933" };

/// `buffer` as an SVG document.
pub fn svg(buffer: &Buffer, page: Page) -> String {
    document(buffer, page, &frame(buffer, page))
}

/// An SVG document that shows each of `buffers`, all of one size, for `seconds`, again and again; without motion, the first.
pub fn animated(buffers: &[Buffer], page: Page, seconds: usize) -> String {
    let total = seconds * buffers.len();
    let mut frames = format!(
        "<style>.f{{visibility:hidden;animation:f {total}s step-end infinite}}@keyframes f{{0%{{visibility:visible}}{:.2}%{{visibility:hidden}}}}@media(prefers-reduced-motion){{.f{{animation:none}}}}</style>\n",
        100.0 / buffers.len() as f64,
    );
    for (index, buffer) in buffers.iter().enumerate() {
        let shown = frame(buffer, page);
        // The first frame is below the others, so that it shows where nothing is animated.
        let _ = match index {
            0 => write!(frames, "<g>\n{shown}</g>\n"),
            _ => {
                let back = format!("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>", page.back);
                write!(frames, "<g class=\"f\" style=\"animation-delay:{}s\">{back}\n{shown}</g>\n", index * seconds)
            }
        };
    }
    buffers.first().map(|first| document(first, page, &frames)).unwrap_or_default()
}

/// The document around `content`, as large as `buffer`.
fn document(buffer: &Buffer, page: Page, content: &str) -> String {
    let (width, height) = (f64::from(buffer.area.width) * CELL.0, f64::from(buffer.area.height) * CELL.1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" font-family=\"'DejaVu Sans Mono','Cascadia Mono',Menlo,Consolas,monospace\" font-size=\"14.6\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n<g transform=\"translate({MARGIN} {MARGIN})\" xml:space=\"preserve\">\n<style>text{{white-space:pre}}</style>\n{content}</g>\n</svg>\n",
        width + 2.0 * MARGIN,
        height + 2.0 * MARGIN,
        page.back,
    )
}

/// The cells of `buffer`: backgrounds, then texts.
fn frame(buffer: &Buffer, page: Page) -> String {
    let area = buffer.area;
    let (mut grounds, mut texts) = (String::new(), String::new());
    for y in 0..area.height {
        for (x, text, style) in runs(buffer, y) {
            let cells = text.width() as f64;
            let (left, top) = (f64::from(x) * CELL.0, f64::from(y) * CELL.1);
            let (fore, back) = colours(style, page);
            if let Some(back) = back {
                let _ = writeln!(
                    grounds,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{back}\"/>",
                    cells * CELL.0,
                    CELL.1
                );
            }
            let shown = text.trim_end();
            if shown.is_empty() && !style.add_modifier.contains(Modifier::UNDERLINED) {
                continue;
            }
            let shown = if style.add_modifier.contains(Modifier::UNDERLINED) { text.as_str() } else { shown };
            let _ = writeln!(
                texts,
                "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{fore}\"{}>{}</text>",
                top + 13.4,
                shown.width() as f64 * CELL.0,
                attributes(style),
                escaped(shown),
            );
        }
    }
    grounds + &texts
}

/// The runs of cells of one row that look the same. Lines get a run for each cell, so that they meet in any font.
fn runs(buffer: &Buffer, y: u16) -> Vec<(u16, String, Style)> {
    let mut runs: Vec<(u16, String, Style)> = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        let symbol = cell.symbol();
        let style = cell.style();
        match runs.last_mut() {
            Some((_, text, last)) if *last == style => text.push_str(symbol),
            _ => runs.push((x, symbol.to_owned(), style)),
        }
        x += (symbol.width() as u16).max(1);
    }
    runs
}

fn colours(style: Style, page: Page) -> (String, Option<String>) {
    let fore = style.fg.and_then(css).unwrap_or_else(|| page.text.to_owned());
    let back = style.bg.and_then(css);
    if style.add_modifier.contains(Modifier::REVERSED) {
        return (back.unwrap_or_else(|| page.back.to_owned()), Some(fore));
    }
    (fore, back)
}

fn attributes(style: Style) -> String {
    let has = |modifier| style.add_modifier.contains(modifier);
    let mut out = String::new();
    for (modifier, words) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::DIM, " opacity=\"0.6\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if has(modifier) {
            out.push_str(words);
        }
    }
    out
}

fn css(colour: Color) -> Option<String> {
    const ANSI: [&str; 16] = [
        "#15161e", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#a9b1d6", "#414868", "#f7768e",
        "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#c0caf5",
    ];
    let index = match colour {
        Color::Rgb(r, g, b) => return Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Reset | Color::Indexed(_) => return None,
    };
    ANSI.get(index).map(|&colour| colour.to_owned())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn runs_are_joined_escaped_and_as_wide_as_their_cells() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        buffer.set_string(0, 0, "a<b", Style::new().fg(Color::Rgb(1, 2, 3)));
        buffer.set_string(4, 0, "日", Style::new().bg(Color::Rgb(9, 9, 9)));
        let svg = svg(&buffer, DARK);
        assert!(
            svg.contains("textLength=\"26.4\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#010203\">a&lt;b</text>"),
            "{svg}"
        );
        assert!(svg.contains("<rect x=\"35.2\" y=\"0.0\" width=\"17.6\""), "{svg}");
    }
}
