//! Decoders and text inputs that are fed arbitrary bytes. `fuzz/` includes this file: libFuzzer and the stable mutation driver run
//! the same functions. A target fails by a panic, or by its time and memory.

use object::LittleEndian;
use object::pe::ImageSectionHeader;
use object::read::pe::{PeFile32, PeFile64, SectionTable};
use pdblens::bytes::{Cursor, Origin, Region, Slice, SpaceId, Spaces};
use pdblens::formats::codeview::{c13, inline, symbols as records, types as leaves};
use pdblens::formats::container::{MAX_ENTRY, assembly_store, bundle, cabinet, tar, wrapped, zip};
use pdblens::formats::machine::Machine;
use pdblens::formats::managed::{self, WindowsPdb};
use pdblens::formats::mdb::Mdb;
use pdblens::formats::metadata::{Heap, Metadata, Root, TableId, Token, heaps, root};
use pdblens::formats::msf::Msf;
use pdblens::formats::native_map::NativeMap;
use pdblens::formats::pdb::{StreamKind, TypeStream, names, write::put_stream};
use pdblens::formats::pe::{LinkerTables, Payload, Pe};
use pdblens::formats::portable::{PortablePdb, custom, points as portable_points};
use pdblens::formats::r2r::ReadyToRun;
use pdblens::formats::srcsrv::SrcSrv;
use pdblens::formats::{host, il as msil, inflate, signature as signatures};
use pdblens::learn::handout::{Answers, Format, Handout};
use pdblens::nodes::{self, Place};
use pdblens::query::address::{parse_line, parse_offset};
use pdblens::query::breakpoint::bind;
use pdblens::query::check::check;
use pdblens::query::coverage::coverage;
use pdblens::query::diff::diff;
use pdblens::query::native_where::native_where;
use pdblens::query::statement::Statements;
use pdblens::query::where_is::{explain_text, where_is};
use pdblens::session::Session;
use pdblens::source::SourceOptions;
use pdblens::source::source_link::SourceLinkMap;
use pdblens::source::srcsrv::Evaluator;
use pdblens::text::demangle::demangled;
use pdblens::trace::{Sink, Told, Tracer};
use std::io;
use std::sync::{Arc, OnceLock};

use super::keys::keys;
use super::structure::Shape;
use super::texts;
use super::walk::ask;

/// A function that is fed arbitrary bytes.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Most bytes of an input: whole files are slow.
    pub max_len: usize,
    /// The structure that mutations keep.
    pub shape: Shape,
}

const fn target(name: &'static str, run: fn(&[u8]), max_len: usize) -> Target {
    Target { name, run, max_len, shape: Shape::Bytes }
}

impl Target {
    const fn of(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }
}

/// All targets. Each has a file of its name in `fuzz/fuzz_targets`.
pub const TARGETS: &[Target] = &[
    target("signature", signature, 1 << 10),
    target("il", il, 1 << 12),
    target("machine", machine, 1 << 10),
    target("points", points, 1 << 12),
    target("custom", custom_debug, 1 << 12),
    target("symbols", symbols, 1 << 14),
    target("types", types, 1 << 14),
    target("c13", c13_lines, 1 << 14),
    target("srcsrv", srcsrv, 1 << 13),
    target("containers", containers, 1 << 14).of(Shape::Image),
    target("archives", archives, 1 << 13),
    target("source_link", source_link, 1 << 12),
    target("decorated", decorated, 1 << 9),
    target("places", places, 1 << 10),
    target("trace", trace, 1 << 14),
    target("mdb", mdb, 1 << 14),
    target("metadata", metadata, 1 << 16).of(Shape::Metadata),
    target("pe", pe, 1 << 16).of(Shape::Image),
    target("msf", msf, 1 << 17).of(Shape::Msf),
    target("managed", managed_pdb, 1 << 17).of(Shape::Msf),
    target("portable", portable, 1 << 16).of(Shape::Metadata),
    target("pair", pair, 1 << 17).of(Shape::Pair),
    target("deep", deep, 1 << 17).of(Shape::Pair),
    target("r2r", r2r, 1 << 17).of(Shape::Image),
    target("nettrace", nettrace, 1 << 16),
    target("nuspec", texts::nuspec, 1 << 12),
    target("deps_json", texts::dependencies, 1 << 12),
    target("typed", texts::typed, 1 << 10),
    target("symbol_path", texts::symbol_path, 1 << 10),
    target("config", texts::config, 1 << 12),
    target("keys", keys, 1 << 8),
];

fn region(data: &[u8]) -> Region {
    Region::whole(SpaceId(0), Arc::new(data.to_vec()))
}

/// Decodes twice, with and without recorded fields: the two must agree on success.
pub fn both<T, U, E>(
    data: &[u8],
    plain: impl FnOnce(&mut Cursor<'_>) -> Result<T, E>,
    recorded: impl FnOnce(&mut Cursor<'_, pdblens::bytes::Recording>) -> Result<U, E>,
) {
    let slice = Slice::new(data, SpaceId(0), 0);
    let mut cursor = Cursor::recording(slice);
    let recorded = recorded(&mut cursor).is_ok();
    for field in cursor.fields() {
        assert!(field.span.end() <= data.len() as u64, "a field outside of its bytes");
    }
    let plain = plain(&mut slice.cursor()).is_ok();
    assert!(plain || !recorded, "recorded fields of what cannot be decoded");
}

pub fn signature(data: &[u8]) {
    both(data, signatures::decode, signatures::decode);
    both(data, signatures::decode_type, signatures::decode_type);
}

pub fn il(data: &[u8]) {
    both(data, msil::Body::decode, msil::Body::decode);
    let slice = Slice::new(data, SpaceId(0), 0);
    if let Ok(body) = msil::Body::parse(slice) {
        let count = msil::Instructions::new(slice.at(body.code).unwrap_or_default()).count();
        assert!(count <= data.len() + 1);
    }
}

/// The first byte chooses the instruction set, and adds it to an address near the end of the address space.
pub fn machine(data: &[u8]) {
    let Some((first, code)) = data.split_first() else { return };
    let machine = [Machine::X86, Machine::X64, Machine::Arm64][usize::from(*first) % 3];
    let address = if *first < 128 { 0x1_4000_1000 } else { u64::MAX - u64::from(*first) };
    let mut end = 0;
    for instruction in machine.disassemble(code, address) {
        assert_eq!(instruction.offset, end, "instructions tile the code");
        end = instruction.end();
        let bytes = &code[instruction.offset as usize..end as usize];
        assert_eq!(machine.parts(bytes).iter().map(|part| part.1).sum::<u64>(), bytes.len() as u64, "parts tile it");
        assert!(!machine.text(bytes, address.wrapping_add(instruction.offset.into())).mnemonic.is_empty());
    }
    assert_eq!(end as usize, code.len());
}

pub fn points(data: &[u8]) {
    both(data, |c| portable_points::Header::decode(c, 0), |c| portable_points::decode(c, 0));
    let slice = Slice::new(data, SpaceId(0), 0);
    if let Ok(points) = portable_points::Points::new(slice, 0) {
        assert!(points.count() <= data.len() + 1);
    }
    portable_points::find(slice, 1, 7);
}

/// The first byte chooses the kind.
pub fn custom_debug(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let kind = &custom::KINDS[*first as usize % custom::KINDS.len()];
    let slice = Slice::new(rest, SpaceId(0), 0);
    both(rest, |_| custom::validate(kind.guid, slice), |c| custom::explain(kind.guid, c));
    let _ = custom::tree(kind.guid, slice);
}

fn each_symbol(region: &Region, at: u64) {
    for record in records::Records::new(region.slice(), at).map_while(Result::ok) {
        let _ = record.read();
        let _ = managed::symbols::ManagedSymbol::read(record);
        let _ = records::Symbol::decode(&mut Cursor::recording(record.slice));
    }
}

pub fn symbols(data: &[u8]) {
    let region = region(data);
    each_symbol(&region, 0);
    each_symbol(&region, 4);
    let _ = managed::custom::decode(&mut region.cursor());
    let _ = managed::async_info::AsyncInfo::decode(&mut region.cursor());
    let _ = managed::source_file::SourceFile::decode(&mut region.cursor());
}

pub fn types(data: &[u8]) {
    both(data, |c| leaves::TypeData::decode(c).map(drop), |c| leaves::TypeData::decode(c).map(drop));
    let types = TypeStream::parse(region(data));
    for record in types.iter().take(4096) {
        let _ = record.read();
        types.members(record.index);
    }
}

pub fn c13_lines(data: &[u8]) {
    both(data, c13::decode, c13::decode);
    let slice = Slice::new(data, SpaceId(0), 0);
    for part in c13::Subsections::new(slice).map_while(Result::ok) {
        for block in c13::blocks(part.content).into_iter().flatten().map_while(Result::ok) {
            block.each(|_| ());
        }
        for entry in c13::Checksums(part.content).iter() {
            drop(entry);
        }
        let _ = inline::inlinees(&mut part.content.cursor(), |_| ());
        for point in c13::LinePoints::new(part.content, 0, |file| file).into_iter().flatten() {
            drop(point);
        }
    }
    let start = inline::InlineLine { offset: 0, len: 0, file: 0, line: 1 };
    let _ = inline::annotated(slice, start);
}

pub fn srcsrv(data: &[u8]) {
    let srcsrv = SrcSrv::parse(region(data));
    let evaluator = Evaluator::new(&srcsrv);
    for index in 0..srcsrv.files.len().min(64) {
        evaluator.file(index);
    }
    evaluator.find("C:\\src\\P.cs");
    let _ = SrcSrv::decode(&mut region(data).cursor());
}

/// Programs of other systems and bundles, and the deflate streams in files.
pub fn containers(data: &[u8]) {
    host::binary(data);
    host::host(data);
    let _ = inflate::inflate(Slice::new(data, SpaceId(0), 0), 1 << 16, 1 << 16);
    let _ = Session::from_bytes(vec![("file".into(), data.to_vec())])
        .map(|session| nodes::context(&session, Place::Overview));
}

/// Lists of zip and tar archives and of single-file programs, and the entries in them.
pub fn archives(data: &[u8]) {
    let bundle = host::Bundle { manifest: 0, version: None, files: 0, id: String::new() };
    let store = assembly_store::find(data).map_or_else(|| Ok(Vec::new()), |at| assembly_store::list(data, at, ""));
    let zip = zip::list(io::Cursor::new(data));
    let lists = [zip, tar::list(data), bundle::list(data, &bundle), cabinet::list(data), store];
    for entry in lists.into_iter().flatten().flat_map(|entries| entries.into_iter().take(16)) {
        let end = entry.offset.saturating_add(entry.packed);
        let packed = data.get(entry.offset as usize..end as usize).unwrap_or_default();
        if let Ok(content) = entry.unpack(packed.to_vec()) {
            assert_eq!(content.len() as u64, entry.size, "{entry:?}");
        }
    }
    if let Some(Ok(file)) = wrapped::unwrap(data) {
        assert!(file.bytes.len() as u64 <= MAX_ENTRY);
    }
}

pub fn source_link(data: &[u8]) {
    let Ok(map) = SourceLinkMap::parse(&String::from_utf8_lossy(data)) else { return };
    for path in ["/_/src/P.cs", r"C:\src\P.cs", ""] {
        map.url(path);
        map.relative(path);
    }
}

fn sample() -> &'static Arc<Session> {
    static SAMPLE: OnceLock<Arc<Session>> = OnceLock::new();
    SAMPLE.get_or_init(|| Arc::new(Session::sample()))
}

/// Questions as they are typed: a place, an offset, a line.
/// Decorated names of functions, data and constants.
pub fn decorated(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    assert!(demangled(&text).is_none_or(|name| name.len() <= 1 << 12), "{text}");
}

pub fn places(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let session = sample();
    if let Ok(place) = text.parse::<Place>() {
        assert_eq!(place.to_string().parse(), Ok(place), "{place}");
        nodes::context(session, place);
        nodes::fields(session, place);
    }
    if let Ok(query) = parse_offset(session, &text) {
        let answer = where_is(session, query.of, query.offset);
        assert!(!explain_text::sentences(session, &answer).is_empty());
    }
    if let Ok(query) = parse_line(session, &text) {
        bind(session, &query);
    }
    let _ = nodes::resolve(session, &text).map(|place| nodes::context(session, place));
}

/// Counts what is written: the filter drops nothing.
struct Counted(usize);

impl Sink for Counted {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.0 += text.len();
        Ok(())
    }

    fn frame(&mut self, _told: &Told<'_>) -> io::Result<()> {
        Ok(())
    }
}

pub fn trace(data: &[u8]) {
    let mut written = Counted(0);
    Tracer::new(Vec::new()).with(Arc::clone(sample())).run(data, &mut written).unwrap();
}

pub fn mdb(data: &[u8]) {
    let Ok(mdb) = Mdb::parse(region(data)) else { return };
    for (index, method) in mdb.methods().iter().enumerate().take(512) {
        let _ = (mdb.data(method), mdb.points_of(method), mdb.locals(method.token), mdb.scopes(method.token));
        mdb.index(method.token);
        mdb.parts_of(index as u32);
    }
    for number in 1..=mdb.units().len().min(256) {
        let _ = mdb.unit(number as u32);
    }
    mdb.anonymous_scopes();
    for part in mdb.parts().take(4096) {
        if let Ok(slice) = mdb.slice(part) {
            let _ = mdb.decode(part, &mut Cursor::recording(slice));
        }
    }
}

pub fn metadata(data: &[u8]) {
    let region = region(data);
    let _ = root::explain(&mut Cursor::recording(region.slice()));
    let Ok(root) = Root::parse(region) else { return };
    read_metadata(&Metadata::parse(root, &[0; 64]));
}

fn read_metadata(metadata: &Metadata) {
    metadata.problems().for_each(drop);
    for table in TableId::all().map(|id| metadata.table(id)) {
        let rows = table.rows();
        for row in (1..=rows.min(16)).chain(rows.saturating_sub(4)..=rows) {
            for column in 0..table.columns().len() {
                let _ = table.cell(row, column);
                let _ = (metadata.string_cell(table.id, row, column), metadata.blob_cell(table.id, row, column));
            }
        }
    }
    for heap in [Heap::Strings, Heap::UserStrings, Heap::Guids, Heap::Blobs] {
        for (offset, span) in metadata.heaps.entries(heap).take(128) {
            assert!(metadata.heaps.get(heap).span().covers(span), "{heap:?} {offset:#x}");
            if heap == Heap::Blobs
                && let Ok(blob) = metadata.heaps.blob(offset)
            {
                let _ = signatures::decode(&mut blob.cursor());
            }
        }
    }
    let _ = heaps::explain(&mut metadata.heaps.get(Heap::Blobs).cursor(), Heap::Blobs);
}

/// The tables of a ReadyToRun image, record by record, and its rules.
pub fn r2r(data: &[u8]) {
    let Ok(session) = Session::from_bytes(vec![("App.dll".into(), data.to_vec())]) else { return };
    if session.image().is_some_and(|image| ReadyToRun::of(&image.pe).is_some()) {
        coverage(&session);
        check(&session, &SourceOptions::default());
        for row in 1..=session.methods().min(64) {
            native_where(&session, Token::new(TableId::METHOD_DEF, row), 1);
        }
    }
}

pub fn nettrace(data: &[u8]) {
    let methods = NativeMap::read(data).map_or_else(Vec::new, |map| map.methods);
    assert!(methods.iter().all(|method| method.bounds.is_sorted_by_key(|bound| bound.native)));
}

pub fn pe(data: &[u8]) {
    let Ok(pe) = Pe::parse(region(data)) else { return };
    agrees_with_object(data, &pe);
    LinkerTables::read(&pe).problems(&pe).for_each(drop);
    for entry in &pe.debug {
        if let Ok(Payload::EmbeddedPortablePdb(embedded)) = &entry.payload {
            let _ = embedded.inflate(pe.region(), 1 << 20);
        }
    }
    if let Some(root) = pe.metadata().and_then(|region| Root::parse(region).ok()) {
        let metadata = Metadata::parse(root, &[0; 64]);
        for row in 1..=metadata.rows(TableId::METHOD_DEF).min(64) {
            let rva = metadata.table(TableId::METHOD_DEF).cell(row, 0).unwrap_or_default();
            if let Ok(slice) = pe.rest_at_rva(rva) {
                let _ = msil::Body::parse(slice)
                    .map(|body| msil::Instructions::new(slice.at(body.code).unwrap_or_default()).count());
            }
        }
    }
}

/// Compares the headers of sections with those of the crate `object`, where both read the image.
fn agrees_with_object(data: &[u8], pe: &Pe) {
    let read = |table: &SectionTable<'_>| -> Vec<[u32; 4]> {
        let sections = table.iter();
        let numbers =
            |s: &ImageSectionHeader| [s.virtual_address, s.virtual_size, s.pointer_to_raw_data, s.size_of_raw_data];
        sections.map(|section| numbers(section).map(|number| number.get(LittleEndian))).collect()
    };
    let wide = PeFile64::parse(data).map(|file| read(&file.section_table()));
    let Ok(theirs) = wide.or_else(|_| PeFile32::parse(data).map(|file| read(&file.section_table()))) else { return };
    let ours = pe.sections.iter().map(|section| &section.header);
    let ours = ours.map(|s| [s.virtual_address, s.virtual_size, s.pointer_to_raw_data, s.size_of_raw_data]);
    // Only so many sections are read.
    assert!(theirs.starts_with(&ours.collect::<Vec<_>>()), "sections: {:?} {theirs:?}", pe.sections);
}

fn opened(data: &[u8]) -> Option<(Spaces, Msf)> {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("fuzz", Origin::File("fuzz.pdb".into()), data.to_vec()).span().space;
    let msf = Msf::open(&mut spaces, file).ok()?;
    Some((spaces, msf))
}

pub fn msf(data: &[u8]) {
    let Some((spaces, msf)) = opened(data) else { return };
    let map = msf.page_map(&spaces);
    for page in 0..msf.file_pages().min(512) {
        map.owner(&msf, page);
        msf.place_of(&spaces, page as u64 * msf.page_size() as u64);
    }
    for stream in msf.streams().take(64) {
        let _ = spaces.region(stream.space);
    }
    agrees_with_pdb(data, &spaces, &msf);
    if let Ok(edit) = put_stream(&msf, &spaces, "srcsrv", b"SRCSRV: end") {
        // The copy can be opened, and has the stream.
        if edit.len < 1 << 22 {
            let mut copy = data.to_vec();
            copy.resize(edit.len as usize, 0);
            for patch in &edit.patches {
                copy[patch.offset as usize..][..patch.bytes.len()].copy_from_slice(&patch.bytes);
            }
            opened(&copy);
        }
    }
}

/// Compares the streams with those of the crate `pdb`, where both read one.
fn agrees_with_pdb(data: &[u8], spaces: &Spaces, msf: &Msf) {
    let Ok(mut peer) = pdb::PDB::open(io::Cursor::new(data)) else { return };
    for stream in msf.streams().take(64) {
        let Ok(theirs) = peer.raw_stream(pdb::StreamIndex(stream.index as u16)) else { continue };
        if let (Some(theirs), Ok(ours)) = (theirs, spaces.region(stream.space)) {
            assert_eq!(ours.bytes(), theirs.as_slice(), "stream {}", stream.index);
        }
    }
}

pub fn managed_pdb(data: &[u8]) {
    let Some((spaces, msf)) = opened(data) else { return };
    let pdb = WindowsPdb::parse(&spaces, msf);
    for row in 1..=pdb.documents().len().min(64) as u32 {
        pdb.source_file(&spaces, row);
    }
    for entry in pdb.method_index(&spaces).entries().iter().take(64) {
        if let Ok(method) = pdb.method(&spaces, entry.token) {
            pdb.imports(&spaces, &method);
        }
        if let Ok(Some(lines)) = pdb.lines_of(&spaces, *entry) {
            let _ = lines.points().map(Iterator::count);
        }
    }
    for number in 0..pdb.modules().len().min(64) as u32 {
        let Ok((module, region)) = pdb.module(&spaces, number) else { continue };
        each_symbol(&module.symbols(&region), 4);
        c13_lines(module.c13(&region).bytes());
    }
    for stream in 0..pdb.msf.stream_count().min(64) {
        let Ok(region) = pdb.stream(&spaces, stream) else { continue };
        match pdb.kind_of(stream) {
            StreamKind::Types | StreamKind::Ids => types(region.bytes()),
            StreamKind::Named(_) => drop(names::Names::parse(&region)),
            _ => {}
        }
    }
}

pub fn portable(data: &[u8]) {
    let Ok(pdb) = PortablePdb::parse(region(data)) else { return };
    for row in 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION).min(256) {
        if let Ok(Some(points)) = pdb.points(row) {
            points.for_each(drop);
        }
        pdb.kickoff(row);
        pdb.move_next(row);
    }
    read_metadata(&pdb.metadata);
    ask(vec![("Fuzz.pdb", data.to_vec())], 24);
}

/// The first four bytes are the length of the image; the symbols follow it.
pub fn pair(data: &[u8]) {
    ask(files_of_pair(data), 48);
}

/// Whole questions about a pair: the document of `dump`, `check`, `info --coverage`, `diff`, and handouts of some records.
pub fn deep(data: &[u8]) {
    let files = files_of_pair(data).into_iter().map(|(name, bytes)| (name.into(), bytes)).collect();
    let Ok(session) = Session::from_bytes(files) else { return };
    pdblens::cli::document(&session, &mut io::sink()).unwrap();
    if let Some(statements) = Statements::new(&session) {
        (1..=session.methods().min(200)).for_each(|row| drop(statements.of(Token::new(TableId::METHOD_DEF, row))));
    }
    check(&session, &SourceOptions::default());
    coverage(&session);
    assert!(diff(&session, &session).changes.is_empty(), "a pair differs from itself");
    let rows = nodes::rows(&session, Place::Places);
    for place in rows.iter().flat_map(|rows| rows.window(0..24)).filter_map(|row| row.place) {
        let Some(steps) = pdblens::learn::steps(&session, place) else { continue };
        let handout = Handout { steps: &steps, command: String::new(), answers: Answers::Shown };
        assert!(!handout.print(Format::Html).is_empty());
    }
}

/// Image and symbols of an input, whose first four bytes are the size of the image.
fn files_of_pair(data: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let Some((len, rest)) = data.split_first_chunk::<4>() else { return Vec::new() };
    let (image, symbols) = rest.split_at((u32::from_le_bytes(*len) as usize).min(rest.len()));
    let files = [("Fuzz.dll", image), ("Fuzz.pdb", symbols)];
    files.into_iter().filter(|(_, bytes)| !bytes.is_empty()).map(|(name, bytes)| (name, bytes.to_vec())).collect()
}
