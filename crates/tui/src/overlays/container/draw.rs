//! The drawing of the files of a folder: the card with their numbers, the list, the card of the chosen one, and all findings.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::widgets::{Clear, Widget};

use super::ContainerFiles;
use super::listing::{COLUMNS, UnitFacts};
use crate::engine::action::Action;
use crate::engine::keymap::LIST;
use crate::overlays::OverlayContext;
use crate::state::view::{TABS, TabDef};
use crate::ui::card;
use crate::ui::glyphs::Glyphs;
use crate::ui::grid::Mark;
use crate::ui::text::{put, put_parts, put_right, width, without_last_clauses, wrap};
use crate::ui::theme::{Role, opaque};
use pdblens_nodes::rows::Tone;
use pdblens_query::check::Grade;
use pdblens_session::text::safe::count;

/// Width from which sentences are whole.
const WIDE: u16 = 110;

/// The parts of the screen above the hints: header, card, rule, list, preview, findings. Tall ones have blank rows around what they say.
pub(super) fn areas(screen: Rect) -> [Rect; 6] {
    let all = Rect { height: screen.height.saturating_sub(u16::from(screen.height >= 8)), ..screen };
    let [space, card, preview, findings] = match screen.height {
        34.. => [1, 5, 10, 1],
        20.. => [0, 3, 5, 1],
        12.. => [0, 3, 0, 0],
        _ => [0; 4],
    };
    let [header, _, card, rule, list, preview, findings] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(space),
        Constraint::Length(card),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(preview),
        Constraint::Length(findings),
    ])
    .areas(all);
    [header, card, rule, list, preview, findings]
}

impl ContainerFiles {
    /// The areas of the views whose digits open a file in them, with their names, where all have room in the header.
    pub(super) fn tabs(&self, header: Rect) -> Vec<(Rect, &'static TabDef, &'static str)> {
        let heading: usize = self.listing.heading.iter().map(|part| width(part)).sum();
        let x = header.x + u16::try_from(heading + 6).unwrap_or(header.width).min(header.width);
        let room = usize::from(header.right() - x);
        let of = |name: fn(&TabDef) -> &'static str| TABS.each_ref().map(name);
        let wide = |names: &[&str], gap: usize| names.iter().map(|name| 1 + width(name) + gap).sum::<usize>();
        let all = [(of(|tab| tab.name), 2), (of(|tab| tab.short), 1)];
        let Some((names, gap)) = all.into_iter().find(|(names, gap)| wide(names, *gap) <= room) else {
            return Vec::new();
        };
        let tabs = TABS.iter().zip(names).scan(x, |x, (tab, name)| {
            let area = Rect { x: *x, width: 1 + width(name) as u16, ..header };
            *x = area.right() + gap as u16;
            Some((area, tab, name))
        });
        tabs.collect()
    }

    pub(super) fn draw_parts(&self, screen: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let (look, theme) = (&cx.look, cx.look.theme);
        let [header, card, rule, list, preview, findings] = areas(screen);
        let all = Rect { height: list.bottom().max(findings.bottom()), ..screen };
        Clear.render(all, buf);
        buf.set_style(all, theme.of(Role::Text));
        buf.set_style(header, theme.of(Role::Bar));
        let [name, what] = &self.listing.heading;
        let [open, back] = [Action::Follow, Action::Back].map(|action| cx.keys(action, LIST));
        let parts = [(name.as_str(), Role::Strong), ("  ", Role::Text), (what.as_str(), Role::Dim)];
        let mut x = put_parts(buf, (header.x + 1, header.y, header.right() - 1), &parts, look);
        for (area, tab, name) in self.tabs(header) {
            let digit = tab.first.number().to_string();
            let parts = [(&*digit, Role::Mute), (name, Role::Dim)];
            x = put_parts(buf, (area.x, area.y, area.right()), &parts, look);
        }
        let keys = format!("{open} opens, {back} comes back");
        if usize::from(header.right().saturating_sub(x)) > width(&keys) + 3 {
            put_right(buf, 0, header.y, header.right() - 1, &keys, theme.of(Role::Mute), look.glyphs);
        }
        self.draw_card(card, buf, cx);
        let typed = self.draw_rule(rule, buf, cx);
        let (mut grid, rows) = (self.grid.clone(), self.rows(cx));
        grid.resize(&rows, list.height);
        let at = grid.draw(buf, list, &rows, look, &|_, _| false, &|_, _, _, _| None);
        if rows.len == 0 {
            put_parts(buf, (list.x + 1, list.y + 1, list.right()), &[("no row contains this text", Role::Dim)], look);
        }
        for (line, y) in grid.scroll.window().zip(list.y + 1..list.bottom()) {
            let status = self.shown.get(line).map_or(Tone::Text, |unit| self.listing.of(*unit).tone);
            let sign = if status == Tone::Text { " " } else { look.glyphs.sign(status) };
            let mark = if line == grid.scroll.selected { Mark::Cursor } else { Mark::None };
            put(buf, list.x + 1, y, list.right(), sign, mark.apply(theme.tone(status), look, true), look.glyphs);
        }
        if !preview.is_empty() {
            self.draw_preview(preview, buf, cx);
            self.draw_findings(findings, buf, cx);
        }
        if self.takes_text { typed } else { at }
    }

    /// Draws the numbers of files by their status, their strip, and what can be done about those without a PDB.
    fn draw_card(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let (look, facts) = (&cx.look, self.listing.facts().clone());
        card::draw(buf, area, (Role::Bar, "", Role::Text), &[], look);
        let (y, end) = (area.y + u16::from(area.height > 3), area.right().saturating_sub(2));
        if area.height < 3 {
            return;
        }
        let is_read = |tone: Tone| facts.iter().all(|facts| facts.tone != tone || facts.can_be_opened);
        let missing = facts.iter().filter(|facts| facts.lacks_pdb).count();
        // Words that are right for one file and for several.
        let labels = [
            (Tone::Ok, "with their PDB"),
            (
                Tone::Warn,
                if missing == self.listing.count(Tone::Warn) { "without one" } else { "without a half or its id" },
            ),
            (Tone::Bad, if is_read(Tone::Bad) { "mismatch" } else { "wrong" }),
            (Tone::Dim, if is_read(Tone::Dim) { "no code" } else { "none needed" }),
        ];
        let mut x = area.x + 3;
        for (tone, label) in labels {
            let number = self.listing.count(tone);
            // Zero is an answer, which needs no look.
            let roles = if number > 0 { [Role::Strong, tone.into()] } else { [Role::Mute; 2] };
            let label = format!(" {} {label}   ", look.glyphs.sign(tone));
            x = put_parts(buf, (x, y, end), &[(&number.to_string(), roles[0]), (&label, roles[1])], look);
        }
        let strip = Rect { x: area.x + 3, y: y + 1, width: area.width - 6, height: 1 };
        let faint = |tone: Tone| if tone == Tone::Dim { Role::Faint } else { tone.into() };
        card::strip(buf, strip, &labels.map(|(tone, _)| (self.listing.count(tone) as u64, "", faint(tone))), look);
        if missing > 0 {
            let asked = facts.iter().filter(|facts| facts.lacks_pdb && !facts.id.is_empty()).count();
            let text = match area.width < WIDE {
                true => format!("{asked} of {missing} can be asked for by their id"),
                false => {
                    format!("{asked} of {missing} name a PDB with an id, so a symbol server can be asked for them.")
                }
            };
            let key = cx.keys(Action::Symbols, LIST);
            let x = end.saturating_sub(width(&key) as u16 + 12);
            put_parts(buf, (x, y + 2, end), &[(&key, Role::Accent), (" symbol path", Role::Dim)], look);
            put_parts(buf, (area.x + 3, y + 2, x), &[(&text, Role::Text)], look);
        }
    }

    /// Draws the rule above the list: its order, the keys that change it or what they have set, and the position.
    fn draw_rule(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let (theme, glyphs) = (cx.look.theme, cx.look.glyphs);
        let sort = self.now.sort.and_then(|sort| Some(sort.label(COLUMNS.get(sort.column)?.name.trim(), glyphs)));
        card::rule(buf, area, "Files", sort.as_deref().unwrap_or("by status, then name"), true, &cx.look);
        let (all, found) = (self.listing.units.len(), self.shown.len());
        let of = if found < all { format!(" of {all}") } else { String::new() };
        let place = format!(" {}/{found}{of} ", (self.grid.scroll.selected + 1).min(found));
        let right = |buf: &mut Buffer, end: u16, text: &str, role: Role| {
            put_right(buf, area.x, area.y, end, text, opaque(theme.of(role)), glyphs)
        };
        let mut end = right(buf, area.right() - 1, &place, Role::Accent);
        if self.takes_text || !self.now.typed.is_empty() {
            let room = (width(&self.now.typed) + 2).clamp(16, usize::from(area.width / 2).max(16));
            let x = right(buf, end, &" ".repeat(room), Role::Match);
            right(buf, x, &format!(" {} ", cx.keys(Action::Find, LIST)), Role::Strong);
            return Some(self.input.draw(buf, x, area.y, end, opaque(theme.of(Role::Match)), glyphs));
        }
        let status = self.now.status.map(|status| format!(" {} only ", glyphs.sign(status)));
        for (action, text) in [(Action::Find, " any column "), (Action::Filter, " status "), (Action::Sort, " sort ")] {
            let set = if action == Action::Filter { status.as_deref() } else { None };
            let text = set.unwrap_or(if area.width < WIDE { " " } else { text });
            end = right(buf, end, text, if set.is_some() { Role::Match } else { Role::Dim });
            end = right(buf, end, &format!(" {}", cx.keys(action, LIST)), Role::Strong);
        }
        None
    }

    /// Draws the card of the chosen file: its verdict, its findings, and what a debugger makes of it.
    fn draw_preview(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let (look, glyphs) = (&cx.look, cx.look.glyphs);
        let unit = self.unit().and_then(|unit| Some((self.listing.units.get(unit)?, self.listing.names.get(unit)?)));
        let Some((files, name)) = unit else { return card::rule(buf, area, "", "", false, look) };
        card::rule(buf, area, name, "preview", false, look);
        let (path, facts) = (files.path().display().to_string(), self.listing.of(self.unit().unwrap_or_default()));
        let ground = match facts.tone {
            Tone::Ok => Role::Added,
            Tone::Bad => Role::Removed,
            Tone::Warn => Role::Changed,
            _ => Role::Bar,
        };
        let verdict = facts.sentence.trim_start_matches(&path).trim_start_matches(": ");
        let size = if facts.size > 0 { format!("{} bytes", facts.size) } else { String::new() };
        let names = if facts.lacks_pdb { "names the id " } else { "" };
        let id = if facts.id.is_empty() { size } else { format!("{names}{} {} {size}", facts.id, glyphs.dot) };
        let mut lines: Vec<(String, Role)> =
            wrap(verdict, usize::from(area.width) - 4).into_iter().map(|line| (line, Role::Strong)).collect();
        lines.extend([id, path].into_iter().filter(|line| !line.is_empty()).map(|line| (line, Role::Dim)));
        let lines: Vec<(&str, Role)> = lines.iter().map(|(line, role)| (line.as_str(), *role)).collect();
        let sign = if facts.tone == Tone::Text { glyphs.more } else { glyphs.sign(facts.tone) };
        let is_tall = area.height > 5;
        let card = Rect { y: area.y + 1, height: 2 + u16::from(is_tall), ..area };
        card::draw(buf, card, (ground, sign, facts.tone.into()), &lines, look);
        for ((sign, tone, text), y) in sentences(&facts, glyphs).zip(card.bottom() + u16::from(is_tall)..area.bottom())
        {
            let text = without_last_clauses(text, usize::from(area.width).saturating_sub(6));
            let parts = [(sign, tone.into()), ("  ", Role::Dim), (text, Role::Text)];
            put_parts(buf, (area.x + 3, y, area.right()), &parts, look);
        }
    }

    /// Draws the number of findings in all files, with the key that lists them.
    fn draw_findings(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let facts = self.listing.facts().clone();
        let [findings, notes] = [(Grade::Finding, "finding"), (Grade::Note, "note")].map(|(grade, noun)| {
            let remarks = facts.iter().flat_map(|facts| &facts.remarks).filter(|remark| remark.grade == grade);
            count(remarks.map(|remark| remark.count as u64).sum::<u64>(), noun)
        });
        let title = format!("{}  {findings}, {notes}", cx.keys(Action::Findings, LIST));
        card::rule(buf, area, &title, "of all files, in one list", false, &cx.look);
    }
}

/// The findings of a file, then its prospects.
fn sentences<'f>(facts: &'f UnitFacts, glyphs: &'f Glyphs) -> impl Iterator<Item = (&'static str, Tone, &'f str)> {
    let breakpoint = facts.breakpoints.map_or(glyphs.warn, |verdict| glyphs.breakpoint(verdict.sign()));
    let missing = [
        (breakpoint, Tone::Warn, "Breakpoints do not bind: no PDB says where the lines are"),
        (glyphs.warn, Tone::Warn, "Stack traces have names, and no lines"),
    ];
    let findings = facts.remarks.iter().filter(|remark| remark.grade == Grade::Finding);
    let findings = findings.map(|remark| (glyphs.bad, Tone::Bad, remark.sentence.as_str()));
    let prospects = facts.prospects.iter();
    let prospects = prospects.map(|found| (found.sign(glyphs), found.tone, found.text.as_str()));
    let missing = missing.into_iter().filter(|_| facts.lacks_pdb);
    findings.take(3).chain(prospects).chain(missing)
}
