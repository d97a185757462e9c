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

/// Returns the file that `bytes` wrap; `None` if they are of none of these formats. If that wraps another, as a cabinet with a
/// compressed PDB does, it is the inner one.
pub fn unwrap(bytes: &[u8]) -> Option<Result<Unwrapped, ContainerError>> {
    let outer = unwrap_one(bytes)?;
    Some(outer.map(|outer| match unwrap_one(&outer.bytes) {
        Some(Ok(inner)) => {
            let remark = format!("{}; {}", outer.remark, inner.remark);
            Unwrapped { remark, ..inner }
        }
        _ => outer,
    }))
}

fn unwrap_one(bytes: &[u8]) -> Option<Result<Unwrapped, ContainerError>> {
    let first = bytes.get(..PREFIX_LEN).unwrap_or(bytes);
    let wrapping = WRAPPINGS.iter().find(|wrapping| (wrapping.begins)(first))?;
    Some((wrapping.unwrap)(bytes))
}
