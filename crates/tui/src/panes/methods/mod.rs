//! The Methods pane: a tree of namespaces, types and methods with the number of their points; for native code, of
//! modules and functions with the number of their lines.

mod tree;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tree::{Item, MethodTree};

use crate::engine::action::Action;
use crate::engine::jobs::CancelToken;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job};
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::sort::Sort;
use crate::ui::tree::ListState;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::rows::{Head, Rows, Tone};
use pdblens_nodes::{Place, code_tree};
use pdblens_query::samples;
use pdblens_session::session::{Session, hold};

/// The number of methods above which the tree is built by a job.
const SYNC_LIMIT: u32 = 10_000;
/// Cells of the row of an overload beside its parameters: margins, levels, the number of points.
const OVERLOAD_MARGINS: usize = 10;

#[derive(Default)]
struct Methods {
    tree: Arc<MethodTree>,
    loaded: bool,
    found: Inbox<MethodTree>,
    /// Numbers of points or lines, of those that were on the screen.
    counts: Mutex<HashMap<u32, u32>>,
    /// Order of functions; it is by their size.
    sort: Option<Sort>,
}

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid { headless: true, flush: true, ..Grid::default() }, Methods::default())
}

/// The home of the Methods view: the hottest point of a profile. Without a profile, the first point of the entry point, else of the first
/// method that has points, else a method with IL.
pub fn home(session: &Session) -> Place {
    // Reading functions is a job.
    if let Some(point) = samples::of(session).and_then(|samples| samples.points.first()) {
        return point.place;
    }
    let first = if code_unit::is_ready(session) { code_tree::first_point(session) } else { return Place::Functions };
    first.or_else(|| code_tree::first_body(session)).unwrap_or(code_unit::words(session).list)
}

impl Methods {
    fn set_tree(&mut self, mut tree: MethodTree, list: &mut ListState) {
        self.loaded = true;
        self.counts = Mutex::default();
        list.folds = std::mem::take(&mut tree.folds);
        list.grid.headless = !tree.code.is_sortable();
        list.grid.list_filter.restart();
        list.grid.apply(Some(Arc::clone(&tree.visible)), tree.len);
        self.tree = Arc::new(tree);
        list.tree = Some(self.tree.clone());
    }

    /// Sorts functions by size: the other way, or no longer, if they are sorted already. The cursor moves to the first row.
    fn sort_by_size(&mut self, list: &mut ListState, session: &Session) -> Effect {
        if !self.tree.code.is_sortable() {
            return Effect::SetStatus(Tone::Dim, "only native functions are sorted, by size".to_owned());
        }
        let selected = self.member(list, session);
        self.sort = Sort::next(self.sort, 1, true);
        self.set_tree(MethodTree::of(session, self.sort.map(|sort| sort.descending)), list);
        let of = if self.sort.is_none() { selected.and_then(Place::code_unit) } else { None };
        match of.and_then(|of| self.row_of(of, false, list, session)) {
            Some(row) => list.reveal(row),
            None => list.grid.scroll.select(0),
        }
        list.grid.idle = false;
        let text = match self.sort {
            Some(Sort { descending: true, .. }) => "by size of the code in bytes, the largest first",
            Some(_) => "by size of the code in bytes, the smallest first",
            None => "in the order of the file",
        };
        Effect::SetStatus(Tone::Dim, text.to_owned())
    }

    fn empty_reason(&self, cx: &Context<'_>) -> String {
        let session = cx.session;
        let why = match (session.image(), session.symbols()) {
            _ if !self.loaded => {
                // Functions are counted once they are read.
                let what = if session.methods() > 0 {
                    format!("{} methods", session.methods())
                } else {
                    "functions".to_owned()
                };
                return format!("reading {what} {}", cx.look.glyphs.more);
            }
            _ if !code_unit::words(session).is_compiled_later => "no module of this PDB contains functions",
            (Some(image), None) if image.metadata.is_none() => {
                "a native image has no methods; open its PDB for functions and lines"
            }
            (Some(image), _) if image.metadata.is_none() => "the image is native: it has no methods",
            (None, Some(symbols)) if symbols.format().is_header_only() => {
                "only the header of this symbol format is read"
            }
            _ => "the image defines no methods",
        };
        why.to_owned()
    }

    fn item(&self, list: &ListState) -> Option<Item> {
        self.tree.item(list.grid.row()?)
    }

    fn member(&self, list: &ListState, session: &Session) -> Option<Place> {
        match self.item(list)? {
            Item::Member(number) => self.tree.code.member(session, number).place,
            Item::Branch(_) => None,
        }
    }

    /// The row of a function that is selected by its own record, as its address is named for another one.
    fn folded_row(&self, selection: Selection, session: &Session) -> Option<usize> {
        let (Place::Function(rva), Some(part)) = (selection.place, selection.part) else { return None };
        let function = NativeView::of(session)?.folded_at_record(rva, part)?;
        self.tree.row_of(self.tree.code.number_of(session, &function)?)
    }

    /// The row of a method or function. Folded functions share a place: of those, the row of the cursor is kept, unless the one that has the
    /// name is selected.
    fn row_of(&self, of: CodeUnit, is_named: bool, list: &ListState, session: &Session) -> Option<usize> {
        if of.is_native() && !is_named && self.member(list, session) == Some(of.place()) {
            return list.grid.row();
        }
        self.tree.row_of(self.tree.code.number(session, of)?)
    }

    /// Number of points of a method, or of lines of a function: counted once, as that takes all of its points.
    fn points(&self, session: &Session, number: u32) -> u32 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(number).or_insert_with(|| self.tree.code.points(session, number))
    }
}

impl Shows for Methods {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let code = &self.tree.code;
        let total = if self.loaded { code.total } else { cx.session.methods() };
        let at = match self.item(list) {
            Some(Item::Member(member)) if code.ordinal(member) <= total => format!("{}/{total}", code.ordinal(member)),
            _ => total.to_string(),
        };
        let words = if self.loaded { code.words() } else { code_unit::words(cx.session) };
        let by = self.sort.map_or(String::new(), |sort| sort.label("", cx.look.glyphs));
        Title::new(words.units).of(by).at(at)
    }

    /// Takes the tree: built at once where it is small, else from the inbox.
    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let session = cx.session;
        if self.loaded || !code_unit::is_ready(session) {
            return;
        }
        let is_small = code_unit::count(session) <= SYNC_LIMIT;
        let now = || is_small.then(|| MethodTree::of(session, None));
        if let Some(tree) = self.found.take().or_else(now) {
            self.set_tree(tree, list);
        }
    }

    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        let (session, glyphs, tree) = (cx.session, cx.look.glyphs, &self.tree);
        let heads = match (tree.code.is_sortable(), tree.code.by_size()) {
            (false, _) => Head::list(["", ":"]),
            (true, None) => Head::list(["function", "lines:"]),
            (true, Some(_)) => Head::list(["function", "bytes:"]),
        };
        let room = usize::from(list.size.width).saturating_sub(OVERLOAD_MARGINS);
        Some(Rows::new("", heads, tree.len, move |row| {
            let is_open = list.is_open(row);
            let sign = format!("{} ", if is_open { glyphs.open } else { glyphs.closed });
            // A collapsed type shows the points of its methods, where they are few.
            let points = |methods: Range<u32>| {
                let is_member = matches!(tree.item(row), Some(Item::Member(_)));
                let counts = is_member || !is_open && methods.len() <= 64;
                let count = |number| self.points(session, number);
                let points: u32 = if counts { methods.map(count).sum() } else { 0 };
                if points > 0 { points.to_string() } else { String::new() }
            };
            let mut found = tree.row(session, row, &sign, &points);
            // The row of the cursor has all parameters.
            let room = if list.grid.row() == Some(row) { usize::MAX } else { room };
            let is_listed = list.grid.list_filter.filter.is_none();
            if let Some(text) = is_listed.then(|| tree.short_text(session, row, room)).flatten() {
                found.cells[0].text = text;
            }
            if list.grid.list_filter.remaining().is_some_and(|left| left.binary_search(&row).is_ok()) {
                // A match is not dimmed.
                found.cells.iter_mut().take(1).for_each(|cell| cell.tone = Tone::Text);
            }
            found
        }))
    }

    fn source(&self, _: &ListState, _: &Context<'_>) -> Option<RowSource> {
        let tree = self.loaded.then(|| Arc::clone(&self.tree))?;
        Some(Arc::new(move |session| {
            let (tree, len) = (Arc::clone(&tree), tree.len);
            let mut columns = vec![Head::text(tree.code.words().unit)];
            columns.extend(tree.code.by_size().map(|_| Head::number("bytes")));
            let shown = columns.len();
            // The points are not searched: counting them would take longer than the search.
            let row = move |row| {
                let mut row = tree.row(session, row, "", &|_| String::new());
                row.cells.truncate(shown);
                row
            };
            Some(Rows::new("", columns, len, row))
        }))
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match (action, self.item(list)) {
            (Action::Sort, _) => Some(vec![self.sort_by_size(list, cx.session)]),
            (Action::Follow, Some(Item::Member(_))) => {
                let of = self.member(list, cx.session)?.code_unit()?;
                Some(vec![Effect::Go(of.points().into())])
            }
            _ => None,
        }
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let of = cx.selected.method.as_ref().map(|view| view.of);
        list.grid.idle = of.is_none();
        let folded = self.folded_row(cx.selected.selection, cx.session);
        let is_named = matches!(cx.selected.selection, Selection { place: Place::Function(_), part: None });
        if let Some(row) = folded.or_else(|| self.row_of(of?, is_named, list, cx.session)) {
            list.reveal(row);
        }
    }

    fn facts(&self, _: &ListState, _: &Context<'_>) -> Facts {
        let code = &self.tree.code;
        Facts {
            // The heading of the numbers is wider than they are.
            content_size: ContentSize {
                width: self.tree.width + if code.is_sortable() { 4 } else { 0 },
                ..ContentSize::default()
            },
            item: self.loaded.then_some(code.words().unit),
            sorts: !self.loaded || code.is_sortable(),
            ..Facts::default()
        }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        (!self.loaded || self.tree.len == 0).then(|| self.empty_reason(cx).into())
    }

    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        let (place, part) = match self.item(list)? {
            Item::Member(number) => (self.member(list, cx.session)?, self.tree.code.folded_record(cx.session, number)),
            Item::Branch(index) => (self.tree.code.branches.get(index)?.place.unwrap_or(Place::Methods), None),
        };
        Some(Selection { place, part })
    }

    fn job(&mut self, _: &ListState, session: &Arc<Session>) -> Option<Job> {
        if self.loaded || self.found.is_pending() {
            return None;
        }
        let session = Arc::clone(session);
        let sort = move |_: &CancelToken| {
            hold(&session);
            Some(MethodTree::of(&session, None))
        };
        Some(self.found.job("sorting the methods", "methods", sort))
    }
}
