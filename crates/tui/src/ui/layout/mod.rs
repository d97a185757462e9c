//! Layout: a pure function from the size of the terminal to rectangles.
//!
//! ```text
//! header
//! crumbs
//! ─ top ────────────────────────     Every pane has one rule, on top. Columns are separated by a line, the bytes and
//! ─ nav ──┬─ main 0 ──┬─ side ──     fields below by another rule.
//!         ├─ main 1 ──┤
//! ─ bytes ┴───────────┼─ fields ─
//! hints
//!
//! ─ main 0 ──────────┬─ nav ──       File: the map, and its parts on its right.
//!
//! ─ nav ──┬─ side ──────────────     Code: source above points and IL, and names in scope beside them.
//!         ├─ main 0 ──┬─ below ─
//! ```
//!
//! | width | visible |
//! | --- | --- |
//! | ≥ 200 | nav, mains side by side; of code, the source beside the other two; 32 bytes a row |
//! | 110–199 | nav, mains over each other, side; 16 bytes a row, fields beside them |
//! | 80–109 | one column of nav and mains (the last one focused), side; of code, the source over points and IL, from 100 beside the scopes; fields under the bytes |
//! | 50–79 | the focused pane, and a strip of bytes |
//! | 20–49 | the focused pane |
//! | < 20, or height < 5 | one line that says so |

mod arrange;
mod measure;

use serde::{Deserialize, Serialize};

use ratatui::layout::{Rect, Size};

pub use arrange::layout;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    Top,
    Nav,
    Main(u8),
    Side,
    Below,
    Bytes,
    Fields,
}

/// The width of the terminal, in the steps that change the layout.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WidthClass {
    Wide,
    Normal,
    Narrow,
    Small,
}

/// Dividers that the user has moved: sizes in cells of the pane to their left or above.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct Splits {
    pub nav: Option<u16>,
    /// Width of the middle, or of its left column where there is no navigation.
    pub main: Option<u16>,
    /// Height of the first main pane above the second.
    pub stack: Option<u16>,
    /// Height of bytes and fields.
    pub strip: Option<u16>,
    /// Width of the bytes beside the fields.
    pub bytes: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// Right of the navigation column.
    Nav,
    /// Right of the middle.
    Main,
    /// Between two main panes.
    Stack,
    /// Above the bytes.
    Strip,
    /// Right of the bytes.
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Width of the navigation column in a narrow, a normal and a wide terminal.
    pub nav: [u16; 3],
    /// The same for the middle beside the side column; 0 in a narrow terminal shows only one of the two.
    pub main: [u16; 3],
    /// Height of the first main pane above the second, in thirtieths.
    pub first: u16,
    /// Widths of main panes beside each other in a wide terminal; 0 where they never are.
    pub beside: [u16; 2],
    /// Rows of the fields below the bytes in a narrow terminal of usual height.
    pub fields: u16,
    /// True if the navigation is right of the main panes, which say more than its names and keep most of the width.
    pub nav_last: bool,
}

impl Shape {
    pub const USUAL: Self =
        // A sequence point has five fields.
        Self { nav: [27, 27, 36], main: [45, 49, 60], first: 13, beside: [52, 54], fields: 5, nav_last: false };
}

/// Cells of a content that a layout takes into account.
const MAX_CONTENT: u16 = 1 << 14;

/// The size of a pane's content in cells, without its rule; 0 where the pane takes what it gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentSize {
    pub width: u16,
    pub height: u16,
    /// Height of a short version, for a column that has no room for all; 0 where there is none.
    pub brief: u16,
}

#[derive(Clone, Copy, Debug)]
pub struct LayoutRequest<'a> {
    pub size: Size,
    pub shape: Shape,
    pub slots: &'a [Slot],
    pub focus: Slot,
    /// The navigation or main slot that had the focus last.
    pub left: Slot,
    /// True if the focused pane takes the whole screen.
    pub zoom: bool,
    /// True if bytes and fields are one line.
    pub folded: bool,
    pub splits: Splits,
    /// Rows of a card above all panes.
    pub card: u16,
    /// The sizes of the contents; slots that are left out take what they get.
    pub contents: &'a [(Slot, ContentSize)],
}

impl LayoutRequest<'_> {
    /// The size of a slot's content, which a file may make larger than any terminal.
    fn content(&self, slot: Slot) -> ContentSize {
        let size = self.contents.iter().find(|(other, _)| *other == slot).map(|(_, size)| *size).unwrap_or_default();
        let [width, height, brief] = [size.width, size.height, size.brief].map(|cells| cells.min(MAX_CONTENT));
        ContentSize { width, height, brief }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPane {
    pub slot: Slot,
    /// The rule with the title, one row; panes that share a rule have the same.
    pub rule: Rect,
    pub body: Rect,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub too_small: bool,
    pub header: Rect,
    /// The breadcrumb; empty where it has no row of its own.
    pub crumbs: Rect,
    pub hints: Rect,
    /// The card above all panes; empty where it has no room.
    pub card: Rect,
    /// Slots of the view that have something to show, whether they have room or not.
    pub slots: Vec<Slot>,
    pub panes: Vec<PlacedPane>,
    /// Lines between columns, one cell wide.
    pub lines: Vec<Rect>,
    /// Dividers with their area and the corner from which the size is measured.
    pub dividers: Vec<(Divider, Rect, (u16, u16))>,
}

impl WidthClass {
    pub const fn of(width: u16) -> Self {
        match width {
            200.. => Self::Wide,
            110..=199 => Self::Normal,
            80..=109 => Self::Narrow,
            _ => Self::Small,
        }
    }

    /// The size for this class, out of those for a narrow, a normal and a wide terminal.
    pub(super) const fn pick(self, sizes: [u16; 3]) -> u16 {
        match self {
            Self::Wide => sizes[2],
            Self::Normal => sizes[1],
            Self::Narrow | Self::Small => sizes[0],
        }
    }
}

impl Layout {
    /// The pane in a slot; `None` where it is not visible.
    pub fn pane(&self, slot: Slot) -> Option<&PlacedPane> {
        self.panes.iter().find(|placed| placed.slot == slot)
    }
}
