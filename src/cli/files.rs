use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::evidence::say_warning;
use super::json::Pairs;
use super::output::{Out, say};
use super::symbols::SymbolArgs;
use super::{Error, Exit};
use crate::nodes::rows::Tone;
use crate::nodes::{Place, PlaceError};
use crate::query::ask;
use crate::session::inputs::{
    Location, Unit, is_many, is_pattern_without_files, is_program_of_several, names_several, place_in_program, units,
};
use crate::session::{OpenError, Session, standard_input};
use crate::text::safe::visible;

/// Callback for each of many pairs: its number, and the open files or the reason why they cannot be opened.
type EachOpened<'e> = dyn FnMut(&mut Out, usize, Result<Session, Error>) -> Result<Exit, Error> + 'e;

/// The files that a command is about.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Files {
    /// A DLL or EXE, a symbol file, or both in either order; if one is missing, it is searched for inside the other file and beside it.
    ///
    /// A package (.nupkg, .snupkg, .zip, .apk, .tgz), a single-file program, a folder or a glob pattern selects all files in it. To select
    /// one file of a package, write `Acme.nupkg!lib/net8.0/Acme.dll`. To open an installed package or runtime assembly, write
    /// `nuget:Acme@1.2.0!lib/net8.0/Acme.dll` or `platform:System.Text.Json`. `-` reads a file from standard input.
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
        let session = match (self.sample, self.files.as_slice()) {
            (true, []) => Session::sample(),
            (true, [file, ..]) => {
                let file = file.display();
                return Err(Error::Usage(format!("--sample cannot be combined with a file · tip: leave {file} out")));
            }
            (false, []) => return Err(Error::NoInput),
            (false, files) => self.symbols.complete(Session::open(files)?)?,
        };
        say_remarks(&session);
        Ok(session)
    }

    /// Leads questions about an offset in a single-file program, `rva:0x…`, to the image in it that has them.
    ///
    /// The image is opened in the place of the program, and the questions have its own addresses. Returns a sentence for each.
    pub(super) fn find_in_program(&mut self, questions: &mut [String]) -> Result<Vec<String>, Error> {
        let (Some(program), mut sentences) = (self.files.first().cloned(), Vec::new()) else { return Ok(Vec::new()) };
        for question in questions {
            let Some(offset) = question.trim().strip_prefix("rva:").and_then(number) else { continue };
            let Some(found) = place_in_program(&program, offset) else { return Ok(sentences) };
            let found = found.map_err(|why| Error::NoAnswer(why.text))?;
            if !sentences.is_empty() && self.files.first() != Some(&found.path) {
                let why = "the addresses are in several images of the program";
                return Err(Error::Usage(format!("{why} · tip: ask for those of each image by themselves")));
            }
            let (of, image, rva) = (program.display(), found.path.display(), found.rva);
            sentences.push(format!("offset {offset:#x} of {of} is in {image}, at its address rva:{rva:#x}"));
            *question = format!("rva:{rva:#x}");
            self.files.splice(..1, [found.path]);
        }
        Ok(sentences)
    }

    /// Opens them if they are one pair; `None` if they are several.
    pub(super) fn open_one(&self) -> Result<Option<Session>, Error> {
        let is_program = || self.files.iter().any(|file| is_program_of_several(file));
        if self.files.len() > 1 && self.has_many() || is_program() {
            return Ok(None);
        }
        match self.open() {
            Ok(session) => Ok(Some(session)),
            Err(Error::Open(OpenError::Ambiguous { .. } | OpenError::TwoOfAKind { .. } | OpenError::TooMany(_))) => {
                Ok(None)
            }
            // Several files are opened one by one later: one that cannot be read is an error of its own.
            Err(Error::Open(_)) if self.files.len() > 1 => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn units(&self) -> Result<Vec<Unit>, Error> {
        self.units_with(std::iter::empty())
    }

    pub(super) fn units_with(&self, others: impl Iterator<Item = PathBuf>) -> Result<Vec<Unit>, Error> {
        match (self.sample, self.files.as_slice()) {
            (true, _) => Err(Error::Usage("--sample is one pair: only --format text or json prints it".to_owned())),
            (false, []) => Err(Error::NoInput),
            (false, files) => Ok(units(&files.iter().cloned().chain(others).collect::<Vec<_>>())?),
        }
    }

    /// Every pair among them, without native code of other systems that was not named itself.
    pub(super) fn own_units(&self) -> Result<Vec<Unit>, Error> {
        self.units().map(|units| without_foreign(units, &self.files))
    }

    /// Calls `each` for every pair in turn, after a line with its path if there are several. Reports a pair that cannot be opened, and
    /// continues with the next one.
    pub(super) fn each(
        &self,
        out: &mut Out,
        heading: bool,
        each: &mut dyn FnMut(&mut Out, &Session) -> Result<Exit, Error>,
    ) -> Result<Exit, Error> {
        let mut whole = |out: &mut Out, session: &Session| Ok(say_left_out(session, each(out, session)?));
        if let Some(session) = self.open_one()? {
            return whole(out, &session);
        }
        self.each_opened(&self.units()?, out, heading, &mut |out, _, opened| whole(out, &opened?))
    }

    /// Prints one JSON document, to which `each` adds every pair in turn. A pair that cannot be read is an element with its error.
    pub(super) fn each_json(
        &self,
        out: &mut Out,
        each: &mut dyn FnMut(&mut Out, &mut Pairs, &Session) -> Result<Exit, Error>,
    ) -> Result<Exit, Error> {
        let mut pairs = Pairs::default();
        let mut each = |out: &mut Out, pairs: &mut Pairs, session: &Session| {
            Ok::<_, Error>(say_left_out(session, each(out, pairs, session)?))
        };
        let exit = if let Some(session) = self.open_one()? {
            each(out, &mut pairs, &session)?
        } else {
            let units = self.units()?;
            self.each_opened(&units, out, false, &mut |out, index, opened| {
                let result = opened.and_then(|session| each(out, &mut pairs, &session));
                if let (Err(error), Some(unit)) = (&result, units.get(index))
                    && !error.is_closed_pipe()
                    && !self.is_left_out(unit, error)
                {
                    pairs.add_failed(&mut *out, unit.path(), error)?;
                }
                result
            })?
        };
        pairs.end(out)?;
        Ok(exit)
    }

    /// Returns true if a unit of a folder is native code of another system, which is none of the pairs.
    pub(super) fn is_left_out(&self, unit: &Unit, error: &Error) -> bool {
        let is_native = matches!(error, Error::Open(OpenError::NativeCode { .. }));
        is_native && !self.files.iter().any(|file| file == unit.path())
    }

    /// Calls `each` for some of the pairs, with the number of each and the open files, or the reason why they cannot be opened.
    pub(super) fn each_opened(
        &self,
        units: &[Unit],
        out: &mut Out,
        heading: bool,
        each: &mut EachOpened<'_>,
    ) -> Result<Exit, Error> {
        let mut worst = Exit::Done;
        for (index, unit) in units.iter().enumerate() {
            if heading {
                let path = unit.path().display().to_string();
                if index > 0 {
                    out.line("")?;
                }
                out.parts(&[("── ", Tone::Dim), (&path, Tone::Strong)])?;
            }
            let opened = unit.open().map_err(Error::from).and_then(|session| self.symbols.complete(session));
            match each(out, index, opened) {
                Ok(exit) => worst = worst.max(exit),
                Err(error) if error.is_closed_pipe() => return Err(error),
                Err(error) if self.is_left_out(unit, &error) => {
                    say(&format!("note: left out {}", visible(&error.to_string())));
                }
                Err(error) => {
                    out.complain(&error);
                    worst = worst.max(error.exit());
                }
            }
        }
        Ok(worst)
    }

    /// Splits arguments into files and queries about them, each in its order.
    pub fn split(words: Vec<OsString>, sample: bool, symbols: SymbolArgs) -> (Self, Vec<String>) {
        // The first word is a file, if anything is: a question needs one to be about.
        let first = words.first().filter(|word| !sample && *word != "-" && is_many(Path::new(word))).cloned();
        let is_file = |word: &OsString| {
            let named = || is_input(Path::new(word)) || word.to_str().is_none_or(looks_like_a_file);
            word != "-" && (first.as_ref() == Some(word) || named())
        };
        let (files, others): (Vec<OsString>, Vec<OsString>) = words.into_iter().partition(is_file);
        let files = files.into_iter().map(PathBuf::from).collect();
        (Self { files, sample, symbols }, others.iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    /// Removes `word` from the end, where it stands there and is no file.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.files.last().is_some_and(|last| last.as_os_str() == word && !is_input(last));
        if found {
            self.files.pop();
        }
        found
    }

    /// Returns true if one of them is a folder, container or pattern, or if they are two images.
    pub(super) fn has_many(&self) -> bool {
        names_several(&self.files)
    }

    /// Takes the place from the end, if the last word is one: `list App.dll tables`. A pattern that no file matches is a place only where
    /// there are files beside it.
    pub(super) fn take_place(&mut self) -> Option<String> {
        let last = self.files.last()?;
        let has_files = self.sample || self.files.len() > 1;
        if is_input(last) || !has_files && is_many(last) {
            return None;
        }
        let text = last.to_str().filter(|text| !looks_like_a_file(text))?.to_owned();
        self.files.pop();
        Some(text)
    }

    /// Takes the place from the end, if the last word is written like the path of one: `pdblens App.dll method/0x06000003`.
    pub(super) fn take_written_place(&mut self) -> Option<String> {
        let text = self.files.last()?.to_str()?;
        let is_place = !matches!(text.parse::<Place>(), Err(PlaceError::UnknownWord { .. }));
        if is_place { self.take_place() } else { None }
    }

    /// Bytes at an offset of the file that is named last; of the symbols where that is no file of its own, as in a package.
    pub(super) fn place_at(&self, session: &Session, offset: &str) -> Result<Place, Error> {
        let name = self.files.last().and_then(|file| file.file_name()?.to_str());
        let named = name.and_then(|name| session.spaces().named(name)).map(|(id, _)| id);
        let symbols = session.symbol_file().map(|file| file.space);
        let space = named.or(symbols).or_else(|| session.image().map(|image| image.space)).ok_or(Error::NoInput)?;
        ask::bytes_at(session, space, offset).map_err(|why| Error::NoAnswer(why.text))
    }

    /// Opens them where the last word may be a place instead of a file: `list App.dll tables`.
    ///
    /// A word that is a file's name is a file.
    pub fn open_with_place(&self) -> Result<(Session, Option<Place>), Error> {
        let mut files = self.clone();
        let Some(text) = files.take_place() else { return Ok((self.open()?, None)) };
        let session = files.open()?;
        let place = match bytes_after(&session, &files.files, &text) {
            Some(place) => place,
            None => ask::place(&session, &text).map_err(|why| Error::NoAnswer(why.text))?,
        };
        Ok((session, Some(place)))
    }
}

/// A number, hexadecimal after `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The units but for native code of other systems, which is left out of folders, unless it was named itself.
pub(super) fn without_foreign(mut units: Vec<Unit>, named: &[PathBuf]) -> Vec<Unit> {
    units.retain(|unit| named.iter().any(|path| path == unit.path()) || !unit.is_foreign());
    units
}

/// Bytes of the file that is named last, as a finding prints them (`App.dll App.pdb 0x607+5`); a bare offset (`App.pdb 0x607`) is one of
/// symbols that are named alone.
fn bytes_after(session: &Session, files: &[PathBuf], text: &str) -> Option<Place> {
    let name = files.last()?.file_name()?.to_str()?;
    let of_symbols = files.len() == 1 && session.symbol_file().is_some_and(|file| file.name == name);
    if of_symbols || text.contains('+') { ask::bytes_of(session, name, text) } else { None }
}

/// The argument of [`Files`] for a command that takes a place after them.
pub(super) fn with_place(files: clap::Arg, usage: &'static str) -> clap::Arg {
    let place = "The last argument is a place in the files, such as `method/Clock.Since/points/2`. `pdblens list FILE` lists the \
                 places; a token, an offset or a name leads to one too";
    let of = |help: Option<&clap::builder::StyledStr>| help.map(ToString::to_string).unwrap_or_default();
    let (help, long) = (of(files.get_help()), of(files.get_long_help()));
    files.value_name(usage).help(format!("{help}. {place}")).long_help(format!("{long}\n\n{place}"))
}

/// Returns true if a word names an existing file, folder or container, or standard input, or is a glob pattern that a file matches.
pub(super) fn is_input(word: &Path) -> bool {
    standard_input::is_named(word) || Location::of(word).is_file() || is_many(word) && !is_pattern_without_files(word)
}

/// Prints to standard error which file was opened instead of the named one.
pub(super) fn say_remarks(session: &Session) {
    session.remarks().iter().for_each(|remark| say(&format!("note: {}", visible(remark))));
}

/// Warns of what is missing in an answer because the budget of the session did not allow it. That is a finding.
pub(super) fn say_left_out(session: &Session, exit: Exit) -> Exit {
    let left_out = session.spaces().budget().left_out();
    for part in &left_out {
        say_warning(&part.to_string());
    }
    if left_out.is_empty() { exit } else { exit.max(Exit::Findings) }
}

fn looks_like_a_file(word: &str) -> bool {
    let name = word.to_ascii_lowercase();
    let has_extension = [".dll", ".exe", ".pdb", ".mdb"].iter().any(|extension| name.ends_with(extension));
    has_extension && !name.starts_with("document/")
}
