//! The list of themes: each is shown while the cursor is on it, and kept with Enter.

use ratatui::layout::Rect;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::ui::theme::NAMES;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};

/// The terminals that the themes are made for, in their order.
const ABOUT: [&str; 4] = [
    "for a dark background",
    "for a light background",
    "the sixteen colours of the terminal",
    "no colours: bold, underlined and reversed",
];

pub struct Themes {
    /// Name of the theme that is kept when the list is closed.
    kept: &'static str,
}

/// A picker of the themes, at the one that is shown.
pub fn themes(kept: &'static str) -> Picker<Themes> {
    let at = NAMES.iter().position(|name| *name == kept).unwrap_or(0);
    Picker::new(Themes { kept }).at(at)
}

fn matching(typed: &str) -> Vec<(&'static str, &'static str)> {
    let all = NAMES.iter().copied().zip(ABOUT);
    all.filter(|(name, about)| name.contains(typed.trim()) || about.contains(typed.trim())).collect()
}

fn show(name: &'static str) -> Vec<Effect> {
    vec![Effect::Update(Box::new(Msg::ThemeChosen(name)))]
}

impl Choices for Themes {
    const TITLE: &'static str = "Theme";
    const MAX_ROWS: u16 = NAMES.len() as u16;

    // The screen around the list is the preview.
    fn size(&self, _: Rect) -> (u16, u16) {
        (56, 1)
    }

    fn rows(&self, typed: &str, _: &OverlayContext<'_>) -> Rows<'static> {
        let found = matching(typed);
        Rows::new("", Head::list(["", ""]), found.len(), move |index| {
            let Some((name, about)) = found.get(index) else { return Row::default() };
            Row::plain(vec![Cell::new(*name), Cell::toned(*about, Tone::Dim)])
        })
    }

    fn moved(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        matching(typed).get(index).map_or_else(Vec::new, |(name, _)| show(name))
    }

    fn cancelled(&self) -> Vec<Effect> {
        show(self.kept)
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let mut effects = self.moved(index, typed, cx);
        let kept = matching(typed).get(index).map(|(name, _)| Effect::Update(Box::new(Msg::ThemeKept(name))));
        effects.extend(kept);
        effects
    }
}
