//! Everything, as one JSON document; or the bytes of one place, or of the whole PDB.

mod decoded;
pub(super) mod document;
mod image;
mod methods;
mod symbols;

use std::io::Write;
use std::path::{Path, PathBuf};

pub use self::document::document;
pub(super) use self::image::{DebugEntryJson, ImageJson, SpaceJson};
pub(super) use self::symbols::PdbJson;
use super::command::Run;
use super::output::Out;
use super::{Error, Exit, Files, schema};
use crate::session::Session;

/// `pdblens dump FILE… [PLACE | pdb]`
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
    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        if self.files.take_word("pdb") {
            return whole_pdb(&self.files.open()?, self.output.as_deref(), out);
        }
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

/// Writes all bytes of the symbols, which for an embedded PDB are the inflated ones: a portable PDB of its own.
fn whole_pdb(session: &Session, output: Option<&Path>, out: &mut Out) -> Result<Exit, Error> {
    let none = || Error::Other("no PDB: none is inside the image or beside it".to_owned());
    let space = session.symbol_file().ok_or_else(none)?.space;
    let region = session.spaces().region(space);
    let region = region.map_err(|error| Error::Other(session.spaces().error_text(&error)))?;
    match output {
        Some(path) => {
            let written = std::fs::write(path, region.bytes());
            written.map_err(|error| Error::Other(format!("{}: {error}", path.display())))?;
        }
        None => out.write_all(region.bytes())?,
    }
    Ok(Exit::Done)
}
