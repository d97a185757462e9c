//! Names in scope at an IL offset: local variables, those hoisted to fields of a state machine, and constants.

use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use pdblens_nodes::function::{self, InlinedCall};
use pdblens_nodes::method::MethodView;
use pdblens_nodes::method::hoisted::{HoistedField, hoisted_fields, hoisted_name};
use pdblens_nodes::{Place, Side, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Custom, Variable};
use std::ops::Range;

/// StateMachineHoistedLocalScopes: scopes of the variables that became fields.
const HOISTED_SCOPES: Guid = Guid::of(0x6DA9_A61E, 0xF8C7, 0x4874, 0xBE62_68BC_5630_DF71);

/// Variable or constant in scope.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "local"))]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Type; empty without an image.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Storage of its value.
    #[serde(flatten)]
    pub kind: LocalKind,
    /// Debuggers hide it.
    pub hidden: bool,
    /// Place of its record.
    #[serde(skip)]
    pub place: Option<Place>,
    /// Name of the inlined function that it is a variable of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inlined: Option<String>,
}

/// Storage of a local.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum LocalKind {
    /// A slot of the method's local variables.
    Slot(u16),
    /// An argument, by its index with `this`: C++/CLI lists them among the local variables.
    Argument(u16),
    /// A field of the state machine: it has to outlive an `await` or a `yield`.
    Field(Token),
    /// No storage: the value of a constant.
    #[serde(rename = "value")]
    Constant(String),
    /// Register, or memory relative to one. Empty if the symbols do not record it.
    #[serde(rename = "kept_in")]
    Machine(String),
}

/// Locals in scope at `offset`: of two with the same name, only the inner one.
pub(crate) fn locals_at(session: &Session, view: &MethodView, offset: u32, is_move_next: bool) -> Vec<Local> {
    let mut found: Vec<Local> = Vec::new();
    for scope in view.scopes.iter().filter(|scope| scope.contains(offset)) {
        for variable in &scope.variables {
            // Visual Basic lists the fields of a state machine in its Windows PDBs as if they were variables.
            if variable.is_field() {
                let local = field_named(session, view.of.token(), variable);
                found.retain(|other| other.name != local.name);
                found.push(local);
                continue;
            }
            let storage = if variable.is_argument { LocalKind::Argument } else { LocalKind::Slot };
            found.retain(|local| local.name != variable.name);
            found.push(Local {
                name: variable.name.clone(),
                type_name: view.type_of(session, variable),
                kind: storage(variable.slot),
                hidden: variable.hidden,
                place: variable.record.map(Place::from),
                inlined: None,
            });
        }
        for constant in &scope.constants {
            found.retain(|local| local.name != constant.name);
            found.push(Local {
                name: constant.name.clone(),
                type_name: constant.type_name.clone(),
                kind: LocalKind::Constant(constant.value.clone()),
                hidden: false,
                place: constant.record.map(Place::from),
                inlined: None,
            });
        }
    }
    if is_move_next {
        let hoisted = hoisted(session, view.of.token()).into_iter();
        found.extend(hoisted.filter(|(_, range)| range.contains(&offset.into())).map(|(local, _)| local));
    }
    found.extend(native_locals(session, view, offset));
    found
}

/// Variables of native code with a location at `offset`, those of inlined calls among them if the call has the code.
fn native_locals(session: &Session, view: &MethodView, offset: u32) -> Vec<Local> {
    let mut found: Vec<(u32, Local)> = Vec::new();
    let mut calls: Option<Vec<InlinedCall>> = None;
    for symbol in view.records.iter().filter(|symbol| symbol.is_variable()) {
        let Some(kept) = symbol.kept_at(offset) else { continue };
        let call = symbol.inlined_call;
        let mut inlined = None;
        if call > 0 {
            let calls = calls.get_or_insert_with(|| function::inlined_calls(session, view.of, offset));
            let Some(around) = calls.iter().find(|other| other.symbol == call) else { continue };
            inlined = Some(around.name.clone());
        }
        found.retain(|(other, local)| *other != call || local.name != symbol.name);
        let kind = match kept.strip_prefix("= ") {
            Some(value) => LocalKind::Constant(value.to_owned()),
            None => LocalKind::Machine(kept),
        };
        let (name, type_name, place) = (symbol.name.clone(), symbol.type_name.clone(), view.symbol_place(symbol));
        found.push((call, Local { name, type_name, kind, hidden: false, place, inlined }));
    }
    found.into_iter().map(|(_, local)| local).collect()
}

/// Hoisted variables of a state machine, with the ranges of IL in which they are in scope; empty where none is recorded.
pub fn hoisted(session: &Session, move_next: Token) -> Vec<(Local, Range<u64>)> {
    let scopes: Vec<u8> =
        customs_of(session, move_next, HOISTED_SCOPES).into_iter().flat_map(|custom| custom.value).collect();
    let range = |slot: usize| {
        let word = |at: usize| {
            let at = slot * 8 + at;
            scopes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
        };
        let (start, len) = word(0).zip(word(4)).unwrap_or_default();
        u64::from(start)..u64::from(start) + u64::from(len)
    };
    hoisted_fields(session, move_next)
        .into_iter()
        .map(|field| {
            let range = range(field.slot);
            (local_of(field), range)
        })
        .collect()
}

fn local_of(field: HoistedField) -> Local {
    let HoistedField { token, name, type_name, .. } = field;
    let place = Some(Place::Row(Side::Image, TableId::FIELD, token.row()));
    Local { name, type_name, kind: LocalKind::Field(token), hidden: false, place, inlined: None }
}

/// The variable that is a field of the state machine of `move_next`; without type and storage where no image has that field.
fn field_named(session: &Session, move_next: Token, variable: &Variable) -> Local {
    let mut fields = hoisted_fields(session, move_next).into_iter();
    if let Some(found) = fields.find(|found| found.field == variable.name) {
        return local_of(found);
    }
    Local {
        name: hoisted_name(&variable.name).map_or(variable.name.as_str(), |(name, _)| name).to_owned(),
        type_name: String::new(),
        kind: LocalKind::Machine(String::new()),
        hidden: variable.hidden,
        place: variable.record.map(Place::from),
        inlined: None,
    }
}

/// The custom debug information of one kind that `parent` has.
pub(crate) fn customs_of(session: &Session, parent: Token, kind: Guid) -> Vec<Custom> {
    let Some(symbols) = session.symbols() else { return Vec::new() };
    let coded = HAS_CUSTOM_DEBUG_INFORMATION.encode(parent.table(), parent.row());
    let is_method = parent.table() == TableId::METHOD_DEF;
    let changed = session.portable_pdb().and_then(|pdb| {
        if !is_method {
            return None;
        }
        let index = pdb.newest(parent.row())?;
        let before = |generations| pdb.rows_before(TableId::CUSTOM_DEBUG_INFORMATION, generations) + 1;
        Some(before(index)..before(index + 1))
    });
    let rows = match (changed, session.portable_pdb().map(|pdb| &pdb.metadata), coded) {
        // The newest delta with a method has all of it.
        (Some(rows), ..) => rows,
        (None, Some(metadata), Some(coded)) => metadata.table(TableId::CUSTOM_DEBUG_INFORMATION).equal_range(0, coded),
        _ => 1..symbols.customs() + 1,
    };
    let records = rows.filter_map(|row| symbols.custom(row).ok());
    records.filter(|custom| custom.kind == kind && custom.parent == Some(parent)).collect()
}
