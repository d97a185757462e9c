//! JSON of `trace --json`.

use std::cell::RefCell;
use std::io;

use serde::Serialize;

use crate::cli::excerpt::point_at;
use crate::cli::json::{Emit, List};
use crate::nodes::Token;
use crate::query::certainty::Certainty;
use crate::query::statement::{Statement, Statements};
use crate::trace::{Offset, Outcome, Sink, Summary, Told};

/// Frames, in the order of the text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "trace"))]
pub(in crate::cli) struct TraceDocument<'t> {
    pub(super) frames: List<'t, FrameJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "frame"))]
pub(super) struct FrameJson {
    /// Line of the text, from 1.
    line: u64,
    /// Name of the dialect that the frame is written in.
    form: &'static str,
    /// Type and name of the method, as the text has them.
    name: String,
    /// Text between the parentheses of the method.
    parameters: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<Token>,
    /// IL offset in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    il: Option<u32>,
    /// Machine code offset in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    native_offset: Option<u64>,
    #[serde(flatten)]
    outcome: Outcome,
    /// Certainty of the line, or that there is none.
    certainty: Certainty,
    /// Statement of the point, reconstructed from IL; with `--excerpt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reconstructed: Option<Statement>,
}

/// Collects the frames and drops the text.
pub(super) struct AsJson<'e, 'f> {
    pub(super) emit: &'e mut Emit<'f, FrameJson>,
    /// Adds the statements of points.
    pub(super) excerpt: bool,
    pub(super) summary: &'e RefCell<Summary>,
}

impl Sink for AsJson<'_, '_> {
    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.summary.borrow_mut().add(told.outcome);
        (self.emit)(FrameJson::of(told, self.excerpt))
    }
}

impl FrameJson {
    fn of(told: &Told<'_>, excerpt: bool) -> Self {
        let (il, native_offset) = match told.frame.offset {
            Offset::Il(il) | Offset::ExactIl(il) => (Some(il), None),
            Offset::Native(offset) => (None, Some(offset)),
            Offset::Precompiled(offset) | Offset::Epilog(offset) => (None, Some(offset.into())),
            Offset::Line(_) | Offset::Inlined | Offset::None => (None, None),
        };
        Self {
            line: told.line,
            form: told.form,
            name: told.frame.name.clone(),
            parameters: told.frame.parameters.clone(),
            token: told.frame.token,
            il,
            native_offset,
            outcome: told.outcome.clone(),
            certainty: told.outcome.certainty(),
            reconstructed: if excerpt { statement_of(told) } else { None },
        }
    }
}

fn statement_of(told: &Told<'_>) -> Option<Statement> {
    let (Outcome::Resolved(found), Some(session)) = (told.outcome, told.session) else { return None };
    let point = point_at(session, found.code.unit(), (found.line, found.column))?;
    Statements::new(session)?.at(found.code.unit(), point.offset)
}
