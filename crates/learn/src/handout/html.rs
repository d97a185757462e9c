//! Handouts as HTML: one page that needs nothing else. With all values it is the player, whose script is `assets/player.js`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Answers, BLANK, ByteRow, Handout, KeyItem, is_after_gap};
use crate::Step;
use crate::code_places::CodePlaces;
use crate::question::value_of;
use pdblens_formats::bytes::ReadAs;
use pdblens_session::text::safe::visible;

const MAX_MISTAKES: usize = 2;
/// Characters of a reference to a line that is written once.
const REFERENCE: usize = 6;

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
                let _ = out.write_str("<div class=\"record\">");
                let _ = out.write_str(CONTROLS);
                self.html_link(out);
                let _ = out.write_str("</div>\n");
            }
            self.html_places(out, is_player);
            self.html_table(out);
        }
        if let Some(problem) = self.problem() {
            let _ = writeln!(out, "<p class=\"problem\">{}</p>", escaped(&problem));
        }
        if is_player {
            let _ = out.write_str("<pre id=\"why\"></pre></div>\n");
        }
    }

    /// The link to the page, which the script keeps at the read that is selected.
    fn html_link(&self, out: &mut dyn Write) {
        let Some(link) = &self.steps.link else { return };
        let address = escaped(&link.address());
        let _ = write!(
            out,
            " <a id=\"open\" href=\"{address}\">open this read in the page</a>: <kbd>c</kbd> changes a byte there"
        );
    }

    fn html_places(&self, out: &mut dyn Write, is_player: bool) {
        let places = if is_player { self.steps.places.as_deref() } else { None };
        let _ = out.write_str("<div class=\"places\">");
        if let Some(places) = places {
            let from = if places.reconstructed { "  from IL" } else { "" };
            let _ = writeln!(out, "<pre class=\"source\"><b>{}{from}</b>", escaped(&places.document));
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

    /// Lines of explanations and reasons of mistakes that several reads have, in order: the script puts them in their places.
    fn shared_lines(&self) -> Vec<String> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        if self.answers == Answers::Shown {
            let reads = self.steps.list.iter().enumerate().filter(|(_, step)| !step.field.group);
            for (index, step) in reads {
                let reasons = self.mistakes(index, step).into_iter().map(|(_, reason)| reason);
                let lines = self.explanation(index);
                lines.lines().map(str::to_owned).chain(reasons).for_each(|line| *counts.entry(line).or_default() += 1);
            }
        }
        let saves = |line: &str, count: usize| line.len() * (count - 1) > REFERENCE * count;
        counts.into_iter().filter(|(line, count)| saves(line, *count)).map(|(line, _)| line).collect()
    }

    /// Wrong answers with their reasons, in which `#` is the answer.
    fn mistakes(&self, index: usize, step: &Step) -> Vec<(String, String)> {
        if !matches!(step.field.read, ReadAs::CompressedSigned | ReadAs::U16 | ReadAs::U32 | ReadAs::Guid) {
            return Vec::new();
        }
        let Some(question) = value_of(self.steps, index) else { return Vec::new() };
        let one = |(wrong, because): (String, &str)| {
            let rest = because.strip_prefix(wrong.as_str()).filter(|_| !wrong.is_empty());
            let because = rest.map_or_else(|| because.to_owned(), |rest| format!("#{rest}"));
            (wrong, because)
        };
        question.known_mistakes().into_iter().take(MAX_MISTAKES).map(one).collect()
    }

    /// The fields, row by row; the classes of the columns give each its share of a printed page.
    fn html_table(&self, out: &mut dyn Write) {
        let shared = self.shared_lines();
        if !shared.is_empty() {
            let lines: Vec<_> = shared.iter().map(|line| escaped(line)).collect();
            let _ = writeln!(out, "<pre class=\"shared\" hidden>{}</pre>", lines.join("\n"));
        }
        let _ = out.write_str("<div class=\"reads\"><table><colgroup>");
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
            let role = match role(&step.field.name) {
                "" => String::new(),
                role => format!(" class=\"{role}\""),
            };
            let facts =
                if self.answers == Answers::Shown { self.html_facts(index, step, &shared) } else { String::new() };
            let _ = writeln!(out, "<tr id=\"f{n}\" data-n=\"{n}\"{role}{facts}>{cells}");
            if self.answers == Answers::Shown {
                let why = with_references(&self.explanation(index), &shared);
                let _ = writeln!(out, "<tr class=bits><td colspan={}><pre>{why}</pre>", heads.len());
            }
            for [bits, value, meaning] in self.bits(index) {
                let after = html_cell("").repeat(heads.len() - 6);
                let cells = [bits, String::new(), format!("{value}  {meaning}")].map(|cell| html_cell(&cell)).concat();
                let _ = writeln!(out, "<tr data-n=\"{n}\"><td colspan=\"3\"></td>{cells}{after}</tr>");
            }
        }
        let _ = out.write_str("</tbody></table></div>\n");
    }

    /// Attributes of a row: its point, the values that are right, and wrong ones with the reasons.
    fn html_facts(&self, index: usize, step: &Step, shared: &[String]) -> String {
        let mut out = String::new();
        let point = self.steps.places.as_deref().and_then(|places: &CodePlaces| places.point_with(step.field.span));
        if let Some(point) = point {
            let _ = write!(out, " data-p=\"{}\"", point + 1);
        }
        let number = step.field.number.map(|number| number.to_string()).filter(|number| *number != step.field.value);
        let number = number.map_or_else(String::new, |number| format!("|{number}"));
        let _ = write!(out, " data-v=\"{}{number}\"", escaped(&step.field.value));
        let mistakes = self.mistakes(index, step);
        if !mistakes.is_empty() {
            let one = |(wrong, because): (String, String)| {
                let because = position(shared, &because).map_or(because, |at| at.to_string());
                format!("{}|{}", escaped(&wrong), escaped(&because))
            };
            let mistakes: Vec<String> = mistakes.into_iter().map(one).collect();
            let _ = write!(out, " data-m=\"{}\"", mistakes.join("&#10;"));
        }
        out
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
            let _ = write!(out, "<span>{offset:06x}  ");
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
            let _ = out.write_str("\n</span>");
        }
    }
}

fn position(shared: &[String], line: &str) -> Option<usize> {
    shared.binary_search_by(|known| known.as_str().cmp(line)).ok()
}

/// Lines of an explanation; those that follow one another and are shared are one list of their numbers.
fn with_references(explanation: &str, shared: &[String]) -> String {
    let (mut out, mut numbers): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let flush = |out: &mut Vec<String>, numbers: &mut Vec<String>| {
        if !numbers.is_empty() {
            out.push(format!("<i>{}</i>", numbers.join(" ")));
            numbers.clear();
        }
    };
    for line in explanation.lines() {
        if let Some(at) = position(shared, line) {
            numbers.push(at.to_string());
        } else {
            flush(&mut out, &mut numbers);
            out.push(escaped(line));
        }
    }
    flush(&mut out, &mut numbers);
    out.join("\n")
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
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
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
<small>space and backspace step · x hides · p predicts · esc leaves an input</small>";

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:.6em 1.2em}pre,td,code{font-family:ui-monospace,monospace}\
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:2px 8px;text-align:left;vertical-align:top}\
a{color:inherit;text-decoration:none;padding:0 1px}.blank{min-width:14em;color:#999}.group td{font-weight:bold;background:#eee}h1{font-size:20px;margin:.2em 0;overflow-wrap:anywhere}\
.places{display:flex;gap:1em;position:relative}.places pre{margin:.3em 0;flex:1 1 0;min-width:0;font-size:13px}.places .source{flex-grow:2}.dump{white-space:pre-wrap}.dump span{display:block;padding-left:8ch;text-indent:-8ch}\
.places b{color:#555}.bits{display:none}.cover td:nth-child(n+6){color:transparent;background:#ddd}\
.il{color:#0550ae}.dl{color:#8250df}.dc{color:#953800}.sl{color:#116329}.sc{color:#a40e26}[id$=player]{margin:.3em 0}[id$=scrub]{width:16em;vertical-align:middle}\
[id$=say]{color:#a40e26}small{color:#555}section{border-left:3px solid #bbb;padding-left:1em}summary{cursor:pointer}.wire{position:absolute;inset:0;width:100%;height:100%;pointer-events:none}.wire path{fill:none;stroke:#c80;stroke-opacity:.6;stroke-width:2}.to,[id$=open]{text-decoration:underline}\
.on{background:#ffe08a}.pinned{outline:2px solid #c80}footer{margin-top:1em;color:#555}\
[id$=why]{margin:0;padding:.3em .6em;border-top:1px solid #bbb;white-space:pre-wrap}[id$=why]:empty{display:none}.problem{color:#a00}.key li{margin:.2em 0}\
@media screen{.record{display:flex;flex-direction:column;max-height:100vh}.record .places pre{max-height:28vh;overflow:auto}.record .reads{flex:0 1 auto;min-height:8em;overflow:auto}\
.record [id$=why]{flex:none;max-height:24vh;overflow:auto;font-size:13px}.record thead th{position:sticky;top:0;background:#fff}.record thead th{box-shadow:0 1px #bbb}}\
@media screen and (max-width:600px){body{margin:.4em;font-size:13px}td,pre,.places pre{font-size:11px}.places{flex-direction:column;gap:0}.record .places pre{flex:none;max-height:13vh}.wire,small{display:none}[id$=scrub]{width:8em}\
.record table{width:100%}.record tr:not(.group):not(.bits)>:nth-child(2),.record tr:not(.group):not(.bits)>:nth-child(5),.record tr:not(.group):not(.bits)>:nth-child(7){display:none}td,th{padding:1px 4px}td:nth-child(n+4){overflow-wrap:anywhere}}\
@page{size:landscape;margin:12mm}@media print{body{font-size:11px;margin:0 1px}h1{font-size:16px;margin:0 0 .5em}h2{font-size:14px}\
.wire,details:not([open]),[id$=player],[id$=why]{display:none}.places pre{white-space:pre-wrap}\
h2,h3{margin:.5em 0 .1em}p{margin:.2em 0}section{padding-left:.4em}section .places pre{font-size:9px;line-height:1.15;margin:0}section tbody tr:not(.cited){display:none}.bits,section .cited+.bits{display:table-row}.bits pre{margin:0;font-size:9px;white-space:pre-wrap}\
.on{background:none}.pinned{outline:none}\
table{table-layout:fixed;width:100%;font-size:10px}td,th{padding:1px 4px;overflow-wrap:anywhere}thead{display:table-header-group}\
tr,li,.places{break-inside:avoid}h1,h2,h3,.group,section .cited{break-after:avoid}tbody th{width:16%}.blank{min-width:0}.number{width:4%}.offset{width:8%}.bytes{width:13%}.field{width:16%}\
.read{width:16%}.value{width:20%}.state{width:23%}}";
