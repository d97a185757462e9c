//! File to search for, with the check whether a file is the one.

use super::Key;
use crate::session::{Image, Session, codeview_ids, id_matches};
use crate::store::digest::Algorithm;
use crate::store::symbol_hash;
use crate::symbols::{IdSuffix, SymbolId};
use crate::text::safe::hex;
use pdblens_formats::bytes::Guid;
use pdblens_formats::pe::Payload;
use pdblens_formats::reason::Reason;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name, by the path that it had where it was made.
    pub path: String,
    /// Its key; nothing where its name is none that a file could have.
    pub key: Option<Key>,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Symbols with this id; if the image has checksums of them, with one of those.
    Symbols { id: SymbolId, checksums: Vec<(Algorithm, Vec<u8>)> },
    /// An image with this stamp and this size in memory.
    Image { stamp: u32, size: u32 },
}

impl Wanted {
    pub fn symbols_of(image: &Image) -> Vec<Self> {
        let checksums: Vec<_> = image
            .pe
            .debug
            .iter()
            .filter_map(|entry| match &entry.payload {
                Ok(Payload::PdbChecksum(found)) => Some((Algorithm::named(&found.algorithm)?, found.checksum.clone())),
                _ => None,
            })
            .collect();
        let paths = image.pe.debug.iter().filter_map(|entry| entry.rsds()).map(|rsds| rsds.path.clone());
        let wanted = paths.zip(codeview_ids(&image.pe)).map(|(path, id)| Self {
            key: Key::of_symbols(&path, id),
            path,
            what: What::Symbols { id, checksums: checksums.clone() },
        });
        wanted.collect()
    }

    /// Symbols by their id alone.
    pub fn symbols(path: &str, id: SymbolId) -> Self {
        let what = What::Symbols { id, checksums: Vec::new() };
        Self { path: path.to_owned(), key: Key::of_symbols(path, id), what }
    }

    /// A portable PDB of which only the GUID is known: its key has no more of the id.
    pub fn portable(path: &str, guid: Guid) -> Self {
        let key = Key::of_symbols(path, SymbolId { guid, suffix: IdSuffix::Stamp(0) });
        let what = What::Symbols { id: SymbolId { guid, suffix: IdSuffix::None }, checksums: Vec::new() };
        Self { path: path.to_owned(), key, what }
    }

    pub fn image(path: &str, stamp: u32, size: u32) -> Self {
        Self { path: path.to_owned(), key: Key::of_image(path, stamp, size), what: What::Image { stamp, size } }
    }

    /// The image that `image` is itself.
    pub fn of_image(image: &Image) -> Option<Self> {
        let size = image.pe.optional.as_ref()?.windows.size_of_image;
        Some(Self::image(&image.name, image.pe.coff.time_date_stamp, size))
    }

    /// Value of the `SymbolChecksum` request header.
    pub(crate) fn checksum_header(&self) -> Option<String> {
        match &self.what {
            What::Symbols { checksums, .. } if !checksums.is_empty() => {
                let all = checksums.iter().map(|(algorithm, hash)| format!("{}:{}", algorithm.name(), hex(hash)));
                Some(all.collect::<Vec<_>>().join(";"))
            }
            _ => None,
        }
    }

    /// Checks that `bytes` are the wanted file.
    pub fn accepts(&self, bytes: Vec<u8>) -> Result<(), Reason> {
        let file = Session::from_bytes(vec![(self.path.clone().into(), bytes)]).map_err(|error| error.reason())?;
        match &self.what {
            What::Symbols { id, checksums } => {
                let symbols = file.symbol_file().filter(|symbols| !symbols.embedded);
                let symbols = symbols.ok_or_else(|| Reason::new("not-symbols", "an image where symbols should be"))?;
                match symbols.reader().id() {
                    Some(have) if id_matches(*id, have) => {}
                    Some(have) => return Err(Reason::new("other-id", format!("does not match: its id is {have}"))),
                    None => return Err(Reason::new("no-id", "without an id")),
                }
                checksum(&file, checksums)
            }
            What::Image { stamp, size } => {
                let pe = &file.image().ok_or_else(|| Reason::new("no-image", "no image"))?.pe;
                let have =
                    (pe.coff.time_date_stamp, pe.optional.as_ref().map(|optional| optional.windows.size_of_image));
                if have == (*stamp, Some(*size)) {
                    Ok(())
                } else {
                    Err(Reason::new("other-stamp", "does not match: stamp or size differs"))
                }
            }
        }
    }
}

/// Checks that a file has one of the checksums, if there are any and its format supports them.
fn checksum(file: &Session, checksums: &[(Algorithm, Vec<u8>)]) -> Result<(), Reason> {
    let mut seen = false;
    for (algorithm, wanted) in checksums {
        match symbol_hash::symbol_hash(file, *algorithm) {
            Some(Ok(have)) if have == *wanted => return Ok(()),
            Some(_) => seen = true,
            None => {}
        }
    }
    let changed = || Reason::new("checksum", "the id matches but the checksum does not: the file was changed");
    if seen { Err(changed()) } else { Ok(()) }
}
