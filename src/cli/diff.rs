use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Example, Run, example};
use super::json;
use super::output::{Out, say};
use super::symbols::SymbolArgs;
use super::values::{PlaceText, Version, words};
use super::{Error, Exit};
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
                json::write(out, &BytesDocument::of(&found))?;
            } else {
                print_bytes(out, &found)?;
            }
            return Ok(if found.is_identical() { Exit::Done } else { Exit::Findings });
        }
        let found = diff(&a, &b);
        if self.json {
            json::write(out, &Document::of(&found))?;
        } else {
            print(out, &found)?;
        }
        Ok(if found.changes.is_empty() { Exit::Done } else { Exit::Findings })
    }
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

fn print(out: &mut Out, found: &Diff) -> Result<(), Error> {
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
        out.prose(&[("! ", Tone::Warn)], &[(note, Tone::Warn)])?;
    }
    if found.bytes.is_identical() && !found.bytes.files.is_empty() {
        out.line("identical: every byte of the files is the same")?;
    } else if found.changes.is_empty() {
        let number = found.bytes.differing();
        let differ = format!("{} differ{}", count(number, "byte"), if number == 1 { "s" } else { "" });
        let methods = count(found.same_methods as u64, "method");
        out.line(&format!("no difference in {methods}, yet {differ}: `pdblens diff --bytes` lists them"))?;
    }
    Ok(())
}

/// Differences between two builds.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "diff"))]
pub(super) struct Document<'d> {
    schema: Version,
    /// Methods that are the same in both.
    same_methods: usize,
    /// Documents that are the same in both.
    same_documents: usize,
    /// True if every byte of image and symbols is the same in both.
    identical: bool,
    /// Bytes that differ at the same offset of the files, and those that only one build has.
    differing_bytes: u64,
    /// Parts that could not be compared, with the reason.
    notes: &'d [String],
    /// By subject.
    changes: Vec<ChangeJson<'d>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "change"))]
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
        /// A native function.
        Function,
        /// A class, structure, union or enumeration of native code.
        Type,
        /// A public symbol.
        Public,
        /// An object file or other input of the linker.
        Module,
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
            identical: found.bytes.is_identical(),
            differing_bytes: found.bytes.differing(),
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

/// Bytes that differ between two builds.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "diff_bytes"))]
pub(super) struct BytesDocument<'d> {
    schema: Version,
    /// True if no byte differs.
    identical: bool,
    files: Vec<FileJson<'d>>,
    runs: Vec<RunJson<'d>>,
    /// Runs that are not listed.
    more: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "diff_file"))]
struct FileJson<'d> {
    /// Name in the first build.
    file: &'d str,
    /// Size in the first and in the second build.
    sizes: [u64; 2],
    /// Bytes that differ where both builds have some, and those that only one build has. Each part is compared with the same
    /// part of the other build: headers, method bodies, rows, entries of heaps.
    differing: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "diff_run"))]
struct RunJson<'d> {
    file: &'d str,
    /// Offset in the file of the first build; of the second where only that has the bytes.
    offset: u64,
    size: u64,
    /// Offset of the same bytes in the second build; absent where only one has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    second_offset: Option<u64>,
    /// Bytes in the first and in the second build: 0 where only the other has them.
    sizes: [u64; 2],
    /// Owner of the first byte, in the build of `offset`.
    place: PlaceText,
    /// Field of the owner, if it is known.
    field: &'d str,
    /// The first bytes in hexadecimal.
    before: &'d str,
    /// Those of the second build.
    after: &'d str,
}

impl<'d> BytesDocument<'d> {
    fn of(found: &'d ByteDiff) -> Self {
        let files = found.files.iter();
        let runs = found.runs.iter().map(|run| RunJson {
            file: &run.file,
            offset: run.span.start,
            size: run.span.len,
            second_offset: run.second,
            sizes: run.sizes,
            place: run.place.into(),
            field: &run.field,
            before: &run.before,
            after: &run.after,
        });
        Self {
            schema: Version,
            identical: found.is_identical(),
            files: files.map(|one| FileJson { file: &one.file, sizes: one.sizes, differing: one.differing }).collect(),
            runs: runs.collect(),
            more: found.more,
        }
    }
}
