//! PDBs of a symbols package, each with the images at its path: the gallery looks at all of these, whatever folder they are in and
//! whatever code they have.

use std::collections::HashMap;

use super::rules::{normal, pdbs};
use crate::check::report::{Grade, Report};
use crate::check::{Question, pair};
use pdblens_formats::container::MAX_ENTRY;
use pdblens_formats::pe::Payload;
use pdblens_formats::reason::Reason;
use pdblens_session::session::inputs::{Package, Packages};
use pdblens_session::session::{Image, PdbMatch, Session};
use pdblens_session::source::SourceOptions;
use pdblens_session::text::paths::file_name;

/// First bytes of a portable PDB, which are all that the gallery looks at to tell one.
const PORTABLE: &[u8] = b"BSJB";
/// First bytes of a Windows PDB, of either version.
const WINDOWS: &[u8] = b"Microsoft C/C++ ";

/// A PDB of the symbols package.
pub(super) struct Shipped {
    pub(super) not_portable: Option<String>,
    /// First reason to refuse it with each image at its path; of a PDB that is not portable no image is looked at.
    pub(super) faults: Vec<Option<Fault>>,
}

pub(super) enum Fault {
    /// The image does not lead to the PDB.
    Id(String),
    /// The PDB does not hash to what the image says.
    Checksum(String),
}

/// Paths of an archive by the form in which they are compared.
type Paths = HashMap<String, String>;

pub(super) fn paths(names: &mut dyn Iterator<Item = String>) -> Paths {
    names.map(|name| (name.to_lowercase(), name)).collect()
}

pub(super) fn all(packages: &Packages) -> Vec<Shipped> {
    let Some(symbols) = &packages.symbols else { return Vec::new() };
    let main = packages.main.as_ref();
    let images = paths(&mut main.iter().flat_map(|main| main.entries.iter().map(|entry| normal(&entry.name))));
    let known = paths(&mut pdbs(symbols));
    let mut all: Vec<&String> = known.values().collect();
    all.sort();
    let shipped = |pdb: &String| {
        // One without an image is refused before it is read.
        let is_orphan = main.is_some() && images_of(pdb, &images).next().is_none();
        let not_portable = if is_orphan { None } else { not_portable(symbols, pdb) };
        let judged = if not_portable.is_none() { main } else { None };
        let fault = |main| images_of(pdb, &images).map(|image| fault(main, image, symbols, pdb, &known)).collect();
        Shipped { faults: judged.map(fault).unwrap_or_default(), not_portable }
    };
    all.into_iter().map(shipped).collect()
}

/// Images at the path of a PDB, whatever the case of their names.
pub(super) fn images_of<'i>(pdb: &str, images: &'i Paths) -> impl Iterator<Item = &'i String> {
    let stem = pdb.strip_suffix(".pdb").unwrap_or(pdb).to_lowercase();
    ["dll", "exe"].into_iter().filter_map(move |extension| images.get(&format!("{stem}.{extension}")))
}

fn not_portable(symbols: &Package, pdb: &str) -> Option<String> {
    match symbols.entry(pdb).read(MAX_ENTRY) {
        Ok(bytes) if bytes.starts_with(PORTABLE) => None,
        Ok(bytes) if bytes.starts_with(WINDOWS) => {
            Some(format!("{pdb} is a Windows PDB: the gallery accepts only portable PDBs"))
        }
        Ok(bytes) if bytes.is_empty() => Some(format!("{pdb} is empty: the gallery accepts only portable PDBs")),
        Ok(_) => Some(format!("{pdb} is not a portable PDB: it does not begin with BSJB")),
        Err(error) => Some(format!("{pdb} cannot be read: {error}")),
    }
}

/// First reason to refuse an image and the PDB that it names.
fn fault(main: &Package, image: &str, symbols: &Package, pdb: &str, known: &Paths) -> Option<Fault> {
    let session = match open(main, image, symbols, pdb) {
        Ok(session) => session,
        Err(why) => return Some(Fault::Id(why.text)),
    };
    let Some(own) = session.image() else { return Some(Fault::Id(format!("{image} is not a PE image"))) };
    let Some(named) = named(own) else {
        return Some(Fault::Id(format!("{image} does not name a PDB: it has no CodeView entry")));
    };
    let have = file_name(pdb);
    if named.eq_ignore_ascii_case(have) {
        return fault_of(image, &session);
    }
    // The PDB that an image names may be that of another one in its folder.
    let folder = pdb.strip_suffix(have).unwrap_or_default();
    let Some(other) = known.get(&format!("{folder}{named}").to_lowercase()) else {
        let sentence = format!("{image} names its PDB {named}, and the symbols package has {have}");
        return Some(Fault::Id(sentence));
    };
    match open(main, image, symbols, other) {
        Ok(session) => fault_of(image, &session),
        Err(why) => Some(Fault::Id(why.text)),
    }
}

fn open(main: &Package, image: &str, symbols: &Package, pdb: &str) -> Result<Session, Reason> {
    let read = |package: &Package, path: &str| {
        let location = package.entry(path);
        let unread = |error| Reason::new("not-read", format!("{path} cannot be read: {error}"));
        let bytes = location.read(MAX_ENTRY).map_err(unread)?;
        Ok::<_, Reason>((location.path(), bytes))
    };
    let files = vec![read(main, image)?, read(symbols, pdb)?];
    Session::from_bytes(files).map_err(|error| error.reason())
}

/// File name of the PDB in the CodeView entry: in that of a portable PDB where there are several.
fn named(image: &Image) -> Option<&str> {
    let entries = || image.pe.debug.iter().filter(|entry| entry.rsds().is_some());
    let entry = entries().find(|entry| entry.is_portable()).or_else(|| entries().next())?;
    entry.rsds().map(|rsds| file_name(&rsds.path))
}

fn fault_of(image: &str, session: &Session) -> Option<Fault> {
    if session.pdb_match() != PdbMatch::Matched {
        let why = Reason::first(session.match_reasons());
        return Some(Fault::Id(format!("{image} and its PDB do not match: {why}")));
    }
    let entries = session.image().into_iter().flat_map(|image| &image.pe.debug);
    if !entries.into_iter().any(|entry| matches!(entry.payload, Ok(Payload::PdbChecksum(_)))) {
        return Some(Fault::Checksum(format!("{image} has no checksum of its PDB (PdbChecksum entry)")));
    }
    let (mut report, sources) = (Report::default(), SourceOptions::default());
    pair::checksum(&Question::new(session, &sources, &|_, _| true), &mut report);
    let remarks = report.into_remarks(session.spaces());
    // One of several checksums must match.
    if remarks.iter().any(|remark| remark.grade == Grade::Good) {
        return None;
    }
    let why =
        remarks.into_iter().next().map_or_else(|| "no checksum can be compared".to_owned(), |first| first.sentence);
    Some(Fault::Checksum(format!("{image}: {why}")))
}
