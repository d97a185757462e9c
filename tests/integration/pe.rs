//! The PE reader over every sample: against System.Reflection.Metadata, against `object`, and against damage.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::LittleEndian as LE;
use object::read::pe::{ImageNtHeaders, ImageOptionalHeader, PeFile};
use pdblens::bytes::{Error, Field, Reads, Region, SpaceId, Value};
use pdblens::formats::pe::{DebugEntry, ImagePart, Payload, Pe};
use pdblens::nodes::fields::recorded;
use serde_json::{Value as Json, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The name of each small sample, and its image.
fn samples() -> Vec<(String, PathBuf)> {
    crate::support::samples::samples().into_iter().map(|sample| (sample.name, sample.image)).collect()
}

/// Returns whether a sample is native code, which System.Reflection.Metadata does not read.
fn is_native(name: &str) -> bool {
    name == "native" || name.starts_with("parcel") || name.starts_with("sorter")
}

fn parse(bytes: Vec<u8>) -> pdblens::bytes::Result<Pe> {
    Pe::parse(Region::whole(SpaceId(7), Arc::new(bytes)))
}

/// The fields of a part, and why they end before it does.
fn explain(pe: &Pe, part: ImagePart) -> (Vec<Field>, Option<Error>) {
    let (Reads { fields, .. }, error) = recorded(pe.slice(part).unwrap(), |cursor| pe.note(part, cursor));
    (fields, error)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"))
}

#[test]
fn the_debug_directory_matches_system_reflection_metadata() {
    for (name, path) in samples() {
        let pe = parse(std::fs::read(path).unwrap()).unwrap();
        assert_eq!(pe.problems, [], "{name}");
        let ours: Vec<Json> = pe
            .debug
            .iter()
            .map(|entry| {
                let mut ours = json!({
                    "type": entry.header.kind, "stamp": entry.header.time_date_stamp, "major": entry.header.major_version, "minor": entry.header.minor_version,
                    "size": entry.header.size_of_data, "rva": entry.header.address_of_raw_data, "pointer": entry.header.pointer_to_raw_data,
                });
                match entry.payload.as_ref().unwrap() {
                    Payload::Rsds(rsds) => {
                        ours["guid"] = json!(rsds.guid.to_string());
                        ours["age"] = json!(rsds.age);
                        ours["path"] = json!(rsds.path);
                    }
                    Payload::PdbChecksum(checksum) => {
                        ours["algorithm"] = json!(checksum.algorithm);
                        ours["checksum"] = json!(hex(&checksum.checksum));
                    }
                    _ => {}
                }
                ours
            })
            .collect();
        let golden = |suffix| std::fs::read(root().join(format!("tests/golden/oracle/{name}{suffix}")));
        let Ok(oracle) = golden(".json").or_else(|_| golden(".image.json")) else {
            assert!(is_native(&name), "{name}");
            continue;
        };
        let oracle: Json = serde_json::from_slice(&oracle).unwrap();
        assert_eq!(Json::Array(ours), oracle["debug_directory"], "{name}");
    }
}

#[test]
fn a_portable_codeview_entry_has_the_id_of_its_pdb() {
    for (name, path) in samples() {
        let pe = parse(std::fs::read(&path).unwrap()).unwrap();
        let Ok(pdb) = std::fs::read(path.with_extension("pdb")) else { continue };
        // The id of a portable PDB is the GUID, then the stamp of the entry.
        let id = |entry: &DebugEntry| {
            [&entry.rsds().unwrap().guid.0[..], &entry.header.time_date_stamp.to_le_bytes()].concat()
        };
        let ids: Vec<_> = pe.debug.iter().filter(|entry| entry.is_portable()).map(id).collect();
        if pdb.starts_with(b"BSJB") {
            assert!(pdb.windows(20).any(|bytes| bytes == ids[0]), "{name}");
        } else {
            assert!(ids.is_empty(), "{name}");
            assert!(pe.debug.iter().any(|entry| entry.rsds().is_some() && !entry.is_portable()), "{name}");
        }
    }
}

#[test]
fn an_embedded_pdb_inflates_to_metadata_of_the_size_it_states() {
    let mut count = 0;
    for (name, path) in samples() {
        let pe = parse(std::fs::read(&path).unwrap()).unwrap();
        for entry in &pe.debug {
            let Ok(Payload::EmbeddedPortablePdb(embedded)) = &entry.payload else { continue };
            let pdb = embedded.inflate(pe.region(), 1 << 20).unwrap();
            assert!(pdb.starts_with(b"BSJB") && pdb.len() == embedded.size as usize, "{name}");
            assert!(embedded.inflate(pe.region(), pdb.len() as u64 - 1).is_err());
            count += 1;
        }
    }
    assert_eq!(count, 3);
}

#[test]
fn headers_sections_and_directories_match_object() {
    for (name, path) in samples() {
        let bytes = std::fs::read(path).unwrap();
        let pe = parse(bytes.clone()).unwrap();
        match PeFile::<object::pe::ImageNtHeaders64>::parse(&*bytes) {
            Ok(file) => compare(&name, &pe, &bytes, &file),
            Err(_) => {
                compare(&name, &pe, &bytes, &PeFile::<object::pe::ImageNtHeaders32>::parse(&*bytes).unwrap());
            }
        }
    }
}

fn compare<H: ImageNtHeaders>(name: &str, pe: &Pe, bytes: &[u8], file: &PeFile<'_, H>) {
    let (coff, optional) = (file.nt_headers().file_header(), file.nt_headers().optional_header());
    assert_eq!(pe.coff.machine, coff.machine.get(LE).0, "{name}");
    assert_eq!(pe.coff.time_date_stamp, coff.time_date_stamp.get(LE), "{name}");
    assert_eq!(pe.coff.characteristics, coff.characteristics.get(LE).0, "{name}");
    let ours = pe.optional.unwrap();
    assert_eq!(ours.is_wide, file.nt_headers().is_type_64(), "{name}");
    assert_eq!(ours.standard.address_of_entry_point, optional.address_of_entry_point(), "{name}");
    assert_eq!(ours.image_base, optional.image_base(), "{name}");
    assert_eq!(ours.windows.section_alignment, optional.section_alignment(), "{name}");
    assert_eq!(ours.windows.file_alignment, optional.file_alignment(), "{name}");
    assert_eq!(ours.windows.size_of_image, optional.size_of_image(), "{name}");
    assert_eq!(ours.windows.size_of_headers, optional.size_of_headers(), "{name}");
    assert_eq!(ours.windows.checksum, optional.check_sum(), "{name}");
    assert_eq!(ours.windows.subsystem, optional.subsystem().0, "{name}");
    assert_eq!(ours.windows.dll_characteristics, optional.dll_characteristics().0, "{name}");

    let theirs = file.section_table();
    assert_eq!(pe.sections.len(), theirs.len(), "{name}");
    for (ours, section) in pe.sections.iter().zip(theirs.iter()) {
        assert_eq!(ours.name.as_bytes(), section.raw_name(), "{name}");
        assert_eq!(ours.header.virtual_size, section.virtual_size.get(LE), "{name}");
        assert_eq!(ours.header.virtual_address, section.virtual_address.get(LE), "{name}");
        assert_eq!(ours.header.characteristics, section.characteristics.get(LE).0, "{name}");
        assert_eq!((ours.header.pointer_to_raw_data, ours.mapped_size()), section.pe_file_range(), "{name}");
        for rva in
            ours.header.virtual_address.saturating_sub(2)..ours.header.virtual_address + ours.header.virtual_size + 2
        {
            let expected = theirs.pe_file_range_at(rva).map(|(offset, _)| offset as u64);
            let headers = Some(rva as u64).filter(|_| expected.is_none() && rva < ours_headers(pe));
            assert_eq!(pe.rva_to_offset(rva), expected.or(headers), "{name} {rva:#x}");
            if let Some(offset) = pe.rva_to_offset(rva) {
                assert_eq!(pe.offset_to_rva(offset), Some(rva), "{name} {rva:#x}");
            }
        }
    }

    assert_eq!(pe.directories.len(), file.data_directories().len(), "{name}");
    for (ours, (index, directory)) in pe.directories.iter().zip(file.data_directories().enumerate()) {
        let rva_and_size = (directory.virtual_address.get(LE), directory.size.get(LE));
        assert_eq!((ours.index as usize, ours.rva, ours.size), (index, rva_and_size.0, rva_and_size.1), "{name}");
        if ours.is_present() {
            let data = directory.data(bytes, &theirs).unwrap();
            let target = pe.bytes(ours.data.unwrap()).unwrap();
            assert_eq!((target.data, target.len()), (data, ours.size as u64), "{name} {}", ours.name());
        }
    }
}

fn ours_headers(pe: &Pe) -> u32 {
    pe.optional.unwrap().windows.size_of_headers
}

#[test]
fn the_fields_of_every_part_tile_its_bytes() {
    for (name, path) in samples() {
        let pe = parse(std::fs::read(path).unwrap()).unwrap();
        let parts: Vec<ImagePart> = pe.parts().collect();
        assert_eq!(parts.iter().filter(|part| matches!(part, ImagePart::Payload(_))).count(), pe.debug.len(), "{name}");
        assert_eq!(parts.contains(&ImagePart::Cli), pe.cli.is_some(), "{name}");
        for part in parts {
            let (span, (fields, error)) = (pe.span(part).unwrap(), explain(&pe, part));
            assert_eq!(error, None, "{name} {part:?}");
            assert!(fields.iter().all(|field| field.name() != "not decoded"), "{name} {part:?}");
            let mut at = span.start;
            for field in fields.iter().filter(|field| field.value != Value::Group) {
                assert_eq!(field.span.start, at, "{name} {part:?} {}", field.name());
                assert!(field.span.len > 0, "{name} {part:?} {}", field.name());
                at = field.span.end();
            }
            assert_eq!(at, span.end(), "{name} {part:?}");
            assert_eq!(span.space, SpaceId(7));
        }
    }
}

#[test]
fn the_metadata_begins_with_bsjb() {
    for (name, path) in samples() {
        let pe = parse(std::fs::read(path).unwrap()).unwrap();
        match pe.metadata() {
            Some(metadata) => {
                assert!(metadata.bytes().starts_with(b"BSJB"), "{name}");
                assert_eq!(metadata.len(), pe.cli.unwrap().metadata().size as u64, "{name}");
                assert_eq!(pe.rva_to_offset(pe.cli.unwrap().metadata().rva), Some(metadata.span().start), "{name}");
            }
            None => assert!(is_native(&name), "{name}"),
        }
    }
}

/// Everything that can be asked of an image.
fn ask_everything(pe: &Pe) {
    for part in pe.parts() {
        let (span, (fields, _)) = (pe.span(part).unwrap(), explain(pe, part));
        assert!(pe.region().span().covers(span));
        assert!(fields.iter().all(|field| pe.region().span().covers(field.span)));
    }
    assert!(pe.problems.iter().all(|problem| pe.region().span().covers(problem.span)));
    pe.metadata();
    for entry in &pe.debug {
        if let Ok(Payload::EmbeddedPortablePdb(embedded)) = &entry.payload {
            let _ = embedded.inflate(pe.region(), 1 << 16);
        }
    }
}

#[test]
fn a_truncated_image_is_read_up_to_the_cut() {
    for sample in ["ticker/Ticker.dll", "native/tally.exe"] {
        let bytes = std::fs::read(root().join("assets/samples").join(sample)).unwrap();
        let whole = parse(bytes.clone()).unwrap();
        let headers = whole.coff.span.end() as usize;
        for len in 0..bytes.len() {
            match parse(bytes[..len].to_vec()) {
                Ok(pe) => {
                    assert!(len >= headers, "{sample} {len}");
                    assert!(!pe.problems.is_empty(), "{sample} {len}");
                    ask_everything(&pe);
                }
                Err(error) => assert!(len < headers && error.span.end() <= len as u64, "{sample} {len}"),
            }
        }
    }
}

#[test]
fn flipped_bytes_never_panic() {
    for sample in ["ticker-embedded/Ticker.dll", "ticker-windows/Ticker.dll", "native/tally.exe"] {
        let mut bytes = std::fs::read(root().join("assets/samples").join(sample)).unwrap();
        let whole = parse(bytes.clone()).unwrap();
        // What is read is in the headers and in the parts; flip every bit pattern worth trying there.
        for part in whole.parts() {
            let span = whole.span(part).unwrap();
            for at in (span.start as usize..span.end() as usize).take(512) {
                let old = bytes[at];
                for new in [0, 1, 0x7f, 0x80, 0xff, old ^ 0x10] {
                    bytes[at] = new;
                    if let Ok(pe) = parse(bytes.clone()) {
                        ask_everything(&pe);
                    }
                }
                bytes[at] = old;
            }
        }
    }
}

#[test]
fn a_missing_file_pointer_is_replaced_by_the_address() {
    let bytes = std::fs::read(root().join("assets/samples/ticker/Ticker.dll")).unwrap();
    let whole = parse(bytes.clone()).unwrap();
    for lost in [0u32, u32::MAX] {
        let mut bytes = bytes.clone();
        let pointer = whole.debug[0].header.span.start as usize + 24;
        bytes[pointer..pointer + 4].copy_from_slice(&lost.to_le_bytes());
        let pe = parse(bytes).unwrap();
        assert_eq!(pe.debug[0].rsds(), whole.debug[0].rsds());
        assert_eq!(pe.debug[0].data, whole.debug[0].data);
        assert_eq!(pe.problems.len(), 1);
        assert_eq!((pe.problems[0].span.start, pe.problems[0].span.len), (pointer as u64, 4));
    }
}

#[test]
fn repeated_debug_entries_cost_no_more_than_the_file() {
    // All of a large section is debug entries, and each says that its payload is the whole section, a path without an end.
    let mut bytes = std::fs::read(root().join("assets/samples/ticker/Ticker.dll")).unwrap();
    let whole = parse(bytes.clone()).unwrap();
    let (text, end) = (&whole.sections[0], bytes.len() as u32);
    let count = 60_000u32;
    let size = count * 28;
    let mut put = |at: u64, number: u32| {
        bytes[at as usize..at as usize + 4].copy_from_slice(&number.to_le_bytes());
    };
    put(text.header.span.start + 8, size);
    put(text.header.span.start + 16, size);
    put(text.header.span.start + 20, end);
    put(whole.directories[6].span.start, text.header.virtual_address);
    put(whole.directories[6].span.start + 4, size);
    let mut entry = Vec::new();
    for number in [u32::from_le_bytes(*b"RSDS"), 1, 1, 2, size, text.header.virtual_address, end] {
        entry.extend(number.to_le_bytes());
    }
    (0..count).for_each(|_| bytes.extend(&entry));
    let pe = parse(bytes).unwrap();
    assert_eq!(pe.debug.len(), 60_000);
    assert_eq!(pe.debug.iter().filter(|entry| entry.payload.is_ok()).count(), 1);
}
