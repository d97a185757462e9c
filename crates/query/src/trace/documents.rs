//! JSON documents whose frames are objects: each comes back as it was, with the place of a frame among its members.

use std::io;

use memchr::memmem;

use super::context::Above;
use super::frame::{Frame, edited};
use super::json::Value;
use super::library::Library;
use super::outcome::{Outcome, Resolved};
use super::{Sink, Told, crash_report, sentry};
use pdblens_formats::reason::Reason;

pub(super) struct DocumentForm {
    /// Name of the form in reports.
    pub(super) name: &'static str,
    /// Texts that a document must contain to be parsed.
    pub(super) marks: &'static [&'static [u8]],
    pub(super) frames: for<'v> fn(&[u8], &'v Value) -> Vec<FrameObject<'v>>,
    /// Members of a frame that say its place.
    pub(super) members: fn(&Resolved) -> Vec<(&'static str, serde_json::Value)>,
}

/// Frame of a document, with its object.
pub(super) struct FrameObject<'v> {
    pub(super) value: &'v Value,
    pub(super) frame: Frame,
    /// It called the method of the object before it.
    pub(super) is_caller: bool,
    /// Its offset is that of a return address.
    pub(super) returns: bool,
    /// Sentence about its offset.
    pub(super) note: Option<&'static str>,
}

/// The forms. The first with frames in a document is its form.
static FORMS: [DocumentForm; 2] = [sentry::FORM, crash_report::FORM];

/// Writes a document with its frames resolved; `false`, and nothing is written, where it has no frames of any form.
pub(super) fn document(library: &mut Library, line: u64, bytes: &[u8], sink: &mut dyn Sink) -> io::Result<bool> {
    let has = |mark: &&[u8]| memmem::find(bytes, mark).is_some();
    let forms: Vec<&DocumentForm> = FORMS.iter().filter(|form| form.marks.iter().all(has)).collect();
    if forms.is_empty() {
        return Ok(false);
    }
    let Some(root) = Value::parse(bytes) else { return Ok(false) };
    for form in forms {
        let found = (form.frames)(bytes, &root);
        if !found.is_empty() {
            write(library, form, found, (line, bytes), sink)?;
            return Ok(true);
        }
    }
    Ok(false)
}

fn write(
    library: &mut Library,
    form: &DocumentForm,
    mut found: Vec<FrameObject<'_>>,
    (mut line, bytes): (u64, &[u8]),
    sink: &mut dyn Sink,
) -> io::Result<()> {
    found.sort_by_key(|object| object.value.range.start);
    let (mut outcomes, mut edits) = (Vec::new(), Vec::new());
    let mut name = "";
    for FrameObject { value, frame, is_caller, returns, note } in &found {
        let called = if *is_caller { name } else { "" };
        let (is_caller, returns) = (*is_caller, *returns);
        let above = Above { name: called.to_owned(), is_caller, returns, ..Above::default() };
        let outcome = library.resolve(frame, &above).and_then(|outcome| library.proved(outcome, frame));
        let mut outcome = outcome.unwrap_or_else(Outcome::No);
        if let Outcome::Resolved(resolved) = &mut outcome {
            resolved.notes.extend(note.map(|note| Reason::new("report", note)));
            let members: Vec<(&str, String)> =
                (form.members)(resolved).into_iter().map(|(name, value)| (name, value.to_string())).collect();
            value.set(bytes, &members, &mut edits);
        }
        outcomes.push(outcome);
        name = &frame.name;
    }
    edits.sort_by_key(|(range, _)| range.start);
    sink.text(&edited(bytes, 0, edits.into_iter()))?;
    let mut counted = 0;
    for (FrameObject { frame, .. }, outcome) in found.iter().zip(&outcomes) {
        let passed = bytes.get(counted..frame.range.start).unwrap_or_default();
        line += passed.split(|byte| *byte == b'\n').skip(1).count() as u64;
        counted = frame.range.start;
        let session = library.session_of(outcome);
        sink.frame(&Told { line, form: form.name, frame, outcome, session, is_alone: false })?;
    }
    Ok(())
}
