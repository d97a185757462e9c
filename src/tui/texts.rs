//! The texts of documents: loaded by the worker when a pane wants to show one, and kept.

use std::collections::HashMap;
use std::sync::Arc;

use super::app::{App, Effect};
use super::colour::Colours;
use super::jobs::Job;
use super::theme::Role;
use crate::model::Session;
use crate::model::source::{HashVerdict, Origin, SourceOptions, SourceText, Unknown};

/// How many texts are kept.
const KEPT: usize = 32;

/// The slot of the job that colours.
const COLOURING: &str = "colour";

/// The text of a document, and what is known of it.
#[derive(Debug)]
pub struct Text {
    source: SourceText,
    /// Where it is from.
    pub from: Origin,
    /// Whether it is the text that was compiled.
    pub verdict: HashVerdict,
}

/// What is known of a document's text.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// The worker is at it.
    Coming,
    /// Here it is.
    Text(Arc<Text>),
    /// It cannot be had, and why.
    Nothing(String),
}

/// The texts that were wanted so far.
#[derive(Debug, Default)]
pub struct Texts {
    known: HashMap<u32, Loaded>,
    colours: HashMap<u32, Colours>,
    /// What is known beside the texts.
    pub abouts: super::about::Abouts,
}

impl Text {
    /// A text that nothing is known of.
    pub fn new(text: &str) -> Self {
        let verdict = HashVerdict::CannotTell(Unknown::NoHash);
        Self { source: SourceText::decode(text.as_bytes()), from: Origin::Nowhere, verdict }
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.source.lines() as usize
    }

    /// One line, counted from 0, without what ends it.
    pub fn line(&self, index: usize) -> &str {
        u32::try_from(index + 1).ok().and_then(|number| self.source.line(number)).unwrap_or_default()
    }
}

impl Texts {
    /// What is known of a document's text.
    pub fn get(&self, document: u32) -> Option<&Loaded> {
        self.known.get(&document)
    }

    /// The coloured pieces of a line, counted from 0: where each ends, and its role. Nothing where they are not known yet.
    pub fn colours(&self, document: u32, line: usize) -> &[(u32, Role)] {
        self.colours.get(&document).map_or(&[], |colours| colours.line(line))
    }
}

impl App {
    /// Has the text of the document that shows what is selected loaded, unless it was.
    pub(super) fn want_text(&mut self) -> Option<Effect> {
        let document = self.linked()?.document?;
        if self.texts.known.contains_key(&document) {
            return None;
        }
        let session = Arc::clone(self.session.as_ref()?);
        if self.texts.known.len() >= KEPT {
            self.texts = Texts::default();
        }
        self.texts.known.insert(document, Loaded::Coming);
        Some(Effect::Start(Job {
            what: "reading the source".to_owned(),
            slot: "source",
            work: Box::new(move |_| {
                let loaded = load(&session, document);
                Box::new(move |app: &mut Self| {
                    app.texts.known.insert(document, loaded);
                    // One that was on its way when this was asked for came to nothing.
                    app.texts.known.retain(|_, loaded| !matches!(loaded, Loaded::Coming));
                    app.show_again();
                    app.want_text().into_iter().collect()
                })
            }),
        }))
    }
}

impl App {
    /// Has the lines that show coloured, unless they are.
    pub(super) fn want_colours(&mut self) -> Option<Effect> {
        let (document, window) = self.source_window()?;
        let Some(Loaded::Text(text)) = self.texts.known.get(&document) else { return None };
        let text = Arc::clone(text);
        let colours = match self.texts.colours.remove(&document) {
            Some(colours) => colours,
            None => Colours::new(&self.session.as_ref()?.document_name(document)?, &text)?,
        };
        let wanted = colours.wants(window.end);
        let job = colours.clone();
        self.texts.colours.insert(document, colours);
        if !wanted || self.is_running(COLOURING) {
            return None;
        }
        Some(Effect::Start(Job {
            what: "colouring the source".to_owned(),
            slot: COLOURING,
            work: Box::new(move |ticket| {
                let colours = job.work(&text, window, &|| ticket.cancelled());
                Box::new(move |app: &mut Self| {
                    app.texts.colours.insert(document, colours);
                    app.dirty = true;
                    // What is left is asked for after this, for the window that shows then.
                    Vec::new()
                })
            }),
        }))
    }
}

fn load(session: &Session, document: u32) -> Loaded {
    let source = match session.source(document, &SourceOptions::default()) {
        Ok(source) => source,
        Err(error) => return Loaded::Nothing(format!("the document cannot be read: {error}")),
    };
    if let Some(text) = source.text {
        return Loaded::Text(Arc::new(Text { source: text, from: source.from, verdict: source.verdict }));
    }
    let tried = source.tried.iter().map(|tried| format!("{}: {}", tried.origin, tried.outcome));
    let tried: Vec<String> = tried.collect();
    Loaded::Nothing(format!("its text was not found. {}", tried.join("; ")))
}
