//! Files of a pair: formats, ids, and the keys by which symbol stores have them.

use pdblens_session::store::{Key, Wanted};
use pdblens_session::symbols::Format;

use super::{PdbFormat, StoreKey, Symbols};

impl Symbols {
    /// Format of the PDB; none without one.
    pub fn format(&self) -> Option<PdbFormat> {
        Some(match self.session.symbols()?.format() {
            Format::Portable => PdbFormat::Portable,
            Format::Windows => PdbFormat::Windows,
            Format::Native => PdbFormat::Native,
            Format::Mixed => PdbFormat::Mixed,
            Format::Mdb => PdbFormat::Mdb,
            Format::SmallMsf | Format::Msfz => PdbFormat::HeaderOnly,
        })
    }

    /// Id of the PDB: `3222a828-… stamp 1f2b3c4d`, or with the age of a Windows PDB.
    pub fn pdb_id(&self) -> Option<String> {
        Some(self.session.symbols()?.id()?.to_string())
    }

    /// Module version id of the image (MVID).
    pub fn mvid(&self) -> Option<String> {
        Some(self.session.image()?.mvid()?.to_string())
    }

    /// Key of the image.
    pub fn image_key(&self) -> Option<StoreKey> {
        key(Wanted::of_image(self.session.image()?)?.key)
    }

    /// Keys of the PDBs that the debug directory of the image names, as a symbol server takes them.
    pub fn pdb_keys(&self) -> Vec<StoreKey> {
        let Some(image) = self.session.image() else { return Vec::new() };
        Wanted::symbols_of(image).into_iter().filter_map(|wanted| key(wanted.key)).collect()
    }
}

fn key(key: Option<Key>) -> Option<StoreKey> {
    let key = key?;
    Some(StoreKey { name: key.name().to_owned(), id: key.id().to_owned() })
}
