//! Resizing of panes: dividers moved by key or mouse, and the layout file that keeps them with the theme.

use crate::state::effect::{Command, Effect};
use std::collections::HashMap;
use std::fmt::Write;

use crate::app::App;
use crate::app::config::{INSTEAD_OF, KEPT_THEME};
use crate::app::registry::VIEWS;
use crate::engine::action::Action;
use crate::panes::pane::Player;
use crate::state::view::View;
use crate::ui::layout::{ContentSize, Divider, LayoutRequest, Slot, Splits, WidthClass, layout};
use pdblens_nodes::rows::Tone;
use ratatui::layout::Size;

const NO_DIVIDER: &str = "no divider to move here";

const CLASSES: [WidthClass; 4] = [WidthClass::Wide, WidthClass::Normal, WidthClass::Narrow, WidthClass::Small];

impl Splits {
    /// The size of a divider.
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
pub(super) fn read_splits(state: &toml::Table) -> HashMap<(View, WidthClass), Splits> {
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

impl App {
    /// Recomputes the layout, and resizes the panes whose size has changed.
    pub(super) fn update_layout(&mut self) {
        let class = WidthClass::of(self.size.width);
        let panes = self.view.def().panes;
        let hidden = self.facts(Slot::Main(0)).map_or(&[][..], |facts| facts.hides);
        let available: Vec<Slot> = panes.iter().filter(|(_, id)| !hidden.contains(id)).map(|(slot, _)| *slot).collect();
        if !available.contains(&self.focus()) {
            self.set_focus(Slot::Main(0));
        }
        // In a narrow terminal the player keeps its rows: Tab leads to the source.
        let is_apart = class == WidthClass::Narrow && self.view == View::Learn && self.focus() != Slot::Fields;
        let slots: Vec<Slot> = available.iter().copied().filter(|slot| !is_apart || *slot != Slot::Fields).collect();
        let contents: Vec<(Slot, ContentSize)> =
            slots.iter().filter_map(|slot| Some((*slot, self.facts(*slot)?.content_size))).collect();
        let alone = self.player_in(self.focus()).is_some_and(Player::is_alone);
        let view_states = &self.view_states[self.view as usize];
        self.layout = layout(&LayoutRequest {
            size: self.size,
            shape: self.view.def().shape,
            slots: &slots,
            focus: view_states.focus,
            left: view_states.left,
            zoom: self.zoom || alone,
            splits: self.splits.get(&(self.view, class)).copied().unwrap_or_default(),
            contents: &contents,
        });
        self.layout.slots = available;
        for slot in slots {
            let Some(body) = self.layout.pane(slot).map(|placed| placed.body) else { continue };
            let Some(index) = self.pane_in(slot) else { continue };
            let size = Size { width: body.width, height: body.height };
            if self.sizes[index] != size && self.with_pane(slot, |pane, cx| pane.resize(size, cx)).is_some() {
                self.sizes[index] = size;
            }
        }
    }

    /// The text of the layout file.
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

    pub(super) fn move_divider(&mut self, divider: Divider, size: u16) {
        let key = (self.view, WidthClass::of(self.size.width));
        *self.splits.entry(key).or_default().get_mut(divider) = Some(size);
        self.dirty = true;
    }

    /// Keeps a theme for the next start.
    pub(super) fn keep_theme(&mut self, name: &str) -> Effect {
        self.themes.0 = Some(name.to_owned());
        self.save_layout()
    }

    /// Writes the layout file.
    pub(super) fn save_layout(&self) -> Effect {
        Command::SaveLayout(self.layout_file_text()).into()
    }

    /// Resizes the focused pane by the divider that limits it.
    pub(super) fn resize_pane(&mut self, action: Action) -> Vec<Effect> {
        if action == Action::ResetSplits {
            self.splits.clear();
            self.set_status(Tone::Text, "layout reset");
            return vec![self.save_layout()];
        }
        let focus = self.focus();
        let wide = WidthClass::of(self.size.width) == WidthClass::Wide;
        let across = matches!(action, Action::Wider | Action::Narrower);
        // The divider, the pane that it sizes, and whether that grows with the focused one.
        let (divider, sized, with) = match (focus, across) {
            (Slot::Nav, true) => (Divider::Nav, Slot::Nav, true),
            (Slot::Main(1), true) if wide => (Divider::Stack, Slot::Main(1), true),
            (Slot::Main(_), true) => (Divider::Main, Slot::Main(0), true),
            (Slot::Side | Slot::Below, true) if wide => (Divider::Stack, Slot::Main(1), false),
            (Slot::Side | Slot::Below, true) => (Divider::Main, self.view_states[self.view as usize].left, false),
            (Slot::Bytes, true) => (Divider::Bytes, Slot::Bytes, true),
            (Slot::Fields, true) => (Divider::Bytes, Slot::Bytes, false),
            (Slot::Main(0), false) if !wide && self.layout.pane(Slot::Main(1)).is_some() => {
                (Divider::Stack, Slot::Main(0), true)
            }
            (Slot::Main(1), false) if !wide => (Divider::Stack, Slot::Main(0), false),
            (Slot::Bytes | Slot::Fields, false) => (Divider::Strip, Slot::Bytes, true),
            (_, false) => (Divider::Strip, Slot::Bytes, false),
            (Slot::Top, true) => {
                self.set_status(Tone::Dim, NO_DIVIDER);
                return Vec::new();
            }
        };
        let Some((_, edge, origin)) = self.layout.dividers.iter().find(|(there, ..)| *there == divider).copied() else {
            self.set_status(Tone::Dim, NO_DIVIDER);
            return Vec::new();
        };
        let _ = sized;
        let size = size_at(divider, edge.x, edge.y, origin);
        let step = if across { 2 } else { 1 };
        let grow = matches!(action, Action::Wider | Action::Taller) == with;
        self.move_divider(divider, if grow { size + step } else { size.saturating_sub(step) });
        vec![self.save_layout()]
    }
}

/// The size that results from a divider at `(x, y)`, measured from `origin`.
pub(super) fn size_at(divider: Divider, x: u16, y: u16, origin: (u16, u16)) -> u16 {
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
