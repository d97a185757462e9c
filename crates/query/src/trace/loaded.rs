//! Modules that the text lists: loaded modules of a debugger with their addresses, and modules of a crash dump.
//!
//! ```text
//! ModLoad: 00007ff6`12340000 00007ff6`12360000   C:\app\tally.exe
//! 00007ff6`12340000 00007ff6`12360000   tally      (deferred)             of the command lm
//! C:\app\tally.exe:tally.exe (00007FF612340000), size: 131072 (result: 0), SymType: …     of Unity's player
//! Module|tally.exe|1.0|tally.pdb|6E1A…1|0x…|0x…|1                         of Breakpad, machine-readable
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use pdblens_formats::bytes::Guid;
use regex::bytes::{Captures, Regex};

use super::forms;
use super::frame::Module;

const MAX_MODULES: usize = 4096;
const MAX_LEN: usize = 4096;

/// A path may have spaces. The name that `lm` writes has none, and remarks after it.
static DEBUGGER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"^[ \t]*(?:ModLoad: )?(?<start>%ADDRESS)[ \t]+(?<end>%ADDRESS)[ \t]+
        (?:.*[\\/](?<file>%MODULE)\s*$|(?<name>%MODULE)(?:\s|$))",
    )
});

static UNITY_PLAYER: LazyLock<Option<Regex>> =
    LazyLock::new(|| forms::compile(r":(?<name>%MODULE) \((?<start>%ADDRESS)\), size: (?<size>\d+)"));

static CRASH_DUMP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"^Module\|(?<name>%MODULE)\|[^|]*\|(?<symbols>[^|]*)\|(?<guid>[0-9A-Fa-f]{32})(?<age>[0-9A-Fa-f]{1,8})\|",
    )
});

/// Modules with the addresses that they take, the last that was loaded first.
#[derive(Debug, Default)]
pub(super) struct LoadedModules {
    modules: Vec<(Range<u64>, String)>,
    /// Modules of a crash dump, by the names in its frames, with the ids of their symbols.
    by_id: Vec<(String, Module)>,
}

impl LoadedModules {
    /// Keeps the module that a line of text names, if it does.
    pub(super) fn see(&mut self, line: &[u8]) {
        // The first line that Breakpad writes of a dump.
        if line.starts_with(b"OS|") {
            self.by_id.clear();
        }
        if self.by_id.len() < MAX_MODULES {
            self.by_id.extend(module_of_dump(line));
        }
        if self.modules.len() < MAX_MODULES {
            self.modules.extend(module(line));
        }
    }

    /// The module of a frame, by the id that a line before it gave for its name.
    pub(super) fn by_id(&self, module: &Module) -> Option<Module> {
        let Module::File(name) = module else { return None };
        self.by_id.iter().rfind(|(known, _)| known == name).map(|(_, module)| module.clone())
    }

    /// The module at an address, and the offset of the address in it.
    pub(super) fn at(&self, address: u64) -> Option<(&str, u64)> {
        let (range, name) = self.modules.iter().rfind(|(range, _)| range.contains(&address))?;
        Some((name, address.saturating_sub(range.start)))
    }
}

fn text(found: &Captures<'_>, group: &str) -> Option<String> {
    found.name(group).map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned())
}

/// An address, which may have a grave accent in the middle.
fn address(found: &Captures<'_>, group: &str) -> Option<u64> {
    u64::from_str_radix(&text(found, group)?.replace('`', ""), 16).ok()
}

/// Loaded module in a list of a debugger or of Unity's player, and its range of addresses.
fn module(line: &[u8]) -> Option<(Range<u64>, String)> {
    let line = line.get(..line.len().min(MAX_LEN))?;
    if let Some(found) = forms::captures(&DEBUGGER, line) {
        let range = address(&found, "start")?..address(&found, "end")?;
        let name = text(&found, "file").or_else(|| text(&found, "name"))?;
        return if range.is_empty() { None } else { Some((range, name)) };
    }
    let found = forms::captures(&UNITY_PLAYER, line)?;
    let start = address(&found, "start")?;
    let size: u64 = text(&found, "size")?.parse().ok()?;
    Some((start..start.checked_add(size)?, text(&found, "name")?))
}

/// The module of a crash dump, by the id of its symbols. Ids of nothing but zeros say nothing.
fn module_of_dump(line: &[u8]) -> Option<(String, Module)> {
    let found = forms::captures(&CRASH_DUMP, line.get(..line.len().min(MAX_LEN))?)?;
    let guid: Guid = text(&found, "guid")?.parse().ok()?;
    if guid.is_nil() {
        return None;
    }
    let age = u32::from_str_radix(&text(&found, "age")?, 16).ok()?;
    let name = text(&found, "name")?;
    let symbols = text(&found, "symbols").filter(|symbols| !symbols.is_empty());
    let symbols = symbols.unwrap_or_else(|| name.clone());
    Some((name, Module::Symbols(guid, Some(age), symbols)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_led_to_their_modules() {
        let mut loaded = LoadedModules::default();
        for line in [
            "ModLoad: 00007ff6`12340000 00007ff6`12360000   C:\\my app\\tally.exe",
            "00400000 00410000   clock      (deferred)",
            "00410000 00400000   backwards",
            "start    end        module name",
            "C:\\My Game\\shop.exe:shop.exe (00007FF63AC00000), size: 4096 (result: 0), SymType: '-exported-'",
        ] {
            loaded.see(line.as_bytes());
        }
        assert_eq!(loaded.at(0x7ff6_1234_1079), Some(("tally.exe", 0x1079)));
        assert_eq!(loaded.at(0x40_0010), Some(("clock", 0x10)));
        assert_eq!(loaded.at(0x7ff6_3ac0_0fff), Some(("shop.exe", 0xfff)));
        assert_eq!((loaded.at(0x41_0000), loaded.modules.len()), (None, 3));
    }
}
