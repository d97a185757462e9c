//! A document to its URL by the Source Link map, one entry a step.

use super::Chain;
use crate::Steps;
use pdblens_nodes::Place;
use pdblens_nodes::document;
use pdblens_session::session::Session;
use pdblens_session::source::source_link::SourceLinkMap;
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::percent_encoded;
use pdblens_session::text::safe::utf8;

/// Steps of the mapping of a document; `None` without a Source Link map, or a document of that row.
pub fn source_link(session: &Session, row: u32) -> Option<Steps> {
    let json = session.symbols().map(SymbolReader::source_servers)?.source_link?;
    let path = document::name(session, row)?;
    let mut chain = Chain::new(session, format!("Source Link · {path}"));
    let about = "The path that the compiler was given, as the document has it.";
    chain.find("document", format!("#{row}"), Place::Document(row), about).mean(&path);
    let map = match SourceLinkMap::parse(&utf8(&json)) {
        Ok(map) => map,
        Err(error) => {
            chain.step("map", "refused", "One bad entry spoils the whole map.").mean(error.to_string());
            return Some(chain.done());
        }
    };
    for entry in &map.entries {
        let pattern = format!("{}{}", entry.path, if entry.is_prefix { "*" } else { "" });
        let rest = entry.rest_of(&path);
        let about = "Entries are tried from the longest path to the shortest, without regard to case.";
        let said = if rest.is_some() { "matches" } else { "does not match" };
        chain.step("entry", pattern, about).mean(said);
        let Some(rest) = rest else { continue };
        if !entry.is_prefix {
            let about = "The entry has no wildcard: it is for this one document.";
            chain.step("URL", &entry.before, about);
            return Some(chain.done());
        }
        chain.step("rest", rest, "The part of the path that matches the * at the end of the entry.");
        let parts: Vec<_> = rest.split(['/', '\\']).map(percent_encoded).collect();
        let about = "Each part between separators is percent-encoded, and the separators become slashes.";
        chain.step("encoded", parts.join("/"), about);
        let about = "The encoded rest takes the place of the * in the URL.";
        let url = format!("{}{}{}", entry.before, parts.join("/"), entry.after);
        chain.step("URL", url, about).mean(format!("{}*{}", entry.before, entry.after));
        return Some(chain.done());
    }
    chain.step("URL", "none", "No entry is for the document: Source Link does not say where its text is.");
    Some(chain.done())
}
