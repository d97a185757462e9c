use std::path::Path;

use super::command::Error;
use crate::session::Session;
use pdblens_session::code_image;

/// Gives a session the machine code of a file, a recording or an image; without one, that which the screens find beside its files.
pub(super) fn attach(session: &Session, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else {
        code_image::attach_known(session, None);
        return Ok(());
    };
    code_image::attach(session, path).map_err(|reason| Error::NoAnswer(format!("{}: {reason}", path.display())))
}
