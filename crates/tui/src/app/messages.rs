//! Handling of messages: the results of jobs.

use super::App;
use crate::state::effect::Effect;
use crate::state::message::Msg;
use pdblens_nodes::rows::Tone;
use pdblens_query::search::Index;
use pdblens_session::session::why_not_read;
use pdblens_session::text::safe::utf8;

impl App {
    /// Handles a message.
    pub(super) fn receive(&mut self, message: Msg) -> Vec<Effect> {
        self.dirty |= !matches!(message, Msg::FilesSeen(..));
        match message {
            Msg::Opened(opened) => return self.take_opened(opened),
            Msg::FileOpened(opened) => return self.take_file(opened),
            Msg::OperandFollowed(to) => return vec![self.follow_operand(to)],
            Msg::RecentChosen(files) => return Self::open_recent(files),
            Msg::UnitChosen(unit) => return self.open_unit(unit),
            Msg::ContainerListed(paths, Ok(units)) => return self.list_container(&paths, units),
            Msg::ContainerListed(_, Err(error)) => self.set_status(Tone::Bad, error.to_string()),
            Msg::SymbolsSearched(found) => return self.take_symbols(found),
            Msg::SymbolsNamed(opened) => return self.take_named_symbols(opened),
            Msg::Indexed(index) => return self.take_names(index),
            Msg::LazyIndexBuilt => self.reselect(),
            Msg::FunctionsRead => self.show_late_home(),
            Msg::SourceRead(document, text) => {
                self.texts.insert(document, text);
                self.refresh_panes();
                return self.request_text().into_iter().collect();
            }
            Msg::Highlighted(document, text, highlighter) => {
                self.texts.set_highlighting(document, &text, highlighter);
            }
            Msg::DocumentInfoRead(document, info) => {
                self.texts.info.insert(document, info);
                self.refresh_panes();
                return self.request_document_info().into_iter().collect();
            }
            Msg::SourcePathChecked(Ok(path)) => self.add_source_path(path),
            Msg::SymbolPathChecked(Ok(path)) => return self.confirm_symbol_path(path),
            Msg::SourcePathChecked(Err(reason)) | Msg::SymbolPathChecked(Err(reason)) => {
                self.set_status(Tone::Bad, reason);
            }
            Msg::SymbolPathConfirmed(path) => return self.add_symbol_path(path),
            Msg::SourcesWanted(documents) => return self.fetch_sources(&documents),
            Msg::ExtractWanted => return self.ask_for_extraction(),
            Msg::HostsConfirmed(hosts, urls) => return self.allow_hosts(hosts, urls),
            Msg::SourcesFetched(found) => self.take_fetched(found),
            Msg::Reported(tone, text) => self.set_status(tone, text),
            Msg::TraceFileRead(_, Ok(bytes)) => self.show_trace(&utf8(&bytes)),
            Msg::TraceFileRead(path, Err(error)) => {
                self.set_status(Tone::Bad, format!("{path}: {}", why_not_read(&error)));
            }
            Msg::ChainFollowed(session, steps) => self.take_chain(&session, steps.map(|steps| *steps)),
            Msg::TraceResolved => self.show_resolved_trace(),
            Msg::FilesSeen(session, stamps) => return self.take_stamps(session, stamps),
            Msg::FilesReread(opened) => self.take_reread(opened),
            Msg::ThemeChosen(name) => self.theme = self.theme.changed_to(name),
            Msg::ThemeKept(name) => return vec![self.layout.keep_theme(name)],
            Msg::CoverageCounted(found) => self.take_coverage(found),
            Msg::Marked(sets, letter) => {
                return self.navigation.take_mark(sets, letter, self.session.as_ref()).into_iter().collect();
            }
            Msg::RestartWanted(key) => return self.ask_to_restart(key),
            Msg::RestartConfirmed(key) => return self.restart_lesson(&key),
            Msg::PaneReady => self.show_pane_result(),
            Msg::ListSorted => self.show_sorted_list(),
            Msg::OverlayReady => return self.refresh_overlay(),
            Msg::Redraw => {}
        }
        Vec::new()
    }

    fn take_names(&mut self, index: Index) -> Vec<Effect> {
        // A second index has the same names.
        let _ = self.names.set(index);
        self.refresh_overlay()
    }

    /// Says what a job had to leave out, when it is new: the list of findings has it from then on.
    pub(super) fn report_left_out(&mut self) {
        let left_out = self.session.as_ref().map_or_else(Vec::new, |session| session.spaces().budget().left_out());
        if let Some(part) = left_out.get(self.left_out_count..).and_then(<[_]>::last) {
            self.set_status(Tone::Warn, part.to_string());
        }
        self.left_out_count = left_out.len();
    }
}
