//! Actions that the app handles itself.

use crate::app::registry::VIEWS;
use crate::app::{App, OPEN_SLOT};
use crate::engine::action::Action;
use crate::overlays::help;
use crate::overlays::open_trace;
use crate::overlays::palette;
use crate::overlays::themes;
use crate::state::effect::{Command, Effect};
use crate::state::view::View;
use crate::ui::list_filter::SearchMode;
use pdblens_nodes::code_unit;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::rows::Tone;

/// The limit of a repeat count.
const MAX_REPEAT: usize = 1000;

impl App {
    /// Performs an action that neither an overlay nor a pane has handled.
    pub(super) fn perform_own(&mut self, action: Action, count: Option<usize>) -> Vec<Effect> {
        let times = count.unwrap_or(1).min(MAX_REPEAT);
        match action {
            Action::View(number) => match VIEWS.get(usize::from(number).wrapping_sub(1)) {
                Some(def) => self.enter_view(def.view),
                None => self.set_status(Tone::Dim, "no such view"),
            },
            Action::NextPane => self.navigation.step_focus(&self.layout.areas().slots, true),
            Action::PreviousPane => self.navigation.step_focus(&self.layout.areas().slots, false),
            Action::Zoom => self.layout.toggle_zoom(),
            Action::Back | Action::Forward => (0..times).for_each(|_| self.go_back(action == Action::Back)),
            Action::Parent => match self.navigation.selected().and_then(|selected| selected.selection.place.parent()) {
                Some(parent) => self.go(parent.into()),
                None => self.set_status(Tone::Dim, "already at the top level"),
            },
            Action::NextPoint => return self.navigation.step_point(true, times as u32).into_iter().collect(),
            Action::PreviousPoint => return self.navigation.step_point(false, times as u32).into_iter().collect(),
            Action::Wider | Action::Narrower | Action::Taller | Action::Shorter | Action::ResetSplits => {
                return self.layout.resize_pane(action, self.navigation.view(), self.navigation.focus());
            }
            Action::Sort => self.set_status(Tone::Dim, "the focused pane has no list to sort"),
            Action::Find => return self.search(SearchMode::Find),
            Action::Filter => return self.search(SearchMode::Filter),
            Action::NextMatch | Action::PreviousMatch => {
                (0..times).for_each(|_| self.find_again(action == Action::NextMatch));
            }
            Action::Explain => self.open_about(),
            Action::WhatIf => self.ask_what_if(),
            Action::Learn => return self.open_player(),
            Action::HideAnswers | Action::Predict | Action::NextBit | Action::PreviousBit => {
                self.set_status(
                    Tone::Dim,
                    "only the player has values to hide, predict and read bit by bit: . opens it",
                );
            }
            Action::Cancel => return self.cancel(),
            Action::PasteTrace => {
                self.enter_view(View::Trace);
                self.set_status(Tone::Text, "paste the stack trace now");
            }
            _ => return self.perform_command(action),
        }
        Vec::new()
    }

    /// Performs an action that opens an overlay, changes a setting or concerns the program.
    fn perform_command(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::GoTo | Action::FindAnything => {
                let text = self.failed_search();
                self.status = self.status.take().filter(|_| text.is_empty());
                return self.ask(&text);
            }
            Action::GoToken => return self.ask("0x06"),
            Action::GoOffset => return self.ask("file 0x"),
            Action::GoInstruction => return self.ask(&self.current_code_prefix()),
            Action::Palette => self.open_overlay(palette::palette()),
            Action::Help => self.open_overlay(help::help()),
            Action::Glossary => self.open_glossary(),
            Action::Coverage => return self.count_coverage(),
            Action::Handout => return self.ask_for_handout(),
            Action::Export => return self.ask_for_export(),
            Action::Editor => return self.open_editor(),
            Action::CopyValue
            | Action::CopyHex
            | Action::CopyAddress
            | Action::CopyRow
            | Action::CopyJson
            | Action::CopyCommand
            | Action::CopyTrace => return self.copy(action),
            Action::Mouse => {
                self.mouse = !self.mouse;
                let text = if self.mouse {
                    "mouse captured: click, wheel, double-click to follow, drag a divider"
                } else {
                    "mouse released: select text as usual"
                };
                self.set_status(Tone::Text, text);
                return vec![Command::CaptureMouse(self.mouse).into()];
            }
            Action::Theme => {
                let overlay = themes::themes(self.theme.name);
                self.open_overlay(overlay);
            }
            Action::Redraw => return vec![Command::Redraw.into()],
            Action::Suspend => return vec![Command::Suspend.into()],
            Action::Quit => return vec![Command::Quit.into()],
            Action::OpenFile => return self.ask_for_file(),
            Action::SwitchFile => return self.choose_file(),
            Action::SetMark | Action::GoToMark => {
                let prompt = self.navigation.mark_prompt(action == Action::SetMark, self.glyphs.step);
                self.open_overlay(prompt);
            }
            Action::CloseFile => self.close_file(),
            Action::OpenTrace => return self.open_prompt(open_trace::open_trace()),
            Action::SourceRoot => return self.ask_for_sources(),
            Action::FetchSource => return self.fetch_source(),
            Action::Symbols => return self.ask_for_symbols(),
            _ => {}
        }
        Vec::new()
    }

    /// Clears the search, else cancels the running job, the zoom or the message. Without the first files there is nothing to show:
    /// cancelling their job ends the program, as closing the list of a container does.
    fn cancel(&mut self) -> Vec<Effect> {
        if self.clear_search() {
            return Vec::new();
        }
        match self.jobs.cancel(self.now) {
            Some(_) if self.session.is_none() && !self.jobs.is_running(OPEN_SLOT) => return vec![Command::Quit.into()],
            Some(label) => {
                self.stop_search();
                self.set_status(Tone::Warn, format!("stopped {label}"));
            }
            None if self.layout.is_zoomed() => self.layout.toggle_zoom(),
            None => self.status = None,
        }
        Vec::new()
    }

    /// The current method or function as the prompt takes it, up to an offset.
    fn current_code_prefix(&self) -> String {
        let of = self.navigation.selected().and_then(|selected| selected.method.as_ref()).map(|view| view.of);
        match (of, &self.session) {
            (Some(CodeUnit::Function(_)), Some(session)) => {
                of.map_or_else(String::new, |of| format!("{}+0x", code_unit::name(session, of)))
            }
            (Some(of), _) => format!("{of}+0x"),
            (None, _) => String::new(),
        }
    }
}
