//! The text of a `srcsrv` stream, written from a PDB's own list of sources.
//!
//! `OLD=NEW` says that what is below `OLD` in the PDB's paths is to be had below `NEW`: a URL (with `*` where the rest goes,
//! or at its end) or a folder. Where the files of the folder are known, the file whose path agrees with the PDB's from the
//! end for longest is the one, so that builds that moved things around are served too.

use std::collections::HashMap;

use crate::text::paths::percent_encoded_except;

/// Characters of a part of a path that stand for themselves in a URL, besides letters and digits.
const PLAIN: &str = "-._~!$&'()+,;=:@";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Prefix of the PDB's paths; empty for all of them.
    pub old: String,
    pub new: String,
    /// The files of the folder, relative to it; `None` where they are not known.
    pub files: Option<Vec<String>>,
}

/// A text for the `srcsrv` stream, and what became of each source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SrcSrvText {
    /// The text, with the CR LF line ends that every reader takes.
    pub text: String,
    /// For each source of the PDB, in order, where it leads, or why nowhere.
    pub files: Vec<Result<String, Unmapped>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmapped {
    #[error("no mapping matches the start of its path")]
    NoMapping,
    #[error("the folder has no file of that name")]
    NoFile,
    #[error("two files of the folder match equally well")]
    Ambiguous,
    #[error("its path has a * or a line end, which the format cannot express")]
    Inexpressible,
}

impl Mapping {
    /// Reads `OLD=NEW`; a path that has a `=` itself cannot be `OLD`.
    pub fn parse(text: &str) -> Option<Self> {
        let (old, new) = text.split_once('=')?;
        (!new.is_empty()).then(|| Self { old: old.to_owned(), new: new.to_owned(), files: None })
    }

    /// Returns whether the target is a URL, not a folder.
    pub fn is_url(&self) -> bool {
        let new = self.new.to_ascii_lowercase();
        new.starts_with("http://") || new.starts_with("https://")
    }

    /// Returns whether the target is a folder of another machine, `\\server\share`, whose files are not listed from here.
    pub fn is_unc(&self) -> bool {
        self.new.starts_with("\\\\") || self.new.starts_with("//")
    }

    /// Rest of `path` after `OLD`, if that matches whole components; ignores case and the kind of slash.
    fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        let old = self.old.trim_end_matches(is_slash);
        let start = path.get(..old.len())?;
        let rest = path.get(old.len()..)?;
        let same = start.chars().map(folded).eq(old.chars().map(folded));
        let whole = old.is_empty() || rest.is_empty() || rest.starts_with(is_slash);
        (same && whole).then(|| rest.trim_start_matches(is_slash))
    }

    /// Target of the source at `path`, given `rest`, its part after `OLD`, and the files of the folder.
    fn target(&self, path: &str, rest: &str, files: &FilesByName<'_>) -> Result<String, Unmapped> {
        if self.is_url() {
            let rest = parts(rest).map(|part| percent_encoded_except(part, PLAIN)).collect::<Vec<_>>().join("/");
            return Ok(match self.new.split_once('*') {
                Some((before, after)) => format!("{before}{rest}{after}"),
                None => format!("{}/{rest}", self.new.trim_end_matches('/')),
            });
        }
        let rest = match &self.files {
            Some(_) => best(path, files)?,
            None => rest,
        };
        let slash = if self.new.contains('\\') { "\\" } else { "/" };
        let rest = parts(rest).collect::<Vec<_>>().join(slash);
        Ok(format!("{}{slash}{rest}", self.new.trim_end_matches(is_slash)))
    }
}

/// Path of a source below the folder, share or URL that a stream of these mappings points to; `None` where it points to none.
pub fn path_below(path: &str, mappings: &[Mapping]) -> Option<String> {
    let fits = mappings.iter().filter_map(|mapping| Some((mapping.old.len(), mapping.rest(path)?)));
    let (_, rest) = fits.max_by_key(|(length, _)| *length)?;
    Some(parts(rest).collect::<Vec<_>>().join("/"))
}

/// The files of a folder by their folded names.
type FilesByName<'f> = HashMap<String, Vec<&'f str>>;

fn by_name(files: &[String]) -> FilesByName<'_> {
    let mut named = FilesByName::new();
    for file in files {
        named.entry(name(file)).or_default().push(file);
    }
    named
}

/// The last part of a path, folded.
fn name(path: &str) -> String {
    parts(path).next_back().unwrap_or_default().chars().map(folded).collect()
}

/// The file that agrees with `path` from the end for the most parts.
fn best<'f>(path: &str, files: &FilesByName<'f>) -> Result<&'f str, Unmapped> {
    let (mut found, mut most) = (Err(Unmapped::NoFile), 0);
    for file in files.get(&name(path)).into_iter().flatten() {
        let shared = shared_suffix(path, file);
        if shared > most {
            (found, most) = (Ok(*file), shared);
        } else if shared == most && most > 0 {
            found = Err(Unmapped::Ambiguous);
        }
    }
    found
}

/// Number of trailing components that two paths share, ignoring case.
pub(crate) fn shared_suffix(one: &str, other: &str) -> usize {
    let same = |(a, b): &(&str, &str)| a.chars().map(folded).eq(b.chars().map(folded));
    parts(one).rev().zip(parts(other).rev()).take_while(same).count()
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

fn folded(c: char) -> char {
    if c == '\\' { '/' } else { c.to_lowercase().next().unwrap_or(c) }
}

fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(is_slash).filter(|part| !part.is_empty())
}

/// Name of the template's variable for the folder of a mapping: the first name that srcsrv does not define.
pub fn root_variable(template: &str) -> Option<&str> {
    let names = template.split('%').skip(1).step_by(2);
    let is_defined = |name: &str| {
        let name = name.to_lowercase();
        name == "targ"
            || name.starts_with("fn")
            || name.strip_prefix("var").is_some_and(|rest| rest.parse::<u8>().is_ok())
    };
    names.into_iter().find(|name| !is_defined(name))
}

/// The text for `sources` by a template of the target, such as `%UNCROOT%\%var2%`: a variable of the stream has the folder or URL of
/// the mapping, and each file the rest of its path, and then `values` for `%var3%` and those after it.
pub fn write_template(sources: &[String], mapping: &Mapping, template: &str, values: &[String]) -> SrcSrvText {
    let slash = if mapping.new.contains('\\') { "\\" } else { "/" };
    let rest = |path: &String| {
        let rest = mapping.rest(path).ok_or(Unmapped::NoMapping)?;
        let rest = parts(rest).collect::<Vec<_>>().join(slash);
        if path.contains(['*', '\r', '\n']) { Err(Unmapped::Inexpressible) } else { Ok(rest) }
    };
    let root = root_variable(template)
        .map_or_else(String::new, |name| format!("{name}={}\r\n", mapping.new.trim_end_matches(is_slash)));
    stream_text(
        sources,
        sources.iter().map(rest).collect(),
        if mapping.is_url() { "http" } else { "file" },
        &root,
        (template, &values.iter().map(|value| format!("*{value}")).collect::<Vec<_>>().concat()),
    )
}

/// The text for `sources`, the source files as the PDB names them. The first mapping that fits a path is the one, the one
/// with the longest `OLD` before others.
pub fn write(sources: &[String], mappings: &[Mapping]) -> SrcSrvText {
    let named = mappings.iter().map(|mapping| by_name(mapping.files.as_deref().unwrap_or_default()));
    let mut order: Vec<_> = mappings.iter().zip(named).collect();
    order.sort_by_key(|(mapping, _)| std::cmp::Reverse(mapping.old.len()));
    let files: Vec<_> = sources.iter().map(|path| target(path, &order)).collect();
    let urls = mappings.iter().all(Mapping::is_url);
    stream_text(sources, files, if urls { "http" } else { "file" }, "", ("%var2%", ""))
}

/// The stream with a line for each file that has a value for `%var2%`; `variables` are complete lines, `more` ends each line of a file.
fn stream_text(
    sources: &[String],
    files: Vec<Result<String, Unmapped>>,
    control: &str,
    variables: &str,
    (target, more): (&str, &str),
) -> SrcSrvText {
    let mut text = String::new();
    let mut line = |parts: &[&str]| {
        text.extend(parts.iter().copied().chain(["\r\n"]));
    };
    line(&["SRCSRV: ini ------------------------------------------------"]);
    line(&["VERSION=2"]);
    line(&["VERCTRL=", control]);
    line(&["SRCSRV: variables ------------------------------------------"]);
    line(&[variables, "SRCSRVVERCTRL=", control]);
    line(&["SRCSRVTRG=", target]);
    line(&["SRCSRVCMD="]);
    line(&["SRCSRV: source files ---------------------------------------"]);
    for (path, value) in sources.iter().zip(&files) {
        if let Ok(value) = value {
            line(&[path, "*", value, more]);
        }
    }
    line(&["SRCSRV: end ------------------------------------------------"]);
    SrcSrvText { text, files }
}

fn target(path: &str, mappings: &[(&Mapping, FilesByName<'_>)]) -> Result<String, Unmapped> {
    let fits = |(mapping, files): &(&Mapping, FilesByName<'_>)| Some(mapping.target(path, mapping.rest(path)?, files));
    let target = mappings.iter().find_map(fits).ok_or(Unmapped::NoMapping)??;
    let expressible = !path.contains(['*', '\r', '\n']) && !target.contains(['*', '\r', '\n']);
    if expressible { Ok(target) } else { Err(Unmapped::Inexpressible) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::srcsrv::{Evaluator, RetrievalMethod};
    use pdblens_formats::bytes::{Region, SpaceId};
    use pdblens_formats::srcsrv::SrcSrv;
    use std::sync::Arc;

    fn sources(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    fn mapping(text: &str, files: Option<&[&str]>) -> Mapping {
        Mapping { files: files.map(sources), ..Mapping::parse(text).unwrap() }
    }

    #[test]
    fn what_is_written_evaluates_to_what_was_meant() {
        let paths = sources(&[
            r"C:\src\ticker\Program.cs",
            "c:/SRC/a b/ü%.cs",
            r"C:\srcs\x.cs",
            r"D:\lib\deep\y.cs",
            "d:\\*.c",
        ]);
        let mappings = [
            mapping(r"C:\src=https://x.example/raw/1a2b/*?raw=1", None),
            mapping(r"D:\=\\server\share\", None),
            mapping(r"D:\lib\=http://lib.example/", None),
        ];
        let written = write(&paths, &mappings);
        let expected = [
            Ok("https://x.example/raw/1a2b/ticker/Program.cs?raw=1".into()),
            Ok("https://x.example/raw/1a2b/a%20b/%C3%BC%25.cs?raw=1".into()),
            Err(Unmapped::NoMapping),
            Ok("http://lib.example/deep/y.cs".into()),
            Err(Unmapped::Inexpressible),
        ];
        assert_eq!(written.files, expected);
        let stream = SrcSrv::parse(Region::whole(SpaceId(0), Arc::new(written.text.clone().into_bytes())));
        assert!(stream.problems.is_empty(), "{:?}", stream.problems);
        let evaluator = Evaluator::new(&stream);
        for (path, target) in paths.iter().zip(&written.files) {
            let found = evaluator.find(path);
            assert_eq!(found.as_ref().map(|found| &found.target), target.as_ref().ok(), "{path}");
            assert!(found.is_none_or(|found| found.method == RetrievalMethod::Url && found.problems.is_empty()));
        }
    }

    #[test]
    fn the_longest_common_end_decides_which_file_is_which() {
        let files = ["src/a/main.c", "src/b/main.c", "tests/main.c", "LICENSE"];
        let mappings = [mapping("=/home/me/project", Some(&files))];
        let found = |path: &str| write(&sources(&[path]), &mappings).files.remove(0);
        assert_eq!(found(r"Z:\agent\7\SRC\B\Main.c"), Ok("/home/me/project/src/b/main.c".into()));
        assert_eq!(found("/x/tests/main.c"), Ok("/home/me/project/tests/main.c".into()));
        assert_eq!(found("/x/other/main.c"), Err(Unmapped::Ambiguous));
        assert_eq!(found("/x/other.c"), Err(Unmapped::NoFile));
        assert_eq!(shared_suffix(r"a\b\c", "x/b/C"), 2);
    }

    #[test]
    fn a_folder_keeps_its_kind_of_slash() {
        let to = |new: &str| write(&sources(&["/src/a/b.c"]), &[mapping(&format!("/src={new}"), None)]).files.remove(0);
        assert_eq!(to(r"\\server\share"), Ok(r"\\server\share\a\b.c".into()));
        assert_eq!(to("/mnt/share/"), Ok("/mnt/share/a/b.c".into()));
        assert_eq!(Mapping::parse("nothing"), None);
        assert_eq!(Mapping::parse("a="), None);
    }
}
