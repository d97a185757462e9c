//! A document to its source: to its URL by the Source Link map, one entry a step, and by a `srcsrv` stream, one `%…%` a step.

use super::Chain;
use crate::Steps;
use pdblens_nodes::{Place, document};
use pdblens_session::session::Session;
use pdblens_session::source::source_link::SourceLinkMap;
use pdblens_session::source::srcsrv::{Evaluator, Expansion, ExpansionKind};
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::percent_encoded;
use pdblens_session::text::safe::utf8;

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

pub fn srcsrv(session: &Session, row: u32) -> Option<Steps> {
    let stream = session.symbols().map(SymbolReader::source_servers)?.srcsrv?;
    let path = document::name(session, row)?;
    let mut chain = Chain::new(session, format!("srcsrv · {path}"));
    let about = "The path as the PDB has it; a line of the stream with that path, in any case, is looked for.";
    chain.find("document", format!("#{row}"), Place::Document(row), about).mean(&path);
    let evaluator = Evaluator::new(stream);
    let Some(expansions) = evaluator.expansions(&path) else {
        chain.step("line", "none", "No line of the stream has the path: a debugger gets nothing from it.");
        return Some(chain.done());
    };
    let found = evaluator.find(&path);
    add_all(&mut chain, &expansions);
    if let Some(found) = found {
        let about = "A target that is a URL is downloaded; otherwise the command makes it, and pdblens never runs one.";
        chain.step("method", found.method.name(), about).mean(found.target);
        for problem in &found.problems {
            chain.step("problem", problem.to_string(), "A debugger uses the text as it is.");
        }
    }
    Some(chain.done())
}

/// Adds expansions in the order in which their texts are complete: what is in a value comes before the value.
fn add_all(chain: &mut Chain<'_>, expansions: &[Expansion]) {
    let mut left = expansions;
    while let Some((first, after)) = left.split_first() {
        let inside = after.iter().take_while(|inner| inner.depth > first.depth).count();
        let (inside, next) = after.split_at(inside);
        if !inside.is_empty() && !first.template.is_empty() {
            let about = "The value as it is assigned; the names between percent signs are replaced one after another.";
            let row = chain.step(&first.name, &first.template, about);
            (row.depth, row.span) = (first.depth, first.source);
            row.mean("as assigned");
        }
        add_all(chain, inside);
        add(chain, first);
        left = next;
    }
}

fn add(chain: &mut Chain<'_>, expansion: &Expansion) {
    let about = match (expansion.kind, expansion.name.trim_matches('%').to_lowercase().as_str()) {
        (ExpansionKind::Field, "var1") => {
            "The first part of the file's line: its path as the PDB has it, by which the line was found."
        }
        (ExpansionKind::Field, _) => {
            "A part of the file's line, by its number between asterisks; the variables of the stream give it a use."
        }
        (ExpansionKind::Variable, "srcsrvtrg") => "The target: where the source is, or where the command puts it.",
        (ExpansionKind::Variable, "srcsrvcmd") => {
            "The command that writes the source to the target; pdblens never runs it."
        }
        (ExpansionKind::Variable, "srcsrvenv") => "The environment of the command: name=value, one after the other.",
        (ExpansionKind::Variable, "srcsrvverctrl") => "The name of the source control system that has the file.",
        (ExpansionKind::Variable, _) => {
            "A variable of this stream alone: its value may have other names in it, which are replaced first."
        }
        (ExpansionKind::Target, _) => "The debugger's folder for sources; it is not known here.",
        (ExpansionKind::Function, name) if name.contains("fnvar") => {
            "A function: the value of the variable that its argument names."
        }
        (ExpansionKind::Function, name) if name.contains("fnbksl") => {
            "A function: its argument with backslashes for slashes."
        }
        (ExpansionKind::Function, name) if name.contains("fnfile") => {
            "A function: the file name at the end of its argument."
        }
        (ExpansionKind::Function, _) => "A function of its argument in parentheses.",
        (ExpansionKind::Unknown, _) => "No variable has this name: the text stays as it is.",
    };
    let depth = expansion.depth;
    let row = chain.step(&expansion.name, &expansion.value, about);
    row.depth = depth;
    row.span = expansion.source;
    let from = if expansion.template.is_empty() || expansion.template == expansion.value {
        String::new()
    } else {
        format!("from {} · ", expansion.template)
    };
    row.mean(format!("{from}text so far: {}", expansion.so_far));
}
