//! Addresses in memory, and the modules that a debugger says are loaded there.
//!
//! ```text
//! ModLoad: 00007ff6`12340000 00007ff6`12360000   C:\app\tally.exe
//! 00007ff6`12340000 00007ff6`12360000   tally      (deferred)             of the command lm
//! C:\app\tally.exe:tally.exe (00007FF612340000), size: 131072 (result: 0), SymType: …     of Unity's player
//! 02 00000000`0014fa00 00007ff6`12345678     0x00007ff6`12341079          a frame without its module
//! ```

use std::ops::Range;

use super::breakpad;
use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, is_module, text, trim_end, trim_start, word_before};

pub(crate) const FORM: Form = Form { name: "debugger, address", find: find_frame };

/// Limit on the modules that are kept.
const MAX_MODULES: usize = 4096;

/// The longest line that names a module.
const MAX_LEN: usize = 4096;

/// An address is the last word of its line, after the address that its callee returns to.
fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let end = trim_end(line, line.len(), from);
    let word = word_before(line, end, from);
    let number = address(line.get(word.clone())?.strip_prefix(b"0x")?)?;
    let before = word_before(line, trim_end(line, word.start, from), from);
    address(line.get(before)?)?;
    let named = Frame::named(String::new(), Module::Loaded);
    Some(Frame { range: word, offset: Offset::Native(number), edit: Edit::In(end..end), ..named })
}

/// An address of eight digits at least, with a grave accent in the middle or without.
fn address(word: &[u8]) -> Option<u64> {
    let digits: Vec<u8> = word.iter().take(18).copied().filter(|byte| *byte != b'`').collect();
    let text = std::str::from_utf8(&digits).ok().filter(|_| word.len() <= 17 && digits.len() >= 8)?;
    u64::from_str_radix(text, 16).ok().filter(|_| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Modules with the addresses that they take, the last that was loaded first.
#[derive(Debug, Default)]
pub(crate) struct LoadedModules {
    modules: Vec<(Range<u64>, String)>,
    /// Modules of a crash dump, by the names in its frames, with the ids of their symbols.
    by_id: Vec<(String, Module)>,
}

impl LoadedModules {
    /// Keeps the module that a line of text names, if it does.
    pub(crate) fn see(&mut self, line: &[u8]) {
        // The first line that Breakpad writes of a dump.
        if line.starts_with(b"OS|") {
            self.by_id.clear();
        }
        if self.by_id.len() < MAX_MODULES
            && let Some(module) = breakpad::module(line)
        {
            self.by_id.push(module);
        }
        if self.modules.len() < MAX_MODULES
            && let Some(module) = module(line).or_else(|| module_of_player(line))
        {
            self.modules.push(module);
        }
    }

    /// The module of a frame, by the id that a line before it gave for its name.
    pub(crate) fn by_id(&self, module: &Module) -> Option<Module> {
        let Module::File(name) = module else { return None };
        self.by_id.iter().rfind(|(known, _)| known == name).map(|(_, module)| module.clone())
    }

    /// The module at an address, and the offset of the address in it.
    pub(crate) fn at(&self, address: u64) -> Option<(&str, u64)> {
        let (range, name) = self.modules.iter().rfind(|(range, _)| range.contains(&address))?;
        Some((name, address - range.start))
    }
}

fn module(line: &[u8]) -> Option<(Range<u64>, String)> {
    let line = line.get(..line.len().min(MAX_LEN))?.trim_ascii();
    let line = line.strip_prefix(b"ModLoad: ").unwrap_or(line);
    let word = |at: usize| {
        let start = trim_start(line, at);
        let len = line.get(start..)?.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        Some(start..start + len)
    };
    let first = word(0)?;
    let second = word(first.end)?;
    let (start, end) = (address(line.get(first)?)?, address(line.get(second.clone())?)?);
    // A path may have spaces; the name of `lm` has none, and remarks after it.
    let rest = trim_start(line, second.end)..line.len();
    let file = text(line, &rest);
    let file = file.rsplit(['\\', '/']).next()?;
    let name = if file.len() == rest.len() { file.split_whitespace().next()? } else { file };
    (start < end && is_module(name.as_bytes())).then(|| (start..end, name.to_owned()))
}

/// `PATH:NAME (ADDRESS), size: BYTES`
fn module_of_player(line: &[u8]) -> Option<(Range<u64>, String)> {
    const SIZE: &[u8] = b"), size: ";
    let line = line.get(..line.len().min(MAX_LEN))?;
    let close = find(line, SIZE, 0)?;
    let digits = word_before(line, close, 0);
    let start = address(line.get(digits.clone())?.strip_prefix(b"(")?)?;
    let (size, _) = decimal(line, close + SIZE.len())?;
    // A path may have spaces; the name after it has none.
    let before = trim_end(line, digits.start, 0);
    let name = line.get(..before)?.rsplit(|byte| *byte == b':').next()?;
    is_module(name).then(|| Some((start..start.checked_add(size)?, text(name, &(0..name.len())))))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_led_to_their_modules() {
        let frame = find_frame(b"02 00000000`0014fa00 00007ff6`12345678     0x00007ff6`12341079 ", 0).unwrap();
        assert_eq!((frame.offset, frame.module), (Offset::Native(0x7ff6_1234_1079), Module::Loaded));
        for line in
            ["0x00007ff6`12341079", "12345678 0x12", "x 0x0000000012345678", "12345678 12345678", "12345678 0x1234567z"]
        {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
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
