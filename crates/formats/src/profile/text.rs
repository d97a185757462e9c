//! Profiles that are text, and the map that .NET writes for perf.
//!
//! # References
//!
//! perf-script(1); Linux, `tools/perf/util/evsel_fprintf.c` (`sample__fprintf_callchain`); `tools/perf/Documentation/jit-interface.txt`;
//! Brendan Gregg, *FlameGraph*, `stackcollapse-perf.pl`

use super::{Profile, SampledFrame, Stacks};

/// Lines at the front among which the first sample is looked for: perf writes remarks before it.
const MOST_REMARKS: usize = 100;

/// Reads a profile by the form of its first line.
pub(super) fn read(text: &[u8]) -> Option<Profile> {
    let first = lines(text).take(MOST_REMARKS).find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    let profile = if header(&first).is_some() {
        script(text)
    } else if collapsed(&first).is_some() {
        let mut stacks = Stacks::default();
        for line in lines(text).filter(|line| !line.trim().is_empty()) {
            match collapsed(&line) {
                Some((frames, count)) => {
                    let frames = frames.rsplit(';').map(|symbol| stacks.frame(named(symbol))).collect();
                    stacks.add(frames, count.into());
                }
                None => stacks.unread += 1,
            }
        }
        stacks.profile()
    } else {
        return None;
    };
    Some(profile).filter(|profile| !profile.stacks.is_empty())
}

fn lines(text: &[u8]) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
    text.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line.trim_ascii_end()))
}

/// Frames of a collapsed stack, the outermost first, and the number of samples.
fn collapsed(line: &str) -> Option<(&str, u32)> {
    let (frames, count) = line.rsplit_once(' ')?;
    Some((frames, count.parse().ok()?)).filter(|(frames, _)| !frames.trim().is_empty())
}

fn named(symbol: &str) -> SampledFrame {
    SampledFrame { symbol: symbol.trim().to_owned(), ..SampledFrame::default() }
}

/// Reads what `perf script` prints: of each sample a line about its event, then its frames, the innermost first, and an empty line. Without call
/// stacks, the only frame is on the line of the event.
fn script(text: &[u8]) -> Profile {
    let mut stacks = Stacks::default();
    let mut open: Option<(Option<u64>, Vec<u32>)> = None;
    for line in lines(text) {
        if line.is_empty() {
            close(&mut open, &mut stacks);
            continue;
        }
        if let Some((process, frames)) = &mut open
            && line.starts_with([' ', '\t'])
            && let Some(frame) = frame(&line, *process)
        {
            // A call that was inlined has the address of the frame that it is in.
            if !line.ends_with("(inlined)") {
                frames.push(stacks.frame(frame));
            }
            continue;
        }
        close(&mut open, &mut stacks);
        match header(&line) {
            Some((process, rest)) => {
                let only = frame(rest, process).map(|frame| stacks.frame(frame));
                let has_one = only.is_some();
                open = Some((process, only.into_iter().collect()));
                if has_one {
                    close(&mut open, &mut stacks);
                }
            }
            None => stacks.unread += u64::from(!line.starts_with('#')),
        }
    }
    close(&mut open, &mut stacks);
    stacks.profile()
}

/// Counts the stack that is read. One without frames is in code that perf does not know.
fn close(open: &mut Option<(Option<u64>, Vec<u32>)>, stacks: &mut Stacks) {
    if let Some((_, mut frames)) = open.take() {
        if frames.is_empty() {
            frames.push(stacks.frame(SampledFrame::default()));
        }
        stacks.add(frames, 1);
    }
}

/// Process of an event's line, if it has one beside the thread, and what follows the event: `name 12/34 [001] 5.678901: 250000 cpu-clock: …`.
fn header(line: &str) -> Option<(Option<u64>, &str)> {
    let is_time = |word: &&str| {
        let time = word.strip_suffix(':').and_then(|time| time.split_once('.'));
        time.is_some_and(|(seconds, rest)| [seconds, rest].iter().all(|part| is_number(part)))
    };
    let time = line.split_whitespace().find(is_time)?;
    let at = line.find(time)?;
    let (before, after) = (line.get(..at)?, line.get(at.checked_add(time.len())?..)?);
    let thread = before.split_whitespace().rfind(|word| !word.starts_with('['))?;
    let process = thread.split_once('/').and_then(|(process, _)| process.parse().ok());
    // The name of an event has colons: `cpu-clock:ppp:`.
    let rest = after.split_once(": ").map(|(_, rest)| rest).or_else(|| after.ends_with(':').then_some(""));
    Some((process, rest?))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A frame: `7f770e691a4e Ns.T::M(int32)[Tier0]+0x6e (/tmp/perf-18858.map)`.
fn frame(line: &str, process: Option<u64>) -> Option<SampledFrame> {
    let line = line.trim();
    let (address, rest) = line.split_once(' ').unwrap_or((line, ""));
    let address = Some(u64::from_str_radix(address, 16).ok()?);
    let (symbol, file) = match rest.strip_suffix(')') {
        Some(inside) => {
            // The path of a file that was deleted ends with a remark in parentheses.
            let path = inside.strip_suffix(" (deleted)").unwrap_or(inside);
            let open = path.rfind('(').filter(|open| *open == 0 || path.get(..*open).is_some_and(|s| s.ends_with(' ')));
            open.and_then(|open| Some((rest.get(..open)?, inside.get(open.checked_add(1)?..)?))).unwrap_or((rest, ""))
        }
        None => (rest, ""),
    };
    let symbol = match symbol.trim().rsplit_once("+0x") {
        Some((name, offset)) if u64::from_str_radix(offset, 16).is_ok() => name,
        _ => symbol.trim(),
    };
    let known = |text: &str| if text == "[unknown]" { String::new() } else { text.to_owned() };
    Some(SampledFrame { process, address, symbol: known(symbol), file: known(file) })
}

/// Range of addresses with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfMapEntry {
    /// First address.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
    /// Name, as .NET writes it: `int64 [App] Ns.T::M(int32)[Tier0]`.
    pub name: String,
}

/// Reads a map for perf, ascending by address; of ranges at one address the last one, which took the place of the others. `None` for other texts.
pub fn perf_map(text: &[u8]) -> Option<Vec<PerfMapEntry>> {
    let entry = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let number = |word: Option<&str>| u64::from_str_radix(word?.trim_start_matches("0x"), 16).ok();
        Some(PerfMapEntry { start: number(words.next())?, size: number(words.next())?, name: words.next()?.to_owned() })
    };
    entry(&lines(text).next()?)?;
    let mut entries: Vec<PerfMapEntry> = lines(text).filter_map(|line| entry(&line)).collect();
    entries.reverse();
    entries.sort_by_key(|entry| entry.start);
    entries.dedup_by_key(|entry| entry.start);
    Some(entries)
}
