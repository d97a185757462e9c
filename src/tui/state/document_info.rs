//! What is known of the documents that are looked at, beside their text: which lines have code, where the text should come from.
//!
//! It is worked out by the worker, after the text itself.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::coverage::Coverage;
use crate::model::text::hex;
use crate::model::{Session, SourceOptions, guids};
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::jobs::Job;

/// How many documents are remembered.
const KEPT: usize = 32;

/// What is known of a document.
#[derive(Debug, Default)]
pub struct About {
    /// The lines that have code.
    pub coverage: Coverage,
    /// How many methods have code in it.
    pub methods: usize,
    /// Facts: what they are, and what they say.
    pub facts: Vec<(&'static str, String)>,
}

/// What is known of the documents that were looked at; nothing of those that the worker is at.
#[derive(Debug, Default)]
pub struct Abouts(HashMap<u32, Option<Arc<About>>>);

impl Abouts {
    /// What is known of a document.
    pub fn get(&self, document: u32) -> Option<&Arc<About>> {
        self.0.get(&document)?.as_ref()
    }
}

impl App {
    /// Has the worker find out about the document that shows what is selected, unless it did.
    pub(in crate::tui) fn want_about(&mut self) -> Option<Effect> {
        let document = self.linked()?.document?;
        let session = Arc::clone(self.session.as_ref()?);
        let known = &mut self.texts.abouts.0;
        if known.contains_key(&document) {
            return None;
        }
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(document, None);
        Some(Effect::Start(Job {
            what: "finding the lines that have code".to_owned(),
            slot: "about",
            work: Box::new(move |ticket| {
                let coverage = session.coverage(document, &|| ticket.cancelled());
                let facts = facts(&session, document);
                let about = Arc::new(About { methods: coverage.methods(), coverage, facts });
                Box::new(move |app: &mut Self| {
                    app.texts.abouts.0.insert(document, Some(about));
                    // One that was on its way when this was asked for came to nothing.
                    app.texts.abouts.0.retain(|_, about| about.is_some());
                    app.show_again();
                    app.want_about().into_iter().collect()
                })
            }),
        }))
    }
}

/// What the symbols say of a document.
fn facts(session: &Session, row: u32) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let Some(Ok(document)) = session.symbols().map(|symbols| symbols.document(row)) else { return facts };
    let named = |guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned);
    let options = SourceOptions::default();
    let sources = session.sources(&options);
    facts.push(("path", document.name.clone()));
    facts.extend(sources.url(&document.name).map(|url| ("Source Link", url)));
    facts.extend(sources.link_error.as_ref().map(|error| ("Source Link", error.clone())));
    facts.extend(
        sources
            .retrieval(&document.name)
            .map(|found| ("srcsrv", if found.command.trim().is_empty() { found.target } else { found.command })),
    );
    facts.extend(document.language.map(|guid| ("language", named(guid))));
    let algorithm = document.hash_algorithm.map(named).unwrap_or_default();
    if !document.hash.is_empty() {
        facts.push(("hash", format!("{algorithm} {}", hex(&document.hash)).trim().to_owned()));
    }
    facts
}
