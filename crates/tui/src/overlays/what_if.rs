//! The what-if prompt: another value for a byte of the record, and the steps that it changes. Nothing is written.

use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::overlays::{Overlay, OverlayContext, Reply, place, popup, prompt};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::ui::input::Input;
use crate::ui::text::{put, wrap};
use crate::ui::theme::Role;
use pdblens_formats::bytes::Span;
use pdblens_learn::what_if::{Difference, WhatIf, differences};
use pdblens_learn::{Step, Steps};
use pdblens_nodes::{self as nodes, MethodPart, Place};
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

/// Outcome of a change: the steps that differ, and how the decoding ended.
#[derive(Clone, Debug, Default)]
struct WhatIfOutcome {
    typed: String,
    differences: Vec<Difference>,
    /// Sequence points that the record makes, before and after.
    points: [usize; 2],
    /// Error that ends the decoding, or the reason why nothing is decoded.
    error: Option<String>,
}

pub struct WhatIfPrompt {
    session: Arc<Session>,
    place: Place,
    /// The byte that is changed, and its value.
    at: Span,
    old: u8,
    before: Arc<Steps>,
    input: Input,
    outcome: Arc<Mutex<WhatIfOutcome>>,
    top: usize,
    /// True after Enter, which has nothing to apply.
    entered: bool,
}

impl WhatIfPrompt {
    /// A prompt for the first byte of `part` in the record at `place`; `None` where it has none.
    pub fn new(session: &Arc<Session>, place: Place, part: Option<Span>) -> Option<Self> {
        let record = pdblens_learn::steps(session, place)?;
        // Another byte can make a point another record, or none: all of the blob tells what becomes of it.
        let place = match place {
            Place::MethodPart(method, MethodPart::Point(_)) => Place::MethodPart(method, MethodPart::Points),
            place => place,
        };
        let before = pdblens_learn::steps(session, place)?;
        let first = record.reads().find(|step| !step.bytes.is_empty()).map(|step| step.field.span);
        let at = part.filter(|part| !part.is_empty()).or(first)?;
        let mut prompt = Self {
            session: Arc::clone(session),
            place,
            at,
            old: 0,
            before: Arc::new(before),
            input: Input::new(""),
            outcome: Arc::default(),
            top: 0,
            entered: false,
        };
        prompt.move_to(at.start).then_some(prompt)
    }

    /// Changes the byte at another offset of the same space; false if there is none.
    fn move_to(&mut self, start: u64) -> bool {
        let at = Span { start, len: 1, ..self.at };
        let Some(old) = self.session.spaces().read(at).ok().and_then(|bytes| bytes.first().copied()) else {
            return false;
        };
        (self.at, self.old, self.input, self.top) = (at, old, Input::new(""), 0);
        true
    }

    /// The job that decodes with the typed byte, once there are two digits.
    fn decode(&mut self) -> Vec<Effect> {
        self.top = 0;
        let typed = self.input.text().trim().to_owned();
        if typed.len() != 2 {
            return Vec::new();
        }
        let Some(byte) = u8::from_str_radix(&typed, 16).ok() else { return Vec::new() };
        let (session, before, shared) =
            (Arc::clone(&self.session), Arc::clone(&self.before), Arc::clone(&self.outcome));
        let (place, at) = (self.place, self.at);
        vec![Effect::Start(Job::new("decoding with another byte", "what if", move |token| {
            let found = outcome(&session, place, &before, at, byte);
            if !token.is_cancelled() {
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = WhatIfOutcome { typed, ..found };
            }
            Msg::Redraw
        }))]
    }

    fn outcome(&self) -> Option<WhatIfOutcome> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        (!outcome.typed.is_empty() && outcome.typed == self.input.text().trim()).then(|| outcome.clone())
    }
}

fn outcome(session: &Session, place: Place, before: &Steps, at: Span, byte: u8) -> WhatIfOutcome {
    match WhatIf::new(session, at, byte) {
        Err(reason) => WhatIfOutcome { error: Some(reason.text), ..WhatIfOutcome::default() },
        Ok(changed) => {
            let after = changed.steps(place);
            let points = [before, &after].map(|steps| steps.points_after(usize::MAX).len());
            let gone = after.list.is_empty().then(|| "no record is at this place any more".to_owned());
            let error = after.error.as_ref().map(|error| {
                // The error names its part; the read has the bytes, and their offset as the dump counts it.
                let read = after.failure().map_or_else(String::new, |failure| format!("; {}", failure.text()));
                format!("{}{read}", changed.session().spaces().error_text(error))
            });
            let error = error.or(gone);
            WhatIfOutcome { differences: differences(before, &after), points, error, ..WhatIfOutcome::default() }
        }
    }
}

/// Reason why what is typed is no byte; `None` for one, and for what may become one.
fn refused(typed: &str) -> Option<String> {
    if let Some(other) = typed.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Some(format!("`{other}` is not a hexadecimal digit (0 to 9, a to f)"));
    }
    (typed.len() > 2).then(|| "a byte has two hexadecimal digits: tab goes to the next one".to_owned())
}

/// A step in one line: its name, bytes, value and changes, or the meaning of the value.
fn step_text(step: Option<&Step>, with_meaning: bool) -> String {
    let Some(step) = step else { return "no such read".to_owned() };
    let changes = step.changes_text().join("; ");
    let more = if changes.is_empty() || with_meaning { step.field.meaning.clone() } else { changes };
    format!("{}  {} = {}  {more}", spaced_hex(&step.bytes, 4), step.field.name, step.field.value)
}

/// Both steps of a difference; with the meaning of the value where nothing else differs.
fn texts(found: &Difference) -> [String; 2] {
    let both = |with_meaning| [&found.before, &found.after].map(|step| step_text(step.as_ref(), with_meaning));
    let [before, after] = both(false);
    if before == after { both(true) } else { [before, after] }
}

fn lines(outcome: &WhatIfOutcome, steps: usize, width: usize) -> Vec<(Role, String)> {
    let mut lines = Vec::new();
    let changed = outcome.differences.len();
    if let Some(error) = &outcome.error {
        lines.extend(wrap(error, width).into_iter().map(|line| (Role::Bad, line)));
    }
    if changed == 0 && outcome.error.is_none() {
        lines.push((Role::Ok, "the record decodes to the same values".to_owned()));
    } else if changed > 0 {
        let points = match outcome.points {
            [0, 0] => String::new(),
            [before, after] => format!(", points {before} → {after}"),
        };
        lines.push((Role::Strong, format!("{changed} of {steps} reads change{points}")));
    }
    for found in &outcome.differences {
        let number = found.before.as_ref().or(found.after.as_ref()).map_or(0, |step| step.number);
        let [before, after] = texts(found);
        lines.push((Role::Mute, format!("{number:>4}  {before}")));
        lines.push((Role::Warn, format!("   →  {after}")));
    }
    lines
}

impl Overlay for WhatIfPrompt {
    fn perform(&mut self, action: Action, _: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Cancel | Action::Quit => return Reply::Close(Vec::new()),
            Action::Accept => self.entered = true,
            Action::Complete => _ = self.move_to(self.at.start + 1),
            Action::Down => self.top += 1,
            Action::Up => self.top = self.top.saturating_sub(1),
            Action::PageDown => self.top += 10,
            Action::PageUp => self.top = self.top.saturating_sub(10),
            _ => {}
        }
        Reply::Stay(Vec::new())
    }

    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn changed(&mut self, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.entered = false;
        self.decode()
    }

    fn area(&self, screen: Rect) -> Rect {
        place(screen, 120, screen.height.saturating_sub(4))
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let inside = popup(buf, self.area(area), "What if this byte had another value? Nothing is written", look);
        if inside.height < 4 {
            return None;
        }
        let at = nodes::span_text(&self.session, self.at);
        let head = format!("{at} is {:02x} = {:08b}; two hexadecimal digits:", self.old, self.old);
        put(buf, inside.x, inside.y, inside.right(), &head, look.theme.of(Role::Text), look.glyphs);
        let line = Rect { y: inside.y + 1, height: 1, ..inside };
        let x = prompt(buf, line, look);
        let cursor = self.input.draw(buf, x, line.y, line.right(), look.theme.of(Role::Text), look.glyphs);
        let last = inside.bottom() - 1;
        let found = self.outcome();
        let mut lines =
            found.map_or_else(Vec::new, |found| lines(&found, self.before.reads().count(), inside.width as usize));
        lines.extend(refused(self.input.text().trim()).map(|text| (Role::Bad, text)));
        let room = last.saturating_sub(inside.y + 3) as usize;
        let top = self.top.min(lines.len().saturating_sub(room));
        for (y, (role, line)) in (inside.y + 3..last).zip(lines.iter().skip(top)) {
            put(buf, inside.x, y, inside.right(), line, look.theme.of(*role), look.glyphs);
        }
        let (role, hint) = if self.entered {
            (Role::Warn, "this is all that changes: the file keeps its byte · tab next byte · esc closes")
        } else {
            (Role::Mute, "tab next byte · up down scroll · esc close")
        };
        put(buf, inside.x, last, inside.right(), hint, look.theme.of(role), look.glyphs);
        Some(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_learn as learn;

    #[test]
    fn a_byte_that_breaks_the_record_names_the_read_and_its_offset() {
        let session = Session::sample();
        let place: Place = "method/0x06000003/points".parse().unwrap();
        let before = learn::steps(&session, place).unwrap();
        let third = before.reads().nth(2).unwrap().field.span;
        let error = outcome(&session, place, &before, third, 0xff).error.unwrap();
        assert!(error.contains(&format!("read 3, Δ lines of point, at {:#x}: ff", third.start)), "{error}");
        // The header too: the points are still a record.
        let first = before.reads().next().unwrap().field.span;
        let error = outcome(&session, place, &before, first, 0xff).error.unwrap();
        assert!(error.contains("read 1, local signature of header") && error.contains(": ff"), "{error}");
    }
}
