//! Text of a limited length, of parts whose sizes are known: what instructions and points consist of.

use super::super::json::{HEX, leading_digits, three_digits};
use crate::nodes::Opcode;

/// Limit on the bytes of a line; the longest is that of a point.
const SIZE: usize = 384;

/// A line in the making: an array, so that parts are stored without a check of a vector's capacity.
pub(super) struct Line {
    bytes: [u8; SIZE],
    len: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self { bytes: [0; SIZE], len: 0 }
    }
}

impl Line {
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends the first `len` bytes of a part.
    #[inline]
    fn first<const N: usize>(&mut self, part: &[u8; N], len: usize) {
        debug_assert!(self.len + N <= SIZE, "a line is longer than its parts can be");
        if let Some(to) = self.bytes.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut) {
            *to = *part;
            self.len += len;
        }
    }

    #[inline]
    pub(super) fn push<const N: usize>(&mut self, part: &[u8; N]) {
        self.first(part, N);
    }

    /// Appends a number in decimal digits.
    #[inline]
    pub(super) fn number(&mut self, number: u64) {
        if number < 1000 {
            let (digits, count) = leading_digits(number as u32);
            self.first(&digits, count);
        } else {
            self.long_number(number);
        }
    }

    fn long_number(&mut self, number: u64) {
        self.number(number / 1000);
        self.push(&three_digits((number % 1000) as u32));
    }

    /// Appends a number in eight hexadecimal digits.
    #[inline]
    pub(super) fn hex(&mut self, number: u32) {
        let mut digits = [0; 8];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(number.to_be_bytes()) {
            *pair = HEX[usize::from(byte)];
        }
        self.push(&digits);
    }

    /// Appends the members of an instruction before its operand.
    #[inline]
    pub(super) fn opcode(&mut self, opcodes: &mut Opcodes, opcode: &Opcode) {
        let text = opcodes.text(opcode);
        self.first(&text.bytes, text.len);
    }
}

/// Members of an instruction before its operand, by its opcode: `,"opcode":"ldloc.0","operand":`.
#[derive(Default)]
pub(super) struct Opcodes(Vec<OpcodeText>);

#[derive(Clone, Copy)]
struct OpcodeText {
    bytes: [u8; 48],
    /// 0 where the opcode did not occur yet.
    len: usize,
}

impl Opcodes {
    #[inline]
    fn text(&mut self, opcode: &Opcode) -> &OpcodeText {
        if self.0.is_empty() {
            self.0.resize(512, OpcodeText { bytes: [0; 48], len: 0 });
        }
        // Two-byte opcodes begin with the same byte.
        let text = &mut self.0[usize::from(opcode.code & 0xff | u16::from(opcode.code > 0xff) << 8)];
        if text.len == 0 {
            let whole = [",\"opcode\":\"", opcode.name, "\",\"operand\":"].concat();
            text.bytes[..whole.len()].copy_from_slice(whole.as_bytes());
            text.len = whole.len();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_parts() {
        let mut line = Line::default();
        line.push(b"[");
        for number in [0, 9, 10, 999, 1000, 1001, 12_340_005, u64::from(u32::MAX), u64::MAX] {
            line.clear();
            line.number(number);
            assert_eq!(line.bytes(), number.to_string().as_bytes());
        }
        line.hex(0x0a00_01fe);
        assert!(line.bytes().ends_with(b"0a0001fe") && line.len() == 28);
    }
}
