//! Options of handouts: `--format`, `--blank` and `--key`.

use std::fmt;
use std::io::{self, BufWriter, Write as _};
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
    /// Leave a part of the handout blank, for a class to fill in: state, or values (the default: values and state).
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
    pub(super) fn write(&self, handout: &Asked<'_>, inputs: &[&Path], out: &mut Out) -> Result<(), Error> {
        let Some(path) = &self.output else { return Ok(handout.write(out)?) };
        let failed = |error| Error::cannot_write(path, &error);
        let mut file = NewFile::create(path, Existing::of_force(self.force), inputs).map_err(failed)?;
        let mut buffer = BufWriter::new(&mut file);
        handout.write(&mut buffer).and_then(|()| buffer.flush()).map_err(failed)?;
        drop(buffer);
        file.finish().map_err(failed)
    }

    /// The handout of `steps`, with `command` and the options that make it again; `None` if none is asked for.
    pub(super) fn asked<'s>(&self, steps: &'s Steps, command: &str) -> Result<Option<Asked<'s>>, Error> {
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
        Ok(Some(Asked { handout: Handout { steps, command, answers }, format }))
    }
}

/// A handout in the format that is asked for.
pub(super) struct Asked<'s> {
    handout: Handout<'s>,
    format: Format,
}

impl Asked<'_> {
    fn write(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page { to, failed: None };
        self.handout.write(self.format, &mut page);
        page.failed.map_or(Ok(()), Err)
    }
}

/// A page that is written as it is made, until a write fails.
struct Page<'w> {
    to: &'w mut dyn io::Write,
    failed: Option<io::Error>,
}

impl fmt::Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.failed.is_none() {
            self.failed = self.to.write_all(text.as_bytes()).err();
        }
        if self.failed.is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}
