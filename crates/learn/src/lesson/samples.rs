//! Built-in samples: where an example comes from that the open files do not have.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pdblens_session::session::Session;

#[derive(Debug)]
pub struct BuiltIn {
    /// Name in messages.
    pub name: &'static str,
    /// Its folder in `assets/samples`.
    pub folder: &'static str,
    /// Format of its symbols, in words.
    pub about: &'static str,
    /// Names and bytes of the files; empty for the sample that opens when no file is named.
    files: &'static [(&'static str, &'static [u8])],
}

macro_rules! sample {
    ($($path:literal => $name:literal),+) => {
        &[$(($name, include_bytes!(concat!("../../assets/samples/", $path)))),+]
    };
}

/// Samples in the order in which they are asked for an example.
pub const BUILT_IN: [BuiltIn; 6] = [
    BuiltIn { name: "Ticker", folder: "ticker", about: "portable PDB", files: &[] },
    BuiltIn {
        name: "Workshop",
        folder: "workshop",
        about: "portable PDB with async methods",
        files: sample!("workshop/Workshop.dll" => "Workshop.dll", "workshop/Workshop.pdb" => "Workshop.pdb"),
    },
    BuiltIn {
        name: "Ticker (Windows PDB)",
        folder: "ticker-windows",
        about: "Windows PDB of managed code",
        files: sample!("ticker-windows/Ticker.dll" => "Ticker.dll", "ticker-windows/Ticker.pdb" => "Ticker.pdb"),
    },
    BuiltIn {
        name: "tally",
        folder: "native",
        about: "Windows PDB of native code with a srcsrv stream",
        files: sample!("native/tally.exe" => "tally.exe", "native/tally.pdb" => "tally.pdb"),
    },
    BuiltIn {
        name: "Ticker (ReadyToRun)",
        folder: "ticker-precompiled",
        about: "ReadyToRun image with the machine code of two methods",
        files: &[("Ticker.dll", include_bytes!("../../assets/precompiled/Ticker.dll"))],
    },
    BuiltIn {
        name: "Ticker (Mono)",
        folder: "ticker-mono",
        about: ".mdb file",
        files: sample!("ticker-mono/Ticker.exe" => "Ticker.exe", "ticker-mono/Ticker.exe.mdb" => "Ticker.exe.mdb"),
    },
];

/// The sample with an index into [`BUILT_IN`], opened the first time it is asked for.
pub fn session(index: usize) -> Option<&'static Arc<Session>> {
    static SESSIONS: [OnceLock<Option<Arc<Session>>>; BUILT_IN.len()] = [const { OnceLock::new() }; BUILT_IN.len()];
    let sample = BUILT_IN.get(index)?;
    let open = || {
        if sample.files.is_empty() {
            return Some(Arc::new(Session::sample()));
        }
        let files = sample.files.iter().map(|(name, bytes)| (PathBuf::from(name), bytes.to_vec())).collect();
        Session::from_bytes(files).ok().map(Arc::new)
    };
    SESSIONS.get(index)?.get_or_init(open).as_ref()
}

pub fn each() -> impl Iterator<Item = (&'static BuiltIn, &'static Arc<Session>)> {
    BUILT_IN.iter().enumerate().filter_map(|(index, sample)| Some((sample, session(index)?)))
}

/// The command that shows a place of a sample, which is added to it; `None` if `session` is of no sample.
pub fn command(session: &Arc<Session>) -> Option<String> {
    let is_it = |index: &usize| self::session(*index).is_some_and(|sample| Arc::ptr_eq(sample, session));
    let sample = BUILT_IN.get((0..BUILT_IN.len()).find(is_it)?)?;
    let file = sample.files.first().map_or("--sample", |(file, _)| file);
    Some(format!("pdblens show {file}"))
}
