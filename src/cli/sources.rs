use std::path::PathBuf;

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::extracted::Request;
use super::json::{self, List};
use super::list::add_list;
use super::output::say;
use super::source_args::SourceArgs;
use super::steps::{ChainsPair, mappings, print_chains};
use super::values::{Broken, BytesText, Reply};
use crate::bytes::Guid;
use crate::formats::reason::Reason;
use crate::nodes::Place;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::extract::Part;
use crate::query::search::find_lines;
use crate::session::Session;
use crate::source::{HashVerdict, Origin, Outcome, Source, SourceOptions, Sources, Tried, limits};
use crate::store::{http::Http, new_file::Existing};
use crate::symbols::{ModuleHash, SymbolReader};
use crate::text::guids;
use crate::text::paths::without_passwords;
use crate::text::safe::{count, visible};

/// `pdblens sources FILE…`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct SourcesCommand {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sources: SourceArgs,
    /// Write the embedded sources to a folder.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,
    /// Replace files in the folder whose contents differ.
    #[arg(long, requires = "extract")]
    force: bool,
    /// Download missing sources from the URLs in the symbols.
    #[arg(long)]
    fetch: bool,
    /// Print how Source Link or the srcsrv stream maps each document, step by step.
    #[arg(long, conflicts_with_all = ["extract", "tried"])]
    steps: bool,
    /// List the lines that have a text, whatever the case: in the sources that are embedded, on this machine, or fetched.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new(), conflicts_with_all = ["extract", "steps", "tried"])]
    search: Option<String>,
    /// Show every location that was tried; --json always has them.
    #[arg(long)]
    tried: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for SourcesCommand {
    const EXAMPLES: &'static [Example] = &[
        example("Show which sources are found and match", "pdblens sources App.dll"),
        example("Write the embedded sources to a folder", "pdblens sources Embedded.dll --extract src"),
        example("Find a text in all sources at hand", "pdblens sources App.dll --search Console.WriteLine"),
    ];

    fn access(&self) -> Access {
        let folder = self.extract.as_deref().map_or_else(Access::default, Access::folder);
        self.files.symbols.access().and(folder).and(Access::network(self.fetch))
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if let Some(folder) = &self.extract {
            let request = Request {
                files: &self.files,
                kinds: &[(Part::Sources, "")],
                folder,
                existing: Existing::of_force(self.force),
                json: self.json,
                none: "no source is embedded in these symbols",
            };
            return request.run(out, &mut super::evidence::say_mismatch);
        }
        if self.json && self.steps {
            return self.files.each_json(out, &mut |out, pairs, session| {
                super::evidence::say_mismatch(session);
                pairs.add(out, &ChainsPair::of(session, &mappings(session)?))?;
                Ok(Exit::Done)
            });
        }
        if let Some(text) = &self.search {
            return self.search(text, out);
        }
        if self.json {
            return self.files.each_json(out, &mut |out, pairs, session| {
                super::evidence::say_mismatch(session);
                pairs.add(out, &SourcesPair::of(session, &Sources::of(session, &self.options())))?;
                Ok(said_empty(session))
            });
        }
        self.files.each(out, true, &mut |out, session| self.print(session, out))
    }
}

impl SourcesCommand {
    fn print(&self, session: &Session, out: &mut Out) -> Result<Exit, Error> {
        super::evidence::say_mismatch(session);
        if self.steps {
            print_chains(out, session, &mappings(session)?, false)?;
            return Ok(Exit::Done);
        }
        let options = self.options();
        let sources = Sources::of(session, &options);
        let documents = session.symbols().map_or(0, SymbolReader::documents);
        if documents > 0 {
            out.table(&source_rows(session, &sources, documents, self.tried))?;
        }
        sources.link_error.iter().try_for_each(|error| out.parts(&[("✗ ", Tone::Bad), (&error.text, Tone::Bad)]))?;
        Ok(said_empty(session))
    }

    fn search(&self, text: &str, out: &mut Out) -> Result<Exit, Error> {
        let options = self.options();
        let find = |session: &Session| {
            super::evidence::say_mismatch(session);
            find_lines(session, &options, text, false, &|_, _| true).rows()
        };
        let exit = |rows: &Rows<'_>| if rows.len > 0 { Exit::Done } else { Exit::Findings };
        if self.json {
            return self.files.each_json(out, &mut |out, pairs, session| {
                let rows = find(session);
                add_list(out, pairs, session, Place::Documents, &rows)?;
                Ok(exit(&rows))
            });
        }
        self.files.each(out, true, &mut |out, session| {
            let rows = find(session);
            if rows.len > 0 {
                out.table(&rows)?;
            }
            say(&format!("note: {}", rows.title));
            Ok(exit(&rows))
        })
    }

    fn options(&self) -> SourceOptions {
        SourceOptions { http: self.fetch.then(|| Http::new(limits())), ..self.sources.options() }
    }
}

/// Says on standard error that there are no documents, which is no answer.
fn said_empty(session: &Session) -> Exit {
    let documents = session.symbols().map(SymbolReader::documents);
    let what = match documents {
        Some(1..) => return Exit::Done,
        Some(0) => "no documents",
        None => "no symbols",
    };
    say(&format!("note: {} has {what}", visible(&json::path(session))));
    Exit::Findings
}

/// Prints a line per document, and below it the locations tried.
fn source_rows<'s>(session: &'s Session, sources: &Sources<'_>, documents: u32, tried: bool) -> Rows<'s> {
    let columns = Head::list(["document", "language", "hash", "text", "from"]);
    let mut rows = Vec::new();
    for row in 1..=documents {
        let place = Place::Document(row);
        let source = match sources.get(row) {
            Ok(source) => source,
            Err(error) => {
                rows.push(Row::at(place, vec![Cell::broken(session.spaces(), &error)]));
                continue;
            }
        };
        let document = &source.document;
        let name = |guid: Option<Guid>| {
            guid.map_or(String::new(), |guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned))
        };
        let hash = source.hash_text();
        rows.push(Row::at(
            place,
            vec![
                Cell::new(document.name.clone()).to(place),
                Cell::new(name(document.language)),
                Cell::new(name(document.hash_algorithm)).beside(hash),
                Cell::toned(source.verdict.to_string(), verdict_tone(source.verdict)),
                from_cell(sources, &source),
            ],
        ));
        if tried {
            rows.extend(source.tried.iter().map(|one| {
                let mut cells = vec![Cell::default(); 5];
                cells[0] = Cell::toned(one.origin.to_string(), Tone::Dim);
                cells[3] = Cell::toned(one.outcome.to_string(), outcome_tone(&one.outcome));
                Row { depth: 1, ..Row::plain(cells) }
            }));
        }
    }
    let title = format!("{} · {}", session.symbol_file().map_or("", |file| &file.name), count(documents, "document"));
    Rows::of(title, columns, rows)
}

const fn verdict_tone(verdict: HashVerdict) -> Tone {
    match verdict {
        HashVerdict::Verified(_) => Tone::Ok,
        HashVerdict::Differs => Tone::Bad,
        HashVerdict::CannotTell(_) => Tone::Warn,
    }
}

const fn outcome_tone(outcome: &Outcome) -> Tone {
    match outcome {
        Outcome::Found(verdict) => verdict_tone(*verdict),
        Outcome::Withheld(_) => Tone::Warn,
        Outcome::Refused(_) | Outcome::Failed(_) => Tone::Bad,
        Outcome::Missing | Outcome::NotAsked => Tone::Dim,
    }
}

/// Origin of the text; if there is no text, the location it could be downloaded from.
fn from_cell(sources: &Sources<'_>, source: &Source) -> Cell {
    match &source.from {
        Origin::Nowhere => match source.tried.iter().find(|one| one.outcome == Outcome::NotAsked) {
            Some(one) => Cell::toned(one.origin.to_string(), Tone::Dim).beside("with --fetch"),
            None => match sources.retrieval(&source.document.name) {
                Some(found) => Cell::toned(without_passwords(&found.target), Tone::Dim)
                    .beside(format!("source server, by {}", found.method.name())),
                None => Cell::default(),
            },
        },
        origin if source.text.is_none() => {
            Cell::toned(origin.to_string(), Tone::Dim).beside("not shown: --source-root FOLDER")
        }
        origin => Cell::new(origin.to_string()),
    }
}

/// Documents, with the origin of their text and its verdict.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "sources_pair"))]
pub(super) struct SourcesPair<'s> {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    /// Error in the Source Link map.
    source_link_error: Option<Reason>,
    documents: List<'s, DocumentJson>,
}

/// A document, or the error that prevents reading it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "source_of_document"))]
struct DocumentJson {
    place: Place,
    #[serde(flatten)]
    found: Reply<Box<SourceJson>, Broken>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "source"))]
struct SourceJson {
    /// Path, as the symbols have it.
    name: String,
    /// Name of the language, where it is known.
    language: Option<&'static str>,
    language_id: Option<Guid>,
    hash_algorithm: Option<Guid>,
    hash: BytesText,
    /// Hashes by module, where those of a native PDB have different ones: any of them verifies the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    module_hashes: Vec<ModuleHash>,
    #[serde(flatten)]
    verdict: HashVerdict,
    /// Origin of the text, and its path or URL.
    #[serde(flatten)]
    from: Origin,
    /// Lines of the text; 0 where there is none.
    lines: u32,
    encoding: Option<&'static str>,
    /// URL that Source Link maps the document to.
    source_link: Option<String>,
    /// Location of the document by the `srcsrv` stream.
    source_server: Option<String>,
    /// Locations tried, in order.
    tried: Vec<Tried>,
}

impl<'s> SourcesPair<'s> {
    fn of(session: &Session, sources: &'s Sources<'_>) -> Self {
        let documents = session.symbols().map_or(0, SymbolReader::documents);
        Self {
            path: json::path(session),
            source_link_error: sources.link_error.clone(),
            documents: List::of(move || {
                (1..=documents).map(|row| DocumentJson {
                    place: Place::Document(row),
                    found: match sources.get(row) {
                        Ok(source) => Reply::Answer(Box::new(SourceJson::of(sources, &source))),
                        Err(error) => Reply::Refused(Broken { error: sources.spaces().reason(&error) }),
                    },
                })
            }),
        }
    }
}

impl SourceJson {
    fn of(sources: &Sources<'_>, source: &Source) -> Self {
        let document = &source.document;
        Self {
            name: document.name.clone(),
            language: document.language.and_then(guids::name),
            language_id: document.language,
            hash_algorithm: document.hash_algorithm,
            hash: BytesText::of(&document.hash),
            module_hashes: source.hashes.clone(),
            verdict: source.verdict,
            from: source.from.clone(),
            lines: source.text.as_ref().map_or(0, crate::source::SourceText::lines),
            encoding: source.text.as_ref().map(|text| text.encoding.name()),
            source_link: sources.url(&document.name).map(|url| without_passwords(&url)),
            source_server: sources.retrieval(&document.name).map(|found| without_passwords(&found.target)),
            tried: source.tried.clone(),
        }
    }
}
