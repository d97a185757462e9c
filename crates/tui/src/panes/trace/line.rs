//! Lines of a stack trace as the pane lists them.

use std::sync::Arc;

use pdblens_nodes::Place;
use pdblens_nodes::rows::{Row, Tone};
use pdblens_session::session::Session;

/// A row and its link, which may lead to another session.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceLine {
    pub(super) row: Row,
    pub(super) to: Option<(Arc<Session>, Place)>,
    /// Sentences about the frame, for the details: all of the reason, the notes, the symbols.
    pub(super) details: Arc<Vec<(String, Tone)>>,
    /// The frame as the trace has it; empty for other lines.
    pub(super) frame: Arc<str>,
    /// True for a frame of a module without symbols, and a line about one: Enter sets the symbol path.
    pub(super) is_missing: bool,
}

impl TraceLine {
    /// The frame, or what the line says about one.
    pub(super) fn text(&self) -> &str {
        self.row.cells.first().map_or("", |cell| cell.text.trim())
    }

    /// The heading of the details: a frame below its missing module is listed by its method alone.
    pub(super) fn heading(&self) -> &str {
        if self.is_missing && !self.frame.is_empty() { &self.frame } else { self.text() }
    }
}

/// Index in `resolved` of the frame that is selected in `lines`; among equal frames of a recursion, the one with the same ordinal.
pub(super) fn position_of_same(lines: &[TraceLine], selected: usize, resolved: &[TraceLine]) -> Option<usize> {
    if selected == 0 {
        return None;
    }
    let chosen = lines.get(selected)?.text();
    let earlier = lines.iter().take(selected).filter(|line| line.text() == chosen).count();
    // A line about a frame has that frame too, but another text.
    let equal = resolved.iter().enumerate().filter(|(_, line)| !line.frame.is_empty() && line.text() == chosen);
    equal.map(|(index, _)| index).nth(earlier)
}
