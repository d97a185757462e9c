//! `pdblens extract`: parts of symbol files as files of their own.

use std::path::PathBuf;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::extracted::Request;
use super::files::Files;
use crate::query::extract::Part;
use crate::store::new_file::Existing;

/// `pdblens extract FILE… --to DIR`
#[derive(Debug, clap::Args)]
pub(super) struct Extract {
    #[command(flatten)]
    files: Files,
    /// Write to this folder, which is created if necessary. For several pairs, each gets a subfolder of its own.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Write only these parts; by default, the embedded PDB, the embedded sources and the srcsrv stream.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<PartName>,
    /// Replace files in the folder whose contents differ.
    #[arg(long)]
    force: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PartName {
    /// PDB embedded in an image.
    Pdb,
    /// Embedded sources, in the folder `sources`.
    Sources,
    /// The srcsrv stream, which tells a debugger where to get the sources.
    Srcsrv,
    /// Every stream of the PDB, in the folder `streams`.
    Streams,
}

impl PartName {
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
        example(
            "Write those of every assembly of a package, each to a folder of its own",
            "pdblens extract Acme.1.2.0.nupkg --to out",
        ),
    ];

    fn access(&self) -> Access {
        self.files.symbols.access().and(Access::folder(&self.to))
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let all = [PartName::Pdb, PartName::Sources, PartName::Srcsrv];
        let wanted = if self.only.is_empty() { &all[..] } else { &self.only };
        let kinds: Vec<(Part, &str)> = wanted.iter().map(|name| name.part()).collect();
        let request = Request {
            files: &self.files,
            kinds: &kinds,
            folder: &self.to,
            existing: Existing::of_force(self.force),
            json: self.json,
            none: "nothing to extract: no PDB or source is inside these files · tip: `--only streams` writes the streams",
        };
        request.run(out, &mut |_| {})
    }
}
