//! Faults of the lines of native code: line blocks that cannot be read, or that name no file of their module.

use std::collections::HashSet;

use super::MAX_FAULTS;
use pdblens_formats::bytes::{Error, Spaces};
use pdblens_formats::codeview::c13::{LINES, SUBSECTION_HEADER, Subsections, blocks};
use pdblens_formats::pdb::ModuleStream;
use pdblens_nodes::Place;
use pdblens_nodes::finding::Finding;
use pdblens_nodes::stream::PdbView;
use pdblens_session::session::Session;

/// The faults of every module, as long as `go_on` says so.
pub(in crate::check) fn faults(session: &Session, go_on: &dyn Fn(u64, u64) -> bool) -> Vec<Finding> {
    let Some(view) = PdbView::of(session).filter(|view| view.native.is_some()) else { return Vec::new() };
    let (count, mut found) = (view.pdb.modules().len() as u32, Vec::new());
    for number in 0..count {
        if found.len() >= MAX_FAULTS || !go_on(number.into(), count.into()) {
            break;
        }
        if let Ok(Some(module)) = ModuleStream::read_once(view.pdb, view.spaces, number) {
            of_module(&module, view.spaces, &mut found);
        }
    }
    found.truncate(MAX_FAULTS);
    found
}

/// Size of a checksum by its algorithm: none, MD5, SHA-1, SHA-256.
const fn checksum_size(kind: u8) -> Option<u64> {
    match kind {
        0 => Some(0),
        1 => Some(16),
        2 => Some(20),
        3 => Some(32),
        _ => None,
    }
}

fn of_module(module: &ModuleStream, spaces: &Spaces, found: &mut Vec<Finding>) {
    let Some(stream) = module.module.stream() else { return };
    let (region, mut files) = (module.c13(), HashSet::new());
    let mut add = |error: &Error, at: Option<u64>| {
        let place = at.map_or(Place::Stream(stream), |at| Place::Record(stream, at as u32));
        found.push(Finding { place, span: Some(error.span), sentence: spaces.error_text(error) });
    };
    let checksums = module.checksums();
    for entry in checksums.iter() {
        match entry {
            Ok((offset, checksum)) => {
                _ = files.insert(offset);
                let start = checksums.0.start.checked_sub(SUBSECTION_HEADER);
                if checksum_size(checksum.kind).is_some_and(|size| size != checksum.checksum.len) {
                    let span = checksum.span.part(4, 2);
                    add(&Error::invalid("a checksum whose size is not that of its hash algorithm", span), start);
                }
                if checksum_size(checksum.kind).is_none() {
                    let span = checksum.span.part(5, 1);
                    add(&Error::unknown("hash algorithm of a checksum", checksum.kind, span), start);
                }
            }
            Err(error) => add(&error, checksums.0.start.checked_sub(SUBSECTION_HEADER)),
        }
    }
    for subsection in Subsections::new(region.slice()) {
        let subsection = match subsection {
            Ok(subsection) if subsection.kind == LINES => subsection,
            Ok(_) => continue,
            Err(error) => {
                add(&error, None);
                continue;
            }
        };
        let at = Some(subsection.span.start);
        match blocks(subsection.content) {
            Ok(blocks) => blocks.for_each(|block| match block {
                Ok(block) if !files.contains(&block.file) => {
                    let what = "a line block of a file that the module's checksums do not list";
                    add(&Error::invalid(what, block.header), at);
                }
                Ok(block) if u64::from(block.size) != block.bytes_needed() => {
                    add(&Error::invalid("a line block whose size is not that of its lines", block.header), at);
                }
                Ok(_) => {}
                Err(error) => add(&error, at),
            }),
            Err(error) => add(&error, at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Grade, check};
    use pdblens_session::source::SourceOptions;

    const IMAGE: &[u8] = include_bytes!("../../../../../assets/samples/native/tally.exe");
    const PDB: &[u8] = include_bytes!("../../../../../assets/samples/native/tally.pdb");

    fn open(pdb: Vec<u8>) -> Session {
        Session::from_bytes(vec![("tally.exe".into(), IMAGE.to_vec()), ("tally.pdb".into(), pdb)]).unwrap()
    }

    /// Offset in the file of the header of the first line block: file, count, size.
    fn first_block() -> usize {
        let session = open(PDB.to_vec());
        let view = PdbView::of(&session).unwrap();
        let module = (0..).find_map(|number| {
            let module = ModuleStream::read_once(view.pdb, view.spaces, number).unwrap()?;
            module.has(LINES).then_some(module)
        });
        let module = module.unwrap();
        let lines = module.subsection(LINES).unwrap();
        let at = PDB.windows(24).position(|bytes| bytes == &lines.data[..24]).unwrap();
        at + 12
    }

    #[test]
    fn damaged_line_blocks_are_findings_of_the_rule_read() {
        let at = first_block();
        let findings = |pdb: Vec<u8>| -> Vec<String> {
            let remarks = check(&open(pdb), &SourceOptions::default());
            let read = remarks.into_iter().filter(|remark| remark.rule == "read" && remark.grade == Grade::Finding);
            read.map(|remark| remark.sentence).collect()
        };
        assert_eq!(findings(PDB.to_vec()), Vec::<String>::new());
        for (field, change, wanted) in [
            (0, 1, "a line block of a file that the module's checksums do not list"),
            (4, 200, "unexpected end"),
            (8, 4, "a line block whose size is not that of its lines"),
        ] {
            let mut pdb = PDB.to_vec();
            pdb[at + field] = pdb[at + field].wrapping_add(change);
            let found = findings(pdb);
            assert!(found.iter().any(|sentence| sentence.contains(wanted)), "{field}: {found:?}");
        }
    }
}
