//! Sizes of panes by their content.

use super::arrange::MIN_PANE;
use super::{LayoutRequest, Slot, WidthClass};

/// Width that the side column keeps beside a wide navigation.
const MIN_SIDE_WIDTH: u16 = 32;
/// The same in a wide terminal.
const MIN_WIDE_SIDE_WIDTH: u16 = 80;
/// Cells that each of two main panes beside each other can do without, where there is no side column.
pub(super) const SPARE_BESIDE: u16 = 14;
/// Width that the first of two main panes beside each other keeps where its content is narrow.
const MIN_FIRST_BESIDE: u16 = 60;

/// Width of the first of two main panes beside each other without a side column, which share `both` cells: the second takes its
/// content's width, as far as the content of the first leaves it; the first takes the rest.
pub(super) fn first_beside(request: &LayoutRequest<'_>, usual: u16, both: u16, mains: &[Slot]) -> u16 {
    let [first, second] = [0, 1].map(|at| mains.get(at).map_or(0, |slot| request.content(*slot).width));
    let spare = both.saturating_sub(usual);
    if second == 0 {
        return usual;
    }
    let least = if first == 0 { usual } else { (first + 2).clamp(MIN_FIRST_BESIDE.min(usual), usual) };
    both.saturating_sub((second + 1).min(both.saturating_sub(least)).max(spare.min(MIN_SECOND_BESIDE)))
}

/// Width that the second of them keeps.
const MIN_SECOND_BESIDE: u16 = 36;

/// Returns whether the main panes are beside each other, where there is no side column: in a wide terminal, or where both have the width
/// that they are said to need.
pub(super) fn is_beside(request: &LayoutRequest<'_>, class: WidthClass) -> bool {
    let [first, second] = request.shape.beside;
    let has_room = || second > 0 && !request.slots.contains(&Slot::Nav) && first + second < request.size.width;
    first > 0 && !request.slots.contains(&Slot::Side) && (class == WidthClass::Wide || has_room())
}

/// Width of points and IL beside the names in scope, or of the source beside both in a wide terminal, of a `width` that they share.
pub(super) fn code_width(request: &LayoutRequest<'_>, class: WidthClass, width: u16) -> u16 {
    if class == WidthClass::Wide {
        return width.saturating_sub((width * 2 / 5).max(CODE));
    }
    // The panes below the source may need half of the width.
    width - request.content(Slot::Below).width.clamp(width * 9 / 25, width / 2)
}

/// Cells of points and IL in a wide terminal.
const CODE: u16 = 64;
/// Rows that points and IL have below the source, where it leaves them half of the height.
const MIN_CODE: u16 = 10;

/// Height of the source above points and IL: what they leave of `both` with their usual share, as far as they have that many rows. A short
/// source leaves them more.
pub(super) fn source_height(request: &LayoutRequest<'_>, both: u16) -> u16 {
    let usual = (both * request.shape.first / 30).max(MIN_CODE.min(both / 2));
    let [source, code, scopes] = [Slot::Side, Slot::Main(0), Slot::Below].map(|slot| request.content(slot).height);
    let left = if source == 0 { 0 } else { both.saturating_sub(source + 1) };
    let most = if code == 0 { both } else { code.max(scopes).max(MIN_CODE) };
    both - usual.max(left).min(most).min(both)
}

/// Height of the first of two stacked panes with its rule: what its content takes, at most its usual share and what the second one
/// leaves; `first` and `second` are the heights of their contents, 0 where they are unknown.
pub(super) fn stacked(usual: u16, both: u16, first: u16, second: u16) -> u16 {
    if first == 0 {
        return usual;
    }
    let spare = if second == 0 { 0 } else { both.saturating_sub(second + 1) };
    (first + 1).max(MIN_PANE.1 + 2).min(usual.max(spare))
}

/// Width of the navigation: that of its content, from the usual one up to two fifths of the screen, while the source keeps its width.
pub(super) fn nav_width(request: &LayoutRequest<'_>, class: WidthClass) -> u16 {
    let (shape, usual, width) = (request.shape, class.pick(request.shape.nav), request.size.width);
    match class {
        WidthClass::Small => return usual,
        WidthClass::Narrow if shape.nav_last => return usual,
        WidthClass::Narrow => return (request.content(Slot::Nav).width + 2).clamp(usual, usual.max(width * 2 / 5)),
        WidthClass::Normal | WidthClass::Wide => {}
    }
    let has_side = request.slots.contains(&Slot::Side);
    let mains = if is_beside(request, class) {
        shape.beside[0] + shape.beside[1] + extra_width(request) + 2 - 2 * SPARE_BESIDE
    } else {
        main_width(request, class) + 1
    };
    let least = if class == WidthClass::Wide { MIN_WIDE_SIDE_WIDTH } else { MIN_SIDE_WIDTH };
    let side = if has_side { least } else { 0 };
    let share = if shape.nav_last { width / 8 + 25 } else { width * 2 / 5 };
    let most = share.min(width.saturating_sub(mains + side + 1)).max(usual);
    (request.content(Slot::Nav).width + 2).clamp(usual, most)
}

/// Width of the main column beside the side column.
pub(super) const fn main_width(request: &LayoutRequest<'_>, class: WidthClass) -> u16 {
    class.pick(request.shape.main)
}

/// A third of the columns beyond 200, up to 30: they go to the last main pane.
pub(super) fn extra_width(request: &LayoutRequest<'_>) -> u16 {
    (request.size.width.saturating_sub(200) / 3).min(30)
}

/// Width that the fields keep where the bytes would otherwise be as wide as the columns above.
const MIN_FIELDS: u16 = 42;

/// Width of the bytes: that of the columns above, where it is enough for a row, so that the lines meet; that of a row, where the fields
/// would have too little room.
pub(super) fn strip_width(request: &LayoutRequest<'_>, class: WidthClass) -> u16 {
    let has = |slot| request.slots.contains(&slot);
    let least = if class == WidthClass::Wide { 144 } else { 76 };
    let usual = if has(Slot::Side) {
        let nav = if has(Slot::Nav) { request.splits.nav.unwrap_or(nav_width(request, class)) + 1 } else { 0 };
        let main = if has(Slot::Below) {
            code_width(request, class, request.size.width.saturating_sub(nav))
        } else {
            main_width(request, class)
        };
        nav + request.splits.main.unwrap_or(main)
    } else {
        least + 1
    };
    let most = request.size.width.saturating_sub(34);
    let usual = if usual + MIN_FIELDS >= request.size.width { least + 1 } else { usual };
    request.splits.bytes.unwrap_or(usual.max(least).min(most))
}
