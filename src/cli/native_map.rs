use std::path::Path;

use super::command::Error;
use crate::query::process;
use crate::session::Session;
use pdblens_session::code_image;

/// Gives a session the machine code of a process, a recording or an image; without one, that which the screens find beside its files.
pub(super) fn attach(session: &Session, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else {
        code_image::attach_known(session, None);
        return Ok(());
    };
    process::attach(session, path).map_err(|reason| Error::NoAnswer(format!("{}: {reason}", path.display())))
}
