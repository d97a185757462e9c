//! Images of real frameworks, in the folders that `PDBLENS_R2R` names, separated by colons.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::samples::repository;
use pdblens::bytes::{Region, Result, SpaceId};
use pdblens::formats::machine::Machine;
use pdblens::formats::pe::Pe;
use pdblens::formats::r2r::array::Array;
use pdblens::formats::r2r::{DebugInfo, IlPosition, ReadyToRun, section};
use pdblens::nodes::method::native::{MappedBody, bodies};
use pdblens::nodes::{TableId, Token};
use pdblens::query::check::{Grade, check};
use pdblens::session::Session;
use pdblens::source::SourceOptions;

/// Files below a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "dll" || extension == "exe") {
            out.push(path);
        }
    }
}

/// Amounts and sums of an image, as `assets/build/r2r.py` prints them; and its instances and fixups, which are read, too.
#[derive(Debug, Default)]
struct Sums {
    entries: u64,
    methods: u64,
    bounds: u64,
    variables: u64,
    native: u64,
    il: u64,
    ranges: u64,
    instances: u64,
    fixups: u64,
}

impl Sums {
    fn of(image: &Pe, r2r: &ReadyToRun, functions: u64) -> Result<Self> {
        let mut sums = Self::default();
        if let Some(array) = r2r.entry_points(image) {
            for index in array?.present() {
                let entry = r2r.entry_point(image, index + 1)?.unwrap();
                assert!(u64::from(entry.function) < functions, "{index}");
                sums.entries += 1;
            }
        }
        if let Some(table) = r2r.instance_table(image) {
            let table = table?;
            for entry in table.entries() {
                assert!(u64::from(ReadyToRun::instance(&table, entry)?.entry.function) < functions);
                sums.instances += 1;
            }
        }
        for section in r2r.imports(image)? {
            for cell in 0..section.cells() {
                sums.fixups += u64::from(section.fixup(image, cell)?.is_some());
            }
        }
        let Some(bytes) = r2r.bytes(image, section::DEBUG_INFO) else { return Ok(sums) };
        for index in Array::read(bytes?)?.present() {
            sums.add(&r2r.debug_info(image, index)?.unwrap());
        }
        Ok(sums)
    }

    fn add(&mut self, info: &DebugInfo) {
        assert!(info.bounds.is_sorted_by_key(|bound| bound.native));
        self.methods += 1;
        self.bounds += info.bounds.len() as u64;
        self.variables += info.variables.len() as u64;
        for bound in &info.bounds {
            self.native += u64::from(bound.native);
            self.il += match bound.il {
                IlPosition::Offset(offset) => u64::from(offset) + 3,
                IlPosition::None => 2,
                IlPosition::Prolog => 1,
                IlPosition::Epilog => 0,
            };
        }
        // The end is the start and the length.
        self.ranges += info.variables.iter().map(|one| u64::from(one.end) + (one.number + 4) as u64).sum::<u64>();
    }
}

/// A row of `images.tsv`; `None` for a file that is no ReadyToRun image.
fn row(path: &Path) -> Option<(String, Sums)> {
    let bytes = std::fs::read(path).unwrap();
    let size = bytes.len();
    let image = Pe::parse(Region::whole(SpaceId(0), Arc::new(bytes))).ok()?;
    let r2r = ReadyToRun::of(&image)?.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let functions = r2r.functions(&image).map_or(0, |functions| functions.len());
    let sums = Sums::of(&image, &r2r, functions).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let Sums { entries, methods, bounds, variables, native, il, ranges, .. } = &sums;
    let (name, major) = (path.file_name().unwrap().to_string_lossy(), r2r.header.major_version);
    let machine = r2r.target.machine;
    let numbers = [functions, *entries, *methods, *bounds, *variables, *native, *il, *ranges];
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    Some((format!("{name}\t{size}\t{major}\t{machine:#x}\t{}", numbers.join("\t")), sums))
}

#[test]
fn images_of_the_named_folders_are_read_as_another_reader_does() {
    let Ok(folders) = std::env::var("PDBLENS_R2R") else { return };
    let golden = std::fs::read_to_string(repository("tests/golden/r2r/images.tsv")).unwrap();
    let key = |row: &str| row.split('\t').take(2).map(str::to_owned).collect::<Vec<_>>();
    let mut equal = 0;
    for folder in std::env::split_paths(&folders) {
        let (mut paths, mut images, mut all) = (Vec::new(), 0, Sums::default());
        files(&folder, &mut paths);
        for (row, sums) in paths.iter().filter_map(|path| row(path)) {
            images += 1;
            all.methods += sums.methods;
            all.bounds += sums.bounds;
            all.variables += sums.variables;
            all.instances += sums.instances;
            all.fixups += sums.fixups;
            if let Some(expected) = golden.lines().find(|line| key(line) == key(&row)) {
                assert_eq!(row, expected);
                equal += 1;
            }
        }
        println!("{}: {images} images, {all:?}", folder.display());
    }
    assert!(equal > 0, "none of the images is one of tests/golden/r2r/images.tsv");
}

/// Bounds of a body, and those of them that are inside an instruction.
fn misplaced(session: &Session, machine: Machine, mapped: &MappedBody) -> (usize, Vec<u32>) {
    let image = &session.image().unwrap().pe;
    let mut starts = std::collections::HashSet::from([mapped.body.size()]);
    for fragment in &mapped.body.fragments {
        let code = image.at_rva(fragment.rva, fragment.size).unwrap();
        let instructions = machine.disassemble(code.data, fragment.rva.into());
        starts.extend(instructions.iter().map(|instruction| fragment.native + instruction.offset));
    }
    let bounds = mapped.info.bounds.iter().map(|bound| bound.native);
    (mapped.info.bounds.len(), bounds.filter(|native| !starts.contains(native)).collect())
}

#[test]
fn bounds_of_the_named_folders_are_at_instructions_and_no_rule_fails() {
    let Ok(folders) = std::env::var("PDBLENS_R2R") else { return };
    let (mut paths, mut images, mut all) = (Vec::new(), 0, 0);
    std::env::split_paths(&folders).for_each(|folder| files(&folder, &mut paths));
    for path in paths {
        let Ok(session) = Session::from_bytes(vec![(path.clone(), std::fs::read(&path).unwrap())]) else { continue };
        let Some(image) = session.image() else { continue };
        let Some(Ok(r2r)) = ReadyToRun::of(&image.pe) else { continue };
        images += 1;
        let remarks = check(&session, &SourceOptions::default());
        let finding = remarks.iter().find(|one| one.rule == "ready-to-run" && one.grade != Grade::Good);
        assert!(finding.is_none(), "{}: {finding:?}", path.display());
        let Some(machine) = Machine::of(r2r.target.machine) else { continue };
        for row in 1..=session.methods() {
            for mapped in bodies(&session, Token::new(TableId::METHOD_DEF, row)) {
                let (bounds, misplaced) = misplaced(&session, machine, &mapped);
                assert!(misplaced.is_empty(), "{}: {} {misplaced:x?}", path.display(), mapped.name);
                all += bounds;
            }
        }
    }
    println!("{images} images, {all} bounds");
    assert!(images > 0 && all > 0);
}
