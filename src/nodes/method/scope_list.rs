//! Scopes of a method, with variables and constants.

use crate::formats::metadata::Token;
use crate::nodes::Place;
use crate::nodes::code_unit::il_label;
use crate::nodes::method::view::method_view;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;

/// The scopes of a method, and in each its variables and constants.
pub(crate) fn scope_list(session: &Session, method: Token) -> Rows<'_> {
    let view = method_view(session, method);
    let mut rows = Vec::new();
    for scope in &view.scopes {
        let range = format!("{}–{}", il_label(scope.start.into()), il_label(scope.end() as i64));
        let mut cell = Cell::new("scope");
        let place = scope.record.map(Place::from);
        cell.to = place;
        rows.push(Row {
            place,
            span: Some(scope.span),
            depth: scope.depth,
            cells: vec![cell, Cell::new(range), Cell::default(), Cell::default(), Cell::default()],
        });
        for variable in &scope.variables {
            let kind = view.local_types.get(variable.slot as usize).cloned().unwrap_or_default();
            let hidden = if variable.hidden { "hidden from the debugger" } else { "" };
            rows.push(Row {
                place: variable.record.map(Place::from),
                span: Some(variable.span),
                depth: scope.depth.saturating_add(1),
                cells: vec![
                    Cell::new("local"),
                    Cell::toned(format!("slot {}", variable.slot), Tone::Dim),
                    Cell::new(kind),
                    Cell::toned(variable.name.clone(), Tone::Strong),
                    Cell::toned(hidden, Tone::Dim),
                ],
            });
        }
        for constant in &scope.constants {
            rows.push(Row {
                place: constant.record.map(Place::from),
                span: Some(constant.span),
                depth: scope.depth.saturating_add(1),
                cells: vec![
                    Cell::new("const"),
                    Cell::default(),
                    Cell::new(constant.type_name.clone()),
                    Cell::toned(constant.name.clone(), Tone::Strong),
                    Cell::new(constant.value.clone()),
                ],
            });
        }
    }
    let columns =
        vec![Head::text("kind"), Head::text("where"), Head::text("type"), Head::text("name"), Head::text("value")];
    Rows::of(format!("{} · scopes", session.method_name(method)), columns, rows)
}
