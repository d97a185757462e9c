//! Result of the check of one pair among many, which outlives the open files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::dump::SpaceJson;
use crate::formats::reason::Reason;
use crate::nodes::{CodeUnit, Place, SequencePoint, code_unit, document, overview};
use crate::query::check::{Grade, Remark, findings};
use crate::session::Session;
use crate::session::inputs::{Location, Package, Packages};
use crate::store::digest::Algorithm;
use crate::text::safe::hex;

/// Result of the check of a pair.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "checked_pair"))]
pub(super) struct Checked {
    /// Path or address (`Acme.nupkg!lib/net8.0/Acme.dll`) of the image, or of symbols that are alone.
    #[serde(serialize_with = "pdblens_formats::serialize::path")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) path: PathBuf,
    #[serde(flatten)]
    pub(super) outcome: CheckOutcome,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub(super) enum CheckOutcome {
    /// Reason why there is nothing to check.
    Skipped(Reason),
    /// Reason why it cannot be read: the exit code is 1.
    #[serde(rename = "error")]
    Unreadable(Reason),
    #[serde(untagged)]
    Pair(Pair),
    /// Results for a package, which is the image, and the one with its symbols.
    #[serde(untagged)]
    Package(Pair),
}

/// Answer of the NuGet gallery.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "gallery_verdict"))]
pub(super) struct GalleryVerdict {
    #[serde(rename = "refused")]
    pub(super) is_refused: bool,
    /// The answer in a sentence.
    pub(super) text: String,
}

/// Results for a pair.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct Pair {
    /// Answer that the NuGet gallery would give, for a package: then `image` is the package with the assemblies and `symbols` the one with
    /// their symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<GalleryVerdict>,
    /// Path or address of the image.
    pub(super) image: Option<String>,
    /// Path or address of the symbols; null where they are embedded in the image.
    pub(super) symbols: Option<String>,
    /// Simple name of the assembly, or the name of the file.
    #[serde(skip)]
    pub(super) assembly: String,
    pub(super) findings: usize,
    /// Number of findings that `info` and `list` have; absent unless a policy (`--deny`, `--warn`, `--allow`, `pdblens.toml`) changes what
    /// is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) findings_without_policy: Option<usize>,
    /// Files and streams that spans are in; absent for a package.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) spaces: Vec<SpaceJson>,
    #[serde(rename = "results")]
    pub(super) remarks: Vec<Located>,
}

/// Result of a rule, and where a tool can show it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct Located {
    #[serde(flatten)]
    pub(super) remark: Remark,
    /// Full name of the method that it is about.
    #[serde(skip)]
    pub(super) method: Option<String>,
    /// Source of the method or document, by its path below the root of the repository.
    #[serde(skip)]
    pub(super) source: Option<LineColumnRange>,
    /// Path or address of the file that has the bytes, and the bytes.
    #[serde(skip)]
    pub(super) bytes: Option<(PathBuf, u64, u64)>,
}

/// Findings and notes of a rule in all files.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "rule_total"))]
pub(super) struct RuleTotal {
    pub(super) rule: &'static str,
    pub(super) findings: usize,
    /// Number of notes.
    #[serde(rename = "noted")]
    pub(super) notes: usize,
    /// Files that have them.
    pub(super) files: usize,
    /// Sentence of the first of them.
    pub(super) example: String,
}

impl RuleTotal {
    /// Adds the remarks of a file.
    pub(super) fn add(all: &mut Vec<Self>, pair: &Pair) {
        let mut seen: Vec<&str> = Vec::new();
        for Located { remark, .. } in pair.worse_than_good() {
            let index = all.iter().position(|total| total.rule == remark.rule).unwrap_or_else(|| {
                all.push(Self { rule: remark.rule, findings: 0, notes: 0, files: 0, example: remark.sentence.clone() });
                all.len() - 1
            });
            let Some(total) = all.get_mut(index) else { continue };
            let number = if remark.grade == Grade::Finding { &mut total.findings } else { &mut total.notes };
            *number += remark.count;
            if !seen.contains(&remark.rule) {
                seen.push(remark.rule);
                total.files += 1;
            }
        }
    }
}

/// Stretch of a source file, in lines and columns from 1.
pub(super) struct LineColumnRange {
    pub(super) path: String,
    pub(super) start: (u32, u32),
    pub(super) end: (u32, u32),
}

impl Pair {
    /// Locates the remarks, for as long as the files are open.
    pub(super) fn of(session: &Session, remarks: Vec<Remark>) -> Self {
        let image = session.image().map(|image| image.path.clone());
        let symbols = session.symbol_file().filter(|file| !file.embedded).map(|file| file.path.clone());
        let name = image.as_ref().or(symbols.as_ref()).map(|path| Location::of(path).file_name());
        Self {
            verdict: None,
            assembly: overview::assembly(session).map(|(name, _)| name).or(name).unwrap_or_default(),
            image: image.map(|path| path.display().to_string()),
            symbols: symbols.map(|path| path.display().to_string()),
            findings: findings(&remarks),
            findings_without_policy: None,
            spaces: SpaceJson::of_spans(session, remarks.iter().filter_map(|remark| remark.span)),
            remarks: remarks.into_iter().map(|remark| Located::of(session, remark)).collect(),
        }
    }

    /// The remarks on packages, which are about files of the archives and not about bytes.
    pub(super) fn of_packages(packages: &Packages, remarks: Vec<Remark>, verdict: GalleryVerdict) -> Self {
        let path = |package: &Option<Package>| package.as_ref().map(|package| package.path.display().to_string());
        let id = packages.each().find_map(|package| Some(package.nuspec.as_ref().ok()?.id.clone()));
        Self {
            verdict: Some(verdict),
            assembly: id.or_else(|| packages.each().map(Package::name).next()).unwrap_or_default(),
            image: path(&packages.main),
            symbols: path(&packages.symbols).or_else(|| path(&packages.legacy)),
            findings: findings(&remarks),
            findings_without_policy: None,
            spaces: Vec::new(),
            remarks: remarks
                .into_iter()
                .map(|remark| Located { remark, method: None, source: None, bytes: None })
                .collect(),
        }
    }

    /// Remarks other than that all is well, of at least a grade.
    pub(super) fn worse_than_good(&self) -> impl Iterator<Item = &Located> {
        self.remarks.iter().filter(|located| located.remark.grade != Grade::Good)
    }

    pub(super) fn notes(&self) -> usize {
        let notes = self.remarks.iter().filter(|located| located.remark.grade == Grade::Note);
        notes.map(|located| located.remark.count).sum()
    }
}

impl Located {
    fn of(session: &Session, remark: Remark) -> Self {
        if remark.grade == Grade::Good {
            return Self { remark, method: None, source: None, bytes: None };
        }
        let unit = remark.place.and_then(Place::code_unit);
        let source = match (unit, remark.place) {
            (Some(unit), _) => source_of_code(session, unit),
            (None, Some(Place::Document(row))) => {
                document_path(session, row).map(|path| LineColumnRange { path, start: (1, 1), end: (1, 1) })
            }
            _ => None,
        };
        let bytes = remark.span.and_then(|span| {
            let file = [
                session.symbol_file().map(|file| (file.space, &file.path)),
                session.image().map(|image| (image.space, &image.path)),
            ];
            let (_, path) = file.into_iter().flatten().find(|(space, _)| *space == span.space)?;
            Some((path.clone(), span.start, span.len))
        });
        Self { method: unit.map(|unit| code_unit::name(session, unit)), source, bytes, remark }
    }
}

/// Source of the first visible point of a method or function.
fn source_of_code(session: &Session, unit: CodeUnit) -> Option<LineColumnRange> {
    let is_sound = &mut |point: &SequencePoint| {
        !point.is_hidden() && (1..0x0100_0000).contains(&point.start_line) && point.end_line >= point.start_line
    };
    let (_, point) = code_unit::find_point(session, unit, is_sound)?;
    Some(LineColumnRange {
        path: document_path(session, point.document)?,
        start: (point.start_line, point.start_column.max(1)),
        end: (point.end_line, point.end_column.max(1)),
    })
}

/// Path of a document below the root of its repository: after `/_/`, which deterministic builds write. Any other path is one of
/// the machine that compiled.
fn document_path(session: &Session, row: u32) -> Option<String> {
    let name = document::name(session, row)?.replace('\\', "/");
    let rest = name.strip_prefix("/_")?;
    let below = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('/')?;
    let plain = |step: &str| !step.is_empty() && step != "." && step != "..";
    below.split('/').all(plain).then(|| below.to_owned())
}

/// Fingerprints of the remarks that are worse than good, in their order.
pub(super) fn fingerprints(path: &Path, pair: &Pair) -> Vec<String> {
    let framework = framework(path);
    let mut ordinals: HashMap<(&str, &str), u32> = HashMap::new();
    let mut prints = Vec::new();
    for located in pair.worse_than_good() {
        let (rule, method) = (located.remark.rule, located.method.as_deref().unwrap_or(""));
        let ordinal = ordinals.entry((rule, method)).or_default();
        *ordinal += 1;
        prints.push(fingerprint(&[rule, &pair.assembly, &framework, method, &ordinal.to_string()]));
    }
    prints
}

/// Digest of names, which stay from build to build.
pub(super) fn fingerprint(identity: &[&str]) -> String {
    let digest = hex(&Algorithm::Sha256.digest([identity.join("\0").as_bytes()]));
    format!("{}:1", digest.get(..16).unwrap_or_default())
}

/// Target framework of an entry or file: the name of its folder, where that is one.
fn framework(path: &Path) -> String {
    let text = path.to_string_lossy().replace(['\\', '!'], "/");
    let folder = text.rsplit('/').nth(1).unwrap_or_default();
    let known = folder.starts_with("net") || folder.starts_with("uap") || folder.starts_with("mono");
    if known { folder.to_owned() } else { String::new() }
}
