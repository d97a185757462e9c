//! The layout: sizes of the panes, zoom, dividers moved by key or mouse, and the layout file that keeps them with the theme.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ratatui::layout::{Position, Rect, Size};
use serde::Serialize;

use crate::app::config::Config;
use crate::app::navigation::Navigation;
use crate::app::registry::PANES;
use crate::state::effect::{Command, Effect};
use crate::state::view::{PaneId, View};
use crate::ui::layout::{ContentSize, Divider, Layout, LayoutRequest, Slot, Splits, WidthClass, layout};
use pdblens_nodes::rows::Tone;

/// Width from which the parts of a file are beside its map, wherever the focus is.
const WITH_PARTS: u16 = 100;
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// Sizes of the panes, by the view and the width of the screen.
type AllSplits = BTreeMap<View, BTreeMap<WidthClass, Splits>>;

/// The layout file: `[splits.methods.normal]`, `nav = 30`.
#[derive(Serialize)]
struct LayoutFile<'l> {
    theme: Option<&'l str>,
    #[serde(rename = "instead-of")]
    instead_of: Option<&'l str>,
    splits: &'l AllSplits,
}

impl Splits {
    pub fn get_mut(&mut self, divider: Divider) -> &mut Option<u16> {
        match divider {
            Divider::Nav => &mut self.nav,
            Divider::Main => &mut self.main,
            Divider::Stack => &mut self.stack,
            Divider::Strip => &mut self.strip,
            Divider::Bytes => &mut self.bytes,
        }
    }
}

#[derive(Debug)]
pub(super) struct PaneLayout {
    size: Size,
    areas: Layout,
    /// Sizes that the panes have taken, in the order of the registry.
    taken: Vec<Size>,
    zoom: bool,
    /// Views whose bytes the user has folded or unfolded.
    refolded: Vec<View>,
    /// True to show one pane on the whole screen, for a projector.
    large: bool,
    splits: AllSplits,
    /// Name of the theme that was kept, and of that in the configuration.
    themes: (Option<String>, Option<String>),
    last_click: Option<(Position, Instant)>,
    /// The divider that is being dragged, and where it is measured from.
    held: Option<(Divider, (u16, u16))>,
}

impl PaneLayout {
    pub(super) fn new(large: bool, config: &Config) -> Self {
        Self {
            size: Size::ZERO,
            areas: Layout::default(),
            taken: vec![Size::ZERO; PANES.len()],
            zoom: large,
            refolded: Vec::new(),
            large,
            splits: config.state.get("splits").and_then(|splits| splits.clone().try_into().ok()).unwrap_or_default(),
            themes: (config.kept_theme().map(str::to_owned), config.theme.clone()),
            last_click: None,
            held: None,
        }
    }

    pub(super) const fn size(&self) -> Size {
        self.size
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.size = size;
    }

    pub(super) const fn areas(&self) -> &Layout {
        &self.areas
    }

    pub(super) const fn is_zoomed(&self) -> bool {
        self.zoom
    }

    pub(super) fn toggle_zoom(&mut self) {
        self.zoom = !self.zoom;
    }

    /// True if bytes and fields are one line, which they are not while one of them has the focus.
    pub(super) fn is_folded(&self, navigation: &Navigation) -> bool {
        let (view, has_focus) = (navigation.view(), matches!(navigation.focus(), Slot::Bytes | Slot::Fields));
        !has_focus && view.def().folds_bytes != self.refolded.contains(&view)
    }

    pub(super) fn toggle_fold(&mut self, view: View) {
        let others = self.refolded.len();
        self.refolded.retain(|other| *other != view);
        if self.refolded.len() == others {
            self.refolded.push(view);
        }
    }

    /// Shows all panes of a view, as a new one begins.
    pub(super) fn reset_zoom(&mut self) {
        self.zoom = self.large;
    }

    /// Lays out the panes in slots, with the sizes of their contents. `is_alone` gives all room to the one with the focus.
    pub(super) fn arrange(
        &mut self,
        navigation: &Navigation,
        mut slots: Vec<Slot>,
        contents: &[(Slot, ContentSize)],
        card: u16,
        is_alone: bool,
    ) {
        let folded = self.is_folded(navigation);
        slots.retain(|slot| !folded || *slot != Slot::Fields);
        let (view, focus, class) = (navigation.view(), navigation.focus(), self.class());
        // In a narrow terminal the player keeps its rows: Tab leads to the source.
        let is_apart = class == WidthClass::Narrow && view == View::Learn && focus != Slot::Fields;
        // The map has the room of the records until they are opened.
        let is_map = view == View::File && folded && focus != Slot::Main(1);
        let is_full = view == View::File && self.size.width < WITH_PARTS && focus != Slot::Nav;
        let is_placed = |slot: &Slot| match slot {
            Slot::Nav => !is_full,
            Slot::Main(1) => !is_map,
            Slot::Fields => !is_apart,
            _ => true,
        };
        let placed: Vec<Slot> = slots.iter().copied().filter(is_placed).collect();
        self.areas = layout(&LayoutRequest {
            size: self.size,
            shape: view.def().shape,
            slots: &placed,
            focus,
            left: navigation.left(),
            zoom: self.zoom || is_alone,
            folded,
            splits: self.splits.get(&view).and_then(|sizes| sizes.get(&class)).copied().unwrap_or_default(),
            card,
            contents,
        });
        // Tab leads also to those without room, but not to the line of bytes.
        slots.retain(|slot| !folded || *slot != Slot::Bytes);
        self.areas.slots = slots;
    }

    /// The size of a pane, where it is not the one that the pane has taken.
    pub(super) fn changed_size(&mut self, slot: Slot, pane: PaneId) -> Option<Size> {
        let size = self.areas.pane(slot)?.body.as_size();
        let taken = self.taken.get_mut(pane as usize)?;
        if *taken == size {
            return None;
        }
        *taken = size;
        Some(size)
    }

    /// Lets all panes take their sizes again, after they were made anew.
    pub(super) fn forget_sizes(&mut self) {
        self.taken.fill(Size::ZERO);
    }

    const fn class(&self) -> WidthClass {
        WidthClass::of(self.size.width)
    }

    fn layout_file_text(&self) -> String {
        let (theme, configured) = &self.themes;
        let instead_of = theme.as_ref().and(configured.as_deref());
        let file = LayoutFile { theme: theme.as_deref(), instead_of, splits: &self.splits };
        let text = toml::to_string(&file).unwrap_or_default();
        format!("# Written by pdblens: the theme, and positions of the dividers.\n{text}")
    }

    fn move_divider(&mut self, view: View, divider: Divider, size: u16) {
        let class = self.class();
        *self.splits.entry(view).or_default().entry(class).or_default().get_mut(divider) = Some(size);
    }

    pub(super) fn keep_theme(&mut self, name: &str) -> Effect {
        self.themes.0 = Some(name.to_owned());
        self.save_layout()
    }

    pub(super) fn save_layout(&self) -> Effect {
        Command::SaveLayout(self.layout_file_text()).into()
    }

    pub(super) fn reset_splits(&mut self) -> Vec<Effect> {
        self.splits.clear();
        vec![Effect::status(Tone::Text, "layout reset"), self.save_layout()]
    }

    /// Takes a click; returns true for the second one of a double click.
    pub(super) fn click(&mut self, at: Position, now: Instant) -> bool {
        let is_double =
            self.last_click.is_some_and(|(last, when)| last == at && now.duration_since(when) < DOUBLE_CLICK);
        self.last_click = if is_double { None } else { Some((at, now)) };
        is_double
    }

    pub(super) fn hold_divider(&mut self, at: Position) {
        let holds = |(_, edge, _): &&(Divider, Rect, (u16, u16))| edge.contains(at);
        // If two dividers meet, the vertical one is taken.
        let found = self.areas.dividers.iter().filter(holds).min_by_key(|(_, edge, _)| edge.width);
        self.held = found.map(|(divider, _, origin)| (*divider, *origin));
    }

    /// Moves the divider that is held; false where none is.
    pub(super) fn drag(&mut self, view: View, at: Position) -> bool {
        let Some((divider, origin)) = self.held else { return false };
        self.move_divider(view, divider, size_at(divider, at.x, at.y, origin));
        true
    }

    /// Lets the divider go; writes the layout file if it was moved.
    pub(super) fn release(&mut self, at: Position) -> Option<Effect> {
        self.held.take()?;
        let is_moved = self.last_click.is_none_or(|(down, _)| down != at);
        is_moved.then(|| self.save_layout())
    }

    pub(super) fn pane_at(&self, at: Position) -> Option<(Slot, Rect)> {
        let found = self.areas.panes.iter().find(|placed| placed.body.contains(at) || placed.rule.contains(at))?;
        Some((found.slot, found.body))
    }
}

/// The size that results from a divider at `(x, y)`, measured from `origin`.
fn size_at(divider: Divider, x: u16, y: u16, origin: (u16, u16)) -> u16 {
    match divider {
        Divider::Nav | Divider::Main | Divider::Bytes => x.saturating_sub(origin.0),
        Divider::Stack => y.saturating_sub(origin.1),
        Divider::Strip => origin.1.saturating_sub(y + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividers_are_read_as_they_are_written() {
        let read = |state: &str| {
            let config = Config { state: state.parse().unwrap(), ..Config::default() };
            PaneLayout::new(false, &config)
        };
        let text = "[splits.methods.normal]\nnav = 31\nstrip = 9\n\n[splits.\"used by\".wide]\nmain = 4\n";
        let written = read(text).layout_file_text();
        assert!(written.ends_with(text), "{written}");
        for damaged in ["[splits.methods.normal]\nmain = -4", "[splits.nowhere.wide]\nnav = 1"] {
            assert!(read(damaged).splits.is_empty(), "{damaged}");
        }
    }
}
