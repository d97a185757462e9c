//! Bytes at the addresses of a process.

use crate::{MemoryError, Result};

/// Memory of a process: one that runs, or what a core left of it.
pub trait Memory: Send + Sync {
    /// Fills `bytes` with those from `address` on.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`] unless all of them are there.
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()>;
}

/// The address `offset` bytes after `address`. Addresses from memory can be any number: a sum that leaves the 64 bits names memory that is not there.
pub fn after(address: u64, offset: u64) -> u64 {
    address.wrapping_add(offset)
}

/// The address `offset` bytes before `address`; as in [`after`], it may leave the 64 bits.
pub fn before(address: u64, offset: u64) -> u64 {
    address.wrapping_sub(offset)
}

/// Numbers and text in memory.
impl dyn Memory + '_ {
    fn array<const N: usize>(&self, address: u64) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Byte at an address.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`]
    pub fn u8(&self, address: u64) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array(address)?))
    }

    /// Number of two bytes.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`]
    pub fn u16(&self, address: u64) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(address)?))
    }

    /// Number of four bytes.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`]
    pub fn u32(&self, address: u64) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(address)?))
    }

    /// Number of eight bytes, or pointer.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`]
    pub fn u64(&self, address: u64) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(address)?))
    }

    /// `len` bytes; a length above `most` is refused before anything is kept for it.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::Endless`]
    pub fn bytes(&self, address: u64, len: u64, most: u64) -> Result<Vec<u8>> {
        if len > most {
            return Err(MemoryError::Endless("bytes of a structure"));
        }
        let mut bytes = vec![0; len as usize];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// As many bytes from an address on as are there, at most `most`, in steps of a page.
    pub fn available(&self, address: u64, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < most {
            let at = after(address, bytes.len() as u64);
            let len = ((PAGE - at % PAGE) as usize).min(most - bytes.len());
            let start = bytes.len();
            bytes.resize(start + len, 0);
            if self.read(at, &mut bytes[start..]).is_err() {
                bytes.truncate(start);
                break;
            }
        }
        bytes
    }

    /// UTF-16 text up to its zero, of at most `most` units.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::Endless`]
    pub fn utf16(&self, address: u64, most: usize) -> Result<String> {
        let mut units = Vec::new();
        loop {
            match self.u16(after(address, 2 * units.len() as u64))? {
                0 => return Ok(String::from_utf16_lossy(&units)),
                _ if units.len() == most => return Err(MemoryError::Endless("characters of a text")),
                unit => units.push(unit),
            }
        }
    }
}

/// Size of a page: the unit in which memory is there or is not.
pub const PAGE: u64 = 0x1000;
