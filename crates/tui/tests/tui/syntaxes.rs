//! `crates/tui/assets/syntaxes/`: the syntax that the program ships, made from its source. A stale one fails; `PDBLENS_SYNTAXES=1` makes it
//! again.

use std::path::Path;

use syntect::dumps::dump_to_uncompressed_file;
use syntect::parsing::{SyntaxDefinition, SyntaxSetBuilder};

use crate::support::folder::Folder;

#[test]
fn the_syntax_dump_matches_its_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/syntaxes");
    let source = std::fs::read_to_string(folder.join("VisualBasic.sublime-syntax")).unwrap();
    let mut builder = SyntaxSetBuilder::new();
    builder.add(SyntaxDefinition::load_from_str(&source, false, None).unwrap());
    let set = builder.build();
    let dump = folder.join("VisualBasic.packdump");
    if std::env::var_os("PDBLENS_SYNTAXES").is_some() {
        dump_to_uncompressed_file(&set, &dump).unwrap();
        return;
    }
    let scratch = Folder::new();
    let made = scratch.path().join("made");
    dump_to_uncompressed_file(&set, &made).unwrap();
    let same = std::fs::read(made).unwrap() == std::fs::read(&dump).unwrap();
    assert!(same, "make it again with PDBLENS_SYNTAXES=1");
}
