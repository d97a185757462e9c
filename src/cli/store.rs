use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::files::without_foreign;
use super::status_line::StatusLine;
use super::symbols::SymbolArgs;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::inputs::{Location, Packages, units};
use crate::session::read_file::MAX_WHOLE;
use crate::session::{Session, standard_input, why_not_read};
use crate::store::http::Http;
use crate::store::{Key, Wanted, keep};

const MAX_LISTED: usize = 1_000_000;

/// `pdblens store add|get|list`
#[derive(Debug, clap::Args)]
pub(super) struct Store {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Copy images and symbol files into a store, under their keys.
    Add {
        /// Files, folders or packages; `-` reads an image from standard input.
        ///
        /// The other half of a pair and the symbols package of a package are added too, if they are beside what is named.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Folder of the store. A new store has one tier; a store with a file index2.txt has two.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Copy the symbols of images from the symbol path into a store.
    Get {
        /// Images, or folders or packages of them.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Search subfolders too. Accepted for compatibility: subfolders are always searched.
        #[arg(long, alias = "recurse-subdirectories")]
        recursive: bool,
        #[command(flatten)]
        symbols: SymbolArgs,
        /// Also contact the servers of _NT_SYMBOL_PATH.
        #[arg(long)]
        online: bool,
        /// Folder of the store. A new store has one tier.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// List the files of a store, with their keys.
    List {
        /// Folder of the store.
        #[arg(value_name = "DIR")]
        store: PathBuf,
        /// Print one JSON document.
        #[arg(long, conflicts_with = "tsv")]
        json: bool,
        /// Print tab-separated values.
        #[arg(long)]
        tsv: bool,
    },
}

impl Run for Store {
    const EXAMPLES: &'static [Example] = &[
        example("Copy a pair into a symbol store", "pdblens store add App.dll App.pdb --to symbols"),
        example(
            "Copy the symbols of all images in a folder from a server",
            "pdblens store get --recursive bin --symbols https://symbols.example.com --to symbols",
        ),
    ];
    const NESTED: &'static [Example] = &[
        example("Copy a pair into a symbol store", "pdblens store add App.dll App.pdb --to symbols"),
        example("Copy everything in a package", "pdblens store add Acme.1.2.0.nupkg --to symbols"),
        example(
            "Copy the symbols of an image from another store",
            "pdblens store get App.dll --symbols symbols --to copy",
        ),
        example(
            "Copy the symbols of all images in a folder from a server",
            "pdblens store get --recursive bin --symbols https://symbols.example.com --to symbols",
        ),
        example("List the files of a store", "pdblens store list symbols"),
    ];

    fn access(&self) -> Access {
        match &self.what {
            What::Add { to, .. } => Access::folder(to),
            What::Get { symbols, online, to, .. } => {
                symbols.access().and(Access::folder(to)).and(Access::environment(*online))
            }
            What::List { .. } => Access::default(),
        }
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        match self.what {
            What::Add { files, to } => add(&files, &to, out),
            What::Get { files, recursive: _, symbols, online, to } => get(&files, &symbols, online, &to, out),
            What::List { store, json, tsv } => list(&store, json, tsv, out),
        }
    }
}

/// Copies each file that has a key, and the other half of its pair and of its package.
fn add(files: &[PathBuf], to: &Path, out: &mut Out) -> Result<Exit, Error> {
    let mut exit = Exit::Done;
    let packages = Packages::among(files)?;
    let others = packages.iter().flat_map(Packages::each).map(|package| package.path.clone());
    let all: Vec<PathBuf> = files.iter().cloned().chain(others).collect();
    let (mut known, mut stored, mut asked) = (HashSet::new(), Vec::new(), Vec::new());
    for unit in without_foreign(units(&all)?, files) {
        let opened = unit.open().ok();
        let image = opened.as_ref().and_then(Session::image);
        let keys = image.map(Wanted::symbols_of).unwrap_or_default().into_iter().filter_map(|wanted| wanted.key);
        asked.extend(keys.map(|key| key.to_string()));
        let session = opened.filter(|_| unit.files().count() == 1);
        let pair = session.iter().flat_map(Session::paths);
        for path in unit.files().chain(pair).filter(|path| known.insert(path.to_path_buf())) {
            let result = added(path, to);
            if result.is_err() {
                exit = Exit::Failed;
            }
            told(out, path, &result)?;
            stored.extend(result);
        }
    }
    for to in &stored {
        // The folder of a file has its id: the images ask for it under the name that they were built with.
        let id = to.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let is_of = |key: &&String| key.split('/').nth(1) == Some(&*id);
        if let Some(key) = asked.iter().find(is_of).filter(|_| !asked.iter().any(|key| to.ends_with(key))) {
            let why = format!("no debugger looks for it there: the image asks for {key}");
            out.parts(&[
                ("· ", Tone::Dim),
                (&to.display().to_string(), Tone::Text),
                ("  ", Tone::Dim),
                (&why, Tone::Warn),
            ])?;
        }
    }
    Ok(exit)
}

fn added(path: &Path, to: &Path) -> Result<PathBuf, String> {
    let is_input = standard_input::is_named(path);
    let bytes = if is_input { standard_input::bytes().map(<[u8]>::to_vec) } else { Location::of(path).read(MAX_WHOLE) };
    let bytes = bytes.map_err(|error| why_not_read(&error))?;
    let file = Session::from_bytes(vec![(path.to_owned(), bytes.clone())]).map_err(|error| error.to_string())?;
    let symbols = file.symbol_file().filter(|symbols| !symbols.embedded);
    if is_input && file.image().is_none_or(|image| image.name == standard_input::NAME) {
        return Err(
            "a store keeps files by their names, and standard input has none · tip: save it to a file".to_owned()
        );
    }
    let wanted = match (file.image(), symbols.and_then(|symbols| Some((symbols, symbols.reader().id()?)))) {
        (Some(image), _) => Wanted::of_image(image),
        (None, Some((symbols, id))) => Some(Wanted::symbols(&symbols.name, id)),
        (None, None) => None,
    };
    let key = wanted.and_then(|wanted| wanted.key).ok_or("it has no key: no id, or an invalid file name")?;
    kept(to, &key, &bytes)
}

fn kept(to: &Path, key: &Key, bytes: &[u8]) -> Result<PathBuf, String> {
    keep(to, key, bytes).map_err(|error| format!("{}: {error}", to.display()))
}

/// Searches for the symbols of each image, and copies what is found.
fn get(files: &[PathBuf], symbols: &SymbolArgs, online: bool, to: &Path, out: &mut Out) -> Result<Exit, Error> {
    let mut exit = Exit::Done;
    let (http, paths) = (Http::default(), symbols.paths());
    for unit in without_foreign(units(files)?, files) {
        let session = match unit.open() {
            Ok(session) => session,
            Err(error) => {
                out.complain(&error.into());
                exit = Exit::Failed;
                continue;
            }
        };
        if session.symbol_file().is_some_and(|symbols| symbols.embedded) {
            let path = unit.path().display().to_string();
            out.parts(&[("· ", Tone::Dim), (&path, Tone::Text), ("  its PDB is inside", Tone::Dim)])?;
            continue;
        }
        for wanted in session.image().map(Wanted::symbols_of).unwrap_or_default() {
            let mut shown = StatusLine::new();
            let of_environment = if online { Some(&http) } else { None };
            let progress = &mut |done, of| shown.fetched(done, of);
            let (found, _) = paths.find(&wanted, [Some(&http), of_environment], progress);
            drop(shown);
            let result = match (&wanted.key, found) {
                (Some(key), Some(found)) => kept(to, key, &found.bytes),
                (_, None) => Err(format!(
                    "{}: not found",
                    wanted.key.as_ref().map_or_else(|| wanted.path.clone(), Key::to_string)
                )),
                (None, _) => Err("its symbols have no key".to_owned()),
            };
            if result.is_err() && exit == Exit::Done {
                exit = Exit::Findings;
            }
            told(out, unit.path(), &result)?;
        }
    }
    Ok(exit)
}

fn told(out: &mut Out, path: &Path, result: &Result<PathBuf, String>) -> Result<(), Error> {
    let path = path.display().to_string();
    match result {
        Ok(to) => out.parts(&[("✓ ", Tone::Ok), (&path, Tone::Text), (&format!("  {}", to.display()), Tone::Dim)]),
        Err(why) => out.parts(&[("✗ ", Tone::Bad), (&path, Tone::Text), (&format!("  {why}"), Tone::Bad)]),
    }
}

/// Files of a store.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "store_list"))]
pub(super) struct ListDocument<'f> {
    files: &'f [StoredFile],
}

/// A file of a store.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "stored_file"))]
struct StoredFile {
    /// Key, `name/id/name`.
    key: String,
    /// Bytes of the file.
    size: u64,
}

/// Lists the files that lie where their keys say.
fn list(store: &Path, json: bool, tsv: bool, out: &mut Out) -> Result<Exit, Error> {
    if !store.is_dir() {
        return Err(Error::Other(format!("no such folder: {}", store.display())));
    }
    let two_tiers = store.join("index2.txt").is_file();
    let tiers = if two_tiers { folders(store) } else { vec![store.to_owned()] };
    let mut files = Vec::new();
    for name in tiers.iter().flat_map(|tier| folders(tier)) {
        for id in folders(&name) {
            let step = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let file = id.join(name.file_name().unwrap_or_default());
            let Ok(found) = fs::metadata(&file) else { continue };
            if found.is_file() && files.len() < MAX_LISTED {
                files.push(StoredFile { key: format!("{0}/{1}/{0}", step(&name), step(&id)), size: found.len() });
            }
        }
    }
    if json {
        super::json::write(out, &ListDocument { files: &files })?;
        return Ok(Exit::Done);
    }
    let rows = files.into_iter().map(|file| Row::plain(vec![Cell::new(file.key), Cell::new(file.size.to_string())]));
    let rows = Rows::of("store", Head::list(["key", "bytes:"]), rows.collect());
    let printed = if tsv { out.tsv(&rows) } else { out.table(&rows) };
    printed.map(|()| Exit::Done)
}

/// The folders in a folder, by name; links are left out.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(MAX_LISTED).filter_map(Result::ok);
    let mut found: Vec<PathBuf> =
        entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect();
    found.sort();
    found
}
