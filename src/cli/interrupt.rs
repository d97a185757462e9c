//! The end of a subcommand by a signal: what it has begun to write is removed.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::store::new_file;

/// Removes unfinished files on a signal that ends the program, which then has its usual effect. Without a thread to wait for it, files stay
/// until the next one is written to their folder.
pub(super) fn watch() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    let _ = std::thread::Builder::new().name("pdblens signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            new_file::remove_unfinished();
            let _ = emulate_default_handler(signal);
        }
    });
}
