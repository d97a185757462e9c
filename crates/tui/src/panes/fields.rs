//! The Fields pane: fields of the selected record, with bytes, name, value, meaning and explanation.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::field_list::{FieldList, field_row};
use crate::panes::pane::{Context, Pane, ability};
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::text::{put, put_note, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::fields::{FieldRow, Fields};

#[derive(Default)]
struct FieldsPane {
    list: FieldList,
    of: Option<Place>,
}

pub fn new() -> Box<dyn Pane> {
    Box::new(FieldsPane::default())
}

fn empty_text(cx: &Context<'_>) -> String {
    if let Err(why) = &cx.selected.fields
        && !why.is_empty()
    {
        return why.clone();
    }
    let what = match cx.selected.selection.place {
        Place::Trace => "No fields: paste a stack trace and select a frame",
        Place::Findings => "No fields: select a finding",
        _ => "No fields for this row",
    };
    what.to_owned()
}

/// Rows at the top that only repeat the title: a group that contains all others.
fn hidden(fields: &Fields) -> usize {
    let whole = |row: &FieldRow| row.group && row.depth == 0 && row.span == fields.span;
    usize::from(fields.rows.len() > 1 && fields.rows.first().is_some_and(whole))
}

fn shown(fields: &Fields) -> &[FieldRow] {
    fields.rows.get(hidden(fields)..).unwrap_or_default()
}

/// The index of the visible field that contains the first byte of `part`.
fn shown_at(fields: &Fields, part: Span) -> Option<usize> {
    fields.at(part).and_then(|index| index.checked_sub(hidden(fields)))
}

/// Text below the fields, where there is space: without the focus the texts that are cut, then the explanation of the field.
fn about(fields: &Fields, list: &FieldList, area: Rect, look: &Look<'_>) -> Vec<(Role, String)> {
    let grid = &list.tree.grid;
    let Some(row) = grid.row().and_then(|index| shown(fields).get(index)) else { return Vec::new() };
    let (wide, room) = (area.width.saturating_sub(2) as usize, (area.height as usize).saturating_sub(grid.scroll.len));
    let mut lines: Vec<(Role, String)> = Vec::new();
    if !look.focused {
        let cut = list.cut_texts(area.width, look);
        lines.extend(cut.iter().flat_map(|text| wrap(text, wide)).map(|line| (Role::Text, line)));
    }
    lines.extend(row.drawn_bits().into_iter().map(|(bits, text)| (Role::Dim, format!("{bits}  {text}"))));
    lines.extend(wrap(row.about, wide).into_iter().filter(|line| !line.is_empty()).map(|line| (Role::Comment, line)));
    if lines.len() > room {
        lines.truncate(room);
        if let Some((_, last)) = lines.last_mut() {
            last.push(' ');
            last.push_str(look.glyphs.more);
        }
    }
    lines
}

impl Pane for FieldsPane {
    fn title(&self, cx: &Context<'_>) -> Title {
        match cx.selected.shown() {
            Some(fields) => self.list.title(&fields.title),
            None => Title::new("Fields"),
        }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let fields = cx.selected.shown()?;
        match action {
            Action::Follow => match shown(fields).get(self.list.tree.grid.row()?)? {
                FieldRow { to: Some(to), .. } => Some(vec![Effect::Go((*to).into())]),
                _ => self.list.tree.fold(None).then(Vec::new),
            },
            Action::Toggle => self.list.tree.fold(None).then(Vec::new),
            Action::Left | Action::Right => self.list.tree.fold(Some(action == Action::Right)).then(Vec::new),
            Action::ExpandAll | Action::CollapseAll => {
                self.list.tree.fold_all(action == Action::ExpandAll);
                Some(Vec::new())
            }
            Action::CopyValue => None,
            _ => self.list.tree.grid.scroll.move_cursor(action, count).then(Vec::new),
        }
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        let Some(fields) = cx.selected.shown() else { return };
        let place = cx.selected.selection.place;
        if self.of != Some(place) {
            self.of = Some(place);
            // Facts are shown without bytes.
            let with_bytes = cx.selected.fields.is_ok();
            let outer = hidden(fields) as u8;
            let row = |field: &FieldRow| field_row(field, outer, cx.session, with_bytes);
            self.list.set(shown(fields).iter().map(row).collect(), shown(fields).iter().map(|field| field.depth));
            // Groups that lie outside of the row are collapsed at first.
            let elsewhere = |row: &FieldRow| row.group && row.depth == 0 && !fields.span.covers(row.span);
            if matches!(place, Place::Row(..)) {
                let rows = shown(fields).iter().enumerate();
                self.list.tree.folds.closed = rows.filter(|(_, row)| elsewhere(row)).map(|(index, _)| index).collect();
            }
            self.list.tree.update_rows();
        }
        let part = cx.selected.selection.part.and_then(|part| shown_at(fields, part));
        let first = shown(fields).iter().position(|row| !row.group).unwrap_or(0);
        match part {
            Some(part) => self.list.tree.reveal(part),
            None => {
                let grid = &mut self.list.tree.grid;
                grid.scroll.select(grid.list_filter.nearest(first));
                grid.scroll.top = 0;
            }
        }
    }

    fn resize(&mut self, size: Size, _: &Context<'_>) {
        self.list.tree.grid.scroll.set_height(size.height.into());
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let look = &cx.look;
        let Some(fields) = cx.selected.shown() else {
            put_note(buf, area, &empty_text(cx), &cx.look);
            return None;
        };
        let part = cx.selected.selection.part.and_then(|part| shown_at(fields, part));
        let grid = &self.list.tree.grid;
        let lines = about(fields, &self.list, area, look);
        let list = Rect { height: area.height.saturating_sub(lines.len() as u16), ..area };
        let leaf = |row: usize| shown(fields).iter().take(row).filter(|field| !field.group).count();
        let is_idle = part.is_none() || part != grid.row();
        let cursor = self.list.draw(buf, list, &leaf, is_idle, look);
        if let Some(error) = &fields.error {
            let y = area.y + grid.scroll.window().len() as u16;
            if y < area.bottom() {
                let text = format!("{} {error}", look.glyphs.bad);
                put(buf, area.x + 1, y, area.right(), &text, look.theme.of(Role::Bad), look.glyphs);
            }
        }
        let top = area.bottom().saturating_sub(lines.len() as u16);
        for (line, (role, text)) in lines.iter().enumerate() {
            put(buf, area.x + 1, top + line as u16, area.right(), text, look.theme.of(*role), look.glyphs);
        }
        cursor
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let row = shown(cx.selected.shown()?).get(self.list.tree.grid.row()?)?;
        let part = Some(row.span).filter(|span| !span.is_empty());
        Some(Selection { part, ..cx.selected.selection })
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        cx.selected.shown().is_some() && self.list.click(at, area)
    }

    ability!(List, list);
}
