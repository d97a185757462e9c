//! Import cycles: none is larger than three files, and those are files of one module.

use std::collections::BTreeSet;

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::modules::Modules;
use super::source::Source;

/// Maximum number of files of one module that import each other in a circle.
const MAX_FILES: usize = 3;

/// For each file the files that it imports. A re-export is no import of the facade: the arrow goes to the file that has the item.
fn arrows(modules: &Modules) -> Vec<BTreeSet<usize>> {
    let mut found = vec![BTreeSet::new(); modules.files.len()];
    for import in modules.imports() {
        if let Some(to) = import.to.filter(|_| !import.is_reexport) {
            found[import.from].insert(to);
        }
    }
    found
}

/// Module of the folder that a file is in: a facade is in the folder whose name it has.
fn folder(source: &Source) -> &[String] {
    if source.is_facade() { &source.module } else { source.parent() }
}

/// Room of a file: the folder or file directly below the root of its crate. The root itself is none.
fn room(source: &Source) -> Option<String> {
    let depth = source.root().len() + 1;
    source.module.get(..depth).map(|module| module.join("::"))
}

/// Rooms, in the order of their names, and for each the rooms that its files import.
fn rooms(modules: &Modules, arrows: &[BTreeSet<usize>]) -> (Vec<String>, Vec<BTreeSet<usize>>) {
    let names: BTreeSet<String> = modules.files.iter().filter_map(room).collect();
    let names: Vec<String> = names.into_iter().collect();
    let number = |file: usize| names.binary_search(&room(&modules.files[file])?).ok();
    let mut found = vec![BTreeSet::new(); names.len()];
    for (from, targets) in arrows.iter().enumerate() {
        for to in targets {
            if let (Some(from), Some(to)) = (number(from), number(*to))
                && from != to
            {
                found[from].insert(to);
            }
        }
    }
    (names, found)
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
        let folders: BTreeSet<&[String]> = cycle.iter().map(|file| folder(&SRC.files[*file])).collect();
        if cycle.len() <= MAX_FILES && folders.len() == 1 {
            continue;
        }
        // An exception is counted in files of the innermost module that has them all.
        let (first, last) = (folders.first().expect("it has files"), folders.last().expect("it has files"));
        let module: Vec<&str> =
            first.iter().zip(last.iter()).take_while(|(a, b)| a == b).map(|(a, _)| a.as_str()).collect();
        for file in &cycle {
            let others = arrows[*file].iter().filter(|to| cycle.contains(to)).map(|to| SRC.files[*to].path.as_str());
            let detail =
                format!("in a cycle of {} files; it imports {}", cycle.len(), others.collect::<Vec<_>>().join(" "));
            found.push((module.join("::"), format!("{} {detail}", SRC.files[*file].path)));
        }
    }
    assert_kept("cycles", "no cycle of imports is larger than three files of one module", &by_key(found));
}

#[test]
fn no_circle_of_rooms() {
    let (names, arrows) = rooms(&SRC, &arrows(&SRC));
    let mut found = Vec::new();
    for cycle in cycles(&arrows) {
        for room in &cycle {
            let others = arrows[*room].iter().filter(|to| cycle.contains(to)).map(|to| names[*to].as_str());
            let detail =
                format!("in a circle of {} rooms; it imports {}", cycle.len(), others.collect::<Vec<_>>().join(" "));
            found.push((names[*room].clone(), detail));
        }
    }
    assert_kept("rooms", "no import goes up between the rooms of a crate", &by_key(found));
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
fn a_reexport_leads_to_the_file_of_the_item() {
    let files = [
        ("src/lib.rs", "pub mod nodes; pub mod query;"),
        ("src/nodes/mod.rs", "pub mod method; pub mod place; pub use place::Place; fn f() { method::il::g() }"),
        ("src/nodes/place.rs", "pub struct Place;"),
        ("src/nodes/method/mod.rs", "pub mod il; use super::Place; pub fn h() {}"),
        ("src/nodes/method/il.rs", "use crate::nodes::Place; use super::super::method; pub fn g() { method::h() }"),
        ("src/query.rs", "use crate::nodes::Place; use crate::nodes::method;"),
    ];
    let modules = Modules::of(files.iter().map(|(path, text)| Source::new(path, (*text).to_owned())).collect());
    let arrows = arrows(&modules);
    let to = |index: usize| arrows[index].iter().map(|to| files[*to].0).collect::<Vec<_>>();
    assert_eq!(to(1), ["src/nodes/method/il.rs"]);
    assert_eq!(to(3), ["src/nodes/place.rs"]);
    assert_eq!(to(4), ["src/nodes/place.rs", "src/nodes/method/mod.rs"]);
    assert_eq!(to(5), ["src/nodes/place.rs"]);
    let (names, rooms) = rooms(&modules, &arrows);
    assert_eq!(names, ["nodes", "query"]);
    assert_eq!(rooms, [BTreeSet::new(), BTreeSet::from([0])]);
}
