//! The Documents pane: documents as a tree of folders, each with the verdict on its text.

use crate::tui::panes::lists::verdict_sign;
use std::collections::BTreeMap;

use crate::nodes::Place;
use crate::nodes::rows::{Cell, Head, Row, Tone};
use crate::session::Session;
use crate::source;
use crate::symbols::SymbolReader;
use crate::tui::core::action::Action;
use crate::tui::panes::pane::Pane;
use crate::tui::panes::tree_def::{self, TreeDef};
use crate::tui::panes::tree_pane;
use crate::tui::state::effect::Effect;
use crate::tui::state::paths::Paths;

/// The number of documents from which the tree is built by a job.
const SYNC_LIMIT: u32 = 1000;
/// The deepest nesting of folders; longer paths are not split further.
const MAX_DEPTH: usize = 24;

static DOCUMENTS: TreeDef = TreeDef {
    name: "Documents",
    columns: &[Head::text(""), Head::text("")],
    folds: true,
    flush: true,
    rows: |session, _| tree(session),
    is_large: |session| session.symbols().map_or(0, SymbolReader::documents) > SYNC_LIMIT,
    starts_closed: tree_def::all_open,
    substitute: tree_def::no_substitute,
    on_enter: |_, place| match place {
        Place::Document(_) => Some(Effect::Dispatch(Action::NextPane)),
        _ => None,
    },
    empty_text,
    refinement: None,
    mark: Some(verdict),
};

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&DOCUMENTS)
}

/// The home of the Sources view: the first document.
pub fn home(session: &Session) -> Place {
    if session.symbols().map_or(0, SymbolReader::documents) > 0 { Place::Document(1) } else { Place::Documents }
}

fn empty_text(session: &Session) -> String {
    let what = match session.symbol_file() {
        None => "No symbols are open: the PDB names the sources.",
        Some(_) => "The symbols name no documents.",
    };
    what.to_owned()
}

#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    documents: Vec<(String, u32)>,
}

impl Folder {
    fn add(&mut self, steps: &[&str], name: &str, row: u32) {
        match steps {
            [] => self.documents.push((name.to_owned(), row)),
            [first, rest @ ..] => self.folders.entry((*first).to_owned()).or_default().add(rest, name, row),
        }
    }

    /// The rows: folders first; chains of folders with a single child are joined.
    fn rows(&self, depth: u8, separator: char, out: &mut Vec<Row>) {
        for (name, folder) in &self.folders {
            let (mut name, mut folder) = (name.clone(), folder);
            while folder.documents.is_empty() && folder.folders.len() == 1 {
                let Some((inner, next)) = folder.folders.iter().next() else { break };
                name.push(separator);
                name.push_str(inner);
                folder = next;
            }
            out.push(Row { depth, ..Row::plain(vec![Cell::toned(name, Tone::Dim), Cell::default()]) });
            folder.rows(depth + 1, separator, out);
        }
        let mut documents: Vec<&(String, u32)> = self.documents.iter().collect();
        documents.sort();
        for (name, row) in documents {
            let cells = vec![Cell::new(name.as_str()), Cell::default()];
            out.push(Row { depth, ..Row::at(Place::Document(*row), cells) });
        }
    }
}

fn tree(session: &Session) -> Vec<Row> {
    let Some(symbols) = session.symbols() else { return Vec::new() };
    let (mut root, mut separator) = (Folder::default(), '/');
    for row in 1..=symbols.documents() {
        let Ok(document) = symbols.document(row) else {
            root.documents.push((format!("(document {row} cannot be read)"), row));
            continue;
        };
        if document.name.contains('\\') {
            separator = '\\';
        }
        // The empty step of an absolute path is joined with the next one.
        let mut steps: Vec<&str> = document.name.splitn(MAX_DEPTH, ['/', '\\']).collect();
        let name = steps.pop().unwrap_or_default();
        let rooted = steps.first() == Some(&"");
        let first = steps.get(usize::from(rooted)).map(|step| format!("{separator}{step}"));
        if let Some(first) = first.as_deref().filter(|_| rooted) {
            let rest = steps.get(2..).unwrap_or_default();
            root.add(&[&[first], rest].concat(), name, row);
        } else {
            root.add(&steps, name, row);
        }
    }
    let mut rows = Vec::new();
    root.rows(0, separator, &mut rows);
    rows
}

/// The mark of a document: whether its text is the one that was compiled.
fn verdict(session: &Session, paths: &Paths, place: Place) -> Option<Cell> {
    let Place::Document(row) = place else { return None };
    let source = source::find(session, row, &paths.sources).ok()?;
    let (sign, tone) = verdict_sign(source.verdict);
    Some(Cell::toned(sign, tone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_hold_one_folder_are_one_row() {
        let mut root = Folder::default();
        for (row, path) in ["/_/a/b/X.cs", "/_/a/b/c/Y.cs", "/_/a/b/A.cs"].iter().enumerate() {
            let steps: Vec<&str> = path.split('/').collect();
            let (name, steps) = steps.split_last().unwrap();
            root.add(steps, name, row as u32 + 1);
        }
        let mut rows = Vec::new();
        root.rows(0, '/', &mut rows);
        let seen: Vec<_> = rows.iter().map(|row| (row.depth, row.cells[0].text.as_str())).collect();
        assert_eq!(seen, [(0, "/_/a/b"), (1, "c"), (2, "Y.cs"), (1, "A.cs"), (1, "X.cs")]);
    }
}
