//! Seeds of each target, taken out of the samples: whole files, and the records in them.

use pdblens::formats::il::Body;
use pdblens::formats::machine::Machine;
use pdblens::formats::metadata::{Heap, TableId};
use pdblens::formats::pdb::{Pdb, StreamKind};
use pdblens::formats::portable::custom::KINDS;
use pdblens::learn::codec::CODECS;
use pdblens::nodes::{self, Place};
use pdblens::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::containers::{assembly_store, cabinet, tar, webcil, webcil_module, xalz};
use crate::support::precompiled::{Precompiled, precompile};

/// Most seeds of one target that the samples give.
const MAX_SEEDS: usize = 600;

/// Seeds by the name of their target.
#[derive(Default)]
pub struct Seeds(BTreeMap<&'static str, BTreeSet<Vec<u8>>>);

const SRCSRV: &str = "SRCSRV: ini ------------------------------------------------\r
VERSION=2\r
SRCSRV: variables ------------------------------------------\r
SRCSRVTRG=http://example.test/%var2%/%fnfile%(%var1%)\r
SRCSRVCMD=get %SRCSRVTRG% %fnbksl%(%var3%)\r
SRCSRV: source files ---------------------------------------\r
C:\\src\\P.cs*tree/main*a/P.cs\r
SRCSRV: end ------------------------------------------------\r
";

const TRACES: &[&str] = &[
    "System.Exception: no\n   at Ticker.Clock.Since(Int64 since) in /_/ticker/Clock.cs:line 11\n   at Ticker.Clock.Main()\n",
    "   at Ticker!0x06000003!Ticker.Clock.Since(Int64 x) +0x2\n   at A!0x06000001!A.B(Int32 x) +0x1\n",
    "   at Ticker.Clock.Since(Int64 since) + 0x2\n  at Ticker.Clock.Since (System.Int64 since) [0x00002] in <0123456789abcdef0123456789abcdef>:0\n",
    "at Ticker.Clock.Since(Int64) at offset 2 in file:line:column <filename unknown>:0:0\n",
    "Ticker.dll!Ticker.Clock.Since(long since) Line 11\tC#\nTicker.dll!Ticker.Clock.Since+0x2\n00 0a0f Ticker!Ticker.Clock.Since+0x2\n",
    "{\"exception\":{\"values\":[{\"stacktrace\":{\"frames\":[{\"module\":\"Ticker.Clock\",\"function\":\"Since\",\"instruction_addr\":\"0x2\"}]}}]}}",
    "{\"msg\":\"boom\\n   at Ticker.Clock.Since(Int64 since)\\u002B\\n\"}\n",
];

const QUERIES: &[&str] = &[
    "0x06000003+0x2",
    "Clock.Since+15",
    "2+15",
    "Clock.cs:11",
    "Clock.cs:11:9",
    "0001:00000010",
    "method/Clock.Since",
];

const DECORATED: &[&str] = &[
    "?weigh@parcel@@YAHAEAV?$Stack@PEBVItem@parcel@@$07@1@@Z",
    "??0?$Stack@PEBVItem@parcel@@$07@parcel@@QEAA@XZ",
    "??_C@_05KJDGBEEG@small?$AA@",
    "??_7Box@parcel@@6BItem@1@@",
    "?grade@Box@parcel@@UEBA?AW4Grade@2@XZ",
    "??_B?1??f@@YAXXZ@51",
    "_ZN8geometry6square17hdbbe6f491e250efbE",
    "_RNvXCsdj8umbvlwlW_8geometryNtB2_5ShapeNtB2_4Area4area",
];

const SOURCE_LINK: &[&str] = &[
    r#"{"documents":{"/_/*":"https://example.test/raw/*"}}"#,
    r#"{"documents":{"C:\\src\\*":"https://example.test/a/*","C:\\src\\P.cs":"https://example.test/P.cs",}}"#,
];

const NUSPEC: &str = "\u{feff}<?xml version=\"1.0\"?><package xmlns=\"urn:x\"><metadata minClientVersion=\"2.12\"><id>A.B</id>
<version>1.0.0</version><authors>A &amp; B</authors><owners /><packageTypes><packageType name=\"SymbolsPackage\" /></packageTypes>
<!-- no --><description><![CDATA[<id>]]></description></metadata></package>";

const DEPS: &str = r#"{"runtimeTarget":{"name":".NETCoreApp,Version=v8.0"},"targets":{".NETCoreApp,Version=v8.0":{"App/1.0.0":{"runtime":{"App.dll":{}}}}},
"libraries":{"App/1.0.0":{"type":"project"},"Lib/2.0.0":{"type":"package","sha512":"sha512-x"},"Own/1.0.0":{"type":"project"}}}"#;

const SYMBOL_PATHS: &[&str] = &[
    "srv*C:\\cache*https://symbols.example.com/download",
    "cache*/tmp/c;srv*/a*/b*https://a.example;symsrv*symsrv.dll*/d*http://b.example;/plain;https://c.example/x;;SRV*",
];

const CONFIGS: &[&str] = &[
    "[check]\ndeny = [\"sources\", \"id\"]\nwarn = [\"paths\"]\nallow = ['lint']\n",
    "[check]\ndeny = [\n  \"sources\", # why\n  \"\"\"a\nb\"\"\",\n]\n[other]\nx = 1979-05-27T07:32:00Z\n",
];

/// CRC-32 as zip archives use it (polynomial 0xEDB88320, reflected).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

/// A zip archive of one stored file.
fn zip(name: &str, content: &[u8]) -> Vec<u8> {
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    // Flags, method, time and date; CRC-32, two sizes, length of the name and of the extra field.
    let len = content.len() as u32;
    let head = [vec![20, 0], vec![0; 8], numbers(&[crc32(content), len, len, name.len() as u32])].concat();
    let file = [b"PK\x03\x04".to_vec(), head.clone(), name.into(), content.into()].concat();
    let entry = [b"PK\x01\x02\x14\0".to_vec(), head, vec![0; 14], name.into()].concat();
    let sizes = numbers(&[entry.len() as u32, file.len() as u32]);
    [file, entry, b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec(), sizes, vec![0; 2]].concat()
}

/// The manifest of a single-file program with one file, which is the manifest's first bytes.
fn manifest(version: u32, name: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = [version, 0, 1].into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend_from_slice(b"\x02id");
    bytes.extend_from_slice(&vec![0; if version >= 2 { 40 } else { 0 }]);
    let packed: &[u64] = if version >= 6 { &[0] } else { &[] };
    bytes.extend([0, 8].iter().chain(packed).flat_map(|number: &u64| number.to_le_bytes()));
    bytes.extend_from_slice(&[1, name.len() as u8]);
    bytes.extend_from_slice(name.as_bytes());
    bytes
}

impl Seeds {
    /// Collects the seeds from the samples in the repository whose root is `root`.
    pub fn collect(root: &Path) -> Self {
        let mut seeds = Self::default();
        for text in TRACES {
            seeds.add("trace", text.as_bytes());
        }
        for text in QUERIES {
            seeds.add("places", text.as_bytes());
        }
        for text in DECORATED {
            seeds.add("decorated", text.as_bytes());
        }
        for text in SOURCE_LINK {
            seeds.add("source_link", text.as_bytes());
        }
        seeds.add("srcsrv", SRCSRV.as_bytes());
        seeds.add_texts(root);
        seeds.add("archives", &zip("lib/net8.0/A.dll", b"twelve bytes"));
        seeds.add("archives", &tar("lib/net8.0/A.dll", b"twelve bytes"));
        for version in [1, 2, 6] {
            seeds.add("archives", &manifest(version, "A.dll"));
        }
        let content = b"some bytes of an image".repeat(8);
        let payload = webcil(&content);
        for container in [
            xalz(&content),
            cabinet(&content),
            assembly_store("A.dll", &content, b"symbols"),
            webcil_module(&payload),
            payload,
        ] {
            seeds.add("archives", &container);
        }
        seeds.add("archives", &std::fs::read(root.join("tests/golden/msfz/Ticker.pdz")).unwrap_or_default());
        for folder in entries(&root.join("assets/samples")).into_iter().filter(|path| path.is_dir()) {
            seeds.add_files(&folder);
        }
        seeds
    }

    fn add_texts(&mut self, root: &Path) {
        self.add("nuspec", NUSPEC.as_bytes());
        self.add("deps_json", DEPS.as_bytes());
        for path in SYMBOL_PATHS {
            self.add("symbol_path", path.as_bytes());
        }
        // Views, a filter, a question, a small terminal, a click, a paste; 0x87 is Enter.
        for keys in [
            &b"2jjj\x87zz"[..],
            b"/Since\x87nN",
            b":method/2\x87",
            b"\xe0\x14\x05jjg",
            b"\xc0\x05\x08?",
            b"\xf9Ticker.cs",
        ] {
            self.add("keys", keys);
        }
        for text in CONFIGS {
            self.add("config", text.as_bytes());
        }
        for lesson in entries(&root.join("crates/learn/assets/lessons")) {
            self.add("config", &std::fs::read(lesson).unwrap_or_default());
        }
        for (index, codec) in (0..).zip(CODECS) {
            let (hex, text) = codec.example;
            for typed in [hex, text] {
                self.add("typed", &[&[index], typed.as_bytes()].concat());
            }
        }
    }

    /// The seeds of a target; at least one, which may be empty.
    pub fn of(&self, target: &str) -> Vec<Vec<u8>> {
        self.0.get(target).map_or_else(|| vec![Vec::new()], |seeds| seeds.iter().cloned().collect())
    }

    fn add(&mut self, target: &'static str, bytes: &[u8]) {
        let seeds = self.0.entry(target).or_default();
        if seeds.len() < MAX_SEEDS && bytes.len() < 1 << 17 {
            seeds.insert(bytes.to_vec());
        }
    }

    fn add_files(&mut self, folder: &Path) {
        self.add("nettrace", &std::fs::read(folder.join("Ticker.nettrace")).unwrap_or_default());
        let files: Vec<PathBuf> = entries(folder)
            .into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "dll" || e == "exe" || e == "pdb" || e == "mdb"))
            .collect();
        let mut images = Vec::new();
        for path in &files {
            let bytes = std::fs::read(path).unwrap_or_default();
            match bytes.get(..4) {
                Some(b"MZ\x90\0" | b"MZx\0") => {
                    self.add("pe", &bytes);
                    self.add("containers", &bytes);
                    if path.ends_with("ticker/Ticker.dll") {
                        let since = Precompiled {
                            row: 3,
                            fragments: vec![vec![0x90; 0x20]],
                            bounds: vec![[0, 1, 2], [4, 3, 2], [8, 10, 2]],
                            variables: vec![(0, 0, 4, vec![0, 7])],
                        };
                        self.add("r2r", &precompile(&bytes, 16, &[since]));
                    }
                    images.push(bytes.clone());
                }
                Some(b"BSJB") => self.add("portable", &bytes),
                Some(b"Micr") => {
                    self.add("msf", &bytes);
                    self.add("managed", &bytes);
                }
                _ => self.add("mdb", &bytes),
            }
        }
        let symbols = files.iter().filter_map(|path| std::fs::read(path).ok()).find(|bytes| !bytes.starts_with(b"MZ"));
        for image in images {
            let mut pair = (image.len() as u32).to_le_bytes().to_vec();
            pair.extend_from_slice(&image);
            pair.extend_from_slice(symbols.as_deref().unwrap_or_default());
            self.add("pair", &pair);
            self.add("deep", &pair);
        }
        if let Ok(session) = Session::open(&files[..files.len().min(2)]) {
            self.add_records(&session);
        }
    }

    fn add_records(&mut self, session: &Session) {
        if let Some(rows) = nodes::rows(session, Place::Places) {
            for row in rows.window(0..rows.len).filter_map(|row| row.place) {
                self.add("places", row.to_string().as_bytes());
            }
        }
        if let Some(image) = session.image()
            && let Some(machine) = Machine::of(image.machine()).filter(|_| image.metadata.is_none())
            && let Ok(code) =
                image.pe.rest_at_rva(image.pe.sections.first().map_or(0, |text| text.header.virtual_address))
        {
            for part in code.data.chunks(64).take(32) {
                self.add("machine", &[&[machine as u8], part].concat());
            }
        }
        if let Some(image) = session.image()
            && let Some(metadata) = &image.metadata
        {
            self.add("metadata", image.pe.metadata().unwrap_or_default().bytes());
            for (offset, _) in metadata.heaps.entries(Heap::Blobs) {
                self.add("signature", metadata.heaps.blob(offset).map_or(&[][..], |blob| blob.data));
            }
            let table = metadata.table(TableId::METHOD_DEF);
            for rva in (1..=table.rows()).filter_map(|row| table.cell(row, 0).ok()).filter(|rva| *rva > 0) {
                let body = image.pe.rest_at_rva(rva).ok().and_then(|slice| Some((slice, Body::parse(slice).ok()?)));
                if let Some((slice, body)) = body {
                    self.add("il", slice.at(body.span).map_or(&[][..], |slice| slice.data));
                }
            }
        }
        if let Some(pdb) = session.portable_pdb() {
            for row in 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION) {
                if let Ok(Some((_, blob))) = pdb.points_blob(row) {
                    self.add("points", blob.data);
                }
            }
            let table = pdb.metadata.table(TableId::CUSTOM_DEBUG_INFORMATION);
            for row in 1..=table.rows() {
                let guid = table.cell(row, 1).ok().and_then(|number| pdb.metadata.heaps.guid(number).ok().flatten());
                let kind = KINDS.iter().position(|kind| Some(kind.guid) == guid);
                if let (Some(kind), Ok(blob)) =
                    (kind, pdb.metadata.blob_cell(TableId::CUSTOM_DEBUG_INFORMATION, row, 2))
                {
                    let mut bytes = vec![kind as u8];
                    bytes.extend_from_slice(blob.data);
                    self.add("custom", &bytes);
                }
            }
        }
        let native = session.native_pdb().map(pdblens::symbols::WindowsSymbols::windows);
        if let Some(pdb) = native.or_else(|| session.windows_pdb()) {
            self.add_streams(session, pdb);
        }
    }

    fn add_streams(&mut self, session: &Session, pdb: &Pdb) {
        let spaces = session.spaces();
        for number in 0..pdb.modules().len() as u32 {
            if let Ok((module, region)) = pdb.module(spaces, number) {
                self.add("symbols", module.symbols(&region).bytes());
                self.add("c13", module.c13(&region).bytes());
            }
        }
        for stream in 0..pdb.msf.stream_count() {
            if matches!(pdb.kind_of(stream), StreamKind::Types | StreamKind::Ids)
                && let Ok(region) = pdb.stream(spaces, stream)
            {
                self.add("types", region.bytes());
            }
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.sort();
    found
}
