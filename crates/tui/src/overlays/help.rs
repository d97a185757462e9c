//! Help: the keys that work here, those of the thing under the cursor first.

use ratatui::layout::Rect;

use crate::engine::action::Action;
use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};

/// Keys, what they do, and the action that the row performs.
pub struct HelpLine {
    pub keys: String,
    pub help: String,
    pub action: Action,
}

pub struct Help {
    lines: Vec<HelpLine>,
}

/// A picker of keys; accepting one performs its action.
pub fn help(lines: Vec<HelpLine>) -> Picker<Help> {
    Picker::new(Help { lines })
}

/// Most bytes of a text that lines are compared with.
const MAX_TYPED: usize = 1 << 10;

impl Help {
    /// Lines with all words of `typed` in what they do, or as name or key.
    fn matching(&self, typed: &str) -> impl Iterator<Item = &HelpLine> {
        // A longer text is a pasted one, and names no key.
        let is_short = typed.len() <= MAX_TYPED;
        let typed = if is_short { typed.to_lowercase() } else { String::new() };
        self.lines.iter().filter(move |_| is_short).filter(move |line| {
            let (help, keys) = (line.help.to_lowercase(), line.keys.to_lowercase());
            let name = line.action.def().map_or("", |def| def.name);
            let has = |word: &str| help.contains(word) || name.contains(word) || keys.split(' ').any(|key| key == word);
            typed.split_whitespace().all(has)
        })
    }
}

impl Choices for Help {
    const TITLE: &'static str = "Keys";
    const MAX_ROWS: u16 = 45;

    fn rows(&self, typed: &str, _: &OverlayContext<'_>) -> Rows<'static> {
        let row = |line: &HelpLine| Row::plain(vec![Cell::toned(&line.keys, Tone::Strong), line.help.as_str().into()]);
        let rows: Vec<Row> = self.matching(typed).map(row).collect();
        Rows::of(rows.len().to_string(), Head::list(["", ""]), rows)
    }

    fn size(&self, _: Rect) -> (u16, u16) {
        (100, 0)
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.matching(typed).nth(index).map(|line| Effect::Dispatch(line.action)).into_iter().collect()
    }
}
