//! Answers of the debugger of .NET 10 (`assets/build/debugger.sh`): the map of each method, and the IL offsets where it accepts a breakpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::precompiled::frameworks;
use crate::support::samples::{core_of, repository};
use pdblens::formats::native_map::NativeMap;
use pdblens::formats::r2r::debug_info::{AFTER_PROLOG, base_name};
use pdblens::formats::r2r::{Bound, DebugInfo, IlPosition, Variable, VariableLocation};
use pdblens::formats::signature::{self, Signature};
use pdblens::nodes::method::native::{bodies, location_text};
use pdblens::nodes::{self, TableId, Token};
use pdblens::query::address::parse_native;
use pdblens::query::native_where::{native_where, sentence};
use pdblens::query::process::{self, Process};
use pdblens::session::Session;
use pdblens_session::recorded;

/// Answers of the debugger on a method.
struct Method {
    token: Token,
    /// IL and native offsets; -1, -2 and -3 are no mapping, prolog and epilog.
    map: Vec<(i64, u32)>,
    /// Offsets where a breakpoint is accepted, or where one stopped.
    accepted: BTreeSet<u32>,
    size: u32,
    /// Address of the code; 0 where it was not asked for.
    address: u64,
}

fn methods(path: &Path) -> Vec<Method> {
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let entry = |text: &str| {
        let (il, native) = text.split_once('@').unwrap();
        (if il.starts_with('-') { il.parse().unwrap() } else { number(il).into() }, number(native))
    };
    let method = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [token, size, map, accepted] = columns[..4].try_into().unwrap();
        let mut map: Vec<_> = map.split_whitespace().map(entry).collect();
        map.sort_unstable();
        let address = columns.get(4).map_or(0, |address| u64::from_str_radix(address, 16).unwrap());
        // Behind an offset is the number of stops; homes of variables have ranges.
        let accepted = if accepted.contains('-') { "" } else { accepted };
        let accepted = accepted.split_whitespace().map(|at| number(at.split(':').next().unwrap())).collect();
        Method { token: Token(number(token)), map, accepted, size: number(size), address }
    };
    std::fs::read_to_string(path).unwrap().lines().map(method).collect()
}

fn map_of(bounds: &[Bound]) -> Vec<(i64, u32)> {
    let entry = |bound: &Bound| match bound.il {
        IlPosition::Offset(il) => (il.into(), bound.native),
        IlPosition::None => (-1, bound.native),
        IlPosition::Prolog => (-2, bound.native),
        IlPosition::Epilog => (-3, bound.native),
    };
    let mut map: Vec<_> = bounds.iter().map(entry).collect();
    map.sort_unstable();
    map
}

/// Comparison of methods; one whose code pdblens has not is not counted.
#[derive(Default)]
struct Compared {
    /// Methods whose map and accepted offsets are the same.
    equal: usize,
    /// Entries that pdblens lacks, by method; the accepted offsets are the same.
    less: Vec<String>,
    /// All other differences, by method.
    other: Vec<String>,
}

fn compare(session: &Session, methods: &[Method]) -> Compared {
    let mut compared = Compared::default();
    for Method { token, map, accepted, size, address } in methods {
        let found = bodies(session, *token);
        let [body] = found.as_slice() else { continue };
        let ours = &map_of(&body.info.bounds);
        if *address != 0 && (body.address_of(0), body.body.fragments[0].size) != (*address, *size) {
            compared.other.push(format!("{:#x}: address or size", token.0));
            continue;
        }
        let end = map.iter().chain(ours).map(|(il, _)| il + 3).max().unwrap_or(0).max(3) as u32;
        let is_accepted =
            |il: &u32| native_where(session, *token, *il).iter().any(|answer| answer.accepted == Some(true));
        let our_accepted: BTreeSet<u32> = (0..end).filter(is_accepted).collect();
        let (more, less) = (without(ours, map), without(map, ours));
        if !more.is_empty() || our_accepted != *accepted {
            let accepted = [our_accepted.difference(accepted), accepted.difference(&our_accepted)];
            compared.other.push(format!("{:#x}: more {more:?}, less {less:?}, accepted {accepted:?}", token.0));
        } else if less.is_empty() {
            compared.equal += 1;
        } else {
            compared.less.push(format!("{:#x}: {less:?}", token.0));
        }
    }
    compared
}

/// Entries of a map that another does not have, or has less often.
fn without(map: &[(i64, u32)], other: &[(i64, u32)]) -> Vec<(i64, u32)> {
    let mut rest = other.to_vec();
    map.iter()
        .copied()
        .filter(|entry| rest.iter().position(|one| one == entry).map(|at| rest.remove(at)).is_none())
        .collect()
}

/// Session of an image with its recorded trace.
fn traced(image: &Path, trace: &Path) -> Session {
    let session = Session::open(&[image.to_owned()]).unwrap();
    recorded::attach(&session, NativeMap::read(&std::fs::read(trace).unwrap()).unwrap()).unwrap();
    session
}

/// Compares a session with the golden answers of a name.
fn assert_equal(name: &str, session: &Session, least: usize) {
    let methods = methods(&repository(&format!("tests/golden/debugger/{name}.tsv")));
    let Compared { equal, less, other } = compare(session, &methods);
    assert!(equal >= least && less.is_empty() && other.is_empty(), "{name}: {equal} equal, {less:#?} {other:#?}");
}

#[test]
fn a_recorded_trace_has_the_map_of_the_debugger() {
    for (name, least) in [("ticker", 3), ("ticker-release", 2)] {
        let file = |extension: &str| repository(&format!("assets/samples/{name}/Ticker.{extension}"));
        assert_equal(name, &traced(&file("dll"), &file("nettrace")), least);
    }
}

#[test]
fn a_precompiled_image_has_the_map_of_the_debugger() {
    let images = frameworks();
    if images.is_empty() {
        return;
    }
    for (name, least) in [("System.Private.Uri", 285), ("System.Collections", 42)] {
        assert_equal(name, &Session::open(&[images[name].clone()]).unwrap(), least);
    }
}

/// A trace leaves out some epilogs, and of optimised code some of the entries that an IL offset has several of. What is accepted is the same.
#[test]
fn traces_of_the_named_folder_accept_what_the_debugger_accepts() {
    let Some(folder) = std::env::var_os("PDBLENS_DEBUGGER") else {
        return eprintln!("skipped: PDBLENS_DEBUGGER names no folder that assets/build/debugger.sh wrote");
    };
    let mut all = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "tsv") {
            continue;
        }
        let attached = path.with_extension("").display().to_string() + "-attached.nettrace";
        for trace in [path.with_extension("nettrace"), PathBuf::from(attached), path.with_extension("core")] {
            if !trace.exists() {
                continue;
            }
            let session = Session::open(&[path.with_extension("dll")]).unwrap();
            process::attach(&session, &trace).unwrap();
            let Compared { equal, less, other } = compare(&session, &methods(&path));
            println!("{}: {equal} equal, {} with less\n{}", trace.display(), less.len(), less.join("\n"));
            assert!(other.is_empty(), "{other:#?}");
            all += equal;
        }
    }
    assert!(all > 0);
}

/// A core of a process that a debugger was attached to: each body of a method has the address, the size and the map that the debugger gives it, and no breakpoint
/// stopped in it where pdblens says that it is refused. At `IL_0000` one stops in the body that a loop enters, though no code of that offset is there.
#[test]
fn the_bodies_of_a_core_are_those_of_the_debugger() {
    let session = Session::open(&[repository("assets/cores/tiers/Tiers.dll")]).unwrap();
    let process = Process::of_core(core_of("tiers/tiers.core.gz")).unwrap();
    recorded::attach(&session, process.native_map(&session).unwrap()).unwrap();
    let expected = methods(&repository("assets/cores/tiers/tiers.tsv"));
    let mut tiers = BTreeSet::new();
    for body in &expected {
        let found = bodies(&session, body.token);
        let same = found.iter().find(|mapped| mapped.address_of(0) == body.address);
        let same = same.unwrap_or_else(|| panic!("no body at {:#x}", body.address));
        assert_eq!((same.body.fragments[0].size, map_of(&same.info.bounds)), (body.size, body.map.clone()));
        let tier = same.recorded.as_ref().unwrap().tier.clone();
        for il in 0..0x100 {
            let answers = native_where(&session, body.token, il);
            let answer = answers.iter().find(|answer| answer.address_of(answer.rva) == body.address).unwrap();
            let is_accepted = answer.accepted == Some(true);
            assert!(is_accepted || !body.accepted.contains(&il), "{tier} {:#x}: IL_{il:04x}", body.token.0);
            // A loop begins at IL_0000 in `Down` alone.
            if tier.ends_with("OSR") && il == 0 && body.token.0 != 0x0600_0003 {
                assert!(sentence(answer, 0).contains("when a loop enters the body"), "{}", sentence(answer, 0));
                assert!(is_accepted && body.accepted.contains(&0) && body.map.iter().all(|(il, _)| *il != 0));
            }
        }
        tiers.insert(tier);
    }
    let all = ["OptimizedTier1", "OptimizedTier1OSR", "QuickJitted", "QuickJittedInstrumented"];
    assert_eq!((expected.len(), tiers), (13, all.map(str::to_owned).into()));
}

/// A process that was recorded from its start has the maps behind the methods, and one that was attached to before them.
#[test]
fn a_process_has_the_same_code_from_its_start_and_attached() {
    let golden = |name: &str| repository(&format!("tests/golden/recordings/{name}.nettrace"));
    let sample = |name: &str, extension: &str| repository(&format!("assets/samples/{name}/Ticker.{extension}"));
    for (name, start, attached, number) in [
        ("ticker", golden("ticker"), sample("ticker", "nettrace"), 3),
        ("ticker-release", golden("ticker-release"), sample("ticker-release", "nettrace"), 2),
        ("ticker-release", golden("tiered"), golden("tiered-attached"), 7),
    ] {
        let read = |path: &Path| NativeMap::read(&std::fs::read(path).unwrap()).unwrap();
        let ordered = |path: &Path| {
            let mut methods = read(path).methods;
            methods.sort_by_key(|method| method.address);
            methods
        };
        let bodies = ordered(&start);
        assert_eq!((bodies.len(), &bodies), (number, &ordered(&attached)), "{name}");
        assert!(bodies.iter().all(|body| !body.bounds.is_empty()), "{bodies:#?}");
        let [start, attached] = [&start, &attached].map(|trace| traced(&sample(name, "dll"), trace));
        for token in bodies.iter().map(|body| body.token) {
            for il in 0..0x40 {
                let answers = [&start, &attached].map(|session| {
                    let mut answers = native_where(session, token, il);
                    answers.sort_by_key(|answer| answer.recorded.as_ref().map(|code| code.address));
                    answers
                });
                assert_eq!(answers[0], answers[1], "{name} {token}+{il:#x}");
            }
        }
    }
}

/// Homes of the variables of a body, as `debugger.c` writes them; a home that the debugger cannot say is `?`.
fn homes(info: &DebugInfo, arguments: u32) -> BTreeMap<String, String> {
    let home = |variable: &Variable| {
        let number = u32::try_from(variable.number).ok()?;
        let name = number.checked_sub(arguments).map_or_else(|| format!("a{number}"), |local| format!("l{local}"));
        let home = match variable.location {
            VariableLocation::Register(number) if number < 16 => location_text(0x8664, variable.location),
            VariableLocation::Stack { base, offset } => {
                let sign = if offset < 0 { '-' } else { '+' };
                let base = base_name(0x8664, base).replace(AFTER_PROLOG, "@prolog");
                format!("{base}{sign}{:x}", offset.unsigned_abs())
            }
            _ => "?".to_owned(),
        };
        Some((format!("{name}:{:x}-{:x}", variable.start, variable.end), home))
    };
    info.variables.iter().filter_map(home).collect()
}

/// Number of arguments of a method, `this` among them.
fn arguments(session: &Session, method: Token) -> u32 {
    let blob = session.metadata().unwrap().blob_cell(TableId::METHOD_DEF, method.row(), 4).unwrap();
    let Ok(Signature::Method(found)) = signature::decode(&mut blob.cursor()) else { panic!("{method}") };
    found.parameters.len() as u32 + u32::from(found.has_this)
}

/// Files of a folder with the homes of variables, which `assets/build/debugger.sh` writes.
fn home_files(folder: PathBuf) -> impl Iterator<Item = PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "homes"))
}

/// PDBLENS_HOMES names a folder with those of more images. Code that the JIT compiled anew has another map, and is not compared.
#[test]
fn variables_of_a_precompiled_image_have_the_homes_of_the_debugger() {
    let images = frameworks();
    if images.is_empty() {
        return;
    }
    let folders = [Some(repository("tests/golden/debugger")), std::env::var_os("PDBLENS_HOMES").map(PathBuf::from)];
    let (mut equal, mut unsaid, mut wrong) = (0, 0, Vec::new());
    for path in folders.into_iter().flatten().flat_map(home_files) {
        let session = Session::open(&[images[&*path.file_stem().unwrap().to_string_lossy()].clone()]).unwrap();
        for (Method { token, map, .. }, line) in
            methods(&path).iter().zip(std::fs::read_to_string(&path).unwrap().lines())
        {
            let all = bodies(&session, *token);
            let [mapped] = all.as_slice() else { continue };
            if map_of(&mapped.info.bounds) != *map {
                continue;
            }
            let theirs =
                line.rsplit('\t').next().unwrap().split_whitespace().map(|home| home.rsplit_once(':').unwrap());
            let theirs: BTreeMap<_, _> = theirs.map(|(of, home)| (of.to_owned(), home.to_owned())).collect();
            let ours = homes(&mapped.info, arguments(&session, *token));
            if ours.keys().ne(theirs.keys()) {
                wrong.push(format!("{} {token}: {ours:?} {theirs:?}", path.display()));
            }
            for (of, home) in ours {
                match theirs.get(&of) {
                    Some(their) if *their == home && home != "?" => equal += 1,
                    Some(their) if their == "?" => unsaid += 1,
                    their => wrong.push(format!("{} {token} {of}: {home} {their:?}", path.display())),
                }
            }
        }
    }
    println!("{equal} homes are equal, of {unsaid} the debugger says nothing, {} differ", wrong.len());
    assert!(equal > 0 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_body_without_a_map_is_not_known() {
    let sample = |extension: &str| repository(&format!("assets/samples/ticker/Ticker.{extension}"));
    let mut map = NativeMap::read(&std::fs::read(sample("nettrace")).unwrap()).unwrap();
    let since = map.methods.iter_mut().find(|body| body.token == Token(0x0600_0003)).unwrap();
    since.bounds.clear();
    let (token, address) = (since.token, since.address);
    let session = Session::open(&[sample("dll")]).unwrap();
    recorded::attach(&session, map).unwrap();
    for il in [0, 0xb] {
        let [answer] = native_where(&session, token, il).try_into().unwrap();
        let said = sentence(&answer, il);
        assert_eq!((answer.accepted, said.as_str()), (None, "not known: no map of this body is at hand"));
    }
    for asked in [format!("{address:#x}"), "Clock.Since+native:0x4b".to_owned()] {
        let error = parse_native(&session, &asked).unwrap().unwrap_err().to_string();
        assert!(error.ends_with("its IL offset is not known, because the body has no map"), "{error}");
    }
    let rows = nodes::rows(&session, format!("method/{token}/native").parse().unwrap());
    let texts: Vec<_> = rows.unwrap().iter().map(|row| row.cells[3].text.clone()).collect();
    assert_eq!(texts, ["no map"]);
}
