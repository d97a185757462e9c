//! Embedded sources and other parts of one pair or of several, written to a folder, and the report on them.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::files::say_left_out;
use super::json::{self, FailedPair};
use super::output::{Out, say};
use super::values::Reply;
use super::{Error, Exit, Files};
use crate::nodes::rows::Tone;
use crate::query::extract::{Extracted, Part, extract_into};
use crate::session::Session;
use crate::session::inputs::{Unit, names_in};
use crate::source::Extraction;
use crate::store::new_file::Existing;
use crate::text::safe::count;

/// Extensions that the folder of a pair lacks.
const EXTENSIONS: &[&str] = &[".dll", ".exe", ".pdb", ".pd_", ".mdb", ".wasm", ".winmd", ".netmodule"];

pub(super) struct Request<'r> {
    pub(super) files: &'r Files,
    /// The kinds of parts, each with the subfolder it goes to.
    pub(super) kinds: &'r [(Part, &'r str)],
    pub(super) folder: &'r Path,
    pub(super) existing: Existing,
    pub(super) json: bool,
    /// Sentence about files that have none of these parts.
    pub(super) none: &'r str,
}

#[derive(Default)]
struct ExtractOutcome {
    extraction: Option<Extraction>,
    pairs: Vec<PairJson>,
    /// Error about the folder, which ends everything.
    failed: Option<Error>,
}

impl Request<'_> {
    /// Writes the parts of every pair among the files: of several, each pair has a folder of its own.
    pub(super) fn run(&self, out: &mut Out, look_at: &mut dyn FnMut(&Session)) -> Result<Exit, Error> {
        let mut written = ExtractOutcome::default();
        let opened = match self.files.open_one()? {
            Some(session) => {
                look_at(&session);
                self.write(&mut written, &session, None);
                say_left_out(&session, Exit::Done)
            }
            None => {
                let units = self.files.units()?;
                let folders = folders(&units, &self.files.files);
                self.files.each_opened(&units, out, false, &mut |_, index, opened| {
                    let pair = units.get(index).zip(folders.get(index).map(String::as_str));
                    let session = opened.inspect_err(|error| {
                        let failed = pair.filter(|(unit, _)| !self.files.is_left_out(unit, error));
                        written
                            .pairs
                            .extend(failed.map(|(unit, _)| Reply::Refused(FailedPair::of(unit.path(), error))));
                    })?;
                    look_at(&session);
                    self.write(&mut written, &session, pair);
                    Ok(say_left_out(&session, Exit::Done))
                })?
            }
        };
        if let Some(error) = written.failed.take() {
            return Err(error);
        }
        let reported = self.report(out, &written)?;
        Ok(reported.max(opened))
    }

    /// Writes the parts of one pair, below its own folder if it is one of several.
    fn write(&self, written: &mut ExtractOutcome, session: &Session, pair: Option<(&Unit, &str)>) {
        if written.failed.is_some() {
            return;
        }
        if written.extraction.is_none() {
            match Extraction::to(self.folder, self.existing) {
                Ok(extraction) => written.extraction = Some(extraction),
                Err(error) => written.failed = Some(Error::cannot_write(self.folder, &error)),
            }
        }
        let Some(extraction) = &mut written.extraction else { return };
        let parts = extract_into(extraction, session, self.kinds, pair.map_or("", |(_, folder)| folder));
        let path = pair.map_or_else(|| json::path(session), |(unit, _)| unit.path().display().to_string());
        written.pairs.push(Reply::Answer(ExtractedPair { path, extracted: parts }));
    }

    /// Lists each part with its file or its error; says `none` where there is no part.
    fn report(&self, out: &mut Out, written: &ExtractOutcome) -> Result<Exit, Error> {
        let read = || {
            written.pairs.iter().filter_map(|pair| match pair {
                Reply::Answer(pair) => Some(&pair.extracted),
                Reply::Refused(_) => None,
            })
        };
        let parts = || read().flatten();
        let failed = parts().filter(|part| part.written.is_err()).count();
        let is_empty = parts().next().is_none();
        let exit = match (failed, is_empty) {
            (1.., _) => Exit::Failed,
            (0, true) => Exit::Findings,
            (0, false) => Exit::Done,
        };
        let pairs = read().count();
        if is_empty {
            let of = if pairs > 1 { format!(" (of {pairs} pairs)") } else { String::new() };
            say(&format!("note: {}", self.none.replacen(" · tip", &format!("{of} · tip"), 1)));
        }
        if self.json {
            json::write(&mut *out, &ExtractDocument { pairs: &written.pairs })?;
            return Ok(exit);
        }
        for part in parts() {
            let path = part.path.display().to_string();
            let (mark, why, tone) = match &part.written {
                Ok(bytes) => ("", format!("  {bytes} bytes"), Tone::Dim),
                Err(why) => ("✗ ", format!("  {why}"), Tone::Bad),
            };
            out.parts(&[(mark, Tone::Bad), (&path, Tone::Text), (&why, tone)])?;
        }
        if !is_empty && pairs > 1 {
            let (parts, all) = (parts().count() - failed, count(pairs as u64, "pair"));
            let with_parts = read().filter(|parts| !parts.is_empty()).count();
            let sum = format!("{} written, from {with_parts} of {all}", count(parts as u64, "file"));
            out.parts(&[(&sum, Tone::Dim)])?;
        }
        Ok(exit)
    }
}

/// A folder for each pair, called as the pair in a list of them, without its extension.
fn folders(units: &[Unit], named: &[PathBuf]) -> Vec<String> {
    let names = names_in(named, units);
    names.iter().map(|name| without_extension(&name.replace('!', "/")).to_owned()).collect()
}

fn without_extension(path: &str) -> &str {
    let cut = |end: &&str| path.len().checked_sub(end.len()).and_then(|at| path.split_at_checked(at));
    let found = EXTENSIONS.iter().filter_map(|end| cut(end).filter(|(_, last)| last.eq_ignore_ascii_case(end)));
    found.map(|(stem, _)| stem).find(|stem| !stem.is_empty()).unwrap_or(path)
}

/// Embedded sources, streams and other parts, each with its file or its error.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "extract"))]
pub(super) struct ExtractDocument<'e> {
    pairs: &'e [PairJson],
}

type PairJson = Reply<ExtractedPair, FailedPair>;

/// Parts of a pair.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "extracted_pair"))]
struct ExtractedPair {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    extracted: Vec<Extracted>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_no_extensions_of_pairs() {
        for (path, stem) in [("a/Azure.Core.DLL", "a/Azure.Core"), ("Acme.Tool", "Acme.Tool"), (".dll", ".dll")] {
            assert_eq!(without_extension(path), stem);
        }
    }
}
