//! The list of lessons.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::ui::grid::Grid;
use crate::ui::scroll::Scroll;
use crate::ui::text::{put, put_lines, put_right, width, wrap};
use crate::ui::theme::Role;
use pdblens_learn::lesson::Lesson;
use pdblens_learn::lesson::progress::Status;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};

/// Rows above the list, and below it: one more where lessons have their sentences there, which can take two lines.
const HEAD: u16 = 2;
const FOOT: u16 = 3;
const NARROW_FOOT: u16 = 4;
/// Sentence of the last row.
const BYTES: &str = "Type or paste a blob of any kind and step through its decode, or encode a value.";
/// The last column that a lesson's sentence may begin at.
const ABOUT: u16 = 56;
/// Width from which each lesson has its sentence beside it.
const WIDE: u16 = 100;

/// Rows of the list in a pane of that size.
pub(super) fn rows(size: Size) -> usize {
    let foot = if size.width < WIDE { NARROW_FOOT } else { FOOT };
    size.height.saturating_sub(HEAD + foot).max(1) as usize
}

pub(super) fn draw(scroll: Scroll, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
    let role = |role| cx.look.theme.of(role);
    let glyphs = cx.look.glyphs;
    let again = cx.keys(Action::Restart);
    let text = format!("Lessons on the files that are open. Enter begins one, Esc leaves, {again} restarts.");
    put(buf, area.x + 1, area.y, area.right(), &text, role(Role::Dim), glyphs);
    // The sentence of a lesson is in full below the list.
    let grid = Grid { scroll, headless: true, detailed: true, ..Grid::default() };
    let list = Rect { y: area.y + HEAD, height: area.height.saturating_sub(HEAD), ..area };
    let lessons = lessons(cx, area.width >= WIDE);
    let cursor = grid.draw(buf, list, &lessons, &cx.look, &|_, _| false, &|_, _, _, _| None);
    draw_foot(scroll, area, buf, cx);
    cursor
}

/// The lessons, with their sentences where there is room for that, and last the bytes of the reader.
fn lessons(cx: &Context<'_>, is_wide: bool) -> Rows<'static> {
    let progress = cx.lessons.progress();
    let row = |number: String, title: &str, status: Cell, about: &str| {
        let about = if is_wide { about } else { "" };
        Row::plain(vec![Cell::toned(number, Tone::Dim), Cell::new(title), status, Cell::toned(about, Tone::Dim)])
    };
    let lesson = |lesson: &Lesson| {
        let key = lesson.key();
        let status = match progress.status(&key) {
            Status::New => Cell::toned(format!("{} min", lesson.minutes), Tone::Dim),
            Status::Started => {
                let at = progress.lesson.get(&key).map_or(0, |begun| begun.at);
                Cell::toned(lesson.position(at), Tone::Warn)
            }
            Status::Done => Cell::toned("✓ done", Tone::Ok),
        };
        let number = if lesson.number == 0 { "–".to_owned() } else { key };
        row(format!("{number:>2}"), &lesson.title, status, &lesson.about)
    };
    let own = row(format!(" {}", cx.look.glyphs.step), "Bytes of your own", Cell::default(), BYTES);
    Rows::of("", vec![Head::text(""); 4], cx.lessons.list.iter().map(lesson).chain([own]).collect())
}

/// The sentence of the chosen lesson, and the way to the player.
fn draw_foot(scroll: Scroll, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
    let top = (area.y + HEAD + scroll.window().len() as u16 + 1).min(area.bottom());
    let below = scroll.len.saturating_sub(scroll.window().end);
    if below > 0 && top > area.y {
        let text = format!("{below} more");
        let (end, style) = (area.right().saturating_sub(1), cx.look.theme.of(Role::Mute));
        put_right(buf, area.x + 1, top - 1, end, &text, style, cx.look.glyphs);
    }
    let mut texts = Vec::new();
    let about = cx.lessons.list.get(scroll.selected).map_or(BYTES, |lesson| lesson.about.as_str());
    if area.width < WIDE || usize::from(ABOUT) + width(about) > usize::from(area.width) {
        texts.push((Role::Text, about.to_owned()));
    }
    let key = cx.keys(Action::Learn);
    texts.push((
        Role::Dim,
        format!("The player ({key}) decodes the selected record step by step, here or in any view."),
    ));
    let room = area.width.saturating_sub(2) as usize;
    let lines = texts.iter().flat_map(|(role, text)| wrap(text, room).into_iter().map(move |line| (line, *role)));
    put_lines(buf, Rect { y: top, height: area.bottom() - top, ..area }, 1, lines, &cx.look);
}

pub(super) fn click(scroll: &mut Scroll, at: Position, area: Rect) -> bool {
    let line = at.y.checked_sub(area.y + HEAD).map(|line| scroll.top + line as usize);
    let hit = line.filter(|line| scroll.window().contains(line));
    if let Some(line) = hit {
        scroll.select(line);
    }
    hit.is_some()
}
