//! The generator of large inputs is itself tested: what it makes is valid to readers that are not ours.

use std::collections::BTreeMap;

use crate::support::synth::method::{Lines, Method, Point};
use crate::support::synth::{Pair, Recipe, malformed, names, points, tables};
use object::LittleEndian;
use object::read::pe::PeFile32;
use pdblens::bytes::{Cursor, Slice, SpaceId};
use symbolic_ppdb::{PortablePdb, PortablePdbCache, PortablePdbCacheConverter};

/// Any number of a blob.
const NUMBER: pdblens::bytes::FieldDoc = pdblens::bytes::FieldDoc::new("number", "");

#[test]
fn the_same_recipe_makes_the_same_bytes() {
    let (a, b) = (Recipe::of(300).embedded(), Recipe::of(300).embedded());
    assert!(a.image == b.image && a.pdb == b.pdb);
    let other = Recipe { seed: 2, ..Recipe::of(300) }.embedded();
    assert!(a.image != other.image && a.pdb != other.pdb);
}

#[test]
fn names_of_types_are_unique() {
    let recipe = Recipe::of(400_000);
    let mut seen = std::collections::HashSet::new();
    for row in 2..=recipe.types {
        // Nested types may be called the same in different types.
        assert!(names::enclosing(row).is_some() || seen.insert(names::full_type_name(&recipe, row, "+")), "{row}");
    }
}

/// The case of the reader's fast path: most records are five numbers of one byte each.
#[test]
fn points_are_like_those_of_a_compiler() {
    let recipe = Recipe { points: 30, ..Recipe::of(2000) };
    let (mut all, mut hidden, mut short, mut several_lines, mut blob) = (0, 0, 0, 0, Vec::new());
    for method in recipe.all().filter(|method| points::document(method) != 0) {
        points::encode(&method, 0, &mut blob);
        let mut cursor = Cursor::new(Slice::new(&blob, SpaceId(0), 0));
        cursor.compressed(&NUMBER).unwrap();
        for point in &method.points {
            let start = cursor.consumed();
            let numbers = if point.lines.is_some() { 5 } else { 3 };
            for _ in 0..numbers {
                cursor.compressed(&NUMBER).unwrap();
            }
            all += 1;
            hidden += u32::from(point.lines.is_none());
            short += u32::from(cursor.consumed() - start == 5);
            several_lines += u32::from(point.lines.is_some_and(|lines| lines.end_line > lines.start_line));
        }
        assert!(cursor.is_done());
    }
    let percent = |part: u32| part * 100 / all;
    assert!((5..=7).contains(&percent(hidden)), "{hidden} of {all} are hidden");
    assert!((86..=94).contains(&percent(short)), "{short} of {all} are short");
    assert!((2..=5).contains(&percent(several_lines)), "{several_lines} of {all} have several lines");
}

#[test]
fn the_image_is_one() {
    let Pair { image, image_at, .. } = Recipe::of(100).embedded();
    let file = PeFile32::parse(&*image).unwrap();
    let sections: Vec<_> = file.section_table().iter().map(|section| section.raw_name().to_owned()).collect();
    assert_eq!(sections, [b".text"]);
    let (sections, directories) = (file.section_table(), file.data_directories());
    let cli = directories.get(object::pe::IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR).unwrap();
    assert_eq!(cli.file_range(&sections).unwrap(), (image_at.cli_header as u32, 72));
    let debug = directories.get(object::pe::IMAGE_DIRECTORY_ENTRY_DEBUG).unwrap();
    assert_eq!(debug.data(&*image, &sections).unwrap(), &image[image_at.debug_directory]);
    let metadata_rva = u32::from_le_bytes(image[image_at.cli_header + 8..][..4].try_into().unwrap());
    assert!(sections.pe_data_at(&*image, metadata_rva).unwrap().starts_with(b"BSJB"));
    assert_eq!(file.nt_headers().optional_header.size_of_image.get(LittleEndian) % 0x2000, 0);
}

/// Every visible point that symbolic reads equals the recipe's.
fn agrees_with_symbolic(recipe: &Recipe) {
    let pdb = recipe.pair().pdb;
    let parsed = PortablePdb::parse(&pdb).unwrap();
    assert_eq!(parsed.get_documents_count().unwrap(), recipe.documents as usize);
    let mut converter = PortablePdbCacheConverter::new();
    converter.process_portable_pdb(&parsed).unwrap();
    let mut bytes = Vec::new();
    converter.serialize(&mut bytes).unwrap();
    let cache = PortablePdbCache::parse(&bytes).unwrap();
    for method in recipe.all() {
        for Point { il, document, lines } in &method.points {
            let Some(lines) = lines else { continue };
            let found = cache.lookup(method.row, *il).unwrap();
            assert_eq!((found.line, found.file_name), (lines.start_line, &*names::document(recipe, *document)));
        }
    }
}

#[test]
fn symbolic_agrees() {
    agrees_with_symbolic(&Recipe::of(1));
    agrees_with_symbolic(&Recipe::of(3000));
}

/// symbolic 13 fails at exactly 65 535 rows, where an index is still small: System.Reflection.Metadata reads those.
#[test]
fn symbolic_agrees_where_indexes_become_wide() {
    for rows in [65_534, 65_536] {
        agrees_with_symbolic(&Recipe { points: 2, ..Recipe::of(rows) });
        for recipe in edges(rows).into_values() {
            agrees_with_symbolic(&recipe);
        }
    }
}

/// Small recipes but for one table of the PDB.
fn edges(rows: u32) -> BTreeMap<&'static str, Recipe> {
    let few = Recipe { points: 4, ..Recipe::of(40) };
    BTreeMap::from([
        ("documents", Recipe { documents: rows, ..few.clone() }),
        ("variables", Recipe { variables: rows, methods: 4000, ..few.clone() }),
        ("constants", Recipe { constants: rows, ..few.clone() }),
        ("imports", Recipe { imports: rows, ..few }),
    ])
}

#[test]
fn an_index_is_wide_from_65_536_rows_on() {
    let wide = |recipe: &Recipe, table: u8, column: usize| recipe.pair().pdb_at.table(table).cell(1, column).len();
    for (rows, width) in [(65_534, 2), (65_535, 2), (65_536, 4)] {
        let edges = edges(rows);
        assert_eq!(wide(&edges["documents"], tables::METHOD_DEBUG_INFORMATION, 0), width);
        assert_eq!(wide(&edges["imports"], tables::LOCAL_SCOPE, 1), width);
        assert_eq!(wide(&edges["variables"], tables::LOCAL_SCOPE, 2), width);
        assert_eq!(wide(&edges["constants"], tables::LOCAL_SCOPE, 3), width);
    }
    // Five bits of a custom debug information's parent say of which table it is a row.
    for (methods, width) in [(2046, 2), (2047, 2), (2048, 4)] {
        let recipe = Recipe { points: 2, params: 40, variables: 0, ..Recipe::of(methods) };
        assert_eq!(wide(&recipe, tables::CUSTOM_DEBUG_INFORMATION, 0), width);
    }
}

/// symbolic reads no delta: here its shape, and by hand what System.Reflection.Metadata makes of it.
#[test]
fn a_delta_has_what_changed_and_wide_indexes() {
    let recipe = Recipe::of(100);
    let delta = recipe.delta(&[3, 9]);
    assert_eq!(delta.methods.iter().map(|method| method.row).collect::<Vec<_>>(), [3, 9, 101]);
    for (at, table, rows, widths) in [
        (&delta.metadata_at, tables::METHOD_DEF, 3, &[4, 2, 2, 4, 4, 4][..]),
        (&delta.pdb_at, tables::METHOD_DEBUG_INFORMATION, 3, &[4, 4]),
        (&delta.pdb_at, tables::ENC_MAP, 3, &[4]),
    ] {
        let placed = at.table(table);
        assert_eq!(placed.rows, rows);
        assert_eq!((0..widths.len()).map(|column| placed.cell(1, column).len()).collect::<Vec<_>>(), widths);
    }
    assert!(delta.pdb_at.stream("#JTD").bytes.is_empty());
    let at = delta.pdb_at.table(tables::ENC_MAP).cell(3, 0);
    assert_eq!(delta.pdb[at], 0x3100_0065u32.to_le_bytes());
}

/// Each malformed pair differs from the valid one, or is larger than its recipe says: else it would test nothing.
#[test]
fn every_malformed_file_has_a_fault() {
    let (pair, embedded) = (Recipe::of(60).pair(), Recipe::of(60).embedded());
    for (name, make) in malformed::MALFORMED {
        let malformed = make();
        let same = |honest: &Pair| honest.image == malformed.image && honest.pdb == malformed.pdb;
        assert!(!same(&pair) && !same(&embedded), "{name}");
    }
}

/// For a look by eye, or by another reader: `PDBLENS_SYNTH=DIR cargo test --test integration -- --ignored portable::write`.
#[test]
#[ignore = "writes files into the directory that PDBLENS_SYNTH names"]
fn write_the_files() {
    let folder = std::path::PathBuf::from(std::env::var_os("PDBLENS_SYNTH").expect("PDBLENS_SYNTH names a directory"));
    let save = |name: &str, pair: &Pair, recipe: &Recipe| {
        std::fs::write(folder.join(format!("{name}.dll")), &pair.image).unwrap();
        std::fs::write(folder.join(format!("{name}.pdb")), &pair.pdb).unwrap();
        let truth: Vec<_> = recipe.all().map(|method| describe(recipe, &method)).collect();
        std::fs::write(folder.join(format!("{name}.truth")), truth.concat()).unwrap();
    };
    let small = Recipe::of(1000);
    save("embedded", &small.embedded(), &small);
    for methods in [1, 1000, 100_000] {
        let recipe = Recipe::of(methods);
        save(&format!("m{methods}"), &recipe.pair(), &recipe);
    }
    for (name, make) in malformed::MALFORMED {
        save(&format!("malformed {name}"), &make(), &Recipe::of(1));
    }
    let delta = small.delta(&[3, 9, 500, 1000]);
    for (name, bytes) in [("delta.meta", &delta.metadata), ("delta.il", &delta.il), ("delta.pdb", &delta.pdb)] {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let truth: Vec<_> = delta.methods.iter().map(|method| format!("{method:?}\n")).collect();
    std::fs::write(folder.join("delta.methods"), truth.concat()).unwrap();
    for rows in [65_534, 65_535, 65_536] {
        let few = Recipe { points: 2, ..Recipe::of(40) };
        let mut all = edges(rows);
        all.insert("methods", Recipe { points: 2, ..Recipe::of(rows) });
        all.insert("types", Recipe { types: rows, ..few.clone() });
        all.insert("params", Recipe { params: rows, methods: 4000, ..few.clone() });
        all.insert("fields", Recipe { fields: rows, ..few.clone() });
        all.insert("type_refs", Recipe { type_refs: rows / 4, ..few });
        for (name, recipe) in all {
            save(&format!("{name}{rows}"), &recipe.pair(), &recipe);
        }
    }
}

/// A method in one line: token, name, size of its IL, points.
fn describe(recipe: &Recipe, method: &Method) -> String {
    let points = method.points.iter().map(|Point { il, document, lines }| match lines {
        None => format!(" {il}:{document}"),
        Some(Lines { start_line, start_column, end_line, end_column }) => {
            format!(" {il}:{document}:{start_line}:{start_column}:{end_line}:{end_column}")
        }
    });
    let type_name = names::full_type_name(recipe, recipe.type_of(method.row), "+");
    let (params, variables, constants) = (method.params.len(), method.variables.len(), method.constants.len());
    let head = format!(
        "{:#010x}\t{type_name}.{}\t{}\t{params}\t{variables}\t{constants}\t",
        method.token(),
        method.name,
        method.code_size
    );
    points.fold(head, |line, point| line + &point) + "\n"
}
