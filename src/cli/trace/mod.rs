mod frames;
mod patient;
mod text;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::frames::AsJson;
pub(super) use self::frames::TraceDocument;
use self::patient::PatientReader;
use self::text::{AsText, Below, FrameExcerpts};
use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::json::List;
use super::source_args::SourceArgs;
use super::status_line::StatusLine;
use super::symbols::SymbolArgs;
use crate::query::process::{self, Process};
use crate::session::inputs::{Location, is_many, units};
use crate::session::read_file::open_text;
use crate::session::{Session, why_not_read};
use crate::text::safe::visible;
use crate::trace::{Files, FindSymbols, Groups, Proof, Sink, Summary, Tracer, binary_kind, finders, is_apple_report};

/// `pdblens trace [--symbols PATH]… [FILE|-]`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Trace {
    /// The text with stack traces, and the images or symbol files of its frames, in any order; without a text, standard input is read.
    ///
    /// Images and symbols may be files, folders, packages, glob patterns or installed packages. `-` reads the text from standard input too.
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
    #[command(flatten)]
    symbols: SymbolArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// Explain below each frame how it was resolved, or why it was not.
    #[arg(long, conflicts_with = "json")]
    explain: bool,
    /// Show below each frame its source line, or the statement of its point, reconstructed from IL, where the source is not here.
    #[arg(long)]
    excerpt: bool,
    /// Do not escape control characters of the text when writing to a pipe. Colours are never escaped.
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Leave a frame without a line unless its build is proved by an id in the trace, or at least its code by the call of the frame above.
    ///
    /// Exits with 3 if a line was left out for that.
    #[arg(long, value_name = "PROOF")]
    require: Option<Required>,
    /// Print the frames as one JSON document instead of the text.
    #[arg(long)]
    json: bool,
}

/// Least proof of the build of a frame.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Required {
    /// An id in the trace: MVID, or GUID and age of the symbols.
    Id,
    /// An id, the time stamp of the image, or a call of the method in the frame above at the offset, which proves the code and not its lines.
    #[value(alias = "chain")]
    Code,
}

impl From<Required> for Proof {
    fn from(required: Required) -> Self {
        match required {
            Required::Id => Self::Id,
            Required::Code => Self::Code,
        }
    }
}

impl Run for Trace {
    const EXAMPLES: &'static [Example] = &[
        example("Add file and line numbers to a log", "pdblens trace App.dll < log.txt"),
        example("Show the code of each frame below it", "pdblens trace App.dll log.txt --excerpt"),
        example("Find the symbols of each frame in a folder", "pdblens trace log.txt --symbols bin --explain"),
    ];

    fn access(&self) -> Access {
        self.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (text, files) = self.split()?;
        let groups = Groups::of(&files);
        let process = match text.as_deref().and_then(process::named) {
            Some(name) => {
                let process = process::process(name).map_err(|error| Error::NoAnswer(format!("{name}: {error}")))?;
                Some(process.with_symbols(self.symbols.paths()))
            }
            None => None,
        };
        let required = self.require.map_or(Proof::None, Proof::from);
        let mut named = groups.files;
        named.extend(process.iter().flat_map(Process::image_folders));
        let mut tracer = Tracer::new(self.finders(&named)?).requiring(required);
        if !self.explain && !self.json {
            tracer = tracer.without_names();
        }
        for delta in &groups.left {
            let delta = delta.display().to_string();
            eprintln!(
                "note: {} is a hot-reload delta, but none of the files named is its base: left out",
                visible(&delta)
            );
        }
        for pair in &groups.pairs {
            tracer = tracer.with(Arc::new(self.symbols.complete(Session::open(pair)?)?));
        }
        let given_nothing = self.files.is_empty() && self.symbols.named().elements.is_empty();
        let input = match process {
            Some(process) => {
                let threads = process.threads().map_err(|error| Error::NoAnswer(error.to_string()))?;
                Box::new(io::Cursor::new(process.report(&threads, false)))
            }
            None => open(text.as_deref(), &files, given_nothing)?,
        };
        if self.json {
            let summary = RefCell::new(Summary::default());
            let job = RefCell::new(Some((tracer, input)));
            let frames = List::each(|emit| match job.borrow_mut().take() {
                Some((mut tracer, input)) => {
                    tracer.run(input, &mut AsJson { emit, excerpt: self.excerpt, summary: &summary })
                }
                None => Ok(()),
            });
            super::json::write(out, &TraceDocument { frames })?;
            return Ok(exit(&summary.borrow()));
        }
        let excerpts = self.excerpt.then(|| FrameExcerpts::new(self.sources.options()));
        let below = match (self.explain, self.require) {
            (true, _) => Below::Explanation,
            (false, None) => Below::Calls,
            // `--require` asks for proved lines alone.
            (false, Some(_)) => Below::Nothing,
        };
        let mut sink = AsText::new(out, below, excerpts, self.raw);
        tracer.run(input, &mut sink)?;
        let summary = sink.summary;
        out.finish()?;
        match summary.frames {
            0 => eprintln!("note: 0 frames recognised"),
            _ => eprintln!("note: {}", visible(&summary.to_string())),
        }
        Ok(exit(&summary))
    }
}

impl Trace {
    /// Tells the text, which is standard input where there is none, from images, symbol files and folders of them.
    fn split(&self) -> Result<(Option<PathBuf>, Vec<PathBuf>), Error> {
        let (mut text, mut files) = (None, Vec::new());
        for word in &self.files {
            let path = PathBuf::from(word);
            if word == "-" {
                text.get_or_insert(path);
            } else if process::named(&path).is_none() && (path.is_dir() || is_symbols(&path)?) {
                files.push(path);
            } else if let Some(other) = text.replace(path) {
                let (one, two) = (other.display(), word.display());
                return Err(Error::Usage(format!(
                    "{one} and {two} are both texts: give one, and images or symbol files"
                )));
            }
        }
        Ok((text.filter(|path| path.as_os_str() != "-"), files))
    }

    /// Sources of symbols, in order: named files and folders, what is beside those files, stores and servers, the environment's path. If none is named,
    /// the working directory.
    fn finders(&self, files: &[PathBuf]) -> Result<Vec<Box<dyn FindSymbols>>, Error> {
        let paths = self.symbols.paths();
        self.symbols.check_folders()?;
        let named = &paths.named;
        let files = match (files.is_empty(), named.is_empty()) {
            (true, true) => Files::new(&[PathBuf::from(".")]),
            // Files beside the named ones follow them, as on the screens.
            _ => folders_of(files)
                .iter()
                .fold(Files::new(files).and(Files::along(named)), |found, folder| found.and(Files::beside(folder))),
        };
        Ok(finders(&paths, files, &|| {
            let mut shown = StatusLine::new();
            Box::new(move |done, of| shown.fetched(done, of))
        }))
    }
}

/// The text with the lines of its frames, without explanations.
pub(super) fn plain_text(out: &mut Out) -> impl Sink {
    AsText::new(out, Below::Nothing, None, false)
}

fn exit(summary: &Summary) -> Exit {
    if summary.lacks_answer() { Exit::Findings } else { Exit::Done }
}

/// The folders that files are in, each once; folders are named themselves.
fn folders_of(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let folder = |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() };
    files.iter().filter(|path| path.is_file()).filter_map(|path| path.parent().map(folder)).collect()
}

/// Returns whether a word is an image, a symbol file or something that has such: a package, a program, a pattern.
fn is_symbols(path: &Path) -> Result<bool, Error> {
    if is_many(path) {
        // A pattern that no file matches and a container that cannot be read are errors.
        return Ok(units(&[path.to_owned()]).map(|_| true)?);
    }
    let location = Location::of(path);
    let is_entry = matches!(location, Location::Entry { .. });
    Ok(is_entry && location.is_file()
        || !is_entry && location.begins_like_an_image()
        || first_bytes(path)?.is_some_and(|kind| kind.is_symbols))
}

/// Kind of a file that is no text, by its first bytes.
fn first_bytes(path: &Path) -> Result<Option<crate::trace::BinaryKind>, Error> {
    let failed = |error: io::Error| Error::Other(format!("{}: {}", path.display(), why_not_read(&error)));
    let file = open_text(path).map_err(failed)?;
    // A pipe would not give them a second time.
    if !file.metadata().map_err(failed)?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(4096).read_to_end(&mut bytes).map_err(failed)?;
    Ok(binary_kind(&bytes))
}

/// Opens the text, or standard input; what is no text is refused, and so is an empty standard input where only folders are named.
/// `given_nothing` says that no word of the command line tells what is wanted.
fn open(text: Option<&Path>, files: &[PathBuf], given_nothing: bool) -> Result<Box<dyn Read>, Error> {
    let (name, reader): (String, Box<dyn Read + Send>) = match text {
        Some(path) => match open_text(path) {
            Ok(file) => (path.display().to_string(), Box::new(file)),
            Err(error) => return Err(Error::Other(format!("{}: {}", path.display(), why_not_read(&error)))),
        },
        None => {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                eprintln!(
                    "note: reading stack traces from the terminal (end them with Ctrl-D); `pdblens trace FILE` reads a file"
                );
            }
            ("standard input".to_owned(), Box::new(stdin))
        }
    };
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let failed = |error: io::Error| Error::Other(format!("{name}: {}", why_not_read(&error)));
    let first = reader.fill_buf().map_err(failed)?;
    if given_nothing && first.is_empty() {
        let tip = "`pdblens trace log.txt` reads a file, `pdblens trace -` takes an empty input too";
        return Err(Error::Usage(format!(
            "standard input is empty, and no text with stack traces is named · tip: {tip}"
        )));
    }
    let folder = if files.iter().all(|file| file.is_dir()) { files.first() } else { None };
    if let (true, None, Some(folder)) = (first.is_empty(), text, folder) {
        return Err(Error::Usage(format!(
            "{0} is a folder, not a text with stack traces, and standard input is empty · tip: `pdblens trace log.txt {0}`, or `pdblens trace {0} < log.txt`",
            folder.display()
        )));
    }
    if is_apple_report(first) {
        let name = visible(&name);
        eprintln!(
            "note: {name} is a crash report of macOS or iOS (.ips): its frames are addresses in Mach-O images, of which no symbols are read, and it does not name methods of .NET · tip: run with DOTNET_DbgEnableMiniDump=1 and DOTNET_EnableCrashReport=1, and give the *.crashreport.json that .NET writes"
        );
    }
    match binary_kind(first) {
        Some(kind) => Err(Error::Usage(format!("{name} is {}, not a text with stack traces", kind.name))),
        None if text.is_none() => Ok(PatientReader::of(Box::new(reader))),
        None => Ok(Box::new(reader)),
    }
}
