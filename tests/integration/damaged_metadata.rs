//! Damage to the headers of metadata: the first finding names the field, and not only the rows that it misplaces.

use crate::support::samples::repository;
use pdblens::bytes::Span;
use pdblens::formats::metadata::{Metadata, TableId};
use pdblens::query::check::{self, Grade, Remark};
use pdblens::session::Session;
use pdblens::source::SourceOptions;

/// A PDB with every table but constants of several scopes.
fn sample() -> Vec<u8> {
    std::fs::read(repository("assets/samples/workshop/Workshop.pdb")).unwrap()
}

fn open(file: &[u8]) -> Session {
    Session::from_bytes(vec![("Workshop.pdb".into(), file.to_vec())]).unwrap()
}

fn metadata(session: &Session) -> &Metadata {
    &session.portable_pdb().unwrap().metadata
}

fn remarks(file: &[u8]) -> Vec<Remark> {
    check::check(&open(file), &SourceOptions::default())
}

/// The file with other bytes at an offset.
fn patched(file: &[u8], at: u64, bytes: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    file
}

fn of_rule<'r>(remarks: &'r [Remark], rule: &str) -> Vec<&'r Remark> {
    remarks.iter().filter(|remark| remark.rule == rule && remark.grade != Grade::Good).collect()
}

/// Asserts that the headers are remarked on with a sentence that has `value`, at `span` if no other value would do.
#[track_caller]
fn assert_repair(file: &[u8], span: (u64, u64), value: &str) {
    let found = remarks(file);
    assert!(!of_rule(&found, "read").is_empty(), "{found:#?}");
    let headers = of_rule(&found, "metadata-header");
    let [remark] = headers[..] else { panic!("{value}: {headers:#?}") };
    assert!(remark.sentence.contains(value), "{value}: {headers:#?}");
    let bytes = remark.span.unwrap();
    assert!(remark.sentence.contains(" or ") || (bytes.start, bytes.len) == span, "{value}: {headers:#?}");
}

#[test]
fn a_wrong_row_count_is_told_with_the_count_that_fits() {
    let file = sample();
    let session = open(&file);
    let tables = &metadata(&session).tables;
    let rows_end = tables.present().map(|table| table.span().end()).max().unwrap();
    let padding = metadata(&session).root.stream("#~").unwrap().region.span().end() - rows_end;
    for (index, table) in tables.present().enumerate() {
        let at = tables.header.start + 24 + 4 * index as u64;
        let rows = table.rows();
        for wrong in [rows - 1, rows + 1, rows + 1000] {
            // A short row more may fit into the padding: then no size is wrong.
            if wrong == rows + 1 && u64::from(table.row_size()) <= padding {
                continue;
            }
            let value =
                format!("{rows} row{} of {} instead of {wrong}", if rows == 1 { "" } else { "s" }, table.id.name());
            assert_repair(&patched(&file, at, &wrong.to_le_bytes()), (at, 4), &value);
        }
    }
}

#[test]
fn a_wrong_flag_of_a_wide_heap_is_told() {
    let file = sample();
    let session = open(&file);
    let at = metadata(&session).tables.header.start + 6;
    assert_eq!(file[at as usize], 0);
    for flag in [1_u8, 2, 4] {
        assert_repair(&patched(&file, at, &[flag]), (at, 1), &format!("HeapSizes 0x00 instead of {flag:#04x}"));
    }
}

#[test]
fn a_table_that_valid_leaves_out_is_told() {
    let file = sample();
    let session = open(&file);
    let tables = &metadata(&session).tables;
    let at = tables.header.start + 8;
    for table in [TableId::LOCAL_SCOPE, TableId::STATE_MACHINE_METHOD] {
        let valid = tables.valid & !(1 << table.0);
        assert_repair(&patched(&file, at, &valid.to_le_bytes()), (at, 8), &format!("{} in Valid", table.name()));
    }
}

/// The consequences of the damage are told once a rule, so that the cause is on the first page.
#[test]
fn a_heap_of_another_name_is_missing_at_its_header() {
    let file = sample();
    let session = open(&file);
    for (name, cell) in
        [("#Blob", TableId::DOCUMENT), ("#GUID", TableId::DOCUMENT), ("#Strings", TableId::LOCAL_VARIABLE)]
    {
        let root = &metadata(&session).root;
        let header = root.stream(name).unwrap().header;
        let found = remarks(&patched(&file, header.start + 9, b"X"));
        let read = of_rule(&found, "read");
        assert_eq!((read.len(), read[0].span), (1, Some(header)), "{read:#?}");
        assert_eq!(read[0].sentence, format!("{name} is missing, and rows refer to it"));
        let of_rows =
            check::PORTABLE_RULES.iter().map(|rule| rule.id).chain(check::METHOD_RULES.iter().map(|rule| rule.0));
        for rule in of_rows {
            let told: Vec<_> = of_rule(&found, rule).iter().map(|remark| remark.sentence.clone()).collect();
            assert!(told.len() <= 2, "{rule}: {told:#?}");
        }
        // What refers to the missing heap is a cell.
        let rows = metadata(&session).table(cell).span();
        let spans: Vec<Span> = found
            .iter()
            .filter(|remark| remark.sentence.starts_with("no #"))
            .filter_map(|remark| remark.span)
            .collect();
        let tables = metadata(&session).root.stream("#~").unwrap().region.span();
        assert!(spans.iter().all(|span| tables.covers(*span)), "{rows:?}: {spans:?}");
    }
}

#[test]
fn streams_that_share_bytes_are_told() {
    let file = sample();
    let session = open(&file);
    let root = &metadata(&session).root;
    let (strings, guids) = (root.stream("#Strings").unwrap(), root.stream("#GUID").unwrap());
    let moved = patched(&file, guids.header.start, &(guids.offset + 4).to_le_bytes());
    let found = remarks(&moved);
    assert_eq!(of_rule(&found, "read")[0].sentence, "#Blob and #GUID overlap by 4 bytes");
    let gap = of_rule(&found, "metadata-header");
    assert_eq!(gap[0].span.map(|span| span.len), Some(4), "{gap:#?}");
    let longer = patched(&file, strings.header.start + 4, &(strings.size + 8).to_le_bytes());
    assert!(of_rule(&remarks(&longer), "read")[0].sentence.contains("and #Strings overlap by"));
    let cut = &file[..file.len() - 40];
    let found = remarks(cut);
    let last = root.streams.iter().max_by_key(|stream| stream.offset).unwrap();
    assert_eq!(of_rule(&found, "read")[0].span, Some(last.header), "{found:#?}");
    assert!(of_rule(&found, "read")[0].sentence.contains("extends past the end"), "{found:#?}");
}

/// An image whose CLI header leads to bytes that are no metadata is no native image.
#[test]
fn metadata_that_cannot_be_read_is_told() {
    let file = std::fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap();
    let at = file.windows(4).position(|bytes| bytes == b"BSJB").unwrap() as u64;
    let session = Session::from_bytes(vec![("Ticker.dll".into(), patched(&file, at + 3, b"C"))]).unwrap();
    let found = check::check(&session, &SourceOptions::default());
    let read = of_rule(&found, "read");
    assert_eq!(read[0].span.map(|span| span.start), Some(at), "{found:#?}");
    assert!(read[0].sentence.contains("BSJB"), "{read:?}");
}

/// One wrong field is one finding, and the others are notes on what follows from it.
#[test]
fn one_wrong_header_is_one_finding() {
    let file = sample();
    let session = open(&file);
    let (root, tables) = (&metadata(&session).root, &metadata(&session).tables);
    let counts = tables
        .present()
        .enumerate()
        .map(|(index, table)| (tables.header.start + 24 + 4 * index as u64, table.rows() + 1000));
    let headers = root.streams.iter().filter(|stream| stream.name != "#Pdb");
    let sizes = headers.clone().map(|stream| (stream.header.start + 4, stream.size + 100_000));
    let offsets = headers.map(|stream| (stream.header.start, stream.offset + 100_000));
    for (at, wrong) in counts.chain(sizes).chain(offsets) {
        let found = remarks(&patched(&file, at, &wrong.to_le_bytes()));
        let findings: Vec<_> = found.iter().filter(|remark| remark.grade == Grade::Finding).collect();
        let [finding] = findings[..] else { panic!("{at:#x} {wrong}: {findings:#?}") };
        assert_eq!((finding.rule, finding.count), ("read", 1), "{finding:?}");
        assert!(finding.sentence.contains("extends past the end"), "{finding:?}");
    }
}

#[test]
fn methods_of_an_image_without_tables_are_notes() {
    let image = std::fs::read(repository("assets/samples/workshop/Workshop.dll")).unwrap();
    let alone = Session::from_bytes(vec![("Workshop.dll".into(), image.clone())]).unwrap();
    let rows = alone.metadata().unwrap().tables.header.start + 24;
    let files = vec![("Workshop.dll".into(), patched(&image, rows, &[0xe9, 3])), ("Workshop.pdb".into(), sample())];
    let found = check::check(&Session::from_bytes(files).unwrap(), &SourceOptions::default());
    let findings: Vec<_> = found.iter().filter(|remark| remark.grade == Grade::Finding).collect();
    let [finding] = findings[..] else { panic!("{findings:#?}") };
    assert!(finding.rule == "read" && finding.sentence.starts_with("Module of 10010 bytes"), "{finding:?}");
    assert!(finding.sentence.ends_with("tables after it"), "{finding:?}");
}
