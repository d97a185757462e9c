//! Methods of IL, and their parts.

mod cells;
pub mod hoisted;
pub(crate) mod il;
pub mod native;
pub(crate) mod owners;
pub mod points;
pub(crate) mod scope_list;

pub use crate::code_unit::il::*;
pub use crate::code_unit::{MethodView, il_label};

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::named::{NameList, Turn};
use crate::place::{MethodPart, Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::{PdbView, record};
use crate::table::row;
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Mapping, StateMachine};
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;
use std::ops::ControlFlow;

pub(crate) const METHODS: Kind = Kind {
    listed: |_| vec![Place::Methods],
    rows: |session, ()| Some(method_list(session)),
    row_of: |_, place, ()| match place {
        Place::Method(token) => (token.row() as usize).checked_sub(1),
        _ => None,
    },
    summary: |session, ()| methods_facts(session),
    ..Kind::NEW
};

pub(crate) const METHOD: Kind<Token> = Kind {
    owners: owners::METHOD,
    named: &[(Turn::Methods, add_methods)],
    label: |_| Label::new("method", 0),
    context: |session, token| {
        // A method without lines, as compilers make them, is told from others by its token.
        Some(first_line(session, token).unwrap_or_else(|| token.to_string()))
    },
    exists: is_there,
    absence: no_method,
    fields: explain_method,
    ..Kind::NEW
};

pub(crate) const PART: Kind<(Token, MethodPart)> = Kind {
    owners: owners::PARTS,
    named: &[(Turn::Locals, add_locals)],
    label: |(_, part)| match part {
        MethodPart::Instruction(_) | MethodPart::NativeAt(_) => Label::new("instruction", 2),
        MethodPart::Points | MethodPart::Point(_) => Label::new("point", 2),
        MethodPart::Body | MethodPart::Il => Label::new("IL", 2),
        _ => Label::new("local", 2),
    },
    context: |session, (token, _)| Some(session.method_name(token)),
    exists: |session, (token, part)| match part {
        MethodPart::Instruction(_) | MethodPart::Body => {
            let address = |metadata: &Metadata| metadata.table(TableId::METHOD_DEF).cell(token.row(), 0);
            session.metadata().is_some_and(|metadata| address(metadata).is_ok_and(|rva| rva > 0))
        }
        MethodPart::Native | MethodPart::NativeAt(_) => native::exists(session, token, part),
        _ => is_there(session, token),
    },
    absence: |session, (token, part)| {
        if let Some(missing) = no_method(session, token) {
            return Some(missing);
        }
        let name = session.method_name(token);
        Some(match part {
            MethodPart::Point(number) => {
                let (points, _) = point_count(session, token);
                format!("{name} has no sequence point {number}: it has {points}")
            }
            MethodPart::Points => format!("{name} has no sequence points"),
            MethodPart::Instruction(offset) => {
                let size = method_view(session, token).size.unwrap_or(0);
                format!("there is no instruction at {offset:#x}: {name} has {} of IL", count(size, "byte"))
            }
            MethodPart::Region(number) => {
                let regions = method_view(session, token).body.as_ref().map_or(0, |body| body.regions.len());
                format!("there is no exception clause {number}: {name} has {}", count(regions as u64, "clause"))
            }
            MethodPart::Native | MethodPart::NativeAt(_) => native::absence(session, token, part),
            _ => format!("{name} has nothing of that kind"),
        })
    },
    rows: |session, (token, part)| {
        if !is_there(session, token) {
            return None;
        }
        match part {
            MethodPart::Points => Some(points::point_list(session, token)),
            MethodPart::Il => Some(il::il_list(session, token)),
            MethodPart::Regions => Some(il::region_list(session, token)),
            MethodPart::Scopes => Some(scope_list::scope_list(session, token)),
            MethodPart::Native => native::code_list(session, token),
            _ => None,
        }
    },
    fields: |session, (token, part)| match part {
        MethodPart::Body => il::explain_body(session, token),
        MethodPart::Point(number) => points::explain_point(session, token, number),
        MethodPart::Points => points::explain_points(session, token),
        MethodPart::Instruction(offset) => il::explain_instruction(session, token, offset),
        MethodPart::Region(number) => il::explain_region(session, token, number),
        MethodPart::NativeAt(rva) => native::explain_at(session, token, rva),
        _ => None,
    },
    summary: |session, (token, part)| {
        // A point, an instruction or a clause is there or not: facts about its method would answer another question.
        let is_element = matches!(
            part,
            MethodPart::Point(_)
                | MethodPart::Instruction(_)
                | MethodPart::Region(_)
                | MethodPart::Native
                | MethodPart::NativeAt(_)
        );
        (is_there(session, token) && !is_element).then(|| method_facts(session, token))?
    },
    bytes: |session, (token, part)| match part {
        MethodPart::Il => Some(body(session, token).ok()??.code),
        MethodPart::Points => session.portable_pdb()?.points_span(token),
        // That of its fields.
        _ => None,
    },
    ..Kind::NEW
};

fn no_method(session: &Session, method: Token) -> Option<String> {
    (!is_there(session, method)).then(|| format!("there is no method {method}: there are {}", session.methods()))
}

fn is_there(session: &Session, method: Token) -> bool {
    !method.is_nil() && method.row() <= session.methods()
}

pub(crate) fn method_list(session: &Session) -> Rows<'_> {
    let columns = Head::list(["token", "method", "rva:", "points:", "document"]);
    let title = count(session.methods(), "method");
    Rows::new(title, columns, session.methods() as usize, |index| {
        method_row(session, Token::new(TableId::METHOD_DEF, index as u32 + 1))
    })
}

pub(crate) fn method_row(session: &Session, method: Token) -> Row {
    let place = Place::Method(method);
    let rva = session.metadata().and_then(|metadata| metadata.table(TableId::METHOD_DEF).cell(method.row(), 0).ok());
    let (points, first) = point_count(session, method);
    let document = first.map_or(Cell::default(), |row| {
        let name = session.symbols().and_then(|symbols| symbols.document(row).ok()).map(|found| found.name);
        Cell::new(file_name(&name.unwrap_or_default())).to(Place::Document(row))
    });
    let mut name = Cell::new(session.method_name(method)).to(place);
    if let Some(kickoff) = session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::MoveNext(method))) {
        name = name.beside(format!("body of {}", session.method_name(kickoff)));
    }
    if let Some(Mapping::Generation { number, file, .. }) =
        session.symbols().and_then(|symbols| symbols.mapping(method))
    {
        // A delta that is open alone has all methods.
        name = name.beside(if file.is_empty() {
            "in this delta".to_owned()
        } else {
            format!("of {file}, delta {number} of those named")
        });
    }
    Row::at(
        place,
        vec![
            Cell::toned(method.to_string(), Tone::Dim),
            name,
            Cell::new(rva.filter(|rva| *rva > 0).map_or(String::new(), |rva| format!("{rva:#x}"))),
            Cell::new(if points > 0 { points.to_string() } else { String::new() }),
            document,
        ],
    )
}

/// A method: its row, and that of its debug information.
pub(crate) fn explain_method(session: &Session, method: Token) -> Option<Fields> {
    if !is_there(session, method) {
        return None;
    }
    let mut all = Fields { title: format!("{method} · {}", session.method_name(method)), ..Fields::default() };
    for (side, table) in [(Side::Image, TableId::METHOD_DEF), (Side::Pdb, TableId::METHOD_DEBUG_INFORMATION)] {
        let number = match (side, session.portable_pdb()) {
            // The row of an older generation is not that of the points.
            (Side::Pdb, Some(pdb)) if pdb.newest(method.row()).is_some() => None,
            (Side::Pdb, Some(pdb)) => pdb.debug_row(method.row()),
            _ => Some(method.row()),
        };
        if let Some(row) = number.and_then(|number| row::explain_row(session, side, table, number)) {
            all.append(row);
        }
    }
    if let Some(record) = explain_procedure(session, method) {
        all.append(record);
    }
    // Without tables on either side the points are all that there is, if there are any.
    if all.rows.is_empty() { points::explain_points(session, method).or(Some(all)) } else { Some(all) }
}

pub(crate) fn methods_facts(session: &Session) -> Option<Fields> {
    let mut facts = Facts::new("methods");
    if let Some(metadata) = session.metadata() {
        let rows = metadata.rows(TableId::METHOD_DEF);
        facts.fact("in the image", rows).to(Place::Table(Side::Image, TableId::METHOD_DEF));
    }
    if let Some(file) = session.symbol_file() {
        facts.fact("in the symbols", file.reader().methods()).mean(file.reader().format().to_string());
        if let Some(method) = file.reader().compilation().entry_point {
            facts.fact("starts with", session.method_name(method)).to(Place::of_method(method));
        }
    }
    facts.done()
}

pub(crate) fn method_facts(session: &Session, method: Token) -> Option<Fields> {
    let view = method_view(session, method);
    let part = |part| Place::MethodPart(method, part);
    let mut facts = Facts::new(session.method_name(method));
    if let Some(body) = &view.body {
        facts.fact("IL", body.code_size).mean(count(view.instructions.len() as u64, "instruction"));
        facts.fact("maxstack", body.max_stack).to(part(MethodPart::Body));
        let locals = view.local_types(session);
        facts.fact("locals", locals.len()).mean(locals.join(", ")).to(part(MethodPart::Scopes));
        facts.fact("exception clauses", body.regions.len()).to(part(MethodPart::Regions));
        facts.fields.span = body.code;
    }
    facts.fact("points", view.points.len()).to(part(MethodPart::Points));
    facts.done()
}

pub(crate) fn explain_procedure(session: &Session, method: Token) -> Option<Fields> {
    let view = PdbView::of(session).filter(|view| view.native.is_none())?;
    let entry = view.pdb.method_index(view.spaces).get(method.0)?;
    let stream = view.pdb.modules().get(entry.module as usize)?.stream()?;
    record::explain_record(session, stream, entry.symbol)
}

fn add_methods(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let known = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    let method = |row| Token::new(TableId::METHOD_DEF, row);
    let mut add = |row, name: &str| match list.add(Place::Method(method(row)), name) {
        Some(()) => ControlFlow::Continue(()),
        None => ControlFlow::Break(()),
    };
    let mut added = session.names().map_or(ControlFlow::Continue(()), |names| names.each_method(&mut add));
    for row in known + 1..=session.methods() {
        if added.is_break() {
            break;
        }
        added = add(row, &session.method_name(method(row)));
    }
    added.is_continue().then_some(())
}

/// Adds local variables and constants of symbols that keep them in no table.
fn add_locals(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let Some(symbols) = session.symbols() else { return Some(()) };
    if session.portable_pdb().is_some() || symbols.methods() == 0 {
        return Some(());
    }
    for row in 1..=session.methods() {
        let method = Token::new(TableId::METHOD_DEF, row);
        let place = Place::MethodPart(method, MethodPart::Scopes);
        for scope in symbols.scopes(method, &|_| String::new()).into_iter().flatten() {
            let variables = scope.variables.iter().map(|variable| (&variable.name, variable.record.map(Place::from)));
            let constants = scope.constants.iter().map(|constant| (&constant.name, constant.record.map(Place::from)));
            for (name, own) in variables.chain(constants) {
                list.add(own.unwrap_or(place), name)?;
            }
        }
    }
    Some(())
}

/// Parts that have a list or a record, in the order of the help.
const LISTED_PARTS: [MethodPart; 6] =
    [MethodPart::Points, MethodPart::Il, MethodPart::Body, MethodPart::Regions, MethodPart::Scopes, MethodPart::Native];

/// Parts of a method that are not empty, with their sizes; `None` where there is no such method.
pub(crate) fn part_list(session: &Session, method: Token) -> Option<Rows<'_>> {
    if !is_there(session, method) {
        return None;
    }
    let row = |part: MethodPart| {
        let place = Place::MethodPart(method, part);
        let list = (PART.rows)(session, (method, part)).filter(|rows| rows.len > 0);
        let (what, size) = match (list, part) {
            (Some(rows), _) => ("list", Cell::count(rows.len as u64, "row")),
            (None, MethodPart::Body) => {
                ("record", Cell::count((PART.fields)(session, (method, part))?.leaves().count() as u64, "field"))
            }
            (None, _) => return None,
        };
        let cells = vec![Cell::new(place.to_string()).to(place), Cell::new(what), Cell { tone: Tone::Dim, ..size }];
        Some(Row::at(place, cells))
    };
    let rows: Vec<Row> = LISTED_PARTS.into_iter().filter_map(row).collect();
    let columns = Head::list(["place", "what", "size"]);
    Some(Rows::of(format!("{} · parts", session.method_name(method)), columns, rows))
}
