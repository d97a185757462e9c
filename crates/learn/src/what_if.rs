//! A byte changed in memory, and everything decoded again. Nothing is written.

use pdblens_formats::reason::Reason;
use std::path::PathBuf;

use super::{Step, Steps, steps};
use pdblens_formats::bytes::{Space, Span};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

/// The largest file of which a byte is changed: all of it is copied and decoded again.
pub(crate) const MAX_FILE: u64 = 32 << 20;

/// A step that the change made another one; a step may also be new, or gone.
#[derive(Clone, Debug)]
pub struct Difference {
    pub before: Option<Step>,
    pub after: Option<Step>,
}

/// The files of a session with one byte changed.
#[derive(Debug)]
pub struct WhatIf {
    session: Session,
}

impl WhatIf {
    /// Copies the files, writes `byte` over the byte at `at`, and opens the copies. The error is a sentence.
    ///
    /// An embedded PDB is changed as it was inflated, and opened as a file beside its image.
    pub fn new(session: &Session, at: Span, byte: u8) -> Result<Self, Reason> {
        let image = session.image().map(|image| (image.space, image.path.clone()));
        let symbols = session.symbol_file().filter(|file| !file.embedded || file.space == at.space);
        let symbols = symbols.map(|file| {
            let path = if file.embedded { PathBuf::from("embedded.pdb") } else { file.path.clone() };
            (file.space, path)
        });
        let files: Vec<_> = [image, symbols].into_iter().flatten().collect();
        let is_in = |at: &Span| files.iter().any(|(space, _)| *space == at.space);
        let pieces = session.spaces().resolve(Span { len: 1, ..at });
        let stored = pieces.first().filter(|piece| piece.exact).map(|piece| piece.span);
        let Some(at) = Some(at).filter(is_in).or(stored.filter(is_in)) else {
            return Err(Reason::new("inflated", "this byte is in no file: it was inflated from others"));
        };
        let mut copies = Vec::new();
        for (space, path) in files {
            let len = session.spaces().get(space).map_or(0, Space::len);
            if len > MAX_FILE {
                let text = format!("the file has more than {} MB, which would be decoded again", MAX_FILE >> 20);
                return Err(Reason::new("too-large", text));
            }
            let bytes =
                session.spaces().read(Span::new(space, 0, len)).map_err(|error| session.spaces().reason(&error))?;
            let mut bytes = bytes.into_owned();
            if space == at.space
                && let Some(old) = bytes.get_mut(at.start as usize)
            {
                *old = byte;
            }
            copies.push((path, bytes));
        }
        let session = Session::from_bytes(copies)
            .map_err(|error| Reason::new(error.reason().reason, format!("the files no longer open: {error}")))?;
        Ok(Self { session })
    }

    /// Steps of the record at `place` with the changed byte; empty where it is no record any more.
    pub fn steps(&self, place: Place) -> Steps {
        steps(&self.session, place).unwrap_or_default()
    }

    pub const fn session(&self) -> &Session {
        &self.session
    }
}

/// Steps that differ, in the order of their numbers.
pub fn differences(before: &Steps, after: &Steps) -> Vec<Difference> {
    let (old, new): (Vec<&Step>, Vec<&Step>) = (before.reads().collect(), after.reads().collect());
    let same = |old: &Step, new: &Step| {
        let texts = |step: &Step| (step.field.name.clone(), step.field.value.clone(), step.field.meaning.clone());
        texts(old) == texts(new) && old.bytes == new.bytes && old.changes_text() == new.changes_text()
    };
    let pair = |index: usize| (old.get(index).copied(), new.get(index).copied());
    let all = (0..old.len().max(new.len())).map(pair);
    all.filter(|pair| !matches!(pair, (Some(old), Some(new)) if same(old, new)))
        .map(|(before, after)| Difference { before: before.cloned(), after: after.cloned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_after_a_changed_byte_decodes_again() {
        let session = Session::sample();
        let place: Place = "method/0x06000003/points".parse().unwrap();
        let before = steps(&session, place).unwrap();
        let delta = before.reads().find(|step| step.field.name == "δ start column").unwrap().clone();
        let changed = WhatIf::new(&session, delta.field.span, 0x0a).unwrap();
        let after = changed.steps(place);
        let found = differences(&before, &after);
        let first = found.iter().find(|found| found.before.as_ref().is_some_and(|step| step.number == delta.number));
        assert_eq!(first.unwrap().after.as_ref().unwrap().field.value, "5");
        // Later points count their columns from this one.
        let numbers: Vec<_> = found.iter().map(|found| found.before.as_ref().map(|step| step.number)).collect();
        // Δ columns comes before δ start column, and its meaning is the end column.
        assert!(found.len() > 2 && numbers.iter().all(|number| *number >= Some(delta.number - 2)), "{numbers:?}");
        // The files of the session are as they were.
        assert!(differences(&before, &steps(&session, place).unwrap()).is_empty());
    }

    #[test]
    fn an_embedded_pdb_is_changed_as_it_was_inflated() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker-embedded");
        let session = Session::open(&[folder.join("Ticker.dll")]).unwrap();
        let place: Place = "method/0x06000003/points".parse().unwrap();
        let before = steps(&session, place).unwrap();
        let delta = before.reads().find(|step| step.field.name == "δ start column").unwrap().clone();
        let after = WhatIf::new(&session, delta.field.span, 0x0a).unwrap().steps(place);
        let changed = after.reads().find(|step| step.number == delta.number).unwrap();
        assert_eq!((changed.field.value.as_str(), changed.bytes.as_slice()), ("5", &[0x0a][..]));
        assert!(differences(&before, &after).len() > 2);
    }

    #[test]
    fn a_byte_that_no_file_has_is_refused() {
        let session = Session::sample();
        let nowhere = Span::new(pdblens_formats::bytes::SpaceId(999), 0, 1);
        assert!(WhatIf::new(&session, nowhere, 0).is_err());
    }
}
