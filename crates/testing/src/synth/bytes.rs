//! Little-endian numbers and ECMA-335 compressed integers (II.23.2), appended to a `Vec<u8>`.

/// Appends numbers.
pub trait Put {
    /// Appends bytes as they are.
    fn put(&mut self, bytes: &[u8]);

    /// Appends zeros up to a multiple of `align`.
    fn align(&mut self, align: usize);

    fn put_u16(&mut self, number: u16) {
        self.put(&number.to_le_bytes());
    }

    fn put_u32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    fn put_u64(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }

    /// Appends several.
    fn put_u32s(&mut self, numbers: &[u32]) {
        for number in numbers {
            self.put_u32(*number);
        }
    }

    /// Appends text and the NUL that ends it.
    fn put_z(&mut self, text: &str) {
        self.put(text.as_bytes());
        self.put(&[0]);
    }

    /// Appends text as UTF-16.
    fn put_utf16(&mut self, text: &str) {
        for unit in text.encode_utf16() {
            self.put_u16(unit);
        }
    }

    /// Appends a compressed unsigned integer.
    fn put_compressed(&mut self, number: u32) {
        match number {
            0..0x80 => self.put(&[number as u8]),
            0x80..0x4000 => self.put(&(number as u16 | 0x8000).to_be_bytes()),
            0x4000..0x2000_0000 => self.put(&(number | 0xc000_0000).to_be_bytes()),
            _ => panic!("{number:#x} cannot be compressed"),
        }
    }

    /// Appends a compressed signed integer: the sign is rotated into the lowest bit.
    fn put_compressed_signed(&mut self, number: i32) {
        let sign = u32::from(number < 0);
        let rotated = |bits: u32| ((number as u32) << 1 | sign) & ((1 << bits) - 1);
        match number {
            -0x40..0x40 => self.put(&[rotated(7) as u8]),
            -0x2000..0x2000 => self.put(&(rotated(14) as u16 | 0x8000).to_be_bytes()),
            -0x1000_0000..0x1000_0000 => self.put(&(rotated(29) | 0xc000_0000).to_be_bytes()),
            _ => panic!("{number} cannot be compressed"),
        }
    }
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn align(&mut self, align: usize) {
        self.resize(self.len().next_multiple_of(align), 0);
    }
}

/// Overwrites the `u32` at `at`.
pub fn patch(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}
