//! Launchers of .NET programs: `App.exe` or `App` beside `App.dll` (*apphost*), which name the DLL that they start.

use std::path::{Path, PathBuf};

use super::archive::{may_be_host, read_host};
use pdblens_formats::host::{self, Host};

/// The DLL that the launcher `path` starts, and a remark on it; `None` if the file is no launcher, or the DLL is not there.
pub(super) fn launched(path: &Path) -> Option<(PathBuf, String)> {
    if !may_be_host(path) {
        return None;
    }
    let Some(Host::AppHost { dll: name }) = host::host(&read_host(path).ok()?) else { return None };
    let dll = below(path.parent().unwrap_or(Path::new("")), &name)?;
    if !dll.is_file() {
        return None;
    }
    let (launcher, own) = (path.display(), path.with_file_name(format!("{}.dll", program_name(path))));
    let remark = if dll == own {
        format!("{launcher} is a launcher (apphost): opened {name}, which it starts")
    } else if own.is_file() {
        format!(
            "{launcher} is the launcher of another assembly: opened {name}, which it starts, not {} beside it",
            own.file_name().unwrap_or_default().display()
        )
    } else {
        format!("{launcher} is the launcher of an assembly of another name: opened {name}, which it starts")
    };
    Some((dll, remark))
}

/// Name of the program that a host is called after: only Windows adds an extension, and `Acme.Tool` has none.
pub(super) fn program_name(host: &Path) -> String {
    let name = host.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.len().checked_sub(4).and_then(|at| name.split_at_checked(at));
    stem.filter(|(_, end)| end.eq_ignore_ascii_case(".exe")).map_or(&*name, |(stem, _)| stem).to_owned()
}

/// The file that a relative path names below a folder; `None` for a path that leads out of it.
fn below(folder: &Path, path: &str) -> Option<PathBuf> {
    let steps: Vec<&str> = path.split(['/', '\\']).collect();
    let plain = |step: &&str| !step.is_empty() && *step != "." && *step != ".." && !step.contains([':', '\0']);
    steps.iter().all(plain).then(|| steps.iter().fold(folder.to_owned(), |path, step| path.join(step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exe_is_taken_from_the_name_of_a_host() {
        for (host, name) in [("a/Acme.Tool", "Acme.Tool"), ("Acme.Tool.exe", "Acme.Tool"), ("A.EXE", "A"), ("é", "é")]
        {
            assert_eq!(program_name(Path::new(host)), name);
        }
    }

    #[test]
    fn the_path_in_a_launcher_stays_below_its_folder() {
        assert_eq!(below(Path::new("a"), "sub/App.dll"), Some(PathBuf::from("a").join("sub").join("App.dll")));
        assert_eq!(below(Path::new("a"), "sub\\App.dll"), Some(PathBuf::from("a").join("sub").join("App.dll")));
        for path in ["", "../App.dll", "/App.dll", "C:\\App.dll", "sub//App.dll", "a/../../App.dll"] {
            assert_eq!(below(Path::new("a"), path), None, "{path:?}");
        }
    }
}
