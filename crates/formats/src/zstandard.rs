//! Zstandard (RFC 8878), a compression of chunks in MSFZ files.
//!
//! The stated size is the limit of the output: a frame that inflates to more is an error.

use crate::bytes::{Error, ErrorKind, Result, Slice};

/// Window that every decoder should have room for.
#[cfg(feature = "packages")]
const WINDOW: u64 = 8 << 20;

/// Decompresses the frames `packed` to exactly `size` bytes; fails if `size` is above `ceiling`.
pub(crate) fn decompress(packed: Slice<'_>, size: u64, ceiling: u64) -> Result<Vec<u8>> {
    let broken = |why| Error::new(ErrorKind::Inflate(why), packed.span());
    if size > ceiling {
        return Err(Error::new(ErrorKind::TooLarge { what: "Zstandard data", size, ceiling }, packed.span()));
    }
    let content = decode(packed.data, size).map_err(broken)?;
    if content.len() as u64 == size { Ok(content) } else { Err(broken("fewer or more bytes come out than it says")) }
}

#[cfg(feature = "packages")]
fn decode(packed: &[u8], size: u64) -> std::result::Result<Vec<u8>, &'static str> {
    let mut content = Vec::new();
    content.try_reserve_exact(size as usize).map_err(|_| "there is not that much memory")?;
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    decoder.set_max_window_size(size.max(WINDOW));
    decoder
        .decode_all_to_vec(packed, &mut content)
        .map_err(|_| "the bytes are not a Zstandard frame of the stated size")?;
    Ok(content)
}

#[cfg(not(feature = "packages"))]
const fn decode(_: &[u8], _: u64) -> std::result::Result<Vec<u8>, &'static str> {
    Err("Zstandard is read by builds of pdblens with the cargo feature `packages`; this one is without it")
}

#[cfg(all(test, feature = "packages"))]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;

    fn decompressed(packed: &[u8], size: u64) -> Result<Vec<u8>> {
        decompress(Slice::new(packed, SpaceId(0), 0), size, 1 << 20)
    }

    #[test]
    fn frames_of_all_blocks() {
        // Magic; a single segment with a size of one byte; a raw block of 3 bytes; a last block of 4 equal bytes.
        let frame =
            [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 7][..], &[3 << 3, 0, 0], b"abc", &[4 << 3 | 1 << 1 | 1, 0, 0, b'z']]
                .concat();
        assert_eq!(decompressed(&frame, 7).unwrap(), b"abczzzz");
        assert_eq!(decompressed(&[&frame[..], &frame].concat(), 14).unwrap(), b"abczzzzabczzzz");
        let content: Vec<u8> = (0..200_000_u32).map(|number| (number % 251 * (number >> 12)) as u8).collect();
        let packed = ruzstd::encoding::compress_to_vec(&content[..], ruzstd::encoding::CompressionLevel::Fastest);
        assert_eq!(decompressed(&packed, content.len() as u64).as_ref(), Ok(&content));
        for size in [0, 1, content.len() as u64 - 1, content.len() as u64 + 1] {
            assert!(decompressed(&packed, size).is_err(), "{size}");
        }
        for len in (1..packed.len()).step_by(packed.len() / 50 + 1) {
            assert!(decompressed(&packed[..len], content.len() as u64).is_err(), "{len}");
        }
    }

    #[test]
    fn a_bomb_stops_at_the_size_it_states() {
        // 40 last-but-one blocks of 128 KB each from one byte.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
        for last in (0..40).rev() {
            let header = (1_u32 << 17) << 3 | 1 << 1 | u32::from(last == 0);
            frame.extend_from_slice(&[&header.to_le_bytes()[..3], &[0]].concat());
        }
        assert!(decompressed(&frame, 100_000).is_err());
        assert!(decompress(Slice::new(&frame, SpaceId(0), 0), 40 << 17, 8 << 20).is_ok());
        let error = decompressed(&frame, 40 << 17).unwrap_err().to_string();
        assert!(error.contains("exceeds the limit"), "{error}");
    }
}
