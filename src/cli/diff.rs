use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::command::Run;
use super::json;
use super::output::Out;
use super::symbols::SymbolArgs;
use super::values::{PlaceText, Version, words};
use super::{Error, Exit};
use crate::nodes::rows::Tone;
use crate::query::diff::{Change, ChangeKind, Diff, Subject, diff};
use crate::session::Session;
use crate::text::safe::count;

/// `pdblens diff A B`
#[derive(Debug, clap::Args)]
pub(super) struct DiffCommand {
    /// A file of the first build; its DLL or PDB is found automatically.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// A file of the second build.
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for DiffCommand {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let open = |path: &PathBuf| self.symbols.complete(Session::open(std::slice::from_ref(path))?);
        let found = diff(&open(&self.a)?, &open(&self.b)?);
        if self.json {
            json::write(out, &Document::of(&found))?;
        } else {
            print(out, &found)?;
        }
        Ok(if found.changes.is_empty() { Exit::Done } else { Exit::Findings })
    }
}

fn print(out: &mut Out, found: &Diff) -> Result<(), Error> {
    for subject in Subject::ALL {
        let changes: Vec<&Change> = found.changes.iter().filter(|change| change.subject == subject).collect();
        let same = match subject {
            Subject::Method => found.same_methods,
            Subject::Document => found.same_documents,
            Subject::Option | Subject::Reference => 0,
        };
        if changes.is_empty() && same == 0 {
            continue;
        }
        let how_many = |how: ChangeKind| changes.iter().filter(|change| change.how == how).count();
        let parts = [ChangeKind::Changed, ChangeKind::Moved, ChangeKind::Added, ChangeKind::Removed]
            .map(|how| (how_many(how), how.name()));
        let mut parts: Vec<String> =
            parts.iter().filter(|(many, _)| *many > 0).map(|(many, name)| format!("{many} {name}")).collect();
        if same > 0 {
            parts.push(format!("{same} the same"));
        }
        out.parts(&[
            (&format!("{}s", subject.name()), Tone::Strong),
            ("  ", Tone::Text),
            (&parts.join(", "), Tone::Dim),
        ])?;
        for change in changes {
            let tone = match change.how {
                ChangeKind::Added => Tone::Ok,
                ChangeKind::Removed => Tone::Bad,
                ChangeKind::Changed => Tone::Warn,
                ChangeKind::Moved => Tone::Dim,
            };
            let place = change.after.or(change.before).map_or(String::new(), |place| format!("  {place}"));
            out.parts(&[
                ("  ", Tone::Text),
                (change.how.mark(), tone),
                (" ", Tone::Text),
                (&change.name, Tone::Text),
                (&place, Tone::Dim),
            ])?;
            for detail in &change.details {
                out.parts(&[("      ", Tone::Text), (detail, Tone::Dim)])?;
            }
        }
    }
    for note in &found.notes {
        out.parts(&[("! ", Tone::Warn), (note, Tone::Warn)])?;
    }
    if found.changes.is_empty() {
        out.line(&format!("no difference in {}", count(found.same_methods as u64, "method")))?;
    }
    Ok(())
}

/// Differences between two builds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "diff")]
pub(super) struct Document<'d> {
    schema: Version,
    /// Methods that are the same in both.
    same_methods: usize,
    /// Documents that are the same in both.
    same_documents: usize,
    /// Parts that could not be compared, with the reason.
    notes: &'d [String],
    /// By subject.
    changes: Vec<ChangeJson<'d>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "change")]
struct ChangeJson<'d> {
    subject: SubjectJson,
    how: HowJson,
    name: &'d str,
    /// Differences, one sentence each.
    details: &'d [String],
    /// Place in the first build.
    before: Option<PlaceText>,
    /// Place in the second build.
    after: Option<PlaceText>,
}

words! {
    SubjectJson = "subject", Subject {
        Method,
        Document,
        /// A compiler option.
        Option,
        /// A referenced assembly.
        Reference,
    }
}

words! {
    HowJson = "how", ChangeKind {
        Added,
        Removed,
        Changed,
        /// The same code on other lines.
        Moved,
    }
}

impl<'d> Document<'d> {
    fn of(found: &'d Diff) -> Self {
        Self {
            schema: Version,
            same_methods: found.same_methods,
            same_documents: found.same_documents,
            notes: &found.notes,
            changes: found.changes.iter().map(ChangeJson::of).collect(),
        }
    }
}

impl<'d> ChangeJson<'d> {
    fn of(change: &'d Change) -> Self {
        Self {
            subject: change.subject.into(),
            how: change.how.into(),
            name: &change.name,
            details: &change.details,
            before: change.before.map(Into::into),
            after: change.after.map(Into::into),
        }
    }
}
