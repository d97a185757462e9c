//! A file packed by gzip (RFC 1952): `App.pdb.gz`.

use std::io::Read;

use flate2::read::GzDecoder;

use super::{ContainerError, MAX_ENTRY, Unwrapped, broken, ceiling};

pub(super) fn begins(first: &[u8]) -> bool {
    first.starts_with(&[0x1f, 0x8b, 8])
}

pub(super) fn unwrap(bytes: &[u8]) -> Result<Unwrapped, ContainerError> {
    unwrap_within(bytes, MAX_ENTRY)
}

/// Unpacks a file to `most` bytes at most.
pub(super) fn unwrap_within(bytes: &[u8], most: u64) -> Result<Unwrapped, ContainerError> {
    let (max, mut content) = (ceiling(bytes.len() as u64, most), Vec::new());
    let read = GzDecoder::new(bytes).take(max.saturating_add(1)).read_to_end(&mut content);
    read.map_err(|error| broken(error.to_string()))?;
    if content.len() as u64 > max {
        return Err(ContainerError::TooLarge(content.len() as u64));
    }
    Ok(Unwrapped { bytes: content, remark: "packed by gzip: offsets count from the unpacked file".into() })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    #[test]
    fn a_file_is_unpacked_and_a_cut_one_is_not() {
        let content = b"BSJB and the rest".repeat(40);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&content).unwrap();
        let whole = encoder.finish().unwrap();
        assert!(begins(&whole));
        assert_eq!(unwrap(&whole).unwrap().bytes, content);
        for len in 0..whole.len() {
            assert!(unwrap(&whole[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn what_expands_beyond_measure_is_refused() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![0; 80 << 20]).unwrap();
        assert!(matches!(unwrap(&encoder.finish().unwrap()), Err(ContainerError::TooLarge(_))));
    }
}
