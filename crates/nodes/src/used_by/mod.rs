//! Everything that refers to a node: the inverse of the links that nodes have.
//!
//! Code and signatures are indexed by token, once. Columns of tables are read anew for each question, which takes milliseconds.

mod callers;
mod columns;
mod index;
mod kind;
mod members;
mod native;
#[cfg(test)]
mod tests;
mod types;

use self::columns::add_columns;
use self::index::CodeUse;
use self::members::{FIELD_LIST, METHOD_LIST};
use crate::code_unit;
use crate::code_unit::document_name;
use crate::heap::refs;
use crate::lazy_index::{LazyIndex, is_cached};
use crate::place::{CodeUnit, FunctionPart, MethodPart, Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::table::cells;
use crate::table::context::row_owner;
use pdblens_formats::metadata::{Heap, Metadata, TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_session::session::Session;
use pdblens_session::text::names::Names;
use pdblens_session::text::safe::count;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

pub use callers::callers;
pub use kind::{UseKind, User};
pub use members::member_parent;

/// Returns whether something can refer to places of the kind.
pub fn can_be_used(session: &Session, place: Place) -> bool {
    subject(session, place).is_some()
}

/// Index that the users of a place wait for; `None` where it is built, or takes no time that is felt.
pub fn required_index(session: &Session, place: Place) -> Option<LazyIndex> {
    let index = match subject(session, place)? {
        UsedNode::Native(_) => native::index(),
        _ => index::INDEX.of(Place::Methods),
    };
    if is_cached(session, index) { None } else { Some(index) }
}

#[derive(Clone, Copy)]
enum UsedNode {
    Row(Side, TableId, u32),
    /// Document of a symbol file without tables.
    Document(u32),
    Entry(Side, Heap, u32),
    Native(Place),
}

/// The node whose users are those of `place`: the method of an instruction, the document of a line.
fn subject(session: &Session, place: Place) -> Option<UsedNode> {
    Some(match place {
        Place::Method(token) | Place::MethodPart(token, _) => {
            UsedNode::Row(Side::Image, TableId::METHOD_DEF, token.row())
        }
        Place::Row(_, TableId::METHOD_DEBUG_INFORMATION, row) if session.portable_pdb().is_some() => {
            UsedNode::Row(Side::Image, TableId::METHOD_DEF, row)
        }
        Place::Row(side, table, row) => UsedNode::Row(side, table, row),
        Place::Document(row) | Place::Line(row, _) if session.portable_pdb().is_some() => {
            UsedNode::Row(Side::Pdb, TableId::DOCUMENT, row)
        }
        Place::Document(row) | Place::Line(row, _) => UsedNode::Document(row),
        Place::HeapEntry(side, heap, offset) => UsedNode::Entry(side, heap, offset),
        Place::Type(_) | Place::Id(_) | Place::Function(_) => UsedNode::Native(place),
        Place::TypeLayout(number) => UsedNode::Native(Place::Type(number)),
        Place::FunctionPart(rva, _) => UsedNode::Native(Place::Function(rva)),
        _ => return None,
    })
}

/// The answer about the place that was asked for last, which a list asks for again with each row.
#[derive(Debug)]
struct Recent<T>(Mutex<Option<(Place, Arc<[T]>)>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Recent<T> {
    fn get(&self, place: Place, find: impl FnOnce() -> Option<Vec<T>>) -> Option<Arc<[T]>> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = recent.as_ref().filter(|(known, _)| *known == place).map(|(_, found)| Arc::clone(found));
        let found = known.or_else(|| Some(find()?.into()))?;
        *recent = Some((place, Arc::clone(&found)));
        Some(found)
    }
}

/// Users of the node at a place, by kind; `None` where nothing refers to places of its kind.
pub fn users(session: &Session, place: Place) -> Option<Arc<[User]>> {
    session.cache().get::<Recent<User>>().get(place, || find_users(session, place))
}

fn find_users(session: &Session, place: Place) -> Option<Vec<User>> {
    let mut users = Vec::new();
    match subject(session, place)? {
        UsedNode::Row(side, table, row) => {
            of_row(session, side, table, row, &mut users);
            if table == TableId::DOCUMENT {
                add_points(session, row, &mut users);
            }
        }
        UsedNode::Document(row) => add_points(session, row, &mut users),
        UsedNode::Entry(Side::Image, Heap::UserStrings, offset) => {
            add_code(session, &[Token(0x70 << 24 | offset)], &mut users);
        }
        UsedNode::Entry(side, heap, offset) => {
            users.extend(refs::of_entry(session, side, heap, offset).iter().map(|cell| User {
                kind: UseKind::Column,
                place: Place::Row(side, cell.table(), cell.row()),
                field: column_name(cell.table(), cell.column()),
            }));
        }
        UsedNode::Native(place) => native::add(session, place, &mut users),
    }
    users.sort_unstable();
    users.dedup();
    Some(users)
}

fn of_row(session: &Session, side: Side, table: TableId, row: u32, users: &mut Vec<User>) {
    if side == Side::Image
        && let Some(metadata) = session.metadata()
    {
        if table == TableId::TYPE_DEF {
            add_creations(session, metadata, row, users);
            for reference in members::own_references(metadata, row) {
                add_by_token(session, metadata, Token::new(TableId::TYPE_REF, reference), users);
                add_columns(metadata, side, TableId::TYPE_REF, reference, users);
            }
        }
        add_by_token(session, metadata, Token::new(table, row), users);
    }
    for own in [Side::Image, Side::Pdb] {
        if let Some(metadata) = own.metadata(session)
            && cells::side_of(session, own, table) == side
        {
            add_columns(metadata, own, table, row, users);
        }
    }
}

/// Adds what has the token of a row: code, signatures and, of a type, what has these.
fn add_by_token(session: &Session, metadata: &Metadata, of: Token, users: &mut Vec<User>) {
    add_code(session, &members::tokens(session, metadata, of), users);
    let signatures = index::in_signatures(session, of);
    // A signature of local variables, or of an indirect call, has no name: its methods have.
    let is_alone = |found: &Token| found.table() == TableId::STAND_ALONE_SIG;
    let (alone, signatures): (Vec<Token>, Vec<Token>) = signatures.into_iter().partition(is_alone);
    if !alone.is_empty() {
        let before = users.len();
        add_code(session, &alone, users);
        let calls = users.iter_mut().skip(before).filter(|user| user.kind == UseKind::Call);
        calls.for_each(|user| user.kind = UseKind::Signature);
    }
    if matches!(of.table(), TableId::TYPE_DEF | TableId::TYPE_REF) {
        types::add(session, metadata, of, signatures, users);
    }
}

/// Adds the calls of the constructors of a type.
fn add_creations(session: &Session, metadata: &Metadata, row: u32, users: &mut Vec<User>) {
    let Some(names) = session.names() else { return };
    let methods = metadata.list(TableId::TYPE_DEF, row, METHOD_LIST, TableId::METHOD_DEF);
    let methods =
        methods.map(|row| Token::new(TableId::METHOD_DEF, metadata.through_pointer(TableId::METHOD_DEF, row)));
    let constructors = methods.filter(|method| names.method_name(*method) == ".ctor");
    let tokens: Vec<Token> = constructors.flat_map(|method| members::tokens(session, metadata, method)).collect();
    if !tokens.is_empty() {
        let mut added = Vec::new();
        add_code(session, &tokens, &mut added);
        added.retain(|user| user.kind == UseKind::New);
        users.append(&mut added);
    }
}

/// Fields and methods of a type, each list with its noun; empty for what is no type.
pub fn members_of(session: &Session, place: Place) -> Vec<(&'static str, Vec<Place>)> {
    let (Place::Row(Side::Image, TableId::TYPE_DEF, row), Some(metadata)) = (place, session.metadata()) else {
        return Vec::new();
    };
    let list = |column, table: TableId| {
        let rows = metadata.list(TableId::TYPE_DEF, row, column, table);
        rows.map(move |row| Token::new(table, metadata.through_pointer(table, row)))
    };
    let fields = list(FIELD_LIST, TableId::FIELD).map(|field| Place::row(field.table(), field.row()));
    let methods = list(METHOD_LIST, TableId::METHOD_DEF).map(Place::Method);
    let lists = [("field", fields.collect::<Vec<_>>()), ("method", methods.collect())];
    lists.into_iter().filter(|(_, members)| !members.is_empty()).collect()
}

/// The kinds of uses that are counted for a place, also where there are none, then the others that were found.
pub fn expected_kinds(place: Place, users: &[User]) -> Vec<UseKind> {
    let mut kinds = match place {
        Place::Method(_) | Place::MethodPart(..) => vec![UseKind::Call, UseKind::FunctionPointer, UseKind::Token],
        Place::Row(_, TableId::FIELD, _) => vec![UseKind::Read, UseKind::Write, UseKind::Address],
        Place::Row(_, TableId::TYPE_DEF, _) => vec![UseKind::New, UseKind::Type, UseKind::Signature, UseKind::Column],
        Place::Function(_) | Place::FunctionPart(..) => vec![UseKind::Call, UseKind::InlinedCall],
        _ => Vec::new(),
    };
    for kind in users.iter().map(|user| user.kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

fn add_code(session: &Session, tokens: &[Token], users: &mut Vec<User>) {
    users.extend(index::in_code(session, tokens).iter().map(CodeUse::user));
}

fn column_name(table: TableId, column: usize) -> &'static str {
    table.def().and_then(|def| def.columns.get(column)).map_or("", |column| column.name)
}

/// Adds the methods and functions with a point in a document.
fn add_points(session: &Session, document: u32, users: &mut Vec<User>) {
    code_unit::each(session, &[document], &mut |unit, points, _| {
        if points.iter().any(|point| point.document == document) {
            users.push(User { kind: UseKind::Points, place: unit.place(), field: "" });
        }
        ControlFlow::Continue(())
    });
}

/// Name of a node or its user; of a row without a name of its own, that of the row it belongs to.
pub fn name(session: &Session, user: Place) -> String {
    name_by(session, user, session.names())
}

/// The same without namespaces.
pub fn brief_name(session: &Session, user: Place) -> String {
    name_by(session, user, session.names().map(Names::brief))
}

fn name_by(session: &Session, user: Place, names: Option<Names<'_>>) -> String {
    match (user.code_unit(), user) {
        (Some(unit), _) => match (unit, names) {
            (CodeUnit::Method(method), Some(names)) => names.method(method),
            _ => code_unit::name(session, unit),
        },
        (None, Place::Row(side, table, row)) => {
            let own = match (side, table, names) {
                (Side::Image, _, Some(names)) => names.row(Token::new(table, row)),
                // Its name is that of its method.
                (_, TableId::LOCAL_SCOPE, _) => String::new(),
                _ => cells::row_name(session, side, table, row),
            };
            // The scope of a type of another assembly is no part of its name.
            let is_whole = own.contains('.')
                || matches!(table, TableId::DOCUMENT | TableId::TYPE_DEF | TableId::TYPE_REF | TableId::EXPORTED_TYPE);
            let owner = row_owner(session, side, Token::new(table, row)).filter(|_| !is_whole);
            let owner = owner.and_then(|owner| Some(names?.row(owner))).unwrap_or_default();
            let dot = if owner.is_empty() || own.is_empty() { "" } else { "." };
            format!("{}/{row} {owner}{dot}{own}", table.name()).trim_end().to_owned()
        }
        (None, place) => native::name(session, place),
    }
}

/// The last visible point at or before an offset, or the first one of the code; with its index among all points.
pub fn visible_point(session: &Session, unit: CodeUnit, offset: u32) -> Option<(usize, SequencePoint)> {
    let (mut found, mut index) = (None, 0_usize);
    let _ = code_unit::each_point(session, unit, &mut |point| {
        if point.offset > offset && found.is_some() {
            return ControlFlow::Break(());
        }
        if !point.is_hidden() {
            found = Some((index, point));
        }
        index += 1;
        ControlFlow::Continue(())
    });
    found
}

/// The point that covers code which refers to something; `None` for what is no code.
pub fn point_of(session: &Session, user: Place) -> Option<SequencePoint> {
    let offset = match user {
        Place::MethodPart(_, MethodPart::Instruction(offset))
        | Place::FunctionPart(_, FunctionPart::CodeAt(offset)) => offset,
        _ => 0,
    };
    Some(visible_point(session, user.code_unit()?, offset)?.1)
}

/// Line, offset and document of code that refers to something; empty for what is no code.
pub fn position_cells(session: &Session, user: Place) -> [Cell; 3] {
    let at = match user {
        Place::MethodPart(_, MethodPart::Instruction(il)) => Cell::il(il),
        Place::FunctionPart(_, FunctionPart::CodeAt(offset)) => Cell::new(format!("+{offset:#x}")),
        _ => Cell::default(),
    };
    let point = point_of(session, user);
    let line = point.map_or_else(String::new, |point| point.start_line.to_string());
    let document = point.and_then(|point| document_name(session, point.document)).unwrap_or_default();
    [line.into(), at, Cell::toned(document, Tone::Dim)]
}

/// Counts of users by kind: `19 calls, 1 column`.
fn counts(users: &[User]) -> String {
    let kinds = users.chunk_by(|a, b| a.kind == b.kind);
    let kinds: Vec<String> =
        kinds.filter_map(|same| Some(count(same.len() as u64, same.first()?.kind.noun()))).collect();
    if kinds.is_empty() { "no users".to_owned() } else { kinds.join(", ") }
}

/// Sentence for a place without users. Of a native function, addresses in data are not read, so that it may have others.
pub fn no_users(place: Place) -> &'static str {
    match place {
        Place::Function(_) => "no call, inlined call or export leads to it; addresses in data are not read",
        _ => "nothing in these files uses it; other assemblies and reflection are not searched",
    }
}

/// Users of the node at a place, one a row; `None` where nothing refers to places of its kind.
pub fn rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    let users = users(session, place)?;
    let columns = Head::list(["user", "use", "line:", "at", "document"]);
    let title = format!("{}: {}", name(session, place), counts(&users));
    Some(Rows::new(title, columns, users.len(), move |index| {
        let Some(user) = users.get(index) else { return Row::default() };
        let [line, mut at, document] = position_cells(session, user.place);
        if at.text.is_empty() {
            at = Cell::new(user.field);
        }
        let name = Cell::new(name(session, user.place)).to(user.place);
        Row::at(user.place, vec![name, user.kind.word().into(), line, at, document])
    }))
}
