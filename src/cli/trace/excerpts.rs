//! Source lines of frames, for `trace --excerpt`.

use std::collections::HashMap;

use crate::cli::excerpt::{ExcerptLine, Excerpts};
use crate::source::SourceOptions;
use crate::trace::{Outcome, Told};

/// Limit on the excerpts that are kept: the same frames recur in a log.
const MAX_KEPT: usize = 4096;

/// Excerpts of frames, those of the last ones kept.
pub(super) struct FrameExcerpts {
    options: SourceOptions,
    kept: HashMap<(usize, u32, u32, u32), Vec<ExcerptLine>>,
}

impl FrameExcerpts {
    pub(super) fn new(options: SourceOptions) -> Self {
        Self { options, kept: HashMap::new() }
    }

    /// The lines of the point of a frame; none for a frame without a line.
    pub(super) fn of(&mut self, told: &Told<'_>) -> &[ExcerptLine] {
        let (Outcome::Resolved(found), Some(session)) = (told.outcome, told.session) else { return &[] };
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        let (of, start) = (found.code.unit(), (found.line, found.column));
        self.kept
            .entry((found.pair, of.address(), start.0, start.1))
            .or_insert_with(|| Excerpts::new(session, self.options.clone()).lines_at(of, start))
    }
}
