//! Fields of all records of Windows PDBs: they tile their records, and each has a sentence.

use crate::bytes::{Cursor, Origin, Recording, Region, Result, Spaces};
use crate::codeview::c13::{self, Subsections};
use crate::codeview::symbols::{self, Records};
use crate::managed::WindowsPdb;
use crate::managed::source_file::{HeaderBlock, SourceFile};
use crate::managed::symbols::ManagedSymbol;
use crate::msf::Msf;
use crate::pdb::TpiHeader;
use crate::pdb::dbi::{self, Contributions, ModuleInfo, SectionMap, SourceInfo};
use crate::pdb::info::Info;
use crate::pdb::names::Names;
use crate::pdb::{StreamKind, streams};
use crate::testing::described_slice;

/// Decodes every record of a file that has a decoder, and checks its fields.
struct Walk;

impl Walk {
    /// Decodes all of `region`, which the fields must tile; all of them have a sentence.
    #[expect(clippy::unused_self, reason = "reads like the other steps of the walk")]
    fn all(&self, region: &Region, decode: impl FnOnce(&mut Cursor<'_, Recording>) -> Result<()>) {
        described_slice(region.slice(), decode);
    }

    fn module(&self, pdb: &WindowsPdb, spaces: &Spaces, number: u32) {
        let Ok((module, region)) = pdb.module(spaces, number) else { return };
        let symbols = module.symbols(&region);
        self.all(&symbols.clip(0, 4), |c| symbols::signature(c).map(drop));
        for record in Records::of_module(&symbols) {
            self.record(&symbols, record.unwrap());
        }
        let lines = module.c13(&region);
        for subsection in Subsections::new(lines.slice()) {
            let span = subsection.unwrap().span;
            self.all(&lines.clip(span.start - lines.span().start, span.len), c13::decode);
        }
    }

    fn record(&self, symbols: &Region, record: symbols::Record<'_>) {
        let span = record.span();
        self.all(&symbols.clip(span.start - symbols.span().start, span.len), |c| ManagedSymbol::decode(c).map(drop));
    }
}

fn walk(name: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(name);
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes(name, Origin::File(path.clone()), std::fs::read(path).unwrap()).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    let pdb = WindowsPdb::parse(&spaces, msf);
    let walk = Walk;
    let stream = |number: u32| pdb.stream(&spaces, number).unwrap();
    walk.all(&stream(streams::INFO), |c| Info::decode(c).map(drop));
    walk.all(&stream(streams::TPI).clip(0, 56), |c| TpiHeader::decode(c).map(drop));
    let dbi = pdb.dbi.as_ref().unwrap();
    let region = stream(streams::DBI);
    walk.all(&region.clip(0, 64), |c| dbi::DbiHeader::decode(c).map(drop));
    for module in &dbi.modules {
        walk.all(&region.clip(module.span.start, module.span.len), |c| ModuleInfo::decode(c).map(drop));
    }
    walk.all(&dbi.contributions.region.clip(0, 4), Contributions::decode_version);
    for index in 0..dbi.contributions.len() {
        let span = dbi.contributions.span(index).unwrap();
        walk.all(&region.clip(span.start, span.len), |c| Contributions::decode_record(c).map(drop));
    }
    walk.all(&dbi.section_map.region, SectionMap::decode);
    walk.all(&dbi.sources.region, SourceInfo::decode);
    walk.all(&dbi.edit_and_continue, Names::decode);
    let debug_header = dbi.header.debug_header_size as u64;
    walk.all(&region.clip(region.len() - debug_header, debug_header), dbi::debug_header);
    for number in 0..pdb.msf.stream_count() {
        let region = stream(number);
        match pdb.kind_of(number) {
            StreamKind::Named(index) => match pdb.info.names[index as usize].name.value.as_str() {
                "/names" => walk.all(&region, Names::decode),
                "/src/headerblock" => walk.all(&region, |c| HeaderBlock::decode(c).map(drop)),
                name if name.starts_with("/src/files/") => walk.all(&region, |c| SourceFile::decode(c).map(drop)),
                _ => {}
            },
            StreamKind::SymbolRecords => {
                let (len, mut read) = (region.len(), 0);
                for record in Records::new(region.slice(), 0).map_while(Result::ok) {
                    walk.record(&region, record);
                    read += record.slice.len();
                }
                assert!(len - read < 4, "{name}: {read} of {len}");
            }
            StreamKind::Module(module) => walk.module(&pdb, &spaces, module),
            _ => {}
        }
    }
}

#[test]
fn every_field_has_a_sentence_and_fields_tile_their_records() {
    ["workshop-windows/Workshop.pdb", "ledger-windows/Ledger.pdb", "native/tally.pdb"].into_iter().for_each(walk);
}
