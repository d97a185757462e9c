//! Malformed pairs: valid ones with a few bytes overwritten. No reader may panic, hang or allocate what they claim.

use super::bytes::patch;
use super::image::{self, Pair};
use super::recipe::Recipe;
use super::tables::{
    CUSTOM_DEBUG_INFORMATION, IMPORT_SCOPE, LOCAL_SCOPE, METHOD_DEBUG_INFORMATION, METHOD_DEF, NESTED_CLASS, TYPE_DEF,
};

/// A name for what is wrong, and how to make it so.
pub type Malformed = (&'static str, fn() -> Pair);

/// All of them.
pub const MALFORMED: [Malformed; 19] = [
    ("a table of 2^24 rows", || in_pdb(|pdb, at| patch(pdb, at.table(METHOD_DEBUG_INFORMATION).count_at, 1 << 24))),
    ("a table of 2^32 - 1 rows", || in_pdb(|pdb, at| patch(pdb, at.table(LOCAL_SCOPE).count_at, u32::MAX))),
    ("an image of 2^24 methods", || in_tables(|root, at| patch(root, at.table(METHOD_DEF).count_at, 1 << 24))),
    ("2^24 methods that another file should have", || {
        in_pdb(|pdb, at| {
            // The row counts follow id, entry point and mask; Module, TypeRef, TypeDef and Field come before.
            patch(pdb, at.stream("#Pdb").bytes.start + 20 + 4 + 8 + 4 * 4, 1 << 24);
        })
    }),
    ("rows without bytes", || {
        in_pdb(|pdb, at| {
            let (stream, first) = (at.stream("#~"), at.first_table());
            patch(pdb, stream.header_at + 4, (first - stream.bytes.start) as u32);
        })
    }),
    ("a heap larger than the file", || in_pdb(|pdb, at| patch(pdb, at.stream("#Blob").header_at + 4, 0x7fff_fff0))),
    ("a heap beyond the file", || in_pdb(|pdb, at| patch(pdb, at.stream("#Strings").header_at, u32::MAX - 3))),
    ("65 535 streams", || in_pdb(|pdb, at| pdb[at.stream("#Pdb").header_at - 2..][..2].fill(0xff))),
    ("a blob that runs past its heap", || {
        in_pdb(|pdb, at| {
            let blob = number(pdb, at.table(METHOD_DEBUG_INFORMATION).cell(1, 1));
            let start = at.stream("#Blob").bytes.start + blob;
            pdb[start..start + 4].copy_from_slice(&[0xdf, 0xff, 0xff, 0xff]);
        })
    }),
    ("blobs that begin past their heap", || {
        in_pdb(|pdb, at| {
            for row in 1..=at.table(METHOD_DEBUG_INFORMATION).rows {
                pdb[at.table(METHOD_DEBUG_INFORMATION).cell(row, 1)].fill(0xff);
            }
        })
    }),
    ("import scopes in a circle", || {
        in_pdb(|pdb, at| {
            let scopes = at.table(IMPORT_SCOPE);
            set(pdb, scopes.cell(1, 0), 2);
            set(pdb, scopes.cell(2, 0), 1);
            set(pdb, scopes.cell(3, 0), 3);
        })
    }),
    ("local scopes with lists that go back", || {
        in_pdb(|pdb, at| {
            let scopes = at.table(LOCAL_SCOPE);
            for row in 1..=scopes.rows {
                set(pdb, scopes.cell(row, 2), if row % 2 == 0 { 1 } else { 0xffff });
                set(pdb, scopes.cell(row, 3), if row % 2 == 0 { 0xffff } else { 0 });
            }
        })
    }),
    ("parents of custom debug information that are no table", || {
        in_pdb(|pdb, at| {
            for row in 1..=at.table(CUSTOM_DEBUG_INFORMATION).rows {
                pdb[at.table(CUSTOM_DEBUG_INFORMATION).cell(row, 0)].fill(0xff);
            }
        })
    }),
    ("types nested in each other", || {
        in_tables(|root, at| {
            let nested = at.table(NESTED_CLASS);
            // Each in the next, and the last in the first.
            for row in 1..=nested.rows {
                set(root, nested.cell(row, 0), row);
                set(root, nested.cell(row, 1), if row < nested.rows { row + 1 } else { 1 });
            }
        })
    }),
    ("types with lists that go back", || {
        in_tables(|root, at| {
            for row in 1..=at.table(TYPE_DEF).rows {
                set(root, at.table(TYPE_DEF).cell(row, 5), at.table(TYPE_DEF).rows - row);
            }
        })
    }),
    ("bodies outside the image", || {
        in_tables(|root, at| {
            for row in 1..=at.table(METHOD_DEF).rows {
                set(root, at.table(METHOD_DEF).cell(row, 0), u32::MAX - row);
            }
        })
    }),
    // Not a lie, but as bad: an array of arrays of … of int, 100 000 deep.
    ("an endlessly nested signature", || Recipe { depth: 100_000, ..Recipe::of(60) }.pair()),
    ("an embedded PDB of 2 GB", || {
        let mut pair = Recipe::of(60).embedded();
        let at = pair.image_at.debug_data(image::EMBEDDED_PORTABLE_PDB).start;
        patch(&mut pair.image, at + 4, 0x7fff_ffff);
        pair
    }),
    ("a debug directory beyond the file", || {
        let mut pair = Recipe::of(60).pair();
        for entry in pair.image_at.debug_directory.clone().step_by(28) {
            // Size, RVA and pointer of what it points to.
            pair.image[entry + 16..entry + 28].fill(0xff);
        }
        pair
    }),
];

/// A pair whose PDB has been overwritten.
fn in_pdb(lie: fn(&mut [u8], &super::metadata::Layout)) -> Pair {
    let mut pair = Recipe::of(60).pair();
    lie(&mut pair.pdb, &pair.pdb_at);
    pair
}

/// A pair whose image's metadata root has been overwritten.
fn in_tables(lie: fn(&mut [u8], &super::metadata::Layout)) -> Pair {
    let mut pair = Recipe::of(60).pair();
    lie(&mut pair.image[pair.image_at.metadata.clone()], &pair.image_at.tables);
    pair
}

/// Value of a cell.
fn number(root: &[u8], cell: std::ops::Range<usize>) -> usize {
    root[cell].iter().rev().fold(0, |number, byte| number << 8 | *byte as usize)
}

/// Overwrites a cell.
fn set(root: &mut [u8], cell: std::ops::Range<usize>, number: u32) {
    let width = cell.len();
    root[cell].copy_from_slice(&number.to_le_bytes()[..width]);
}
