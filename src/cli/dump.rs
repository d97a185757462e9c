use super::output::Out;
use super::{Error, Exit, Files, Run};

/// `pdblens dump FILE… --json`
#[derive(Debug, clap::Args)]
pub struct Dump {
    #[command(flatten)]
    files: Files,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Dump {
    fn run(self, _out: &mut Out) -> Result<Exit, Error> {
        let _ = (self.json, self.files.open()?);
        Ok(Exit::Done)
    }
}
