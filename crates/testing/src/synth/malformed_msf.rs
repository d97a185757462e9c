//! Malformed Windows PDBs: faults in the container or in the streams of a module.

use super::bytes::patch;
use super::dbi::Program;
use super::recipe::Recipe;

/// Name of a fault, and the function that makes it.
pub type Malformed = (&'static str, fn() -> Vec<u8>);

const PAGE_SIZE: usize = 512;

/// All of them.
pub const MALFORMED: [Malformed; 20] = [
    ("pages of no bytes", || in_container(|file| patch(file, 0x20, 0))),
    ("pages of three bytes", || in_container(|file| patch(file, 0x20, 3))),
    ("pages of 2 GB", || in_container(|file| patch(file, 0x20, 1 << 31))),
    ("2^32 - 1 pages", || in_container(|file| patch(file, 0x28, u32::MAX))),
    ("a directory of 2 GB", || in_container(|file| patch(file, 0x2c, (1 << 31) - 1))),
    ("a directory of 4 GB", || in_container(|file| patch(file, 0x2c, u32::MAX))),
    ("a list of directory pages beyond the file", || in_container(|file| patch(file, 0x34, u32::MAX))),
    ("a list of directory pages in the superblock", || in_container(|file| patch(file, 0x34, 0))),
    ("2^31 streams", || in_directory(|file, at| patch(file, at, 1 << 31))),
    ("a stream of 4 GB", || in_directory(|file, at| patch(file, at + 4 * 4, u32::MAX - 1))),
    ("a stream without bytes that is needed", || in_directory(|file, at| patch(file, at + 4 * 4, u32::MAX))),
    ("streams on the same page", || {
        in_directory(|file, at| {
            let streams = u32::from_le_bytes(std::array::from_fn(|index| file[at + index])) as usize;
            let page_end = (at + 1).next_multiple_of(PAGE_SIZE);
            for page in (at + 4 + streams * 4..page_end).step_by(4) {
                patch(file, page, 3);
            }
        })
    }),
    ("a truncated file", || in_container(|file| file.truncate(file.len() / 2 + 7))),
    ("symbols of no bytes", || in_module(|symbols, _| symbols[0..2].fill(0))),
    ("symbols past their end", || in_module(|symbols, _| symbols[0..2].fill(0xff))),
    ("a procedure that ends before it begins", || in_module(|symbols, _| patch(symbols, 8, 4))),
    ("a subsection of 4 GB", || in_module(|_, lines| patch(lines, 4, u32::MAX))),
    // Kind and size of the subsection, its header of 12 bytes; then file, number of lines, size of the block.
    ("lines of a file that is none", || in_module(|_, lines| patch(lines, 20, u32::MAX - 3))),
    ("2^32 - 1 lines", || in_module(|_, lines| patch(lines, 24, u32::MAX))),
    ("a block of lines of no bytes", || in_module(|_, lines| patch(lines, 28, 0))),
];

fn in_container(lie: fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut file = Recipe::of(60).windows(PAGE_SIZE);
    lie(&mut file);
    file
}

/// The fault is at the start of the directory.
fn in_directory(lie: fn(&mut [u8], usize)) -> Vec<u8> {
    let mut file = Recipe::of(60).windows(PAGE_SIZE);
    let page = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| file[at + index])) as usize * PAGE_SIZE;
    let directory = page(page(0x34));
    lie(&mut file, directory);
    file
}

/// The fault is in every module: its symbols, its lines.
fn in_module(lie: fn(&mut [u8], &mut [u8])) -> Vec<u8> {
    let mut program: Program = Recipe::of(60).program();
    for module in &mut program.modules {
        lie(&mut module.symbols, &mut module.lines);
    }
    program.write(PAGE_SIZE)
}
