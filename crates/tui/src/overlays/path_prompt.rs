//! A prompt for a path, with completion.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::keymap::PROMPT;
use crate::overlays::{Overlay, OverlayContext, Reply, place, popup, prompt};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::expand_home;
use crate::ui::input::Input;
use crate::ui::text::{put, put_lines, put_right, width, wrap};
use crate::ui::theme::Role;
use pdblens_session::session::inputs::{Location, is_many};

/// Limits: entries of a folder that are read, and completions that are shown.
const MAX_ENTRIES_AND_COMPLETIONS: (usize, usize) = (20_000, 200);
const COMPLETION_ROWS: u16 = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Completions {
    typed: String,
    /// Byte offset in the text where the completed name begins.
    from: usize,
    names: Vec<String>,
}

pub struct PathPrompt {
    title: &'static str,
    note: String,
    /// True if only folders are offered.
    folders: bool,
    input: Input,
    completions: Arc<Mutex<Completions>>,
    take: Box<dyn Fn(String) -> Vec<Effect>>,
    /// Reason why a path is not taken; `None` for one that is.
    check: fn(&str) -> Option<String>,
    /// The reason, until the text changes.
    refused: Option<String>,
}

impl PathPrompt {
    /// A prompt with a note below it; `take` makes the effects of a confirmed path.
    pub fn new(
        title: &'static str,
        note: String,
        folders: bool,
        take: impl Fn(String) -> Vec<Effect> + 'static,
    ) -> Self {
        let completions = Arc::default();
        let (take, check) = (Box::new(take), (|_: &str| None) as fn(&str) -> Option<String>);
        Self { title, note, folders, input: Input::default(), completions, take, check, refused: None }
    }

    /// The same prompt, which stays open with the reason where `check` has one against the path.
    #[must_use]
    pub fn checked(self, check: fn(&str) -> Option<String>) -> Self {
        Self { check, ..self }
    }

    /// The same prompt for a file that is there.
    #[must_use]
    pub fn of_existing(self) -> Self {
        self.checked(|text| {
            let path = expand_home(text);
            let is_there = path.exists() || Location::of(&path).is_file() || is_many(&path);
            (!is_there).then(|| format!("{}: there is no such file", path.display()))
        })
    }

    pub(crate) fn open(self) -> Vec<Effect> {
        let job = self.completion_job();
        vec![Effect::Open(Box::new(self)), job]
    }

    fn completion_job(&self) -> Effect {
        let (text, completions, folders) = (self.input.text().to_owned(), Arc::clone(&self.completions), self.folders);
        Effect::Start(Job::new("reading the folder", "complete", move |token| {
            let found = list_completions(&text, folders);
            if !token.is_cancelled() {
                *completions.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
            Msg::Redraw
        }))
    }

    /// The completions of the current text, once they are known.
    fn completions(&self) -> Option<Completions> {
        let completions = self.completions.lock().unwrap_or_else(PoisonError::into_inner);
        (completions.typed == self.input.text()).then(|| completions.clone())
    }
}

/// The completions of the part after the last separator, or after the `=` of `OLD=NEW`.
fn list_completions(text: &str, folders: bool) -> Completions {
    let ends = |c: char| c == '/' || c == '=' || (cfg!(windows) && c == '\\');
    let from = text.rfind(ends).map_or(0, |at| at + 1);
    let none = Completions { typed: text.to_owned(), from, names: Vec::new() };
    let (before, begun) = text.split_at(from);
    let folder = before.rsplit('=').next().unwrap_or_default();
    let folder = if folder.is_empty() { Path::new(".").to_owned() } else { expand_home(folder) };
    let Ok(entries) = std::fs::read_dir(folder) else { return none };
    let mut names: Vec<String> = entries
        .take(MAX_ENTRIES_AND_COMPLETIONS.0)
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok().filter(|name| name.starts_with(begun))?;
            // Hidden entries are listed only after a dot.
            let hidden = name.starts_with('.') && !begun.starts_with('.');
            let folder = !hidden && entry.path().is_dir();
            let wanted = !hidden && (folder || !folders);
            wanted.then(|| if folder { format!("{name}/") } else { name })
        })
        .collect();
    names.sort();
    names.truncate(MAX_ENTRIES_AND_COMPLETIONS.1);
    Completions { names, ..none }
}

fn common_prefix(names: &[String]) -> &str {
    let Some((first, rest)) = names.split_first() else { return "" };
    let same = |a: &str, b: &str| a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map(|((at, _), _)| at);
    rest.iter().fold(first.as_str(), |begin, name| {
        let end = same(begin, name).unwrap_or_else(|| begin.len().min(name.len()));
        begin.get(..end).unwrap_or_default()
    })
}

impl Overlay for PathPrompt {
    fn perform(&mut self, action: Action, cx: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Accept if self.input.text().trim().is_empty() => Reply::Close(Vec::new()),
            Action::Accept if (self.check)(self.input.text().trim()).is_some() => {
                self.refused = (self.check)(self.input.text().trim());
                Reply::Stay(Vec::new())
            }
            Action::Accept => Reply::Close((self.take)(self.input.text().trim().to_owned())),
            Action::Complete => {
                let Completions { from, names, .. } = self.completions().unwrap_or_default();
                let text = format!("{}{}", self.input.text().get(..from).unwrap_or_default(), common_prefix(&names));
                if names.is_empty() || text == self.input.text() {
                    return Reply::Stay(Vec::new());
                }
                self.input = Input::new(text);
                Reply::Stay(self.changed(cx))
            }
            Action::Cancel | Action::Quit => Reply::Close(Vec::new()),
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn changed(&mut self, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.refused = None;
        vec![self.completion_job()]
    }

    fn area(&self, screen: Rect) -> Rect {
        place(screen, 84, COMPLETION_ROWS + 6)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let inside = popup(buf, self.area(area), self.title, look);
        if inside.is_empty() {
            return None;
        }
        let mute = look.theme.of(Role::Mute);
        let x = prompt(buf, inside, look);
        let cursor = self.input.draw(buf, x, inside.y, inside.right(), look.theme.of(Role::Text), look.glyphs);
        let completions = self.completions().unwrap_or_default();
        // As many columns of names as fit.
        let wide = completions.names.iter().map(|name| width(name)).max().unwrap_or(0).clamp(8, 38) + 2;
        let across = (inside.width as usize / wide).max(1);
        let (note, role) = self.refused.as_ref().map_or((&self.note, Role::Dim), |reason| (reason, Role::Bad));
        let note = wrap(note, inside.width as usize);
        // Below the input and three rows of names.
        let most = usize::from(inside.height).saturating_sub(6).max(2);
        let last = inside.bottom().saturating_sub(note.len().min(most) as u16 + 1);
        let rows = last.saturating_sub(inside.y + 2) as usize;
        // The last cells of a list that is cut count the others.
        let is_cut = rows > 0 && completions.names.len() > across * rows;
        let count = |names: usize| format!("and {} more", completions.names.len() - names);
        let spare = (usize::from(inside.width) + 2).saturating_sub(across * wide);
        let taken = if is_cut { (width(&count(0)) + 2).saturating_sub(spare).div_ceil(wide) } else { 0 };
        let shown = (across * rows).min(completions.names.len()).saturating_sub(taken);
        for (index, name) in completions.names.iter().take(shown).enumerate() {
            let (column, row) = (index % across, index / across);
            let (x, y) = (inside.x + (column * wide) as u16, inside.y + 2 + row as u16);
            let end = (x + wide as u16 - 2).min(inside.right());
            put(buf, x, y, end, name, look.theme.of(Role::Text), look.glyphs);
        }
        if is_cut {
            put_right(buf, inside.x, last - 1, inside.right(), &count(shown), mute, look.glyphs);
        }
        if last > inside.y + 1 {
            let below = Rect { y: last, height: (inside.bottom() - 1).saturating_sub(last), ..inside };
            put_lines(buf, below, 0, note.iter().map(|line| (line, role)), look);
            let text = format!("{} completes", cx.keys(Action::Complete, PROMPT));
            put(buf, inside.x, inside.bottom() - 1, inside.right(), &text, mute, look.glyphs);
        }
        Some(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_offered_by_how_they_begin() {
        let samples = format!("{}/../../assets/samples/", env!("CARGO_MANIFEST_DIR"));
        let completions = |text: &str, folders| list_completions(&format!("{samples}{text}"), folders).names;
        assert_eq!(completions("ticker-w", true), ["ticker-windows-release/", "ticker-windows/"]);
        assert_eq!(common_prefix(&completions("ticker-w", true)), "ticker-windows");
        assert_eq!(completions("ticker/", true), [""; 0]);
        assert_eq!(completions("ticker/T", false), ["Ticker.dll", "Ticker.nettrace", "Ticker.pdb"]);
        assert_eq!(completions("no/such/", false), [""; 0]);
        let mapped = list_completions(&format!("/_/={samples}nat"), true);
        assert_eq!((mapped.names, mapped.from), (vec!["native/".to_owned()], samples.len() + 4));
    }

    #[test]
    fn what_names_have_in_common_ends_between_characters() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(common_prefix(&names(&["äb", "äc"])), "ä");
        assert_eq!(common_prefix(&names(&["ä", "ö"])), "");
        assert_eq!(common_prefix(&names(&["abc", "ab"])), "ab");
        assert_eq!(common_prefix(&[]), "");
    }
}
