//! Bytes that are typed or pasted: decoded while they are typed, then played.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::sections::SectionLine;
use super::{Player, draw_line};
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::panes::pane::Context;
use crate::ui::grid::Grid;
use crate::ui::input::Input;
use crate::ui::scroll::Scroll;
use crate::ui::text::{put, wrap};
use crate::ui::theme::Role;
use pdblens_learn::codec::typed::Typed;
use pdblens_learn::codec::{CODECS, Codec, lines, one_line};
use pdblens_learn::what_if::{Difference, differences};
use pdblens_learn::{Link, Steps};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::text::safe::spaced_hex;

/// Published blobs, which lesson 8 asks about: sentence, kind, bytes.
const PUBLISHED: [(&str, &str, &str); 4] = [
    (
        "a published blob with its header: five points",
        "points",
        "02 00 00 01 13 05 01 00 26 02 04 0e 00 25 02 00 04 00 0d 02 00 04 00 01 02 7d",
    ),
    ("a published blob that fails: which byte is missing?", "points", "00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79"),
    ("a published slot map", "slots", "01 2a 01 80 83 00 02 09"),
    ("another one", "slots", "01 0d 01 3a 00 16 01"),
];

/// Bytes in a line of the strip.
const PER_LINE: usize = 16;
/// Lines of the strip and of the result.
const MAX_LINES: usize = 3;

pub(super) struct Pasted {
    input: Input,
    pub typing: bool,
    list: Scroll,
    /// Kind of bytes whose kind is not typed.
    pub kind: &'static Codec,
    bytes: Vec<u8>,
    /// Result, or the error and its advice.
    result: Vec<SectionLine>,
    /// The whole result in one line; empty for an error.
    decoded: String,
    /// Steps before a byte was changed; `None` unless one is.
    pub(super) before: Option<Steps>,
}

/// Cells between bytes that fill a line.
fn large_gap(width: usize) -> usize {
    // The offset of the line, and two digits a byte.
    let room = width.saturating_sub(6) / PER_LINE;
    room.saturating_sub(2).clamp(1, 4)
}

/// Reads that another byte changes, in one line.
fn what_if_line(before: &Steps, after: &Steps, differences: &[Difference]) -> SectionLine {
    let reads = before.reads().count();
    let text = match differences {
        [] => "what if a byte had another value? Type over it: every read that changes is marked *".to_owned(),
        all => {
            let points = [before, after].map(|steps| steps.points_after(usize::MAX).len());
            let points = match points {
                [0, 0] => String::new(),
                [before, after] => format!(", points {before} → {after}"),
            };
            let first = all.first().and_then(|found| Some((found.before.as_ref()?, found.after.as_ref()?)));
            let first = first.map_or_else(String::new, |(old, new)| {
                let (old, new) = (&old.field, &new.field);
                format!("; first {}: {} → {}", old.name, old.decoded_value(), new.decoded_value())
            });
            format!("* {} of {reads} reads change{points}{first}", all.len())
        }
    };
    vec![(Role::Warn, text)]
}

/// Example in the list: kind, description, and the input that choosing it types.
fn examples() -> impl Iterator<Item = (&'static str, String, String)> {
    let published = PUBLISHED.iter().map(|(about, kind, hex)| (*kind, (*about).to_owned(), format!("{kind} {hex}")));
    published.chain(
        CODECS.iter().map(|codec| (codec.name, codec.about.to_owned(), format!("{} {}", codec.name, codec.example.0))),
    )
}

impl Pasted {
    /// A line with a text, which is decoded into `player`.
    pub fn new(text: &str, player: &mut Player) -> Self {
        let mut input = Input::default();
        input.paste(&one_line(text, " "));
        let mut pasted = Self {
            input,
            typing: true,
            list: Scroll::default(),
            kind: Codec::named("points").unwrap_or(CODECS[0]),
            bytes: Vec::new(),
            result: Vec::new(),
            decoded: String::new(),
            before: None,
        };
        pasted.decode(player);
        pasted
    }

    /// Examples that the typed word leaves; empty once bytes are typed.
    fn choices(&self) -> Vec<(&'static str, String, String)> {
        let word = self.input.text().trim();
        if !self.result.is_empty() {
            return Vec::new();
        }
        examples().filter(|(kind, ..)| kind.starts_with(word)).collect()
    }

    fn decode(&mut self, player: &mut Player) {
        let typed = Typed::parse(self.input.text(), self.kind);
        (self.bytes, self.result, self.decoded) = (Vec::new(), Vec::new(), String::new());
        player.set_bytes(Steps::default(), "");
        // The only word may become a kind.
        if let Some(typed) = typed.filter(|typed| typed.bytes.is_ok() || Typed::kinds(self.input.text()).is_empty()) {
            self.kind = typed.codec;
            match typed.bytes {
                Err(error) => self.result = vec![vec![(Role::Bad, format!("✗ {error}"))]],
                Ok(bytes) => {
                    self.show(&bytes, typed.encoded, player);
                    self.bytes = bytes;
                }
            }
        }
        let count = self.choices().len();
        self.list.set_len(count);
        self.list.select(0);
    }

    fn show(&mut self, bytes: &[u8], encoded: bool, player: &mut Player) {
        let found = self.kind.decode(bytes);
        self.decoded = found.text.as_ref().map_or_else(|_| String::new(), |text| lines(text).join("; "));
        if encoded {
            self.result.push(vec![(Role::Ok, "✓ ".to_owned()), (Role::Number, spaced_hex(bytes, 64))]);
        }
        match (&found.text, found.error_text(bytes)) {
            (Err(_), Some(error)) => {
                self.result.push(vec![(Role::Bad, format!("✗ {error}"))]);
            }
            (Ok(text), _) if !encoded => {
                let lines = lines(text);
                let mut shown: Vec<String> = lines.iter().take(MAX_LINES).map(|line| (*line).to_owned()).collect();
                if let (Some(last), true) = (shown.last_mut(), lines.len() > MAX_LINES) {
                    *last = format!("{last}   and {} more", lines.len() - MAX_LINES);
                }
                self.result.extend(shown.into_iter().map(|line| vec![(Role::Ok, "✓ ".to_owned()), (Role::Text, line)]));
            }
            _ => {}
        }
        self.result.extend(found.advice.iter().map(|advice| vec![(Role::Warn, advice.clone())]));
        self.result.extend(found.violations.iter().map(|violation| vec![(Role::Bad, format!("✗ {violation}"))]));
        let found = found.steps;
        let differences = self.before.as_ref().map(|before| differences(before, &found)).unwrap_or_default();
        if let Some(before) = &self.before {
            self.result.splice(0..0, [what_if_line(before, &found, &differences)]);
        }
        player.set_bytes(found, self.kind.paragraph);
        player.differs = differences.iter().filter_map(|found| Some(found.after.as_ref()?.number)).collect();
    }

    /// Takes the bytes as they are for those before a change, and puts the cursor at the first byte of the current read.
    pub fn what_if(&mut self, player: &mut Player) {
        let read = player.scroll.selected;
        let at = player.current_step().map_or(0, |step| step.field.span.start);
        self.before = Some(player.steps.clone());
        self.input = Input::new(format!("{} {}", self.kind.name, spaced_hex(&self.bytes, usize::MAX)));
        self.input.move_to(self.kind.name.len() + 1 + at as usize * 3);
        self.typing = true;
        self.decode(player);
        player.scroll.select(read);
    }

    /// The link to a read of the bytes; `None` without bytes.
    pub fn link(&self, step: usize) -> Option<Link> {
        (!self.bytes.is_empty()).then(|| Link::Bytes { kind: self.kind.name, bytes: self.bytes.clone(), step })
    }

    /// The command that prints the steps; `None` without bytes.
    pub fn command(&self) -> Option<String> {
        let hex = spaced_hex(&self.bytes, usize::MAX);
        (!self.bytes.is_empty()).then(|| format!("pdblens decode {} {hex}", self.kind.name))
    }

    /// Shows the bytes again that were left, in the line.
    pub fn reopen(&mut self, player: &mut Player) {
        self.typing = true;
        self.decode(player);
    }

    /// Performs an action while keys are text; false leaves the pane.
    pub fn perform(&mut self, action: Action, player: &mut Player) -> bool {
        let chosen = self.choices().get(self.list.selected).map(|(.., line)| line.clone());
        match (action, chosen) {
            (Action::Accept | Action::Complete, Some(line)) => {
                self.input = Input::new(line);
                self.decode(player);
            }
            (Action::Accept, None) => self.typing = player.reads.is_empty(),
            (Action::Complete, None) if self.before.is_some() => {}
            (Action::Complete, None) => self.next_kind(player),
            (Action::Cancel, _) if self.input.text().is_empty() => return false,
            (Action::Cancel, _) if self.before.is_some() => {
                self.before = None;
                self.typing = false;
                self.decode(player);
            }
            (Action::Cancel, _) => {
                self.input = Input::default();
                self.decode(player);
            }
            (action, Some(_)) => _ = self.list.move_cursor(action),
            (action, None) => _ = player.scroll.move_cursor(action),
        }
        true
    }

    /// Reads the same bytes as the next kind.
    fn next_kind(&mut self, player: &mut Player) {
        let at = CODECS.iter().position(|codec| codec.name == self.kind.name).unwrap_or(0);
        let Some(next) = CODECS.get((at + 1) % CODECS.len()) else { return };
        self.input = Input::new(format!("{} {}", next.name, spaced_hex(&self.bytes, usize::MAX)));
        self.decode(player);
    }

    pub fn key(&mut self, key: Key, player: &mut Player) {
        let (before, read) = (self.input.text().to_owned(), player.scroll.selected);
        match key.typed_char().filter(|c| self.before.is_some() && c.is_ascii_hexdigit()) {
            Some(digit) => self.input.overwrite(digit),
            None => _ = self.input.key(key),
        }
        if before != self.input.text() {
            self.decode(player);
            if self.before.is_some() {
                player.scroll.select(read);
            }
        }
    }

    pub fn paste(&mut self, text: &str, player: &mut Player) {
        self.typing = true;
        self.input.paste(&one_line(text, " "));
        self.decode(player);
    }

    /// Bytes, or the command that decodes them.
    pub fn copied_text(&self, action: Action) -> Option<String> {
        let hex = spaced_hex(&self.bytes, usize::MAX);
        match action {
            Action::CopyHex => Some(hex),
            Action::CopyCommand => Some(format!("pdblens decode {} {hex} --steps", self.kind.name)),
            _ => None,
        }
    }

    pub fn set_height(&mut self, height: u16) {
        self.list.set_height(height.saturating_sub(3) as usize);
    }

    /// Draws the line, its outcome and the strip of bytes; returns the cursor, and what is left of the area.
    pub fn draw(&self, area: Rect, player: &Player, buf: &mut Buffer, cx: &Context<'_>) -> (Option<Position>, Rect) {
        let (role, glyphs) = (|role| cx.look.theme.of(role), cx.look.glyphs);
        let x = put(buf, area.x + 1, area.y, area.right(), "bytes ", role(Role::Accent), glyphs);
        let x = put(buf, x, area.y, area.right(), glyphs.step, role(Role::Accent), glyphs) + 1;
        let cursor = self.input.draw(buf, x, area.y, area.right(), role(Role::Text), glyphs);
        let cursor = self.typing.then_some(cursor);
        let mut y = area.y + 1;
        if self.result.is_empty() {
            let text = "A kind and bytes: points 00 00 18 2e. Or a value: encode sint -5. Enter takes an example:";
            put(buf, area.x + 1, y, area.right(), text, role(Role::Dim), glyphs);
            let cursor =
                self.draw_choices(Rect { y: y + 1, height: area.height.saturating_sub(2), ..area }, buf, cx).or(cursor);
            return (if self.typing { cursor } else { None }, Rect { y: area.bottom(), height: 0, ..area });
        }
        let width = area.width.saturating_sub(2) as usize;
        let kind = vec![
            (Role::Dim, "as ".to_owned()),
            (Role::Strong, self.kind.name.to_owned()),
            (Role::Mute, format!("  {}", self.kind.paragraph)),
        ];
        // The player below has the values, and needs the room; advice is nowhere else.
        let whole = self.typing || self.before.is_some();
        let is_shown = |(index, line): &(usize, &SectionLine)| {
            whole || *index == 0 || matches!(line.as_slice(), [(Role::Warn, _)])
        };
        let covered = [vec![(Role::Warn, "answers hidden".to_owned())]];
        // All of the value in one line, as far as it goes.
        let in_one = wrap(&format!("✓ {}", self.decoded), width);
        let in_one = match in_one.as_slice() {
            [line, rest @ ..] if !whole && !self.decoded.is_empty() => {
                let rest = if rest.is_empty() { "" } else { " …" };
                Some(vec![(Role::Ok, format!("{}{rest}", line.trim_end()))])
            }
            _ => None,
        };
        let shown: Vec<SectionLine> = in_one
            .into_iter()
            .chain(self.result.iter().skip(usize::from(!whole && !self.decoded.is_empty())).cloned())
            .collect();
        let result = if player.hides { covered.as_slice() } else { shown.as_slice() };
        let wrapped = result.iter().enumerate().filter(is_shown).flat_map(|(_, line)| match line.as_slice() {
            [(role, text)] => wrap(text, width).into_iter().map(|part| vec![(*role, part)]).collect(),
            line => vec![line.to_vec()],
        });
        let all: Vec<SectionLine> = std::iter::once(kind).chain(wrapped).collect();
        let gap = if cx.zoomed { large_gap(width) } else { 1 };
        let rows = area.height as usize / 2;
        for line in all.iter().chain(&self.strip(player, gap)).take(rows) {
            draw_line(Rect { x: area.x + 1, y, width: area.width.saturating_sub(1), height: 1 }, line, buf, cx);
            y += 1;
        }
        (cursor, Rect { y, height: area.bottom().saturating_sub(y), ..area })
    }

    /// The bytes, `gap` cells apart, those of the current read marked.
    fn strip(&self, player: &Player, gap: usize) -> Vec<SectionLine> {
        let span = player.current_step().map(|step| step.field.span);
        let span = span.map_or(0..0, |span| span.start as usize..span.end() as usize);
        let line_of = |at: usize| at / PER_LINE;
        let first = line_of(span.start).saturating_sub(MAX_LINES - 1);
        let rows = self.bytes.chunks(PER_LINE).enumerate().skip(first).take(MAX_LINES);
        let row = |(index, bytes): (usize, &[u8])| {
            let from = index * PER_LINE;
            let mut line: SectionLine = vec![(Role::Mute, format!("{from:04x} "))];
            for (at, byte) in (from..).zip(bytes) {
                let before = match at {
                    _ if span.is_empty() => " ",
                    at if at == span.start => "[",
                    at if at == span.end && at > from => "]",
                    _ => " ",
                };
                let role = match at {
                    at if span.contains(&at) => Role::Accent,
                    at if at < span.start => Role::Number,
                    _ => Role::Dim,
                };
                line.push((Role::Accent, format!("{}{before}", " ".repeat(if before == "]" { 0 } else { gap - 1 }))));
                if before == "]" {
                    line.push((Role::Accent, " ".repeat(gap - 1)));
                }
                line.push((role, format!("{byte:02x}")));
            }
            let closes = !span.is_empty() && from + bytes.len() == span.end;
            line.push((Role::Accent, if closes { "]" } else { "" }.to_owned()));
            line
        };
        rows.map(row).collect()
    }

    fn draw_choices(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let row = |(kind, about, _): (&str, String, String)| {
            Row::plain(vec![Cell::toned(kind, Tone::Strong), Cell::toned(about, Tone::Dim)])
        };
        let rows = Rows::of("", vec![Head::text(""); 2], self.choices().into_iter().map(row).collect());
        let mut grid = Grid { scroll: self.list, headless: true, ..Grid::default() };
        grid.resize(&rows, area.height);
        grid.draw(buf, area, &rows, &cx.look, &|_, _| false, &|_, _, _, _| None)
    }
}
