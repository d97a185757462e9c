//! ReadyToRun images: a managed image with a section of machine code added.

#[path = "../../formats/src/r2r/writer.rs"]
pub mod writer;

/// Address of the added section; images of the samples end before.
const RVA: u32 = 0x10000;

/// Machine code of a method.
pub struct Precompiled {
    /// Row of MethodDef.
    pub row: u32,
    /// Code: the method, then its funclets.
    pub fragments: Vec<Vec<u8>>,
    /// Bounds and variables.
    pub bounds: Vec<writer::BoundRow>,
    pub variables: Vec<writer::VariableRow>,
}

/// Machine code of `Clock` in the sample Ticker, as a compiler that optimises writes it. Of the points of `Since`, those at 0 and 1 share
/// an address, that at 7 has none, and that at 0x18 has two.
pub fn clock() -> Vec<Precompiled> {
    // The first instruction is at 0x10110; the call goes through the cell at 0x10108.
    let now = [
        &[0x55, 0x48, 0x83, 0xec, 0x10, 0x48, 0x8d, 0x6c, 0x24, 0x10][..],
        &[0xff, 0x15, 0xe8, 0xff, 0xff, 0xff, 0x48, 0x89, 0x45, 0xf8],
        &[0x48, 0xb9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0x48, 0x23, 0xc1],
        &[0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3],
    ];
    // It is at 0x10140, and calls `Now`.
    let since = [
        &[0x55, 0x53, 0x50, 0x48, 0x8d, 0x6c, 0x24, 0x10, 0x48, 0x8b, 0xdf][..],
        &[0xe8, 0xc0, 0xff, 0xff, 0xff, 0x48, 0x2b, 0xc3, 0x7c, 0x07],
        &[0x48, 0x83, 0xc4, 0x08, 0x5b, 0x5d, 0xc3, 0x33, 0xc0, 0x48, 0x83, 0xc4, 0x08, 0x5b, 0x5d, 0xc3],
    ];
    let now = Precompiled {
        row: 2,
        fragments: vec![now.concat()],
        bounds: vec![[0, 1, 2], [0xa, 3, 2], [0x21, 0, 2]],
        variables: vec![(0, 0x14, 0x13, vec![3, 5, 0x11])],
    };
    let since = Precompiled {
        row: 3,
        fragments: vec![since.concat()],
        bounds: vec![
            [0, 1, 2],
            [0xb, 3, 2],
            [0xb, 3 + 1, 2],
            [0x10, 3 + 0xb, 2],
            [0x15, 3 + 0x18, 2],
            [0x19, 0, 2],
            [0x1c, 3 + 0x13, 2],
            [0x1e, 3 + 0x18, 2],
            [0x22, 0, 2],
        ],
        variables: vec![
            (0, 0, 8, vec![0, 7]),
            (0, 8, 0x1d, vec![0, 3]),
            (1, 0x10, 3, vec![0, 0]),
            (2, 0x13, 9, vec![0, 0]),
        ],
    };
    vec![now, since]
}

/// Content of the section in the making.
struct Section(Vec<u8>);

impl Section {
    /// Appends bytes at the next multiple of 16, and returns their address.
    fn add(&mut self, bytes: &[u8]) -> u32 {
        self.0.resize(self.0.len().next_multiple_of(16), 0);
        let at = RVA + self.0.len() as u32;
        self.0.extend_from_slice(bytes);
        at
    }
}

/// A PE32 image with machine code for x64 on Linux of these methods, which are in the order of their rows.
pub fn precompile(image: &[u8], major: u16, methods: &[Precompiled]) -> Vec<u8> {
    let mut section = Section(vec![0; 0x100]);
    let unwind = section.add(&[1, 0, 0, 0]);
    let (mut functions, mut entries, mut infos) = (Vec::new(), Vec::new(), Vec::new());
    for method in methods {
        let first = functions.len() as u32 / 12;
        entries.push((method.row - 1, writer::native(first << 1)));
        let blob = writer::debug_info(&method.bounds, &method.variables, major);
        infos.push((first, [writer::native(0), blob].concat()));
        for fragment in &method.fragments {
            let at = section.add(fragment);
            let entry = [at, at + fragment.len() as u32, unwind];
            functions.extend(entry.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    let rows = methods.iter().map(|method| method.row).max().unwrap_or(0);
    let parts = [
        (100, b"writer 1.0".to_vec()),
        (102, functions.clone()),
        (103, writer::array(&entries, rows)),
        (105, writer::array(&infos, functions.len() as u32 / 12)),
    ];
    let mut header = [&0x0052_5452_u32.to_le_bytes()[..], &major.to_le_bytes(), &[0; 2], &[0; 4]].concat();
    header.extend((parts.len() as u32).to_le_bytes());
    for (kind, bytes) in parts {
        let at = section.add(&bytes);
        header.extend([kind, at, bytes.len() as u32].iter().flat_map(|number: &u32| number.to_le_bytes()));
    }
    section.0[..header.len()].copy_from_slice(&header);
    with_section(image, &section.0, header.len() as u32)
}

/// Adds the section, and leads the CLI header to it.
fn with_section(image: &[u8], section: &[u8], header_size: u32) -> Vec<u8> {
    let mut out = image.to_vec();
    out.resize(out.len().next_multiple_of(0x200), 0);
    let raw = out.len() as u32;
    out.extend_from_slice(section);
    out.resize(out.len().next_multiple_of(0x200), 0);
    let u16_at = |at: usize| u16::from_le_bytes([image[at], image[at + 1]]);
    let u32_at = |at: usize| u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]]);
    let coff = u32_at(0x3c) as usize + 4;
    let (count, optional) = (u16_at(coff + 2), coff + 20);
    let table = optional + usize::from(u16_at(coff + 16));
    let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
    put(coff, &0xfd1d_u16.to_le_bytes());
    put(coff + 2, &(count + 1).to_le_bytes());
    put(optional + 56, &(RVA + 0x1_0000).to_le_bytes());
    let size = section.len() as u32;
    let own = table + usize::from(count) * 40;
    put(own, b".r2r\0\0\0\0");
    for (at, number) in [(8, size), (12, RVA), (16, size.next_multiple_of(0x200)), (20, raw), (36, 0x6000_0020)] {
        put(own + at, &number.to_le_bytes());
    }
    // The CLI header is in the first section.
    let cli = (u32_at(optional + 96 + 14 * 8) - u32_at(table + 12) + u32_at(table + 20)) as usize;
    put(cli + 16, &(u32_at(cli + 16) & !1 | 4).to_le_bytes());
    put(cli + 64, &[RVA.to_le_bytes(), header_size.to_le_bytes()].concat());
    out
}
