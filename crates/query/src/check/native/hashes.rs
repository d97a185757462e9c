//! Hash tables of global and public symbols: records that lead to no symbol.

use std::collections::HashSet;

use super::Faults;
use pdblens_formats::bytes::{Result, Slice, Span};
use pdblens_formats::pdb::dbi::NO_STREAM;
use pdblens_formats::pdb::gsi::{GsiHeader, HashRecord, PsiHeader, address_map_entry};
use pdblens_nodes::Place;
use pdblens_nodes::function::NativeView;

/// Offsets of symbol records, by what they are.
struct Offsets {
    publics: HashSet<u32>,
    globals: HashSet<u32>,
}

/// Faults of both tables; none where the symbol records themselves cannot be read.
pub(super) fn check(native: &NativeView<'_>, faults: &mut Faults) {
    let Some(dbi) = &native.view.pdb.dbi else { return };
    let globals = native.globals();
    if !globals.problems.is_empty() {
        return;
    }
    let (publics, others) = globals.offsets();
    let offsets = Offsets { publics: publics.iter().copied().collect(), globals: others.iter().copied().collect() };
    let [globals, publics] = [dbi.header.global_stream_index, dbi.header.public_stream_index];
    // A table that ends early, or of an older format, is a fault that is told already.
    let _ = table(native, globals, 0, &offsets.globals, faults);
    let _ = table(native, publics, PsiHeader::SIZE, &offsets.publics, faults);
    let _ = address_map(native, publics, &offsets.publics, faults);
}

/// The hash records of a table, `skipped` bytes after the start of its stream.
fn table(
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
    let start = skipped.saturating_add(GsiHeader::SIZE);
    for index in 0..layout.records / HashRecord::SIZE {
        let span = region.span().part(start.saturating_add(index.saturating_mul(HashRecord::SIZE)), 4);
        let found = HashRecord::decode(&mut cursor)?;
        if !found.symbol.checked_sub(1).is_some_and(|at| symbols.contains(&at)) && !faults.is_full() {
            let what = if skipped == 0 { "global" } else { "public" };
            let sentence = format!(
                "a hash record says that a {what} symbol is at {:#x}, but there is none",
                i64::from(found.symbol).saturating_sub(1)
            );
            faults.add(at(stream, span), Some(span), sentence);
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
            faults.add(at(stream, span), Some(span), sentence);
        }
    }
    Ok(())
}

fn at(stream: u16, span: Span) -> Place {
    Place::Record(stream.into(), span.start as u32)
}
