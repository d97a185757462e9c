//! Work grows with the size of a file, counted in instructions by valgrind.
//!
//! Each command is run on files of one, two and four times the size. What every run costs drops out of the differences: the step from two
//! to four is twice the step from one to two if the work is linear, and four times if it is quadratic. Without valgrind there is nothing
//! to count. The plain run asks for the coverage, which opens everything and asks for all rows; the thorough run checks, dumps and lists
//! them too.

use std::path::Path;
use std::process::{Command, Stdio};

use super::growth::{long_streams, mdb_of, shared_lists};
use super::images::{Image, debug_entries, exports, imports, relocations};
use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::synth::tables::METHOD_DEF;
use crate::support::synth::{Pair, Recipe, is_thorough, names, native::Native, repeated};

/// Files of a command, the first of which is named.
type Files = Vec<(&'static str, Vec<u8>)>;

/// Name, smallest size, and writer of files that grow in one way.
type Kind = (&'static str, u32, fn(u32) -> Files);

/// Writer of a text that grows.
type Text<'t> = &'t dyn Fn(u32) -> String;

/// Commands with a file, which is `F`.
const COMMANDS: [&[&str]; 4] = [&["info", "--coverage", "F"], &["check", "F"], &["dump", "F"], &["list", "F"]];

/// Instructions of a command; `None` where valgrind is not at hand.
fn instructions(words: &[&str], file: &Path) -> Option<u64> {
    let words = words.iter().map(|word| if *word == "F" { file.as_os_str() } else { word.as_ref() });
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    valgrind.arg(env!("CARGO_BIN_EXE_pdblens")).args(words).stdin(Stdio::null()).stdout(Stdio::null());
    let said = String::from_utf8_lossy(&valgrind.output().ok()?.stderr).into_owned();
    assert!(!said.contains("panicked") && !said.contains("Usage:"), "{}: {said}", file.display());
    let count = said.lines().find_map(|line| line.split_once("refs:"))?.1;
    count.trim().replace(',', "").parse().ok()
}

/// Returns whether the work of a command is linear in the size, or nearly so: sorting is. Tables of hashes double now and then.
fn is_linear(what: &str, costs: [u64; 3]) -> bool {
    let [first, second, third] = costs.map(|cost| cost as f64);
    let is_linear = third - second <= 2.2 * (second - first).max(0.0) + first / 20.0;
    let sign = if is_linear { "" } else { ": not linear" };
    eprintln!("{what}: {costs:?}, {:.2}{sign}", (third - second) / (second - first));
    is_linear
}

/// Puts the questions to files of three sizes.
fn each(kinds: &[Kind]) {
    let mut failed = Vec::new();
    for (name, size, write) in kinds {
        let folders = [1, 2, 4].map(|factor| {
            let folder = Folder::new();
            let files: Vec<_> =
                write(size * factor).into_iter().map(|(name, bytes)| folder.write(name, bytes)).collect();
            (folder, files)
        });
        let commands = if is_thorough() { &COMMANDS[..] } else { &COMMANDS[..1] };
        for words in commands {
            let costs = folders.each_ref().map(|(_, files)| instructions(words, &files[0]));
            let [Some(first), Some(second), Some(third)] = costs else {
                eprintln!("skipped: valgrind counts nothing");
                return;
            };
            let what = format!("{name}: {}", words.join(" "));
            if !is_linear(&what, [first, second, third]) {
                failed.push(what);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Pair in which all methods share something, which grows with their number.
type Shared = (&'static str, fn(&Recipe) -> Pair);

const SHARED: [Shared; 4] = [
    ("shared points", repeated::shared_points),
    ("shared code", repeated::shared_code),
    ("a shared signature", repeated::shared_signature),
    ("a shared name", repeated::shared_names),
];

/// Questions about a pair, which is `F`: each is one that loops over methods, or one about a method. The document and the text, which take
/// minutes here, end where the texts of rows do.
const QUESTIONS: [&[&str]; 14] = [
    &["quality", "F"],
    &["check", "F"],
    &["points", "F"],
    &["methods", "F"],
    &["documents", "F"],
    &["sources", "F"],
    &["list", "F", "methods"],
    &["list", "F", "table/MethodDef"],
    &["list", "F", "method/0x06000002/il"],
    &["list", "F", "method/0x06000002/points"],
    &["where", "F", "0x06000002+1"],
    &["break", "F", "OrderController1.cs:35"],
    &["used-by", "F", "0x06000001"],
    &["diff", "E", "F"],
];

/// Instructions of a command, and the most bytes of heap that it had at once; `None` where valgrind is not at hand.
fn instructions_and_heap(words: &[&str], folder: &Folder) -> Option<[u64; 2]> {
    let profile = folder.path().join("massif.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=massif", "--time-unit=i", "--peak-inaccuracy=0.5"]);
    valgrind.arg(format!("--massif-out-file={}", profile.display())).arg(env!("CARGO_BIN_EXE_pdblens"));
    for word in words {
        match *word {
            "E" => valgrind.arg(folder.path().join("without/Synth.dll")),
            "F" => valgrind.arg(folder.path().join("with/Synth.dll")),
            word => valgrind.arg(word),
        };
    }
    let said = valgrind.stdin(Stdio::null()).stdout(Stdio::null()).output().ok()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!said.contains("panicked") && !said.contains("Usage:"), "{words:?}: {said}");
    let profile = std::fs::read_to_string(profile).ok()?;
    let most = |name: &str| profile.lines().filter_map(|line| line.strip_prefix(name)?.parse::<u64>().ok()).max();
    Some([most("time=")?, most("mem_heap_B=")?])
}

/// Three folders with pairs of growing size: with what is shared, and without.
fn shared_folders(write: fn(&Recipe) -> Pair) -> [Folder; 3] {
    [1, 2, 4].map(|factor| {
        let (folder, recipe) = (Folder::new(), Recipe::of(SHARED_METHODS * factor));
        for (name, pair) in [("with", write(&recipe)), ("without", recipe.pair())] {
            folder.write(&format!("{name}/Synth.dll"), pair.image);
            folder.write(&format!("{name}/Synth.pdb"), pair.pdb);
        }
        folder
    })
}

/// Number of methods of the smallest pair in which all share something: so many that most questions reach a limit.
const SHARED_METHODS: u32 = 400;

#[test]
fn what_rows_share_costs_once() {
    // All questions about all shapes take more than ten minutes: `PDBLENS_SHARED=1` asks them.
    let is_whole = std::env::var_os("PDBLENS_SHARED").is_some();
    let shapes = if is_thorough() || is_whole { &SHARED[..] } else { &SHARED[..1] };
    let questions = if is_whole { &QUESTIONS[..] } else { &QUESTIONS[..1] };
    let mut failed = Vec::new();
    for (name, write) in shapes {
        let folders = shared_folders(*write);
        for words in questions {
            let what = format!("{name}: {}", words.join(" "));
            let [Some(first), Some(second), Some(third)] =
                folders.each_ref().map(|folder| instructions_and_heap(words, folder))
            else {
                eprintln!("skipped: valgrind counts nothing");
                return;
            };
            eprintln!("{what}: {first:?} {second:?} {third:?}");
            // The smallest pair may be below the limits.
            for (unit, at) in [("instructions", 0), ("bytes of heap", 1)] {
                if third[at] as f64 > 2.2 * second[at] as f64 {
                    failed.push(format!("{what}: {}, {}, {} {unit}", first[at], second[at], third[at]));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn quadratic_work_is_not_linear() {
    let costs = |cost: fn(u64) -> u64| [10, 20, 40].map(|size| 1_000_000 + cost(size));
    assert!(is_linear("linear", costs(|size| 10_000 * size)));
    assert!(!is_linear("quadratic", costs(|size| 1000 * size * size)));
}

#[test]
fn symbol_files_cost_what_their_size_allows() {
    each(&[
        ("streams of metadata", 300, |count| vec![("S.pdb", long_streams(count))]),
        ("methods of a .mdb", 200, |count| vec![("S.exe.mdb", mdb_of(count, 1))]),
        ("points of one method of a .mdb", 200, |count| vec![("S.exe.mdb", mdb_of(1, count))]),
        ("methods of a .mdb that share data", 20, |count| vec![("S.exe.mdb", shared_lists(count))]),
        ("modules of a native PDB", 20, |modules| {
            vec![("S.pdb", Native { modules, functions: 2, lines: 2, seed: 1 }.pdb(4096))]
        }),
        ("functions of one module of a native PDB", 300, |functions| {
            vec![("S.pdb", Native { modules: 1, functions, lines: 2, seed: 1 }.pdb(4096))]
        }),
    ]);
}

#[test]
fn images_and_archives_cost_what_their_size_allows() {
    each(&[
        ("sections", 200, |sections| vec![("S.dll", Image { sections, ..Image::default() }.write())]),
        ("blocks of relocations", 200, |count| vec![("S.dll", relocations(count))]),
        ("imported DLLs", 200, |count| vec![("S.dll", imports(count))]),
        ("exports", 200, |count| vec![("S.dll", exports(count))]),
        ("debug directory entries", 100, |count| vec![("S.dll", debug_entries(count))]),
        ("entries of an archive", 100, |count| vec![("S.nupkg", super::images::archive(count, count))]),
        ("entries of an archive that share data", 100, |count| vec![("S.nupkg", super::images::archive(count, 1))]),
    ]);
}

/// A trace, or another text, whose parts grow.
#[test]
fn texts_cost_what_their_size_allows() {
    let (folder, sample) = (Folder::new(), repository("assets/samples/ticker/Ticker.dll"));
    let sample = sample.to_str().unwrap();
    let mut overloads = Recipe::of(300).pair();
    let table = overloads.image_at.tables.table(METHOD_DEF).clone();
    let root = &mut overloads.image[overloads.image_at.metadata.clone()];
    for row in 3..=table.rows {
        root.copy_within(table.cell(2, 3), table.cell(row, 3).start);
    }
    let overloads = folder.write("Synth.dll", overloads.image);
    let (overloads, recipe) = (overloads.to_str().unwrap(), Recipe::of(300));
    let overloaded = format!("{}.{}", names::full_type_name(&recipe, 1, "."), names::method_name(&recipe, 2));
    let repeat = |text: &str, count: u32| text.repeat(count as usize);
    let frames = |name: &str, count| {
        let frames: Vec<String> = (0..count).map(|at| format!("   at {name}(Int32 p{at})\n")).collect();
        frames.concat()
    };
    let texts: [(&str, &[&str], u32, Text<'_>); 6] = [
        ("frames of a trace", &["trace", sample, "F"], 100, &|count| {
            repeat("   at A.B() in Ticker.dll:token 0x6000002+0x5\n", count)
        }),
        ("frames of one overloaded method", &["trace", overloads, "F"], 50, &|count| frames(&overloaded, count)),
        ("parts of a name in a trace", &["trace", sample, "F"], 500, &|count| {
            format!("   at {}C()\n", repeat("A.", count))
        }),
        ("nested types of a frame", &["trace", sample, "F"], 500, &|count| {
            format!("   at A.B({}Int32{})\n", repeat("L`1[", count), repeat("]", count))
        }),
        ("nested JSON around a trace", &["trace", sample, "F"], 500, &|count| {
            format!("{}\"   at A.B()\"{}\n", repeat("[", count), repeat("]", count))
        }),
        ("a trace in one line", &["trace", sample, "F"], 200, &|count| repeat("at A.B() in C.cs:line 3 ", count)),
    ];
    for (name, words, size, text) in texts {
        let costs = [1, 2, 4].map(|factor| instructions(words, &folder.write("text.txt", text(size * factor))));
        if let [Some(first), Some(second), Some(third)] = costs {
            assert!(is_linear(name, [first, second, third]), "{name}");
        }
    }
    let nested: &dyn Fn(u32) -> [String; 3] =
        &|count| ["decode".to_owned(), "signature".to_owned(), format!("20{}08", repeat("1d", count))];
    let parts: &dyn Fn(u32) -> [String; 3] =
        &|count| ["show".to_owned(), sample.to_owned(), format!("method/{}", repeat("1/", count))];
    for (name, words) in [("nested types of a signature", nested), ("parts of a place", parts)] {
        let cost = |factor: u32| instructions(&words(400 * factor).each_ref().map(String::as_str), Path::new(""));
        if let [Some(first), Some(second), Some(third)] = [1, 2, 4].map(cost) {
            assert!(is_linear(name, [first, second, third]), "{name}");
        }
    }
    // A place of more than 4 KB is refused.
    let (nested, place) = (format!("20{}08", repeat("1d", 1200)), format!("method/{}", repeat("1/", 3000)));
    for words in [&["decode", "signature", &nested][..], &["show", sample, &place]] {
        assert!(instructions(words, Path::new("")).is_none_or(|count| count < 100_000_000), "{words:?}");
    }
}
