//! Virtual functions of a class and its bases, by their slots.

use super::{LayoutKind, LayoutRow};
use crate::bytes::Span;
use crate::formats::codeview::types::{Member, TypeData, kind_name};
use crate::formats::pdb::TypeStream;
use crate::text::cpp_types::TypeNames;
use crate::text::safe::utf8;

/// Virtual functions of one class with its bases.
const MAX_VIRTUALS: usize = 4096;

/// A virtual function as a class declares it.
#[derive(Clone, Debug)]
pub(super) struct Virtual {
    /// Class that declares it.
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

/// A row for each slot, with the last function that overrides it; functions whose slot is not certain have none.
pub(super) fn rows(names: TypeNames<'_>, virtuals: &[Virtual]) -> Vec<LayoutRow> {
    let mut slots: Vec<(u32, Option<u64>, &Virtual)> = Vec::new();
    let mut others: Vec<&Virtual> = Vec::new();
    for function in virtuals {
        if let Some(slot) = function.slot {
            slots.push((slot, function.table, function));
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
    // The table is named only where there are several.
    let has_several = slots.iter().any(|(_, table, _)| slots.first().is_some_and(|(_, first, _)| first != table));
    let row = |slot: Option<u32>, table: Option<u64>, function: &Virtual| LayoutRow {
        kind: if function.is_pure { LayoutKind::PureVirtualFunction } else { LayoutKind::VirtualFunction },
        offset: slot.map(u64::from),
        table: table.filter(|_| has_several),
        of: function.of,
        name: format!("{}::{}", names.of(function.class), function.name),
        span: Some(function.span),
        ..LayoutRow::default()
    };
    let known = slots.iter().map(|(slot, table, function)| row(Some(*slot), *table, function));
    known.chain(others.iter().map(|function| row(None, None, function))).collect()
}
