use super::*;
use crate::bytes::SpaceId;

/// Two subsections: the lines of a method that spans two files, and the checksums of those.
#[rustfmt::skip]
const C13: &[u8] = &[
    0xf2, 0, 0, 0, 0x50, 0, 0, 0,                       // 0x00 lines, 80 bytes
    0x86, 0, 0, 0, 1, 0, 1, 0, 0x1a, 0, 0, 0,           // 0x08 code at 1:0x86, with columns, 26 bytes
    0, 0, 0, 0, 2, 0, 0, 0, 0x24, 0, 0, 0,              // 0x14 file 0, two lines, 36 bytes
    0, 0, 0, 0, 0x0a, 0, 0, 0x82,                       // 0x20 IL 0: lines 10 to 12, a statement
    1, 0, 0, 0, 0xee, 0xef, 0xfe, 0,                    // 0x28 IL 1: hidden
    9, 0, 0x0a, 0, 0, 0, 0, 0,                          // 0x30 columns 9 to 10; none
    8, 0, 0, 0, 1, 0, 0, 0, 0x18, 0, 0, 0,              // 0x38 file 8, one line, 24 bytes
    7, 0, 0, 0, 0x0c, 0, 0, 0x80,                       // 0x44 IL 7: line 12
    0x0d, 0, 0x29, 0,                                   // 0x4c columns 13 to 41
    0, 0, 0, 0, 0, 0, 0, 0,                             // 0x50 a block of nothing, whose size
                                                        //      is in the padding of nothing:
    0xf4, 0, 0, 0, 0x10, 0, 0, 0,                       // 0x58 checksums, 16 bytes
    0x34, 0, 0, 0, 0, 0, 0, 0,                          // 0x60 file 0: its name at 0x34, no checksum
    0x10, 0, 0, 0, 0, 0, 0, 0,                          // 0x68 file 8: its name at 0x10
];

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(7), 0x100)
}

/// The bytes above without the cut block.
fn c13() -> Vec<u8> {
    let mut bytes = C13.to_vec();
    bytes.drain(0x50..0x58);
    bytes[4] = 0x48;
    bytes
}

fn points(bytes: &[u8]) -> Vec<Result<Point>> {
    let subsection = Subsections::new(slice(bytes)).next().unwrap().unwrap();
    LinePoints::new(subsection.content, 0x86, |file| file + 1).unwrap().collect()
}

#[test]
fn lines_with_columns_in_two_files() {
    let bytes = c13();
    let found: Vec<_> = points(&bytes).into_iter().map(Result::unwrap).collect();
    let point = |offset, document, lines: (u32, u32), columns: (u32, u32), at, columns_at| Point {
        offset,
        document,
        start_line: lines.0,
        end_line: lines.1,
        start_column: columns.0,
        end_column: columns.1,
        at,
        columns_at,
    };
    let wanted = [
        point(0, 1, (10, 12), (9, 10), 0x120, 0x130),
        point(1, 1, (HIDDEN_LINE, HIDDEN_LINE), (0, 0), 0x128, 0x134),
        point(7, 9, (12, 12), (13, 41), 0x144, 0x14c),
    ];
    assert_eq!(found, wanted);
    assert_eq!(found.iter().map(|point| point.is_hidden()).collect::<Vec<_>>(), [false, true, false]);
    let stream = Span::new(SpaceId(7), 0, 0x1000);
    assert_eq!(found[2].span(stream), Span::new(SpaceId(7), 0x144, 8));
    assert_eq!(found[2].columns_span(stream), Span::new(SpaceId(7), 0x14c, 4));
}

#[test]
fn il_offsets_count_from_the_method_not_from_the_lines() {
    let bytes = c13();
    let subsection = Subsections::new(slice(&bytes)).next().unwrap().unwrap();
    let found: Vec<_> = LinePoints::new(subsection.content, 0x80, |_| 1).unwrap().map(|p| p.unwrap().offset).collect();
    assert_eq!(found, [6, 7, 13]);
}

#[test]
fn lines_without_columns() {
    let mut bytes = c13();
    bytes[0x0e] = 0;
    // The columns are still there, after the lines and within the size of the block.
    let found: Vec<_> = points(&bytes).into_iter().map(Result::unwrap).collect();
    assert_eq!(
        found.iter().map(|p| (p.offset, p.start_column, p.columns_at)).collect::<Vec<_>>(),
        [(0, 0, 0), (1, 0, 0), (7, 0, 0)]
    );
    assert!(found[0].columns_span(Span::default()).is_empty());
}

#[test]
fn blocks_that_lie() {
    // A block cut short: what is before it is there.
    let found = points(C13);
    assert_eq!(found.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, true, false]);
    // More lines than there are bytes.
    let mut bytes = c13();
    bytes[0x18..0x1c].fill(0xff);
    assert_eq!(points(&bytes).iter().map(Result::is_ok).collect::<Vec<_>>(), [false]);
    // A size of 0 does not make the block come again.
    let mut bytes = c13();
    bytes[0x1c] = 0;
    assert_eq!(points(&bytes).iter().filter(|p| p.is_ok()).count(), 3);
}

#[test]
fn checksums_are_found_by_offset() {
    let bytes = c13();
    let subsections: Vec<_> = Subsections::new(slice(&bytes)).map(Result::unwrap).collect();
    assert_eq!(subsections.iter().map(|s| s.kind).collect::<Vec<_>>(), [LINES, CHECKSUMS]);
    let checksums = Checksums(subsections[1].content);
    assert_eq!(checksums.get(0).unwrap().name, 0x34);
    assert_eq!(checksums.get(8).unwrap().name, 0x10);
    assert!(checksums.get(12).is_err() && checksums.get(16).is_err() && checksums.get(u32::MAX).is_err());
    let all: Vec<_> = checksums.iter().map(|entry| entry.unwrap().0).collect();
    assert_eq!(all, [0, 8]);

    // With a checksum and padding.
    let bytes = [1, 0, 0, 0, 3, 1, 0xaa, 0xbb, 0xcc, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
    let all: Vec<_> = Checksums(slice(&bytes)).iter().map(Result::unwrap).collect();
    assert_eq!(
        all.iter().map(|(at, c)| (*at, c.name, c.kind, c.checksum.len)).collect::<Vec<_>>(),
        [(0, 1, 1, 3), (12, 2, 0, 0)]
    );
    let cut = Checksums(slice(&bytes[..8])).iter().collect::<Vec<_>>();
    assert!(matches!(cut.as_slice(), [Err(_)]));
}

#[test]
fn subsections_that_lie_are_the_last() {
    let mut bytes = c13();
    bytes[4..8].fill(0xff);
    let found: Vec<_> = Subsections::new(slice(&bytes)).map(|s| s.is_ok()).collect();
    assert_eq!(found, [false]);
    // Empty ones continue.
    let bytes = [0xf1, 0, 0, 0, 0, 0, 0, 0, 0xf1, 0, 0, 0, 0, 0, 0, 0, 1];
    let found: Vec<_> = Subsections::new(slice(&bytes)).map(|s| s.is_ok()).collect();
    assert_eq!(found, [true, true, false]);
}
