//! Raw deflate (RFC 1951, without zlib or gzip header), the compression of embedded portable PDBs and embedded sources.
//!
//! The stated size is not trusted: memory grows with the bytes that are inflated.

use flate2::{Decompress, FlushDecompress, Status};

use crate::bytes::{Error, ErrorKind, Result, Slice};

/// Minimum growth of the output buffer in bytes.
const STEP: u64 = 1 << 16;

/// The most bytes that `deflated_len` bytes may inflate to: deflate reaches 1 000 to 1 with a bomb, and 5 to 1 with a PDB or text.
pub const fn ceiling(deflated_len: u64, max: u64) -> u64 {
    let proportional = deflated_len.saturating_mul(64).saturating_add(32 << 20);
    if proportional < max { proportional } else { max }
}

/// Inflates `deflated` to exactly `size` bytes; fails if `size` is above `ceiling`.
pub fn inflate(deflated: Slice<'_>, size: u64, ceiling: u64) -> Result<Vec<u8>> {
    let broken = |why| Error::new(ErrorKind::Inflate(why), deflated.span());
    if size > ceiling {
        return Err(Error::new(ErrorKind::TooLarge { what: "deflated data", size, ceiling }, deflated.span()));
    }
    let mut inflated = Vec::new();
    let mut stream = Decompress::new(false);
    loop {
        let done = inflated.len() as u64;
        // Room for one byte more than stated detects a longer stream.
        let left = size.saturating_add(1).saturating_sub(done);
        let room = done.max(deflated.len() * 4).max(STEP).min(left);
        inflated.try_reserve_exact(room as usize).map_err(|_| broken("there is not that much memory"))?;
        let before = (stream.total_in(), stream.total_out());
        let status = stream
            .decompress_vec(deflated.rest(before.0).data, &mut inflated, FlushDecompress::None)
            .map_err(|_| broken("the bytes are not a deflate stream"))?;
        match inflated.len() as u64 {
            len if len > size => return Err(broken("more bytes come out than it says")),
            len if status == Status::StreamEnd => {
                return if len == size { Ok(inflated) } else { Err(broken("fewer bytes come out than it says")) };
            }
            _ if before == (stream.total_in(), stream.total_out()) => return Err(broken("the stream breaks off")),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;
    use std::io::Write;

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    fn inflated(deflated: &[u8], size: u64, ceiling: u64) -> Result<Vec<u8>> {
        inflate(Slice::new(deflated, SpaceId(0), 0), size, ceiling)
    }

    fn why(result: Result<Vec<u8>>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn what_was_deflated_comes_back() {
        for len in [0, 1, 65_535, 65_536, 65_537, 3_000_000] {
            let bytes: Vec<u8> = (0..len).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 27) as u8).collect();
            assert_eq!(inflated(&deflate(&bytes), bytes.len() as u64, 4_000_000).as_ref(), Ok(&bytes));
        }
    }

    #[test]
    fn a_bomb_stops_at_the_size_it_states() {
        let bomb = deflate(&vec![0; 50_000_000]);
        assert!(why(inflated(&bomb, 100_000, 1 << 20)).contains("more bytes come out"));
        assert!(
            why(inflated(&bomb, 50_000_000, 1 << 20)).contains("exceeds the limit: 50000000 bytes of at most 1048576")
        );
        assert!(inflated(&bomb, u64::MAX, u64::MAX).is_err());
    }

    #[test]
    fn a_stream_that_is_cut_or_wrong_is_an_error() {
        let bytes = deflate(b"twelve bytes");
        assert!(why(inflated(&bytes, 13, 100)).contains("fewer bytes come out"));
        for len in 0..bytes.len() {
            assert!(inflated(&bytes[..len], 12, 100).is_err(), "{len}");
        }
        assert!(why(inflated(&[0xff; 9], 12, 100)).contains("not a deflate stream"));
    }
}
