//! The goto prompt: goes to whatever is typed, and shows where that is.

use crate::nodes::code_tree;
use crate::nodes::code_unit;
use crate::nodes::document;
use crate::nodes::method::MethodView;
use crate::nodes::stream::PdbView;
use crate::query::ask::{Answer, Here, ask, name_part};
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::nodes::Side;
use crate::nodes::rows::Tone;
use crate::text::paths::file_name;
use crate::tui::core::action::Action;
use crate::tui::core::key::{Key, display};
use crate::tui::core::keymap::PROMPT;
use crate::tui::overlays::{Overlay, OverlayContext, Reply, place, popup, prompt};
use crate::tui::state::breadcrumb::breadcrumb;
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};
use crate::tui::ui::input::Input;
use crate::tui::ui::text::{put, wrap};
use crate::tui::ui::theme::Role;

/// Examples of input, taken from the open files.
fn examples(cx: &OverlayContext<'_>) -> String {
    let Some(session) = cx.session else { return String::new() };
    let mut all = Vec::new();
    let shown = cx.selected.and_then(|linked| linked.method.as_ref().map(|view| view.of));
    if let Some(of) = shown.or_else(|| code_tree::first_point(session)?.code_unit()) {
        let view = MethodView::of(session, of);
        let point = view.points.iter().rfind(|point| !point.is_hidden());
        let offset = point.map_or(0, |point| point.offset);
        all.push(format!("{of}+{offset:#x}"));
        let name = code_unit::name(session, of);
        let mut steps = name.split('(').next().unwrap_or_default().rsplit('.');
        let (method, owner) = (steps.next().unwrap_or_default(), steps.next());
        let short = owner.map_or_else(|| method.to_owned(), |owner| format!("{owner}.{method}"));
        // Unusual names make no good examples.
        if short.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_')) {
            all.push(format!("{short}+{offset:#x}"));
        }
        let document = point.and_then(|point| Some((point, document::name(session, point.document)?)));
        all.extend(document.map(|(point, name)| format!("{}:{}", file_name(&name), point.start_line)));
    }
    let has_heaps = Side::Pdb.metadata(session).is_some();
    all.extend(
        [has_heaps.then_some("#blob 0x1"), PdbView::of(session).map(|_| "stream 1")]
            .into_iter()
            .flatten()
            .map(String::from),
    );
    all.extend(["file 0x1a0".to_owned(), "a GUID".to_owned()]);
    all.join(" · ")
}

/// The goto prompt.
pub struct Goto {
    input: Input,
    /// The last input, and the answer to it.
    answer: Arc<Mutex<(String, Option<Answer>)>>,
}

impl Goto {
    /// A prompt with an initial text.
    pub fn new(text: &str) -> Self {
        Self { input: Input::new(text), answer: Arc::default() }
    }

    fn area(screen: Rect) -> Rect {
        place(screen, 100, 8)
    }

    /// The answer to the input, once it is known.
    fn answer(&self) -> Option<Answer> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if answer.0 == self.input.text() { answer.1.clone() } else { None }
    }

    /// A job that resolves the input.
    fn resolve_job(&self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some(session) = cx.session.map(Arc::clone) else { return Vec::new() };
        let (typed, shared, here) = (self.input.text().to_owned(), Arc::clone(&self.answer), here(cx));
        *shared.lock().unwrap_or_else(PoisonError::into_inner) = (typed.clone(), None);
        vec![Effect::Start(Job::new("looking it up", "goto", move |_| {
            let answer = ask(&session, &typed, here);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.0 == typed {
                shared.1 = Some(answer);
            }
            Msg::Redraw
        }))]
    }
}

/// The selection, to which offsets without a file or a method refer.
fn here(cx: &OverlayContext<'_>) -> Here {
    let Some(selected) = cx.selected else { return Here::default() };
    Here { span: selected.span(), code: selected.method.as_ref().map(|view| view.of) }
}

/// The continuation of an initial text.
fn completion_hint(typed: &str) -> Option<&'static str> {
    match typed {
        "0x06" => Some("six more digits: 0x06000001 is the first method, 0x02000001 the first type"),
        "file 0x" => Some("offset in the file, in hexadecimal: 1a0"),
        _ if typed.ends_with("+0x") => Some("offset in the code, in hexadecimal as debuggers write it: 1a"),
        _ => None,
    }
}

/// The effects of going to an input.
pub fn answer(typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
    let Some(session) = cx.session else { return Vec::new() };
    effects(typed, ask(session, typed, here(cx)))
}

fn effects(typed: &str, answer: Answer) -> Vec<Effect> {
    match answer {
        Ok((place, said)) if said.is_empty() => vec![Effect::Go(place.into())],
        Ok((place, said)) => vec![Effect::Go(place.into()), Effect::SetStatus(Tone::Text, said)],
        Err(why) => vec![Effect::SetStatus(Tone::Warn, format!("{typed}: {why}"))],
    }
}

impl Overlay for Goto {
    fn perform(&mut self, action: Action, _: Option<usize>, cx: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Accept => {
                let typed = self.input.text();
                let answer = self.answer().or_else(|| Some(ask(cx.session?, typed, here(cx))));
                Reply::Close(match (answer, name_part(typed)) {
                    // Let the finder look for similar names.
                    (Some(Err(_)), Some(name)) => vec![Effect::FindAnything(name.to_owned())],
                    (Some(answer), _) => effects(typed, answer),
                    (None, _) => Vec::new(),
                })
            }
            Action::Cancel | Action::Quit => Reply::Close(Vec::new()),
            Action::Suspend => Reply::Pass,
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn key(&mut self, key: Key, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let before = self.input.text().to_owned();
        self.input.key(key);
        if before == self.input.text() { Vec::new() } else { self.resolve_job(cx) }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        self.input.paste(text);
        self.resolve_job(cx)
    }

    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool> {
        Self::area(cx.screen).contains(at).then_some(false)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let inside = popup(buf, Self::area(area), "Go to", look);
        if inside.is_empty() {
            return None;
        }
        let x = prompt(buf, inside, look);
        let cursor = self.input.draw(buf, x, inside.y, inside.right(), look.theme.of(Role::Text), look.glyphs);
        let mut lines: Vec<(String, Role)> = Vec::new();
        match self.answer() {
            _ if self.input.text().trim().is_empty() => lines.push((examples(cx), Role::Mute)),
            Some(Ok((place, said))) => {
                let steps = cx.session.map_or_else(Vec::new, |session| breadcrumb(session, place, cx.views));
                let path: Vec<String> = steps.into_iter().map(|(step, _)| step).collect();
                lines.push((path.join(&format!(" {} ", look.glyphs.step)), Role::Ok));
                lines.push((said, Role::Text));
            }
            Some(Err(why)) => {
                lines.push((why, Role::Dim));
                if let Some(name) = name_part(self.input.text()).filter(|_| !self.input.text().ends_with('+')) {
                    let keys = cx.keymap.keys_of(Action::Accept, PROMPT).unwrap_or_default();
                    let keys = display(keys, look.glyphs.ascii);
                    lines.push((format!("{keys} finds names that contain {name}"), Role::Mute));
                }
            }
            None => lines.extend(completion_hint(self.input.text()).map(|how| (how.to_owned(), Role::Mute))),
        }
        let wide = inside.width as usize;
        let wrapped = lines.iter().flat_map(|(text, role)| wrap(text, wide).into_iter().map(move |line| (line, *role)));
        for (y, (line, role)) in (inside.y + 2..inside.bottom()).zip(wrapped) {
            put(buf, inside.x, y, inside.right(), &line, look.theme.of(role), look.glyphs);
        }
        Some(cursor)
    }
}
