use std::path::Path;

use super::command::Error;
use crate::query::process::Process;
use crate::session::Session;
use pdblens_runtime::code::Runtime;
use pdblens_runtime::core_file::is_core;
use pdblens_runtime::target::Target;
use pdblens_session::{code_image, recorded};

/// Start of a name that is a process that runs, or a core, and no recording.
pub(super) const LIVE: &str = "live:";

/// Gives a session the machine code of a file, a recording or an image; without one, that which the screens find beside its files.
pub(super) fn attach(session: &Session, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else {
        code_image::attach_known(session, None);
        return Ok(());
    };
    if let Some(name) = named(path) {
        let failed = |why: String| Error::NoAnswer(format!("{}: {why}", path.display()));
        let map = process(name).and_then(|process| process.native_map()).map_err(|error| failed(error.to_string()))?;
        return recorded::attach(session, map).map(drop).map_err(|reason| failed(reason.text));
    }
    code_image::attach(session, path).map_err(|reason| Error::NoAnswer(format!("{}: {reason}", path.display())))
}

/// Name of the process that a word means: that of a core, and what follows `live:`.
pub(super) fn named(word: &Path) -> Option<&str> {
    let text = word.to_str()?;
    text.strip_prefix(LIVE).or_else(|| is_core(word).then_some(text))
}

/// The process of a number, or that of a core.
pub(super) fn process(name: &str) -> pdblens_runtime::Result<Process> {
    let process = Process::new(Runtime::open(open(name)?)?);
    // The images of a core from elsewhere are put beside it.
    Ok(match Path::new(name).parent() {
        Some(folder) if name.parse::<u32>().is_err() => process.with_images_in(&Path::new(".").join(folder)),
        _ => process,
    })
}

/// Memory of the process of a number, or of a core.
pub(super) fn open(name: &str) -> pdblens_runtime::Result<Target> {
    match name.parse() {
        Ok(pid) => pdblens_runtime::live::open(pid),
        Err(_) => Target::core(name.as_ref()),
    }
}
