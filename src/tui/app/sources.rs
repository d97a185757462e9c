//! Source paths that the user adds, and texts that are fetched from URLs: only after the user has allowed to contact the host.

use crate::nodes::document;
use std::sync::Arc;
use std::time::Duration;

use super::App;
use crate::nodes::rows::Tone;
use crate::source::{Fetched, MAX_SOURCE_SIZE, Outcome, SourceOptions, fetch};
use crate::store::http::{Http, Limits, host};
use crate::text::safe::count;
use crate::tui::core::jobs::Queue;
use crate::tui::overlays::confirm::Confirm;
use crate::tui::overlays::path_prompt::PathPrompt;
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};
use crate::tui::state::paths::{Paths, SourcePath};
use crate::tui::state::texts::TextState;

/// The total size of fetched texts in memory, in bytes.
const MAX_FETCHED: usize = 256 << 20;

/// Limits for texts are stricter than those for symbols.
fn http() -> Http {
    let total = Duration::from_secs(120);
    Http::new(Limits { total, most: MAX_SOURCE_SIZE, other_hosts: false, ..Limits::default() })
}

fn fetch_job(url: String) -> Effect {
    let label = format!("fetching {url}");
    let job = Job::new(label, "fetch", move |token| {
        let found = fetch(&http(), &url, &mut |done, total| token.report_transfer(done, total));
        Msg::SourceFetched(url, found)
    });
    Effect::Start(job.on(Queue::Network))
}

impl App {
    /// Asks for a source path.
    pub(super) fn ask_for_sources(&mut self) -> Vec<Effect> {
        let document = self.selected.as_ref().and_then(|context| context.document);
        let name = self.session.as_ref().zip(document).and_then(|(session, row)| document::name(session, row));
        let note = match name {
            Some(name) => format!("Files are matched by the end of the path in the PDB: {name}"),
            None => "Files are matched by the end of the path in the PDB.".to_owned(),
        };
        let title = "Source folder: a path, or OLD=NEW";
        let prompt = PathPrompt::new(title, note, true, |text| {
            let job = Job::new(format!("looking at {text}"), "source root", move |_| {
                Msg::SourcePathChecked(SourcePath::parse(&text))
            });
            vec![Effect::Start(job)]
        });
        self.open_prompt(prompt)
    }

    /// Adds a source path: it precedes the others.
    pub(super) fn add_source_path(&mut self, path: SourcePath) {
        let mut sources = self.paths.sources.clone();
        let place = match path {
            SourcePath::Root(root) => {
                let shown = root.display().to_string();
                sources.roots.retain(|known| *known != root);
                sources.roots.insert(0, root);
                shown
            }
            SourcePath::Map(map) => {
                let shown = map.new.display().to_string();
                sources.maps.retain(|known| *known != map);
                sources.maps.insert(0, map);
                shown
            }
        };
        self.set_sources(sources);
        self.set_status(Tone::Text, format!("searching for all sources again, also in {place}"));
    }

    /// Replaces the source paths: all texts are searched for again.
    fn set_sources(&mut self, sources: SourceOptions) {
        self.paths = Arc::new(Paths { sources, ..Paths::clone(&self.paths) });
        self.texts.invalidate();
        self.refresh_panes();
    }

    /// Fetches the text of the document that shows; asks before the first request to a host.
    pub(super) fn fetch_source(&mut self) -> Vec<Effect> {
        let Some(document) = self.selected.as_ref().and_then(|context| context.document) else {
            self.set_status(Tone::Dim, "select a document or a method first: its source is fetched");
            return Vec::new();
        };
        let Some(search) = self.texts.search(document) else {
            self.set_status(Tone::Dim, "the search for the source is still running");
            return Vec::new();
        };
        let Some(url) = search.url.clone() else {
            self.set_status(Tone::Dim, self.no_fetch_reason(document));
            return Vec::new();
        };
        let Some(host) = host(&url) else {
            self.set_status(Tone::Bad, format!("{url}: not an http or https URL"));
            return Vec::new();
        };
        if self.allowed_hosts.contains(&host) {
            return vec![fetch_job(url)];
        }
        let text =
            vec![url.clone(), format!("This contacts {host}. The download is checked against the hash in the PDB.")];
        let title = format!("Fetch from {host}?");
        self.open_overlay(Confirm::new(title, text, "fetch", Msg::HostConfirmed(host, url)));
        Vec::new()
    }

    /// Remembers that a host may be contacted, and fetches a URL from it.
    pub(super) fn allow_host(&mut self, host: String, url: String) -> Vec<Effect> {
        self.allowed_hosts.insert(host);
        vec![fetch_job(url)]
    }

    fn no_fetch_reason(&self, document: u32) -> String {
        let search = self.texts.search(document);
        let refused =
            search.into_iter().flat_map(|search| &search.tried).rev().find_map(|tried| match &tried.outcome {
                Outcome::Refused(why) => Some(format!("{}: {why}", tried.origin)),
                _ => None,
            });
        match self.texts.get(document) {
            Some(TextState::Found(text)) if text.verdict.is_verified() => {
                "the source is already verified: nothing to fetch".to_owned()
            }
            _ => refused.unwrap_or_else(|| "the PDB has no URL for this document".to_owned()),
        }
    }

    /// Takes the answer of a URL: documents with this URL are searched for again.
    pub(super) fn take_fetched(&mut self, url: String, found: Fetched) {
        let (tone, message) = match &found {
            Ok(bytes) => (Tone::Text, format!("fetched {} from {url}", count(bytes.len() as u64, "byte"))),
            Err(outcome) => (Tone::Bad, format!("{url}: {outcome}")),
        };
        let mut sources = SourceOptions::clone(&self.paths.sources);
        let size = |found: &Fetched| found.as_ref().map_or(0, |bytes| bytes.len());
        if sources.fetched.values().map(size).sum::<usize>() + size(&found) > MAX_FETCHED {
            sources.fetched.clear();
        }
        sources.fetched.insert(url, found);
        self.set_sources(sources);
        self.set_status(tone, message);
    }
}
