//! The Used by pane: what refers to a place, by type or by file; a caller unfolds into its own callers.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::engine::action::Action;
use crate::engine::jobs::JobHandle;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg, index_job};
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::list_filter::RowSource;
use crate::ui::text::without_namespaces;
use crate::ui::tree::{DepthTree, Folds, ListState};
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::used_by::{self, UseKind, User};
use pdblens_nodes::{Place, TableId, Token};
use pdblens_nodes::{document, function};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

const COLUMNS: [Head; 3] = [Head::text("caller"), Head::number("line"), Head::text("at")];
/// Lists that are kept for steps back in the history.
const MAX_KEPT: usize = 16;

/// The users of one place.
#[derive(Clone, Default)]
struct UserList {
    of: Option<Place>,
    is_by_file: bool,
    items: Arc<Vec<UserRow>>,
    title: &'static str,
    /// Lines of the card; empty until the users are known.
    card: Vec<String>,
}

#[derive(Clone, Debug)]
struct UserRow {
    depth: u8,
    /// The text of a heading or a member; empty for a user, whose row is made as it shows.
    heading: String,
    place: Option<Place>,
    /// Name of the column or field that refers to the place.
    field: &'static str,
    /// True for another use by the code of the row above.
    is_again: bool,
}

#[derive(Default)]
struct UsedBy {
    users: UserList,
    kept: VecDeque<(UserList, ListState)>,
    reading: JobHandle,
}

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid::default(), UsedBy::default())
}

/// The type of a method, the module of a function, or the file of either; without a name for what is no code.
fn group_of(session: &Session, user: Place, is_by_file: bool) -> (String, Option<Place>) {
    let Some(unit) = user.code_unit() else { return Default::default() };
    if is_by_file {
        let document = used_by::point_of(session, user).map(|point| point.document);
        let name = document.and_then(|row| document::name(session, row)).unwrap_or_default();
        return (file_name(&name).to_owned(), document.map(Place::Document));
    }
    match unit {
        CodeUnit::Method(method) => session.names().map_or_else(Default::default, |names| {
            let owner = Token::new(TableId::TYPE_DEF, names.owner(method.row()));
            (without_namespaces(&names.type_name(owner)), Some(Place::row(owner.table(), owner.row())))
        }),
        CodeUnit::Function(rva) => function::module_of(session, rva)
            .map_or_else(Default::default, |(module, name)| (file_name(&name).to_owned(), Some(Place::Module(module)))),
    }
}

/// Name of a user in the row of its group: of code without its type.
fn short_name(session: &Session, user: Place) -> String {
    match (user.code_unit(), session.names()) {
        (Some(CodeUnit::Method(method)), Some(names)) => names.brief().method_short(method),
        _ => used_by::brief_name(session, user),
    }
}

impl UserList {
    fn of(session: &Session, of: Place, is_by_file: bool) -> Self {
        let is_named = matches!(of, Place::Method(_) | Place::MethodPart(..))
            || matches!(of, Place::Row(_, TableId::TYPE_DEF | TableId::FIELD, _));
        let is_own = |user: &&User| is_named && user.kind == UseKind::Part;
        // Rows that belong to what has a name of its own are in its record.
        let users: Vec<User> =
            used_by::users(session, of).unwrap_or_default().iter().filter(|user| !is_own(user)).copied().collect();
        let mut found: Vec<_> = users.iter().map(|user| (*user, group_of(session, user.place, is_by_file))).collect();
        let mut sizes: HashMap<(UseKind, String), usize> = HashMap::new();
        for (user, group) in &found {
            *sizes.entry((user.kind, group.0.clone())).or_default() += 1;
        }
        // The groups with most users come first.
        found.sort_by_cached_key(|(user, group)| {
            let key = (user.kind, group.0.clone());
            (user.kind, std::cmp::Reverse(sizes.get(&key).copied()), key.1)
        });
        let kinds = || found.chunk_by(|(one, _), (other, _)| one.kind == other.kind);
        let is_one_kind = kinds().count() == 1;
        let mut items = Vec::new();
        for same in kinds() {
            let (Some((first, _)), nested) = (same.first(), u8::from(!is_one_kind)) else { continue };
            if !is_one_kind {
                items.push(UserRow::heading(0, format!("{}s  {}", first.kind.noun(), same.len()), None));
            }
            for group in same.chunk_by(|(_, one), (_, other)| one == other) {
                let (name, place) = group.first().map(|(_, group)| group.clone()).unwrap_or_default();
                let depth = nested + u8::from(!name.is_empty());
                if !name.is_empty() {
                    items.push(UserRow::heading(nested, name, place));
                }
                items.extend(users_in(depth, group.iter().map(|(user, _)| user)));
            }
        }
        for (noun, members) in used_by::members_of(session, of) {
            items.push(UserRow::heading(0, format!("its {noun}s  {}", members.len()), None));
            let own = |place: Place| UserRow::heading(1, short_name(session, place), Some(place));
            items.extend(members.into_iter().map(own));
        }
        let noun = if is_one_kind { found.first().map_or("", |(user, _)| user.kind.noun()) } else { "user" };
        let units: HashSet<CodeUnit> = users.iter().filter_map(|user| user.place.code_unit()).collect();
        let names: HashSet<_> = sizes.keys().map(|(_, name)| name).filter(|name| !name.is_empty()).collect();
        let is_native = matches!(units.iter().next(), Some(CodeUnit::Function(_)));
        let (unit, group) = match (is_native, is_by_file) {
            (true, false) => ("function", "module"),
            (true, true) => ("function", "file"),
            (false, false) => ("method", "type"),
            (false, true) => ("method", "file"),
        };
        let from = match units.len() {
            0 => String::new(),
            some => format!("from {} of {}", count(some as u64, unit), count(names.len() as u64, group)),
        };
        let kinds = used_by::expected_kinds(of, &users);
        let counted = kinds
            .iter()
            .map(|kind| format!("{}s {}", kind.noun(), users.iter().filter(|user| user.kind == *kind).count()));
        let name = used_by::brief_name(session, of);
        // The number of a row says nothing beside its name.
        let name = match of {
            Place::Row(..) => name.split_once(' ').map_or(name.as_str(), |(_, name)| name),
            _ => &name,
        };
        let answer = format!("{} of {name}", count(users.len() as u64, noun));
        let mut card = vec![answer, from, counted.collect::<Vec<_>>().join("   ")];
        card.retain(|line| !line.is_empty());
        let title = if noun == "call" { "Calls" } else { "Used by" };
        Self { of: Some(of), is_by_file, items: Arc::new(items), title, card }
    }

    fn row_of(&self, place: Place) -> Option<usize> {
        self.items.iter().position(|item| item.place == Some(place))
    }

    /// The rows. A name is left out where the row above has the same one, except in the row of the cursor or with `all`.
    fn rows<'s>(&self, session: &'s Session, cursor: Option<usize>, all: bool) -> Rows<'s> {
        let items = Arc::clone(&self.items);
        Rows::new("", COLUMNS.to_vec(), items.len(), move |index| {
            let Some(item) = items.get(index) else { return Row::default() };
            let cells = match (item.place, item.heading.as_str()) {
                (Some(place), "") => {
                    let is_named = !item.is_again || all || cursor == Some(index);
                    let name = if is_named { short_name(session, place) } else { String::new() };
                    let [line, mut at, _] = used_by::position_cells(session, place);
                    if at.text.is_empty() {
                        item.field.clone_into(&mut at.text);
                    }
                    vec![Cell::new(name), line, at]
                }
                (_, text) => vec![Cell::toned(text, Tone::Strong)],
            };
            Row { place: item.place, depth: item.depth, ..Row::plain(cells) }
        })
    }
}

impl UserRow {
    const fn heading(depth: u8, heading: String, place: Option<Place>) -> Self {
        Self { depth, heading, place, field: "", is_again: false }
    }
}

fn users_in<'u>(depth: u8, users: impl Iterator<Item = &'u User>) -> impl Iterator<Item = UserRow> {
    let mut before = None;
    users.map(move |user| {
        let unit = user.place.code_unit();
        let is_again = unit.is_some() && std::mem::replace(&mut before, unit) == unit;
        UserRow { depth, heading: String::new(), place: Some(user.place), field: user.field, is_again }
    })
}

impl UsedBy {
    fn item(&self, list: &ListState) -> Option<&UserRow> {
        self.users.items.get(list.grid.row()?)
    }

    /// Shows the users of a place; the list before it is kept.
    fn open(&mut self, of: Place, list: &mut ListState, session: &Session) {
        if self.users.of.is_some() && self.users.of != Some(of) {
            let size = list.size;
            let before = std::mem::replace(list, ListState { size, ..ListState::default() });
            self.kept.push_back((std::mem::take(&mut self.users), before));
            if self.kept.len() > MAX_KEPT {
                self.kept.pop_front();
            }
        }
        self.users = UserList { of: Some(of), ..UserList::default() };
        self.fill(list, session);
    }

    /// Lists the users, once the index that they wait for is built.
    fn fill(&mut self, list: &mut ListState, session: &Session) {
        let Some(of) = self.users.of.filter(|of| used_by::required_index(session, *of).is_none()) else { return };
        self.users = UserList::of(session, of, self.users.is_by_file);
        list.folds = Folds::default();
        self.nest(list);
        // The first user is below the headings of its groups.
        let first = self.users.items.iter().position(|item| item.heading.is_empty());
        list.grid.reveal(first.unwrap_or(0));
    }

    fn nest(&self, list: &mut ListState) {
        list.set_tree(Arc::new(DepthTree::of(self.users.items.iter().map(|item| item.depth))));
    }

    /// Lists the callers of the caller under the cursor below it; false where there are none, or they are there.
    fn unfold(&mut self, list: &mut ListState, session: &Session) -> bool {
        let Some(row) = list.grid.row().filter(|row| !list.has_inside(*row)) else { return false };
        let Some(item) = self.item(list).filter(|item| item.heading.is_empty()) else { return false };
        let Some(unit) = item.place.and_then(Place::code_unit) else { return false };
        let callers = used_by::users(session, unit.place()).unwrap_or_default();
        let depth = item.depth.saturating_add(1);
        let added: Vec<UserRow> = users_in(depth, callers.iter().filter(|user| user.kind.is_call())).collect();
        list.folds.insert(row + 1, added.len());
        let mut items = self.users.items.to_vec();
        let rest = items.split_off(row + 1);
        items.extend(added.into_iter().chain(rest));
        self.users.items = Arc::new(items);
        self.nest(list);
        list.has_inside(row)
    }
}

impl Shows for UsedBy {
    fn title(&self, list: &ListState, _: &Context<'_>) -> Title {
        let users = || self.users.items.iter().filter(|item| item.heading.is_empty());
        let row = list.grid.row().unwrap_or(0);
        let before = self.users.items.iter().take(row + 1).filter(|item| item.heading.is_empty()).count();
        Title::new(self.users.title)
            .of(if self.users.is_by_file { "by file" } else { "" })
            .at(format!("{before}/{}", users().count()))
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        if self.users.card.is_empty() {
            self.fill(list, cx.session);
        }
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let place = cx.selected.selection.place;
        if self.item(list).is_some_and(|item| item.place == Some(place)) {
            return;
        }
        if let Some(row) = self.users.row_of(place) {
            return list.reveal(row);
        }
        let Some(at) = self.kept.iter().rposition(|(users, _)| users.row_of(place).is_some()) else { return };
        let size = list.size;
        if let Some((users, before)) = self.kept.remove(at) {
            let after = std::mem::replace(list, ListState { size, ..before });
            self.kept.push_back((std::mem::replace(&mut self.users, users), after));
            list.reveal(self.users.row_of(place).unwrap_or(0));
        }
    }

    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        let is_filtered = list.grid.list_filter.filter.is_some();
        Some(self.users.rows(cx.session, list.grid.row(), is_filtered))
    }

    fn source(&self, _: &ListState, _: &Context<'_>) -> Option<RowSource> {
        let users = self.users.clone();
        Some(Arc::new(move |session| Some(users.rows(session, None, true))))
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        let text = match self.users.of {
            None => {
                "no list yet: select a method, a type, a field or a row in another view, then open this one".to_owned()
            }
            Some(of) => match used_by::required_index(cx.session, of) {
                Some(required) => format!("reading {required} {}", cx.look.glyphs.more),
                None if self.users.items.is_empty() => used_by::no_users(of).to_owned(),
                None => return None,
            },
        };
        Some(text.into())
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::UsedBy => self.open(cx.selected.selection.place, list, cx.session),
            Action::Order => {
                let place = self.item(list).and_then(|item| item.place);
                self.users.is_by_file = !self.users.is_by_file;
                self.fill(list, cx.session);
                list.reveal(place.and_then(|place| self.users.row_of(place)).or(list.grid.row()).unwrap_or(0));
            }
            Action::Parent => return Some(vec![Effect::Go(self.users.of?.into())]),
            Action::Right if self.item(list).is_some_and(|item| item.heading.is_empty()) => {
                if list.grid.row().is_some_and(|row| list.has_inside(row)) {
                    return None;
                }
                if !self.unfold(list, cx.session) {
                    return Some(vec![Effect::SetStatus(Tone::Dim, "no calls of it are known".to_owned())]);
                }
            }
            Action::Follow => return Some(vec![Effect::Go(self.item(list)?.place?.into())]),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn facts(&self, _: &ListState, _: &Context<'_>) -> Facts {
        Facts { subject: self.users.of, card: self.users.card.clone(), ..Facts::default() }
    }

    fn job(&mut self, _: &ListState, session: &Arc<Session>) -> Option<Job> {
        let required = used_by::required_index(session, self.users.of?)?;
        index_job(&mut self.reading, session, required, "list", Msg::PaneReady)
    }
}
