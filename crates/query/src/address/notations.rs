//! Notations of other tools for an offset of IL, split into the method and the offset.
//!
//! ```text
//! Program.Parse+IL_0023, Program.Parse IL_0023                  disassemblers
//! 06000002+0x23, 06000002:0023                                  profilers, dumps
//! 0x06000002:0x23, 0x06000002@0x23, 0x6000002 0x23              metadata tools, scripts
//! Faults.dll!0x06000002+0x23                                    ETW, PerfView
//! at Ns.T.M(String s) in Faults.dll:token 0x6000002+0x23        .NET
//! Faults!0x06000002!Ns.T.M(String s) +0x23                      ProductionStackTrace
//! at Ns.T.M (System.String s) [0x00023] in <…>:0                Mono
//! Ns.T:M (string) [0x00023] in <…>:0                            Mono
//! at Ns.T.M + 0x23(Unknown Source)                              Android
//! ```

use super::offset;
use pdblens_nodes::path::bare_token;
use pdblens_session::text::parameters::{split_frame, without_colon};

/// Characters between a method and its offset.
const SEPARATORS: [char; 7] = [' ', '\t', '+', '@', ':', ',', '!'];

/// The method and the offset; `None` where the text is in none of these notations, or has more in it than they have.
pub(super) fn split(text: &str) -> Option<(String, u32)> {
    let text = text.trim();
    let text = text.strip_prefix("at ").unwrap_or(text);
    let (before, offset) = offset_of(text)?;
    let method = match token_of(before) {
        Some((token, rest)) => rest.is_empty().then_some(token)?,
        None => token_word(before).or_else(|| name_of(before))?,
    };
    Some((method, offset))
}

/// The offset, and the text before it; the text after it must belong to one of these notations.
fn offset_of(text: &str) -> Option<(&str, u32)> {
    if let Some((before, rest)) = text.rsplit_once("[0x") {
        let (digits, rest) = rest.split_once(']')?;
        let is_end = rest.trim().is_empty() || rest.starts_with(" in ");
        return if is_end { Some((before, offset::hexadecimal(digits)?)) } else { None };
    }
    if let Some((before, rest)) = text.rsplit_once("IL_") {
        let digits = rest.strip_suffix(':').unwrap_or(rest);
        return if before.ends_with(SEPARATORS) { Some((before, offset::hexadecimal(digits)?)) } else { None };
    }
    if let Some((before, rest)) = text.rsplit_once("+0x").or_else(|| text.rsplit_once("+ 0x")) {
        let digits = rest.split_once('(').filter(|(_, rest)| rest.ends_with(')')).map_or(rest, |(digits, _)| digits);
        return Some((before, offset::hexadecimal(digits)?));
    }
    let at = text.rfind([':', '+', '@', ' ', '\t'])?;
    let (before, rest) = text.split_at(at);
    let digits = rest.get(1..)?;
    // After a space alone a number is an offset only by its prefix.
    let is_marked = !rest.starts_with([' ', '\t']) || digits.starts_with("0x") || before.ends_with(['+', ':', '@']);
    if is_marked { Some((before, offset::parse(digits)?)) } else { None }
}

/// The token after `token 0x` or `!0x`, and what follows it that is not the name of its method.
fn token_of(before: &str) -> Option<(String, &str)> {
    let (_, rest) = ["token 0x", "Token 0x", "!0x"].iter().find_map(|mark| before.split_once(mark))?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at_checked(end)?;
    let token = u32::from_str_radix(digits, 16).ok()?;
    let rest = rest.trim_end_matches(SEPARATORS);
    let is_name = rest.strip_prefix('!').is_some_and(|name| name_of(name).is_some());
    Some((format!("{token:#010x}"), if is_name { "" } else { rest }))
}

/// A token of a method as a word of its own, `06000002` or `0x06000002`.
fn token_word(before: &str) -> Option<String> {
    let word = before.trim_end_matches(SEPARATORS).trim();
    let token = bare_token(word.strip_prefix("0x").unwrap_or(word))?;
    Some(format!("{token:#010x}"))
}

/// Type, name and parameters of a method, without its module; `None` where more follows them.
fn name_of(before: &str) -> Option<String> {
    let name = before.trim_end_matches(SEPARATORS).trim();
    let name = name.rsplit_once('!').map_or(name, |(_, name)| name);
    let (name, parameters, rest) = split_frame(name);
    let name = without_colon(name.trim());
    let text = match parameters {
        Some(parameters) => format!("{name}({parameters})"),
        None => name.into_owned(),
    };
    (!text.is_empty() && rest.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_notations_are_split() {
        for (text, wanted) in [
            ("Program.Parse+IL_0023", "Program.Parse+0x23"),
            ("Program.Parse(string) IL_0023", "Program.Parse(string)+0x23"),
            ("Program.Parse(string) IL_0023:", "Program.Parse(string)+0x23"),
            ("0x06000002+IL_0023", "0x06000002+0x23"),
            ("06000002+0x23", "0x06000002+0x23"),
            ("06000002:0023", "0x06000002+0x23"),
            ("0x06000002:0x23", "0x06000002+0x23"),
            ("0x06000002@0x23", "0x06000002+0x23"),
            ("0x06000002: 0x23", "0x06000002+0x23"),
            ("0x6000002 0x23", "0x06000002+0x23"),
            ("0x06000002:35", "0x06000002+0x23"),
            ("Program.Parse:35", "Program.Parse+0x23"),
            ("Program.Parse@35", "Program.Parse+0x23"),
            ("Program.Parse 0x23", "Program.Parse+0x23"),
            ("Faults.dll!0x06000002+0x23", "0x06000002+0x23"),
            ("Faults.dll!Faults.Program.Parse(string)+0x23", "Faults.Program.Parse(string)+0x23"),
            ("   at F.P.Parse(String text) in Faults.dll:token 0x6000002+0x23", "0x06000002+0x23"),
            ("at Faults!0x06000002!F.P.Parse(String text) +0x23", "0x06000002+0x23"),
            ("at F.P.Parse (System.String text) [0x00023] in <ab>:0", "F.P.Parse(System.String text)+0x23"),
            ("F.P.Parse (System.String text) [0x00023] in <ab>:0", "F.P.Parse(System.String text)+0x23"),
            ("at F.P.Parse + 0x23(Unknown Source)", "F.P.Parse+0x23"),
            ("F.P:Parse (string) [0x23] in <3222a828d6ba470fac43bbba907b2f03>:0", "F.P.Parse(string)+0x23"),
            ("at F.P:.ctor () [0x00023] in <filename unknown>:0", "F.P..ctor()+0x23"),
            ("F::P::Parse(string) [0x23] in <x>:0", "F::P::Parse(string)+0x23"),
        ] {
            let found = split(text).map(|(method, offset)| format!("{method}+{offset:#x}"));
            assert_eq!(found.as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_not_dropped() {
        for text in [
            "Program.Parse",
            "",
            "+",
            "x:",
            "IL_",
            "[0x",
            "P.Parse(string) 15",
            "P.Parse(string) foo IL_0023",
            "P.Parse(string) IL_0023 foo",
            "P.Parse(string)+0x23 foo",
            "P.Parse(string)-5",
            "P.Parse(string)[15]",
            "P.Parse(string) [0x23] foo",
            "A.dll!0x06000002 foo+0x23",
            "ParseIL_0023",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
