//! Writer of the packed parts of ReadyToRun images, by the public description.

use crate::r2r::debug_info::Layout;
use crate::r2r::{Bound, DebugInfo, IlPosition, Location};

/// Unsigned integer of the native format.
pub(super) fn native(number: u32) -> Vec<u8> {
    let [len, bits] = match number {
        0..0x80 => [1, 7],
        0x80..0x4000 => [2, 14],
        0x4000..0x20_0000 => [3, 21],
        0x20_0000..0x1000_0000 => [4, 28],
        _ => return [&[0x0f][..], &number.to_le_bytes()].concat(),
    };
    let tag = (1 << (len - 1)) - 1;
    assert!(number < 1 << bits);
    (number << len | tag).to_le_bytes()[..len].to_vec()
}

/// A native array of elements by number, each block a full tree.
pub(super) fn array(elements: &[(u32, Vec<u8>)], len: u32) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = (0..len.div_ceil(16))
        .map(|block| {
            let inside = elements.iter().filter(|(index, _)| index / 16 == block);
            let inside: Vec<_> = inside.map(|(index, datum)| (index % 16, datum.clone())).collect();
            tree(&inside, 8)
        })
        .collect();
    let mut bytes = native(len << 2 | 1);
    let mut at = blocks.len() * 2;
    for block in &blocks {
        bytes.extend((at as u16).to_le_bytes());
        at += block.len();
    }
    bytes.extend(blocks.concat());
    bytes
}

/// Node of a tree over the bits from `bit` down.
fn tree(elements: &[(u32, Vec<u8>)], bit: u32) -> Vec<u8> {
    match elements {
        [] => return native(16 << 2),
        [(index, datum)] if bit == 8 => return [native(index << 2), datum.clone()].concat(),
        [(_, datum)] if bit == 0 => return datum.clone(),
        _ => {}
    }
    let (right, left): (Vec<_>, Vec<_>) = elements.iter().cloned().partition(|(index, _)| index & bit != 0);
    let left_bytes = if left.is_empty() { Vec::new() } else { tree(&left, bit >> 1) };
    if right.is_empty() {
        return [native(1), left_bytes].concat();
    }
    let flags = 2 | u32::from(!left.is_empty());
    // The distance counts the node itself, whose size depends on it.
    let mut size = 1;
    while native((left_bytes.len() as u32 + size) << 2 | flags).len() as u32 != size {
        size += 1;
    }
    [native((left_bytes.len() as u32 + size) << 2 | flags), left_bytes, tree(&right, bit >> 1)].concat()
}

/// Stream of nibbles.
#[derive(Default)]
pub(super) struct Nibbles(Vec<u8>);

impl Nibbles {
    pub(super) fn unsigned(&mut self, number: u32) {
        let groups = (0..11).rev().map(|at| (u64::from(number) >> (3 * at) & 7) as u8);
        let groups: Vec<u8> = groups.skip_while(|group| *group == 0).collect();
        let groups = if groups.is_empty() { vec![0] } else { groups };
        let last = groups.len() - 1;
        self.0.extend(groups.iter().enumerate().map(|(at, group)| if at == last { *group } else { group | 8 }));
    }

    fn signed(&mut self, number: i32) {
        self.unsigned(number.unsigned_abs() << 1 | u32::from(number < 0));
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or_default() << 4).collect()
    }
}

const fn stored(il: IlPosition) -> u32 {
    match il {
        IlPosition::Offset(offset) => offset + 3,
        IlPosition::None => 2,
        IlPosition::Prolog => 1,
        IlPosition::Epilog => 0,
    }
}

/// Debug information without look-back.
pub(super) fn debug_info(info: &DebugInfo, layout: Layout) -> Vec<u8> {
    let bounds = if layout.major >= 16 { packed(&info.bounds, layout) } else { bounds(&info.bounds) };
    let variables = variables(info, layout);
    let mut header = Nibbles::default();
    if layout.major >= 17 {
        header.unsigned(0);
    }
    header.unsigned(bounds.len() as u32);
    header.unsigned(variables.len() as u32);
    if layout.major >= 17 {
        (0..4).for_each(|_| header.unsigned(0));
    }
    [header.bytes(), bounds, variables].concat()
}

fn bounds(bounds: &[Bound]) -> Vec<u8> {
    let mut nibbles = Nibbles::default();
    nibbles.unsigned(bounds.len() as u32);
    let mut before = 0;
    for bound in bounds {
        nibbles.unsigned(bound.native - before);
        nibbles.unsigned(stored(bound.il));
        nibbles.unsigned(u32::from(bound.stack_empty) << 1 | u32::from(bound.is_call) << 4);
        before = bound.native;
    }
    nibbles.bytes()
}

fn packed(bounds: &[Bound], layout: Layout) -> Vec<u8> {
    let source_bits = if layout.major >= 17 { 3 } else { 2 };
    let (native_bits, il_bits) = (9, 13);
    let mut nibbles = Nibbles::default();
    [bounds.len() as u32, native_bits - 1, il_bits - 1].into_iter().for_each(|number| nibbles.unsigned(number));
    let mut bits: Vec<bool> = Vec::new();
    let mut put = |number: u32, width: u32| bits.extend((0..width).map(|bit| number >> bit & 1 == 1));
    let mut before = 0;
    for bound in bounds {
        put(u32::from(bound.is_call) | u32::from(bound.stack_empty) << 1 | u32::from(bound.is_async) << 2, source_bits);
        put(bound.native - before, native_bits);
        put(stored(bound.il), il_bits);
        before = bound.native;
    }
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    [nibbles.bytes(), bits.chunks(8).map(byte).collect()].concat()
}

fn variables(info: &DebugInfo, layout: Layout) -> Vec<u8> {
    let mut nibbles = Nibbles::default();
    nibbles.unsigned(info.variables.len() as u32);
    let number = |variable: i32| (variable + if layout.major >= 20 { 6 } else { 4 }).cast_unsigned();
    for variable in &info.variables {
        if layout.major >= 22 {
            nibbles.unsigned(number(variable.number));
        }
        nibbles.unsigned(variable.start);
        nibbles.unsigned(variable.end - variable.start);
        if layout.major < 22 {
            nibbles.unsigned(number(variable.number));
        }
        location(&mut nibbles, variable.location, layout);
    }
    nibbles.bytes()
}

fn location(nibbles: &mut Nibbles, location: Location, layout: Layout) {
    let scaled = |offset: i32| if layout.is_x86 { offset / 4 } else { offset };
    let (kind, numbers, offset) = match location {
        Location::Register(register) => (0, vec![register], None),
        Location::ReferenceInRegister(register) => (1, vec![register], None),
        Location::FloatRegister(register) => (2, vec![register], None),
        Location::Stack { base, offset } => (3, vec![base], Some(offset)),
        Location::ReferenceOnStack { base, offset } => (4, vec![base], Some(offset)),
        Location::TwoRegisters(low, high) => (5, vec![low, high], None),
        Location::RegisterAndStack { register, base, offset } => (6, vec![register, base], Some(offset)),
        Location::TwoStackSlots { base, offset } => (8, vec![base], Some(offset)),
        Location::FloatStack(register) => (9, vec![register], None),
        Location::FixedVarargs(offset) => (10, vec![offset], None),
    };
    nibbles.unsigned(kind);
    numbers.into_iter().for_each(|number| nibbles.unsigned(number));
    if let Some(offset) = offset {
        nibbles.signed(scaled(offset));
    }
}
