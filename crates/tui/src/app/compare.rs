//! Comparison of two builds: which, and how it comes on the screen.

use std::sync::Arc;

use crate::app::App;
use crate::state::effect::Effect;
use crate::state::view::View;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::inputs::Unit;
use pdblens_session::session::{OpenError, Session};

impl App {
    /// Compares the two files of the command line, which are no pair, if they have one name; for others says how to compare them.
    pub(super) fn compare_named(&mut self, error: OpenError) -> Result<Vec<Effect>, OpenError> {
        let mut remark = None;
        if let OpenError::Several { paths, choices } = &error
            && let ([old, new], [_, _]) = (paths.as_slice(), choices.as_slice())
        {
            if old.file_name() == new.file_name() {
                self.first_compared = Some(old.clone());
                return Ok(self.stage.files.open_unit(Unit::of_files(vec![new.clone()])));
            }
            let text = "two files, but no pair: choose one · `pdblens --compare OLD NEW` compares two builds";
            remark = Some(Effect::status(Tone::Text, text.to_owned()));
        }
        let mut effects = self.stage.files.list_several(error)?;
        effects.extend(remark);
        Ok(effects)
    }

    /// Shows what differs between a build that was opened and the shown one, or a newer one, which is shown then.
    pub(super) fn take_compared(
        &mut self,
        opened: Result<Arc<Session>, OpenError>,
        after: Option<Arc<Session>>,
    ) -> Vec<Effect> {
        match opened {
            Ok(before) => {
                if let Some(after) = after {
                    self.switcher().visit(after, Place::Overview.into());
                }
                self.stage.files.compare(before);
                self.enter_view(View::Compare);
                self.stage.show_pane_result();
            }
            Err(error) => self.stage.set_status(Tone::Bad, error.to_string()),
        }
        Vec::new()
    }

    /// Shows the comparison; asks for another build where it is shown already, or nothing is compared.
    pub(super) fn show_comparison(&mut self) -> Vec<Effect> {
        if self.stage.files.compared().is_none() || self.stage.navigation.view() == View::Compare {
            return self.stage.files.comparison_prompt();
        }
        self.enter_view(View::Compare);
        Vec::new()
    }
}
