//! Texts of documents.

use std::path::PathBuf;

use pdblens_query::address::line_query;
use pdblens_session::source::{HashVerdict, Origin, SourceOptions, Sources, verify_any};

use super::{DocumentText, Error, SourceVerdict, Symbols};

impl Symbols {
    /// Text of a document: from the PDB, from the path that the compiler had, or from `folders` of sources. Nothing is downloaded.
    ///
    /// The document is a path of the PDB, the end of one, or a file name.
    pub fn source(&self, document: &str, folders: &[PathBuf]) -> Result<Option<DocumentText>, Error> {
        let options = SourceOptions { roots: folders.to_vec(), ..SourceOptions::default() };
        let found = Sources::of(&self.session, &options).get(self.row_of(document)?);
        let found = found.map_err(|error| self.unreadable(&error))?;
        let file = match found.from {
            Origin::File(path) => Some(path),
            _ => None,
        };
        Ok(found.text.map(|text| DocumentText { text: text.text().to_owned(), file, verdict: verdict(found.verdict) }))
    }

    /// Compares the bytes of a file with the hash of a document.
    pub fn verify(&self, document: &str, bytes: &[u8]) -> Result<SourceVerdict, Error> {
        let row = self.row_of(document)?;
        let Some(symbols) = self.session.symbols() else { return Ok(SourceVerdict::CannotTell) };
        let document = symbols.document(row).map_err(|error| self.unreadable(&error))?;
        let hashes = self.session.native_pdb().map_or(&[][..], |pdb| pdb.module_hashes(row));
        Ok(verdict(verify_any(bytes, &document, hashes)))
    }

    fn row_of(&self, document: &str) -> Result<u32, Error> {
        let query = line_query(&self.session, document, 1, None)?;
        Ok(query.documents.first().copied().unwrap_or_default())
    }
}

const fn verdict(of: HashVerdict) -> SourceVerdict {
    match of {
        HashVerdict::Verified(_) => SourceVerdict::Verified,
        HashVerdict::Differs => SourceVerdict::Differs,
        HashVerdict::CannotTell(_) => SourceVerdict::CannotTell,
    }
}
