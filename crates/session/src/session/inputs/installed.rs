//! Addresses of what is installed on this machine: `nuget:Acme@1.2.0!lib/net8.0/Acme.dll` in the folder of NuGet's packages,
//! `platform:System.Text.Json` in the shared frameworks of .NET. Nothing is downloaded.

use pdblens_formats::reason::Reason;
use std::cmp::Ordering;
use std::env;
use std::path::{Path, PathBuf};

use crate::session::OpenError;

/// Folders of .NET, beside the one that `DOTNET_ROOT` names.
const DOTNET_ROOTS: &[&str] = &[
    "/usr/share/dotnet",
    "/usr/lib/dotnet",
    "/usr/lib64/dotnet",
    "/usr/local/share/dotnet",
    "/opt/homebrew/opt/dotnet/libexec",
    "C:\\Program Files\\dotnet",
];
/// The framework whose assembly counts where several frameworks have one of a name.
const FIRST_FRAMEWORK: &str = "Microsoft.NETCore.App";

pub(super) fn is_address(path: &Path) -> bool {
    parse(path).is_some()
}

/// The file or folder that an address leads to; `None` for a path.
pub(super) fn resolve(path: &Path) -> Result<Option<PathBuf>, OpenError> {
    let Some((scheme, name, version, inner)) = parse(path) else { return Ok(None) };
    let wrong = |why: &str| OpenError::Pattern(format!("{}: {why}", path.display()));
    let plain = |text: &str| !text.is_empty() && text != "." && text != ".." && !text.contains(['/', '\\', ':']);
    if name.is_empty() {
        let needs =
            if scheme == "nuget" { "a package: nuget:ID@VERSION" } else { "an assembly: platform:ASSEMBLY@VERSION" };
        return Err(OpenError::Pattern(format!("{scheme}: needs {needs}")));
    }
    if !plain(name) || version.is_some_and(|version| !plain(version)) {
        return Err(wrong("write nuget:ID@VERSION!PATH or platform:ASSEMBLY@VERSION"));
    }
    let found = match scheme {
        "nuget" => package(name, version),
        _ => assembly(name, version),
    };
    let found = found.map_err(|why| wrong(&why.text))?;
    let steps = inner.into_iter().flat_map(|inner| inner.split(['/', '\\']));
    if steps.clone().any(|step| !plain(step)) {
        return Err(wrong("the path after ! leads out of the package"));
    }
    Ok(Some(steps.fold(found, |path, step| path.join(step))))
}

/// Scheme, name, version and path of an address.
fn parse(path: &Path) -> Option<(&str, &str, Option<&str>, Option<&str>)> {
    let (scheme, rest) = path.to_str()?.split_once(':')?;
    if !matches!(scheme, "nuget" | "platform") || path.exists() {
        return None;
    }
    let (rest, inner) = rest.split_once('!').map_or((rest, None), |(rest, inner)| (rest, Some(inner)));
    let (name, version) = rest.split_once('@').map_or((rest, None), |(name, version)| (name, Some(version)));
    Some((scheme, name, version, inner))
}

/// Folders that addresses lead to.
pub fn installed_roots() -> impl Iterator<Item = PathBuf> {
    packages_root().into_iter().chain(dotnet_roots())
}

fn packages_root() -> Option<PathBuf> {
    match env::var_os("NUGET_PACKAGES").filter(|root| !root.is_empty()) {
        Some(root) => Some(root.into()),
        None => Some(env::home_dir()?.join(".nuget").join("packages")),
    }
}

fn dotnet_roots() -> Vec<PathBuf> {
    match env::var_os("DOTNET_ROOT").filter(|root| !root.is_empty()) {
        Some(root) => vec![root.into()],
        None => DOTNET_ROOTS.iter().map(PathBuf::from).filter(|root| root.is_dir()).collect(),
    }
}

/// The folder of a package: of its newest version, where none is named.
fn package(name: &str, version: Option<&str>) -> Result<PathBuf, Reason> {
    let root = packages_root().ok_or_else(|| Reason::new("no-home", "the home folder is not known"))?;
    let folder = root.join(name.to_ascii_lowercase());
    let versions = names(&folder);
    let found = match version {
        Some(version) => versions.iter().find(|known| known.eq_ignore_ascii_case(version)),
        None => versions.iter().max_by(|a, b| compare(a, b)),
    };
    found.map(|version| folder.join(version)).ok_or_else(|| {
        if versions.is_empty() {
            Reason::new("not-installed", format!("there is no such package in {}", root.display()))
        } else {
            Reason::new("other-version", format!("{} has {}", folder.display(), versions.join(", ")))
        }
    })
}

/// An assembly of a shared framework, in its newest version where none is named.
fn assembly(name: &str, version: Option<&str>) -> Result<PathBuf, Reason> {
    let file = if name.to_ascii_lowercase().ends_with(".dll") { name.to_owned() } else { format!("{name}.dll") };
    let roots = dotnet_roots();
    let mut found: Vec<(bool, String, PathBuf)> = Vec::new();
    for shared in roots.iter().map(|root| root.join("shared")) {
        for framework in names(&shared) {
            for known in names(&shared.join(&framework)) {
                let path = shared.join(&framework).join(&known).join(&file);
                if version.is_none_or(|version| version == known) && path.is_file() {
                    found.push((framework == FIRST_FRAMEWORK, known, path));
                }
            }
        }
    }
    let best = found.into_iter().max_by(|(a, old, _), (b, new, _)| a.cmp(b).then_with(|| compare(old, new)));
    best.map(|(_, _, path)| path).ok_or_else(|| {
        let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        let looked = if roots.is_empty() { "no .NET was found: set DOTNET_ROOT".to_owned() } else { roots.join(", ") };
        Reason::new("not-installed", format!("no shared framework has {file} ({looked})"))
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Compares versions by their numbers; a prerelease comes before its release.
fn compare(a: &str, b: &str) -> Ordering {
    let split = |version: &str| {
        let (numbers, label) =
            version.split_once('-').map_or((version, None), |(numbers, label)| (numbers, Some(label)));
        let numbers: Vec<u64> = numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect();
        (numbers, label.map(str::to_owned))
    };
    let ((a, label), (b, other)) = (split(a), split(b));
    a.cmp(&b).then_with(|| label.is_none().cmp(&other.is_none())).then_with(|| label.cmp(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        let of = |text: &'static str| parse(Path::new(text));
        assert_eq!(of("nuget:A@1.0!lib/A.dll"), Some(("nuget", "A", Some("1.0"), Some("lib/A.dll"))));
        assert_eq!(of("platform:System.Text.Json"), Some(("platform", "System.Text.Json", None, None)));
        assert_eq!(of("C:\\nuget"), None);
        assert_eq!(of("nuget"), None);
    }

    #[test]
    fn addresses_lead_nowhere_else() {
        for text in ["nuget:..@1", "nuget:A@..", "nuget:a/b@1", "platform:../x", "nuget:", "platform:"] {
            assert!(resolve(Path::new(text)).unwrap_err().to_string().contains("@VERSION"), "{text}");
        }
    }

    #[test]
    fn versions_are_numbers() {
        let mut all = vec!["10.0.1", "9.0.0", "10.0.0-rc.1", "10.0.0", "8.0.20"];
        all.sort_by(|a, b| compare(a, b));
        assert_eq!(all, ["8.0.20", "9.0.0", "10.0.0-rc.1", "10.0.0", "10.0.1"]);
    }
}
