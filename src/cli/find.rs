use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::files::without_foreign;
use super::json::Pairs;
use super::output::say;
use super::status_line::StatusLine;
use super::steps::{ChainsPair, print_chains};
use super::symbols::SymbolArgs;
use crate::formats::reason::Reason;
use crate::learn::chain;
use crate::nodes::rows::Tone;
use crate::session::inputs::units;
use crate::session::{Session, standard_input};
use crate::store::http::Http;
use crate::store::{Found, Key, Looked, Outcome, Wanted};
use crate::text::paths::file_name;

/// `pdblens find FILE…`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Find {
    /// Images to find symbols for, and folders or packages of images; `-` reads an image from standard input.
    ///
    /// For a symbol file, its key is printed.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Search for the image too, as on a machine that does not have it.
    #[arg(long)]
    image: bool,
    /// Contact the servers of _NT_SYMBOL_PATH too.
    #[arg(long)]
    online: bool,
    /// Print how the symbol-store key is derived from the bytes of the image's RSDS record, without searching.
    #[arg(long, conflicts_with = "image")]
    steps: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Symbols of a file, and the searches for missing ones.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "searched_pair"))]
pub(super) struct FindPair {
    /// Path from the command line.
    #[serde(serialize_with = "pdblens_formats::serialize::path")]
    #[cfg_attr(test, schemars(with = "String"))]
    path: PathBuf,
    /// Symbols that need no search: inside the image or beside it.
    has: Option<String>,
    /// Reasons why neither the image nor the folder beside it has symbols.
    #[serde(skip)]
    reasons: Vec<Reason>,
    searches: Vec<Done>,
}

/// One search.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "search"))]
struct Done {
    /// `symbols` or `image`.
    kind: &'static str,
    /// Key in symbol stores, `name/id/name`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    key: Option<Key>,
    /// Path of the file and its origin: a folder, store, cache or server.
    found: Option<Found>,
    /// Locations searched, in order.
    looked: Vec<Looked>,
}

impl Run for Find {
    const EXAMPLES: &'static [Example] = &[example(
        "List where the symbols were searched, and what was there",
        "pdblens find App.dll --symbols symbols",
    )];

    fn access(&self) -> Access {
        self.symbols.access().and(Access::environment(self.online))
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (mut pairs, mut worst) = (Pairs::default(), Exit::Done);
        for unit in without_foreign(units(&self.files)?, &self.files) {
            let opened = Session::open(&[unit.path().to_owned()]).map_err(Error::from);
            let result = opened.and_then(|session| self.one(&session, unit.path(), &mut pairs, out));
            worst = worst.max(pairs.exit_of(result, unit.path(), self.json, out)?);
        }
        pairs.end(out)?;
        Ok(worst)
    }
}

impl Find {
    fn one(&self, session: &Session, file: &Path, pairs: &mut Pairs, out: &mut Out) -> Result<Exit, Error> {
        if self.steps {
            let chains = chain::symbol_keys(session);
            if chains.is_empty() {
                say(&format!("note: {}: no RSDS record names symbols, so there is no key", file.display()));
            }
            if self.json {
                pairs.add(out, &ChainsPair::of(session, &chains))?;
            } else {
                print_chains(out, session, &chains, false)?;
            }
            return Ok(if chains.is_empty() { Exit::Findings } else { Exit::Done });
        }
        let answer = self.answer(session, file);
        if self.json {
            pairs.add(out, &answer)?;
        } else {
            print(out, &answer)?;
        }
        let is_asked = |done: &&Done| done.kind != "image" || self.image;
        let is_missing = answer.searches.iter().filter(is_asked).any(|done| done.found.is_none());
        Ok(if answer.has.is_none() && is_missing { Exit::Findings } else { Exit::Done })
    }

    fn answer(&self, session: &Session, file: &Path) -> FindPair {
        let has = session.symbol_file().map(|symbols| {
            if symbols.embedded { "inside the image".to_owned() } else { symbols.path.display().to_string() }
        });
        let reasons = if has.is_none() { session.match_reasons().to_vec() } else { Vec::new() };
        let mut searches = Vec::new();
        let is_image = session.image().is_some_and(|image| image.path == *file);
        if is_image && let Some(image) = session.image() {
            for wanted in Wanted::symbols_of(image) {
                searches.push(self.search("symbols", &wanted));
            }
            if let Some(wanted) = Wanted::of_image(image) {
                let key = wanted.key.clone();
                let not_asked = Done { kind: "image", key, looked: Vec::new(), found: None };
                searches.push(if self.image { self.search("image", &wanted) } else { not_asked });
            }
        } else if let Some((symbols, id)) = session.symbol_file().and_then(|file| Some((file, file.reader().id()?)))
            && symbols.name != standard_input::NAME
        {
            searches.push(self.search("symbols", &Wanted::symbols(&symbols.name, id)));
        }
        FindPair { path: file.to_owned(), has, reasons, searches }
    }

    fn search(&self, kind: &'static str, wanted: &Wanted) -> Done {
        let (http, mut shown) = (Http::default(), StatusLine::new());
        let online = if self.online { Some(&http) } else { None };
        let progress = &mut |done, of| shown.fetched(done, of);
        let (found, looked) = self.symbols.paths().find(wanted, [Some(&http), online], progress);
        Done { kind, key: wanted.key.clone(), looked, found }
    }
}

fn print(out: &mut Out, answer: &FindPair) -> Result<(), Error> {
    out.parts(&[(&answer.path.display().to_string(), Tone::Strong)])?;
    if let Some(has) = &answer.has {
        out.parts(&[("  has        ", Tone::Dim), (has, Tone::Ok)])?;
    }
    for reason in &answer.reasons {
        out.prose(&[("  has none   ", Tone::Dim)], &[(&reason.text, Tone::Warn)])?;
    }
    let is_searched = answer.searches.iter().any(|done| !done.looked.is_empty());
    if answer.has.is_none() && !is_searched {
        let tip = "nowhere else: no symbol path was named · tip: --symbols DIR, or set _NT_SYMBOL_PATH";
        out.parts(&[("  looked     ", Tone::Dim), (tip, Tone::Text)])?;
    }
    for done in &answer.searches {
        let key =
            done.key.as_ref().map_or_else(|| "none: its name is not a valid file name".to_owned(), Key::to_string);
        let label = format!("  {:<11}", if done.kind == "image" { "image key" } else { "key" });
        out.parts(&[(&label, Tone::Dim), (&key, Tone::Text)])?;
        for looked in &done.looked {
            let tone = match looked.outcome {
                Outcome::Found | Outcome::Kept => Tone::Ok,
                Outcome::Missing | Outcome::NotAsked | Outcome::Redirected(_) => Tone::Dim,
                Outcome::Refused(_) | Outcome::Failed(_) => Tone::Bad,
            };
            let outcome = looked.outcome.to_string();
            out.parts(&[
                ("  looked     ", Tone::Dim),
                (&looked.place, Tone::Text),
                ("  ", Tone::Text),
                (&outcome, tone),
            ])?;
        }
        if let Some(found) = &done.found {
            let path = found.path.display().to_string();
            // Its name alone says that it is nowhere on this machine.
            let kept = if file_name(&path) == path { format!("{path} at {}, not kept", found.from) } else { path };
            out.parts(&[("  found      ", Tone::Dim), (&kept, Tone::Ok)])?;
        }
    }
    Ok(())
}
