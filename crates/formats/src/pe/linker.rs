//! The tables of an image that its linker made for the loader and the shell: imports, exports, resources and the Rich header.

use super::{Directory, Exports, Imports, Pe, Resources, RichHeader, VersionInfo};
use crate::bytes::{Error, Result, Span};

/// The tables that the linker made.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct LinkerTables {
    pub imports: Imports,
    /// Exports; `None` where the image has no export table.
    pub exports: Option<Result<Exports>>,
    pub resources: Resources,
    /// The first version resource.
    pub version: Option<Result<VersionInfo>>,
    pub version_span: Option<Span>,
    pub manifest: Option<Span>,
    /// The Rich header, which only Microsoft's linker writes.
    pub rich: Option<RichHeader>,
}

/// One of the linker's tables.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkerTable {
    /// Imports that are bound when the image is loaded.
    Imports,
    /// Imports that are bound when they are first called.
    DelayImports,
    Exports,
    Resources,
    Version,
}

impl LinkerTables {
    /// Decodes all tables; what cannot be read is among the problems.
    pub fn read(image: &Pe) -> Self {
        let resources = Resources::read(image);
        Self {
            imports: Imports::read(image),
            exports: Exports::read(image),
            version: resources.version(image),
            version_span: resources.version_span(),
            manifest: resources.manifest(),
            rich: RichHeader::read(image),
            resources,
        }
    }

    /// Errors in the tables, without those that the headers of `image` report themselves.
    pub fn problems<'t>(&'t self, image: &'t Pe) -> impl Iterator<Item = (LinkerTable, &'t Error)> {
        let exports = self.exports.iter().flat_map(|exports| match exports {
            Ok(exports) => exports.problems.iter(),
            Err(error) => std::slice::from_ref(error).iter(),
        });
        let version = self.version.iter().filter_map(|version| version.as_ref().err());
        let imports = self.imports.problems.iter().map(|error| (LinkerTable::Imports, error));
        imports
            .chain(self.imports.delay_problems.iter().map(|error| (LinkerTable::DelayImports, error)))
            .chain(exports.map(|error| (LinkerTable::Exports, error)))
            .chain(self.resources.problems.iter().map(|error| (LinkerTable::Resources, error)))
            .chain(version.map(|error| (LinkerTable::Version, error)))
            .filter(|(table, _)| image.directory(table.directory()).is_some_and(|directory| directory.data.is_some()))
    }
}

impl LinkerTable {
    /// Number of the data directory that leads to the table.
    pub const fn directory(self) -> u8 {
        match self {
            Self::Exports => Directory::EXPORTS,
            Self::Imports => Directory::IMPORTS,
            Self::DelayImports => Directory::DELAY_IMPORTS,
            Self::Resources | Self::Version => Directory::RESOURCES,
        }
    }
}
