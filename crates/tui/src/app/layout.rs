//! The layout: sizes of the panes, zoom, dividers moved by key or mouse, and the layout file that keeps them with the theme.

use std::collections::HashMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use ratatui::layout::{Position, Rect, Size};

use crate::app::config::{Config, INSTEAD_OF, KEPT_THEME};
use crate::app::navigation::Navigation;
use crate::app::registry::{PANES, VIEWS};
use crate::engine::action::Action;
use crate::state::effect::{Command, Effect};
use crate::state::view::View;
use crate::ui::layout::{ContentSize, Divider, Layout, LayoutRequest, Slot, Splits, WidthClass, layout};
use pdblens_nodes::rows::Tone;

const DOUBLE_CLICK: Duration = Duration::from_millis(400);
const NO_DIVIDER: &str = "no divider to move here";
const CLASSES: [WidthClass; 4] = [WidthClass::Wide, WidthClass::Normal, WidthClass::Narrow, WidthClass::Small];

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

const DIVIDER_NAMES: [(&str, Divider); 5] = [
    ("nav", Divider::Nav),
    ("main", Divider::Main),
    ("stack", Divider::Stack),
    ("strip", Divider::Strip),
    ("bytes", Divider::Bytes),
];

/// Reads the sizes from the layout file: `[splits.methods.normal]`, `nav = 30`.
fn read_splits(state: &toml::Table) -> HashMap<(View, WidthClass), Splits> {
    let mut found = HashMap::new();
    let table = |value: &toml::Table, name: &str| value.get(name).and_then(|value| value.as_table().cloned());
    let Some(all) = table(state, "splits") else { return found };
    for def in VIEWS {
        let Some(view) = table(&all, &def.name.to_lowercase()) else { continue };
        for class in CLASSES {
            let Some(sizes) = table(&view, class.name()) else { continue };
            let mut splits = Splits::default();
            for (name, divider) in DIVIDER_NAMES {
                let size = sizes.get(name).and_then(toml::Value::as_integer).and_then(|size| u16::try_from(size).ok());
                *splits.get_mut(divider) = size;
            }
            found.insert((def.view, class), splits);
        }
    }
    found
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
    splits: HashMap<(View, WidthClass), Splits>,
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
            splits: read_splits(&config.state),
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
        is_alone: bool,
    ) {
        let folded = self.is_folded(navigation);
        slots.retain(|slot| !folded || *slot != Slot::Fields);
        let (view, focus, class) = (navigation.view(), navigation.focus(), self.class());
        // In a narrow terminal the player keeps its rows: Tab leads to the source.
        let is_apart = class == WidthClass::Narrow && view == View::Learn && focus != Slot::Fields;
        let placed: Vec<Slot> = slots.iter().copied().filter(|slot| !is_apart || *slot != Slot::Fields).collect();
        self.areas = layout(&LayoutRequest {
            size: self.size,
            shape: view.def().shape,
            slots: &placed,
            focus,
            left: navigation.left(),
            zoom: self.zoom || is_alone,
            folded,
            splits: self.splits.get(&(view, class)).copied().unwrap_or_default(),
            contents,
        });
        // Tab leads also to those without room, but not to the line of bytes.
        slots.retain(|slot| !folded || *slot != Slot::Bytes);
        self.areas.slots = slots;
    }

    /// The size of a pane, where it is not the one that the pane has taken.
    pub(super) fn changed_size(&mut self, slot: Slot, pane: usize) -> Option<Size> {
        let size = self.areas.pane(slot)?.body.as_size();
        let taken = self.taken.get_mut(pane)?;
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
        let mut out = String::from("# Written by pdblens: the theme, and positions of the dividers.\n");
        if let (Some(theme), configured) = &self.themes {
            let _ = writeln!(out, "{KEPT_THEME} = {theme:?}");
            if let Some(configured) = configured {
                let _ = writeln!(out, "{INSTEAD_OF} = {configured:?}");
            }
        }
        let mut all: Vec<_> = self.splits.iter().collect();
        all.sort_by_key(|((view, class), _)| (*view, class.name()));
        for ((view, class), splits) in all {
            let mut splits = *splits;
            let sizes: Vec<_> =
                DIVIDER_NAMES.iter().filter_map(|(name, divider)| Some((name, (*splits.get_mut(*divider))?))).collect();
            if sizes.is_empty() {
                continue;
            }
            let _ = writeln!(out, "\n[splits.{}.{}]", view.def().name.to_lowercase(), class.name());
            for (name, size) in sizes {
                let _ = writeln!(out, "{name} = {size}");
            }
        }
        out
    }

    fn move_divider(&mut self, view: View, divider: Divider, size: u16) {
        let key = (view, self.class());
        *self.splits.entry(key).or_default().get_mut(divider) = Some(size);
    }

    pub(super) fn keep_theme(&mut self, name: &str) -> Effect {
        self.themes.0 = Some(name.to_owned());
        self.save_layout()
    }

    pub(super) fn save_layout(&self) -> Effect {
        Command::SaveLayout(self.layout_file_text()).into()
    }

    pub(super) fn resize_pane(&mut self, action: Action, view: View, focus: Slot) -> Vec<Effect> {
        if action == Action::ResetSplits {
            self.splits.clear();
            return vec![Effect::status(Tone::Text, "layout reset"), self.save_layout()];
        }
        let wide = self.class() == WidthClass::Wide;
        let across = matches!(action, Action::Wider | Action::Narrower);
        // The divider, and whether its pane grows with the focused one.
        let (divider, with) = match (focus, across) {
            (Slot::Nav, true) => (Divider::Nav, true),
            (Slot::Main(1), true) if wide => (Divider::Stack, true),
            (Slot::Main(_), true) => (Divider::Main, true),
            (Slot::Side | Slot::Below, true) if wide => (Divider::Stack, false),
            (Slot::Side | Slot::Below, true) => (Divider::Main, false),
            (Slot::Bytes, true) => (Divider::Bytes, true),
            (Slot::Fields, true) => (Divider::Bytes, false),
            (Slot::Main(0), false) if !wide && self.areas.pane(Slot::Main(1)).is_some() => (Divider::Stack, true),
            (Slot::Main(1), false) if !wide => (Divider::Stack, false),
            (Slot::Bytes | Slot::Fields, false) => (Divider::Strip, true),
            (_, false) => (Divider::Strip, false),
            (Slot::Top, true) => return vec![Effect::status(Tone::Dim, NO_DIVIDER)],
        };
        let Some((_, edge, origin)) = self.areas.dividers.iter().find(|(there, ..)| *there == divider).copied() else {
            return vec![Effect::status(Tone::Dim, NO_DIVIDER)];
        };
        let size = size_at(divider, edge.x, edge.y, origin);
        let step = if across { 2 } else { 1 };
        let grow = matches!(action, Action::Wider | Action::Taller) == with;
        self.move_divider(view, divider, if grow { size + step } else { size.saturating_sub(step) });
        vec![self.save_layout()]
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
        Divider::Stack if origin.0 > 0 && origin.1 == 0 => x.saturating_sub(origin.0),
        Divider::Stack => y.saturating_sub(origin.1),
        Divider::Strip => origin.1.saturating_sub(y + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividers_are_read_as_they_are_written() {
        let state =
            "[splits.methods.normal]\nnav = 31\nstrip = 9\nmain = -4\n[splits.nowhere.wide]\nnav = 1".parse().unwrap();
        let found = read_splits(&state);
        let splits = Splits { nav: Some(31), strip: Some(9), ..Splits::default() };
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [((View::Methods, WidthClass::Normal), splits)]);
    }
}
