//! Custom debug information, in the form that it has in a portable PDB.
//!
//! Records of the same content have the same value in both formats, so that one decoder reads them. The span is that of the
//! record as it is in the file. Kinds that say what a portable PDB has tables for (imports, state machines) are there
//! as import scopes, `kickoff` and `move_next`.

use super::WindowsSymbols;
use super::constants::bytes_of;
use crate::symbols::Custom;
use pdblens_formats::bytes::{Guid, Span};
use pdblens_formats::managed::Method;
use pdblens_formats::managed::async_info::AsyncInfo;
use pdblens_formats::managed::custom::{Custom as Record, DynamicLocal};
use pdblens_formats::metadata::Token;
use pdblens_formats::portable::custom::{
    async_stepping, default_namespace, dynamic_locals, hoisted_scopes, lambda_map, local_slot_map, state_map,
    tuple_names,
};

/// The module itself, which things that are about no method are about.
const MODULE: Token = Token(1);

impl WindowsSymbols {
    /// All records, by method; put together when they are first asked for.
    pub(crate) fn custom_list(&self) -> &[Custom] {
        self.customs.get_or_init(|| {
            let mut list = Vec::new();
            for token in self.tokens() {
                if let Ok(method) = self.pdb.method(&self.spaces, token) {
                    self.add_customs(&method, &mut list);
                }
            }
            list
        })
    }

    fn add_customs(&self, method: &Method, list: &mut Vec<Custom>) {
        let parent = Token(method.token.value);
        let mut add = |kind: Guid, span: Span, value: Vec<u8>| {
            list.push(Custom { record: self.record(method.record), parent: Some(parent), kind, span, value });
        };
        for record in &method.custom {
            let raw = |span: Span| bytes_of(&self.spaces, span);
            match &record.value {
                Ok(Record::SlotMap(map)) => add(local_slot_map::GUID, *map, raw(*map)),
                Ok(Record::LambdaMap(map)) => add(lambda_map::GUID, *map, raw(*map)),
                Ok(Record::StateMap(map)) => add(state_map::GUID, *map, raw(*map)),
                Ok(Record::HoistedScopes(scopes)) => {
                    let value = scopes.iter().flat_map(|scope| [scope.start, scope.len()]);
                    add(hoisted_scopes::GUID, record.span, value.flat_map(u32::to_le_bytes).collect());
                }
                Ok(Record::DynamicLocals(locals)) => {
                    for local in locals {
                        add(dynamic_locals::GUID, local.span, bits(local));
                    }
                }
                Ok(Record::TupleElementNames(locals)) => {
                    for local in locals {
                        let names = local.elements.iter().flat_map(|name| [raw(*name), vec![0]].concat());
                        add(tuple_names::GUID, local.span, names.collect());
                    }
                }
                // Of a kind that is not known, or broken: as it stands.
                Ok(Record::Unknown(span)) => add(Guid::default(), *span, raw(*span)),
                Err(_) => add(Guid::default(), record.span, raw(record.span)),
                Ok(
                    Record::UsingGroups(_)
                    | Record::ForwardMethod(_)
                    | Record::ForwardModule(_)
                    | Record::StateMachineType(_),
                ) => {}
            }
        }
        if let Some(info) = &method.async_info {
            add(async_stepping::GUID, info.span, stepping(&info.value));
        }
        let root = method.namespaces.iter().find(|raw| raw.value.starts_with('*'));
        let has_default = list.iter().any(|custom| custom.kind == default_namespace::GUID);
        if !has_default && let Some(root) = root {
            let (record, value) = (self.record(method.record), root.value.trim_start_matches('*').as_bytes().to_vec());
            list.push(Custom { record, parent: Some(MODULE), kind: default_namespace::GUID, span: root.span, value });
        }
    }
}

/// Flags as bits, the first one lowest, without the zero bytes at the end.
fn bits(local: &DynamicLocal) -> Vec<u8> {
    let byte = |flags: &[bool]| flags.iter().rev().fold(0_u8, |byte, flag| byte << 1 | u8::from(*flag));
    let mut bytes: Vec<u8> = local.flags.chunks(8).map(byte).collect();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

/// Yield and resume offsets of an async method, as a portable PDB has them.
fn stepping(info: &AsyncInfo) -> Vec<u8> {
    let handler = info.catch_handler.map_or(0, |at| at.value.wrapping_add(1));
    let mut value = handler.to_le_bytes().to_vec();
    for found in &info.awaits {
        value.extend_from_slice(&found.yield_offset.to_le_bytes());
        value.extend_from_slice(&found.resume_offset.to_le_bytes());
        value.extend(compressed(Token(found.resume_method).row()));
    }
    value
}

/// A compressed unsigned integer (ECMA-335 II.23.2). Rows have 24 bits, so that it fits.
fn compressed(number: u32) -> Vec<u8> {
    match number {
        0..0x80 => vec![number as u8],
        0x80..0x4000 => (number as u16 | 0x8000).to_be_bytes().to_vec(),
        _ => (number | 0xc000_0000).to_be_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{Cursor, Slice, SpaceId};

    #[test]
    fn what_is_compressed_is_read_again() {
        for number in [0, 0x7f, 0x80, 0x3fff, 0x4000, 0x00ff_ffff] {
            let bytes = compressed(number);
            assert_eq!(
                Cursor::new(Slice::new(&bytes, SpaceId(0), 0)).compressed(&pdblens_formats::bytes::PADDING),
                Ok(number)
            );
        }
    }

    #[test]
    fn flags_are_bits_without_the_zeros_behind() {
        let local = |flags: &[bool]| DynamicLocal {
            flags: flags.to_vec(),
            slot: 0,
            name: Span::default(),
            span: Span::default(),
        };
        assert_eq!(bits(&local(&[false, true])), [2]);
        assert_eq!(bits(&local(&[true; 9])), [0xff, 1]);
        assert!(bits(&local(&[false; 9])).is_empty());
    }
}
