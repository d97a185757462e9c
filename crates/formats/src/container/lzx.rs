//! LZX streams of cabinets, read by the crate `lzxd`.

use super::ContainerError;

/// Decoder of a folder that LZX packed: a block is a frame of the stream.
#[cfg(feature = "packages")]
pub(super) struct Lzx(lzxd::Lzxd);

#[cfg(feature = "packages")]
impl Lzx {
    /// A decoder with a window of `1 << window` bytes.
    pub(super) fn new(window: u16) -> Result<Self, ContainerError> {
        use lzxd::WindowSize;
        let window = match window {
            15 => WindowSize::KB32,
            16 => WindowSize::KB64,
            17 => WindowSize::KB128,
            18 => WindowSize::KB256,
            19 => WindowSize::KB512,
            20 => WindowSize::MB1,
            21 => WindowSize::MB2,
            _ => {
                return Err(ContainerError::Broken("the window of its LZX stream is not of a cabinet".to_owned()));
            }
        };
        Ok(Self(lzxd::Lzxd::new(window)))
    }

    /// Content of a block.
    pub(super) fn frame(&mut self, data: &[u8], unpacked: usize) -> Result<Vec<u8>, ContainerError> {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        // With overflow checks `lzxd` panics at a distance that leads before its window.
        let frame = catch_unwind(AssertUnwindSafe(|| {
            self.0.decompress_next(data, unpacked).map(<[u8]>::to_vec).map_err(|error| error.to_string())
        }));
        let frame = frame.unwrap_or_else(|_| Err("a distance leads before the window".to_owned()));
        frame.map_err(|why| ContainerError::Broken(format!("its LZX stream is broken: {why}")))
    }
}

/// No decoder.
#[cfg(not(feature = "packages"))]
pub(super) enum Lzx {}

#[cfg(not(feature = "packages"))]
impl Lzx {
    pub(super) const fn new(_: u16) -> Result<Self, ContainerError> {
        Err(ContainerError::NoReader("LZX"))
    }

    pub(super) const fn frame(&mut self, _: &[u8], _: usize) -> Result<Vec<u8>, ContainerError> {
        match *self {}
    }
}
