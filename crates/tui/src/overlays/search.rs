//! The search line at the bottom of the screen, for find and filter.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::keymap::PROMPT;
use crate::overlays::{Overlay, OverlayContext, Reply};
use crate::state::effect::{Effect, SearchInput};
use crate::state::message::Msg;
use crate::ui::fuzzy::MAX_TYPED;
use crate::ui::input::Input;
use crate::ui::list_filter::SearchMode;
use crate::ui::text::{put, put_right};
use crate::ui::theme::Role;
use pdblens_nodes::rows::Tone;

pub struct SearchLine {
    mode: SearchMode,
    input: Input,
    last: String,
    /// Title of the pane that is searched.
    pane: String,
    columns: String,
}

impl SearchLine {
    pub fn new(mode: SearchMode, pane: String, last: String, columns: String) -> Self {
        Self { mode, input: Input::default(), last, pane, columns }
    }

    fn hint(&self, cx: &OverlayContext<'_>) -> String {
        let what = match self.mode {
            SearchMode::Find => "text to find",
            SearchMode::Filter => "text to filter by",
        };
        let again = cx.keymap.keys_of(Action::Up, PROMPT).map(|key| key.display(cx.look.glyphs.ascii));
        let last = match again {
            Some(key) if !self.last.is_empty() => format!(", {key} {}", self.last),
            _ => String::new(),
        };
        let columns =
            if self.columns.is_empty() { String::new() } else { format!(", COLUMN:text in one of {}", self.columns) };
        format!("{what} in {}{last}{columns}", self.pane)
    }
}

impl Overlay for SearchLine {
    fn perform(&mut self, action: Action, cx: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Accept => Reply::Close(vec![Effect::Search(SearchInput::Accepted(self.input.text().to_owned()))]),
            Action::Cancel | Action::Quit => Reply::Close(vec![Effect::Search(SearchInput::Cancelled)]),
            Action::Up => {
                self.input = Input::new(self.last.as_str());
                Reply::Stay(self.changed(cx))
            }
            Action::Complete => {
                let text = self.input.text().to_owned();
                Reply::Close(vec![
                    Effect::Search(SearchInput::Cancelled),
                    Effect::Update(Box::new(Msg::TextSought(text))),
                ])
            }
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        if text.len() > MAX_TYPED {
            let told = format!("the pasted text has {} bytes: rows are searched for at most {MAX_TYPED}", text.len());
            return vec![Effect::SetStatus(Tone::Warn, told)];
        }
        self.input.paste(text);
        self.changed(cx)
    }

    fn changed(&mut self, _: &OverlayContext<'_>) -> Vec<Effect> {
        vec![Effect::Search(SearchInput::Changed(self.input.text().to_owned()))]
    }

    fn area(&self, screen: Rect) -> Rect {
        Rect { y: screen.bottom().saturating_sub(1), height: screen.height.min(1), ..screen }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let y = area.bottom().checked_sub(1)?;
        let line = Rect { y, height: 1, ..area };
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, line, buf);
        buf.set_style(line, look.theme.of(Role::Text).patch(look.theme.of(Role::Bar)));
        let sign = match self.mode {
            SearchMode::Find => "/",
            SearchMode::Filter => "&",
        };
        let x = put(buf, line.x + 1, y, line.right(), sign, look.theme.of(Role::Accent), look.glyphs);
        let mut end = line.right();
        if self.input.text().is_empty() {
            put(buf, x + 1, y, end, &self.hint(cx), look.theme.of(Role::Mute), look.glyphs);
        } else if !cx.found.is_empty() {
            let style = look.theme.of(Role::Text);
            end = put_right(buf, x, y, end.saturating_sub(1), cx.found, style, look.glyphs).saturating_sub(2);
        }
        Some(self.input.draw(buf, x, y, end.max(x), look.theme.of(Role::Text), look.glyphs))
    }
}
