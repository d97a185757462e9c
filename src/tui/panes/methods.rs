//! The methods as a tree: namespaces, types, methods with the number of their points.

use std::collections::HashSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::model::place::{MethodPart, Side};
use crate::model::symbols::Symbols;
use crate::model::{Cell, Head, Place, Row, Rows, Session, TableId, Token, Tone};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::{Context, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::grid::Grid;
use crate::tui::widgets::text::put;

/// Where there are more methods than this, types begin collapsed.
const SMALL: u32 = 400;

/// A type that has methods, and the rows of those.
#[derive(Clone, Debug, PartialEq)]
struct Type {
    row: u32,
    namespace: usize,
    name: String,
    methods: std::ops::Range<u32>,
}

/// A row of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    Namespace(usize),
    Type(usize),
    Method(u32),
}

#[derive(Default)]
struct Methods {
    grid: Grid,
    height: u16,
    namespaces: Vec<String>,
    types: Vec<Type>,
    /// What is open, of namespaces and of types.
    open_namespaces: HashSet<usize>,
    open_types: HashSet<usize>,
    items: Vec<Item>,
    total: u32,
    loaded: bool,
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    Box::new(Methods { grid: Grid { headless: true, flush: true, ..Grid::default() }, ..Methods::default() })
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

fn token(row: u32) -> Token {
    Token::new(TableId::METHOD_DEF, row)
}

impl Methods {
    /// Sorts all methods under their types, and those under their namespaces.
    fn load(&mut self, session: &Session) {
        if self.loaded {
            return;
        }
        self.loaded = true;
        self.total = session.methods();
        let (Some(names), Some(metadata)) = (session.names(), session.metadata()) else {
            return self.arrange();
        };
        let mut known: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
        let mut row = 1;
        while row <= self.total {
            let owner = names.owner(row);
            let mut end = row + 1;
            while end <= self.total && names.owner(end) == owner {
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
            self.types.push(Type { row: owner, namespace, name, methods: row..end });
            row = end;
        }
        self.namespaces = vec![String::new(); known.len()];
        for (name, index) in known {
            self.namespaces[index] = name;
        }
        self.open_namespaces = (0..self.namespaces.len()).collect();
        if self.total <= SMALL {
            self.open_types = (0..self.types.len()).collect();
        }
        self.arrange();
    }

    /// The rows that show, by what is open.
    fn arrange(&mut self) {
        self.items.clear();
        if self.types.is_empty() {
            self.items.extend((1..=self.total).map(Item::Method));
        }
        for namespace in 0..self.namespaces.len() {
            self.items.push(Item::Namespace(namespace));
            if !self.open_namespaces.contains(&namespace) {
                continue;
            }
            for (index, found) in self.types.iter().enumerate().filter(|(_, found)| found.namespace == namespace) {
                self.items.push(Item::Type(index));
                if self.open_types.contains(&index) {
                    self.items.extend(found.methods.clone().map(Item::Method));
                }
            }
        }
        self.grid.scroll.set_len(self.items.len());
    }

    /// A method's name; with its parameters where the one beside it has the same.
    fn method_name(&self, session: &Session, row: u32) -> String {
        let Some(names) = session.names() else { return token(row).to_string() };
        let name = names.method_name(token(row));
        let beside = [row.wrapping_sub(1), row + 1].into_iter().filter(|other| (1..=self.total).contains(other));
        let same = |other: u32| names.method_name(token(other)) == name && names.owner(other) == names.owner(row);
        if beside.into_iter().any(same) { names.brief().method_short(token(row)) } else { name }
    }

    fn rows<'c>(&'c self, cx: &Context<'c>) -> Rows<'c> {
        let (session, glyphs) = (cx.session, cx.look.glyphs);
        let sign = |open: bool| if open { glyphs.open } else { glyphs.closed };
        Rows::new("", vec![Head::text(""), Head::number("")], self.items.len(), move |index| {
            match self.items.get(index) {
                Some(Item::Namespace(index)) => {
                    let name = self
                        .namespaces
                        .get(*index)
                        .filter(|name| !name.is_empty())
                        .map_or("(no namespace)", String::as_str);
                    Row::plain(vec![Cell::new(format!("{} {name}", sign(self.open_namespaces.contains(index))))])
                }
                Some(Item::Type(index)) => {
                    let Some(found) = self.types.get(*index) else { return Row::default() };
                    let open = self.open_types.contains(index);
                    let text = Cell::toned(format!("{} {}", sign(open), found.name), Tone::Dim);
                    // A closed type says how many points its methods have, where those are quickly counted.
                    let few = !open && found.methods.len() <= 64;
                    let points: u32 =
                        if few { found.methods.clone().map(|row| session.point_count(token(row)).0).sum() } else { 0 };
                    let points = if points > 0 { points.to_string() } else { String::new() };
                    let row = Row { depth: 1, ..Row::plain(vec![text, Cell::toned(points, Tone::Dim)]) };
                    Row { place: Some(Place::Row(Side::Image, TableId::TYPE_DEF, found.row)), ..row }
                }
                Some(Item::Method(row)) => {
                    let method = token(*row);
                    let name = self.method_name(session, *row);
                    let (points, _) = session.point_count(method);
                    let tone = if points > 0 { Tone::Text } else { Tone::Dim };
                    let points = if points > 0 { points.to_string() } else { String::new() };
                    let depth = if self.types.is_empty() { 0 } else { 2 };
                    let cells = vec![Cell::toned(name, tone), Cell::toned(points, Tone::Dim)];
                    Row { depth, ..Row::at(Place::Method(method), cells) }
                }
                None => Row::default(),
            }
        })
    }

    /// Puts the cursor on a method, opening what it is in.
    fn reveal(&mut self, method: Token) {
        let row = method.row();
        if let Some(index) = self.types.iter().position(|found| found.methods.contains(&row)) {
            let namespace = self.types[index].namespace;
            let closed = self.open_types.insert(index) | self.open_namespaces.insert(namespace);
            if closed {
                self.arrange();
            }
        }
        if let Some(at) = self.items.iter().position(|item| *item == Item::Method(row)) {
            self.grid.scroll.reveal(at);
        }
    }

    /// Opens or closes what the cursor is on; from a method, closing closes its type.
    fn fold(&mut self, open: Option<bool>) -> bool {
        let at = self.grid.scroll.selected;
        let (set, index) = match self.items.get(at) {
            Some(Item::Namespace(index)) => (&mut self.open_namespaces, *index),
            Some(Item::Type(index)) => (&mut self.open_types, *index),
            Some(Item::Method(_)) if open == Some(false) => {
                // To its type; a second press closes that.
                let parent = self.items.iter().take(at).rposition(|item| matches!(item, Item::Type(_)));
                if let Some(row) = parent {
                    self.grid.scroll.select(row);
                }
                return true;
            }
            _ => return false,
        };
        let want = open.unwrap_or(!set.contains(&index));
        if want == set.contains(&index) {
            // What is closed already: to what it is in. What is open already: to what is in it.
            let parent = self.items.iter().take(at).rposition(|item| matches!(item, Item::Namespace(_)));
            match (want, parent, self.items.get(at)) {
                (false, Some(row), Some(Item::Type(_))) => self.grid.scroll.select(row),
                (true, ..) => self.grid.scroll.select(at + 1),
                _ => {}
            }
            return true;
        }
        if want {
            set.insert(index)
        } else {
            set.remove(&index)
        };
        self.arrange();
        true
    }
}

impl Pane for Methods {
    fn title(&self, _: &Context<'_>) -> Title {
        let at = match self.items.get(self.grid.scroll.selected) {
            Some(Item::Method(row)) => format!("{row}/{}", self.total),
            _ => self.total.to_string(),
        };
        Title::new("Methods").at(at)
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        self.load(cx.session);
        match action {
            Action::Left => self.fold(Some(false)),
            Action::Right => self.fold(Some(true)),
            Action::Toggle => self.fold(None),
            Action::Follow => {
                if let Some(Item::Method(row)) = self.items.get(self.grid.scroll.selected) {
                    return Some(vec![Effect::Go(Place::MethodPart(token(*row), MethodPart::Points).into())]);
                }
                self.fold(None)
            }
            Action::ExpandAll | Action::CollapseAll => {
                let chosen = self.items.get(self.grid.scroll.selected).copied();
                let all = action == Action::ExpandAll;
                self.open_types = if all { (0..self.types.len()).collect() } else { HashSet::new() };
                if all {
                    self.open_namespaces = (0..self.namespaces.len()).collect();
                }
                self.arrange();
                let at = self.items.iter().position(|item| Some(*item) == chosen).unwrap_or(0);
                self.grid.scroll.reveal(at);
                true
            }
            _ => self.grid.scroll.act(action, count),
        }
        .then(Vec::new)
    }

    fn show(&mut self, cx: &Context<'_>) {
        self.load(cx.session);
        let method = cx.linked.method.as_ref().map(|view| view.token);
        self.grid.idle = method.is_none();
        if let Some(method) = method {
            self.reveal(method);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.load(cx.session);
        self.height = size.height;
        self.grid.scroll.set_height(size.height as usize);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.items.is_empty() {
            put(buf, area.x + 1, area.y, area.right(), "there are none", cx.look.theme.of(Role::Dim), cx.look.glyphs);
            return None;
        }
        self.grid.draw(buf, area, &self.rows(cx), &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        let place = match self.items.get(self.grid.scroll.selected)? {
            Item::Method(row) => Place::Method(token(*row)),
            Item::Type(index) => Place::Row(Side::Image, TableId::TYPE_DEF, self.types.get(*index)?.row),
            Item::Namespace(_) => Place::Methods,
        };
        Some(place.into())
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let hit = grid.point(at, area, &self.rows(cx));
        self.grid = grid;
        hit
    }

    fn find(&mut self, text: &str, forward: bool, cx: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let found = grid.find(text, forward, &self.rows(cx));
        self.grid = grid;
        found
    }

    fn copy(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        self.grid.copy(action, &self.rows(cx))
    }
}
