//! The texts that copying takes from the selection, where the focused pane has none.

use crate::engine::action::Action;
use crate::state::selection::SelectionContext;
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::{self as nodes, Place, document};
use pdblens_query::shell_command::command;
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

/// The limit of a hex copy, in bytes.
const MAX_BYTES: u64 = 1 << 20;

pub fn text(action: Action, session: &Session, selected: &SelectionContext) -> Option<String> {
    let place = selected.selection.place;
    let fields = selected.shown();
    match action {
        Action::CopyAddress => Some(place.to_string()),
        Action::CopyHex => {
            let span = selected.selection.part.or(selected.span())?;
            (span.len <= MAX_BYTES).then(|| session.spaces().read(span).ok().map(|bytes| hex(&bytes)))?
        }
        Action::CopyValue => {
            let fields = fields?;
            let at = selected.selection.part.and_then(|part| fields.at(part));
            let row = at.and_then(|index| fields.rows.get(index)).or_else(|| fields.leaves().next())?;
            Some(row.value.clone())
        }
        Action::CopyRow => fields.map(|fields| {
            let line = |row: &FieldRow| format!("{}\t{}\t{}", row.name, row.value, row.meaning);
            fields.rows.iter().map(line).collect::<Vec<_>>().join("\n")
        }),
        Action::CopyJson => fields.map(|fields| {
            let field = |row: &FieldRow| {
                serde_json::json!({ "name": row.name, "offset": row.span.start, "length": row.span.len, "value": row.value, "meaning": row.meaning })
            };
            let rows: Vec<_> = fields.rows.iter().map(field).collect();
            serde_json::json!({ "place": place.to_string(), "fields": rows }).to_string()
        }),
        Action::CopyCommand => Some(match place {
            Place::Line(row, line) => {
                let name = document::name(session, row).unwrap_or_default();
                command(session, "break", &format!("{name}:{line}"))
            }
            Place::Trace => return None,
            // A list has no fields.
            place => {
                let is_record = selected.fields.is_ok() || selected.required_index.is_some();
                let is_list = !is_record && nodes::rows(session, place).is_some();
                command(session, if is_list { "list" } else { "show" }, &place.to_string())
            }
        }),
        _ => None,
    }
}
