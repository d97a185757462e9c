//! An encoder of all three kinds of blocks, and what comes back.

use super::*;

/// Writer of bits into words.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    word: u16,
    used: u32,
}

impl Writer {
    fn bits(&mut self, number: usize, count: u32) {
        for bit in (0..count).rev() {
            self.word = self.word << 1 | (number >> bit & 1) as u16;
            self.used += 1;
            if self.used == 16 {
                self.bytes.extend_from_slice(&self.word.to_le_bytes());
                self.used = 0;
            }
        }
    }

    fn align(&mut self) {
        self.bits(0, (16 - self.used) % 16);
    }

    /// Code lengths, each by a code of five bits for 0 to 16 and of four for runs of zeros.
    fn lengths(&mut self, lengths: &[u8], before: &[u8]) {
        // 15 codes of five bits, four of four bits, and 19 has two of them left: 17 + 3 codes, complete.
        let own: Vec<u8> = (0..20).map(|code| if code < 8 { 5 } else { 4 }).collect();
        for length in &own {
            self.bits(usize::from(*length), 4);
        }
        let codes = codes(&own);
        let mut at = 0;
        while at < lengths.len() {
            let zeros = lengths[at..].iter().take_while(|length| **length == 0).count();
            if zeros >= 20 {
                let run = zeros.min(51);
                self.symbol(&codes, 18);
                self.bits(run - 20, 5);
                at += run;
                continue;
            }
            if zeros >= 4 {
                self.symbol(&codes, 17);
                self.bits(zeros.min(19) - 4, 4);
                at += zeros.min(19);
                continue;
            }
            let difference = |at: usize| usize::from((before[at] + 17 - lengths[at]) % 17);
            let same = lengths[at..].iter().take_while(|length| **length == lengths[at]).count();
            if same >= 4 {
                self.symbol(&codes, 19);
                self.bits(same.min(5) - 4, 1);
                self.symbol(&codes, difference(at));
                at += same.min(5);
            } else {
                self.symbol(&codes, difference(at));
                at += 1;
            }
        }
    }

    fn symbol(&mut self, codes: &[(usize, u32)], symbol: usize) {
        let (code, length) = codes[symbol];
        assert!(length > 0, "symbol {symbol} has no code");
        self.bits(code, length);
    }
}

/// Canonical codes of these lengths.
fn codes(lengths: &[u8]) -> Vec<(usize, u32)> {
    let (mut codes, mut code) = (vec![(0, 0); lengths.len()], 0);
    for length in 1..=16 {
        for (symbol, _) in lengths.iter().enumerate().filter(|(_, of)| **of == length) {
            codes[symbol] = (code, u32::from(length));
            code += 1;
        }
        code <<= 1;
    }
    codes
}

/// Distance of the longest match at a position among those where the content repeats, and its length.
fn longest(content: &[u8], at: usize, end: usize) -> Option<(usize, usize)> {
    let matching = |distance: &usize| {
        let same = content[at..end].iter().zip(&content[at - distance..]).take_while(|(a, b)| a == b).count();
        (*distance, same.min(257))
    };
    let distances = [1, 2, 3, 8, 16, 977, 1954, 2931, 29_310].into_iter().filter(|distance| *distance <= at);
    distances.map(|distance| matching(&distance)).filter(|(_, len)| *len > 2).max_by_key(|(_, len)| *len)
}

/// Packs content with a window of 32 KB into blocks of these kinds in turn, each of `size` bytes.
fn pack(content: &[u8], kinds: &[usize], size: usize, translation: Option<u32>) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.bits(usize::from(translation.is_some()), 1);
    if let Some(total) = translation {
        writer.bits(total as usize, 32);
    }
    let (mut main_before, mut lengths_before) = (vec![0; LITERALS + 240], vec![0; LENGTHS]);
    let mut last = [1, 1, 1];
    for (index, start) in (0..content.len()).step_by(size).enumerate() {
        let (kind, end) = (kinds[index % kinds.len()], content.len().min(start + size));
        writer.bits(kind, 3);
        writer.bits(end - start, 24);
        if kind == 3 {
            writer.bits(0, 16 - writer.used);
            last = [7, 8, 9];
            for distance in last {
                writer.bytes.extend_from_slice(&(distance as u32).to_le_bytes());
            }
            writer.bytes.extend_from_slice(&content[start..end]);
            writer.bytes.resize(writer.bytes.len().next_multiple_of(2), 0);
            continue;
        }
        // Nine bits for each of 496 symbols; eight for 249 lengths; distances end in one of two equal codes and shorter ones.
        let aligned = codes(&[3; 8]);
        if kind == 2 {
            (0..8).for_each(|_| writer.bits(3, 3));
        }
        let (main, lengths) = (vec![9; LITERALS + 240], vec![8; LENGTHS]);
        writer.lengths(&main[..LITERALS], &main_before[..LITERALS]);
        writer.lengths(&main[LITERALS..], &main_before[LITERALS..]);
        writer.lengths(&lengths, &lengths_before);
        let (main_codes, length_codes) = (codes(&main), codes(&lengths));
        (main_before, lengths_before) = (main, lengths);
        let mut at = start;
        while at < end {
            let frame_end = end.min((at / FRAME + 1) * FRAME);
            if let Some((distance, length)) = longest(content, at, frame_end) {
                let repeated = last.iter().position(|of| *of == distance);
                let slot =
                    repeated.unwrap_or_else(|| (3..30).rev().find(|slot| range_of(*slot).0 <= distance + 2).unwrap());
                writer.symbol(&main_codes, LITERALS + slot * 8 + (length - MIN_MATCH).min(LONG));
                if length - MIN_MATCH >= LONG {
                    writer.symbol(&length_codes, length - MIN_MATCH - LONG);
                }
                match repeated {
                    Some(index) => last.swap(0, index),
                    None => {
                        let (base, extra) = range_of(slot);
                        let low = distance + 2 - base;
                        if kind == 2 && extra >= 3 {
                            writer.bits(low >> 3, extra - 3);
                            writer.symbol(&aligned, low & 7);
                        } else {
                            writer.bits(low, extra);
                        }
                        last = [distance, last[0], last[1]];
                    }
                }
                at += length;
            } else {
                writer.symbol(&main_codes, usize::from(content[at]));
                at += 1;
            }
            if at.is_multiple_of(FRAME) {
                writer.align();
            }
        }
    }
    writer.align();
    writer.bytes
}

fn content() -> Vec<u8> {
    (0..90_001_u32)
        .map(|at| if at % 977 < 400 { (at % 977 / 3) as u8 } else { (at.wrapping_mul(2_654_435_761) >> 29) as u8 })
        .collect()
}

#[test]
fn blocks_of_all_kinds_come_back() {
    let content = content();
    for kinds in [&[1][..], &[2], &[3], &[1, 2, 3], &[3, 1]] {
        for size in [40_000, 32_768, 20_001] {
            let packed = pack(&content, kinds, size, None);
            assert!(decompress(&packed, 15, content.len()).as_ref() == Some(&content), "{kinds:?} of {size}");
            for len in (0..packed.len()).step_by(packed.len() / 20) {
                assert!(decompress(&packed[..len], 15, content.len()).is_none(), "{kinds:?} of {size}, {len}");
            }
        }
    }
    let packed = pack(&content, &[1], 40_000, None);
    assert!(packed.len() < content.len() * 3 / 4, "{}", packed.len());
    assert!(decompress(&packed, 15, 65_536).as_deref() == Some(&content[..65_536]));
    assert!(decompress(&packed, 15, content.len() + 1).is_none() && decompress(&packed, 22, 1).is_none());
}

#[test]
fn calls_are_translated() {
    let mut content = vec![0x90; 70_000];
    for at in [5_usize, 32_700, 32_768, 69_000] {
        content[at..at + 5].copy_from_slice(&[0xe8, 0x34, 0x12, 0, 0]);
    }
    // A call at the end of a frame stays as it is.
    content[32_760] = 0xe8;
    let packed = pack(&content, &[1, 3], 30_000, Some(70_000));
    let unpacked = decompress(&packed, 15, content.len()).unwrap();
    for at in [5_usize, 32_700, 32_768, 69_000] {
        let target = i32::from_le_bytes(unpacked[at + 1..at + 5].try_into().unwrap());
        assert_eq!(target, 0x1234 - at as i32);
    }
    assert_eq!(unpacked[32_760..32_768], content[32_760..32_768]);
}

#[test]
fn arbitrary_bytes_end() {
    let content = content();
    // The long one has several chunks of 32 KB.
    for (len, block, times) in [(90_001, 33_000, 200), (9_001, 3_300, 1800)] {
        let whole = pack(&content[..len], &[2, 1], block, None);
        for at in 0..times {
            let mut bytes = whole.clone();
            bytes[at * 7 % whole.len()] ^= 1 << (at % 8);
            if let Some(unpacked) = decompress(&bytes, 15, len) {
                assert_eq!(unpacked.len(), len);
            }
        }
    }
}
