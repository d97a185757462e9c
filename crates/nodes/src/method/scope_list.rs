//! Scopes of a method, with variables and constants.

use crate::code_unit::il::{method_view, scope_text};
use crate::method::hoisted::{HoistedField, hoisted_fields, hoisted_name};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;
use pdblens_session::symbols::{Constant, Variable};

/// A variable that is a field of the state machine, with the field's type.
fn hoisted_row(field: &HoistedField, variable: &Variable, depth: u8) -> Row {
    let cells = vec![
        Cell::new("local"),
        Cell::toned(format!("field {}", field.field), Tone::Dim),
        Cell::new(field.type_name.clone()),
        Cell::toned(field.name.clone(), Tone::Strong),
        Cell::default(),
    ];
    Row { place: variable.record.map(Place::from), depth, ..Row::plain(cells).from(variable.span) }
}

fn constant_row(constant: &Constant, depth: u8) -> Row {
    let cells = vec![
        Cell::new("const"),
        Cell::default(),
        Cell::new(constant.type_name.clone()),
        Cell::toned(constant.name.clone(), Tone::Strong),
        Cell::new(constant.value.clone()),
    ];
    Row { place: constant.record.map(Place::from), depth, ..Row::plain(cells).from(constant.span) }
}

pub(crate) fn scope_list(session: &Session, method: Token) -> Rows<'_> {
    let view = method_view(session, method);
    let mut variables = view.scopes.iter().flat_map(|scope| &scope.variables);
    let is_hoisted = variables.any(|variable| hoisted_name(&variable.name).is_some());
    let hoisted = if is_hoisted { hoisted_fields(session, method) } else { Vec::new() };
    let mut rows = Vec::new();
    for scope in &view.scopes {
        let range =
            if scope.is_unbounded() { Cell::new(scope_text(scope)) } else { Cell::il_range(scope.start, scope.end()) };
        let range = range.beside("end exclusive");
        let place = scope.record.map(Place::from);
        rows.push(Row {
            place,
            depth: scope.depth,
            ..Row::plain(vec![Cell::new("scope").to(place), range, Cell::default(), Cell::default(), Cell::default()])
                .from(scope.span)
        });
        for variable in &scope.variables {
            // Visual Basic names the field of the state machine that the variable is.
            if let Some(field) = hoisted.iter().find(|field| field.field == variable.name) {
                rows.push(hoisted_row(field, variable, scope.depth.saturating_add(1)));
                continue;
            }
            let hidden = if variable.hidden { "hidden from the debugger" } else { "" };
            rows.push(Row {
                place: variable.record.map(Place::from),
                depth: scope.depth.saturating_add(1),
                ..Row::plain(vec![
                    Cell::new(if variable.is_argument { "argument" } else { "local" }),
                    Cell::toned(variable.storage(), Tone::Dim),
                    Cell::new(view.type_of(session, variable)),
                    Cell::toned(variable.name.clone(), Tone::Strong),
                    Cell::toned(hidden, Tone::Dim),
                ])
                .from(variable.span)
            });
        }
        rows.extend(scope.constants.iter().map(|constant| constant_row(constant, scope.depth.saturating_add(1))));
    }
    let columns = Head::list(["kind", "where", "type", "name", "value"]);
    Rows::of(format!("{} · scopes", session.method_name(method)), columns, rows)
}
