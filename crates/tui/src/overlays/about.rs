//! The panel about the selected row or field: it stays until it is closed, and follows the selection.

use std::cell::Cell;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::overlays::{Overlay, OverlayContext, Reply, popup};
use crate::state::effect::Effect;
use crate::state::selection::Taught;
use crate::state::view::PaneId;
use crate::ui::text::{put, put_right, wrap, wrap_row};
use crate::ui::theme::Role;
use pdblens_formats::bytes::Span;
use pdblens_learn::about::{Explanation, about};
use pdblens_learn::glossary::terms_in;
use pdblens_learn::inspect;
use pdblens_nodes::fields;

const NAME: &str = "about";
/// Width of a screen from which the panel is at its side.
const MIN_BESIDE: u16 = 100;

#[derive(Default)]
pub struct AboutPanel {
    top: usize,
    /// Lines that do not fit below the first shown one, when it was drawn last.
    below: Cell<usize>,
}

impl AboutPanel {
    fn found(cx: &OverlayContext<'_>) -> Option<Explanation> {
        match &cx.taught {
            Some(Taught::Sample(session, selection)) => {
                let fields = fields(session, selection.place);
                return Some(about(session, selection.place, fields.as_ref(), selection.part));
            }
            Some(Taught::Bytes(..)) => return None,
            None => {}
        }
        let (session, selected) = (cx.session?, cx.selected?);
        let part = selected.selection.part;
        let mut found = about(session, selected.selection.place, selected.shown(), part);
        // At the cursor of the bytes, a reader wants to know what they are as something else.
        if cx.pane == Some(PaneId::Bytes)
            && let Some(part) = part
            && let Some(space) = session.spaces().get(part.space)
            && let Ok(bytes) =
                session.spaces().read(Span { len: inspect::LEN.min(space.len().saturating_sub(part.start)), ..part })
        {
            found.sections.push(inspect::inspect(&bytes));
        }
        (!found.sections.is_empty()).then_some(found)
    }

    /// Name and sentence of a field whose value is hidden, and the key that shows it.
    fn covered(found: &Explanation, key: &str, width: usize) -> Vec<(Role, String)> {
        let name = found.title.split(" · ").next().unwrap_or_default();
        let about = found.sections.iter().find(|section| section.heading == "what it is");
        let about = about.and_then(|section| section.lines.first()).map_or("", String::as_str);
        let hidden = format!("The values are hidden: {key} shows them, and then this panel explains them.");
        let lines = [(Role::Strong, name), (Role::Text, about), (Role::Text, ""), (Role::Warn, hidden.as_str())];
        lines.into_iter().flat_map(|(role, text)| wrap(text, width).into_iter().map(move |line| (role, line))).collect()
    }

    fn scroll(&mut self, by: usize, down: bool) {
        self.top = if down { self.top + by.min(self.below.get()) } else { self.top.saturating_sub(by) };
    }
}

const MAX_WORDS: usize = 6;

/// Line about the words of the panel that the glossary explains; empty for none.
fn words(found: &Explanation, key: &str, width: usize) -> Vec<(Role, String)> {
    let text = found
        .sections
        .iter()
        .flat_map(|section| &section.lines)
        .fold(found.title.clone(), |text, line| text + ". " + line);
    let names: Vec<&str> = terms_in(&text).iter().take(MAX_WORDS).map(|term| term.term.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let lines = wrap(&format!("{key} explains: {}", names.join(", ")), width);
    std::iter::once((Role::Text, String::new())).chain(lines.into_iter().map(|line| (Role::Dim, line))).collect()
}

fn lines(found: &Explanation, width: usize) -> Vec<(Role, String)> {
    let mut lines: Vec<_> = wrap(&found.title, width).into_iter().map(|line| (Role::Strong, line)).collect();
    for section in &found.sections {
        lines.push((Role::Text, String::new()));
        lines.push((Role::Accent, section.heading.to_owned()));
        for line in &section.lines {
            let rows = wrap_row(line, width.saturating_sub(2)).into_iter();
            lines.extend(rows.map(|(bits, row)| (if bits { Role::Number } else { Role::Text }, format!("  {row}"))));
        }
    }
    lines
}

impl Overlay for AboutPanel {
    fn keymap_name(&self) -> &'static str {
        NAME
    }

    fn takes_text(&self) -> bool {
        false
    }

    fn perform(&mut self, action: Action, cx: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Cancel => return Reply::Close(Vec::new()),
            Action::Explain => return Reply::Close(vec![Effect::Dispatch(Action::Glossary)]),
            Action::ScrollDown | Action::ScrollUp => self.scroll(1, action == Action::ScrollDown),
            Action::PageDown | Action::PageUp => self.scroll(10, action == Action::PageDown),
            Action::Follow => {
                let to = Self::found(cx).and_then(|found| found.to);
                // A place of a sample is none of the open files.
                return match to.filter(|_| cx.taught.is_none()) {
                    Some(to) => Reply::Stay(vec![Effect::Go(to.into())]),
                    None => Reply::Pass,
                };
            }
            // The selection moves, and the panel follows it.
            _ => {
                self.top = 0;
                return Reply::Pass;
            }
        }
        Reply::Stay(Vec::new())
    }

    /// The right or lower part of the screen: the selection stays visible.
    fn area(&self, screen: Rect) -> Rect {
        if screen.width >= MIN_BESIDE {
            let width = (screen.width / 2).min(84);
            Rect { x: screen.right() - width, y: screen.y + 1, width, height: screen.height.saturating_sub(2) }
        } else {
            let height = screen.height * 3 / 5;
            Rect { y: screen.bottom().saturating_sub(height + 1), height, ..screen }
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let inside = popup(buf, self.area(area), "About the selection", look);
        if inside.is_empty() {
            return None;
        }
        let keys = |action| cx.keys(action, NAME);
        let wide = inside.width as usize;
        let lines = match Self::found(cx) {
            Some(found) if cx.hides_answers => Self::covered(&found, &keys(Action::HideAnswers), wide),
            Some(found) => [lines(&found, wide), words(&found, &keys(Action::Explain), wide)].concat(),
            None => vec![(Role::Dim, "No record is selected here: select a row or a field that has bytes.".to_owned())],
        };
        let room = inside.height.saturating_sub(1) as usize;
        let top = self.top.min(lines.len().saturating_sub(room));
        self.below.set(lines.len().saturating_sub(top + room));
        for (y, (role, line)) in (inside.y..inside.bottom() - 1).zip(lines.iter().skip(top)) {
            put(buf, inside.x, y, inside.right(), line, look.theme.of(*role), look.glyphs);
        }
        let mut hint = format!("{} glossary · {} closes", keys(Action::Explain), keys(Action::Cancel));
        if lines.len() > room {
            hint = format!("{} and {} scroll · {hint}", keys(Action::ScrollDown), keys(Action::ScrollUp));
        }
        let y = inside.bottom() - 1;
        put(buf, inside.x, y, inside.right(), &hint, look.theme.of(Role::Mute), look.glyphs);
        if self.below.get() > 0 {
            let more = format!("{} more", self.below.get());
            put_right(buf, inside.x, y, inside.right(), &more, look.theme.of(Role::Mute), look.glyphs);
        }
        None
    }
}
