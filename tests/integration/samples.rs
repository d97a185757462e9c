//! `points --samples`: profiles counted at statements. The profiles are of one run of a program with a hot loop (assets/build/samples.sh).

use std::fmt::Write as _;
use std::path::Path;

use pdblens_query::samples::{Elsewhere, Recording, Samples};
use pdblens_session::session::Session;
use serde_json::Value;

use crate::live::{folder as folder_of_core, line_in, pdblens, stdout};
use crate::support::folder::Folder;
use crate::support::samples::repository;

/// The statement that most of the time is spent in, and its line.
const HOT: &str = "value = value % 1000003 * 31 % 99991 / 7;";

fn golden(name: &str) -> std::path::PathBuf {
    repository(&format!("tests/golden/samples/{name}"))
}

fn line_of(statement: &str) -> u32 {
    u32::try_from(line_in("../sources/hot/Hot.cs", statement)).unwrap()
}

/// Samples of a profile, all of which are either at a point or elsewhere.
fn samples(profile: &Path, map: Option<&Path>, session: &Session) -> Samples {
    let samples = Recording::open(profile, map).unwrap().samples(session).unwrap();
    let at_points: u64 = samples.points.iter().map(|point| point.count.samples).sum();
    let elsewhere: u64 = samples.elsewhere.iter().map(|of| of.samples).sum();
    assert_eq!(at_points + elsewhere, samples.samples);
    assert!(samples.elsewhere.is_sorted_by_key(|of| std::cmp::Reverse(of.samples)), "{:?}", samples.elsewhere);
    samples
}

fn elsewhere(samples: &Samples, why: Elsewhere) -> u64 {
    samples.elsewhere.iter().find(|of| of.why == why).map_or(0, |of| of.samples)
}

/// Two profilers of one run name the same statement: the sampler of the runtime, and perf by the map of the other profile.
#[test]
fn the_hot_statement_comes_first() {
    let session = Session::open(&[golden("hot.dll")]).unwrap();
    for (profile, map) in [("hot.nettrace", None), ("hot.perf", Some(golden("hot.nettrace")))] {
        let mut found = samples(&golden(profile), map.as_deref(), &session);
        found.add_statements(&session);
        let hot = &found.points[0];
        let statement = hot.statement.as_ref().map(|found| found.text.as_str());
        assert_eq!((hot.line, statement), (Some(line_of(HOT)), Some(HOT)), "{profile}");
        assert!(2 * hot.count.samples > found.samples, "{profile}: {hot:?}");
        // Its caller has all of it, in the call before the return address, and nothing itself.
        let call = found.points.iter().find(|point| point.line == Some(line_of("sum += Mix(20000);"))).unwrap();
        assert!(call.count.samples == 0 && call.count.total >= hot.count.total, "{profile}: {call:?}");
        let of_mix: u64 = found
            .points
            .iter()
            .filter(|point| point.method.name.contains("Mix"))
            .map(|point| point.count.samples)
            .sum();
        assert_eq!(found.methods[0].count.samples, of_mix, "{profile}");
        let line = found.of_document(found.lines[0].row).next().unwrap();
        assert_eq!((line.line, line.count), (line_of(HOT), hot.count), "{profile}");
    }
}

/// By the names that perf has from the map of .NET, each method has the samples that it has by addresses.
#[test]
fn names_alone_count_methods() {
    let session = Session::open(&[golden("hot.dll")]).unwrap();
    let by_name = samples(&golden("hot.perf"), None, &session);
    let by_address = samples(&golden("hot.perf"), Some(&golden("hot.nettrace")), &session);
    assert!(by_name.points.is_empty() && !by_name.methods.is_empty());
    assert_eq!(by_name.methods, by_address.methods);
    assert_eq!(
        elsewhere(&by_name, Elsewhere::WithoutIl),
        by_name.methods.iter().map(|of| of.count.samples).sum::<u64>()
    );
    assert_eq!(elsewhere(&by_name, Elsewhere::Native), elsewhere(&by_address, Elsewhere::Native));
    // The same names in a map for perf, of a profile that has addresses alone.
    let folder = Folder::new();
    let perf = std::fs::read_to_string(golden("hot.perf")).unwrap();
    let (mut map, mut bare) = (String::new(), String::new());
    for line in perf.lines() {
        let managed = line.trim().split_once(' ').filter(|(_, rest)| rest.contains("/tmp/perf-"));
        let Some((address, rest)) = managed else {
            writeln!(bare, "{line}").unwrap();
            continue;
        };
        let (name, offset) = rest.rsplit_once(" (").unwrap().0.rsplit_once("+0x").unwrap();
        let number = |text| u64::from_str_radix(text, 16).unwrap();
        writeln!(map, "{:x} 100 {name}", number(address) - number(offset)).unwrap();
        writeln!(bare, "\t{address} [unknown] ([unknown])").unwrap();
    }
    let (map, bare) = (folder.write("perf-7.map", map), folder.write("bare.txt", bare));
    assert_eq!(samples(&bare, Some(&map), &session).methods, by_name.methods);
    assert!(samples(&bare, None, &session).methods.is_empty());
}

/// Names as several tools write them; each is one sample more than the one before.
#[test]
fn names_are_read_as_tools_write_them() {
    let session = Session::open(&[golden("hot.dll")]).unwrap();
    let folder = Folder::new();
    let text = "[hot] Hot.Program::Main(string[]);int64 [hot] Hot.Program::Mix(int32)[Tier0] 1\n\
        dotnet;hot!Hot.Program.Main(class System.String[]);hot.dll!Hot.Program.Text(int32) 2\n\
        Hot.Program.Text 4\n\
        void [System.Private.CoreLib] System.Text.StringBuilder::Append(char)[PreJIT] 8\n\
        Hot.Program.Main;start_thread 16\n\
        int64 [hot] Hot.Program::Mix 32\n";
    let found = samples(&folder.write("stacks.txt", text), None, &session);
    let methods: Vec<_> =
        found.methods.iter().map(|of| (of.method.name.as_str(), of.count.samples, of.count.total)).collect();
    assert_eq!(
        methods,
        [("Hot.Program.Mix(int)", 33, 33), ("Hot.Program.Text(int)", 6, 6), ("Hot.Program.Main(string[])", 0, 19)]
    );
    assert_eq!((elsewhere(&found, Elsewhere::OtherModules), elsewhere(&found, Elsewhere::NotKnown)), (8, 16));
}

/// Addresses in the memory of a core: as they are, and as the offsets in the file that perf of some versions prints.
#[test]
fn a_core_has_the_addresses_of_a_profile() {
    let folder = folder_of_core();
    let json = |words: &[&str]| serde_json::from_str::<Value>(&stdout(&pdblens(&folder, words))).unwrap();
    let methods = json(&["live", "deadlock.core", "methods", "--json"]);
    let post = methods["methods"].as_array().unwrap().iter().find(|of| of["name"] == "Ledger.Post()").unwrap();
    let (start, size) = (post["address"].as_u64().unwrap(), post["size"].as_u64().unwrap());
    let sample = |frames: &str| format!("app 7 1.5: 1 cycles:u: \n{frames}\n\n");
    // The first address of an offset; as a return address, it belongs to the code before it.
    let address = |il: u64| {
        let at = |address: &u64| json(&["live", "deadlock.core", &format!("{address:#x}"), "--json"])["il"] == il;
        (start..start + size).find(at).unwrap()
    };
    let ils = post["il"].as_array().unwrap();
    let (second, third) = (ils[1].as_u64().unwrap(), ils[2].as_u64().unwrap());
    let text = [
        sample(&format!("\t{:x} x ([unknown])", address(second))),
        sample(&format!("\t10 read+0x3 (/lib/libc.so.6)\n\t{:x} [unknown] (//anon)", address(third))),
    ];
    folder.write("perf.txt", text.concat());
    let found = json(&["points", "Deadlock.dll", "--samples", "perf.txt", "--native=deadlock.core", "--json"]);
    let found = &found["pairs"][0];
    assert_eq!((&found["samples"], &found["elsewhere"][0]["why"]), (&2.into(), &"native".into()), "{found}");
    let [point] = found["points"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!((&point["samples"], &point["total"]), (&1.into(), &2.into()), "{found}");
    // Another program.
    folder.write("Hot.dll", std::fs::read(golden("hot.dll")).unwrap());
    let other = pdblens(&folder, &["points", "Hot.dll", "--samples", "perf.txt", "--native=live:deadlock.core"]);
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(other.status.code() == Some(3) && said.contains("has not loaded this build"), "{said}");
}

#[test]
fn the_command_prints_the_hottest_first_and_counts_the_rest() {
    let folder = Folder::new();
    for name in ["hot.dll", "hot.nettrace", "hot.perf"] {
        folder.write(name, std::fs::read(golden(name)).unwrap());
    }
    let output = pdblens(&folder, &["points", "hot.dll", "--samples", "hot.nettrace"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("samples are at points · ") && said.contains(" in native code"), "{said}");
    let printed = stdout(&output);
    let first = printed.lines().nth(1).unwrap();
    assert!(first.contains(&format!("Hot.cs:{}", line_of(HOT))) && first.ends_with(HOT), "{printed}");
    let of_methods = stdout(&pdblens(&folder, &["points", "hot.dll", "--samples", "hot.perf"]));
    assert!(of_methods.lines().nth(1).unwrap().ends_with("Hot.Program.Mix(int)"), "{of_methods}");
    folder.write("text.txt", "no profile\n");
    let trace = std::fs::read(repository("assets/samples/ticker/Ticker.nettrace")).unwrap();
    folder.write("none.nettrace", trace);
    for (words, code, why) in [
        (&["points", "hot.dll", "--samples", "text.txt"][..], 3, "no profile: the text of perf script"),
        (&["points", "hot.dll", "--samples", "none.nettrace"], 3, "the trace has no samples"),
        (&["points", "hot.dll", "--samples", "hot.perf", "--native=none.nettrace"], 3, "has the id of this PDB"),
        (&["points", "hot.dll", "--samples", "hot.perf", "--native=hot.dll"], 3, "map for perf"),
        (&["points", "hot.dll", "--samples", "not.here"], 1, "not.here: "),
        (&["points", "hot.dll", "--samples", "hot.perf", "--native=not.here"], 1, "not.here: "),
    ] {
        let output = pdblens(&folder, words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && said.contains(why), "{words:?}: {said}");
    }
}

/// Profiles that are cut, or whose bytes are changed: each answer is whole, or an error.
#[test]
fn damaged_profiles_are_counted_as_far_as_they_go() {
    let session = Session::open(&[golden("hot.dll")]).unwrap();
    let folder = Folder::new();
    let mut answers = 0;
    for name in ["hot.nettrace", "hot.perf"] {
        let whole = std::fs::read(golden(name)).unwrap();
        for step in 0..200_usize {
            let mut bytes = whole.clone();
            let at = step * whole.len() / 200;
            if step.is_multiple_of(2) {
                bytes.truncate(at);
            } else {
                bytes[at] ^= 1 << (step % 7);
            }
            let profile = folder.write("profile", bytes);
            let Ok(recording) = Recording::open(&profile, Some(&golden("hot.nettrace"))) else { continue };
            answers += u32::from(recording.samples(&session).is_ok());
        }
    }
    assert!(answers > 200, "{answers}");
}
