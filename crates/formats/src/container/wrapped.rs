//! Files that wrap one other file: Webcil modules, assemblies packed for Android, cabinets of a symbol store, gzip, compressed
//! PDBs.

use super::{ContainerError, PREFIX_LEN, Unwrapped, cabinet, gzip, msfz, webcil, xalz};

/// A format that wraps one file.
struct Wrapping {
    /// True for the first bytes of a file of this format.
    begins: fn(&[u8]) -> bool,
    /// True if the file in it may be an image.
    of_images: bool,
    unwrap: fn(&[u8]) -> Result<Unwrapped, ContainerError>,
}

const WRAPPINGS: &[Wrapping] = &[
    Wrapping { begins: webcil::begins, of_images: true, unwrap: webcil::unwrap },
    Wrapping { begins: xalz::begins, of_images: true, unwrap: xalz::unwrap },
    Wrapping { begins: cabinet::begins, of_images: true, unwrap: cabinet::unwrap },
    Wrapping { begins: gzip::begins, of_images: true, unwrap: gzip::unwrap },
    Wrapping { begins: msfz::begins, of_images: false, unwrap: msfz::unwrap },
];

/// Returns true if a file that begins with `first` may wrap another.
pub fn is_wrapped(first: &[u8]) -> bool {
    WRAPPINGS.iter().any(|wrapping| (wrapping.begins)(first))
}

/// Returns true if a file that begins with `first` may wrap an image.
pub fn may_wrap_an_image(first: &[u8]) -> bool {
    WRAPPINGS.iter().any(|wrapping| wrapping.of_images && (wrapping.begins)(first))
}

/// The most bytes of a file that is packed by gzip within another wrapping: two of them multiply what a small file unpacks to.
const MAX_NESTED: u64 = 64 << 20;

/// Returns the file that `bytes` wrap; `None` if they are of none of these formats. If that wraps another, as a cabinet with a
/// compressed PDB does, it is the inner one.
pub fn unwrap(bytes: &[u8]) -> Option<Result<Unwrapped, ContainerError>> {
    let outer = unwrap_one(bytes)?;
    Some(outer.and_then(|outer| {
        if gzip::begins(&outer.bytes) {
            let inner = gzip::unwrap_within(&outer.bytes, MAX_NESTED)?;
            return Ok(within(&outer, inner));
        }
        Ok(match unwrap_one(&outer.bytes) {
            Some(Ok(inner)) => within(&outer, inner),
            _ => outer,
        })
    }))
}

fn within(outer: &Unwrapped, inner: Unwrapped) -> Unwrapped {
    Unwrapped { remark: format!("{}; {}", outer.remark, inner.remark), ..inner }
}

fn unwrap_one(bytes: &[u8]) -> Option<Result<Unwrapped, ContainerError>> {
    let first = bytes.get(..PREFIX_LEN).unwrap_or(bytes);
    let wrapping = WRAPPINGS.iter().find(|wrapping| (wrapping.begins)(first))?;
    Some((wrapping.unwrap)(bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_file_that_is_packed_twice_is_no_bomb() {
        let content = b"BSJB and the rest".repeat(40);
        assert_eq!(unwrap(&packed(&packed(&content))).unwrap().unwrap().bytes, content);
        // Noise before 70 MB of zeros, so that the proportion alone allows it.
        let mut state = 1_u32;
        let mut byte = || {
            for shift in [13, -17, 5] {
                state ^= if shift > 0 { state << shift } else { state >> -shift };
            }
            state as u8
        };
        let noise: Vec<u8> = (0..1 << 20).map(|_| byte()).collect();
        let long = [noise, vec![0; 70 << 20]].concat();
        assert_eq!(unwrap(&packed(&long)).unwrap().unwrap().bytes.len(), long.len());
        assert!(matches!(unwrap(&packed(&packed(&long))), Some(Err(ContainerError::TooLarge(_)))));
    }
}
