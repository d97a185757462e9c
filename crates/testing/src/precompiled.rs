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

/// Machine code in the making: runtime functions, and the debug information of those that methods begin with.
struct Code {
    unwind: u32,
    functions: Vec<u8>,
    infos: Vec<(u32, Vec<u8>)>,
}

impl Code {
    fn new(section: &mut Section) -> Self {
        Self { unwind: section.add(&[1, 0, 0, 0]), functions: Vec::new(), infos: Vec::new() }
    }

    /// Adds methods, which are in the order of their rows, and returns their entry points.
    fn add(&mut self, section: &mut Section, major: u16, methods: &[Precompiled]) -> Vec<u8> {
        let mut entries = Vec::new();
        for method in methods {
            let first = self.functions.len() as u32 / 12;
            entries.push((method.row - 1, writer::native(first << 1)));
            let blob = writer::debug_info(&method.bounds, &method.variables, major);
            self.infos.push((first, [writer::native(0), blob].concat()));
            for fragment in &method.fragments {
                let at = section.add(fragment);
                let entry = [at, at + fragment.len() as u32, self.unwind];
                self.functions.extend(numbers(&entry));
            }
        }
        writer::array(&entries, methods.iter().map(|method| method.row).max().unwrap_or(0))
    }

    fn infos(&self) -> Vec<u8> {
        writer::array(&self.infos, self.functions.len() as u32 / 12)
    }
}

fn numbers(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A core header: flags, and sections with their content, which is added.
fn core_header(section: &mut Section, flags: u32, parts: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut header = numbers(&[flags, parts.len() as u32]);
    for (kind, bytes) in parts {
        let at = section.add(bytes);
        header.extend(numbers(&[*kind, at, bytes.len() as u32]));
    }
    header
}

/// The header of a version at the start of a section.
fn put_header(section: &mut Section, major: u16, core: &[u8]) -> u32 {
    let header = [&0x0052_5452_u32.to_le_bytes()[..], &major.to_le_bytes(), &[0; 2], core].concat();
    section.0[..header.len()].copy_from_slice(&header);
    header.len() as u32
}

/// A PE32 image with machine code for x64 on Linux of these methods, which are in the order of their rows.
pub fn precompile(image: &[u8], major: u16, methods: &[Precompiled]) -> Vec<u8> {
    precompile_with(image, major, methods, None)
}

/// As [`precompile`], with a method that is inlined in another: the rows of both.
pub fn precompile_with(image: &[u8], major: u16, methods: &[Precompiled], inlined: Option<[u32; 2]>) -> Vec<u8> {
    let mut section = Section(vec![0; 0x100]);
    let mut code = Code::new(&mut section);
    let entries = code.add(&mut section, major, methods);
    let infos = code.infos();
    let mut parts = vec![(100, b"writer 1.0".to_vec()), (102, code.functions), (103, entries), (105, infos)];
    parts.extend(inlined.map(|[inlinee, inliner]| {
        // The index of one entry, and its list: the number of inliners, and their rows.
        let mut list = writer::Nibbles::default();
        for number in [1, inliner] {
            list.unsigned(number);
        }
        (110, [numbers(&[8, inlinee, 0]), list.bytes()].concat())
    }));
    let core = core_header(&mut section, 0, &parts);
    let size = put_header(&mut section, major, &core);
    with_section(image, &section.0, &Link::Cli(size))
}

/// Flag of a component.
const COMPONENT: u32 = 0x20;

/// An image as the component of a composite image that has its code.
pub fn component(image: &[u8], major: u16, owner: &str) -> Vec<u8> {
    let mut section = Section(vec![0; 0x100]);
    let core = core_header(&mut section, COMPONENT, &[(116, owner.as_bytes().to_vec())]);
    let size = put_header(&mut section, major, &core);
    with_section(image, &section.0, &Link::Cli(size))
}

/// An assembly of a composite image: name, MVID, methods.
pub type Assembly<'a> = (&'a str, [u8; 16], Vec<Precompiled>);

/// A composite image with the code of assemblies; `envelope` is an image whose headers it takes.
pub fn composite(envelope: &[u8], major: u16, assemblies: &[Assembly<'_>]) -> Vec<u8> {
    let mut section = Section(vec![0; 0x100]);
    let mut code = Code::new(&mut section);
    let (mut components, mut mvids) = (Vec::new(), Vec::new());
    for (_, mvid, methods) in assemblies {
        let entries = code.add(&mut section, major, methods);
        let core = core_header(&mut section, COMPONENT, &[(103, entries)]);
        let at = section.add(&core);
        components.extend(numbers(&[0, 0, at, core.len() as u32]));
        mvids.extend(mvid);
    }
    let infos = code.infos();
    let parts = [
        (100, b"writer 1.0".to_vec()),
        (102, code.functions),
        (105, infos),
        (112, manifest(assemblies)),
        (115, components),
        (118, mvids),
    ];
    let core = core_header(&mut section, 0, &parts);
    put_header(&mut section, major, &core);
    let exports = exports(&mut section, "RTR_HEADER", RVA);
    with_section(envelope, &section.0, &Link::Exports(exports))
}

/// Metadata with a row of AssemblyRef for each assembly.
fn manifest(assemblies: &[Assembly<'_>]) -> Vec<u8> {
    use crate::synth::{heaps::Heaps, metadata, tables};
    let (mut rows, mut heaps, mut out) = (tables::Tables::new(), Heaps::new(), Vec::new());
    for (name, ..) in assemblies {
        let name = heaps.string(name);
        rows.add(tables::ASSEMBLY_REF, [1, 0, 0, 0, 0, 0, name, 0, 0]);
    }
    metadata::write("v4.0.30319", None, &rows, &heaps, &mut out);
    out
}

/// Adds an export directory with one name, and returns its address and size. Its tables follow it.
fn exports(section: &mut Section, name: &str, rva: u32) -> [u32; 2] {
    const SIZE: u32 = 40;
    let at = section.add(&[]);
    let [address, names, ordinals, text] = [0, 4, 8, 12].map(|offset| at + SIZE + offset);
    let directory = [0, 0, 0, text, 1, 1, 1, address, names, ordinals];
    section.add(&[numbers(&directory), numbers(&[rva, text, 0]), name.as_bytes().to_vec(), vec![0]].concat());
    [at, SIZE]
}

/// Way to the header in an added section.
enum Link {
    /// The CLI header, with the size of the header.
    Cli(u32),
    /// The export directory, whose address and size are given; there is no CLI header then.
    Exports([u32; 2]),
}

/// Adds the section, and what leads to it.
fn with_section(image: &[u8], section: &[u8], link: &Link) -> Vec<u8> {
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
    let directories = optional + 96;
    match link {
        Link::Cli(header_size) => {
            // The CLI header is in the first section.
            let cli = (u32_at(directories + 14 * 8) - u32_at(table + 12) + u32_at(table + 20)) as usize;
            put(cli + 16, &(u32_at(cli + 16) & !1 | 4).to_le_bytes());
            put(cli + 64, &numbers(&[RVA, *header_size]));
        }
        Link::Exports(directory) => {
            put(directories, &numbers(directory));
            put(directories + 14 * 8, &[0; 8]);
        }
    }
    out
}
