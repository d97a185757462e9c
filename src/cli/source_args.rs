use std::path::PathBuf;

use crate::source::Map;
use crate::source::SourceOptions;

/// Options for sources on this machine.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SourceArgs {
    /// Search a folder for sources, by the end of each document's path.
    #[arg(long, value_name = "DIR")]
    source_root: Vec<PathBuf>,
    /// Replace OLD at the start of the paths in the symbols by the folder NEW on this machine.
    #[arg(long, value_name = "OLD=NEW", value_parser = map)]
    map: Vec<Map>,
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
