//! Mappings between the token or address in a query and the record that answers it.

use pdblens_formats::metadata::Token;
use pdblens_formats::pdb::AddressMap;
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{CodeUnit, MethodView};
use pdblens_nodes::document;
use pdblens_nodes::function::{Disassembly, Imported, function_at};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Mapping, StateMachine};
use pdblens_session::text::paths::file_name;

/// A mapping that was applied, from one number to another, and the table, stream or attribute that defines it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "hop"))]
pub struct Hop {
    /// Kind of the mapping.
    pub kind: HopKind,
    /// Number that is mapped.
    pub from: String,
    /// Result of the mapping.
    pub to: String,
    /// Table, stream or attribute with the mapping.
    pub by: String,
}

/// Kind of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "hop_kind"))]
pub enum HopKind {
    /// Token in a Windows PDB to token in the image.
    TokenMap,
    /// Row of a hot-reload delta to token of the method.
    Generation,
    /// Async method or iterator to the `MoveNext` with its body.
    StateMachine,
    /// Address at link time to address in the reordered image.
    Omap,
    /// Address by the PDB's section headers to address by those of the image, which differ.
    Sections,
    /// Thunk, which has no lines, to the code that it jumps to.
    Thunk,
    /// Id that a module imports to the id that another module exports.
    CrossModule,
}

impl Hop {
    pub fn text(&self) -> String {
        let Self { kind, from, to, by } = self;
        format!("{} {from} → {to} by {by}", kind.subject())
    }

    /// The line about the mapping, with its code.
    pub(crate) fn reason(&self) -> Reason {
        Reason::new("hop", self.text())
    }

    /// The numbers of the mapping, for where there is little room.
    pub fn brief(&self) -> String {
        let by = match self.kind {
            HopKind::Generation => "EncMap ",
            HopKind::TokenMap => "token map ",
            _ => "",
        };
        format!("{by}{} → {}", self.from, self.to)
    }

    /// The way from an async method or iterator to the method with its body.
    pub(crate) fn to_body(session: &Session, kickoff: Token, body: Token) -> Self {
        let by = match session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::Kickoff(kickoff))) {
            Some(_) => "the symbols, which name both",
            None => "the attribute that names the state machine",
        };
        Self {
            kind: HopKind::StateMachine,
            from: format!("{} ({kickoff})", session.method_name(kickoff)),
            to: format!("{} ({body})", session.method_name(body)),
            by: by.to_owned(),
        }
    }

    /// The way from an address of the image as it was linked to that of the same code in the image.
    pub(super) fn reordered(linked: u32, rva: u32) -> Self {
        let by = "OMAP: the image was reordered after it was linked".to_owned();
        Self { kind: HopKind::Omap, from: format!("{linked:#x}"), to: format!("{rva:#x}"), by }
    }

    /// The way from an id in the symbols of a module to that of the module which exports it.
    pub(super) fn imported(found: Imported) -> Self {
        let Imported { local, id, module } = found;
        let by = format!("the cross scope imports of the module, from {module}");
        Self { kind: HopKind::CrossModule, from: format!("{local:#x}"), to: format!("{id:#x}"), by }
    }

    /// The way from code without lines to what its only jump leads to, with the line of that.
    pub(super) fn through_thunk(session: &Session, view: &MethodView) -> Option<Self> {
        let CodeUnit::Function(start) = view.of else { return None };
        if !view.points.is_empty() {
            return None;
        }
        let (offset, target, rva) = Disassembly::last_jump(session, view)?;
        let point = function_at(session, rva).and_then(|(native, function)| {
            let start = native.rva_of(&function)?;
            super::points_around(session, CodeUnit::Function(start), rva.saturating_sub(start)).shown()
        });
        let line = point.and_then(|point| {
            let path = document::name(session, point.document)?;
            Some(format!(" ({}:{})", file_name(&path), point.start_line))
        });
        Some(Self {
            kind: HopKind::Thunk,
            from: format!("{start:#x}"),
            to: format!("{}{}", target.text, line.unwrap_or_default()),
            by: format!("its jump at {}", view.of.label(offset.into())),
        })
    }

    /// The way from a thunk that only a public symbol names to what it jumps to.
    pub(super) fn through_public_thunk(session: &Session, start: u32, offset: u32) -> Option<Self> {
        let (_, target) = Disassembly::jump_at(session, start).filter(|(len, _)| offset < *len)?;
        let by = format!("its jump at {}", CodeUnit::Function(start).label(0));
        Some(Self { kind: HopKind::Thunk, from: format!("{start:#x}"), to: target.text, by })
    }

    /// The way from an address by the section headers of the PDB to that by the headers of the image, where they differ.
    pub(super) fn by_image(addresses: &AddressMap, rva: u32) -> Option<Self> {
        if !addresses.is_replaced() {
            return None;
        }
        let (section, offset) = addresses.section_offset(rva)?;
        let said = addresses.said().get(usize::from(section).checked_sub(1)?);
        let from = said.and_then(|said| said.virtual_address.checked_add(offset));
        let from = from.map_or_else(|| format!("of section {section}"), |from| format!("{from:#x}"));
        let by = "the section headers of the image: those of the PDB differ".to_owned();
        Some(Self { kind: HopKind::Sections, from, to: format!("{rva:#x}"), by })
    }
}

impl HopKind {
    /// Noun for the number that is mapped.
    const fn subject(self) -> &'static str {
        match self {
            Self::TokenMap => "token in the PDB",
            Self::Generation => "row of the delta",
            Self::StateMachine => "state machine of",
            Self::Omap => "address at link time",
            Self::Sections => "address by the section headers of the PDB",
            Self::Thunk => "thunk",
            Self::CrossModule => "id of the inlined function",
        }
    }
}

pub fn to_record(session: &Session, of: CodeUnit) -> Vec<Hop> {
    let CodeUnit::Method(method) = of else { return Vec::new() };
    if method.is_nil() {
        return Vec::new();
    }
    let mapping = session.symbols().and_then(|symbols| symbols.mapping(method));
    let hop = mapping.map(|mapping| match mapping {
        Mapping::TokenMap { recorded, stream } => Hop {
            kind: HopKind::TokenMap,
            from: recorded.to_string(),
            to: method.to_string(),
            by: format!("the token map, stream {stream}"),
        },
        Mapping::Generation { row, number, file } => Hop {
            kind: HopKind::Generation,
            from: row.to_string(),
            to: method.to_string(),
            by: match file.as_str() {
                "" => "the EncMap of this delta".to_owned(),
                file => format!("the EncMap of {file}, the {} delta named", ordinal(number)),
            },
        },
    });
    hop.into_iter().collect()
}

/// An ordinal number as text: `first`, `22nd`.
pub fn ordinal(number: u32) -> String {
    match (number, number % 10, number % 100) {
        (1, ..) => "first".to_owned(),
        (2, ..) => "second".to_owned(),
        (3, ..) => "third".to_owned(),
        (_, 1, tens) if tens != 11 => format!("{number}st"),
        (_, 2, tens) if tens != 12 => format!("{number}nd"),
        (_, 3, tens) if tens != 13 => format!("{number}rd"),
        _ => format!("{number}th"),
    }
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn numbers_have_their_endings() {
        let words = [1, 2, 3, 4, 11, 21, 22, 112].map(ordinal);
        assert_eq!(words, ["first", "second", "third", "4th", "11th", "21st", "22nd", "112th"]);
    }
}
