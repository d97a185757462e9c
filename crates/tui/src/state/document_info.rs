//! Facts about documents besides their texts: the lines that have code, and what the symbols record.

use std::collections::HashMap;
use std::sync::Arc;

use pdblens_nodes::CodeUnit;
use pdblens_query::breakpoint::{Judge, Sign, Verdict, Why};
use pdblens_query::document_lines::{self, DocumentLines};
use pdblens_session::session::Session;
use pdblens_session::source::{SourceOptions, Sources};
use pdblens_session::text::guids;
use pdblens_session::text::paths::without_passwords;
use pdblens_session::text::safe::hex;

const CACHE_CAPACITY: usize = 32;

#[derive(Debug, Default)]
pub struct DocumentInfo {
    pub coverage: DocumentLines,
    /// Verdicts on breakpoints on the lines, from line 1 on; a breakpoint after them never stops.
    pub verdicts: Vec<Verdict>,
    /// Verdicts on visible points, by their code and number.
    pub points: HashMap<(CodeUnit, u32), Verdict>,
    /// The cause that keeps every breakpoint of the module hollow.
    pub module: Option<Why>,
    pub methods: usize,
    /// Facts from the symbols: label and value.
    pub facts: Vec<(&'static str, String)>,
}

/// The cache of document facts; an entry without value is being worked out.
#[derive(Debug, Default)]
pub struct DocumentInfoCache(HashMap<u32, Option<Arc<DocumentInfo>>>);

impl DocumentInfoCache {
    pub fn get(&self, document: u32) -> Option<&Arc<DocumentInfo>> {
        self.0.get(&document)?.as_ref()
    }

    /// Marks a document as being worked out; false where its facts are known or on their way.
    pub fn request(&mut self, document: u32) -> bool {
        if self.0.contains_key(&document) {
            return false;
        }
        if self.0.len() >= CACHE_CAPACITY {
            self.0.clear();
        }
        self.0.insert(document, None);
        true
    }

    /// Takes the facts about a document. Requests that were on their way were cancelled by the one for it.
    pub fn insert(&mut self, document: u32, info: Arc<DocumentInfo>) {
        self.0.insert(document, Some(info));
        self.0.retain(|_, info| info.is_some());
    }
}

impl DocumentInfo {
    /// Works out the facts about a document, without verdicts; `cancelled` ends the search for lines.
    pub fn read(session: &Session, document: u32, cancelled: &dyn Fn() -> bool) -> Self {
        let coverage = document_lines::document_lines(session, document, cancelled);
        Self { methods: coverage.methods(), coverage, facts: facts(session, document), ..Self::default() }
    }

    /// Works out the facts about a document, and the verdicts; its sources are searched for with `options`.
    pub fn judged(session: &Session, document: u32, options: &SourceOptions, cancelled: &dyn Fn() -> bool) -> Self {
        let judge = Judge::of(session, options);
        let verdicts = judge.lines(document, cancelled);
        let read = Self::read(session, document, cancelled);
        let pieces = read.coverage.pieces().iter().take_while(|_| !cancelled());
        let judged =
            pieces.map(|piece| ((piece.of, piece.number), judge.visible_point(piece.of, document, piece.offset)));
        let points = judged.collect();
        Self { verdicts, points, module: judge.module().cloned(), ..read }
    }

    /// Verdict on a line; `None` after the last one with code.
    pub fn verdict(&self, line: u32) -> Option<Verdict> {
        self.verdicts.get((line as usize).checked_sub(1)?).copied()
    }

    /// Sign of a visible point; `None` for one of another document.
    pub fn sign_of_point(&self, of: CodeUnit, number: u32) -> Option<Sign> {
        Some(self.points.get(&(of, number))?.sign())
    }
}

fn facts(session: &Session, row: u32) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let Some(Ok(document)) = session.symbols().map(|symbols| symbols.document(row)) else { return facts };
    let named = |guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned);
    let options = SourceOptions::default();
    let sources = Sources::of(session, &options);
    facts.push(("path", document.name.clone()));
    facts.extend(sources.url(&document.name).map(|url| ("Source Link", without_passwords(&url))));
    facts.extend(sources.link_error.as_ref().map(|error| ("Source Link", error.text.clone())));
    facts.extend(
        sources
            .retrieval(&document.name)
            .map(|found| if found.command.trim().is_empty() { found.target } else { found.command })
            .map(|target| ("srcsrv", without_passwords(&target))),
    );
    facts.extend(document.language.map(|guid| ("language", named(guid))));
    let algorithm = document.hash_algorithm.map(named).unwrap_or_default();
    if !document.hash.is_empty() {
        facts.push(("hash", format!("{algorithm} {}", hex(&document.hash)).trim().to_owned()));
    }
    facts
}
