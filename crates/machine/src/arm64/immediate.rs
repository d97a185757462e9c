//! Immediates that instructions have in a coded form.

/// Immediate of AND, ORR, EOR and ANDS: a run of ones, rotated in an element that is repeated (`DecodeBitMasks`); `None` if the fields
/// are reserved.
pub(super) fn bitmask(word: u32) -> Option<u64> {
    let (is_wide, n, immr, imms) = (word >> 31 == 1, word >> 22 & 1, word >> 16 & 63, word >> 10 & 63);
    if !is_wide && n == 1 {
        return None;
    }
    let log2 = (n << 6 | (!imms & 63)).checked_ilog2().filter(|log2| *log2 > 0)?;
    let size = 1_u32 << log2;
    let last = !(u32::MAX << log2);
    let (run, rotation) = (imms & last, immr & last);
    if run == last {
        return None;
    }
    let ones = !(u64::MAX << 1 << run);
    // An element twice as long rotates as its half does.
    let mut element = ones;
    let mut bits = size;
    while bits < 64 {
        element |= element << bits;
        bits <<= 1;
    }
    let value = element.rotate_right(rotation);
    Some(if is_wide { value } else { value & 0xffff_ffff })
}

/// Returns true if MOVZ or MOVN can load the number, which is then not named after ORR: all but 16 bits are zeros, or ones.
pub(super) const fn is_move_wide(value: u64, is_wide: bool) -> bool {
    let ones = if is_wide { u64::MAX } else { 0xffff_ffff };
    has_one_part(value) || has_one_part(value ^ ones)
}

/// Returns true if at most one part of 16 bits is not 0.
const fn has_one_part(value: u64) -> bool {
    value == 0 || value >> (value.trailing_zeros() & !15) <= 0xffff
}

/// Number that MOVZ loads, and of which MOVN loads the complement; `None` if an upper part is 0, which has the general name.
pub(super) fn wide(word: u32) -> Option<u64> {
    let (is_wide, shift, number) = (word >> 31 == 1, word >> 21 & 3, u64::from(word >> 5 & 0xffff));
    let is_general = number == 0 && shift > 0 || !is_wide && shift > 1;
    (!is_general).then_some(number << (shift << 4))
}

/// Floating-point constant of 8 bits (`VFPExpandImm`): sign, 3 bits of the exponent, 4 of the fraction.
pub(super) fn float(bits: u32) -> f64 {
    let exponent = bits >> 4 & 7 ^ 4;
    // The exponent is -3 to 4, and the fraction in sixteenths.
    let magnitude = f64::from((16 | bits & 15) << exponent) / 128.0;
    if bits >> 7 & 1 == 1 { -magnitude } else { magnitude }
}

/// Number whose bytes are all ones where a bit of `abc:defgh` is set.
pub(super) fn byte_mask(upper: u32, lower: u32) -> u64 {
    let bits = upper << 5 | lower;
    (0..8).filter(|bit| bits >> bit & 1 == 1).fold(0, |mask, bit| mask | 0xff << (bit << 3))
}

/// Bits of an element, of which `immh` has the highest bit; `None` for 0.
pub(super) fn element_bits(word: u32) -> Option<u32> {
    Some(8 << (word >> 19 & 15).checked_ilog2()?)
}
