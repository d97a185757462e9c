//! Pasted text of any size, in every prompt: the next key is answered at once, and a frame does not look at the text.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::harness::Screen;

/// Repeated texts: a word, bytes, words, frames of a trace, lines of bytes.
const TEXTS: [&str; 5] = ["x", "4d 5a 90 00 ", "lorem ipsum ", "   at Ticker.Clock.Since(Int64 t)\n", "4d 5a 90 00\n"];
const SIZES: [usize; 4] = [1 << 10, 200 << 10, 1 << 20, 10 << 20];
/// Keys that open what takes a long text: nothing, the prompt, commands, help, a path, traces.
const PROMPTS: [&str; 6] = ["", "o", ":", "?", "O", "4"];

/// The longest answer to a key, and the longest frame, in time of the thread: programs without optimisation take several times as long.
const KEY: Duration = Duration::from_millis(1500);
pub(crate) const FRAME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 40 } else { 4 });

pub(crate) fn spent(work: impl FnOnce()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let began = now();
    work();
    now().saturating_sub(began)
}

pub(crate) fn frame(screen: &Screen) -> Duration {
    (0..3).map(|_| spent(|| _ = screen.draw())).min().unwrap()
}

#[test]
fn a_key_after_a_pasted_text_is_answered_at_once() {
    let mut slow = Vec::new();
    for prompt in PROMPTS {
        let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
        // The prompt takes everything; elsewhere a word and lines are enough.
        let texts = if matches!(prompt, "" | "o") { &TEXTS[..] } else { &["x", TEXTS[3]] };
        for text in texts {
            for size in SIZES {
                screen.keys("esc esc esc 1").keys(prompt);
                screen.holds = true;
                let pasted = text.repeat(size / text.len());
                let paste = spent(|| _ = screen.paste(&pasted));
                let first = frame(&screen);
                let key = spent(|| _ = screen.keys("j"));
                let mut frames = vec![first, frame(&screen)];
                if size <= 1 << 20 {
                    screen.finish();
                    frames.push(frame(&screen));
                }
                screen.finish();
                let what =
                    format!("{size} bytes of {text:?} after {prompt:?}: paste {paste:?}, key {key:?}, {frames:?}");
                if std::env::var_os("PDBLENS_TIMES").is_some() {
                    eprintln!("{what}");
                }
                if key > KEY || paste > KEY || frames.iter().any(|frame| *frame > FRAME) {
                    slow.push(what);
                }
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn a_line_that_is_too_long_is_refused_in_a_sentence() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.paste(&"x".repeat((1 << 20) + 1)).shows("the pasted text has 1048577 bytes: a line takes at most 1048576");
    for (prompt, most) in [("o", 1 << 20), ("4 /", 1024), ("4 &", 1024), ("9", 1 << 20)] {
        let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
        let text = screen.keys(prompt).paste(&"x".repeat(most + 1)).text();
        assert!(!text.contains("xxxxxxxx"), "{prompt:?}: {text}");
    }
    // Many lines are a trace, whose limit is its own.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.paste(&"   at Ticker.Clock.Since(Int64 t)\n".repeat(60_000)).shows("Stack trace");
}
