//! Questions about the text of a document: the maps of the file are applied by hand.

use super::{Expected, Given, Question, mistakes, text_mistake};
use pdblens_nodes::document;
use pdblens_session::session::Session;
use pdblens_session::source::source_link::SourceLinkMap;
use pdblens_session::source::srcsrv::Evaluator;
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::{file_name, percent_encoded};
use pdblens_session::text::safe::utf8;

/// Documents that are tried for one that is mapped.
const MAX_TRIED: u32 = 500;

fn documents(session: &Session) -> impl Iterator<Item = String> + '_ {
    let last = session.symbols().map_or(0, SymbolReader::documents).min(MAX_TRIED);
    (1..=last).filter_map(|row| document::name(session, row))
}

/// URL of the first document that an entry of the map is for.
pub(super) fn source_link(session: &Session) -> Option<Question> {
    let json = session.symbols().map(SymbolReader::source_servers)?.source_link?;
    let map = SourceLinkMap::parse(&utf8(&json)).ok()?;
    let mapped = |path: String| -> Option<(String, &pdblens_session::source::source_link::Entry, String)> {
        let entry = map.entries.iter().find(|entry| entry.is_prefix && entry.rest_of(&path).is_some())?;
        let rest = entry.rest_of(&path)?.to_owned();
        Some((path, entry, rest))
    };
    let (path, entry, rest) = documents(session).find_map(mapped)?;
    let url = |text: &str| format!("{}{text}{}", entry.before, entry.after);
    let encoded: Vec<_> = rest.split(['/', '\\']).map(percent_encoded).collect();
    let right = url(&encoded.join("/"));
    let mut mistakes = vec![
        text_mistake(url(&path), "The asterisk matches only what follows the rest of the key in the path."),
        text_mistake(url("*"), "The asterisk of the URL is replaced by what the asterisk of the key matches."),
        text_mistake(rest.clone(), "That is what the asterisk matches: it takes the place of the asterisk in the URL."),
        text_mistake(path.clone(), "That is the path on the machine that built it: the map makes a URL of it."),
    ];
    if rest.contains(['/', '\\']) {
        let text = "The asterisk matches the folders too, not only the file name.";
        mistakes.push(text_mistake(url(file_name(&rest)), text));
    }
    if rest.contains('\\') {
        mistakes.push(text_mistake(url(&rest), "In a URL, \\ becomes /."));
    }
    Some(Question {
        prompt: "Which URL does Source Link give for this document?".to_owned(),
        given: vec![
            ("document".to_owned(), path),
            ("key".to_owned(), format!("{}*", entry.path)),
            ("value".to_owned(), url("*")),
        ],
        hints: vec![
            "What does the asterisk of the key match in the path?".to_owned(),
            "That takes the place of the asterisk in the value; \\ becomes /, and other signs are percent-encoded."
                .to_owned(),
        ],
        solution: vec![format!("* is {rest}: {right}")],
        mistakes: mistakes::other_than(&Given::Text(right.clone()), mistakes),
        expected: Expected::Text { any: vec![right], contains: false },
    })
}

/// Target of the first document that the srcsrv stream lists.
pub(super) fn srcsrv(session: &Session) -> Option<Question> {
    let stream = session.symbols().map(SymbolReader::source_servers)?.srcsrv?;
    let evaluator = Evaluator::new(stream);
    let (path, found, expansions) = documents(session).find_map(|path| {
        let found = evaluator.find(&path)?;
        let expansions = evaluator.expansions(&path)?;
        Some((path, found, expansions))
    })?;
    let mut given: Vec<(String, String)> = Vec::new();
    let mut mistakes = Vec::new();
    for expansion in expansions.iter().take_while(|expansion| expansion.name != "%srcsrvcmd%") {
        let text = if expansion.template.is_empty() { &expansion.value } else { &expansion.template };
        let is_known = given.iter().any(|(name, _)| *name == expansion.name);
        if !is_known && !expansion.name.contains('(') {
            given.push((expansion.name.clone(), text.clone()));
        }
        if *text != found.target {
            let because = "That is one value on the way: names between percent signs are replaced until none is left.";
            mistakes.push(text_mistake(text.clone(), because));
        }
    }
    if path != found.target {
        let because = "That is the path as the PDB has it, var1 of the line: the target is built from SRCSRVTRG.";
        mistakes.push(text_mistake(path.clone(), because));
    }
    Some(Question {
        prompt: format!("What does SRCSRVTRG become for {}?", file_name(&path)),
        given,
        hints: vec![
            "Replace the names between percent signs, from the first value on.".to_owned(),
            "%fnbksl%(x) turns / into \\, %fnfile%(x) keeps the file name, %fnvar%(x) is the variable that x names."
                .to_owned(),
        ],
        solution: vec![found.target.clone()],
        expected: Expected::Text { any: vec![found.target.clone()], contains: false },
        mistakes,
    })
}
