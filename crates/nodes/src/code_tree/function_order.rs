//! Order of the functions of a module, in which parts follow their parent: funclets of exception handling, and functions whose
//! identical code the linker folded into one.

use std::collections::HashMap;

use crate::native::NativeView;
use pdblens_formats::codeview::symbols::Symbol;
use pdblens_formats::pdb::Function;
use pdblens_session::text::safe::utf8;

/// Suffixes of the names of funclets, each with its meaning.
const FUNCLETS: &[(&str, &str)] =
    &[("filt", "exception filter"), ("fin", "finally"), ("catch", "catch"), ("dtor", "destructors")];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionPart {
    /// Code of its exception handling, with the short name and its meaning: `catch$0`, `catch`.
    Funclet(String, &'static str),
    Folded,
}

pub(super) struct FunctionOrder {
    /// Positions in the list of all functions.
    pub order: Vec<u32>,
    /// Kind of part of the functions that are parts, by index in `order`.
    pub parts: HashMap<u32, FunctionPart>,
}

/// Name of the parent of a funclet, and its own short name with its meaning.
fn funclet(name: &str) -> Option<(&str, &str, &'static str)> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 {
        return None;
    }
    let head = name.get(..name.len() - digits)?.strip_suffix('$')?;
    let (kind, meaning) = FUNCLETS.iter().find(|(kind, _)| head.ends_with(kind))?;
    let at = head.len() - kind.len();
    let (before, own) = (name.get(..at)?, name.get(at..)?);
    // Parent$filt$0, or `Parent'::`1'::filt$0
    if let Some(parent) = before.strip_suffix('$') {
        return Some((parent, own, meaning));
    }
    let quoted = before.strip_suffix("'::")?;
    let parent = quoted.get(..quoted.rfind('`')?)?.strip_suffix("'::")?;
    let parent = parent.get(parent.find('`')? + 1..)?;
    Some((parent, own, meaning))
}

pub(super) fn names_of(native: NativeView<'_>, functions: &[u32]) -> Vec<(u32, String)> {
    let at = |index: u32| native.functions().get(index as usize).copied().unwrap_or_default();
    let Some(module) = functions.first().and_then(|index| native.module(at(*index).module).ok()) else {
        return Vec::new();
    };
    let name = |index: u32| {
        let record = module.symbol(at(index).symbol).ok()?;
        Some(utf8(Symbol::decode(&mut record.slice.cursor()).ok()?.name.data).into_owned())
    };
    functions.iter().filter_map(|index| Some((*index, name(*index)?))).collect()
}

/// Orders the functions of a module, given in the order of their addresses with their names, so that parts follow their parent. With
/// `descending`, parents are sorted by code size.
pub(super) fn of_module(
    native: NativeView<'_>,
    functions: &[u32],
    names: &[(u32, String)],
    descending: Option<bool>,
) -> FunctionOrder {
    let all = native.functions();
    let at = |index: u32| all.get(index as usize).copied().unwrap_or_default();
    let mut parents: HashMap<u32, (u32, FunctionPart)> = HashMap::new();
    for pair in functions.windows(2) {
        let (before, this) = (at(pair[0]), at(pair[1]));
        if (before.section, before.offset) == (this.section, this.offset) {
            let first = parents
                .get(&pair[0])
                .filter(|(_, part)| *part == FunctionPart::Folded)
                .map_or(pair[0], |(first, _)| *first);
            parents.insert(pair[1], (first, FunctionPart::Folded));
        }
    }
    for (index, parent, part) in funclets_of(names, &at) {
        parents.insert(index, (parent, part));
    }
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut roots = Vec::new();
    for index in functions {
        match root(*index, &parents) {
            Some(root) => children.entry(root).or_default().push(*index),
            None => roots.push(*index),
        }
    }
    if let Some(descending) = descending {
        roots.sort_by_key(|index| {
            let len = i64::from(at(*index).len);
            if descending { -len } else { len }
        });
    }
    let (mut order, mut parts) = (Vec::with_capacity(functions.len()), HashMap::new());
    for root in roots {
        order.push(root);
        for child in children.remove(&root).unwrap_or_default() {
            if let Some((_, part)) = parents.remove(&child) {
                parts.insert(order.len() as u32, part);
            }
            order.push(child);
        }
    }
    FunctionOrder { order, parts }
}

/// The outermost parent of a part; `None` for a function that is no part.
fn root(index: u32, parents: &HashMap<u32, (u32, FunctionPart)>) -> Option<u32> {
    let up = std::iter::successors(parents.get(&index), |(parent, _)| parents.get(parent));
    up.take(8).last().map(|(parent, _)| *parent).filter(|root| !parents.contains_key(root) && *root != index)
}

/// The funclets of a module, each with its parent; of several functions with the parent's name, the last one whose record precedes
/// the funclet's.
fn funclets_of(names: &[(u32, String)], at: &dyn Fn(u32) -> Function) -> Vec<(u32, u32, FunctionPart)> {
    let mut known: HashMap<&str, Vec<u32>> = HashMap::new();
    for (index, name) in names {
        known.entry(name).or_default().push(*index);
    }
    let of_name = |(index, name): &(u32, String)| {
        let (parent, own, meaning) = funclet(name)?;
        let candidates = known.get(parent)?;
        let before = candidates.iter().filter(|other| at(**other).symbol < at(*index).symbol);
        let parent = before.max_by_key(|other| at(**other).symbol).or(candidates.first())?;
        Some((*index, *parent, FunctionPart::Funclet(own.to_owned(), meaning)))
    };
    names.iter().filter_map(of_name).collect()
}

#[cfg(test)]
mod tests {
    use super::funclet;

    #[test]
    fn the_names_of_funclets_have_their_parent() {
        let cases = [
            ("`dllmain_dispatch'::`1'::filt$0", Some(("dllmain_dispatch", "filt$0", "exception filter"))),
            ("__scrt_is_nonwritable$filt$10", Some(("__scrt_is_nonwritable", "filt$10", "exception filter"))),
            ("`f<int>'::`2'::catch$1", Some(("f<int>", "catch$1", "catch"))),
            (" ?? ::HA::`Napi::get'::`1'::dtor$1", Some(("Napi::get", "dtor$1", "destructors"))),
            ("main", None),
            ("price$5", None),
            ("catch$0", None),
        ];
        for (name, expected) in cases {
            assert_eq!(funclet(name), expected, "{name}");
        }
    }
}
