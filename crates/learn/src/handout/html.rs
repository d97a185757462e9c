//! Handouts as HTML.

use std::fmt::Write;

use super::{Answers, BLANK, ByteRow, Handout, KeyItem, is_after_gap};
use pdblens_session::text::safe::visible;

impl Handout<'_> {
    /// The handout as one HTML page that needs nothing else: bytes and fields that belong together are highlighted together, and
    /// each leads to the other.
    pub(super) fn html(&self) -> String {
        let title = escaped(self.title());
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
             <body><h1>{title}</h1>\n"
        );
        if self.answers == Answers::Key {
            self.html_key(&mut out);
        } else {
            out.push_str("<pre class=\"dump\">");
            self.html_dump(&mut out);
            out.push_str("</pre>\n");
            self.html_table(&mut out);
        }
        if let Some(problem) = self.problem() {
            let _ = writeln!(out, "<p class=\"problem\">{}</p>", escaped(&problem));
        }
        let command = escaped(&self.command);
        let _ = writeln!(
            out,
            "<pre id=\"why\"></pre>\n<footer>Made by <code>{command}</code>.</footer>\n<script>{SCRIPT}</script></body></html>"
        );
        out
    }

    /// The fields, row by row; the classes of the columns give each its share of a printed page.
    fn html_table(&self, out: &mut String) {
        out.push_str("<table><colgroup>");
        let heads = self.heads();
        for head in heads {
            let _ = write!(
                out,
                "<col class=\"{}\">",
                if *head == "#" { "number" } else { head.split(' ').next().unwrap_or("") }
            );
        }
        out.push_str("</colgroup><thead><tr>");
        for head in heads {
            let _ = write!(out, "<th>{head}</th>");
        }
        out.push_str("</tr></thead><tbody>\n");
        for (index, step) in self.steps.list.iter().enumerate() {
            if step.field.group {
                let name = escaped(self.group(index));
                let _ = writeln!(out, "<tr class=\"group\"><td colspan=\"{}\">{name}</td></tr>", heads.len());
                continue;
            }
            let Some(cells) = self.cells(index) else { continue };
            let cells: String = cells.iter().take(heads.len()).map(|cell| html_cell(cell)).collect();
            let why =
                if self.answers == Answers::Blank { String::new() } else { lines_escaped(&self.explanation(index)) };
            let n = step.number;
            let _ = writeln!(out, "<tr id=\"f{n}\" data-n=\"{n}\" tabindex=\"0\" title=\"{why}\">{cells}</tr>");
            for [bits, value, meaning] in self.bits(index) {
                let after = html_cell("").repeat(heads.len() - 6);
                let cells = [bits, String::new(), format!("{value}  {meaning}")].map(|cell| html_cell(&cell)).concat();
                let _ = writeln!(out, "<tr data-n=\"{n}\"><td colspan=\"3\"></td>{cells}{after}</tr>");
            }
        }
        out.push_str("</tbody></table>\n");
    }

    /// The answers, as a list.
    fn html_key(&self, out: &mut String) {
        out.push_str("<ol class=\"key\">\n");
        for KeyItem { number, bytes, text } in self.key() {
            let _ = writeln!(out, "<li value=\"{number}\"><code>{bytes}</code> {}</li>", escaped(&text));
        }
        out.push_str("</ol>\n");
    }

    fn html_dump(&self, out: &mut String) {
        let mut before: Option<ByteRow> = None;
        for (offset, bytes) in self.byte_rows() {
            if is_after_gap(before.as_ref(), offset, &bytes) {
                out.push_str("*\n");
            }
            before = Some((offset, bytes.clone()));
            let _ = write!(out, "{offset:06x}  ");
            for (n, byte) in bytes {
                let _ = write!(out, "<a href=\"#f{n}\" data-n=\"{n}\">{byte:02x}</a> ");
            }
            out.push('\n');
        }
    }
}

/// A cell; a blank is wide enough to write in.
fn html_cell(cell: &str) -> String {
    let class = if cell == BLANK { " class=\"blank\"" } else { "" };
    format!("<td{class}>{}</td>", escaped(cell))
}

/// Lines in an attribute: a line end would be spelled out, or collapse.
fn lines_escaped(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("&#10;")
}

fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em}pre,td,code{font-family:ui-monospace,monospace}\
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:2px 8px;text-align:left;vertical-align:top}\
a{color:inherit;text-decoration:none;padding:0 1px}.blank{min-width:14em;color:#999}.group td{font-weight:bold;background:#eee}\
.dump{position:sticky;top:0;max-height:40vh;overflow:auto;background:#fff;padding:.3em 0;border-bottom:1px solid #bbb}\
.on,:target{background:#ffe08a}.pinned{outline:2px solid #c80}footer{margin-top:1em;color:#555}\
#why{position:sticky;bottom:0;margin:0;padding:.3em .6em;background:#fff;border-top:1px solid #bbb;white-space:pre-wrap}\
#why:empty{display:none}h1{overflow-wrap:anywhere}.problem{color:#a00}.key li{margin:.2em 0}\
@page{size:landscape;margin:12mm}@media print{body{font-size:11px;margin:0 1px}h1{font-size:16px;margin:0 0 .5em}\
.dump{position:static;max-height:none;overflow:visible;white-space:pre-wrap}.on,:target{background:none}.pinned{outline:none}#why{display:none}\
table{table-layout:fixed;width:100%;font-size:10px}td,th{padding:1px 4px;overflow-wrap:anywhere}thead{display:table-header-group}\
tr,li{break-inside:avoid}.group{break-after:avoid}.blank{min-width:0}.number{width:4%}.offset{width:8%}.bytes{width:13%}.field{width:16%}\
.read{width:16%}.value{width:20%}.state{width:23%}}";

/// Highlights what belongs together, under the pointer, at the focus, or where it was clicked, and shows the arithmetic below.
const SCRIPT: &str = "(function(){var pinned=null,why=document.getElementById('why');\
function all(n){return document.querySelectorAll('[data-n=\"'+n+'\"]')}\
function show(n){document.querySelectorAll('.on').forEach(function(x){x.classList.remove('on')});\
why.textContent='';if(n===null)return;all(n).forEach(function(x){x.classList.add('on')});\
var row=document.getElementById('f'+n);if(row)why.textContent=row.title}\
function at(e){var t=e.target.closest&&e.target.closest('[data-n]');return t?t.dataset.n:null}\
document.addEventListener('mouseover',function(e){var n=at(e);show(n===null?pinned:n)});\
document.addEventListener('focusin',function(e){show(at(e))});\
document.addEventListener('click',function(e){var n=at(e);\
document.querySelectorAll('.pinned').forEach(function(x){x.classList.remove('pinned')});\
pinned=n;if(n!==null){e.preventDefault();all(n).forEach(function(x){x.classList.add('pinned');\
x.scrollIntoView({block:'nearest'})})}show(n)});\
if(/^#f\\d+$/.test(location.hash)){pinned=location.hash.slice(2);show(pinned)}})();";
