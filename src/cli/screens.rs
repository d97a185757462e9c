//! Arguments of the screens.

use std::path::PathBuf;

use super::files::Files;
use super::source_args::SourceArgs;
use crate::learn::lesson::Start;
use crate::query::process::ThreadsText;

/// Arguments of the screens.
#[derive(Debug, Default, clap::Args)]
pub struct Screens {
    /// DLLs and PDBs to open.
    #[command(flatten)]
    pub files: Files,
    /// Source folders and downloads.
    #[command(flatten)]
    pub sources: SourceArgs,
    /// Open the screens at a place, as `pdblens list FILE` prints it, such as `method/Clock.Since/il/0xf`.
    #[arg(long, value_name = "PLACE")]
    pub at: Option<String>,
    /// Set the colour theme of the screens; by default, it follows the terminal's background.
    #[arg(long, value_name = "THEME")]
    pub theme: Option<String>,
    /// Do not capture the mouse.
    #[arg(long)]
    pub no_mouse: bool,
    /// Show one pane on the whole screen with widely spaced lines, for a projector; `z` shows the other panes.
    #[arg(long)]
    pub large: bool,
    /// Compare the files with an older build: `pdblens --compare old/App.dll App.dll`.
    #[arg(long, value_name = "OLD")]
    pub compare: Option<PathBuf>,
    /// Show the machine code of a recorded event trace (`.nettrace`) or of a ReadyToRun image of the same build beside IL.
    ///
    /// `dotnet-trace collect -p PID` attaches to a running program and records such a trace.
    #[arg(long, value_name = "MAP", require_equals = true)]
    pub native: Option<PathBuf>,
    /// Count the samples of a profile at the lines, and begin at the hottest one: of `perf script`, collapsed stacks or a `.nettrace`.
    ///
    /// `--native` names what has its addresses, as of `pdblens points --samples`.
    #[arg(long, value_name = "PROFILE", require_equals = true)]
    pub samples: Option<PathBuf>,
    /// Lessons to open the screens with, which a subcommand supplies.
    #[arg(skip)]
    pub lessons: Option<Start>,
    /// Threads of a process to open the screens with, which a subcommand supplies.
    #[arg(skip)]
    pub threads: Option<ThreadsText>,
}
