//! The line in which an answer is typed, with the verdict on it and the hints.

use crate::engine::press::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::sections::SectionLine;
use crate::engine::key::Key;
use crate::panes::pane::Context;
use crate::ui::input::Input;
use crate::ui::text::{put, wrap, wrap_row};
use crate::ui::theme::Role;
use pdblens_learn::codec::{Codec, lines, parse_hex};
use pdblens_learn::question::marks::{ByteMark, MarkedByte};
use pdblens_learn::{Question, Verdict};

/// Bytes in a row.
const ROW: usize = 16;

#[derive(Debug, Default)]
pub(super) struct AnswerLine {
    pub input: Input,
    pub typing: bool,
    pub verdict: Option<Verdict>,
    /// Number of hints that are shown; one more than there are shows the answer.
    pub hints: usize,
    /// Output of a `decode` command that was typed instead of an answer.
    output: Vec<String>,
    /// True once the text was changed: backspace in an empty line does not turn the page then.
    touched: bool,
    /// Wrong answers; one more once the answer was shown.
    pub slips: usize,
    /// True after a wrong answer that typing replaces.
    judged: bool,
}

impl AnswerLine {
    /// An empty line that takes keys.
    pub fn open() -> Self {
        Self { typing: true, ..Self::default() }
    }

    /// Returns true if the next question may follow: the answer is right, or nothing was asked.
    pub const fn is_done(&self) -> bool {
        match &self.verdict {
            Some(verdict) => verdict.is_done(),
            None => false,
        }
    }

    pub const fn is_wrong(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Wrong(_)))
    }

    pub fn is_empty(&self) -> bool {
        self.input.text().is_empty()
    }

    /// Direction in which `key` turns the page rather than edits the text: in a line that is empty, or whose answer was checked.
    pub fn page_key(&self, key: Key) -> Option<bool> {
        if !self.is_empty() && !self.is_done() && !self.judged {
            return None;
        }
        let forward = super::page_key(key)?;
        (forward || !self.touched || self.is_done()).then_some(forward)
    }

    /// Edits the text; what was said of the old one is gone. A character after a wrong answer begins another one.
    pub fn key(&mut self, key: Key) {
        if std::mem::take(&mut self.judged) && matches!(key.code, KeyCode::Char(_)) && !key.ctrl && !key.alt {
            self.input = Input::default();
        }
        if self.input.key(key) {
            (self.verdict, self.touched) = (None, true);
        }
    }

    /// Adds a text that was pasted; after a wrong answer it is another one.
    pub fn paste(&mut self, text: &str) {
        if std::mem::take(&mut self.judged) {
            self.input = Input::default();
        }
        self.input.paste(text);
        (self.typing, self.verdict, self.touched) = (true, None, true);
    }

    /// Checks the answer, or runs the `decode` command that was typed.
    pub fn accept(&mut self, question: &Question) {
        let text = self.input.text().trim();
        let command = text.strip_prefix("pdblens ").unwrap_or(text);
        if let Some(rest) = command.strip_prefix("decode ") {
            self.output = decoded(rest);
            self.verdict = None;
            return;
        }
        self.output.clear();
        self.verdict = Some(question.check(text));
        self.judged = !self.is_done() && !question.takes_list();
        self.slips += usize::from(self.is_wrong());
    }

    /// Lines below the question, of a width: the line with the input, verdict, hints, solution.
    pub fn lines(&self, question: &Question, width: usize) -> Vec<SectionLine> {
        let mut lines: Vec<SectionLine> = vec![vec![(Role::Accent, "answer ".to_owned())]];
        let mut add = |role: Role, text: &str| {
            lines.extend(wrap(text, width).into_iter().map(|line| vec![(role, line)]));
        };
        for line in &self.output {
            add(Role::Text, line);
        }
        match &self.verdict {
            Some(Verdict::Right(remark)) => add(Role::Ok, format!("✓ Right. {remark}").trim_end()),
            Some(Verdict::Wrong(why)) => add(Role::Bad, &format!("✗ {why}")),
            Some(Verdict::Unreadable(why)) => add(Role::Warn, &format!("? {why}")),
            Some(Verdict::PassedOver(why)) => add(Role::Dim, &format!("Skipped, neither right nor wrong: {why}.")),
            None => {}
        }
        if !self.is_done() {
            for hint in question.hints.iter().take(self.hints) {
                add(Role::Warn, &format!("hint: {hint}"));
            }
        }
        let gives_up = self.hints > question.hints.len();
        if gives_up && !self.is_done() {
            add(Role::Warn, &format!("The answer is {}. Type it to continue.", question.answer()));
        }
        if self.is_done() || gives_up {
            let rows = question.solution.iter().flat_map(|line| wrap_row(line, width));
            lines.extend(rows.map(|(_, row)| vec![(Role::Dim, row)]));
        }
        lines
    }

    /// Shows the next hint; after the last one the answer.
    pub fn hint(&mut self, question: &Question) {
        if question.is_missing() {
            return;
        }
        self.hints = (self.hints + 1).min(question.hints.len() + 1);
        self.slips += usize::from(self.hints > question.hints.len());
    }

    /// Draws the text of the input after its label; returns the cursor.
    pub fn draw_input(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let x = put(buf, area.x, area.y, area.right(), "answer ", cx.look.theme.of(Role::Accent), cx.look.glyphs);
        let x =
            put(buf, x, area.y, area.right(), cx.look.glyphs.step, cx.look.theme.of(Role::Accent), cx.look.glyphs) + 1;
        if self.is_empty() {
            let text = if self.typing { "" } else { "press enter to type an answer" };
            put(buf, x + 1, area.y, area.right(), text, cx.look.theme.of(Role::Mute), cx.look.glyphs);
        }
        let at = self.input.draw(buf, x, area.y, area.right(), cx.look.theme.of(Role::Text), cx.look.glyphs);
        if !self.typing && !self.is_empty() && !self.is_done() {
            put(buf, at.x + 2, area.y, area.right(), "enter types again", cx.look.theme.of(Role::Mute), cx.look.glyphs);
        }
        self.typing.then_some(at)
    }
}

/// Bytes in rows, with their numbers above and the points that have them below.
pub(super) fn byte_lines(bytes: &[MarkedByte], width: usize) -> Vec<SectionLine> {
    let Some(last) = bytes.last() else { return Vec::new() };
    let label = format!("{:#04x}", last.offset).len();
    let row = if width < label + 2 + 3 * ROW { ROW / 2 } else { ROW };
    let text_of = |mark: ByteMark| match mark {
        ByteMark::Open => String::new(),
        ByteMark::Answered(number) => number.to_string(),
        ByteMark::Wrong => "✗".to_owned(),
        ByteMark::Asked => "▲".to_owned(),
    };
    let role_of = |mark: ByteMark| match mark {
        ByteMark::Open => Role::Number,
        ByteMark::Answered(_) => Role::Dim,
        ByteMark::Wrong => Role::Bad,
        ByteMark::Asked => Role::Strong,
    };
    let line = |head: String, role: Role, row: &[MarkedByte], cell: &dyn Fn(&MarkedByte) -> (Role, String)| {
        let cells = row.iter().map(cell).map(|(role, text)| (role, format!(" {text:>2}")));
        std::iter::once((role, format!("{head:label$} "))).chain(cells).collect::<SectionLine>()
    };
    let rows = bytes.chunks(row).flat_map(|row| {
        let number = |byte: &MarkedByte| (Role::Mute, format!("{:x}", byte.offset & 0xf));
        let value = |byte: &MarkedByte| {
            (role_of(byte.mark), byte.byte.map_or_else(|| "··".to_owned(), |byte| format!("{byte:02x}")))
        };
        let mark = |byte: &MarkedByte| (role_of(byte.mark), text_of(byte.mark));
        let offset = row.first().map_or_else(String::new, |byte| format!("{:#04x}", byte.offset));
        [
            line(String::new(), Role::Mute, row, &number),
            line(offset, Role::Mute, row, &value),
            line(String::new(), Role::Mute, row, &mark),
        ]
    });
    rows.collect()
}

/// Output of `decode KIND HEX`.
fn decoded(command: &str) -> Vec<String> {
    let (kind, hex) = command.trim().split_once(' ').unwrap_or((command.trim(), ""));
    let Some(codec) = Codec::named(kind) else {
        return vec![format!("no kind `{kind}`: points, records, sint, uint, slots and others")];
    };
    let bytes = match parse_hex(hex.trim_end_matches("--steps").trim()) {
        Ok(bytes) if !bytes.is_empty() => bytes,
        Ok(_) => return vec!["no bytes to decode".to_owned()],
        Err(error) => return vec![error.to_string()],
    };
    let found = codec.decode(&bytes);
    match &found.text {
        Ok(text) => lines(text)
            .into_iter()
            .map(str::to_owned)
            .chain(found.violations.into_iter().map(|violation| violation.text))
            .chain(found.advice)
            .collect(),
        Err(_) => found.error_text(&bytes).into_iter().chain(found.advice).collect(),
    }
}
