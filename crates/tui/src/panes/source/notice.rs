//! The lines over a source that is not the text that was compiled: what is shown instead, and what would help.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::state::texts::TextState;
use crate::ui::text::{put, wrap};
use crate::ui::theme::Role;
use pdblens_session::source::HashVerdict;

const MAX_LINES: usize = 2;
/// A pane of fewer lines has no notice: the title says the same.
const MIN_HEIGHT: u16 = 4;

/// The words, in full and in short, and their role; `None` where the text is the one that was compiled, or may be.
fn words(cx: &Context<'_>) -> Option<([String; 2], Role)> {
    let (words, role, url) = match cx.texts.get(cx.selected.document?)? {
        TextState::NotFound(search) => (["source not here"; 2], Role::Warn, search.url.is_some()),
        TextState::Found(text) if text.verdict == HashVerdict::Differs => {
            let words = ["hash differs: not the text that was compiled", "hash differs from the PDB"];
            (words, Role::Bad, text.search.url.is_some())
        }
        _ => return None,
    };
    let sign = if role == Role::Bad { format!("{} ", cx.look.glyphs.bad) } else { String::new() };
    let fetch = if url { format!("{} fetch · ", cx.keys(Action::FetchSource)) } else { String::new() };
    Some((words.map(|words| format!("{sign}{words} · {fetch}{} folder", cx.keys(Action::SourceRoot))), role))
}

fn lines(area: Rect, cx: &Context<'_>) -> Option<(Vec<String>, Role)> {
    if area.height < MIN_HEIGHT {
        return None;
    }
    let ([full, short], role) = words(cx)?;
    let room = area.width.saturating_sub(2) as usize;
    // The keys are at the end: they show in any case.
    let fits = Some(wrap(&full, room)).filter(|lines| lines.len() <= MAX_LINES);
    let mut lines = fits.unwrap_or_else(|| wrap(&short, room));
    lines.truncate(MAX_LINES);
    Some((lines, role))
}

pub(super) fn height(area: Rect, cx: &Context<'_>) -> u16 {
    lines(area, cx).map_or(0, |(lines, _)| lines.len() as u16)
}

pub(super) fn draw(area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
    // The area is that of the notice alone.
    let Some((lines, role)) = lines(Rect { height: area.height.max(MIN_HEIGHT), ..area }, cx) else { return };
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        put(buf, area.x + 1, y, area.right(), line, cx.look.theme.of(role), cx.look.glyphs);
    }
}
