//! Options of handouts: `--format`, `--blank` and `--key`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Error;
use super::output::Out;
use super::sandbox::Access;
use crate::learn::Steps;
use crate::learn::handout::{Answers, Format, Handout};
use crate::store::new_file::{Existing, NewFile};

/// Options of a handout.
#[derive(Debug, clap::Args)]
pub(super) struct HandoutArgs {
    /// Print a handout of the steps in this format.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "explain")]
    format: Option<PageFormat>,
    /// Leave a part of the handout blank, for a class to fill in: state, values (the default: values and state), or fields (all but the
    /// bytes).
    #[arg(long, value_name = "PART", num_args = 0..=1, require_equals = true, default_missing_value = "values",
          value_parser = Answers::BLANKS.map(|(_, name)| name), conflicts_with = "key")]
    blank: Option<String>,
    /// Print only the answers: the values of the handout.
    #[arg(long)]
    key: bool,
    /// Write the handout to a file instead of standard output; the end of its name selects the format, if --format does not.
    #[arg(short, long, value_name = "FILE", conflicts_with = "explain")]
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
}

impl From<PageFormat> for Format {
    fn from(format: PageFormat) -> Self {
        match format {
            PageFormat::Md => Self::Markdown,
            PageFormat::Html => Self::Html,
        }
    }
}

impl HandoutArgs {
    pub(super) fn access(&self) -> Access {
        Access::output(self.output.as_deref())
    }

    pub(super) const fn is_asked(&self) -> bool {
        self.format.is_some() || self.output.is_some() || self.blank.is_some() || self.key
    }

    /// The format that is named, or that of the file to write.
    fn format(&self) -> Result<Format, Error> {
        if let Some(format) = self.format {
            return Ok(format.into());
        }
        let Some(path) = &self.output else {
            return Err(Error::Usage("--blank and --key are of a handout: add --format md or html".to_owned()));
        };
        Format::of_path(path).ok_or_else(|| {
            let text = "the end of its name is neither .md nor .html: --format selects a format";
            Error::Usage(format!("{}: {text}", path.display()))
        })
    }

    /// Prints a handout, or writes it to the file of `--output`, which must be none of `inputs`.
    pub(super) fn write(&self, page: &str, inputs: &[&Path], out: &mut Out) -> Result<(), Error> {
        let Some(path) = &self.output else { return Ok(out.write_all(page.as_bytes())?) };
        let failed = |error| Error::cannot_write(path, &error);
        let mut file = NewFile::create(path, Existing::of_force(self.force), inputs).map_err(failed)?;
        file.write_all(page.as_bytes()).and_then(|()| file.finish()).map_err(failed)
    }

    /// The handout of `steps`, with `command` and the options that make it again; `None` if none is asked for.
    pub(super) fn print(&self, steps: &Steps, command: &str) -> Result<Option<String>, Error> {
        if !self.is_asked() {
            return Ok(None);
        }
        let format = self.format()?;
        let blank = Answers::BLANKS.into_iter().find(|(_, name)| self.blank.as_deref() == Some(name));
        let (answers, options) = match (blank, self.key) {
            (Some((answers, "values")), _) => (answers, " --blank".to_owned()),
            (Some((answers, name)), _) => (answers, format!(" --blank={name}")),
            (_, true) => (Answers::Key, " --key".to_owned()),
            _ => (Answers::Shown, String::new()),
        };
        let command = format!("{command} --format {}{options}", format.name());
        Ok(Some(Handout { steps, command, answers }.print(format)))
    }
}
