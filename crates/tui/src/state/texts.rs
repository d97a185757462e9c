//! The texts of documents, with their highlighting: read by the worker when a pane shows one, and cached.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::state::document_info::DocumentInfoCache;
use crate::state::paths::Paths;
use crate::ui::highlight::{Highlighter, TextLines};
use crate::ui::theme::Role;
use pdblens_session::session::Session;
use pdblens_session::source::{self, HashVerdict, Origin, SourceText, Tried, Unknown};

const CACHE_CAPACITY: usize = 32;

#[derive(Debug)]
pub struct Text {
    source: SourceText,
    pub from: Origin,
    /// True if it is the text that was compiled.
    pub verdict: HashVerdict,
    pub search: TextSearch,
}

#[derive(Clone, Debug, Default)]
pub struct TextSearch {
    /// The places that were tried, in order.
    pub tried: Vec<Tried>,
    pub url: Option<String>,
    /// The reason why there was no search.
    pub error: Option<String>,
}

#[derive(Clone, Debug)]
pub enum TextState {
    Loading,
    Found(Arc<Text>),
    NotFound(Arc<TextSearch>),
}

#[derive(Debug, Default)]
pub struct Texts {
    states: HashMap<u32, TextState>,
    /// Documents to be searched again; their present text is shown until then.
    stale: HashSet<u32>,
    loading: Option<u32>,
    highlighting: HashMap<u32, Highlighter>,
    pub info: DocumentInfoCache,
}

impl Text {
    /// A text of unknown origin.
    pub fn new(text: &str) -> Self {
        let verdict = HashVerdict::CannotTell(Unknown::NoHash);
        let source = SourceText::decode(text.as_bytes());
        Self { source, from: Origin::Nowhere, verdict, search: TextSearch::default() }
    }

    pub fn lines(&self) -> usize {
        self.source.lines() as usize
    }

    /// A line, counted from 0, without its line break.
    pub fn line(&self, index: usize) -> &str {
        u32::try_from(index + 1).ok().and_then(|number| self.source.line(number)).unwrap_or_default()
    }
}

impl TextLines for Text {
    fn lines(&self) -> usize {
        self.lines()
    }

    fn line(&self, index: usize) -> &str {
        self.line(index)
    }
}

impl Texts {
    /// The state of a document's text; `None` where it was never requested.
    pub fn get(&self, document: u32) -> Option<&TextState> {
        self.states.get(&document)
    }

    /// The finished search for a document's text.
    pub fn search(&self, document: u32) -> Option<&TextSearch> {
        match self.states.get(&document)? {
            TextState::Loading => None,
            TextState::Found(text) => Some(&text.search),
            TextState::NotFound(search) => Some(search),
        }
    }

    /// Marks all texts as outdated: each is searched again when it is requested.
    pub(crate) fn invalidate(&mut self) {
        self.stale.extend(self.states.keys());
        // Verdicts depend on the texts that are found.
        self.info = DocumentInfoCache::default();
    }

    /// Marks a document as loading; false where its text is known or on its way.
    pub fn request(&mut self, document: u32) -> bool {
        if self.states.contains_key(&document) && !self.stale.remove(&document) {
            return false;
        }
        if self.states.len() >= CACHE_CAPACITY {
            *self = Self::default();
        }
        self.states.entry(document).or_insert(TextState::Loading);
        // The new request cancels the one that is still running.
        self.stale.extend(self.loading.replace(document));
        true
    }

    pub fn insert(&mut self, document: u32, state: TextState) {
        let same = match (self.states.get(&document), &state) {
            (Some(TextState::Found(old)), TextState::Found(new)) => old.source == new.source,
            _ => false,
        };
        if !same {
            self.highlighting.remove(&document);
        }
        self.loading = None;
        self.states.insert(document, state);
    }

    /// The highlighted pieces of a line, counted from 0: the byte where each ends, and its role. Empty until they are known.
    pub(crate) fn highlighting(&self, document: u32, line: usize) -> &[(u32, Role)] {
        self.highlighting.get(&document).map_or(&[], |highlighter| highlighter.line(line))
    }

    /// The text and the highlighter of a document, unless its lines up to `end` are exact; `name` gives its language.
    pub fn unfinished(
        &mut self,
        document: u32,
        end: usize,
        name: impl FnOnce() -> Option<String>,
    ) -> Option<(Arc<Text>, Highlighter)> {
        let Some(TextState::Found(text)) = self.states.get(&document) else { return None };
        let text = Arc::clone(text);
        let highlighter = match self.highlighting.remove(&document) {
            Some(highlighter) => highlighter,
            None => Highlighter::new(&name()?, &*text)?,
        };
        let wanted = highlighter.is_unfinished(end);
        let copy = highlighter.clone();
        self.highlighting.insert(document, highlighter);
        wanted.then_some((text, copy))
    }

    /// Takes the highlighting of a text, unless the document has another text now.
    pub(crate) fn set_highlighting(&mut self, document: u32, text: &Arc<Text>, highlighter: Highlighter) {
        if matches!(self.get(document), Some(TextState::Found(now)) if Arc::ptr_eq(now, text)) {
            self.highlighting.insert(document, highlighter);
        }
    }
}

pub fn read(session: &Session, paths: &Paths, document: u32) -> TextState {
    let source = match source::find(session, document, &paths.sources) {
        Ok(source) => source,
        Err(error) => {
            let error = Some(format!("the document cannot be read: {}", session.spaces().error_text(&error)));
            return TextState::NotFound(Arc::new(TextSearch { error, ..TextSearch::default() }));
        }
    };
    let search = TextSearch { url: source.fetchable().map(str::to_owned), tried: source.tried, error: None };
    match source.text {
        Some(text) => {
            TextState::Found(Arc::new(Text { source: text, from: source.from, verdict: source.verdict, search }))
        }
        None => TextState::NotFound(Arc::new(search)),
    }
}
