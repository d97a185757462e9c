//! Everything, as one JSON document; or the bytes of one place.
//!
//! The document is written as it is made, so that its size does not matter. `docs/json.md` says what is in it.

mod image;
mod methods;
mod symbols;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

pub(super) use self::image::{DebugEntryJson, ImageJson, SpaceJson};
use self::methods::MethodJson;
pub(super) use self::symbols::PdbJson;
use self::symbols::{CustomJson, DocumentJson, ImportScopeJson, Row, ScopeJson};
use super::json::{self, List, Room};
use super::output::Out;
use super::values::{FindingJson, Match, Version, findings};
use super::{Error, Exit, Files, Run, schema};
use crate::session::Session;

/// `pdblens dump FILE… [PLACE]`
#[derive(Debug, clap::Args)]
pub struct Dump {
    #[command(flatten)]
    files: Files,
    /// Print the whole pair as one JSON document: the default without a place.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of what every command prints with --json.
    #[arg(long, conflicts_with_all = ["json", "files"])]
    schema: bool,
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Run for Dump {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let opened = if self.schema { None } else { Some(self.files.open_with_place()?) };
        let mut file;
        let writer: &mut dyn Write = match &self.output {
            Some(path) => {
                let created = std::fs::File::create(path);
                file = created.map_err(|error| Error::Other(format!("{}: {error}", path.display())))?;
                &mut file
            }
            None => out,
        };
        let Some((session, place)) = opened else {
            writer.write_all(schema::text().as_bytes())?;
            return Ok(Exit::Done);
        };
        match place {
            None => document(&session, writer)?,
            Some(place) if self.json => {
                return Err(Error::Place(format!(
                    "the bytes of {place} are no JSON: try `pdblens show … {place} --json`"
                )));
            }
            Some(place) => {
                let span = crate::nodes::bytes(&session, place)
                    .ok_or_else(|| Error::Place(crate::nodes::absence(&session, place)))?;
                let bytes = session.spaces().read(span).map_err(|error| Error::Other(error.to_string()))?;
                writer.write_all(&bytes)?;
            }
        }
        Ok(Exit::Done)
    }
}

/// Bytes of JSON for each byte of the files, at most; files that compilers write come to less than ten.
const MAX_GROWTH: u64 = 64;

/// Everything that is known of a pair.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "dump")]
pub(super) struct Document<'s> {
    schema: Version,
    spaces: Vec<SpaceJson>,
    r#match: Match,
    findings: List<'s, FindingJson>,
    /// With an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<ImageJson>,
    /// With an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    debug_directory: Option<Vec<DebugEntryJson>>,
    methods: List<'s, MethodJson<'s>>,
    /// With symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdb: Option<PdbJson>,
    /// With symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<List<'s, Row<DocumentJson>>>,
    /// With symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<List<'s, ScopeJson>>,
    /// With symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    imports: Option<List<'s, Row<ImportScopeJson>>>,
    /// With symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    custom: Option<List<'s, Row<CustomJson>>>,
    #[serde(skip_serializing_if = "LeftOut::is_not")]
    left_out: LeftOut<'s>,
}

/// True where the lists end early: only of a file that lies.
struct LeftOut<'s>(&'s Room);

impl LeftOut<'_> {
    /// Whether everything is there. Asked when all that comes before is written.
    fn is_not(&self) -> bool {
        self.0.is_left()
    }
}

impl Serialize for LeftOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl JsonSchema for LeftOut<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "left_out".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"const": true, "description": "The lists end early, because the file makes more of its bytes than any compiler."})
    }
}

/// Writes the whole pair as one JSON document.
///
/// In a file that lies, many rows can lead to the same bytes: what goes beyond all measure is left out, and said to be.
pub fn document(session: &Session, writer: impl Write) -> io::Result<()> {
    let bytes: u64 = session.spaces().iter().map(|(_, space)| space.len()).sum();
    let room = Room::new(bytes.saturating_mul(MAX_GROWTH).saturating_add(16 << 20));
    let (image, symbols) = (session.image(), session.symbols());
    let document = Document {
        schema: Version,
        spaces: session.spaces().iter().map(SpaceJson::of).collect(),
        r#match: Match::of(session),
        findings: findings(session),
        image: image.map(ImageJson::of),
        debug_directory: image.map(DebugEntryJson::all),
        methods: methods::all(session).within(&room),
        pdb: symbols.map(PdbJson::of),
        documents: symbols.map(|symbols| symbols::documents(symbols, &room)),
        scopes: symbols.map(|found| symbols::scopes(session, found, &room)),
        imports: symbols.map(|symbols| symbols::imports(symbols, &room)),
        custom: symbols.map(|symbols| symbols::custom(symbols, &room)),
        left_out: LeftOut(&room),
    };
    json::write(room.writer(writer), &document)
}
