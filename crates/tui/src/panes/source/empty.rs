//! The text of the source pane where there is no source, and the lines over one that is not the text that was compiled: what is shown
//! instead, and what would help.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::state::paths::MAX_SEARCHED;
use crate::state::texts::{TextSearch, TextState};
use crate::ui::empty_state::EmptyState;
use crate::ui::layout::Slot;
use crate::ui::text::{put_lines, wrap};
use crate::ui::theme::Role;
use pdblens_nodes::code_unit;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{Place, document};
use pdblens_query::missing_lines;
use pdblens_session::source::{HashVerdict, Outcome};
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::{file_name, without_passwords};
use pdblens_session::text::safe::{count, visible};

const MAX_NOTICE: usize = 2;
/// A pane of fewer lines has no notice: the title says the same.
const MIN_HEIGHT: u16 = 4;

/// The text of the empty pane; `None` while the source is being read.
pub(super) fn empty_state(cx: &Context<'_>) -> Option<EmptyState> {
    if let Some(row) = cx.selected.document {
        let name = document::name(cx.session, row).unwrap_or_default();
        return match cx.texts.get(row)? {
            TextState::NotFound(looked) => Some(not_found(&name, looked)),
            _ => None,
        };
    }
    if let Some(absence) = &cx.selected.no_lines {
        return Some(cx.paths.add_symbol_search(EmptyState::from(&**absence), cx.session));
    }
    if let Some(absence) = missing_lines::no_symbols_reason(cx.session) {
        return Some(cx.paths.add_symbol_search(EmptyState::from(&absence), cx.session));
    }
    let say = |text: &str| Some(EmptyState::default().text(text));
    match cx.selected.selection.place {
        place if place.code_unit().is_some() => say("All its sequence points are hidden: it has no source line."),
        Place::Trace => Some(
            EmptyState::default()
                .text("A frame of the open files shows its source line here. If a frame is not resolved, the trace shows the reason.")
                .keys(Action::Follow, "open the files of this frame, or set the symbol path if it has none"),
        ),
        Place::Documents if cx.session.symbols().map_or(0, SymbolReader::documents) == 0 => {
            say("The symbols name no documents.")
        }
        Place::Documents => say("Select a document to see its source."),
        // The code pane shows this sentence if it has room.
        _ if !cx.is_placed(Slot::Main(0)) && cx.selected.branch.is_some() => Some(
            EmptyState::default()
                .text(cx.selected.branch.as_deref().unwrap_or_default())
                .keys(Action::Right, "show what is in it"),
        ),
        _ => say(&format!("Select a {} to see its source.", code_unit::words(cx.session).unit)),
    }
}

/// Width of what is there in place of a text: little, as reasons are wrapped; 0 where there is text, which takes what it gets.
pub(super) fn content_width(is_rebuilt: bool, cx: &Context<'_>) -> u16 {
    u16::from(!is_rebuilt && (cx.selected.document.is_none() || empty_state(cx).is_some()))
}

pub(super) fn no_text_reason(cx: &Context<'_>) -> String {
    let said = empty_state(cx);
    let why = said.as_ref().and_then(EmptyState::first_sentence).unwrap_or("It is still being read.");
    format!("no text to search. {}", visible(why))
}

/// The text for a source that was not found: what would help, and the places that were searched.
pub(super) fn not_found(name: &str, looked: &TextSearch) -> EmptyState {
    let shown = file_name(name);
    let state = match &looked.error {
        Some(error) => return EmptyState::default().text(error),
        None if name.is_empty() => {
            return EmptyState::default().text("The document has no name, so no text can be found.");
        }
        None => EmptyState::default().heading(&format!("The text of {shown} was not found.")),
    };
    let mut state = state.keys(Action::Symbols, "say where to look: a folder, OLD=NEW");
    if let Some(url) = &looked.url {
        state = state.keys(Action::FetchSource, format!("fetch {}", without_passwords(url)));
    }
    if !looked.tried.is_empty() {
        state = state.heading("searched");
    }
    for tried in looked.tried.iter().take(MAX_SEARCHED) {
        let tone = match tried.outcome {
            Outcome::Withheld(_) | Outcome::Refused(_) | Outcome::Failed(_) => Tone::Warn,
            _ => Tone::Dim,
        };
        state = state.pair(&tried.origin.to_string(), &tried.outcome.to_string(), tone);
    }
    match looked.tried.len().saturating_sub(MAX_SEARCHED) {
        0 => state,
        more => state
            .text(&format!("and in {}: `pdblens sources FILE --tried` lists them", count(more as u64, "other place"))),
    }
}

/// The words, in full and in short, and their role; `None` where the text is the one that was compiled, or may be.
fn notice_words(cx: &Context<'_>) -> Option<([String; 2], Role)> {
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
    Some((words.map(|words| format!("{sign}{words} · {fetch}{} folder", cx.keys(Action::Symbols))), role))
}

fn notice_lines(area: Rect, cx: &Context<'_>) -> Option<(Vec<String>, Role)> {
    if area.height < MIN_HEIGHT {
        return None;
    }
    let ([full, short], role) = notice_words(cx)?;
    let room = area.width.saturating_sub(2) as usize;
    // The keys are at the end: they show in any case.
    let fits = Some(wrap(&full, room)).filter(|lines| lines.len() <= MAX_NOTICE);
    let mut lines = fits.unwrap_or_else(|| wrap(&short, room));
    lines.truncate(MAX_NOTICE);
    Some((lines, role))
}

pub(super) fn notice_height(area: Rect, cx: &Context<'_>) -> u16 {
    notice_lines(area, cx).map_or(0, |(lines, _)| lines.len() as u16)
}

pub(super) fn draw_notice(area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
    // The area is that of the notice alone.
    let Some((lines, role)) = notice_lines(Rect { height: area.height.max(MIN_HEIGHT), ..area }, cx) else { return };
    put_lines(buf, area, 1, lines.into_iter().map(|line| (line, role)), &cx.look);
}
