//! The document of `dump`: everything that is known of a pair. It is written while it is made, whatever its size.

use std::io::{self, Write};

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::image::{DebugEntryJson, ImageJson, SpaceJson};
use super::methods::{self, FunctionJson, MethodJson};
use super::symbols::{self, CustomJson, DocumentJson, ImportScopeJson, PdbJson, ScopeJson, SymbolRow};
use crate::cli::json::{self, List, Pairs, Room};
use crate::cli::values::{Match, findings};
use crate::nodes::contributions::{ContributionDetails, contribution_list};
use crate::nodes::global_symbols::{SymbolDetails, each_symbol};
use crate::nodes::module_details::{ModuleDetails, module_count, module_details};
use crate::nodes::section_map::{SectionDetails, section_list};
use crate::nodes::type_details::{TypeDetails, each_type};
use crate::query::check::{Remark, check};
use crate::session::Session;
use crate::source::SourceOptions;
use crate::text::names::NameCache;

/// Contents of an image and its symbols.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "dumped_pair"))]
pub(in crate::cli) struct DumpedPair<'s> {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    spaces: Vec<SpaceJson>,
    r#match: Match,
    findings: Vec<Remark>,
    /// With an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<ImageJson>,
    /// With an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    debug_directory: Option<Vec<DebugEntryJson>>,
    methods: List<'s, MethodJson<'s>>,
    #[serde(flatten)]
    symbols: Option<Symbols<'s>>,
    /// With a Windows PDB.
    #[serde(flatten)]
    windows: Option<Windows<'s>>,
    #[serde(skip_serializing_if = "LeftOut::is_not")]
    left_out: LeftOut<'s>,
}

/// Members of the symbols, whatever their format.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Symbols<'s> {
    /// With symbols.
    pdb: PdbJson,
    /// With symbols.
    documents: List<'s, SymbolRow<DocumentJson>>,
    /// With symbols.
    scopes: List<'s, ScopeJson>,
    /// With symbols.
    imports: List<'s, SymbolRow<ImportScopeJson>>,
    /// With symbols.
    custom: List<'s, SymbolRow<CustomJson>>,
}

impl<'s> Symbols<'s> {
    fn of(session: &'s Session, room: &'s Room) -> Option<Self> {
        let symbols = session.symbols()?;
        Some(Self {
            pdb: PdbJson::of(symbols),
            documents: symbols::documents(session, symbols, room),
            scopes: symbols::scopes(session, symbols, room),
            imports: symbols::imports(session, symbols, room),
            custom: symbols::custom(session, symbols, room),
        })
    }
}

/// Members that only a Windows PDB has, of managed or native code.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Windows<'s> {
    /// Object files, or types of managed code; with a Windows PDB.
    modules: List<'s, ModuleDetails>,
    #[serde(flatten)]
    native: Option<Native<'s>>,
    /// Ranges of the image by module; with a Windows PDB.
    contributions: List<'s, ContributionDetails>,
    /// Public symbols by address; with a Windows PDB.
    publics: List<'s, SymbolDetails>,
    /// Global symbols; with a Windows PDB.
    globals: List<'s, SymbolDetails>,
}

/// Members that only a PDB of native code has.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Native<'s> {
    /// Sections of the image; with native code.
    sections: Vec<SectionDetails>,
    /// Sections of the image as it was linked, if it was rearranged later (OMAP).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked_sections: Vec<SectionDetails>,
    /// Functions, module by module; with native code.
    functions: List<'s, FunctionJson>,
    /// Types (TPI); with native code.
    types: List<'s, TypeDetails>,
    /// Ids (IPI): functions, strings, build information; with native code.
    ids: List<'s, TypeDetails>,
}

impl<'s> Windows<'s> {
    fn of(session: &'s Session, room: &'s Room) -> Option<Self> {
        session.windows_pdb()?;
        Some(Self {
            modules: List::of(move || (0..module_count(session)).filter_map(|number| module_details(session, number)))
                .within(room),
            native: session.native_pdb().map(|_| Native {
                sections: section_list(session, false),
                linked_sections: section_list(session, true),
                functions: methods::functions(session, room),
                types: types(session, false, room),
                ids: types(session, true, room),
            }),
            contributions: List::of(move || contribution_list(session)).within(room),
            publics: List::each(move |emit| each_symbol(session, true, emit)).within(room),
            globals: List::each(move |emit| each_symbol(session, false, emit)).within(room),
        })
    }
}

fn types<'s>(session: &'s Session, ids: bool, room: &'s Room) -> List<'s, TypeDetails> {
    List::each(move |emit| each_type(session, ids, emit)).within(room)
}

/// True if the lists end early, which only a malformed file causes.
struct LeftOut<'s>(&'s Room);

impl LeftOut<'_> {
    /// Returns true if no list ended early. Called after everything before it is written.
    fn is_not(&self) -> bool {
        !self.0.is_full()
    }
}

impl Serialize for LeftOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

#[cfg(test)]
impl JsonSchema for LeftOut<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "left_out".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"const": true, "description": "The lists end early: the file expands to far more JSON than a compiler's output does."})
    }
}

/// Writes the whole pair as one JSON document.
pub fn document(session: &Session, mut writer: impl Write) -> io::Result<()> {
    let mut pairs = Pairs::default();
    add(&mut pairs, session, &mut writer)?;
    pairs.end(writer)
}

/// Adds the whole pair to a JSON document.
///
/// In a malformed file many rows can refer to the same bytes: lists end where the budget of the session does, and `left_out` reports it.
pub(super) fn add(pairs: &mut Pairs, session: &Session, writer: impl Write) -> io::Result<()> {
    let room = Room::new(session.spaces().budget().most_text());
    let image = session.image();
    let cache = NameCache::new();
    let names = session.names().map(|names| names.with_cache(&cache));
    let pair = DumpedPair {
        path: json::path(session),
        spaces: session.spaces().iter().map(SpaceJson::of).collect(),
        r#match: Match::of(session),
        findings: findings(check(session, &SourceOptions::default())),
        image: image.map(ImageJson::of),
        debug_directory: image.map(|image| DebugEntryJson::all(session.spaces(), image)),
        methods: methods::methods(session, names, &room),
        symbols: Symbols::of(session, &room),
        windows: Windows::of(session, &room),
        left_out: LeftOut(&room),
    };
    pairs.add(room.writer(writer), &pair)?;
    if room.is_full() {
        session.spaces().budget().end_text("the document", "the end of its lists".to_owned());
    }
    Ok(())
}
