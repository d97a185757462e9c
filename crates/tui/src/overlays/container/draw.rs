//! The drawing of the files of a folder: the card with their numbers, the list, the card of the chosen one, and all findings.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use super::ContainerFiles;
use super::listing::{COLUMNS, UnitFacts};
use crate::engine::action::Action;
use crate::engine::keymap::LIST;
use crate::overlays::OverlayContext;
use crate::ui::card;
use crate::ui::grid::Mark;
use crate::ui::text::{put, put_right, width};
use crate::ui::theme::{Role, opaque};
use pdblens_nodes::rows::Tone;
use pdblens_query::check::Grade;
use pdblens_session::session::PdbMatch;
use pdblens_session::text::safe::count;

/// Height of a screen that has blank rows around what it says, and of one that has a preview.
const TALL: u16 = 34;
const MIN_WITH_PREVIEW: u16 = 20;
/// Width from which sentences are whole.
const WIDE: u16 = 110;

/// The parts of the screen from its top; each but the list has a height of its own.
pub(super) struct Areas {
    pub(super) all: Rect,
    header: Rect,
    card: Rect,
    rule: Rect,
    pub(super) list: Rect,
    preview: Rect,
    findings: Rect,
}

impl Areas {
    /// The parts above the line of hints.
    pub(super) fn of(screen: Rect) -> Self {
        let all = Rect { height: screen.height.saturating_sub(u16::from(screen.height >= 8)), ..screen };
        let (space, card, preview) = match screen.height {
            TALL.. => (1, 5, 10),
            MIN_WITH_PREVIEW.. => (0, 3, 5),
            12.. => (0, 3, 0),
            _ => (0, 0, 0),
        };
        let findings = u16::from(preview > 0);
        let list = all.height.saturating_sub(2 + space + card + preview + findings);
        let mut y = all.y;
        let mut part = |height: u16| {
            let area = Rect { y, height, ..all }.intersection(all);
            y += height;
            area
        };
        let [header, _, card, rule, list, preview, findings] =
            [1, space, card, 1, list, preview, findings].map(&mut part);
        Self { all, header, card, rule, list, preview, findings }
    }
}

const fn role(tone: Tone) -> Role {
    match tone {
        Tone::Ok => Role::Ok,
        Tone::Warn => Role::Warn,
        Tone::Bad => Role::Bad,
        _ => Role::Dim,
    }
}

impl ContainerFiles {
    pub(super) fn draw_parts(&self, areas: &Areas, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let (look, theme) = (&cx.look, cx.look.theme);
        Clear.render(areas.all, buf);
        buf.set_style(areas.all, theme.of(Role::Text));
        self.draw_header(areas.header, buf, cx);
        self.draw_card(areas.card, buf, cx);
        let typed = self.draw_rule(areas.rule, buf, cx);
        let mut grid = self.grid.clone();
        let rows = self.rows(cx);
        grid.resize(&rows, areas.list.height);
        let at = grid.draw(buf, areas.list, &rows, look, &|_, _| false, &|_, _, _, _| None);
        if rows.len == 0 {
            put(
                buf,
                areas.list.x + 1,
                areas.list.y + 1,
                areas.list.right(),
                "no row contains this text",
                theme.of(Role::Dim),
                look.glyphs,
            );
        }
        for (line, y) in grid.scroll.window().zip(areas.list.y + 1..areas.list.bottom()) {
            let status = self.shown.get(line).and_then(|unit| self.listing.status(*unit));
            if let Some(status) = status {
                let mark = Mark::of_row(line == grid.scroll.selected, true);
                let style = mark.apply(theme.of(role(status)), look, true);
                put(buf, areas.list.x + 1, y, areas.list.right(), look.glyphs.sign(status), style, look.glyphs);
            }
        }
        if !areas.preview.is_empty() {
            self.draw_preview(areas.preview, buf, cx);
            self.draw_findings(areas.findings, buf, cx);
        }
        if self.takes_text { typed } else { at }
    }

    fn draw_header(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let (theme, glyphs) = (cx.look.theme, cx.look.glyphs);
        buf.set_style(area, theme.of(Role::Bar));
        let (name, what) = &self.listing.heading;
        let keys = [Action::Follow, Action::Back].map(|action| cx.keys(action, LIST));
        let text = if area.width < WIDE { ["opens", "comes back"] } else { ["opens a pair", "comes back to its row"] };
        let text = format!("{} {}, {} {}", keys[0], text[0], keys[1], text[1]);
        let end = put_right(buf, area.x, area.y, area.right().saturating_sub(1), &text, theme.of(Role::Mute), glyphs);
        let x = put(buf, area.x + 1, area.y, end, name, theme.of(Role::Strong), glyphs);
        put(buf, x + 2, area.y, end.saturating_sub(1), what, theme.of(Role::Dim), glyphs);
    }

    /// Draws the numbers of files by their status, their strip, and what can be done about those without a PDB.
    fn draw_card(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let (look, theme, glyphs) = (&cx.look, cx.look.theme, cx.look.glyphs);
        card::draw(buf, area, (Role::Bar, "", Role::Text), &[], look);
        let first = area.y + u16::from(area.height > 3);
        let end = area.right().saturating_sub(2);
        let known = self.listing.known();
        let facts: Vec<&UnitFacts> = known.iter().filter_map(|read| read.as_ref().as_ref().ok()).collect();
        let missing: Vec<_> =
            facts.iter().filter(|facts| facts.verdict == PdbMatch::NoPdb && facts.tone == Tone::Warn).collect();
        let lacking = self.listing.count(Tone::Warn);
        let none = if lacking == missing.len() { "have none" } else { "lack a half or its id" };
        let wrong = if facts.iter().filter(|facts| facts.tone == Tone::Bad).count() == self.listing.count(Tone::Bad) {
            "mismatch"
        } else {
            "mismatch or unreadable"
        };
        let parts = [(Tone::Ok, "have their PDB"), (Tone::Warn, none), (Tone::Bad, wrong), (Tone::Dim, "hold no code")];
        let mut x = area.x + 3;
        for (tone, label) in parts {
            let number = self.listing.count(tone);
            // Zero is an answer, which needs no look.
            let roles = if number > 0 { [Role::Strong, role(tone)] } else { [Role::Mute; 2] };
            x = put(buf, x, first, end, &number.to_string(), theme.of(roles[0]), glyphs) + 1;
            x = put(buf, x, first, end, &format!("{} {label}", glyphs.sign(tone)), theme.of(roles[1]), glyphs) + 3;
        }
        let strip = Rect { x: area.x + 3, y: first + 1, width: area.width.saturating_sub(6), height: 1 };
        let of_strip = parts.map(|(tone, _)| {
            (self.listing.count(tone) as u64, "", if tone == Tone::Dim { Role::Faint } else { role(tone) })
        });
        card::strip(buf, strip.intersection(area), &of_strip, look);
        if area.height < 3 || missing.is_empty() {
            return;
        }
        let key = cx.keys(Action::Symbols, LIST);
        let end = put_right(buf, area.x, first + 2, end, "symbol path", theme.of(Role::Dim), glyphs);
        let end = put_right(buf, area.x, first + 2, end.saturating_sub(1), &key, theme.of(Role::Accent), glyphs);
        let asked = missing.iter().filter(|facts| !facts.id.is_empty()).count();
        let text = match (area.width < WIDE, cx.paths.symbols.named.is_empty()) {
            (true, true) => format!("{asked} can be asked for: set a symbol path"),
            (true, false) => format!("{asked} can be asked for: open one"),
            (false, true) => format!(
                "{asked} of the {} name a PDB with an id, so a symbol server can be asked for them.",
                missing.len()
            ),
            (false, false) => format!(
                "{asked} of the {} name a PDB with an id: the servers of the symbol path are asked when one is opened.",
                missing.len()
            ),
        };
        put(buf, area.x + 3, first + 2, end.saturating_sub(2), &text, theme.of(Role::Text), glyphs);
    }

    /// Draws the rule above the list: its order, the keys that change it or what they have set, and the position.
    fn draw_rule(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let (theme, glyphs) = (cx.look.theme, cx.look.glyphs);
        let sort = self.now.sort.and_then(|sort| Some(sort.label(COLUMNS.get(sort.column)?.name.trim(), glyphs)));
        let order = sort.unwrap_or_else(|| "by status, then name".to_owned());
        card::rule(buf, area, "Files", &order, true, &cx.look);
        let (all, found) = (self.listing.units.len(), self.shown.len());
        let place = format!("{}/{found}", (self.grid.scroll.selected + 1).min(found));
        let place = if found < all { format!(" {place} of {all} ") } else { format!(" {place} ") };
        let right = |buf: &mut Buffer, end: u16, text: &str, role: Role| {
            put_right(buf, area.x, area.y, end, text, opaque(theme.of(role)), glyphs)
        };
        let mut end = right(buf, area.right().saturating_sub(1), &place, Role::Accent);
        if self.takes_text || !self.now.typed.is_empty() {
            let room = (width(&self.now.typed) + 2).clamp(16, usize::from(area.width / 2));
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
        let (look, theme, glyphs) = (&cx.look, cx.look.theme, cx.look.glyphs);
        let Some(unit) = self.unit() else { return card::rule(buf, area, "", "", false, look) };
        let name = self.listing.names.get(unit).map_or("", String::as_str);
        card::rule(buf, area, name, "preview", false, look);
        let height = if area.height > 5 { 3 } else { 2 };
        let verdict = Rect { y: area.y + 1, height, ..area }.intersection(area);
        let path = self.listing.units.get(unit).map_or_else(String::new, |unit| unit.path().display().to_string());
        let facts = self.listing.facts(unit);
        let facts = match facts.as_deref() {
            Some(Ok(facts)) => facts,
            Some(Err(error)) => {
                let lines = [("cannot be opened", Role::Strong), (error.as_str(), Role::Dim), (&path, Role::Dim)];
                return card::draw(buf, verdict, (Role::Removed, glyphs.bad, Role::Bad), &lines, look);
            }
            None => {
                let text = format!("not read yet {}", glyphs.more);
                return card::draw(
                    buf,
                    verdict,
                    (Role::Bar, "", Role::Dim),
                    &[(&text, Role::Dim), (&path, Role::Dim)],
                    look,
                );
            }
        };
        let ground = match facts.tone {
            Tone::Ok => Role::Added,
            Tone::Bad => Role::Removed,
            Tone::Warn => Role::Changed,
            _ => Role::Bar,
        };
        let id = if facts.verdict == PdbMatch::NoPdb && !facts.id.is_empty() {
            format!("names the id {}", facts.id)
        } else {
            facts.id.clone()
        };
        let size = format!("{} bytes", facts.size);
        let id = [id, size]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(&format!(" {} ", glyphs.dot));
        let lines = [(facts.sentence.as_str(), Role::Strong), (&id, Role::Dim), (&path, Role::Dim)];
        card::draw(buf, verdict, (ground, glyphs.sign(facts.tone), role(facts.tone)), &lines, look);
        let first = verdict.bottom() + u16::from(area.height > 5);
        for ((tone, label, text), y) in sentences(facts).into_iter().zip(first..area.bottom()) {
            put(buf, area.x + 3, y, area.right(), glyphs.sign(tone), theme.of(role(tone)), glyphs);
            let label = format!("{label:<14}");
            let x = put(buf, area.x + 5, y, area.right(), &label, theme.of(Role::Dim), glyphs).max(area.x + 19);
            let mut text = text.as_str();
            // A clause is left out whole.
            while width(text) > usize::from(area.right().saturating_sub(x))
                && let Some((shorter, _)) = text.rsplit_once(", ")
            {
                text = shorter;
            }
            put(buf, x, y, area.right(), text, theme.of(Role::Text), glyphs);
        }
    }

    /// Draws the number of findings in all files, with the key that lists them.
    fn draw_findings(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let number = |grade: Grade| {
            let known = self.listing.known();
            let remarks = known.iter().filter_map(|read| read.as_ref().as_ref().ok()).flat_map(|facts| &facts.remarks);
            remarks.filter(|remark| remark.grade == grade).map(|remark| remark.count as u64).sum::<u64>()
        };
        let [findings, notes] =
            [(Grade::Finding, "finding"), (Grade::Note, "note")].map(|(grade, noun)| count(number(grade), noun));
        let title = format!("{}  {findings}, {notes}", cx.keys(Action::Findings, LIST));
        card::rule(buf, area, &title, "of all files, in one list", false, &cx.look);
    }
}

/// The findings of a file, then its prospects.
fn sentences(facts: &UnitFacts) -> Vec<(Tone, &'static str, String)> {
    let findings = facts.remarks.iter().filter(|remark| remark.grade == Grade::Finding);
    let findings = findings.map(|remark| (Tone::Bad, remark.rule, remark.sentence.clone()));
    let prospects = facts.prospects.iter().map(|found| (found.tone, found.label, found.text.clone()));
    findings.take(3).chain(prospects).collect()
}
