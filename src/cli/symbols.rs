use std::io;
use std::path::PathBuf;

use super::Error;
use super::files::is_input;
use super::sandbox::Access;
use super::status_line::StatusLine;
use crate::session::inputs::is_many;
use crate::session::{Session, why_not_read};
use crate::store::http::Http;
use crate::store::{Element, SymbolPath, SymbolPaths};

/// Options for symbols that are not beside their image.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SymbolArgs {
    /// Search for symbols in a folder, a package, a symbol store, a server, or a path like `srv*cache*https://…`.
    ///
    /// Can be given several times. A server is contacted only if it is named here. Folders and stores of _NT_SYMBOL_PATH are searched too.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<String>,
}

impl SymbolArgs {
    /// The same path, and folders after it.
    #[must_use]
    pub(super) fn with_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.symbols.extend(folders.into_iter().map(|folder| folder.display().to_string()));
        self
    }

    /// The same path, and that of other options after it.
    #[must_use]
    pub(super) fn and(mut self, other: Self) -> Self {
        self.symbols.extend(other.symbols);
        self
    }

    /// Symbol path of the options, without that of the environment.
    pub(super) fn named(&self) -> SymbolPath {
        SymbolPath::parse(&self.symbols.join(";"))
    }

    /// Symbol path of the options and of the environment.
    pub fn paths(&self) -> SymbolPaths {
        SymbolPaths { named: self.named(), environment: SymbolPath::of_environment() }
    }

    /// Access to the network and the caches where a server is named.
    pub(super) fn access(&self) -> Access {
        let SymbolPaths { named, environment } = self.paths();
        if named.servers().next().is_none() {
            return Access::default();
        }
        let path = named.then(environment);
        path.caches().fold(Access::network(true), |access, cache| access.and(Access::folder(cache)))
    }

    /// Fails for a folder or file of the options that is not there: it was mistyped.
    pub(super) fn check_folders(&self) -> Result<(), Error> {
        for path in self.named().elements.iter().filter_map(Element::plain) {
            if let Err(error) = std::fs::metadata(path)
                && !is_input(path)
                && !is_many(path)
            {
                let why = match error.kind() {
                    io::ErrorKind::NotFound => "no such folder".to_owned(),
                    _ => why_not_read(&error),
                };
                return Err(Error::Other(format!("--symbols {}: {why}", path.display())));
            }
        }
        Ok(())
    }

    /// Adds symbols from the path to a session that has none.
    pub(super) fn complete(&self, session: Session) -> Result<Session, Error> {
        self.check_folders()?;
        let mut shown = StatusLine::new();
        let (session, _) =
            self.paths().complete(session, Some(&Http::default()), &mut |done, of| shown.fetched(done, of))?;
        Ok(session)
    }
}
