//! Mutations that keep the structure of a file: heaps, row counts and cells of metadata, sizes and page lists of MSF, directories and
//! sections of images. Bytes changed at random rarely reach what follows a header that has to be right.

mod bytes;
mod image;
mod metadata;
mod msf;

use crate::support::synth::rng::Rng;

/// The structure that the inputs of a target have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// None that is worth the trouble.
    Bytes,
    /// A metadata root.
    Metadata,
    /// An MSF file.
    Msf,
    /// A PE image.
    Image,
    /// The length of an image, the image, and its symbols.
    Pair,
}

/// Changes one thing in `input`, if it has that shape. `other` is an input to take parts from.
pub fn mutate(shape: Shape, input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) -> Option<()> {
    match shape {
        Shape::Bytes => None,
        Shape::Metadata => metadata::mutate(input, other, rng),
        Shape::Msf => msf::mutate(input, other, rng),
        Shape::Image => image::mutate(input, other, rng),
        Shape::Pair => pair(input, other, rng),
    }
}

/// Changes the image or the symbols of a pair.
fn pair(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) -> Option<()> {
    let (mut image, mut symbols) = halves(input)?;
    let (other_image, other_symbols) = halves(other).unwrap_or_default();
    if rng.chance(50) {
        image::mutate(&mut image, &other_image, rng)?;
    } else if symbols.starts_with(b"BSJB") {
        metadata::mutate(&mut symbols, &other_symbols, rng)?;
    } else {
        msf::mutate(&mut symbols, &other_symbols, rng)?;
    }
    *input = (image.len() as u32).to_le_bytes().to_vec();
    input.append(&mut image);
    input.append(&mut symbols);
    Some(())
}

fn halves(input: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (len, rest) = input.split_first_chunk()?;
    let (image, symbols) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    Some((image.to_vec(), symbols.to_vec()))
}
