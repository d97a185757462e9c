use super::json::Json;
use super::list::rows_json;
use super::output::Out;
use super::{Error, Exit, Files, Run};
use crate::nodes;
use crate::nodes::Place;

/// `pdblens info FILE…`
#[derive(Debug, clap::Args)]
pub struct Info {
    #[command(flatten)]
    files: Files,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Info {
    /// What `info` says of `files`.
    pub const fn of(files: Files) -> Self {
        Self { files, json: false }
    }
}

impl Run for Info {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let session = self.files.open()?;
        let rows = nodes::rows(&session, Place::Overview).ok_or_else(|| Error::Other("nothing is open".to_owned()))?;
        if self.json {
            rows_json(&mut Json::new(out), Place::Overview, &rows)?;
        } else {
            out.headless(&rows)?;
        }
        Ok(Exit::Done)
    }
}
