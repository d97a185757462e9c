//! Findings and notes that are known already, a line for each: a pipeline fails for what is new alone.

use std::collections::{BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Checked;
use super::report::{CheckOutcome, Located, fingerprints};
use crate::cli::Error;
use crate::cli::output::say;
use crate::query::check::{Grade, findings};
use crate::session::read_file::read_file;
use crate::store::new_file::{Existing, write};
use crate::text::safe::{count, visible};

const MAX_SIZE: u64 = 64 << 20;

#[derive(Debug)]
pub(super) struct Baseline {
    path: PathBuf,
    /// Fingerprints of the file; `None` where there is no file, which is written then.
    known: Option<HashSet<String>>,
    lines: BTreeSet<String>,
}

impl Baseline {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let known = match read_file(path, MAX_SIZE) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Some(text.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Error::Other(format!("{}: {error}", path.display()))),
        };
        Ok(Self { path: path.to_owned(), known, lines: BTreeSet::new() })
    }

    /// Takes what is known out of a result; without a file, all is.
    pub(super) fn apply(&mut self, checked: &mut Checked) {
        let (CheckOutcome::Pair(pair) | CheckOutcome::Package(pair)) = &mut checked.outcome else { return };
        let mut prints = fingerprints(&checked.path, pair).into_iter();
        let (known, lines) = (&self.known, &mut self.lines);
        pair.remarks.retain(|located| {
            let Some(print) = (located.remark.grade != Grade::Good).then(|| prints.next()).flatten() else {
                return true;
            };
            let Some(known) = known else {
                lines.insert(line(&print, located, &pair.assembly));
                return false;
            };
            !known.contains(&print)
        });
        pair.findings = findings(pair.remarks.iter().map(|located| &located.remark));
    }

    /// Writes the file if there is none.
    pub(super) fn finish(self) -> Result<(), Error> {
        if self.known.is_some() {
            return Ok(());
        }
        let text: String = self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let path = self.path.display().to_string();
        write(&self.path, Existing::Keep, text.as_bytes()).map_err(|error| Error::Other(format!("{path}: {error}")))?;
        let number = count(self.lines.len() as u64, "result");
        say(&format!("note: {} has {number}: the next run reports what is new", visible(&path)));
        Ok(())
    }
}

/// A line of the file: the fingerprint, and what a reader looks for.
fn line(print: &str, located: &Located, assembly: &str) -> String {
    let of = located.method.as_deref().unwrap_or(assembly);
    format!("{print} {} {}", located.remark.rule, visible(of))
}
