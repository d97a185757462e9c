//! The modules of the program and its crates, and the imports between them.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, is_name, read_all};

/// All files, and all imports between them.
pub(super) struct Modules {
    pub files: Vec<Source>,
    by_module: BTreeMap<Vec<String>, usize>,
    /// For each file the paths that its `use` declarations bring.
    uses: Vec<Vec<Use>>,
}

/// A name that a `use` declaration brings.
#[derive(Clone, Debug, PartialEq)]
struct Use {
    /// Empty for a glob.
    name: String,
    path: Vec<String>,
    is_public: bool,
    at: usize,
}

/// A path in a file that leads to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    pub from: usize,
    /// The path behind the name of its crate: `["session", "Session"]`.
    pub path: Vec<String>,
    /// The file that has the item, through re-exports; none for a module as such.
    pub to: Option<usize>,
    pub is_reexport: bool,
    pub line: usize,
}

impl Modules {
    pub(super) fn read() -> Self {
        Self::of(read_all())
    }

    pub(super) fn of(files: Vec<Source>) -> Self {
        let by_module = files.iter().enumerate().map(|(index, file)| (file.module.clone(), index)).collect();
        let uses = files.iter().map(|file| uses(&file.code)).collect();
        Self { files, by_module, uses }
    }

    /// All imports of all files, in the order of the files.
    pub(super) fn imports(&self) -> Vec<Import> {
        let mut found = BTreeSet::new();
        for from in 0..self.files.len() {
            for import in &self.uses[from] {
                let glob = import.name.is_empty();
                if let Some(path) = self.absolute(from, &import.path) {
                    let to = self.item(&path, 0).or_else(|| self.by_module.get(&path).copied().filter(|_| glob));
                    found.insert(self.import(from, path, to, import.is_public, import.at));
                }
            }
            for (at, path) in inline_paths(&self.files[from].code) {
                if let Some(path) = self.absolute(from, &path) {
                    let to = self.item(&path, 0);
                    found.insert(self.import(from, path, to, false, at));
                }
            }
        }
        found.into_iter().filter(|import| import.to != Some(import.from)).collect()
    }

    fn import(&self, from: usize, path: Vec<String>, to: Option<usize>, is_reexport: bool, at: usize) -> Import {
        Import { from, path, to, is_reexport, line: self.files[from].line(at) }
    }

    /// Crates other than this one that a file names, and the lines.
    pub(super) fn crates(&self, from: usize) -> Vec<(String, usize)> {
        let file = &self.files[from];
        let uses = self.uses[from].iter().map(|import| (import.at, import.path.clone()));
        let mut found: Vec<(String, usize)> = uses
            .chain(inline_paths(&file.code).into_iter().filter(|(_, path)| self.binding(from, &path[0]).is_none()))
            .filter(|(_, path)| !path.is_empty() && self.absolute(from, path).is_none())
            .map(|(at, path)| (path[0].clone(), file.line(at)))
            .collect();
        found.dedup();
        found
    }

    fn binding(&self, file: usize, name: &str) -> Option<&Use> {
        self.uses[file].iter().find(|import| import.name == name)
    }

    fn has(&self, module: &[String], child: &str) -> bool {
        self.by_module.contains_key(&[module, &[child.to_owned()]].concat())
    }

    /// A path as it is from the crate; nothing if it leads to another crate, or is no path of modules.
    fn absolute(&self, from: usize, path: &[String]) -> Option<Vec<String>> {
        let module = &self.files[from].module;
        let (head, rest) = path.split_first()?;
        if let Some(other) = head.strip_prefix("pdblens_") {
            return Some([&[other.to_owned()], rest].concat());
        }
        match head.as_str() {
            "crate" => Some([self.files[from].root(), rest].concat()),
            "pdblens" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let above = path.iter().take_while(|part| *part == "super").count();
                let parent = module.len().checked_sub(above)?;
                Some([&module[..parent], &path[above..]].concat())
            }
            name if self.has(module, name) => Some([module, path].concat()),
            name => {
                let import = self.binding(from, name).filter(|import| import.path != [name.to_owned()])?;
                // A name that stands for itself (`use super::x; x::y`) is looked up once.
                let base = (import.path[0] != *name).then(|| self.absolute(from, &import.path))??;
                Some([&base, rest].concat())
            }
        }
    }

    /// The file that has the item of an absolute path, through re-exports; nothing if the path is a module.
    fn item(&self, path: &[String], depth: usize) -> Option<usize> {
        let length = (0..=path.len()).rev().find(|length| self.by_module.contains_key(&path[..*length]))?;
        let file = self.by_module[&path[..length]];
        let (name, rest) = path[length..].split_first()?;
        if depth > 8 {
            return Some(file);
        }
        if let Some(import) = self.binding(file, name) {
            let Some(base) = self.absolute(file, &import.path) else { return Some(file) };
            return self.item(&[&base, rest].concat(), depth + 1);
        }
        for glob in self.uses[file].iter().filter(|import| import.name.is_empty()) {
            let Some(base) = self.absolute(file, &glob.path) else { continue };
            if let Some(other) = self.by_module.get(&base).filter(|other| defines(&self.files[**other].code, name)) {
                return Some(*other);
            }
        }
        Some(file)
    }
}

/// Returns whether an item of that name is defined in the code.
fn defines(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let whole = !code[at + name.len()..].starts_with(is_name) && !code[..at].ends_with(is_name);
        let before = code[..at].trim_end().rsplit(|c: char| !is_name(c) && c != '!').next().unwrap_or_default();
        whole && ["fn", "struct", "enum", "trait", "const", "static", "type", "macro_rules!"].contains(&before)
    })
}

/// Names that `use` declarations import, wherever they stand.
fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    for (at, _) in words(code, "use") {
        let end = at + code[at..].find(';').unwrap_or(0);
        let before = code[..at].trim_end();
        // `pub`, and `pub(crate)`, `pub(super)`.
        let scope = if before.ends_with(')') { before.rfind('(').unwrap_or(0) } else { before.len() };
        let is_public = before[..scope].ends_with("pub");
        // `impl Trait + use<'a>` is something else.
        if !code[at + 3..].trim_start().starts_with('<') {
            tree(&code[at + 3..end], &[], is_public, at, &mut found);
        }
    }
    found
}

/// The names of one tree: `a::{b, c as d, e::*}`.
fn tree(text: &str, before: &[String], is_public: bool, at: usize, found: &mut Vec<Use>) {
    let text = text.trim();
    let (head, group) = match text.split_once('{') {
        Some((head, group)) => (head, Some(group.trim_end().trim_end_matches('}'))),
        None => (text, None),
    };
    let (head, alias) = head.split_once(" as ").map_or((head, None), |(head, alias)| (head, Some(alias.trim())));
    let mut path = before.to_vec();
    path.extend(head.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    if let Some(group) = group {
        for part in split_outside_of_braces(group) {
            tree(part, &path, is_public, at, found);
        }
        return;
    }
    let Some(last) = path.last().cloned() else { return };
    let name = match last.as_str() {
        "*" => {
            path.pop();
            String::new()
        }
        "self" if path.len() > 1 => {
            path.pop();
            path.last().cloned().unwrap_or_default()
        }
        _ => last,
    };
    let name = alias.map_or(name, str::to_owned);
    found.push(Use { name, path, is_public, at });
}

fn split_outside_of_braces(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// Byte offsets of a word that is no part of a longer name.
pub(super) fn words<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = (usize, &'c str)> {
    code.match_indices(word)
        .filter(move |(at, _)| !code[..*at].ends_with(is_name) && !code[at + word.len()..].starts_with(is_name))
}

/// Paths of two names and more (`a::b::c`) that are no `use` declaration.
fn inline_paths(code: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = code[at..].find(is_name) {
        let start = at + next;
        let mut path = Vec::new();
        let mut end = start;
        loop {
            let name = end + code[end..].find(|c| !is_name(c)).unwrap_or(code.len() - end);
            path.push(code[end..name].to_owned());
            at = name;
            match code[name..].strip_prefix("::") {
                Some(rest) if rest.starts_with(is_name) => end = name + 2,
                _ => break,
            }
        }
        if path == ["use"] && !code[at..].trim_start().starts_with('<') {
            at += code[at..].find(';').unwrap_or(0);
        } else if path.len() > 1 && !code[..start].ends_with("::") && !code[..start].ends_with(['$', '.']) {
            found.push((start, path));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Modules {
        Modules::of(files.iter().map(|(path, text)| Source::new(path, (*text).to_owned())).collect())
    }

    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let modules = modules(files);
        let name = |index: usize| modules.files[index].path.trim_start_matches("src/");
        let arrow = |import: Import| import.to.map(|to| format!("{} > {}", name(import.from), name(to)));
        modules.imports().into_iter().filter_map(arrow).collect()
    }

    #[test]
    fn paths_lead_to_files() {
        let root = ("src/lib.rs", "pub mod a; pub mod b;");
        let b = ("src/b.rs", "pub struct B; fn f() { super::a::c::d(); }");
        let c = ("src/a/c.rs", "use super::{E, e::{self, F as G}}; use crate::b::B; // use crate::a::X;\n");
        let e = ("src/a/e.rs", "pub struct F; pub struct E; use self::F as H;");
        let a = ("src/a/mod.rs", "mod c; mod e; pub use e::*; fn x() { c::y() }");
        assert_eq!(
            arrows(&[a, c, e, b, root]),
            [
                "a/mod.rs > a/c.rs",
                "a/mod.rs > a/e.rs",
                "a/c.rs > a/e.rs",
                "a/c.rs > a/e.rs",
                "a/c.rs > b.rs",
                "b.rs > a/c.rs"
            ]
        );
    }

    #[test]
    fn crates_are_not_modules() {
        let a = ("src/a/mod.rs", "mod pdb; use object::read; use super::b; fn f() { pdb::x(); b::y(); clap::z(); }");
        let found = modules(&[a, ("src/a/pdb.rs", "pub fn x() {}"), ("src/b.rs", "pub fn y() {}"), ("src/lib.rs", "")]);
        assert_eq!(found.crates(0), [("object".to_owned(), 1), ("clap".to_owned(), 1)]);
    }
}
