//! `pdblens extract`: parts of symbol files as files of their own.

use std::path::PathBuf;

use super::command::{Example, Run, example};
use super::files::Files;
use super::output::Out;
use super::{Error, Exit};
use crate::query::extract::{self, Part};
use crate::session::{Session, inputs};
use crate::store::new_file::Existing;

/// `pdblens extract FILE… --to DIR`
#[derive(Debug, clap::Args)]
pub(super) struct Extract {
    #[command(flatten)]
    files: Files,
    /// Write to this folder, which is made if it is not there.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Write these parts; without it the embedded PDB, embedded sources and the srcsrv stream, as far as there are any.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<PartName>,
    /// Replace files of the folder that have other bytes.
    #[arg(long)]
    force: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PartName {
    /// The PDB inside an image.
    Pdb,
    /// Embedded sources, in the folder `sources`.
    Sources,
    /// The stream that says where a debugger gets the sources.
    Srcsrv,
    /// Every stream of the PDB, in the folder `streams`.
    Streams,
}

impl PartName {
    /// The part, and its subfolder.
    const fn part(self) -> (Part, &'static str) {
        match self {
            Self::Pdb => (Part::Pdb, ""),
            Self::Sources => (Part::Sources, "sources"),
            Self::Srcsrv => (Part::SrcSrv, ""),
            Self::Streams => (Part::Streams, "streams"),
        }
    }
}

impl Run for Extract {
    const EXAMPLES: &'static [Example] = &[
        example("Write the embedded PDB and the embedded sources to a folder", "pdblens extract Embedded.dll --to out"),
        example("Write every stream of a PDB to a folder", "pdblens extract Native.pdb --only streams --to out"),
    ];

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        self.print(&self.files.open()?, out)
    }
}

impl Extract {
    fn print(&self, session: &Session, out: &mut Out) -> Result<Exit, Error> {
        let all = [PartName::Pdb, PartName::Sources, PartName::Srcsrv];
        let wanted = if self.only.is_empty() { &all[..] } else { &self.only };
        let kinds: Vec<(Part, &str)> = wanted.iter().map(|name| name.part()).collect();
        let done = extract::extract(session, &kinds, &self.to, Existing::of_force(self.force))
            .map_err(|error| Error::Other(format!("{}: {error}", self.to.display())))?;
        let tip = "`--only streams` writes the streams";
        let none = match (inputs::others(session), session.image()) {
            (others @ 1.., Some(image)) => format!(
                "nothing to extract: no PDB or source is inside {}, the only one of {} that was looked at · tip: name another one of them, or {tip}",
                image.name,
                others + 1
            ),
            _ => format!("nothing to extract: no PDB or source is inside these files · tip: {tip}"),
        };
        super::extracted::report(out, &done, self.json, &none)
    }
}
