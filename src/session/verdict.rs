//! Do they belong together?

use crate::formats::pe::{DebugEntry, Pe};
use crate::symbols::{Format, IdRest, SymbolId, Symbols};

/// Whether image and symbols belong together, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether they do.
    pub belong: Belong,
    /// Why, in one sentence each; what matters most comes first.
    pub reasons: Vec<String>,
}

/// Whether two files belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Belong {
    /// The ids agree.
    Yes,
    /// The ids differ.
    No,
    /// There is nothing to tell by.
    Unknown,
    /// There is only one file.
    Alone,
}

impl Verdict {
    pub(crate) fn alone(reason: impl Into<String>) -> Self {
        Self { belong: Belong::Alone, reasons: vec![reason.into()] }
    }

    /// A few words for a title bar.
    pub fn short(&self) -> &'static str {
        match self.belong {
            Belong::Yes => "✓ PDB matches DLL",
            Belong::No => "✗ PDB is of another build",
            Belong::Unknown => "! cannot tell whether they match",
            Belong::Alone => "! no partner",
        }
    }

    /// Compares what the image names with what the symbols are.
    pub(crate) fn of(pe: &Pe, mvid: Option<crate::bytes::Guid>, symbols: &dyn Symbols, embedded: bool) -> Self {
        if embedded {
            return Self { belong: Belong::Yes, reasons: embedded_reasons(pe, symbols) };
        }
        let Some(have) = symbols.id() else {
            return Self { belong: Belong::Unknown, reasons: vec![format!("the {} has no id", symbols.format())] };
        };
        if symbols.format() == Format::Mdb {
            return Self::by_mvid(mvid, have);
        }
        let mut wanted = expected(pe).peekable();
        if wanted.peek().is_none() {
            let reason = "the image has no CodeView entry: it does not say which PDB is its own".to_owned();
            return Self { belong: Belong::Unknown, reasons: vec![reason] };
        }
        let wanted: Vec<SymbolId> = wanted.collect();
        if let Some(id) = wanted.iter().find(|id| matches(**id, have)) {
            return Self { belong: Belong::Yes, reasons: vec![format!("both have the id {id}")] };
        }
        let mut reasons: Vec<String> =
            wanted.iter().map(|id| format!("the image wants {id}, this PDB is {have}")).collect();
        if let (true, Some(id)) = (symbols.format() == Format::Portable, wanted.iter().find(|id| id.guid == have.guid))
        {
            let kind = match id.rest {
                IdRest::Age(_) => "the GUID is right, but the image says that its PDB is a Windows PDB",
                _ => "the GUID is right and the stamp is not: same sources, another build",
            };
            reasons.push(kind.to_owned());
        }
        Self { belong: Belong::No, reasons }
    }

    fn by_mvid(mvid: Option<crate::bytes::Guid>, have: SymbolId) -> Self {
        match mvid {
            Some(mvid) if mvid == have.guid => {
                Self { belong: Belong::Yes, reasons: vec![format!("both have the module version id {mvid}")] }
            }
            Some(mvid) => Self {
                belong: Belong::No,
                reasons: vec![format!("the image's module version id is {mvid}, the .mdb is for {}", have.guid)],
            },
            None => Self { belong: Belong::Unknown, reasons: vec!["the image has no module version id".to_owned()] },
        }
    }
}

fn embedded_reasons(pe: &Pe, symbols: &dyn Symbols) -> Vec<String> {
    let mut reasons = vec!["the PDB is inside the image".to_owned()];
    if let Some(have) = symbols.id() {
        if expected(pe).any(|id| matches(id, have)) {
            reasons.push(format!("both have the id {have}"));
        } else {
            reasons.push(format!("but no CodeView entry names its id {have}"));
        }
    }
    reasons
}

/// The ids that an image's CodeView entries name.
pub(crate) fn expected(pe: &Pe) -> impl Iterator<Item = SymbolId> {
    pe.debug.iter().filter_map(entry_id)
}

/// The id that one entry names.
pub(crate) fn entry_id(entry: &DebugEntry) -> Option<SymbolId> {
    let rsds = entry.rsds()?;
    let rest = if entry.is_portable() { IdRest::Stamp(entry.stamp) } else { IdRest::Age(rsds.age) };
    Some(SymbolId { guid: rsds.guid, rest })
}

/// Whether a PDB that is `have` is the one that an image wants by `wanted`.
///
/// A Windows PDB may have been written again since (its age grows, its GUID stays), so a greater age is fine.
pub(crate) fn matches(wanted: SymbolId, have: SymbolId) -> bool {
    wanted.guid == have.guid
        && match (wanted.rest, have.rest) {
            (IdRest::Stamp(wanted), IdRest::Stamp(have)) => wanted == have,
            (IdRest::Age(wanted), IdRest::Age(have)) => have >= wanted,
            // A stack trace may name the GUID alone.
            (IdRest::None, _) => true,
            _ => false,
        }
}
