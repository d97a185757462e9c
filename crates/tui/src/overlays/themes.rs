//! The list of themes: each is shown while the cursor is on it, and kept with Enter.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::ui::theme::Theme;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};

pub struct Themes {
    /// Name and sentence of each theme.
    all: Vec<(Arc<str>, Arc<str>)>,
    /// Name of the theme that is kept when the list is closed.
    kept: Arc<str>,
}

/// A picker of the themes, at the one that is shown.
pub fn themes(all: &[Theme], kept: &Arc<str>) -> Picker<Themes> {
    let at = all.iter().position(|theme| theme.name == *kept).unwrap_or(0);
    let all = all.iter().map(|theme| (theme.name.clone(), theme.about.clone())).collect();
    Picker::new(Themes { all, kept: kept.clone() }).at(at)
}

fn show(name: &Arc<str>) -> Vec<Effect> {
    vec![Effect::Update(Box::new(Msg::ThemeChosen(name.clone())))]
}

impl Themes {
    fn matching(&self, typed: &str) -> Vec<(Arc<str>, Arc<str>)> {
        let typed = typed.trim();
        self.all.iter().filter(|(name, about)| name.contains(typed) || about.contains(typed)).cloned().collect()
    }
}

impl Choices for Themes {
    const TITLE: &'static str = "Theme";
    const MAX_ROWS: u16 = 12;

    // The screen around the list is the preview.
    fn size(&self, _: Rect) -> (u16, u16) {
        (56, 1)
    }

    fn rows(&self, typed: &str, _: &OverlayContext<'_>) -> Rows<'static> {
        let found = self.matching(typed);
        Rows::new("", Head::list(["", ""]), found.len(), move |index| {
            let Some((name, about)) = found.get(index) else { return Row::default() };
            Row::plain(vec![Cell::new(name.to_string()), Cell::toned(about.to_string(), Tone::Dim)])
        })
    }

    fn moved(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.matching(typed).get(index).map_or_else(Vec::new, |(name, _)| show(name))
    }

    fn cancelled(&self) -> Vec<Effect> {
        show(&self.kept)
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let mut effects = self.moved(index, typed, cx);
        let kept = self.matching(typed).into_iter().nth(index);
        effects.extend(kept.map(|(name, _)| Effect::Update(Box::new(Msg::ThemeKept(name)))));
        effects
    }
}
