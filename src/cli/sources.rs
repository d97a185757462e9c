use std::io;
use std::path::PathBuf;

use super::json::Json;
use super::output::Out;
use super::{Error, Exit, Files, Run};
use crate::nodes::Place;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::source;
use crate::source::{Extracted, HashVerdict, Map, Origin, Outcome, Source};
use crate::source::{SourceOptions, Sources};
use crate::store::http::Http;
use crate::symbols::SymbolReader;
use crate::text::guids;
use crate::text::safe::{count, hex};

/// Where sources are on this machine.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SourceArgs {
    /// A folder with sources in it; those of a document are found under it by the end of the document's path.
    #[arg(long, value_name = "DIR")]
    source_root: Vec<PathBuf>,
    /// Part of a path as the symbols have it, and the folder that it is on this machine.
    #[arg(long, value_name = "OLD=NEW", value_parser = map)]
    map: Vec<Map>,
}

fn map(text: &str) -> Result<Map, String> {
    Map::parse(text).ok_or_else(|| "write OLD=NEW, neither of them empty".to_owned())
}

impl SourceArgs {
    /// The same for the model; nothing is fetched.
    pub fn options(&self) -> SourceOptions {
        SourceOptions { roots: self.source_root.clone(), maps: self.map.clone(), ..SourceOptions::default() }
    }
}

/// `pdblens sources FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct SourcesCommand {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sources: SourceArgs,
    /// Write the sources that are embedded in the symbols into a folder.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,
    /// Fetch what is not on this machine from the URLs that the symbols name.
    #[arg(long)]
    fetch: bool,
    /// Show every place where a source was looked for.
    #[arg(long, conflicts_with = "json")]
    tried: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for SourcesCommand {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let session = self.files.open()?;
        if let Some(folder) = &self.extract {
            let done = source::extract(&session, folder)
                .map_err(|error| Error::Other(format!("{}: {error}", folder.display())))?;
            return self.report(out, &done);
        }
        let options = SourceOptions { http: self.fetch.then(Http::default), ..self.sources.options() };
        let sources = session.sources(&options);
        let documents = session.symbols().map_or(0, SymbolReader::documents);
        if self.json {
            sources_json(&mut Json::new(out), &sources, documents)?;
        } else {
            out.table(&source_rows(&session, &sources, documents, self.tried))?;
            if let Some(error) = &sources.link_error {
                out.parts(&[("✗ ", Tone::Bad), (error, Tone::Bad)])?;
            }
        }
        Ok(Exit::Done)
    }
}

impl SourcesCommand {
    /// What became of each embedded source.
    fn report(&self, out: &mut Out, done: &[Extracted]) -> Result<Exit, Error> {
        let failed = done.iter().filter(|one| one.written.is_err()).count();
        if self.json {
            Json::new(&mut *out).object(|json| {
                json.number("schema", crate::nodes::SCHEMA)?;
                json.key("extracted")?.list(|json| done.iter().try_for_each(|one| extracted_json(json, one)))
            })?;
        } else {
            for one in done {
                let path = one.path.display().to_string();
                let (mark, why, tone) = match &one.written {
                    Ok(bytes) => ("", format!("  {bytes} bytes"), Tone::Dim),
                    Err(why) => ("✗ ", format!("  {why}"), Tone::Bad),
                };
                out.parts(&[(mark, Tone::Bad), (&path, Tone::Text), (&why, tone)])?;
            }
            if done.is_empty() {
                out.line("no source is embedded in these symbols")?;
            }
        }
        Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

fn extracted_json<W: io::Write>(json: &mut Json<W>, one: &Extracted) -> io::Result<()> {
    json.object(|json| {
        json.shown("place", Place::Document(one.document))?;
        json.text("name", &one.name)?;
        json.shown("path", one.path.display())?;
        match &one.written {
            Ok(bytes) => json.number("bytes", bytes),
            Err(why) => json.text("error", why),
        }
    })
}

/// A line a document, and under it where it was looked for.
fn source_rows<'s>(session: &'s Session, sources: &Sources<'_>, documents: u32, tried: bool) -> Rows<'s> {
    let columns = ["document", "language", "hash", "text", "from"].map(Head::text).to_vec();
    let mut rows = Vec::new();
    for row in 1..=documents {
        let place = Place::Document(row);
        let source = match sources.get(row) {
            Ok(source) => source,
            Err(error) => {
                rows.push(Row::at(place, vec![Cell::toned(format!("({error})"), Tone::Bad)]));
                continue;
            }
        };
        let document = &source.document;
        let name = |guid: Option<crate::bytes::Guid>| {
            guid.map_or(String::new(), |guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned))
        };
        let hash: String = hex(&document.hash).chars().take(12).collect();
        rows.push(Row::at(
            place,
            vec![
                Cell::new(document.name.clone()).to(place),
                Cell::new(name(document.language)),
                Cell::new(name(document.hash_algorithm)).beside(hash),
                verdict_cell(&source),
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

fn verdict_cell(source: &Source) -> Cell {
    let tone = match source.verdict {
        HashVerdict::Verified(_) => Tone::Ok,
        HashVerdict::Differs => Tone::Bad,
        HashVerdict::CannotTell(_) => Tone::Warn,
    };
    Cell::toned(source.verdict.to_string(), tone)
}

/// Where the text is from; where it could be had, if there is none.
fn from_cell(sources: &Sources<'_>, source: &Source) -> Cell {
    match &source.from {
        Origin::Nowhere => match source.tried.iter().find(|one| one.outcome == Outcome::NotAsked) {
            Some(one) => Cell::toned(one.origin.to_string(), Tone::Dim).beside("with --fetch"),
            None => match sources.retrieval(&source.document.name) {
                Some(found) => {
                    Cell::toned(found.target, Tone::Dim).beside(format!("source server, by {}", found.method.name()))
                }
                None => Cell::default(),
            },
        },
        origin => Cell::new(origin.to_string()),
    }
}

const fn outcome_tone(outcome: &Outcome) -> Tone {
    match outcome {
        Outcome::Found(HashVerdict::Verified(_)) => Tone::Ok,
        Outcome::Found(HashVerdict::Differs) | Outcome::Refused(_) | Outcome::Failed(_) => Tone::Bad,
        Outcome::Found(HashVerdict::CannotTell(_)) => Tone::Warn,
        Outcome::Missing | Outcome::NotAsked => Tone::Dim,
    }
}

fn sources_json<W: io::Write>(json: &mut Json<W>, sources: &Sources<'_>, documents: u32) -> io::Result<()> {
    json.object(|json| {
        json.number("schema", crate::nodes::SCHEMA)?;
        json.key("source link error")?.maybe(sources.link_error.as_deref())?;
        json.key("documents")?.list(|json| {
            for row in 1..=documents {
                json.object(|json| {
                    json.shown("place", Place::Document(row))?;
                    match sources.get(row) {
                        Ok(source) => source_json(json, sources, &source),
                        Err(error) => json.shown("error", error),
                    }
                })?;
            }
            Ok(())
        })
    })
}

fn source_json<W: io::Write>(json: &mut Json<W>, sources: &Sources<'_>, source: &Source) -> io::Result<()> {
    let document = &source.document;
    let guid = |guid: Option<crate::bytes::Guid>| guid.map(|guid| guid.to_string());
    json.text("name", &document.name)?;
    json.key("language")?.maybe(document.language.and_then(guids::name))?;
    json.key("hash algorithm")?.maybe(guid(document.hash_algorithm).as_deref())?;
    json.text("hash", &hex(&document.hash))?;
    json.text("text", source.verdict.name())?;
    json.shown("verdict", source.verdict)?;
    json.text("from", source.from.name())?;
    json.shown("where", &source.from)?;
    json.key("lines")?.value(source.text.as_ref().map_or(0, source::SourceText::lines))?;
    json.key("encoding")?.maybe(source.text.as_ref().map(|text| text.encoding.name()))?;
    json.key("source link")?.maybe(sources.url(&document.name).as_deref())?;
    json.key("source server")?.maybe(sources.retrieval(&document.name).map(|found| found.target).as_deref())?;
    json.key("tried")?.list(|json| {
        source.tried.iter().try_for_each(|one| {
            json.object(|json| {
                json.text("origin", one.origin.name())?;
                json.shown("where", &one.origin)?;
                json.shown("outcome", &one.outcome)
            })
        })
    })
}
