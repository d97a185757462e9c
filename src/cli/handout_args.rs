//! Options of handouts: `--format`, `--blank` and `--key`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Error;
use super::output::Out;
use crate::learn::Steps;
use crate::learn::handout::{Answers, Format, Handout};
use crate::store::new_file::{Existing, NewFile};

/// Options of a handout.
#[derive(Debug, clap::Args)]
pub(super) struct HandoutArgs {
    /// Print a handout of the steps in this format.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "explain")]
    format: Option<PageFormat>,
    /// Leave the values of the handout blank, for a class to fill in.
    #[arg(long, requires = "format", conflicts_with = "key")]
    blank: bool,
    /// Print only the answers: the values of the handout.
    #[arg(long, requires = "format")]
    key: bool,
    /// Write the handout to a file instead of standard output.
    #[arg(short, long, value_name = "FILE", requires = "format")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

/// Format of a handout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PageFormat {
    /// Markdown.
    Md,
    /// HTML page without external files.
    Html,
    /// SVG drawing.
    Svg,
    /// Plain text.
    Txt,
}

impl From<PageFormat> for Format {
    fn from(format: PageFormat) -> Self {
        match format {
            PageFormat::Md => Self::Markdown,
            PageFormat::Html => Self::Html,
            PageFormat::Svg => Self::Svg,
            PageFormat::Txt => Self::Text,
        }
    }
}

impl HandoutArgs {
    /// Returns true if a handout is asked for.
    pub(super) const fn is_asked(&self) -> bool {
        self.format.is_some()
    }

    /// Prints a handout, or writes it to the file of `--output`, which must be none of `inputs`.
    pub(super) fn write(&self, page: &str, inputs: &[&Path], out: &mut Out) -> Result<(), Error> {
        let Some(path) = &self.output else { return Ok(out.write_all(page.as_bytes())?) };
        let failed = |error| Error::Other(format!("{}: {error}", path.display()));
        let mut file = NewFile::create(path, Existing::of_force(self.force), inputs).map_err(failed)?;
        file.write_all(page.as_bytes()).and_then(|()| file.finish()).map_err(failed)
    }

    /// The handout of `steps`, with `command` and the options that make it again; `None` if none is asked for.
    pub(super) fn print(&self, steps: &Steps, command: &str) -> Option<String> {
        let format = Format::from(self.format?);
        let (answers, options) = match (self.blank, self.key) {
            (true, _) => (Answers::Blank, " --blank"),
            (_, true) => (Answers::Key, " --key"),
            _ => (Answers::Shown, ""),
        };
        let command = format!("{command} --format {}{options}", format.name());
        Some(Handout { steps, command, answers }.print(format))
    }
}
