//! ReadyToRun images: machine code that a writer adds to a sample, and frameworks in the folders that `PDBLENS_R2R` names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::support::folder::Folder;
use crate::support::precompiled::{Precompiled, clock, component, composite, precompile};
use crate::support::samples::repository;
use pdblens::nodes::rows::Rows;
use pdblens::nodes::{self, MethodPart, Place, R2rPart, Token};
use pdblens::query::address::parse_native;
use pdblens::query::coverage::coverage;
use pdblens::query::native_where::{at_address, native_where, not_compiled, sentence};
use pdblens::query::quality::{Survival, quality};
use pdblens::session::Session;
use pdblens::source::SourceOptions;
use pdblens::trace::{Outcome, Sink, Told, Tracer};
use pdblens_session::code_image;

/// `Clock.Since`, whose points are at 0, 1, 7, 0xb and 0x18.
const SINCE: Token = Token(0x0600_0003);
/// Address of the first body of the added section.
const FIRST: u32 = 0x10110;

fn ticker(extension: &str) -> (PathBuf, Vec<u8>) {
    let path = repository(&format!("assets/samples/ticker/Ticker.{extension}"));
    (path.clone(), std::fs::read(path).unwrap())
}

/// Code of a size: a frame, and nothing in it.
fn code(len: usize) -> Vec<u8> {
    let mut code = vec![0x90; len];
    code[..4].copy_from_slice(&[0x55, 0x48, 0x8b, 0xec]);
    code[len - 2..].copy_from_slice(&[0x5d, 0xc3]);
    code
}

/// `Main` with a funclet, and `Since`, whose machine code has one point twice, two at one address, and one not at all.
fn methods() -> Vec<Precompiled> {
    let main = Precompiled {
        row: 1,
        fragments: vec![code(0x20), code(0x18)],
        bounds: vec![[0, 1, 2], [4, 3, 2], [0x20, 3 + 5, 2], [0x36, 0, 2]],
        variables: vec![(0, 0, 4, vec![0, 7])],
    };
    let since = Precompiled {
        row: 3,
        fragments: vec![code(0x40)],
        bounds: vec![
            [0, 1, 2],
            [4, 3, 2],
            [8, 3 + 1, 2],
            [8, 3 + 7, 2],
            [0x10, 3 + 0xb, 2],
            [0x20, 3 + 0xb, 2],
            [0x28, 3 + 0x12, 1],
            [0x3e, 0, 2],
        ],
        variables: vec![(0, 0, 8, vec![0, 7]), (1, 0, 8, vec![0, 6]), (1, 8, 0x38, vec![3, 5, 0x91])],
    };
    vec![main, since]
}

fn session_of(major: u16) -> Session {
    let (path, image) = ticker("dll");
    Session::from_bytes(vec![(path, precompile(&image, major, &methods())), ticker("pdb")]).unwrap()
}

fn texts(rows: &Rows<'_>) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect()
}

fn rows(session: &Session, place: &str) -> Vec<Vec<String>> {
    texts(&nodes::rows(session, place.parse().unwrap()).unwrap())
}

#[test]
fn an_il_offset_leads_to_its_addresses() {
    for major in [3, 10].into_iter().chain(16..=25) {
        let session = session_of(major);
        // A later version than those that are known is named, and read as the last one.
        let line = nodes::r2r::line(&session).unwrap();
        assert_eq!(line.starts_with("25.0 (later than 24, as which it is read) for"), major == 25, "{line}");
        // Of later versions than that of .NET 10, and of composite images, no file was compared with the runtime.
        let note =
            rows(&session, "overview").into_iter().find(|row| row[0] == "not compared").map(|row| row[1].clone());
        let expected = format!(
            "ReadyToRun {major}.0: read by the description of the format alone; no real file of it was compared"
        );
        assert_eq!(note, (major > 16).then_some(expected));
        let since = nodes::method::native::bodies(&session, SINCE)[0].body.rva();
        let at = |il: u32| native_where(&session, SINCE, il).remove(0);
        let addresses = |il: u32| at(il).addresses.iter().map(|range| range.rva - since).collect::<Vec<_>>();
        assert_eq!((addresses(1), addresses(7)), (vec![8], vec![8]));
        assert_eq!((addresses(0xb), at(0xb).accepted), (vec![0x10, 0x20], Some(true)));
        let refused = at(0x18);
        assert_eq!((refused.accepted, refused.before.unwrap().il, refused.after), (Some(false), 0x12, None));
        assert!(sentence(&refused, 0x18).starts_with("refused (0x80131345)"), "{}", sentence(&refused, 0x18));
        assert_eq!(native_where(&session, Token(0x0600_0002), 0), []);
    }
}

/// A component and the composite image with its code and that of another assembly.
fn composite_pair(other_build: bool) -> [Vec<u8>; 2] {
    let (path, image) = ticker("dll");
    let mut mvid = Session::open(&[path]).unwrap().image().unwrap().mvid().unwrap();
    mvid.0[0] ^= u8::from(other_build);
    let assemblies = [("Other", [7; 16], methods()), ("Ticker", mvid.0, methods())];
    [component(&image, 16, "all.r2r.dll"), composite(&image, 16, &assemblies)]
}

#[test]
fn a_component_has_the_code_of_the_composite_image_beside_it() {
    let folder = Folder::new();
    let [component, composite] = composite_pair(false);
    let path = folder.write("Ticker.dll", component);
    folder.write("Ticker.pdb", ticker("pdb").1);
    let open = || Session::open(std::slice::from_ref(&path)).unwrap();
    let alone = open();
    assert_eq!(native_where(&alone, SINCE, 1), []);
    assert!(not_compiled(&alone).ends_with("Ticker.dll is in all.r2r.dll, which is not beside it"));
    let survival = |session: &Session| quality(session, &SourceOptions::default()).unwrap().counts.survival;
    assert_eq!(survival(&alone), None);

    let whole = folder.write("all.r2r.dll", &composite);
    let session = open();
    assert_eq!(code_image::missing(&session), None);
    let [answer] = native_where(&session, SINCE, 0xb).try_into().unwrap();
    let natives: Vec<u32> = answer.addresses.iter().map(|range| range.native).collect();
    assert_eq!((answer.accepted, natives), (Some(true), vec![0x10, 0x20]));
    // The other assembly has the same methods at lower addresses; a method ends where the next one begins.
    let at = |rva: u32| at_address(&session, rva).map(|found| (found.method, found.native, found.il));
    assert_eq!(at(answer.rva + 0x25), Some((SINCE, 0x25, 0xb)));
    assert_eq!((at(FIRST + 0x25), at(answer.rva + 0x40)), (None, None));
    assert_eq!(survival(&session), survival(&session_of(16)));

    let image = Session::open(std::slice::from_ref(&whole)).unwrap();
    assert_eq!(nodes::r2r::components(&image), ["Other", "Ticker"]);
    let line = nodes::r2r::line(&image).unwrap();
    assert_eq!(
        line,
        "16.0 for AMD64, Linux · composite image of 2 components: 4 methods precompiled, 0 instantiations"
    );
    let owners = rows(&image, "r2r/functions").into_iter().map(|row| row[4].clone()).collect::<Vec<_>>();
    assert_eq!(owners[..3], ["0x06000001 of Other", "0x06000001 of Other", "0x06000003 of Other"]);
    // The file of the IL alone takes it, too, where it is named.
    let plain = Session::open(&[ticker("dll").0]).unwrap();
    code_image::attach(&plain, &whole).unwrap();
    assert_eq!(native_where(&plain, SINCE, 0xb), [answer]);

    folder.write("all.r2r.dll", &composite_pair(true)[1]);
    assert!(not_compiled(&open()).contains("another build of Ticker"), "{}", not_compiled(&open()));
}

#[test]
fn damaged_composite_images_are_read_as_far_as_they_go() {
    let folder = Folder::new();
    let [component, composite] = composite_pair(false);
    let path = folder.write("Ticker.dll", component);
    let from = ticker("dll").1.len().next_multiple_of(0x200);
    let mut with_code = 0;
    for bit in (from * 8..composite.len() * 8).step_by(53) {
        let mut bytes = composite.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        folder.write("all.r2r.dll", bytes);
        let session = Session::open(std::slice::from_ref(&path)).unwrap();
        with_code += native_where(&session, SINCE, 1).len();
    }
    assert!(with_code > 100, "{with_code}");
}

#[test]
fn an_address_leads_to_its_il_offset_and_variables() {
    let session = session_of(16);
    let since = nodes::method::native::bodies(&session, SINCE)[0].body.rva();
    let inside = at_address(&session, since + 0x25).unwrap();
    assert_eq!((inside.method, inside.native, inside.il, inside.special), (SINCE, 0x25, 0xb, None));
    let variables: Vec<_> = inside.variables.iter().map(|one| format!("{} in {}", one.name, one.location)).collect();
    assert_eq!(variables, ["now in [rbp-0x48]"]);
    // A call instruction is no entry of a frame; the epilog belongs to the IL before it.
    assert_eq!(at_address(&session, since + 0x29).map(|found| found.il), Some(0xb));
    let epilog = at_address(&session, since + 0x3f).unwrap();
    assert_eq!((epilog.il, epilog.special), (0xb, Some("epilog")));
    assert_eq!(at_address(&session, since + 0x40), None);
    let funclet = at_address(&session, FIRST + 0x25).unwrap();
    assert_eq!((funclet.method, funclet.native, funclet.il), (Token(0x0600_0001), 0x25, 5));
    let parsed = parse_native(&session, "Clock.Since+native:0x25").unwrap().unwrap();
    assert_eq!(parsed, inside);
    let error = parse_native(&session, "rva:0x10").unwrap().unwrap_err().to_string();
    assert!(error.contains("no method has machine code at rva 0x10"), "{error}");
}

#[test]
fn machine_code_is_listed_with_il_and_source() {
    let session = session_of(16);
    let all = rows(&session, "method/Clock.Since/native".replace("Clock.Since", "0x06000003").as_str());
    let at = |offset: &str| all.iter().find(|row| row[1] == offset).unwrap().clone();
    assert_eq!(at("+0x0")[3..6], ["push", "rbp", "prolog"]);
    assert_eq!(at("+0x10")[5..7], ["IL_000b", "13:13–13:46"]);
    assert_eq!(at("+0x3e")[3..6], ["pop", "rbp", "epilog"]);
    let overview = rows(&session, "overview");
    let line = overview.iter().find(|row| row[0] == "ReadyToRun").unwrap();
    assert_eq!(line[1], "16.0 for AMD64, Linux · 2 of 3 methods precompiled, 0 instantiations");
    let owners = pdblens::query::owner::owner_at(&session, session.image().unwrap().space, offset(&session), None);
    assert!(owners.owners.iter().any(|owner| owner.place == Place::MethodPart(SINCE, MethodPart::Native)));
}

#[test]
fn frames_of_precompiled_code_have_lines() {
    let session = std::sync::Arc::new(session_of(16));
    let since = nodes::method::native::bodies(&session, SINCE)[0].body.rva();
    let perf = "int64 [Ticker] Ticker.Clock::Since(int64)";
    let outcomes = |session: &std::sync::Arc<Session>, text: &str| {
        let mut kept = Outcomes::default();
        Tracer::new(Vec::new()).with(session.clone()).run(text.as_bytes(), &mut kept).unwrap();
        kept.0
    };
    let within = since + 0x24;
    let text = format!(
        "Ticker!{within:#x}\n\nTicker.dll+{within:#x}\n\n7f00 {perf}[PreJIT]+0x24 (/tmp/perf-7.map)\n\n\
         01 0014f9a0 00401079 Ticker+{within:#x}\n"
    );
    let found = outcomes(&session, &text);
    assert_eq!(found.len(), 4);
    for outcome in &found {
        let Outcome::Resolved(found) = outcome else { panic!("{outcome:?}") };
        assert_eq!((found.line, found.offset.value()), (13, 0xb));
        let note = found.notes.iter().find(|note| note.reason == "precompiled").unwrap();
        assert!(note.text.ends_with("Ticker.Clock.Since(long), at IL_000b"), "{note:?}");
    }
    // A caller is at the address that its call returns to: the first byte after the call belongs to another entry.
    let caller = outcomes(&session, &format!("Ticker!{within:#x}\nTicker!{:#x}\n", since + 0x10));
    assert!(matches!(&caller[1], Outcome::Resolved(found) if found.offset.value() == 7), "{:?}", caller[1]);
    // Code that the JIT compiled is not that of the image.
    let jitted = outcomes(&session, &format!("7f00 {perf}[OptimizedTier1]+0x24\n7f00 {perf}[PreJIT]+0x41\n"));
    assert!(matches!(&jitted[0], Outcome::Candidates { refusal, .. } if refusal.cause.word() == "machine-code"));
    assert!(matches!(&jitted[1], Outcome::No(refusal) if refusal.cause.word() == "no-method"), "{:?}", jitted[1]);
    // Without symbols the method and its IL offset are known.
    let (path, image) = ticker("dll");
    let alone = Session::from_bytes(vec![(path, precompile(&image, 16, &methods()))]).unwrap();
    let refused = outcomes(&std::sync::Arc::new(alone), &format!("Ticker!{within:#x}\n"));
    let Outcome::Candidates { found, refusal } = &refused[0] else { panic!("{refused:?}") };
    let only = serde_json::to_value(found).unwrap();
    assert_eq!((found.len(), &only[0]["at"]["il"]), (1, &11.into()), "{only}");
    assert!(refusal.reason.ends_with("is of Ticker.Clock.Since(long), at IL_000b"), "{refusal:?}");
}

/// Outcomes of the frames of a trace.
#[derive(Default)]
struct Outcomes(Vec<Outcome>);

impl Sink for Outcomes {
    fn text(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> std::io::Result<()> {
        self.0.push(told.outcome.clone());
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// File offset of the first byte of `Clock.Since`.
fn offset(session: &Session) -> u64 {
    let rva = nodes::method::native::bodies(session, SINCE)[0].body.rva();
    session.image().unwrap().pe.rva_to_offset(rva).unwrap()
}

/// Places of the tables, and those that their lists lead to.
fn places(session: &Session) -> Vec<Place> {
    use R2rPart::{DebugInfos, EntryPoints, Functions, Imports, Instances, Types};
    let mut all = vec![Place::ReadyToRun, Place::MethodPart(SINCE, MethodPart::Native)];
    all.extend([EntryPoints, Functions, DebugInfos, Imports, Instances, Types].map(Place::R2r));
    let listed = all.clone();
    for place in listed {
        all.extend(nodes::rows(session, place).iter().flat_map(Rows::iter).filter_map(|row| row.place));
    }
    all
}

#[test]
fn every_record_is_explained_and_has_its_path() {
    let session = session_of(16);
    let mut records = 0;
    for place in places(&session) {
        assert_eq!(place.to_string().parse(), Ok(place));
        let Some(fields) = nodes::fields(&session, place) else { continue };
        assert!(fields.error.is_none(), "{place}: {:?}", fields.error);
        for row in &fields.rows {
            assert!(!row.about.is_empty() || row.name == "machine code", "{place}: {}", row.name);
        }
        records += 1;
    }
    assert!(records > 20, "{records}");
    let image = &coverage(&session)[0];
    assert!(image.share() > 9_800, "{:?}", image.summary());
}

#[test]
fn damaged_tables_are_read_as_far_as_they_go() {
    let (path, image) = ticker("dll");
    let whole = precompile(&image, 16, &methods());
    let from = image.len().next_multiple_of(0x200);
    let mut opened = 0;
    for bit in (from * 8..whole.len() * 8).step_by(29) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(session) = Session::from_bytes(vec![(path.clone(), bytes)]) else { continue };
        opened += 1;
        for place in places(&session) {
            let _ = nodes::fields(&session, place);
        }
        let _ = native_where(&session, SINCE, 1);
    }
    for len in (from..whole.len()).step_by(37) {
        let session = Session::from_bytes(vec![(path.clone(), whole[..len].to_vec())]).unwrap();
        places(&session);
    }
    assert!(opened > 100, "{opened}");
}

/// `UPDATE_ASSETS=1` writes the sample of lesson 13.
#[test]
fn the_sample_of_the_lesson_on_machine_code_is_what_the_writer_makes() {
    let path = repository("crates/learn/assets/precompiled/Ticker.dll");
    let image = precompile(&ticker("dll").1, 16, &clock());
    if std::env::var_os("UPDATE_ASSETS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &image).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == image, "run this test with UPDATE_ASSETS=1");
}

/// Images below the folders of `PDBLENS_R2R`, by name; of several of one name the first.
pub fn frameworks() -> HashMap<String, PathBuf> {
    fn add(folder: &Path, images: &mut HashMap<String, PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                add(&path, images);
            } else if path.extension().is_some_and(|extension| extension == "dll") {
                images.entry(path.file_stem().unwrap().to_string_lossy().into_owned()).or_insert(path);
            }
        }
    }
    let mut images = HashMap::new();
    if let Ok(folders) = std::env::var("PDBLENS_R2R") {
        std::env::split_paths(&folders).for_each(|folder| add(&folder, &mut images));
    }
    if images.is_empty() {
        eprintln!("skipped: PDBLENS_R2R names no folder of .NET 10.0.12 for x64 Linux");
    }
    images
}

/// `assets/build/frames.sh` has the frames of exceptions as the runtime (.NET 10.0.12, x64 Linux) sees them.
#[test]
fn frames_have_the_il_offset_that_the_runtime_gives_them() {
    let images = frameworks();
    if images.is_empty() {
        return;
    }
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let (mut equal, mut compiled, mut other) = (0, 0, Vec::new());
    let mut sessions: HashMap<String, Session> = HashMap::new();
    for line in std::fs::read_to_string(repository("tests/golden/r2r/frames.tsv")).unwrap().lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let session = sessions.entry(cells[0].to_owned()).or_insert_with(|| {
            Session::from_bytes(vec![(images[cells[0]].clone(), std::fs::read(&images[cells[0]]).unwrap())]).unwrap()
        });
        let (token, native, il) = (Token(number(cells[1])), number(cells[2]), number(cells[3]));
        // The runtime compiles a method itself whose code the image has not.
        let found: Vec<u32> = nodes::method::native::bodies(session, token)
            .iter()
            .filter_map(|mapped| mapped.body.rva_of(native))
            .collect();
        if found.is_empty() {
            compiled += 1;
        } else if found.iter().filter_map(|rva| at_address(session, *rva)).any(|found| found.il == il) {
            equal += 1;
        } else {
            other.push(line.to_owned());
        }
    }
    assert!(
        other.is_empty() && (equal, compiled) == (68, 15),
        "{equal} equal, {compiled} compiled, other:\n{}",
        other.join("\n")
    );
}

#[test]
fn quality_counts_the_points_that_machine_code_keeps() {
    let session = session_of(16);
    let quality = |session: &Session| quality(session, &SourceOptions::default());
    let found = quality(&session).unwrap();
    let sum = found.counts;
    let since = found.methods_with_il.iter().find(|quality| quality.method.token == SINCE).unwrap();
    assert_eq!(since.refused.iter().map(|point| point.il).collect::<Vec<_>>(), [0x18]);
    let survival = Survival { stops: 1, several: 1, shared: 2, refused: 1, ..Survival::default() };
    assert_eq!(since.counts.survival, Some(survival));
    assert_eq!((since.counts.il_visible, since.counts.il_hidden, since.counts.il_without_points), (0x1a, 0, 0));
    assert_eq!((since.counts.locals, since.counts.locals_named), (3, 2));
    // The method in row 2 has one point, and no machine code.
    let survival = sum.survival.unwrap();
    let points = survival.stops + survival.several + survival.shared + survival.refused + survival.not_compiled;
    assert_eq!((survival.not_compiled, points), (1, sum.points_visible));
    let plain = Session::open(&[ticker("dll").0]).unwrap();
    let found = quality(&plain).unwrap();
    let sum = found.counts;
    assert_eq!((sum.methods, sum.methods_with_points, sum.survival), (3, 3, None));
    // The sources of the sample are built in.
    let lines = (found.sources.lines, found.sources.lines_with_points);
    assert_eq!((found.sources.documents_verified, lines.0 == lines.1, lines.0 > 5), (2, true, true), "{lines:?}");
    let alone = |name: &str| Session::from_bytes(vec![ticker(name)]).unwrap();
    for (session, reason) in [(alone("dll"), "no-pdb"), (alone("pdb"), "no-image")] {
        assert_eq!(quality(&session).unwrap_err().reason, reason);
    }
}
