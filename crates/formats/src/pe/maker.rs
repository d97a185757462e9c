//! A small image that tests make; those of two crates include it.
#![allow(dead_code, unreachable_pub, missing_docs)]

/// RT_MANIFEST.
const MANIFEST: u16 = 24;
/// Address of the only section, in memory and in the file.
pub const RVA: u32 = 0x1000;
pub(crate) const RAW: usize = 0x400;
pub const SECTION: usize = 0x1000;

/// An image with one section, and what is put there.
pub struct Maker {
    pub bytes: Vec<u8>,
    /// Next free byte of the section.
    pub free: usize,
}

impl Maker {
    pub fn new() -> Self {
        let mut maker = Self { bytes: vec![0; RAW + SECTION], free: 0x200 };
        maker.put(0, b"MZ");
        maker.put(0x3c, &0x100_u32.to_le_bytes());
        maker.put(0x100, b"PE\0\0\x64\x86\x01\0");
        maker.put(0x114, &[240, 0, 0x22, 0]);
        maker.put(0x118, &0x20b_u16.to_le_bytes());
        for (at, value) in [(0x118 + 32, 0x1000_u32), (0x118 + 36, 0x200), (0x118 + 56, 0x2000), (0x118 + 60, 0x400)] {
            maker.put(at, &value.to_le_bytes());
        }
        maker.put(0x118 + 108, &16_u32.to_le_bytes());
        maker.put(0x208, b".data\0\0\0");
        for (at, value) in [(0, SECTION as u32), (4, RVA), (8, SECTION as u32), (12, RAW as u32)] {
            maker.put(0x210 + at, &value.to_le_bytes());
        }
        maker
    }

    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub fn directory(&mut self, index: usize, rva: u32, size: u32) {
        self.put(0x118 + 112 + index * 8, &[rva.to_le_bytes(), size.to_le_bytes()].concat());
    }

    /// Puts bytes somewhere in the section, and returns their address.
    pub fn add(&mut self, bytes: &[u8]) -> u32 {
        let at = self.free;
        self.put(RAW + at, bytes);
        self.free = (at + bytes.len() + 1).next_multiple_of(8);
        RVA + at as u32
    }

    pub fn numbers(&mut self, numbers: &[u32]) -> u32 {
        self.add(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Two DLLs, one of them delayed; five exports; a version and a manifest; a Rich header.
    pub fn full() -> Vec<u8> {
        let mut maker = Self::new();
        maker.imports();
        maker.exports();
        maker.resources();
        maker.rich();
        maker.bytes
    }

    fn imports(&mut self) {
        let hint_name = |maker: &mut Self, name: &str| maker.add(&[&[7, 0], name.as_bytes(), b"\0"].concat());
        let [first, second] = ["CreateFileW", "ReadFile"].map(|name| hint_name(self, name));
        let lookup = self.numbers(&[first, 0, second, 0, 12, 0x8000_0000, 0, 0]);
        let name = self.add(b"KERNEL32.dll\0");
        let descriptors = self.numbers(&[lookup, 0, 0, name, 0x1800, 0, 0, 0, 0, 0]);
        self.directory(1, descriptors, 40);
        let third = hint_name(self, "CoInitialize");
        let lookup = self.numbers(&[third, 0, 0, 0]);
        let name = self.add(b"OLE32.dll\0");
        let delayed = self.numbers(&[1, name, 0, 0x1900, lookup, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        self.directory(13, delayed, 64);
    }

    fn exports(&mut self) {
        // Forwards lie in the directory's own bytes: the header comes first.
        let header = self.add(&[0; 40]);
        let forward = self.add(b"NTDLL.RtlAdd\0");
        let addresses = self.numbers(&[0x1010, forward, 0, 0x1020]);
        let names = [b"Add\0".as_slice(), b"Plus\0", b"Sum\0"].map(|name| self.add(name));
        let pointers = self.numbers(&names);
        let ordinals = self.add(&[0, 0, 1, 0, 0, 0]);
        let name = self.add(b"CALC.dll\0");
        let fields = [0, 0, 0, name, 5, 4, 3, addresses, pointers, ordinals];
        let size = name + 9 - header;
        let bytes: Vec<u8> = fields.iter().flat_map(|number: &u32| number.to_le_bytes()).collect();
        self.put(RAW + (header - RVA) as usize, &bytes);
        self.directory(0, header, size);
    }

    fn resources(&mut self) {
        let version = version();
        let (version_rva, manifest) = (self.add(&version), self.add(b"<assembly/>"));
        // Offsets count from the root: types 16 and 24, each with a name and a language.
        let table = |entries: &[(u32, u32)]| {
            let mut bytes = vec![0; 12];
            bytes.extend_from_slice(&[0, 0, entries.len() as u8, 0]);
            bytes.extend(entries.iter().flat_map(|(id, to)| [id.to_le_bytes(), to.to_le_bytes()].concat()));
            bytes
        };
        let below = 1 << 31;
        let mut bytes = table(&[(16, 0x20 | below), (u32::from(MANIFEST), 0x38 | below)]);
        bytes.extend(table(&[(1, 0x50 | below)]));
        bytes.extend(table(&[(0x98 | below, 0x68 | below)]));
        bytes.extend(table(&[(0x409, 0x80)]));
        bytes.extend(table(&[(0, 0x88)]));
        assert_eq!(bytes.len(), 0x80);
        // The records lie over each other's unused last numbers: code page and reserved.
        let record = |rva: u32, len: usize| [rva.to_le_bytes(), (len as u32).to_le_bytes()].concat();
        bytes.extend(record(version_rva, version.len()));
        bytes.extend(record(manifest, 11));
        bytes.extend([0; 8]);
        bytes.extend([1, 0, b'N', 0]);
        let root = self.add(&bytes);
        self.directory(2, root, bytes.len() as u32);
    }

    fn rich(&mut self) {
        let entries = [(0x0105_u32 << 16 | 0x7809, 3_u32), (0x0102 << 16 | 0x7809, 1)];
        let mut key = 0x80_u32;
        for (offset, byte) in self.bytes[..0x80].iter().enumerate().filter(|(at, _)| !(0x3c..0x40).contains(at)) {
            key = key.wrapping_add(u32::from(*byte).rotate_left(offset as u32));
        }
        for (id, count) in entries {
            key = key.wrapping_add(id.rotate_left(count));
        }
        let mut numbers = vec![0x536e_6144 ^ key, key, key, key];
        numbers.extend(entries.iter().flat_map(|(id, count)| [id ^ key, count ^ key]));
        numbers.extend([u32::from_le_bytes(*b"Rich"), key]);
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.put(0x80, &bytes);
    }
}

pub fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

/// A block of version information.
pub fn block(key: &str, value: &[u8], value_size: u16, is_text: u8, children: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, is_text, 0];
    bytes[2..4].copy_from_slice(&value_size.to_le_bytes());
    bytes.extend(utf16(key));
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(value);
    for child in children {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(child);
    }
    let len = bytes.len() as u16;
    bytes[..2].copy_from_slice(&len.to_le_bytes());
    bytes
}

pub fn version() -> Vec<u8> {
    let numbers =
        [0xfeef_04bd_u32, 0x10000, 0x0001_0002, 0x0003_0004, 0x0005_0006, 0x0007_0008, 0x3f, 0, 4, 2, 0, 0, 0];
    let fixed: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let string = |key: &str, value: &str| block(key, &utf16(value), value.len() as u16 + 1, 1, &[]);
    let strings = [string("CompanyName", "Somebody"), string("FileVersion", "1.2.3.4")];
    let table = block("040904b0", &[], 0, 1, &strings);
    let var = block("VarFileInfo", &[], 0, 1, &[]);
    block("VS_VERSION_INFO", &fixed, 52, 0, &[var, block("StringFileInfo", &[], 0, 1, &[table])])
}
