//! Notations of other tools for an offset of IL, rewritten as `METHOD+OFFSET`.
//!
//! ```text
//! Program.Parse+IL_0023, Program.Parse IL_0023                  disassemblers
//! 06000002+0x23, 06000002:0023                                  profilers, dumps
//! Faults.dll!0x06000002+0x23                                    ETW, PerfView
//! at Ns.T.M(String s) in Faults.dll:token 0x6000002+0x23        .NET
//! Faults!0x06000002!Ns.T.M(String s) +0x23                      ProductionStackTrace
//! at Ns.T.M (System.String s) [0x00023] in <…>:0                Mono
//! at Ns.T.M + 0x23(Unknown Source)                              Android
//! ```

use crate::text::parameters::split_parameters;

/// The question as `METHOD+OFFSET`; `None` where it is in none of these notations.
pub(super) fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("at ").unwrap_or(text);
    let (before, offset) = offset_of(text)?;
    let method = token_of(text).or_else(|| token_word(before)).unwrap_or_else(|| name_of(before));
    (!method.is_empty()).then(|| format!("{method}+{offset:#x}"))
}

/// The offset, and what stands before it.
fn offset_of(text: &str) -> Option<(&str, u32)> {
    for mark in ["IL_", "[0x"] {
        if let Some((before, rest)) = text.rsplit_once(mark) {
            return Some((before, leading_hex(rest)?));
        }
    }
    if let Some((before, rest)) = text.rsplit_once("+0x").or_else(|| text.rsplit_once("+ 0x")) {
        return Some((before, leading_hex(rest)?));
    }
    let (before, rest) = text.rsplit_once([':', '+'])?;
    // A token without 0x, and so is its offset after a colon.
    let rest = rest.trim();
    let is_hex = text.get(before.len()..).is_some_and(|rest| rest.starts_with(':'));
    let offset = if is_hex { u32::from_str_radix(rest, 16).ok() } else { rest.parse().ok() };
    Some((before, offset?))
}

/// The token after `token 0x` or `!0x`.
fn token_of(text: &str) -> Option<String> {
    let rest = ["token 0x", "Token 0x", "!0x"].iter().find_map(|mark| Some(text.split_once(mark)?.1))?;
    Some(format!("{:#010x}", leading_hex(rest)?))
}

/// A token of a method as a word of its own, `06000002` or `0x06000002`.
fn token_word(before: &str) -> Option<String> {
    let word = before.trim().trim_end_matches(['+', '@', ':']).trim();
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let token = u32::from_str_radix(digits, 16).ok().filter(|token| token >> 24 == 6)?;
    Some(format!("{token:#010x}"))
}

/// Type, name and parameters of a method, without its module.
fn name_of(before: &str) -> String {
    let name = before.trim().trim_end_matches(['+', '@', ':', ',']).trim();
    let name = name.rsplit_once('!').map_or(name, |(_, name)| name);
    match split_parameters(name) {
        (name, Some(parameters)) => format!("{}({parameters})", name.trim()),
        (name, None) => name.trim().to_owned(),
    }
}

fn leading_hex(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
    u32::from_str_radix(text.get(..end)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_notations_are_rewritten() {
        for (text, wanted) in [
            ("Program.Parse+IL_0023", "Program.Parse+0x23"),
            ("Program.Parse(string) IL_0023", "Program.Parse(string)+0x23"),
            ("0x06000002+IL_0023", "0x06000002+0x23"),
            ("06000002+0x23", "0x06000002+0x23"),
            ("06000002:0023", "0x06000002+0x23"),
            ("Faults.dll!0x06000002+0x23", "0x06000002+0x23"),
            ("Faults.dll!Faults.Program.Parse(string)+0x23", "Faults.Program.Parse(string)+0x23"),
            ("   at F.P.Parse(String text) in Faults.dll:token 0x6000002+0x23", "0x06000002+0x23"),
            ("at Faults!0x06000002!F.P.Parse(String text) +0x23", "0x06000002+0x23"),
            ("at F.P.Parse (System.String text) [0x00023] in <ab>:0", "F.P.Parse(System.String text)+0x23"),
            ("at F.P.Parse + 0x23(Unknown Source)", "F.P.Parse+0x23"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["Program.Parse", "", "+", "x:", "IL_", "[0x"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
