//! The Documents pane: documents by the state of their texts and by folder, each with its code.
//!
//! The list shows at once; a job verifies the texts and counts the code. Each group of documents has one action.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::engine::action::Action;
use crate::engine::jobs::CancelToken;
use crate::panes::lists::verdict_sign;
use crate::panes::pane::Pane;
use crate::panes::tree_def::{Refinement, TreeDef};
use crate::panes::tree_pane;
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::state::paths::Paths;
use crate::state::text_group::TextGroup;
use pdblens_nodes::code_tree::is_of_tools;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::{Place, TableId, Token, code_unit};
use pdblens_query::document_counts::{DocumentCounts, document_counts};
use pdblens_query::samples;
use pdblens_session::session::{Session, hold};
use pdblens_session::source::{HashVerdict, Sources, Unknown};
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// The number of documents from which the list is built by a job.
const SYNC_LIMIT: u32 = 1000;
/// Limits on the methods that are examined for the document to begin with, and on the documents that are ordered for it.
const MAX_EXAMINED: u32 = 20_000;
const MAX_ORDERED: u32 = 20_000;
/// Limit on the functions whose lines are counted for the document to begin with.
const MAX_FUNCTIONS: u32 = 4_000;
/// Size of the largest native PDB whose functions are read for it, in bytes; those of a larger one are read by a job.
const MAX_UNREAD: u64 = 8 << 20;
/// Endings of the names of files that others include.
const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx", "inl", "inc", "ipp", "tcc"];
/// Columns before those of the code.
const TEXT_COLUMNS: usize = 2;
/// The column of the number of points.
const POINTS: usize = 3;

static DOCUMENTS: TreeDef = TreeDef {
    name: "Documents",
    columns: &[
        Head::text(""),
        Head::text(""),
        Head::number("○"),
        Head::number("points"),
        Head::number("methods"),
        Head::number("lines"),
    ],
    exported: &[
        Head::text("document"),
        Head::text("text"),
        Head::number("refused"),
        Head::number("points"),
        Head::number("methods"),
        Head::number("lines"),
    ],
    flush: true,
    rows: |session| folders(documents(session), 0),
    more: |session, row| match row.place {
        Some(Place::Document(row)) => Verified::cells(session, row),
        _ => Vec::new(),
    },
    is_large: |session| session.symbols().map_or(0, SymbolReader::documents) > SYNC_LIMIT,
    on_enter: |_, place| match place {
        Place::Document(_) => Some(Effect::Dispatch(Action::NextPane)),
        _ => None,
    },
    on_heading: |_, rows, row| group_action(rows, row),
    empty_text,
    refinement: Some(Refinement { label: "verifying the sources", slot: "documents", rows: groups }),
    narrow: (44, TEXT_COLUMNS),
    sort: Some(POINTS),
    ..TreeDef::USUAL
};

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&DOCUMENTS)
}

/// The home of the Sources view, which is looked for once.
#[derive(Default)]
struct First(OnceLock<Place>);

/// The home of the Sources view: the hottest line of a profile. Without a profile, the first document of the list that has code; of native
/// code, one of the program's own: that of its modules with most of it, a source before a header, and the runtime's only where there are no
/// others.
pub fn home(session: &Session) -> Place {
    let Some(symbols) = session.symbols().filter(|symbols| symbols.documents() > 0) else { return Place::Documents };
    if let Some(line) = samples::of(session).and_then(|samples| samples.lines.first()) {
        return Place::Line(line.row, line.line);
    }
    if let Some(pdb) = session.symbol_file()
        && !code_unit::is_ready(session)
        && session.spaces().get(pdb.space).is_some_and(|space| space.len() > MAX_UNREAD)
    {
        return Place::Documents;
    }
    *session.cache().get::<First>().0.get_or_init(|| first_of(session, symbols))
}

fn first_of(session: &Session, symbols: &dyn SymbolReader) -> Place {
    if let Some(row) = NativeView::of(session).and_then(|native| most_code(symbols, native)) {
        return Place::Document(row);
    }
    if symbols.documents() > MAX_ORDERED {
        return Place::Document(1);
    }
    let with_code = documents_with_code(session, symbols);
    let order = |row: &u32| {
        let name = symbols.document(*row).map_or_else(|_| String::new(), |document| document.name);
        let (folder, file) = split_path(&name);
        (!with_code.contains(row), folder.to_owned(), file.to_owned(), *row)
    };
    Place::Document((1..=symbols.documents()).min_by_key(order).unwrap_or(1))
}

/// The document with most line records of the functions that are examined, of the program's own code if there is any.
fn most_code(symbols: &dyn SymbolReader, native: NativeView<'_>) -> Option<u32> {
    let (mut counts, mut examined) = (HashMap::<u32, (u32, u32)>::new(), 0);
    let own = native.view.own_modules();
    native.each_lines(&mut |function, lines| {
        let is_own = own.get(function.module as usize).copied().unwrap_or_default();
        for point in lines.points.iter().filter(|point| !point.is_hidden()) {
            let (of_own, all) = counts.entry(point.document).or_default();
            *of_own += u32::from(is_own);
            *all += 1;
        }
        examined += 1;
        if examined < MAX_FUNCTIONS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    counts.retain(|row, _| (1..=symbols.documents()).contains(row));
    let rank = |row: u32, of_own: u32| {
        let path = symbols.document(row).map_or_else(|_| String::new(), |document| document.name);
        let name = file_name(&path);
        let is_header = name.rsplit_once('.').is_none_or(|(_, kind)| HEADERS.contains(&&*kind.to_ascii_lowercase()));
        (of_own > 0 && !is_of_tools(&path), !is_of_tools(&path), !is_header)
    };
    let order =
        |(row, (of_own, all)): &(u32, (u32, u32))| (rank(*row, *of_own), *of_own, *all, std::cmp::Reverse(*row));
    counts.into_iter().max_by_key(order).map(|(row, _)| row)
}

/// The documents that methods are in, by their first visible point where they are in several.
fn documents_with_code(session: &Session, symbols: &dyn SymbolReader) -> HashSet<u32> {
    let mut found = HashSet::new();
    for row in 1..=symbols.methods().min(MAX_EXAMINED) {
        let method = Token::new(TableId::METHOD_DEF, row);
        if let Ok(Some(document)) = symbols.method(method).map(|method| method.document) {
            found.insert(document);
            continue;
        }
        found.extend(code_unit::first_visible(session, method.into()).map(|point| point.document));
    }
    found
}

fn split_path(name: &str) -> (&str, &str) {
    let (folder, file) = name.split_at(name.rfind(['/', '\\']).unwrap_or(0));
    (folder, file.strip_prefix(['/', '\\']).unwrap_or(file))
}

fn empty_text(session: &Session) -> String {
    let what = match session.symbol_file() {
        None => "No symbols are open: the PDB names the sources.",
        Some(_) => "The symbols name no documents.",
    };
    what.to_owned()
}

/// The action of the heading of a group; `None` for folders.
fn group_action(rows: &[Row], index: usize) -> Option<Effect> {
    let heading = rows.get(index).filter(|row| row.depth == 0 && row.cells.len() == 1)?.cells.first()?;
    let group = TextGroup::ALL
        .into_iter()
        .find(|group| heading.beside == group.action() && heading.text.starts_with(group.name()))?;
    let inside = rows.iter().skip(index + 1).take_while(|row| row.depth > 0).filter_map(|row| match row.place {
        Some(Place::Document(row)) => Some(row),
        _ => None,
    });
    match group {
        TextGroup::WrongHash | TextGroup::NotFetched => {
            Some(Effect::Update(Box::new(Msg::SourcesWanted(inside.collect()))))
        }
        TextGroup::NotFound => Some(Effect::Dispatch(Action::Symbols)),
        TextGroup::Embedded => Some(Effect::Update(Box::new(Msg::ExtractWanted))),
        TextGroup::Unverified | TextGroup::Verified => None,
    }
}

struct DocumentItem {
    row: u32,
    folder: String,
    name: String,
    /// Samples of a profile in its lines themselves.
    samples: u64,
}

/// Verdicts on the texts of the documents, and the counts of their code, in their order; empty until a job has found them.
#[derive(Default)]
struct Verified(Mutex<Vec<VerifiedDocument>>);

type VerifiedDocument = (HashVerdict, Option<DocumentCounts>);

impl Verified {
    fn keep(session: &Session, found: Vec<VerifiedDocument>) {
        *session.cache().get::<Self>().0.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Status of a document, then the numbers of its points that are never reached, of all, of methods and lines.
    fn cells(session: &Session, row: u32) -> Vec<Cell> {
        let known = session.cache().get::<Self>().0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((verdict, count)) = known.get((row as usize).wrapping_sub(1)) else { return vec![Cell::default()] };
        let (sign, tone) = verdict_sign(*verdict);
        [Cell::toned(sign, tone)].into_iter().chain(code_cells(*count)).collect()
    }
}

/// All documents, with nothing that takes time.
fn documents(session: &Session) -> Vec<DocumentItem> {
    let Some(symbols) = session.symbols() else { return Vec::new() };
    let mut sampled: HashMap<u32, u64> = HashMap::new();
    for line in samples::of(session).into_iter().flat_map(|samples| &samples.lines) {
        *sampled.entry(line.row).or_default() += line.count.samples;
    }
    let item = |row| {
        let samples = sampled.get(&row).copied().unwrap_or_default();
        match symbols.document(row) {
            Ok(document) => {
                let (folder, name) = split_path(&document.name);
                DocumentItem { row, folder: folder.to_owned(), name: name.to_owned(), samples }
            }
            Err(_) => {
                let name = format!("(document {row} cannot be read)");
                DocumentItem { row, folder: String::new(), name, samples }
            }
        }
    };
    (1..=symbols.documents()).map(item).collect()
}

/// The folders with their documents, the hottest first; one without a folder comes first.
fn folders(mut items: Vec<DocumentItem>, depth: u8) -> Vec<Row> {
    items.sort_unstable_by(|a, b| {
        let order = a.folder.cmp(&b.folder).then(b.samples.cmp(&a.samples));
        order.then_with(|| (&a.name, a.row).cmp(&(&b.name, b.row)))
    });
    let (mut rows, mut folder) = (Vec::new(), String::new());
    for item in items {
        if item.folder != folder {
            rows.push(Row { depth, ..Row::plain(vec![Cell::toned(item.folder.as_str(), Tone::Dim)]) });
            folder = item.folder;
        }
        let inside = depth + u8::from(!folder.is_empty());
        let name = match item.samples {
            0 => Cell::new(item.name),
            samples => Cell::new(item.name).beside(count(samples, "sample")),
        };
        rows.push(Row { depth: inside, ..Row::at(Place::Document(item.row), vec![name]) });
    }
    rows
}

/// The documents in groups by the state of their texts; what is found of each is kept for its cells.
fn groups(session: &Session, paths: &Paths, token: &CancelToken) -> Option<Vec<Row>> {
    hold(session);
    let counts = document_counts(session, &|| token.is_cancelled()).unwrap_or_default();
    let sources = Sources::of(session, &paths.sources);
    let mut groups: BTreeMap<TextGroup, Vec<DocumentItem>> = BTreeMap::new();
    let items = documents(session);
    let total = items.len() as u64;
    let mut found = Vec::with_capacity(items.len());
    for (done, item) in (0_u64..).zip(items) {
        if token.is_cancelled() {
            return None;
        }
        token.report(done, total);
        let source = sources.get(item.row);
        let verdict = source.as_ref().map_or(HashVerdict::CannotTell(Unknown::NoText), |source| source.verdict);
        found.push((verdict, counts.get(item.row as usize - 1).copied()));
        groups.entry(source.map_or(TextGroup::NotFound, |source| TextGroup::of(&source))).or_default().push(item);
    }
    let mut rows = Vec::new();
    for (group, items) in groups {
        rows.push(group.heading(items.len()));
        rows.extend(folders(items, 1));
    }
    Verified::keep(session, found);
    Some(rows)
}

/// The numbers of points that a debugger refuses, of all points, of methods and lines; those of a document without code are left out, and
/// that of refused points where there are none.
fn code_cells(count: Option<DocumentCounts>) -> [Cell; 4] {
    let Some(count) = count.filter(|count| count.points > 0) else { return Default::default() };
    let cell = |number: u32| Cell::toned(number.to_string(), Tone::Dim);
    let refused = if count.refused > 0 { cell(count.refused) } else { Cell::default() };
    [refused, cell(count.points), cell(count.methods), cell(count.lines)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(row: u32, folder: &str, name: &str) -> DocumentItem {
        DocumentItem { row, folder: folder.to_owned(), name: name.to_owned(), samples: 0 }
    }

    #[test]
    fn a_folder_has_its_documents_whatever_is_above_it() {
        let items =
            vec![item(1, "/_/a/b", "X.cs"), item(2, "/_/a/b/c", "Y.cs"), item(3, "/_/a/b", "A.cs"), item(4, "", "z")];
        let rows = folders(items, 1);
        let seen: Vec<_> = rows.iter().map(|row| (row.depth, row.cells[0].text.as_str())).collect();
        assert_eq!(seen, [(1, "z"), (1, "/_/a/b"), (2, "A.cs"), (2, "X.cs"), (1, "/_/a/b/c"), (2, "Y.cs")]);
    }

    #[test]
    fn the_action_of_a_group_is_for_its_documents() {
        let mut rows = vec![TextGroup::NotFetched.heading(2)];
        let items = vec![item(7, "/a", "X.cs"), item(9, "/b", "Y.cs")];
        rows.extend(folders(items, 1));
        rows.push(TextGroup::Verified.heading(1));
        rows.extend(folders(vec![item(3, "/a", "Z.cs")], 1));
        let Some(Effect::Update(message)) = group_action(&rows, 0) else { panic!("no effect") };
        assert!(matches!(*message, Msg::SourcesWanted(documents) if documents == [7, 9]));
        for index in 1..rows.len() {
            assert!(group_action(&rows, index).is_none(), "{index}");
        }
    }
}
