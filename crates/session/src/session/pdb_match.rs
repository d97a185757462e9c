//! Match of image and symbols: both have the same id if they are of the same build.

use crate::session::Session;
use crate::symbols::{Format, IdSuffix, SymbolFormat, SymbolId, SymbolReader};
use pdblens_formats::bytes::Guid;
use pdblens_formats::pe::{DebugEntry, Pe};
use pdblens_formats::portable::PortablePdb;
use pdblens_formats::reason::Reason;

/// Result of comparing the ids of image and symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "status", content = "part", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum PdbMatch {
    /// The ids agree.
    Matched,
    /// The ids differ.
    Mismatched(IdPart),
    /// One of the two has no id to compare.
    Unknown,
    /// The symbols are those of a hot-reload delta, without the PDB that it changes.
    NeedsBase,
    /// No symbols were named or found.
    NoPdb,
    /// No image was named or found.
    NoImage,
}

/// First part of an id in which image and symbols differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "id_part"))]
pub enum IdPart {
    /// GUID of the PDB.
    Guid,
    /// Stamp of a portable PDB, after an equal GUID.
    Stamp,
    /// Age of a Windows PDB, after an equal GUID: less than the image's.
    Age,
    /// Format of the PDB, after an equal GUID: a stamp on one side, an age on the other.
    Format,
    /// Module version id (MVID), which an `.mdb` has in place of a GUID.
    Mvid,
}

impl PdbMatch {
    /// Phrase for a title bar.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Matched => "PDB matches DLL",
            Self::Mismatched(IdPart::Guid) => "PDB does not match: GUID differs",
            Self::Mismatched(IdPart::Stamp) => "PDB does not match: stamp differs",
            Self::Mismatched(IdPart::Age) => "PDB does not match: age differs",
            Self::Mismatched(IdPart::Format) => "PDB does not match: format differs",
            Self::Mismatched(IdPart::Mvid) => "PDB does not match: MVID differs",
            Self::Unknown => "match unknown: no id to compare",
            Self::NeedsBase => "PDB is a hot-reload delta: its base PDB is missing",
            Self::NoPdb => "No PDB found",
            Self::NoImage => "No DLL found",
        }
    }

    pub const fn sign(self) -> char {
        match self {
            Self::Matched => '✓',
            Self::Mismatched(_) => '✗',
            Self::Unknown | Self::NeedsBase | Self::NoPdb | Self::NoImage => '!',
        }
    }

    /// Returns true if the symbols belong to another build.
    pub const fn is_mismatch(self) -> bool {
        matches!(self, Self::Mismatched(_))
    }
}

pub fn summary_of(session: &Session) -> String {
    const DLL: u16 = 0x2000;
    let summary = session.pdb_match().summary();
    let is_mdb = session.symbol_file().is_some_and(|file| file.content.mdb().is_some());
    // A .NET program is in a file named `.dll` whose characteristics lack the DLL flag.
    let is_program = session.image().is_some_and(|image| {
        let kind = image.name.rsplit_once('.').map(|(_, kind)| kind.to_ascii_lowercase());
        let by_name = ["exe", "dll"].iter().position(|known| kind.as_deref() == Some(known));
        by_name.map_or(image.pe.coff.characteristics & DLL == 0, |kind| kind == 0)
    });
    let symbols = if is_mdb { summary.replace("PDB", ".mdb") } else { summary.to_owned() };
    if is_program { symbols.replace("DLL", "EXE") } else { symbols }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReasonedMatch {
    pub pdb_match: PdbMatch,
    /// One sentence each, the most important first.
    pub reasons: Vec<Reason>,
}

impl ReasonedMatch {
    pub(super) fn alone(pdb_match: PdbMatch, reason: &'static str, text: impl Into<String>) -> Self {
        Self { pdb_match, reasons: vec![Reason::new(reason, text)] }
    }

    /// Compares the ids in the image's debug directory with that of the symbols.
    pub(super) fn new(pe: &Pe, mvid: Option<Guid>, symbols: &SymbolFormat, embedded: bool) -> Self {
        let is_delta = symbols.portable().is_some_and(PortablePdb::is_delta);
        let symbols = symbols.reader();
        if is_delta {
            let reason = "this is the PDB of a hot-reload delta, which has changed methods only: open it with the PDB that it changes";
            return Self::alone(PdbMatch::NeedsBase, "needs-base", reason);
        }
        if embedded {
            return Self { pdb_match: PdbMatch::Matched, reasons: embedded_reasons(pe, symbols) };
        }
        let Some(have) = symbols.id() else {
            return Self::alone(PdbMatch::Unknown, "no-id", format!("the {} has no id", symbols.format()));
        };
        if symbols.format() == Format::Mdb {
            return Self::by_mvid(mvid, have);
        }
        let mut wanted = codeview_ids(pe).peekable();
        if wanted.peek().is_none() {
            let reason = "the image has no CodeView entry: it names no PDB";
            return Self::alone(PdbMatch::Unknown, "no-codeview", reason);
        }
        let wanted: Vec<SymbolId> = wanted.collect();
        if let Some(id) = wanted.iter().find(|id| id_matches(**id, have)) {
            return Self::alone(PdbMatch::Matched, "same-id", format!("both have the id {id}"));
        }
        let mut reasons: Vec<Reason> = wanted
            .iter()
            .map(|id| Reason::new("other-id", format!("the image expects {id}, this PDB has {have}")))
            .collect();
        if let (true, Some(id)) = (symbols.format() == Format::Portable, wanted.iter().find(|id| id.guid == have.guid))
        {
            reasons.push(match id.suffix {
                IdSuffix::Age(_) => Reason::new("other-format", "the GUID matches, but the image names a Windows PDB"),
                _ => {
                    Reason::new("other-stamp", "the GUID matches but the stamp differs: same sources, different build")
                }
            });
        }
        Self { pdb_match: PdbMatch::Mismatched(differing_part(&wanted, have)), reasons }
    }

    fn by_mvid(mvid: Option<Guid>, have: SymbolId) -> Self {
        match mvid {
            Some(mvid) if mvid == have.guid => {
                Self::alone(PdbMatch::Matched, "same-mvid", format!("both have the module version id {mvid}"))
            }
            Some(mvid) => Self::alone(
                PdbMatch::Mismatched(IdPart::Mvid),
                "other-id",
                format!("the image's module version id is {mvid}, the .mdb is for {}", have.guid),
            ),
            None => Self::alone(PdbMatch::Unknown, "no-mvid", "the image has no module version id"),
        }
    }
}

/// The ids that the image expects and the id of the symbols, if they differ and neither is the module version id of an `.mdb`.
pub fn mismatched_ids(session: &Session) -> Option<(Vec<SymbolId>, SymbolId)> {
    let (image, symbols) = (session.image()?, session.symbols()?);
    if !matches!(session.pdb_match(), PdbMatch::Mismatched(part) if part != IdPart::Mvid) {
        return None;
    }
    Some((codeview_ids(&image.pe).collect(), symbols.id()?))
}

/// Part in which `have` differs from the id in `wanted` that is closest to it.
fn differing_part(wanted: &[SymbolId], have: SymbolId) -> IdPart {
    match wanted.iter().find(|id| id.guid == have.guid).map(|id| (id.suffix, have.suffix)) {
        None => IdPart::Guid,
        Some((IdSuffix::Stamp(_), IdSuffix::Stamp(_))) => IdPart::Stamp,
        Some((IdSuffix::Age(_), IdSuffix::Age(_))) => IdPart::Age,
        Some(_) => IdPart::Format,
    }
}

fn embedded_reasons(pe: &Pe, symbols: &dyn SymbolReader) -> Vec<Reason> {
    let mut reasons = vec![Reason::new("embedded", "the PDB is inside the image")];
    if let Some(have) = symbols.id() {
        if codeview_ids(pe).any(|id| id_matches(id, have)) {
            reasons.push(Reason::new("same-id", format!("both have the id {have}")));
        } else {
            reasons.push(Reason::new("no-codeview", format!("but no CodeView entry names its id {have}")));
        }
    }
    reasons
}

pub fn codeview_ids(pe: &Pe) -> impl Iterator<Item = SymbolId> {
    pe.debug.iter().filter_map(codeview_id)
}

pub fn codeview_id(entry: &DebugEntry) -> Option<SymbolId> {
    let rsds = entry.rsds()?;
    let suffix =
        if entry.is_portable() { IdSuffix::Stamp(entry.header.time_date_stamp) } else { IdSuffix::Age(rsds.age) };
    Some(SymbolId { guid: rsds.guid, suffix })
}

/// Returns whether a PDB with the id `have` is the one that an image names by `wanted`.
///
/// A Windows PDB may have been written again since (its age grows, its GUID stays), so a greater age is fine.
pub fn id_matches(wanted: SymbolId, have: SymbolId) -> bool {
    wanted.guid == have.guid
        && match (wanted.suffix, have.suffix) {
            (IdSuffix::Stamp(wanted), IdSuffix::Stamp(have)) => wanted == have,
            (IdSuffix::Age(wanted), IdSuffix::Age(have)) => have >= wanted,
            // A stack trace may name the GUID alone.
            (IdSuffix::None, _) => true,
            _ => false,
        }
}
