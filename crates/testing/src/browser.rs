//! The browser of the tests.

use std::path::PathBuf;

/// Chromium: what `PDBLENS_CHROMIUM` names, or the program of the system; `None`, with a sentence, where there is none.
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("PDBLENS_CHROMIUM").map(PathBuf::from);
    let names = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].map(PathBuf::from);
    let found = named.into_iter().chain(names).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: there is no chromium in /usr/bin · apt-get install chromium");
    }
    found
}
