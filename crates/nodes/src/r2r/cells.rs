//! Names of instances and fixups.

use crate::place::{Place, R2rPart, Side};
use pdblens_formats::metadata::{Heap, TableId, Token};
use pdblens_formats::r2r::ReadyToRun;
use pdblens_formats::r2r::signature::{Fixup, FixupTarget, MethodReference, helper_name};
use pdblens_formats::signature::Type;
use pdblens_session::precompiled::{BodyOwner, Precompiled};
use pdblens_session::session::Session;

use crate::rows::Cell;

/// Name of an instance: `System.Collections.Generic.List<__Canon>.Add`.
pub fn instance_name(session: &Session, code: &Precompiled<'_>, number: u32) -> Option<String> {
    Some(method_name(session, &code.instance(number)?.method))
}

/// Name of the owner of a body.
pub(crate) fn owner_name(session: &Session, code: &Precompiled<'_>, owner: BodyOwner) -> String {
    match owner {
        BodyOwner::Method(token) => session.method_name(token),
        BodyOwner::Instance(number) => {
            instance_name(session, code, number).unwrap_or_else(|| format!("instance {number}"))
        }
        BodyOwner::Component(row, token) => {
            let found = (row as usize).checked_sub(1).and_then(|index| code.components().get(index));
            format!("{token} of {}", found.map_or("another assembly", |found| &found.name))
        }
    }
}

/// Name of a method as code refers to it.
pub(super) fn method_name(session: &Session, method: &MethodReference) -> String {
    let Some(names) = session.names() else { return method.token.to_string() };
    let foreign = if method.module > 0 { format!("[module {}]", method.module) } else { String::new() };
    let types = |types: &[Type]| {
        let types: Vec<String> = types.iter().map(|ty| names.type_text(ty)).collect();
        if types.is_empty() { String::new() } else { format!("<{}>", types.join(", ")) }
    };
    let arguments = types(&method.arguments);
    let name = match (method.module, method.token.table()) {
        (0, TableId::METHOD_DEF) if method.owner.is_some() || !arguments.is_empty() => names.method_name(method.token),
        (0, TableId::METHOD_DEF) => return names.method(method.token),
        (0, TableId::MEMBER_REF) if method.owner.is_none() => names.token(method.token),
        (0, TableId::MEMBER_REF) => member_name(session, method.token),
        _ => method.token.to_string(),
    };
    let owner = match &method.owner {
        Some(owner) => format!("{}.", names.type_text(owner)),
        None if method.module == 0 && method.token.table() == TableId::METHOD_DEF => {
            let owner = Token::new(TableId::TYPE_DEF, names.owner(method.token.row()));
            format!("{}.", names.type_name(owner))
        }
        None => String::new(),
    };
    format!("{foreign}{owner}{name}{arguments}")
}

/// Name of a MemberRef row alone.
fn member_name(session: &Session, token: Token) -> String {
    let name = session.metadata().and_then(|metadata| metadata.string_cell(TableId::MEMBER_REF, token.row(), 1).ok());
    name.map_or_else(|| token.to_string(), |name| String::from_utf8_lossy(name.data).into_owned())
}

/// Content of a fixup: `method entry System.Uri.CreateThis(…)`.
pub fn fixup_text(session: &Session, fixup: &Fixup) -> String {
    let foreign = if fixup.module > 0 { format!("[module {}]", fixup.module) } else { String::new() };
    let name = fixup.name();
    let operand = match &fixup.target {
        FixupTarget::Type(ty) => session
            .names()
            .map_or_else(String::new, |names| if fixup.module > 0 { String::new() } else { names.type_text(ty) }),
        FixupTarget::Method(method) if fixup.module > 0 => method.token.to_string(),
        FixupTarget::Method(method) => method_name(session, method),
        FixupTarget::Field(token, owner) => match (session.names(), owner) {
            (Some(names), None) if fixup.module == 0 => names.token(*token),
            (Some(names), Some(owner)) if fixup.module == 0 => format!("{token} of {}", names.type_text(owner)),
            _ => token.to_string(),
        },
        FixupTarget::Text(offset) => {
            session.names().map_or_else(String::new, |names| names.token(Token(0x7000_0000 | offset)))
        }
        FixupTarget::Helper(number) => helper_name(*number).map_or_else(|| format!("{number:#x}"), str::to_owned),
        FixupTarget::Other => String::new(),
    };
    format!("{name} {foreign}{operand}").trim_end().to_owned()
}

/// Place that a fixup leads to.
pub(super) fn fixup_place(fixup: &Fixup) -> Option<Place> {
    if fixup.module > 0 {
        return None;
    }
    match &fixup.target {
        FixupTarget::Method(method) if method.module == 0 && !method.token.is_nil() => {
            Place::of_method(method.token).or_else(|| Some(Place::row(method.token.table(), method.token.row())))
        }
        FixupTarget::Field(token, _) if !token.is_nil() => Some(Place::row(token.table(), token.row())),
        FixupTarget::Text(offset) => Some(Place::HeapEntry(Side::Image, Heap::UserStrings, *offset)),
        _ => None,
    }
}

/// Content of the cell at an address, with the place that it leads to, or its own.
pub(crate) fn cell_at(session: &Session, code: &Precompiled<'_>, rva: u32) -> Option<Cell> {
    let imports = ReadyToRun::imports(code.r2r, &code.image.pe).ok()?;
    let (number, section) = (0_u32..)
        .zip(&imports)
        .find(|(_, section)| rva.checked_sub(section.cells_rva).is_some_and(|into| into < section.cells_size))?;
    let cell = rva.saturating_sub(section.cells_rva).checked_div(section.cell_size.into())?;
    let fixup = code.relative_fixup(section.fixup(&code.image.pe, cell.into()).ok()??);
    let own = if code.is_elsewhere() { None } else { Some(Place::R2r(R2rPart::Cell(number, cell))) };
    Some(Cell { to: fixup_place(&fixup).or(own), ..Cell::new(fixup_text(session, &fixup)) })
}
