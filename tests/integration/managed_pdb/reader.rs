//! Managed Windows PDBs of the samples: beside a portable PDB of the same sources, beside `pdb`, and beside the sources.

use std::path::PathBuf;

use pdblens::bytes::{Guid, Origin, Spaces};
use pdblens::formats::codeview::c13::Point;
use pdblens::formats::codeview::c13::{LINES, LinePoints, LinesHeader, Subsections};
use pdblens::formats::managed::custom::Custom;
use pdblens::formats::managed::imports::ImportKind;
use pdblens::formats::managed::method::ConstantValue;
use pdblens::formats::managed::{Method, WindowsPdb};
use pdblens::formats::msf::Msf;
use pdblens::formats::pdb::StreamKind;
use serde_json::Value;

const SAMPLES: [&str; 4] = [
    "ticker-windows/Ticker.pdb",
    "ticker-windows-release/Ticker.pdb",
    "workshop-windows/Workshop.pdb",
    "ledger-windows/Ledger.pdb",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn open(name: &str) -> (Spaces, WindowsPdb) {
    let path = root().join("assets/samples").join(name);
    let mut spaces = Spaces::default();
    let bytes = std::fs::read(&path).unwrap();
    let file = spaces.add_bytes(name, Origin::File(path), bytes).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    let pdb = WindowsPdb::parse(&spaces, msf);
    assert_eq!(pdb.problems, [], "{name}");
    assert_eq!(pdb.method_index(&spaces).problems, [], "{name}");
    (spaces, pdb)
}

fn oracle(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join("tests/golden/oracle").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap() as u32
}

fn token(value: &Value) -> u32 {
    u32::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn points(spaces: &Spaces, pdb: &WindowsPdb, token: u32) -> Vec<Point> {
    let lines = pdb.lines_of(spaces, pdb.method_index(spaces).get(token).unwrap()).unwrap();
    lines.map_or(Vec::new(), |lines| lines.points().unwrap().map(Result::unwrap).collect())
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}

/// The same sources and compiler, once as Windows PDB and once as portable PDB.
#[test]
fn workshop_is_the_portable_workshop() {
    let (spaces, pdb) = open("workshop-windows/Workshop.pdb");
    let oracle = oracle("workshop-roslyn3.json");

    let documents: Vec<_> = (1..)
        .zip(pdb.documents())
        .map(|(row, document)| {
            let file = pdb.source_file(&spaces, row).unwrap().unwrap();
            let hash = hex(&spaces.read(file.hash).unwrap());
            (document.name.value.clone(), file.language.value, file.hash_algorithm.value, hash)
        })
        .collect();
    let wanted: Vec<_> = list(&oracle, "documents")
        .iter()
        .map(|document| {
            let text = |key: &str| document[key].as_str().unwrap_or_default().to_owned();
            let guid = |key: &str| text(key).parse::<Guid>().unwrap_or_default();
            (text("name"), guid("language"), guid("hash_algorithm"), text("hash"))
        })
        .collect();
    assert_eq!(documents, wanted);

    let mut methods = Vec::new();
    for method in list(&oracle, "methods") {
        let wanted: Vec<_> = list(method, "points")
            .iter()
            .map(|point| {
                let hidden = point["hidden"].as_bool().unwrap();
                let value = |key: &str| if hidden { 0 } else { number(&point[key]) };
                let lines = (value("start_line"), value("start_column"), value("end_line"), value("end_column"));
                (number(&point["il"]), number(&point["document"]), hidden, lines)
            })
            .collect();
        let token = token(&method["token"]);
        let Some(entry) = pdb.method_index(&spaces).get(token) else {
            assert_eq!(wanted, [], "{token:08x}");
            continue;
        };
        methods.push(entry.token);
        let found: Vec<_> = points(&spaces, &pdb, token)
            .into_iter()
            .map(|p| {
                let lines = (p.start_line, p.start_column, p.end_line, p.end_column);
                (p.offset, p.document, p.is_hidden(), if p.is_hidden() { (0, 0, 0, 0) } else { lines })
            })
            .collect();
        assert_eq!(found, wanted, "{token:08x}");
        let method = pdb.method(&spaces, token).unwrap();
        assert_eq!(method.problems, [], "{token:08x}");
        assert_eq!(method.len as u64, oracle_method(&oracle, token)["code_size"].as_u64().unwrap());
    }
    let all: Vec<_> = pdb.method_index(&spaces).entries().iter().map(|entry| entry.token).collect();
    assert_eq!(all, methods);
}

fn oracle_method(oracle: &Value, wanted: u32) -> &Value {
    list(oracle, "methods").iter().find(|method| token(&method["token"]) == wanted).unwrap()
}

/// A scope: method, start, length, local variables (slot, hidden, name), names of constants.
type Scope = (u32, u32, u32, Vec<(u32, bool, String)>, Vec<String>);

fn scopes_of(oracle: &Value) -> Vec<Scope> {
    let scope = |scope: &Value| {
        let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
        let variable = |v: &Value| (number(&v["slot"]), v["hidden"].as_bool().unwrap(), name(v));
        let variables = list(scope, "variables").iter().map(variable).collect();
        let constants = list(scope, "constants").iter().map(name).collect();
        (token(&scope["method"]), number(&scope["start"]), number(&scope["length"]), variables, constants)
    };
    list(oracle, "scopes").iter().map(scope).collect()
}

fn scopes(method: &Method) -> Vec<Scope> {
    let scope = |(index, scope): (usize, &pdblens::formats::managed::method::Scope)| {
        let slots = method.slots.iter().filter(|slot| slot.scope == index);
        let slots = slots.map(|slot| (slot.index.value, slot.is_hidden(), slot.name.value.clone())).collect();
        let constants = method.constants.iter().filter(|constant| constant.scope == index);
        let constants = constants.map(|constant| constant.name.value.clone()).collect();
        (method.token.value, scope.start, scope.length, slots, constants)
    };
    method.scopes.iter().enumerate().map(scope).collect()
}

#[test]
fn scopes_locals_and_constants_are_the_portable_ones() {
    let (spaces, pdb) = open("workshop-windows/Workshop.pdb");
    let methods: Vec<_> =
        pdb.method_index(&spaces).entries().iter().map(|entry| pdb.method(&spaces, entry.token).unwrap()).collect();
    let found: Vec<_> = methods.iter().flat_map(scopes).collect();
    let mut wanted = scopes_of(&oracle("workshop-roslyn3.json"));
    // The stub that calls an asynchronous Main has no points and no locals. A portable PDB says nothing about it; a Windows PDB
    // has a procedure for every method with a body that its compiler visits.
    wanted.push((0x0600_0006, 0, 20, vec![], vec![]));
    wanted.sort();
    assert_eq!(found, wanted);

    let nested = methods.iter().find(|method| method.name.value == "Nested").unwrap();
    let constants: Vec<_> = nested.constants.iter().map(|c| (c.name.value.as_str(), c.value.value.clone())).collect();
    let price = pdblens::formats::codeview::Decimal { scale: 2, negative: false, bits: 1234 };
    let wanted = [
        ("limit", ConstantValue::Signed(42)),
        ("label", ConstantValue::Text("inner".into())),
        ("price", ConstantValue::Decimal(price)),
        // An enum is a number, `null` is 0, and a char has no type of its own: their signatures know better.
        ("day", ConstantValue::Signed(5)),
        ("nothing", ConstantValue::Signed(0)),
        ("mark", ConstantValue::Unsigned('x' as u64)),
        ("half", ConstantValue::Double(0.5_f64.to_bits())),
    ];
    assert_eq!(constants, wanted);
}

/// The imports of a method's import scope and of those around it: namespaces and aliases, scope by scope.
fn imports_of(oracle: &Value, wanted: u32) -> Vec<Vec<String>> {
    let all = list(oracle, "imports");
    let scope = list(oracle, "scopes").iter().find(|scope| token(&scope["method"]) == wanted).unwrap();
    let mut row = number(&scope["import_scope"]);
    let mut groups = Vec::new();
    while let Some(scope) = (row as usize).checked_sub(1).and_then(|index| all.get(index)) {
        let text = |entry: &Value| entry["namespace"].as_str().or(entry["alias"].as_str()).unwrap().to_owned();
        groups.push(list(scope, "entries").iter().map(text).collect());
        row = scope["parent"].as_u64().unwrap_or_default() as u32;
    }
    groups
}

#[test]
fn imports_are_the_portable_ones() {
    let (spaces, pdb) = open("workshop-windows/Workshop.pdb");
    let oracle = oracle("workshop-roslyn3.json");
    for entry in pdb.method_index(&spaces).entries() {
        let method = pdb.method(&spaces, entry.token).unwrap();
        let imports = pdb.imports(&spaces, &method);
        assert_eq!(imports.problems, []);
        // What has no points has no custom debug information either: nothing says whose its imports are.
        if method.custom.iter().all(|record| record.kind > 2) {
            assert_eq!((points(&spaces, &pdb, entry.token).len() < 2, imports.list.len()), (true, 0));
            continue;
        }
        let found: Vec<_> = imports
            .list
            .iter()
            .map(|import| match import.kind {
                ImportKind::Namespace => import.target.clone(),
                ImportKind::Alias => import.alias.clone().unwrap(),
                kind => panic!("{kind:?}"),
            })
            .collect();
        assert_eq!(found, imports_of(&oracle, entry.token).concat(), "{:08x}", entry.token);
    }
}

/// Custom debug information of `parent` in a portable PDB: kind and value of each record.
fn custom_of(oracle: &Value, parent: &str) -> Vec<(String, String)> {
    let all = list(oracle, "custom").iter().filter(|custom| custom["parent"] == parent);
    all.map(|c| (c["kind"].as_str().unwrap().to_owned(), c["value"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn custom_debug_information_is_the_portable_one() {
    let (spaces, pdb) = open("workshop-windows/Workshop.pdb");
    let oracle = oracle("workshop-roslyn3.json");
    let mut seen = [0; 10];
    let mut portable = 0;
    for entry in pdb.method_index(&spaces).entries() {
        let method = pdb.method(&spaces, entry.token).unwrap();
        let bytes = |span| hex(&spaces.read(span).unwrap());
        let mut found = Vec::new();
        for record in &method.custom {
            seen[record.kind as usize] += 1;
            match record.value.as_ref().unwrap() {
                Custom::SlotMap(map) => found.push(("755f52a8-91c5-45be-b4b8-209571e552bd", bytes(*map))),
                Custom::LambdaMap(map) => found.push(("a643004c-0240-496f-a783-30d64f4979de", bytes(*map))),
                Custom::HoistedScopes(scopes) => {
                    let scope = |scope: &pdblens::formats::managed::custom::HoistedScope| {
                        [scope.start, scope.len()].map(u32::to_le_bytes).concat()
                    };
                    let value = hex(&scopes.iter().flat_map(scope).collect::<Vec<_>>());
                    found.push(("6da9a61e-f8c7-4874-be62-68bc5630df71", value));
                }
                Custom::TupleElementNames(locals) => {
                    let [local] = locals.as_slice() else { panic!("{locals:?}") };
                    assert_eq!((bytes(local.name), local.slot, local.scope), (hex(b"range"), 0, (0, 0)));
                    let names: Vec<_> = local.elements.iter().map(|name| bytes(*name) + "00").collect();
                    let wanted = custom_of(&oracle, "0x33000005");
                    assert_eq!(wanted, [("ed9fdf71-8879-4747-8ed3-fe5ede3ce710".into(), names.concat())]);
                    portable += 1;
                }
                Custom::DynamicLocals(locals) => {
                    let found: Vec<_> = locals.iter().map(|l| (l.slot, l.flags.as_slice(), bytes(l.name))).collect();
                    let utf16 = |text: &str| hex(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
                    assert_eq!(found, [(0, &[true][..], utf16("boxed")), (1, &[false, true], utf16("many"))]);
                    portable += 2;
                }
                Custom::StateMachineType(name) => assert!(bytes(*name).starts_with("3c00")),
                Custom::UsingGroups(_) | Custom::ForwardMethod(_) | Custom::ForwardModule(_) => {}
                other => panic!("{other:?}"),
            }
        }
        if let Some(info) = &method.async_info {
            let mut value = info.value.catch_handler.map_or(0, |at| at.value + 1).to_le_bytes().to_vec();
            for point in &info.value.awaits {
                value.extend([point.yield_offset, point.resume_offset].map(u32::to_le_bytes).concat());
                value.push(point.resume_method as u8);
            }
            found.push(("54fd2ac5-e925-401a-9c2a-f94f171072f8", hex(&value)));
            let kickoff = format!("{:#010x}", info.value.kickoff.value);
            assert_eq!(oracle_method(&oracle, entry.token)["kickoff"], kickoff.as_str());
        }
        let mut found: Vec<_> = found.into_iter().map(|(kind, value)| (kind.to_owned(), value)).collect();
        let mut wanted = custom_of(&oracle, &format!("{:#010x}", entry.token));
        found.sort();
        wanted.sort();
        portable += wanted.len();
        assert_eq!(found, wanted, "{:08x}", entry.token);
    }
    assert_eq!(portable, list(&oracle, "custom").len() - outside_methods(&oracle));
    assert!([0, 1, 3, 4, 5, 6, 7, 8].iter().all(|kind| seen[*kind] > 0), "{seen:?}");
}

/// Number of records of a portable PDB that are not about methods, local variables or constants.
fn outside_methods(oracle: &Value) -> usize {
    let of = |c: &&Value| !["0x06", "0x33"].contains(&&c["parent"].as_str().unwrap()[..4]);
    list(oracle, "custom").iter().filter(of).count()
}

/// Points without document: IL offset, hidden, lines and columns.
type Line = (u32, bool, [u32; 4]);

fn lines_of_oracle(method: &Value) -> Vec<Line> {
    let line = |point: &Value| {
        let keys = ["start_line", "start_column", "end_line", "end_column"];
        let hidden = point["hidden"].as_bool().unwrap();
        (number(&point["il"]), hidden, if hidden { [0; 4] } else { keys.map(|key| number(&point[key])) })
    };
    list(method, "points").iter().map(line).collect()
}

fn lines(points: &[Point]) -> Vec<Line> {
    let numbers = |p: &Point| [p.start_line, p.start_column, p.end_line, p.end_column];
    let line = |p: &Point| (p.offset, p.is_hidden(), if p.is_hidden() { [0; 4] } else { numbers(p) });
    points.iter().map(line).collect()
}

#[test]
fn visual_basic_is_the_portable_one() {
    let (spaces, pdb) = open("ledger-windows/Ledger.pdb");
    let oracle = oracle("ledger.json");
    for method in list(&oracle, "methods") {
        let token = token(&method["token"]);
        if pdb.method_index(&spaces).get(token).is_none() {
            assert_eq!(lines_of_oracle(method), [], "{token:08x}");
            continue;
        }
        assert_eq!(lines(&points(&spaces, &pdb, token)), lines_of_oracle(method), "{token:08x}");
        let method = pdb.method(&spaces, token).unwrap();
        assert_eq!(method.problems, [], "{token:08x}");
        // A method without anything in scope has imports nowhere.
        let imports = pdb.imports(&spaces, &method);
        if !method.namespaces.is_empty() {
            let found: Vec<_> = imports.list.iter().map(|i| (i.kind, i.alias.as_deref(), i.target.as_str())).collect();
            let wanted = [
                (ImportKind::Alias, Some("IO"), "System.IO"),
                (ImportKind::Namespace, None, "System"),
                (ImportKind::Namespace, None, "System.Collections.Generic"),
                (ImportKind::RootNamespace, None, "Books"),
                (ImportKind::CurrentNamespace, None, "Books"),
            ];
            assert_eq!(found, wanted, "{token:08x}");
        }
    }
}

/// The text that a point stands for.
fn text(source: &str, point: &Point) -> String {
    let lines: Vec<_> = source.lines().collect();
    assert_eq!(point.start_line, point.end_line);
    let line = lines[point.start_line as usize - 1];
    line[point.start_column as usize - 1..point.end_column as usize - 1].to_owned()
}

#[test]
fn points_of_ticker_are_its_statements() {
    let sources = ["Program.cs", "Clock.cs"]
        .map(|name| std::fs::read_to_string(root().join("assets/sources/ticker").join(name)).unwrap());
    let main = "var naps = args.Length > 0 ? int.Parse(args[0]) : 3;|var i = 0|var started = Clock.Now();|Thread.Sleep(20);|\
                Console.WriteLine(\"nap \" + i + \": \" + Clock.Since(started) + \" ticks\");|i++|i < naps";
    let clock = "DateTime.UtcNow.Ticks|var now = Now();|var elapsed = now - started;|return elapsed < 0 ? 0 : elapsed;";
    let statements: Vec<_> = main.split('|').chain(clock.split('|')).collect();
    // Braces have points only where nothing is optimised away, but for the last one of a method without `return`.
    for (name, braces) in [("ticker-windows/Ticker.pdb", "{{}}{}"), ("ticker-windows-release/Ticker.pdb", "}")] {
        let (spaces, pdb) = open(name);
        let names: Vec<_> = pdb.documents().iter().map(|document| document.name.value.as_str()).collect();
        assert_eq!(names, ["C:\\src\\ticker\\Program.cs", "C:\\src\\ticker\\Clock.cs"]);
        let entries = pdb.method_index(&spaces).entries();
        let points = entries.iter().flat_map(|entry| points(&spaces, &pdb, entry.token));
        let found: Vec<_> =
            points.filter(|p| !p.is_hidden()).map(|p| text(&sources[p.document as usize - 1], &p)).collect();
        let (found_braces, found): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|text| matches!(text.as_str(), "{" | "}"));
        assert_eq!(found, statements, "{name}");
        assert_eq!(found_braces.concat(), braces, "{name}");
    }
}

#[test]
fn streams_modules_and_symbols_are_those_of_the_pdb_crate() {
    use pdb::FallibleIterator;
    for name in SAMPLES {
        let (spaces, ours) = open(name);
        let mut theirs =
            pdb::PDB::open(std::fs::File::open(root().join("assets/samples").join(name)).unwrap()).unwrap();
        let info = theirs.pdb_information().unwrap();
        assert_eq!((ours.info.guid.value.to_string(), ours.info.age), (info.guid.to_string(), info.age));
        for named in &ours.info.names {
            assert!(info.stream_names().unwrap().iter().any(|stream| {
                (stream.name.to_string().as_ref(), stream.stream_id.0 as u32)
                    == (named.name.value.as_str(), named.stream.value)
            }));
        }
        let dbi = theirs.debug_information().unwrap();
        assert_eq!(Some(ours.dbi.as_ref().unwrap().header.age), dbi.age());
        let modules: Vec<_> = dbi.modules().unwrap().collect().unwrap();
        assert_eq!(modules.len(), ours.modules().len(), "{name}");
        for (index, module) in modules.iter().enumerate() {
            let (found, region) = ours.module(&spaces, index as u32).unwrap();
            assert_eq!(ours.kind_of(found.stream().unwrap()), StreamKind::Module(index as u32));
            let names = ours.dbi.as_ref().unwrap().names_of(&found).unwrap();
            assert_eq!(String::from_utf8_lossy(names.name.data), module.module_name());
            assert_eq!(String::from_utf8_lossy(names.object.data), module.object_file_name());
            let info = theirs.module_info(module).unwrap().unwrap();
            // The crate passes over the ends of scopes that it knows nothing about only if asked for symbols one by one.
            let symbols = info.symbols().unwrap().count().unwrap();
            let ours_symbols = pdblens::formats::codeview::symbols::Records::of_module(&found.symbols(&region)).count();
            assert_eq!(ours_symbols, symbols, "{name}, module {index}");
            // Its lines lack hidden points and the last line, but the rest is right.
            let program = info.line_program().unwrap();
            let mut wanted: Vec<_> = program
                .lines()
                .map(|l| Ok((l.offset.offset, l.line_start, l.column_start, l.column_end)))
                .collect()
                .unwrap();
            let mut lines = Vec::new();
            for subsection in Subsections::new(found.c13(&region).slice()).map(Result::unwrap) {
                if subsection.kind != LINES {
                    continue;
                }
                let header = LinesHeader::decode(&mut subsection.content.cursor()).unwrap();
                for point in LinePoints::new(subsection.content, 0, |file| file).unwrap().map(Result::unwrap) {
                    assert!(point.offset >= header.offset && point.offset < header.offset + header.size);
                    if !point.is_hidden() {
                        lines.push((point.offset, point.start_line, Some(point.start_column), Some(point.end_column)));
                    }
                }
            }
            lines.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(lines, wanted, "{name}, module {index}");
        }
    }
}

/// Every decoder of every stream of a sample, with cut and flipped bytes: no panic, and no long wait.
#[test]
fn damaged_files_are_read_up_to_the_fault() {
    let bytes = std::fs::read(root().join("assets/samples/workshop-windows/Workshop.pdb")).unwrap();
    let read_all = |bytes: Vec<u8>| -> usize {
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("f", Origin::File("f".into()), bytes).span().space;
        let Ok(msf) = Msf::open(&mut spaces, file) else { return 0 };
        let pdb = WindowsPdb::parse(&spaces, msf);
        let mut read = 0;
        for row in 1..=pdb.documents().len() as u32 {
            read += usize::from(pdb.source_file(&spaces, row).is_some_and(|file| file.is_ok()));
        }
        let tokens: Vec<_> = pdb.method_index(&spaces).entries().iter().map(|entry| entry.token).collect();
        for token in tokens {
            if let Ok(method) = pdb.method(&spaces, token) {
                read += 1 + method.slots.len() + pdb.imports(&spaces, &method).list.len();
            }
            let lines = pdb.method_index(&spaces).get(token).map(|entry| pdb.lines_of(&spaces, entry));
            if let Some(Ok(Some(lines))) = lines {
                read += lines.points().map_or(0, Iterator::count);
            }
        }
        read
    };
    let whole = read_all(bytes.clone());
    assert!(whole > 250, "{whole}");
    let mut less = 0;
    for len in (0..bytes.len()).step_by(331) {
        less += usize::from(read_all(bytes[..len].to_vec()) < whole);
    }
    for at in (0..bytes.len()).step_by(29) {
        let mut flipped = bytes.clone();
        flipped[at] ^= [0x80, 0xff, 0x01, 0x7f][at % 4];
        less += usize::from(read_all(flipped) < whole);
    }
    assert!(less > 100, "{less}");
}
