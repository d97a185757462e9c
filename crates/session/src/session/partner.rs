//! Search for the other half of a pair.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::file::{LoadedFile, RawFile};
use super::inputs::{Location, has_extension, images_of, programs, without_fingerprint};
use super::read_file::open_regular;
use super::{Image, Session, codeview_id};
use crate::symbols::{IdSuffix, SymbolId};
use pdblens_formats::bytes::{Region, SpaceId, Spaces};
use pdblens_formats::pe::DebugEntry;
use pdblens_formats::pe::debug::{HEAD_SIZE, codeview_entries};

const MAX_CANDIDATES: usize = 512;

/// Files beside an image that could be its symbols: named as its CodeView entries say, or like the image. Of an image in a package,
/// those of the package of its symbols too; of an image in a single-file program, those beside the program.
pub fn symbol_candidates(image: &Image) -> Vec<Location> {
    let location = Location::of(&image.path);
    let named = image.pe.debug.iter().filter_map(|entry| entry.rsds()).filter_map(|rsds| file_name(&rsds.path));
    let mut names: Vec<String> = named.map(str::to_owned).collect();
    let stem = location.stem();
    names.extend([format!("{stem}.pdb"), format!("{}.mdb", location.file_name()), format!("{stem}.pdz")]);
    // Cabinets, as symbol stores keep them, follow what is not packed.
    let packed: Vec<String> = names.iter().filter_map(|name| packed_name(name)).collect();
    names.extend(packed);
    let mut found: Vec<Location> = Vec::new();
    for location in location.twins() {
        for path in names.iter().filter_map(|name| location.beside(name).existing()) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found.extend(names.iter().filter_map(|name| location.beside_program(name)).filter(Location::is_file));
    if has_extension(&location.file_name(), &["wasm"]) {
        let named = |file: &Location| {
            without_fingerprint(&file.stem()).is_some_and(|stem| names.contains(&format!("{stem}.pdb")))
        };
        found.extend(
            location.neighbours().into_iter().filter(|file| has_extension(&file.file_name(), &["pdb"]) && named(file)),
        );
    }
    found
}

/// Files beside a symbol file that could be its image: those of the same name first. Of a symbol file in a package, those of the
/// package of its image too.
pub(crate) fn image_candidates(symbols: &Path) -> Vec<Location> {
    let (location, mut found) = (Location::of(symbols), Vec::new());
    let stem = location.stem();
    for location in location.twins() {
        // `App.exe.mdb` is the symbols of `App.exe`, `App.pdb` those of `App.dll` or `App.exe`.
        let named = [stem.clone(), format!("{stem}.dll"), format!("{stem}.exe")].map(|name| location.beside(&name));
        found.extend(named.into_iter().filter(is_image_name).filter_map(Location::existing));
        let neighbours = location.neighbours();
        for program in programs(&neighbours) {
            let images = images_of(&program, std::slice::from_ref(&location));
            found.extend(images);
        }
        let mut others: Vec<Location> = neighbours
            .into_iter()
            .filter(|file| !found.contains(file) && file.path() != *symbols && file.is_file())
            .filter(Location::begins_like_an_image)
            .take(MAX_CANDIDATES)
            .collect();
        // Those of the same name first: `addon.node`, `module.pyd`, `Acme.dqhbc65nvv.wasm`.
        let own = without_fingerprint(&stem).unwrap_or(&stem);
        let is_other = |file: &Location| without_fingerprint(&file.stem()).unwrap_or(&file.stem()) != own;
        others.sort_by_cached_key(|file| (is_other(file), !is_image_name(file), file.clone()));
        found.extend(others);
    }
    found
}

/// Symbols that an image names.
pub(crate) struct Named {
    pub id: SymbolId,
    /// File name at the end of their path; empty where the image has only an id.
    pub name: String,
}

/// Symbols that the image at `path` names, for an `.mdb` by its module version id. Only headers and debug directory are read, or the
/// whole file if these do not suffice, as in a container. Nothing is kept, because most files of a folder are unrelated images.
pub(crate) fn named_by(path: &Path, by_mvid: bool) -> Vec<Named> {
    let named = |entry: &DebugEntry| {
        let name = entry.rsds().and_then(|rsds| file_name(&rsds.path)).unwrap_or_default().to_owned();
        Some(Named { id: codeview_id(entry)?, name })
    };
    if let Some(entries) = (!by_mvid).then(|| entries_of(path)).flatten() {
        return entries.iter().filter_map(named).collect();
    }
    match RawFile::read(path).and_then(|raw| raw.load(&mut Spaces::default())) {
        Ok(LoadedFile::Image(image)) if by_mvid => {
            let id = image.mvid().map(|guid| SymbolId { guid, suffix: IdSuffix::None });
            id.map(|id| Named { id, name: String::new() }).into_iter().collect()
        }
        Ok(LoadedFile::Image(image)) => image.pe.debug.iter().filter_map(named).collect(),
        _ => Vec::new(),
    }
}

/// Sentence about a file from another build that has the same name as the only open file and is beside it.
pub fn refused_partner(session: &Session) -> Option<&str> {
    match (session.image(), session.symbol_file()) {
        (Some(image), None) => image.refused_pdb.as_deref(),
        (None, Some(file)) => file.refused_image.as_deref(),
        _ => None,
    }
}

/// CodeView entries of an image, of which only the headers and the debug directory are read; `None` if these do not tell.
fn entries_of(path: &Path) -> Option<Vec<DebugEntry>> {
    let mut file = open_regular(path).ok()?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_SIZE).read_to_end(&mut head).ok()?;
    codeview_entries(Region::whole(SpaceId(0), head), |offset, size| {
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        file.seek(SeekFrom::Start(offset)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    })
}

fn packed_name(name: &str) -> Option<String> {
    let stem = name.get(..name.len().checked_sub(1)?)?;
    has_extension(name, &["pdb"]).then(|| format!("{stem}_"))
}

fn is_image_name(file: &Location) -> bool {
    has_extension(&file.file_name(), &["dll", "exe"])
}

/// The file name at the end of a path from a file, which may be a Windows path; `None` where it is none that could be a file
/// of this folder.
fn file_name(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\', ':']).next()?;
    (!name.is_empty() && name != "." && name != ".." && !name.contains('\0')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_step_of_a_path_from_a_file_is_used() {
        assert_eq!(file_name("C:\\src\\Ticker.pdb"), Some("Ticker.pdb"));
        assert_eq!(file_name("/src/ticker/Ticker.pdb"), Some("Ticker.pdb"));
        assert_eq!(file_name("Ticker.pdb"), Some("Ticker.pdb"));
        assert_eq!(file_name("\\\\server\\share\\"), None);
        assert_eq!(file_name("C:\\x\\.."), None);
    }
}
