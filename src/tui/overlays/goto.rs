//! One prompt that goes anywhere.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Layer, Reply, Scene, place, popup};
use crate::model::{Place, Tone};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::crumbs::crumbs;
use crate::tui::key::Key;
use crate::tui::theme::Role;
use crate::tui::widgets::input::Input;
use crate::tui::widgets::text::put;

/// One prompt that goes anywhere.
pub struct Goto {
    input: Input,
}

impl Goto {
    /// A prompt that begins with `text`.
    pub fn new(text: &str) -> Self {
        Self { input: Input::new(text) }
    }

    fn area(screen: Rect) -> Rect {
        place(screen, 90, 6)
    }
}

/// Where `typed` leads: a place, and what is said of it; or why nowhere.
fn look_up(typed: &str, scene: &Scene<'_>) -> Result<(Place, String), String> {
    let session = scene.session.ok_or("nothing is open yet")?;
    session.place(typed).map(|place| (place, String::new())).map_err(|error| error.to_string())
}

/// What going to `typed` comes to.
pub fn answer(typed: &str, scene: &Scene<'_>) -> Vec<Effect> {
    match look_up(typed, scene) {
        Ok((place, said)) if said.is_empty() => vec![Effect::Go(place.into())],
        Ok((place, said)) => vec![Effect::Go(place.into()), Effect::Say(Tone::Text, said)],
        Err(why) => vec![Effect::Say(Tone::Warn, format!("{typed}: {why}"))],
    }
}

impl Layer for Goto {
    fn act(&mut self, action: Action, _: Option<usize>, scene: &Scene<'_>) -> Reply {
        match action {
            Action::Accept => Reply::Close(answer(self.input.text(), scene)),
            Action::Cancel | Action::Quit => Reply::Close(Vec::new()),
            Action::Suspend => Reply::Pass,
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn key(&mut self, key: Key, _: &Scene<'_>) -> Vec<Effect> {
        self.input.key(key);
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: &Scene<'_>) -> Vec<Effect> {
        self.input.paste(text);
        Vec::new()
    }

    fn point(&mut self, at: Position, scene: &Scene<'_>) -> Option<bool> {
        Self::area(scene.screen).contains(at).then_some(false)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let look = &scene.look;
        let inside = popup(buf, Self::area(area), "Go to", look);
        if inside.is_empty() {
            return None;
        }
        let cursor = self.input.draw(buf, inside.x, inside.y, inside.right(), look.theme.of(Role::Text), look.glyphs);
        let y = inside.y + 2;
        if y < inside.bottom() {
            let (text, style) = match look_up(self.input.text(), scene) {
                _ if self.input.text().trim().is_empty() => {
                    let text = "0x06000002+0xF · Name.Of+0xF · File.cs:21 · #blob 0xb5 · stream 12 · file 0x1a0";
                    (text.to_owned(), look.theme.of(Role::Mute))
                }
                Ok((place, said)) => {
                    let steps = scene.session.map_or_else(Vec::new, |session| crumbs(session, place));
                    let path: Vec<String> = steps.into_iter().map(|(step, _)| step).collect();
                    let path = path.join(&format!(" {} ", look.glyphs.step));
                    (if said.is_empty() { path } else { said }, look.theme.of(Role::Ok))
                }
                Err(why) => (why, look.theme.of(Role::Dim)),
            };
            put(buf, inside.x, y, inside.right(), &text, style, look.glyphs);
        }
        Some(cursor)
    }
}
