//! Handouts as HTML: one page that needs nothing else. With all values it is the player, whose script is `assets/player.js`.

use std::fmt::Write;

use super::{Answers, BLANK, ByteRow, Handout, KeyItem, is_after_gap};
use crate::Step;
use crate::code_places::CodePlaces;
use crate::question::value_of;
use pdblens_formats::bytes::ReadAs;
use pdblens_session::text::safe::{spaced_hex, visible};

const MAX_MISTAKES: usize = 2;

impl Handout<'_> {
    /// The handout as one HTML page that needs nothing else: source, code, bytes and fields that belong together are highlighted
    /// together, and each leads to the others.
    pub(super) fn html(&self, out: &mut dyn Write) {
        page_around(out, self.title(), &self.command, &mut |out| self.html_record(out));
    }

    /// The record without the page around it.
    pub(super) fn html_record(&self, out: &mut dyn Write) {
        let is_player = self.answers == Answers::Shown;
        if self.answers == Answers::Key {
            self.html_key(out);
        } else {
            if is_player {
                let _ = out.write_str(CONTROLS);
            }
            self.html_places(out, is_player);
            self.html_table(out);
        }
        if is_player {
            self.html_what_if(out);
        }
        if let Some(problem) = self.problem() {
            let _ = writeln!(out, "<p class=\"problem\">{}</p>", escaped(&problem));
        }
        let _ = out.write_str("<pre id=\"why\"></pre>\n");
    }

    fn html_places(&self, out: &mut dyn Write, is_player: bool) {
        let places = if is_player { self.steps.places.as_deref() } else { None };
        let _ = out.write_str("<div class=\"places\">");
        if let Some(places) = places {
            let _ = writeln!(out, "<pre><b>{}</b>", escaped(&places.document));
            if places.source.is_empty() {
                let _ = out.write_str("the text is not on this machine\n");
            }
            for (number, text) in &places.source {
                let is_on =
                    |lines: Option<(u32, u32)>| lines.is_some_and(|(first, last)| (first..=last).contains(number));
                let points = places.points.iter().enumerate().filter(|(_, point)| is_on(point.lines));
                let points: Vec<String> = points.map(|(index, _)| (index + 1).to_string()).collect();
                let _ = writeln!(out, "<span data-q=\"{}\">{number:>4}  {}</span>", points.join(" "), escaped(text));
            }
            let _ = out.write_str("</pre><pre><b>code</b>\n");
            if places.code.is_empty() {
                let _ = out.write_str(CodePlaces::NO_CODE);
            }
            for line in &places.code {
                let point = line.point.map_or(0, |point| point + 1);
                let (offset, text) = (escaped(&line.offset), escaped(&line.text));
                let _ = writeln!(out, "<span data-q=\"{point}\">{offset}  {text}</span>");
            }
            let _ = out.write_str("</pre>");
        }
        let _ = out.write_str("<pre class=\"dump\">");
        self.html_dump(out);
        let _ = out.write_str("</pre></div>\n");
    }

    /// The fields, row by row; the classes of the columns give each its share of a printed page.
    fn html_table(&self, out: &mut dyn Write) {
        let _ = out.write_str("<table><colgroup>");
        let heads = self.heads();
        for head in heads {
            let _ = write!(
                out,
                "<col class=\"{}\">",
                if *head == "#" { "number" } else { head.split(' ').next().unwrap_or("") }
            );
        }
        let _ = out.write_str("</colgroup><thead><tr>");
        for head in heads {
            let _ = write!(out, "<th>{head}</th>");
        }
        let _ = out.write_str("</tr></thead><tbody>\n");
        for (index, step) in self.steps.list.iter().enumerate() {
            if step.field.group {
                let name = escaped(self.group(index));
                let _ = writeln!(out, "<tr class=\"group\"><td colspan=\"{}\">{name}</td></tr>", heads.len());
                continue;
            }
            let Some(cells) = self.cells(index) else { continue };
            let cells: String = cells.iter().take(heads.len()).map(|cell| html_cell(cell)).collect();
            let n = step.number;
            let role = role(&step.field.name);
            let facts = if self.answers == Answers::Shown { self.html_facts(index, step) } else { String::new() };
            let _ = writeln!(out, "<tr id=\"f{n}\" data-n=\"{n}\" class=\"{role}\"{facts}>{cells}");
            if self.answers == Answers::Shown {
                let why = self.explanation(index).lines().map(escaped).collect::<Vec<_>>().join("\n");
                let _ = writeln!(out, "<tr class=\"bits\"><td colspan=\"{}\"><pre>{why}</pre>", heads.len());
            }
            for [bits, value, meaning] in self.bits(index) {
                let after = html_cell("").repeat(heads.len() - 6);
                let cells = [bits, String::new(), format!("{value}  {meaning}")].map(|cell| html_cell(&cell)).concat();
                let _ = writeln!(out, "<tr data-n=\"{n}\"><td colspan=\"3\"></td>{cells}{after}</tr>");
            }
        }
        let _ = out.write_str("</tbody></table>\n");
    }

    /// Attributes of a row: its point, the values that are right, and wrong ones with the reasons.
    fn html_facts(&self, index: usize, step: &Step) -> String {
        let mut out = String::new();
        let point = self.steps.places.as_deref().and_then(|places: &CodePlaces| places.point_with(step.field.span));
        if let Some(point) = point {
            let _ = write!(out, " data-p=\"{}\"", point + 1);
        }
        let number = step.field.number.map(|number| number.to_string()).filter(|number| *number != step.field.value);
        let number = number.map_or_else(String::new, |number| format!("|{number}"));
        let _ = write!(out, " data-v=\"{}{number}\"", escaped(&step.field.value));
        if matches!(step.field.read, ReadAs::CompressedSigned | ReadAs::U16 | ReadAs::U32 | ReadAs::Guid)
            && let Some(question) = value_of(self.steps, index)
        {
            let one = |(wrong, because): (String, &str)| format!("{}|{}", escaped(&wrong), escaped(because));
            let mistakes: Vec<String> = question.known_mistakes().into_iter().take(MAX_MISTAKES).map(one).collect();
            let _ = write!(out, " data-m=\"{}\"", mistakes.join("&#10;"));
        }
        out
    }

    /// Input for a changed byte of a sequence points blob, which the page decodes again.
    fn html_what_if(&self, out: &mut dyn Write) {
        let reads = || self.steps.reads().filter(|step| !step.bytes.is_empty());
        let is_points =
            reads().next().is_some_and(|step| step.record == "header") && reads().any(|step| step.record == "point");
        if !is_points || self.steps.error.is_some() {
            return;
        }
        let bytes: Vec<u8> = reads().flat_map(|step| &step.bytes).copied().collect();
        let document = if reads().any(|step| step.field.name == "initial document") { " data-doc=\"1\"" } else { "" };
        let hex = spaced_hex(&bytes, usize::MAX);
        let _ = writeln!(
            out,
            "<p id=\"blob\" data-hex=\"{hex}\"{document}><label>What if byte <input id=\"what\" size=\"12\" \
             placeholder=\"6 = 02\"></label> in the blob, counted from 0: the points decode again.</p><pre id=\"points\"></pre>"
        );
    }

    fn html_key(&self, out: &mut dyn Write) {
        let _ = out.write_str("<ol class=\"key\">\n");
        for KeyItem { number, bytes, text } in self.key() {
            let _ = writeln!(out, "<li value=\"{number}\"><code>{bytes}</code> {}</li>", escaped(&text));
        }
        let _ = out.write_str("</ol>\n");
    }

    fn html_dump(&self, out: &mut dyn Write) {
        let mut before: Option<ByteRow> = None;
        for (offset, bytes) in self.byte_rows() {
            if is_after_gap(before.as_ref(), offset, &bytes) {
                let _ = out.write_str("*\n");
            }
            before = Some((offset, bytes.clone()));
            let _ = write!(out, "{offset:06x}  ");
            for (n, byte) in bytes {
                let name = self
                    .steps
                    .index_of(n)
                    .and_then(|index| self.steps.list.get(index))
                    .map(|step| role(&step.field.name));
                let role =
                    name.filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!(" class=\"{name}\""));
                let _ = write!(out, "<a href=\"#f{n}\" data-n=\"{n}\"{role}>{byte:02x}</a> ");
            }
            let _ = out.write_char('\n');
        }
    }
}

/// A page around its body, which is HTML.
pub(super) fn page(title: &str, body: &str, command: &str) -> String {
    let mut out = String::new();
    page_around(&mut out, title, command, &mut |out| {
        let _ = out.write_str(body);
    });
    out
}

/// The same for a body that is written piece by piece.
fn page_around(out: &mut dyn Write, title: &str, command: &str, body: &mut dyn FnMut(&mut dyn Write)) {
    let (title, command, script) = (escaped(title), escaped(command), include_str!("../../assets/player.js"));
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n"
    );
    body(out);
    let _ = write!(out, "<footer>Made by <code>{command}</code>.</footer>\n<script>{script}</script></body></html>\n");
}

/// A cell, whose end HTML does not need; a blank is wide enough to write in.
fn html_cell(cell: &str) -> String {
    let class = if cell == BLANK { " class=\"blank\"" } else { "" };
    format!("<td{class}>{}", escaped(cell))
}

pub(super) fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Class of a number of a sequence point: the same role has the same colour wherever it is shown.
fn role(field: &str) -> &'static str {
    match field {
        "δ IL offset" => "il",
        "Δ lines" => "dl",
        "Δ columns" => "dc",
        "start line" | "δ start line" => "sl",
        "start column" | "δ start column" => "sc",
        _ => "",
    }
}

const CONTROLS: &str = "<div id=\"player\"><button id=\"prev\">◂ back</button> <input id=\"scrub\" type=\"range\" min=\"0\" value=\"0\"> \
<button id=\"next\">next ▸</button> <span id=\"pos\"></span> <label><input id=\"hide\" type=\"checkbox\"> hide from here</label> \
<label>predict <input id=\"guess\" size=\"14\"></label> <b id=\"say\"></b> \
<small>space and backspace step · x hides · p predicts · esc leaves an input</small></div>\n";

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em}pre,td,code{font-family:ui-monospace,monospace}\
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:2px 8px;text-align:left;vertical-align:top}\
a{color:inherit;text-decoration:none;padding:0 1px}.blank{min-width:14em;color:#999}.group td{font-weight:bold;background:#eee}\
.places{display:flex;gap:1em;position:sticky;top:0;background:#fff;border-bottom:1px solid #bbb}\
.places pre{margin:.3em 0;flex:1 1 0;min-width:0;max-height:34vh;overflow:auto}.places .dump{flex:0 1 auto}.places b{color:#555}.bits{display:none}.cover td:nth-child(n+6){color:transparent;background:#ddd}\
.il{color:#0550ae}.dl{color:#8250df}.dc{color:#953800}.sl{color:#116329}.sc{color:#a40e26}[id$=player]{margin:.5em 0}[id$=scrub]{width:16em;vertical-align:middle}\
[id$=say]{color:#a40e26}small{color:#555}section{border-left:3px solid #bbb;padding-left:1em}summary{cursor:pointer}.wire{position:absolute;inset:0;width:100%;height:100%;pointer-events:none}.wire path{fill:none;stroke:#c80;stroke-opacity:.6;stroke-width:2}.to{text-decoration:underline}\
.on,:target{background:#ffe08a}.pinned{outline:2px solid #c80}footer{margin-top:1em;color:#555}\
[id$=why]{position:sticky;bottom:0;margin:0;padding:.3em .6em;background:#fff;border-top:1px solid #bbb;white-space:pre-wrap}\
[id$=why]:empty{display:none}h1{overflow-wrap:anywhere}.problem{color:#a00}.key li{margin:.2em 0}\
@page{size:landscape;margin:12mm}@media print{body{font-size:11px;margin:0 1px}h1{font-size:16px;margin:0 0 .5em}h2{font-size:14px}\
.places{position:relative}.wire,details:not([open]),[id$=player],[id$=blob],[id$=why]{display:none}.places pre{white-space:pre-wrap;max-height:none;overflow:visible}\
h2,h3{margin:.5em 0 .1em}p{margin:.2em 0}section{padding-left:.4em}section .places pre{font-size:9px;line-height:1.15;margin:0}section tbody tr:not(.cited){display:none}.bits,section .cited+.bits{display:table-row}.bits pre{margin:0;font-size:9px;white-space:pre-wrap}\
.on,:target{background:none}.pinned{outline:none}\
table{table-layout:fixed;width:100%;font-size:10px}td,th{padding:1px 4px;overflow-wrap:anywhere}thead{display:table-header-group}\
tr,li,.places{break-inside:avoid}h1,h2,h3,.group,section .cited{break-after:avoid}tbody th{width:16%}.blank{min-width:0}.number{width:4%}.offset{width:8%}.bytes{width:13%}.field{width:16%}\
.read{width:16%}.value{width:20%}.state{width:23%}}";
