//! The end of a subcommand by a signal: what it has begun to write is removed, and a program that it runs ends.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::course::end_running;
use crate::store::new_file;

/// On a signal that ends this program, removes unfinished files and ends the learner's program; the signal then has its usual effect.
/// Without a thread to wait for it, files stay until the next one is written to their folder.
pub(super) fn watch() {
    // `nohup` has the program go on.
    let hangup = if is_ignored(SIGHUP) { None } else { Some(SIGHUP) };
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup)) else { return };
    let _ = std::thread::Builder::new().name("pdblens signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            new_file::remove_unfinished();
            end_running();
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Makes the limit on the size of files (`ulimit -f`) an error of the write instead of the end of the program.
pub(super) fn take_size_limit_as_error() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Returns whether the program that started this one has it ignore a signal, as Linux tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    bits & (1 << (signal - 1)) != 0
}
