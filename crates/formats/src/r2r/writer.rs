//! Writer of the packed parts of ReadyToRun images, by the public description; the tests of several crates include it.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::pedantic, clippy::indexing_slicing, clippy::panic)]

/// Unsigned integer of the native format.
pub fn native(number: u32) -> Vec<u8> {
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
pub fn array(elements: &[(u32, Vec<u8>)], len: u32) -> Vec<u8> {
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
pub struct Nibbles(Vec<u8>);

impl Nibbles {
    pub fn unsigned(&mut self, number: u32) {
        let groups = (0..11).rev().map(|at| (u64::from(number) >> (3 * at) & 7) as u8);
        let groups: Vec<u8> = groups.skip_while(|group| *group == 0).collect();
        let groups = if groups.is_empty() { vec![0] } else { groups };
        let last = groups.len() - 1;
        self.0.extend(groups.iter().enumerate().map(|(at, group)| if at == last { *group } else { group | 8 }));
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or_default() << 4).collect()
    }

    fn of(numbers: &[u32]) -> Self {
        let mut nibbles = Self::default();
        numbers.iter().for_each(|number| nibbles.unsigned(*number));
        nibbles
    }
}

/// A number whose lowest bit is its sign.
pub fn signed(number: i32) -> u32 {
    number.unsigned_abs() << 1 | u32::from(number < 0)
}

/// A bound: native offset, IL offset plus 3, and the source bits of version 17: 1 call, 2 stack empty, 4 async.
pub type BoundRow = [u32; 3];

/// A variable: number, native offset, length, and the numbers of its location.
pub type VariableRow = (i32, u32, u32, Vec<u32>);

/// Debug information without look-back, as an image of a major version has it.
pub fn debug_info(bounds: &[BoundRow], variables: &[VariableRow], major: u16) -> Vec<u8> {
    let bounds = if major >= 16 { packed(bounds, major) } else { plain(bounds) };
    let variables = ranges(variables, major);
    let sizes = [bounds.len() as u32, variables.len() as u32];
    let header = if major >= 17 { vec![0, sizes[0], sizes[1], 0, 0, 0, 0] } else { sizes.to_vec() };
    [Nibbles::of(&header).bytes(), bounds, variables].concat()
}

fn plain(bounds: &[BoundRow]) -> Vec<u8> {
    let mut nibbles = Nibbles::of(&[bounds.len() as u32]);
    let mut before = 0;
    for [native, il, source] in bounds {
        [native - before, *il, source & 2 | (source & 1) << 4].into_iter().for_each(|number| nibbles.unsigned(number));
        before = *native;
    }
    nibbles.bytes()
}

fn packed(bounds: &[BoundRow], major: u16) -> Vec<u8> {
    let source_bits = if major >= 17 { 3 } else { 2 };
    let (native_bits, il_bits) = (9, 13);
    let header = Nibbles::of(&[bounds.len() as u32, native_bits - 1, il_bits - 1]);
    let mut bits: Vec<bool> = Vec::new();
    let mut put = |number: u32, width: u32| bits.extend((0..width).map(|bit| number >> bit & 1 == 1));
    let mut before = 0;
    for [native, il, source] in bounds {
        put(*source, source_bits);
        put(native - before, native_bits);
        put(*il, il_bits);
        before = *native;
    }
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    [header.bytes(), bits.chunks(8).map(byte).collect()].concat()
}

fn ranges(variables: &[VariableRow], major: u16) -> Vec<u8> {
    let mut nibbles = Nibbles::of(&[variables.len() as u32]);
    for (number, start, len, location) in variables {
        let number = (number + if major >= 20 { 6 } else { 4 }) as u32;
        let head = if major >= 22 { [number, *start, *len] } else { [*start, *len, number] };
        head.iter().chain(location).for_each(|number| nibbles.unsigned(*number));
    }
    nibbles.bytes()
}
