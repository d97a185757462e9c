//! Everything, as one JSON document; or the bytes of one place.
//!
//! The document is written as it is made, so that its size does not matter. `docs/json.md` says what is in it.

mod image;
mod methods;
mod symbols;

use crate::nodes;
use std::io::Write;
use std::path::PathBuf;

use super::json::Json;
use super::output::Out;
use super::{Error, Exit, Files, Run};
use crate::nodes::finding::findings;
use crate::session::{PdbMatch, Session};

/// `pdblens dump FILE… [PLACE]`
#[derive(Debug, clap::Args)]
pub struct Dump {
    #[command(flatten)]
    files: Files,
    /// Print the whole pair as one JSON document: what is done without a place.
    #[arg(long)]
    json: bool,
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Run for Dump {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (session, place) = self.files.open_with_place()?;
        let mut file;
        let writer: &mut dyn Write = match &self.output {
            Some(path) => {
                let created = std::fs::File::create(path);
                file = created.map_err(|error| Error::Other(format!("{}: {error}", path.display())))?;
                &mut file
            }
            None => out,
        };
        match place {
            None => document(&session, writer)?,
            Some(place) if self.json => {
                return Err(Error::Place(format!(
                    "the bytes of {place} are no JSON: try `pdblens show … {place} --json`"
                )));
            }
            Some(place) => {
                let span =
                    nodes::bytes(&session, place).ok_or_else(|| Error::Place(nodes::absence(&session, place)))?;
                let bytes = session.spaces().read(span).map_err(|error| Error::Other(error.to_string()))?;
                writer.write_all(&bytes)?;
            }
        }
        Ok(Exit::Done)
    }
}

/// How many bytes of JSON a byte of the files comes to at most. It is less than ten in files that compilers write.
const MOST: u64 = 64;

/// Writes the whole pair as one JSON document.
///
/// In a file that lies, many rows can lead to the same bytes: what goes beyond all measure is left out, and said to be.
pub fn document(session: &Session, writer: impl Write) -> std::io::Result<()> {
    let bytes: u64 = session.spaces().iter().map(|(_, space)| space.len()).sum();
    let json = &mut Json::new(writer).at_most(bytes.saturating_mul(MOST).saturating_add(16 << 20));
    json.object(|json| {
        json.number("schema", nodes::SCHEMA)?;
        json.key("spaces")?.list(|json| {
            session.spaces().iter().try_for_each(|(id, space)| {
                json.object(|json| {
                    json.number("space", id.0)?;
                    json.text("name", &space.name)?;
                    json.number("size", space.len())?;
                    image::origin(json, &space.origin)
                })
            })
        })?;
        json.key("match")?.object(|json| {
            let belong = match session.pdb_match() {
                PdbMatch::Matched => "yes",
                PdbMatch::Mismatched(_) => "no",
                PdbMatch::Unknown => "unknown",
                PdbMatch::NoPdb | PdbMatch::NoImage => "alone",
            };
            json.text("belong", belong)?;
            json.key("reasons")?.list(|json| session.match_reasons().iter().try_for_each(|reason| json.string(reason)))
        })?;
        json.key("findings")?.list(|json| {
            findings(session).try_for_each(|finding| {
                json.object(|json| {
                    json.shown("place", finding.place)?;
                    json.text("finding", &finding.sentence)?;
                    finding.span.map_or(Ok(()), |span| json.span("span", span))
                })
            })
        })?;
        if let Some(image) = session.image() {
            image::write(json, session, image)?;
        }
        methods::write(json, session)?;
        session.symbols().map_or(Ok(()), |symbols| symbols::write(json, session, symbols))?;
        if json.is_full() { json.number("left_out", true) } else { Ok(()) }
    })
}
