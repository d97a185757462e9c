use std::path::{Path, PathBuf};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Example, Run, example};
use super::files::without_foreign;
use super::json;
use super::output::Out;
use super::steps::print_chains;
use super::symbols::{Shown, SymbolArgs};
use super::values::Version;
use super::{Error, Exit};
use crate::learn::chain;
use crate::nodes::rows::Tone;
use crate::session::inputs::units;
use crate::session::{Session, standard_input};
use crate::store::http::Http;
use crate::store::{Found, Key, Looked, Outcome, Search, SymbolPath, Wanted};
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
    /// Do not contact the servers of _NT_SYMBOL_PATH.
    #[arg(long)]
    offline: bool,
    /// Print how the symbol-store key is derived from the bytes of the image's RSDS record, without searching.
    #[arg(long, conflicts_with = "image")]
    steps: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Result of the search for one file.
struct Answer {
    file: PathBuf,
    /// Symbols that need no search: inside the image or beside it.
    here: Option<String>,
    /// Reasons why neither the image nor the folder beside it has symbols.
    reasons: Vec<String>,
    searches: Vec<Done>,
}

/// One search.
struct Done {
    kind: &'static str,
    key: Option<Key>,
    looked: Vec<Looked>,
    found: Option<Found>,
}

impl Run for Find {
    const EXAMPLES: &'static [Example] = &[example(
        "List where the symbols were searched, and what was there",
        "pdblens find App.dll --symbols symbols",
    )];

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let units = without_foreign(units(&self.files)?, &self.files);
        if self.steps {
            for unit in units {
                let session = Session::open(&[unit.path().to_owned()])?;
                let chains = chain::symbol_keys(&session);
                if chains.is_empty() {
                    let what = "no RSDS record names symbols, so there is no key";
                    return Err(Error::Other(format!("{}: {what}", unit.path().display())));
                }
                print_chains(out, &session, &chains, self.json)?;
            }
            return Ok(Exit::Done);
        }
        let answers = units.iter().map(|unit| self.answer(unit.path())).collect::<Result<Vec<_>, _>>()?;
        if self.json {
            let files = answers.iter().map(FileJson::of).collect();
            json::write(&mut *out, &Document { schema: Version, files })?;
        } else {
            answers.iter().try_for_each(|answer| print(out, answer))?;
        }
        let missing = |answer: &Answer| {
            let symbols = |done: &&Done| done.kind != "image" || self.image;
            answer.here.is_none() && answer.searches.iter().filter(symbols).any(|done| done.found.is_none())
        };
        Ok(if answers.iter().any(missing) { Exit::Findings } else { Exit::Done })
    }
}

impl Find {
    fn answer(&self, file: &Path) -> Result<Answer, Error> {
        let session = Session::open(&[file.to_owned()])?;
        let here = session.symbol_file().map(|symbols| {
            if symbols.embedded { "inside the image".to_owned() } else { symbols.path.display().to_string() }
        });
        let reasons = if here.is_none() { session.match_reasons().to_vec() } else { Vec::new() };
        let mut searches = Vec::new();
        let is_image = session.image().is_some_and(|image| image.path == *file);
        if let Some(image) = session.image().filter(|_| is_image) {
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
        Ok(Answer { file: file.to_owned(), here, reasons, searches })
    }

    fn search(&self, kind: &'static str, wanted: &Wanted) -> Done {
        let (http, mut shown) = (Http::default(), Shown::default());
        let environment = SymbolPath::of_environment();
        let (mut looked, mut found) = (Vec::new(), None);
        for (path, http) in [(self.symbols.named(), Some(&http)), (environment, Some(&http).filter(|_| !self.offline))]
        {
            if found.is_none() {
                let mut search = Search::new(&path, http);
                found = search.find(wanted, &mut |done, of| shown.at(done, of));
                looked.append(&mut search.looked);
            }
        }
        Done { kind, key: wanted.key.clone(), looked, found }
    }
}

fn print(out: &mut Out, answer: &Answer) -> Result<(), Error> {
    out.parts(&[(&answer.file.display().to_string(), Tone::Strong)])?;
    if let Some(here) = &answer.here {
        out.parts(&[("  has        ", Tone::Dim), (here, Tone::Ok)])?;
    }
    for reason in &answer.reasons {
        out.prose(&[("  has none   ", Tone::Dim)], &[(reason, Tone::Warn)])?;
    }
    let is_searched = answer.searches.iter().any(|done| !done.looked.is_empty());
    if answer.here.is_none() && !is_searched {
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
                Outcome::Missing | Outcome::NotAsked => Tone::Dim,
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

/// Symbols of each file, and the searches for missing ones.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "find"))]
pub(super) struct Document {
    schema: Version,
    files: Vec<FileJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "found_file"))]
struct FileJson {
    /// Path from the command line.
    file: String,
    /// Symbols that are inside the image or beside it.
    has: Option<String>,
    searches: Vec<SearchJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "search"))]
struct SearchJson {
    /// `symbols` or `image`.
    kind: &'static str,
    /// Key in symbol stores, `name/id/name`.
    key: Option<String>,
    /// Path of the file.
    found: Option<String>,
    /// Origin of the file: a folder, store, cache or server.
    from: Option<String>,
    /// Locations searched, in order.
    looked: Vec<LookedJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "looked"))]
struct LookedJson {
    /// Path or URL.
    location: String,
    outcome: OutcomeJson,
    /// The outcome, in words.
    reason: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, schemars(rename = "search_outcome"))]
enum OutcomeJson {
    Found,
    Missing,
    /// Another file.
    Refused,
    /// It cannot be read.
    Failed,
    /// A server that `--offline` excludes.
    NotAsked,
    /// Stored in this cache.
    Kept,
}

impl FileJson {
    fn of(answer: &Answer) -> Self {
        Self {
            file: answer.file.display().to_string(),
            has: answer.here.clone(),
            searches: answer.searches.iter().map(SearchJson::of).collect(),
        }
    }
}

impl SearchJson {
    fn of(done: &Done) -> Self {
        Self {
            kind: done.kind,
            key: done.key.as_ref().map(Key::to_string),
            found: done.found.as_ref().map(|found| found.path.display().to_string()),
            from: done.found.as_ref().map(|found| found.from.clone()),
            looked: done.looked.iter().map(LookedJson::of).collect(),
        }
    }
}

impl LookedJson {
    fn of(looked: &Looked) -> Self {
        Self {
            location: looked.place.clone(),
            outcome: match looked.outcome {
                Outcome::Found => OutcomeJson::Found,
                Outcome::Missing => OutcomeJson::Missing,
                Outcome::Refused(_) => OutcomeJson::Refused,
                Outcome::Failed(_) => OutcomeJson::Failed,
                Outcome::NotAsked => OutcomeJson::NotAsked,
                Outcome::Kept => OutcomeJson::Kept,
            },
            reason: looked.outcome.to_string(),
        }
    }
}
