//! Everything, as one JSON document; or the bytes of one place.

mod decoded;
pub(super) mod document;
mod image;
mod methods;
mod symbols;

use std::io::Write;
use std::path::PathBuf;

pub use self::document::document;
pub(super) use self::image::{DebugEntryJson, ImageJson, SpaceJson};
pub(super) use self::symbols::PdbJson;
use super::command::Run;
use super::output::Out;
use super::{Error, Exit, Files, schema};

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
                let bytes =
                    session.spaces().read(span).map_err(|error| Error::Other(session.spaces().error_text(&error)))?;
                writer.write_all(&bytes)?;
            }
        }
        Ok(Exit::Done)
    }
}
