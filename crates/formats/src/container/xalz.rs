//! Assemblies packed for Android: an LZ4 block with a header of twelve bytes.
//!
//! ```text
//! 0  4  "XALZ"
//! 4  4  index of the assembly's descriptor in the runtime
//! 8  4  size of the assembly in bytes
//! ```
//!
//! # References
//!
//! dotnet/android: `src/Xamarin.Android.Build.Tasks/Utilities/AssemblyCompression.cs`; LZ4 block format description.

use super::{ContainerError, MAX_ENTRY, Unwrapped, broken};

const HEADER: usize = 12;
/// Most bytes that one byte of an LZ4 block can stand for: a length is continued by bytes of up to 255.
const RATIO: u64 = 255;

pub(super) fn begins(first: &[u8]) -> bool {
    first.starts_with(b"XALZ")
}

pub(super) fn unwrap(bytes: &[u8]) -> Result<Unwrapped, ContainerError> {
    let (header, block) = bytes.split_at_checked(HEADER).ok_or_else(|| broken("its header is cut off"))?;
    let size = header.last_chunk().map_or(0, |size| u32::from_le_bytes(*size)) as u64;
    if size > (block.len() as u64 * RATIO).min(MAX_ENTRY) {
        return Err(ContainerError::TooLarge(size));
    }
    let bytes = decompress(block, size as usize)?;
    if bytes.len() as u64 != size {
        return Err(broken("its size is not the one stated"));
    }
    let remark = "an assembly packed for Android (XALZ, LZ4): offsets count from the unpacked one".into();
    Ok(Unwrapped { bytes, remark })
}

#[cfg(feature = "packages")]
fn decompress(block: &[u8], size: usize) -> Result<Vec<u8>, ContainerError> {
    lz4_flex::block::decompress(block, size).map_err(|error| broken(error.to_string()))
}

#[cfg(not(feature = "packages"))]
fn decompress(_: &[u8], _: usize) -> Result<Vec<u8>, ContainerError> {
    Err(ContainerError::NoReader("LZ4"))
}

#[cfg(all(test, feature = "packages"))]
mod tests {
    use super::*;

    fn packed(content: &[u8], size: u32) -> Vec<u8> {
        [b"XALZ\x07\0\0\0".to_vec(), size.to_le_bytes().to_vec(), lz4_flex::block::compress(content)].concat()
    }

    #[test]
    fn an_assembly_is_unpacked() {
        let content = b"MZ and forty times the same, the same, the same, the same, the same".repeat(40);
        let whole = packed(&content, content.len() as u32);
        assert!(begins(&whole) && whole.len() < content.len() / 4);
        assert_eq!(unwrap(&whole).unwrap().bytes, content);
        for len in 0..whole.len() {
            assert!(unwrap(&whole[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn a_size_that_cannot_be_is_refused() {
        let content = b"twelve bytes";
        assert_eq!(unwrap(&packed(content, u32::MAX)), Err(ContainerError::TooLarge(u32::MAX.into())));
        for size in [0, 11, 13, 1000] {
            assert!(matches!(unwrap(&packed(content, size)), Err(ContainerError::Broken(_))), "{size}");
        }
    }
}
