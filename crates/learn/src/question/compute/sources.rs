//! Questions about the text of a document: the maps of the file are applied by hand.

use super::Question;
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
    let mut question = Question::of_text("Which URL does Source Link give for this document?", vec![right.clone()])
        .fact("document", path.clone())
        .fact("key", format!("{}*", entry.path))
        .fact("value", url("*"))
        .hint("What does the asterisk of the key match in the path?")
        .hint("That takes the place of the asterisk in the value; \\ becomes /, and other signs are percent-encoded.")
        .solved(format!("* is {rest}: {right}"));
    question.wrong(url(&path), "The asterisk matches only what follows the rest of the key in the path.");
    question.wrong(url("*"), "The asterisk of the URL is replaced by what the asterisk of the key matches.");
    question.wrong(rest.clone(), "That is what the asterisk matches: it takes the place of the asterisk in the URL.");
    question.wrong(path, "That is the path on the machine that built it: the map makes a URL of it.");
    if rest.contains(['/', '\\']) {
        question.wrong(url(file_name(&rest)), "The asterisk matches the folders too, not only the file name.");
    }
    if rest.contains('\\') {
        question.wrong(url(&rest), "In a URL, \\ becomes /.");
    }
    Some(question)
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
    let mut question = Question::of_text(
        format!("What does SRCSRVTRG become for {}?", file_name(&path)),
        vec![found.target.clone()],
    )
    .hint("Replace the names between percent signs, from the first value on.")
    .hint("%fnbksl%(x) turns / into \\, %fnfile%(x) keeps the file name, %fnvar%(x) is the variable that x names.")
    .solved(found.target);
    for expansion in expansions.iter().take_while(|expansion| expansion.name != "%srcsrvcmd%") {
        let text = if expansion.template.is_empty() { &expansion.value } else { &expansion.template };
        let is_known = question.given.iter().any(|(name, _)| *name == expansion.name);
        if !is_known && !expansion.name.contains('(') {
            question = question.fact(&expansion.name, text);
        }
        let because = "That is one value on the way: names between percent signs are replaced until none is left.";
        question.wrong(text.clone(), because);
    }
    let because = "That is the path as the PDB has it, var1 of the line: the target is built from SRCSRVTRG.";
    question.wrong(path, because);
    Some(question)
}
