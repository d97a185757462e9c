//! Symbol stores: where symbols lie that are not beside their image.
//!
//! A [`SymbolPath`] says where to look: folders, stores of one or two tiers, caches and servers. What is looked for has a
//! [`Key`], made of its name and its id. Anybody can put anything there, so whatever is found is read and compared with
//! what was wanted ([`Wanted::accepts`]) before it is used or kept.
//!
//! # References
//!
//! "SSQP Key Conventions" in <https://github.com/dotnet/diagnostics> has the keys; Microsoft's documentation of `SymStore` and
//! of `_NT_SYMBOL_PATH` has stores and paths.

pub mod digest;
mod folder;
pub mod http;
mod key;
pub mod new_file;
mod path;
mod search;
pub mod symbol_hash;
mod wanted;

pub use folder::keep;
pub use key::Key;
pub use path::{Element, MICROSOFT, Source, SymbolPath, default_cache};
pub use search::{Found, Looked, Outcome, Search};
pub use wanted::Wanted;

use std::path::{Path, PathBuf};

use super::session::{OpenError, Session, deltas};
use crate::store::http::{Http, Progress};

/// Places to search for symbols that are not beside their image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolPaths {
    /// Path that the user named: its servers are contacted.
    pub named: SymbolPath,
    /// Path in `_NT_SYMBOL_PATH`: its servers are not contacted, as the user did not name them here.
    pub environment: SymbolPath,
}

impl SymbolPaths {
    /// The session with symbols from there, if it has an image and no symbols of its own; and where those were looked for.
    ///
    /// The servers that were named are asked only if there is `http`.
    pub fn complete(
        &self,
        session: Session,
        http: Option<&Http>,
        progress: Progress<'_>,
    ) -> Result<(Session, Vec<Looked>), OpenError> {
        let folders: Vec<&Path> = self.named.elements.iter().filter_map(Element::plain).map(PathBuf::as_path).collect();
        let with_deltas = |session| deltas::with_remarks(session, &folders);
        let (Some(image), None) = (session.image(), session.symbol_file()) else {
            return Ok((with_deltas(session), Vec::new()));
        };
        let mut looked = Vec::new();
        for wanted in Wanted::symbols_of(image) {
            let (found, more) = self.find(&wanted, [http, None], progress);
            looked.extend(more);
            if let (Some(found), Ok(bytes)) = (found, session.spaces().region(image.space)) {
                let files = vec![(image.path.clone(), bytes.bytes().to_vec()), (found.path, found.bytes)];
                let found = Session::from_bytes(files)?.with_remarks_of(&session);
                return Ok((with_deltas(found), looked));
            }
        }
        Ok((with_deltas(session), looked))
    }

    /// Searches the named symbol path, then that of the environment. Returns the file and the places that were searched. The servers of a
    /// path are asked only if `http` has a client for it.
    pub fn find(
        &self,
        wanted: &Wanted,
        http: [Option<&Http>; 2],
        progress: Progress<'_>,
    ) -> (Option<Found>, Vec<Looked>) {
        let (mut found, mut looked) = (None, Vec::new());
        for (path, http) in [&self.named, &self.environment].into_iter().zip(http) {
            if found.is_none() {
                let mut search = Search::new(path, http);
                found = search.find(wanted, progress);
                looked.append(&mut search.looked);
            }
        }
        (found, looked)
    }

    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.named.servers()
    }
}
