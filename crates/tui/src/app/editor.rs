//! The user's editor, opened at the selected line.

use super::App;
use crate::engine::action::Action;
use crate::engine::editor::SourceLine;
use crate::state::effect::{Command, Effect};
use crate::state::texts::TextState;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{Place, document};
use pdblens_session::source::Origin;

impl App {
    /// Opens the source of the selection in the editor, where it is a file.
    pub(super) fn open_editor(&mut self) -> Vec<Effect> {
        let line = self.facts(self.navigation.focus()).and_then(|facts| facts.source_line);
        match line.map_or_else(|| self.selected_line(), Ok) {
            Ok(at) => vec![Command::Edit(at).into()],
            Err(reason) => {
                self.set_status(Tone::Dim, reason);
                Vec::new()
            }
        }
    }

    /// The file of the selection's document with the selected line; the error is a sentence.
    fn selected_line(&self) -> Result<SourceLine, String> {
        let selected = self.navigation.selected();
        let Some((selected, document)) = selected.and_then(|selected| Some((selected, selected.document?))) else {
            let is_frame = selected.is_some_and(|selected| selected.selection.place == Place::Trace);
            let reason = if is_frame {
                "no source is known for this line of the trace: Enter says why"
            } else {
                "select a document, a point or a frame first: its source is opened"
            };
            return Err(reason.to_owned());
        };
        let name = || self.session.as_ref().and_then(|session| document::name(session, document)).unwrap_or_default();
        let folder = self.key_of(Action::SourceRoot);
        match self.texts.get(document) {
            Some(TextState::Found(text)) => match &text.from {
                Origin::File(path) => {
                    let lines = selected.lines;
                    let column = lines.and_then(|lines| lines.columns).map_or(1, |(start, _)| start);
                    Ok(SourceLine { path: path.clone(), line: lines.map_or(1, |lines| lines.start), column })
                }
                from => Err(format!(
                    "this text is not a file on this machine ({}): {folder} sets the source folder",
                    from.name()
                )),
            },
            Some(TextState::NotFound(_)) => Err(format!("{} was not found: {folder} sets the source folder", name())),
            Some(TextState::Loading) | None => Err("the source is still being read".to_owned()),
        }
    }
}
