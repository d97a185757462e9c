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
use crate::memory::usage;
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

/// Questions about a pair, which is `F`; `E` is one of the same size in which nothing is shared, `T` a trace.
const QUESTIONS: [&str; 24] = [
    "quality F",
    "check F",
    "points F",
    "methods F",
    "documents F",
    "sources F",
    "list F methods",
    "list F places",
    "list F table/MethodDef",
    "list F method/0x06000002/il",
    "list F method/0x06000002/points",
    "show F method/0x06000002",
    "where F 0x06000002+1",
    "break F OrderController1.cs:35",
    "used-by F 0x06000001",
    "diff E F",
    "info F",
    "info --coverage F",
    "dump F",
    "trace F T",
    "explain F 0x06000002",
    "learn F",
    "find F",
    "srcsrv F",
];

/// Number of methods of the smaller pair in which all share something: so many that most questions reach a limit.
const SHARED_METHODS: u32 = 800;
/// Seconds and bytes that a command may always take.
const ALWAYS: (f64, u64) = (0.1, 8 << 20);
/// Measurements of both pairs before their instructions are counted.
const MAX_ROUNDS: u32 = 4;

/// Folders with pairs of one and two times a size: with what is shared, and without.
fn shared_folders(write: fn(&Recipe) -> Pair) -> [Folder; 2] {
    [1, 2].map(|factor| {
        let (folder, recipe) = (Folder::new(), Recipe::of(SHARED_METHODS * factor));
        for (name, pair) in [("F", write(&recipe)), ("E", recipe.pair())] {
            folder.write(&format!("{name}/Synth.dll"), pair.image);
            folder.write(&format!("{name}/Synth.pdb"), pair.pdb);
        }
        folder.write("T", "   at A.B() in Synth.dll:token 0x6000002+0x1\n");
        folder
    })
}

/// Returns whether the answer about twice as much takes at most 2.2 times the work and memory; `None` where nothing measures it. The clock
/// looks first, since other processes make it slow, but never fast; valgrind decides where it is at hand.
fn costs_once(what: &str, words: &[&str], [small, large]: &[Folder; 2], idle: u64) -> Option<bool> {
    let (mut once, mut twice) = ((f64::MAX, u64::MAX), (f64::MAX, u64::MAX));
    let bound = |once: f64, always: f64| (2.2 * once).max(always);
    for _ in 0..MAX_ROUNDS {
        for (folder, best) in [(small, &mut once), (large, &mut twice)] {
            let (seconds, bytes) = usage(folder.path(), words)?;
            *best = (best.0.min(seconds), best.1.min(bytes.saturating_sub(idle)));
        }
        if twice.0 <= bound(once.0, ALWAYS.0) && twice.1 as f64 <= bound(once.1 as f64, ALWAYS.1 as f64) {
            return Some(true);
        }
    }
    let counted = [small, large].map(|folder| {
        let at = |word: &&str| {
            if word.len() == 1 || word.ends_with("dll") {
                folder.path().join(word).display().to_string()
            } else {
                (*word).to_owned()
            }
        };
        let words: Vec<String> = words.iter().map(at).collect();
        instructions(&words.iter().map(String::as_str).collect::<Vec<_>>(), folder.path())
    });
    eprintln!("{what}: {once:?} and {twice:?}, {counted:?} instructions");
    let [Some(one), Some(two)] = counted else { return Some(false) };
    Some(two as f64 <= 2.2 * one as f64 && twice.1 as f64 <= bound(once.1 as f64, ALWAYS.1 as f64))
}

/// Puts all questions to pairs of one shape.
fn share(shape: &str, write: fn(&Recipe) -> Pair) {
    let folders = shared_folders(write);
    let Some((_, idle)) = usage(folders[0].path(), &["--version"]) else {
        eprintln!("skipped: no python3");
        return;
    };
    let mut failed = Vec::new();
    for question in QUESTIONS {
        let words: Vec<&str> = question
            .split(' ')
            .map(|word| match word {
                "E" => "E/Synth.dll",
                "F" => "F/Synth.dll",
                word => word,
            })
            .collect();
        if costs_once(&format!("{shape}: {question}"), &words, &folders, idle) == Some(false) {
            failed.push(question);
        }
    }
    assert!(failed.is_empty(), "{shape}: {failed:#?}");
}

#[test]
fn what_rows_share_costs_once() {
    // The others take minutes without optimisation.
    let is_asked = |shape: &str| is_thorough() || shape == "a signature";
    for (shape, write) in repeated::SHARED {
        if is_asked(shape) {
            share(shape, write);
        }
    }
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
