//! `dump --json` of Windows PDBs: native samples against the `pdb` crate, managed ones for what only they have.

use std::path::{Path, PathBuf};

use crate::support::samples::repository;
use crate::support::synth::Recipe;
use pdb::FallibleIterator;
use pdblens::cli;
use pdblens::nodes::function::NativeView;
use pdblens::session::Session;
use serde_json::Value;

fn pdb_of(name: &str) -> PathBuf {
    let folder = repository("assets/samples").join(name);
    let mut files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.find(|path| path.extension().is_some_and(|extension| extension == "pdb")).unwrap()
}

fn dump(session: &Session) -> Value {
    let mut bytes = Vec::new();
    cli::document(session, &mut bytes).unwrap();
    serde_json::from_slice::<Value>(&bytes).unwrap()["pairs"][0].take()
}

fn list<'d>(dump: &'d Value, name: &str) -> &'d [Value] {
    dump[name].as_array().unwrap_or_else(|| panic!("no {name}"))
}

/// Section, offset and name of every function, and the number of lines of all modules.
type Peer = (usize, Vec<(u64, u64, String)>, usize, usize);

/// Counts of the `pdb` crate: modules, functions, lines, public symbols.
fn peer(path: &Path) -> Peer {
    let mut pdb = pdb::PDB::open(std::fs::File::open(path).unwrap()).unwrap();
    let debug = pdb.debug_information().unwrap();
    let mut modules = debug.modules().unwrap();
    let (mut count, mut functions, mut lines) = (0, Vec::new(), 0);
    while let Some(module) = modules.next().unwrap() {
        count += 1;
        let Some(info) = pdb.module_info(&module).unwrap() else { continue };
        let mut symbols = info.symbols().unwrap();
        while let Some(symbol) = symbols.next().unwrap() {
            if let Ok(pdb::SymbolData::Procedure(found)) = symbol.parse() {
                functions.push((
                    found.offset.section.into(),
                    found.offset.offset.into(),
                    found.name.to_string().into(),
                ));
            }
        }
        lines += info.line_program().unwrap().lines().count().unwrap();
    }
    functions.sort();
    let table = pdb.global_symbols().unwrap();
    let mut symbols = table.iter();
    let mut publics = 0;
    while let Some(symbol) = symbols.next().unwrap() {
        publics += usize::from(matches!(symbol.parse(), Ok(pdb::SymbolData::Public(_))));
    }
    (count, functions, lines, publics)
}

#[test]
fn native_symbols_are_all_there() {
    for name in ["parcel", "parcel-optimized", "parcel-lto", "parcel-x86", "parcel-arm64", "parcel-public", "sorter"] {
        let path = pdb_of(name);
        let session = Session::open(std::slice::from_ref(&path)).unwrap();
        let have = dump(&session);
        let (modules, functions, lines, publics) = peer(&path);
        assert_eq!(list(&have, "modules").len(), modules, "{name}");
        assert_eq!(list(&have, "publics").len(), publics, "{name}");
        let is_function = |function: &&Value| function["record"].as_str().unwrap().contains("PROC32");
        let number = |value: &Value| value.as_u64().unwrap();
        let mut found: Vec<_> = list(&have, "functions")
            .iter()
            .filter(is_function)
            .map(|function| {
                let name = function["name"].as_str().unwrap().to_owned();
                (number(&function["section"]), number(&function["offset"]), name)
            })
            .collect();
        found.sort();
        assert_eq!(found, functions, "{name}");
        let found: usize = list(&have, "functions").iter().map(|function| list(function, "lines").len()).sum();
        // The `pdb` crate leaves out hidden lines.
        let hidden = |function: &Value| list(function, "lines").iter().filter(|line| line["hidden"] == true).count();
        let hidden: usize = list(&have, "functions").iter().map(hidden).sum();
        assert_eq!(found - hidden, lines, "{name}");
        let native = NativeView::of(&session).unwrap();
        for (list_name, ids) in [("types", false), ("ids", true)] {
            assert_eq!(list(&have, list_name).len(), native.types(ids).len() as usize, "{name}: {list_name}");
        }
        assert!(have.get("left_out").is_none(), "{name}");
    }
}

#[test]
fn functions_have_their_lines_inlined_calls_and_symbols() {
    let session = Session::open(&[pdb_of("parcel-optimized")]).unwrap();
    let have = dump(&session);
    let documents = list(&have, "documents");
    let native = NativeView::of(&session).unwrap();
    let mut sites = 0;
    for function in list(&have, "functions") {
        let address = u32::from_str_radix(&function["address"].as_str().unwrap()[2..], 16).unwrap();
        for site in function["inlined"].as_array().into_iter().flatten() {
            for range in list(site, "ranges").iter().filter(|range| range["size"] != 0) {
                let at = address + range["offset"].as_u64().unwrap() as u32;
                let calls = native.at(at).inlined;
                let document = &documents[range["document"].as_u64().unwrap() as usize - 1];
                let is_it = |call: &pdblens::nodes::function::InlinedCall| {
                    site["name"] == call.name.as_str()
                        && range["line"] == call.line
                        && document["name"] == call.file.as_str()
                };
                // Folded functions share their address: only the first of them is asked.
                assert!(calls.iter().any(is_it), "{function}: {range} of {site}: {calls:?}");
                sites += 1;
            }
        }
    }
    assert!(sites > 10, "{sites}");
    let weigh = list(&have, "functions").iter().find(|function| function["name"] == "parcel::weigh").unwrap();
    let item = list(weigh, "symbols").iter().find(|symbol| symbol["name"] == "item").unwrap();
    assert_eq!(item["type"], "const parcel::Item *");
    assert!(!list(item, "locations").is_empty(), "{item}");
    let main = list(&have, "modules").iter().find(|module| module["name"].as_str().unwrap().ends_with("main.obj"));
    let main = main.unwrap();
    assert_eq!(main["compiler"]["language"], "C++");
    assert!(list(main, "inlinees").iter().any(|inlinee| inlinee["line"] == 77), "{main}");
    assert_eq!(list(main, "files")[0]["hash"].as_str().unwrap().len(), 32);
    let linker = list(&have, "modules").last().unwrap();
    let command = list(linker, "environment").iter().find(|pair| pair["name"] == "cmd").unwrap();
    assert!(command["value"].as_str().unwrap().contains("/opt:ref,icf"), "{command}");
    let types = list(&have, "types");
    let fields =
        |of: &Value| list(of, "refers").iter().find(|found| found["role"] == "fields").unwrap()["index"].clone();
    let is_box = |found: &&Value| found["name"] == "parcel::Box" && found.get("forward").is_none();
    let of_box = fields(types.iter().find(is_box).unwrap());
    let members = types.iter().find(|found| found["index"] == of_box).unwrap();
    assert!(list(members, "members").iter().any(|member| member["name"] == "price"), "{members}");
}

#[test]
fn managed_windows_pdbs_have_source_link_and_state_machines() {
    let text = br#"{"documents":{"/src/*":"https://example.org/*"}}"#;
    let recipe = Recipe::of(20);
    let mut program = recipe.program();
    // Linkers write an empty stream before the one with the document.
    program.more = vec![("sourcelink$1", Vec::new()), ("sourcelink$2", text.to_vec())];
    let session = Session::from_bytes(vec![("Linked.pdb".into(), program.write(512))]).unwrap();
    let have = dump(&session);
    assert_eq!(have["pdb"]["source_link"].as_str().unwrap().as_bytes(), text);
    assert!(list(&have, "modules").len() > 1 && have.get("functions").is_none());

    let session = Session::open(&[pdb_of("workshop-windows")]).unwrap();
    let have = dump(&session);
    let methods = list(&have, "methods");
    let pairs = methods.iter().filter_map(|method| Some((&method["token"], method["move_next"].get("token")?)));
    let pairs: Vec<_> = pairs.collect();
    // Two iterators and two async methods.
    assert_eq!(pairs.len(), 4, "{pairs:?}");
    for (kickoff, move_next) in pairs {
        let body = methods.iter().find(|method| method["token"] == *move_next).unwrap();
        assert_eq!(body["kickoff"]["token"], *kickoff);
    }
    assert!(have["pdb"].get("source_link").is_none());
}
