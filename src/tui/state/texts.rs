//! The texts of documents: loaded by the worker when a pane wants to show one, and kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::Session;
use crate::model::source::{HashVerdict, Origin, SourceText, Tried, Unknown};
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::jobs::Job;
use crate::tui::state::paths::Paths;
use crate::tui::ui::highlight::Colours;
use crate::tui::ui::theme::Role;

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
    /// Where it was looked for.
    pub looked: Looked,
}

/// Where a text was looked for.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// The places, in their order.
    pub tried: Vec<Tried>,
    /// The URL that it can be fetched from, where there is one.
    pub url: Option<String>,
    /// Why it was not looked for at all.
    pub error: Option<String>,
}

/// What is known of a document's text.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// The worker is at it.
    Coming,
    /// Here it is.
    Text(Arc<Text>),
    /// It was found nowhere.
    Nothing(Arc<Looked>),
}

/// The texts that were wanted so far.
#[derive(Debug, Default)]
pub struct Texts {
    known: HashMap<u32, Loaded>,
    /// Those that are to be looked for again: until then, what was known shows.
    stale: HashSet<u32>,
    /// The one that the worker is at.
    loading: Option<u32>,
    colours: HashMap<u32, Colours>,
    /// What is known beside the texts.
    pub abouts: crate::tui::state::document_info::Abouts,
}

impl Text {
    /// A text that nothing is known of.
    pub fn new(text: &str) -> Self {
        let verdict = HashVerdict::CannotTell(Unknown::NoHash);
        let source = SourceText::decode(text.as_bytes());
        Self { source, from: Origin::Nowhere, verdict, looked: Looked::default() }
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

    /// Where a document's text was looked for.
    pub fn looked(&self, document: u32) -> Option<&Looked> {
        match self.known.get(&document)? {
            Loaded::Coming => None,
            Loaded::Text(text) => Some(&text.looked),
            Loaded::Nothing(looked) => Some(looked),
        }
    }

    /// Has all texts looked for again.
    pub(in crate::tui) fn look_again(&mut self) {
        self.stale.extend(self.known.keys());
    }

    fn take(&mut self, document: u32, loaded: Loaded) {
        let same = match (self.known.get(&document), &loaded) {
            (Some(Loaded::Text(old)), Loaded::Text(new)) => old.source == new.source,
            _ => false,
        };
        if !same {
            self.colours.remove(&document);
        }
        self.loading = None;
        self.known.insert(document, loaded);
    }

    /// The coloured pieces of a line, counted from 0: where each ends, and its role. Nothing where they are not known yet.
    pub fn colours(&self, document: u32, line: usize) -> &[(u32, Role)] {
        self.colours.get(&document).map_or(&[], |colours| colours.line(line))
    }
}

impl App {
    /// Has the text of the document that shows what is selected loaded, unless it was.
    pub(in crate::tui) fn want_text(&mut self) -> Option<Effect> {
        let document = self.linked()?.document?;
        if self.texts.known.contains_key(&document) && !self.texts.stale.remove(&document) {
            return None;
        }
        let session = Arc::clone(self.session.as_ref()?);
        if self.texts.known.len() >= KEPT {
            self.texts = Texts::default();
        }
        self.texts.known.entry(document).or_insert(Loaded::Coming);
        // What the worker was at comes to nothing now.
        self.texts.stale.extend(self.texts.loading.replace(document));
        let paths = Arc::clone(&self.paths);
        Some(Effect::Start(Job {
            what: "reading the source".to_owned(),
            slot: "source",
            work: Box::new(move |_| {
                let loaded = load(&session, &paths, document);
                Box::new(move |app: &mut Self| {
                    app.texts.take(document, loaded);
                    app.show_again();
                    app.want_text().into_iter().collect()
                })
            }),
        }))
    }
}

impl App {
    /// Has the lines that show coloured, unless they are.
    pub(in crate::tui) fn want_colours(&mut self) -> Option<Effect> {
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
                    // The text may have become another one meanwhile.
                    if matches!(app.texts.get(document), Some(Loaded::Text(now)) if Arc::ptr_eq(now, &text)) {
                        app.texts.colours.insert(document, colours);
                    }
                    app.dirty = true;
                    // What is left is asked for after this, for the window that shows then.
                    Vec::new()
                })
            }),
        }))
    }
}

fn load(session: &Session, paths: &Paths, document: u32) -> Loaded {
    let source = match session.source(document, &paths.sources) {
        Ok(source) => source,
        Err(error) => {
            let error = Some(format!("the document cannot be read: {error}"));
            return Loaded::Nothing(Arc::new(Looked { error, ..Looked::default() }));
        }
    };
    let looked = Looked { url: source.fetchable().map(str::to_owned), tried: source.tried, error: None };
    match source.text {
        Some(text) => Loaded::Text(Arc::new(Text { source: text, from: source.from, verdict: source.verdict, looked })),
        None => Loaded::Nothing(Arc::new(looked)),
    }
}
