//! Methods and functions that have the name of others of their type or module: their parameters tell them apart.

use std::collections::HashMap;

use crate::native::NativeView;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::pdb::Function;
use pdblens_session::text::names::Names;

/// Overloads whose parameters are compared; of more, each one has what tells it apart from any other.
const MAX_COMPARED: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Overloads {
    group_of: HashMap<u32, u32>,
    /// The groups, one after another, and the end of each.
    groups: Vec<u32>,
    ends: Vec<u32>,
}

impl Overloads {
    pub(super) fn add(&mut self, all: impl Iterator<Item = (u32, String)>) {
        let mut named: HashMap<String, Vec<u32>> = HashMap::new();
        for (number, name) in all.filter(|(_, name)| !name.is_empty()) {
            named.entry(name).or_default().push(number);
        }
        for group in named.into_values().filter(|group| group.len() > 1) {
            let at = self.ends.len() as u32;
            self.group_of.extend(group.iter().map(|number| (*number, at)));
            self.groups.extend(group);
            self.ends.push(self.groups.len() as u32);
        }
    }

    /// Those with the name of one, itself among them; none where it is the only one.
    fn beside(&self, number: u32) -> &[u32] {
        let Some(group) = self.group_of.get(&number).map(|group| *group as usize) else { return &[] };
        let end = |group: usize| self.ends.get(group).map(|end| *end as usize);
        let start = group.checked_sub(1).and_then(end).unwrap_or(0);
        self.groups.get(start..end(group).unwrap_or(start)).unwrap_or_default()
    }

    /// Returns whether `text` of one is that of another one with its name, or may be.
    fn is_shared(&self, number: u32, own: &str, text: &dyn Fn(u32) -> String) -> bool {
        let group = self.beside(number);
        group.len() > MAX_COMPARED || group.iter().any(|other| *other != number && text(*other) == own)
    }

    /// Name of a method: alone, with its parameters where others have the name, with the namespaces of those where others have
    /// these too.
    pub(super) fn method_name(&self, names: Names<'_>, row: u32) -> String {
        let token = |row: u32| Token::new(TableId::METHOD_DEF, row);
        if self.beside(row).is_empty() {
            return names.method_name(token(row));
        }
        let brief = names.brief().method_short(token(row));
        if !self.is_shared(row, &brief, &|other| names.brief().method_short(token(other))) {
            return brief;
        }
        names.method_short(token(row))
    }

    /// The parameters of a function where others have its name, and its address where others have these too.
    pub(super) fn function_details(&self, native: NativeView<'_>, index: u32) -> (String, String) {
        let function = |index: u32| native.functions().get(index as usize).copied().unwrap_or_default();
        let of = function(index);
        let module = if self.beside(index).is_empty() { None } else { native.module(of.module).ok() };
        let Some(module) = module else {
            return (String::new(), String::new());
        };
        let parameters = |of: &Function| native.signature_in(&module, of).map_or_else(String::new, |(_, list)| list);
        let own = parameters(&of);
        let is_shared = self.is_shared(index, &own, &|other| parameters(&function(other)));
        let address = if is_shared { native.rva_of(&of) } else { None };
        let own = if native.name_of(&of).ends_with(')') { String::new() } else { own };
        (own, address.map_or_else(String::new, |rva| format!("at {rva:#x}")))
    }
}

#[cfg(test)]
mod tests {
    use crate::code_tree::CodeTree;
    use pdblens_session::session::Session;
    use std::collections::HashMap;

    #[test]
    fn no_two_of_a_type_or_module_look_alike() {
        let mut with_parameters = 0;
        for file in [
            "warehouse/Acme.Warehouse.dll",
            "workshop/Workshop.dll",
            "faults/Faults.dll",
            "parcel/parcel.exe",
            "sorter/sorter.exe",
        ] {
            let path = format!("{}/../../assets/samples/{file}", env!("CARGO_MANIFEST_DIR"));
            let session = Session::open(&[path.into()]).unwrap();
            let tree = CodeTree::of(&session);
            for branch in &tree.branches {
                let mut seen = HashMap::new();
                for number in branch.members.clone().filter(|number| !tree.is_part(*number)) {
                    let member = tree.member(&session, number);
                    with_parameters += usize::from(member.name.ends_with(')'));
                    let before = seen.insert((member.name.clone(), member.detail.clone()), member.place);
                    assert!(before.is_none_or(|place| place == member.place), "{file} {}: {member:?}", branch.name);
                }
            }
        }
        assert!(with_parameters > 10, "{with_parameters}");
    }
}
