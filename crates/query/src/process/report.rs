//! Threads as text: frames in the form of .NET's in-process crash report, then the modules with the ids that are loaded.

use std::collections::HashMap;
use std::fmt::Write as _;

use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::visible;

use super::{FrameAnswer, Process, ThreadAnswer, deadlock};

impl Process {
    /// The threads as text that `trace` resolves. Threads without code of a method are counted in one line, unless `all` are asked for.
    pub fn report(&self, threads: &[ThreadAnswer], all: bool) -> String {
        let mut text = String::new();
        let circle = deadlock(threads);
        if !circle.is_empty() {
            let circle: Vec<String> = circle.iter().map(|id| format!("thread {id} waits for")).collect();
            let _ = writeln!(
                text,
                "deadlock: {} {}\n",
                circle.join(" "),
                circle.first().map_or("", |first| first.trim_end_matches(" waits for"))
            );
        }
        let mut modules: Vec<u64> = Vec::new();
        let mut rest = Vec::new();
        for thread in threads {
            if !all && !thread.running && !thread.frames.iter().any(|frame| frame.managed) {
                rest.push(named(thread));
                continue;
            }
            let _ = writeln!(text, "{}", head(thread));
            let mut frames = thread.frames.as_slice();
            let mut number = 0;
            let mut repeated = thread.repeated.iter().peekable();
            while let Some((frame, after)) = frames.split_first() {
                if frame.managed {
                    let _ = writeln!(text, "  #{number:02} {}", line(frame, &mut modules));
                    number += 1;
                    frames = after;
                    if let Some(round) = repeated.next_if(|round| round.after <= thread.frames.len() - frames.len()) {
                        let frames = if round.frames == 1 {
                            "frame above is".to_owned()
                        } else {
                            format!("{} frames above are", round.frames)
                        };
                        let _ = writeln!(text, "      the {frames} repeated {} times", round.times);
                        number += round.frames * round.times;
                    }
                    continue;
                }
                let run = frames.iter().take_while(|next| !next.managed && next.module == frame.module).count();
                let (natives, after) = frames.split_at(run);
                let name = natives.iter().find_map(|frame| frame.name.as_deref()).unwrap_or_default();
                let library = visible(frame.module.as_deref().map_or("a stub of the runtime", file_name));
                let name = visible(name);
                let _ = writeln!(text, "      {}", format!("{library} {name}").trim_end());
                number += run;
                frames = after;
            }
            if let Some(cut) = &thread.cut {
                let _ = writeln!(text, "      the stack is cut here: {cut}");
            }
            text.push('\n');
        }
        if !rest.is_empty() {
            let (count, s) = (rest.len(), if rest.len() == 1 { " has" } else { "s have" });
            let _ = writeln!(text, "{count} thread{s} no code of a method: {}\n", rest.join(", "));
        }
        self.footers(&modules, &mut text);
        text
    }

    fn footers(&self, modules: &[u64], text: &mut String) {
        if modules.is_empty() {
            return;
        }
        text.push_str("modules:\n");
        for (number, address) in modules.iter().enumerate() {
            let Ok(loaded) = self.loaded(*address) else { continue };
            let name = file_name(&loaded.module.path);
            let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
            let _ = match loaded.module.pdb {
                Some((guid, age)) => writeln!(
                    text,
                    "MODULE: [{number}] => {stem}; G:{}; A:{age}; F:{stem}.pdb",
                    guid.to_string().replace('-', "")
                ),
                None => writeln!(text, "  [{number}] <unknown>"),
            };
        }
    }
}

/// Words at the head of a thread that was read again.
const MOVED: &str = ", moved";
const NEW: &str = ", new";

/// A report whose threads have a word at their heads if an earlier one had other frames for them, or no such thread.
pub(super) fn with_moved(earlier: &str, report: &str) -> String {
    let earlier: HashMap<&str, Vec<&str>> = earlier.split("\n\n").filter_map(thread_of).collect();
    let blocks = report.split("\n\n").map(|block| {
        let Some((id, frames)) = thread_of(block) else { return block.to_owned() };
        let word = match earlier.get(id) {
            None => NEW,
            Some(before) if *before != frames => MOVED,
            Some(_) => return block.to_owned(),
        };
        let (head, rest) = block.split_at(block.find('\n').unwrap_or(block.len()));
        format!("{head}{word}{rest}")
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// Number and frames of a thread in a report. A frame is without the number of its module, which depends on the threads before.
fn thread_of(block: &str) -> Option<(&str, Vec<&str>)> {
    let (head, frames) = block.split_once('\n').unwrap_or((block, ""));
    let id = head.strip_prefix("thread ")?.split([' ', ',']).next()?;
    Some((id, frames.lines().map(|frame| frame.split_once("] ").map_or(frame, |(_, frame)| frame)).collect()))
}

/// A frame of a method: the number of its module, its name, IL offset and token.
fn line(frame: &FrameAnswer, modules: &mut Vec<u64>) -> String {
    let path = frame.module.as_deref().map_or("", file_name);
    // The form has neither parameters nor spaces.
    let name = frame.name.as_deref().unwrap_or_default();
    let name = visible(name.split_once('(').map_or(name, |(name, _)| name)).replace(' ', "");
    match (frame.token, frame.il, frame.rva) {
        (Some(token), Some(il), _) => {
            let known = modules.iter().position(|module| *module == frame.module_address);
            let number = known.unwrap_or_else(|| {
                modules.push(frame.module_address);
                modules.len() - 1
            });
            let name = if name.is_empty() { token.to_string() } else { name };
            format!("[{number}] {name} + {il:#x} (token={:#x})", token.0)
        }
        (_, _, Some(rva)) if name.is_empty() => format!("{path}+{rva:#x}"),
        _ if name.is_empty() => format!("{:#x}", frame.address),
        _ => format!("{path} {name}"),
    }
}

fn head(thread: &ThreadAnswer) -> String {
    let state = match thread.waits_for {
        Some(holder) => format!(", waits for a monitor that thread {holder} holds"),
        None if thread.running => ", running: its stack is read when it waits".to_owned(),
        None => String::new(),
    };
    let managed = thread.managed_id.map_or_else(String::new, |id| format!(", managed {id}"));
    format!("thread {}{managed}{state}", named(thread))
}

fn named(thread: &ThreadAnswer) -> String {
    if thread.name.is_empty() { thread.id.to_string() } else { format!("{} ({})", thread.id, visible(&thread.name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_moved_say_so() {
        let earlier = "thread 1 (a), managed 1\n  #00 [0] A.M + 0x1 (token=0x6000001)\n\nthread 2\n  #00 [1] B.N + 0x2 (token=0x6000002)\n\nmodules:\n";
        let report = "thread 2\n  #00 [0] B.N + 0x2 (token=0x6000002)\n\nthread 1 (a), managed 1\n  #00 [1] A.M + 0x5 (token=0x6000001)\n\nthread 12\n  #00 [0] B.N + 0x2 (token=0x6000002)\n\nmodules:\n";
        let expected = report.replace("managed 1\n", "managed 1, moved\n").replace("thread 12\n", "thread 12, new\n");
        let marked = with_moved(earlier, report);
        assert_eq!(marked, expected);
        // The words of the reading before are no frames.
        assert_eq!(with_moved(&marked, report), report);
    }
}
