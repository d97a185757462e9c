//! Native symbols against DIA, Microsoft's own reader: `golden/dia/NAME.tsv`, which `assets/build/dia.sh` writes, says what it makes of a sample.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::support::samples::repository;
use pdblens::nodes::function::{NativeView, each_details};
use pdblens::nodes::global_symbols::each_symbol;
use pdblens::nodes::type_details::each_type;
use pdblens::session::Session;

/// Address, start and end line, start and end column, file.
type Line = (u32, u32, u32, u32, u32, String);

/// A function: module, name, address, size.
type Function = (String, String, u32, u32);

#[derive(Debug, Default, PartialEq, Eq)]
struct Symbols {
    functions: BTreeMap<Function, Vec<Line>>,
    /// Address, name, and whether it is a function.
    publics: BTreeSet<(u32, String, bool)>,
    /// Kind, name and size.
    types: BTreeSet<(String, String, u64)>,
}

fn address(text: &str) -> u32 {
    u32::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

fn of_dia(text: &str) -> Symbols {
    let mut found = Symbols::default();
    let mut last: Option<Function> = None;
    for row in text.lines() {
        let number = |text: &str| text.parse::<u32>().unwrap();
        match *row.split('\t').collect::<Vec<_>>() {
            ["function", module, name, rva, size] => {
                let function = (module.to_owned(), name.to_owned(), address(rva), number(size));
                found.functions.insert(function.clone(), Vec::new());
                last = Some(function);
            }
            ["line", rva, start, end, first, behind, file] => {
                let lines = found.functions.get_mut(last.as_ref().unwrap()).unwrap();
                lines.push((address(rva), number(start), number(end), number(first), number(behind), file.to_owned()));
            }
            ["public", rva, name, is_function] => {
                found.publics.insert((address(rva), name.to_owned(), is_function == "1"));
            }
            ["type", kind, name, size] => {
                found.types.insert((kind.to_owned(), name.to_owned(), size.parse().unwrap()));
            }
            ref other => panic!("{other:?}"),
        }
    }
    found
}

fn of_session(session: &Session) -> Symbols {
    let native = NativeView::of(session).unwrap();
    let symbols = session.symbols().unwrap();
    let mut found = Symbols::default();
    each_details(session, &mut |details| {
        let rva = details.rva.unwrap();
        let module = native.view.module_name(details.function.module);
        let lines = details.lines.points.iter().map(|point| {
            let file = symbols.document(point.document).unwrap().name;
            (rva + point.offset, point.start_line, point.end_line, point.start_column, point.end_column, file)
        });
        found.functions.insert((module, details.name, rva, details.function.len), lines.collect());
        ControlFlow::Continue(())
    });
    each_symbol(session, true, |symbol| {
        found.publics.insert((symbol.rva.unwrap(), symbol.name, symbol.flags & 2 != 0));
        Ok::<(), ()>(())
    })
    .unwrap();
    each_type(session, false, |found_type| {
        let is_named = ["class", "struct", "union", "enum"].contains(&found_type.kind);
        if is_named && !found_type.is_forward {
            found.types.insert((found_type.kind.to_owned(), found_type.name, found_type.size.unwrap()));
        }
        Ok::<(), ()>(())
    })
    .unwrap();
    found
}

#[test]
fn functions_lines_publics_and_types_are_those_of_dia() {
    let mut compared = 0;
    for entry in std::fs::read_dir(repository("tests/golden/dia")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let mut dia = of_dia(&std::fs::read_to_string(&path).unwrap());
        let pdb = repository("assets/samples").join(name).join("parcel.pdb");
        let ours = of_session(&Session::open(&[pdb]).unwrap());
        // DIA asks for lines by address: functions folded into one have the lines of the first.
        let folded: Vec<Function> = dia.functions.keys().cloned().collect();
        for function in folded.iter().filter(|one| folded.iter().filter(|other| one.2 == other.2).count() > 1) {
            let twin = ours
                .functions
                .iter()
                .find(|(other, lines)| other.2 == function.2 && **lines == dia.functions[function]);
            assert!(twin.is_some(), "{name}: {function:?}");
            dia.functions.insert(function.clone(), ours.functions[function].clone());
        }
        assert_eq!(ours, dia, "{name}");
        compared += ours.functions.values().map(Vec::len).sum::<usize>() + ours.publics.len() + ours.types.len();
    }
    assert!(compared > 400, "{compared}");
}
