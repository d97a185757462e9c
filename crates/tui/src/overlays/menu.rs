//! The menu of the thing under the cursor: its actions, each with its key; those that are impossible say why.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::overlays::{Overlay, OverlayContext, Reply, popup};
use crate::state::effect::Effect;
use crate::ui::text::{put, width, without_last_clauses};
use crate::ui::theme::Role;

pub struct MenuItem {
    pub action: Action,
    pub words: &'static str,
    /// The reason why the action does nothing here.
    pub refusal: Option<String>,
}

pub struct Menu {
    pub title: String,
    /// Scope of its own keys; empty for none.
    pub scope: &'static str,
    pub items: Vec<MenuItem>,
    pub chosen: usize,
}

/// Cells of the menu on a screen that has no more for it.
const MIN_WIDTH: u16 = 82;

impl MenuItem {
    /// The reason why the action does nothing, or what it does.
    fn help(&self) -> &str {
        self.refusal.as_deref().or(self.action.def().map(|def| def.help)).unwrap_or_default()
    }
}

impl Menu {
    fn reply(&self, index: usize) -> Reply {
        let Some(item) = self.items.get(index) else { return Reply::Stay(Vec::new()) };
        match &item.refusal {
            Some(why) => Reply::Stay(vec![Effect::SetStatus(pdblens_nodes::rows::Tone::Dim, why.clone())]),
            None => Reply::Close(vec![Effect::Dispatch(item.action)]),
        }
    }
}

impl Overlay for Menu {
    fn keymap_name(&self) -> &'static str {
        if self.scope.is_empty() { "menu" } else { self.scope }
    }

    fn takes_text(&self) -> bool {
        false
    }

    fn perform(&mut self, action: Action, _: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Up => self.chosen = self.chosen.saturating_sub(1),
            Action::Down => self.chosen = (self.chosen + 1).min(self.items.len().saturating_sub(1)),
            Action::Follow | Action::Accept | Action::Copy if action != Action::Copy || !self.scope.is_empty() => {
                return self.reply(self.chosen);
            }
            Action::Cancel | Action::Menu => return Reply::Close(Vec::new()),
            _ => match self.items.iter().position(|item| item.action == action) {
                Some(index) => return self.reply(index),
                // Any other key does what it does without the menu.
                None => return Reply::Close(vec![Effect::Dispatch(action)]),
            },
        }
        Reply::Stay(Vec::new())
    }

    fn area(&self, screen: Rect) -> Rect {
        let height = (self.items.len() as u16 + 2).min(screen.height.saturating_sub(1));
        let longest = |text: fn(&MenuItem) -> &str| self.items.iter().map(|item| width(text(item))).max().unwrap_or(0);
        // Keys, gaps and the frame.
        let wanted = (longest(|item| item.words) + longest(MenuItem::help) + 16) as u16;
        let width = wanted.min(screen.width / 2).max(MIN_WIDTH).min(screen.width);
        Rect { x: screen.right() - width, y: screen.bottom().saturating_sub(height + 1), width, height }
    }

    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool> {
        let area = self.area(cx.screen);
        if !area.contains(at) {
            return None;
        }
        let row = usize::from(at.y.saturating_sub(area.y + 1));
        self.chosen = row.min(self.items.len().saturating_sub(1));
        Some(true)
    }

    fn draw(&self, _: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let inside = popup(buf, self.area(cx.screen), &self.title, look);
        let pane = cx.pane.map_or("", |pane| pane.def().name);
        let keys = |action| cx.keys(action, if self.scope.is_empty() { pane } else { self.scope });
        let keys_wide = self.items.iter().map(|item| width(&keys(item.action))).max().unwrap_or(0) as u16;
        let words_wide = self.items.iter().map(|item| width(item.words)).max().unwrap_or(0) as u16;
        for (index, (y, item)) in (inside.y..inside.bottom()).zip(&self.items).enumerate() {
            let (strong, text) = match item.refusal {
                Some(_) => (Role::Mute, Role::Mute),
                None => (Role::Strong, Role::Text),
            };
            let line = Rect { y, height: 1, ..inside };
            put(buf, line.x, y, line.right(), &keys(item.action), look.theme.of(strong), look.glyphs);
            let x = line.x + keys_wide + 2;
            put(buf, x, y, line.right(), item.words, look.theme.of(text), look.glyphs);
            let x = x + words_wide + 2;
            let help = without_last_clauses(item.help(), usize::from(line.right().saturating_sub(x)));
            put(buf, x, y, line.right(), help, look.theme.of(Role::Dim), look.glyphs);
            if index == self.chosen {
                buf.set_style(line, look.theme.of(Role::Cursor));
            }
        }
        Some(Position::new(inside.x, inside.y + self.chosen as u16))
    }
}
