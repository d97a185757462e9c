//! Virtual functions of a class and its bases, by their slots.

use super::{LayoutKind, LayoutRow};
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::types::{Member, TypeData, kind_name};
use pdblens_formats::pdb::TypeStream;
use pdblens_session::text::cpp_types::TypeNames;
use pdblens_session::text::safe::utf8;

/// Virtual functions of one class with its bases.
const MAX_VIRTUALS: usize = 4096;

/// A virtual function as a class declares it.
#[derive(Clone, Debug)]
pub(super) struct Virtual {
    class: u32,
    name: String,
    of: u32,
    /// Offset in the virtual function table; `None` if it overrides one of a base.
    slot: Option<u32>,
    /// Offset in the object of the pointer to that table.
    table: Option<u64>,
    is_pure: bool,
    span: Span,
}

/// Adds the virtual functions that a class declares, after those of its bases. Those that it introduces are in the table at `table`, which is that of
/// its first base with one, or its own.
pub(super) fn add(
    virtuals: &mut Vec<Virtual>,
    types: &TypeStream,
    class: u32,
    members: &[Member<'_>],
    table: Option<u64>,
) {
    for member in members {
        let mut add = |attributes: u16, of: u32, slot: Option<u32>| {
            // 1 overrides, 4 introduces; 5 and 6 do the same and are pure.
            let kind = attributes >> 2 & 7;
            if !matches!(kind, 1 | 4..=6) || virtuals.len() >= MAX_VIRTUALS {
                return;
            }
            let (name, span) = (utf8(member.name.data).into_owned(), member.slice.span());
            virtuals.push(Virtual { class, name, of, slot, table, is_pure: kind > 4, span });
        };
        match kind_name(member.kind) {
            Some("LF_ONEMETHOD") => {
                let slot = member.value.and_then(super::number).and_then(|slot| u32::try_from(slot).ok());
                add(member.attributes, member.of, slot);
            }
            Some("LF_METHOD") => {
                let list = types.get(member.of).and_then(|record| record.read().ok());
                let Some(TypeData::MethodList(list)) = list else { continue };
                list.iter().for_each(|method| add(method.attributes, method.of, method.virtual_offset));
            }
            _ => {}
        }
    }
}

/// Name of the function that MSVC puts into the slot of a destructor.
const DELETING_DESTRUCTOR: &str = "__vecDelDtor";

/// Offset in a virtual function table, the offset of the pointer to that table, and the function.
type Slot<'v> = (u32, Option<u64>, &'v Virtual);

/// Returns whether a function is the one that fills the slot of a destructor.
fn fills(function: &Virtual) -> bool {
    function.name == DELETING_DESTRUCTOR
}

/// The slots in their order, and the functions whose slot is not certain.
fn slots(virtuals: &[Virtual]) -> (Vec<Slot<'_>>, Vec<&Virtual>) {
    let mut slots: Vec<Slot<'_>> = Vec::new();
    let mut others: Vec<&Virtual> = Vec::new();
    for function in virtuals {
        if let Some(slot) = function.slot {
            let is_again = |(other, table, of): &&mut Slot<'_>| {
                (*other, *table) == (slot, function.table) && of.name == function.name
            };
            match slots.iter_mut().find(is_again) {
                Some(known) => known.2 = function,
                None => slots.push((slot, function.table, function)),
            }
            continue;
        }
        let same_name = |other: &Virtual| {
            other.name == function.name || other.name.starts_with('~') && function.name.starts_with('~')
        };
        let mut same = slots.iter_mut().filter(|(.., other)| same_name(other));
        match (same.next(), same.next()) {
            (Some(slot), None) => slot.2 = function,
            _ => others.push(function),
        }
    }
    slots.sort_by_key(|(slot, table, function)| (*table, *slot, fills(function)));
    (slots, others)
}

/// A row for each slot, with the last function that overrides it, in the order of the slots: below a destructor what really fills its
/// slot, as each class says anew. Functions whose slot is not certain have none.
pub(super) fn rows(names: TypeNames<'_>, virtuals: &[Virtual]) -> Vec<LayoutRow> {
    let (slots, others) = slots(virtuals);
    // The table is named only where there are several.
    let has_several = slots.iter().any(|(_, table, _)| slots.first().is_some_and(|(_, first, _)| first != table));
    let row = |slot: Option<u32>, table: Option<u64>, function: &Virtual| LayoutRow {
        kind: match function {
            function if fills(function) => LayoutKind::DeletingDestructor,
            Virtual { is_pure: true, .. } => LayoutKind::PureVirtualFunction,
            _ => LayoutKind::VirtualFunction,
        },
        depth: u8::from(fills(function)),
        offset: slot.map(u64::from),
        table: if has_several { table } else { None },
        of: function.of,
        name: format!("{}::{}", names.of(function.class), function.name),
        span: Some(function.span),
        ..LayoutRow::default()
    };
    let known = slots.iter().map(|(slot, table, function)| row(Some(*slot), *table, function));
    known.chain(others.iter().map(|function| row(None, None, function))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions of a base and of a class derived from it, as MSVC writes them: each class introduces its deleting destructor.
    fn functions() -> Vec<Virtual> {
        let of = |class: u32, name: &str, slot: Option<u32>| Virtual {
            class,
            name: name.to_owned(),
            of: 0,
            slot,
            table: Some(0),
            is_pure: false,
            span: Span::default(),
        };
        vec![
            of(1, "~exception", Some(0)),
            of(1, "what", Some(8)),
            of(1, "__vecDelDtor", Some(0)),
            of(2, "~Error", None),
            of(2, "__vecDelDtor", Some(0)),
        ]
    }

    #[test]
    fn a_deleting_destructor_is_below_the_destructor_whose_slot_it_fills() {
        let functions = functions();
        let slots = slots(&functions).0;
        let seen: Vec<_> = slots.iter().map(|(slot, _, of)| (*slot, of.class, of.name.as_str())).collect();
        assert_eq!(seen, [(0, 2, "~Error"), (0, 2, "__vecDelDtor"), (8, 1, "what")]);
    }
}
