//! Pairs whose rows share the same bytes: each of thousands of methods has all of the code, all of the points or all of the
//! variables. Their content is their size squared; a reader must neither print nor hold all of it.

use super::bytes::patch;
use super::image::{CLI_HEADER_SIZE, Pair, TEXT_RVA};
use super::is_thorough;
use super::malformed::Malformed;
use super::metadata::Layout;
use super::recipe::Recipe;
use super::tables::{
    CUSTOM_DEBUG_INFORMATION, DOCUMENT, IMPORT_SCOPE, LOCAL_CONSTANT, LOCAL_SCOPE, LOCAL_VARIABLE,
    METHOD_DEBUG_INFORMATION, METHOD_DEF, MODULE, PARAM, TYPE_DEF, TYPE_REF,
};

/// Makes a pair of a recipe.
pub type Maker = fn(&Recipe) -> Pair;

/// Pairs of any size whose methods share something as large as the pair.
pub const SHARED: [(&str, Maker); 4] =
    [("points", shared_points), ("code", shared_code), ("a signature", shared_signature), ("a name", shared_names)];

/// All of them.
pub const REPEATED: [Malformed; 12] = [
    // Without further variables: each of their blobs would be points of every method.
    ("the points of all methods in every method", || shared_points(&Recipe::of(sized(300)))),
    ("the code of all methods in every method", || shared_code(&Recipe::of(sized(800)))),
    ("one signature for all methods, as long as the heap", || shared_signature(&Recipe::of(sized(800)))),
    ("one name for everything, as long as the heap", || {
        shared_names(&Recipe { params: sized(9000), ..Recipe::of(sized(800)) })
    }),
    ("one name for all variables and constants, as long as the heap", || {
        in_pdb(|pdb, at| {
            one_string(pdb, at);
            column(pdb, at, LOCAL_VARIABLE, 2, |_| 1);
            column(pdb, at, LOCAL_CONSTANT, 0, |_| 1);
        })
    }),
    ("all scopes in one method, each with all variables", || {
        in_pdb(|pdb, at| {
            column(pdb, at, LOCAL_SCOPE, 0, |_| 1);
            column(pdb, at, LOCAL_SCOPE, 2, |row| if row % 2 == 0 { 1 } else { 0xffff });
            column(pdb, at, LOCAL_SCOPE, 3, |row| if row % 2 == 0 { 1 } else { 0xffff });
        })
    }),
    ("every scope with very many variables", || {
        in_pdb(|pdb, at| {
            column(pdb, at, LOCAL_SCOPE, 2, |row| if row % 2 == 0 { 1 } else { 1000 });
        })
    }),
    ("all parameters in every method", || {
        in_tables(|root, at| column(root, at, METHOD_DEF, 5, |row| if row % 2 == 0 { 1 } else { 0xffff }))
    }),
    ("the value of a constant as large as the heap", || {
        in_pdb(|pdb, at| {
            let blob = whole_heap(pdb, at);
            pdb[at.stream("#Blob").bytes.start + blob as usize + 4] = 0x0e;
            column(pdb, at, LOCAL_SCOPE, 0, |_| 1);
            column(pdb, at, LOCAL_CONSTANT, 1, |_| blob);
        })
    }),
    ("imports without end, each of a namespace as long as the heap", || {
        in_pdb(|pdb, at| {
            let blob = whole_heap(pdb, at);
            let start = at.stream("#Blob").bytes.start + blob as usize + 4;
            let end = at.stream("#Blob").bytes.end;
            // Kind 1: the namespace in that blob.
            for (at, byte) in (start..end).zip([1, blob as u8].into_iter().cycle()) {
                pdb[at] = byte;
            }
            column(pdb, at, IMPORT_SCOPE, 1, |_| blob);
        })
    }),
    ("documents with names of parts as long as the heap", || {
        in_pdb(|pdb, at| {
            let blob = whole_heap(pdb, at);
            let start = at.stream("#Blob").bytes.start + blob as usize + 4;
            let end = at.stream("#Blob").bytes.end;
            pdb[start..end].fill(blob as u8);
            pdb[start] = b'/';
            column(pdb, at, DOCUMENT, 0, |_| blob);
            column(pdb, at, DOCUMENT, 2, |_| blob);
        })
    }),
    ("custom debug information as large as the heap in every row", || {
        in_pdb(|pdb, at| {
            let blob = whole_heap(pdb, at);
            column(pdb, at, CUSTOM_DEBUG_INFORMATION, 2, |_| blob);
        })
    }),
];

/// A pair whose methods have the points of all methods.
pub fn shared_points(recipe: &Recipe) -> Pair {
    in_pdb_of(recipe, |pdb, at| {
        let blob = whole_heap(pdb, at);
        // Points of five ones each.
        let heap = at.stream("#Blob").bytes.clone();
        pdb[heap.start + blob as usize + 4..heap.end].fill(1);
        column(pdb, at, METHOD_DEBUG_INFORMATION, 1, |_| blob);
    })
}

/// A pair whose methods all have one body of nops, as long as the bodies of all of them.
pub fn shared_code(recipe: &Recipe) -> Pair {
    let mut pair = recipe.pair();
    let (start, end) = (pair.image_at.cli_header + CLI_HEADER_SIZE as usize, pair.image_at.metadata.start);
    // A fat header, and nothing but nops.
    pair.image[start..end].fill(0);
    pair.image[start..start + 4].copy_from_slice(&[0x03, 0x30, 8, 0]);
    patch(&mut pair.image, start + 4, (end - start - 12) as u32);
    let root = pair.image_at.metadata.clone();
    column(&mut pair.image[root], &pair.image_at.tables, METHOD_DEF, 0, |_| TEXT_RVA + CLI_HEADER_SIZE);
    pair
}

/// A pair whose methods all have one signature, of as many `int`s as the heap has bytes.
pub fn shared_signature(recipe: &Recipe) -> Pair {
    in_tables_of(recipe, |root, at| {
        let blob = whole_heap(root, at);
        let heap = at.stream("#Blob").bytes.clone();
        let (start, count) = (heap.start + blob as usize + 4, heap.len() as u32 - 5 - 6);
        root[start..heap.end].fill(0x08);
        // No instance; the number of parameters in four bytes; the type of the result.
        root[start] = 0;
        root[start + 1..start + 5].copy_from_slice(&(0xc000_0000 | count).to_be_bytes());
        column(root, at, METHOD_DEF, 4, |_| blob);
    })
}

/// A pair in which everything has one name, as long as the heap.
pub fn shared_names(recipe: &Recipe) -> Pair {
    in_tables_of(recipe, |root, at| {
        one_string(root, at);
        for (table, name) in [(METHOD_DEF, 3), (TYPE_DEF, 1), (TYPE_DEF, 2), (TYPE_REF, 1), (PARAM, 2), (MODULE, 1)] {
            column(root, at, table, name, |_| 1);
        }
    })
}

/// A number of rows; half of it unless the tests are thorough, which is a quarter of the content.
fn sized(rows: u32) -> u32 {
    if is_thorough() { rows } else { rows / 2 }
}

/// A pair of many variables whose PDB has been overwritten.
fn in_pdb(lie: fn(&mut [u8], &Layout)) -> Pair {
    in_pdb_of(&Recipe { variables: sized(6000), constants: sized(6000), ..Recipe::of(sized(800)) }, lie)
}

fn in_pdb_of(recipe: &Recipe, lie: fn(&mut [u8], &Layout)) -> Pair {
    let mut pair = recipe.pair();
    lie(&mut pair.pdb, &pair.pdb_at);
    pair
}

/// A pair whose image's metadata root has been overwritten.
fn in_tables(lie: fn(&mut [u8], &Layout)) -> Pair {
    in_tables_of(&Recipe { params: sized(9000), ..Recipe::of(sized(800)) }, lie)
}

fn in_tables_of(recipe: &Recipe, lie: fn(&mut [u8], &Layout)) -> Pair {
    let mut pair = recipe.pair();
    lie(&mut pair.image[pair.image_at.metadata.clone()], &pair.image_at.tables);
    pair
}

/// Makes nearly all of `#Blob` one blob, and returns where it is.
fn whole_heap(root: &mut [u8], at: &Layout) -> u32 {
    let heap = at.stream("#Blob").bytes.clone();
    let len = (heap.len() - 5) as u32;
    root[heap.start + 1..heap.start + 5].copy_from_slice(&(0xc000_0000 | len).to_be_bytes());
    1
}

/// Makes nearly all of `#Strings` one string, which begins at 1.
fn one_string(root: &mut [u8], at: &Layout) {
    let heap = at.stream("#Strings").bytes.clone();
    root[heap.start + 1..heap.end - 1].fill(b'a');
    root[heap.end - 1] = 0;
}

/// Overwrites a column.
fn column(root: &mut [u8], at: &Layout, table: u8, column: usize, number: impl Fn(u32) -> u32) {
    let table = at.table(table);
    for row in 1..=table.rows {
        let cell = table.cell(row, column);
        let width = cell.len();
        root[cell].copy_from_slice(&number(row).to_le_bytes()[..width]);
    }
}
