//! The goto prompt: goes to whatever is typed, and shows where that is.

use crate::nodes;
use crate::nodes::code_tree;
use crate::nodes::code_unit;
use crate::nodes::document;
use crate::nodes::function::NativeView;
use crate::nodes::method::MethodView;
use crate::nodes::stream::PdbView;
use crate::query::breakpoint;
use crate::query::where_is;
use crate::query::where_is::explain_text;
use crate::query::where_is::parse;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::bytes::Span;
use crate::nodes::method::range_text;
use crate::nodes::resolve::ResolveError;
use crate::nodes::rows::Tone;
use crate::nodes::{Heap, Place, SequencePoint};
use crate::nodes::{Side, number};
use crate::query::where_is::Position as Among;
use crate::session::Session;
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

/// A place with a remark, or the reason why there is none.
pub type Answer = Result<(Place, String), String>;

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
        let (typed, shared, here) = (self.input.text().to_owned(), Arc::clone(&self.answer), current_span(cx));
        *shared.lock().unwrap_or_else(PoisonError::into_inner) = (typed.clone(), None);
        vec![Effect::Start(Job::new("looking it up", "goto", move |_| {
            let answer = resolve(&session, &typed, here);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.0 == typed {
                shared.1 = Some(answer);
            }
            Msg::Redraw
        }))]
    }
}

/// The selected bytes: file offsets refer to their file.
fn current_span(cx: &OverlayContext<'_>) -> Option<Span> {
    cx.selected.and_then(crate::tui::state::selection::SelectionContext::span)
}

/// Resolves an input to a place.
fn resolve(session: &Session, typed: &str, here: Option<Span>) -> Answer {
    // The initial text may end with `0x` already.
    let typed = &typed.trim().replace("0x0x", "0x");
    let plain = |place: Place| (place, String::new());
    if let Some(found) = parse_keyword(session, typed, here) {
        return found.map(plain);
    }
    if let Some(place) = find_guid(session, typed) {
        return Ok(plain(place));
    }
    if let Some((name, _)) = typed.rsplit_once(':').filter(|(_, line)| line.parse::<u32>().is_ok())
        && !name.ends_with(':')
    {
        return find_line(session, typed);
    }
    let token = typed.strip_prefix("0x").filter(|hex| hex.len() == 8).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    if let Some(token) = token.map(nodes::Token).filter(|token| token.table() != nodes::TableId::METHOD_DEF)
        && NativeView::of(session).is_none()
    {
        let place = Place::row(token.table(), token.row());
        return nodes::resolve(session, &place.to_string()).map(plain).map_err(|error| error.to_string());
    }
    if let Ok(place) = nodes::resolve(session, typed) {
        return Ok(plain(place));
    }
    let query = parse::parse_offset(session, typed).map_err(|error| match (error, name_part(typed)) {
        (ResolveError::Near(..) | ResolveError::Unknown(_), Some(name)) => {
            if let Some((of, offset)) =
                typed.rsplit_once('+').filter(|(of, _)| parse::parse_offset(session, of).is_ok())
            {
                return format!("{offset:?} is not an offset: write {of}+15, or {of}+0xf");
            }
            let what = if NativeView::of(session).is_some() { "function" } else { "method" };
            format!("no {what} named {name}")
        }
        (error, _) => error.to_string(),
    })?;
    if !typed.contains('+') && query.offset == 0 {
        return Ok(plain(query.of.place()));
    }
    let answer = where_is::where_is(session, query.of, query.offset);
    // Stack traces name the kickoff method of a state machine, with an offset in MoveNext.
    let target = answer.state_machine.as_deref().unwrap_or(&answer);
    let line = matches!(target.position, Among::Exact | Among::Inside).then_some(target.found.visible).flatten();
    let line = line.and_then(|point| line_text(session, &point));
    let said = line.into_iter().chain(explain_text::sentences(session, &answer)).collect::<Vec<_>>().join("; ");
    Ok((target.of.code(query.offset), said))
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

/// The file name and the lines of a sequence point.
fn line_text(session: &Session, point: &SequencePoint) -> Option<String> {
    let document = document::name(session, point.document)?;
    Some(format!("{} {}", file_name(&document), range_text(point)))
}

/// The name in an input, without offset and line.
fn name_part(typed: &str) -> Option<&str> {
    let name = typed.trim();
    let name = name.rsplit_once(['+', ':']).map_or(name, |(name, _)| name);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '<' | '.' | '@'));
    (is_name && !name.contains(['/', '#', ' '])).then_some(name)
}

/// Parses `stream 12`, `file 0x1a0`, `#blob 0xb5`, `image #strings 0x10`.
fn parse_keyword(session: &Session, typed: &str, here: Option<Span>) -> Option<Result<Place, String>> {
    let (side, rest) = match typed.split_once(' ') {
        Some(("image", rest)) => (Side::Image, rest),
        Some(("pdb", rest)) => (Side::Pdb, rest),
        _ => (Side::Pdb, typed),
    };
    let (word, text) = rest.trim().split_once(' ')?;
    let heap = match word {
        "#strings" | "#Strings" => Some(Heap::Strings),
        "#us" | "#US" => Some(Heap::UserStrings),
        "#guid" | "#GUID" => Some(Heap::Guids),
        "#blob" | "#Blob" => Some(Heap::Blobs),
        _ => None,
    };
    let wrong = || Err(format!("{text:?} is not a number"));
    match (heap, word) {
        (Some(heap), _) => Some(number(text.trim()).map_or_else(wrong, |at| Ok(Place::HeapEntry(side, heap, at)))),
        (None, "stream") => Some(number(text.trim()).map_or_else(wrong, |stream| Ok(Place::Stream(stream)))),
        (None, "file") => {
            let Some(at) = number(text.trim()) else { return Some(wrong()) };
            let symbols = || session.symbol_file().map(|file| file.space);
            let image = || session.image().map(|file| file.space);
            let space = if side == Side::Image && typed.starts_with("image") { image() } else { None };
            let space = space.or(here.map(|span| span.space)).or_else(symbols).or_else(image)?;
            let len = session.spaces().get(space).map_or(0, crate::bytes::Space::len);
            let there = u64::from(at) < len;
            Some(if there {
                Ok(Place::Bytes(Span::new(space, at.into(), 1)))
            } else {
                Err(format!("the file has {len} bytes"))
            })
        }
        _ => None,
    }
}

/// Finds a GUID in the GUID heaps.
fn find_guid(session: &Session, typed: &str) -> Option<Place> {
    let wanted = typed.trim_matches(['{', '}']).to_ascii_lowercase();
    if wanted.len() != 36 || wanted.matches('-').count() != 4 {
        return None;
    }
    Side::loaded(session).find_map(|(side, _)| {
        let rows = nodes::rows(session, Place::Heap(side, Heap::Guids))?;
        let row = rows.iter().find(|row| row.cells.iter().any(|cell| cell.text.to_ascii_lowercase() == wanted))?;
        row.place
    })
}

/// Finds the breakpoint location of `Program.cs:21`.
fn find_line(session: &Session, typed: &str) -> Answer {
    let query = breakpoint::parse_line_query(session, typed).map_err(|error| error.to_string())?;
    let found = breakpoint::bind(session, &query);
    let Some(hit) = found.hits.first() else {
        let document = query.documents.first().copied().unwrap_or(1);
        return Ok((Place::Line(document, query.line), "no code on or after this line".to_owned()));
    };
    let moved =
        if found.line == query.line { String::new() } else { format!("the next line with code is {}; ", found.line) };
    let others = match found.hits.len() {
        1 => String::new(),
        n => format!("; {n} {}s in all", hit.of.point_word()),
    };
    let (word, name) = (hit.of.point_word(), code_unit::name(session, hit.of));
    // Without columns the range only repeats the line.
    let lines = Some(range_text(&hit.point)).filter(|lines| *lines != found.line.to_string());
    let begins = lines.into_iter().chain([hit.of.label(hit.range.start.into())]).collect::<Vec<_>>().join(", ");
    Ok((hit.place(), format!("{moved}{begins}: {word} {} of {name}{others}", hit.number)))
}

/// The effects of going to an input.
pub fn answer(typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
    let Some(session) = cx.session else { return Vec::new() };
    effects(typed, resolve(session, typed, current_span(cx)))
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
                let answer = self.answer().or_else(|| Some(resolve(cx.session?, typed, current_span(cx))));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_can_be_typed_leads_somewhere() {
        let session = Session::sample();
        let goes = |typed: &str| resolve(&session, typed, None).map(|(place, _)| place.to_string());
        for (typed, place) in [
            ("0x06000003+0x1", "method/0x06000003/il/0x1"),
            ("Clock.Since+2", "method/0x06000003/il/0x2"),
            ("Clock.Since", "method/0x06000003"),
            ("0x06000003", "method/0x06000003"),
            ("0x02000003", "table/TypeDef/3"),
            ("#blob 0x1", "pdb/heap/blob/0x1"),
            ("image #us 1", "image/heap/us/0x1"),
            ("stream 3", "stream/3"),
            ("tables", "tables"),
            ("table/Document/1", "table/Document/1"),
        ] {
            assert_eq!(goes(typed).as_deref(), Ok(place), "{typed}");
        }
        assert!(goes("file 0x10").unwrap().ends_with("/0x10+1"));
        assert!(goes("Clock.cs:11").unwrap().starts_with("method/0x06000003/points/"), "{:?}", goes("Clock.cs:11"));
        assert!(goes("Nothing.Like.It").is_err() && goes("file 0xffffffff").is_err() && goes("").is_err());
        let (_, said) = resolve(&session, "Program.Main+0x12", None).unwrap();
        assert!(said.contains("inside point"), "{said}");
    }
}
