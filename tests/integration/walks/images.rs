//! Images and archives of any number of one part, with nothing else in them.

/// A PE32+ image whose sections all have the same content.
pub struct Image {
    pub sections: u32,
    pub content: Vec<u8>,
    /// Number, offset in the content and size of a data directory.
    pub directory: (usize, u32, u32),
}

impl Default for Image {
    fn default() -> Self {
        Self { sections: 1, content: vec![0xcc; 0x200], directory: (0, 0, 0) }
    }
}

/// Address of the first section.
const BASE: u32 = 0x1000;
const PE_AT: usize = 0x80;
const OPTIONAL_SIZE: usize = 0xf0;

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Fields of four bytes at their offsets.
fn fields(size: usize, fields: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for (at, number) in fields {
        bytes[*at..*at + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

impl Image {
    pub fn write(&self) -> Vec<u8> {
        let (index, offset, size) = self.directory;
        let len = self.content.len() as u32;
        let at = (PE_AT + 24 + OPTIONAL_SIZE + 40 * self.sections as usize).next_multiple_of(0x200) as u32;
        let mut bytes = fields(PE_AT, &[(0, 0x5a4d), (0x3c, PE_AT as u32)]);
        let machine_and_count = 0x8664 | (self.sections << 16);
        bytes.extend(fields(24, &[(0, 0x4550), (4, machine_and_count), (20, 0x2022_0000 | OPTIONAL_SIZE as u32)]));
        let mut optional = fields(
            OPTIONAL_SIZE,
            &[
                (0, 0x20b),
                (24, 0x1000_0000),
                (32, 0x1000),
                (36, 0x200),
                (56, BASE + self.sections * len.next_multiple_of(0x1000)),
                (60, at),
                (68, 3),
                (108, 16),
            ],
        );
        let directory = numbers(&[if size > 0 { BASE + offset } else { 0 }, size]);
        optional[112 + 8 * index..120 + 8 * index].copy_from_slice(&directory);
        bytes.extend(optional);
        for section in 0..self.sections {
            bytes.extend(format!(".s{section:06}").as_bytes());
            bytes.extend(numbers(&[len, BASE + section * len.next_multiple_of(0x1000), len, at, 0, 0, 0, 0x6000_0020]));
        }
        bytes.resize(at as usize, 0);
        bytes.extend(&self.content);
        bytes
    }
}

/// Directory `index` at the beginning of a section.
fn with(index: usize, size: u32, content: Vec<u8>) -> Vec<u8> {
    Image { sections: 1, content, directory: (index, 0, size) }.write()
}

/// Blocks of relocations of one address each.
pub fn relocations(count: u32) -> Vec<u8> {
    let blocks: Vec<u8> = (0..count).flat_map(|at| numbers(&[0x1000 * (at % 64), 12, 0xa008])).collect();
    with(5, 12 * count, blocks)
}

/// DLLs of which one function is imported by its ordinal, from the same lookup table.
pub fn imports(count: u32) -> Vec<u8> {
    let lookup = BASE + 20 * (count + 1);
    let mut content: Vec<u8> = (0..count).flat_map(|_| numbers(&[lookup, 0, 0, lookup + 16, lookup])).collect();
    content.extend([0; 20]);
    content.extend([5, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]);
    content.extend(b"K.dll\0");
    with(1, 20 * (count + 1), content)
}

/// Exports with names of their own.
pub fn exports(count: u32) -> Vec<u8> {
    let (functions, names) = (BASE + 40, BASE + 40 + 4 * count);
    let (ordinals, text) = (names + 4 * count, names + 6 * count);
    let mut content = numbers(&[0, 0, 0, text, 1, count, count, functions, names, ordinals]);
    content.extend((0..count).flat_map(|_| BASE.to_le_bytes()));
    content.extend((0..count).flat_map(|at| (text + 6 + 8 * at).to_le_bytes()));
    content.extend((0..count).flat_map(|at| (at as u16).to_le_bytes()));
    content.extend(b"M.dll\0");
    content.extend((0..count).flat_map(|at| format!("f{at:06}\0").into_bytes()));
    let size = content.len() as u32;
    with(0, size, content)
}

/// Entries of the debug directory that share one payload.
pub fn debug_entries(count: u32) -> Vec<u8> {
    let (offset, at) = (28 * count, 0x200);
    let entry = numbers(&[0, 0, 0, 2, 40, BASE + offset, at + offset]);
    let mut content = entry.repeat(count as usize);
    content.extend(b"RSDS");
    content.extend([7; 20]);
    content.extend(b"x.pdb\0");
    content.resize(content.len() + 10, 0);
    with(6, offset, content)
}

/// A zip archive of `count` stored entries, of which each has the data of one of `distinct`.
pub fn archive(count: u32, distinct: u32) -> Vec<u8> {
    let content = [7; 50];
    let mut crc = flate2::Crc::new();
    crc.update(&content);
    let (mut data, mut directory, mut at) = (Vec::new(), Vec::new(), 0);
    for index in 0..count {
        let name = format!("lib/a{index:06}.dll");
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        head.extend(numbers(&[crc.sum(), content.len() as u32, content.len() as u32, name.len() as u32]));
        if index < distinct {
            at = data.len() as u32;
            data.extend([b"PK\x03\x04", head.as_slice(), name.as_bytes(), &content].concat());
        }
        directory.extend([b"PK\x01\x02\x14\0", head.as_slice(), &[0; 10], &at.to_le_bytes(), name.as_bytes()].concat());
    }
    let end = numbers(&[(count << 16) | count, directory.len() as u32, data.len() as u32]);
    [data, directory, b"PK\x05\x06\0\0\0\0".to_vec(), end, vec![0, 0]].concat()
}
