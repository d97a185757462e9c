//! Seeds of each target, taken out of the samples: whole files, and the records in them.

use pdblens::formats::machine::Machine;
use pdblens::learn::codec::CODECS;
use pdblens::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::question;
use crate::support::containers::{assembly_store, cabinet, tar, webcil, webcil_module, xalz};
use crate::support::precompiled::{Precompiled, precompile};

/// Most seeds of one target that the samples give.
const MAX_SEEDS: usize = 3000;

/// Seeds by the name of their target.
#[derive(Default)]
pub struct Seeds(BTreeMap<&'static str, BTreeSet<Vec<u8>>>);

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

impl Seeds {
    /// Collects the seeds from the samples in the repository whose root is `root`.
    pub fn collect(root: &Path) -> Self {
        let mut seeds = Self::default();
        // Views, a filter, a question, a small terminal, a click, a paste; 0x87 is Enter.
        for keys in [
            &b"2jjj\x87zz"[..],
            b"/Since\x87nN",
            b":method/2\x87",
            b"\xe0\x14\x05jjg",
            b"\xc0\x05\x08?",
            b"\xf9Ticker.cs",
        ] {
            seeds.add("keys", keys);
        }
        // No change, and one of a byte.
        seeds.add("core", &[]);
        seeds.add("core", &[0, 1, 2, 3]);
        seeds.add("core", &[0, 1, 2, 3, 4]);
        for text in TRACES.iter().chain(QUERIES).chain(DECORATED) {
            seeds.ask(text.as_bytes(), question::TEXT_COMMANDS.len());
        }
        for codec in CODECS {
            for typed in [codec.example.0, codec.example.1] {
                seeds.ask(typed.as_bytes(), question::TEXT_COMMANDS.len());
            }
        }
        let content = std::fs::read(root.join("assets/samples/ticker/Ticker.dll")).unwrap_or_default();
        let payload = webcil(&content);
        let packed = [
            xalz(&content),
            cabinet(&content),
            assembly_store("A.dll", &content, b"symbols"),
            webcil_module(&payload),
            payload,
            tar("lib/net8.0/A.dll", &content),
        ];
        for container in &packed {
            seeds.ask(container, question::FILE_COMMANDS.len());
        }
        for folder in [
            "assets/packages",
            "tests/golden/msfz",
            "tests/golden/samples",
            "assets/samples/outage",
            "assets/samples/ticker",
        ] {
            for path in entries(&root.join(folder)) {
                let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                let bytes = std::fs::read(&path).unwrap_or_default();
                match ending {
                    "nupkg" | "snupkg" | "pdz" | "nettrace" => seeds.ask(&bytes, question::FILE_COMMANDS.len()),
                    "json" | "perf" => seeds.ask(&bytes, question::TEXT_COMMANDS.len()),
                    _ => {}
                }
            }
        }
        for folder in entries(&root.join("assets/samples")).into_iter().filter(|path| path.is_dir()) {
            seeds.add_files(&folder);
        }
        seeds
    }

    /// Adds an input of questions, once for each command.
    fn ask(&mut self, bytes: &[u8], commands: usize) {
        for command in 0..commands {
            self.add("question", &[bytes, &[command as u8]].concat());
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
                    if path.ends_with("ticker/Ticker.dll") {
                        let since = Precompiled {
                            row: 3,
                            fragments: vec![vec![0x90; 0x20]],
                            bounds: vec![[0, 1, 2], [4, 3, 2], [8, 10, 2]],
                            variables: vec![(0, 0, 4, vec![0, 7])],
                        };
                        images.push(precompile(&bytes, 16, &[since]));
                    }
                    images.push(bytes.clone());
                }
                Some(b"BSJB") => self.add("portable", &bytes),
                Some(b"Micr") => self.add("msf", &bytes),
                _ => self.add("mdb", &bytes),
            }
        }
        let symbols = files.iter().filter_map(|path| std::fs::read(path).ok()).find(|bytes| !bytes.starts_with(b"MZ"));
        for image in images {
            let mut pair = (image.len() as u32).to_le_bytes().to_vec();
            pair.extend_from_slice(&image);
            pair.extend_from_slice(symbols.as_deref().unwrap_or_default());
            self.add("pair", &pair);
            self.ask(&pair, question::PAIR_COMMANDS.len());
        }
        if let Ok(session) = Session::open(&files[..files.len().min(2)]) {
            self.add_code(&session);
        }
    }

    fn add_code(&mut self, session: &Session) {
        if let Some(image) = session.image()
            && let Some(machine) = Machine::of(image.machine()).filter(|_| image.metadata.is_none())
            && let Ok(code) =
                image.pe.rest_at_rva(image.pe.sections.first().map_or(0, |text| text.header.virtual_address))
        {
            for part in code.data.chunks(64).take(32) {
                self.add("machine", &[&[machine as u8], part].concat());
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
