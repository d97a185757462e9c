use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Error;
use super::output::say;
use super::symbols::SymbolArgs;
use crate::nodes::Place;
use crate::query::ask;
use crate::session::Session;
use crate::text::safe::visible;

/// The files that a command is about.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Files {
    /// A DLL or EXE, a symbol file, or both in either order; the other one is searched for inside the file and beside it.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Open the built-in sample instead of a file.
    #[arg(long)]
    pub sample: bool,
    /// Symbol path for symbols that are not beside their image.
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

impl Files {
    /// Opens them, or the built-in sample if it is asked for. What was opened in the place of what was named is said on standard
    /// error.
    pub fn open(&self) -> Result<Session, Error> {
        let session = self.open_these(&self.files)?;
        say_remarks(&session);
        Ok(session)
    }

    /// Opens them without a word.
    pub fn open_silently(&self) -> Result<Session, Error> {
        self.open_these(&self.files)
    }

    /// Opens some of the files.
    fn open_these(&self, files: &[PathBuf]) -> Result<Session, Error> {
        match (self.sample, files) {
            (true, []) => Ok(Session::sample()),
            (true, [file, ..]) => {
                Err(Error::Place(format!("--sample is instead of a file: leave {} out", file.display())))
            }
            (false, []) => Err(Error::Nothing),
            (false, files) => self.symbols.complete(Session::open(files)?),
        }
    }

    /// Splits arguments into files and queries about them, each in its order.
    pub fn split(words: Vec<OsString>, sample: bool, symbols: SymbolArgs) -> (Self, Vec<String>) {
        let is_file =
            |word: &OsString| word != "-" && (Path::new(word).is_file() || word.to_str().is_none_or(looks_like_a_file));
        let (files, others): (Vec<OsString>, Vec<OsString>) = words.into_iter().partition(is_file);
        let files = files.into_iter().map(PathBuf::from).collect();
        (Self { files, sample, symbols }, others.iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    /// Removes `word` from the end, where it stands there and is no file.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.files.last().is_some_and(|last| last.as_os_str() == word && !last.exists());
        if found {
            self.files.pop();
        }
        found
    }

    /// Opens them where the last word may be a place instead of a file: `list App.dll tables`.
    ///
    /// A word that is a file's name is a file.
    pub fn open_with_place(&self) -> Result<(Session, Option<Place>), Error> {
        let Some((last, files)) = self.files.split_last().filter(|(last, _)| !last.exists()) else {
            return Ok((self.open()?, None));
        };
        let Some(text) = last.to_str() else { return Ok((self.open()?, None)) };
        if looks_like_a_file(text) {
            return Ok((self.open()?, None));
        }
        let session = self.open_these(files)?;
        say_remarks(&session);
        let place = ask::place(&session, text).map_err(Error::Place)?;
        Ok((session, Some(place)))
    }
}

/// Says on standard error what was opened in the place of what was named.
pub(super) fn say_remarks(session: &Session) {
    session.remarks().iter().for_each(|remark| say(&format!("pdblens: {}", visible(remark))));
}

/// Returns true if a word looks like the name of a file that is missing.
fn looks_like_a_file(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    [".dll", ".exe", ".pdb", ".mdb"].iter().any(|extension| word.ends_with(extension)) && !word.starts_with("document/")
}
