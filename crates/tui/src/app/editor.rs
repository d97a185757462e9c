//! The user's editor, opened at the selected line.

use super::files::Files;
use crate::engine::editor::SourceLine;
use crate::state::selection::SelectionContext;
use crate::state::texts::TextState;
use pdblens_nodes::{Place, document};
use pdblens_session::source::Origin;

/// The file of the selection's document with the selected line; the error is a sentence. `folder_key` sets the source folder.
pub(super) fn selected_line(
    selected: Option<&SelectionContext>,
    files: &Files,
    folder_key: &str,
) -> Result<SourceLine, String> {
    let Some((selected, document)) = selected.and_then(|selected| Some((selected, selected.document?))) else {
        let is_frame = selected.is_some_and(|selected| selected.selection.place == Place::Trace);
        let reason = if is_frame {
            "no source is known for this line of the trace: Enter says why"
        } else {
            "select a document, a point or a frame first: its source is opened"
        };
        return Err(reason.to_owned());
    };
    let name = || files.session().and_then(|session| document::name(session, document)).unwrap_or_default();
    match files.texts().get(document) {
        Some(TextState::Found(text)) => match &text.from {
            Origin::File(path) => {
                let lines = selected.lines;
                let column = lines.and_then(|lines| lines.columns).map_or(1, |(start, _)| start);
                Ok(SourceLine { path: path.clone(), line: lines.map_or(1, |lines| lines.start), column })
            }
            from => Err(format!(
                "this text is not a file on this machine ({}): {folder_key} sets the source folder",
                from.name()
            )),
        },
        Some(TextState::NotFound(_)) => Err(format!("{} was not found: {folder_key} sets the source folder", name())),
        Some(TextState::Loading) | None => Err("the source is still being read".to_owned()),
    }
}
