//! What is looked for in the focused pane: a line at the bottom of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::tui::core::action::Action;
use crate::tui::core::key::{self, Key};
use crate::tui::core::keymap::PROMPT;
use crate::tui::overlays::{Layer, Reply, Scene};
use crate::tui::state::effect::{Effect, SearchInput};
use crate::tui::ui::input::Input;
use crate::tui::ui::list_filter::How;
use crate::tui::ui::text::{put, put_right};
use crate::tui::ui::theme::Role;

/// What is looked for in the focused pane.
pub struct Search {
    how: How,
    input: Input,
    /// What was looked for last.
    last: String,
    /// The columns that can be named.
    columns: String,
}

impl Search {
    /// A line for something to be found, or to filter by.
    pub fn new(how: How, last: String, columns: String) -> Self {
        Self { how, input: Input::default(), last, columns }
    }

    fn typed(&self) -> Vec<Effect> {
        vec![Effect::Search(SearchInput::Changed(self.input.text().to_owned()))]
    }

    /// What can be typed, where nothing is.
    fn hint(&self, scene: &Scene<'_>) -> String {
        let what = match self.how {
            How::Find => "text to find",
            How::Filter => "text to filter by",
        };
        let again = scene.keymap.keys_of(Action::Up, PROMPT).map(|keys| key::shown(keys, scene.look.glyphs.ascii));
        let last =
            again.filter(|_| !self.last.is_empty()).map_or_else(String::new, |key| format!(", {key} {}", self.last));
        let columns =
            if self.columns.is_empty() { String::new() } else { format!(", COLUMN:text in one of {}", self.columns) };
        format!("{what}{last}{columns}")
    }
}

impl Layer for Search {
    fn act(&mut self, action: Action, _: Option<usize>, _: &Scene<'_>) -> Reply {
        match action {
            Action::Accept => Reply::Close(vec![Effect::Search(SearchInput::Accepted(self.input.text().to_owned()))]),
            Action::Cancel | Action::Quit => Reply::Close(vec![Effect::Search(SearchInput::Cancelled)]),
            Action::Suspend => Reply::Pass,
            Action::Up => {
                self.input = Input::new(self.last.as_str());
                Reply::Stay(self.typed())
            }
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn key(&mut self, key: Key, _: &Scene<'_>) -> Vec<Effect> {
        let before = self.input.text().to_owned();
        self.input.key(key);
        if before == self.input.text() { Vec::new() } else { self.typed() }
    }

    fn paste(&mut self, text: &str, _: &Scene<'_>) -> Vec<Effect> {
        self.input.paste(text);
        self.typed()
    }

    fn point(&mut self, at: Position, scene: &Scene<'_>) -> Option<bool> {
        (at.y + 1 == scene.screen.bottom()).then_some(false)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let look = &scene.look;
        let y = area.bottom().checked_sub(1)?;
        let line = Rect { y, height: 1, ..area };
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, line, buf);
        buf.set_style(line, look.theme.of(Role::Text).patch(look.theme.of(Role::Bar)));
        let sign = match self.how {
            How::Find => "/",
            How::Filter => "&",
        };
        let x = put(buf, line.x + 1, y, line.right(), sign, look.theme.of(Role::Accent), look.glyphs);
        let mut end = line.right();
        if self.input.text().is_empty() {
            put(buf, x + 1, y, end, &self.hint(scene), look.theme.of(Role::Mute), look.glyphs);
        } else if !scene.found.is_empty() {
            let style = look.theme.of(Role::Text);
            end = put_right(buf, x, y, end.saturating_sub(1), scene.found, style, look.glyphs).saturating_sub(2);
        }
        Some(self.input.draw(buf, x, y, end.max(x), look.theme.of(Role::Text), look.glyphs))
    }
}
