//! Files and folders that the words of a command line let the program read.
//!
//! A word that names a file gives the tree around it: its repository, or the project whose build made it, because a pair and its sources
//! are parts of one; without these, its folder. A home folder or the root folder gives the files in it alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::session::inputs::installed_roots;
use crate::source::is_wide;
use crate::store::{Element, SymbolPath};

/// Folders above a file of which one may be that of a build.
const DEPTH: usize = 6;

/// Paths that the words and the environment name.
pub(super) fn readable(words: &[OsString]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let environment = SymbolPath::of_environment();
    add_symbol_path(&environment, &mut found);
    for word in words {
        add(Path::new(word), &mut found);
        // `--source-root=DIR`, `--map OLD=NEW`, `--symbols A;srv*B*URL`
        for part in word.to_string_lossy().split(['=', ';']) {
            add(Path::new(part), &mut found);
            add_symbol_path(&SymbolPath::parse(part), &mut found);
        }
    }
    found.sort();
    found.dedup();
    found
}

fn add_symbol_path(path: &SymbolPath, found: &mut Vec<PathBuf>) {
    found.extend(path.caches().map(Path::to_owned));
    path.elements.iter().filter_map(Element::plain).for_each(|folder| add(folder, found));
}

/// Adds what a word names: a file, a folder, a file in a container, a pattern, or an installed package or assembly.
fn add(word: &Path, found: &mut Vec<PathBuf>) {
    let text = word.to_string_lossy();
    if ["nuget:", "platform:"].iter().any(|scheme| text.starts_with(scheme)) {
        found.extend(installed_roots());
    }
    let whole = text.split(['!', '*', '?', '[', '{']).next().unwrap_or_default();
    if word.exists() {
        add_existing(word, found);
    } else if !whole.is_empty() && whole.len() < text.len() {
        let start = Path::new(whole);
        // The folder before a pattern; what it finds is in it.
        let folder = if start.exists() { Some(start) } else { start.parent() };
        add_existing(folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")), found);
    } else if whole.len() < text.len() {
        add_existing(Path::new("."), found);
    }
}

fn add_existing(path: &Path, found: &mut Vec<PathBuf>) {
    // A link leads to another folder; a pipe has no path.
    for path in [std::path::absolute(path).ok(), path.canonicalize().ok()].into_iter().flatten() {
        let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
        found.extend(folder.and_then(tree));
        if !path.is_dir() {
            let beside = folder.filter(|folder| is_wide(folder)).and_then(|folder| folder.read_dir().ok());
            let files = beside.into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
            found.extend(files.filter(|file| file.is_file()));
        }
        found.push(path);
    }
}

/// The repository, the project of a build, or the folder itself; `None` for one that has more in it than a project.
fn tree(folder: &Path) -> Option<PathBuf> {
    if is_wide(folder) || ["/dev", "/proc"].iter().any(|system| folder.starts_with(system)) {
        return None;
    }
    let above = || folder.ancestors().take_while(|folder| !is_wide(folder));
    let is_of_build = |folder: &&Path| ["bin", "obj", "artifacts"].iter().any(|name| folder.ends_with(name));
    let project = || above().take(DEPTH).filter(is_of_build).last().and_then(Path::parent);
    let root = above().find(|folder| folder.join(".git").exists()).or_else(project);
    Some(root.filter(|root| !is_wide(root)).unwrap_or(folder).to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use pdblens_testing::folder::Folder;

    #[test]
    fn a_file_gives_the_project_that_it_is_part_of() {
        let folder = Folder::new();
        let dll = folder.write("work/App/bin/Debug/net8.0/App.dll", "");
        let other = folder.write("elsewhere/out/Lib.dll", "");
        let of = |word: String| readable(&[OsString::from(word)]);
        let base = folder.path().canonicalize().unwrap();
        assert!(of(dll.display().to_string()).contains(&base.join("work/App")));
        folder.write("work/.git/HEAD", "");
        assert!(of(dll.display().to_string()).contains(&base.join("work")));
        let found = of(other.display().to_string());
        assert!(found.contains(&base.join("elsewhere/out")) && !found.contains(&base.join("elsewhere")), "{found:?}");
        for word in ["--map=/src={}", "{}!lib/App.dll", "{}/**/*.dll", "a;{}", "srv*{}*https://x.example"] {
            let word = word.replace("{}", &base.join("elsewhere").display().to_string());
            assert!(of(word.clone()).iter().any(|path| path.starts_with(base.join("elsewhere"))), "{word}");
        }
    }

    #[test]
    fn a_word_that_names_nothing_gives_nothing() {
        for word in ["App.Method+0x3", "--json", "/no/such/file", "*", "a=b;c"] {
            let found = readable(&[OsString::from(word)]);
            assert!(!found.contains(&PathBuf::from("/")), "{word}: {found:?}");
        }
        assert_eq!(tree(Path::new("/")), None);
        assert_eq!(std::env::home_dir().and_then(|home| tree(&home)), None);
    }
}
