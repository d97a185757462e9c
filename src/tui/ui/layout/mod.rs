//! Where everything stands: one pure function from the size of the terminal to rectangles.
//!
//! ```text
//! header
//! crumbs
//! ─ nav ──┬─ main 0 ──┬─ side ──     Every pane has one rule, on top. Columns are parted by a line, the bytes and
//!         ├─ main 1 ──┤              fields below by another rule.
//! ─ bytes ┴───────────┼─ fields ─
//! hints
//! ```
//!
//! | width | what shows |
//! | --- | --- |
//! | ≥ 200 | nav, all mains side by side, side; 32 bytes a row |
//! | 110–199 | nav, mains over each other, side; 16 bytes a row, fields beside them |
//! | 80–109 | one column of nav and mains (the last one focused), side; fields under the bytes |
//! | 50–79 | the focused pane, and a strip of bytes |
//! | 20–49 | the focused pane |
//! | < 20, or height < 5 | one line that says so |

mod arrange;

use ratatui::layout::{Rect, Size};

pub use arrange::layout;

/// A place that a pane can have in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The column on the left that chooses.
    Nav,
    /// The middle, by number.
    Main(u8),
    /// The column on the right.
    Side,
    /// The bytes, below.
    Bytes,
    /// Their fields, beside or below them.
    Fields,
}

/// How wide the terminal is, in the steps that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WidthClass {
    /// 200 and more.
    Wide,
    /// 110 and more.
    Normal,
    /// 80 and more.
    Narrow,
    /// Less.
    Small,
}

/// Dividers where the user put them: sizes in cells, of what is left of or above them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Splits {
    /// The width of the column on the left.
    pub nav: Option<u16>,
    /// The width of the middle, or of its left column where there is no nav.
    pub main: Option<u16>,
    /// The height of the first main pane over the second.
    pub stack: Option<u16>,
    /// The height of bytes and fields.
    pub strip: Option<u16>,
    /// The width of the bytes beside the fields.
    pub bytes: Option<u16>,
}

/// A divider that the mouse can take hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// Right of the nav.
    Nav,
    /// Right of the middle.
    Main,
    /// Between two mains.
    Stack,
    /// Above the bytes.
    Strip,
    /// Right of the bytes.
    Bytes,
}

/// How a view shares out its columns and rows where the user has moved no divider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The width of the nav in a narrow, a normal and a wide terminal.
    pub nav: [u16; 3],
    /// The same for the middle, where there is something beside it. In a narrow terminal, 0: only one of the two shows.
    pub main: [u16; 3],
    /// Of 30 rows, how many the first of two mains gets over the second.
    pub first: u16,
    /// The widths of mains that stand beside each other in a wide terminal; 0 where they never do.
    pub beside: [u16; 2],
}

impl Shape {
    /// The usual one: that of the Methods view.
    pub const USUAL: Self = Self { nav: [27, 27, 36], main: [45, 49, 60], first: 13, beside: [52, 54] };
}

/// What is to be laid out.
#[derive(Clone, Copy, Debug)]
pub struct LayoutRequest<'a> {
    /// The terminal.
    pub size: Size,
    /// How the view shares it out.
    pub shape: Shape,
    /// The slots of the view.
    pub slots: &'a [Slot],
    /// The slot that has the focus.
    pub focus: Slot,
    /// The slot of nav and mains that had it last.
    pub left: Slot,
    /// Whether the focused pane takes everything.
    pub zoom: bool,
    /// What the user moved.
    pub splits: Splits,
}

/// A pane that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPane {
    /// Which one.
    pub slot: Slot,
    /// Its rule, with the title; one row. Where two panes share a rule, the second has the same.
    pub rule: Rect,
    /// Its content.
    pub body: Rect,
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Whether the terminal is too small for anything but saying so.
    pub too_small: bool,
    /// Names, views and verdict.
    pub header: Rect,
    /// Where we are; no row of its own where that is empty.
    pub crumbs: Rect,
    /// Keys and messages.
    pub hints: Rect,
    /// The panes that show.
    pub panes: Vec<PlacedPane>,
    /// Lines between columns, one cell wide.
    pub lines: Vec<Rect>,
    /// What can be dragged: which, where, and the corner that its size is measured from.
    pub dividers: Vec<(Divider, Rect, (u16, u16))>,
}

impl WidthClass {
    /// The class of a width.
    pub const fn of(width: u16) -> Self {
        match width {
            200.. => Self::Wide,
            110..=199 => Self::Normal,
            80..=109 => Self::Narrow,
            _ => Self::Small,
        }
    }

    /// What it has of three sizes: those of a narrow, a normal and a wide terminal.
    pub(super) const fn pick(self, sizes: [u16; 3]) -> u16 {
        match self {
            Self::Wide => sizes[2],
            Self::Normal => sizes[1],
            Self::Narrow | Self::Small => sizes[0],
        }
    }

    /// Its name in the state file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Normal => "normal",
            Self::Narrow => "narrow",
            Self::Small => "small",
        }
    }
}

impl Layout {
    /// The pane in `slot`, where it shows.
    pub fn pane(&self, slot: Slot) -> Option<&PlacedPane> {
        self.panes.iter().find(|placed| placed.slot == slot)
    }
}
