use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::json;
use super::steps::print_chains;
use crate::formats::bytes::{Region, SpaceId};
use crate::formats::reason::Reason;
use crate::formats::srcsrv::SrcSrv;
use crate::learn::chain;
use crate::nodes::document;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::read_file::read_file;
use crate::session::{Session, why_not_read};
use crate::source::srcsrv::{Evaluator, Retrieval};
use crate::source::srcsrv_embed::{embed, files_of};
use crate::source::srcsrv_write::{Mapping, SrcSrvText, path_below, write, write_template};
use crate::source::{Extraction, HashVerdict, Origin, SourceOptions, Sources};
use crate::store::new_file::Existing;

/// The largest text that is written to a PDB.
const MAX_TEXT: u64 = 64 << 20;

/// `pdblens srcsrv FILE`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct SrcSrvCommand {
    /// A Windows PDB, or the image beside it.
    file: PathBuf,
    /// Write the text of this file to a copy of the PDB as its srcsrv stream.
    #[arg(long, value_name = "TEXT", requires = "output", conflicts_with = "map")]
    write: Option<PathBuf>,
    /// Generate a srcsrv stream from the PDB's documents: replace OLD at the start of each path with NEW, a URL, a folder, or a folder of
    /// another machine (`C:\src=\\server\share`). Repeatable.
    #[arg(long, value_name = "OLD=NEW")]
    map: Vec<String>,
    /// Write SRCSRVTRG as TEMPLATE instead of one path a file: the first name in it that srcsrv does not define, such as UNCROOT in
    /// `%UNCROOT%\%var2%`, gets NEW, and each file the rest of its path.
    #[arg(long, value_name = "TEMPLATE", requires = "map")]
    template: Option<String>,
    /// Add a value to each line of the template, `%var3%`, `%var4%` and so on in their order: a project, a version. Repeatable.
    #[arg(long, value_name = "VALUE", requires = "template")]
    value: Vec<String>,
    /// Copy the sources to a folder, in the layout that the stream of `--map` points to: serve it as NEW. A text whose hash differs is not
    /// copied.
    #[arg(long, value_name = "DIR", requires = "map")]
    copy_sources: Option<PathBuf>,
    /// Search a folder for the sources, matching the end of each document's path.
    #[arg(long, value_name = "DIR", requires = "copy_sources")]
    source_root: Vec<PathBuf>,
    /// Print the text of the stream.
    #[arg(long, conflicts_with_all = ["write", "map", "steps", "json"])]
    text: bool,
    /// Write the copy to a file; without it, `--map` prints the text of the stream.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file and copied sources if they exist; the PDB itself is never replaced.
    #[arg(long)]
    force: bool,
    /// Print the evaluation for each document, one `%name%` per step.
    #[arg(long, conflicts_with_all = ["write", "map"])]
    steps: bool,
    /// Print one JSON document.
    #[arg(long, conflicts_with_all = ["write", "map"])]
    json: bool,
}

impl Run for SrcSrvCommand {
    const EXAMPLES: &'static [Example] =
        &[example("Show where a debugger gets each source file", "pdblens srcsrv Native.pdb")];

    fn access(&self) -> Access {
        let copies = self.copy_sources.as_deref().map_or_else(Access::default, Access::folder);
        Access::output(self.output.as_deref()).and(copies)
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let session = Session::open(std::slice::from_ref(&self.file))?;
        if let Some(text) = &self.write {
            let text = read_file(text, MAX_TEXT)
                .map_err(|error| Error::Other(format!("{}: {}", text.display(), why_not_read(&error))))?;
            return self.copy(&session, &text);
        }
        if self.text {
            let stream = session.symbols().and_then(|symbols| symbols.source_servers().srcsrv).ok_or_else(no_stream)?;
            stream.whole_text().lines().try_for_each(|line| out.line(line))?;
            return Ok(Exit::Done);
        }
        if self.steps {
            let documents = session.symbols().map_or(0, crate::symbols::SymbolReader::documents);
            let chains: Vec<_> = (1..=documents).filter_map(|row| chain::srcsrv(&session, row)).collect();
            if chains.is_empty() {
                return Err(no_stream());
            }
            print_chains(out, &session, &chains, self.json)?;
            return Ok(Exit::Done);
        }
        if self.map.is_empty() {
            return list(&session, self.json, out);
        }
        let SrcSrvText { text, files } = self.generated(&documents(&session))?;
        for (path, found) in documents(&session).iter().zip(&files) {
            if let Err(why) = found {
                eprintln!("error: {}: {why}", crate::text::safe::visible(path));
            }
        }
        let copied = match &self.copy_sources {
            Some(folder) => self.copy_sources(&session, folder)?,
            None => Exit::Done,
        };
        match &self.output {
            Some(_) => Ok(copied.max(self.copy(&session, text.as_bytes())?)),
            None => {
                out.write_all(text.as_bytes())?;
                Ok(copied)
            }
        }
    }
}

impl SrcSrvCommand {
    /// The stream of `--map` and `--template`.
    fn generated(&self, documents: &[String]) -> Result<SrcSrvText, Error> {
        let mappings = self.mappings()?;
        let Some(template) = &self.template else { return Ok(write(documents, &mappings)) };
        let [mapping] = mappings.as_slice() else {
            return Err(Error::Usage(
                "--template takes one --map: its NEW is the value of the template's variable".to_owned(),
            ));
        };
        if !template.contains("%var2%") {
            return Err(Error::Usage(format!("`{template}` has no %var2%: every file would have the same target")));
        }
        if let Some(value) = self.value.iter().find(|value| value.contains(['*', '\r', '\n'])) {
            return Err(Error::Usage(format!("{value:?} has a * or a line end, which the format cannot express")));
        }
        Ok(write_template(documents, mapping, template, &self.value))
    }

    fn copy(&self, session: &Session, text: &[u8]) -> Result<Exit, Error> {
        warn_about_documents(&documents(session), text);
        let (Some(file), Some(to)) = (session.symbol_file(), &self.output) else {
            return Err(Error::NoAnswer("there is no Windows PDB to copy".to_owned()));
        };
        let inputs: Vec<&Path> =
            [&file.path, &self.file].into_iter().chain(&self.write).map(PathBuf::as_path).collect();
        embed(&file.path, text, to, Existing::of_force(self.force), &inputs)
            .map_err(|error| Error::Other(format!("{}: {error}", to.display())))?;
        Ok(Exit::Done)
    }

    /// Copies the text of each document below `folder`, where the stream looks for it; says on standard error what became of each.
    fn copy_sources(&self, session: &Session, folder: &Path) -> Result<Exit, Error> {
        let mappings = self.mappings()?;
        let options = SourceOptions { roots: self.source_root.clone(), ..SourceOptions::default() };
        let sources = Sources::of(session, &options);
        let mut extraction = Extraction::to(folder, Existing::of_force(self.force))
            .map_err(|error| Error::cannot_write(folder, &error))?;
        let mut exit = Exit::Done;
        for (row, path) in (1..).zip(documents(session)) {
            let Some(below) = path_below(&path, &mappings) else { continue };
            let said = match sources.get(row) {
                Err(error) => Err(error.to_string()),
                Ok(source) => match (source.text, source.verdict) {
                    (None, _) => Err("no text was found: --source-root DIR searches a folder".to_owned()),
                    (_, HashVerdict::Differs) => Err("the text found is another one: its hash differs".to_owned()),
                    (Some(text), _) => {
                        let bytes = match &source.from {
                            Origin::File(file) => read_file(file, MAX_TEXT).map_err(|error| why_not_read(&error)),
                            _ => Ok(text.text().as_bytes().to_vec()),
                        };
                        let bytes = bytes.map(Into::into).map_err(|why| Reason::new("not-read", why));
                        extraction.write("", &below, bytes).1.map_err(|why| why.text)
                    }
                },
            };
            if let Err(why) = said {
                eprintln!("error: {}: not copied: {why}", crate::text::safe::visible(&path));
                exit = Exit::Findings;
            }
        }
        Ok(exit)
    }

    /// The mappings, with the files of the folders that they lead to.
    fn mappings(&self) -> Result<Vec<Mapping>, Error> {
        self.map
            .iter()
            .map(|text| {
                let mapping = Mapping::parse(text).ok_or_else(|| Error::Usage(format!("{text:?} is not OLD=NEW")))?;
                if mapping.is_url() || mapping.is_unc() || self.template.is_some() {
                    return Ok(mapping);
                }
                let files = files_of(Path::new(&mapping.new))
                    .map_err(|error| Error::Other(format!("{}: {error}", mapping.new)))?;
                Ok(Mapping { files: Some(files), ..mapping })
            })
            .collect()
    }
}

fn documents(session: &Session) -> Vec<String> {
    let rows = session.symbols().map_or(0, crate::symbols::SymbolReader::documents);
    (1..=rows).filter_map(|row| document::name(session, row)).collect()
}

/// Warns about a stream that has no line for any document, or a value that its lines and variables do not give: a debugger gets nothing.
fn warn_about_documents(documents: &[String], text: &[u8]) {
    let stream = SrcSrv::parse(Region::whole(SpaceId(0), text.to_vec()));
    let evaluator = Evaluator::new(&stream);
    let found: Vec<_> = documents.iter().filter_map(|path| evaluator.find(path)).collect();
    for found in &found {
        let path = crate::text::safe::visible(&found.path).into_owned();
        found.problems.iter().for_each(|problem| eprintln!("warning: {path}: {problem}"));
    }
    if !found.is_empty() {
        return;
    }
    let first = documents.first().map_or_else(|| "it has none".to_owned(), |path| format!("the first is {path}"));
    eprintln!("warning: no document of the PDB has a line in the stream ({})", crate::text::safe::visible(&first));
}

fn no_stream() -> Error {
    Error::NoAnswer("the symbols have no srcsrv stream (`--map` writes one)".to_owned())
}

/// Lists each document with its retrieval by a debugger. A command is shown, and never run.
fn list(session: &Session, json: bool, out: &mut Out) -> Result<Exit, Error> {
    let Some(srcsrv) = session.symbols().and_then(|symbols| symbols.source_servers().srcsrv) else {
        return Err(no_stream());
    };
    let evaluator = Evaluator::new(srcsrv);
    let found: Vec<_> = documents(session).into_iter().map(|path| (evaluator.find(&path), path)).collect();
    if json {
        let one = found.iter().map(|(found, document)| RetrievedDocument { document, found: found.as_ref() });
        let documents = one.collect();
        let problems = srcsrv.problems.iter().map(|error| session.spaces().reason(error)).collect();
        json::write(out, &SrcsrvDocument { documents, problems })?;
        return Ok(Exit::Done);
    }
    let rows = found.iter().map(|(retrieval, path)| match retrieval {
        None => Row::plain(vec![Cell::new(path.clone()), Cell::toned("not indexed", Tone::Warn)]),
        Some(found) => Row::plain(vec![
            Cell::new(path.clone()),
            Cell::new(found.method.name()),
            Cell::new(found.target.clone()),
            Cell::toned(found.command.clone(), Tone::Dim),
        ]),
    });
    let columns = Head::list(["document", "by", "target", "command, never run"]);
    out.table(&Rows::of("srcsrv", columns, rows.collect()))?;
    let problems = found.iter().flat_map(|(retrieval, path)| {
        retrieval.iter().flat_map(move |found| found.problems.iter().map(move |problem| format!("{path}: {problem}")))
    });
    let stream = srcsrv.problems.iter().map(ToString::to_string);
    let mut exit = Exit::Done;
    for problem in stream.chain(problems) {
        out.parts(&[("✗ ", Tone::Bad), (&problem, Tone::Bad)])?;
        exit = Exit::Findings;
    }
    Ok(exit)
}

/// Retrieval of each document by the `srcsrv` stream.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "srcsrv"))]
pub(super) struct SrcsrvDocument<'s> {
    documents: Vec<RetrievedDocument<'s>>,
    /// Problems of the stream.
    problems: Vec<Reason>,
}

/// A document and its retrieval by a debugger; only `document` is there if the stream does not index it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "retrieved_document"))]
struct RetrievedDocument<'s> {
    /// Path of the document, as the symbols have it.
    document: &'s str,
    #[serde(flatten)]
    found: Option<&'s Retrieval>,
}
