//! The machine code of a process as a map of the open files.

use std::path::Path;

use pdblens_formats::native_map::{MapMethod, MapModule, NativeMap};
use pdblens_formats::reason::Reason;
use pdblens_runtime::code::Runtime;
use pdblens_runtime::target::Target;
use pdblens_runtime::{Result, is_core};
use pdblens_session::session::Session;
use pdblens_session::{code_image, recorded};

use super::{Process, Rundown};

/// Start of a word that is a process or a core, and no file.
const LIVE: &str = "live:";

/// Name of the process that a word means: that of a core, and what follows `live:`.
pub fn named(word: &Path) -> Option<&str> {
    let text = word.to_str()?;
    text.strip_prefix(LIVE).or_else(|| is_core(word).then_some(text))
}

/// The process of a number, or that of a core.
///
/// # Errors
///
/// Those of the memory.
pub fn process(name: &str) -> Result<Process> {
    let process = Process::new(Runtime::open(open(name)?)?);
    // The images of a core from elsewhere are put beside it.
    Ok(match Path::new(name).parent() {
        Some(folder) if name.parse::<u32>().is_err() => process.with_images_in(&Path::new(".").join(folder)),
        _ => process,
    })
}

/// Memory of the process of a number, or of a core.
///
/// # Errors
///
/// Those of the memory.
pub fn open(name: &str) -> Result<Target> {
    match name.parse() {
        Ok(pid) => pdblens_runtime::live::open(pid),
        Err(_) => Target::core(name.as_ref()),
    }
}

/// Gives a session the machine code of a process, a recording or an image.
///
/// # Errors
///
/// Reason why that has none for the open files.
pub fn attach(session: &Session, path: &Path) -> std::result::Result<(), Reason> {
    let Some(name) = named(path) else { return code_image::attach(session, path) };
    let map = super::ask(name, false, |process| process.native_map(session), Rundown::native_map);
    recorded::attach(session, map.map_err(|error| Reason::new("process", error.to_string()))?.0).map(drop)
}

/// Gives a session the machine code that is at hand: that of a map or process, or what is beside the files.
pub fn attach_known(session: &Session, map: Option<&Path>) {
    let process = map.filter(|path| named(path).is_some());
    if let Some(path) = process {
        // The process may run another build.
        let _ = attach(session, path);
    }
    code_image::attach_known(session, map.filter(|_| process.is_none()));
}

impl Process {
    /// The bodies of the process as a recording has them, with their tiers for the image of a session. Unlike the events of a recording, the
    /// runtime's own tables leave out no entry.
    ///
    /// # Errors
    ///
    /// Those of the memory.
    pub fn native_map(&self, session: &Session) -> Result<NativeMap> {
        let process = self.runtime.target().pid.map(u64::from);
        let (found, _) = self.runtime.jitted_methods()?;
        let mut map = NativeMap::default();
        for body in found {
            if !map.modules.iter().any(|module| module.id == body.module) {
                let module = self.runtime.module(body.module)?;
                map.modules.push(MapModule { process, id: body.module, path: module.path, pdb: module.pdb });
            }
            let info = self.runtime.debug_info(&body)?.unwrap_or_default();
            let il = info.bounds.iter().filter_map(|bound| bound.il.offset()).collect();
            let size = self.runtime.code_size(&body)?.unwrap_or_default();
            map.methods.push(MapMethod {
                process,
                module: body.module,
                token: body.token,
                name: String::new(),
                address: body.start,
                size: u32::try_from(size).unwrap_or_default(),
                tier: self.tier(&body, Some(session), &il).unwrap_or_default(),
                bounds: info.bounds,
                code: self.runtime.bytes(&body, size).unwrap_or_default(),
            });
        }
        Ok(map)
    }
}
