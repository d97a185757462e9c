//! LZX, the compression of cabinets that `makecab /D CompressionType=LZX` writes.
//!
//! ```text
//! 1 bit            1: calls are translated, and 32 bits follow: the size that the translation counts with
//! block            3 bits: kind; 24 bits: unpacked size
//!   verbatim  1    code lengths of the main tree and of the length tree; symbols
//!   aligned   2    8 × 3 bits: code lengths of the tree for the low bits of distances; then like a verbatim block
//!   stored    3    bits up to the next word, the three last distances, bytes, and one more byte if their number is odd
//! ```
//!
//! Bits come from words of 16 bits, the highest first. Each 32 768 bytes that come out, a frame, begin with a new word.
//!
//! # References
//!
//! \[MS-PATCH\]: LZX DELTA Compression and Decompression; "Microsoft LZX Data Compression Format" of the Cabinet SDK.

mod bits;

use bits::{Bits, Tree};

/// Unpacked bytes of a frame.
const FRAME: usize = 1 << 15;
/// Shortest match.
const MIN_MATCH: usize = 2;
const LITERALS: usize = 256;
/// Symbols of the length tree.
const LENGTHS: usize = 249;
/// Value of the length field of a main symbol that continues in the length tree.
const LONG: usize = 7;
/// Frames whose calls are translated.
const TRANSLATED_FRAMES: usize = 1 << 15;
/// Bytes at the end of a frame in which no call is translated.
const FRAME_TAIL: usize = 10;

/// Unpacks `size` bytes of a stream with a window of `1 << window` bytes; `None` if the stream is broken.
pub(super) fn decompress(packed: &[u8], window: u16, size: usize) -> Option<Vec<u8>> {
    // Number of ranges of distances.
    let slots = match window {
        15..=19 => window as usize * 2,
        20 => 42,
        21 => 50,
        _ => return None,
    };
    let mut bits = Bits::new(packed);
    let translation = if bits.read(1)? == 1 { Some(bits.read(16)? << 16 | bits.read(16)?) } else { None };
    let mut decoder = Decoder {
        bits,
        window: 1 << window,
        size,
        out: Vec::new(),
        last: [1; 3],
        main: vec![0; LITERALS + 8 * slots],
        lengths: vec![0; LENGTHS],
    };
    while decoder.out.len() < size {
        decoder.block()?;
    }
    let mut out = decoder.out;
    if let Some(total) = translation.filter(|total| *total != 0) {
        for (index, frame) in out.chunks_mut(FRAME).take(TRANSLATED_FRAMES).enumerate() {
            translate_calls(frame, (index * FRAME) as i32, total as i32);
        }
    }
    Some(out)
}

/// Makes the targets of x86 calls, which were packed as positions, relative again.
fn translate_calls(frame: &mut [u8], start: i32, total: i32) {
    let end = frame.len().saturating_sub(FRAME_TAIL);
    let mut at = 0;
    while at < end {
        if frame.get(at) != Some(&0xe8) {
            at += 1;
            continue;
        }
        let here = start + at as i32;
        if let Some(target) = frame.get_mut(at + 1..).and_then(<[u8]>::first_chunk_mut) {
            let position = i32::from_le_bytes(*target);
            if position >= -here && position < total {
                let relative = if position >= 0 { position.wrapping_sub(here) } else { position.wrapping_add(total) };
                *target = relative.to_le_bytes();
            }
        }
        at += 5;
    }
}

struct Decoder<'b> {
    bits: Bits<'b>,
    window: usize,
    /// Number of bytes to unpack.
    size: usize,
    /// All unpacked bytes, before calls are translated.
    out: Vec<u8>,
    /// The last three distances, the latest first.
    last: [usize; 3],
    /// Code lengths, which the next block states as differences.
    main: Vec<u8>,
    lengths: Vec<u8>,
}

/// Trees of a block.
struct Trees {
    main: Tree,
    lengths: Tree,
    aligned: Option<Tree>,
}

impl Decoder<'_> {
    fn block(&mut self) -> Option<()> {
        let kind = self.bits.read(3)?;
        let size = (self.bits.read(16)? << 8 | self.bits.read(8)?) as usize;
        // The last block of a file may be longer than what the cabinet takes of it.
        let end = (self.out.len() + size).min(self.size);
        match kind {
            1 | 2 => {
                let aligned = if kind == 2 { Some(self.aligned_tree()?) } else { None };
                let literals = self.main.get_mut(..LITERALS)?;
                read_lengths(&mut self.bits, literals)?;
                read_lengths(&mut self.bits, self.main.get_mut(LITERALS..)?)?;
                read_lengths(&mut self.bits, &mut self.lengths)?;
                let trees = Trees { main: Tree::new(&self.main)?, lengths: Tree::new(&self.lengths)?, aligned };
                self.each_frame(end, |decoder, end| decoder.symbols(&trees, end))
            }
            3 => {
                self.bits.skip_to_word(true);
                for index in 0..3 {
                    let distance = u32::from_le_bytes(*self.bits.bytes(4)?.first_chunk()?);
                    *self.last.get_mut(index)? = distance as usize;
                }
                self.each_frame(end, Self::stored)?;
                if !size.is_multiple_of(2) {
                    self.bits.skip_byte();
                }
                Some(())
            }
            _ => None,
        }
    }

    fn aligned_tree(&mut self) -> Option<Tree> {
        let mut lengths = [0; 8];
        for length in &mut lengths {
            *length = self.bits.read(3)? as u8;
        }
        Tree::new(&lengths)
    }

    /// Unpacks up to `end`, frame by frame; each begins with a new word.
    fn each_frame(&mut self, end: usize, mut part: impl FnMut(&mut Self, usize) -> Option<()>) -> Option<()> {
        while self.out.len() < end {
            let frame_end = (self.out.len() / FRAME + 1) * FRAME;
            self.out.try_reserve(FRAME).ok()?;
            part(self, end.min(frame_end))?;
            if self.out.len() == frame_end {
                self.bits.skip_to_word(false);
            }
        }
        Some(())
    }

    fn stored(&mut self, end: usize) -> Option<()> {
        let bytes = self.bits.bytes(end - self.out.len())?;
        self.out.extend_from_slice(bytes);
        Some(())
    }

    /// Unpacks literals and matches up to `end`, which no match passes.
    fn symbols(&mut self, trees: &Trees, end: usize) -> Option<()> {
        while self.out.len() < end {
            let symbol = trees.main.read(&mut self.bits)?;
            let Some(symbol) = symbol.checked_sub(LITERALS) else {
                self.out.push(symbol as u8);
                continue;
            };
            let mut length = symbol % 8 + MIN_MATCH;
            if symbol % 8 == LONG {
                length += trees.lengths.read(&mut self.bits)?;
            }
            let distance = self.distance(symbol / 8, trees.aligned.as_ref())?;
            let start = self.out.len().checked_sub(distance).filter(|_| (1..=self.window).contains(&distance))?;
            if length > end - self.out.len() {
                return None;
            }
            for at in start..start + length {
                let byte = *self.out.get(at)?;
                self.out.push(byte);
            }
        }
        Some(())
    }

    /// Distance of a match, one of the last three or a new one of this range.
    fn distance(&mut self, slot: usize, aligned: Option<&Tree>) -> Option<usize> {
        if slot < 3 {
            self.last.swap(0, slot);
            return self.last.first().copied();
        }
        let (base, extra) = range_of(slot);
        let low = match aligned {
            Some(tree) if extra >= 3 => {
                let high = (self.bits.read(extra - 3)? as usize) << 3;
                high + tree.read(&mut self.bits)?
            }
            _ => self.bits.read(extra)? as usize,
        };
        let distance = base + low - 2;
        let [first, second, _] = self.last;
        self.last = [distance, first, second];
        Some(distance)
    }
}

/// First distance of a range, plus 2, and the number of its bits that follow the symbol.
const fn range_of(slot: usize) -> (usize, u32) {
    match slot {
        0..=3 => (slot, 0),
        4..=37 => {
            let extra = slot / 2 - 1;
            ((2 + slot % 2) << extra, extra as u32)
        }
        _ => ((slot - 34) << 17, 17),
    }
}

/// Reads code lengths, which a tree of their own codes as differences from those of the block before.
fn read_lengths(bits: &mut Bits<'_>, lengths: &mut [u8]) -> Option<()> {
    let mut own = [0; 20];
    for length in &mut own {
        *length = bits.read(4)? as u8;
    }
    let tree = Tree::new(&own)?;
    let mut at = 0;
    while at < lengths.len() {
        let difference = |before: u8, code: usize| (usize::from(before) + 17 - code) as u8 % 17;
        let before = *lengths.get(at)?;
        let (count, length) = match tree.read(bits)? {
            17 => (bits.read(4)? as usize + 4, 0),
            18 => (bits.read(5)? as usize + 20, 0),
            19 => {
                let count = bits.read(1)? as usize + 4;
                let code = tree.read(bits)?;
                (count, if code < 17 { difference(before, code) } else { return None })
            }
            code => (1, difference(before, code)),
        };
        lengths.get_mut(at..at + count)?.fill(length);
        at += count;
    }
    Some(())
}

#[cfg(test)]
mod tests;
