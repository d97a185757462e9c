use std::path::PathBuf;

use crate::source::{Map, SourceOptions};

/// Options for sources on this machine.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SourceArgs {
    /// Search a folder for sources, matching the end of each document's path.
    #[arg(long, value_name = "DIR", value_parser = folder, value_hint = clap::ValueHint::DirPath)]
    source_root: Vec<PathBuf>,
    /// Replace OLD at the start of each document's path with NEW, a folder on this machine.
    #[arg(long, value_name = "OLD=NEW", value_parser = map)]
    map: Vec<Map>,
}

fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("no such folder".to_owned()) }
}

fn map(text: &str) -> Result<Map, String> {
    Map::parse(text).ok_or_else(|| "write OLD=NEW, neither of them empty".to_owned())
}

impl SourceArgs {
    /// Options of the source finder; nothing is downloaded.
    pub fn options(&self) -> SourceOptions {
        SourceOptions { roots: self.source_root.clone(), maps: self.map.clone(), ..SourceOptions::default() }
    }
}
