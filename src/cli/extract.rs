use std::io::Write;
use std::path::{Path, PathBuf};

use super::command::Run;
use super::output::Out;
use super::{Error, Exit, Files};
use crate::nodes::Place;
use crate::nodes::rows::Tone;
use crate::session::Session;
use crate::session::inputs::Location;
use crate::source;
use crate::store::new_file::{Existing, NewFile, create_folder};

/// `pdblens extract FILE… -o DIR`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pdblens extract App.dll -o out\n  pdblens extract App.nupkg -o out --only sources\n  \
                        pdblens extract App.pdb -o out --stream 12"
)]
pub(super) struct Extract {
    #[command(flatten)]
    files: Files,
    /// Write to this folder, which is made if it is not there; of several pairs each has a folder of its own in it.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Extract these alone.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Extract the bytes of a stream too, by its number.
    #[arg(long, value_name = "NUMBER")]
    stream: Vec<u32>,
    /// Replace files of the folder that have other bytes.
    #[arg(long)]
    force: bool,
}

/// Something that can be extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The embedded PDB, inflated.
    Pdb,
    /// Embedded sources.
    Sources,
    /// The Source Link document.
    SourceLink,
    /// The srcsrv stream.
    Srcsrv,
}

impl Run for Extract {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let several = self.files.has_many();
        self.files.each(out, true, &mut |out, session| self.pair(session, several, out))
    }
}

impl Extract {
    fn pair(&self, session: &Session, several: bool, out: &mut Out) -> Result<Exit, Error> {
        let named = session.paths().first().map_or_else(String::new, |path| Location::of(path).stem());
        let name = if named.is_empty() { "sample".to_owned() } else { source::plain_step(&named) };
        let folder = if several { self.output.join(&name) } else { self.output.clone() };
        let mut writer =
            Writer { session, folder, existing: Existing::of_force(self.force), out, number: 0, failed: 0 };
        let wants = |part| if self.only.is_empty() { self.stream.is_empty() } else { self.only.contains(&part) };
        if wants(Part::Pdb)
            && let Some(file) = session.symbol_file().filter(|file| file.embedded)
        {
            let bytes = session.spaces().region(file.space).map(|region| region.bytes().to_vec());
            writer.write(&format!("{name}.pdb"), bytes)?;
        }
        let servers = session.symbols().map(|symbols| symbols.source_servers()).unwrap_or_default();
        if let Some(json) = servers.source_link.filter(|_| wants(Part::SourceLink)) {
            writer.write(&format!("{name}.sourcelink.json"), Ok(json))?;
        }
        if let Some(srcsrv) = servers.srcsrv.filter(|_| wants(Part::Srcsrv)) {
            writer.write(&format!("{name}.srcsrv.ini"), Ok(srcsrv.region.bytes().to_vec()))?;
        }
        for number in &self.stream {
            let span = crate::nodes::bytes(session, Place::Stream(*number));
            let span = span.ok_or_else(|| Error::Place(crate::nodes::absence(session, Place::Stream(*number))))?;
            let bytes = session.spaces().read(span).map(std::borrow::Cow::into_owned);
            writer.write(&format!("{name}.stream-{number}.bin"), bytes)?;
        }
        if wants(Part::Sources) {
            writer.sources()?;
        }
        if writer.number == 0 && writer.failed == 0 {
            writer
                .out
                .line("nothing to extract: no embedded PDB, no embedded source, no Source Link, no srcsrv stream")?;
        }
        Ok(if writer.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

/// Files written for one pair.
struct Writer<'w> {
    session: &'w Session,
    folder: PathBuf,
    existing: Existing,
    out: &'w mut Out,
    number: usize,
    failed: usize,
}

impl Writer<'_> {
    fn write(&mut self, name: &str, bytes: crate::bytes::Result<Vec<u8>>) -> Result<(), Error> {
        let path = self.folder.join(name);
        let written = bytes.map_err(|error| self.session.spaces().error_text(&error)).and_then(|bytes| {
            let write = || {
                create_folder(&self.folder)?;
                let mut file = NewFile::create(&path, self.existing, &self.session.paths())?;
                file.write_all(&bytes)?;
                file.finish()
            };
            write().map(|()| bytes.len() as u64).map_err(|error: std::io::Error| error.to_string())
        });
        self.tell(&path, &written)
    }

    /// Writes the embedded sources below `sources`.
    fn sources(&mut self) -> Result<(), Error> {
        let symbols = self.session.symbols();
        let any =
            symbols.is_some_and(|symbols| (1..=symbols.documents()).any(|row| symbols.embedded_source(row).is_some()));
        if !any {
            return Ok(());
        }
        let folder = self.folder.join("sources");
        let done = source::extract(self.session, &folder, self.existing)
            .map_err(|error| Error::Other(format!("{}: {error}", folder.display())))?;
        done.iter().try_for_each(|one| self.tell(&one.path, &one.written))
    }

    fn tell(&mut self, path: &Path, written: &Result<u64, String>) -> Result<(), Error> {
        let path = path.display().to_string();
        match written {
            Ok(bytes) => {
                self.number += 1;
                self.out.parts(&[(&path, Tone::Text), (&format!("  {bytes} bytes"), Tone::Dim)])
            }
            Err(why) => {
                self.failed += 1;
                self.out.parts(&[("✗ ", Tone::Bad), (&path, Tone::Text), (&format!("  {why}"), Tone::Bad)])
            }
        }
    }
}
