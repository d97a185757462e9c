//! Faults of `assets/broken`: copies of built-in samples with other bytes in one field.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use crate::codec::parse_hex;
use crate::lesson::samples;
use pdblens_formats::bytes::{SpaceId, Span};
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;
use pdblens_session::store::digest::Algorithm;

/// Size of a PDB id: a GUID and a stamp.
const ID_SIZE: u64 = 20;

/// An entry of `faults.json`.
#[derive(Debug, Deserialize)]
pub struct Fault {
    pub name: String,
    /// Folder of the sample that it is made of.
    pub base: String,
    /// The fault, in one sentence.
    #[serde(rename = "fault")]
    pub sentence: String,
    /// Rule of `check` that finds it, and rules that find its consequences.
    pub rules: Vec<String>,
    pub(crate) edits: Vec<Edit>,
    /// False if the image keeps the checksum of the PDB as it was.
    #[serde(default = "yes")]
    reseal: bool,
}

const fn yes() -> bool {
    true
}

/// A field with other bytes.
#[derive(Debug, Deserialize)]
pub(crate) struct Edit {
    pub file: EditedFile,
    pub place: String,
    pub field: String,
    /// Position among the fields with that name, from 0.
    #[serde(default)]
    pub nth: usize,
    /// Its bytes, in hexadecimal.
    bytes: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EditedFile {
    Image,
    Pdb,
}

/// A pair with a fault.
#[derive(Debug)]
pub struct DamagedPair {
    /// Names and bytes of the image and of the PDB.
    pub files: [(String, Vec<u8>); 2],
    pub changes: Vec<ChangedBytes>,
}

#[derive(Debug)]
pub struct ChangedBytes {
    /// Name of the file.
    pub file: String,
    pub offset: u64,
    pub before: Vec<u8>,
    pub after: Vec<u8>,
}

pub fn faults() -> &'static [Fault] {
    static FAULTS: LazyLock<Vec<Fault>> =
        LazyLock::new(|| serde_json::from_str(include_str!("../../assets/faults.json")).unwrap_or_default());
    &FAULTS
}

pub(crate) fn named(name: &str) -> Option<&'static Fault> {
    faults().iter().find(|fault| fault.name == name)
}

impl Fault {
    /// The sample that it is made of.
    pub(crate) fn sample(&self) -> Option<&'static Arc<Session>> {
        samples::session(samples::BUILT_IN.iter().position(|sample| sample.folder == self.base)?)
    }

    /// Makes the pair; `None` if the sample has no field that is changed.
    pub fn pair(&self) -> Option<DamagedPair> {
        let base = self.sample()?;
        let (image, pdb) = (base.image()?, base.symbol_file()?);
        let bytes = |space: SpaceId| Some(base.spaces().region(space).ok()?.bytes().to_vec());
        let mut files = [(image.name.clone(), bytes(image.space)?), (pdb.name.clone(), bytes(pdb.space)?)];
        let mut changes = Vec::new();
        for edit in &self.edits {
            let (offset, after) = (edit.offset(base)?, parse_hex(&edit.bytes).ok()?);
            let (name, file) = &mut files[usize::from(edit.file == EditedFile::Pdb)];
            let field = file.get_mut(offset as usize..)?.get_mut(..after.len())?;
            changes.push(ChangedBytes { file: name.clone(), offset, before: field.to_vec(), after: after.clone() });
            field.copy_from_slice(&after);
        }
        if self.reseal {
            let [(_, image), (_, pdb)] = &mut files;
            reseal(base, image, pdb);
        }
        Some(DamagedPair { files, changes })
    }
}

impl Edit {
    /// Offset in its file of the field, which lies on one page.
    fn offset(&self, base: &Session) -> Option<u64> {
        let fields = nodes::fields(base, self.place.parse().ok()?)?;
        offset_of(base, self.row(&fields)?.span)
    }

    pub fn row<'f>(&self, fields: &'f Fields) -> Option<&'f FieldRow> {
        fields.rows.iter().filter(|row| !row.group && row.name == self.field).nth(self.nth)
    }
}

/// Offset in its file of the first byte of a span.
pub(crate) fn offset_of(session: &Session, span: Span) -> Option<u64> {
    Some(session.spaces().resolve(span).first()?.span.start)
}

/// Writes the checksum of the changed PDB into the image that has one: the hash of the PDB with zeros in the place of its id.
fn reseal(base: &Session, image: &mut [u8], pdb: &[u8]) -> Option<()> {
    let span = |place: &str, name: &str| {
        let fields = nodes::fields(base, place.parse::<Place>().ok()?)?;
        fields.rows.iter().find(|row| row.name == name).map(|row| row.span)
    };
    let checksum = span("pe/debug/1", "checksum")?;
    let id = offset_of(base, span("pdb/metadata/pdb", "GUID")?)?;
    let mut zeroed = pdb.to_vec();
    zeroed.get_mut(id as usize..(id + ID_SIZE) as usize)?.fill(0);
    let field = image.get_mut(checksum.start as usize..checksum.end() as usize)?;
    field.copy_from_slice(&Algorithm::Sha256.digest([&zeroed]));
    Some(())
}

impl DamagedPair {
    /// The pair, opened.
    pub(crate) fn session(self) -> Option<Session> {
        Session::from_bytes(self.files.map(|(name, bytes)| (PathBuf::from(name), bytes)).into()).ok()
    }
}
