//! Images of real frameworks, in the folders that `PDBLENS_R2R` names, separated by colons.

use super::*;
use crate::bytes::Region;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// Images, runtime functions, entry points, methods with debug information, bounds, variables, instances, fixups.
fn read(path: &Path, amounts: &mut [u64; 8]) {
    let region = Region::whole(SpaceId(0), Arc::new(std::fs::read(path).unwrap()));
    let Ok(image) = Pe::parse(region) else { return };
    let Some(r2r) = ReadyToRun::of(&image).transpose().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    else {
        return;
    };
    let functions = r2r.functions(&image).map_or(0, |functions| functions.len());
    amounts[0] += 1;
    amounts[1] += functions;
    if let Some(array) = r2r.entry_points(&image) {
        for index in array.unwrap().present() {
            let entry = r2r.entry_point(&image, index + 1).unwrap().unwrap();
            assert!(u64::from(entry.function) < functions, "{}: {index}", path.display());
            amounts[2] += 1;
        }
    }
    if let Some(table) = r2r.instance_table(&image) {
        let table = table.unwrap();
        for entry in table.entries() {
            let instance = ReadyToRun::instance(&table, entry).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert!(u64::from(instance.entry.function) < functions, "{}: {instance:?}", path.display());
            amounts[6] += 1;
        }
    }
    for section in r2r.imports(&image).unwrap() {
        for cell in 0..section.cells() {
            let fixup = section.fixup(&image, cell).unwrap_or_else(|e| panic!("{} {cell}: {e}", path.display()));
            amounts[7] += u64::from(fixup.is_some());
        }
    }
    let Some(bytes) = r2r.bytes(&image, section::DEBUG_INFO) else { return };
    for index in Array::read(bytes.unwrap()).unwrap().present() {
        let info = r2r.debug_info(&image, index).unwrap_or_else(|e| panic!("{} {index}: {e}", path.display())).unwrap();
        assert!(info.bounds.is_sorted_by_key(|bound| bound.native), "{} {index}", path.display());
        amounts[3] += 1;
        amounts[4] += info.bounds.len() as u64;
        amounts[5] += info.variables.len() as u64;
    }
}

#[test]
fn every_image_of_the_named_folders_is_read() {
    let Ok(folders) = std::env::var("PDBLENS_R2R") else { return };
    for folder in std::env::split_paths(&folders) {
        let (mut paths, mut amounts) = (Vec::new(), [0; 8]);
        files(&folder, &mut paths);
        paths.iter().for_each(|path| read(path, &mut amounts));
        assert!(amounts.iter().all(|amount| *amount > 0), "{}", folder.display());
        println!(
            "{}: images, functions, entry points, methods, bounds, variables, instances, fixups {amounts:?}",
            folder.display()
        );
    }
}
