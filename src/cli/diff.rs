use std::path::PathBuf;

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::json;
use super::output::say;
use super::symbols::SymbolArgs;
use crate::nodes::rows::Tone;
use crate::query::diff::{ByteDiff, ByteRun, Change, ChangeKind, Diff, Subject, bytes, diff};
use crate::session::Session;
use crate::text::safe::{count, visible};

/// `pdblens diff A B`
#[derive(Debug, clap::Args)]
pub(super) struct DiffCommand {
    /// A file of the first build; the matching DLL or PDB is found automatically. Either A or B may be `-` for standard input.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// A file of the second build.
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// List every run of bytes that differs, with its owner.
    #[arg(long)]
    bytes: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for DiffCommand {
    const EXAMPLES: &'static [Example] = &[
        example("List which methods changed between two builds", "pdblens diff old/App.dll App.dll"),
        example("Name the owner of each byte that differs", "pdblens diff --bytes old/App.dll App.dll"),
    ];

    fn access(&self) -> Access {
        self.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let open = |path: &PathBuf| self.symbols.complete(Session::open(std::slice::from_ref(path))?);
        let (a, b) = (open(&self.a)?, open(&self.b)?);
        if a.paths() == b.paths() {
            let names: Vec<String> = a.paths().iter().map(|path| path.display().to_string()).collect();
            say(&format!("note: both sides are the same files: {}", visible(&names.join(" and "))));
        }
        if self.bytes {
            let found = bytes(&a, &b, true);
            if self.json {
                json::write(out, &BytesDocument { identical: found.is_identical(), found: &found })?;
            } else {
                print_bytes(out, &found)?;
            }
            return Ok(if found.is_identical() { Exit::Done } else { Exit::Findings });
        }
        let found = diff(&a, &b);
        let differing = if found.changes.is_empty() { Some(differing(&found, &a, &b)) } else { None };
        if self.json {
            json::write(out, &DiffDocument { differing_bytes: differing, found: &found })?;
        } else {
            print(out, &found, differing)?;
        }
        Ok(if found.changes.is_empty() && found.is_identical { Exit::Done } else { Exit::Findings })
    }
}

/// Number of bytes that differ between two builds.
fn differing(found: &Diff, a: &Session, b: &Session) -> u64 {
    if found.is_identical { 0 } else { bytes(a, b, false).differing() }
}

fn print_bytes(out: &mut Out, found: &ByteDiff) -> Result<(), Error> {
    for file in &found.files {
        let sizes = match file.sizes {
            [a, b] if a == b => count(a, "byte"),
            [a, b] => format!("{a} → {}", count(b, "byte")),
        };
        let sizes = if file.is_aligned { format!("{sizes}, aligned where they agree") } else { sizes };
        let differ = if file.differing == 0 { "identical".to_owned() } else { format!("{} differ", file.differing) };
        out.parts(&[(&file.file, Tone::Strong), ("  ", Tone::Text), (&format!("{sizes}, {differ}"), Tone::Dim)])?;
        for run in found.runs.iter().filter(|run| run.file == file.file) {
            let at = format!("{:#x}+{}", run.span.start, run.span.len);
            let field = if run.field.is_empty() { String::new() } else { format!("  {}", run.field) };
            out.parts(&[
                ("  ", Tone::Text),
                (&format!("{at:<14}"), Tone::Dim),
                (&run.place.to_string(), Tone::Text),
                (&field, Tone::Strong),
                (&format!("  {}", change_text(run)), Tone::Dim),
            ])?;
        }
    }
    if found.more > 0 {
        out.parts(&[(&format!("and {} more", count(found.more, "run")), Tone::Warn)])?;
    }
    Ok(())
}

/// The bytes of both builds, or of the one that has them.
fn change_text(run: &ByteRun) -> String {
    match run.sizes {
        [0, _] => format!("only in the second: {}", run.after),
        [_, 0] => format!("only in the first: {}", run.before),
        _ => format!("{} → {}", run.before, run.after),
    }
}

fn print(out: &mut Out, found: &Diff, differing: Option<u64>) -> Result<(), Error> {
    for subject in Subject::ALL {
        let changes: Vec<&Change> = found.changes.iter().filter(|change| change.subject == subject).collect();
        let same = match subject {
            Subject::Method => found.same_methods,
            Subject::Document => found.same_documents,
            _ => 0,
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
        out.prose(&[("! ", Tone::Warn)], &[(&note.text, Tone::Warn)])?;
    }
    if found.is_identical {
        out.line("identical: every byte of the files is the same")?;
    } else if let Some(number) = differing {
        let differ = format!("{} differ{}", count(number, "byte"), if number == 1 { "s" } else { "" });
        let methods = count(found.same_methods as u64, "method");
        out.line(&format!("no difference in {methods}, yet {differ}: `pdblens diff --bytes` lists them"))?;
    }
    Ok(())
}

/// Differences between two builds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "diff"))]
pub(super) struct DiffDocument<'d> {
    /// Bytes that differ at the same offset of the files, and those that only one build has; `null` where changes are listed, for
    /// `diff --bytes` counts them.
    differing_bytes: Option<u64>,
    #[serde(flatten)]
    found: &'d Diff,
}

/// Bytes that differ between two builds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "diff_bytes"))]
pub(super) struct BytesDocument<'d> {
    /// True if no byte differs.
    identical: bool,
    #[serde(flatten)]
    found: &'d ByteDiff,
}
