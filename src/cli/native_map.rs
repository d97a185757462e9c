use std::path::Path;

use super::command::Error;
use crate::formats::native_map::NativeMap;
use crate::session::Session;
use crate::session::read_file::{MAX_WHOLE, read_file};
use pdblens_session::recorded;

/// Gives a session the machine code of a recorded map; the path may be empty, for no map.
pub(super) fn attach(session: &Session, path: Option<&Path>) -> Result<(), Error> {
    let path = match path {
        Some(path) if !path.as_os_str().is_empty() => path,
        _ => return Ok(()),
    };
    let wrong = |why: &dyn std::fmt::Display| Error::NoAnswer(format!("{}: {why}", path.display()));
    let bytes = read_file(path, MAX_WHOLE).map_err(|error| wrong(&error))?;
    let map = NativeMap::read(&bytes).ok_or_else(|| wrong(&"no event trace of .NET (.nettrace)"))?;
    recorded::attach(session, map).map(drop).map_err(|reason| wrong(&reason))
}
