//! Files with control sequences, direction overrides, zero-width characters, tabs and line ends in every name.

use super::Pair;
use super::image::CODE_VIEW;
use super::recipe::Recipe;

/// Characters in the middle of names. No slash: it would split the path of a document.
pub const MARKS: &[&str] = &[
    "\x1b]0;pwned\x07",
    "\x1b[2J",
    "\u{9b}31m",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200d}",
    "\t",
    "\n",
    "\r",
    "\u{85}",
    "\x08",
    // It ends a name that is a string of C; parts of paths and user strings go on.
    "\0",
];

/// A name of the files themselves, without its extension.
pub const FILE: &str = "Sy\x1b]0;pwned\x07n\u{202e}th";

/// A recipe for a few methods with such names.
pub fn recipe() -> Recipe {
    Recipe { types: 14, documents: 13, fields: 24, constants: 12, variables: 36, marks: MARKS, ..Recipe::of(48) }
}

/// The pair. The names that no recipe has are marked here: of a section, of a stream, of the PDB as the image has it.
pub fn pair() -> Pair {
    let mut pair = recipe().pair();
    write(&mut pair.image, pair.image_at.section_header, b"\x1b[6n.t\0\0");
    let path = pair.image_at.debug_data(CODE_VIEW).start + 24;
    write(&mut pair.image, path, b"/\x1b]0;pwned\x07/Sy.pdb\0");
    // Its heap of user strings is empty, and nobody looks for it: a reset of the terminal instead of `#US`.
    let name = pair.pdb_at.stream("#US").header_at + 8;
    write(&mut pair.pdb, name, b"\x1bc#\0");
    pair
}

/// The Windows PDB, where even `/names` has a sibling.
pub fn windows() -> Vec<u8> {
    // There every name is a string of C.
    let mut program = Recipe { marks: &MARKS[..MARKS.len() - 1], ..recipe() }.program();
    program.more.extend(["/src/\x1b]0;pwned\x07", "\u{202e}/headerblock"].map(|name| (name, vec![0])));
    for (module, mark) in program.modules.iter_mut().zip(MARKS) {
        module.object.push_str(mark);
    }
    program.write(1024)
}

fn write(file: &mut [u8], at: usize, bytes: &[u8]) {
    file[at..at + bytes.len()].copy_from_slice(bytes);
}
