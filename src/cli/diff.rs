use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::files::{say_left_out, without_foreign};
use super::json::{self, Pairs};
use super::output::say;
use super::quality::{change_rows, summary_of};
use super::symbols::SymbolArgs;
use crate::nodes::Place;
use crate::nodes::rows::Tone;
use crate::query::diff::{ByteDiff, ByteRun, Change, ChangeKind, Diff, Subject, bytes, diff, shifts};
use crate::query::quality::{QualityChange, changes};
use crate::session::Session;
use crate::session::inputs::{Unit, is_many, names_in, units};
use crate::source::SourceOptions;
use crate::text::paths::file_name;
use crate::text::safe::{count, visible};

/// `pdblens diff A B`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct DiffCommand {
    /// A file of the first build; the matching DLL or PDB is found automatically. Either A or B may be `-` for standard input. Of two
    /// packages or folders, the pairs of the same path are compared.
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
    /// List each method or function that has only moved, in place of one row a document.
    #[arg(long, conflicts_with = "bytes")]
    all: bool,
    /// Compare the counts of `quality`: points, names and lines that the second build lost or gained.
    #[arg(long, conflicts_with_all = ["bytes", "all"])]
    quality: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for DiffCommand {
    const EXAMPLES: &'static [Example] = &[
        example("List which methods changed between two builds", "pdblens diff old/App.dll App.dll"),
        example("List what changed in each file of a package", "pdblens diff Acme.1.2.0.nupkg Acme.1.2.1.nupkg"),
        example("List the points that the second build lost", "pdblens diff --quality old/App.dll App.dll"),
        example("Name the owner of each byte that differs", "pdblens diff --bytes old/App.dll App.dll"),
    ];

    fn access(&self) -> Access {
        self.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if !self.bytes && is_many(&self.a) && is_many(&self.b) {
            return self.run_pairs(out);
        }
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
        if self.quality {
            let changes = quality_changes(&a, &b)?;
            if self.json {
                json::write(out, &QualityDocument { quality: &changes })?;
            } else if changes.is_empty() {
                out.line("the same counts")?;
            } else {
                out.table(&change_rows(&changes))?;
            }
            return Ok(if changes.is_empty() { Exit::Done } else { Exit::Findings });
        }
        let found = diff(&a, &b);
        let differing = differing(&found, &a, &b);
        if self.json {
            json::write(out, &DiffDocument { differing_bytes: differing, found: &found })?;
        } else {
            print(out, &found, differing, &b, self.all)?;
        }
        Ok(say_left_out(&a, say_left_out(&b, exit(&found))))
    }
}

impl DiffCommand {
    /// Compares the pairs of two packages or folders that have the same path in them.
    fn run_pairs(&self, out: &mut Out) -> Result<Exit, Error> {
        let (mut pairs, mut worst, mut same) = (Pairs::default(), Exit::Done, 0_u64);
        for (path, units) in by_path([&self.a, &self.b])? {
            let compared = match &units {
                [Some(a), Some(b)] => self.compare(a, b, &path, &mut pairs, out),
                [Some(_), None] => self.alone(ChangeKind::Removed, &path, &mut pairs, out),
                _ => self.alone(ChangeKind::Added, &path, &mut pairs, out),
            };
            let exit = pairs.exit_of(compared, Path::new(&path), self.json, out)?;
            same += u64::from(exit == Exit::Done);
            worst = worst.max(exit);
        }
        pairs.end(&mut *out)?;
        if same > 0 && !self.json {
            out.line(&format!("{} identical", count(same, "pair")))?;
        }
        Ok(worst)
    }

    fn compare(&self, a: &Unit, b: &Unit, path: &str, pairs: &mut Pairs, out: &mut Out) -> Result<Exit, Error> {
        let (a, b) = (self.symbols.complete(a.open()?)?, self.symbols.complete(b.open()?)?);
        if self.quality {
            let quality = quality_changes(&a, &b)?;
            if self.json {
                let quality = Some(quality.as_slice());
                pairs.add(&mut *out, &DiffPair { path, quality, ..DiffPair::default() })?;
            } else if !quality.is_empty() {
                out.parts(&[("── ", Tone::Dim), (path, Tone::Strong)])?;
                out.table(&change_rows(&quality))?;
            }
            return Ok(if quality.is_empty() { Exit::Done } else { Exit::Findings });
        }
        let found = diff(&a, &b);
        let differing_bytes = differing(&found, &a, &b);
        if self.json {
            let found = Some(&found);
            pairs.add(&mut *out, &DiffPair { path, differing_bytes, found, ..DiffPair::default() })?;
        } else if exit(&found) == Exit::Findings {
            out.parts(&[("── ", Tone::Dim), (path, Tone::Strong)])?;
            print(out, &found, differing_bytes, &b, self.all)?;
        }
        Ok(say_left_out(&a, say_left_out(&b, exit(&found))))
    }

    /// Prints a pair that only one of both has.
    fn alone(&self, how: ChangeKind, path: &str, pairs: &mut Pairs, out: &mut Out) -> Result<Exit, Error> {
        if self.json {
            pairs.add(&mut *out, &DiffPair { path, how: Some(how), ..DiffPair::default() })?;
        } else {
            let tone = if how == ChangeKind::Removed { Tone::Bad } else { Tone::Ok };
            let name = format!("  {}", how.name());
            out.parts(&[(how.mark(), tone), (" ", Tone::Text), (path, Tone::Strong), (&name, Tone::Dim)])?;
        }
        Ok(Exit::Findings)
    }
}

fn quality_changes(a: &Session, b: &Session) -> Result<Vec<QualityChange>, Error> {
    let options = SourceOptions::default();
    Ok(changes(&summary_of(a, &options)?, &summary_of(b, &options)?))
}

fn by_path(paths: [&PathBuf; 2]) -> Result<BTreeMap<String, [Option<Unit>; 2]>, Error> {
    let mut found: BTreeMap<String, [Option<Unit>; 2]> = BTreeMap::new();
    for (build, path) in paths.into_iter().enumerate() {
        let named = std::slice::from_ref(path);
        let units = without_foreign(units(named)?, named);
        for (name, unit) in names_in(named, &units).into_iter().zip(units) {
            found.entry(name).or_default()[build] = Some(unit);
        }
    }
    Ok(found)
}

/// The exit code of a comparison: a finding where anything differs.
const fn exit(found: &Diff) -> Exit {
    if found.changes.is_empty() && found.is_identical { Exit::Done } else { Exit::Findings }
}

/// Number of bytes that differ between two builds, where nothing else does.
fn differing(found: &Diff, a: &Session, b: &Session) -> Option<u64> {
    match (found.changes.is_empty(), found.is_identical) {
        (false, _) => None,
        (true, true) => Some(0),
        (true, false) => Some(bytes(a, b, false).differing()),
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

fn print(out: &mut Out, found: &Diff, differing: Option<u64>, after: &Session, all: bool) -> Result<(), Error> {
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
        let parts = ChangeKind::ALL.map(|how| (how_many(how), how.name()));
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
        for change in changes.into_iter().filter(|change| all || change.moved.is_none()) {
            print_change(out, change)?;
        }
        if !all {
            for (document, moved) in found.moved_by_document(subject) {
                print_moved(out, document, &moved, after)?;
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

fn print_change(out: &mut Out, change: &Change) -> Result<(), Error> {
    let tone = match change.how {
        ChangeKind::Added => Tone::Ok,
        ChangeKind::Removed => Tone::Bad,
        ChangeKind::Changed => Tone::Warn,
        ChangeKind::Moved => Tone::Dim,
    };
    let place = change.after.or(change.before).map_or(String::new(), |place| format!("  {place}"));
    let cause = change.cause.map_or(String::new(), |cause| format!("  {}", cause.name()));
    out.parts(&[
        ("  ", Tone::Text),
        (change.how.mark(), tone),
        (" ", Tone::Text),
        (&change.name, Tone::Text),
        (&place, Tone::Dim),
        (&cause, Tone::Dim),
    ])?;
    for detail in &change.details {
        out.parts(&[("      ", Tone::Text), (detail, Tone::Dim)])?;
    }
    Ok(())
}

/// Prints the methods or functions of a document that have only moved as one row.
fn print_moved(out: &mut Out, document: Place, moved: &[&Change], after: &Session) -> Result<(), Error> {
    if let [change] = moved {
        return print_change(out, change);
    }
    let Place::Document(row) = document else { return Ok(()) };
    let name = after.symbols().and_then(|symbols| symbols.document(row).ok()).map(|document| document.name);
    let name = name.as_deref().map_or("", file_name);
    let noun = moved.first().map_or("method", |change| change.subject.name());
    let text = format!(" {} of {name}", count(moved.len() as u64, noun));
    let document = format!("  {document}");
    let mark = ChangeKind::Moved.mark();
    out.parts(&[("  ", Tone::Text), (mark, Tone::Dim), (&text, Tone::Text), (&document, Tone::Dim)])?;
    out.parts(&[("      ", Tone::Text), (&shifts(moved), Tone::Dim)])
}

/// Differences between the builds of a pair of two packages or folders, or the build that has it.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "diff_pair"))]
pub(super) struct DiffPair<'d> {
    /// Path in the package or folder.
    path: &'d str,
    /// `added` or `removed`, if one build has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<ChangeKind>,
    /// Bytes that differ, as in `diff` of one pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    differing_bytes: Option<u64>,
    #[serde(flatten)]
    found: Option<&'d Diff>,
    /// With `--quality`: counts that differ, in the place of changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<&'d [QualityChange]>,
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

/// Counts of `quality` that differ between two builds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "diff_quality"))]
pub(super) struct QualityDocument<'d> {
    /// Counts that differ.
    quality: &'d [QualityChange],
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
