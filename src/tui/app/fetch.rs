//! Fetching the text of a document from the URL that the symbols name: only at the user's word, and never from a host that the
//! user was not asked about.

use std::time::Duration;

use crate::model::http::{Http, Limits, host};
use crate::model::source::{Fetched, LARGEST, Outcome, fetch};
use crate::model::text::count;
use crate::model::{SourceOptions, Tone};
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::jobs::Job;
use crate::tui::overlays::confirm::Confirm;

/// The most bytes of texts that are kept: those of before go.
const KEPT: usize = 256 << 20;

/// What fetches texts: nobody waits as long for one as for symbols.
fn http() -> Http {
    let total = Duration::from_secs(120);
    Http::new(Limits { total, most: LARGEST, other_hosts: false, ..Limits::default() })
}

impl App {
    /// Fetches the text of the document that shows; asks before it first goes to a host.
    pub(in crate::tui) fn fetch_source(&mut self) -> Vec<Effect> {
        let Some(document) = self.linked().and_then(|linked| linked.document) else {
            self.say(Tone::Dim, "choose a document first, or a method: its text is what can be fetched");
            return Vec::new();
        };
        let Some(looked) = self.texts.looked(document) else {
            self.say(Tone::Dim, "the text is still being looked for");
            return Vec::new();
        };
        let Some(url) = looked.url.clone() else {
            self.say(Tone::Dim, self.why_not_fetched(document));
            return Vec::new();
        };
        let Some(host) = host(&url) else {
            self.say(Tone::Bad, format!("{url}: this is no http or https URL"));
            return Vec::new();
        };
        if self.hosts.contains(&host) {
            return vec![fetching(url)];
        }
        let text = vec![
            url.clone(),
            format!(
                "{host} learns that you look at this file. What it answers is compared with the hash in the symbols, and shown."
            ),
        ];
        vec![Effect::Open(Box::new(Confirm::new(format!("Fetch from {host}?"), text, "fetch", move || {
            let (url, host) = (url.clone(), host.clone());
            vec![Effect::Change(Box::new(move |app: &mut Self| {
                app.hosts.insert(host);
                vec![fetching(url)]
            }))]
        })))]
    }

    /// Why there is nothing to fetch.
    fn why_not_fetched(&self, document: u32) -> String {
        let looked = self.texts.looked(document);
        let refused =
            looked.into_iter().flat_map(|looked| &looked.tried).rev().find_map(|tried| match &tried.outcome {
                Outcome::Refused(why) => Some(format!("{}: {why}", tried.origin)),
                _ => None,
            });
        match self.texts.get(document) {
            Some(crate::tui::state::texts::Loaded::Text(text)) if text.verdict.is_verified() => {
                "this is the text that was compiled: there is nothing better to fetch".to_owned()
            }
            _ => refused.unwrap_or_else(|| "the symbols name no URL for this document".to_owned()),
        }
    }

    /// Takes what a URL had: whatever is of that URL is looked for again.
    fn fetched(&mut self, url: String, found: Fetched) {
        let (tone, said) = match &found {
            Ok(bytes) => (Tone::Text, format!("fetched {} from {url}", count(bytes.len() as u64, "byte"))),
            Err(outcome) => (Tone::Bad, format!("{url}: {outcome}")),
        };
        let mut sources = SourceOptions::clone(&self.paths.sources);
        let size = |found: &Fetched| found.as_ref().map_or(0, |bytes| bytes.len());
        if sources.fetched.values().map(size).sum::<usize>() + size(&found) > KEPT {
            sources.fetched.clear();
        }
        sources.fetched.insert(url, found);
        self.set_sources(sources);
        self.say(tone, said);
    }
}

/// Fetches what is at a URL.
fn fetching(url: String) -> Effect {
    Effect::Start(Job {
        what: format!("fetching {url}"),
        slot: "fetch",
        work: Box::new(move |ticket| {
            let found = fetch(&http(), &url, &mut |done, of| ticket.fetched(done, of));
            Box::new(move |app: &mut App| {
                app.fetched(url, found);
                Vec::new()
            })
        }),
    })
}
