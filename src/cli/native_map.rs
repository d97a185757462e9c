use std::path::Path;

use super::command::Error;
use crate::session::Session;
use pdblens_session::code_image;

/// Gives a session the machine code of a file: a recording or an image.
pub(super) fn attach(session: &Session, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    code_image::attach(session, path).map_err(|reason| Error::NoAnswer(format!("{}: {reason}", path.display())))
}
