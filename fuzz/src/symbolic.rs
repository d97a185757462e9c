//! The crate `symbolic-ppdb` as a second reader of portable PDBs.

use std::collections::BTreeMap;

use pdblens::bytes::{Region, SpaceId};
use pdblens::formats::metadata::TableId;
use pdblens::formats::portable::PortablePdb;
use symbolic_ppdb::{PortablePdb as Theirs, PortablePdbCache, PortablePdbCacheConverter};

/// The bytes that `symbolic-ppdb` makes of a file; `None` where it refuses a part of it.
fn converted(data: &[u8]) -> Option<Vec<u8>> {
    let mut converter = PortablePdbCacheConverter::new();
    converter.process_portable_pdb(&Theirs::parse(data).ok()?).ok()?;
    let mut bytes = Vec::new();
    converter.serialize(&mut bytes).ok()?;
    Some(bytes)
}

/// Asserts that both readers find the same line for each visible point, where `symbolic-ppdb` reads the whole file; returns the number
/// of points.
pub fn agrees(data: &[u8]) -> usize {
    // It needs aligned bytes.
    let data = data.to_vec();
    let Some(bytes) = converted(&data) else { return 0 };
    let theirs = PortablePdbCache::parse(&bytes).expect("what it has written");
    let region = Region::whole(SpaceId(0), std::sync::Arc::new(data));
    let ours = PortablePdb::parse(region).expect("a file that symbolic-ppdb reads");
    let mut count = 0;
    for row in 1..=ours.metadata.rows(TableId::METHOD_DEBUG_INFORMATION) {
        let Ok(Some(points)) = ours.points(row) else { continue };
        let Ok(points) = points.collect::<Result<Vec<_>, _>>() else { continue };
        let Ok(Some((_, blob))) = ours.points_blob(row) else { continue };
        // It takes a byte of zero alone for the start of a document record, not a zero of two or four bytes.
        if blob.data.windows(2).any(|bytes| bytes == [0x80, 0])
            || blob.data.windows(4).any(|bytes| bytes == [0xc0, 0, 0, 0])
        {
            continue;
        }
        // Of points with one offset it keeps the last.
        let visible = points.iter().filter(|point| !point.is_hidden());
        let lines: BTreeMap<u32, u32> = visible.map(|point| (point.offset, point.start_line)).collect();
        // It does not check all rules, and sums that it has wrapped are others.
        if points.iter().any(|point| !point.violations.is_none()) {
            continue;
        }
        for (offset, line) in lines {
            let found = theirs.lookup(row, offset).map(|found| found.line);
            assert_eq!(Some(line), found, "method {row}, IL offset {offset:#x}");
            count += 1;
        }
    }
    count
}
