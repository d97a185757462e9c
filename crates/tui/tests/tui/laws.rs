//! Invariants of every screen.

use pdblens_session::text::safe::is_hidden;
use pdblens_tui::app::registry::TABS;
use pdblens_tui::ui::theme::{Role, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use crate::harness::{VIEW_KEYS, lines};

/// Holds all of them against a screen in the dark, the light, the ansi and the mono theme, on which nothing is said.
#[track_caller]
pub(crate) fn hold(what: &str, view: usize, screens: &[(Buffer, Option<Position>); 4]) {
    let (dark, cursor) = &screens[0];
    let text = lines(dark);
    let seen = text.join("\n");
    for (buffer, at) in screens {
        nothing_is_hidden(what, buffer);
        assert_eq!(at, cursor, "{what}: the cursor is elsewhere in another theme");
    }
    header_fits(what, &text[0]);
    hints_fit(what, view, text.last().unwrap());
    let focused = one_pane_has_the_focus(what, dark);
    let at = cursor.unwrap_or_else(|| panic!("{what}: there is no cursor\n{seen}"));
    assert!(focused.contains(at), "{what}: the cursor at {at} is not in {focused}\n{seen}");
    // Where the pane has rows, the cursor is on the one that is selected, and that can be seen without colours.
    let bar = dark[at].symbol() == "▌";
    let row = |buffer: &Buffer, is: fn(&Cell) -> bool| (at.x..focused.right()).any(|x| is(&buffer[(x, at.y)]));
    if dark[at].symbol() == "█" {
        // On a map: the piece that is chosen is the one that is full, and without colours a capital.
        let letter = screens[3].0[at].symbol();
        assert!(letter.chars().all(|c| c.is_ascii_uppercase()), "{what}: {letter:?} marks the piece\n{seen}");
    } else if bar || row(dark, |cell| cell.bg == CURSOR) {
        for (buffer, _) in &screens[2..] {
            let reversed = row(buffer, |cell| cell.modifier.contains(Modifier::REVERSED));
            assert!(bar || reversed, "{what}: nothing but a colour marks the row of the cursor\n{seen}");
        }
    } else {
        assert!(is_empty(dark, focused), "{what}: the cursor at {at} is on no row\n{seen}");
    }
}

/// Whatever has a style.
pub(crate) const ROLES: [Role; 28] = [
    Role::Text,
    Role::Dim,
    Role::Mute,
    Role::Faint,
    Role::Strong,
    Role::Accent,
    Role::Cursor,
    Role::Related,
    Role::Span,
    Role::Bar,
    Role::Added,
    Role::Popup,
    Role::Link,
    Role::Match,
    Role::Field1,
    Role::Field2,
    Role::Field3,
    Role::Field4,
    Role::Field5,
    Role::Ok,
    Role::Warn,
    Role::Bad,
    Role::Keyword,
    Role::Type,
    Role::Function,
    Role::String,
    Role::Number,
    Role::Comment,
];

/// The ground of the selected row in the dark theme.
const CURSOR: Color = Color::Rgb(0x26, 0x34, 0x56);

/// Every cell is something that shows.
#[track_caller]
pub(crate) fn nothing_is_hidden(what: &str, buffer: &Buffer) {
    for cell in &buffer.content {
        assert!(!cell.symbol().chars().any(is_hidden), "{what}: {:?}", cell.symbol());
    }
}

/// Each colour is one that a role has in the theme.
#[track_caller]
pub(crate) fn colours_are_those_of_the_theme(what: &str, buffer: &Buffer, theme: &Theme) {
    let styles = ROLES.map(|role| theme.of(role));
    let fills: Vec<Option<Color>> =
        (0..10).filter_map(|index| theme.fill(index / 2, index % 2 == 0)).map(|style| style.bg).collect();
    let known = |colour: Color, of: fn(&Style) -> Option<Color>| {
        let is_of_role = styles.iter().any(|style| of(style) == Some(colour));
        colour == Color::Reset || is_of_role || fills.contains(&Some(colour))
    };
    for (index, cell) in buffer.content.iter().enumerate() {
        let is_known = known(cell.fg, |style| style.fg) && known(cell.bg, |style| style.bg);
        let at = buffer.pos_of(index);
        assert!(is_known, "{what}: {:?} at {at:?} is {:?} on {:?} in {}", cell.symbol(), cell.fg, cell.bg, theme.name);
    }
}

/// Names, all views, the verdict, and room between them.
#[track_caller]
fn header_fits(what: &str, header: &str) {
    let mut rest = header;
    for (number, def) in (1..).zip(&TABS) {
        let found = [def.name, def.short].iter().find_map(|name| rest.split_once(&format!(" {number}{name} ")));
        let (before, after) = found.unwrap_or_else(|| panic!("{what}: no tab {number} in {header}"));
        // Nothing is between two tabs.
        assert!(number == 1 || before.trim().is_empty(), "{what}: {before:?} before tab {number} in {header}");
        rest = &header[header.len() - after.len() - 1..];
    }
    assert!(!rest.trim().is_empty() && !rest.contains('…'), "{what}: {header}");
}

/// Keys for here, uncut, with the key for all others at the end.
#[track_caller]
fn hints_fit(what: &str, view: usize, hints: &str) {
    let moves = if VIEW_KEYS[view - 1].0 == "Learn" { " ↓ ↑ " } else { " ↑↓ " };
    assert!(hints.starts_with(moves) && hints.ends_with("? keys") && !hints.contains('…'), "{what}: {hints}");
}

/// The body of the pane that has the focus: the one under a heavy rule.
#[track_caller]
pub(crate) fn one_pane_has_the_focus(what: &str, buffer: &Buffer) -> Rect {
    focused(buffer).unwrap_or_else(|error| panic!("{what}: {error}\n{}", lines(buffer).join("\n")))
}

/// The body of the one pane that has a heavy rule.
fn focused(buffer: &Buffer) -> Result<Rect, String> {
    const HEAVY: &str = "━╼╾╸╺┍┑┕┙┝┥┮┭┯┶┵┷┾┽┿";
    let area = buffer.area;
    let is = |x: u16, y: u16, set: &str| set.contains(buffer[(x, y)].symbol());
    let rows: Vec<u16> = (0..area.height).filter(|y| (0..area.width).any(|x| is(x, *y, "━"))).collect();
    let [y] = rows[..] else { return Err(format!("heavy rules in the rows {rows:?}")) };
    // The title may stand right after a crossing, where another one is beside it.
    let heavy: Vec<u16> = (0..area.width).filter(|x| is(*x, y, "━┍┕┝┮┶┾╼╺┯┷┿")).collect();
    let (left, right) = (heavy[0], heavy[heavy.len() - 1]);
    // Between its ends is nothing light: a title at most.
    if let Some(x) = (left..=right).find(|x| is(*x, y, "─├┤┬┴┼│")) {
        return Err(format!("a light rule at {x} in the heavy one of row {y}"));
    }
    // Rules begin and end at the border or at a line between columns.
    let edge = |x: u16| is(x, y, HEAVY) && !is(x, y, "━");
    let (left, right) = (if left > 0 && edge(left - 1) { left - 1 } else { left }, right);
    let below = (y + 1..area.height)
        .find(|y| (is(left, *y, "─━") || is(left.max(1), *y, "─━")) && is(right, *y, "─━"))
        .unwrap_or(area.height - 1);
    let x = if edge(left) { left + 1 } else { left };
    Ok(Rect { x, y: y + 1, width: right + 1 - x, height: below - y - 1 })
}

/// Returns whether a pane has no rows: nothing in it is marked.
fn is_empty(buffer: &Buffer, body: Rect) -> bool {
    body.positions().all(|at| buffer[at].symbol() != "▌" && buffer[at].bg != CURSOR)
}
