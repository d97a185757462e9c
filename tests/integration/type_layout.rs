//! Layouts of the types of the C++ and Rust samples.

use crate::support::samples::repository;
use pdblens::nodes::function::NativeView;
use pdblens::nodes::type_layout::{LayoutKind, TypeLayout};
use pdblens::nodes::{self, Place, resolve};
use pdblens::session::Session;

fn open(name: &str) -> Session {
    Session::open(&[repository("assets/samples").join(name)]).unwrap()
}

/// Title and rows: `offset size bits name : kind`, indented by bases.
fn layout(session: &Session, name: &str) -> (String, Vec<String>) {
    let rows = nodes::rows(session, resolve(session, &format!("type/{name}/layout")).unwrap()).unwrap();
    let line = |row: nodes::rows::Row| {
        let cells: Vec<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
        let words = [cells[1], cells[2], cells[3], cells[0], ":", cells[5]];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        format!("{}{}", "  ".repeat(row.depth.into()), words.join(" "))
    };
    (rows.title.clone(), rows.iter().map(line).collect())
}

#[test]
fn holes_padding_and_bit_fields_are_shown() {
    let session = open("parcel/parcel.pdb");
    let (title, rows) = layout(&session, "parcel::Label");
    assert_eq!(title, "parcel::Label: struct of 24 bytes · 3 members · 1 hole of 7 bytes · 6 bytes of padding");
    let expected = [
        "0x0 1 code : member",
        "0x1 7 (hole) : hole",
        "0x8 8 text : member",
        "0x10 2 width : member",
        "0x12 6 (padding) : padding",
    ];
    assert_eq!(rows, expected);
    let (title, rows) = layout(&session, "parcel::Flags");
    assert_eq!(title, "parcel::Flags: struct of 16 bytes · 4 members · 1 hole of 4 bytes");
    let expected = [
        "0x0 4 0–1 grade : member",
        "0x0 4 2 sealed : member",
        "0x0 4 3–7 zone : member",
        "0x0 8–31 (unused bits) : unused bits",
        "0x4 4 (hole) : hole",
        "0x8 8 stamp : member",
    ];
    assert_eq!(rows, expected);
    // On x86 a pointer has four bytes, and so has what aligns it.
    let session = open("parcel-x86/parcel.pdb");
    let (title, _) = layout(&session, "parcel::Label");
    assert_eq!(title, "parcel::Label: struct of 12 bytes · 3 members · 1 hole of 3 bytes · 2 bytes of padding");
}

#[test]
fn bases_and_virtual_functions_are_unfolded() {
    let session = open("parcel/parcel.pdb");
    let (title, rows) = layout(&session, "parcel::Box");
    assert!(title.starts_with("parcel::Box: class of 72 bytes · 4 members · no holes"), "{title}");
    let expected = [
        "0x0 16 parcel::Item : base",
        "  0x0 8 (vtable pointer) : vtable pointer",
        "  0x8 4 grams_ : member",
        "  0xc 4 (padding) : padding",
        "0x10 16 parcel::Tracked : base",
        "  0x10 8 (vtable pointer) : vtable pointer",
        "  0x18 4 zone_ : member",
        "  0x1c 4 (padding) : padding",
        "0x20 24 label_ : member",
        "0x38 16 flags_ : member",
    ];
    assert_eq!(rows[..expected.len()], expected);
    let functions: Vec<&str> = rows[expected.len()..].iter().map(String::as_str).collect();
    let wanted = [
        "vtable@0x0+0x8 parcel::Box::price : virtual function",
        "vtable@0x10+0x0 parcel::Box::moved : virtual function",
    ];
    for wanted in wanted {
        assert!(functions.contains(&wanted), "{functions:#?}");
    }
    let (_, rows) = layout(&session, "parcel::Item");
    assert!(rows.contains(&"vtable+0x8 parcel::Item::price : pure virtual function".to_owned()), "{rows:#?}");
}

#[test]
fn parts_of_every_type_fill_its_size() {
    let mut seen = 0;
    for name in ["parcel/parcel.pdb", "parcel-x86/parcel.pdb", "sorter/sorter.pdb", "native/tally.pdb"] {
        let session = open(name);
        let native = NativeView::of(&session).unwrap();
        for record in native.types(false).iter() {
            let Some(layout) = TypeLayout::of(native, record.index) else { continue };
            let mut end = 0;
            for row in layout.rows.iter().filter(|row| row.depth == 0) {
                let (Some(offset), Some(size)) = (row.offset, row.size) else { continue };
                if !row.kind.is_virtual() {
                    assert!(offset <= end || layout.keyword == "union", "{name} {} {row:?}", layout.name);
                    end = end.max(offset + size);
                }
            }
            assert!(
                end == layout.size || layout.size == 1 && end == 0,
                "{name} {}: {end} of {}",
                layout.name,
                layout.size
            );
            assert!(nodes::rows(&session, Place::TypeLayout(record.index)).is_some());
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

/// Compares the layouts of a sample with what llvm-pdbutil says: size of each type, offset of each member and base.
#[track_caller]
fn assert_like_llvm(sample: &str, pdb: &str) {
    let expected = std::fs::read_to_string(repository(&format!("tests/golden/layouts/{sample}.tsv"))).unwrap();
    let session = open(&format!("{sample}/{pdb}"));
    let native = NativeView::of(&session).unwrap();
    let mut found = String::new();
    for line in expected.lines().filter(|line| line.starts_with("type\t")) {
        let index = line.split('\t').nth(1).unwrap();
        let index = u32::from_str_radix(index.strip_prefix("0x").unwrap(), 16).unwrap();
        let layout = TypeLayout::of(native, index).unwrap_or_else(|| panic!("{sample}: no layout of {line}"));
        found += &["type", &format!("{index:#x}"), &layout.name, &format!("{}\n", layout.size)].join("\t");
        for row in layout.rows.iter().filter(|row| row.depth == 0) {
            match (row.kind, row.offset) {
                (LayoutKind::Member, Some(offset)) => {
                    found += &["member", &row.name, &format!("{offset}\n")].join("\t");
                }
                (LayoutKind::Base, Some(offset)) => {
                    found += &["base", "", &format!("{offset}\n")].join("\t");
                }
                _ => {}
            }
        }
    }
    // Ours are in the order of the offsets, those of the records in the order of the declarations.
    let sorted = |text: &str| {
        let mut types: Vec<Vec<String>> = Vec::new();
        for line in text.lines().map(str::to_owned) {
            match types.last_mut() {
                Some(last) if !line.starts_with("type\t") => last.push(line),
                _ => types.push(vec![line]),
            }
        }
        for of_type in &mut types {
            of_type[1..].sort();
        }
        types
    };
    assert_eq!(sorted(&found), sorted(&expected), "{sample}");
}

#[test]
fn layouts_are_those_of_llvm() {
    for sample in ["parcel", "parcel-optimized", "parcel-lto", "parcel-x86", "parcel-arm64"] {
        assert_like_llvm(sample, "parcel.pdb");
    }
    assert_like_llvm("sorter", "sorter.pdb");
}
