//! Several inputs at once: one pair is opened, anything else is a list to choose from.

use std::path::{Path, PathBuf};

use super::{Location, Unit, is_many, others, pairs_of_program, units};
use crate::session::{OpenError, PdbMatch, Session};

/// Returns whether one of the paths is a folder, container or pattern, or whether two are images.
pub fn names_several(paths: &[PathBuf]) -> bool {
    let images = paths.iter().filter(|path| Location::of(path).begins_like_an_image());
    images.take(2).count() > 1 || paths.iter().any(|path| is_many(path))
}

/// Opens the paths if they are one pair, with its deltas; else returns all their pairs as [`OpenError::Several`] or
/// [`OpenError::Ambiguous`]. A single-file program of several pairs is a list too.
pub fn open_or_list(paths: &[PathBuf]) -> Result<Session, OpenError> {
    if let [path] = paths {
        return match pairs_of_program(path) {
            Some(units) => Err(OpenError::Ambiguous { path: path.clone(), choices: choices(&units) }),
            None => Session::open(paths),
        };
    }
    let several = names_several(paths);
    // A pair may be in two packages. Of more inputs, none is read before it is chosen.
    if paths.len() <= 2 || !several {
        let opened = Session::open(paths);
        let is_one = match &opened {
            Ok(session) => !several || others(session) == 0 && session.pdb_match() == PdbMatch::Matched,
            Err(OpenError::Ambiguous { .. } | OpenError::TwoOfAKind { .. } | OpenError::TooMany(_)) => false,
            Err(_) => !several,
        };
        if is_one {
            return opened;
        }
    }
    let found = units(paths)?;
    match found.as_slice() {
        [] => Err(OpenError::NothingInside(paths.first().cloned().unwrap_or_default())),
        [unit] => unit.open(),
        _ => Err(OpenError::Several { paths: paths.to_vec(), choices: choices(&found) }),
    }
}

fn choices(units: &[Unit]) -> Vec<Vec<PathBuf>> {
    units.iter().map(|unit| unit.files().map(Path::to_owned).collect()).collect()
}
