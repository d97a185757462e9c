//! Imports, exports, resources, version, manifest and Rich header as places: rows, records, and why one is not there.

use pdblens::nodes::{self, Place};
use pdblens::query::search::Index;
use pdblens::session::Session;

use crate::support::samples::repository;

fn place(text: &str) -> Place {
    text.parse().unwrap()
}

fn open(sample: &str) -> Session {
    Session::open(&[repository(&format!("assets/samples/{sample}"))]).unwrap()
}

fn rows(session: &Session, of: &str) -> Vec<Vec<String>> {
    let rows = nodes::rows(session, place(of)).unwrap();
    rows.iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect()
}

/// Name, value and meaning of the fields that are no groups.
fn fields(session: &Session, of: &str) -> Vec<(String, String, String)> {
    let fields = nodes::fields(session, place(of)).unwrap();
    assert!(fields.error.is_none(), "{of}: {:?}", fields.error);
    fields.leaves().map(|row| (row.name.clone(), row.value.clone(), row.meaning.clone())).collect()
}

fn value<'f>(fields: &'f [(String, String, String)], name: &str) -> (&'f str, &'f str) {
    let (_, value, meaning) = fields.iter().find(|(own, ..)| own == name).unwrap();
    (value, meaning)
}

#[test]
fn a_managed_image_imports_the_entry_of_the_runtime() {
    let session = open("ticker/Ticker.dll");
    let imports = rows(&session, "pe/imports");
    assert_eq!(imports, [["mscoree.dll", "_CorExeMain", "", "0", "0x2000", ".text"]]);
    let import = fields(&session, "pe/imports/0");
    assert_eq!(value(&import, "dll name").0, "mscoree.dll");
    assert_eq!(value(&import, "hint and name").0, "0 _CorExeMain");
    assert_eq!(value(&import, "import address table entry").0, "0x2000");
    let span = |name: &str| {
        let import = nodes::fields(&session, place("pe/imports/0")).unwrap();
        import.rows.iter().find(|row| row.name == name).unwrap().span
    };
    // The slot has what the lookup entry has, until the loader writes an address there.
    let bytes = |name: &str| session.image().unwrap().pe.bytes(span(name)).unwrap().data.to_vec();
    assert_eq!(bytes("import address table entry"), bytes("import lookup entry"));
    let directory = nodes::fields(&session, place("pe/directories/1")).unwrap();
    assert_eq!(directory.leaves().next().unwrap().to, Some(place("pe/imports")));
}

#[test]
fn the_version_of_an_assembly_is_in_its_resources() {
    let session = open("workshop-roslyn3/Workshop.dll");
    let version = rows(&session, "pe/version");
    let of = |name: &str| version.iter().find(|row| row[0] == name).map(|row| row[1].as_str());
    assert_eq!(of("InternalName"), Some("Workshop.dll"));
    assert_eq!(of("file version"), of("FileVersion"));
    let fixed = fields(&session, "pe/version");
    assert_eq!(value(&fixed, "signature").0, "0xfeef04bd");
    assert_eq!(Some(value(&fixed, "file version high").1), of("file version"));
    let resources = rows(&session, "pe/resources");
    assert!(resources.iter().any(|row| row[0] == "version" && row[1] == "type"), "{resources:?}");
}

#[test]
fn what_an_image_does_not_have_is_said_in_a_sentence() {
    let managed = open("ticker/Ticker.dll");
    let native = open("native/tally.exe");
    for (session, path, sentence) in [
        (&managed, "pe/exports", "the image has no export table: other assemblies find its types by its metadata"),
        (&managed, "pe/rich", "the image has no Rich header: only Microsoft's linker writes one"),
        (&managed, "pe/imports/7", "the image has 1 import, counted from 0"),
        (&native, "pe/exports", "the image exports nothing: it has no export table"),
        (&native, "pe/version", "the image has no version resource"),
    ] {
        assert!(nodes::fields(session, place(path)).is_none() && nodes::rows(session, place(path)).is_none(), "{path}");
        assert_eq!(nodes::absence(session, place(path)), sentence, "{path}");
    }
}

#[test]
fn places_name_the_tables_that_an_image_has() {
    let places = rows(&open("ledger/Ledger.dll"), "places");
    let has = |path: &str| places.iter().any(|row| row[0] == path);
    assert!(has("pe/imports") && has("pe/version") && !has("pe/exports") && !has("pe/rich"), "{places:?}");
}

#[test]
fn imports_and_resources_are_found_by_name() {
    let session = open("workshop-roslyn3/Workshop.dll");
    let index = Index::build(&session, &|_, _| true);
    for (name, at, context) in
        [("_CorExeMain", "pe/imports/0", "mscoree.dll"), ("version", "pe/version", ""), ("imports", "pe/imports", "")]
    {
        let found = index.containing(name, 50);
        let found = found.iter().filter_map(|found| index.place(*found as usize)).find(|found| *found == place(at));
        assert_eq!(found.map(|found| nodes::context(&session, found)).as_deref(), Some(context), "{name}");
    }
    let headers = rows(&session, "pe");
    assert!(headers.iter().any(|row| row[0] == "pe/resources" && row[2] != "0"), "{headers:?}");
}

#[test]
fn the_exception_table_leads_to_functions() {
    let session = open("sorter/sorter.exe");
    let entries = rows(&session, "pe/exceptions");
    assert_eq!((entries.len(), entries[0][3].as_str()), (2, ".text"));
    assert!(entries.iter().all(|row| !row[4].is_empty()), "functions by their names: {entries:?}");
    let fields = fields(&session, "pe/exceptions");
    assert_eq!(value(&fields, "begin rva").0, entries[0][0]);
    let managed = open("ticker/Ticker.dll");
    assert!(nodes::absence(&managed, place("pe/exceptions")).contains("no exception table"));
}
