//! Writers of containers and of files that wrap one.

/// An assembly packed for Android (XALZ), of at least 15 bytes: one run of literals.
pub fn xalz(content: &[u8]) -> Vec<u8> {
    let mut bytes = [b"XALZ\0\0\0\0".to_vec(), (content.len() as u32).to_le_bytes().to_vec(), vec![0xf0]].concat();
    bytes.extend(std::iter::repeat_n(0xff, (content.len() - 15) / 255));
    bytes.push(((content.len() - 15) % 255) as u8);
    [bytes, content.to_vec()].concat()
}

/// A tar archive of one file (POSIX).
pub fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    let size = format!("{:011o}", content.len());
    for (at, field) in [(0, name), (124, size.as_str()), (148, "        "), (156, "0"), (257, "ustar\x0000")] {
        header[at..at + field.len()].copy_from_slice(field.as_bytes());
    }
    let sum = format!("{:06o}\0", header.iter().map(|byte| u32::from(*byte)).sum::<u32>());
    header[148..155].copy_from_slice(sum.as_bytes());
    let rest = vec![0; content.len().next_multiple_of(512) - content.len() + 1024];
    [header.to_vec(), content.to_vec(), rest].concat()
}

/// An assembly store of version 3 with one image and its PDB.
pub fn assembly_store(name: &str, image: &[u8], pdb: &[u8]) -> Vec<u8> {
    let data = 20 + 28 + 4 + name.len() as u32;
    let header = [0x8001_0003, 1, 0, 0];
    let descriptor = [0, data, image.len() as u32, data + image.len() as u32, pdb.len() as u32, 0, 0];
    let numbers = [&header[..], &descriptor, &[name.len() as u32]].concat().into_iter().flat_map(u32::to_le_bytes);
    [b"XABA".to_vec(), numbers.collect(), name.as_bytes().to_vec(), image.to_vec(), pdb.to_vec()].concat()
}

/// A cabinet of one stored file.
pub fn cabinet(content: &[u8]) -> Vec<u8> {
    let mut bytes = [b"MSCF".to_vec(), vec![0; 12], 44_u32.to_le_bytes().to_vec(), vec![0; 4]].concat();
    bytes.extend_from_slice(&[3, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 66, 0, 0, 0]);
    let blocks: Vec<_> = content.chunks(1 << 15).collect();
    bytes.extend_from_slice(&[blocks.len() as u8, 0, 0, 0]);
    bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&[&[0; 12][..], b"a.pdb\0"].concat());
    for block in blocks {
        let len = (block.len() as u16).to_le_bytes();
        bytes.extend_from_slice(&[&[0; 4], &len[..], &len, block].concat());
    }
    bytes
}

/// A Webcil payload of one section with these bytes, without metadata.
pub fn webcil(content: &[u8]) -> Vec<u8> {
    let len = content.len() as u32;
    let directories = [0x2000, 72, 0x2000 + len.saturating_sub(28), 28];
    let numbers = [&[0, 1][..], &directories, &[len, 0x2000, len, 44]].concat();
    [b"WbIL".to_vec(), numbers.into_iter().flat_map(u32::to_le_bytes).collect(), content.to_vec()].concat()
}

/// A WebAssembly module whose data segment 1 is a payload of 128 to 16 383 bytes.
pub fn webcil_module(payload: &[u8]) -> Vec<u8> {
    let leb = |len: usize| [len as u8 | 0x80, (len >> 7) as u8];
    let segments = [&[2, 1, 4][..], &(payload.len() as u32).to_le_bytes(), &[1], &leb(payload.len()), payload].concat();
    let import = b"\x02\x12\x01\x06webcil\x06memory\x02\0\x01";
    [&b"\0asm\x01\0\0\0"[..], import, &[11], &leb(segments.len()), &segments].concat()
}

/// An ELF program with the files of a .NET program in it, whose manifest is of version 6.
pub fn bundle(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
    bytes.resize(52, 0);
    bytes.extend_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 0, 0, 0, 0]);
    let marker = [
        0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5,
        0xb9, 0xe6, 0xef, 0xae, 0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
    ];
    let content: usize = files.iter().map(|(_, content)| content.len()).sum();
    let mut offset = bytes.len() as u64 + 40;
    bytes.extend_from_slice(&(offset + content as u64).to_le_bytes());
    bytes.extend_from_slice(&marker);
    for (_, content) in files {
        bytes.extend_from_slice(content);
    }
    bytes.extend([6, 0, files.len() as u32].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend_from_slice(&[&b"\x04abcd"[..], &[0; 40]].concat());
    for (name, content) in files {
        let numbers = [offset, content.len() as u64, 0];
        offset += content.len() as u64;
        bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend_from_slice(&[&[1, name.len() as u8], name.as_bytes()].concat());
    }
    bytes
}
