//! The layout function: from a request to rectangles.

use ratatui::layout::{Rect, Size};

use super::measure::{
    SPARE_BESIDE, code_width, extra_width, first_beside, is_beside, main_width, nav_width, source_height, stacked,
    strip_width,
};
use super::{Divider, Layout, LayoutRequest, PlacedPane, Shape, Slot, WidthClass};

/// Smallest width and height of a pane beside others.
pub(super) const MIN_PANE: (u16, u16) = (12, 2);
/// Height that the columns keep below the pane above them.
const MIN_BELOW_TOP: u16 = 6;
/// Height from which code has the source above it.
const MIN_STACKED: u16 = 12;
/// Width from which names in scope are beside points and IL in a narrow terminal.
const WITH_SCOPES: u16 = 100;
/// Height from which a card is above all panes.
const MIN_WITH_CARD: u16 = 14;

pub fn layout(request: &LayoutRequest<'_>) -> Layout {
    let Size { width, height } = request.size;
    if width < 20 || height < 5 {
        return Layout { too_small: true, header: Rect::new(0, 0, width, height.min(1)), ..Layout::default() };
    }
    let own_crumbs = height >= 20 && !request.zoom;
    let hints = height >= 8 || request.zoom;
    let top = 1 + u16::from(own_crumbs);
    let middle = Rect::new(0, top, width, height - top - u16::from(hints));
    let mut out = Layout {
        header: Rect::new(0, 0, width, 1),
        crumbs: if own_crumbs { Rect::new(0, 1, width, 1) } else { Rect::default() },
        hints: if hints { Rect::new(0, height - 1, width, 1) } else { Rect::default() },
        ..Layout::default()
    };
    let class = WidthClass::of(width);
    let in_strip = matches!(request.focus, Slot::Bytes | Slot::Fields);
    if request.zoom || width < 50 || (class == WidthClass::Small && in_strip) {
        out.place(request.focus, middle);
        return out;
    }
    let above = out.place_strip(request, class, middle);
    if in_strip && out.pane(request.focus).is_none() {
        // The focused pane is in the strip, and there is no space for that.
        out.panes.clear();
        out.lines.clear();
        out.dividers.clear();
        out.place(request.focus, middle);
        return out;
    }
    let card = if above.height >= MIN_WITH_CARD { request.card } else { 0 };
    out.card = Rect { height: card, ..above };
    let above = Rect { y: above.y + card, height: above.height - card, ..above };
    let above = out.place_top(request, class, above);
    if above.height > 0 {
        out.place_columns(request, class, above);
    }
    out.panes.sort_by_key(|placed| placed.slot);
    out
}

impl Layout {
    fn place(&mut self, slot: Slot, area: Rect) {
        let rule = Rect { height: area.height.min(1), ..area };
        let body = Rect { y: area.y + rule.height, height: area.height - rule.height, ..area };
        self.panes.push(PlacedPane { slot, rule, body });
    }

    /// Places the pane above the columns with the height of its content; returns the area below it. Where there is no space for both, it
    /// is shown only while it has the focus.
    fn place_top(&mut self, request: &LayoutRequest<'_>, class: WidthClass, area: Rect) -> Rect {
        if !request.slots.contains(&Slot::Top) {
            return area;
        }
        if class == WidthClass::Small || area.height < MIN_BELOW_TOP + MIN_PANE.1 + 1 {
            if request.focus != Slot::Top {
                return area;
            }
            self.place(Slot::Top, area);
            return Rect { height: 0, ..area };
        }
        let height = request.content(Slot::Top).height.max(1) + 1;
        let height = height.min(area.height - MIN_BELOW_TOP);
        self.place(Slot::Top, Rect { height, ..area });
        Rect { y: area.y + height, height: area.height - height, ..area }
    }

    /// Splits `area` into two columns with a line between them; `left` is the width of the first.
    fn split_columns(&mut self, area: Rect, left: u16, divider: Divider) -> (Rect, Rect) {
        let left =
            left.clamp(MIN_PANE.0, area.width.saturating_sub(MIN_PANE.0 + 1).max(MIN_PANE.0)).min(area.width - 1);
        let line = Rect { x: area.x + left, width: 1, ..area };
        self.lines.push(line);
        self.dividers.push((divider, line, (area.x, area.y)));
        let right = Rect { x: line.x + 1, width: area.width - left - 1, ..area };
        (Rect { width: left, ..area }, right)
    }

    /// Places bytes and fields at the bottom; returns the area above them.
    fn place_strip(&mut self, request: &LayoutRequest<'_>, class: WidthClass, area: Rect) -> Rect {
        let has = |slot| request.slots.contains(&slot);
        if !has(Slot::Bytes) || area.height + 2 < 14 {
            return area;
        }
        if request.folded {
            self.place(Slot::Bytes, Rect { y: area.bottom() - 1, height: 1, ..area });
            return Rect { height: area.height - 1, ..area };
        }
        let rows: u16 = match request.size.height {
            70.. => 12,
            48..=69 => 8,
            30..=47 => 6,
            22..=29 => 4,
            _ => 2,
        };
        let is_focused = request.focus == Slot::Fields;
        let fields_rows = if is_focused { Shape::USUAL.fields } else { request.shape.fields };
        // On top of each other they get one third and two thirds.
        let (bytes, fields) = match class {
            WidthClass::Wide | WidthClass::Normal => (rows, 0),
            WidthClass::Narrow if has(Slot::Fields) && rows == 4 => (2, fields_rows),
            WidthClass::Narrow if has(Slot::Fields) => (rows - rows / 3, rows + u16::from(rows == 2)),
            _ => (rows.min(4), 0),
        };
        let wanted = request.splits.strip.unwrap_or(bytes + fields);
        let height = wanted.clamp(1, area.height.saturating_sub(4).max(1));
        let strip = Rect { y: area.bottom() - height - 1, height: height + 1, ..area };
        self.dividers.push((Divider::Strip, Rect { height: 1, ..strip }, (strip.x, strip.bottom())));
        match class {
            WidthClass::Wide | WidthClass::Normal if has(Slot::Fields) => {
                let (left, right) = self.split_columns(strip, strip_width(request, class), Divider::Bytes);
                self.place(Slot::Bytes, left);
                self.place(Slot::Fields, right);
            }
            WidthClass::Narrow if has(Slot::Fields) => {
                let rule = Rect { height: 1, ..strip };
                let first = bytes.min(height);
                let body = Rect { y: rule.y + 1, height: first, ..strip };
                self.panes.push(PlacedPane { slot: Slot::Bytes, rule, body });
                if height > first {
                    let body = Rect { y: body.bottom(), height: height - first, ..strip };
                    self.panes.push(PlacedPane { slot: Slot::Fields, rule, body });
                }
            }
            _ => self.place(Slot::Bytes, strip),
        }
        Rect { height: area.height - height - 1, ..area }
    }

    fn place_columns(&mut self, request: &LayoutRequest<'_>, class: WidthClass, mut area: Rect) {
        let has = |slot| request.slots.contains(&slot);
        let focus =
            if matches!(request.focus, Slot::Bytes | Slot::Fields | Slot::Top) { request.left } else { request.focus };
        if class == WidthClass::Small {
            return self.place(focus, area);
        }
        let left = if matches!(focus, Slot::Side | Slot::Below | Slot::Top) { request.left } else { focus };
        if has(Slot::Below) {
            return self.place_code(request, class, (focus, left), area);
        }
        let shape = request.shape;
        if class == WidthClass::Narrow && has(Slot::Side) {
            if shape.main[0] == 0 {
                return self.place(focus, area);
            }
            let (column, side) =
                self.split_columns(area, request.splits.main.unwrap_or(main_width(request, class)), Divider::Main);
            self.place(Slot::Side, side);
            return self.place(left, column);
        }
        let mains: Vec<Slot> = request.slots.iter().copied().filter(|slot| matches!(slot, Slot::Main(_))).collect();
        if has(Slot::Nav) {
            let usual = nav_width(request, class);
            let (nav, rest) = if shape.nav_last {
                let left = request.splits.main.unwrap_or(area.width.saturating_sub(usual + 1));
                let (rest, nav) = self.split_columns(area, left, Divider::Main);
                (nav, rest)
            } else {
                self.split_columns(area, request.splits.nav.unwrap_or(usual), Divider::Nav)
            };
            self.place(Slot::Nav, nav);
            area = rest;
        }
        if mains.len() > 1 && is_beside(request, class) {
            // Main panes side by side.
            let [first, second] = shape.beside;
            // Both panes lose the cells that the navigation has beyond its usual width.
            let usual =
                (first + extra_width(request)).min(area.width.saturating_sub(second.saturating_sub(SPARE_BESIDE) + 1));
            let usual = first_beside(request, usual, area.width.saturating_sub(1), &mains);
            let (first, second) = self.split_columns(area, request.splits.main.unwrap_or(usual), Divider::Main);
            self.place(Slot::Main(0), first);
            return self.place(Slot::Main(1), second);
        }
        if has(Slot::Side) {
            let (column, side) =
                self.split_columns(area, request.splits.main.unwrap_or(main_width(request, class)), Divider::Main);
            self.place(Slot::Side, side);
            area = column;
        }
        self.place_stacked(request, &mains, left, area);
    }

    /// Places the panes of a view of code: source above, points and IL below it, beside names in scope; in a wide terminal they are a
    /// column beside the source.
    fn place_code(&mut self, request: &LayoutRequest<'_>, class: WidthClass, (focus, left): (Slot, Slot), area: Rect) {
        let (splits, mut area) = (request.splits, area);
        if class != WidthClass::Narrow || left == Slot::Nav {
            let usual = nav_width(request, class);
            let (nav, rest) = self.split_columns(area, splits.nav.unwrap_or(usual), Divider::Nav);
            self.place(Slot::Nav, nav);
            area = rest;
        }
        let is_wide = class == WidthClass::Wide;
        if area.height < MIN_STACKED && !is_wide {
            return self.place(if focus == Slot::Nav { Slot::Main(0) } else { focus }, area);
        }
        let divider = splits.main.unwrap_or(code_width(request, class, area.width));
        if is_wide {
            let (source, column) = self.split_columns(area, divider, Divider::Main);
            self.place(Slot::Side, source);
            let scopes = (request.content(Slot::Below).height.max(MIN_PANE.1) + 1).min(area.height / 2);
            let [code, scopes] = self.split_rows(column, splits.stack.unwrap_or(area.height - scopes));
            self.place(Slot::Main(0), code);
            return self.place(Slot::Below, scopes);
        }
        let height = splits.stack.unwrap_or_else(|| source_height(request, area.height));
        let [source, code] = self.split_rows(area, height);
        self.place(Slot::Side, source);
        if class == WidthClass::Narrow && area.width < WITH_SCOPES {
            return self.place(if focus == Slot::Below { focus } else { Slot::Main(0) }, code);
        }
        let (code, scopes) = self.split_columns(code, divider, Divider::Main);
        self.place(Slot::Main(0), code);
        self.place(Slot::Below, scopes);
    }

    /// Splits `area` into a part of `height` and the one below it, whose first row moves the divider.
    fn split_rows(&mut self, area: Rect, height: u16) -> [Rect; 2] {
        let least = MIN_PANE.1 + 1;
        let height = height.clamp(least, area.height.saturating_sub(least).max(least)).min(area.height);
        let below = Rect { y: area.y + height, height: area.height - height, ..area };
        self.dividers.push((Divider::Stack, Rect { height: 1.min(below.height), ..below }, (0, area.y)));
        [Rect { height, ..area }, below]
    }

    /// Places the main panes on top of each other, as far as there is space.
    fn place_stacked(&mut self, request: &LayoutRequest<'_>, mains: &[Slot], left: Slot, area: Rect) {
        let shown: Vec<Slot> = if mains.len() > 1 && area.height < 12 {
            mains.iter().copied().filter(|slot| *slot == left).chain(mains.first().copied()).take(1).collect()
        } else {
            mains.to_vec()
        };
        let mut area = area;
        for (index, slot) in shown.iter().enumerate() {
            let others = (shown.len() - index - 1) as u16;
            if others == 0 {
                return self.place(*slot, area);
            }
            let first = request.shape.first.clamp(1, 29);
            let usual = (u32::from(area.height) * u32::from(first) / u32::from((30 - first) * others + first)) as u16;
            let content = request.content(*slot);
            let height = if index == 0 {
                let rest = shown.get(1).map_or(0, |next| request.content(*next).height);
                let wanted = || stacked(usual, area.height, content.height, rest).max(content.brief + 1);
                request.splits.stack.unwrap_or_else(wanted)
            } else {
                usual
            };
            let height =
                height.clamp(MIN_PANE.1 + 1, area.height.saturating_sub((MIN_PANE.1 + 1) * others).max(MIN_PANE.1 + 1));
            self.place(*slot, Rect { height, ..area });
            let from = (0, area.y);
            area = Rect { y: area.y + height, height: area.height - height, ..area };
            if index == 0 {
                self.dividers.push((Divider::Stack, Rect { height: 1, ..area }, from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::layout::{ContentSize, Splits};

    const METHODS: &[Slot] = &[Slot::Nav, Slot::Main(0), Slot::Side, Slot::Below, Slot::Bytes, Slot::Fields];
    const STACKED: &[Slot] = &[Slot::Nav, Slot::Main(0), Slot::Main(1), Slot::Bytes, Slot::Fields];

    fn request(width: u16, height: u16, focus: Slot) -> LayoutRequest<'static> {
        LayoutRequest {
            size: Size { width, height },
            shape: Shape::USUAL,
            slots: METHODS,
            focus,
            left: Slot::Main(0),
            zoom: false,
            folded: false,
            splits: Splits::default(),
            card: 0,
            contents: &[],
        }
    }

    fn drawn(request: &LayoutRequest<'_>) -> String {
        let layout = layout(request);
        let pane = |placed: &PlacedPane| {
            let Rect { x, y, width, height } = placed.body;
            format!("{:?} {width}x{height}+{x}+{y}", placed.slot)
        };
        layout.panes.iter().map(pane).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_table_of_sizes() {
        let seen = |slots, width, height| drawn(&LayoutRequest { slots, ..request(width, height, Slot::Main(0)) });
        for (width, height, expected) in [
            (
                120,
                40,
                "Nav 27x29+0+3, Main(0) 59x12+28+20, Side 92x16+28+3, Below 32x12+88+20, Bytes 77x6+0+33, Fields 42x6+78+33",
            ),
            (
                200,
                50,
                "Nav 36x37+0+3, Main(0) 64x34+136+3, Side 98x37+37+3, Below 64x2+136+38, Bytes 144x8+0+41, Fields 55x8+145+41",
            ),
            (80, 24, "Main(0) 80x5+0+10, Side 80x6+0+3, Bytes 80x2+0+16, Fields 80x5+0+18"),
            (100, 30, "Main(0) 64x7+0+11, Side 100x7+0+3, Below 35x7+65+11, Bytes 100x4+0+19, Fields 100x6+0+23"),
            (79, 24, "Main(0) 79x15+0+3, Bytes 79x4+0+19"),
            (60, 19, "Main(0) 60x13+0+2, Bytes 60x2+0+16"),
            (49, 24, "Main(0) 49x20+0+3"),
            (80, 12, "Main(0) 80x9+0+2"),
            (80, 7, "Main(0) 80x5+0+2"),
            (19, 40, ""),
        ] {
            assert_eq!(seen(METHODS, width, height), expected);
        }
        for (width, height, expected) in [
            (120, 40, "Nav 27x29+0+3, Main(0) 92x12+28+3, Main(1) 92x16+28+16, Bytes 77x6+0+33, Fields 42x6+78+33"),
            (
                250,
                80,
                "Nav 36x63+0+3, Main(0) 68x63+37+3, Main(1) 144x63+106+3, Bytes 145x12+0+67, Fields 104x12+146+67",
            ),
        ] {
            assert_eq!(seen(STACKED, width, height), expected);
        }
        assert!(layout(&request(80, 4, Slot::Nav)).too_small);
    }

    #[test]
    fn panes_are_as_large_as_their_content_and_the_source_takes_the_rest() {
        let size = |width, height| ContentSize { width, height, brief: 0 };
        let contents = [(Slot::Nav, size(33, 0)), (Slot::Main(0), size(0, 5)), (Slot::Below, size(0, 6))];
        let seen = |width, height, contents: &[(Slot, ContentSize)]| {
            drawn(&LayoutRequest { contents, ..request(width, height, Slot::Main(0)) })
        };
        let without_source = [(Slot::Side, size(0, 6)), (Slot::Main(0), size(0, 90))];
        let narrow = |focus| drawn(&LayoutRequest { left: Slot::Nav, contents: &contents, ..request(80, 24, focus) });
        let all =
            [seen(140, 40, &contents), seen(200, 50, &contents), seen(120, 40, &without_source), narrow(Slot::Nav)];
        let expected = [
            "Nav 35x29+0+3, Main(0) 67x9+36+23, Side 104x19+36+3, Below 36x9+104+23, Bytes 77x6+0+33, Fields 62x6+78+33",
            "Nav 36x37+0+3, Main(0) 64x30+136+3, Side 98x37+37+3, Below 64x6+136+34, Bytes 144x8+0+41, Fields 55x8+145+41",
            "Nav 27x29+0+3, Main(0) 59x22+28+10, Side 92x6+28+3, Below 32x22+88+10, Bytes 77x6+0+33, Fields 42x6+78+33",
            "Nav 32x12+0+3, Main(0) 47x5+33+10, Side 47x6+33+3, Bytes 80x2+0+16, Fields 80x5+0+18",
        ];
        assert_eq!(all, expected);
        let focused = drawn(&request(80, 24, Slot::Below));
        assert!(focused.contains("Below 80") && !focused.contains("Main"), "{focused}");
        assert_eq!(narrow(Slot::Side), narrow(Slot::Nav));
        let long = [(Slot::Nav, size(60, 0))];
        let tree = LayoutRequest { slots: &[Slot::Nav, Slot::Main(0)], contents: &long, ..request(80, 24, Slot::Nav) };
        assert!(drawn(&tree).starts_with("Nav 32x20"), "a tree takes up to two fifths");
        assert_eq!(stacked(13, 30, 40, 5), 24, "a short second pane leaves its space to the first");
        assert_eq!((stacked(13, 30, 40, 90), stacked(13, 30, 1, 9)), (13, 4));
    }

    #[test]
    fn a_navigation_may_be_right_of_what_it_leads_to() {
        let shape = Shape { nav: [34, 34, 38], nav_last: true, ..Shape::USUAL };
        let contents = [(Slot::Nav, ContentSize { width: 90, ..ContentSize::default() })];
        let slots = &[Slot::Nav, Slot::Main(0)];
        let seen = |width, splits| {
            drawn(&LayoutRequest { shape, slots, splits, contents: &contents, ..request(width, 40, Slot::Nav) })
        };
        let usual = Splits::default();
        assert_eq!(seen(80, usual), "Nav 34x36+46+3, Main(0) 45x36+0+3");
        assert_eq!(seen(120, usual), "Nav 40x36+80+3, Main(0) 79x36+0+3");
        assert_eq!(seen(200, usual), "Nav 50x36+150+3, Main(0) 149x36+0+3");
        assert_eq!(seen(120, Splits { main: Some(60), ..usual }), "Nav 59x36+61+3, Main(0) 60x36+0+3");
    }

    #[test]
    fn the_focused_pane_always_shows() {
        for width in 20..=260 {
            for height in 5..=60 {
                for (slots, slot) in
                    [METHODS, STACKED].iter().flat_map(|slots| slots.iter().map(move |slot| (slots, slot)))
                {
                    let layout = layout(&LayoutRequest { slots, ..request(width, height, *slot) });
                    assert!(
                        layout.pane(*slot).is_some_and(|placed| placed.rule.height == 1),
                        "{slot:?} {width}x{height}"
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_overlaps_and_nothing_is_outside_at_any_size_whatever_was_moved() {
        let moved = [None, Some(0), Some(1), Some(40), Some(900)];
        for width in 0..=130 {
            for height in 0..=50 {
                for (wanted, slots) in moved.iter().flat_map(|wanted| [(*wanted, METHODS), (*wanted, STACKED)]) {
                    let splits = Splits { nav: wanted, main: wanted, stack: wanted, strip: wanted, bytes: wanted };
                    let layout = layout(&LayoutRequest { slots, splits, ..request(width, height, Slot::Main(0)) });
                    let bodies: Vec<Rect> = layout.panes.iter().map(|placed| placed.body).collect();
                    let screen = Rect::new(0, 0, width, height);
                    for (index, body) in bodies.iter().enumerate() {
                        assert_eq!(body.intersection(screen), *body, "{width}x{height} {wanted:?}");
                        let others = bodies.iter().skip(index + 1).chain(&layout.lines);
                        assert!(
                            others.into_iter().all(|other| !body.intersects(*other)),
                            "{width}x{height} {wanted:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn zoom_gives_the_focused_pane_all_but_two_rows() {
        let layout = layout(&LayoutRequest { zoom: true, ..request(120, 40, Slot::Fields) });
        assert_eq!(
            layout.panes,
            [PlacedPane { slot: Slot::Fields, rule: Rect::new(0, 1, 120, 1), body: Rect::new(0, 2, 120, 37) }]
        );
    }
}
