//! Everything, as one JSON document; or the bytes of one place, or of the whole PDB.

mod code;
mod decoded;
pub(super) mod document;
mod image;
mod methods;
mod symbols;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

pub use self::document::document;
pub(super) use self::image::{DebugEntryJson, ImageJson, SpaceJson};
pub(super) use self::symbols::PdbJson;
use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::files::{say_left_out, with_place};
use super::schema;
use crate::nodes::{self, Place};
use crate::session::Session;
use crate::store::new_file::{Existing, NewFile};

/// `pdblens dump FILE… [PLACE | pdb]`
#[derive(Debug, clap::Args)]
#[command(mut_arg("files", |files| with_place(files, "FILE… [PLACE|pdb]")))]
#[allow(clippy::struct_excessive_bools)]
pub struct Dump {
    #[command(flatten)]
    files: Files,
    /// Print the whole pair as one JSON document; this is the default without a place.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of the output of every command with --json.
    #[arg(long, conflicts_with_all = ["json", "files"])]
    schema: bool,
    /// Print the bytes of a value without its length: the text of Source Link, a blob, a string.
    #[arg(long, conflicts_with_all = ["json", "schema"])]
    value: bool,
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists; an input is never replaced.
    #[arg(long, requires = "output")]
    force: bool,
}

impl Run for Dump {
    const EXAMPLES: &'static [Example] = &[
        example("Print everything as JSON", "pdblens dump App.dll --json > app.json"),
        example("Save the bytes of a place", "pdblens dump App.dll method/Clock.Since/points -o points.bin"),
        example("Save a blob without its length", "pdblens dump App.dll pdb/heap/blob/0xb5 --value -o blob.bin"),
    ];

    fn access(&self) -> Access {
        self.files.symbols.access().and(Access::output(self.output.as_deref()))
    }

    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        let is_pdb = self.files.take_word("pdb");
        if !is_pdb && !self.schema && self.output.is_none() && self.files.has_many() {
            return self.files.each_json(out, &mut |out, pairs, session| {
                document::add(pairs, session, out)?;
                Ok(Exit::Done)
            });
        }
        let opened = match (self.schema, is_pdb) {
            (true, _) => None,
            (_, true) => Some((self.files.open()?, None)),
            _ => Some(self.files.open_with_place()?),
        };
        let Some(path) = &self.output else { return self.print(opened.as_ref(), is_pdb, out) };
        let failed = |error| Error::cannot_write(path, &error);
        let inputs = opened.as_ref().map_or_else(Vec::new, |(session, _)| session.paths());
        let mut file = NewFile::create(path, Existing::of_force(self.force), &inputs).map_err(failed)?;
        let mut writer = BufWriter::new(&mut file);
        let exit = self.print(opened.as_ref(), is_pdb, &mut writer)?;
        writer.flush().map_err(failed)?;
        drop(writer);
        file.finish().map_err(failed)?;
        Ok(exit)
    }
}

impl Dump {
    fn print(
        &self,
        opened: Option<&(Session, Option<Place>)>,
        is_pdb: bool,
        writer: &mut dyn Write,
    ) -> Result<Exit, Error> {
        let Some((session, place)) = opened else {
            writer.write_all(schema::TEXT.as_bytes())?;
            return Ok(Exit::Done);
        };
        match *place {
            None if is_pdb => write_pdb(session, writer)?,
            None => document(session, writer)?,
            Some(place) if self.json => {
                return Err(Error::Usage(format!(
                    "{place} is printed as bytes · tip: `pdblens show FILE {place}`, with --json for JSON"
                )));
            }
            Some(place) => write_bytes(session, place, self.value, writer)?,
        }
        Ok(say_left_out(session, Exit::Done))
    }
}

/// Writes the bytes of a place, or those of its value without its length.
pub(super) fn write_bytes(
    session: &Session,
    place: Place,
    is_value: bool,
    writer: &mut dyn Write,
) -> Result<(), Error> {
    let bytes = if is_value { nodes::register::value } else { nodes::bytes };
    let span = bytes(session, place).ok_or_else(|| Error::NoAnswer(nodes::absence(session, place)))?;
    let bytes = session.spaces().read(span).map_err(|error| Error::Other(session.spaces().error_text(&error)))?;
    Ok(writer.write_all(&bytes)?)
}

/// Writes all bytes of the symbols, which for an embedded PDB are the inflated ones: a portable PDB of its own.
fn write_pdb(session: &Session, writer: &mut dyn Write) -> Result<(), Error> {
    let none = || Error::NoAnswer("no PDB: none is inside the image or beside it".to_owned());
    let space = session.symbol_file().ok_or_else(none)?.space;
    let region = session.spaces().region(space);
    let region = region.map_err(|error| Error::Other(session.spaces().error_text(&error)))?;
    Ok(writer.write_all(region.bytes())?)
}
