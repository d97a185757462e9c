//! The listing of a method or function: its rows, made as they show.

use std::sync::Arc;

use super::items::{Item, items};
use super::machine_code::{self, NativeCode};
use crate::panes::lanes::{LanePoints, Lanes};
use pdblens_nodes::method::native::bodies;
use pdblens_nodes::method::{self, MethodView, il_label};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{MethodPart, Place};
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

#[derive(Default)]
pub(super) struct Listing {
    pub(super) items: Vec<Item>,
    pub(super) lanes: Lanes,
    pub(super) native: NativeCode,
    /// Points in precompiled code.
    pub(super) points: LanePoints,
}

impl Listing {
    pub(super) fn of(view: &MethodView, session: &Session) -> Self {
        if view.of.is_native() {
            let (native, items) = NativeCode::of(view, session);
            let items = items.into_iter().map(Item::Machine).collect();
            return Self { items, native, ..Self::default() };
        }
        let points = LanePoints::of(view, &bodies(session, view.of.token()));
        Self { items: items(view, session), lanes: Lanes::of(view, session), points, ..Self::default() }
    }
}

pub(super) fn rows(session: &Session, view: Arc<MethodView>, listing: Arc<Listing>) -> Rows<'_> {
    let columns =
        if view.of.is_native() { machine_code::COLUMNS.to_vec() } else { Head::list([":", "", "", "", "", ""]) };
    Rows::new("", columns, listing.items.len(), move |row| {
        let (view, Some(item)) = (&*view, listing.items.get(row)) else { return Row::default() };
        let token = view.of.token();
        // The brackets are drawn by the pane: here they only take their cells.
        let lane = Cell::new(" ".repeat(listing.lanes.width()));
        match item {
            Item::Machine(item) => listing.native.row(item, view, session),
            Item::Remark { region, words, depth, before } => {
                let indent = "  ".repeat(*depth as usize);
                let words = Cell::toned(format!("{indent}{words}"), Tone::Warn);
                let part = region.map_or(MethodPart::Instruction(*before), |number| MethodPart::Region(number as u32));
                let cells = vec![Cell::default(), lane, Cell::default(), Cell::default(), words];
                Row::at(Place::MethodPart(token, part), cells)
            }
            Item::Instruction { index, depth } => {
                let Some((offset, span)) = view.instructions.get(*index).copied() else { return Row::default() };
                let point = view.point_begins_at(offset);
                let indent = "  ".repeat(*depth as usize);
                let (code, opcode, operand) = match method::instruction(session, offset, span) {
                    Ok(found) => {
                        let code = if found.opcode.code > 0xff { 2 } else { 1 };
                        let mut operand = Cell::toned(view.brief_operand(session, &found), Tone::Dim);
                        operand.to = method::operand_place(token, &found);
                        if operand.to.is_some() {
                            operand.tone = Tone::Text;
                        }
                        (code, Cell::new(format!("{indent}{}", found.opcode.name)), operand)
                    }
                    Err(error) => {
                        (1, Cell::toned("?", Tone::Bad), Cell::toned(session.spaces().error_text(&error), Tone::Bad))
                    }
                };
                let bytes = method::image_bytes(session, span).map_or(&[][..], |slice| slice.data);
                let number = point.map_or(String::new(), |point| (point + 1).to_string());
                let cells = vec![
                    // The sign of a breakpoint in machine code is drawn by the pane.
                    Cell::new(if listing.points.is_empty() { number } else { format!("{number}  ") }),
                    lane,
                    Cell::toned(il_label(offset.into()), Tone::Dim),
                    Cell::toned(hex(bytes.get(..code).unwrap_or(bytes)), Tone::Dim),
                    opcode,
                    operand,
                ];
                Row::at(view.of.code(offset), cells).from(span)
            }
        }
    })
}
