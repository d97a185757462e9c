//! Modules of a Windows PDB and section contributions.

use serde::Serialize;

use super::super::json::{List, Room};
use crate::bytes::Span;
use crate::formats::reason::Reason;
use crate::nodes::contributions::{ContributionDetails, contribution_list};
use crate::nodes::module_details::{
    ModuleDetails, ModuleFile, ModuleInlinee, ModuleLine, module_count, module_details,
};
use crate::session::Session;
use crate::symbols::Compiler;

/// A module of a Windows PDB: an object file, or a type of managed code.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "module"))]
pub(super) struct ModuleJson {
    /// Its number, from 0.
    module: u32,
    name: String,
    /// File that it was linked from.
    object: String,
    /// Stream with its symbols and lines.
    stream: Option<u32>,
    /// Bytes of symbols.
    symbols_size: u32,
    /// Bytes of lines and what belongs to them.
    lines_size: u32,
    /// Compiler, assembler or linker.
    compiler: Option<Compiler>,
    /// Environment of the build (S_ENVBLOCK).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    environment: Vec<NamedText>,
    /// Build information (S_BUILDINFO): `directory`, `compiler`, `source`, `type-server`, `arguments`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    build_info: Vec<NamedText>,
    /// Source files with their checksums.
    files: Vec<ModuleFile>,
    /// Functions that were inlined somewhere in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inlinees: Vec<ModuleInlinee>,
    /// Lines of native code that is in no function, such as hand-written assembly code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_lines: Vec<ModuleLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Reason>,
    span: Span,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "named_text"))]
struct NamedText {
    name: String,
    value: String,
}

pub(super) fn modules<'s>(session: &'s Session, room: &'s Room) -> List<'s, ModuleJson> {
    List::of(move || {
        (0..module_count(session))
            .filter_map(|number| module_details(session, number))
            .map(|details| ModuleJson::of(session, details))
    })
    .within(room)
}

pub(super) fn contributions<'s>(session: &'s Session, room: &'s Room) -> List<'s, ContributionDetails> {
    List::of(move || contribution_list(session)).within(room)
}

impl ModuleJson {
    fn of(session: &Session, details: ModuleDetails) -> Self {
        let ModuleDetails { number, module, name, object, build, build_info, files, inlinees, other_lines, errors } =
            details;
        let named = |(name, value): (String, String)| NamedText { name, value };
        Self {
            module: number,
            name,
            object,
            stream: module.stream(),
            symbols_size: module.symbols_size,
            lines_size: module.c13_size,
            compiler: build.compiler,
            environment: build.environment.into_iter().map(named).collect(),
            build_info: build_info.into_iter().map(|(name, value)| named((name.to_owned(), value))).collect(),
            files,
            inlinees,
            other_lines,
            errors: errors.iter().map(|error| session.spaces().reason(error)).collect(),
            span: module.span,
        }
    }
}
