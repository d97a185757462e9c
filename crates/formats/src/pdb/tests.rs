use std::collections::BTreeMap;
use std::sync::Arc;

use pdb::FallibleIterator;

use super::*;
use crate::bytes::{Cursor, Origin, Slice, Value};
use crate::codeview::c13::HIDDEN_LINE;
use crate::codeview::inline;
use crate::codeview::symbols::{Records, Symbol};

const TALLY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.pdb");

fn sample() -> Vec<u8> {
    let path = std::env::var("PDBLENS_NATIVE_PDB");
    std::fs::read(path.as_deref().unwrap_or(TALLY)).unwrap()
}

struct Opened {
    spaces: Spaces,
    pdb: Pdb,
    native: PdbTables,
}

fn open(bytes: &[u8]) -> Option<Opened> {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes.to_vec()).span().space;
    let msf = Msf::open(&mut spaces, file).ok()?;
    let pdb = Pdb::parse(&spaces, msf);
    Some(Opened { spaces, pdb, native: PdbTables::default() })
}

impl Opened {
    fn modules(&self) -> impl Iterator<Item = ModuleStream> {
        let count = self.pdb.modules().len() as u32;
        (0..count).filter_map(|number| ModuleStream::read(&self.pdb, &self.spaces, number).ok())
    }

    fn index(&self) -> &AddressIndex {
        self.native.index(&self.pdb, &self.spaces)
    }

    fn name(&self, function: &Function) -> String {
        let module = ModuleStream::read(&self.pdb, &self.spaces, function.module).unwrap();
        let record = module.symbol(function.symbol).unwrap();
        text(Symbol::decode(&mut record.slice.cursor()).unwrap().name)
    }
}

fn text(slice: Slice<'_>) -> String {
    String::from_utf8_lossy(slice.data).into_owned()
}

/// Asks everything that can be asked.
fn exhaust(opened: &Opened) {
    let Opened { spaces, pdb, native } = opened;
    for module in opened.modules() {
        for record in Records::of_module(&module.symbols()).map_while(Result::ok) {
            let _ = Symbol::decode(&mut Cursor::recording(record.slice));
        }
        assert!(module.lines().0.len() as u64 <= module.region.len());
        let _ = (module.source_files(&pdb.names).count(), module.inlinees());
    }
    let index = native.index(pdb, spaces);
    for function in index.functions() {
        if let Ok(module) = ModuleStream::read(pdb, spaces, function.module) {
            let _ = module.inline_sites_of(function.symbol, &module.inlinee_map());
        }
        native.addresses(pdb, spaces).rva(function.section, function.offset);
    }
    let globals = native.globals(pdb, spaces);
    let _ = (globals.publics().count(), globals.public_at((1, 5)));
}

#[test]
fn the_pdb_crate_sees_the_same_functions_lines_and_files() {
    let bytes = sample();
    let opened = open(&bytes).unwrap();
    let mut peer = pdb::PDB::open(std::io::Cursor::new(&bytes)).unwrap();
    let strings = peer.string_table().unwrap();
    let debug = peer.debug_information().unwrap();
    let mut modules = debug.modules().unwrap();
    let mut number = 0;
    let (mut functions, mut total) = (0, 0);
    while let Some(module) = modules.next().unwrap() {
        let Some(info) = peer.module_info(&module).unwrap() else {
            number += 1;
            continue;
        };
        let ours = ModuleStream::read(&opened.pdb, &opened.spaces, number).unwrap();
        let theirs = info.symbols().unwrap();
        let theirs: Vec<_> = theirs
            .filter_map(|symbol| {
                Ok(match symbol.parse() {
                    Ok(pdb::SymbolData::Procedure(p)) => Some((
                        symbol.index().0,
                        p.offset.section,
                        p.offset.offset,
                        p.len,
                        p.name.to_string().into_owned(),
                    )),
                    _ => None,
                })
            })
            .collect()
            .unwrap();
        let mut mine: Vec<_> = opened.index().functions().iter().filter(|f| f.module == number).collect();
        mine.sort_by_key(|f| f.symbol);
        let mine: Vec<_> = mine.iter().map(|f| (f.symbol, f.section, f.offset, f.len, opened.name(f))).collect();
        assert_eq!(mine, theirs);
        functions += mine.len();

        let program = info.line_program().unwrap();
        let theirs: Vec<_> = program
            .lines()
            .map(|line| {
                let columns = line.column_start.unwrap_or(0);
                Ok((line.offset.section, line.offset.offset, line.file_index.0, line.line_start, columns))
            })
            .collect()
            .unwrap();
        let (mine, problems) = ours.lines();
        assert_eq!(problems, []);
        total += mine.len();
        let shown = mine.iter().filter(|line| !line.is_hidden());
        let mine: Vec<_> = shown.map(|l| (l.section, l.offset, l.file, l.start_line, l.start_column as u32)).collect();
        // `pdb` leaves out hidden lines; that is the difference.
        let mut theirs_sorted = theirs.clone();
        let mut mine_sorted = mine.clone();
        theirs_sorted.sort_unstable();
        mine_sorted.sort_unstable();
        assert_eq!(mine_sorted, theirs_sorted);

        let theirs: Vec<_> = program
            .files()
            .map(|file| {
                Ok((file.name.to_raw_string(&strings)?.to_string().into_owned(), format!("{:?}", file.checksum)))
            })
            .collect()
            .unwrap();
        let files: Vec<_> = ours.source_files(&opened.pdb.names).map(Result::unwrap).collect();
        assert_eq!(
            files.iter().map(|file| &file.path).collect::<Vec<_>>(),
            theirs.iter().map(|(path, _)| path).collect::<Vec<_>>()
        );
        for (file, (_, checksum)) in files.iter().zip(&theirs) {
            let bytes = opened.spaces.read(file.checksum.checksum).unwrap();
            let kind = ["None", "Md5", "Sha1", "Sha256"][file.checksum.kind as usize];
            assert!(checksum.starts_with(kind), "{checksum}");
            assert!(checksum.ends_with(&format!("({bytes:?})")) || bytes.is_empty(), "{checksum} {bytes:?}");
        }

        compare_inlined(&ours, &info);
        number += 1;
    }
    assert!(functions > 0 && total > 0);
}

/// The inlinees, and the lines of each inlined call.
fn compare_inlined(ours: &ModuleStream, info: &pdb::ModuleInfo<'_>) {
    let theirs: BTreeMap<u32, pdb::Inlinee<'_>> = info
        .inlinees()
        .unwrap()
        .map(|inlinee| Ok((inlinee.index().0, inlinee)))
        .collect::<Vec<_>>()
        .unwrap()
        .into_iter()
        .collect();
    let (mine, error) = ours.inlinees();
    assert_eq!(error, None);
    assert_eq!(
        mine.iter().map(|inlinee| inlinee.id).collect::<std::collections::BTreeSet<_>>(),
        theirs.keys().copied().collect()
    );
    let mut symbols = info.symbols().unwrap();
    let (mut function, mut start) = (0, pdb::PdbInternalSectionOffset::default());
    let mut calls = 0;
    while let Some(symbol) = symbols.next().unwrap() {
        match symbol.parse() {
            Ok(pdb::SymbolData::Procedure(procedure)) => (function, start) = (symbol.index().0, procedure.offset),
            Ok(pdb::SymbolData::InlineSite(site)) => {
                let sites = ours.inline_sites_of(function, &ours.inlinee_map()).unwrap();
                let mine = sites.iter().find(|site| site.symbol == symbol.index().0).unwrap();
                assert_eq!(mine.id, site.inlinee.0);
                let lines = theirs[&site.inlinee.0].lines(start, &site);
                let lines: Vec<_> = lines
                    .map(|line| Ok((line.offset.offset, line.length.unwrap_or(0), line.file_index.0, line.line_start)))
                    .collect()
                    .unwrap();
                let mine: Vec<_> =
                    mine.lines.iter().map(|line| (line.offset, line.len, line.file, line.line)).collect();
                assert_eq!(mine, lines);
                calls += 1;
            }
            _ => {}
        }
    }
    assert_eq!(calls > 0, !mine.is_empty());
}

#[test]
fn the_pdb_crate_sees_the_same_publics_globals_and_addresses() {
    let bytes = sample();
    let opened = open(&bytes).unwrap();
    let globals = opened.native.globals(&opened.pdb, &opened.spaces);
    let addresses = opened.native.addresses(&opened.pdb, &opened.spaces);
    let mut peer = pdb::PDB::open(std::io::Cursor::new(&bytes)).unwrap();
    let map = peer.address_map().unwrap();
    let table = peer.global_symbols().unwrap();
    let (mut publics, mut others) = (Vec::new(), Vec::new());
    let mut symbols = table.iter();
    while let Some(symbol) = symbols.next().unwrap() {
        let data = symbol.parse().unwrap();
        let name = data.name().map_or(String::new(), |name| name.to_string().into_owned());
        if let pdb::SymbolData::Public(public) = data {
            let rva = public.offset.to_rva(&map).map(|rva| rva.0);
            publics.push((public.offset.section, public.offset.offset, rva, name));
        } else {
            others.push((symbol.raw_kind(), name));
        }
    }
    publics.sort();
    let mine: Vec<_> = globals
        .publics()
        .map(|symbol| symbol.map(|s| (s.section, s.offset, addresses.rva(s.section, s.offset), text(s.name))).unwrap())
        .collect();
    assert_eq!(mine, publics);
    let mine: Vec<_> = (0..globals.counts().1)
        .map(|row| globals.global(row).unwrap().read().unwrap())
        .map(|s| (s.kind, text(s.name)))
        .collect();
    assert_eq!(mine, others);
    for (section, offset, rva, _) in &publics {
        if let Some(rva) = rva {
            assert_eq!(addresses.section_offset(*rva), Some((*section, *offset)));
        }
        assert_eq!(globals.public_at((*section, *offset)).map(|found| found.offset), Some(*offset));
    }
}

#[test]
fn functions_are_found_by_address() {
    // llvm-pdbutil: add is at 0001:00000000, 132 bytes; clamp at 0001:00000090; entry at 0001:000000F0.
    let opened = open(&std::fs::read(TALLY).unwrap()).unwrap();
    let Opened { spaces, pdb, .. } = &opened;
    let index = opened.index();
    let named: BTreeMap<String, Function> = index.functions().iter().map(|f| (opened.name(f), *f)).collect();
    assert_eq!(named.keys().collect::<Vec<_>>(), ["add", "clamp", "entry"]);
    for function in named.into_values() {
        let at = |offset| index.function_at((function.section, function.offset + offset));
        assert_eq!((at(0), at(function.len - 1)), (Some(function), Some(function)));
        assert_ne!(at(function.len), Some(function));
    }
    let module = ModuleStream::read(pdb, spaces, 0).unwrap();
    let names = pdb.dbi.as_ref().unwrap().names_of(&module.module).unwrap();
    assert_eq!(
        (text(names.name), text(names.object)),
        ("/src/native/tally.obj".into(), "/src/native/tally.obj".into())
    );
    let line = module.lines().0[0];
    assert_eq!(module.source_file(&pdb.names, line.file).unwrap().path, "/src/native/tally.c");
}

#[test]
fn hidden_lines_and_the_ends_of_lines_are_kept() {
    // Lines of a subsection: with columns; the second line is hidden, the first one ends three lines on.
    let mut content = Vec::new();
    for number in [0x10_u32, 1 | 1 << 16, 0x20, 0, 2, 12 + 2 * 12, 0, 0x8300_0005, 4, 0x8000_0000 | HIDDEN_LINE] {
        content.extend(number.to_le_bytes());
    }
    content.extend(b"\x03\0\x09\0\0\0\0\0");
    let mut stream = vec![4, 0, 0, 0, 0xf2, 0, 0, 0, content.len() as u8, 0, 0, 0];
    stream.extend(&content);
    let module = Module {
        span: Span::default(),
        stream: 0,
        symbols_size: 4,
        c11_size: 0,
        c13_size: stream.len() as u32 - 4,
        file_count: 0,
    };
    let region = Region::whole(crate::bytes::SpaceId(0), Arc::new(stream));
    let module = ModuleStream { number: 0, module, region };
    let (lines, problems) = module.lines();
    assert_eq!(problems, []);
    let seen: Vec<_> =
        lines.iter().map(|l| (l.section, l.offset, l.start_line, l.end_line, l.start_column, l.end_column)).collect();
    assert_eq!(seen[0], (1, 0x10, 5, 8, 3, 9));
    assert!(lines[1].is_hidden() && lines[1].offset == 0x14);
    assert_eq!(module.blocks_of(12).unwrap().count(), 1);
    assert!(module.blocks_of(3).is_err() && module.blocks_of(4000).is_err());
}

#[test]
fn fields_tile_every_symbol_and_all_inlinees() {
    let opened = open(&sample()).unwrap();
    let globals = opened.native.globals(&opened.pdb, &opened.spaces);
    let tiled = |slice: Slice<'_>, decode: &dyn Fn(&mut Cursor<'_, crate::bytes::Recording>)| {
        let mut cursor = Cursor::recording(slice);
        decode(&mut cursor);
        let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
        let end = leaves.fold(slice.start, |end, leaf| {
            assert_eq!(leaf.span.start, end, "{}", leaf.name());
            leaf.span.end()
        });
        assert_eq!(end, slice.span().end());
    };
    let symbol = |slice: Slice<'_>| tiled(slice, &|c| assert!(Symbol::decode(c).is_ok()));
    for module in opened.modules() {
        for record in Records::of_module(&module.symbols()) {
            symbol(record.unwrap().slice);
        }
        if let Some(content) = module.subsection(inline::INLINEE_LINES) {
            tiled(content, &|c| inline::inlinees(c, |_| ()).unwrap());
        }
    }
    let (publics, others) = globals.counts();
    (0..publics).for_each(|row| symbol(globals.public(row).unwrap().slice));
    (0..others).for_each(|row| symbol(globals.global(row).unwrap().slice));
}

#[test]
fn cut_and_flipped_files_are_read_as_far_as_they_go() {
    let bytes = std::fs::read(TALLY).unwrap();
    let opened = open(&bytes).unwrap();
    for len in (0..bytes.len()).step_by(509) {
        open(&bytes[..len]).iter().for_each(exhaust);
    }
    // Every byte of the streams that are read here.
    let dbi = opened.pdb.dbi.as_ref().unwrap();
    let modules = dbi.modules.iter().filter_map(Module::stream);
    let streams = [streams::DBI, dbi.header.symbol_record_stream as u32, 11].into_iter().chain(modules);
    for stream in streams {
        let stream = opened.pdb.msf.stream(stream).unwrap();
        let all = Span::new(stream.space, 0, stream.size as u64);
        for piece in opened.spaces.resolve(all) {
            for at in piece.span.start..piece.span.end() {
                for bits in [0x01, 0x80, 0xff] {
                    let mut bytes = bytes.clone();
                    bytes[at as usize] ^= bits;
                    open(&bytes).iter().for_each(exhaust);
                }
            }
        }
    }
}
