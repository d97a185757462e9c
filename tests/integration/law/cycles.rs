//! Import cycles: none is larger than three files, and those are files of one module.

use std::collections::BTreeSet;

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::modules::Modules;
use super::source::Source;

/// Maximum number of files of one module that import each other in a circle.
const MAX_FILES: usize = 3;

/// For each file those that it imports. A file may name its own facade and what that passes on, however many folders above it
/// the facade stands: a facade is the list of its folder, and what it declares (`Node` and `Place` of `nodes/mod.rs`) is meant
/// for every file inside. The arrows from a facade to its files stay.
fn arrows(modules: &Modules) -> Vec<BTreeSet<usize>> {
    let mut found = vec![BTreeSet::new(); modules.files.len()];
    for import in modules.imports() {
        let Some(to) = import.to.filter(|_| !import.is_reexport) else { continue };
        if !is_around(&modules.files[to], &modules.files[import.from]) {
            found[import.from].insert(to);
        }
    }
    found
}

/// Returns whether `facade` is that of a folder that `file` is in.
fn is_around(facade: &Source, file: &Source) -> bool {
    let is_above = facade.module.len() < file.module.len() && file.module.starts_with(&facade.module);
    is_above && (facade.is_facade() || !facade.module.is_empty())
}

/// Sets of files each of which reaches all others of its set; only those of two files and more (Tarjan).
fn cycles(arrows: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        order: usize,
        low: usize,
        open: bool,
    }
    let mut seen: Vec<Seen> = vec![Seen::default(); arrows.len()];
    let (mut found, mut stack, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..arrows.len() {
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut next = (seen[root].order == 0).then_some(root);
        loop {
            if let Some(file) = next.take() {
                count += 1;
                seen[file] = Seen { order: count, low: count, open: true };
                stack.push(file);
                path.push((file, arrows[file].iter().copied().collect()));
            }
            let Some((file, rest)) = path.last_mut() else { break };
            let file = *file;
            if let Some(to) = rest.pop() {
                if seen[to].order == 0 {
                    next = Some(to);
                } else if seen[to].open {
                    seen[file].low = seen[file].low.min(seen[to].order);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                seen[*parent].low = seen[*parent].low.min(seen[file].low);
            }
            if seen[file].low == seen[file].order {
                let at = stack.iter().rposition(|open| *open == file).expect("it is open");
                let cycle = stack.split_off(at);
                for file in &cycle {
                    seen[*file].open = false;
                }
                if cycle.len() > 1 {
                    found.push(cycle);
                }
            }
        }
    }
    found
}

#[test]
fn no_large_cycle() {
    let mut found = Vec::new();
    let arrows = arrows(&SRC);
    for cycle in cycles(&arrows) {
        let parents: BTreeSet<&[String]> = cycle.iter().map(|file| SRC.files[*file].parent()).collect();
        if cycle.len() <= MAX_FILES && parents.len() == 1 {
            continue;
        }
        for file in &cycle {
            let others = arrows[*file].iter().filter(|to| cycle.contains(to)).map(|to| SRC.files[*to].path.as_str());
            let detail =
                format!("in a cycle of {} files; it imports {}", cycle.len(), others.collect::<Vec<_>>().join(" "));
            found.push((SRC.files[*file].path.clone(), detail));
        }
    }
    assert_kept("cycles", "no cycle of imports is larger than three files of one module", &by_key(found));
}

#[test]
fn cycles_are_found() {
    let of = |arrows: &[&[usize]]| {
        let arrows: Vec<BTreeSet<usize>> = arrows.iter().map(|to| to.iter().copied().collect()).collect();
        let mut found = cycles(&arrows);
        for cycle in &mut found {
            cycle.sort_unstable();
        }
        found.sort();
        found
    };
    assert_eq!(of(&[&[1], &[2], &[0, 3], &[4], &[]]), [[0, 1, 2]]);
    assert_eq!(of(&[&[1], &[0, 2], &[3], &[2]]), [[0, 1], [2, 3]]);
    assert_eq!(of(&[&[1, 2], &[3], &[3], &[]]), Vec::<Vec<usize>>::new());
}

#[test]
fn a_facade_stands_for_the_files_of_its_folder() {
    let files = [
        ("src/lib.rs", "pub mod nodes; pub mod query;"),
        ("src/nodes/mod.rs", "pub mod method; pub struct Place; fn f() { method::il::g() }"),
        ("src/nodes/method/mod.rs", "pub mod il; use super::Place;"),
        ("src/nodes/method/il.rs", "use crate::nodes::Place; use super::super::method; pub fn g() { method::h() }"),
        ("src/query.rs", "use crate::nodes::Place;"),
    ];
    let modules = Modules::of(files.iter().map(|(path, text)| Source::new(path, (*text).to_owned())).collect());
    let arrows = arrows(&modules);
    let to = |index: usize| arrows[index].iter().map(|to| files[*to].0).collect::<Vec<_>>();
    assert_eq!(to(1), ["src/nodes/method/il.rs"]);
    assert_eq!(to(3), Vec::<&str>::new());
    assert_eq!(to(4), ["src/nodes/mod.rs"]);
}
