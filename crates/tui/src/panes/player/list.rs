//! The list of lessons.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::scroll::Scroll;
use crate::ui::text::{put, put_right, width, wrap};
use crate::ui::theme::Role;
use pdblens_learn::lesson::progress::Status;

/// Rows above the list, and below it: one more where lessons have their sentences there, which can take two lines.
const HEAD: u16 = 2;
const FOOT: u16 = 3;
const NARROW_FOOT: u16 = 4;
/// Sentence of the last row.
const BYTES: &str = "Type or paste a blob of any kind and step through its decode, or encode a value.";
/// Column of a lesson's sentence.
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
    let progress = cx.lessons.progress();
    let again = cx.keys(Action::Restart);
    let text = format!("Lessons on the files that are open. Enter begins one, Esc leaves, {again} restarts.");
    put(buf, area.x + 1, area.y, area.right(), &text, role(Role::Dim), glyphs);
    let mut cursor = None;
    for (line, index) in scroll.window().enumerate() {
        let y = area.y + HEAD + line as u16;
        if y >= area.bottom() {
            break;
        }
        let row = Rect { y, height: 1, ..area };
        let mark = Mark::of_row(index == scroll.selected, cx.look.focused);
        fill_row(buf, row, mark, &cx.look);
        if mark == Mark::Cursor {
            cursor = Some(Position::new(area.x, y));
        }
        let style = |role: Role| mark.apply(cx.look.theme.of(role), &cx.look, false);
        let Some(lesson) = cx.lessons.list.get(index) else {
            put(buf, area.x + 2, y, area.right(), cx.look.glyphs.step, style(Role::Dim), glyphs);
            put(buf, area.x + 5, y, area.right(), "Bytes of your own", style(Role::Text), glyphs);
            if area.width >= WIDE {
                put(buf, area.x + ABOUT, y, area.right(), BYTES, style(Role::Dim), glyphs);
            }
            break;
        };
        let key = lesson.key();
        let number = if lesson.number == 0 { "–".to_owned() } else { key.clone() };
        put(buf, area.x + 1, y, area.right(), &format!("{number:>2}"), style(Role::Dim), glyphs);
        put(buf, area.x + 5, y, area.right(), &lesson.title, style(Role::Text), glyphs);
        let status = progress.status(&key);
        let (text, tone) = match status {
            Status::New => (format!("{} min", lesson.minutes), Role::Mute),
            Status::Started => (started(&progress, &key, lesson.steps.len()), Role::Warn),
            Status::Done => ("✓ done".to_owned(), Role::Ok),
        };
        put(buf, area.x + 39, y, area.right(), &text, style(tone), glyphs);
        if area.width >= WIDE {
            put(buf, area.x + ABOUT, y, area.right(), &lesson.about, style(Role::Dim), glyphs);
        }
    }
    draw_foot(scroll, area, buf, cx);
    cursor
}

/// Place in a lesson that was begun.
fn started(progress: &pdblens_learn::lesson::Progress, key: &str, steps: usize) -> String {
    let at = progress.lesson.get(key).map_or(0, |lesson| lesson.at);
    match at.checked_sub(steps) {
        None => format!("page {} of {steps}", at + 1),
        Some(question) => format!("question {}", question + 1),
    }
}

/// The sentence of the chosen lesson, and the way to the player.
fn draw_foot(scroll: Scroll, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
    let top = (area.y + HEAD + scroll.window().len() as u16 + 1).min(area.bottom());
    let below = scroll.len.saturating_sub(scroll.window().end);
    if below > 0 && top > area.y {
        let text = format!("{below} more");
        put_right(
            buf,
            area.x + 1,
            top - 1,
            area.right().saturating_sub(1),
            &text,
            cx.look.theme.of(Role::Mute),
            cx.look.glyphs,
        );
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
    let lines = texts.iter().flat_map(|(role, text)| wrap(text, room).into_iter().map(move |line| (*role, line)));
    for ((role, line), y) in lines.zip(top..area.bottom()) {
        put(buf, area.x + 1, y, area.right(), &line, cx.look.theme.of(role), cx.look.glyphs);
    }
}

/// Selects the lesson at a position.
pub(super) fn click(scroll: &mut Scroll, at: Position, area: Rect) -> bool {
    let line = at.y.checked_sub(area.y + HEAD).map(|line| scroll.top + line as usize);
    let hit = line.filter(|line| scroll.window().contains(line));
    if let Some(line) = hit {
        scroll.select(line);
    }
    hit.is_some()
}
