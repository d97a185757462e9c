//! The DBI stream against the image, its parts and the hash tables of symbols against each other.

use std::collections::HashSet;

use super::Faults;
use pdblens_formats::bytes::{Result, Slice, Space};
use pdblens_formats::pdb::dbi::{Dbi, DbiHeader, Module, NO_STREAM};
use pdblens_formats::pdb::gsi::{GsiHeader, HashRecord, PsiHeader, address_map_entry};
use pdblens_formats::pdb::streams;
use pdblens_formats::pe::SectionHeader;
use pdblens_nodes::Place;
use pdblens_nodes::function::NativeView;
use pdblens_session::session::{Image, PdbMatch, Session};
use pdblens_session::text::safe::utf8;

/// Machines of code for ARM64 in an image of another machine (ARM64EC, ARM64X).
const HYBRID: [u16; 2] = [0xa641, 0xa64e];
/// Position of the section headers in the debug header.
const SECTION_HEADERS: usize = 5;

pub(super) fn check(session: &Session, native: &NativeView<'_>, faults: &mut Faults) {
    let Some(dbi) = &native.view.pdb.dbi else { return };
    // An image of another build may have another machine and other sections, which is no fault.
    let image = if session.pdb_match() == PdbMatch::Matched { session.image() } else { None };
    header(dbi, native, image, faults);
    for (number, module) in (0..).zip(native.view.pdb.modules()) {
        stream(native, number, module, faults);
    }
    if let Some(image) = image {
        sections(native, dbi, image, faults);
    }
    contributions(native, dbi, faults);
}

fn header(dbi: &Dbi, native: &NativeView<'_>, image: Option<&Image>, faults: &mut Faults) {
    let place = Place::Stream(streams::DBI);
    let (machine, age) = (dbi.header.machine, dbi.header.age);
    // Some writers leave the machine at 0.
    let is_said = machine != 0 && !HYBRID.contains(&machine);
    if let Some(wanted) = image.map(Image::machine).filter(|wanted| is_said && *wanted != machine) {
        let sentence = format!("the DBI header says machine {machine:#06x}, but the image is for {wanted:#06x}");
        faults.add(place, Some(dbi.header.span_of(&DbiHeader::machine)), sentence);
    }
    let said = native.view.pdb.info.age;
    if age > said {
        let sentence =
            format!("the DBI header says age {age}, and the PDB info stream, which is written as often, {said}");
        faults.add(place, Some(dbi.header.span_of(&DbiHeader::age)), sentence);
    }
}

/// The stream of a module, and the sizes of symbols and lines that it has to have room for.
fn stream(native: &NativeView<'_>, number: u32, module: &Module, faults: &mut Faults) {
    let Some(stream) = module.stream() else { return };
    let Some(found) = native.view.pdb.msf.stream(stream) else {
        let have = native.view.pdb.msf.streams().len();
        let sentence = format!("the record of module {number} names stream {stream}, but there are {have} streams");
        faults.add(Place::Module(number), Some(module.stream_span()), sentence);
        return;
    };
    let have = native.view.spaces.get(found.space).map_or(0, Space::len);
    let sizes = [module.symbols_size, module.c11_size, module.c13_size].map(u64::from);
    let wanted: u64 = sizes.iter().sum();
    if wanted > have {
        let [symbols, c11, c13] = sizes;
        let sentence = format!(
            "the record of module {number} says {symbols} bytes of symbols and {} of lines, but stream {stream} has {have}",
            c11 + c13
        );
        faults.add(Place::Module(number), Some(module.sizes_span()), sentence);
    }
}

/// The copies of the section headers, which have to be those of the image.
fn sections(native: &NativeView<'_>, dbi: &Dbi, image: &Image, faults: &mut Faults) {
    let stream = dbi.debug_streams.get(SECTION_HEADERS).map(|stream| stream.value).filter(|stream| *stream != u16::MAX);
    let Some(stream) = stream.map(u32::from) else { return };
    let said = native.addresses().said();
    let place = Place::Stream(stream);
    if said.len() != image.pe.sections.len() {
        let sentence =
            format!("the PDB has {} section headers, but the image has {}", said.len(), image.pe.sections.len());
        faults.add(place, native.view.span(stream), sentence);
    }
    for (number, (said, section)) in (1_u32..).zip(said.iter().zip(&image.pe.sections)) {
        let own = &section.header;
        if (said.virtual_address, said.virtual_size) != (own.virtual_address, own.virtual_size) {
            let name = utf8(said.name.bytes()).trim_end_matches('\0').to_owned();
            let sentence = format!(
                "the PDB has section {number} ({name}) at {:#x} with {:#x} bytes, but the image has it at {:#x} with {:#x}",
                said.virtual_address, said.virtual_size, own.virtual_address, own.virtual_size
            );
            faults.add(place, Some(said.span.part(8, 8)), sentence);
        }
    }
}

/// Section contributions: each in a section, and of a module.
fn contributions(native: &NativeView<'_>, dbi: &Dbi, faults: &mut Faults) {
    let (sections, modules) = (native.addresses().named(), dbi.modules.len());
    for index in 0..dbi.contributions.len() {
        let (Some(found), Some(span)) = (dbi.contributions.get(index), dbi.contributions.span(index)) else { return };
        if faults.is_full() {
            return;
        }
        let place = Place::Contribution(index as u32);
        if usize::from(found.module) >= modules {
            let sentence = format!("a section contribution of module {}: there are {modules}", found.module);
            faults.add(place, Some(span.part(16, 2)), sentence);
        }
        if sections.is_empty() {
            continue;
        }
        let section = usize::from(found.section).checked_sub(1).and_then(|index| sections.get(index));
        let end = u64::from(found.offset) + u64::from(found.size);
        match section {
            None => {
                let sentence =
                    format!("a section contribution in section {}: there are {}", found.section, sections.len());
                faults.add(place, Some(span.part(0, 2)), sentence);
            }
            Some(SectionHeader { virtual_size, .. }) if end > u64::from(*virtual_size) => {
                let sentence = format!(
                    "a section contribution ends at {end:#x} of section {}, which has {virtual_size:#x} bytes",
                    found.section
                );
                faults.add(place, Some(span.part(4, 8)), sentence);
            }
            Some(_) => {}
        }
    }
}

/// Faults of the hash tables of global and public symbols: records that lead to no symbol. None where the symbol records themselves cannot be read.
pub(super) fn check_hashes(native: &NativeView<'_>, faults: &mut Faults) {
    let Some(dbi) = &native.view.pdb.dbi else { return };
    let globals = native.globals();
    if !globals.problems.is_empty() {
        return;
    }
    let (publics, others) = globals.offsets();
    let [publics, others] = [publics, others].map(|offsets| offsets.iter().copied().collect::<HashSet<u32>>());
    let (global, public) = (dbi.header.global_stream_index, dbi.header.public_stream_index);
    // A table that ends early, or of an older format, is a fault that is told already.
    let _ = hash_table(native, global, 0, &others, faults);
    let _ = hash_table(native, public, PsiHeader::SIZE, &publics, faults);
    let _ = address_map(native, public, &publics, faults);
}

/// The hash records of a table, `skipped` bytes after the start of its stream.
fn hash_table(
    native: &NativeView<'_>,
    stream: u16,
    skipped: u64,
    symbols: &HashSet<u32>,
    faults: &mut Faults,
) -> Result<()> {
    let Some(region) = (stream != NO_STREAM).then(|| native.view.region(stream.into())).flatten() else {
        return Ok(());
    };
    let mut cursor = region.slice().rest(skipped).cursor();
    let Some(layout) = GsiHeader::decode(&mut cursor)?.layout() else { return Ok(()) };
    let start = skipped + GsiHeader::SIZE;
    for index in 0..layout.records / HashRecord::SIZE {
        let span = region.span().part(start + index * HashRecord::SIZE, 4);
        let found = HashRecord::decode(&mut cursor)?;
        if !found.symbol.checked_sub(1).is_some_and(|at| symbols.contains(&at)) && !faults.is_full() {
            let what = if skipped == 0 { "global" } else { "public" };
            let sentence = format!(
                "a hash record says that a {what} symbol is at {:#x}, but there is none",
                i64::from(found.symbol) - 1
            );
            faults.add(Place::Record(stream.into(), span.start as u32), Some(span), sentence);
        }
    }
    Ok(())
}

/// The public symbols by address.
fn address_map(native: &NativeView<'_>, stream: u16, publics: &HashSet<u32>, faults: &mut Faults) -> Result<()> {
    let Some(region) = (stream != NO_STREAM).then(|| native.view.region(stream.into())).flatten() else {
        return Ok(());
    };
    let header = PsiHeader::decode(&mut region.cursor())?;
    let start = PsiHeader::SIZE + u64::from(header.hash_size);
    let map: Slice<'_> = region.slice().part(start, header.address_map_size.into())?;
    let mut cursor = map.cursor();
    while cursor.left() >= 4 {
        let span = map.span().part(cursor.consumed(), 4);
        let found = address_map_entry(&mut cursor)?;
        if !publics.contains(&found) && !faults.is_full() {
            let sentence = format!("the address map says that a public symbol is at {found:#x}, but there is none");
            faults.add(Place::Record(stream.into(), span.start as u32), Some(span), sentence);
        }
    }
    Ok(())
}
