//! Managed Windows PDBs beside the answers of .NET's own reader, Microsoft.DiaSymReader.Native, which `assets/build/diasym.sh`
//! writes.

use std::ops::ControlFlow;

use pdblens::nodes::{SequencePoint, TableId, Token};
use pdblens::session::Session;
use pdblens::symbols::SymbolReader;
use serde_json::{Value, json};

use crate::support::samples::repository;

const SAMPLES: [(&str, &str); 4] = [
    ("ticker-windows", "Ticker.dll"),
    ("ticker-windows-release", "Ticker.dll"),
    ("workshop-windows", "Workshop.dll"),
    ("ledger-windows", "Ledger.dll"),
];

/// Line that the reader gives for a hidden point.
const HIDDEN: u64 = 0xfe_efee;

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn documents(symbols: &dyn SymbolReader) -> Vec<Value> {
    let all = (1..=symbols.documents()).map(|row| symbols.document(row).unwrap());
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    all.map(|document| {
        json!({
            "name": document.name,
            "language": document.language.unwrap_or_default().to_string(),
            "hash_algorithm": document.hash_algorithm.unwrap_or_default().to_string(),
            "hash": hex(&document.hash),
        })
    })
    .collect()
}

fn points(symbols: &dyn SymbolReader, method: Token) -> Vec<Value> {
    let mut found = Vec::new();
    let read = symbols.points(method, &mut |point: SequencePoint| {
        let document = symbols.document(point.document).unwrap().name;
        let [sl, sc, el, ec] = match point.is_hidden() {
            true => [0; 4],
            false => [point.start_line, point.start_column, point.end_line, point.end_column],
        };
        found.push(json!({"il": point.offset, "doc": document, "sl": sl, "sc": sc, "el": el, "ec": ec}));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

/// Points of the reader, without the lines and columns of hidden ones.
fn read_points(method: &Value) -> Vec<Value> {
    let visible = |point: &Value| match point["sl"].as_u64() {
        Some(HIDDEN) => json!({"il": point["il"], "doc": point["doc"], "sl": 0, "sc": 0, "el": 0, "ec": 0}),
        _ => point.clone(),
    };
    list(&method["points"]).map(visible).collect()
}

/// Names of a scope with their range; `inclusive` where an end is that of the last byte, as Visual Basic writes it.
fn names_in(scope: &Value, inclusive: u64) -> Vec<Value> {
    let range = [scope["start"].as_u64().unwrap(), scope["end"].as_u64().unwrap() + inclusive];
    let variables = list(&scope["variables"]).map(|one| json!([one["name"], one["slot"], one["attr"], range]));
    let constants = list(&scope["constants"]).map(|one| json!([one["name"], range]));
    variables.chain(constants).collect()
}

/// Ends of scopes as the file has them.
fn recorded_ends(symbols: &dyn SymbolReader, method: Token) -> Vec<u64> {
    let scopes = symbols.scopes(method, &|token| token.to_string()).unwrap();
    scopes.iter().map(|scope| scope.end() - u64::from(scope.end_inclusive)).collect()
}

fn scopes(symbols: &dyn SymbolReader, method: Token) -> (Vec<[u64; 2]>, Vec<Value>) {
    let (mut ranges, mut names) = (Vec::new(), Vec::new());
    for scope in symbols.scopes(method, &|token| token.to_string()).unwrap() {
        let range = [u64::from(scope.start), scope.end()];
        ranges.push(range);
        let variables = scope.variables.iter().map(|one| json!([one.name, one.slot, u8::from(one.hidden), range]));
        names.extend(variables.chain(scope.constants.iter().map(|one| json!([one.name, range]))));
    }
    (ranges, names)
}

fn sorted(mut values: Vec<Value>) -> Vec<Value> {
    values.sort_by_key(Value::to_string);
    values
}

/// Number of values below one.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(all) => all.iter().map(leaves).sum(),
        Value::Object(all) => all.values().map(leaves).sum(),
        _ => 1,
    }
}

#[test]
fn methods_points_scopes_and_names_are_those_of_nets_own_reader() {
    let mut compared = 0;
    for (folder, image) in SAMPLES {
        let golden = repository("tests/golden/diasym").join(format!("{folder}.json"));
        let theirs: Value = serde_json::from_slice(&std::fs::read(golden).unwrap()).unwrap();
        let session = Session::open(&[repository("assets/samples").join(folder).join(image)]).unwrap();
        let ours = session.symbols().unwrap();
        compared += leaves(&theirs["documents"]);
        assert_eq!(sorted(documents(ours)), sorted(list(&theirs["documents"]).cloned().collect()), "{folder}");
        // A Visual Basic scope has the offset of its last byte, but the one of the method, which has its length.
        let inclusive = u64::from(folder == "ledger-windows");
        let mut with_points = Vec::new();
        for method in list(&theirs["methods"]) {
            let text = method["token"].as_str().unwrap().trim_start_matches("0x");
            let token = Token(u32::from_str_radix(text, 16).unwrap());
            with_points.push(token);
            let place = format!("{folder} {token}");
            let want = read_points(method);
            compared += 1 + want.iter().map(leaves).sum::<usize>();
            assert_eq!(points(ours, token), want, "{place}");
            // The reader puts a scope of its own around those of the file.
            let inner = || list(&method["scopes"]).filter(|scope| scope["depth"] != 0);
            let is_method = |scope: &Value| scope["end"] == method["scopes"][0]["end"];
            let more = |scope: &Value| if is_method(scope) { 0 } else { inclusive };
            let end = |scope: &Value| scope["end"].as_u64().unwrap() + more(scope);
            let ranges: Vec<[u64; 2]> = inner().map(|scope| [scope["start"].as_u64().unwrap(), end(scope)]).collect();
            let names: Vec<Value> = inner().flat_map(|scope| names_in(scope, more(scope))).collect();
            compared += 2 * ranges.len() + names.iter().map(leaves).sum::<usize>();
            let (own_ranges, own_names) = scopes(ours, token);
            if !ranges.is_empty() {
                assert_eq!(own_ranges, ranges, "{place}");
                let ends: Vec<u64> = inner().map(|scope| scope["end"].as_u64().unwrap()).collect();
                assert_eq!(recorded_ends(ours, token), ends, "{place}");
            }
            assert_eq!(sorted(own_names), sorted(names), "{place}");
        }
        let all = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
        let others: Vec<Token> = all.filter(|token| !with_points.contains(token)).collect();
        assert!(others.iter().all(|token| points(ours, *token).is_empty()), "{folder}: methods that it does not know");
    }
    assert!(compared > 1600, "{compared} values");
}
