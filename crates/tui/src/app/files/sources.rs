//! Source paths that the user adds, and texts that are fetched from URLs: only after the user has allowed to contact the host.

use std::collections::HashSet;
use std::sync::Arc;

use super::Files;
use crate::engine::jobs::Queue;
use crate::overlays::confirm::Confirm;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::{Paths, SourcePath, expand_home};
use crate::state::texts::TextState;
use pdblens_nodes::rows::Tone;
use pdblens_query::extract::{Part, extract};
use pdblens_session::source::{Fetched, Outcome, SourceOptions, Sources, fetch, limits};
use pdblens_session::store::http::{Http, Limits, host};
use pdblens_session::store::new_file::Existing;
use pdblens_session::text::paths::without_passwords;
use pdblens_session::text::safe::count;

/// The total size of fetched texts in memory, in bytes.
const MAX_FETCHED: usize = 256 << 20;
const MAX_FETCHES: usize = 5000;

/// Client for texts, which stays with the hosts that were agreed to.
fn http() -> Http {
    Http::new(Limits { other_hosts: false, ..limits() })
}

fn fetch_job(urls: Vec<String>) -> Effect {
    let label = match urls.as_slice() {
        [url] => format!("fetching {}", without_passwords(url)),
        several => format!("fetching {}", count(several.len() as u64, "source")),
    };
    let job = Job::new(label, "fetch", move |token| {
        let mut found = Vec::new();
        for url in urls {
            if token.is_cancelled() {
                break;
            }
            let text = fetch(&http(), &url, &mut |done, total| token.report_transfer(done, total));
            found.push((url, text));
        }
        Msg::SourcesFetched(found)
    });
    Effect::Start(job.on(Queue::Own))
}

impl Files {
    /// Adds a source path: it precedes the others.
    pub(in crate::app) fn add_source_path(&mut self, path: SourcePath) -> Vec<Effect> {
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
        vec![Effect::refresh(), Effect::status(Tone::Text, format!("searching for all sources again, also in {place}"))]
    }

    /// Replaces the source paths: all texts are searched for again.
    fn set_sources(&mut self, sources: SourceOptions) {
        self.paths = Arc::new(Paths { sources, ..Paths::clone(&self.paths) });
        self.texts.invalidate();
    }

    /// Fetches the text of the document that shows; asks before the first request to a host.
    pub(in crate::app) fn fetch_source(&self, document: Option<u32>) -> Vec<Effect> {
        let url = match document.map(|document| (document, self.texts.search(document))) {
            None => Err("select a document or a method first: its source is fetched".to_owned()),
            Some((_, None)) => Err("the search for the source is still running".to_owned()),
            Some((document, Some(search))) => search.url.clone().ok_or_else(|| self.no_fetch_reason(document)),
        };
        match url {
            Ok(url) => self.fetch_urls(vec![url]),
            Err(reason) => vec![Effect::status(Tone::Dim, reason)],
        }
    }

    /// Fetches the texts of documents from their URLs; asks for a source folder where they have none.
    pub(in crate::app) fn fetch_sources(&self, documents: &[u32], shown: Option<u32>) -> Vec<Effect> {
        let Some(session) = &self.opened.shown else { return Vec::new() };
        let sources = Sources::of(session, &self.paths.sources);
        let mut urls: Vec<String> = documents.iter().filter_map(|row| sources.remote(*row)).collect();
        let mut seen = HashSet::new();
        urls.retain(|url| seen.insert(url.clone()));
        urls.truncate(MAX_FETCHES);
        if urls.is_empty() { self.look_prompt(shown).open() } else { self.fetch_urls(urls) }
    }

    /// Fetches URLs; asks before the first request to a host.
    fn fetch_urls(&self, urls: Vec<String>) -> Vec<Effect> {
        let mut hosts = Vec::new();
        for url in &urls {
            let Some(host) = host(url) else {
                return vec![Effect::status(
                    Tone::Bad,
                    format!("{}: not an http or https URL", without_passwords(url)),
                )];
            };
            if !self.allowed_hosts.contains(&host) && !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        if hosts.is_empty() {
            return vec![fetch_job(urls)];
        }
        let what = match urls.as_slice() {
            [url] => without_passwords(url),
            [first, ..] => {
                format!("{}, the first one {}", count(urls.len() as u64, "source"), without_passwords(first))
            }
            [] => return Vec::new(),
        };
        let named = hosts.join(", ");
        let note = format!("This contacts {named}. The download is checked against the hash in the PDB.");
        let confirmed = Msg::HostsConfirmed(hosts, urls);
        let question = Confirm::new(format!("Fetch from {named}?"), vec![what, note], "fetch", confirmed);
        vec![Effect::Open(Box::new(question))]
    }

    pub(in crate::app) fn allow_hosts(&mut self, hosts: Vec<String>, urls: Vec<String>) -> Effect {
        self.allowed_hosts.extend(hosts);
        fetch_job(urls)
    }

    pub(in crate::app) fn ask_for_extraction(&self) -> Vec<Effect> {
        let Some(session) = self.opened.shown.clone() else { return Vec::new() };
        let note =
            "A folder, which is created if necessary. Existing files with different contents are kept.".to_owned();
        let prompt = PathPrompt::new("Write the embedded sources to", note, true, move |text| {
            let session = Arc::clone(&session);
            let job = Job::new(format!("writing sources to {text}"), "extract", move |_| {
                let folder = expand_home(&text);
                match extract(&session, &[(Part::Sources, "")], &folder, Existing::Keep) {
                    Ok(done) => {
                        let written = done.iter().filter(|one| one.written.is_ok()).count();
                        let tone = if written == done.len() { Tone::Ok } else { Tone::Warn };
                        let of = count(done.len() as u64, "source");
                        Msg::Reported(tone, format!("wrote {written} of {of} to {}", folder.display()))
                    }
                    Err(error) => Msg::Reported(Tone::Bad, format!("{}: {error}", folder.display())),
                }
            });
            vec![Effect::Start(job)]
        });
        prompt.open()
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

    /// Takes the answers of URLs: all texts are searched for again.
    pub(in crate::app) fn take_fetched(&mut self, found: Vec<(String, Fetched)>) -> Vec<Effect> {
        let (tone, message) = match found.as_slice() {
            [] => return Vec::new(),
            [(url, Ok(bytes))] => {
                let size = count(bytes.len() as u64, "byte");
                (Tone::Text, format!("fetched {size} from {}", without_passwords(url)))
            }
            [(url, Err(outcome))] => (Tone::Bad, format!("{}: {outcome}", without_passwords(url))),
            several => {
                let fetched = several.iter().filter(|(_, found)| found.is_ok()).count();
                let failed = several.iter().find_map(|(url, found)| Some((url, found.as_ref().err()?)));
                let reason =
                    failed.map_or(String::new(), |(url, outcome)| format!("; {}: {outcome}", without_passwords(url)));
                let tone = if failed.is_some() { Tone::Warn } else { Tone::Text };
                (tone, format!("fetched {fetched} of {}{reason}", count(several.len() as u64, "source")))
            }
        };
        let mut sources = SourceOptions::clone(&self.paths.sources);
        let size = |found: &Fetched| found.as_ref().map_or(0, |bytes| bytes.len());
        for (url, found) in found {
            if sources.fetched.values().map(size).sum::<usize>() + size(&found) > MAX_FETCHED {
                sources.fetched.clear();
            }
            sources.fetched.insert(url, found);
        }
        self.set_sources(sources);
        vec![Effect::refresh(), Effect::SetStatus(tone, message)]
    }
}
