use std::path::Path;

use super::command::Error;
use crate::session::Session;
use pdblens_session::code_image;

/// Gives a session the machine code of a file: a recording or an image. The path may be empty, for none.
pub(super) fn attach(session: &Session, path: Option<&Path>) -> Result<(), Error> {
    match path {
        Some(path) if !path.as_os_str().is_empty() => {
            code_image::attach(session, path).map_err(|reason| Error::NoAnswer(format!("{}: {reason}", path.display())))
        }
        _ => Ok(()),
    }
}
