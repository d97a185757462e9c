//! Actions that the app handles itself.

use ratatui::layout::Rect;

use crate::app::files::OPEN;
use crate::app::why::why_job;
use crate::app::{App, link, teach};
use crate::engine::action::Action;
use crate::overlays::about::AboutPanel;
use crate::overlays::{glossary, help, palette, themes};
use crate::panes::pane::PaneInput;
use crate::panes::player::Learn;
use crate::state::effect::{Command, Effect};
use crate::state::message::Msg;
use crate::state::page;
use crate::state::view::{TABS, View};
use crate::ui::list_filter::SearchMode;
use pdblens_learn::glossary::terms_in;
use pdblens_nodes::rows::Tone;

impl App {
    /// Performs an action that neither an overlay nor a pane has handled.
    pub(super) fn perform_own(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::View(number) => match TABS.get(usize::from(number).wrapping_sub(1)) {
                Some(def) => self.enter_tab(def.first.tab()),
                None => self.stage.set_status(Tone::Dim, "no such view"),
            },
            Action::NextPane => self.stage.navigation.step_focus(&self.stage.layout.areas().slots, true),
            Action::PreviousPane => self.stage.navigation.step_focus(&self.stage.layout.areas().slots, false),
            Action::FoldBytes => self.stage.fold_bytes(),
            Action::Zoom => self.stage.layout.toggle_zoom(),
            Action::Back
                if self.stage.navigation.is_first_step(self.stage.files.session())
                    && let Some(listing) = self.stage.files.listing_of_shown() =>
            {
                return listing;
            }
            Action::Back | Action::Forward => self.switcher().go_back(action == Action::Back),
            Action::Tables => self.enter_view(View::Tables),
            Action::ByType => self.enter_view(View::Methods),
            Action::ByFile => self.enter_view(View::Sources),
            Action::Order => return self.change_order(),
            Action::Menu => self.open_menu(),
            Action::Parent if self.leave_table() => {}
            Action::Parent => {
                match self.stage.navigation.selected().and_then(|selected| selected.selection.place.parent()) {
                    Some(parent) => self.stage.go(parent.into()),
                    None => self.stage.set_status(Tone::Dim, "already at the top level"),
                }
            }
            Action::NextPoint => return self.stage.navigation.step_point(true).into_iter().collect(),
            Action::PreviousPoint => return self.stage.navigation.step_point(false).into_iter().collect(),
            Action::ResetSplits => return self.stage.layout.reset_splits(),
            Action::UsedBy => _ = self.show_users(),
            Action::RefusedPoints => return vec![Effect::Update(Box::new(Msg::RefusedWanted(String::new())))],
            Action::MachineCode => self.toggle_machine(),
            Action::Sort => match self.stage.slot_to_sort() {
                Some(slot) => return self.stage.tell(slot, PaneInput::Do(action)).unwrap_or_default(),
                None => self.stage.set_status(Tone::Dim, "the focused pane has no list to sort"),
            },
            Action::Find => return self.search.begin(&mut self.stage, SearchMode::Find),
            Action::Filter => return self.search.begin(&mut self.stage, SearchMode::Filter),
            Action::NextMatch | Action::PreviousMatch => {
                self.search.find_again(&mut self.stage, action == Action::NextMatch);
            }
            Action::Explain => self.stage.open_overlay(AboutPanel::default()),
            Action::WhatIf => self.on_cursor().ask_what_if(),
            Action::Learn => return self.open_player(),
            Action::HideAnswers => self.stage.set_status(Tone::Dim, "only the player has values to cover: . opens it"),
            Action::Why => {
                let asked = self.stage.files.session().cloned().zip(self.selected());
                let job =
                    asked.map(|(session, here)| why_job(session, here, self.stage.files.paths(), &self.stage.glyphs));
                return job.into_iter().collect();
            }
            Action::Cancel => return self.cancel(),
            _ => return self.perform_command(action),
        }
        Vec::new()
    }

    /// Performs an action that opens an overlay, changes a setting or concerns the program.
    fn perform_command(&mut self, action: Action) -> Vec<Effect> {
        if let Some(why) = page::unavailable(action).filter(|_| self.in_page) {
            return vec![Effect::status(Tone::Warn, why)];
        }
        match action {
            Action::GoTo => {
                let text = self.search.failed(&self.stage);
                if !text.is_empty() {
                    self.stage.status = None;
                }
                return self.on_cursor().ask(&text);
            }
            Action::FindInSources => return vec![Effect::Update(Box::new(Msg::TextSought(String::new())))],
            Action::Findings => {
                return self.stage.files.opened.findings(self.stage.files.paths()).into_iter().collect();
            }
            Action::Palette => self.stage.open_overlay(palette::palette()),
            Action::Help => self.stage.open_overlay(help::help(self.hints().help_lines())),
            Action::Glossary => {
                let of_row = || {
                    self.stage.text_of_row(Rect::ZERO, (true, usize::MAX)).map_or_else(Vec::new, |text| terms_in(&text))
                };
                let terms = self.stage.player_in(self.stage.navigation.focus()).map_or_else(of_row, Learn::terms);
                self.stage.open_overlay(glossary::glossary(terms));
            }
            Action::Coverage => {
                return self.stage.files.session().cloned().map(teach::count_coverage).into_iter().collect();
            }
            Action::Handout => return self.on_cursor().ask_for_handout(),
            Action::Programs => return link::open_programs(self),
            Action::Export => return self.on_cursor().ask_for_export(),
            Action::Editor => return vec![self.on_cursor().open_editor()],
            Action::Copy
            | Action::CopyValue
            | Action::CopyHex
            | Action::CopyAddress
            | Action::CopyRow
            | Action::CopyJson
            | Action::CopyCommand
            | Action::CopyLink
            | Action::CopyTrace => return self.on_cursor().copy(action),
            Action::Mouse => {
                self.mouse = !self.mouse;
                let text = if self.mouse {
                    "mouse captured: click, wheel, double-click to follow, drag a divider"
                } else {
                    "mouse released: select text as usual"
                };
                self.stage.set_status(Tone::Text, text);
                return vec![Command::CaptureMouse(self.mouse).into()];
            }
            Action::Theme => self.stage.open_overlay(themes::themes(&self.themes, &self.stage.theme.name)),
            Action::PasteTrace => {
                self.enter_view(View::Trace);
                self.stage.set_status(Tone::Text, "paste the stack trace now");
            }
            Action::ReadAgain => return vec![super::show::read_threads(self.threads.as_ref())],
            Action::Redraw => return vec![Command::Redraw.into()],
            Action::Quit => return self.switcher().leave_files().into_iter().chain([Command::Quit.into()]).collect(),
            Action::OpenFile => return self.stage.files.file_prompt().open(),
            Action::Compare => return self.show_comparison(),
            Action::SwitchFile => return vec![self.stage.files.list()],
            Action::SetMark | Action::GoToMark => {
                let prompt = self.stage.navigation.mark_prompt(action == Action::SetMark, self.stage.glyphs.step);
                self.stage.open_overlay(prompt);
            }
            Action::CloseFile => self.switcher().close_file(),
            Action::FetchSource => return self.stage.files.fetch_source(self.stage.navigation.document()),
            Action::Symbols => return self.stage.files.look_prompt(self.stage.navigation.document()).open(),
            _ => {}
        }
        Vec::new()
    }

    /// Clears the search, else cancels the running job, the zoom or the message. Without the first files there is nothing to show:
    /// cancelling their job ends the program, as closing the list of a container does.
    fn cancel(&mut self) -> Vec<Effect> {
        if self.search.clear(&mut self.stage) {
            return Vec::new();
        }
        match self.jobs.cancel(self.now) {
            Some(_) if self.stage.files.session().is_none() && !self.jobs.is_running(OPEN) => {
                return vec![Command::Quit.into()];
            }
            Some(label) => {
                self.stage.stop_search();
                self.stage.set_status(Tone::Warn, format!("stopped {label}"));
            }
            None if self.stage.layout.is_zoomed() => self.stage.layout.toggle_zoom(),
            None => self.stage.status = None,
        }
        Vec::new()
    }
}
