//! NuGet packages: the package with the assemblies (`.nupkg`) and the one with their symbols (`.snupkg`).

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::{archive, units};
use crate::formats::container::zip::{self, RawEntry};
use crate::formats::nuspec::Nuspec;
use crate::session::OpenError;
use crate::text::safe::utf8;

/// Limit on the bytes of a manifest.
const MAX_NUSPEC: u64 = 4 << 20;

/// A package and its manifest.
#[derive(Debug)]
pub struct Package {
    /// Path of the file.
    pub path: PathBuf,
    /// Every entry of the archive, as it is written.
    pub entries: Vec<RawEntry>,
    /// The manifest, or the reason why it cannot be read.
    pub nuspec: Result<Nuspec, String>,
}

/// The two packages of one version: at least one of them is there.
#[derive(Debug, Default)]
pub struct Packages {
    /// The package with the assemblies.
    pub main: Option<Package>,
    /// The package with their symbols.
    pub symbols: Option<Package>,
}

impl Package {
    fn open(path: &Path) -> Result<Self, OpenError> {
        let unreadable = |error| OpenError::Io { path: path.to_owned(), error };
        let file = File::open(path).map_err(unreadable)?;
        let entries = zip::directory(BufReader::new(file)).map_err(|error| unreadable(std::io::Error::other(error)))?;
        let archive = archive::of(path).map_err(unreadable)?;
        // The manifest is at the root, under whatever name.
        let mut manifests = archive.entries.iter().map(|entry| &entry.path).filter(|path| {
            !path.contains('/') && path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("nuspec"))
        });
        let nuspec = match (manifests.next(), manifests.next()) {
            (Some(manifest), None) => match archive.read(manifest, MAX_NUSPEC) {
                Ok(bytes) => Nuspec::parse(&utf8(&bytes)).map_err(|why| format!("{manifest}: {why}")),
                Err(error) => Err(format!("{manifest}: {error}")),
            },
            (None, _) => Err("it has no .nuspec at its root".to_owned()),
            (Some(_), Some(_)) => Err("it has several .nuspec files at its root".to_owned()),
        };
        Ok(Self { path: path.to_owned(), entries, nuspec })
    }

    /// Name of the file.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Packages {
    /// The packages among files that were named, each with its other one: from among them, or from beside it.
    pub fn among(paths: &[PathBuf]) -> Result<Vec<Self>, OpenError> {
        let mut found: Vec<(PathBuf, Self)> = Vec::new();
        for path in &units::named(paths) {
            let Some((stem, _)) = kind(path).filter(|_| path.is_file()) else { continue };
            if found.iter().any(|(known, _)| *known == stem) {
                continue;
            }
            let open = |extension: &str| {
                let other = PathBuf::from(format!("{}.{extension}", stem.display()));
                let other = if kind(path).is_some_and(|(_, own)| own == extension) { path.clone() } else { other };
                if other.is_file() { Package::open(&other).map(Some) } else { Ok(None) }
            };
            let packages = Self { main: open("nupkg")?, symbols: open("snupkg")? };
            found.push((stem, packages));
        }
        Ok(found.into_iter().map(|(_, packages)| packages).collect())
    }

    /// Those that are there, the assemblies first.
    pub fn each(&self) -> impl Iterator<Item = &Package> {
        self.main.iter().chain(&self.symbols)
    }
}

/// Returns whether a path is named like a package that the NuGet gallery takes.
pub fn is_package(path: &Path) -> bool {
    kind(path).is_some()
}

/// Path without its extension, and the extension, of a package; the old `.symbols.nupkg` is none.
fn kind(path: &Path) -> Option<(PathBuf, &'static str)> {
    let extension = path.extension()?.to_str()?;
    let kind = ["nupkg", "snupkg"].into_iter().find(|kind| extension.eq_ignore_ascii_case(kind))?;
    let stem = path.with_extension("");
    (!stem.to_str().is_some_and(|stem| stem.to_ascii_lowercase().ends_with(".symbols"))).then_some((stem, kind))
}
