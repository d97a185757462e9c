//! The methods as a tree: namespaces, types, methods with the number of their points. Of many, the worker makes it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::model::place::{MethodPart, Side};
use crate::model::symbols::Symbols;
use crate::model::{Cell, Head, Place, Row, Rows, Session, TableId, Token, Tone};
use crate::tui::action::Action;
use crate::tui::app::{App, Effect};
use crate::tui::jobs::Job;
use crate::tui::pane::{Context, List, Pane, Selection, Title};
use crate::tui::panes::outline::say;
use crate::tui::widgets::grid::Grid;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::sieve::{Sieve, Source};
use crate::tui::widgets::tree::{Nested, TreeGrid};

/// Where there are more methods than this, types begin collapsed.
const SMALL: u32 = 400;

/// More methods than this are sorted by the worker.
const AT_ONCE: u32 = 10_000;

/// A namespace, and the row of the tree that it has.
#[derive(Clone, Debug, Default, PartialEq)]
struct Namespace {
    name: String,
    at: usize,
}

/// A type that has methods, and the rows of those; and the row of the tree that it has itself.
#[derive(Clone, Debug, PartialEq)]
struct Type {
    row: u32,
    namespace: usize,
    name: String,
    methods: std::ops::Range<u32>,
    at: usize,
}

/// A row of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    Namespace(usize),
    Type(usize),
    Method(u32),
}

/// All methods under their types, and those under their namespaces. Where no types are known, the methods alone.
#[derive(Debug, Default)]
struct Tree {
    namespaces: Vec<Namespace>,
    /// In the order of the tree.
    types: Vec<Type>,
    /// The same, in the order of their methods.
    by_method: Vec<usize>,
    total: u32,
    len: usize,
}

#[derive(Default)]
struct Methods {
    tree: TreeGrid<Tree>,
    loaded: bool,
    /// Alive while the worker sorts them.
    making: Weak<()>,
    inbox: Arc<Mutex<Option<Tree>>>,
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    let grid = Grid { headless: true, flush: true, ..Grid::default() };
    Box::new(Methods { tree: TreeGrid { grid, ..TreeGrid::default() }, ..Methods::default() })
}

/// The first point of the method that the program starts with, or of the first one that has points.
pub fn home(session: &Session) -> Place {
    const TRIED: u32 = 2000;
    let entry = session.symbols().and_then(Symbols::entry_point);
    let has_points = |method: &Token| session.point_count(*method).0 > 0;
    let first = || (1..=session.methods().min(TRIED)).map(token).find(has_points);
    match entry.filter(has_points).or_else(first) {
        Some(method) => Place::MethodPart(method, MethodPart::Point(1)),
        None => Place::Methods,
    }
}

/// Why there are no methods.
fn why_none(session: &Session) -> &'static str {
    match (&session.image, session.symbols()) {
        (_, Some(symbols)) if symbols.native().is_some() => "native code has no methods: its functions are in Streams",
        (Some(image), _) if image.metadata.is_none() => "the image is native: it has no methods",
        (None, Some(symbols)) if symbols.is_header_only() => "only the header of these symbols is read",
        _ => "there are no methods: the image defines none",
    }
}

fn token(row: u32) -> Token {
    Token::new(TableId::METHOD_DEF, row)
}

impl Tree {
    /// Sorts all methods under their types, and those under their namespaces.
    fn of(session: &Session) -> Self {
        let mut tree = Self { total: session.methods(), ..Self::default() };
        tree.len = tree.total as usize;
        let (Some(names), Some(metadata)) = (session.names(), session.metadata()) else { return tree };
        let mut known: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
        let mut row = 1;
        while row <= tree.total {
            let owner = names.owner(row);
            let mut end = row + 1;
            while end <= tree.total && names.owner(end) == owner {
                end += 1;
            }
            let outermost =
                std::iter::successors(Some(owner), |row| Some(names.enclosing(*row)).filter(|outer| *outer > 0))
                    .take(64)
                    .last();
            let namespace = metadata.string_cell(TableId::TYPE_DEF, outermost.unwrap_or(owner), 2);
            let namespace =
                namespace.map_or_else(|_| String::new(), |slice| crate::model::text::utf8(slice.data).into_owned());
            let full = if owner == 0 { "?".to_owned() } else { names.type_name(Token::new(TableId::TYPE_DEF, owner)) };
            let name = full
                .strip_prefix(namespace.as_str())
                .map_or(full.as_str(), |name| name.trim_start_matches('.'))
                .to_owned();
            let next = known.len();
            let namespace = *known.entry(namespace).or_insert(next);
            tree.types.push(Type { row: owner, namespace, name, methods: row..end, at: 0 });
            row = end;
        }
        tree.namespaces = vec![Namespace::default(); known.len()];
        for (name, index) in known {
            tree.namespaces[index].name = name;
        }
        tree.number();
        tree
    }

    /// Says which row of the tree everything has.
    fn number(&mut self) {
        self.types.sort_by_key(|found| found.namespace);
        let (mut at, mut last) = (0, None);
        for found in &mut self.types {
            if last != Some(found.namespace) {
                self.namespaces[found.namespace].at = at;
                last = Some(found.namespace);
                at += 1;
            }
            found.at = at;
            at += 1 + found.methods.len();
        }
        if !self.types.is_empty() {
            self.len = at;
        }
        self.by_method = (0..self.types.len()).collect();
        self.by_method.sort_by_key(|index| self.types[*index].methods.start);
    }

    /// What a row of the tree is.
    fn item(&self, row: usize) -> Option<Item> {
        Some(self.seat(row)?.0)
    }

    /// What a row of the tree is, the row that it is in, and the one behind what is in it.
    fn seat(&self, row: usize) -> Option<(Item, Option<usize>, usize)> {
        if row >= self.len {
            return None;
        }
        if self.types.is_empty() {
            return Some((Item::Method(row as u32 + 1), None, row + 1));
        }
        let index = self.namespaces.partition_point(|namespace| namespace.at <= row).checked_sub(1)?;
        let namespace = self.namespaces.get(index)?;
        if namespace.at == row {
            let end = self.namespaces.get(index + 1).map_or(self.len, |next| next.at);
            return Some((Item::Namespace(index), None, end));
        }
        let index = self.types.partition_point(|found| found.at <= row).checked_sub(1)?;
        let found = self.types.get(index)?;
        Some(match row - found.at {
            0 => (Item::Type(index), Some(namespace.at), row + 1 + found.methods.len()),
            behind => (Item::Method(found.methods.start + behind as u32 - 1), Some(found.at), row + 1),
        })
    }

    /// The type that a method is in.
    fn type_of(&self, method: u32) -> Option<&Type> {
        let behind = self.by_method.partition_point(|index| self.types[*index].methods.start <= method);
        self.types.get(*self.by_method.get(behind.checked_sub(1)?)?).filter(|found| found.methods.contains(&method))
    }

    /// The row of the tree that a method has.
    fn row_of(&self, method: u32) -> Option<usize> {
        if self.types.is_empty() {
            return (1..=self.total).contains(&method).then(|| method as usize - 1);
        }
        let found = self.type_of(method)?;
        Some(found.at + 1 + (method - found.methods.start) as usize)
    }

    /// A method's name; with its parameters where the one beside it has the same.
    fn method_name(&self, session: &Session, row: u32) -> String {
        let Some(names) = session.names() else { return token(row).to_string() };
        let name = names.method_name(token(row));
        let beside = [row.wrapping_sub(1), row + 1].into_iter().filter(|other| (1..=self.total).contains(other));
        let same = |other: u32| names.method_name(token(other)) == name && names.owner(other) == names.owner(row);
        if beside.into_iter().any(same) { names.brief().method_short(token(row)) } else { name }
    }

    /// What a row says: `sign` stands before what folds, `points` counts the points of methods.
    fn row(&self, session: &Session, row: usize, sign: &str, points: &dyn Fn(std::ops::Range<u32>) -> String) -> Row {
        match self.item(row) {
            Some(Item::Namespace(index)) => {
                let name = self.namespaces.get(index).map_or("", |namespace| namespace.name.as_str());
                let name = if name.is_empty() { "(no namespace)" } else { name };
                Row::plain(vec![Cell::new(format!("{sign}{name}"))])
            }
            Some(Item::Type(index)) => {
                let Some(found) = self.types.get(index) else { return Row::default() };
                let text = Cell::toned(format!("{sign}{}", found.name), Tone::Dim);
                let cells = vec![text, Cell::toned(points(found.methods.clone()), Tone::Dim)];
                Row { depth: 1, ..Row::at(Place::Row(Side::Image, TableId::TYPE_DEF, found.row), cells) }
            }
            Some(Item::Method(method)) => {
                let points = points(method..method + 1);
                let tone = if points.is_empty() { Tone::Dim } else { Tone::Text };
                let cells = vec![Cell::toned(self.method_name(session, method), tone), Cell::toned(points, Tone::Dim)];
                let depth = if self.types.is_empty() { 0 } else { 2 };
                Row { depth, ..Row::at(Place::Method(token(method)), cells) }
            }
            None => Row::default(),
        }
    }
}

impl Nested for Tree {
    fn rows(&self) -> usize {
        self.len
    }

    fn parent(&self, row: usize) -> Option<usize> {
        self.seat(row)?.1
    }

    fn end(&self, row: usize) -> usize {
        self.seat(row).map_or(row + 1, |(.., end)| end)
    }

    fn folding(&self) -> Vec<usize> {
        let namespaces = self.namespaces.iter().map(|namespace| namespace.at);
        namespaces.chain(self.types.iter().map(|found| found.at)).collect()
    }
}

impl Methods {
    /// Takes the tree; where there are many methods, once the worker has made it.
    fn load(&mut self, session: &Session) {
        if self.loaded {
            return;
        }
        let made = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        let now = || (session.methods() <= AT_ONCE).then(|| Tree::of(session));
        let Some(tree) = made.or_else(now) else { return };
        self.loaded = true;
        if tree.total > SMALL {
            self.tree.folds.closed = tree.types.iter().map(|found| found.at).collect();
        }
        self.tree.tree = Arc::new(tree);
        self.tree.grid.sieve.anew();
        self.tree.arrange();
    }

    fn item(&self) -> Option<Item> {
        self.tree.tree.item(self.tree.grid.row()?)
    }

    fn rows<'c>(&'c self, cx: &Context<'c>) -> Rows<'c> {
        let (session, glyphs, tree) = (cx.session, cx.look.glyphs, &self.tree);
        Rows::new("", vec![Head::text(""), Head::number("")], tree.tree.len, move |row| {
            let is_open = tree.is_open(row);
            let sign = format!("{} ", if is_open { glyphs.open } else { glyphs.closed });
            // A closed type says how many points its methods have, where those are quickly counted.
            let points = |methods: std::ops::Range<u32>| {
                let counts = methods.len() == 1 && !tree.tree.folds(row) || !is_open && methods.len() <= 64;
                let points: u32 = if counts { methods.map(|row| session.point_count(token(row)).0).sum() } else { 0 };
                if points > 0 { points.to_string() } else { String::new() }
            };
            let mut found = tree.tree.row(session, row, &sign, &points);
            if tree.grid.sieve.left().is_some_and(|left| left.binary_search(&row).is_ok()) {
                // What is looked for does not stand back behind its methods.
                found.cells.iter_mut().take(1).for_each(|cell| cell.tone = Tone::Text);
            }
            found
        })
    }
}

impl Pane for Methods {
    fn title(&self, cx: &Context<'_>) -> Title {
        let total = cx.session.methods();
        let at = match self.item() {
            Some(Item::Method(row)) => format!("{row}/{total}"),
            _ => total.to_string(),
        };
        Title::new("Methods").at(at)
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        self.load(cx.session);
        let done = match action {
            Action::Left => self.tree.fold(Some(false)),
            Action::Right => self.tree.fold(Some(true)),
            Action::Toggle => self.tree.fold(None),
            Action::Follow => {
                if let Some(Item::Method(row)) = self.item() {
                    return Some(vec![Effect::Go(Place::MethodPart(token(row), MethodPart::Points).into())]);
                }
                self.tree.fold(None)
            }
            Action::ExpandAll | Action::CollapseAll => {
                self.tree.fold_all(action == Action::ExpandAll);
                true
            }
            _ => self.tree.grid.scroll.act(action, count),
        };
        self.tree.grid.idle &= !done;
        done.then(Vec::new)
    }

    fn show(&mut self, cx: &Context<'_>) {
        self.load(cx.session);
        let method = cx.linked.method.as_ref().map(|view| view.token);
        self.tree.grid.idle = method.is_none();
        if let Some(row) = method.and_then(|method| self.tree.tree.row_of(method.row())) {
            self.tree.reveal(row);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.load(cx.session);
        self.tree.grid.scroll.set_height(size.height as usize);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if !self.loaded {
            let text = format!("reading {} methods {}", cx.session.methods(), cx.look.glyphs.more);
            say(buf, area, &text, cx);
            return None;
        }
        if self.tree.tree.len == 0 {
            say(buf, area, why_none(cx.session), cx);
            return None;
        }
        self.tree.grid.draw(buf, area, &self.rows(cx), &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        let place = match self.item()? {
            Item::Method(row) => Place::Method(token(row)),
            Item::Type(index) => Place::Row(Side::Image, TableId::TYPE_DEF, self.tree.tree.types.get(index)?.row),
            Item::Namespace(_) => Place::Methods,
        };
        Some(place.into())
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let mut grid = self.tree.grid.clone();
        let hit = grid.point(at, area, &self.rows(cx));
        grid.idle &= !hit;
        self.tree.grid = grid;
        hit
    }

    fn list(&self) -> Option<&dyn List> {
        Some(self)
    }

    fn list_mut(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }

    fn wants(&mut self, session: &Arc<Session>) -> Option<Job> {
        if self.loaded || self.making.strong_count() > 0 {
            return None;
        }
        let (session, inbox, alive) = (Arc::clone(session), Arc::clone(&self.inbox), Arc::new(()));
        self.making = Arc::downgrade(&alive);
        Some(Job {
            what: "sorting the methods".to_owned(),
            slot: "methods",
            work: Box::new(move |_| {
                *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(Tree::of(&session));
                Box::new(move |app: &mut App| {
                    drop(alive);
                    app.show_again();
                    Vec::new()
                })
            }),
        })
    }

    fn copy(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        self.tree.grid.copy(action, &self.rows(cx))
    }
}

impl List for Methods {
    fn parts(&self) -> (&Scroll, &Sieve) {
        self.tree.grid.parts()
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut Sieve) {
        self.tree.grid.parts_mut()
    }

    fn source(&self, _: &Context<'_>) -> Option<Source> {
        let tree = Arc::clone(&self.tree.tree);
        Some(Arc::new(move |session| {
            let (tree, len) = (Arc::clone(&tree), tree.len);
            // Counting the points of all methods would take longer than looking at their names.
            let row = move |row| tree.row(session, row, "", &|_| String::new());
            Some(Rows::new("", vec![Head::text("")], len, row))
        }))
    }

    fn reveal(&mut self, row: usize) {
        self.tree.peek(row);
    }

    fn settle(&mut self) {
        self.tree.folds.settle();
    }

    fn sift(&mut self, another: bool, _: &Context<'_>) {
        if another { self.tree.filtered() } else { self.tree.arrange() }
    }

    fn can_show(&self, row: usize) -> bool {
        self.tree.can_show(row)
    }
}
