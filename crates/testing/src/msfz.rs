//! Writer of compressed PDBs (MSFZ).

use pdblens_formats::bytes::{Origin, Spaces};
use pdblens_formats::msf::Msf;

/// An MSFZ file with the streams of an MSF file: each fifth one as it is, the others in chunks of 3 000 bytes by the method. Chunks are
/// stored last to first.
pub fn msfz(msf: &[u8], method: u32) -> Vec<u8> {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("a.pdb", Origin::File("a.pdb".into()), msf.to_vec()).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    let (mut raw, mut plain, mut directory) = (vec![0; 80], Vec::new(), Vec::new());
    for stream in msf.streams() {
        let content = spaces.region(stream.space).unwrap().bytes().to_vec();
        for part in content.chunks(5000) {
            directory.extend_from_slice(&(part.len() as u32).to_le_bytes());
            let place = if stream.index % 5 == 0 { &mut raw } else { &mut plain };
            let in_chunk = 1 << 63 | (place.len() as u64 / 3000) << 32 | (place.len() as u64 % 3000);
            let location = if stream.index % 5 == 0 { place.len() as u64 } else { in_chunk };
            directory.extend_from_slice(&location.to_le_bytes());
            place.extend_from_slice(part);
        }
        directory.extend_from_slice(&if stream.is_nil() { u32::MAX } else { 0 }.to_le_bytes());
    }
    let (mut file, mut entries) = (raw, Vec::new());
    for chunk in plain.chunks(3000).rev() {
        let packed = packed(chunk, method);
        let numbers = [file.len() as u32, 0, method, packed.len() as u32, chunk.len() as u32];
        entries.insert(0, numbers.map(u32::to_le_bytes).concat());
        file.extend_from_slice(&packed);
    }
    let packed_directory = packed(&directory, method);
    let (directory_at, entries_at) = (file.len() as u32, (file.len() + packed_directory.len()) as u32);
    let header = [0, 0, directory_at, 0, entries_at, 0, msf.stream_count(), method, packed_directory.len() as u32];
    let sizes = [directory.len() as u32, entries.len() as u32, entries.len() as u32 * 20];
    let numbers = [&header[..], &sizes].concat().into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
    file.splice(..80, [b"Microsoft MSFZ Container\r\n\x1aALD\0\0".to_vec(), numbers].concat());
    [file, packed_directory, entries.concat()].concat()
}

/// Bytes packed by a method of MSFZ.
fn packed(content: &[u8], method: u32) -> Vec<u8> {
    match method {
        0 => content.to_vec(),
        1 => ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest),
        _ => {
            let mut writer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut writer, content).unwrap();
            writer.finish().unwrap()
        }
    }
}
