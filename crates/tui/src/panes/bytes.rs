//! The Bytes pane: a hex dump of the file or stream around the selection.
//!
//! Moving the cursor selects the owner of the byte: the other panes show it, and the dump stays.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::jobs::JobHandle;
use crate::panes::field_list::signed;
use crate::panes::pane::{Context, Pane, PaneInput};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg, index_job};
use crate::state::selection::Selection;
use crate::state::view::{PaneId, view_of};
use crate::ui::frame::Title;
use crate::ui::hex::{HexDump, bytes_per_row, offset_digits};
use crate::ui::layout::Slot;
use crate::ui::scroll::Scroll;
use crate::ui::text::put_note;
use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::{MethodPart, Place};
use pdblens_query::owner::{self, ByteOwners};
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

/// Rows kept visible above the selection.
const ROWS_ABOVE: usize = 2;
/// Longer spans of a stream are not mapped to the pages of the file.
const MAX_MAPPED_SPAN: u64 = 1 << 16;

#[derive(Default)]
struct Bytes {
    /// Cursor and window, in rows of the dump.
    scroll: Scroll,
    row: usize,
    space: SpaceId,
    len: u64,
    /// The byte of the cursor.
    at: u64,
    /// Owners of that byte, once the cursor was moved.
    owners: Option<ByteOwners>,
    /// The selection that the cursor has made.
    own: Option<Selection>,
    /// The job that builds the index for the owners.
    index_job: JobHandle,
    /// True if the selection has bytes.
    any: bool,
}

pub fn new() -> Box<dyn Pane> {
    Box::new(Bytes { row: 16, ..Bytes::default() })
}

impl Bytes {
    fn rows(&self) -> usize {
        usize::try_from(self.len.div_ceil(self.row as u64)).unwrap_or(usize::MAX)
    }

    fn row_of(&self, offset: u64) -> usize {
        usize::try_from(offset / self.row as u64).unwrap_or(usize::MAX)
    }

    /// The visible bytes.
    fn window(&self) -> Span {
        let rows = self.scroll.window();
        let start = rows.start as u64 * self.row as u64;
        let end = (rows.end as u64 * self.row as u64).min(self.len);
        Span::new(self.space, start, end.saturating_sub(start))
    }

    fn select(&mut self, at: u64, cx: &Context<'_>) {
        self.at = at.min(self.len.saturating_sub(1));
        self.scroll.select(self.row_of(self.at));
        self.find_owner(cx);
    }

    fn find_owner(&mut self, cx: &Context<'_>) {
        let near = cx.selected.method.as_ref().and_then(|view| view.of.place().method());
        let owners = owner::owner_at(cx.session, self.space, self.at, near);
        let byte = owners.byte;
        // Prefer owners that the view can show; keep the selection where no smaller owner has the byte.
        let shown = owners.owners.iter().find(|holder| cx.view.can_show(holder.place));
        let best = shown.or(owners.owners.first());
        let now = cx.selected.fields.as_ref().ok().map(|fields| fields.span).filter(|span| span.covers(byte));
        let place = match (now, best) {
            (Some(now), Some(best)) if best.span.len >= now.len => Some(cx.selected.selection.place),
            (_, best) => best.map(|holder| holder.place),
        };
        self.own = place.map(|place| Selection { place, part: Some(byte) });
        self.owners = Some(owners);
    }

    /// A span in this space: itself, or the part of the file that holds a span of a stream.
    fn local_span(&self, span: Span, cx: &Context<'_>) -> Option<Span> {
        if span.space == self.space {
            return Some(span);
        }
        if span.len > MAX_MAPPED_SPAN || span.is_empty() {
            return None;
        }
        let pieces = cx.session.spaces().resolve(span);
        let mut pieces = pieces.into_iter().filter(|piece| piece.exact && piece.span.space == self.space);
        let first = pieces.next()?.span;
        let others = pieces.map(|piece| piece.span);
        [first].into_iter().chain(others).find(|span| span.contains(self.at)).or(Some(first))
    }

    fn hex<'a>(&self, bytes: &'a [u8], cx: &Context<'_>) -> HexDump<'a> {
        let here = |span: Span| self.local_span(span, cx);
        let part = cx.selected.selection.part.and_then(here);
        let chosen = cx.selected.span().and_then(here);
        // Colours are for the first fields only: more cannot be told apart.
        let fields: Vec<Span> = cx.selected.field_colors().take(64).filter_map(here).collect();
        HexDump {
            bytes,
            start: self.window().start,
            row: self.row,
            digits: offset_digits(self.len).max(6),
            chosen: part.or(chosen),
            outer: cx.selected.outer.and_then(here).or(chosen),
            fields,
            cursor: cx.look.focused.then_some(self.at),
        }
    }
}

/// Bytes of the selection in the line that the pane is folded to.
const FOLDED: usize = 16;
/// Fields of a point in that line.
const MAX_FIELDS: usize = 6;

fn is_folded(cx: &Context<'_>) -> bool {
    cx.placed.iter().any(|placed| placed.slot == Slot::Bytes && placed.body.is_empty())
}

fn empty_text(cx: &Context<'_>) -> &'static str {
    match cx.selected.selection.place {
        Place::Trace => "No bytes: paste a stack trace and select a frame",
        Place::Methods => "No bytes: select a method",
        Place::Documents => "No bytes: select a document",
        _ => "No bytes for this row",
    }
}

/// The fields of the selected point in the line that the pane is folded to; empty for other records.
fn folded_fields(cx: &Context<'_>) -> String {
    let is_point = matches!(cx.selected.selection.place, Place::MethodPart(_, MethodPart::Point(_)));
    let Some(fields) = cx.selected.fields.as_ref().ok().filter(|_| is_point && is_folded(cx)) else {
        return String::new();
    };
    let short = |name: &str| name.trim_start_matches(['δ', 'Δ', ' ']).replace("start ", "").replace(" offset", "");
    let text = |field: &FieldRow| format!("{} {}", short(&field.name), signed(field).rsplit("→ ").next().unwrap_or(""));
    fields.leaves().take(MAX_FIELDS).map(text).collect::<Vec<_>>().join("  ")
}

/// Name of the selected field, in a view without a pane of fields.
fn field_name<'c>(cx: &Context<'c>) -> Option<&'c str> {
    let has_fields = cx.view.panes.iter().any(|(slot, id)| (*slot, *id) == (Slot::Fields, PaneId::Fields));
    if has_fields || !cx.look.focused {
        return None;
    }
    let part = cx.selected.selection.part?;
    let field = cx.selected.shown()?.leaves().find(|field| field.span == part)?;
    Some(&field.name)
}

impl Pane for Bytes {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = if is_folded(cx) {
            Title::new(format!("{} Bytes", cx.keys(Action::FoldBytes)))
        } else {
            Title::new("Bytes")
        };
        if !self.any {
            return title;
        }
        let chosen = cx.selected.selection.part.or(cx.selected.span()).and_then(|span| self.local_span(span, cx));
        let (at, len) = match chosen {
            Some(span) if !cx.look.focused => (span.start, span.len),
            _ => (self.at, 1),
        };
        let within = owner::within(cx.session, self.space, at);
        let of = within.span.len;
        let from = at.saturating_sub(within.span.start);
        let len = if len > 1 { format!("+{len}") } else { String::new() };
        let inside = format!("0x{from:0wide$x}{len} of {of}", wide = offset_digits(of).max(4));
        let in_file = |at| format!(" {} file 0x{at:0wide$x}", cx.look.glyphs.dot, wide = offset_digits(at).max(6));
        let shown = chosen.filter(|_| is_folded(cx)).map(|span| span.part(0, span.len.min(FOLDED as u64 + 1)));
        let first = shown.and_then(|span| cx.session.spaces().read(span).ok());
        let name = match first {
            Some(bytes) => format!("{}  {}", within.name, spaced_hex(&bytes, FOLDED)),
            None => within.name,
        };
        let name = match field_name(cx) {
            Some(field) => format!("{name} {} {field}", cx.look.glyphs.dot),
            None => name,
        };
        let fields = folded_fields(cx);
        if !fields.is_empty() {
            return title.of(format!("{name}  {fields}"));
        }
        title.of(name).at(inside + &within.in_file.map_or(String::new(), in_file))
    }

    fn take(&mut self, input: PaneInput, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match input {
            PaneInput::Do(action) => return self.perform(action, cx),
            PaneInput::Click(at, area) => {
                let bytes = cx.session.spaces().read(self.window()).ok()?;
                let offset = self.hex(&bytes, cx).at(at, area)?;
                self.select(offset, cx);
                return Some(Vec::new());
            }
            PaneInput::Wheel(rows, down) if self.any => self.scroll.scroll_by(rows, down),
            PaneInput::Wheel(..) => {}
            PaneInput::Resize(size) => {
                self.row = bytes_per_row(size.width);
                self.scroll.len = self.rows();
                self.scroll.height = size.height as usize;
                self.scroll.reveal(self.row_of(self.at));
            }
        }
        None
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        if self.own.is_some() && self.own == Some(cx.selected.selection) {
            // The selection is the cursor's own; an index may have given better owners.
            return self.find_owner(cx);
        }
        (self.own, self.owners) = (None, None);
        let whole = cx.selected.span();
        let Some(span) = cx.selected.selection.part.or(whole).filter(|span| !span.is_empty()) else {
            self.any = false;
            return;
        };
        let len = cx.session.spaces().get(span.space).map_or(0, Space::len);
        let moved = self.space != span.space || !self.any;
        (self.any, self.space, self.len) = (len > 0, span.space, len);
        self.scroll.set_len(self.rows());
        self.at = span.start.min(len.saturating_sub(1));
        // Keep the start of the selection visible where possible.
        let (first, last) = (self.row_of(self.at), self.row_of(span.end().saturating_sub(1).max(span.start)));
        let window = self.scroll.window();
        self.scroll.selected = first.min(self.rows().saturating_sub(1));
        if moved || !window.contains(&first) || !window.contains(&last) {
            let above = ROWS_ABOVE.min(self.scroll.height.saturating_sub(1) / 2);
            self.scroll.top = first.saturating_sub(above).min(self.rows().saturating_sub(self.scroll.height));
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let spaces = cx.session.spaces();
        let error = match spaces.read(self.window()) {
            Ok(bytes) if self.any => return self.hex(&bytes, cx).draw(buf, area, &cx.look),
            Ok(_) => empty_text(cx).to_owned(),
            Err(error) => spaces.error_text(&error),
        };
        put_note(buf, area, &error, &cx.look);
        None
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        self.own.or_else(|| self.any.then_some(cx.selected.selection))
    }

    fn job(&mut self, session: &Arc<Session>) -> Option<Job> {
        let index = self.owners.as_ref()?.required_index?;
        index_job(&mut self.index_job, session, index, "bytes", Msg::LazyIndexBuilt)
    }
}

impl Bytes {
    fn perform(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if !self.any {
            return None;
        }
        let row = self.row as u64;
        match action {
            Action::Left => self.select(self.at.saturating_sub(1), cx),
            Action::Right => self.select(self.at.saturating_add(1), cx),
            Action::Up if self.at >= row => self.select(self.at - row, cx),
            Action::Down if self.at + row < self.len => self.select(self.at + row, cx),
            Action::Up | Action::Down => {}
            Action::Follow => {
                if self.owners.is_none() {
                    self.find_owner(cx);
                }
                return Some(vec![Effect::Go(self.follow_target(cx)?)]);
            }
            _ => {
                if !self.scroll.move_cursor(action) {
                    return None;
                }
                self.at = (self.scroll.selected as u64 * row + self.at % row).min(self.len.saturating_sub(1));
                self.find_owner(cx);
            }
        }
        Some(Vec::new())
    }

    /// The target of Enter: the owner in its view, and from there the link of its field.
    fn follow_target(&self, cx: &Context<'_>) -> Option<Selection> {
        let owners = self.owners.as_ref()?;
        let owner = owners.owners.first()?.place;
        let selected = Selection { place: owner, part: Some(owners.byte) };
        let there = cx.selected.selection.place == owner && (cx.view.shows)(owner);
        if !there && view_of(cx.views, owner).is_some() {
            return Some(selected);
        }
        let fields = cx.selected.fields.as_ref().ok()?;
        fields.rows.get(fields.at(owners.byte)?)?.to.map(Selection::from)
    }
}
