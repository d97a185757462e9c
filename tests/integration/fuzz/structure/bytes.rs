//! Numbers in bytes, read and written where they are.

use crate::support::synth::rng::Rng;

pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub fn put(bytes: &mut [u8], at: usize, new: &[u8]) -> Option<()> {
    bytes.get_mut(at..at.checked_add(new.len())?)?.copy_from_slice(new);
    Some(())
}

/// A number below `end`, which may be 0.
pub fn below(rng: &mut Rng, end: usize) -> usize {
    rng.between(0, end.clamp(1, u32::MAX as usize) as u32) as usize
}

/// A number that takes the place of `old`: close to it, small, or a limit.
pub fn changed(old: u32, limit: u32, rng: &mut Rng) -> u32 {
    let near = [old.wrapping_add(1), old.wrapping_sub(1), old.wrapping_mul(2), old / 2, old.wrapping_add(4)];
    let far =
        [0, 1, 2, limit, limit.wrapping_sub(1), limit.wrapping_add(1), 0xffff, 0x00ff_ffff, 0x7fff_ffff, u32::MAX];
    if rng.chance(50) { rng.one(&near) } else { rng.one(&far) }
}

/// Puts another number at `at`.
pub fn change_u32(bytes: &mut [u8], at: usize, limit: u32, rng: &mut Rng) -> Option<()> {
    let new = changed(u32_at(bytes, at)?, limit, rng);
    put(bytes, at, &new.to_le_bytes())
}

/// Puts another number of two bytes at `at`.
pub fn change_u16(bytes: &mut [u8], at: usize, limit: u16, rng: &mut Rng) -> Option<()> {
    let new = changed(u16_at(bytes, at)?.into(), limit.into(), rng) as u16;
    put(bytes, at, &new.to_le_bytes())
}
